//! What is chosen for nests as programs have them, as text: of AVX-512 code, which every machine can make.

use super::choose;
use super::summary::{CodeSummary, NestSummary, Summary};
use crate::execute::testing::{Array, with_bound};
use crate::jit::{Course, Target};
use crate::level::Level;
use crate::processor::Processor;
use darray_codegen::lower;
use darray_kernel::ir::Kernel;
use expect_test::{Expect, expect};
use smallvec::smallvec;

/// Bytes from which on a nest is large, if none is.
const NONE: usize = usize::MAX;

/// Checks the schedule of the nest `x op y` over two axes: the elements of each array along them, `b2` is written.
fn elements(extents: [usize; 2], strides: [[i64; 2]; 3], large: usize, expect: &Expect) {
    let text = "kernel params=3 scalars=[]
        b0: f64 rank 2 read noalias b1: f64 rank 2 read noalias b2: f64 rank 2 write noalias {
        for (i0: extent=p0 origin=p2 global=p0 logical=0, i1: extent=p1 origin=p2 global=p1 logical=1) {
            %0 = load b0[p2 + 1*i0, p2 + 1*i1]
            %1 = load b1[p2 + 1*i0, p2 + 1*i1]
            %2 = add.f64 %0 %1
            store b2[p2 + 1*i0, p2 + 1*i1] %2
        } }";
    // Backwards from the last element.
    let offset = |strides: &[i64; 2]| {
        let down = |axis: usize| strides[axis].min(0).unsigned_abs() as usize * (extents[axis] - 1);
        down(0) + down(1)
    };
    let arrays: Vec<Array<'_>> = (strides.iter().enumerate())
        .map(|(block, strides)| Array { block, offset: offset(strides), strides })
        .collect();
    let params = [extents[0], extents[1], 0];
    with_bound(text, &arrays, &params, Some(Target::Avx512), large, |bound| {
        expect.assert_eq(&bound.schedule.to_string());
    });
}

/// Checks the schedule of a fold over one of two axes, or both: which are kept, what the elements are, and how it folds.
fn folds(
    kept: &[usize],
    extents: [usize; 2],
    strides: [i64; 2],
    fold: (&str, &str),
    expect: &Expect,
) {
    let (body, item) = fold;
    // Kept loops come first.
    let reduced = (0..2).filter(|axis| !kept.contains(axis));
    let order: Vec<usize> = kept.iter().copied().chain(reduced).collect();
    let number = |axis: usize| order.iter().position(|&k| k == axis).unwrap_or(0);
    let one = |&k: &usize| format!("i{}: extent=p{k} origin=p2 global=p{k} logical={k}", number(k));
    let axes = |of: &[usize]| of.iter().map(one).collect::<Vec<_>>().join(", ");
    let (all, reduced) = (axes(kept), axes(&order[kept.len()..]));
    let out = (0..kept.len()).map(|k| format!("p2 + 1*i{k}")).collect::<Vec<_>>().join(", ");
    let [first, second] = [0, 1].map(number);
    let (read, written, values) = match item {
        _ if body.contains("to_i32") => ("u8", "i64", "%8 %9"),
        _ if item.contains("any") => ("bool", "bool", "%9"),
        _ if item.contains("arg") => ("f64", "i64", "%8 %9"),
        _ => ("f64", "f64", "%9"),
    };
    let inner = format!(
        "fold ({reduced}) lanes=32 width=64 rounds=32 alone=8 {{
            %0 = load b0[p2 + 1*i{first}, p2 + 1*i{second}] {body} }} {values} = {item} store b1[{out}] %9"
    );
    let nest = match kept {
        [] => inner,
        _ => format!("for ({all}) {{ {inner} }}"),
    };
    let text = format!(
        "kernel params=3 scalars=[] b0: {read} rank 2 read noalias
         b1: {written} rank {} write noalias {{ {nest} }}",
        kept.len()
    );
    let ones: Vec<i64> = kept.iter().map(|_| 1).collect();
    let arrays = [
        Array { block: 0, offset: 0, strides: &strides },
        Array { block: 1, offset: 0, strides: &ones },
    ];
    let params = [extents[0], extents[1], 0];
    with_bound(&text, &arrays, &params, Some(Target::Avx512), NONE, |bound| {
        expect.assert_eq(&bound.schedule.to_string());
    });
}

const SUM: (&str, &str) = ("", "sum %0");

#[test]
fn element_wise_nests() {
    let whole = [300, 1];
    elements(
        [200, 300],
        [whole, whole, whole],
        NONE,
        &expect!["vectors along i1 < 60000; whole rows in machine code"],
    );
    elements(
        [200, 300],
        [[301, 1], whole, whole],
        NONE,
        &expect!["rows i0 < 200; vectors along i1 < 300; whole rows in machine code"],
    );
    elements(
        [200, 300],
        [[1, 200], whole, whole],
        NONE,
        &expect![
            "rows i0 < 200; vectors along i1 < 300; whole rows in machine code; tiles of 64 x 128; transposed a0"
        ],
    );
    elements(
        [200, 300],
        [[0, 1], [300, 0], whole],
        NONE,
        &expect!["rows i0 < 200; vectors along i1 < 300; whole rows in machine code"],
    );
    elements(
        [200, 300],
        [[-300, -1], whole, whole],
        NONE,
        &expect!["vectors along i1 < 60000; whole rows in machine code; reversed a0"],
    );
    elements(
        [200, 30],
        [[600, 2], [30, 1], [30, 1]],
        NONE,
        &expect![
            "rows i0 < 200; vectors along i1 < 30; blocks of 768; tiles of all x 1536; gathered a0"
        ],
    );
    elements(
        [5000, 3],
        [[4, 1], [3, 1], [3, 1]],
        NONE,
        &expect![
            "rows i1 < 3; vectors along i0 < 5000; blocks of 576; tiles of all x 256; gathered a0 a1 a2"
        ],
    );
    elements(
        [200, 300],
        [whole, whole, whole],
        0,
        &expect![
            "vectors along i1 < 60000; whole rows in machine code; non-temporal a2; prefetch a0 a1"
        ],
    );
}

#[test]
fn sums() {
    folds(
        &[],
        [200, 300],
        [300, 1],
        SUM,
        &expect![
            "fold i0 < 200, i1 < 300 over lanes: 32 lanes, leaves of 300, 64 a step, in machine code"
        ],
    );
    folds(
        &[],
        [200, 300],
        [301, 1],
        SUM,
        &expect![
            "fold i0 < 200, i1 < 300 over lanes: 32 lanes, leaves of 300, 64 a step, in machine code"
        ],
    );
    folds(
        &[],
        [200, 30],
        [31, 1],
        SUM,
        &expect!["fold i0 < 200, i1 < 30 over lanes: 32 lanes, leaves of 960, by loops"],
    );
    folds(
        &[0],
        [20, 3000],
        [3000, 1],
        SUM,
        &expect![
            "points along i0 < 20; fold i1 < 3000 over lanes: 32 lanes, leaves of 1024, 16 points together, in machine code"
        ],
    );
    folds(
        &[0],
        [200, 300],
        [300, 1],
        SUM,
        &expect![
            "points along i0 < 200; fold i1 < 300 over lanes: 32 lanes, leaves of 300, 16 points together, in machine code"
        ],
    );
    folds(
        &[0],
        [5000, 3],
        [3, 1],
        SUM,
        &expect!["points along i0 < 5000; fold i1 < 3 over points, each at once, in machine code"],
    );
    folds(
        &[0],
        [300, 200],
        [1, 300],
        SUM,
        &expect![
            "points along i0 < 300; fold i1 < 200 over points: 32 lanes, leaves of 200, 256 points together, in machine code"
        ],
    );
    folds(
        &[1],
        [200, 300],
        [300, 1],
        SUM,
        &expect![
            "points along i0 < 300; fold i1 < 200 over points: one lane, leaves of 8, 4 a step, 300 points together, in machine code"
        ],
    );
    folds(
        &[1],
        [5000, 8],
        [8, 1],
        SUM,
        &expect![
            "points along i0 < 8; fold i1 < 5000 over points: 8 lanes, leaves of 256, 8 a step, 8 points together, in machine code"
        ],
    );
    let squares = ("%1 = mul.f64 %0 %0", "sum %1");
    folds(
        &[1],
        [5000, 8],
        [8, 1],
        squares,
        &expect![
            "points along i0 < 8; fold i1 < 5000 over points: 8 lanes, leaves of 256, 8 a step, 8 points together, in machine code"
        ],
    );
    folds(
        &[0],
        [200, 300],
        [602, 2],
        squares,
        &expect![
            "points along i0 < 200; gathered a0; fold i1 < 300 over lanes: 32 lanes, leaves of 300, by loops"
        ],
    );
}

#[test]
fn folds_in_any_order_and_with_indices() {
    folds(
        &[],
        [200, 300],
        [300, 1],
        ("", "max %0"),
        &expect![
            "fold i0 < 200, i1 < 300 over lanes: 32 lanes, leaves of 300, 64 a step, in machine code"
        ],
    );
    // The leaves of rows of two.
    folds(
        &[],
        [60, 1600],
        [1600, 1],
        ("", "max %0"),
        &expect![
            "fold i0 < 60, i1 < 1600 over lanes: 32 lanes, leaves of 1024, 16 rows of 2 a step, in machine code"
        ],
    );
    // Bytes are searched as they lie.
    folds(
        &[0],
        [200, 300],
        [300, 1],
        ("%1 = to_i32 %0", "argmax %1"),
        &expect!["points along i0 < 200; fold i1 < 300 over elements, in any order"],
    );
    // The stride of an axis of one index says nothing.
    let column = expect!["fold i0 < 60000, i1 < 1 over elements, in any order"];
    folds(&[], [60000, 1], [1, 0], ("", "argmax %0"), &column);
    folds(&[], [60000, 1], [1, 1], ("", "argmax %0"), &column);
    folds(
        &[],
        [1, 60000],
        [0, 1],
        ("", "argmax %0"),
        &expect!["fold i0 < 1, i1 < 60000 over elements, in any order"],
    );
    folds(
        &[0],
        [200, 300],
        [300, 1],
        ("", "max %0"),
        &expect![
            "points along i0 < 200; fold i1 < 300 over lanes: 32 lanes, leaves of 300, 16 points together, in machine code"
        ],
    );
    folds(
        &[1],
        [200, 300],
        [300, 1],
        ("", "max %0"),
        &expect![
            "points along i0 < 300; fold i1 < 200 over points: one lane, leaves of 8, 4 a step, 300 points together, in machine code"
        ],
    );
    folds(
        &[1],
        [200, 300],
        [300, 1],
        ("", "any %0"),
        &expect!["points along i0 < 300; fold i1 < 200 over bytes of columns, in any order"],
    );
    folds(
        &[0],
        [200, 300],
        [300, 1],
        ("", "any %0"),
        &expect!["points along i0 < 200; fold i1 < 300 over elements, in any order"],
    );
    folds(
        &[1],
        [200, 300],
        [300, 1],
        ("", "argmax %0"),
        &expect![
            "points along i0 < 300; fold i1 < 200 over points: one lane, leaves of 8, all of them a step, 300 points together, by loops"
        ],
    );
    let squares = ("%1 = mul.f64 %0 %0", "argmax %1");
    folds(
        &[1],
        [200, 300],
        [300, 1],
        squares,
        &expect![
            "points along i0 < 300; fold i1 < 200 over points: one lane, leaves of 8, all of them a step, 300 points together, by loops"
        ],
    );
    folds(
        &[0],
        [200, 300],
        [300, 1],
        squares,
        &expect![
            "points along i0 < 200; fold i1 < 300 over lanes: 32 lanes, leaves of 300, all of them a step, by loops"
        ],
    );
}

/// A stencil in memory, of data alone: on processors that this machine need not be.
#[test]
fn choices_need_no_machine() {
    let text = "kernel params=4 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 2 write noalias {
        for (i0: extent=p0 origin=p1 global=p0 logical=0, i1: extent=p0 origin=p1 global=p0 logical=1) {
            %0 = load b0[p1 + 1*i0, p2 + 1*i1] %1 = load b0[p3 + 1*i0, p2 + 1*i1]
            %2 = load b0[p2 + 1*i0, p1 + 1*i1] %3 = add.f64 %0 %1 %4 = add.f64 %3 %2
            store b1[p1 + 1*i0, p1 + 1*i1] %4
        } }";
    let program = lower(&Kernel::parse(text).unwrap()).unwrap();
    let chosen = |processor: Processor| {
        let nest = &program.nests[0];
        let of_nest = NestSummary::new(&program, nest, Level::Avx512, Some(Target::Avx512));
        let nest = NestSummary { processor, ..of_nest };
        let (row, size) = (4000 * 8, 8);
        let summary = Summary {
            nest: &nest,
            extents: &[3998, 3998],
            offsets: &[size, 2 * row + size, row, 0],
            strides: &[row, row, row, row, size, size, size, size],
            blocks: smallvec![0, 0, 0, 1 << 40],
            tree: None,
            stream_from: 32 << 20,
            with_points: true,
            with_reversed: true,
        };
        let mut schedule = choose(&summary);
        let non_temporal = schedule.traffic.non_temporal;
        let code = CodeSummary { before: 1, has_rows: true, non_temporal, ..Default::default() };
        schedule.fit(&summary, &code);
        (schedule.to_string(), schedule.traffic.course)
    };
    let text = |columns: usize| {
        format!(
            "rows i0 < 3998; vectors along i1 < 3998; whole rows in machine code; \
             tiles of 8 x {columns}; non-temporal a3; prefetch a1"
        )
    };
    assert_eq!(chosen(Processor::Other), (text(128), Course::Rows));
    assert_eq!(chosen(Processor::Amd), (text(64), Course::Rows));
    assert_eq!(chosen(Processor::Zen5), (text(32), Course::Tiles));
}
