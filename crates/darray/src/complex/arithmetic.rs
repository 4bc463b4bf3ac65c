//! Sums, products and quotients as real operations.

use super::operand::{ComplexArgument, ComplexOperand, Factor, check_operands};
use super::pair::Pair;
use super::term::{Origin, Term};
use super::{ComplexArray, ComplexPart};
use crate::{DArray, Element};
use darray_core::{DType, Result};
use num_complex::Complex;

/// An operation of two complex numbers, of which one may be real.
#[derive(Clone, Copy)]
pub(super) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
}

impl Arithmetic {
    pub fn name(self) -> &'static str {
        match self {
            Arithmetic::Add => "add",
            Arithmetic::Sub => "subtract",
            Arithmetic::Mul => "multiply",
            Arithmetic::Div => "divide",
        }
    }

    /// With the complex number on the left.
    fn of(self, z: &Pair, right: &Factor) -> Pair {
        match (self, right) {
            (Arithmetic::Add, Factor::Complex(w)) => z.add(w),
            (Arithmetic::Sub, Factor::Complex(w)) => z.sub(w),
            (Arithmetic::Mul, Factor::Complex(w)) => z.mul(w),
            (Arithmetic::Div, Factor::Complex(w)) => Divisor::new(w).divides(z),
            (Arithmetic::Add, Factor::Real(x)) => Pair::new(&z.re + x, z.im.clone()),
            (Arithmetic::Sub, Factor::Real(x)) => Pair::new(&z.re - x, z.im.clone()),
            (Arithmetic::Mul, Factor::Real(x)) => z.scale(x),
            (Arithmetic::Div, Factor::Real(x)) => Pair::new(&z.re / x, &z.im / x),
        }
    }

    /// With the complex number on the right.
    fn reversed(self, left: &Factor, z: &Pair) -> Pair {
        match (self, left) {
            (_, Factor::Complex(w)) => self.of(w, &Factor::Complex(z.clone())),
            (Arithmetic::Add, Factor::Real(x)) => Pair::new(x + &z.re, z.im.clone()),
            (Arithmetic::Sub, Factor::Real(x)) => Pair::new(x - &z.re, -&z.im),
            (Arithmetic::Mul, Factor::Real(x)) => Pair::new(x * &z.re, x * &z.im),
            (Arithmetic::Div, Factor::Real(x)) => Divisor::new(z).divides_real(x),
        }
    }
}

/// A complex divisor `c + di`, by the larger of its parts (R. L. Smith, "Algorithm 116: Complex division",
/// CACM 1962), as NumPy has it: what is larger is never squared. What still overflows on the way are sums of two
/// parts near the largest number, and the reciprocals of the smallest ones.
struct Divisor {
    /// Where the real part is at least as large as the imaginary one.
    wide: Term,
    /// Where both parts are 0.
    zero: Term,
    /// The smaller part divided by the larger one; 0 for 0.
    ratio: Term,
    /// What the numerator is multiplied with in the end; infinite for 0.
    scale: Term,
}

impl Divisor {
    fn new(Pair { re: c, im: d }: &Pair) -> Divisor {
        let wide = c.abs().ge(d.abs());
        let (large, small) = (wide.select(c, d), wide.select(d, c));
        let zero = c.eq(0.0).and(d.eq(0.0));
        let ratio = zero.select(0.0, &small / &large);
        let scale = zero.select(f64::INFINITY, 1.0 / (&large + &small * &ratio));
        Divisor { wide, zero, ratio, scale }
    }

    fn divides(&self, Pair { re: a, im: b }: &Pair) -> Pair {
        let Divisor { wide, zero, ratio, scale } = self;
        let (p, q) = (wide.select(a, b), wide.select(b, a));
        let (re, part) = (&p + &q * ratio, &p * ratio);
        let im = wide.select(&q - &part, &part - &q);
        // By 0 the parts are divided, an infinite one too.
        Pair::new(zero.select(a, re) * scale, zero.select(b, im) * scale)
    }

    /// As the numerator without imaginary part, of which not even 0 is multiplied.
    fn divides_real(&self, a: &Term) -> Pair {
        let Divisor { wide, ratio, scale, .. } = self;
        let part = a * ratio;
        Pair::new(wide.select(a, &part) * scale, -(wide.select(&part, a) * scale))
    }
}

/// The reciprocal.
pub(super) fn recip(z: &Pair) -> Pair {
    let Divisor { wide, ratio, scale, .. } = Divisor::new(z);
    Pair::new(wide.select(1.0, &ratio) * &scale, -(wide.select(&ratio, 1.0) * &scale))
}

/// `z operation right`.
pub(super) fn with_right<T: ComplexPart, R: ComplexOperand<T>>(
    operation: Arithmetic,
    z: &ComplexArray<T>,
    right: R,
    origin: Origin,
) -> Result<ComplexArray<R::Output>> {
    let dtype = R::Output::DTYPE;
    combined(operation, z, right.argument(), dtype, origin)?.into_complex(origin)
}

/// The parts of `z operation right`, computed in this type.
pub(super) fn combined<T: ComplexPart>(
    operation: Arithmetic,
    z: &ComplexArray<T>,
    right: ComplexArgument<'_>,
    dtype: DType,
    origin: Origin,
) -> Result<Pair> {
    check_operands([z.re.as_dyn()].into_iter().chain(right.first()), origin)?;
    Ok(operation.of(&Pair::array_as(origin, z, dtype), &right.factor(origin, dtype)))
}

/// `left operation z`.
pub(super) fn with_left<T: ComplexPart, L: ComplexOperand<T>>(
    operation: Arithmetic,
    left: L,
    z: &ComplexArray<T>,
    origin: Origin,
) -> Result<ComplexArray<L::Output>> {
    let left = left.argument();
    check_operands(left.first().into_iter().chain([z.re.as_dyn()]), origin)?;
    let dtype = L::Output::DTYPE;
    let left = left.factor(origin, dtype);
    operation.reversed(&left, &Pair::array_as(origin, z, dtype)).into_complex(origin)
}

/// A real array and a complex scalar, the array on the left or on the right.
pub(super) fn of_real<V: Element>(
    operation: Arithmetic,
    x: &DArray<V>,
    scalar: Complex<f64>,
    array_first: bool,
    origin: Origin,
) -> Result<ComplexArray<V::Real>>
where
    V::Real: ComplexPart,
{
    let dtype = <V::Real as Element>::DTYPE;
    let part = |value| Term::scalar(origin, value, dtype);
    let scalar = Pair::new(part(scalar.re), part(scalar.im));
    let x = Factor::Real(Term::array_as(origin, x.as_dyn(), dtype));
    let result = match array_first {
        true => operation.reversed(&x, &scalar),
        false => operation.of(&scalar, &x),
    };
    result.into_complex(origin)
}
