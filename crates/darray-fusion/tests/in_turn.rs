//! Small nests that are launched together: which stand in one kernel, and what each finds.

use darray_fusion::plan::{Costs, Grouping, Mode, PlanOptions, Rules, Step};
use darray_fusion::{facts, planner, verify};
use darray_ir::Window;
use darray_kernel::tree::TreeRule;
use expect_test::expect;

fn options(small: usize) -> PlanOptions {
    PlanOptions {
        mode: Mode::Fused,
        distributed_axes: 1,
        grouping: Grouping::Graph,
        costs: Costs { small, ..Costs::CPU },
        tree_rule: TreeRule::STANDARD,
        contract: false,
        rules: Rules::default(),
    }
}

fn window(text: &str) -> Window {
    let window = Window::parse(text).expect("a window");
    darray_ir::verify::verify(&window).expect("a valid window");
    window
}

/// The edges of a field, each made of what lies beside it.
fn borders(n: usize) -> Window {
    window(&format!(
        "s0: f64 [{n}, {n}] initialised live
        t0: neg.f64 over [{n}]: s0[i0, 0] = s0[i0, 1]
        t1: neg.f64 over [{n}]: s0[i0, {last}] = s0[i0, {}]
        t2: neg.f64 over [{n}]: s0[0, i0] = s0[1, i0]
        t3: neg.f64 over [{n}]: s0[{last}, i0] = s0[{}, i0]",
        n - 2,
        n - 2,
        last = n - 1,
    ))
}

#[test]
fn borders_are_one_launch() {
    let window = borders(6);
    let plan = planner::plan(&window, &options(6));
    verify::verify(&window, &plan, &options(6)).expect("a valid plan");
    expect![[r#"
        F0: t0..t3
          args: s0[i0, 0] write, s0[i0, 1] read, s0[i0, 5] write, s0[i0, 4] read, s0[0, i0] write, s0[1, i0] read, s0[5, i0] write, s0[4, i0] read
          kernel K0: t0..t3, in turn: t0 t1 | t2 t3
    "#]]
    .assert_eq(
        &plan.text(&window).lines().take(3).fold(String::new(), |text, line| text + line + "\n"),
    );
    let broken = verify::verify(&window, &plan, &options(5)).expect_err("its nests are larger");
    assert_eq!(broken.invariant, 8, "{broken}");
    // Where launches have several points, they are apart.
    let apart = planner::plan(&window, &options(0));
    assert!(apart.step_count() > 1);
    verify::verify(&window, &apart, &options(0)).expect("a valid plan");
}

#[test]
fn how_small_is_a_guard() {
    let (small, large) = (borders(6), borders(9));
    let plan = planner::plan(&small, &options(8));
    assert_eq!(plan.step_count(), 1);
    assert!(facts::hold(&plan.guards, &small) && !facts::hold(&plan.guards, &large));
    assert!(planner::plan(&large, &options(8)).step_count() > 1);
}

/// A number that is folded, changed and used is there for each nest.
#[test]
fn folds_and_numbers_are_there_for_the_next_nest() {
    let window = window(
        "s0: f64 [9] initialised live
        s1: f64 []
        s2: f64 [] live
        s3: f64 [9] live
        s4: f64 [3] live
        t0: sum{0} over [9]: s1[] = s0[i0]
        t1: mul.f64 over []: s2[] = s1[], s1[]
        t2: div.f64 over [9]: s3[i0] = s0[i0], s2[]
        t3: neg.f64 over [3]: s4[i0] = s3[2 + i0]",
    );
    let plan = planner::plan(&window, &options(16));
    verify::verify(&window, &plan, &options(16)).expect("a valid plan");
    let [Step::Kernel(kernel)] = &plan.steps().collect::<Vec<_>>()[..] else {
        panic!("{}", plan.text(&window))
    };
    assert!(kernel.is_in_turn() && kernel.reductions.is_empty());
    expect![[r#"
        kernel params=5 scalars=[]
          b0: f64 rank 1 read noalias
          b1: f64 rank 0 readwrite noalias
          b2: f64 rank 0 readwrite noalias
          b3: f64 rank 1 readwrite noalias
          b4: f64 rank 1 write noalias
        {
          fold (i0: extent=p1 origin=p2 global=p1 logical=0) lanes=32 width=64 rounds=32 alone=8 {
            %0 = load b0[p0 + 1*i0]
          } %1 = sum %0
          store b1[] %1
          %2 = load b1[]
          %3 = mul.f64 %2 %2
          store b2[] %3
          %4 = load b2[]
          for (i0: extent=p1 origin=p2 global=p1 logical=0) {
            %5 = load b0[p0 + 1*i0]
            %6 = div.f64 %5 %4
            store b3[p0 + 1*i0] %6
          }
          for (i0: extent=p4 origin=p2 global=p4 logical=0) {
            %7 = load b3[p3 + 1*i0]
            %8 = neg.f64 %7
            store b4[p0 + 1*i0] %8
          }
        }
    "#]]
    .assert_eq(&kernel.kernel.to_string());
}

#[test]
fn what_is_no_loop_or_large_stands_between() {
    let text = |n: usize| {
        format!(
            "s0: f64 [4] initialised live
            s1: f64 [{n}] initialised live
            s2: f64 [4] live
            s3: f64 [4] live
            t0: neg.f64 over [4]: s2[i0] = s0[i0]
            t1: neg.f64 over [{n}]: s1[i0] = s1[i0]
            t2: neg.f64 over [4]: s3[i0] = s1[i0]
            t3: neg.f64 over [2]: s2[i0] = s3[i0]"
        )
    };
    let steps = |n: usize| {
        let window = window(&text(n));
        let plan = planner::plan(&window, &options(8));
        verify::verify(&window, &plan, &options(8)).expect("a valid plan");
        plan.steps().map(|step| step.tasks().len()).collect::<Vec<_>>()
    };
    assert_eq!(steps(7), [4]);
    // The large one stands before all that is small.
    assert_eq!(steps(700), [1, 3]);
    // No elements are none to launch together: a kernel has at least one element.
    let nothing = window(
        "s0: f64 [0] live\ns1: f64 [2] live\nt0: fill over [0]: s0[i0] = 1.0:f64\nt1: fill over [2]: s1[i0] = 1.0:f64",
    );
    assert_eq!(planner::plan(&nothing, &options(8)).step_count(), 2);
}
