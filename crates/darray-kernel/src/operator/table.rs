//! THE operator table: one row per operator, one primitive per row and element type. Elementary
//! functions have their rows in `table/functions.rs`.
//!
//! The enum, its rows, [`Operator::apply`](super::Operator::apply), the module
//! [`scalar`](super::scalar) and [`for_each_primitive!`](crate::for_each_primitive) come from here, so
//! a new operator or element type is written once. Types that only lie in memory (small integers, f16, bf16) have conversions
//! from and to those that kernels compute in, see [`Operator::conversion`](super::Operator::conversion). Primitives are branch-free (but for `rem` of
//! floats), so that loops over them become vector code.

mod exact;
mod functions;
mod trigonometry;

/// Calls `callback!{ prefix rows }` with the whole table. Used by this crate only.
#[doc(hidden)]
#[macro_export]
macro_rules! operator_table {
    ([$($callback:tt)+] $($prefix:tt)*) => {
        $crate::function_operators! {
            [$($callback)+]
            $($prefix)*
            /// `a + b`; integers wrap.
            Add = "add" (arity 2, cost 1, commutative true) {
                fn add_i32(a: i32, b: i32) -> i32 { a.wrapping_add(b) }
                fn add_i64(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
                fn add_u64(a: u64, b: u64) -> u64 { a.wrapping_add(b) }
                fn add_f32(a: f32, b: f32) -> f32 { a + b }
                fn add_f64(a: f64, b: f64) -> f64 { a + b }
            }
            /// `a - b`; integers wrap.
            Sub = "sub" (arity 2, cost 1, commutative false) {
                fn sub_i32(a: i32, b: i32) -> i32 { a.wrapping_sub(b) }
                fn sub_i64(a: i64, b: i64) -> i64 { a.wrapping_sub(b) }
                fn sub_u64(a: u64, b: u64) -> u64 { a.wrapping_sub(b) }
                fn sub_f32(a: f32, b: f32) -> f32 { a - b }
                fn sub_f64(a: f64, b: f64) -> f64 { a - b }
            }
            /// `a * b`; integers wrap.
            Mul = "mul" (arity 2, cost 1, commutative true) {
                fn mul_i32(a: i32, b: i32) -> i32 { a.wrapping_mul(b) }
                fn mul_i64(a: i64, b: i64) -> i64 { a.wrapping_mul(b) }
                fn mul_u64(a: u64, b: u64) -> u64 { a.wrapping_mul(b) }
                fn mul_f32(a: f32, b: f32) -> f32 { a * b }
                fn mul_f64(a: f64, b: f64) -> f64 { a * b }
            }
            /// The upper half of the product of 128 bits, all read as unsigned.
            MulHigh = "mul_high" (arity 2, cost 4, commutative true) {
                fn mul_high_i64(a: i64, b: i64) -> i64 {
                    ((a as u64 as u128 * b as u64 as u128) >> 64) as i64
                }
            }
            /// `a / b`: true division, of floats only (the front end casts integers).
            Div = "div" (arity 2, cost 8, commutative false) {
                fn div_f32(a: f32, b: f32) -> f32 { a / b }
                fn div_f64(a: f64, b: f64) -> f64 { a / b }
            }
            /// `a - floor(a / b) * b`: the sign of the divisor, zeros included; by 0: 0 of integers, else NaN.
            Rem = "rem" (arity 2, cost 30, commutative false) {
                fn rem_i32(a: i32, b: i32) -> i32 { division::rem_i32(a, b) }
                fn rem_i64(a: i64, b: i64) -> i64 { division::rem_i64(a, b) }
                fn rem_u64(a: u64, b: u64) -> u64 { division::rem_u64(a, b) }
                fn rem_f32(a: f32, b: f32) -> f32 = remainder::remainder;
                fn rem_f64(a: f64, b: f64) -> f64 = remainder::remainder;
            }
            /// `-a`: flips the sign of floats, NaN and zero included; integers wrap.
            Neg = "neg" (arity 1, cost 1, commutative false) {
                fn neg_i32(a: i32) -> i32 { a.wrapping_neg() }
                fn neg_i64(a: i64) -> i64 { a.wrapping_neg() }
                fn neg_u64(a: u64) -> u64 { a.wrapping_neg() }
                fn neg_f32(a: f32) -> f32 { -a }
                fn neg_f64(a: f64) -> f64 { -a }
            }
            /// `|a|`: clears the sign of floats; integers wrap.
            Abs = "abs" (arity 1, cost 1, commutative false) {
                fn abs_i32(a: i32) -> i32 { a.wrapping_abs() }
                fn abs_i64(a: i64) -> i64 { a.wrapping_abs() }
                fn abs_u64(a: u64) -> u64 { a }
                fn abs_f32(a: f32) -> f32 { a.abs() }
                fn abs_f64(a: f64) -> f64 { a.abs() }
            }
            /// Square root, correctly rounded; NaN below zero, `sqrt(-0.0) = -0.0`.
            Sqrt = "sqrt" (arity 1, cost 10, commutative false) {
                fn sqrt_f32(a: f32) -> f32 { a.sqrt() }
                fn sqrt_f64(a: f64) -> f64 { a.sqrt() }
            }
            /// The smaller; NaN wins, `-0.0 < +0.0`.
            Minimum = "minimum" (arity 2, cost 2, commutative true) {
                fn minimum_bool(a: bool, b: bool) -> bool { a & b }
                fn minimum_i32(a: i32, b: i32) -> i32 { if a < b { a } else { b } }
                fn minimum_i64(a: i64, b: i64) -> i64 { if a < b { a } else { b } }
                fn minimum_u64(a: u64, b: u64) -> u64 { if a < b { a } else { b } }
                fn minimum_f32(a: f32, b: f32) -> f32 = extremum::minimum;
                fn minimum_f64(a: f64, b: f64) -> f64 = extremum::minimum;
            }
            /// The larger; NaN wins, `-0.0 < +0.0`.
            Maximum = "maximum" (arity 2, cost 2, commutative true) {
                fn maximum_bool(a: bool, b: bool) -> bool { a | b }
                fn maximum_i32(a: i32, b: i32) -> i32 { if a > b { a } else { b } }
                fn maximum_i64(a: i64, b: i64) -> i64 { if a > b { a } else { b } }
                fn maximum_u64(a: u64, b: u64) -> u64 { if a > b { a } else { b } }
                fn maximum_f32(a: f32, b: f32) -> f32 = extremum::maximum;
                fn maximum_f64(a: f64, b: f64) -> f64 = extremum::maximum;
            }
            /// `a * b + c` with one rounding.
            Fma = "fma" (arity 3, cost 1, commutative false) {
                fn fma_f32(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
                fn fma_f64(a: f64, b: f64, c: f64) -> f64 { a.mul_add(b, c) }
            }
            /// `a < b`; false with NaN.
            Lt = "lt" (arity 2, cost 1, commutative false) {
                fn lt_bool(a: bool, b: bool) -> bool { !a & b }
                fn lt_i32(a: i32, b: i32) -> bool { a < b }
                fn lt_i64(a: i64, b: i64) -> bool { a < b }
                fn lt_u64(a: u64, b: u64) -> bool { a < b }
                fn lt_f32(a: f32, b: f32) -> bool { a < b }
                fn lt_f64(a: f64, b: f64) -> bool { a < b }
            }
            /// `a <= b`; false with NaN.
            Le = "le" (arity 2, cost 1, commutative false) {
                fn le_bool(a: bool, b: bool) -> bool { !a | b }
                fn le_i32(a: i32, b: i32) -> bool { a <= b }
                fn le_i64(a: i64, b: i64) -> bool { a <= b }
                fn le_u64(a: u64, b: u64) -> bool { a <= b }
                fn le_f32(a: f32, b: f32) -> bool { a <= b }
                fn le_f64(a: f64, b: f64) -> bool { a <= b }
            }
            /// `a > b`; false with NaN.
            Gt = "gt" (arity 2, cost 1, commutative false) {
                fn gt_bool(a: bool, b: bool) -> bool { a & !b }
                fn gt_i32(a: i32, b: i32) -> bool { a > b }
                fn gt_i64(a: i64, b: i64) -> bool { a > b }
                fn gt_u64(a: u64, b: u64) -> bool { a > b }
                fn gt_f32(a: f32, b: f32) -> bool { a > b }
                fn gt_f64(a: f64, b: f64) -> bool { a > b }
            }
            /// `a >= b`; false with NaN.
            Ge = "ge" (arity 2, cost 1, commutative false) {
                fn ge_bool(a: bool, b: bool) -> bool { a | !b }
                fn ge_i32(a: i32, b: i32) -> bool { a >= b }
                fn ge_i64(a: i64, b: i64) -> bool { a >= b }
                fn ge_u64(a: u64, b: u64) -> bool { a >= b }
                fn ge_f32(a: f32, b: f32) -> bool { a >= b }
                fn ge_f64(a: f64, b: f64) -> bool { a >= b }
            }
            /// `a == b`; false with NaN.
            Eq = "eq" (arity 2, cost 1, commutative true) {
                fn eq_bool(a: bool, b: bool) -> bool { !(a ^ b) }
                fn eq_i32(a: i32, b: i32) -> bool { a == b }
                fn eq_i64(a: i64, b: i64) -> bool { a == b }
                fn eq_u64(a: u64, b: u64) -> bool { a == b }
                fn eq_f32(a: f32, b: f32) -> bool { a == b }
                fn eq_f64(a: f64, b: f64) -> bool { a == b }
            }
            /// `a != b`; true with NaN.
            Ne = "ne" (arity 2, cost 1, commutative true) {
                fn ne_bool(a: bool, b: bool) -> bool { a ^ b }
                fn ne_i32(a: i32, b: i32) -> bool { a != b }
                fn ne_i64(a: i64, b: i64) -> bool { a != b }
                fn ne_u64(a: u64, b: u64) -> bool { a != b }
                fn ne_f32(a: f32, b: f32) -> bool { a != b }
                fn ne_f64(a: f64, b: f64) -> bool { a != b }
            }
            /// Logical and of bool, bitwise of integers.
            And = "and" (arity 2, cost 1, commutative true) {
                fn and_bool(a: bool, b: bool) -> bool { a & b }
                fn and_i32(a: i32, b: i32) -> i32 { a & b }
                fn and_i64(a: i64, b: i64) -> i64 { a & b }
                fn and_u64(a: u64, b: u64) -> u64 { a & b }
            }
            /// Logical or of bool, bitwise of integers.
            Or = "or" (arity 2, cost 1, commutative true) {
                fn or_bool(a: bool, b: bool) -> bool { a | b }
                fn or_i32(a: i32, b: i32) -> i32 { a | b }
                fn or_i64(a: i64, b: i64) -> i64 { a | b }
                fn or_u64(a: u64, b: u64) -> u64 { a | b }
            }
            /// Logical exclusive or of bool, bitwise of integers.
            Xor = "xor" (arity 2, cost 1, commutative true) {
                fn xor_bool(a: bool, b: bool) -> bool { a ^ b }
                fn xor_i32(a: i32, b: i32) -> i32 { a ^ b }
                fn xor_i64(a: i64, b: i64) -> i64 { a ^ b }
                fn xor_u64(a: u64, b: u64) -> u64 { a ^ b }
            }
            /// Logical negation of bool, bitwise of integers.
            Not = "not" (arity 1, cost 1, commutative false) {
                fn not_bool(a: bool) -> bool { !a }
                fn not_i32(a: i32) -> i32 { !a }
                fn not_i64(a: i64) -> i64 { !a }
                fn not_u64(a: u64) -> u64 { !a }
            }
            /// `if mask { a } else { b }`; both are computed.
            Select = "select" (arity 3, cost 1, commutative false) {
                fn select_bool(mask: bool, a: bool, b: bool) -> bool { if mask { a } else { b } }
                fn select_i32(mask: bool, a: i32, b: i32) -> i32 { if mask { a } else { b } }
                fn select_i64(mask: bool, a: i64, b: i64) -> i64 { if mask { a } else { b } }
                fn select_u64(mask: bool, a: u64, b: u64) -> u64 { if mask { a } else { b } }
                fn select_f32(mask: bool, a: f32, b: f32) -> f32 { if mask { a } else { b } }
                fn select_f64(mask: bool, a: f64, b: f64) -> f64 { if mask { a } else { b } }
            }
            /// Whether `a` differs from zero (NaN does).
            ToBool = "to_bool" (arity 1, cost 1, commutative false) {
                fn to_bool_bool(a: bool) -> bool { a }
                fn to_bool_i32(a: i32) -> bool { a != 0 }
                fn to_bool_i64(a: i64) -> bool { a != 0 }
                fn to_bool_u64(a: u64) -> bool { a != 0 }
                fn to_bool_f32(a: f32) -> bool { a != 0.0 }
                fn to_bool_f64(a: f64) -> bool { a != 0.0 }
            }
            /// Integers keep their low bits; floats go toward zero and saturate; NaN gives 0.
            ToI8 = "to_i8" (arity 1, cost 3, commutative false) {
                fn to_i8_i32(a: i32) -> i8 { a as i8 }
                fn to_i8_f32(a: f32) -> i8 { a as i8 }
                fn to_i8_f64(a: f64) -> i8 { a as i8 }
            }
            /// Integers keep their low bits; floats go toward zero and saturate; NaN gives 0.
            ToI16 = "to_i16" (arity 1, cost 3, commutative false) {
                fn to_i16_i32(a: i32) -> i16 { a as i16 }
                fn to_i16_f32(a: f32) -> i16 { a as i16 }
                fn to_i16_f64(a: f64) -> i16 { a as i16 }
            }
            /// Integers keep their low bits; floats go toward zero and saturate; NaN gives 0.
            ToU16 = "to_u16" (arity 1, cost 3, commutative false) {
                fn to_u16_i32(a: i32) -> u16 { a as u16 }
                fn to_u16_f32(a: f32) -> u16 { a as u16 }
                fn to_u16_f64(a: f64) -> u16 { a as u16 }
            }
            /// Integers keep their low bits; floats go toward zero and saturate; NaN gives 0.
            ToU32 = "to_u32" (arity 1, cost 3, commutative false) {
                fn to_u32_i64(a: i64) -> u32 { a as u32 }
                fn to_u32_f32(a: f32) -> u32 { a as u32 }
                fn to_u32_f64(a: f64) -> u32 { a as u32 }
            }
            /// Integers keep their low bits; floats go toward zero and saturate; NaN gives 0.
            ToU8 = "to_u8" (arity 1, cost 3, commutative false) {
                fn to_u8_i32(a: i32) -> u8 { a as u8 }
                fn to_u8_f32(a: f32) -> u8 { a as u8 }
                fn to_u8_f64(a: f64) -> u8 { a as u8 }
            }
            /// Integers keep their low bits; floats go toward zero and saturate; NaN gives 0.
            ToI32 = "to_i32" (arity 1, cost 3, commutative false) {
                fn to_i32_bool(a: bool) -> i32 { a as u8 as i32 }
                fn to_i32_i8(a: i8) -> i32 { a as i32 }
                fn to_i32_u8(a: u8) -> i32 { a as i32 }
                fn to_i32_i16(a: i16) -> i32 { a as i32 }
                fn to_i32_u16(a: u16) -> i32 { a as i32 }
                fn to_i32_i32(a: i32) -> i32 { a }
                fn to_i32_i64(a: i64) -> i32 { a as i32 }
                fn to_i32_u64(a: u64) -> i32 { a as i32 }
                fn to_i32_f32(a: f32) -> i32 { a as i32 }
                fn to_i32_f64(a: f64) -> i32 { a as i32 }
            }
            /// Integers keep their low bits; floats go toward zero and saturate; NaN gives 0.
            ToI64 = "to_i64" (arity 1, cost 3, commutative false) {
                fn to_i64_bool(a: bool) -> i64 { a as u8 as i64 }
                fn to_i64_i32(a: i32) -> i64 { a as i64 }
                fn to_i64_u32(a: u32) -> i64 { a as i64 }
                fn to_i64_i64(a: i64) -> i64 { a }
                fn to_i64_u64(a: u64) -> i64 { a as i64 }
                fn to_i64_f32(a: f32) -> i64 { a as i64 }
                fn to_i64_f64(a: f64) -> i64 { a as i64 }
            }
            /// Of signed integers the bits, copies of the sign in the upper ones; floats go toward zero and saturate; NaN gives 0.
            ToU64 = "to_u64" (arity 1, cost 3, commutative false) {
                fn to_u64_bool(a: bool) -> u64 { a as u8 as u64 }
                fn to_u64_i32(a: i32) -> u64 { a as u64 }
                fn to_u64_i64(a: i64) -> u64 { a as u64 }
                fn to_u64_u64(a: u64) -> u64 { a }
                fn to_u64_f32(a: f32) -> u64 { a as u64 }
                fn to_u64_f64(a: f64) -> u64 { a as u64 }
            }
            /// To nearest, ties to even.
            ToF16 = "to_f16" (arity 1, cost 3, commutative false) {
                fn to_f16_f32(a: f32) -> f16 { f16_from_f32(a) }
                fn to_f16_f64(a: f64) -> f16 { f16_from_f64(a) }
            }
            /// To nearest, ties to even.
            ToBF16 = "to_bf16" (arity 1, cost 3, commutative false) {
                fn to_bf16_f32(a: f32) -> bf16 { bf16_from_f32(a) }
                fn to_bf16_f64(a: f64) -> bf16 { bf16_from_f64(a) }
            }
            /// To nearest, ties to even.
            ToF32 = "to_f32" (arity 1, cost 2, commutative false) {
                fn to_f32_bool(a: bool) -> f32 { a as u8 as f32 }
                fn to_f32_i32(a: i32) -> f32 { a as f32 }
                fn to_f32_i64(a: i64) -> f32 { a as f32 }
                fn to_f32_u64(a: u64) -> f32 { a as f32 }
                fn to_f32_f16(a: f16) -> f32 { f32_from_f16(a) }
                fn to_f32_bf16(a: bf16) -> f32 { f32_from_bf16(a) }
                fn to_f32_f32(a: f32) -> f32 { a }
                fn to_f32_f64(a: f64) -> f32 { a as f32 }
            }
            /// To nearest, ties to even.
            ToF64 = "to_f64" (arity 1, cost 2, commutative false) {
                fn to_f64_bool(a: bool) -> f64 { a as u8 as f64 }
                fn to_f64_i32(a: i32) -> f64 { a as f64 }
                fn to_f64_i64(a: i64) -> f64 { a as f64 }
                fn to_f64_u64(a: u64) -> f64 { a as f64 }
                fn to_f64_f32(a: f32) -> f64 { a as f64 }
                fn to_f64_f64(a: f64) -> f64 { a }
            }
        }
    };
}

/// Calls a macro with one row per operator and combination of operand types, in table order.
///
/// `for_each_primitive!{ callback }` expands to `callback!{ rows }`,
/// `for_each_primitive!{ callback [tokens] }` to `callback!{ [tokens] rows }`, with rows of the form
///
/// ```text
/// (Add, (f64, f64) -> f64, $crate::operator::scalar::add_f64)
/// ```
///
/// Types are Rust's; `bool` is one byte, 0 or 1, as in memory. The paths are `#[inline(always)]`
/// functions of the operands.
///
/// ```
/// macro_rules! count {
///     ($(($operator:ident, ($($input:ident),+) -> $output:ident, $function:path))*) => {
///         [$((stringify!($operator), stringify!($output))),*].len()
///     };
/// }
/// let signatures: usize =
///     darray_kernel::operator::Operator::ALL.iter().map(|o| o.row().signatures.len()).sum();
/// assert_eq!(darray_kernel::for_each_primitive!(count), signatures);
/// ```
#[macro_export]
macro_rules! for_each_primitive {
    ($callback:ident $([$($tokens:tt)*])?) => {
        $crate::operator_table! {
            [$crate::flatten_primitives] [$callback] [$([$($tokens)*])?]
        }
    };
}

/// Rows of the table to rows of [`for_each_primitive!`](crate::for_each_primitive).
#[doc(hidden)]
#[macro_export]
macro_rules! flatten_primitives {
    ([$callback:ident] [$($tokens:tt)*]
        $(#[$doc:meta] $operator:ident = $name:literal
            (arity $arity:literal, cost $cost:literal, commutative $commutative:literal
                $(, ulp $ulp:literal)?) {
                $(fn $function:ident($($arg:ident: $input:ident),+) -> $output:ident
                    $(= $generic:path;)? $($body:block)?)+
        })+
    ) => {
        $callback! {
            $($tokens)*
            $($(($operator, ($($input),+) -> $output, $crate::operator::scalar::$function))+)+
        }
    };
}
