//! Devices that run commands in any legal order: the same bits, and every wait is needed.

mod support;

use darray_core::RealType;
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use darray_runtime::{RuntimeOptions, WaitKind, Waits, WindowSize};
use darray_testdevices::Adversity;
use std::panic::AssertUnwindSafe;
use support::*;

const SEEDS: u64 = 50;

/// A stencil with in-place writes, reductions over points, broadcast scalars, instances that grow,
/// and reads in between.
fn program(p: &Program) -> darray_core::Result<Vec<u64>> {
    let bits = |view: &View| -> darray_core::Result<Vec<u64>> {
        let words = p.try_bytes(view)?;
        Ok(words.chunks(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect())
    };
    let mut out = Vec::new();
    let n = 12;
    let grid = p.from(&[n + 2, n + 2], &noise((n + 2) * (n + 2)));
    let view = |i, j| grid.slice(&[(i, 1, n), (j, 1, n)]);
    let (center, up, down) = (view(1, 1), view(0, 1), view(2, 1));
    // Nothing here orders one device behind all others.
    for _ in 0..3 {
        let work = p.add(&p.add(&center, &up), &down);
        p.assign(&center, &p.mul_scalar(&work, 0.25));
    }
    for round in 0..4 {
        let work = p.add(&p.add(&center, &up), &p.add(&down, &view(1, 2)));
        let total = p.sum(&work, 3);
        let scaled = p.binary(Operator::Div, &work, &total.broadcast(&[n, n]));
        p.assign(&center, &scaled);
        if round % 2 == 1 {
            out.extend(bits(&grid)?);
        }
        let rows = p.reduce(Reducer::ArgMax, &work, 0b10);
        out.extend(bits(&rows[1])?);
        // The next overwrite meets copies that still read the old values.
        let mirrored = grid.slice(&[(n as i64 + 1, -1, n + 2), (0, 1, n + 2)]);
        let turned = p.add(&mirrored, &grid);
        p.fill(&grid.slice(&[(1, 1, n), (0, 1, 1)]), round as f64);
        out.extend(bits(&p.sum(&turned, 1))?);
    }
    let pieces = p.empty(RealType::F64, &[n, n]);
    for row in 0..n as i64 {
        p.assign(&pieces.slice(&[(row, 1, 1), (0, 1, n)]), &grid.slice(&[(row, 1, 1), (1, 1, n)]));
    }
    out.extend(bits(&p.matmul(&pieces, &pieces.t()))?);
    p.rt.sync()?;
    Ok(out)
}

fn outcome(
    devices: usize,
    seed: u64,
    grid: &[u32],
    window: usize,
    skip: Option<WaitKind>,
    kind: Kind,
) -> Option<Vec<u64>> {
    let window = WindowSize::Fixed(window);
    let waits = skip.map_or(Waits::default(), Waits::without);
    let options = RuntimeOptions { grid: grid.to_vec(), window, waits, ..options() };
    let p = Program::new(adversarial(
        kind,
        devices,
        Adversity { seed, ..Adversity::default() },
        options,
    ));
    program(&p).ok()
}

#[test]
fn every_legal_order_gives_the_same_bits() {
    for (kind, seed) in Kind::ALL.into_iter().flat_map(|kind| (0..SEEDS).map(move |s| (kind, s))) {
        let expected = program(&Program::new(kind.runtime(1, options()))).unwrap();
        for (devices, grid) in [(1, vec![]), (2, vec![2]), (4, vec![4]), (4, vec![2, 2])] {
            let found = outcome(devices, seed, &grid, 1 + seed as usize % 20, None, kind);
            assert!(found.as_ref() == Some(&expected), "{kind:?}, seed {seed}, grid {grid:?}");
        }
    }
}

#[test]
fn every_kind_of_wait_is_needed() {
    let expected = program(&Program::new(reference(1, options()))).unwrap();
    for kind in WaitKind::ALL {
        let differs = |seed: u64| {
            let run =
                || outcome(4, seed, &[4], 1 + seed as usize % 20, Some(kind), Kind::Reference);
            std::panic::catch_unwind(AssertUnwindSafe(run))
                .map_or(true, |r| r.as_ref() != Some(&expected))
        };
        assert!((0..SEEDS).any(differs), "{kind:?} can be left out");
    }
}

#[test]
fn memory_comes_back_whatever_the_order() {
    for seed in 0..SEEDS {
        let adversity = Adversity { seed, ..Adversity::default() };
        let p = Program::new(adversarial(Kind::Cpu, 4, adversity, options()));
        program(&p).unwrap();
        p.rt.sync().unwrap();
        assert!(p.rt.stats().bytes_in_use <= 4 * 64, "seed {seed}");
    }
}
