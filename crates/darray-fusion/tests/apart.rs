//! What plans say of neighbouring kernels: with what they would be one, and what that would save; and what is not computed.

use darray_fusion::order::bytes;
use darray_fusion::plan::{Costs, Grouping, Mode, PlanOptions, Rules};
use darray_fusion::planner;
use darray_ir::Window;
use darray_kernel::tree::TreeRule;
use expect_test::{Expect, expect};

fn options(mode: Mode) -> PlanOptions {
    PlanOptions {
        mode,
        distributed_axes: 1,
        grouping: Grouping::Graph,
        costs: Costs::CPU,
        tree_rule: TreeRule::STANDARD,
        contract: false,
        rules: Rules::default(),
    }
}

/// The lines of the explanation that are about the order and about boundaries.
#[track_caller]
fn check(text: &str, mode: Mode, expect: Expect) {
    let window = Window::parse(text).unwrap();
    let plan = planner::plan(&window, &options(mode));
    let window = plan.order.as_ref().map_or(window.clone(), |order| order.applied(&window));
    let explanation = plan.explanation(&window);
    let is_about = |line: &&str| {
        ["points", "rows", "elements", "  one", "in the", "not"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    let lines: Vec<&str> = explanation.lines().filter(is_about).collect();
    expect.assert_eq(&lines.join("\n"));
}

const STENCIL: &str = "
s0: f64 [6] initialised live
s1: f64 [4]
t0: add.f64 over [4]: s1[i0] = s0[i0], s0[1 + i0]
t1: copy over [4]: s0[1 + i0] = s1[i0]
";

#[test]
fn dependences_name_the_partitions() {
    check(
        STENCIL,
        Mode::Fused,
        expect![[r#"
            points: t0 stops at t1: anti-dependence on s1
              one kernel if t0 read only what t1 writes, s1[1 + i0], and not s1[i0], or t1 wrote another array; 64 bytes less"#]],
    );
    check(
        "
s0: f64 [6] initialised live
s1: f64 [4] live
t0: neg.f64 over [4]: s0[i0] = s0[i0]
t1: copy over [4]: s1[i0] = s0[1 + i0]
",
        Mode::Fused,
        expect![[r#"
            points: t0 stops at t1: true dependence on s0
              one kernel if t1 used only what t0 writes, s0[i0], and not s0[1 + i0]; 32 bytes less"#]],
    );
}

#[test]
fn folds_domains_builtins_and_modes_say_what_they_need() {
    check(
        "
s0: f64 [4, 4] initialised live
s1: f64 [4]
s2: f64 [4, 4] live
t0: sum{0} over [4, 4]: s1[i1] = s0[i0, i1]
t1: sub.f64 over [4, 4]: s2[i0, i1] = s0[i0, i1], s1[i1]
",
        Mode::Fused,
        expect![[r#"
            points: t0 stops at t1: reduction on s0
              one kernel if t1 did not need s0, all of which t0 folds first; 192 bytes less"#]],
    );
    check(
        "
s0: f64 [4] initialised live
s1: f64 [4] live
s2: f64 [2] initialised live
s3: f64 [2] live
t0: neg.f64 over [4]: s1[i0] = s0[i0]
t1: neg.f64 over [2]: s3[i0] = s2[i0]
",
        Mode::Fused,
        expect![[r#"
            elements: t0 stops at t1: launch domain
              one kernel if t0 and t1 went over the same domain, not over [4] and [2]; no bytes less"#]],
    );
    check(
        "
s0: f64 [8, 1] live
s1: f64 [8, 8] initialised live
s2: f64 [8] initialised live
s3: f64 [8, 1] live
t0: matmul over [8, 1]: s0[i0, i1] = s1[i0, i1], s2[i0]
t1: neg.f64 over [8, 1]: s3[i0, i1] = s0[i0, i1]
",
        Mode::Fused,
        expect![[r#"
            points: t0 stops at t1: a builtin is never merged
              one kernel if t0 were a loop over elements"#]],
    );
    check(
        STENCIL,
        Mode::Unfused,
        expect![[r#"
        points: t0 stops at t1: this mode does not fuse
          one kernel if the mode were `fused`; 64 bytes less"#]],
    );
}

#[test]
fn what_nobody_needs_is_named_by_its_number_in_the_program() {
    check(
        "
s0: f64 [4] initialised live
s1: f64 [4] live
s2: f64 [2] initialised live
s3: f64 [2]
s4: f64 [2]
s5: f64 [4] live
t0: neg.f64 over [4]: s1[i0] = s0[i0]
t1: neg.f64 over [2]: s3[i0] = s2[i0]
t2: exp.f64 over [2]: s4[i0] = s3[i0]
t3: exp.f64 over [4]: s5[i0] = s0[i0]
",
        Mode::Fused,
        expect![[r#"
            in the program: t0 t3
            not computed: t1 t2, nobody needs them"#]],
    );
}

#[test]
fn bytes_are_those_of_kernels_and_never_fewer_than_what_lives() {
    let window = Window::parse(
        "
s0: f64 [8] initialised live
s1: f64 [8]
s2: f64 [8] live
t0: neg.f64 over [8]: s1[i0] = s0[i0]
t1: add.f64 over [8]: s2[i0] = s1[i0], s0[i0]
",
    )
    .unwrap();
    let bytes_of = |mode| planner::plan(&window, &options(mode)).bytes(&window);
    assert_eq!([bytes_of(Mode::Unfused), bytes_of(Mode::Fused)], [64 * 5, 64 * 2]);
    assert_eq!(bytes::least(&window), 64 * 2);
    // A part of a store that is written over and over is written once.
    let window = Window::parse(
        "
s0: f64 [8] initialised live
t0: copy over [7]: s0[i0] = 1.0:f64
t1: copy over [7]: s0[1 + i0] = 2.0:f64
",
    )
    .unwrap();
    assert_eq!(bytes::least(&window), 64);
}
