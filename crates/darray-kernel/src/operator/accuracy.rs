//! Accuracy of `exp` and `ln` over their whole ranges, against a reference of about 100 bits.

mod double_double;

use super::scalar::{exp_f32, exp_f64, ln_f32, ln_f64};
use crate::random::Pcg64;
use double_double::DoubleDouble;

/// Distance of a result from the reference in units of the last place of the reference.
fn ulps_f64(got: f64, want: DoubleDouble) -> f64 {
    let size = want.high.abs();
    if got == want.high && !size.is_normal() {
        return 0.0;
    }
    assert!(got.is_finite() && size.is_finite(), "{got} {want:?}");
    let exponent = ((size.to_bits() >> 52) as i32).max(1) - 1075;
    // In two factors: 2^1074 is no f64.
    let scale = 2f64.powi(-exponent / 2);
    let unscaled = (got - want.high) - want.low;
    unscaled.abs() * scale * 2f64.powi(-exponent - (-exponent / 2))
}

fn ulps_f32(got: f32, want: f64) -> f64 {
    if got as f64 == want {
        return 0.0;
    }
    let exponent = (((want.abs() as f32).to_bits() >> 23) as i32).clamp(1, 254) - 150;
    (got as f64 - want).abs() * 2f64.powi(-exponent)
}

/// The worst of `count` arguments, and its error.
fn worst(
    count: usize,
    mut argument: impl FnMut(&mut Pcg64) -> f64,
    error: impl Fn(f64) -> f64,
) -> (f64, f64) {
    let mut stream = Pcg64::from_seed(1);
    let mut worst = (0.0, 0.0);
    for _ in 0..count {
        let x = argument(&mut stream);
        let ulps = error(x);
        if ulps > worst.1 {
            worst = (x, ulps);
        }
    }
    worst
}

const COUNT: usize = 200_000;

/// The promise is 2 ulp; what is measured is 1.03 for `exp` and 0.82 for `ln`. A wrong digit in a
/// coefficient shows here.
const LIMIT: f64 = 1.1;

#[test]
fn exp_f64_is_within_two_ulp() {
    let error = |x: f64| ulps_f64(exp_f64(x), DoubleDouble::exp(x));
    let ranges = [(-745.1, -708.0), (-708.0, 709.78), (-2.0, 2.0), (-1e-3, 1e-3)];
    for (low, high) in ranges {
        let (x, ulps) = worst(COUNT, |s| low + (high - low) * s.next_f64(), error);
        println!("exp f64 [{low}, {high}]: {ulps:.3} ulp at {x:?}");
        assert!(ulps <= LIMIT, "{x:?} {ulps}");
    }
    // Arguments of every magnitude.
    let (x, ulps) = worst(
        COUNT,
        |s| {
            let tiny = f64::from_bits(s.next_u64() % 700f64.to_bits());
            if s.next_u64() & 1 == 0 { tiny } else { -tiny }
        },
        error,
    );
    println!("exp f64 of every magnitude: {ulps:.3} ulp at {x:?}");
    assert!(ulps <= LIMIT, "{x:?} {ulps}");
}

#[test]
fn ln_f64_is_within_two_ulp() {
    let error = |x: f64| ulps_f64(ln_f64(x), DoubleDouble::ln(x));
    for (low, high) in [(0.5, 2.0), (0.99, 1.01), (0.0, 1000.0)] {
        let (x, ulps) = worst(COUNT, |s| low + (high - low) * s.next_f64(), error);
        println!("ln f64 [{low}, {high}]: {ulps:.3} ulp at {x:?}");
        assert!(ulps <= LIMIT, "{x:?} {ulps}");
    }
    let every = |s: &mut Pcg64| f64::from_bits(1 + s.next_u64() % (f64::INFINITY.to_bits() - 1));
    let denormal = |s: &mut Pcg64| f64::from_bits(1 + s.next_u64() % (1 << 52));
    for (name, (x, ulps)) in [
        ("every magnitude", worst(COUNT, every, error)),
        ("denormals", worst(COUNT, denormal, error)),
    ] {
        println!("ln f64 of {name}: {ulps:.3} ulp at {x:?}");
        assert!(ulps <= LIMIT, "{x:?} {ulps}");
    }
}

#[test]
fn f32_is_within_two_ulp_over_all_bit_patterns() {
    let (mut exp, mut ln) = ((0f32, 0.0), (0f32, 0.0));
    // Every 499th pattern of either sign.
    for bits in (0..f32::INFINITY.to_bits()).step_by(499) {
        let x = f32::from_bits(bits);
        for x in [x, -x] {
            if (-103.9..88.72).contains(&x) {
                let ulps = ulps_f32(exp_f32(x), (x as f64).exp());
                exp = if ulps > exp.1 { (x, ulps) } else { exp };
            }
        }
        if x > 0.0 {
            let ulps = ulps_f32(ln_f32(x), (x as f64).ln());
            ln = if ulps > ln.1 { (x, ulps) } else { ln };
        }
    }
    println!("exp f32: {:.3} ulp at {:?}; ln f32: {:.3} ulp at {:?}", exp.1, exp.0, ln.1, ln.0);
    assert!(exp.1 <= LIMIT && ln.1 <= LIMIT, "{exp:?} {ln:?}");
}

/// The reference itself, at arguments whose results are known to 34 digits.
#[test]
fn the_reference_is_right() {
    let e = DoubleDouble::exp(1.0);
    assert_eq!((e.high, e.low), (std::f64::consts::E, E_LOW));
    let ln2 = DoubleDouble::ln(2.0);
    assert_eq!(ln2.high, std::f64::consts::LN_2);
    assert!((ln2.low - LN2_LOW).abs() < 1e-31);
    let back = DoubleDouble::ln(DoubleDouble::exp(-300.0).high);
    assert!((back.high + back.low + 300.0).abs() < 1e-15);
}

/// e and ln 2 less their nearest doubles.
const E_LOW: f64 = 1.4456468917292502e-16;
const LN2_LOW: f64 = 2.3190468138462996e-17;
