//! Rows of the operator table for elementary functions; their algorithms are in
//! [`function`](crate::function).

/// Calls `callback!{ before rows }`, `before` being the rest of the table. Used by this crate only.
#[doc(hidden)]
#[macro_export]
macro_rules! function_operators {
    ([$($callback:tt)+] $($before:tt)*) => {
        $crate::trigonometric_operators! {
            [$($callback)+]
            $($before)*
            /// `a * a`; integers wrap.
            Square = "square" (arity 1, cost 1, commutative false) {
                fn square_i32(a: i32) -> i32 { a.wrapping_mul(a) }
                fn square_i64(a: i64) -> i64 { a.wrapping_mul(a) }
                fn square_u64(a: u64) -> u64 { a.wrapping_mul(a) }
                fn square_f32(a: f32) -> f32 { a * a }
                fn square_f64(a: f64) -> f64 { a * a }
            }
            /// `1 / a`; of integers toward zero, the least value for 0.
            Reciprocal = "reciprocal" (arity 1, cost 8, commutative false) {
                fn reciprocal_i32(a: i32) -> i32 {
                    if a == 0 { i32::MIN } else if a == 1 || a == -1 { a } else { 0 }
                }
                fn reciprocal_i64(a: i64) -> i64 {
                    if a == 0 { i64::MIN } else if a == 1 || a == -1 { a } else { 0 }
                }
                fn reciprocal_u64(a: u64) -> u64 { (a == 1) as u64 }
                fn reciprocal_f32(a: f32) -> f32 { 1.0 / a }
                fn reciprocal_f64(a: f64) -> f64 { 1.0 / a }
            }
            /// -1, 0 or 1 by the sign; NaN gives itself, -0.0 gives 0.0.
            Sign = "sign" (arity 1, cost 2, commutative false) {
                fn sign_i32(a: i32) -> i32 { a.signum() }
                fn sign_i64(a: i64) -> i64 { a.signum() }
                fn sign_u64(a: u64) -> u64 { (a != 0) as u64 }
                fn sign_f32(a: f32) -> f32 = sign::sign;
                fn sign_f64(a: f64) -> f64 = sign::sign;
            }
            /// `e^a`, see [`exp`](crate::function::exp).
            Exp = "exp" (arity 1, cost 20, commutative false, ulp 2) {
                fn exp_f32(a: f32) -> f32 = exp::exp_f32;
                fn exp_f64(a: f64) -> f64 = exp::exp_f64;
            }
            /// Natural logarithm, see [`ln`](crate::function::ln).
            Ln = "ln" (arity 1, cost 25, commutative false, ulp 2) {
                fn ln_f32(a: f32) -> f32 = ln::ln_f32;
                fn ln_f64(a: f64) -> f64 = ln::ln_f64;
            }
            /// `2^a`, see [`exp2`](crate::function::exp2).
            Exp2 = "exp2" (arity 1, cost 20, commutative false, ulp 2) {
                fn exp2_f32(a: f32) -> f32 = exp2::exp2_f32;
                fn exp2_f64(a: f64) -> f64 = exp2::exp2_f64;
            }
            /// `e^a - 1`, exact near zero, see [`expm1`](crate::function::expm1).
            Expm1 = "expm1" (arity 1, cost 25, commutative false, ulp 2) {
                fn expm1_f32(a: f32) -> f32 = expm1::expm1_f32;
                fn expm1_f64(a: f64) -> f64 = expm1::expm1_f64;
            }
            /// `ln(1 + a)`, exact near zero, see [`logarithms`](crate::function::logarithms).
            Log1p = "log1p" (arity 1, cost 30, commutative false, ulp 2) {
                fn log1p_f32(a: f32) -> f32 = logarithms::log1p_f32;
                fn log1p_f64(a: f64) -> f64 = logarithms::log1p_f64;
            }
            /// Logarithm of base 2, see [`logarithms`](crate::function::logarithms).
            Log2 = "log2" (arity 1, cost 30, commutative false, ulp 2) {
                fn log2_f32(a: f32) -> f32 = logarithms::log2_f32;
                fn log2_f64(a: f64) -> f64 = logarithms::log2_f64;
            }
            /// Logarithm of base 10, see [`logarithms`](crate::function::logarithms).
            Log10 = "log10" (arity 1, cost 30, commutative false, ulp 2) {
                fn log10_f32(a: f32) -> f32 = logarithms::log10_f32;
                fn log10_f64(a: f64) -> f64 = logarithms::log10_f64;
            }
            /// Hyperbolic sine, see [`hyperbolic`](crate::function::hyperbolic).
            Sinh = "sinh" (arity 1, cost 35, commutative false, ulp 2) {
                fn sinh_f32(a: f32) -> f32 = hyperbolic::sinh_f32;
                fn sinh_f64(a: f64) -> f64 = hyperbolic::sinh_f64;
            }
            /// Hyperbolic cosine, see [`hyperbolic`](crate::function::hyperbolic).
            Cosh = "cosh" (arity 1, cost 35, commutative false, ulp 2) {
                fn cosh_f32(a: f32) -> f32 = hyperbolic::cosh_f32;
                fn cosh_f64(a: f64) -> f64 = hyperbolic::cosh_f64;
            }
            /// Hyperbolic tangent, see [`hyperbolic`](crate::function::hyperbolic).
            Tanh = "tanh" (arity 1, cost 40, commutative false, ulp 2) {
                fn tanh_f32(a: f32) -> f32 = hyperbolic::tanh_f32;
                fn tanh_f64(a: f64) -> f64 = hyperbolic::tanh_f64;
            }
            /// Area hyperbolic sine, see [`inverse_hyperbolic`](crate::function::inverse_hyperbolic).
            Asinh = "asinh" (arity 1, cost 55, commutative false, ulp 2) {
                fn asinh_f32(a: f32) -> f32 = inverse_hyperbolic::asinh_f32;
                fn asinh_f64(a: f64) -> f64 = inverse_hyperbolic::asinh_f64;
            }
            /// Area hyperbolic cosine, see [`inverse_hyperbolic`](crate::function::inverse_hyperbolic).
            Acosh = "acosh" (arity 1, cost 55, commutative false, ulp 2) {
                fn acosh_f32(a: f32) -> f32 = inverse_hyperbolic::acosh_f32;
                fn acosh_f64(a: f64) -> f64 = inverse_hyperbolic::acosh_f64;
            }
            /// Area hyperbolic tangent, see [`inverse_hyperbolic`](crate::function::inverse_hyperbolic).
            Atanh = "atanh" (arity 1, cost 45, commutative false, ulp 2) {
                fn atanh_f32(a: f32) -> f32 = inverse_hyperbolic::atanh_f32;
                fn atanh_f64(a: f64) -> f64 = inverse_hyperbolic::atanh_f64;
            }
            /// Cube root, see [`cbrt`](crate::function::cbrt).
            Cbrt = "cbrt" (arity 1, cost 30, commutative false, ulp 2) {
                fn cbrt_f32(a: f32) -> f32 = cbrt::cbrt_f32;
                fn cbrt_f64(a: f64) -> f64 = cbrt::cbrt_f64;
            }
            /// Error function, see [`erf`](crate::function::erf).
            Erf = "erf" (arity 1, cost 45, commutative false, ulp 3) {
                fn erf_f32(a: f32) -> f32 = erf::erf_f32;
                fn erf_f64(a: f64) -> f64 = erf::erf_f64;
            }
            /// `a^b`, see [`power`](crate::function::power); integers wrap, `1 / a^-b` for `b < 0`.
            Power = "pow" (arity 2, cost 70, commutative false, ulp 3) {
                fn pow_i32(a: i32, b: i32) -> i32 { integer_power::power_i32(a, b) }
                fn pow_i64(a: i64, b: i64) -> i64 { integer_power::power_i64(a, b) }
                fn pow_u64(a: u64, b: u64) -> u64 { integer_power::power_u64(a, b) }
                fn pow_f32(a: f32, b: f32) -> f32 = power::power_f32;
                fn pow_f64(a: f64, b: f64) -> f64 = power::power_f64;
            }
            /// The inverse of the standard normal distribution, see [`normal`](crate::function::normal).
            NormalQuantile = "normal_quantile" (arity 1, cost 60, commutative false, ulp 6) {
                fn normal_quantile_f64(a: f64) -> f64 = normal::normal_quantile_f64;
            }
        }
    };
}
