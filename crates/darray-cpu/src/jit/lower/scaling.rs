//! What exponentials end with, products with powers of two, and what they begin with, bounds, in few operations of
//! AVX-512.
//!
//! `p 2^n` may leave the normal range in parts only, so functions multiply by `2^h` and `2^(n - h)`, `h = floor(n / 2)`,
//! whose exponents they put together from the low bits of `s = n + 1.5 2^m`. The first product is exact, so one
//! operation that rounds `p 2^n` once gives the same bits.
//!
//! It does so for every `n`, so arguments need no bounds beyond which results are zero or infinite: of a huge one only `r`,
//! which is what the whole number `n` leaves of it, becomes anything. One operation keeps it as small as it is elsewhere,
//! where two kept the argument between its bounds.

use super::super::lane::{Body, Lane, Op, Value};
use super::parts::{Format, argument, arguments, constant, sum};
use smallvec::SmallVec;

/// The product of two numbers where it is `p 2^n`; else none.
pub(super) fn times_power_of_two(
    body: &mut Body,
    lane: Lane,
    factors: [Value; 2],
) -> Option<Value> {
    let format = Format::of(body, lane)?;
    let Scaled { p, shifted } = scaled(body, format, lane, factors)?;
    let exponential = Exponential::of(body, format, Scaled { p, shifted });
    let (p, n) = match exponential.filter(|it| it.needs_no_bounds(body, format)) {
        Some(exponential) => exponential.without_bounds(body, format, lane),
        None => {
            let round = body.constant(format.round, lane);
            (p, body.add(Op::Sub, lane, &[shifted, round]))
        }
    };
    Some(body.add(Op::Scale, lane, &[p, n]))
}

/// `p 2^n`, `n` in the low bits of `shifted`, its sum with `1.5 2^m`.
#[derive(Clone, Copy)]
struct Scaled {
    p: Value,
    shifted: Value,
}

/// `p 2^h 2^(n - h)`, with `h` of the bits of `shifted`, whose upper ones are shifted out.
fn scaled(
    body: &Body,
    format: &Format,
    lane: Lane,
    [product, second]: [Value; 2],
) -> Option<Scaled> {
    let power = |value: Value| {
        let (exponent, by) = sum(body, lane.bits(), value)?;
        (by == format.one).then(|| argument(body, Op::ShiftLeft(format.mantissa), exponent))?
    };
    let [p, first] = arguments(body, Op::Mul, product)?;
    let [shifted, half] = arguments(body, Op::Sub, power(second)?)?;
    let all = argument(body, Op::ShiftRight(1), half)?;
    let is_it = (all, power(first)?) == (shifted, half)
        && constant(body, rounded(body, shifted)?.round)? == format.round;
    is_it.then_some(Scaled { p, shifted })
}

/// `x scale + round`; without `scale`, `x + round`.
struct Rounded {
    x: Value,
    scale: Option<Value>,
    round: Value,
}

fn rounded(body: &Body, shifted: Value) -> Option<Rounded> {
    if let Some([x, scale, round]) = arguments(body, Op::MulAdd, shifted) {
        return Some(Rounded { x, scale: Some(scale), round });
    }
    let [x, round] = arguments(body, Op::Add, shifted)?;
    Some(Rounded { x, scale: None, round })
}

/// A polynomial of `r` times `2^n`, where `n` is the whole number next to `x scale` and `r` is what that leaves.
struct Exponential {
    /// Of the highest power first.
    coefficients: SmallVec<[Value; 16]>,
    /// Without its bounds.
    x: Value,
    lowest: f64,
    highest: f64,
    scale: Option<Value>,
    /// `1 / scale` with the other sign, the upper part first; none without `scale`.
    inverse: Option<[Value; 2]>,
    round: Value,
}

impl Exponential {
    /// ```text
    /// shifted = x scale + round     n = shifted - round     r = x + n high + n low     p = (.. r + c1) r + c0
    /// shifted = x + round           n = shifted - round     r = x - n
    /// ```
    fn of(body: &Body, format: &Format, Scaled { p, shifted }: Scaled) -> Option<Exponential> {
        let Rounded { x: bounded, scale, round } = rounded(body, shifted)?;
        let mut coefficients = SmallVec::new();
        let [mut sum, r, last] = arguments(body, Op::MulAdd, p)?;
        coefficients.push(last);
        while let Some([next, of, coefficient]) = arguments(body, Op::MulAdd, sum) {
            coefficients.push(coefficient);
            sum = (of == r).then_some(next)?;
        }
        coefficients.push(sum);
        coefficients.reverse();
        let is_whole = |n: Value| {
            arguments(body, Op::Sub, n).is_some_and(|[of, less]| (of, less) == (shifted, round))
        };
        let inverse = match scale {
            Some(_) => {
                let [n, low, rest] = arguments(body, Op::MulAdd, r)?;
                let [again, high, of] = arguments(body, Op::MulAdd, rest)?;
                ((again, of) == (n, bounded) && is_whole(n)).then_some(Some([high, low]))?
            }
            None => {
                let [of, n] = arguments(body, Op::Sub, r)?;
                (of == bounded && is_whole(n)).then_some(None)?
            }
        };
        // One of each, in any order; what the user bounds comes first.
        let (mut x, mut lowest, mut highest) = (bounded, None, None);
        for _ in 0..2 {
            for (bound, op) in [(&mut lowest, Op::Max), (&mut highest, Op::Min)] {
                if let (None, Some([value, of])) = (*bound, arguments(body, op, x)) {
                    *bound = Some(format.number(constant(body, value)?));
                    x = of;
                }
            }
        }
        let (lowest, highest) = (lowest?, highest?);
        Some(Exponential { coefficients, x, lowest, highest, scale, inverse, round })
    }

    /// Whether it is zero and infinite beyond its bounds by what `n` is there: `p` is at least 1 for positive `r`, and between 1/2
    /// and 2 for all.
    fn needs_no_bounds(&self, body: &Body, format: &Format) -> bool {
        let number = |value: Value| Some(format.number(constant(body, value)?));
        let greatest = format.number(format.half);
        // The polynomial and its slope, of coefficients that are not negative.
        let at = |r: f64| {
            self.coefficients.iter().try_fold((0.0, 0.0), |(sum, slope), &coefficient| {
                let coefficient = number(coefficient).filter(|&c| c >= 0.0)?;
                Some((sum * r + coefficient, slope * r + sum))
            })
        };
        let (Some((least, _)), Some((most, slope)), Some((one, first))) =
            (at(-greatest), at(greatest), at(0.0))
        else {
            return false;
        };
        // What higher powers have of the slope is less than the first one's, so it grows with `r`.
        let is_near_one = one == 1.0 && least >= 0.5 && most <= 2.0 && slope < 2.0 * first;
        // `r` is what rounding leaves, at most 1/2, over the scale.
        let (scale, is_inverse) = match (self.scale, self.inverse) {
            (None, None) => (1.0, true),
            (Some(scale), Some(parts)) => {
                let (Some(scale), [Some(high), Some(low)]) = (number(scale), parts.map(number))
                else {
                    return false;
                };
                (scale, scale > 1.1 && ((high + low) * scale + 1.0).abs() < 1e-6)
            }
            _ => return false,
        };
        let of_infinity = (format.bias + 1) as f64;
        let of_zero = -((format.bias + u64::from(format.mantissa)) as f64);
        is_near_one
            && is_inverse
            && self.highest * scale > of_infinity + 0.001
            && self.lowest * scale < of_zero - 0.5
    }

    /// `p` and `n`.
    fn without_bounds(&self, body: &mut Body, format: &Format, lane: Lane) -> (Value, Value) {
        let &Exponential { x, round, .. } = self;
        let shifted = match self.scale {
            Some(scale) => body.add(Op::MulAdd, lane, &[x, scale, round]),
            None => body.add(Op::Add, lane, &[x, round]),
        };
        let n = body.add(Op::Sub, lane, &[shifted, round]);
        let r = match self.inverse {
            Some(parts) => {
                let less = |rest, &part: &Value| body.add(Op::MulAdd, lane, &[n, part, rest]);
                parts.iter().fold(x, less)
            }
            None => body.add(Op::Sub, lane, &[x, n]),
        };
        let greatest = body.constant(format.half, lane);
        let r = body.add(Op::Limit, lane, &[r, greatest]);
        let p = self
            .coefficients
            .iter()
            .copied()
            .reduce(|sum, coefficient| body.add(Op::MulAdd, lane, &[sum, r, coefficient]));
        (p.expect("there is more than one coefficient"), n)
    }
}
