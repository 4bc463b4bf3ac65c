//! Rows of the operator table for trigonometry.

/// Calls `callback!{ before rows }`, `before` being the rest of the table. Used by this crate only.
#[doc(hidden)]
#[macro_export]
macro_rules! trigonometric_operators {
    ([$($callback:tt)+] $($before:tt)*) => {
        $crate::exact_operators! {
            [$($callback)+]
            $($before)*
            /// Sine of an angle in radians, see [`trigonometric`](crate::function::trigonometric).
            Sin = "sin" (arity 1, cost 25, commutative false, ulp 2) {
                fn sin_f32(a: f32) -> f32 = trigonometric::sin_f32::<_, false>;
                fn sin_f64(a: f64) -> f64 = trigonometric::sin_f64::<_, false>;
            }
            /// Cosine of an angle in radians, see [`trigonometric`](crate::function::trigonometric).
            Cos = "cos" (arity 1, cost 25, commutative false, ulp 2) {
                fn cos_f32(a: f32) -> f32 = trigonometric::cos_f32::<_, false>;
                fn cos_f64(a: f64) -> f64 = trigonometric::cos_f64::<_, false>;
            }
            /// Tangent of an angle in radians, see [`trigonometric`](crate::function::trigonometric).
            Tan = "tan" (arity 1, cost 35, commutative false, ulp 2) {
                fn tan_f32(a: f32) -> f32 = trigonometric::tan_f32::<_, false>;
                fn tan_f64(a: f64) -> f64 = trigonometric::tan_f64::<_, false>;
            }
            /// Arc sine; NaN beyond 1, see [`inverse_trigonometric`](crate::function::inverse_trigonometric).
            Asin = "asin" (arity 1, cost 30, commutative false, ulp 2) {
                fn asin_f32(a: f32) -> f32 = inverse_trigonometric::asin_f32;
                fn asin_f64(a: f64) -> f64 = inverse_trigonometric::asin_f64;
            }
            /// Arc cosine; NaN beyond 1, see [`inverse_trigonometric`](crate::function::inverse_trigonometric).
            Acos = "acos" (arity 1, cost 30, commutative false, ulp 2) {
                fn acos_f32(a: f32) -> f32 = inverse_trigonometric::acos_f32;
                fn acos_f64(a: f64) -> f64 = inverse_trigonometric::acos_f64;
            }
            /// Arc tangent, see [`inverse_trigonometric`](crate::function::inverse_trigonometric).
            Atan = "atan" (arity 1, cost 35, commutative false, ulp 2) {
                fn atan_f32(a: f32) -> f32 = inverse_trigonometric::atan_f32;
                fn atan_f64(a: f64) -> f64 = inverse_trigonometric::atan_f64;
            }
            /// The angle of the point `(b, a)`, see [`inverse_trigonometric`](crate::function::inverse_trigonometric).
            Atan2 = "atan2" (arity 2, cost 40, commutative false, ulp 2) {
                fn atan2_f32(a: f32, b: f32) -> f32 = inverse_trigonometric::atan2_f32;
                fn atan2_f64(a: f64, b: f64) -> f64 = inverse_trigonometric::atan2_f64;
            }
            /// `sqrt(a^2 + b^2)`, see [`hypot`](crate::function::hypot).
            Hypot = "hypot" (arity 2, cost 15, commutative true, ulp 2) {
                fn hypot_f32(a: f32, b: f32) -> f32 = hypot::hypot_f32;
                fn hypot_f64(a: f64, b: f64) -> f64 = hypot::hypot_f64;
            }
            /// From degrees to radians.
            ToRadians = "deg2rad" (arity 1, cost 1, commutative false, ulp 2) {
                fn deg2rad_f32(a: f32) -> f32 = angle::to_radians_f32;
                fn deg2rad_f64(a: f64) -> f64 = angle::to_radians_f64;
            }
            /// From radians to degrees.
            ToDegrees = "rad2deg" (arity 1, cost 1, commutative false, ulp 2) {
                fn rad2deg_f32(a: f32) -> f32 = angle::to_degrees_f32;
                fn rad2deg_f64(a: f64) -> f64 = angle::to_degrees_f64;
            }
        }
    };
}
