//! Rounding towards zero, down and up, which the processor's registers of floats do not offer
//! here: the nearest number is computed and stepped back where it lies on the wrong side.

use crate::ptx::code::Rounding;
use std::cmp::Ordering;

/// `nearest` stepped to the side that the rounding asks for, given where the exact value lies
/// relative to it.
pub fn directed64(nearest: f64, exact: Ordering, rounding: Rounding) -> f64 {
    if nearest.is_nan() || exact == Ordering::Equal {
        return nearest;
    }
    let negative = nearest < 0.0 || (nearest == 0.0 && exact == Ordering::Less);
    let (up, down) = match rounding {
        Rounding::Nearest => (false, false),
        Rounding::Up => (true, false),
        Rounding::Down => (false, true),
        Rounding::Zero => (negative, !negative),
    };
    match exact {
        Ordering::Greater if up => nearest.next_up(),
        Ordering::Less if down => nearest.next_down(),
        _ => nearest,
    }
}

/// As [`directed64`].
pub fn directed32(nearest: f32, exact: Ordering, rounding: Rounding) -> f32 {
    if nearest.is_nan() || exact == Ordering::Equal {
        return nearest;
    }
    let negative = nearest < 0.0 || (nearest == 0.0 && exact == Ordering::Less);
    let (up, down) = match rounding {
        Rounding::Nearest => (false, false),
        Rounding::Up => (true, false),
        Rounding::Down => (false, true),
        Rounding::Zero => (negative, !negative),
    };
    match exact {
        Ordering::Greater if up => nearest.next_up(),
        Ordering::Less if down => nearest.next_down(),
        _ => nearest,
    }
}

/// A double and a remainder too small for it, rounded to single precision.
pub fn narrow(value: f64, rest: f64, rounding: Rounding) -> f32 {
    let nearest = value as f32;
    if !value.is_finite() {
        return nearest;
    }
    let exact = match value.partial_cmp(&f64::from(nearest)) {
        Some(Ordering::Equal) => sign(rest),
        Some(other) => other,
        None => Ordering::Equal,
    };
    directed32(nearest, exact, rounding)
}

/// The sum of two doubles and what it lacks.
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let virtual_b = sum - a;
    let rest = (a - (sum - virtual_b)) + (b - virtual_b);
    (sum, rest)
}

/// `a + b` of single precision.
pub fn add32(a: f32, b: f32, rounding: Rounding) -> f32 {
    let (sum, rest) = two_sum(a.into(), b.into());
    zero_sum(narrow(sum, rest, rounding), f64::from(a), f64::from(b), rounding)
}

/// `a * b + c` of single precision, rounded once.
pub fn fused32(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    let product = f64::from(a) * f64::from(b);
    let (sum, rest) = two_sum(product, c.into());
    zero_sum(narrow(sum, rest, rounding), product, f64::from(c), rounding)
}

/// The sum of numbers that cancel is -0 where rounded down, unless both are +0.
fn zero_sum(sum: f32, a: f64, b: f64, rounding: Rounding) -> f32 {
    let cancels = sum == 0.0 && a == -b && !(a == 0.0 && a.to_bits() == b.to_bits());
    if cancels && rounding == Rounding::Down { -0.0 } else { sum }
}

/// `a * b` of single precision.
pub fn multiply32(a: f32, b: f32, rounding: Rounding) -> f32 {
    narrow(f64::from(a) * f64::from(b), 0.0, rounding)
}

/// `a / b` of single precision.
pub fn divide32(a: f32, b: f32, rounding: Rounding) -> f32 {
    let nearest = a / b;
    if !nearest.is_finite() || b.is_infinite() {
        return nearest;
    }
    // `nearest * b` is exact in double precision; the sign of the divisor turns the order.
    let order = f64::from(a).partial_cmp(&(f64::from(nearest) * f64::from(b)));
    let order = order.unwrap_or(Ordering::Equal);
    directed32(nearest, if b < 0.0 { order.reverse() } else { order }, rounding)
}

/// `a + b` of double precision.
pub fn add64(a: f64, b: f64, rounding: Rounding) -> f64 {
    let (sum, rest) = two_sum(a, b);
    if sum == 0.0 && a == -b && a != 0.0 && rounding == Rounding::Down {
        return -0.0;
    }
    if !sum.is_finite() {
        return overflowed(sum, a.is_finite() && b.is_finite(), rounding);
    }
    directed64(sum, sign(rest), rounding)
}

/// `a * b + c` of double precision, rounded once.
pub fn fused64(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    let nearest = a.mul_add(b, c);
    if !nearest.is_finite() {
        let finite = a.is_finite() && b.is_finite() && c.is_finite();
        return overflowed(nearest, finite, rounding);
    }
    if nearest == 0.0 && rounding == Rounding::Down && a * b == -c && c != 0.0 {
        return -0.0;
    }
    // The exact difference between `a * b + c` and the nearest number is a sum of four doubles.
    let product = a * b;
    let low = a.mul_add(b, -product);
    directed64(nearest, sign_of_sum([product, low, c, -nearest]), rounding)
}

/// `a / b` of double precision.
pub fn divide64(a: f64, b: f64, rounding: Rounding) -> f64 {
    let nearest = a / b;
    if !nearest.is_finite() || b.is_infinite() {
        return overflowed(nearest, a.is_finite() && b.is_finite() && b != 0.0, rounding);
    }
    let order = sign((-nearest).mul_add(b, a));
    directed64(nearest, if b < 0.0 { order.reverse() } else { order }, rounding)
}

/// What stands for a finite value beyond the largest double.
fn overflowed(value: f64, finite_operands: bool, rounding: Rounding) -> f64 {
    if !finite_operands || value.is_nan() {
        return value;
    }
    let exact = if value > 0.0 { Ordering::Less } else { Ordering::Greater };
    directed64(value, exact, rounding)
}

fn sign(value: f64) -> Ordering {
    value.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

/// The sign of an exact sum: terms are added without error until the largest tells it.
fn sign_of_sum(terms: [f64; 4]) -> Ordering {
    let mut parts: Vec<f64> = Vec::with_capacity(4);
    for term in terms {
        let mut carried = term;
        let mut kept = Vec::with_capacity(parts.len() + 1);
        for part in parts {
            let (sum, rest) = two_sum(carried, part);
            if rest != 0.0 {
                kept.push(rest);
            }
            carried = sum;
        }
        if carried != 0.0 {
            kept.push(carried);
        }
        parts = kept;
    }
    sign(parts.last().copied().unwrap_or(0.0))
}
