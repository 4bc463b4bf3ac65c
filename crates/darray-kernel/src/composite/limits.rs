//! What formulas have to know of the range of a type.

use super::term::Term;
use darray_core::Compute;
use std::f64::consts::LN_2;

/// What formulas have to know of the range of a type. Numbers are powers of two where they scale.
pub(super) struct Limits {
    /// Above this `exp`, `sinh` and `cosh` overflow soon, or have.
    pub exp: f64,
    /// `e^exp`.
    pub exp_factor: f64,
    /// What is taken off an argument of `sinh` or `cosh` above `exp`; what is left is still so large that both
    /// are `e^x / 2`.
    pub cosh: f64,
    /// `e^cosh`.
    pub cosh_factor: f64,
    /// From here on `tanh` is 1, and well above `sinh` can still be squared.
    pub tanh: f64,
    /// Above this `hypot` of two numbers can overflow.
    pub large: f64,
    /// Below this `hypot` loses digits.
    pub small: f64,
    /// What is multiplied with numbers below `small`, and the root of its reciprocal.
    pub small_scale: [f64; 2],
    /// Above this 1 is nothing beside a number, even when multiplied with `huge_scale`.
    pub huge: f64,
    /// Makes numbers so small that their products do not overflow.
    pub huge_scale: f64,
    /// `-ln(huge_scale)`.
    pub huge_log: f64,
    /// Above this 1 is nothing beside the square of a number.
    pub far: f64,
    /// Below this a square underflows.
    pub near: f64,
    /// What is divided by numbers below `near`.
    pub near_scale: f64,
    /// `ln(2 / near_scale) / 2`.
    pub near_log: f64,
}

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
    /// Those of the type of a term.
    pub fn of(term: Term<'_>) -> &'static Limits {
        if term.compute() == Compute::F32 { &SINGLE } else { &DOUBLE }
    }
}
