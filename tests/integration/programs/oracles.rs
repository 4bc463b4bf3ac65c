//! Every program comes to what plain loops come to, in every mode, on one device and on three.

use darray::{Mode, Runtime};
use darray_programs::{Program, Variant, Visitor, Workload};

/// Runs a program so many iterations; its checksum and the oracle's.
struct Run {
    iterations: usize,
}

impl Visitor for Run {
    type Output = [Vec<f64>; 2];

    fn visit<W: Workload>(self, workload: W) -> [Vec<f64>; 2] {
        let mut state = workload.prepare();
        (0..self.iterations).for_each(|_| workload.iterate(&mut state, Variant::Original));
        [workload.checksum(&state).expect("a checksum"), workload.oracle(self.iterations)]
    }
}

/// Program, size, iterations, and how far apart the checksums may be, relative to the oracle's, in f64
/// and in f32: sums are in another order, and exp and ln within an ulp or two.
const TABLE: [(Program, usize, usize, [f64; 2]); Program::ALL.len()] = [
    (Program::BlackScholes, 1000, 1, [1e-13, 1e-5]),
    (Program::Stencil, 20, 10, [1e-13, 1e-7]),
    (Program::Jacobi, 30, 8, [1e-13, 1e-6]),
    (Program::Cg, 12, 5, [1e-12, 1e-5]),
    (Program::CgDense, 6, 4, [1e-12, 1e-5]),
    (Program::Mandelbrot, 40, 100, [0.0, 0.0]),
    (Program::LogisticRegression, 500, 10, [1e-11, 1e-4]),
    (Program::Stencil27, 9, 6, [1e-13, 1e-6]),
    (Program::Heat3d, 12, 8, [1e-13, 1e-6]),
    (Program::Sepia, 30, 1, [1e-13, 1e-6]),
    (Program::LinearFilter, 30, 1, [1e-13, 1e-6]),
    (Program::Nbody, 40, 20, [1e-12, 1e-5]),
    (Program::Kmeans, 300, 6, [1e-12, 1e-5]),
    (Program::VectorSum, 3000, 1, [1e-13, 1e-5]),
    (Program::VectorDot, 3000, 1, [1e-13, 1e-5]),
    (Program::Julia, 40, 60, [0.0, 0.0]),
    (Program::ComplexProduct, 3000, 1, [1e-12, 1e-5]),
    (Program::CavityFlow, 8, 3, [1e-12, 1e-5]),
    (Program::ChannelFlow, 8, 3, [1e-12, 1e-4]),
    (Program::ChannelFlow6, 8, 9, [1e-12, 1e-4]),
    (Program::ShallowWater, 6, 2, [1e-12, 1e-4]),
    (Program::ShallowWater3, 6, 2, [1e-12, 1e-4]),
    (Program::Bicgstab, 12, 4, [1e-10, 1e-3]),
    (Program::Cgs, 12, 4, [1e-10, 1e-3]),
    (Program::Miniweather, 6, 3, [1e-10, 1e-2]),
    (Program::Fdtd2d, 20, 6, [1e-12, 1e-5]),
    (Program::Hdiff, 8, 3, [1e-12, 1e-5]),
    (Program::Multigrid, 12, 3, [1e-12, 1e-4]),
    (Program::Softmax, 10, 2, [1e-12, 1e-5]),
    (Program::Layernorm, 10, 2, [1e-11, 1e-4]),
    (Program::Attention, 9, 2, [1e-10, 1e-3]),
    (Program::Mlp, 20, 3, [1e-10, 1e-3]),
    (Program::Adam, 8, 3, [1e-12, 1e-4]),
    (Program::Filter5x5, 12, 2, [1e-12, 1e-5]),
    (Program::GameOfLife, 20, 4, [0.0, 0.0]),
    (Program::FftButterflies, 64, 2, [1e-11, 1e-4]),
];

#[test]
fn the_smallest_programs_are_programs_too() {
    for program in Program::ALL {
        let [found, expected] = program.visit::<f64, _>(1, Run { iterations: 1 });
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs();
        assert!(
            found.len() == expected.len() && found.iter().zip(&expected).all(near),
            "{}: {found:?}, plain loops {expected:?}",
            program.name()
        );
    }
}

fn check(mode: Mode, devices: usize) {
    let builder = Runtime::builder().mode(mode).cpu_devices(devices).threads(1);
    let runtime = builder.build().expect("a runtime");
    let mut wrong = Vec::new();
    for (program, n, iterations, tolerances) in TABLE {
        let run = || Run { iterations };
        let results = runtime
            .scope(|| [program.visit::<f64, _>(n, run()), program.visit::<f32, _>(n, run())]);
        for ([found, expected], tolerance) in results.into_iter().zip(tolerances) {
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance * b.abs();
            if found.len() != expected.len() || !found.iter().zip(&expected).all(near) {
                let name = program.name();
                wrong.push(format!("{name}: {found:?}, plain loops {expected:?}, {tolerance:e}"));
            }
            assert!(found.iter().any(|v| *v != 0.0), "{}: {found:?}", program.name());
        }
    }
    assert!(wrong.is_empty(), "{mode:?} on {devices}\n{}", wrong.join("\n"));
}

#[test]
fn fused_on_one_device() {
    check(Mode::Fused, 1);
}

#[test]
fn fused_on_three_devices() {
    check(Mode::Fused, 3);
}

#[test]
fn tasks_fused_on_three_devices() {
    check(Mode::Task, 3);
}

#[test]
fn unfused_on_one_device() {
    check(Mode::Unfused, 1);
}
