//! Views whose elements lie far apart, over several devices: what is between them stays where it is.

mod support;

use darray_core::Shape;
use darray_kernel::operator::Operator;
use darray_runtime::{RuntimeOptions, Stats, WindowSize};
use support::*;

fn program(kind: Kind, devices: usize, grid: &[u32]) -> Program {
    let window = WindowSize::Fixed(1);
    let options = RuntimeOptions { grid: grid.to_vec(), window, ..options() };
    Program::new(kind.runtime(devices, options))
}

/// What an action counts.
fn counted<T>(p: &Program, action: impl FnOnce() -> T) -> (T, Stats) {
    p.rt.reset_stats();
    let result = action();
    p.rt.sync().unwrap();
    (result, p.rt.stats())
}

#[test]
fn two_elements_of_a_reshaped_array_are_fetched_alone() {
    for kind in Kind::ALL {
        let p = program(kind, 2, &[]);
        let values = noise(64 * 32);
        let x = p.from(&[64, 32], &values);
        let flat = x.reshape(&[64 * 32]);
        let ends = flat.slice(&[(0, 64 * 32 - 1, 2)]);
        let (read, stats) = counted(&p, || p.read(&ends));
        assert_eq!(read, [values[0], values[64 * 32 - 1]]);
        assert_eq!((stats.bytes_read, stats.bytes_copied), (16, 0));
        // The sum's partial results are copied too.
        let (sum, stats) = counted(&p, || p.sum(&ends, 1));
        assert!(stats.bytes_copied <= 24, "{} bytes", stats.bytes_copied);
        assert_eq!(p.read(&sum), [values[0] + values[64 * 32 - 1]]);
        let (_, stats) = counted(&p, || p.fill(&ends, 7.0));
        assert_eq!(stats.bytes_copied, 0);
        let (read, stats) = counted(&p, || p.read(&x));
        assert_eq!((read[0], read[64 * 32 - 1], read[1]), (7.0, 7.0, values[1]));
        assert_eq!(stats.bytes_read, 8 * 64 * 32);
    }
}

#[test]
fn steps_and_diagonals_leave_out_what_is_between_them() {
    for kind in Kind::ALL {
        for (devices, grid) in [(2, &[][..]), (4, &[2, 2]), (2, &[1, 2]), (3, &[3])] {
            let p = program(kind, devices, grid);
            let values = noise(60 * 60);
            let x = p.from(&[60, 60], &values);
            let flat = x.reshape(&[3600]);
            let mut diagonal = x.slice(&[(0, 1, 60), (0, 1, 1)]);
            diagonal.map.dims[1] = diagonal.map.dims[0];
            diagonal.domain = Shape::new(&[60]);
            let views = [
                (flat.slice(&[(7, 100, 36)]), (7..3600).step_by(100).collect::<Vec<_>>()),
                (flat.slice(&[(3599, -61, 59)]), (0..59).map(|k| 3599 - 61 * k).collect()),
                (
                    x.reshape(&[2, 1800]).slice(&[(0, 1, 2), (30, 1700, 2)]),
                    vec![30, 1730, 1830, 3530],
                ),
                (x.slice(&[(0, 59, 2), (3, 50, 2)]), vec![3, 53, 3543, 3593]),
                (diagonal, (0..60).map(|k| 61 * k).collect()),
            ];
            for (number, (view, places)) in views.into_iter().enumerate() {
                let case = format!("{kind:?}, {devices} devices, grid {grid:?}, view {number}");
                let expected: Vec<f64> = places.iter().map(|&place| values[place]).collect();
                let (read, stats) = counted(&p, || p.read(&view));
                assert_eq!(read, expected, "{case}");
                assert_eq!(stats.bytes_read, 8 * places.len() as u64, "{case}");
                let (double, stats) = counted(&p, || p.mul_scalar(&view, 2.0));
                assert!(
                    stats.bytes_copied <= 8 * places.len() as u64,
                    "{case}: {}",
                    stats.bytes_copied
                );
                let doubled: Vec<f64> = expected.iter().map(|value| 2.0 * value).collect();
                assert_eq!(p.read(&double), doubled, "{case}");
            }
        }
    }
}

#[test]
fn who_reads_again_and_again_gets_all_in_between_once() {
    let p = program(Kind::Cpu, 2, &[]);
    let x = p.from(&[4000], &noise(4000));
    let some = x.slice(&[(0, 40, 100)]);
    let (_kept, stats) = counted(&p, || {
        let add = |_| p.add(&some.slice(&[(50, 1, 50)]), &some.slice(&[(0, 1, 50)]));
        (0..1000).map(add).collect::<Vec<_>>()
    });
    assert!(stats.bytes_copied > 0, "devices read what others hold");
    assert!(stats.bytes_copied <= 2 * 8 * 4000, "{} bytes", stats.bytes_copied);
}

/// Random views of linear indices, read, computed with and written, as on one device.
#[test]
fn views_of_linear_indices_are_what_they_are_on_one_device() {
    let mut state = 4711u64;
    let mut next = move |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let grids: [(usize, &[u32]); 5] = [(2, &[]), (4, &[2, 2]), (3, &[1, 3]), (2, &[4]), (4, &[])];
    for round in 0..200 {
        let (devices, grid) = grids[round % 5];
        let several = program(Kind::Cpu, devices, grid);
        let one = program(Kind::Reference, 1, &[]);
        let shape = [1 + next(12), 1 + next(12), 1 + next(6)];
        let size = shape.iter().product::<usize>();
        let values = noise(size);
        let arrays = [&several, &one].map(|p| p.from(&shape, &values));
        for step in 0..6 {
            let rows = (1..=size).filter(|rows| size % rows == 0).collect::<Vec<_>>();
            let rows = rows[next(rows.len())];
            let extents = [rows, size / rows];
            let slices = extents.map(|n| {
                let count = 1 + next(n);
                let step = 1 + next(((n - 1) / count.max(2).saturating_sub(1)).max(1));
                let count = count.min((n - 1) / step + 1);
                let last = step * (count - 1);
                let start = next(n - last);
                match next(2) {
                    0 => (start as i64, step as i64, count),
                    _ => ((start + last) as i64, -(step as i64), count),
                }
            });
            let views = [0, 1].map(|k| arrays[k].reshape(&extents).slice(&slices));
            let case = format!("round {round}, step {step}: {shape:?} as {extents:?}, {slices:?}");
            let (read, stats) = counted(&several, || several.read(&views[0]));
            assert_eq!(read, one.read(&views[1]), "{case}");
            if read.len() <= 64 {
                assert_eq!(stats.bytes_read, 8 * read.len() as u64, "{case}");
            }
            let sums = [(&several, &views[0]), (&one, &views[1])].map(|(p, view)| {
                let twice = p.binary(Operator::Add, view, view);
                let sum = p.sum(view, 1 << (step % 2));
                (p.read(&twice), p.read(&sum))
            });
            assert_eq!(sums[0], sums[1], "{case}");
            for (p, view) in [&several, &one].into_iter().zip(&views) {
                p.fill(view, step as f64);
            }
            assert_eq!(several.read(&arrays[0]), one.read(&arrays[1]), "{case}");
        }
    }
}
