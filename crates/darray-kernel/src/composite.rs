//! Operations that are made of rows of the operator table: one task with one or two results, expanded where a kernel is
//! composed. A function made of others is a row here; it needs no loops, no machine code and no CUDA of its own.
//!
//! A row's formula is written over [terms](term::Term), whose operators record; [`Body`] is what it has recorded. Rules of all
//! formulas of complex numbers:
//! - They are written once, for `f32` and `f64`; what depends on the range of the type is in [`limits`].
//! - Nothing cancels: differences of nearly equal numbers are taken where they are exact, or avoided.
//! - What overflows or underflows on the way is scaled by powers of two, or split off as a factor; not in powers.
//! - Infinities, NaN and the signs of zeros give what C99's Annex G says, with NaN that have no sign.

mod division;
mod exponential;
mod hyperbolic;
mod inverse;
mod limits;
mod pair;
mod power;
mod term;
#[cfg(test)]
mod tests;

use crate::operator::Operator;
use darray_core::{Compute, RealType, Scalar};
use pair::Pair;
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use term::{Recorder, Term};

/// An operation that is made of others.
///
/// ```
/// use darray_kernel::composite::{Composite, Formula};
/// let cube = Composite { formula: Formula::Powi, exponent: 3 };
/// assert_eq!(cube.to_string(), "powi{3}");
/// assert_eq!(Composite::from_name("powi{3}"), Some(cube));
/// assert_eq!(Composite::from(Formula::ComplexMultiply).formula.inputs(), 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Composite {
    /// The row of the table.
    pub formula: Formula,
    /// What is part of the code; 0 where the row has none.
    pub exponent: i32,
}

/// What a composite does for an element. Values are numbered: inputs, then steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// In order.
    pub steps: Vec<Step>,
    /// The values of the results, and their types.
    pub results: SmallVec<[(u16, RealType); 2]>,
}

/// A step of a composite, which gives a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A number.
    Constant(Scalar),
    /// A row of the operator table, of these values.
    Apply(Operator, SmallVec<[u16; 3]>),
}

/// Bodies of exponents up to this one are kept.
const KEPT_EXPONENTS: u32 = 100;

type Terms<'r> = SmallVec<[Term<'r>; 2]>;

/// Turns the rows into the enum and the table. A row's formula is of the number of complex (`z`) and real (`x`) inputs that its pattern
/// says; `n` is the exponent.
macro_rules! composites {
    ($($(#[$doc:meta])+ $row:ident = $name:literal ($pattern:tt) -> $results:literal, $formula:expr;)+) => {
        /// A row of the table of composites.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Formula {
            $($(#[$doc])+ $row,)+
        }

        impl Formula {
            /// Every row, in the order of the table.
            pub const ALL: &'static [Formula] = &[$(Formula::$row),+];

            /// The name in texts.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Formula::$row => $name,)+
                }
            }

            /// Real inputs; a complex number is two.
            pub const fn inputs(self) -> usize {
                match self {
                    $(Formula::$row => inputs!($pattern),)+
                }
            }

            /// Real results, or masks.
            pub const fn results(self) -> usize {
                match self {
                    $(Formula::$row => $results,)+
                }
            }

            /// Whether the exponent is part of the code.
            pub const fn has_exponent(self) -> bool {
                match self {
                    $(Formula::$row => has_exponent!($pattern),)+
                }
            }

            fn record<'r>(self, inputs: &[Term<'r>], exponent: i32) -> Terms<'r> {
                match self {
                    $(Formula::$row => record!($pattern inputs exponent $formula).terms(),)+
                }
            }
        }
    };
}

macro_rules! inputs {
    (x) => {
        1
    };
    (xn) => {
        1
    };
    (z) => {
        2
    };
    (zn) => {
        2
    };
    (zx) => {
        3
    };
    (zz) => {
        4
    };
}

macro_rules! has_exponent {
    (xn) => {
        true
    };
    (zn) => {
        true
    };
    ($other:tt) => {
        false
    };
}

macro_rules! record {
    (xn $of:ident $exponent:ident $formula:expr) => {
        $formula($of[0], $exponent)
    };
    (z $of:ident $_:ident $formula:expr) => {
        $formula(Pair::new($of[0], $of[1]))
    };
    (zn $of:ident $exponent:ident $formula:expr) => {
        $formula(Pair::new($of[0], $of[1]), $exponent)
    };
    (zx $of:ident $_:ident $formula:expr) => {
        $formula(Pair::new($of[0], $of[1]), $of[2])
    };
    (zz $of:ident $_:ident $formula:expr) => {
        $formula(Pair::new($of[0], $of[1]), Pair::new($of[2], $of[3]))
    };
}

composites! {
    /// `x^n` by binary exponentiation; a negative power is the reciprocal of the positive one.
    Powi = "powi" (xn) -> 1, power::powi;
    /// `z w`.
    ComplexMultiply = "complex_multiply" (zz) -> 2, Pair::mul;
    /// `z / w`.
    ComplexDivide = "complex_divide" (zz) -> 2, |z, w| division::Divisor::new(w).divides(z);
    /// `x / z`, of `z` and `x`.
    ComplexDivides = "complex_divides" (zx) -> 2, |z, x| division::Divisor::new(z).divides_real(x);
    /// `1 / z`.
    ComplexReciprocal = "complex_reciprocal" (z) -> 2, division::reciprocal;
    /// `z z`; the parts `(x - y)(x + y)` would round less, but differ from those of the product.
    ComplexSquare = "complex_square" (z) -> 2, |z: Pair<'r>| z.mul(z);
    /// The sum of the squares of the parts.
    ComplexNormSquare = "complex_norm_square" (z) -> 1, |z: Pair<'r>| z.re * z.re + z.im * z.im;
    /// `r e^(i t)`, of `r` and `t`.
    ComplexPolar = "complex_polar" (z) -> 2,
        |z: Pair<'r>| Pair::new(z.re * z.im.cos(), z.re * z.im.sin());
    /// `e^z`.
    ComplexExp = "complex_exp" (z) -> 2, exponential::exp;
    /// The natural logarithm.
    ComplexLn = "complex_ln" (z) -> 2, exponential::ln;
    /// The logarithm of base 10.
    ComplexLog10 = "complex_log10" (z) -> 2, |z| exponential::log_times(z, std::f64::consts::LOG10_E);
    /// The logarithm of base 2.
    ComplexLog2 = "complex_log2" (z) -> 2, |z| exponential::log_times(z, std::f64::consts::LOG2_E);
    /// The square root with a real part that is not negative.
    ComplexSqrt = "complex_sqrt" (z) -> 2, exponential::sqrt;
    /// The sine.
    ComplexSin = "complex_sin" (z) -> 2, hyperbolic::sin;
    /// The cosine.
    ComplexCos = "complex_cos" (z) -> 2, hyperbolic::cos;
    /// The tangent.
    ComplexTan = "complex_tan" (z) -> 2, hyperbolic::tan;
    /// The hyperbolic sine.
    ComplexSinh = "complex_sinh" (z) -> 2, hyperbolic::sinh;
    /// The hyperbolic cosine.
    ComplexCosh = "complex_cosh" (z) -> 2, hyperbolic::cosh;
    /// The hyperbolic tangent.
    ComplexTanh = "complex_tanh" (z) -> 2, hyperbolic::tanh;
    /// The arc sine.
    ComplexAsin = "complex_asin" (z) -> 2, inverse::asin;
    /// The arc cosine.
    ComplexAcos = "complex_acos" (z) -> 2, inverse::acos;
    /// The arc tangent.
    ComplexAtan = "complex_atan" (z) -> 2, inverse::atan;
    /// The area hyperbolic sine.
    ComplexAsinh = "complex_asinh" (z) -> 2, inverse::asinh;
    /// The area hyperbolic cosine.
    ComplexAcosh = "complex_acosh" (z) -> 2, inverse::acosh;
    /// The area hyperbolic tangent.
    ComplexAtanh = "complex_atanh" (z) -> 2, inverse::atanh;
    /// `z^n`; of 0 to a negative power infinite.
    ComplexPowi = "complex_powi" (zn) -> 2, power::complex_powi;
    /// `z^n`; of 0 to a negative power NaN.
    ComplexWhole = "complex_whole" (zn) -> 2, power::whole;
    /// `z^x`.
    ComplexRealPower = "complex_real_power" (zx) -> 2, power::real_pow;
    /// `z^w`.
    ComplexPower = "complex_power" (zz) -> 2, power::complex_pow;
    /// Whether both parts are equal.
    ComplexEqual = "complex_equal" (zz) -> 1,
        |z: Pair<'r>, w: Pair<'r>| z.re.eq(w.re).and(z.im.eq(w.im));
    /// Whether a part differs.
    ComplexNotEqual = "complex_not_equal" (zz) -> 1,
        |z: Pair<'r>, w: Pair<'r>| z.re.ne(w.re).or(z.im.ne(w.im));
    /// Whether a part is NaN.
    ComplexIsNan = "complex_is_nan" (z) -> 1, |z: Pair<'r>| z.re.is_nan().or(z.im.is_nan());
    /// Whether a part is infinite.
    ComplexIsInfinite = "complex_is_infinite" (z) -> 1,
        |z: Pair<'r>| z.re.is_infinite().or(z.im.is_infinite());
    /// Whether both parts are finite.
    ComplexIsFinite = "complex_is_finite" (z) -> 1,
        |z: Pair<'r>| z.re.is_finite().and(z.im.is_finite());
}

/// What a formula gives.
trait Given<'r> {
    fn terms(self) -> Terms<'r>;
}

impl<'r> Given<'r> for Term<'r> {
    fn terms(self) -> Terms<'r> {
        smallvec![self]
    }
}

impl<'r> Given<'r> for Pair<'r> {
    fn terms(self) -> Terms<'r> {
        smallvec![self.re, self.im]
    }
}

impl From<Formula> for Composite {
    fn from(formula: Formula) -> Composite {
        Composite { formula, exponent: 0 }
    }
}

impl Composite {
    /// The composite with this text.
    pub fn from_name(name: &str) -> Option<Composite> {
        let (name, exponent) = match name.split_once('{') {
            Some((name, rest)) => (name, Some(rest.strip_suffix('}')?.parse().ok()?)),
            None => (name, None),
        };
        let formula = Formula::ALL.iter().copied().find(|formula| formula.name() == name)?;
        (formula.has_exponent() == exponent.is_some())
            .then_some(Composite { formula, exponent: exponent.unwrap_or(0) })
    }

    /// Whether it can be computed in this type: integers have whole powers that are not negative, floats all.
    pub fn is_defined(self, compute: Compute) -> bool {
        let is_power = self.formula == Formula::Powi && self.exponent >= 0;
        compute.dtype().is_float() || (is_power && compute.dtype().is_integer())
    }

    /// What it does, in this type.
    ///
    /// # Panics
    ///
    /// If it is not [defined](Self::is_defined) there.
    pub fn body(self, compute: Compute) -> Arc<Body> {
        type Bodies = HashMap<(Composite, Compute), Arc<Body>>;
        static BODIES: LazyLock<Mutex<Bodies>> = LazyLock::new(Mutex::default);
        assert!(self.is_defined(compute), "{self} in {compute}");
        // Users choose exponents: not all of them are kept.
        if self.exponent.unsigned_abs() > KEPT_EXPONENTS {
            return Arc::new(self.record(compute));
        }
        let mut bodies = BODIES.lock().unwrap_or_else(PoisonError::into_inner);
        bodies.entry((self, compute)).or_insert_with(|| Arc::new(self.record(compute))).clone()
    }

    /// Time per element in cache, relative to an addition.
    pub fn cost(self, compute: Compute) -> u32 {
        let steps = &self.body(compute).steps;
        let cost = |step: &Step| match step {
            Step::Constant(_) => 0,
            Step::Apply(operator, _) => operator.cost(),
        };
        steps.iter().map(cost).sum()
    }

    fn record(self, compute: Compute) -> Body {
        let recorder = Recorder::new(compute, self.formula.inputs());
        let results = {
            let terms = self.formula.record(&recorder.inputs(), self.exponent);
            terms.iter().map(|term| (term.value(), term.dtype())).collect()
        };
        Body { results, steps: recorder.into_steps() }
    }
}

impl fmt::Display for Composite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.formula.name())?;
        match self.formula.has_exponent() {
            true => write!(f, "{{{}}}", self.exponent),
            false => Ok(()),
        }
    }
}
