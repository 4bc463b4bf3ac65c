//! A nest of a launch read through a reshape what another one of the launch had written through the array's own indices, as it was before.

use darray::{DArray, Mode, Runtime, s};

#[test]
fn what_is_written_through_one_chart_is_read_through_another() {
    for mode in [Mode::Unfused, Mode::Fused] {
        let runtime = Runtime::builder().threads(1).window(600).mode(mode).build().unwrap();
        runtime.scope(|| {
            let a = DArray::<f64>::arange(24).reshape((4, 6)).copy();
            let x = DArray::<f64>::ones(5);
            runtime.sync();
            let before = runtime.stats().kernels;
            let y = &x * a.reshape(24).slice(s![7]);
            a.slice(s![1, ..]).assign(a.slice(s![0, ..]) + 100.0);
            let z = &x * a.reshape(24).slice(s![7]);
            runtime.sync();
            let kernels = runtime.stats().kernels - before;
            assert!(mode == Mode::Unfused || kernels == 1, "{kernels} launches");
            assert_eq!((y.to_vec(), z.to_vec()), (vec![7.0; 5], vec![101.0; 5]), "{mode:?}");
        });
    }
}
