//! Loads that go down the columns of an array while the nest goes along rows, bit-equal to the reference interpreter.

use darray_core::{RealType, Scalar};
use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_device::Device;
use darray_differential::{Case, first_difference, run};
use darray_interpreter::{BufferArg, Launch, interpret};
use darray_kernel::ir::Kernel;
use std::sync::Arc;

/// Every instruction set, with and without threads, machine code and non-temporal stores.
fn devices() -> Vec<Arc<dyn Device>> {
    let levels = Level::ALL.into_iter().filter(|&level| level <= Level::detect());
    let with = |level, threads, jit, stream_from| {
        let least_parallel = 1;
        let level = Some(level);
        let usual = CpuOptions::default();
        let options = CpuOptions { level, threads, jit, stream_from, least_parallel, ..usual };
        CpuDevices::new(1, options).remove(0)
    };
    let variants = |level| {
        [
            with(level, 1, None, usize::MAX),
            with(level, 1, Some(level), usize::MAX),
            with(level, 2, Some(level), 0),
            with(level, 2, None, 0),
        ]
    };
    levels.flat_map(variants).collect()
}

fn compare(devices: &[Arc<dyn Device>], case: &Case, what: &str) {
    let mut expected = case.memory.clone();
    interpret(&case.kernel, &case.launch, &mut expected).unwrap();
    for device in devices {
        let name = &device.describe().name;
        let found =
            run(&**device, case).unwrap_or_else(|fault| panic!("{what} on {name}: {fault}"));
        let difference = first_difference(&expected, &found);
        assert!(difference.is_none(), "{what} on {name}: {difference:?}\n{}", case.kernel);
    }
}

/// Loads across the rows that are written: of squares and what remains of them, forwards and backwards, of several loops.
#[test]
fn loads_across_rows_equal_the_reference() {
    let devices = devices();
    let cases: [(&[i64], &[i64]); 11] = [
        (&[300, 270], &[1, 301]),
        (&[67, 1029], &[1, 67]),
        (&[1029, 67], &[1, 1031]),
        (&[8, 8], &[1, 9]),
        (&[7, 300], &[1, 7]),
        (&[70, 150], &[-1, 71]),
        (&[70, 150], &[1, -71]),
        (&[5, 90, 140], &[90, 1, 460]),
        (&[90, 3, 140], &[1, 13000, 92]),
        (&[90, 140, 3], &[1, 97, 14000]),
        (&[9, 10, 11, 12], &[1, 9, 90, 991]),
    ];
    for dtype in [RealType::F64, RealType::F32, RealType::U8, RealType::I32] {
        for (extents, strides) in cases {
            for in_place in [false, true] {
                let what = format!("{dtype} {extents:?} by {strides:?}, in place: {in_place}");
                compare(&devices, &across(dtype, extents, strides, in_place), &what);
            }
        }
    }
}

/// Choices between elements of two arrays, one of them with these strides. In place, what is written lies where that one
/// is read, later in the same iteration.
fn across(dtype: RealType, extents: &[i64], strides: &[i64], in_place: bool) -> Case {
    let rank = extents.len();
    let zero = format!("p{rank}");
    let loops: Vec<String> = (0..rank)
        .map(|k| format!("i{k}: extent=p{k} origin={zero} global=p{k} logical={k}"))
        .collect();
    let at: Vec<String> = (0..rank).map(|k| format!("{zero} + 1*i{k}")).collect();
    let (at, alias) = (at.join(", "), if in_place { "" } else { " noalias" });
    let compute = dtype.compute();
    let choice = match dtype.is_narrow() {
        true => format!(
            "%2 = to_{compute} %0 %3 = to_{compute} %1 %4 = to_f64 %2 %5 = to_f64 %3
             %6 = lt.f64 %4 %5 %7 = select.{compute} %6 %2 %3 %8 = to_{dtype} %7 store b3[{at}] %8"
        ),
        false => format!(
            "%2 = to_f64 %0 %3 = to_f64 %1 %4 = lt.f64 %2 %3 %5 = select.{dtype} %4 %0 %1 store b3[{at}] %5"
        ),
    };
    let early = if in_place { format!("store b2[{at}] %0") } else { String::new() };
    let text = format!(
        "kernel params={} scalars=[] b0: {dtype} rank {rank} read noalias
         b1: {dtype} rank {rank} read{alias} b2: {dtype} rank {rank} write{alias}
         b3: {dtype} rank {rank} write noalias
         {{ for ({}) {{ %0 = load b0[{at}] {early} %1 = load b1[{at}] {choice} }} }}",
        rank + 1,
        loops.join(", "),
    );
    let rows: Vec<i64> = (0..rank).map(|k| extents[k + 1..].iter().product()).collect();
    let count: i64 = extents.iter().product();
    let reach = |k: usize| strides[k] * (extents[k] - 1);
    let first: i64 = (0..rank).map(|k| -reach(k).min(0)).sum();
    let length: i64 = (0..rank).map(|k| reach(k).abs()).sum::<i64>() + 1;
    let elements = |count: i64, factor: i64| {
        let value = |k: i64| Scalar::from((k * factor % 251) as f64 / 2.0).cast(dtype);
        (0..count).map(value).collect::<Vec<_>>()
    };
    let written = if in_place { 1 } else { 3 };
    Case {
        kernel: Kernel::parse(&text).unwrap(),
        launch: Launch {
            buffers: vec![
                BufferArg::new(0, 0, rows.clone()),
                BufferArg::new(1, first, strides.to_vec()),
                match in_place {
                    true => BufferArg::new(written, first, strides.to_vec()),
                    false => BufferArg::new(written, 0, rows.clone()),
                },
                BufferArg::new(2, 1, rows.clone()),
            ],
            params: extents.iter().copied().chain([0]).collect(),
            scalars: Vec::new(),
        },
        memory: vec![
            elements(count, 7),
            elements(length, 13),
            elements(count + 1, 3),
            elements(count, 1),
        ],
    }
}
