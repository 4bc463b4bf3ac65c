//! Quotients.

use super::pair::Pair;
use super::term::Term;

/// A complex divisor `c + di`, by the larger of its parts (R. L. Smith, "Algorithm 116: Complex division",
/// CACM 1962), as NumPy has it: what is larger is never squared. What still overflows on the way are sums of two
/// parts near the largest number, and the reciprocals of the smallest ones.
pub(super) struct Divisor<'r> {
    /// Where the real part is at least as large as the imaginary one.
    wide: Term<'r>,
    /// Where both parts are 0.
    zero: Term<'r>,
    /// The smaller part divided by the larger one; 0 for 0.
    ratio: Term<'r>,
    /// What the numerator is multiplied with in the end; infinite for 0.
    scale: Term<'r>,
}

impl<'r> Divisor<'r> {
    pub fn new(Pair { re: c, im: d }: Pair<'r>) -> Divisor<'r> {
        let wide = c.abs().ge(d.abs());
        let (large, small) = (wide.select(c, d), wide.select(d, c));
        let zero = c.eq(0.0).and(d.eq(0.0));
        let ratio = zero.select(0.0, small / large);
        let scale = zero.select(f64::INFINITY, 1.0 / (large + small * ratio));
        Divisor { wide, zero, ratio, scale }
    }

    /// `z / self`.
    pub fn divides(&self, Pair { re: a, im: b }: Pair<'r>) -> Pair<'r> {
        let &Divisor { wide, zero, ratio, scale } = self;
        let (p, q) = (wide.select(a, b), wide.select(b, a));
        let (re, part) = (p + q * ratio, p * ratio);
        let im = wide.select(q - part, part - q);
        // By 0 the parts are divided, an infinite one too.
        Pair::new(zero.select(a, re) * scale, zero.select(b, im) * scale)
    }

    /// As the numerator without imaginary part, of which not even 0 is multiplied.
    pub fn divides_real(&self, a: Term<'r>) -> Pair<'r> {
        let &Divisor { wide, ratio, scale, .. } = self;
        let part = a * ratio;
        Pair::new(wide.select(a, part) * scale, -(wide.select(part, a) * scale))
    }
}

/// The reciprocal.
pub(super) fn reciprocal(z: Pair<'_>) -> Pair<'_> {
    let Divisor { wide, ratio, scale, .. } = Divisor::new(z);
    Pair::new(wide.select(1.0, ratio) * scale, -(wide.select(ratio, 1.0) * scale))
}
