//! Rows of the operator table for elementary functions; their algorithms are in
//! [`function`](crate::function).

/// Calls `callback!{ before rows }`, `before` being the rest of the table. Used by this crate only.
#[doc(hidden)]
#[macro_export]
macro_rules! function_operators {
    ([$($callback:tt)+] $($before:tt)*) => {
        $($callback)+! {
            $($before)*
            /// `a * a`; integers wrap.
            Square = "square" (arity 1, cost 1, commutative false) {
                fn square_u8(a: u8) -> u8 { a.wrapping_mul(a) }
                fn square_i32(a: i32) -> i32 { a.wrapping_mul(a) }
                fn square_i64(a: i64) -> i64 { a.wrapping_mul(a) }
                fn square_f32(a: f32) -> f32 { a * a }
                fn square_f64(a: f64) -> f64 { a * a }
            }
            /// `1 / a`; of integers toward zero, the least value for 0.
            Reciprocal = "reciprocal" (arity 1, cost 8, commutative false) {
                fn reciprocal_u8(a: u8) -> u8 { (a == 1) as u8 }
                fn reciprocal_i32(a: i32) -> i32 {
                    if a == 0 { i32::MIN } else if a == 1 || a == -1 { a } else { 0 }
                }
                fn reciprocal_i64(a: i64) -> i64 {
                    if a == 0 { i64::MIN } else if a == 1 || a == -1 { a } else { 0 }
                }
                fn reciprocal_f32(a: f32) -> f32 { 1.0 / a }
                fn reciprocal_f64(a: f64) -> f64 { 1.0 / a }
            }
            /// -1, 0 or 1 by the sign; NaN gives itself, -0.0 gives 0.0.
            Sign = "sign" (arity 1, cost 2, commutative false) {
                fn sign_u8(a: u8) -> u8 { (a != 0) as u8 }
                fn sign_i32(a: i32) -> i32 { a.signum() }
                fn sign_i64(a: i64) -> i64 { a.signum() }
                fn sign_f32(a: f32) -> f32 {
                    if a.is_nan() { a } else { (a > 0.0) as u8 as f32 - (a < 0.0) as u8 as f32 }
                }
                fn sign_f64(a: f64) -> f64 {
                    if a.is_nan() { a } else { (a > 0.0) as u8 as f64 - (a < 0.0) as u8 as f64 }
                }
            }
            /// `e^a`, see [`exp`](crate::function::exp).
            Exp = "exp" (arity 1, cost 20, commutative false, ulp 2) {
                fn exp_f32(a: f32) -> f32 { exp::exp_f32(Native(a)).0 }
                fn exp_f64(a: f64) -> f64 { exp::exp_f64(Native(a)).0 }
            }
            /// Natural logarithm, see [`ln`](crate::function::ln).
            Ln = "ln" (arity 1, cost 25, commutative false, ulp 2) {
                fn ln_f32(a: f32) -> f32 { ln::ln_f32(Native(a)).0 }
                fn ln_f64(a: f64) -> f64 { ln::ln_f64(Native(a)).0 }
            }
        }
    };
}
