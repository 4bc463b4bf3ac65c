//! Rows of the operator table for operators without rounding: whole numbers, classes of floats, signs,
//! shifts, logic.

/// Calls `callback!{ before rows }`, `before` being the rest of the table. Used by this crate only.
#[doc(hidden)]
#[macro_export]
macro_rules! exact_operators {
    ([$($callback:tt)+] $($before:tt)*) => {
        $($callback)+! {
            $($before)*
            /// The greatest whole number not above `a`.
            Floor = "floor" (arity 1, cost 2, commutative false) {
                fn floor_bool(a: bool) -> bool { a }
                fn floor_i32(a: i32) -> i32 { a }
                fn floor_i64(a: i64) -> i64 { a }
                fn floor_u64(a: u64) -> u64 { a }
                fn floor_f32(a: f32) -> f32 { a.floor() }
                fn floor_f64(a: f64) -> f64 { a.floor() }
            }
            /// The least whole number not below `a`.
            Ceil = "ceil" (arity 1, cost 2, commutative false) {
                fn ceil_bool(a: bool) -> bool { a }
                fn ceil_i32(a: i32) -> i32 { a }
                fn ceil_i64(a: i64) -> i64 { a }
                fn ceil_u64(a: u64) -> u64 { a }
                fn ceil_f32(a: f32) -> f32 { a.ceil() }
                fn ceil_f64(a: f64) -> f64 { a.ceil() }
            }
            /// The whole number next to `a` towards zero.
            Trunc = "trunc" (arity 1, cost 2, commutative false) {
                fn trunc_bool(a: bool) -> bool { a }
                fn trunc_i32(a: i32) -> i32 { a }
                fn trunc_i64(a: i64) -> i64 { a }
                fn trunc_u64(a: u64) -> u64 { a }
                fn trunc_f32(a: f32) -> f32 { a.trunc() }
                fn trunc_f64(a: f64) -> f64 { a.trunc() }
            }
            /// The whole number nearest to `a`, ties to even.
            Rint = "rint" (arity 1, cost 2, commutative false) {
                fn rint_f32(a: f32) -> f32 { a.round_ties_even() }
                fn rint_f64(a: f64) -> f64 { a.round_ties_even() }
            }
            /// Whether `a` is NaN.
            IsNan = "is_nan" (arity 1, cost 1, commutative false) {
                fn is_nan_bool(_a: bool) -> bool { false }
                fn is_nan_i32(_a: i32) -> bool { false }
                fn is_nan_i64(_a: i64) -> bool { false }
                fn is_nan_u64(_a: u64) -> bool { false }
                fn is_nan_f32(a: f32) -> bool { a.is_nan() }
                fn is_nan_f64(a: f64) -> bool { a.is_nan() }
            }
            /// Whether `a` is infinite.
            IsInfinite = "is_infinite" (arity 1, cost 1, commutative false) {
                fn is_infinite_bool(_a: bool) -> bool { false }
                fn is_infinite_i32(_a: i32) -> bool { false }
                fn is_infinite_i64(_a: i64) -> bool { false }
                fn is_infinite_u64(_a: u64) -> bool { false }
                fn is_infinite_f32(a: f32) -> bool { a.is_infinite() }
                fn is_infinite_f64(a: f64) -> bool { a.is_infinite() }
            }
            /// Whether `a` is neither infinite nor NaN.
            IsFinite = "is_finite" (arity 1, cost 1, commutative false) {
                fn is_finite_bool(_a: bool) -> bool { true }
                fn is_finite_i32(_a: i32) -> bool { true }
                fn is_finite_i64(_a: i64) -> bool { true }
                fn is_finite_u64(_a: u64) -> bool { true }
                fn is_finite_f32(a: f32) -> bool { a.is_finite() }
                fn is_finite_f64(a: f64) -> bool { a.is_finite() }
            }
            /// Whether `a` is below zero or a negative zero; NaN has no sign.
            SignBit = "sign_bit" (arity 1, cost 1, commutative false) {
                fn sign_bit_bool(_a: bool) -> bool { false }
                fn sign_bit_i32(a: i32) -> bool { a < 0 }
                fn sign_bit_i64(a: i64) -> bool { a < 0 }
                fn sign_bit_u64(_a: u64) -> bool { false }
                fn sign_bit_f32(a: f32) -> bool { a.is_sign_negative() & !a.is_nan() }
                fn sign_bit_f64(a: f64) -> bool { a.is_sign_negative() & !a.is_nan() }
            }
            /// The size of `a` with the sign of `b`, plus where `b` is NaN.
            CopySign = "copysign" (arity 2, cost 1, commutative false) {
                fn copysign_f32(a: f32, b: f32) -> f32 = sign::copysign;
                fn copysign_f64(a: f64, b: f64) -> f64 = sign::copysign;
            }
            /// The number next to `a` towards `b`.
            NextAfter = "nextafter" (arity 2, cost 4, commutative false) {
                fn nextafter_f32(a: f32, b: f32) -> f32 = neighbour::nextafter;
                fn nextafter_f64(a: f64, b: f64) -> f64 = neighbour::nextafter;
            }
            /// The f16 next to `a` towards `b`, all of them in f32, see [`neighbour`](crate::function::neighbour).
            NextHalf = "next_half" (arity 2, cost 5, commutative false) {
                fn next_half_f32(a: f32, b: f32) -> f32 = neighbour::next_half;
            }
            /// The bf16 next to `a` towards `b`, all of them in f32.
            NextBrain = "next_brain" (arity 2, cost 4, commutative false) {
                fn next_brain_f32(a: f32, b: f32) -> f32 = neighbour::next_brain;
            }
            /// The exact rest of division towards zero, with the sign of `a`; by 0: 0 of integers, else NaN.
            Fmod = "fmod" (arity 2, cost 30, commutative false) {
                fn fmod_i32(a: i32, b: i32) -> i32 { if b == 0 { 0 } else { a.wrapping_rem(b) } }
                fn fmod_i64(a: i64, b: i64) -> i64 { if b == 0 { 0 } else { a.wrapping_rem(b) } }
                fn fmod_u64(a: u64, b: u64) -> u64 { division::rem_u64(a, b) }
                fn fmod_f32(a: f32, b: f32) -> f32 { a % b }
                fn fmod_f64(a: f64, b: f64) -> f64 { a % b }
            }
            /// `floor(a / b)`; by 0: 0 of integers, else `a / b`.
            FloorDivide = "floor_divide" (arity 2, cost 30, commutative false) {
                fn floor_divide_i32(a: i32, b: i32) -> i32 { division::floor_divide_i32(a, b) }
                fn floor_divide_i64(a: i64, b: i64) -> i64 { division::floor_divide_i64(a, b) }
                fn floor_divide_u64(a: u64, b: u64) -> u64 { division::floor_divide_u64(a, b) }
                fn floor_divide_f32(a: f32, b: f32) -> f32 = remainder::floor_divide;
                fn floor_divide_f64(a: f64, b: f64) -> f64 = remainder::floor_divide;
            }
            /// `a` shifted up by `b` bits, zeros coming in; 0 where `b` is negative or not below the width.
            ShiftLeft = "shift_left" (arity 2, cost 2, commutative false) {
                fn shift_left_i32(a: i32, b: i32) -> i32 {
                    if (0..32).contains(&b) { a.wrapping_shl(b as u32) } else { 0 }
                }
                fn shift_left_i64(a: i64, b: i64) -> i64 {
                    if (0..64).contains(&b) { a.wrapping_shl(b as u32) } else { 0 }
                }
                fn shift_left_u64(a: u64, b: u64) -> u64 {
                    if b < 64 { a << b } else { 0 }
                }
            }
            /// `a` shifted down by `b` bits, signs or zeros coming in; these alone where `b` is negative or not below the width.
            ShiftRight = "shift_right" (arity 2, cost 2, commutative false) {
                fn shift_right_i32(a: i32, b: i32) -> i32 {
                    a >> if (0..32).contains(&b) { b } else { 31 }
                }
                fn shift_right_i64(a: i64, b: i64) -> i64 {
                    a >> if (0..64).contains(&b) { b } else { 63 }
                }
                fn shift_right_u64(a: u64, b: u64) -> u64 {
                    if b < 64 { a >> b } else { 0 }
                }
            }
            /// Whether neither `a` nor `b` is zero (NaN is not).
            LogicalAnd = "logical_and" (arity 2, cost 1, commutative true) {
                fn logical_and_bool(a: bool, b: bool) -> bool { a & b }
                fn logical_and_i32(a: i32, b: i32) -> bool { (a != 0) & (b != 0) }
                fn logical_and_i64(a: i64, b: i64) -> bool { (a != 0) & (b != 0) }
                fn logical_and_u64(a: u64, b: u64) -> bool { (a != 0) & (b != 0) }
                fn logical_and_f32(a: f32, b: f32) -> bool { (a != 0.0) & (b != 0.0) }
                fn logical_and_f64(a: f64, b: f64) -> bool { (a != 0.0) & (b != 0.0) }
            }
            /// Whether not both `a` and `b` are zero (NaN is not).
            LogicalOr = "logical_or" (arity 2, cost 1, commutative true) {
                fn logical_or_bool(a: bool, b: bool) -> bool { a | b }
                fn logical_or_i32(a: i32, b: i32) -> bool { (a != 0) | (b != 0) }
                fn logical_or_i64(a: i64, b: i64) -> bool { (a != 0) | (b != 0) }
                fn logical_or_u64(a: u64, b: u64) -> bool { (a != 0) | (b != 0) }
                fn logical_or_f32(a: f32, b: f32) -> bool { (a != 0.0) | (b != 0.0) }
                fn logical_or_f64(a: f64, b: f64) -> bool { (a != 0.0) | (b != 0.0) }
            }
            /// Whether just one of `a` and `b` is zero (NaN is not).
            LogicalXor = "logical_xor" (arity 2, cost 1, commutative true) {
                fn logical_xor_bool(a: bool, b: bool) -> bool { a ^ b }
                fn logical_xor_i32(a: i32, b: i32) -> bool { (a != 0) ^ (b != 0) }
                fn logical_xor_i64(a: i64, b: i64) -> bool { (a != 0) ^ (b != 0) }
                fn logical_xor_u64(a: u64, b: u64) -> bool { (a != 0) ^ (b != 0) }
                fn logical_xor_f32(a: f32, b: f32) -> bool { (a != 0.0) ^ (b != 0.0) }
                fn logical_xor_f64(a: f64, b: f64) -> bool { (a != 0.0) ^ (b != 0.0) }
            }
            /// Whether `a` is zero (NaN is not).
            LogicalNot = "logical_not" (arity 1, cost 1, commutative false) {
                fn logical_not_bool(a: bool) -> bool { !a }
                fn logical_not_i32(a: i32) -> bool { a == 0 }
                fn logical_not_i64(a: i64) -> bool { a == 0 }
                fn logical_not_u64(a: u64) -> bool { a == 0 }
                fn logical_not_f32(a: f32) -> bool { a == 0.0 }
                fn logical_not_f64(a: f64) -> bool { a == 0.0 }
            }
        }
    };
}
