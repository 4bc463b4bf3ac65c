//! Floored division and remainder of integers, as Python's and NumPy's `//` and `%`.

macro_rules! integers {
    ($($integer:ident $quotient:ident $rest:ident, $differ:expr;)*) => { $(
        /// `floor(a / b)`; 0 where `b` is 0, and the least value divided by -1 gives itself.
        #[inline(always)]
        pub fn $quotient(a: $integer, b: $integer) -> $integer {
            let divisor = if b == 0 { 1 } else { b };
            let quotient = a.wrapping_div(divisor);
            let rest = a.wrapping_rem(divisor);
            let floored = quotient - (rest != 0 && $differ(rest, divisor)) as $integer;
            if b == 0 { 0 } else { floored }
        }

        /// `a mod b` with the sign of `b`; 0 where `b` is 0.
        #[inline(always)]
        pub fn $rest(a: $integer, b: $integer) -> $integer {
            let divisor = if b == 0 { 1 } else { b };
            let truncated = a.wrapping_rem(divisor);
            let moves = truncated != 0 && $differ(truncated, divisor);
            if moves { truncated + divisor } else { truncated }
        }
    )* };
}

// Behind the names, whether two numbers have different signs.
integers! {
    i32 floor_divide_i32 rem_i32, |a: i32, b: i32| (a ^ b) < 0;
    i64 floor_divide_i64 rem_i64, |a: i64, b: i64| (a ^ b) < 0;
    u64 floor_divide_u64 rem_u64, |_: u64, _: u64| false;
}

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
        }
    }

    #[test]
    fn the_least_integer_has_no_opposite() {
        assert_eq!(floor_divide_i32(i32::MIN, -1), i32::MIN);
    }
}
