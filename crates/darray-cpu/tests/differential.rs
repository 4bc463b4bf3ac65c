//! Random kernels on every instruction set and number of threads, bit-equal to the reference interpreter.

#[path = "differential/long_code.rs"]
mod long_code;

use darray_core::{RealType, RealType::F32, RealType::F64, Scalar};
use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_device::Device;
use darray_differential::{Case, Options, first_difference, random_kernel, run};
use darray_interpreter::{BufferArg, Launch, interpret};
use darray_kernel::ir::Kernel;
use long_code::long_code;
use std::sync::Arc;

fn devices() -> Vec<Arc<dyn Device>> {
    let levels = Level::ALL.into_iter().filter(|&level| level <= Level::detect());
    let with = |level, threads, jit, stream_from| {
        let level = Some(level);
        let options = CpuOptions {
            level,
            threads,
            jit,
            stream_from,
            rows_from: stream_from,
            least_parallel: 1,
            ..CpuOptions::default()
        };
        CpuDevices::new(1, options).remove(0)
    };
    let variants = |level| {
        [
            with(level, 1, None, usize::MAX),
            with(level, 2, Some(level), usize::MAX),
            with(level, 1, Some(level), 0),
            with(level, 2, Some(level), 0),
            with(level, 2, None, 0),
        ]
    };
    levels.flat_map(variants).collect()
}

#[test]
fn random_kernels_equal_the_reference() {
    check(0..1500, &Options::default());
}

#[test]
fn long_axes_equal_the_reference() {
    check(0..24, &Options { longest: 20_000, iterations: 60_000, ..Options::default() });
}

/// Stencils whose rows begin anywhere in a line, with tiles that are not whole.
#[test]
fn stencils_equal_the_reference() {
    let devices = devices();
    for dtype in [F64, F32] {
        for shape in [[13, 1100], [3, 5000], [9, 530], [2, 13_000], [40, 7]] {
            for offset in [0, 3] {
                compare(&devices, &stencil(dtype, shape, offset), &format!("{dtype} {shape:?}"));
            }
        }
    }
}

/// Code so long that rounds overlap, of rows that have fewer elements than that, as many, and more; in place, too.
#[test]
fn long_code_equals_the_reference() {
    let devices = devices();
    for dtype in [F64, F32] {
        let round = 2 * 64 / dtype.size();
        let edges = (1..=4).flat_map(|rounds| (rounds * round - 1)..=(rounds * round + 1));
        for columns in edges.chain([1, 5, 301, 1000]) {
            for offset in [0, 3] {
                let case = long_code(dtype, [3, columns], offset);
                compare(&devices, &case, &format!("{dtype} 3 x {columns}, {offset}"));
            }
        }
    }
}

/// The sum of five neighbours, and the product of two of them to an array whose lines begin elsewhere.
fn stencil(dtype: RealType, [rows, columns]: [usize; 2], offset: i64) -> Case {
    let mut text = format!(
        "kernel params=5 scalars=[] b0: {dtype} rank 2 read noalias b1: {dtype} rank 2 write noalias
         b2: {dtype} rank 2 write noalias
         {{ for (i0: extent=p0 origin=p2 global=p0 logical=0,
                 i1: extent=p1 origin=p2 global=p1 logical=1) {{"
    );
    // p2 = 0, p3 = 1, p4 = 2
    for (k, (i, j)) in [(3, 3), (2, 3), (4, 3), (3, 2), (3, 4)].into_iter().enumerate() {
        text += &format!("%{k} = load b0[p{i} + 1*i0, p{j} + 1*i1] ");
    }
    text += &format!(
        "%5 = add.{dtype} %0 %1 %6 = add.{dtype} %5 %2 %7 = add.{dtype} %6 %3 %8 = add.{dtype} %7 %4
         %9 = mul.{dtype} %1 %2
         store b1[p2 + 1*i0, p2 + 1*i1] %8 store b2[p2 + 1*i0, p2 + 1*i1] %9 }} }}"
    );
    let wide = columns as i64;
    let elements = |count: usize| {
        (0..count).map(|k| Scalar::from((k % 1013) as f64 / 7.0).cast(dtype)).collect::<Vec<_>>()
    };
    let buffers = vec![
        BufferArg::new(0, 0, [wide + 2, 1]),
        BufferArg::new(1, offset, [wide + 1, 1]),
        BufferArg::new(2, 5, [wide, 1]),
    ];
    let params = vec![rows as i64, wide, 0, 1, 2];
    Case {
        kernel: Kernel::parse(&text).unwrap(),
        launch: Launch { buffers, params, scalars: Vec::new() },
        memory: vec![
            elements((rows + 2) * (columns + 2)),
            elements(rows * (columns + 1) + 3),
            elements(rows * columns + 5),
        ],
    }
}

/// Folds whose body does not go along memory: strides of all orders, forwards and backwards.
#[test]
fn folds_across_memory_equal_the_reference() {
    let devices = devices();
    let cases: [(usize, &[i64], &[i64]); 42] = [
        // Rows of one leaf, and of several.
        (1, &[37, 700], &[703, 1]),
        (1, &[5, 2100], &[2103, 1]),
        (1, &[5, 2100], &[2103, -1]),
        (1, &[300, 523], &[530, 1]),
        (2, &[2, 3, 1100], &[3400, 1111, 1]),
        // Kept points are rows.
        (1, &[600, 70], &[73, 1]),
        (1, &[100, 70], &[73, -1]),
        (1, &[100, 9, 20], &[187, 1, 9]),
        // The elements of a row are far apart.
        (0, &[70, 1100], &[1, 73]),
        (0, &[70, 1100], &[-1, 73]),
        (0, &[19, 5, 1030], &[1, 23, 117]),
        (1, &[3, 20, 700], &[20, 1, 61]),
        (0, &[70, 1100], &[1, -73]),
        (1, &[100, 70], &[-73, -1]),
        (0, &[3, 70, 1030], &[71, 1, 217]),
        (1, &[300, 0, 64], &[64, 0, 1]),
        // Kept points are columns: pieces of rows.
        (1, &[1111, 70], &[1, 1113]),
        (2, &[3, 600, 9], &[600 * 9, 1, 600]),
        // Few kept points, side by side with those of the next index.
        (1, &[5, 9, 100], &[1, 500, 5]),
        (2, &[3, 5, 1100], &[5500, 1, 5]),
        (1, &[31, 2070], &[1, 31]),
        // Backwards.
        (0, &[9, 2100], &[2111, -1]),
        (1, &[40, 1300], &[1301, -1]),
        (0, &[9, 3, 70], &[300, -90, -1]),
        (2, &[3, 70, 90], &[7001, -1, -73]),
        // Short rows of kept points.
        (2, &[40, 7, 100], &[703, 1, 7]),
        (2, &[40, 7, 9], &[65, 1, 7]),
        (2, &[40, 20, 31], &[620, 1, 20]),
        (2, &[40, 5, 40], &[200, 1, 5]),
        (3, &[3, 9, 2, 203], &[4000, 410, 1, 2]),
        // Many leaves side by side: 66 whole ones, and a part of one.
        (0, &[530, 70], &[1, 533]),
        (0, &[530, 70], &[1, -533]),
        (0, &[530, 70], &[-1, 533]),
        (0, &[530, 3, 45], &[1, 160_000, 533]),
        (1, &[130, 531], &[533, 1]),
        (1, &[130, 531], &[-533, 1]),
        (1, &[130, 531], &[533, -1]),
        // Few points, whose folds threads share: columns, results that lie otherwise, planes, short rows.
        (1, &[3, 3000], &[1, 3]),
        (2, &[40, 4, 300], &[1, 40, 160]),
        (2, &[3, 20, 500], &[10_000, 1, 20]),
        (1, &[4, 1500, 3], &[4500, 3, 1]),
        (1, &[3, 9000], &[9003, 1]),
    ];
    let trees = [
        (F64, TREE),
        (F32, "lanes=32 width=64 rounds=1 alone=8"),
        (F64, "lanes=4 width=8 rounds=4 alone=1"),
    ];
    for (number, (kept, extents, strides)) in cases.into_iter().enumerate() {
        for (dtype, tree) in [trees[0], trees[1 + number % 2]] {
            let case = fold(dtype, kept, extents, strides, tree);
            compare(&devices, &case, &format!("{dtype} {kept} {extents:?} {strides:?} {tree}"));
        }
    }
}

/// The standard tree, and pairs all the way down.
const TREE: &str = "lanes=32 width=64 rounds=32 alone=8";
const PAIRS: &str = "lanes=1 width=1 rounds=1 alone=8";

/// Folds of short rows, and of a few elements of each of many points: forwards, backwards, with gaps and across.
#[test]
fn folds_of_short_rows_equal_the_reference() {
    let devices = devices();
    // One point, and a product, which has a loop of its own.
    for items in [&["sum"][..], &["product"]] {
        let case = short_fold(F64, 1, [1, 5002], [5002, 1], TREE, items);
        compare(&devices, &case, &format!("one point: {items:?}"));
    }
    for k in [1, 2, 3, 4, 7, 12, 20, 31] {
        for (dtype, items) in [
            (F64, &["sum", "argmax"][..]),
            (F64, &["max"]),
            (F32, &["sum"]),
            (RealType::I64, &["sum", "argmin"]),
            (RealType::Bool, &["any"]),
            (RealType::U8, &["max", "argmin"]),
        ] {
            for strides in [[k, 1], [k, -1], [2 * k, 2], [1, 203]] {
                for kept in [0, 1] {
                    let case = short_fold(dtype, kept, [203, k], strides, TREE, items);
                    compare(&devices, &case, &format!("{dtype} {kept} {k} {strides:?} {items:?}"));
                }
                let across = [strides[1], strides[0]];
                for tree in [PAIRS, TREE] {
                    let case = short_fold(dtype, 1, [k, 203], across, tree, items);
                    let name = format!("{dtype} {tree} columns {k} {strides:?} {items:?}");
                    compare(&devices, &case, &name);
                }
            }
        }
    }
}

/// Folds of rows whose leaves are functions of their own: with and without a rest, of one leaf, of several and of several rows.
#[test]
fn folds_of_whole_leaves_equal_the_reference() {
    let devices = devices();
    for (k, rows) in [(32, 203), (33, 203), (64, 67), (100, 43), (340, 19), (1024, 9), (2100, 35)] {
        for (dtype, item) in [
            (F64, "sum"),
            (F64, "max"),
            (F64, "product"),
            (F32, "sum"),
            (RealType::I64, "prod"),
            (RealType::I32, "min"),
            (RealType::U8, "max"),
            (RealType::Bool, "any"),
            (RealType::Bool, "all"),
        ] {
            for strides in [[k, 1], [k + 3, -1], [-k, 1]] {
                for kept in [0, 1] {
                    let case = short_fold(dtype, kept, [rows, k], strides, TREE, &[item]);
                    compare(&devices, &case, &format!("{dtype} {kept} {k} {strides:?} {item}"));
                }
            }
        }
    }
}

/// Where the largest element is among some that are all the least there is, and behind NaN.
#[test]
fn places_of_extremes_equal_the_reference() {
    let devices = devices();
    for (tree, kept, extents) in [(PAIRS, 1, [3, 700]), (TREE, 0, [700, 3]), (TREE, 1, [700, 3])] {
        let strides = if tree == PAIRS { [1, 3] } else { [3, 1] };
        for item in ["argmax", "argmin"] {
            let least = if item == "argmax" { f64::NEG_INFINITY } else { f64::INFINITY };
            for (dtype, every) in [(F64, 2000), (F64, 97), (RealType::I64, 2000)] {
                let mut case = short_fold(dtype, kept, extents, strides, tree, &[item, "argmax"]);
                for (k, element) in case.memory[0].iter_mut().enumerate() {
                    let value = match k % every {
                        50 => f64::NAN,
                        70 => -least,
                        _ => least,
                    };
                    let whole = Scalar::from(if least < 0.0 { i64::MIN } else { i64::MAX });
                    *element = if dtype == RealType::I64 { whole } else { Scalar::from(value) };
                }
                compare(&devices, &case, &format!("{dtype} {tree} {kept} {item} {every}"));
            }
        }
    }
}

/// Folds whose elements are written, too: each once, whatever thread folds the leaf.
#[test]
fn folds_of_what_is_written_equal_the_reference() {
    let devices = devices();
    let axis =
        |k: usize, of: usize| format!("i{k}: extent=p{of} origin=p3 global=p{of} logical={k}");
    let tree = "lanes=32 width=64 rounds=32 alone=8";
    // Leaves side by side that parts of threads would cut: of 4, and of 3 where there are more pointers.
    for extents in [[88, 48, 7], [88, 40, 7], [2, 203, 5]] {
        let at = "p3 + 1*i0, p3 + 1*i1, p3 + 1*i2";
        let text = format!(
            "kernel params=4 scalars=[] b0: f64 rank 3 readwrite noalias b1: f64 rank 0 write noalias {{
             fold ({}, {}, {}) {tree} {{ %0 = load b0[{at}] %1 = add.f64 %0 %0 store b0[{at}] %1 }}
             %2 = sum %1 store b1[] %2 }}",
            axis(0, 0),
            axis(1, 1),
            axis(2, 2)
        );
        compare(&devices, &written(&text, extents, 1, &[]), &format!("{extents:?} in place"));
    }
    // A few elements of many points, that are also copied: the points are side by side in memory.
    let at = "p3 + 1*i2, p3 + 1*i0, p3 + 1*i1";
    let text = format!(
        "kernel params=4 scalars=[] b0: f64 rank 3 read noalias b1: f64 rank 3 write noalias
         b2: f64 rank 2 write noalias {{
         for ({}, {}) {{ fold ({}) {tree} {{ %0 = load b0[{at}] store b1[{at}] %0 }}
         %1 = sum %0 store b2[p3 + 1*i0, p3 + 1*i1] %1 }} }}",
        axis(0, 1),
        axis(1, 2),
        axis(2, 0)
    );
    compare(&devices, &written(&text, [8, 3, 700], 2, &[3, 700]), "a few that are copied");
    // Few points, by parts of threads: what is written is written once.
    let at = "p3 + 1*i1, p3 + 1*i2, p3 + 1*i0";
    let [i, j, k] = [axis(0, 2), axis(1, 0), axis(2, 1)];
    let text = format!(
        "kernel params=4 scalars=[] b0: f64 rank 3 readwrite noalias b1: f64 rank 1 write noalias {{
         for ({i}) {{ fold ({j}, {k}) {tree} {{ %0 = load b0[{at}] %1 = add.f64 %0 %0 store b0[{at}] %1 }}
         %2 = sum %1 store b1[p3 + 1*i0] %2 }} }}"
    );
    for extents in [[1500, 2, 7], [40, 500, 3]] {
        compare(&devices, &written(&text, extents, 1, &extents[2..]), &format!("{extents:?}"));
    }
    // Short rows of kept points, with indices.
    let at = "p3 + 1*i0, p3 + 1*i2, p3 + 1*i1";
    let text = format!(
        "kernel params=4 scalars=[] b0: f64 rank 3 read noalias b1: f64 rank 2 write noalias {{
         for ({}, {}) {{ fold ({}) {} {{ %0 = load b0[{at}] }} %1 %2 = argmax %0, %3 = sum %0
         %4 = to_f64.i64 %2 %5 = add.f64 %4 %3 store b1[p3 + 1*i0, p3 + 1*i1] %5 }} }}",
        axis(0, 0),
        axis(1, 2),
        axis(2, 1),
        "lanes=32 width=64 rounds=32 alone=8"
    );
    let lanes = text.replace(TREE, PAIRS);
    for (columns, indices) in [(2, 203), (5, 203), (8, 203), (13, 203), (8, 9), (13, 31), (5, 7)] {
        for text in [&text, &lanes] {
            let case = written(text, [70, indices, columns], 1, &[70, columns]);
            compare(&devices, &case, &format!("{indices} rows of {columns} points: {text}"));
        }
    }
}

/// A kernel of so many arrays of three axes, and of one of results.
fn written(text: &str, extents: [i64; 3], arrays: usize, results: &[i64]) -> Case {
    let kernel = Kernel::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let element = |k: i64| Scalar::from((k * 7919 % 101) as f64 / 7.0 - 4.0);
    let array: Vec<Scalar> = (0..extents.iter().product()).map(element).collect();
    let strides = |extents: &[i64]| -> Vec<i64> {
        (1..=extents.len()).map(|k| extents[k..].iter().product()).collect()
    };
    let mut memory = vec![array; arrays];
    memory.push(vec![Scalar::from(0.0); results.iter().product::<i64>() as usize]);
    let of = |k: usize| if k < arrays { &extents[..] } else { results };
    let buffers = (0..=arrays).map(|k| BufferArg::new(k, 0, strides(of(k)))).collect();
    let params = vec![extents[0], extents[1], extents[2], 0];
    Case { kernel, launch: Launch { buffers, params, scalars: Vec::new() }, memory }
}

/// Folds of a matrix over all axes but the first `kept` ones, of its rows.
fn short_fold(
    dtype: RealType,
    kept: usize,
    extents: [i64; 2],
    strides: [i64; 2],
    tree: &str,
    items: &[&str],
) -> Case {
    let axis = |k: usize| format!("i{k}: extent=p{k} origin=p2 global=p{k} logical={k}");
    let axes = |range: std::ops::Range<usize>| range.map(axis).collect::<Vec<_>>().join(", ");
    let mut buffers = format!("b0: {dtype} rank 2 read noalias");
    let [mut results, mut stores] = [(); 2].map(|()| String::new());
    let points = if kept == 1 { extents[0] } else { 1 };
    let read = |back: bool| -> i64 {
        let steps = strides.iter().zip(extents).filter(|(step, _)| (**step < 0) == back);
        steps.map(|(step, extent)| step.abs() * (extent - 1)).sum()
    };
    let element = |k: i64| Scalar::from((k * 7919 % 101) as f64 / 7.0 - 4.0).cast(dtype);
    let mut memory: Vec<Vec<Scalar>> = vec![(0..=read(true) + read(false)).map(element).collect()];
    let mut arguments = vec![BufferArg::new(0, read(true), strides)];
    let is_product = items.contains(&"product");
    let (load, compute) = ("load b0[p2 + 1*i0, p2 + 1*i1]", dtype.compute());
    let (square, from) = match (is_product, dtype.is_narrow()) {
        (true, _) => (format!("%1 = {load} %2 = mul.{dtype} %0 %1"), 2),
        (_, true) => (format!("%1 = to_{compute} %0"), 1),
        _ => (String::new(), 0),
    };
    let mut value = from + 1;
    for item in items {
        let item = if is_product { "sum" } else { *item };
        let indexed = item.starts_with("arg");
        let written = if indexed { RealType::I64 } else { compute };
        let buffer = memory.len();
        let result = value + usize::from(indexed);
        let names = if indexed { format!("%{value} %{result}") } else { format!("%{value}") };
        let at = if kept == 1 { "p2 + 1*i0" } else { "" };
        let comma = if value > from + 1 { "," } else { "" };
        results += &format!("{comma} {names} = {item} %{from}");
        stores += &format!("store b{buffer}[{at}] %{result} ");
        buffers += &format!(" b{buffer}: {written} rank {kept} write noalias");
        memory.push(vec![Scalar::from(0.0).cast(written); points as usize]);
        arguments.push(BufferArg::new(buffer, 0, std::iter::repeat_n(1, kept)));
        value = result + 1;
    }
    let body = format!(
        "fold ({}) {tree}
         {{ %0 = {load} {square} }} {results} {stores}",
        axes(kept..2)
    );
    let body = if kept == 1 { format!("for ({}) {{ {body} }}", axes(0..1)) } else { body };
    let text = format!("kernel params=3 scalars=[] {buffers} {{ {body} }}");
    let params = vec![extents[0], extents[1], 0];
    Case {
        kernel: Kernel::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}")),
        launch: Launch { buffers: arguments, params, scalars: Vec::new() },
        memory,
    }
}

/// The sums of an array, and of it and one of another type, over all axes but the first `kept` ones.
fn fold(dtype: RealType, kept: usize, extents: &[i64], strides: &[i64], tree: &str) -> Case {
    let rank = extents.len();
    let other = if dtype == F64 { F32 } else { F64 };
    let axis = |k: usize| format!("i{k}: extent=p{k} origin=p{rank} global=p{k} logical={k}");
    let axes = |range: std::ops::Range<usize>| range.map(axis).collect::<Vec<_>>().join(", ");
    let at = |range: std::ops::Range<usize>| {
        range.map(|k| format!("p{rank} + 1*i{k}")).collect::<Vec<_>>().join(", ")
    };
    let body = format!(
        "fold ({}) {tree} {{ %0 = load b0[{at}] %1 = load b3[{at}]
         %2 = to_{dtype}.{other} %1 %3 = add.{dtype} %0 %2 }}
         %4 = sum %3, %5 = sum %0 store b1[{to}] %4 store b2[{to}] %5",
        axes(kept..rank),
        at = at(0..rank),
        to = at(0..kept),
    );
    let body = match kept {
        0 => body,
        _ => format!("for ({}) {{ {body} }}", axes(0..kept)),
    };
    let text = format!(
        "kernel params={} scalars=[] b0: {dtype} rank {rank} read noalias
         b1: {dtype} rank {kept} write noalias b2: {dtype} rank {kept} write noalias
         b3: {other} rank {rank} read noalias {{ {body} }}",
        rank + 1
    );
    let reach = |back: bool| -> i64 {
        let steps = strides.iter().zip(extents).filter(|(step, _)| (**step < 0) == back);
        steps.map(|(step, extent)| step.abs() * (extent - 1).max(0)).sum()
    };
    let mut results = vec![1; kept];
    for k in (1..kept).rev() {
        results[k - 1] = results[k] * extents[k];
    }
    let written: i64 = extents[..kept].iter().product();
    let elements = |dtype: RealType| {
        let element = |k: i64| Scalar::from((k * 7919 % 1013) as f64 / 7.0 - 40.0).cast(dtype);
        (0..=reach(true) + reach(false)).map(element).collect::<Vec<_>>()
    };
    let read = |number: usize| BufferArg::new(number, reach(true), strides.iter().copied());
    Case {
        kernel: Kernel::parse(&text).unwrap(),
        launch: Launch {
            buffers: vec![
                read(0),
                BufferArg::new(1, 0, results.clone()),
                BufferArg::new(2, 0, results),
                read(3),
            ],
            params: extents.iter().copied().chain([0]).collect(),
            scalars: Vec::new(),
        },
        memory: vec![
            elements(dtype),
            vec![Scalar::from(0.0).cast(dtype); written as usize],
            vec![Scalar::from(0.0).cast(dtype); written as usize],
            elements(other),
        ],
    }
}

fn check(seeds: std::ops::Range<u64>, options: &Options) {
    let devices = devices();
    for seed in seeds {
        compare(&devices, &random_kernel(seed, options), &format!("seed {seed}"));
    }
    for device in &devices {
        assert_eq!(device.stats().bytes_in_use, 0);
    }
}

fn compare(devices: &[Arc<dyn Device>], case: &Case, what: &str) {
    let mut expected = case.memory.clone();
    interpret(&case.kernel, &case.launch, &mut expected).unwrap();
    for device in devices {
        let name = &device.describe().name;
        let refused = |fault| panic!("{what} on {name}: {fault}\n{}", case.kernel);
        let found = run(&**device, case).unwrap_or_else(refused);
        if let Some(difference) = first_difference(&expected, &found) {
            panic!("{what} on {name}: {difference:?}\n{}\n{:?}", case.kernel, case.launch);
        }
    }
}
