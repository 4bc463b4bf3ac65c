//! Functions of complex numbers as real operations on their parts.
//!
//! Rules of all formulas:
//! - They are written once, for `f32` and `f64`; what depends on the range of the type is in [`Limits`].
//! - Nothing cancels: differences of nearly equal numbers are taken where they are exact, or avoided.
//! - What overflows or underflows on the way is scaled by powers of two, or split off as a factor; not in powers.
//! - Infinities, NaN and the signs of zeros give what C99's Annex G says, with NaN that have no sign.
//!
//! [`exponential`] has `exp`, logarithms and roots, [`hyperbolic`] also the trigonometric functions, [`inverse`]
//! what inverts them, [`power`] powers.

pub(super) mod exponential;
pub(super) mod hyperbolic;
pub(super) mod inverse;
pub(super) mod power;

use super::term::Term;
use darray_core::DType;

/// What formulas have to know of the range of a type. Numbers are powers of two where they scale.
struct Limits {
    /// Above this `exp`, `sinh` and `cosh` overflow soon, or have.
    exp: f64,
    /// `e^exp`.
    exp_factor: f64,
    /// What is taken off an argument of `sinh` or `cosh` above `exp`; what is left is still so large that both
    /// are `e^x / 2`.
    cosh: f64,
    /// `e^cosh`.
    cosh_factor: f64,
    /// From here on `tanh` is 1, and well above `sinh` can still be squared.
    tanh: f64,
    /// Above this `hypot` of two numbers can overflow.
    large: f64,
    /// Below this `hypot` loses digits.
    small: f64,
    /// What is multiplied with numbers below `small`, and the root of its reciprocal.
    small_scale: [f64; 2],
    /// Above this 1 is nothing beside a number, even when multiplied with `huge_scale`.
    huge: f64,
    /// Makes numbers so small that their products do not overflow.
    huge_scale: f64,
    /// `-ln(huge_scale)`.
    huge_log: f64,
    /// Above this 1 is nothing beside the square of a number.
    far: f64,
    /// Below this a square underflows.
    near: f64,
    /// What is divided by numbers below `near`.
    near_scale: f64,
    /// `ln(2 / near_scale) / 2`.
    near_log: f64,
}

use std::f64::consts::LN_2;

const DOUBLE: Limits = Limits {
    exp: 709.0,
    exp_factor: 8.218407461554972e307,
    cosh: 600.0,
    cosh_factor: 3.7730203009299397e260,
    tanh: 22.0,
    large: power_of_two(1020),
    small: power_of_two(-900),
    small_scale: [power_of_two(200), power_of_two(-100)],
    huge: power_of_two(500),
    huge_scale: power_of_two(-100),
    huge_log: 100.0 * LN_2,
    far: power_of_two(30),
    near: power_of_two(-500),
    near_scale: power_of_two(-100),
    near_log: 50.5 * LN_2,
};

const SINGLE: Limits = Limits {
    exp: 88.0,
    exp_factor: 1.6516362549940018e38,
    cosh: 60.0,
    cosh_factor: 1.1420073898156842e26,
    tanh: 11.0,
    large: power_of_two(120),
    small: power_of_two(-90),
    small_scale: [power_of_two(60), power_of_two(-30)],
    huge: power_of_two(100),
    huge_scale: power_of_two(-40),
    huge_log: 40.0 * LN_2,
    far: power_of_two(14),
    near: power_of_two(-55),
    near_scale: power_of_two(-30),
    near_log: 15.5 * LN_2,
};

const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Limits {
    fn of(dtype: DType) -> &'static Limits {
        if dtype == DType::F32 { &SINGLE } else { &DOUBLE }
    }
}

/// The larger and the smaller absolute value of two numbers; NaN of both if one is.
fn by_size(x: &Term, y: &Term) -> [Term; 2] {
    let (x, y) = (x.abs(), y.abs());
    [x.maximum(&y), x.minimum(&y)]
}
