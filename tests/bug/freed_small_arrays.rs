//! Memory of arrays below 1 MiB was kept for arrays of much the same size: with arrays of one size after another it grew without
//! end, and under a limit no array of a new size was had although nothing was alive.
#![cfg(target_os = "linux")]

use darray::{DArray, Runtime};
use darray_suite::{alone, resident};

const LIMIT: u64 = 60 << 20;

/// Forty MiB of arrays of one size, then of the next: 34 sizes from 20 kB to 1 MB.
fn sizes_one_after_another(keeps: bool) {
    let runtime = Runtime::builder().threads(1).memory_limit(LIMIT).build().unwrap();
    let _entered = runtime.enter();
    DArray::<f64>::ones(1000).sum(..).item();
    let before = resident();
    let mut kept = Vec::new();
    let mut most = 0;
    for step in 0..34 {
        let bytes = (20_000.0 * 50f64.powf(f64::from(step) / 33.0)) as usize;
        let arrays: Vec<_> =
            (0..(40 << 20) / bytes).map(|_| DArray::<f64>::full(bytes / 8, 3.0)).collect();
        runtime.sync();
        assert_eq!(arrays[0].sum(..).item(), 3.0 * (bytes / 8) as f64);
        most = most.max(resident().saturating_sub(before));
        if keeps {
            // Some of every size stays, apart.
            kept.extend(arrays.into_iter().step_by(100));
        }
    }
    // What arrays and plans are besides their elements takes some 6 MB.
    let room = LIMIT + LIMIT / 8 + (8 << 20);
    assert!(most <= room, "{most} bytes are resident, of {room}");
}

#[test]
fn what_is_free_serves_any_size() {
    alone("freed_small_arrays::what_is_free_serves_any_size", "true", || {
        sizes_one_after_another(false);
    });
}

#[test]
fn what_is_free_between_arrays_is_not_resident() {
    alone("freed_small_arrays::what_is_free_between_arrays_is_not_resident", "true", || {
        sizes_one_after_another(true);
    });
}
