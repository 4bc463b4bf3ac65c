//! Kernels by rows on any number of threads: bit-equal to the reference interpreter, and how they ran.

use darray_core::{RealType, Scalar};
use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_device::{Device, RowStats};
use darray_differential::{Case, first_difference, run};
use darray_interpreter::{BufferArg, Launch, interpret};
use darray_kernel::ir::Kernel;
use std::sync::Arc;

/// Leaves of four elements, and of two rows of four elements and more.
const TINY: &str = "lanes=2 width=4 rounds=2 alone=2";
/// Leaves of up to 64 rows, and of 16 where these are long: blocks of rows are several of them.
const MIDDLE: &str = "lanes=32 width=64 rounds=2 alone=16";
/// Outside of tests.
const STANDARD: &str = "lanes=32 width=64 rounds=32 alone=8";

const NONE: RowStats = RowStats { alone: 0, shared: 0, apart: 0, unrelated: 0 };
const ALONE: RowStats = RowStats { alone: 1, ..NONE };
const SHARED: RowStats = RowStats { shared: 1, ..NONE };
const APART: RowStats = RowStats { apart: 1, ..NONE };

/// How a matrix lies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lies {
    ByRows,
    ByColumns,
}
use Lies::{ByColumns, ByRows};

/// What the tile has of all rows: where it begins, how many, of how many.
#[derive(Clone, Copy, Debug)]
struct Rows {
    origin: usize,
    extent: usize,
    global: usize,
}

fn all(rows: usize) -> Rows {
    Rows { origin: 0, extent: rows, global: rows }
}

/// Axes of the kernels: rows of the tile, columns. Params are the tile's extent, origin and global extent,
/// columns, 0.
const ROWS: &str = "extent=p0 origin=p1 global=p2 logical=0";
const COLUMNS: &str = "extent=p3 origin=p4 global=p3 logical=1";

/// A kernel over the rows of a matrix `b0` with a vector `b1` for its columns and one `b2` for its rows; what
/// it yields goes to `b3` (a slot, columns), `b4`, `b5` and `b7` (a slot).
fn kernel(dtype: RealType, body: &str) -> String {
    format!(
        "kernel params=5 scalars=[] by rows b0: {dtype} rank 2 read noalias
         b1: {dtype} rank 1 read noalias b2: {dtype} rank 1 readwrite noalias
         b3: {dtype} rank 2 partial noalias b4: {dtype} rank 1 partial noalias b5: i64 rank 1 partial noalias
         b6: {dtype} rank 2 write noalias b7: {dtype} rank 1 partial noalias
         {{ {body} }}"
    )
}

/// `s = x . w`, `e = s * s - s` in its place, and `x^T . e`.
fn regression(dtype: RealType, tree: &str) -> String {
    let body = format!(
        "for (i0: {ROWS}) {{ fold (i1: {COLUMNS}) {tree} {{
           %0 = load b0[p4 + 1*i0, p4 + 1*i1] %1 = load b1[p4 + 1*i1] %2 = mul.{dtype} %0 %1
         }} %3 = sum %2 store b2[p4 + 1*i0] %3 }}
         for (i0: {ROWS}) {{ %4 = load b2[p4 + 1*i0] %5 = mul.{dtype} %4 %4 %6 = sub.{dtype} %5 %4
           store b2[p4 + 1*i0] %6 }}
         for (i0: {COLUMNS}) {{ fold (i1: {ROWS}) {tree} {{
           %7 = load b0[p4 + 1*i1, p4 + 1*i0] %8 = load b2[p4 + 1*i1] %9 = mul.{dtype} %7 %8
         }} %10 = sum %9 yield b3[p4, p4 + 1*i0] %10 }}"
    );
    kernel(dtype, &body)
}

/// The rows' sums, and over all rows: where the largest element of the matrix is, the sum of all elements less
/// their row's sum, in the same fold, and the sum of the rows' sums.
fn reductions(dtype: RealType, tree: &str) -> String {
    let body = format!(
        "for (i0: {ROWS}) {{ fold (i1: {COLUMNS}) {tree} {{ %0 = load b0[p4 + 1*i0, p4 + 1*i1] }}
           %1 = sum %0 store b2[p4 + 1*i0] %1 }}
         fold (i0: {ROWS}, i1: {COLUMNS}) {tree} {{
           %2 = load b0[p4 + 1*i0, p4 + 1*i1] %3 = load b2[p4 + 1*i0] %4 = sub.{dtype} %2 %3
         }} %5 = sum %4, %6 %7 = argmax %2
         yield b4[p4] %5 yield b5[p4] %7
         fold (i0: {ROWS}) {tree} {{ %8 = load b2[p4 + 1*i0] }}
         %9 = sum %8 yield b7[p4] %9"
    );
    kernel(dtype, &body)
}

/// The rows' largest elements, and the matrix over them; no fold over rows.
fn normalise(dtype: RealType, tree: &str) -> String {
    let body = format!(
        "for (i0: {ROWS}) {{ fold (i1: {COLUMNS}) {tree} {{ %0 = load b0[p4 + 1*i0, p4 + 1*i1] }}
           %1 = max %0 store b2[p4 + 1*i0] %1 }}
         for (i0: {ROWS}, i1: {COLUMNS}) {{
           %2 = load b0[p4 + 1*i0, p4 + 1*i1] %3 = load b2[p4 + 1*i0] %4 = div.{dtype} %2 %3
           store b6[p4 + 1*i0, p4 + 1*i1] %4 }}"
    );
    kernel(dtype, &body)
}

/// Columns' sums with one more fold in them, for every column and each of three others around it.
fn inner_rows(dtype: RealType, tree: &str) -> String {
    let body = format!(
        "for (i0: {ROWS}) {{ fold (i1: {COLUMNS}) {tree} {{ %0 = load b0[p4 + 1*i0, p4 + 1*i1] }}
           %1 = sum %0 store b2[p4 + 1*i0] %1 }}
         for (i0: {COLUMNS}, i1: {ROWS}) {{ %2 = load b0[p4 + 1*i1, p4 + 1*i0] %3 = load b2[p4 + 1*i1]
           %4 = mul.{dtype} %2 %3 store b6[p4 + 1*i1, p4 + 1*i0] %4 }}
         for (i0: {COLUMNS}) {{ fold (i1: {ROWS}) {tree} {{
           %5 = load b0[p4 + 1*i1, p4 + 1*i0] %6 = load b2[p4 + 1*i1] %7 = sub.{dtype} %5 %6 %8 = mul.{dtype} %7 %7
         }} %9 = sum %8, %10 = min %7 yield b3[p4, p4 + 1*i0] %9 }}"
    );
    kernel(dtype, &body)
}

/// A kernel with a matrix of so many rows and columns.
fn case(text: &str, dtype: RealType, rows: Rows, columns: usize, lies: Lies) -> Case {
    let kernel = Kernel::parse(text).unwrap();
    // Sums that round: every order gives other bits.
    let value = |k: usize| ((k * 7919) % 1009) as f64 / 97.0 - 3.7 + 1.0 / (k + 3) as f64;
    let elements = |count: usize, dtype: RealType| {
        (0..count.max(1)).map(|k| Scalar::from(value(k)).cast(dtype)).collect::<Vec<_>>()
    };
    let (n, k) = (rows.extent, columns);
    let strides = match lies {
        ByRows => [k as i64, 1],
        ByColumns => [1, n as i64],
    };
    // A tile's subtrees.
    let slots = 2 * usize::BITS as usize;
    let memory = vec![
        elements(n * k, dtype),
        elements(k, dtype),
        elements(n, dtype),
        elements(slots * k, dtype),
        elements(slots, dtype),
        elements(slots, RealType::I64),
        elements(n * k, dtype),
        elements(slots, dtype),
    ];
    // Rows count from the first of all.
    let first = -(rows.origin as i64);
    let buffers = vec![
        BufferArg::new(0, first * strides[0], strides),
        BufferArg::new(1, 0, [1]),
        BufferArg::new(2, first, [1]),
        BufferArg::new(3, 0, [k as i64, 1]),
        BufferArg::new(4, 0, [1]),
        BufferArg::new(5, 0, [1]),
        BufferArg::new(6, first * strides[0], strides),
        BufferArg::new(7, 0, [1]),
    ];
    let params = [n, rows.origin, rows.global, k, 0].map(|param| param as i64).to_vec();
    Case { kernel, launch: Launch { buffers, params, scalars: Vec::new() }, memory }
}

fn device(threads: usize, jit: Option<Level>) -> Arc<dyn Device> {
    let options =
        CpuOptions { threads, jit, least_parallel: 0, rows_from: 0, ..CpuOptions::default() };
    CpuDevices::new(1, options).remove(0)
}

/// A case on one to four threads, interpreted and in machine code: `ran` says how on one, two, three and four.
#[track_caller]
fn check(what: &str, case: &Case, ran: [RowStats; 4]) {
    let mut expected = case.memory.clone();
    interpret(&case.kernel, &case.launch, &mut expected).unwrap();
    assert!(first_difference(&expected, &case.memory).is_some(), "{what} does nothing");
    for (jit, (threads, ran)) in [None, Some(Level::Avx512)]
        .into_iter()
        .flat_map(|jit| (1..).zip(ran).map(move |ran| (jit, ran)))
    {
        let device = device(threads, jit);
        let found = run(&*device, case).unwrap_or_else(|fault| panic!("{what}: {fault}"));
        let difference = first_difference(&expected, &found);
        assert!(difference.is_none(), "{what} on {threads} threads: {difference:?}");
        assert_eq!(device.stats().rows, ran, "{what} on {threads} threads");
    }
}

const EVERY: [RowStats; 4] = [ALONE, SHARED, SHARED, SHARED];

#[test]
fn threads_share_rows_that_folds_go_over() {
    // Rows of a tile of several devices, whose fold has subtrees; a last short block and leaf.
    let part = Rows { origin: 64, extent: 193, global: 257 };
    for dtype in [RealType::F64, RealType::F32] {
        for (lies, rows) in [
            (ByRows, all(257)),
            (ByColumns, all(257)),
            (ByColumns, all(256)),
            (ByRows, part),
            (ByColumns, part),
        ] {
            for columns in [1, 9, 40] {
                let what = format!("{dtype} {lies:?} {rows:?} {columns}");
                let text = regression(dtype, TINY);
                check(&what, &case(&text, dtype, rows, columns, lies), EVERY);
            }
        }
    }
}

#[test]
fn threads_share_blocks_of_many_rows() {
    // A block has 32 rows, two leaves.
    let (n, columns) = (64 * 12 + 5, 1100);
    for lies in [ByRows, ByColumns] {
        let text = regression(RealType::F64, MIDDLE);
        check(&format!("{lies:?}"), &case(&text, RealType::F64, all(n), columns, lies), EVERY);
    }
}

/// Leaves 49..98 leave four subtrees behind before the five that wait within the largest.
#[test]
fn more_subtrees_wait_in_a_part_than_in_the_whole() {
    let text = regression(RealType::F64, MIDDLE);
    check("parts", &case(&text, RealType::F64, all(98 * 64), 2, ByRows), EVERY);
}

#[test]
fn threads_share_rows_of_folds_without_kept_points() {
    let part = Rows { origin: 32, extent: 161, global: 193 };
    for rows in [all(193), part] {
        for columns in [1, 5, 70] {
            for lies in [ByRows, ByColumns] {
                let text = reductions(RealType::F64, TINY);
                let what = format!("{rows:?} {columns} {lies:?}");
                check(&what, &case(&text, RealType::F64, rows, columns, lies), EVERY);
            }
        }
    }
}

#[test]
fn threads_share_rows_that_are_kept() {
    for (rows, columns) in [(97, 33), (400, 3), (1, 90)] {
        for lies in [ByRows, ByColumns] {
            let ran = if rows == 1 { [ALONE, APART, APART, APART] } else { EVERY };
            let what = format!("{rows} {columns} {lies:?}");
            for text in [normalise(RealType::F32, TINY), normalise(RealType::F32, STANDARD)] {
                check(&what, &case(&text, RealType::F32, all(rows), columns, lies), ran);
            }
        }
    }
}

#[test]
fn threads_share_rows_that_are_inner_loops() {
    for (rows, columns) in [(97, 33), (50, 7)] {
        for lies in [ByRows, ByColumns] {
            let what = format!("{rows} {columns} {lies:?}");
            let text = inner_rows(RealType::F64, TINY);
            check(&what, &case(&text, RealType::F64, all(rows), columns, lies), EVERY);
        }
    }
}

#[test]
fn few_or_unequal_parts_are_not_shared() {
    let f64 = |text: String, rows: usize| case(&text, RealType::F64, all(rows), 6, ByRows);
    let kept = |rows: usize| f64(normalise(RealType::F64, TINY), rows);
    // Four threads have less to do than one of three would.
    check("3 rows", &kept(3), [ALONE, SHARED, SHARED, SHARED]);
    check("2 rows", &kept(2), [ALONE, SHARED, SHARED, APART]);
    // Leaves of two rows.
    let folded = |rows: usize| f64(regression(RealType::F64, TINY), rows);
    check("1 leaf", &folded(2), [ALONE, APART, APART, APART]);
    check("2 leaves", &folded(4), [ALONE, SHARED, SHARED, APART]);
    check("5 leaves", &folded(10), [ALONE, SHARED, SHARED, APART]);
    // Columns of six have leaves of 512 rows.
    let one = f64(regression(RealType::F64, STANDARD), 500);
    check("1 long leaf", &one, [ALONE, APART, APART, APART]);
}

#[test]
fn folds_that_hold_as_much_as_the_rows_are_not_shared() {
    let ran = |rows: usize, columns: usize, ran| {
        let text = regression(RealType::F64, TINY);
        check(&format!("{rows}"), &case(&text, RealType::F64, all(rows), columns, ByRows), ran);
    };
    ran(16, 5000, [ALONE, APART, APART, APART]);
    ran(16, 500, EVERY);
}

#[test]
fn sums_over_no_columns_have_nothing_to_share() {
    let body = format!(
        "for (i0: {ROWS}) {{ fold (i1: {COLUMNS}) {TINY} {{ %0 = load b0[p4 + 1*i0, p4 + 1*i1] }}
           %1 = sum %0 store b2[p4 + 1*i0] %1 }}
         fold (i0: {ROWS}, i1: {COLUMNS}) {TINY} {{ %2 = load b0[p4 + 1*i0, p4 + 1*i1] }}
         %3 = sum %2 yield b4[p4] %3"
    );
    let empty = case(&kernel(RealType::F64, &body), RealType::F64, all(40), 0, ByRows);
    check("no columns", &empty, [ALONE; 4]);
}
