//! Rounding to decimals, in NumPy's steps.

use super::cell::{Cell, Value};
use super::functions;
use crate::program::Binary;

/// In the type in which it computes, which is a float wherever a number may change: scaled, rounded to a
/// whole number, and scaled back, with three roundings.
pub fn round(cell: Cell, decimals: i32) -> Cell {
    let dtype = cell.value.dtype();
    if !dtype.is_float() {
        return cell;
    }
    let whole = |cell| functions::unary(darray::Unary::Rint, cell);
    let scale = Cell::exact(Value::F64(power_of_ten(decimals.unsigned_abs())).cast(dtype));
    match decimals {
        0 => whole(cell),
        1.. => whole(cell.binary(Binary::Multiply, scale)).binary(Binary::Divide, scale),
        _ => whole(cell.binary(Binary::Divide, scale)).binary(Binary::Multiply, scale),
    }
}

/// Up to `10^8` as written, from `10^9` on one factor after the other.
fn power_of_ten(exponent: u32) -> f64 {
    const WRITTEN: [f64; 9] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
    if let Some(power) = WRITTEN.get(exponent as usize) {
        return *power;
    }
    let mut power = 1e9;
    for _ in 9..exponent {
        power *= 10.0;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::round;
    use crate::oracle::cell::{Cell, Value};
    use darray_core::RealType;

    /// NumPy 2's results.
    #[test]
    fn every_step_rounds() {
        let rounded = |x: f64, decimals| round(Cell::exact(Value::F64(x)), decimals).value.float();
        for (x, decimals, expected) in [
            (2.5, 0, 2.0),
            (2.675, 2, 2.68),
            (0.285, 2, 0.28),
            (-25.0, -1, -20.0),
            (5.015, 2, 5.01),
            (1234.5, -3, 1000.0),
            (0.1, 23, 0.1),
        ] {
            assert_eq!(rounded(x, decimals), expected, "{x} to {decimals}");
        }
        assert!(rounded(1.0, 400).is_nan() && rounded(1.0, -400).is_nan());
        assert!(rounded(-0.04, 1).is_sign_negative());
        let single = round(Cell::exact(Value::F32(0.285)), 2).value;
        assert_eq!((single.dtype(), single.float()), (RealType::F32, f64::from(0.28f32)));
    }
}
