//! Programs that every kind of device runs.

use darray::{DArray, default_rng, s};
use darray_programs::{
    Program as Named, Variant, Visitor, Workload, black_scholes, cg, jacobi, stencil,
};

/// A program by name, and what it computes, as bits.
pub type Program = (&'static str, fn() -> Vec<u64>);

fn bits(array: &DArray<f64>) -> Vec<u64> {
    array.to_vec().into_iter().map(f64::to_bits).collect()
}

/// A program's checksum after four iterations.
struct Checksum;

impl Visitor for Checksum {
    type Output = Vec<u64>;

    fn visit<W: Workload>(self, workload: W) -> Vec<u64> {
        let mut state = workload.prepare();
        (0..4).for_each(|_| workload.iterate(&mut state, Variant::Original));
        let checksum = workload.checksum(&state).unwrap_or_else(|error| panic!("{error}"));
        checksum.into_iter().map(f64::to_bits).collect()
    }
}

/// Functions, reductions and products of complex numbers, and writes of them.
fn complex_functions() -> Vec<u64> {
    let mut random = default_rng(3);
    // From the host, so that there is something to wait for.
    let mut part = || DArray::from_shape_vec((7, 11), (4.0 * random.random(77) - 2.0).to_vec());
    let (z, w) = (DArray::from_parts(part(), part()), DArray::from_parts(part(), part()));
    let mut results = vec![
        (&z / &w).exp() * z.sqrt(),
        z.ln() + w.sin().tanh().conj(),
        z.asin() - w.atanh() / 3.0,
        z.acosh().pow(&w) + z.powi(-3),
        z.matmul(&w.t()),
    ];
    z.slice(s![1.., ..-1]).assign(w.slice(s![..-1, 1..]));
    results.push(z.abs().lt(1.5).select(&z, w.roll(2, 1)));
    let folds = [z.sum(0), w.mean(..), z.prod(1), z.cumsum(1), z.vdot(&w)];
    results.extend(folds);
    let parts = results.iter().flat_map(|z| [z.real(), z.imag()]);
    parts.flat_map(|part| bits(&part)).collect()
}

/// Programs of a few iterations on small arrays; of those with many tasks `tests/integration/programs/bits.rs` compares the bits.
pub const PROGRAMS: [Program; 22] = [
    ("black_scholes", || {
        let (s, x, t) = black_scholes::options::<f64>(37);
        let (call, put) = black_scholes::black_scholes(&s, &x, &t, 0.02, 0.3);
        [bits(&call), bits(&put), bits(&call.sum(..))].concat()
    }),
    ("stencil", || {
        let grid = stencil::init_grid::<f64>(11);
        (0..6).for_each(|_| stencil::step(&grid));
        bits(&grid)
    }),
    ("jacobi", || {
        let (rest, diagonal, b) = jacobi::system::<f64>(13);
        let mut x = DArray::zeros(13);
        (0..4).for_each(|_| x = jacobi::step(&rest, &diagonal, &b, &x));
        bits(&x)
    }),
    ("cg", || {
        let b = cg::right_side::<f64>(9);
        let (laplacian, mut solver) = (cg::Laplacian::new(9), cg::Solver::new(&b));
        (0..4).for_each(|_| solver.step(|p| laplacian.apply(p)));
        [bits(&solver.x), bits(&solver.rs)].concat()
    }),
    ("cg_dense", || {
        let b = cg::right_side::<f64>(4).reshape(16);
        let (matrix, mut solver) = (cg::matrix::<f64>(4), cg::Solver::new(&b));
        (0..4).for_each(|_| solver.step(|p| matrix.dot(p)));
        [bits(&solver.x), bits(&solver.rs)].concat()
    }),
    ("mandelbrot", || Named::Mandelbrot.visit::<f64, _>(9, Checksum)),
    ("logistic_regression", || Named::LogisticRegression.visit::<f64, _>(37, Checksum)),
    ("stencil27", || Named::Stencil27.visit::<f64, _>(7, Checksum)),
    ("heat3d", || Named::Heat3d.visit::<f64, _>(9, Checksum)),
    ("sepia", || Named::Sepia.visit::<f64, _>(9, Checksum)),
    ("linear_filter", || Named::LinearFilter.visit::<f64, _>(9, Checksum)),
    ("nbody", || Named::Nbody.visit::<f64, _>(9, Checksum)),
    ("kmeans", || Named::Kmeans.visit::<f64, _>(37, Checksum)),
    ("vector_sum", || Named::VectorSum.visit::<f64, _>(3700, Checksum)),
    ("vector_dot", || Named::VectorDot.visit::<f64, _>(3700, Checksum)),
    ("julia", || Named::Julia.visit::<f64, _>(9, Checksum)),
    ("complex_product", || Named::ComplexProduct.visit::<f64, _>(3700, Checksum)),
    ("complex_functions", complex_functions),
    ("bicgstab", || Named::Bicgstab.visit::<f64, _>(7, Checksum)),
    ("fdtd2d", || Named::Fdtd2d.visit::<f64, _>(9, Checksum)),
    ("mlp", || Named::Mlp.visit::<f64, _>(9, Checksum)),
    ("game_of_life", || Named::GameOfLife.visit::<f64, _>(9, Checksum)),
];
