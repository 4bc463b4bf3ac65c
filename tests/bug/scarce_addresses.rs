//! Where a process may have few addresses, CPU devices asked for too many, and then had none at all.
#![cfg(target_os = "linux")]

use darray::{DArray, ErrorKind, Runtime};
use darray_suite::alone;

/// Runs a program in a process that may have 4,096,000,000 bytes of addresses.
fn confined(test: &str, program: fn()) {
    alone(&format!("scarce_addresses::{test}"), "ulimit -v 4000000", program);
}

#[test]
fn one_device_has_memory() {
    confined("one_device_has_memory", || {
        let x = DArray::<f64>::ones(5_000_000);
        let y = &x + 1.0;
        Runtime::current().sync();
        assert_eq!((x.sum(..).item(), y.sum(..).item()), (5e6, 1e7));
    });
}

#[test]
fn three_devices_have_memory() {
    confined("three_devices_have_memory", || {
        let runtime = Runtime::builder().cpu_devices(3).build().unwrap();
        assert_eq!(runtime.scope(|| DArray::<f64>::ones(5_000_000).cumsum(..).max(..).item()), 5e6);
    });
}

#[test]
fn a_limit_that_fits_is_had_in_full() {
    confined("a_limit_that_fits_is_had_in_full", || {
        let runtime = Runtime::builder().memory_limit(2_500_000_000).build().unwrap();
        let _entered = runtime.enter();
        // Bytes that nothing touches are no memory: this asks for addresses alone.
        let x = DArray::<u8>::empty(2_300_000_000i64);
        x.slice(darray::s![..1]).assign(1);
        assert_eq!(x.slice(darray::s![..1]).to_vec(), [1]);
    });
}

#[test]
fn what_is_short_is_said() {
    confined("what_is_short_is_said", || {
        let runtime = Runtime::builder().memory_limit(1 << 40).build().unwrap();
        let _entered = runtime.enter();
        let x = DArray::<f64>::ones(1_000_000_000);
        let y = &x + 1.0;
        let error = y.as_dyn().to_bytes().unwrap_err();
        let ErrorKind::OutOfMemory { limit, addresses, .. } = *error.kind() else {
            panic!("{error}")
        };
        assert!(addresses && limit < 4_096_000_000, "{error}");
        let text = error.to_string();
        assert!(text.contains("the process may not reserve more addresses"), "{text}");
        assert!(text.contains("ulimit -v"), "{text}");
        assert_eq!(DArray::<f64>::ones(1000).sum(..).item(), 1000.0, "others go on");
    });
}

#[test]
fn half_of_the_addresses_is_the_limit() {
    confined("half_of_the_addresses_is_the_limit", || {
        let error = DArray::<f64>::ones(300_000_000).as_dyn().to_bytes().unwrap_err();
        let ErrorKind::OutOfMemory { limit, addresses, .. } = *error.kind() else {
            panic!("{error}")
        };
        assert_eq!((limit, addresses), (2_048_000_000, false), "{error}");
    });
}

#[test]
fn two_thousand_runtimes_live() {
    confined("two_thousand_runtimes_live", || {
        let mut kept = Vec::new();
        for number in 0..2000i64 {
            let runtime = Runtime::builder().threads(1).build().unwrap();
            let x = runtime.scope(|| DArray::<i64>::full(1000, number));
            assert_eq!(runtime.scope(|| (&x + 1).sum(..).item()), 1000 * (number + 1));
            kept.push((runtime, x));
        }
        let (runtime, x) = &kept[7];
        assert_eq!(runtime.scope(|| x.sum(..).item()), 7000);
    });
}
