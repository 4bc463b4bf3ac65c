//! Complex arrays beside programs on pairs of real ones.

use darray::testing::Testing;
use darray::{Complex, DArray, Runtime};
use darray_programs::mandelbrot;

/// Steps of the Mandelbrot set as the real program counts them.
fn by_pairs(n: usize, steps: usize) -> DArray<i64> {
    let c = mandelbrot::plane::<f64>(n);
    let mut z = (DArray::zeros((n, n)), DArray::zeros((n, n)));
    let mut counts = DArray::zeros((n, n));
    for _ in 0..steps {
        (z, counts) = mandelbrot::step(&c, &z, &counts);
    }
    counts
}

/// The same with complex arrays.
fn by_complex(n: usize, steps: usize) -> DArray<i64> {
    let (re, im) = mandelbrot::plane::<f64>(n);
    let c = DArray::from_parts(re.broadcast_to((n, n)), im.broadcast_to((n, n)));
    let mut z: DArray<Complex<f64>> = DArray::zeros((n, n));
    let mut counts = DArray::zeros((n, n));
    for _ in 0..steps {
        let inside = z.norm_sqr().lt(4.0);
        counts += &inside;
        z = inside.select(&(&z * &z + &c), &z);
    }
    counts
}

#[test]
fn the_mandelbrot_set_is_that_of_pairs_and_no_more_kernels() {
    for devices in [1, 2, 4] {
        let run = |program: fn(usize, usize) -> DArray<i64>| {
            // One window, since where windows end decides how many kernels there are.
            let builder = Runtime::builder().cpu_devices(devices).threads(1).window(4096);
            let isolated = Testing { isolate: true, ..Testing::default() };
            let runtime = builder.testing(isolated).build().expect("a runtime");
            let counts = runtime.scope(|| program(40, 50).to_vec());
            let stats = runtime.stats();
            assert_eq!(stats.fallbacks_memory + stats.fallbacks_compile, 0);
            (counts, stats.kernels, stats.fused_tasks, stats.bytes_copied)
        };
        let (pairs, complex) = (run(by_pairs), run(by_complex));
        assert_eq!(complex, pairs, "{devices} devices");
        assert_eq!(pairs.0.iter().max(), Some(&50));
    }
}
