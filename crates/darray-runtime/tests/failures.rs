//! Failures: one clear error where it concerns, everything else goes on.

mod support;

use darray_core::{DType, ErrorKind, RealType, Shape};
use darray_fusion::plan::Mode;
use darray_runtime::{Runtime, RuntimeOptions};
use darray_testdevices::Adversity;
use darray_testdevices::ReferenceDevice;
use std::sync::Arc;
use support::*;

fn limited(devices: usize, limit: u64) -> Program {
    Program::new(Runtime::new(ReferenceDevice::set(devices, limit), options()))
}

#[test]
fn an_array_that_does_not_fit_is_named_with_the_users_line() {
    let p = limited(1, 1000);
    let small = p.full(&[10], 2.0);
    let line = line!() + 1;
    let large = p.full(&[1000], 1.0);
    let after = p.mul_scalar(&large, 2.0);
    let sum = p.sum(&after, 1);
    let fine = p.mul_scalar(&small, 2.0);
    for view in [&large, &after, &sum] {
        let error = p.try_bytes(view).unwrap_err();
        assert_eq!(error.operation(), "full");
        assert_eq!(error.place().line(), line);
        assert!(error.place().file().ends_with("failures.rs"));
        let ErrorKind::OutOfMemory { device, requested, limit, shape, dtype, .. } = error.kind()
        else {
            panic!("{error}");
        };
        assert_eq!((device.as_str(), *requested, *limit), ("reference:0", 8000, 1000));
        assert_eq!((shape, *dtype), (&Shape::new(&[1000]), DType::F64));
    }
    assert_eq!(p.read(&fine), [4.0; 10]);
    assert_eq!(p.read(&small), [2.0; 10]);
    assert!(p.rt.sync().unwrap_err().to_string().contains("out of memory on reference:0"));
    p.rt.sync().unwrap();
}

#[test]
fn a_fused_task_that_does_not_fit_runs_in_halves() {
    // The first two outputs fit, in one kernel; only the last one fails.
    let p = limited(1, 2500);
    let x = p.full(&[100], 1.0);
    p.rt.flush();
    let a = p.mul_scalar(&x, 2.0);
    let b = p.mul_scalar(&a, 2.0);
    let c = p.mul_scalar(&b, 2.0);
    assert_eq!(p.read(&a), vec![2.0; 100]);
    assert_eq!(p.read(&b), vec![4.0; 100]);
    assert!(p.try_bytes(&c).is_err());
    let stats = p.rt.stats();
    assert_eq!((stats.fallbacks_memory, stats.kernels), (1, 2));
    // Once there is room again, the same operations work.
    drop((b, c));
    let c = p.mul_scalar(&a, 5.0);
    assert_eq!(p.read(&c), vec![10.0; 100]);
}

#[test]
fn a_poisoned_input_stops_only_what_depends_on_it() {
    let p = limited(1, 3000);
    let x = p.full(&[50], 1.0);
    let large = p.full(&[1000], 1.0);
    assert!(p.try_bytes(&large).is_err());
    // One fused task: `bad` reads the failure, `good` does not.
    let bad = p.mul_scalar(&large.slice(&[(0, 1, 50)]), 2.0);
    let good = p.mul_scalar(&x, 3.0);
    let both = p.add(&bad, &good);
    assert_eq!(p.read(&good), vec![3.0; 50]);
    assert_eq!(p.rt.stats().fallbacks_poison, 1);
    for view in [&bad, &both] {
        assert_eq!(p.try_bytes(view).unwrap_err().operation(), "full");
    }
}

#[test]
fn an_import_that_does_not_fit_fails_at_once() {
    let p = limited(2, 1000);
    let place = darray_core::Place::caller();
    let error = p.rt.import(
        RealType::F64,
        &Shape::new(&[1000]),
        Arc::new(vec![0u8; 8000]),
        "from_vec",
        place,
    );
    assert!(matches!(error.unwrap_err().kind(), ErrorKind::OutOfMemory { .. }));
    let error =
        p.rt.import(RealType::F64, &Shape::new(&[2]), Arc::new(vec![0u8; 15]), "from_vec", place);
    assert!(error.unwrap_err().to_string().contains("15 bytes for shape [2] of f64: expected 16"));
    assert_eq!(p.read(&p.full(&[4], 1.0)), [1.0; 4]);
    // Dead data makes room for an import.
    let old = p.full(&[120], 1.0);
    p.rt.flush();
    drop(old);
    let _ = p.from(&[120], &noise(120));
}

#[test]
fn replicas_that_others_hold_too_are_evicted() {
    let p = limited(2, 1200);
    let x = p.from(&[64], &noise(64));
    // Every device gets the whole of `x`, 512 bytes.
    let y = p.add(&x.slice(&[(63, -1, 64)]), &x);
    p.rt.sync().unwrap();
    // One row is one block, which the second device owns.
    let z = p.from(&[1, 100], &noise(100));
    assert_eq!(p.rt.stats().evictions, 1);
    let expected: Vec<f64> = noise(64).iter().rev().zip(noise(64)).map(|(a, b)| a + b).collect();
    assert_eq!(p.read(&y), expected);
    assert_eq!(p.read(&x), noise(64));
    assert_eq!(p.read(&z), noise(100));
}

#[test]
fn a_command_that_fails_poisons_what_depends_on_it_and_nothing_else() {
    let modes = [Mode::Unfused, Mode::Task];
    for (mode, seed) in modes.into_iter().flat_map(|mode| (0..20).map(move |seed| (mode, seed))) {
        // Submissions: two uploads a device (0..4), then the kernels of the first flush.
        for number in 4..10 {
            let adversity =
                Adversity { seed, fail_submissions: number..number + 1, ..Adversity::default() };
            let options = RuntimeOptions { mode, ..options() };
            let p = Program::new(adversarial(Kind::Reference, 2, adversity, options));
            let (x, y) = (p.from(&[16], &noise(16)), p.from(&[16], &noise(16)));
            let a = p.mul_scalar(&x, 2.0);
            let b = p.mul_scalar(&y, 3.0);
            let c = p.add(&a, &b);
            let results = [&a, &b, &c].map(|v| p.try_bytes(v));
            let failed = results.each_ref().map(|r| r.is_err());
            let expected = match number {
                4 | 5 => [true, false, true],
                6 | 7 => [false, true, true],
                _ => [false, false, true],
            };
            assert_eq!(failed, expected, "{mode:?}, seed {seed}, submission {number}");
            for error in results.iter().filter_map(|r| r.as_ref().err()) {
                let name = ["multiply", "multiply", "add"][(number as usize - 4) / 2];
                assert_eq!(error.operation(), name);
                assert!(error.to_string().contains("an injected failure"), "{error}");
                assert!(error.to_string().contains("[16]"), "{error}");
            }
            assert_eq!(p.read(&x), noise(16));
            assert_eq!(p.read(&p.mul_scalar(&y, 1.0)), noise(16));
        }
    }
}

#[test]
fn a_failure_passes_through_a_temporary_that_is_gone() {
    for seed in 0..20 {
        let adversity = Adversity { seed, fail_submissions: 1..2, ..Adversity::default() };
        let options = RuntimeOptions { mode: Mode::Unfused, ..options() };
        let p = Program::new(adversarial(Kind::Reference, 1, adversity, options));
        let x = p.from(&[8], &noise(8));
        let y = {
            let gone = p.mul_scalar(&x, 2.0);
            p.mul_scalar(&gone, 2.0)
        };
        p.rt.flush();
        assert!(p.try_bytes(&y).is_err(), "seed {seed}");
        assert!(p.rt.sync().is_err());
    }
}

#[test]
fn allocations_that_fail_once_are_tried_again() {
    for number in 0..12 {
        let adversity = Adversity {
            seed: number,
            fail_allocations: number..number + 1,
            ..Adversity::default()
        };
        let p = Program::new(adversarial(Kind::Reference, 2, adversity, options()));
        let x = p.from(&[16], &noise(16));
        let y = p.sum(&p.mul_scalar(&x, 2.0), 1);
        let expected = Program::new(reference(1, options()));
        let z = expected.sum(&expected.mul_scalar(&expected.from(&[16], &noise(16)), 2.0), 1);
        assert_eq!(p.read(&y), expected.read(&z), "allocation {number}");
    }
}
