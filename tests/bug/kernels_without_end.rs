//! Compiled kernels lived as long as their device, so a program whose graphs never repeat filled memory.

use darray::{DArray, Runtime};

/// What bit by bit of `structure` either adds 1 or doubles, of ten ones.
fn sum(structure: u32) -> f64 {
    let mut a = DArray::<f64>::ones(10);
    for bit in 0..16 {
        a = if structure >> bit & 1 == 1 { a + 1.0 } else { a * 2.0 };
    }
    a.sum(..).item()
}

fn expected(structure: u32) -> f64 {
    let step = |a: f64, bit: u32| if structure >> bit & 1 == 1 { a + 1.0 } else { a * 2.0 };
    10.0 * (0..16).fold(1.0, step)
}

#[test]
fn kernels_that_do_not_return_are_given_back() {
    const STRUCTURES: u32 = 20_000;
    let runtime = Runtime::builder().cpu_devices(1).threads(1).build().expect("a runtime");
    runtime.scope(|| {
        let mut most = 0;
        for structure in 0..STRUCTURES {
            assert_eq!(sum(structure), expected(structure));
            most = most.max(runtime.stats().codes);
        }
        assert_eq!(runtime.stats().compiled, STRUCTURES as u64);
        assert!((1..=5000).contains(&most), "{most} kernels were kept at once");

        // The last one is kept, the first ones are not: they are compiled again.
        assert_eq!(sum(STRUCTURES - 1), expected(STRUCTURES - 1));
        assert_eq!(runtime.stats().compiled, STRUCTURES as u64);
        for structure in 0..10 {
            assert_eq!(sum(structure), expected(structure));
        }
        assert_eq!(runtime.stats().compiled, STRUCTURES as u64 + 10);
    });
}

#[test]
fn kernels_end_with_their_runtime() {
    let devices = darray_testkit::faulty_cpus(2);
    let builder = || Runtime::builder().devices(devices.devices());
    let codes = || devices.devices().iter().map(|device| device.stats().codes).sum::<u64>();
    let (first, second) = (builder().build().unwrap(), builder().build().unwrap());
    for runtime in [&first, &second] {
        runtime.scope(|| assert_eq!(sum(5), expected(5)));
    }
    assert!(codes() > 0);
    drop(first);
    assert!(codes() > 0, "the other runtime has the same kernel");
    second.scope(|| assert_eq!(sum(5), expected(5)));
    drop(second);
    assert_eq!(codes(), 0);
}
