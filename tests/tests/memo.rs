//! A loop's steady state: no new analysis, no new compilation, no growth.

use darray::{DArray, Runtime, Stats};
use darray_programs::{black_scholes, cg, jacobi, stencil};

/// Iterations that must change nothing, in blocks that end with a `sync`.
const ITERATIONS: usize = 10_000;

/// Iterations of a block; the windows of one block are those of the next.
const BLOCK: usize = 1_000;

/// Blocks until the size of the window has settled.
const WARM_UP: usize = 2;

/// What must not grow.
fn kept(stats: &Stats) -> [(&'static str, u64); 5] {
    [
        ("plans made", stats.memo_misses),
        ("plans kept", stats.memo_entries),
        ("kernels compiled", stats.compiled),
        ("bytes in use", stats.bytes_in_use),
        ("most bytes in use", stats.bytes_peak),
    ]
}

/// Runs `step` in a loop on one device and on four; every iteration is like the one before.
fn check(name: &str, start: impl Fn() -> Box<dyn FnMut()>) {
    for devices in [1, 4] {
        let builder = Runtime::builder().cpu_devices(devices).threads(1);
        let runtime = builder.build().expect("a runtime");
        runtime.scope(|| {
            let mut step = start();
            let mut run = |blocks: usize| {
                for _ in 0..blocks {
                    (0..BLOCK).for_each(|_| step());
                    runtime.sync();
                }
                runtime.stats()
            };
            let before = run(WARM_UP);
            let after = run(ITERATIONS / BLOCK);
            assert_eq!(kept(&after), kept(&before), "{name} on {devices} devices");
            assert!(after.memo_hits > before.memo_hits, "{name} ran windows");
            assert!(after.tasks >= before.tasks + ITERATIONS as u64, "{name} ran tasks");
        });
    }
}

#[test]
fn black_scholes_reaches_a_steady_state() {
    check("black_scholes", || {
        let (s, x, t) = black_scholes::options::<f64>(50);
        // Alive until the next iteration replaces them.
        let mut prices = black_scholes::black_scholes(&s, &x, &t, 0.02, 0.3);
        Box::new(move || {
            let (call, _) = &prices;
            assert_eq!(call.shape(), [50]);
            prices = black_scholes::black_scholes(&s, &x, &t, 0.02, 0.3);
        })
    });
}

#[test]
fn the_stencil_reaches_a_steady_state() {
    check("stencil", || {
        let grid = stencil::init_grid::<f64>(9);
        Box::new(move || stencil::step(&grid))
    });
}

#[test]
fn jacobi_reaches_a_steady_state() {
    check("jacobi", || {
        let (rest, diagonal, b) = jacobi::system::<f64>(8);
        let mut x = DArray::zeros(8);
        Box::new(move || x = jacobi::step(&rest, &diagonal, &b, &x))
    });
}

#[test]
fn conjugate_gradients_reach_a_steady_state() {
    check("cg", || {
        let b = cg::right_side::<f64>(6);
        let (laplacian, mut solver) = (cg::Laplacian::new(6), cg::Solver::new(&b));
        Box::new(move || solver.step(|p| laplacian.apply(p)))
    });
    check("cg_dense", || {
        let b = cg::right_side::<f64>(4).reshape(16);
        let (matrix, mut solver) = (cg::matrix::<f64>(4), cg::Solver::new(&b));
        Box::new(move || solver.step(|p| matrix.dot(p)))
    });
}

#[test]
fn a_value_read_in_every_iteration_changes_nothing() {
    check("a read", || {
        let x = DArray::<f64>::ones(10);
        Box::new(move || assert_eq!((&x + &x).sum().item(), 20.0))
    });
}
