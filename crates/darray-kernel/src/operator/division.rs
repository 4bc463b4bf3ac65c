//! Floored division, as Python's and NumPy's `//`.

/// `a / b`; 0 where `b` is 0.
#[inline(always)]
pub fn floor_divide_u8(a: u8, b: u8) -> u8 {
    a.checked_div(b).unwrap_or(0)
}

macro_rules! integers {
    ($($integer:ident $function:ident)*) => { $(
        /// `floor(a / b)`; 0 where `b` is 0, and the least value divided by -1 gives itself.
        #[inline(always)]
        pub fn $function(a: $integer, b: $integer) -> $integer {
            let divisor = if b == 0 { 1 } else { b };
            let quotient = a.wrapping_div(divisor);
            let rest = a.wrapping_rem(divisor);
            let floored = quotient - (rest != 0 && (rest ^ divisor) < 0) as $integer;
            if b == 0 { 0 } else { floored }
        }
    )* };
}

integers! { i32 floor_divide_i32 i64 floor_divide_i64 }

macro_rules! floats {
    ($($float:ident $function:ident)*) => { $(
        /// `floor(a / b)` of the quotient that goes with the exact remainder, so that
        /// `floor_divide(a, b) * b + rem(a, b)` is near `a`; by 0 as `a / b`.
        #[inline(always)]
        pub fn $function(a: $float, b: $float) -> $float {
            let rest = a % b;
            let other_side = rest != 0.0 && (b < 0.0) != (rest < 0.0);
            let quotient = (a - rest) / b - other_side as u8 as $float;
            // The quotient is a whole number but for rounding.
            let below = quotient.floor();
            let whole = if quotient - below > 0.5 { below + 1.0 } else { below };
            let result = if quotient == 0.0 { (0.0 as $float).copysign(a / b) } else { whole };
            if b == 0.0 { a / b } else { result }
        }
    )* };
}

floats! { f32 floor_divide_f32 f64 floor_divide_f64 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_floored() {
        let rows = [(7, 3, 2), (-7, 3, -3), (7, -3, -3), (-7, -3, 2), (6, -3, -2), (5, 0, 0)];
        for (a, b, want) in rows.into_iter().chain([(i64::MIN, -1, i64::MIN), (0, -5, 0)]) {
            assert_eq!(floor_divide_i64(a, b), want, "{a} // {b}");
            if a != i64::MIN {
                assert_eq!(floor_divide_i32(a as i32, b as i32), want as i32, "{a} // {b}");
            }
            if a >= 0 && b >= 0 {
                assert_eq!(floor_divide_u8(a as u8, b as u8), want as u8, "{a} // {b}");
            }
        }
    }

    #[test]
    fn the_least_integer_has_no_opposite() {
        assert_eq!(floor_divide_i32(i32::MIN, -1), i32::MIN);
    }

    #[test]
    fn floats_are_floored() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let rows = [
            (7.0, 2.0, 3.0),
            (-7.0, 2.0, -4.0),
            (1.0, 0.1, 9.0),
            (-0.0, 3.0, -0.0),
            (1.0, inf, 0.0),
            (-1.0, inf, -1.0),
            (1.0, -0.0, -inf),
            (0.0, 0.0, nan),
            (inf, 2.0, nan),
        ];
        for (a, b, want) in rows {
            let got = floor_divide_f64(a, b);
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{a} // {b}: {got}"
            );
            let got = floor_divide_f32(a as f32, b as f32);
            let want = if b == 0.1 { 9.0 } else { want as f32 };
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{a} // {b}: {got}"
            );
        }
    }
}
