//! A loop's steady state: no new analysis, no new compilation, no growth.

use darray::{DArray, Mode, Runtime, Stats, s};
use darray_programs::{Program, Variant, Visitor, Workload};

/// Iterations that must change nothing, in blocks that end with a `sync`.
const ITERATIONS: usize = 3_000;

/// Iterations of a block; the windows of one block are those of the next.
const BLOCK: usize = 1_000;

/// Tasks until the size of the window has settled, however small they are.
const WARM_UP: u64 = 400_000;

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
            while run(1).tasks < WARM_UP {}
            let before = run(1);
            let after = run(ITERATIONS / BLOCK);
            assert_eq!(kept(&after), kept(&before), "{name} on {devices} devices");
            assert!(after.memo_hits > before.memo_hits, "{name} ran windows");
            assert!(after.tasks >= before.tasks + ITERATIONS as u64, "{name} ran tasks");
        });
    }
}

/// The iterations of a program, one a call; the state is alive between them.
struct Iterations;

impl Visitor for Iterations {
    type Output = Box<dyn FnMut()>;

    fn visit<W: Workload>(self, workload: W) -> Box<dyn FnMut()> {
        let mut state = workload.prepare();
        Box::new(move || workload.iterate(&mut state, Variant::Original))
    }
}

fn check_program(program: Program, n: usize) {
    check(program.name(), || program.visit::<f64, _>(n, Iterations));
}

#[test]
fn element_wise_programs_reach_a_steady_state() {
    check_program(Program::BlackScholes, 50);
    check_program(Program::Mandelbrot, 7);
}

#[test]
fn images_reach_a_steady_state() {
    check_program(Program::Sepia, 7);
    check_program(Program::LinearFilter, 7);
}

#[test]
fn grids_reach_a_steady_state() {
    check_program(Program::Stencil, 9);
    check_program(Program::Stencil27, 5);
    check_program(Program::Heat3d, 6);
}

#[test]
fn systems_reach_a_steady_state() {
    check_program(Program::Jacobi, 8);
    check_program(Program::Cg, 6);
    check_program(Program::CgDense, 4);
}

#[test]
fn programs_with_reductions_of_axes_reach_a_steady_state() {
    check_program(Program::LogisticRegression, 9);
    check_program(Program::Nbody, 6);
    check_program(Program::Kmeans, 20);
}

#[test]
fn a_value_read_in_every_iteration_changes_nothing() {
    check("a read", || {
        let x = DArray::<f64>::ones(10);
        Box::new(move || assert_eq!((&x + &x).sum(..).item(), 20.0))
    });
}

/// Sums of multiples of an array, by numbers that are equal in some rounds: they are computed once only there.
#[test]
fn equal_numbers_in_one_window_are_not_taken_for_equal_in_the_next() {
    let runtime = Runtime::builder().threads(1).build().expect("a runtime");
    runtime.scope(|| {
        let x = DArray::<f64>::arange(5000);
        runtime.sync();
        let sum = |factor: f64| (0..5000).map(|k| k as f64 * factor).sum::<f64>();
        let mut unneeded = Vec::new();
        for round in 0..12 {
            let (a, b) = (2.0, if round % 3 == 2 { 4.0 } else { 2.0 });
            let before = runtime.stats();
            let difference = (&x * a).sum(..) - (&x * b).sum(..) * 2.0;
            let found = difference.item();
            assert_eq!(found, sum(a) - sum(b) * 2.0, "round {round}");
            unneeded.push(runtime.stats().tasks_unneeded - before.tasks_unneeded);
        }
        assert_eq!(unneeded, [2, 2, 0].repeat(4));
        assert_eq!(runtime.stats().memo_misses, 3, "{:?}", runtime.stats());
    });
}

#[test]
fn sorts_and_products_of_the_same_are_run_once() {
    let launches = |mode: Mode| {
        let runtime = Runtime::builder().threads(1).mode(mode).build().expect("a runtime");
        runtime.scope(|| {
            let m = DArray::<f64>::linspace(0.0, 1.0, 10_000).reshape((100, 100)).copy();
            let x = m.slice(s![.., 3]).copy();
            runtime.sync();
            let before = runtime.stats();
            let range = x.quantile(0.75, ..) - x.quantile(0.25, ..);
            let gram = m.t().dot(&m) * 2.0 - m.t().dot(&m);
            // A product of what has changed is another one.
            m.slice(s![0]).assign(1.0);
            let last = m.t().dot(&m) - gram;
            let values = (range.item().to_bits(), last.sum(..).item().to_bits());
            (values, runtime.stats().builtins - before.builtins)
        })
    };
    let (fused, unfused) = (launches(Mode::Fused), launches(Mode::Unfused));
    assert_eq!(fused.0, unfused.0);
    assert_eq!((fused.1, unfused.1), (3, 5));
}
