//! Devices that delay commands and run them in any legal order change nothing; a missing wait does.

use darray::{DArray, Runtime};
use darray_device::adversarial::Adversity;
use darray_kernel::tree::TreeRule;
use darray_programs::{
    Program as Named, Variant, Visitor, Workload, black_scholes, cg, jacobi, stencil,
};
use darray_runtime::WaitKind;
use darray_suite::campaign;
use darray_testkit::{Options, Trial};

/// Orders of execution per program and number of devices.
const SEEDS: u64 = 50;

/// What a program computes, as bits.
type Program = (&'static str, fn() -> Vec<u64>);

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
        let checksum = workload.checksum(&state).expect("a checksum");
        checksum.into_iter().map(f64::to_bits).collect()
    }
}

const PROGRAMS: [Program; 13] = [
    ("black_scholes", || {
        let (s, x, t) = black_scholes::options::<f64>(37);
        let (call, put) = black_scholes::black_scholes(&s, &x, &t, 0.02, 0.3);
        [bits(&call), bits(&put), bits(&call.sum())].concat()
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
];

#[test]
fn every_program_gives_the_same_bits_in_50_orders_of_execution() {
    for (name, program) in PROGRAMS {
        let plain = Runtime::builder().threads(1).tree_rule(TreeRule::TINY).build();
        let expected = plain.expect("a runtime").scope(program);
        for seed in 0..SEEDS {
            let devices = 1 + seed as usize % 4;
            let adversity = Adversity { seed, ..Adversity::default() };
            let builder = Runtime::builder().cpu_devices(devices).threads(1).adversarial(adversity);
            // A window of 5 makes several flushes overlap.
            let window = if seed % 2 == 0 { 5 } else { 64 };
            let runtime = builder.tree_rule(TreeRule::TINY).window(window).build();
            let found = runtime.expect("a runtime").scope(program);
            assert!(found == expected, "{name}, seed {seed}, {devices} devices");
        }
    }
}

#[test]
fn random_programs_give_the_same_bits_in_any_order_of_execution() {
    let options = Options { trial: Trial::Adversarial, reuse: false, ..Options::default() };
    let coverage = campaign(30_000..30_400, options).unwrap_or_else(|f| panic!("\n{f}"));
    assert_eq!(coverage.programs, 400);
}

#[test]
fn without_any_one_wait_some_program_of_500_goes_wrong() {
    for wait in WaitKind::ALL {
        let trial = Trial::WithoutWait(wait);
        let options = Options { trial, reuse: false, oracle: false, ..Options::default() };
        match campaign(0..500, options) {
            Ok(_) => panic!("nothing went wrong without {wait:?}"),
            Err(failure) => println!("without {wait:?}: {failure}"),
        }
    }
}
