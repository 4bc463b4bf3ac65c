//! Kernels in, register-level code out. Update with `UPDATE_EXPECT=1 cargo test -p darray-codegen`.

use darray_codegen::{FoldMode, Layout, StrideClass, lower, specialise};
use darray_kernel::ir::Kernel;
use expect_test::{Expect, expect};

use StrideClass::{Still, Strided, Unit};

/// The code of the last nest of a kernel.
fn check(kernel: &str, vector: Option<u8>, mode: FoldMode, classes: &[StrideClass], code: Expect) {
    let program = lower(&Kernel::parse(kernel).unwrap()).unwrap();
    let nest = program.nests.last().unwrap();
    assert_eq!(nest.accesses.len(), classes.len());
    let layout = Layout { vector, classes: classes.into(), mode };
    code.assert_eq(&specialise(&program, nest, &layout).to_string());
}

const HEAD: &str = "kernel params=2 scalars=[f64]
    b0: f64 rank 1 read noalias b1: f64 rank 1 read noalias b2: f64 rank 1 write noalias
    { %0 = scalar 0 for (i0: extent=p0 origin=p1 global=p0 logical=0) {";

fn flat(body: &str) -> String {
    format!("{HEAD} {body} }} }}")
}

#[test]
fn contiguous_loads_and_stores_are_operands() {
    let kernel = flat(
        "%1 = load b0[p1 + 1*i0] %2 = load b1[p1 + 1*i0] %3 = maximum.f64 %1 %2
         store b2[p1 + 1*i0] %3",
    );
    check(
        &kernel,
        Some(0),
        FoldMode::Kept,
        &[Unit, Unit, Unit],
        expect![[r#"
        registers 0 of 1 bytes, cells 1
        before:
          a2 = maximum.f64 a0 a1
    "#]],
    );
    check(
        &kernel,
        Some(0),
        FoldMode::Kept,
        &[Strided, Unit, Strided],
        expect![[r#"
        registers 1 of 8 bytes, cells 1
        before:
          r0 = gather.f64 a0
          r0 = maximum.f64 r0 a1
          a2 = scatter.f64 r0
    "#]],
    );
}

#[test]
fn what_does_not_move_is_one_element() {
    let kernel = flat(
        "%1 = load b0[p1 + 1*i0] %2 = load b1[p1 + 1*i0] %3 = exp.f64 %2 %4 = maximum.f64 %1 %3
         store b2[p1 + 1*i0] %4",
    );
    check(
        &kernel,
        Some(0),
        FoldMode::Kept,
        &[Unit, Still, Unit],
        expect![[r#"
        registers 0 of 1 bytes, cells 3
        before_row:
          c1 = gather.f64 a1
          c2 = exp.f64 c1
        before:
          a2 = maximum.f64 a0 c2'
    "#]],
    );
    check(
        &kernel,
        Some(0),
        FoldMode::Kept,
        &[Still, Still, Unit],
        expect![[r#"
        registers 0 of 1 bytes, cells 5
        before_row:
          c1 = gather.f64 a0
          c2 = gather.f64 a1
          c3 = exp.f64 c2
          c4 = maximum.f64 c1 c3
        before:
          a2 = scatter.f64 c4'
    "#]],
    );
}

#[test]
fn arithmetic_is_one_operator_after_another() {
    let kernel = flat(
        "%1 = load b0[p1 + 1*i0] %2 = load b1[p1 + 1*i0]
         %3 = mul.f64 %0 %1 %4 = add.f64 %3 %2 %5 = div.f64 %0 %4 %6 = neg.f64 %5
         %7 = sub.f64 %2 %6 %8 = exp.f64 %7
         store b2[p1 + 1*i0] %8",
    );
    check(
        &kernel,
        Some(0),
        FoldMode::Kept,
        &[Unit; 3],
        expect![[r#"
            registers 1 of 8 bytes, cells 1
            before:
              r0 = mul.f64 c0' a0
              r0 = add.f64 r0 a1
              r0 = div.f64 c0' r0
              r0 = neg.f64 r0
              r0 = sub.f64 a1 r0
              a2 = exp.f64 r0
        "#]],
    );
}

#[test]
fn values_that_are_used_twice_are_registers_and_registers_are_used_again() {
    let kernel = flat(
        "%1 = load b0[p1 + 1*i0] %2 = exp.f64 %1 %3 = ln.f64 %2 %4 = mul.f64 %2 %3
         %5 = gt.f64 %4 %0 %6 = select.f64 %5 %4 %1
         store b2[p1 + 1*i0] %6",
    );
    check(
        &kernel,
        Some(0),
        FoldMode::Kept,
        &[Unit; 2],
        expect![[r#"
        registers 2 of 8 bytes, cells 1
        before:
          r0 = exp.f64 a0
          r1 = ln.f64 r0
          r0 = mul.f64 r0 r1
          r1 = gt.f64 r0 c0'
          a1 = select.f64 r1 r0 a0
    "#]],
    );
}

#[test]
fn a_store_keeps_its_place_where_moving_it_would_show() {
    // The old value of b0 is used after the store.
    let kernel = "kernel params=2 scalars=[] b0: f64 rank 1 readwrite b1: f64 rank 1 write
        { for (i0: extent=p0 origin=p1 global=p0 logical=0) {
            %0 = load b0[p1 + 1*i0] %1 = exp.f64 %0 store b0[p1 + 1*i0] %1
            %2 = ln.f64 %0 store b1[p1 + 1*i0] %2 } }";
    check(
        kernel,
        Some(0),
        FoldMode::Kept,
        &[Unit; 3],
        expect![[r#"
        registers 1 of 8 bytes, cells 0
        before:
          r0 = gather.f64 a0
          a1 = exp.f64 r0
          a2 = ln.f64 r0
    "#]],
    );
}

#[test]
fn masked_stores_and_indices() {
    let kernel = "kernel params=2 scalars=[] b0: i64 rank 1 readwrite noalias
        { %0 = const.i64 5 for (i0: extent=p0 origin=p1 global=p0 logical=0) {
            %1 = index i0 %2 = lt.i64 %1 %0 store b0[p1 + 1*i0] %1 if %2 } }";
    check(
        kernel,
        Some(0),
        FoldMode::Kept,
        &[Unit],
        expect![[r#"
        registers 2 of 8 bytes, cells 1
        before:
          r0 = iota i0
          r1 = lt.i64 r0 c0'
          a0 = scatter.i64 r0 where r1
    "#]],
    );
}

/// Rows of a matrix times a vector, plus a vector.
const MATVEC: &str = "kernel params=3 scalars=[] b0: f64 rank 2 read noalias
    b1: f64 rank 1 read noalias b2: f64 rank 1 read noalias b3: f64 rank 1 write noalias
    { for (i0: extent=p0 origin=p2 global=p0 logical=0) {
        %0 = load b2[p2 + 1*i0]
        fold (i1: extent=p1 origin=p2 global=p1 logical=1)
            lanes=32 width=64 rounds=32 alone=8 {
          %1 = load b0[p2 + 1*i0, p2 + 1*i1] %2 = load b1[p2 + 1*i1]
          %3 = mul.f64 %1 %2 %4 = mul.f64 %3 %0
        } %5 = sum %4
        %6 = add.f64 %5 %0
        store b3[p2 + 1*i0] %6 } }";

#[test]
fn folds_by_lanes_take_kept_values_one_at_a_time() {
    check(
        MATVEC,
        Some(0),
        FoldMode::Lanes,
        &[Unit; 4],
        expect![[r#"
            registers 2 of 8 bytes, cells 0
            k0: r0 of 8 bytes
            before:
              r0 = gather.f64 a0
            fold:
              r1 = mul.f64 a1 a2
              r1 = mul.f64 r1 k0'
            fold takes r1 f64
            after:
              a3 = add.f64 f0 r0
        "#]],
    );
}

#[test]
fn folds_by_kept_points_take_reduced_values_one_at_a_time() {
    check(
        MATVEC,
        Some(0),
        FoldMode::Kept,
        &[Unit, Unit, Still, Unit],
        expect![[r#"
            registers 2 of 8 bytes, cells 1
            before:
              r0 = gather.f64 a0
            fold_row:
              c0 = gather.f64 a2
            fold:
              r1 = mul.f64 a1 c0'
              r1 = mul.f64 r1 r0
            fold takes r1 f64
            after:
              a3 = add.f64 f0 r0
        "#]],
    );
}

#[test]
fn top_level_folds_end_in_cells() {
    let kernel = "kernel params=2 scalars=[] b0: f64 rank 1 read noalias
        b1: f64 rank 1 partial noalias b2: f64 rank 0 write noalias
        { fold (i0: extent=p0 origin=p1 global=p0 logical=0)
            lanes=32 width=64 rounds=32 alone=8 {
            %0 = load b0[p1 + 1*i0] } %1 = sum %0
          yield b1[p1] %1 %2 = sqrt.f64 %1 store b2[] %2 }";
    let program = lower(&Kernel::parse(kernel).unwrap()).unwrap();
    let mut text = String::new();
    for (nest, classes) in program.nests.iter().zip([&[Unit, Still][..], &[Still]]) {
        let layout = Layout { vector: None, classes: classes.into(), mode: FoldMode::Lanes };
        text += &specialise(&program, nest, &layout).to_string();
    }
    expect![[r#"
        registers 0 of 1 bytes, cells 2
        fold takes a0 f64
        after_row:
          a1 = yield.f64 f0
        registers 0 of 1 bytes, cells 2
        before_row:
          c1 = sqrt.f64 c0
          a0 = scatter.f64 c1'
    "#]]
    .assert_eq(&text);
}
