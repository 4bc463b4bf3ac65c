//! Element-wise functions of complex arrays.

use super::operand::{ComplexArgument, ComplexOperand, Factor, check_operands};
use super::pair::Pair;
use super::term::{Origin, Term};
use super::{ComplexArray, ComplexPart};
use crate::error::expect_at_caller;
use crate::{Argument, Binary, DArray, Element};
use darray_core::Result;
use darray_kernel::composite::{Composite, Formula};

/// Powers as whole as these are products, as NumPy's are.
const WHOLE_POWERS: f64 = 100.0;

/// Methods from rows of documentation, name, NumPy's name, formula, and an example.
macro_rules! complex_functions {
    ($($(#[$doc:meta])+ $method:ident = np $name:ident, $formula:expr,
        ($re:literal, $im:literal) => $text:literal;)+) => {
        impl<T: ComplexPart> ComplexArray<T> { $(
            $(#[$doc])+
            #[doc = concat!(
                "\n\n```\nuse darray::{Complex, ComplexArray};\n",
                "let z = ComplexArray::from_vec(vec![Complex::new(", $re, ", ", $im, ")]);\n",
                "assert_eq!(z.", stringify!($method), "().to_string(), \"", $text, "\");\n```",
            )]
            #[track_caller]
            pub fn $method(&self) -> ComplexArray<T> {
                self.applied(Origin::here(stringify!($name)), $formula.into())
            }
        )+ }
    };
}

complex_functions! {
    /// `z * z`.
    square = np square, Formula::ComplexSquare, ("1.0", "2.0") => "[-3.+4.j]";
    /// `1 / z`, by the larger part, as quotients are; of the smallest numbers it overflows.
    recip = np reciprocal, Formula::ComplexReciprocal, ("0.0", "2.0") => "[0.-0.5j]";
    /// `e^z`, each part at most 4 ulp.
    exp = np exp, Formula::ComplexExp, ("0.0", "0.0") => "[1.+0.j]";
    /// Natural logarithms, with imaginary parts between `-π` and `π`; cut along the negative real axis. Each
    /// part at most 4 ulp, also where `|z|` is nearly 1.
    ln = np log, Formula::ComplexLn, ("0.0", "1.0") => "[0.+1.57079633j]";
    /// Logarithms of base 10: [`ln`](Self::ln) times a factor, each part at most 4 ulp.
    log10 = np log10, Formula::ComplexLog10, ("100.0", "0.0") => "[2.+0.j]";
    /// Logarithms of base 2: [`ln`](Self::ln) times a factor, each part at most 4 ulp.
    log2 = np log2, Formula::ComplexLog2, ("8.0", "0.0") => "[3.+0.j]";
    /// The square roots with real parts that are not negative; cut along the negative real axis. Each part at
    /// most 4 ulp.
    sqrt = np sqrt, Formula::ComplexSqrt, ("-3.0", "4.0") => "[1.+2.j]";
    /// Sines, each part at most 4 ulp.
    sin = np sin, Formula::ComplexSin, ("0.0", "1.0") => "[0.+1.17520119j]";
    /// Cosines, each part at most 4 ulp.
    cos = np cos, Formula::ComplexCos, ("0.0", "1.0") => "[1.54308063-0.j]";
    /// Tangents, each part at most 8 ulp.
    tan = np tan, Formula::ComplexTan, ("0.0", "1.0") => "[0.+0.76159416j]";
    /// Hyperbolic sines, each part at most 4 ulp.
    sinh = np sinh, Formula::ComplexSinh, ("1.0", "0.0") => "[1.17520119+0.j]";
    /// Hyperbolic cosines, each part at most 4 ulp.
    cosh = np cosh, Formula::ComplexCosh, ("1.0", "0.0") => "[1.54308063+0.j]";
    /// Hyperbolic tangents, each part at most 8 ulp.
    tanh = np tanh, Formula::ComplexTanh, ("1.0", "0.0") => "[0.76159416+0.j]";
    /// Arc sines; cut along the real axis beyond ±1. Each part at most 6 ulp.
    asin = np arcsin, Formula::ComplexAsin, ("2.0", "0.0") => "[1.57079633+1.3169579j]";
    /// Arc cosines; cut along the real axis beyond ±1. Each part at most 6 ulp.
    acos = np arccos, Formula::ComplexAcos, ("2.0", "0.0") => "[0.-1.3169579j]";
    /// Arc tangents; cut along the imaginary axis beyond ±i. Each part at most 6 ulp.
    atan = np arctan, Formula::ComplexAtan, ("0.0", "0.5") => "[0.+0.54930614j]";
    /// Area hyperbolic sines; cut along the imaginary axis beyond ±i. Each part at most 6 ulp.
    asinh = np arcsinh, Formula::ComplexAsinh, ("0.0", "0.5") => "[0.+0.52359878j]";
    /// Area hyperbolic cosines, with real parts that are not negative; cut along the real axis below 1. Each part
    /// at most 6 ulp.
    acosh = np arccosh, Formula::ComplexAcosh, ("0.0", "0.0") => "[0.+1.57079633j]";
    /// Area hyperbolic tangents; cut along the real axis beyond ±1. Each part at most 6 ulp.
    atanh = np arctanh, Formula::ComplexAtanh, ("0.5", "0.0") => "[0.54930614+0.j]";
}

impl<T: ComplexPart> ComplexArray<T> {
    /// The conjugates: the imaginary parts negated.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, 2.0)]);
    /// assert_eq!(z.conj().to_string(), "[1.-2.j]");
    /// ```
    #[track_caller]
    pub fn conj(&self) -> ComplexArray<T> {
        let origin = Origin::here("conjugate");
        expect_at_caller(Pair::array(origin, self).conj().into_complex(origin))
    }

    /// The distances from 0, `hypot` of the parts: at most 2 ulp, without overflow on the way.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(3.0, -4.0)]);
    /// assert_eq!(z.abs().to_vec(), [5.0]);
    /// ```
    #[track_caller]
    pub fn abs(&self) -> DArray<T> {
        self.measured(Origin::here("absolute"), |z| z.re.binary(Binary::Hypot, &z.im))
    }

    /// The angles in radians, between `-π` and `π` (NumPy's `angle`), at most 2 ulp.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(-1.0, 0.0), Complex::new(-1.0, -0.0)]);
    /// assert_eq!(z.arg().to_vec(), [std::f64::consts::PI, -std::f64::consts::PI]);
    /// ```
    #[track_caller]
    pub fn arg(&self) -> DArray<T> {
        self.measured(Origin::here("angle"), |z| z.im.binary(Binary::Atan2, &z.re))
    }

    /// The squares of the distances from 0: the sums of the squares of the parts, which can overflow.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(3.0, -4.0)]);
    /// assert_eq!(z.norm_sqr().to_vec(), [25.0]);
    /// ```
    #[track_caller]
    pub fn norm_sqr(&self) -> DArray<T> {
        self.measured(Origin::here("norm_sqr"), |z| {
            z.measured(Formula::ComplexNormSquare, T::DTYPE)
        })
    }

    /// The elements to a fixed whole power, by repeated squaring; a negative power is the reciprocal of the
    /// positive one, which of 0 is infinite. From 100 on, where products overflow on the way, as
    /// [`pow`](Self::pow) of an array.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, 1.0)]);
    /// assert_eq!(z.powi(4).to_string(), "[-4.+0.j]");
    /// assert_eq!(z.powi(-2).to_string(), "[0.-0.5j]");
    /// ```
    #[track_caller]
    pub fn powi(&self, exponent: i32) -> ComplexArray<T> {
        let origin = Origin::here("power");
        if f64::from(exponent).abs() < WHOLE_POWERS {
            return self.applied(origin, Composite { formula: Formula::ComplexPowi, exponent });
        }
        let exponent = Term::scalar(origin, exponent.into(), T::DTYPE);
        let power = Pair::array(origin, self).with_real(Formula::ComplexRealPower, &exponent);
        expect_at_caller(power.into_complex(origin))
    }

    /// The elements to the power `exponent`, complex or real: `e^(w ln z)`, by distance and angle where `w` is
    /// real, and by [`powi`](Self::powi) where it is a whole scalar below 100. 1 for `w = 0`; of 0 it is 0 where
    /// the real part of `w` is positive, else NaN. Errors are those of the exponential function of a rounded
    /// product: relative to `|z^w|` a few ulp, times `|w ln z|` where that is more than 1. A power by distance
    /// and angle has the errors of the distance as well: one beyond the largest number is infinite, and the
    /// smallest ones have few digits.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(0.0, 1.0)]);
    /// assert_eq!(z.pow(Complex::new(0.0, 1.0)).to_string(), "[0.20787958+0.j]");
    /// assert_eq!(z.pow(0.5).to_string(), "[0.70710678+0.70710678j]");
    /// assert_eq!(z.pow(2).to_string(), "[-1.+0.j]");
    /// ```
    #[track_caller]
    pub fn pow<R: ComplexOperand<T>>(&self, exponent: R) -> ComplexArray<R::Output> {
        expect_at_caller(self.try_pow(exponent))
    }

    /// As [`pow`](Self::pow); shapes that do not broadcast are an error.
    ///
    /// ```
    /// use darray::{ComplexArray, DArray};
    /// let z = ComplexArray::<f64>::zeros(3);
    /// assert!(z.try_pow(DArray::<f64>::ones(2)).is_err());
    /// ```
    #[track_caller]
    pub fn try_pow<R: ComplexOperand<T>>(&self, exponent: R) -> Result<ComplexArray<R::Output>> {
        let origin = Origin::here("power");
        let exponent = exponent.argument();
        check_operands([self.re.as_dyn()].into_iter().chain(exponent.first()), origin)?;
        let dtype = R::Output::DTYPE;
        let z = Pair::array_as(origin, self, dtype);
        let power = match whole(exponent) {
            Some(exponent) => z.formed(Composite { formula: Formula::ComplexWhole, exponent }),
            None => match exponent.factor(origin, dtype) {
                Factor::Real(p) => z.with_real(Formula::ComplexRealPower, &p),
                Factor::Complex(w) => z.with(Formula::ComplexPower, &w),
            },
        };
        power.into_complex(origin)
    }

    #[track_caller]
    fn applied(&self, origin: Origin, composite: Composite) -> ComplexArray<T> {
        expect_at_caller(Pair::array(origin, self).formed(composite).into_complex(origin))
    }

    #[track_caller]
    fn measured(&self, origin: Origin, formula: impl Fn(&Pair) -> Term) -> DArray<T> {
        DArray::wrap(expect_at_caller(formula(&Pair::array(origin, self)).into_array()))
    }
}

/// A scalar exponent that is a small whole number.
fn whole(exponent: ComplexArgument<'_>) -> Option<i32> {
    let value = match exponent {
        ComplexArgument::Real(Argument::Scalar(scalar)) => scalar.to_f64(),
        ComplexArgument::Scalar(w) if w.im == 0.0 => w.re,
        _ => return None,
    };
    (value.fract() == 0.0 && value.abs() < WHOLE_POWERS).then_some(value as i32)
}
