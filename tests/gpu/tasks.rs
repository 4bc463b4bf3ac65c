//! Tasks of a program's own on CUDA devices, over the fake driver or on the GPUs of the driver that the settings
//! name: the bits of the CPU variant, in every schedule, with streams and with graphs; what fails, and what is counted.

use darray::task::{CudaArg, CudaPointTask, CudaSource, Grid, Task};
use darray::{CudaLaunch, DArray, Fallible, Runtime, s};
use darray_programs::task_bench::{Graph, Topology, empty, mixing};
use darray_suite::{Cuda, cuda_or_skip, quietly};

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

/// GPUs of 1, 2 and 4 logical devices, some of which share one.
const GPUS: [&[usize]; 4] = [&[0], &[0, 1], &[1, 1], &[0, 1, 1, 0]];
const LAUNCHES: [CudaLaunch; 2] = [CudaLaunch::Streams, CudaLaunch::Graphs];

fn runtime(cuda: &Cuda, settings: &str, gpus: &[usize], launch: CudaLaunch) -> Runtime {
    cuda.start(&format!("devices=2 races=on {settings}"));
    let builder = cuda.devices(Runtime::builder(), gpus).cuda_launch(launch).window(64);
    builder.build().expect("a runtime")
}

fn cpu() -> Runtime {
    Runtime::builder().threads(1).window(64).build().expect("a runtime")
}

const TEXT: &str = r#"
extern "C" __global__ void scaled(double* to, long long to_step, const double* from, long long from_step,
    double factor, int shift, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) to[i * to_step] = factor * from[i * from_step] + (double)(i + shift);
}
extern "C" __global__ void twice(double* x, long long step, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) x[i * step] = x[i * step] + x[i * step];
}"#;

/// How a variant queues its kernels.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Queueing {
    /// By `launch` alone.
    Launched,
    /// With its stream asked for before the second of two kernels.
    Between,
    /// With its stream asked for first.
    Apart,
}

const QUEUEINGS: [Queueing; 3] = [Queueing::Launched, Queueing::Between, Queueing::Apart];

/// `to = 2 (factor from + index)`, by one loop or two kernels.
fn scaled(queueing: Queueing) -> Task {
    let source = CudaSource::new(TEXT);
    let queue = move |point: &mut CudaPointTask<'_>| {
        let (factor, shift) = (point.scalars()[0].to_f64(), point.domain()[0].start as i32);
        let (to, from) = point.one_to_one();
        assert_eq!((to.shape(), to.is_written(), from.is_written()), (from.shape(), true, false));
        let (n, grid) = (to.len(), Grid::over(to.len(), 32));
        let (step, from_step) = (to.strides()[0], from.strides()[0]);
        let args: [CudaArg; 7] = [
            to.into(),
            step.into(),
            from.into(),
            from_step.into(),
            factor.into(),
            shift.into(),
            n.into(),
        ];
        if queueing == Queueing::Apart {
            assert!(!point.stream()?.is_null());
        }
        // SAFETY: the kernel's parameters; it stays within both arrays.
        unsafe { point.launch(&source, "scaled", grid, &args)? };
        if queueing == Queueing::Between {
            point.stream()?;
        }
        // SAFETY: as above.
        unsafe { point.launch(&source, "twice", grid, &[to.into(), step.into(), n.into()]) }
    };
    let task = Task::new("scaled", |point| {
        let (factor, shift) = (point.scalars()[0].to_f64(), point.domain()[0].start);
        let (to, from) = point.one_to_one();
        for i in 0..from.shape()[0] {
            let value = factor * from.get::<f64>(&[i]) + (i + shift) as f64;
            to.set(&[i], value + value);
        }
        Ok(())
    });
    task.cuda(queue)
}

/// Kernels, tasks over whole arrays and over views, and products of both.
fn mixed(task: &Task, n: usize) -> Vec<u64> {
    let x = DArray::<f64>::arange(n) * 0.1;
    let mut y: DArray<f64> = task.launch().read(&(&x + 1.0)).scalar(0.3).create(n);
    for step in 0..4 {
        let z = (&y * 0.25 + &x).sqrt();
        y = task.launch().read(&z).scalar(step as f64).create::<f64>(n) - &z;
        // Every second element, from the others, backwards.
        let (even, odd) = (y.slice(s![0..; 2]), y.slice(s![1..; 2]));
        task.launch().read(&odd.slice(s![..;-1])).scalar(0.5).write(&even).submit();
    }
    let total = y.sum(..);
    let bits = |x: &DArray<f64>| x.to_vec().into_iter().map(f64::to_bits).collect::<Vec<_>>();
    [bits(&y), bits(&total)].concat()
}

#[test]
fn a_task_gives_the_bits_of_its_cpu_variant() {
    let Some(cuda) = cuda_or_skip(FOLDER) else { return };
    for n in [48, 1 << 13] {
        let expected = cpu().scope(|| mixed(&scaled(Queueing::Launched), n));
        let seeds: u64 = if n < 100 { 12 } else { 1 };
        for (number, launch) in LAUNCHES.into_iter().enumerate() {
            for (at, queueing) in QUEUEINGS.into_iter().enumerate() {
                for seed in 0..seeds {
                    let gpus = GPUS[(seed as usize + at + number) % GPUS.len()];
                    let schedule = match seed {
                        0 => "eager".to_string(),
                        _ => format!("random:{seed}"),
                    };
                    let what = format!("{n}, {launch:?}, {queueing:?}, GPUs {gpus:?}, {schedule}");
                    let runtime = runtime(&cuda, &format!("sched={schedule}"), gpus, launch);
                    let task = scaled(queueing);
                    // Plans repeat from the second time on.
                    for _ in 0..3 {
                        let found = runtime.scope(|| mixed(&task, n));
                        assert!(found == expected, "{what}");
                    }
                    let stats = runtime.stats();
                    let points = stats.opaque;
                    assert!(points >= 27, "{what}: {stats:?}");
                    for kernel in ["kernel:scaled", "kernel:twice"] {
                        let ran = cuda.fake().map_or(points, |fake| fake.count(kernel));
                        assert_eq!(ran, points, "{what}");
                    }
                    let apart = stats.graphs.apart;
                    match (launch, queueing) {
                        (CudaLaunch::Graphs, Queueing::Between | Queueing::Apart) => {
                            assert!((1..points).contains(&apart), "{what}: {apart} of {points}");
                        }
                        _ => assert_eq!(apart, 0, "{what}"),
                    }
                    if launch == CudaLaunch::Graphs {
                        assert!(stats.graphs.replayed > 0, "{what}: {stats:?}");
                    }
                    drop((runtime, task));
                    assert_eq!(cuda.look_behind(), Ok(()), "{what}");
                }
            }
        }
    }
}

#[test]
fn task_bench_graphs_mix_what_they_read() {
    let Some(cuda) = cuda_or_skip(FOLDER) else { return };
    for (number, topology) in Topology::ALL.into_iter().enumerate() {
        let graph = Graph::new(topology, 8, 5);
        for (at, launch) in LAUNCHES.into_iter().enumerate() {
            for (queueing, extent) in [1usize, 1 << 12].into_iter().enumerate() {
                let gpus = GPUS[(number + at + queueing) % GPUS.len()];
                let settings = format!("sched=random:{number}");
                let runtime = runtime(&cuda, &settings, gpus, launch);
                let task = mixing();
                for _ in 0..2 {
                    let last = runtime.scope(|| graph.launch(&task, extent));
                    for (column, array) in last.iter().enumerate() {
                        let expected = graph.mixed(4, column) as i64;
                        let values = array.to_vec();
                        assert_eq!(values.len(), extent);
                        let same = values.iter().all(|&value| value == expected);
                        assert!(same, "{topology}, {launch:?}, {gpus:?}");
                    }
                }
                let stats = runtime.stats();
                let ran = cuda.fake().map_or(stats.opaque, |fake| fake.count("kernel:mixing"));
                assert_eq!((ran, stats.graphs.apart), (stats.opaque, 0));
                drop(runtime);
                assert_eq!(cuda.look_behind(), Ok(()));
            }
        }
    }
}

/// Calls of the driver for a window of tasks that do nothing, in the steady state, where the GPU keeps up and where
/// it does nothing before somebody waits for it.
#[test]
fn an_empty_task_costs_an_event() {
    let Some(cuda) = cuda_or_skip(FOLDER) else { return };
    let Some(fake) = cuda.fake_or_skip() else { return };
    const CALLS: [&str; 6] = [
        "cuEventRecord",
        "cuCtxSetCurrent",
        "cuEventQuery",
        "cuStreamWaitEvent",
        "cuMemAllocFromPoolAsync",
        "cuMemFreeAsync",
    ];
    let cases = [
        (CudaLaunch::Streams, "eager", [64, 66, 7, 0, 0, 0]),
        (CudaLaunch::Streams, "random:1", [64, 66, 4, 0, 0, 0]),
        (CudaLaunch::Graphs, "eager", [2, 68, 1, 2, 0, 0]),
        (CudaLaunch::Graphs, "random:1", [2, 68, 1, 2, 0, 0]),
    ];
    for (launch, schedule, most) in cases {
        fake.start(&format!("devices=1 races=off sched={schedule}"));
        // No window is full before it is flushed.
        let builder = fake.devices(Runtime::builder(), &[0]).cuda_launch(launch).window(128);
        let runtime = builder.build().expect("a runtime");
        let (graph, task) = (Graph::new(Topology::Stencil, 8, 8), empty());
        runtime.scope(|| {
            for round in 0..20 {
                let last = graph.launch(&task, 1);
                fake.reset_counts();
                runtime.flush();
                let counts = CALLS.map(|call| fake.count(call));
                let others = fake.count("calls") - counts.iter().sum::<u64>();
                runtime.sync();
                let looks = fake.count("cuEventQuery") - counts[2];
                drop(last);
                if round < 10 {
                    continue;
                }
                let what = format!("{launch:?}, {schedule}: {counts:?}, {others} others, {looks}");
                let within = counts.iter().zip(&most).all(|(count, most)| count <= most);
                assert!(within && others == 0, "{what}");
                assert!(counts[1] >= 64, "{what}: a context is bound behind each task");
                // Who has waited for the last knows of all: one look is at what was in flight before.
                assert!(looks <= 1, "{what}");
            }
        });
        let stats = runtime.stats();
        assert_eq!(stats.graphs.apart > 0, launch == CudaLaunch::Graphs);
        assert_eq!((stats.opaque, stats.whole), (20 * 64, 20 * 64), "no part is looked at");
    }
}

#[test]
fn a_text_is_compiled_once_and_unloaded_when_its_program_drops_it() {
    let Some(cuda) = cuda_or_skip(FOLDER) else { return };
    let Some(fake) = cuda.fake_or_skip() else { return };
    let runtime = runtime(&cuda, "", &[0, 0], CudaLaunch::Streams);
    runtime.scope(|| {
        let task = scaled(Queueing::Launched);
        let run = |task: &Task| {
            let x = DArray::<f64>::zeros(1 << 17);
            let y: DArray<f64> = task.launch().read(&x).scalar(1.0).create(1 << 17);
            assert_eq!(y.slice(s![7]).item(), 14.0);
        };
        run(&task);
        let (loads, modules) = (fake.count("cuModuleLoadData"), fake.count("modules"));
        (0..3).for_each(|_| run(&task));
        assert_eq!(fake.count("cuModuleLoadData"), loads);
        drop(task);
        // The next text takes its place.
        (0..3).for_each(|_| run(&scaled(Queueing::Launched)));
        runtime.sync();
        assert_eq!(fake.count("cuModuleLoadData"), loads + 3);
        assert_eq!(fake.count("modules"), modules);
    });
}

/// Points in a row, each of which brings texts of its own along and, `apart`, asks for its stream first.
fn with_new_texts(apart: bool) -> Vec<u64> {
    let task = Task::only_cuda("new", move |point| {
        let source = CudaSource::new(TEXT);
        let (to, from) = point.one_to_one();
        let (n, grid) = (to.len(), Grid::over(to.len(), 32));
        let (step, from_step) = (to.strides()[0].into(), from.strides()[0].into());
        let args: [CudaArg; 7] =
            [to.into(), step, from.into(), from_step, 0.5.into(), 1i32.into(), n.into()];
        if apart {
            point.stream()?;
        }
        // SAFETY: the kernels' parameters; they stay within both arrays.
        unsafe {
            point.launch(&source, "scaled", grid, &args)?;
            point.launch(&CudaSource::new(TEXT), "twice", grid, &[to.into(), step, n.into()])
        }
    });
    let mut x = DArray::<f64>::arange(48);
    for _ in 0..4 {
        let y: DArray<f64> = task.launch().read(&(&x + 1.0)).create(48);
        // Backwards: from the other device, where there is one.
        x = y.slice(s![..;-1]) - &x;
        x.to_vec();
    }
    x.to_vec().into_iter().map(f64::to_bits).collect()
}

#[test]
fn texts_that_find_no_memory_are_loaded_once_more() {
    let Some(cuda) = cuda_or_skip(FOLDER) else { return };
    let Some(fake) = cuda.fake_or_skip() else { return };
    for launch in LAUNCHES {
        for (apart, gpus) in [(true, &[0][..]), (true, &[0, 1]), (false, &[0])] {
            let expected = runtime(&cuda, "", gpus, launch).scope(|| with_new_texts(apart));
            let mut failed = 0;
            for number in 1.. {
                let settings = format!("quiet=on sched=random:{number}");
                let runtime = runtime(&cuda, &settings, gpus, launch);
                fake.reset_counts();
                fake.set(&format!("fail={number}:2")).expect("a setting");
                let mut found = None;
                quietly(|| {
                    let run = || runtime.scope(|| with_new_texts(apart));
                    found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).ok();
                });
                if fake.error().contains("cuModuleLoadData") {
                    failed += 1;
                    assert!(found.as_ref() == Some(&expected), "{launch:?}, {apart}, {number}");
                }
                if number > fake.count("calls") {
                    break;
                }
            }
            assert!(failed > 3, "{launch:?}, {apart}: {failed} failed");
        }
    }
}

#[test]
fn failures_and_panics_are_those_of_what_is_written() {
    let Some(cuda) = cuda_or_skip(FOLDER) else { return };
    for launch in LAUNCHES {
        for gpus in [&[0][..], &[0, 1]] {
            let runtime = runtime(&cuda, "sched=random:3", gpus, launch);
            let fails = |task: &Task| {
                let (x, y) = (DArray::<f64>::ones(1 << 15), DArray::<f64>::ones(1 << 15));
                task.launch().update(&x).read(&y).submit();
                let Err(error) = (&x + 1.0).try_to_vec() else { panic!("a failure is lost") };
                let error = error.to_string();
                // What is read is as it was.
                assert_eq!((&y + 1.0).to_vec(), vec![2.0; 1 << 15]);
                error
            };
            let broken = CudaSource::new("extern \"C\" __global__ void broken( {");
            let sound = CudaSource::new(TEXT);
            let launches = |source: CudaSource, name: &'static str, threads: u32| {
                Task::only_cuda("broken", move |point| {
                    // SAFETY: nothing runs.
                    unsafe { point.launch(&source, name, Grid::new(1, threads), &[]) }
                })
            };
            let cases = [
                (Task::only_cuda("broken", |_| Err("not today".to_string())), "not today"),
                (Task::only_cuda("broken", |_| panic!("no {}", 7)), "panicked: no 7"),
                (launches(broken, "broken", 1), "kernel broken: a kernel does not compile"),
                (launches(sound.clone(), "absent", 1), "kernel absent: cuModuleGetFunction"),
                (Task::new("broken", |_| Ok(())), "has no variant for NVIDIA GPUs"),
            ];
            quietly(|| {
                runtime.scope(|| {
                    // The third time the plan repeats.
                    for (task, text) in cases.iter().cycle().take(3 * cases.len()) {
                        let error = fails(task);
                        assert!(error.starts_with("broken: "), "{error}");
                        assert!(
                            error.contains(text) && error.contains("tasks.rs"),
                            "{text}: {error}"
                        );
                    }
                    // The arrays of the runtime itself are out of reach.
                    let own = Task::only_cuda("own", |_| {
                        let _ = DArray::<f64>::ones(2).sum(..).item();
                        Ok(())
                    });
                    assert!(fails(&own).contains("panicked"));
                });
            });
            let expected = cpu().scope(|| mixed(&scaled(Queueing::Launched), 48));
            assert_eq!(runtime.scope(|| mixed(&scaled(Queueing::Between), 48)), expected);
        }
    }
}
