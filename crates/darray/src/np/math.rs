//! Element-wise mathematics: the functions of `operation/table.rs`.

mod functions;
mod values;

pub use functions::*;
pub use values::*;

use crate::elementwise::operation::{binary_table, rule_output, unary_table};
use crate::{DArray, Element, Number, Operand};

/// The functions of one array.
macro_rules! unary_functions {
    (operators { $($operators:tt)* } functions {
        $($(#[$doc:meta])+ $variant:ident = x.$method:ident(), np::$name:ident, $rule:ident,
            $input:literal => $output:literal;)+
    }) => { $(
        unary_functions! { @$rule $name $method
            $(#[$doc])+
            #[doc = concat!(
                "\n\nSee [`DArray::", stringify!($method), "`].",
                "\n\n```\nlet x = darray::DArray::from_vec(", $input, ");\n",
                "assert_eq!(darray::np::", stringify!($name), "(&x).to_vec(), ", $output, ");\n```",
            )]
        }
    )+ };
    (@number $name:ident $method:ident $(#[$doc:meta])+) => {
        $(#[$doc])+
        #[track_caller]
        pub fn $name<T: Number>(x: &DArray<T>) -> DArray<T> {
            x.$method()
        }
    };
    (@$rule:ident $name:ident $method:ident $(#[$doc:meta])+) => {
        $(#[$doc])+
        #[track_caller]
        pub fn $name<T: Element>(x: &DArray<T>) -> DArray<rule_output!($rule T)> {
            x.$method()
        }
    };
}

/// The functions of two operands.
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
        pub fn $name<T: Element, R: Operand<T>>(
            x: &DArray<T>,
            y: R,
        ) -> DArray<rule_output!($rule R::Output)> {
            x.$method(y)
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
pub fn real<T: Element>(z: &DArray<T>) -> DArray<T::Part> {
    z.real()
}

/// The imaginary parts: a view that writes through, of a real array zeros; see [`DArray::imag`].
///
/// ```
/// use darray::{Complex, DArray, np};
/// let z = DArray::from_vec(vec![Complex::new(1.0, 2.0)]);
/// assert_eq!(np::imag(&z).to_vec(), [2.0]);
/// ```
#[track_caller]
pub fn imag<T: Element>(z: &DArray<T>) -> DArray<T::Part> {
    z.imag()
}

/// The conjugates; see [`DArray::conj`].
///
/// ```
/// use darray::{Complex, DArray, np};
/// let z = DArray::from_vec(vec![Complex::new(1.0, 2.0)]);
/// assert_eq!(np::conjugate(&z).to_vec(), [Complex::new(1.0, -2.0)]);
/// ```
#[track_caller]
pub fn conjugate<T: Element>(z: &DArray<T>) -> DArray<T> {
    z.conj()
}

/// As [`conjugate`], by NumPy's other name.
///
/// ```
/// use darray::{Complex, DArray, np};
/// let z = DArray::from_vec(vec![Complex::new(1.0, 2.0)]);
/// assert_eq!(np::conj(&z).to_vec(), [Complex::new(1.0, -2.0)]);
/// ```
#[track_caller]
pub fn conj<T: Element>(z: &DArray<T>) -> DArray<T> {
    z.conj()
}

/// The angles in radians; see [`DArray::arg`].
///
/// ```
/// use darray::{Complex, DArray, np};
/// let z = DArray::from_vec(vec![Complex::new(0.0, 2.0)]);
/// assert_eq!(np::angle(&z).to_vec(), [std::f64::consts::FRAC_PI_2]);
/// ```
#[track_caller]
pub fn angle<T: Element>(z: &DArray<T>) -> DArray<T::Spread> {
    z.arg()
}

/// The whole numbers nearest to the elements, ties to even, in their type; see [`DArray::round`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.5, 2.5]);
/// assert_eq!(darray::np::round(&x).to_vec(), [2.0, 2.0]);
/// ```
#[track_caller]
pub fn round<T: Number>(x: &DArray<T>) -> DArray<T> {
    x.round()
}

/// The elements rounded to so many decimals, NumPy's `round(x, decimals)`; see [`DArray::round_to`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.125, 2.375]);
/// assert_eq!(darray::np::round_to(&x, 2).to_vec(), [1.12, 2.38]);
/// ```
#[track_caller]
pub fn round_to<T: Number>(x: &DArray<T>, decimals: i32) -> DArray<T> {
    x.round_to(decimals)
}
