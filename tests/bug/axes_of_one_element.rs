//! Sums over axes of one element and over others, in one window, ended in a panic of machine code's compiler: it asked how the
//! accesses of other lanes move, which the layout does not know.

use darray::{CpuJit, DArray, Runtime};

/// The bits of three reductions that fuse.
fn reductions(jit: CpuJit, shape: (usize, usize, usize, usize), largest: bool) -> Vec<Vec<u64>> {
    let runtime = Runtime::builder().threads(1).cpu_jit(jit).build().unwrap();
    runtime.scope(|| {
        let size = shape.0 * shape.1 * shape.2 * shape.3;
        let x = DArray::<f64>::linspace(0.1, 7.3, size).reshape(shape);
        let results = match largest {
            true => [x.max([1, 3]), (&x * 2.0).sum(3), (&x + 3.0).max(1)],
            false => [x.sum([1, 3]), x.sqrt().sum(3), x.sqrt().sum(1)],
        };
        runtime.flush();
        let bits = |x: &DArray<f64>| x.to_vec().into_iter().map(f64::to_bits).collect();
        results.iter().map(bits).collect()
    })
}

#[test]
fn they_are_folded_with_others() {
    for (shape, largest) in
        [((1, 1000, 8, 1), true), ((1, 1000, 2, 1), false), ((3, 64, 8, 1), true)]
    {
        let expected = reductions(CpuJit::Off, shape, largest);
        assert!(expected.iter().all(|result| result.iter().any(|&bits| bits != 0)));
        assert_eq!(reductions(CpuJit::Auto, shape, largest), expected, "{shape:?}");
    }
}
