//! Element-wise mathematics: the functions of `operation/table.rs`.

pub(crate) mod composed;
mod functions;
mod values;

pub use functions::*;
pub use values::*;

use crate::array::element::Angle;
use crate::elementwise::operation::{binary_table, pair_output, rule_output, unary_table};
use crate::elementwise::untyped::binary_as;
use crate::error::expect_at_caller;
use crate::{AsArray, Binary, DArray, Element, MathArgument, Number, Operands, Unary};
use darray_core::Place;

/// The functions of one array or number.
macro_rules! unary_functions {
    (operators { $($operators:tt)* } functions {
        $($(#[$doc:meta])+ $variant:ident = x.$method:ident(), np::$name:ident, $rule:ident,
            $input:literal => $output:literal;)+
    }) => { $(
        unary_functions! { @$rule $name $variant
            $(#[$doc])+
            #[doc = concat!(
                "\n\nSee [`DArray::", stringify!($method), "`].",
                "\n\n```\nlet x = darray::DArray::from_vec(", $input, ");\n",
                "assert_eq!(darray::np::", stringify!($name), "(&x).to_vec(), ", $output, ");\n```",
            )]
        }
    )+ };
    (@number $name:ident $variant:ident $(#[$doc:meta])+) => {
        $(#[$doc])+
        #[track_caller]
        pub fn $name<X: MathArgument<Element: Number>>(x: X) -> X::Of<X::Element> {
            x.apply(Unary::$variant)
        }
    };
    (@$rule:ident $name:ident $variant:ident $(#[$doc:meta])+) => {
        $(#[$doc])+
        #[track_caller]
        pub fn $name<X: MathArgument>(x: X) -> X::Of<rule_output!($rule X::Element)> {
            x.apply(Unary::$variant)
        }
    };
}

/// The functions of two operands, of which either may be a number.
macro_rules! binary_functions {
    (operators { $($operators:tt)* } functions {
        $($(#[$doc:meta])+ $variant:ident = x.$method:ident(y), x.$try:ident(y), np::$name:ident,
            $rule:ident, $left:literal, $right:literal => $output:literal;)+
    }) => { $(
        $(#[$doc])+
        #[doc = concat!(
            "\n\nSee [`DArray::", stringify!($method), "`].",
            "\n\n```\nlet x = darray::DArray::from_vec(", $left, ");\n",
            "assert_eq!(darray::np::", stringify!($name), "(&x, ", $right, ").to_vec(), ", $output,
            ");\n```",
        )]
        #[track_caller]
        pub fn $name<X: Operands<Y>, Y>(x: X, y: Y) -> DArray<pair_output!($rule X)> {
            let (left, right) = x.arguments(&y);
            let (name, place) = (Binary::$variant.name(), Place::caller());
            DArray::wrap(expect_at_caller(binary_as(name, Binary::$variant, left, right, place)))
        }
    )+ };
}

unary_table!(unary_functions);
binary_table!(binary_functions);

/// The real parts: a view that writes through; see [`DArray::real`].
///
/// ```
/// use darray::{Complex, DArray, np};
/// let z = DArray::from_vec(vec![Complex::new(1.0, 2.0)]);
/// assert_eq!(np::real(&z).to_vec(), [1.0]);
/// ```
pub fn real<T: Element>(z: impl AsArray<T>) -> DArray<T::Part> {
    z.as_array().real()
}

/// The imaginary parts: a view that writes through, of a real array zeros; see [`DArray::imag`].
///
/// ```
/// use darray::{Complex, DArray, np};
/// let z = DArray::from_vec(vec![Complex::new(1.0, 2.0)]);
/// assert_eq!(np::imag(&z).to_vec(), [2.0]);
/// ```
#[track_caller]
pub fn imag<T: Element>(z: impl AsArray<T>) -> DArray<T::Part> {
    z.as_array().imag()
}

/// The conjugates; see [`DArray::conj`].
///
/// ```
/// use darray::{Complex, DArray, np};
/// let z = DArray::from_vec(vec![Complex::new(1.0, 2.0)]);
/// assert_eq!(np::conjugate(&z).to_vec(), [Complex::new(1.0, -2.0)]);
/// ```
#[track_caller]
pub fn conjugate<T: Element>(z: impl AsArray<T>) -> DArray<T> {
    z.as_array().conj()
}

/// As [`conjugate`], by NumPy's other name.
///
/// ```
/// use darray::{Complex, DArray, np};
/// let z = DArray::from_vec(vec![Complex::new(1.0, 2.0)]);
/// assert_eq!(np::conj(&z).to_vec(), [Complex::new(1.0, -2.0)]);
/// ```
#[track_caller]
pub fn conj<T: Element>(z: impl AsArray<T>) -> DArray<T> {
    z.as_array().conj()
}

/// The angles in radians; see [`DArray::arg`].
///
/// ```
/// use darray::{Complex, DArray, np};
/// let z = DArray::from_vec(vec![Complex::new(0.0, 2.0)]);
/// assert_eq!(np::angle(&z).to_vec(), [std::f64::consts::FRAC_PI_2]);
/// ```
#[track_caller]
pub fn angle<T: Element>(z: impl AsArray<T>) -> DArray<Angle<T>> {
    z.as_array().arg()
}

/// The whole numbers nearest to the elements, ties to even, in their type; see [`DArray::round`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.5, 2.5]);
/// assert_eq!(darray::np::round(&x).to_vec(), [2.0, 2.0]);
/// ```
#[track_caller]
pub fn round<T: Number>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().round()
}

/// The elements rounded to so many decimals, NumPy's `round(x, decimals)`; see [`DArray::round_to`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.125, 2.375]);
/// assert_eq!(darray::np::round_to(&x, 2).to_vec(), [1.12, 2.38]);
/// ```
#[track_caller]
pub fn round_to<T: Number>(x: impl AsArray<T>, decimals: i32) -> DArray<T> {
    x.as_array().round_to(decimals)
}
