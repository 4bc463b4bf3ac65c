//! What fills a second buffer took the number of another domain of its sizes, in a plan that served other sizes, too.

use darray::{DArray, Mode, Runtime, s};

/// Updates of an array in place, beside another one and one that is padded, in one window.
fn run(runtime: &Runtime, n: usize, m: usize) -> Vec<f64> {
    runtime.scope(|| {
        let u = DArray::<f64>::arange(n) * 0.5;
        let mut v = DArray::<f64>::arange(m) + 1.0;
        let padded = DArray::<f64>::zeros(m + 2);
        runtime.flush();
        for _ in 0..4 {
            let neighbours = u.slice(s![..-2]) + u.slice(s![2..]);
            v = &v * 1.5 + 0.25;
            u.slice(s![1..-1]).assign(neighbours * 0.5 + u.slice(s![1..-1]) * 0.25);
            padded.slice(s![1..-1]).assign(&v);
            v = padded.slice(s![..-2]) + padded.slice(s![2..]);
        }
        [u, v, padded].iter().flat_map(DArray::to_vec).collect()
    })
}

#[test]
fn plans_with_second_buffers_serve_other_sizes() {
    for devices in [1, 3] {
        let runtime = |mode| {
            let builder = Runtime::builder().threads(1).window(600).cpu_devices(devices);
            builder.mode(mode).build().unwrap()
        };
        let (fused, unfused) = (runtime(Mode::Fused), runtime(Mode::Unfused));
        for (n, m) in [
            (4000, 4000),
            (4000, 3000),
            (3000, 4000),
            (4000, 9000),
            (4002, 4000),
            (3998, 4000),
            (4000, 3998),
        ] {
            assert_eq!(run(&fused, n, m), run(&unfused, n, m), "{n} {m} on {devices}");
        }
        assert!(fused.stats().twins > 0, "{:?}", fused.stats());
    }
}
