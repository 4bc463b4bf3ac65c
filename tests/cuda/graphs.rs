//! Whole programs on CUDA devices whose plans are launched as graphs, over the fake driver: the bits of
//! CPU devices, what is launched and updated, and what happens when something fails.

use darray::{CudaLaunch, DArray, Mode, Runtime, RuntimeBuilder, s};
use darray_device::GraphStats;
use darray_fakecuda::FakeCuda;
use darray_programs::{cg, stencil};
use darray_suite::{PROGRAMS, Turn, message, quietly};
use darray_testkit::tiny;
use std::panic::AssertUnwindSafe;

/// The fake driver, when it is this test's turn.
struct Fake {
    driver: Turn,
}

fn fake_or_skip() -> Option<Fake> {
    let driver = darray_suite::fake_or_skip(env!("CARGO_TARGET_TMPDIR"))?;
    Some(Fake { driver })
}

impl Fake {
    /// A runtime on these GPUs, over a driver with these settings, that launches graphs.
    fn runtime(&self, settings: &str, gpus: &[usize], window: usize) -> Runtime {
        self.runtime_of(settings, gpus, |builder| builder.window(window))
    }

    /// As [`runtime`](Self::runtime), with other choices.
    fn runtime_of(
        &self,
        settings: &str,
        gpus: &[usize],
        choose: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
    ) -> Runtime {
        self.driver.start(settings);
        let builder = Runtime::builder().cuda_launch(CudaLaunch::Graphs).testing(tiny());
        let builder = self.driver.devices(builder, gpus);
        choose(builder).build().expect("a runtime")
    }

    /// That the devices, which are gone, gave everything back.
    fn check_returned(&self, what: &str) {
        self.driver.returned().unwrap_or_else(|left| panic!("{what}: {left}"));
    }
}

/// What a program computes, as bits.
type Run = fn() -> Vec<u64>;

fn bits(array: &DArray<f64>) -> Vec<u64> {
    array.to_vec().into_iter().map(f64::to_bits).collect()
}

/// What the CPU comes to.
fn expected(program: impl FnOnce() -> Vec<u64>) -> Vec<u64> {
    let plain = Runtime::builder().threads(1).testing(tiny()).build();
    plain.expect("a runtime").scope(program)
}

/// GPUs of 1, 2 and 4 logical devices, some of which share one.
const GPUS: [&[usize]; 4] = [&[0], &[0, 1], &[1, 1], &[0, 1, 1, 0]];
/// Random schedules per program.
const SEEDS: u64 = 8;

#[test]
fn every_program_gives_the_bits_of_the_cpu_in_every_schedule() {
    let Some(fake) = fake_or_skip() else { return };
    for (name, program) in PROGRAMS {
        let expected = expected(program);
        let random = (0..SEEDS).map(|seed| (format!("random:{seed}"), seed as usize));
        // GPUs that do not reach each other copy through the host.
        let apart = ("random:1 peers=off".to_string(), 1);
        let eager = (0..GPUS.len()).map(|at| ("eager".to_string(), at)).chain([apart]);
        for (schedule, at) in eager.chain(random) {
            let (gpus, window) = (GPUS[at % GPUS.len()], [5, 64][at % 2]);
            let what = format!("{name}, {schedule}, GPUs {gpus:?}");
            let runtime =
                fake.runtime(&format!("devices=2 races=on sched={schedule}"), gpus, window);
            // The second time every plan repeats.
            for _ in 0..3 {
                let found = runtime.scope(program);
                assert!(found == expected, "{what}: {}", fake.driver.error());
            }
            runtime.sync();
            let stats = runtime.stats();
            assert!(stats.graphs.recorded > 0 && stats.graphs.replayed > 0, "{what}: {stats:?}");
            assert_eq!((stats.graphs.refused, stats.graphs.single), (0, 0), "{what}");
            drop(runtime);
            fake.check_returned(&what);
        }
    }
}

/// Iterations of conjugate gradients, each flushed and then looked at.
fn conjugate_gradients(iterations: usize, mut look: impl FnMut(usize)) -> Vec<u64> {
    let b = cg::right_side::<f64>(9);
    let (laplacian, mut solver) = (cg::Laplacian::new(9), cg::Solver::new(&b));
    for iteration in 0..iterations {
        solver.step(|p| laplacian.apply(p));
        b.runtime().flush();
        look(iteration);
    }
    bits(&solver.x)
}

/// Sorts and scans of one axis and of two, each round flushed.
fn sorts_and_scans(rounds: usize) -> Vec<u64> {
    let values = DArray::<f64>::arange(300);
    let mut x = &(&values * 37.0) % 101.0;
    let mut m = x.reshape([20, 15]);
    for _ in 0..rounds {
        x = (x.sort(-1) + x.argsort(-1).cast::<f64>()).cumsum(..) % 91.0;
        m = (m.sort(0) + m.sort(1)).cumsum(0) % 89.0;
        x.runtime().flush();
    }
    [bits(&x), bits(&m)].concat()
}

#[test]
fn sorts_and_scans_are_nodes_as_kernels_are() {
    let Some(fake) = fake_or_skip() else { return };
    for gpus in [&[0][..], &[0, 1]] {
        let expected = expected(|| sorts_and_scans(8));
        let runtime = fake.runtime("devices=2 races=on sched=random:1", gpus, 1024);
        assert!(runtime.scope(|| sorts_and_scans(8)) == expected, "GPUs {gpus:?}");
        let graphs = runtime.stats().graphs;
        assert_eq!((graphs.single, graphs.refused), (0, 0), "GPUs {gpus:?}: {graphs:?}");
        assert!(graphs.launches() >= 6, "GPUs {gpus:?}: {graphs:?}");
        drop(runtime);
        fake.check_returned(&format!("GPUs {gpus:?}"));
    }
}

/// What changes the arguments of nodes.
const UPDATES: [&str; 2] = ["cuGraphExecKernelNodeSetParams_v2", "cuGraphExecMemcpyNodeSetParams"];

#[test]
fn a_loop_is_recorded_once_and_then_costs_one_launch_an_iteration() {
    let Some(fake) = fake_or_skip() else { return };
    const ITERATIONS: usize = 50;
    /// From here on the loop has come to its steady state.
    const STEADY: usize = 40;
    for gpus in [&[0][..], &[0, 1]] {
        let expected = expected(|| conjugate_gradients(ITERATIONS, |_| ()));
        let runtime = fake.runtime("devices=2 races=on", gpus, 1024);
        let (mut updated, mut most) = (0, 0);
        let found = runtime.scope(|| {
            fake.driver.reset_counts();
            conjugate_gradients(ITERATIONS, |iteration| {
                let count = |call: &str| fake.driver.count(call);
                let updates: u64 = UPDATES.iter().map(|call| count(call)).sum();
                let queries = count("cuEventQuery");
                if iteration >= STEADY {
                    let launches = (count("cuGraphLaunch"), count("cuLaunchKernel"));
                    assert_eq!(launches, (1, 0), "iteration {iteration}");
                    // Beside updates and looks which batches have run: a context is bound, the graph is
                    // launched, an event recorded; nothing is allocated.
                    assert_eq!(count("calls") - updates - queries, 3, "iteration {iteration}");
                    most = most.max(updates);
                }
                updated += updates;
                fake.driver.reset_counts();
            })
        });
        assert!(found == expected, "GPUs {gpus:?}");
        let stats = runtime.stats();
        let graphs = stats.graphs;
        // The first window is like no other, the second goes to streams, and the others are like it.
        assert_eq!((graphs.recorded, graphs.launches()), (1, stats.memo_hits), "{stats:?}");
        assert_eq!(graphs.launches(), ITERATIONS as u64 - 2, "{stats:?}");
        assert_eq!((graphs.updated, graphs.refused, graphs.single), (updated, 0, 0), "{stats:?}");
        // On one device the blocks take turns in few enough ways for a graph each.
        assert!(gpus.len() > 1 || most == 0, "{most} updates in an iteration");
        drop(runtime);
        fake.check_returned(&format!("GPUs {gpus:?}"));
    }
}

#[test]
fn only_nodes_whose_arguments_changed_are_updated() {
    let Some(fake) = fake_or_skip() else { return };
    let program = |look: &mut dyn FnMut(usize)| {
        let (a, b) = (DArray::<f64>::zeros(7), DArray::<f64>::zeros(9));
        for iteration in 0..10 {
            a.slice(s![1..-1]).assign(iteration as f64);
            b.slice(s![1..-1]).assign(3.0);
            a.runtime().flush();
            look(iteration);
        }
        [bits(&a), bits(&b)].concat()
    };
    let expected = expected(|| program(&mut |_| ()));
    let runtime = fake.runtime("devices=2", &[0], 1024);
    let found = runtime.scope(|| {
        program(&mut |iteration| {
            let graphs = runtime.stats().graphs;
            let replayed = (iteration as u64).saturating_sub(2);
            assert_eq!((graphs.replayed, graphs.updated), (replayed, replayed), "{iteration}");
        })
    });
    assert_eq!(found, expected);
    assert_eq!(runtime.stats().graphs.recorded, 1);
    runtime.reset_stats();
    assert_eq!(runtime.stats().graphs, GraphStats::default());
}

/// Steps of the stencil, each flushed.
fn stencil_steps(steps: usize) -> Vec<u64> {
    let grid = stencil::init_grid::<f64>(11);
    for _ in 0..steps {
        stencil::step(&grid);
        grid.runtime().flush();
    }
    bits(&grid)
}

/// Runs a program whose reads may panic, and gives its result with what went wrong in it and in the
/// `sync` behind it.
fn attempt(runtime: &Runtime, program: Run) -> (Option<Vec<u64>>, Vec<String>) {
    let found = std::panic::catch_unwind(AssertUnwindSafe(|| runtime.scope(program)));
    let synced = runtime.try_sync();
    let panicked = found.as_ref().err().map(|panic| message(&**panic));
    let errors = panicked.into_iter().chain(synced.err().map(|error| error.to_string()));
    (found.ok(), errors.collect())
}

/// Leaves edges of a program's graphs out, one by one: of every so many the first. Without one, something goes wrong; but an edge
/// within a GPU may say only that a queue's work comes in the order in which it was queued, which may have no bytes in common, and
/// where devices share GPUs, one between two GPUs may order reads of a part of a small tile and writes of another part. Gives how many
/// edges within a GPU are of no use.
fn check_edges(fake: &Fake, (name, program): (&str, Run), gpus: &[usize], every: u64) -> usize {
    let settings = "devices=2 races=on quiet=on";
    // The second time every plan repeats.
    let run = |settings: &str| {
        let runtime = fake.runtime(settings, gpus, 64);
        fake.driver.reset_counts();
        let results: Vec<_> = (0..3).map(|_| attempt(&runtime, program)).collect();
        let graphs = runtime.stats().graphs;
        (results, graphs, fake.driver.error())
    };
    let (expected, graphs, error) = run(settings);
    let edges = fake.driver.count("edges");
    let what = format!("{name}, GPUs {gpus:?}, {edges} edges");
    assert!(edges >= 1 && error.is_empty(), "{what}: {error}");
    assert!(graphs.recorded > 0 && graphs.replayed > 0, "{what}: {graphs:?}");
    let (mut between, mut within) = (Vec::new(), Vec::new());
    quietly(|| {
        for edge in (1..=edges).step_by(every as usize) {
            let (results, _, error) = run(&format!("{settings} skip_edge={edge}"));
            // What goes wrong is seen twice: by the driver, and in what the program gives.
            if results == expected || !error.contains("race: ") {
                let unseen = [&mut between, &mut within];
                unseen[fake.driver.count("left_out_within") as usize].push(edge);
            }
        }
    });
    let (between_most, within_most) = match gpus.len() {
        1 => (0, edges.max(20) / 20),
        2 => (0, edges / 5),
        _ => (edges / 100, edges / 5),
    };
    assert!(between.len() as u64 <= between_most, "{what}: not needed: {between:?}");
    // One of a few that were left out says nothing of the others.
    let within_most = if every == 1 { within_most } else { within_most.max(every) };
    assert!(within.len() as u64 * every <= within_most, "{what}: of no use: {within:?}");
    within.len()
}

#[test]
fn every_edge_of_a_graph_is_needed_but_for_some_within_a_gpu() {
    let Some(fake) = fake_or_skip() else { return };
    for program in PROGRAMS {
        let every = if cfg!(feature = "long") { 1 } else { 2 };
        check_edges(&fake, program, &[0], every);
        check_edges(&fake, program, &[0, 1], 7 * every);
    }
    // Two tiles exchange their halos; folds over both tiles as well, where one GPU's copies of a halo and then of the other tile's part of
    // a sum come in the order of their queue.
    let stencil = ("stencil", (|| stencil_steps(6)) as Run);
    assert_eq!(check_edges(&fake, stencil, &[0, 1], 1), 0);
    let gradients = ("conjugate gradients", (|| conjugate_gradients(5, |_| ())) as Run);
    assert_eq!(check_edges(&fake, gradients, &[0, 1], 1), 2);
}

/// All of them: some minutes, with `--features long`.
#[cfg_attr(not(feature = "long"), ignore = "takes minutes")]
#[test]
fn every_edge_of_a_graph_of_two_and_four_devices_is_needed_but_for_some_within_a_gpu() {
    let Some(fake) = fake_or_skip() else { return };
    for program in PROGRAMS {
        check_edges(&fake, program, &[0, 1], 1);
        check_edges(&fake, program, &[0, 1, 1, 0], 1);
    }
}

/// Driver calls that fail in turn, at most.
const CALLS: u64 = 500;

#[test]
fn a_driver_call_that_fails_is_an_error_or_is_made_good_and_nothing_is_lost() {
    let Some(fake) = fake_or_skip() else { return };
    let programs: [(&str, &[usize], Run); 2] = [
        ("stencil", &[0, 1], || stencil_steps(6)),
        ("conjugate gradients", &[0], || conjugate_gradients(6, |_| ())),
    ];
    let (mut failures, mut made, mut single, mut refused) = (0, 0, 0, 0);
    quietly(|| {
        for (name, gpus, program) in programs {
            let whole = fake.runtime("devices=2", gpus, 1024);
            fake.driver.reset_counts();
            let expected = whole.scope(program);
            drop(whole);
            let calls = fake.driver.count("calls").min(CALLS);
            made += calls;
            for number in 1..=calls {
                let what = format!("{name} with call {number} failing");
                let runtime = fake.runtime("devices=2 quiet=on", gpus, 1024);
                fake.driver.reset_counts();
                fake.driver.set(&format!("fail={number}")).expect("a setting");
                let (found, errors) = attempt(&runtime, program);
                let graphs = runtime.stats().graphs;
                (single, refused) = (single + graphs.single, refused + graphs.refused);
                failures += !errors.is_empty() as u64;
                for error in &errors {
                    let clear = ["CUDA_ERROR_UNKNOWN", "out of memory"];
                    assert!(clear.iter().any(|text| error.contains(text)), "{what}: {error}");
                }
                if let Some(found) = found {
                    assert!(found == expected, "{what}: wrong results and no error");
                }
                // The same runtime goes on.
                fake.driver.set("fail=0").expect("a setting");
                assert!(runtime.scope(program) == expected, "{what}: the program after it");
                drop(runtime);
                fake.check_returned(&what);
            }
        }
    });
    // What fails while a graph is made or changed is made good, and so is a look at which context is current before something
    // is given back; hardly anything else can be.
    assert!(single > 0 && refused > 0, "{single} graphs went one by one, {refused} were made anew");
    assert!(failures * 5 > made * 2, "{failures} errors in {made}");
}

#[test]
fn a_refused_update_makes_the_graph_anew() {
    let Some(fake) = fake_or_skip() else { return };
    let expected = expected(|| conjugate_gradients(12, |_| ()));
    for gpus in [&[0][..], &[0, 1]] {
        let runtime = fake.runtime("devices=2 races=on updates=off", gpus, 1024);
        let found = runtime.scope(|| conjugate_gradients(12, |_| ()));
        assert!(found == expected, "GPUs {gpus:?}");
        let graphs = runtime.stats().graphs;
        assert_eq!((graphs.recorded, graphs.updated, graphs.single), (1, 0, 0), "{graphs:?}");
        assert!(graphs.refused >= 5, "{graphs:?}");
        assert_eq!(graphs.launches(), 10, "{graphs:?}");
        drop(runtime);
        fake.check_returned(&format!("GPUs {gpus:?}"));
    }
}

/// Sums of arrays of many sizes, one after the other.
fn many_sizes() -> Vec<u64> {
    let mut total = DArray::<f64>::zeros(());
    for _ in 0..5 {
        for size in (100..1100).step_by(100) {
            let values = DArray::<i64>::arange(size).cast::<f64>() / 3.0;
            total = &total + (&values * &values).sum(..);
        }
        total.runtime().flush();
    }
    bits(&total)
}

#[test]
fn without_memory_a_batch_is_queued_early() {
    let Some(fake) = fake_or_skip() else { return };
    let expected = expected(many_sizes);
    for (gpus, limit) in [(&[0][..], 40 << 10), (&[0, 1], 24 << 10)] {
        for schedule in ["eager", "random:1", "random:2"] {
            let settings = format!("devices=2 races=on sched={schedule}");
            let runtime = fake.runtime_of(&settings, gpus, |builder| {
                builder.mode(Mode::Unfused).memory_limit(limit)
            });
            let found = runtime.scope(many_sizes);
            let what = format!("GPUs {gpus:?}, {schedule}");
            assert!(found == expected, "{what}");
            let stats = runtime.stats();
            let batches = stats.graphs.launches();
            assert!(batches >= 2 * stats.memo_hits, "{what}: {stats:?}");
            assert!(fake.driver.count("allocated:0") <= limit * 2, "{what}");
            drop(runtime);
            fake.check_returned(&what);
        }
    }
}

#[test]
fn memory_and_handles_do_not_grow() {
    let Some(fake) = fake_or_skip() else { return };
    let names = FakeCuda::HELD;
    for gpus in [&[0][..], &[0, 1]] {
        let runtime = fake.runtime("devices=2", gpus, 1024);
        let (mut counts, mut sizes) = (Vec::new(), Vec::new());
        runtime.scope(|| {
            let b = cg::right_side::<f64>(4);
            let (laplacian, mut solver) = (cg::Laplacian::new(4), cg::Solver::new(&b));
            for iteration in 1..=2000 {
                solver.step(|p| laplacian.apply(p));
                runtime.flush();
                if iteration % 200 == 0 {
                    runtime.sync();
                    counts.push(names.map(|name| fake.driver.count(name)));
                    sizes.push(runtime.stats().bytes_in_use);
                }
            }
        });
        // Graphs for arguments that come back are made for a while.
        let settled = counts.len() / 2;
        let same = counts[settled..].iter().all(|count| *count == counts[settled]);
        assert!(same, "{names:?}: {counts:?}");
        assert!(sizes.iter().all(|size| *size == sizes[0]), "{sizes:?}");
        drop(runtime);
        fake.check_returned(&format!("GPUs {gpus:?}"));
    }
}

#[test]
fn threads_share_devices_that_launch_graphs() {
    let Some(fake) = fake_or_skip() else { return };
    let programs: [Run; 2] = [|| stencil_steps(6), || conjugate_gradients(6, |_| ())];
    let expected = programs.map(expected);
    for seed in 0..4 {
        let runtime = fake.runtime(&format!("devices=2 sched=random:{seed}"), &[0, 1], 16);
        std::thread::scope(|scope| {
            for (program, expected) in programs.iter().zip(&expected) {
                let runtime = runtime.clone();
                scope.spawn(move || {
                    for _ in 0..8 {
                        assert!(runtime.scope(program) == *expected, "seed {seed}");
                    }
                });
            }
        });
        drop(runtime);
        fake.check_returned(&format!("seed {seed}"));
    }
}
