//! `costs`: what launches take on this machine's device, beside what plans are chosen by.
//!
//! Tasks of few elements are a launch each, or one loop, or nests of one kernel. What they differ by is what a launch and a further nest
//! take; recording is the same. Arrays say how many bytes are moved meanwhile.

use crate::output;
use darray::{DArray, Mode, Result, Runtime, s};
use darray_benches::timing::median;
use std::process::ExitCode;
use std::time::Instant;

/// Tasks of a window; nests of a kernel, as many as have their bindings kept.
const TASKS: usize = 64;
const NESTS: usize = 4;

/// Windows that a time is of, and times that a median is of.
const WINDOWS: usize = 50;
const TIMES: usize = 21;

/// Elements of an array beside caches, and of one in the first cache.
const LARGE: usize = 8 << 20;
const NEAR: usize = 1 << 11;

/// Prints what was measured and what is gone by.
pub fn run() -> ExitCode {
    output::finish(measured())
}

fn measured() -> Result<String> {
    let runtime = |mode| Runtime::builder_from_env()?.threads(1).mode(mode).window(TASKS).build();
    let [fused, unfused] = [runtime(Mode::Fused)?, runtime(Mode::Unfused)?];
    let used = fused.engine().plan_options().costs;
    let times = |runtime: &Runtime, window: fn() -> Window| -> Result<Vec<f64>> {
        let window = runtime.scope(window);
        (0..=TIMES).map(|_| seconds(runtime, &window)).collect()
    };
    let (apart, one) = (times(&unfused, || chain(TASKS))?, times(&fused, || chain(TASKS))?);
    let (in_turn, few) = (times(&fused, nests)?, times(&fused, || chain(NESTS))?);
    let more = |all: &[f64], less: &[f64], launches: usize| {
        (median(&all[1..]) - median(&less[1..])).max(0.0) / (WINDOWS * (launches - 1)) as f64
    };
    let launch = more(&apart, &one, TASKS);
    let next_nest = more(&in_turn, &few, NESTS);
    let [large, near] = [LARGE, NEAR].map(|elements| added(&unfused, elements));
    let (bytes_per_s, elements_per_s) = (16.0 * LARGE as f64 / large?, NEAR as f64 / near?);
    let in_turn = if used.small > 0 { next_nest * bytes_per_s } else { f64::NAN };
    Ok(format!(
        "a launch takes {:.2} us, a further nest of a kernel {:.2} us; {:.1} GB/s\n\n\
         {:<36} {:>12} {:>12}\n{:<36} {:>12.0} {:>12}\n{:<36} {:>12.0} {:>12}\n{:<36} {:>12.0} {:>12}",
        launch * 1e6,
        next_nest * 1e6,
        bytes_per_s / 1e9,
        "bytes or elements meanwhile",
        "measured",
        "gone by",
        "a launch, bytes",
        launch * bytes_per_s,
        used.launch,
        "a further nest, bytes",
        in_turn,
        used.next_nest,
        "a nest as long as a launch, elements",
        launch * elements_per_s,
        used.small,
    ))
}

/// A window of tasks on small arrays.
type Window = Box<dyn Fn()>;

/// Seconds of all windows.
fn seconds(runtime: &Runtime, window: &Window) -> Result<f64> {
    runtime.scope(|| {
        runtime.try_sync()?;
        let begin = Instant::now();
        for _ in 0..WINDOWS {
            window();
            runtime.flush();
        }
        runtime.try_sync()?;
        Ok(begin.elapsed().as_secs_f64())
    })
}

/// Tasks of different extents, which are launched together where nests are small.
fn nests() -> Window {
    let arrays: Vec<DArray<f64>> = (1..=NESTS).map(DArray::ones).collect();
    Box::new(move || arrays.iter().for_each(|array| array.assign(array + 1.0)))
}

/// Tasks that become one loop where they are fused.
fn chain(tasks: usize) -> Window {
    let array = DArray::<f64>::ones(NESTS);
    Box::new(move || (0..tasks).for_each(|_| array.assign(&array + 1.0)))
}

/// Seconds that adding to each of so many elements takes, beside a launch.
fn added(runtime: &Runtime, elements: usize) -> Result<f64> {
    runtime.scope(|| {
        let array = DArray::<f64>::ones(elements);
        let few = array.slice(s![..1]);
        let count = (LARGE / elements).clamp(1, 500);
        let time = |array: &DArray<f64>| {
            let begin = Instant::now();
            for _ in 0..count {
                array.assign(array + 1.0);
            }
            runtime.try_sync()?;
            Ok(begin.elapsed().as_secs_f64() / count as f64)
        };
        let (mut all, mut launches) = (Vec::new(), Vec::new());
        for _ in 0..TIMES {
            all.push(time(&array)?);
            launches.push(time(&few)?);
        }
        Ok((median(&all) - median(&launches)).max(1e-9))
    })
}
