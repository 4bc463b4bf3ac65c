//! Fusion follows rules, not programs: a program and its variants (reordered, with an operation more,
//! with other constants) have the same number of fused tasks and of kernels.

use darray::Runtime;
use darray_programs::{Program, Variant, Visitor, Workload};

/// Tasks, fused tasks and launches of one steady-state iteration, in each form of a program.
struct Counts;

impl Visitor for Counts {
    type Output = [[u64; 3]; Variant::ALL.len()];

    fn visit<W: Workload>(self, workload: W) -> Self::Output {
        let runtime = Runtime::current();
        Variant::ALL.map(|variant| {
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
            [
                after.tasks - before.tasks,
                after.fused_tasks - before.fused_tasks,
                after.launches() - before.launches(),
            ]
        })
    }
}

/// Program, size, tasks, fused tasks, and launches on one device and on four.
const EXPECTED: [(Program, usize, u64, u64, [u64; 2]); Program::ALL.len()] = [
    (Program::BlackScholes, 5000, 61, 1, [1, 4]),
    (Program::Stencil, 64, 6, 2, [2, 8]),
    (Program::Jacobi, 64, 3, 2, [2, 2]),
    (Program::Cg, 64, 18, 6, [6, 20]),
    (Program::CgDense, 8, 13, 6, [6, 6]),
];

#[test]
fn variants_have_the_groups_and_kernels_of_the_program() {
    let mut wrong = Vec::new();
    for (program, n, tasks, fused, launches) in EXPECTED {
        for (devices, launches) in [1, 4].into_iter().zip(launches) {
            let builder = Runtime::builder().cpu_devices(devices).threads(1);
            let runtime = builder.build().expect("a runtime");
            let found = runtime.scope(|| program.visit::<f64, _>(n, Counts));
            let expected = Variant::ALL.map(|variant| {
                let more = u64::from(variant == Variant::OneMore);
                [tasks + more, fused, launches]
            });
            if found != expected {
                wrong.push(format!("{} on {devices}: {found:?}, not {expected:?}", program.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "tasks, fused tasks, launches:\n{}", wrong.join("\n"));
}
