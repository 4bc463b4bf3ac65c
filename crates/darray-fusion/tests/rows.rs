//! Kernels by rows: which nests of different domains are one kernel, and what stops them.

use darray_fusion::plan::{Costs, Grouping, Mode, PlanOptions, Rules, Step};
use darray_fusion::{facts, planner, verify};
use darray_ir::Window;
use darray_kernel::tree::TreeRule;
use expect_test::{Expect, expect};

fn options(distributed_axes: usize) -> PlanOptions {
    PlanOptions {
        mode: Mode::Fused,
        distributed_axes,
        grouping: Grouping::Prefix,
        costs: Costs::CPU,
        tree_rule: TreeRule::STANDARD,
        contract: false,
        rules: Rules::default(),
    }
}

fn plan_text(text: &str, distributed_axes: usize) -> String {
    let window = Window::parse(text).expect("a window");
    darray_ir::verify::verify(&window).expect("a valid window");
    let options = options(distributed_axes);
    let plan = planner::plan(&window, &options);
    verify::verify(&window, &plan, &options).expect("a valid plan");
    plan.text(&window)
}

/// Kernels and builtins of a window's plan.
fn steps(text: &str) -> usize {
    let window = Window::parse(text).expect("a window");
    let options = options(1);
    let plan = planner::plan(&window, &options);
    verify::verify(&window, &plan, &options).expect("a valid plan");
    plan.step_count()
}

#[track_caller]
fn check(window: &str, expect: Expect) {
    expect.assert_eq(&plan_text(window, 1));
}

/// A step of logistic regression: the matrix s1 is read by the first nest and by the last.
const LOGISTIC_REGRESSION: &str = "
s0: f64 [100]
s1: f64 [100, 32] initialised live
s2: f64 [32] initialised
s3: f64 [100]
s4: f64 [100]
s5: f64 [100] initialised live
s6: f64 [32]
s7: f64 [32] live
t0: inner_product{1} over [100, 32]: s0[i0] = s1[i0, i1], s2[i1]
t1: exp.f64 over [100]: s3[i0] = s0[i0]
t2: sub.f64 over [100]: s4[i0] = s5[i0], s3[i0]
t3: inner_product{0} over [100, 32]: s6[i1] = s1[i0, i1], s4[i0]
t4: add.f64 over [32]: s7[i0] = s2[i0], s6[i0]
";

#[test]
fn a_matrix_is_read_once_by_a_step_of_logistic_regression() {
    check(
        LOGISTIC_REGRESSION,
        expect![[r#"
        F0: t0..t3
          args: s0[i0] write, s1[i0, i1] read, s2[i1] read, s3[i0] readwrite, s0[i0] read, s4[i0] write, s5[i0] read, s6[i1] reduce(Sum), s4[i0] read
          temporaries: s0 s3 s4
          kernel K0: t0..t3, by rows: t0 | t1 t2 | t3
        F1: t4
          args: s7[i0] write, s2[i0] read, s6[i0] read
          kernel K1: t4, s7 in place of s2
        elements: t0 stops at t1: launch domain
        elements: t1 stops at t3: launch domain
        rows: t0 stops at t4: launch domain
    "#]],
    );
}

#[test]
fn grids_of_several_axes_have_no_kernels_by_rows() {
    let plan = plan_text(LOGISTIC_REGRESSION, 2);
    assert!(!plan.contains("by rows") && plan.contains("K3"), "{plan}");
}

/// The row sums of a matrix, and what becomes of the matrix with them.
fn with_row_sums(then: &str) -> String {
    format!(
        "s0: f64 [8] live
        s1: f64 [8, 8] initialised live
        s2: f64 [8, 8] live
        s3: f64 [8, 3] initialised live
        t0: sum{{1}} over [8, 8]: s0[i0] = s1[i0, i1]
        {then}"
    )
}

#[test]
fn what_another_row_needs_stops() {
    let one = "t1: sub.f64 over [8, 8]: s2[i0, i1] = s1[i0, i1], s0[i0]";
    assert_eq!(steps(&with_row_sums(one)), 1);
    // The sum of another row, of the row after, of every row.
    let transposed = "t1: sub.f64 over [8, 8]: s2[i0, i1] = s1[i0, i1], s0[i1]";
    assert_eq!(steps(&with_row_sums(transposed)), 2);
    let next = "t1: sub.f64 over [7, 8]: s2[i0, i1] = s1[i0, i1], s0[1 + i0]";
    assert_eq!(steps(&with_row_sums(next)), 2);
    // Of as many rows, but other ones.
    let backwards = "t1: sub.f64 over [8, 8]: s2[i0, i1] = s1[i0, i1], s0[7 + -1*i0]";
    assert_eq!(steps(&with_row_sums(backwards)), 2);
    // A write where another row reads.
    let assign = "t1: add.f64 over [8, 8]: s1[i1, i0] = s0[i0], 1.0:f64";
    assert_eq!(steps(&with_row_sums(assign)), 2);
    // A write into the row that was read.
    let assign = "t1: add.f64 over [8, 8]: s1[i0, i1] = s0[i0], 1.0:f64";
    assert_eq!(steps(&with_row_sums(assign)), 1);
    // Nothing in common.
    let apart = "t1: add.f64 over [8, 3]: s3[i0, i1] = s3[i0, i1], 1.0:f64";
    assert_eq!(steps(&with_row_sums(apart)), 2);
}

#[test]
fn a_result_of_all_rows_stops() {
    check(
        "s0: f64 [8]
        s1: f64 [8, 4] initialised live
        s2: f64 [4]
        s3: f64 [8, 4] live
        t0: sum{1} over [8, 4]: s0[i0] = s1[i0, i1]
        t1: inner_product{0} over [8, 4]: s2[i1] = s1[i0, i1], s0[i0]
        t2: sub.f64 over [8, 4]: s3[i0, i1] = s1[i0, i1], s2[i1]",
        expect![[r#"
            F0: t0 t1
              args: s0[i0] readwrite, s1[i0, i1] read, s2[i1] reduce(Sum)
              temporaries: s0
              kernel K0: t0 t1, by rows: t0 | t1
            F1: t2
              args: s3[i0, i1] write, s1[i0, i1] read, s2[i1] read
              kernel K1: t2
            elements: t0 stops at t1: launch domain
            rows: t1 stops at t2: reduction on s2
        "#]],
    );
}

#[test]
fn as_many_rows_is_a_guard() {
    let window = |rows: usize| {
        let text = format!(
            "s0: f64 [9] live
            s1: f64 [9, 4] initialised live
            s2: f64 [{rows}] live
            t0: sum{{1}} over [9, 4]: s0[i0] = s1[i0, i1]
            t1: max{{1}} over [{rows}, 3]: s2[i0] = s1[i0, i1]"
        );
        Window::parse(&text).expect("a window")
    };
    let (all, some) = (window(9), window(7));
    let plan = planner::plan(&all, &options(1));
    let [Step::Kernel(kernel)] = &plan.groups[0].steps[..] else { panic!("one kernel") };
    assert!(kernel.kernel.by_rows && kernel.nests == [[0], [1]]);
    assert!(facts::hold(&plan.guards, &all) && !facts::hold(&plan.guards, &some));
    let plan = planner::plan(&some, &options(1));
    assert_eq!(plan.step_count(), 2);
}
