//! GPUs that are full, over the fake driver: replicas that are valid elsewhere go, then data is moved to the
//! host, and only then something fails; then the error names sizes and live arrays.

use darray::{DArray, ErrorKind, Fallible, Runtime, s};
use darray_suite::{Fake, PROGRAMS, fake_or_skip, message, quietly};
use darray_testkit::tiny;
use std::panic::{self, AssertUnwindSafe};

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

/// Which limit a GPU meets.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    /// The runtime's option.
    Option,
    /// What the driver has.
    Driver,
}

/// A runtime with so many bytes on each GPU.
fn limited(fake: &Fake, limit: Limit, bytes: u64, gpus: &[usize], schedule: &str) -> Runtime {
    let memory = if limit == Limit::Driver { bytes } else { 1 << 30 };
    fake.start(&format!("devices=2 memory={memory} quiet=on sched={schedule}"));
    let builder = fake.devices(Runtime::builder(), gpus).testing(tiny());
    let bytes = if limit == Limit::Option { bytes } else { 1 << 30 };
    builder.memory_limit(bytes).window(3).build().expect("a runtime")
}

const BOTH: [Limit; 2] = [Limit::Option, Limit::Driver];

/// Arrays of 4,000 bytes.
fn numbers(count: i64) -> Vec<DArray<f64>> {
    (0..count).map(|i| DArray::<f64>::range(0.0, 500.0, 1.0) + i as f64).collect()
}

#[test]
fn what_does_not_fit_is_moved_to_the_host_and_comes_back() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    for limit in BOTH {
        for seed in 0..10 {
            let schedule = if seed == 0 { "eager".to_string() } else { format!("random:{seed}") };
            let runtime = limited(&fake, limit, 30_000, &[0], &schedule);
            runtime.scope(|| {
                let arrays = numbers(20);
                // What was moved first is written in part, and read.
                arrays[0].slice(s![10..20]).assign(arrays[1].slice(s![30..40]));
                let sum = arrays.iter().fold(DArray::<f64>::zeros(500), |sum, x| sum + x);
                let mut expected: Vec<f64> = (0..500).map(|k| 20.0 * k as f64 + 190.0).collect();
                (10..20).for_each(|k| expected[k] += 21.0);
                assert_eq!(sum.to_vec(), expected, "{limit:?}, {schedule}");
                for (i, array) in arrays.iter().enumerate().skip(1) {
                    let expected: Vec<f64> = (0..500).map(|k| (k + i) as f64).collect();
                    assert_eq!(array.to_vec(), expected, "{limit:?}, {schedule}, array {i}");
                }
                let first = arrays[0].to_vec();
                assert_eq!((first[9], first[10], first[19], first[20]), (9.0, 31.0, 40.0, 20.0));
            });
            let stats = runtime.stats();
            assert!(stats.staged >= 13, "{limit:?}, {schedule}: {stats:?}");
            runtime.sync();
            drop(runtime);
            fake.returned().unwrap_or_else(|left| panic!("{limit:?}, {schedule}: {left}"));
        }
    }
}

#[test]
fn replicas_that_another_gpu_holds_go_first() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    for limit in BOTH {
        let runtime = limited(&fake, limit, 9_000, &[0, 1], "random:5");
        runtime.scope(|| {
            let x = DArray::from_vec((0..500).map(f64::from).collect());
            // Each GPU gets all of x, and half of y.
            let y = x.slice(s![..;-1]) + &x;
            runtime.flush();
            let more = DArray::from_vec(vec![1.5; 500]);
            runtime.flush();
            assert_eq!(runtime.stats().staged, 0, "{limit:?}");
            let z = &more + &y;
            assert_eq!(z.to_vec(), [500.5; 500]);
            assert_eq!(x.to_vec(), (0..500).map(f64::from).collect::<Vec<_>>());
        });
        let stats = runtime.stats();
        assert!(stats.evictions >= 1, "{limit:?}: {stats:?}");
        drop(runtime);
        fake.returned().expect("everything is given back");
    }
}

#[test]
fn what_fits_nowhere_is_named_with_its_size_and_what_is_there() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    for limit in BOTH {
        let runtime = limited(&fake, limit, 30_000, &[0], "random:3");
        runtime.scope(|| {
            let held = numbers(2);
            let (a, b) = (&held[0], &held[1]);
            runtime.flush();
            let large = DArray::<f64>::ones((100, 50));
            let line = line!() - 1;
            let error = large.try_to_vec().expect_err("40,000 bytes of 30,000");
            assert_eq!(error.operation(), "ones");
            assert_eq!(error.place().line(), line);
            let ErrorKind::OutOfMemory { requested, limit: most, shape, .. } = error.kind() else {
                panic!("{error}")
            };
            assert_eq!((*requested, &shape[..]), (40_000, &[100, 50][..]));
            assert!(*most == 30_000 || limit == Limit::Driver, "{error}");
            let text = error.to_string();
            assert!(text.contains("40000 bytes for shape [100, 50] of f64"), "{text}");
            // Nothing is lost, and what needs less works.
            assert_eq!((a + b).sum(..).item(), 249_500.0 + 500.0, "{limit:?}");
            // Three arrays at once, of which two fit: the one that is computed names the others.
            let (x, y) = (DArray::<f64>::ones(1300), DArray::<f64>::ones(1301));
            runtime.flush();
            let sum = x.slice(s![..1299]) + y.slice(s![1..1300]);
            let text = sum.try_to_vec().expect_err("three times 10,400 bytes").to_string();
            assert!(text.starts_with("add: out of memory on cuda:0"), "{text}");
            let named = ["[1300] f64 (10400 bytes)", "[1301] f64 (10408 bytes)"];
            assert!(named.iter().all(|name| text.contains(name)), "{text}");
            assert!(text.contains("cuda/memory.rs:"), "{text}");
        });
        drop(runtime);
        fake.returned().expect("everything is given back");
    }
}

/// Programs with ever less memory: the right bits, or an error that says that there is none.
#[test]
fn programs_give_the_same_bits_in_little_memory_or_say_what_they_lack() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    let step = if cfg!(feature = "long") { 1 } else { 2 };
    quietly(|| {
        let (mut staged, mut evicted, mut failed) = (0, 0, 0);
        for (name, program) in PROGRAMS {
            let plain = Runtime::builder().threads(1).testing(tiny()).build();
            let expected = plain.expect("a runtime").scope(program);
            for (number, gpus) in [&[0][..], &[0, 1]].into_iter().enumerate() {
                let free = limited(&fake, Limit::Option, 1 << 30, gpus, "random:1");
                assert!(free.scope(program) == expected, "{name}");
                let most = free.stats().bytes_peak / gpus.len() as u64;
                drop(free);
                for tenth in (1..10u64).rev().step_by(step) {
                    let limit = BOTH[(tenth as usize + number) % 2];
                    let bytes = most * tenth / 10;
                    let what = format!("{name}, {limit:?}, {bytes} of {most} bytes, {gpus:?}");
                    let schedule = format!("random:{tenth}");
                    let runtime = limited(&fake, limit, bytes, gpus, &schedule);
                    match panic::catch_unwind(AssertUnwindSafe(|| runtime.scope(program))) {
                        Ok(found) => assert!(found == expected, "{what}"),
                        Err(panic) => {
                            failed += 1;
                            let text = message(&*panic).to_lowercase();
                            let lacks = ["out of memory", "out_of_memory"];
                            assert!(lacks.iter().any(|l| text.contains(l)), "{what}: {text}");
                        }
                    }
                    let stats = runtime.stats();
                    (staged, evicted) = (staged + stats.staged, evicted + stats.evictions);
                    drop(runtime);
                    fake.returned().unwrap_or_else(|left| panic!("{what}: {left}"));
                }
            }
        }
        println!("{staged} staged, {evicted} dropped, {failed} failures");
        let all = [staged, evicted, failed].map(|count| count * step as u64);
        assert!(all[0] > 100 && all[1] > 10 && all[2] > 10, "{staged} {evicted} {failed}");
    });
}

/// What the host keeps of an array is out of date once the array is written on the GPU.
#[test]
fn what_was_moved_to_the_host_is_forgotten_when_it_is_overwritten() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    for limit in BOTH {
        let runtime = limited(&fake, limit, 30_000, &[0], "random:7");
        runtime.scope(|| {
            let x = DArray::from_vec((0..500).map(f64::from).collect());
            let held = numbers(9);
            runtime.flush();
            // It comes back as a whole; the host keeps its copy.
            assert_eq!(x.slice(s![7]).item(), 7.0);
            let staged = runtime.stats().staged;
            assert!(staged >= 1, "{limit:?}: x is the oldest");
            let whole = runtime.stats().whole;
            x.slice(s![1..]).assign(&(held[8].slice(s![1..]) * 2.0));
            runtime.flush();
            assert!(runtime.stats().whole > whole, "{limit:?}: {:?}", runtime.stats());
            // It goes again, with what it is now.
            let more = numbers(6);
            runtime.flush();
            assert!(runtime.stats().staged > staged, "{limit:?}");
            let mut expected: Vec<f64> = (0..500).map(|k| 2.0 * (k + 8) as f64).collect();
            expected[0] = 0.0;
            assert_eq!(x.to_vec(), expected, "{limit:?}");
            drop(more);
        });
        drop(runtime);
        fake.returned().expect("everything is given back");
    }
}

#[test]
fn a_loop_that_reads_nothing_keeps_no_work_in_flight() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    // The stand-in moves on only when it is asked, or at once: what does not move stays in flight.
    for (schedule, few) in [("eager", Some(3000)), ("random:3", None)] {
        let runtime = limited(&fake, Limit::Option, 1 << 20, &[0], schedule);
        runtime.scope(|| {
            let mut a = DArray::<f64>::ones(8);
            let mut most = 0;
            for _ in 0..6000 {
                a = &a + 1.0;
                runtime.flush();
                most = most.max(runtime.stats().in_flight);
            }
            // It was looked at now and then, and not at each submission.
            let looks = fake.count("cuEventQuery");
            assert!(looks <= 6000 / 8, "{schedule}: {looks}");
            assert_eq!(a.slice(s![0]).item(), 6001.0);
            // The window keeps some itself.
            assert!(most >= 1000 && few.is_none_or(|few| most < few), "{schedule}: {most}");
        });
        runtime.sync();
        assert_eq!(runtime.stats().in_flight, 0, "{schedule}");
    }
}
