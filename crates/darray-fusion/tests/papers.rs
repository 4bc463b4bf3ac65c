//! Plans for the figures and listings of the papers: Diffuse (002) and "Task fusion" (000).
//!
//! Grids of any number of points along the first axis have the same plan, since a plan holds no
//! sizes; `check` shows it for 1-d grids (1 point or 4 points) and, where a 2-d grid groups
//! differently, the test says so.

use darray_fusion::plan::{Costs, Grouping, Mode, PlanOptions, Rules};
use darray_fusion::planner;
use darray_ir::Window;
use darray_kernel::tree::TreeRule;
use expect_test::{Expect, expect};

fn options(mode: Mode, distributed_axes: usize) -> PlanOptions {
    PlanOptions {
        mode,
        distributed_axes,
        grouping: Grouping::Prefix,
        costs: Costs::CPU,
        tree_rule: TreeRule::STANDARD,
        contract: false,
        rules: Rules::default(),
    }
}

fn plan_text(window: &str, mode: Mode, distributed_axes: usize) -> String {
    let window = Window::parse(window).unwrap();
    let plan = planner::plan(&window, &options(mode, distributed_axes));
    format!("{window}{}", plan.text(&window))
}

#[track_caller]
fn check(window: &str, expect: Expect) {
    expect.assert_eq(&plan_text(window, Mode::Fused, 1));
}

/// 002, figure 2: the sum of five views fuses with the scaling; the copy into the aliasing view is
/// a task of its own, and so is the next iteration's sum.
const STENCIL: &str = "
s0: f64 [6, 6] initialised live
s1: f64 [4, 4]
s2: f64 [4, 4]
s3: f64 [4, 4]
s4: f64 [4, 4]
s5: f64 [4, 4]
s6: f64 [4, 4]
s7: f64 [4, 4] live
t0: add.f64 over [4, 4]: s1[i0, i1] = s0[1 + i0, 1 + i1], s0[i0, 1 + i1]
t1: add.f64 over [4, 4]: s2[i0, i1] = s1[i0, i1], s0[1 + i0, 2 + i1]
t2: add.f64 over [4, 4]: s3[i0, i1] = s2[i0, i1], s0[1 + i0, i1]
t3: add.f64 over [4, 4]: s4[i0, i1] = s3[i0, i1], s0[2 + i0, 1 + i1]
t4: mul.f64 over [4, 4]: s5[i0, i1] = 0.2:f64, s4[i0, i1]
t5: copy over [4, 4]: s0[1 + i0, 1 + i1] = s5[i0, i1]
t6: add.f64 over [4, 4]: s6[i0, i1] = s0[1 + i0, 1 + i1], s0[i0, 1 + i1]
t7: add.f64 over [4, 4]: s7[i0, i1] = s6[i0, i1], s0[1 + i0, 2 + i1]
";

#[test]
fn figure_2_stencil() {
    check(
        STENCIL,
        expect![[r#"
        s0: f64 [4, 4]
        s1: f64 [6, 6] initialised live
        s2: f64 [4, 4]
        s3: f64 [4, 4]
        s4: f64 [4, 4]
        s5: f64 [4, 4]
        s6: f64 [4, 4]
        s7: f64 [4, 4] live
        t0: add.f64 over [4, 4]: s0[i0, i1] = s1[1 + i0, 1 + i1], s1[i0, 1 + i1]
        t1: add.f64 over [4, 4]: s2[i0, i1] = s0[i0, i1], s1[1 + i0, 2 + i1]
        t2: add.f64 over [4, 4]: s3[i0, i1] = s2[i0, i1], s1[1 + i0, i1]
        t3: add.f64 over [4, 4]: s4[i0, i1] = s3[i0, i1], s1[2 + i0, 1 + i1]
        t4: mul.f64 over [4, 4]: s5[i0, i1] = 0.2:f64, s4[i0, i1]
        t5: copy over [4, 4]: s1[1 + i0, 1 + i1] = s5[i0, i1]
        t6: add.f64 over [4, 4]: s6[i0, i1] = s1[1 + i0, 1 + i1], s1[i0, 1 + i1]
        t7: add.f64 over [4, 4]: s7[i0, i1] = s6[i0, i1], s1[1 + i0, 2 + i1]
        F0: t0..t4
          args: s0[i0, i1] readwrite, s1[1 + i0, 1 + i1] read, s1[i0, 1 + i1] read, s2[i0, i1] readwrite, s1[1 + i0, 2 + i1] read, s3[i0, i1] readwrite, s1[1 + i0, i1] read, s4[i0, i1] readwrite, s1[2 + i0, 1 + i1] read, s5[i0, i1] write
          temporaries: s0 s2 s3 s4
          kernel K0: t0..t4
        F1: t5
          args: s1[1 + i0, 1 + i1] write, s5[i0, i1] read
          kernel K1: t5
        F2: t6 t7
          args: s6[i0, i1] readwrite, s1[1 + i0, 1 + i1] read, s1[i0, 1 + i1] read, s7[i0, i1] write, s1[1 + i0, 2 + i1] read
          temporaries: s6
          kernel K2: t6 t7
        points: t0 stops at t5: anti-dependence on s1
        points: t5 stops at t6: true dependence on s1
    "#]],
    );
    assert_eq!(plan_text(STENCIL, Mode::Fused, 1), plan_text(STENCIL, Mode::Fused, 2));
}

#[test]
fn figure_2_in_task_mode_keeps_a_kernel_per_task() {
    expect![[r#"
        s0: f64 [4, 4]
        s1: f64 [6, 6] initialised live
        s2: f64 [4, 4]
        s3: f64 [4, 4]
        s4: f64 [4, 4]
        s5: f64 [4, 4]
        s6: f64 [4, 4]
        s7: f64 [4, 4] live
        t0: add.f64 over [4, 4]: s0[i0, i1] = s1[1 + i0, 1 + i1], s1[i0, 1 + i1]
        t1: add.f64 over [4, 4]: s2[i0, i1] = s0[i0, i1], s1[1 + i0, 2 + i1]
        t2: add.f64 over [4, 4]: s3[i0, i1] = s2[i0, i1], s1[1 + i0, i1]
        t3: add.f64 over [4, 4]: s4[i0, i1] = s3[i0, i1], s1[2 + i0, 1 + i1]
        t4: mul.f64 over [4, 4]: s5[i0, i1] = 0.2:f64, s4[i0, i1]
        t5: copy over [4, 4]: s1[1 + i0, 1 + i1] = s5[i0, i1]
        t6: add.f64 over [4, 4]: s6[i0, i1] = s1[1 + i0, 1 + i1], s1[i0, 1 + i1]
        t7: add.f64 over [4, 4]: s7[i0, i1] = s6[i0, i1], s1[1 + i0, 2 + i1]
        F0: t0..t4
          args: s0[i0, i1] readwrite, s1[1 + i0, 1 + i1] read, s1[i0, 1 + i1] read, s2[i0, i1] readwrite, s1[1 + i0, 2 + i1] read, s3[i0, i1] readwrite, s1[1 + i0, i1] read, s4[i0, i1] readwrite, s1[2 + i0, 1 + i1] read, s5[i0, i1] write
          temporaries: s0 s2 s3 s4
          kernel K0: t0
          kernel K1: t1, s2 in place of s0
          kernel K2: t2, s3 in place of s2
          kernel K3: t3, s4 in place of s3
          kernel K4: t4, s5 in place of s4
        F1: t5
          args: s1[1 + i0, 1 + i1] write, s5[i0, i1] read
          kernel K5: t5
        F2: t6 t7
          args: s6[i0, i1] readwrite, s1[1 + i0, 1 + i1] read, s1[i0, 1 + i1] read, s7[i0, i1] write, s1[1 + i0, 2 + i1] read
          temporaries: s6
          kernel K6: t6
          kernel K7: t7, s7 in place of s6
        points: t0 stops at t5: anti-dependence on s1
        points: t5 stops at t6: true dependence on s1
    "#]].assert_eq(&plan_text(STENCIL, Mode::Task, 1));
}

/// 002, figure 8: of the stores of the fused task only z (s1) is temporary: w (s3) is read through a
/// part by the pending norm, v (s4) is live, x and y are only read.
#[test]
fn figure_8_temporaries() {
    check(
        "
s0: f64 [8] initialised live
s1: f64 [8]
s2: f64 [8] initialised live
s3: f64 [8]
s4: f64 [8] live
s5: f64 [4]
s6: f64 [] live
t0: mul.f64 over [8]: s1[i0] = 2.0:f64, s0[i0]
t1: add.f64 over [8]: s3[i0] = s2[i0], s1[i0]
t2: powi{2}.f64 over [8]: s4[i0] = s3[i0]
t3: mul.f64 over [4]: s5[i0] = s3[4 + i0], s3[4 + i0]
t4: sum{0} over [4]: s6[] = s5[i0]
",
        expect![[r#"
            s0: f64 [8]
            s1: f64 [8] initialised live
            s2: f64 [8]
            s3: f64 [8] initialised live
            s4: f64 [8] live
            s5: f64 [4]
            s6: f64 [] live
            t0: mul.f64 over [8]: s0[i0] = 2.0:f64, s1[i0]
            t1: add.f64 over [8]: s2[i0] = s3[i0], s0[i0]
            t2: powi{2}.f64 over [8]: s4[i0] = s2[i0]
            t3: mul.f64 over [4]: s5[i0] = s2[4 + i0], s2[4 + i0]
            t4: sum{0} over [4]: s6[] = s5[i0]
            F0: t0..t2
              args: s0[i0] readwrite, s1[i0] read, s2[i0] readwrite, s3[i0] read, s4[i0] write
              temporaries: s0
              kernel K0: t0..t2
            F1: t3 t4
              args: s5[i0] readwrite, s2[4 + i0] read, s6[] reduce(Sum)
              temporaries: s5
              kernel K1: t3 t4
            points: t1 stops at t3: true dependence on s2
        "#]],
    );
}

/// 000, figure 4: exp(-R * T) is one task.
#[test]
fn figure_4_of_000() {
    check(
        "
s0: f64 [8] initialised live
s1: f64 [8]
s2: f64 [8] initialised live
s3: f64 [8]
s4: f64 [8] live
t0: neg.f64 over [8]: s1[i0] = s0[i0]
t1: mul.f64 over [8]: s3[i0] = s1[i0], s2[i0]
t2: exp.f64 over [8]: s4[i0] = s3[i0]
",
        expect![[r#"
            s0: f64 [8]
            s1: f64 [8] initialised live
            s2: f64 [8]
            s3: f64 [8] initialised live
            s4: f64 [8] live
            t0: neg.f64 over [8]: s0[i0] = s1[i0]
            t1: mul.f64 over [8]: s2[i0] = s0[i0], s3[i0]
            t2: exp.f64 over [8]: s4[i0] = s2[i0]
            F0: t0..t2
              args: s0[i0] readwrite, s1[i0] read, s2[i0] readwrite, s3[i0] read, s4[i0] write
              temporaries: s0 s2
              kernel K0: t0..t2
        "#]],
    );
}

/// 000, figure 3: a two-point stencil needs communication between the tasks that write and read.
#[test]
fn figure_3_of_000() {
    check(
        "
s0: f64 [8] initialised live
s1: f64 [7] live
t0: add.f64 over [7]: s1[i0] = s0[i0], s0[1 + i0]
t1: copy over [7]: s0[1 + i0] = s1[i0]
t2: copy over [7]: s1[i0] = s0[i0]
",
        expect![[r#"
            s0: f64 [7] live
            s1: f64 [8] initialised live
            t0: add.f64 over [7]: s0[i0] = s1[i0], s1[1 + i0]
            t1: copy over [7]: s1[1 + i0] = s0[i0]
            t2: copy over [7]: s0[i0] = s1[i0]
            F0: t0
              args: s0[i0] write, s1[i0] read, s1[1 + i0] read
              kernel K0: t0
            F1: t1
              args: s1[1 + i0] write, s0[i0] read
              kernel K1: t1
            F2: t2
              args: s0[i0] write, s1[i0] read
              kernel K2: t2
            points: t0 stops at t1: anti-dependence on s1
            points: t1 stops at t2: true dependence on s1
        "#]],
    );
}

/// Jacobi (dense): the product is a builtin, the rest of the iteration one task.
#[test]
fn jacobi() {
    check(
        "
s0: f64 [8, 1]
s1: f64 [8, 8] initialised live
s2: f64 [8] initialised
s3: f64 [8]
s4: f64 [8] initialised live
s5: f64 [8] initialised live
s6: f64 [8] live
t0: matmul over [8, 1]: s0[i0, i1] = s1[i0, i1], s2[i0]
t1: sub.f64 over [8]: s3[i0] = s4[i0], s0[i0, 0]
t2: div.f64 over [8]: s6[i0] = s3[i0], s5[i0]
",
        expect![[r#"
            s0: f64 [8, 1]
            s1: f64 [8, 8] initialised live
            s2: f64 [8] initialised
            s3: f64 [8]
            s4: f64 [8] initialised live
            s5: f64 [8] live
            s6: f64 [8] initialised live
            t0: matmul over [8, 1]: s0[i0, i1] = s1[i0, i1], s2[i0]
            t1: sub.f64 over [8]: s3[i0] = s4[i0], s0[i0, 0]
            t2: div.f64 over [8]: s5[i0] = s3[i0], s6[i0]
            F0: t0
              args: s0[i0, i1] write, s1[i0, i1] read, s2[i0] read
              builtin MatMul: t0
            F1: t1 t2
              args: s3[i0] readwrite, s4[i0] read, s0[i0, 0] read, s5[i0] write, s6[i0] read
              temporaries: s3
              kernel K0: t1 t2
            points: t0 stops at t1: a builtin is never merged
        "#]],
    );
}

/// Row sums are whole over points cut by rows, column sums are not: with the reduction's result
/// used afterwards, rows fuse over points (and part over elements), columns do not fuse at all.
#[test]
fn reductions_by_axis() {
    let window = |axis: usize, kept: &str| {
        format!(
            "
s0: f64 [8, 8] initialised live
s1: f64 [8] live
s2: f64 [8, 8] live
t0: sum{{{axis}}} over [8, 8]: s1[{kept}] = s0[i0, i1]
t1: sub.f64 over [8, 8]: s2[i0, i1] = s0[i0, i1], s1[{kept}]
"
        )
    };
    check(
        &window(1, "i0"),
        expect![[r#"
            s0: f64 [8] live
            s1: f64 [8, 8] initialised live
            s2: f64 [8, 8] live
            t0: sum{1} over [8, 8]: s0[i0] = s1[i0, i1]
            t1: sub.f64 over [8, 8]: s2[i0, i1] = s1[i0, i1], s0[i0]
            F0: t0 t1
              args: s0[i0] readwrite, s1[i0, i1] read, s2[i0, i1] write
              kernel K0: t0 t1, by rows: t0 | t1
            elements: t0 stops at t1: reduction on s0
        "#]],
    );
    check(
        &window(0, "i1"),
        expect![[r#"
        s0: f64 [8] live
        s1: f64 [8, 8] initialised live
        s2: f64 [8, 8] live
        t0: sum{0} over [8, 8]: s0[i1] = s1[i0, i1]
        t1: sub.f64 over [8, 8]: s2[i0, i1] = s1[i0, i1], s0[i1]
        F0: t0
          args: s0[i1] reduce(Sum), s1[i0, i1] read
          kernel K0: t0
        F1: t1
          args: s2[i0, i1] write, s1[i0, i1] read, s0[i1] read
          kernel K1: t1
        points: t0 stops at t1: reduction on s0
    "#]],
    );
    expect![[r#"
        s0: f64 [8] live
        s1: f64 [8, 8] initialised live
        s2: f64 [8, 8] live
        t0: sum{1} over [8, 8]: s0[i0] = s1[i0, i1]
        t1: sub.f64 over [8, 8]: s2[i0, i1] = s1[i0, i1], s0[i0]
        F0: t0
          args: s0[i0] reduce(Sum), s1[i0, i1] read
          kernel K0: t0
        F1: t1
          args: s2[i0, i1] write, s1[i0, i1] read, s0[i0] read
          kernel K1: t1
        points: t0 stops at t1: reduction on s0
    "#]]
    .assert_eq(&plan_text(&window(1, "i0"), Mode::Fused, 2));
}

/// 002, figure 12: two additions become one loop that never stores the intermediate.
#[test]
fn figure_12_kernel() {
    let window = "
s0: f64 [8] initialised live
s1: f64 [8] initialised live
s2: f64 [8]
s3: f64 [8] initialised live
s4: f64 [8] live
t0: add.f64 over [8]: s2[i0] = s0[i0], s1[i0]
t1: add.f64 over [8]: s4[i0] = s2[i0], s3[i0]
";
    let window = Window::parse(window).unwrap();
    let plan = planner::plan(&window, &options(Mode::Fused, 1));
    expect![[r#"
        F0: t0 t1
          args: s0[i0] readwrite, s1[i0] read, s2[i0] read, s3[i0] write, s4[i0] read
          temporaries: s0
          kernel K0: t0 t1
            kernel params=4 scalars=[]
              b0: f64 rank 1 read noalias
              b1: f64 rank 1 read noalias
              b2: f64 rank 1 read noalias
              b3: f64 rank 1 write noalias
            {
              for (i0: extent=p1 origin=p2 global=p3 logical=0) {
                %0 = load b0[p0 + 1*i0]
                %1 = load b1[p0 + 1*i0]
                %2 = load b2[p0 + 1*i0]
                %3 = add.f64 %0 %1
                %4 = add.f64 %2 %3
                store b3[p0 + 1*i0] %4
              }
            }
    "#]]
    .assert_eq(&plan.text_with_kernels(&window));
}
