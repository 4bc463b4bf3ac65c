//! Fusion follows rules, not programs: a program and its variants (reordered, with an operation more,
//! with other constants) have the same number of fused tasks and of kernels.

use darray::Runtime;
use darray_programs::{Program, Variant, Visitor, Workload};

/// Tasks, fused tasks and launches of one steady-state iteration, in each form of a program.
struct Counts;

impl Visitor for Counts {
    type Output = Vec<(Variant, [u64; 3])>;

    fn visit<W: Workload>(self, workload: W) -> Self::Output {
        let runtime = Runtime::current();
        let counts = |&variant: &Variant| {
            let mut state = workload.prepare();
            let mut iterate = || {
                workload.iterate(&mut state, variant);
                runtime.sync();
            };
            (0..3).for_each(|_| iterate());
            let before = runtime.stats();
            iterate();
            let after = runtime.stats();
            assert_eq!(after.memo_misses, before.memo_misses, "a steady state");
            let counts = [
                after.tasks - before.tasks,
                after.fused_tasks - before.fused_tasks,
                after.launches() - before.launches(),
            ];
            (variant, counts)
        };
        W::VARIANTS.iter().map(counts).collect()
    }
}

/// Program, size, tasks, and fused tasks and launches on one device and on four.
type Row = (Program, usize, u64, [u64; 2], [u64; 2]);

const EXPECTED: [Row; Program::ALL.len()] = [
    (Program::BlackScholes, 5000, 61, [1, 1], [1, 4]),
    (Program::Stencil, 64, 6, [2, 2], [2, 8]),
    (Program::Jacobi, 64, 3, [1, 1], [1, 4]),
    (Program::Cg, 64, 18, [4, 4], [4, 18]),
    (Program::CgDense, 8, 13, [2, 2], [3, 3]),
    (Program::Mandelbrot, 64, 12, [1, 1], [1, 4]),
    (Program::LogisticRegression, 500, 9, [2, 2], [2, 6]),
    (Program::Stencil27, 20, 30, [2, 2], [2, 6]),
    (Program::Heat3d, 20, 14, [1, 1], [1, 3]),
    (Program::Sepia, 64, 21, [1, 1], [1, 4]),
    (Program::LinearFilter, 64, 11, [1, 1], [1, 4]),
    (Program::Nbody, 64, 30, [2, 2], [2, 8]),
    (Program::Kmeans, 500, 12, [6, 6], [6, 11]),
    (Program::VectorSum, 5000, 1, [1, 1], [1, 5]),
    (Program::VectorDot, 5000, 2, [1, 1], [1, 5]),
    (Program::Julia, 64, 8, [1, 1], [1, 4]),
    (Program::ComplexProduct, 5000, 3, [1, 1], [1, 4]),
    (Program::CavityFlow, 20, 779, [35, 35], [305, 305]),
    (Program::ChannelFlow, 20, 1722, [54, 54], [233, 234]),
    (Program::ChannelFlow6, 20, 402, [10, 10], [35, 36]),
    (Program::ShallowWater, 20, 386, [13, 13], [49, 53]),
    (Program::ShallowWater3, 20, 638, [12, 12], [22, 26]),
    (Program::Bicgstab, 20, 37, [2, 2], [6, 6]),
    (Program::Cgs, 20, 31, [1, 1], [5, 5]),
    (Program::Miniweather, 20, 369, [40, 40], [50, 50]),
    (Program::Fdtd2d, 64, 12, [3, 4], [3, 7]),
    (Program::Hdiff, 20, 22, [3, 4], [3, 12]),
    (Program::Multigrid, 20, 291, [9, 9], [54, 70]),
    (Program::Softmax, 64, 5, [2, 2], [2, 8]),
    (Program::Layernorm, 64, 14, [2, 2], [2, 8]),
    (Program::Attention, 20, 24, [9, 9], [9, 24]),
    (Program::Mlp, 50, 34, [12, 12], [16, 41]),
    (Program::Adam, 20, 140, [3, 3], [3, 11]),
    (Program::Filter5x5, 64, 93, [4, 4], [5, 14]),
    (Program::GameOfLife, 64, 18, [2, 2], [2, 8]),
    (Program::FftButterflies, 64, 86, [2, 2], [8, 8]),
];

#[test]
fn variants_have_the_groups_and_kernels_of_the_program() {
    let listed = |program: &Program| EXPECTED.iter().any(|row| row.0 == *program);
    assert!(Program::ALL.iter().all(listed));
    let mut wrong = Vec::new();
    for (program, n, tasks, one, four) in EXPECTED {
        for (devices, [fused, launches]) in [(1, one), (4, four)] {
            let builder = Runtime::builder().cpu_devices(devices).threads(1);
            let runtime = builder.build().expect("a runtime");
            let found = runtime.scope(|| program.visit::<f64, _>(n, Counts));
            for (variant, found) in found {
                let more = u64::from(variant == Variant::OneMore);
                let (name, expected) = (program.name(), [tasks + more, fused, launches]);
                if found != expected {
                    wrong.push(format!(
                        "{name} {variant:?} on {devices}: {found:?}, not {expected:?}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "tasks, fused tasks, launches:\n{}", wrong.join("\n"));
}

/// Iterates a program until windows are as large as they get, and then 255 times: windows, fused tasks and launches of those.
struct Loop;

impl Visitor for Loop {
    type Output = [u64; 3];

    fn visit<W: Workload>(self, workload: W) -> [u64; 3] {
        let runtime = Runtime::current();
        let mut state = workload.prepare();
        let mut iterate = |count| {
            runtime.sync();
            (0..count).for_each(|_| workload.iterate(&mut state, Variant::Original));
            runtime.sync();
            runtime.stats()
        };
        let (before, after) = (iterate(40_000), iterate(255));
        [
            after.flushes - before.flushes,
            after.fused_tasks - before.fused_tasks,
            after.launches() - before.launches(),
        ]
    }
}

#[test]
fn a_loop_of_element_wise_steps_is_one_kernel_per_window() {
    let runtime = Runtime::builder().threads(1).build().expect("a runtime");
    // 3,060 tasks, in windows of 85 iterations of 12.
    let found = runtime.scope(|| Program::Mandelbrot.visit::<f64, _>(8, Loop));
    assert_eq!(found, [3, 3, 3], "windows, fused tasks, launches");
}
