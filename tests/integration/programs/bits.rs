//! Every program gives the same bits in every mode and grouping, whatever the window, on one device and on three.

use darray::{Grouping, Mode, Runtime};
use darray_programs::{Program, Variant, Visitor, Workload};
use darray_testkit::tiny;

/// The checksum after two iterations, as bits.
struct Bits;

impl Visitor for Bits {
    type Output = Vec<u64>;

    fn visit<W: Workload>(self, workload: W) -> Vec<u64> {
        let mut state = workload.prepare();
        (0..2).for_each(|_| workload.iterate(&mut state, Variant::Original));
        workload.checksum(&state).expect("a checksum").into_iter().map(f64::to_bits).collect()
    }
}

/// Modes, groupings, tasks of a window, and devices.
const CONFIGURATIONS: [(Mode, Grouping, usize, usize); 6] = [
    (Mode::Task, Grouping::Graph, 64, 3),
    (Mode::Fused, Grouping::Graph, 5, 3),
    (Mode::Fused, Grouping::Graph, 64, 1),
    (Mode::Fused, Grouping::Graph, 500, 3),
    (Mode::Fused, Grouping::Prefix, 64, 3),
    (Mode::Fused, Grouping::Prefix, 500, 1),
];

/// Blocks and tiles are tiny, so that small arrays have several.
fn bits(
    program: Program,
    (mode, grouping, window, devices): (Mode, Grouping, usize, usize),
) -> Vec<u64> {
    let builder = Runtime::builder().mode(mode).grouping(grouping).window(window);
    let builder = builder.cpu_devices(devices).threads(1).testing(tiny());
    builder.build().expect("a runtime").scope(|| program.visit::<f64, _>(5, Bits))
}

#[test]
fn programs_give_the_same_bits_in_every_configuration() {
    let mut wrong = Vec::new();
    for program in Program::ALL {
        let expected = bits(program, (Mode::Unfused, Grouping::Prefix, 64, 1));
        for configuration in CONFIGURATIONS {
            if bits(program, configuration) != expected {
                wrong.push(format!("{} {configuration:?}", program.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "other bits than unfused:\n{}", wrong.join("\n"));
}
