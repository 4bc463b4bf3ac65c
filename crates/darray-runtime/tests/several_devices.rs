//! Tasks over several devices: the same bits, and exactly the copies that are needed.

mod support;

use darray_core::{Chart, Dim, Map, RealType, Shape};
use darray_ir::{Grid, Privilege, Tiling};
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use darray_kernel::tree::TreeRule;
use darray_runtime::{RuntimeOptions, WindowSize};
use support::*;

/// Devices and grids under test; the first is what the others are compared with.
const GRIDS: [(usize, &[u32]); 7] =
    [(1, &[]), (2, &[]), (4, &[]), (4, &[2, 2]), (3, &[]), (2, &[4]), (1, &[3])];

fn on_every_grid<T: PartialEq + std::fmt::Debug>(program: impl Fn(&Program) -> T) {
    Kind::ALL.into_iter().for_each(|kind| on_every_grid_of(kind, &program));
}

fn on_every_grid_of<T: PartialEq + std::fmt::Debug>(kind: Kind, program: impl Fn(&Program) -> T) {
    let mut expected = None;
    for (devices, grid) in GRIDS {
        for window in [1, 3, 1000] {
            let grid = grid.to_vec();
            let window = WindowSize::Fixed(window);
            let options = RuntimeOptions { grid: grid.clone(), window, ..options() };
            let p = Program::new(kind.runtime(devices, options));
            let result = program(&p);
            p.rt.sync().unwrap();
            match &expected {
                None => expected = Some(result),
                Some(expected) => {
                    assert_eq!(
                        *expected, result,
                        "{kind:?}, {devices} devices, grid {grid:?}, {window:?}"
                    );
                }
            }
            // At most the block that stands for buffers of which nothing is read.
            assert!(
                p.rt.stats().bytes_in_use <= 64 * devices as u64,
                "{devices} devices, {grid:?}"
            );
        }
    }
}

#[test]
fn elementwise_with_views_of_every_kind() {
    on_every_grid(|p| {
        let x = p.from(&[9, 11], &noise(99));
        let shifted = x.slice(&[(1, 1, 8), (2, 1, 9)]);
        let other = x.slice(&[(7, -1, 8), (0, 1, 9)]);
        let a = p.add(&shifted, &other);
        let b = p.add(&a.t(), &x.slice(&[(0, 1, 9), (3, 1, 8)]));
        let row = x.slice(&[(4, 1, 1), (0, 1, 8)]).broadcast(&[9, 8]);
        let c = p.binary(Operator::Mul, &b, &row);
        p.assign(&x.slice(&[(0, 2, 5), (1, 3, 3)]), &c.slice(&[(2, 1, 5), (0, 2, 3)]));
        let flat = p.mul_scalar(&x.reshape(&[99]), 2.0);
        (p.read(&x), p.read(&c), p.read(&flat), p.read(&x.reshape(&[11, 9]).t()))
    });
}

#[test]
fn linear_views_are_written_too() {
    on_every_grid(|p| {
        let x = p.from(&[6, 8], &noise(48));
        // Contiguous, then interleaved over the devices.
        p.fill(&x.reshape(&[48]).slice(&[(5, 1, 20)]), -1.0);
        let columns = x.reshape(&[4, 12]).t();
        let y = p.from(&[12, 4], &noise(48));
        p.binary_into(Operator::Add, &columns, &columns, &y);
        p.read(&x)
    });
}

#[test]
fn diagonals_are_read_and_written() {
    on_every_grid(|p| {
        let x = p.from(&[10, 10], &noise(100));
        let dims = [Dim::along(0, 0, 1), Dim::along(0, 0, 1)].into_iter().collect();
        let map = Map { chart: Chart::Native, dims };
        let diagonal = View { store: x.store.clone(), map, domain: Shape::new(&[10]) };
        let double = p.mul_scalar(&diagonal, 2.0);
        p.assign(&diagonal, &double);
        (p.read(&x), p.read(&double), p.read(&diagonal))
    });
}

#[test]
fn reductions_over_all_and_over_axes() {
    for shape in [[13, 17], [1, 40], [40, 1], [4, 4], [0, 5], [5, 0]] {
        on_every_grid(|p| {
            let n = shape[0] * shape[1];
            let x = p.from(&shape, &noise(n));
            let mut out: Vec<Vec<f64>> = Vec::new();
            for axes in 1..4 {
                out.push(p.read(&p.sum(&x, axes)));
            }
            let both = p.add(&x, &x);
            out.push(p.read(&p.sum(&both.t(), 1)));
            if n > 0 {
                for axes in 1..4 {
                    let argmax = p.reduce(Reducer::ArgMax, &x, axes);
                    out.push(p.read(&argmax[0]));
                    out.push(p.read_i64(&argmax[1]).into_iter().map(|i| i as f64).collect());
                }
            }
            out.into_iter().flatten().map(f64::to_bits).collect::<Vec<_>>()
        });
    }
}

#[test]
fn a_reduction_feeds_an_elementwise_task() {
    on_every_grid(|p| {
        let x = p.from(&[30], &noise(30));
        let mean = p.mul_scalar(&p.sum(&x, 1), 1.0 / 30.0);
        let centred = p.binary(Operator::Sub, &x, &mean.broadcast(&[30]));
        let square = p.binary(Operator::Mul, &centred, &centred);
        p.read(&p.sum(&square, 1))[0].to_bits()
    });
}

#[test]
fn matmul_by_rows() {
    for n in [1, 3, 17, 40] {
        on_every_grid(|p| {
            let a = p.from(&[n, n + 1], &noise(n * (n + 1)));
            let b = p.from(&[n, n + 1], &noise(n * (n + 1)));
            let c = p.matmul(&a, &b.t());
            let d = p.matmul(&c, &b);
            let empty =
                p.matmul(&p.empty(RealType::F64, &[2, 0]), &p.empty(RealType::F64, &[0, 3]));
            (p.read(&p.sum(&d, 3)), p.read(&c), p.read(&empty))
        });
    }
}

/// The 5-point stencil as a program writes it.
fn stencil(p: &Program, grid: &View, iterations: usize) {
    let n = grid.domain[0] - 2;
    let view = |i, j| grid.slice(&[(i, 1, n), (j, 1, n)]);
    let (center, neighbours) = (view(1, 1), [view(0, 1), view(1, 0), view(1, 2), view(2, 1)]);
    for _ in 0..iterations {
        let mut work = p.add(&center, &neighbours[0]);
        for neighbour in &neighbours[1..] {
            work = p.add(&work, neighbour);
        }
        let work = p.mul_scalar(&work, 0.2);
        p.assign(&center, &work);
    }
}

#[test]
fn the_stencil_exchanges_its_halo_and_nothing_else() {
    for n in [8, 16, 13] {
        let mut expected: Option<Vec<f64>> = None;
        for (devices, policy) in [(1, vec![1]), (2, vec![2]), (4, vec![4]), (4, vec![2, 2])] {
            let grid_policy = policy.clone();
            let p = Program::new(
                Kind::Cpu.runtime(devices, RuntimeOptions { grid: policy, ..options() }),
            );
            let grid = p.from(&[n + 2, n + 2], &noise((n + 2) * (n + 2)));
            stencil(&p, &grid, 4);
            p.rt.sync().unwrap();
            let run = |iterations| {
                p.rt.reset_stats();
                stencil(&p, &grid, iterations);
                p.rt.sync().unwrap();
                p.rt.stats()
            };
            // A window fills the second buffer once, the first one from what borders are.
            let (iterations, few) = (5, 4);
            run(few);
            let before = run(few);
            let stats = run(few + iterations - 1);
            let last = run(1);
            let copied = stats.bytes_copied - before.bytes_copied + last.bytes_copied;
            // Every element of another tile that a point's four neighbour views reach.
            let domain = Shape::new(&[n, n]);
            let tiling = Tiling::new(&domain, Grid::of(&grid_policy, 2), TreeRule::TINY);
            let owner = |i: i64, j: i64| {
                (0..tiling.grid.points()).find(|&point| {
                    let tile = tiling.tile(&tiling.grid.point(point));
                    tile[0].contains(&(i as usize)) && tile[1].contains(&(j as usize))
                })
            };
            let mut halo = std::collections::BTreeSet::new();
            for i in 0..n as i64 {
                for j in 0..n as i64 {
                    for (di, dj) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
                        let (x, y) = (i + di, j + dj);
                        let inside = (0..n as i64).contains(&x) && (0..n as i64).contains(&y);
                        if inside && owner(x, y) != owner(i, j) {
                            halo.insert((owner(i, j), x, y));
                        }
                    }
                }
            }
            let bytes = 8 * halo.len() as u64 * iterations as u64;
            assert_eq!(copied, bytes, "n {n}, grid {grid_policy:?}");
            if n == 16 && grid_policy == [4] {
                assert_eq!(copied, 8 * 16 * 2 * 3 * iterations as u64);
            }
            assert_eq!(stats.bytes_in_use, before.bytes_in_use);
            // A new second buffer gets space for halos once.
            assert!(stats.moves <= 2 * devices as u64, "{} of {grid_policy:?}", stats.moves);
            let values = p.read(&grid);
            assert_eq!(*expected.get_or_insert_with(|| values.clone()), values, "{grid_policy:?}");
        }
    }
}

/// What each device holds, element by element: the brute-force twin of the coherence.
struct Model {
    rule: TreeRule,
    grid: Vec<u32>,
    devices: usize,
    bytes: u64,
}

impl Model {
    /// One element-wise task: outputs, then inputs, over stores that are element sets per device.
    fn task(&mut self, stores: &mut [Vec<Vec<bool>>], args: &[(usize, &View, Privilege)]) {
        let domain = &args[0].1.domain;
        let tiling = Tiling::new(domain, Grid::of(&self.grid, domain.rank()), self.rule);
        let points = || (0..tiling.grid.points()).map(|n| (n, tiling.tile(&tiling.grid.point(n))));
        let full = |tile: &[std::ops::Range<usize>]| tile.iter().all(|r| !r.is_empty());
        for (number, tile) in points().filter(|(_, tile)| full(tile)) {
            let device = number % self.devices;
            for (store, view, privilege) in args {
                if *privilege != Privilege::Read {
                    continue;
                }
                for element in around(view, &tile) {
                    if !stores[*store][device][element] {
                        let held = stores[*store].iter().any(|d| d[element]);
                        self.bytes += 8 * held as u64;
                        stores[*store][device][element] = true;
                    }
                }
            }
        }
        for (number, tile) in points().filter(|(_, tile)| full(tile)) {
            let (store, view, _) = args[0];
            for element in around(view, &tile) {
                for (device, held) in stores[store].iter_mut().enumerate() {
                    held[element] = device == number % self.devices;
                }
            }
        }
    }
}

/// Row-major indices of the rectangle around what a native view reaches over a tile.
fn around(view: &View, tile: &[std::ops::Range<usize>]) -> Vec<usize> {
    let shape = view.store.shape();
    let ranges: Vec<_> =
        view.map.dims.iter().map(|d| darray_ir::geometry::reach_of_tile(d, tile)).collect();
    let mut elements = vec![0];
    for (range, &n) in ranges.iter().zip(shape.iter()) {
        let next = |e: &usize| range.clone().map(|c| e * n + c as usize).collect::<Vec<_>>();
        elements = elements.iter().flat_map(next).collect();
    }
    elements
}

#[test]
fn bytes_copied_equal_a_brute_force_count() {
    let mut random = 12345u64;
    let mut next = |n: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % n
    };
    let mut copied = 0;
    for round in 0..120 {
        let (devices, grid) =
            [(2, vec![2]), (4, vec![4]), (4, vec![2, 2]), (3, vec![3])][round % 4].clone();
        let options = RuntimeOptions {
            grid: grid.clone(),
            window: WindowSize::Fixed(1 + round % 5),
            mode: if round % 2 == 0 {
                darray_fusion::plan::Mode::Unfused
            } else {
                darray_fusion::plan::Mode::Task
            },
            ..options()
        };
        let p = Program::new(Kind::Cpu.runtime(devices, options.clone()));
        let one = Program::new(reference(1, options));
        let shape = [5 + next(12), 5 + next(12)];
        let size = shape[0] * shape[1];
        let mut model = Model { rule: TreeRule::TINY, grid, devices, bytes: 0 };
        let views: Vec<View> = (0..3).map(|_| p.empty(RealType::F64, &shape)).collect();
        let twins: Vec<View> = (0..3).map(|_| one.empty(RealType::F64, &shape)).collect();
        let mut stores = vec![vec![vec![false; size]; devices]; 3];
        for (k, (view, twin)) in views.iter().zip(&twins).enumerate() {
            p.fill(view, k as f64);
            one.fill(twin, k as f64);
            model.task(&mut stores, &[(k, view, Privilege::Write)]);
        }
        for _ in 0..12 {
            let extents = [1 + next(shape[0]), 1 + next(shape[1])];
            let mut slices = || {
                [0, 1].map(|a| {
                    let start = next(shape[a] - extents[a] + 1) as i64;
                    let (last, step) = (start + extents[a] as i64 - 1, 1 - 2 * next(2) as i64);
                    (if step > 0 { start } else { last }, step, extents[a])
                })
            };
            let (to, left, right) = (slices(), slices(), slices());
            // A task does not alias itself: three stores.
            let order = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1]][next(4)];
            let pick = |all: &[View]| {
                [all[order[0]].slice(&to), all[order[1]].slice(&left), all[order[2]].slice(&right)]
            };
            let [out, a, b] = pick(&views);
            p.binary_into(Operator::Add, &out, &a, &b);
            let [out_one, a_one, b_one] = pick(&twins);
            one.binary_into(Operator::Add, &out_one, &a_one, &b_one);
            let args = [
                (order[0], &out, Privilege::Write),
                (order[1], &a, Privilege::Read),
                (order[2], &b, Privilege::Read),
            ];
            model.task(&mut stores, &args);
        }
        p.rt.sync().unwrap();
        assert_eq!(p.rt.stats().bytes_copied, model.bytes, "round {round}");
        copied += model.bytes;
        for (view, twin) in views.iter().zip(&twins) {
            assert_eq!(p.read(view), one.read(twin), "round {round}");
        }
        // A read gathers without moving anything between devices.
        assert_eq!(p.rt.stats().bytes_copied, model.bytes, "round {round}");
    }
    assert!(copied > 0);
}
