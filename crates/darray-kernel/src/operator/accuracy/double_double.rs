//! Sums of two doubles: about 106 bits (Dekker 1971).

/// `high + low`, `high` being the sum rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoubleDouble {
    pub high: f64,
    pub low: f64,
}

/// ln 2 in three parts of which small multiples of the first two are exact.
const LN2: [f64; 3] = [0.6931471803691238, 1.9082149292665867e-10, 4.0010853476147194e-22];

impl DoubleDouble {
    fn new(high: f64, low: f64) -> DoubleDouble {
        let sum = high + low;
        let part = sum - high;
        DoubleDouble { high: sum, low: (high - (sum - part)) + (low - part) }
    }

    fn add(self, other: DoubleDouble) -> DoubleDouble {
        let high = DoubleDouble::new(self.high, other.high);
        let low = DoubleDouble::new(self.low, other.low);
        let sum = DoubleDouble::new(high.high, high.low + low.high);
        DoubleDouble::new(sum.high, sum.low + low.low)
    }

    fn times(self, other: DoubleDouble) -> DoubleDouble {
        let high = self.high * other.high;
        let rest = self.high.mul_add(other.high, -high);
        DoubleDouble::new(high, rest + (self.high * other.low + self.low * other.high))
    }

    fn times_double(self, other: f64) -> DoubleDouble {
        self.times(DoubleDouble { high: other, low: 0.0 })
    }

    /// `e^x` by Taylor's series of `(x - n ln 2) / 2^9`, squared nine times. The parts of a denormal
    /// result are rounded.
    pub fn exp(x: f64) -> DoubleDouble {
        DoubleDouble::exp_of(DoubleDouble { high: x, low: 0.0 })
    }

    fn exp_of(x: DoubleDouble) -> DoubleDouble {
        let n = (x.high * std::f64::consts::LOG2_E).round();
        let mut r = x;
        for part in LN2 {
            r = r.add(DoubleDouble { high: part, low: 0.0 }.times_double(-n));
        }
        let r = r.times_double(1.0 / 512.0);
        let one = DoubleDouble { high: 1.0, low: 0.0 };
        // expm1 keeps the small part: (1 + s)^2 - 1 = s (2 + s).
        let mut s = DoubleDouble { high: 0.0, low: 0.0 };
        for k in (1..=12).rev() {
            let inverse = reciprocal(k as f64);
            s = r.times(inverse).times(one.add(s));
        }
        for _ in 0..9 {
            s = s.times(DoubleDouble { high: 2.0, low: 0.0 }.add(s));
        }
        let e = one.add(s);
        let (half, rest) = ((n / 2.0).trunc() as i32, (n - (n / 2.0).trunc()) as i32);
        let scale = |v: f64| v * 2f64.powi(half) * 2f64.powi(rest);
        DoubleDouble { high: scale(e.high), low: scale(e.low) }
    }

    /// `ln x`: one step of Newton's method from the platform's logarithm, `y + x e^-y - 1`.
    pub fn ln(x: f64) -> DoubleDouble {
        // Normal factors only: x = m 2^k.
        let scaled = if x < f64::MIN_POSITIVE { x * 2f64.powi(64) } else { x };
        let mut k = (scaled.to_bits() >> 52) as i32 - 1023;
        let mut m = f64::from_bits(scaled.to_bits() & !(0x7ff << 52) | 1023 << 52);
        if m > std::f64::consts::SQRT_2 {
            (m, k) = (m / 2.0, k + 1);
        }
        if x < f64::MIN_POSITIVE {
            k -= 64;
        }
        let y = m.ln();
        let minus_one = DoubleDouble { high: -1.0, low: 0.0 };
        let correction = DoubleDouble::exp(-y).times_double(m).add(minus_one);
        let mut ln = DoubleDouble::new(y, correction.high);
        ln = DoubleDouble::new(ln.high, ln.low + correction.low);
        // The second-order term of ln(1 + c) = c - c^2 / 2.
        ln = ln.add(DoubleDouble { high: -0.5 * correction.high * correction.high, low: 0.0 });
        for part in LN2.into_iter().rev() {
            ln = ln.add(DoubleDouble { high: part, low: 0.0 }.times_double(k as f64));
        }
        ln
    }
}

/// `1 / k`.
fn reciprocal(k: f64) -> DoubleDouble {
    let high = 1.0 / k;
    DoubleDouble { high, low: high.mul_add(-k, 1.0) / k }
}
