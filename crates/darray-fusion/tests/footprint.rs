//! Kernels that would hold more memory than their tasks do one by one, and folds of short rows: what is cut there.

use darray_fusion::memo::{Found, Memo};
use darray_fusion::plan::{Costs, Grouping, Level, Mode, Plan, PlanOptions, Reason, Rules, Step};
use darray_fusion::{planner, verify};
use darray_ir::Window;
use darray_kernel::tree::TreeRule;
use expect_test::expect;
use std::fmt::Write;

fn options() -> PlanOptions {
    PlanOptions {
        mode: Mode::Fused,
        distributed_axes: 1,
        grouping: Grouping::Graph,
        costs: Costs::CPU,
        tree_rule: TreeRule::STANDARD,
        contract: false,
        rules: Rules::default(),
    }
}

fn plan(text: &str) -> (Window, Plan) {
    let window = Window::parse(text).expect("a window");
    darray_ir::verify::verify(&window).expect("a valid window");
    let plan = planner::plan(&window, &options());
    verify::verify(&window, &plan, &options()).expect("a valid plan");
    (window, plan)
}

/// The stops for a reason, by the task that stays outside.
fn stops(plan: &Plan, reason: Reason) -> Vec<(Level, u32)> {
    let of = plan.boundaries.iter().filter(|b| b.reason == reason);
    of.map(|b| (b.level, b.task)).collect()
}

/// A loop of `x = x / x.sum(1)`: each step ends the array of the one before.
fn divided(rows: usize, columns: usize, steps: u32) -> String {
    let mut stores = format!("s0: f64 [{rows}, {columns}] initialised\n");
    let mut tasks = String::new();
    for step in 0..steps {
        let (x, sum, next) = (2 * step, 2 * step + 1, 2 * step + 2);
        let live = if step + 1 == steps { " live" } else { "" };
        writeln!(stores, "s{sum}: f64 [{rows}]\ns{next}: f64 [{rows}, {columns}]{live}").unwrap();
        let over = format!("over [{rows}, {columns}]");
        writeln!(tasks, "t{x}: sum{{1}} {over}: s{sum}[i0] = s{x}[i0, i1]").unwrap();
        writeln!(tasks, "t{sum}: div.f64 {over}: s{next}[i0, i1] = s{x}[i0, i1], s{sum}[i0]")
            .unwrap();
    }
    stores + &tasks
}

#[test]
fn a_kernel_by_rows_has_not_the_arrays_of_all_steps_of_a_loop() {
    let (_, small) = plan(&divided(2, 5000, 8));
    assert_eq!(small.step_count(), 1, "arrays of a few kilobytes are one kernel");
    // An array and the next one are twice what one in the place of the other is.
    let (_, large) = plan(&divided(1000, 2000, 20));
    let kernels =
        large.groups.iter().flat_map(|group| &group.steps).filter_map(|step| match step {
            Step::Kernel(kernel) => Some(kernel),
            _ => None,
        });
    assert!(kernels.clone().all(|kernel| !kernel.kernel.by_rows), "{large:?}");
    // The first sum, then each quotient, in place of the last, with its sum.
    assert_eq!(kernels.map(|kernel| kernel.in_place.len()).sum::<usize>(), 20);
    assert_eq!(large.step_count(), 21);
}

#[test]
fn a_group_ends_where_it_holds_more_than_its_tasks() {
    // While x is seen behind the window, its tasks hold two arrays as well.
    let text = divided(1000, 2000, 3).replacen("initialised", "initialised live", 1);
    let (window, plan) = plan(&text);
    expect![[r#"
        F0: t0..t2
          args: s0[i0] readwrite, s1[i0, i1] read, s2[i0, i1] readwrite, s3[i0] write
          temporaries: s0
          kernel K0: t0..t2, by rows: t0 | t1 t2
        F1: t3..t5
          args: s4[i0, i1] readwrite, s2[i0, i1] read, s3[i0] read, s5[i0] readwrite, s6[i0, i1] write
          temporaries: s4 s5
          kernel K1: t3 t4, s4 in place of s2
          kernel K2: t5, s6 in place of s4
        elements: t0 stops at t1: reduction on s0
        rows: t2 stops at t3: the kernel would need more memory than its tasks
        elements: t4 stops at t5: reduction on s5
    "#]].assert_eq(&plan.text(&window));
}

/// Booleans of floats that end, all of which are needed in the end.
fn compared(elements: usize, count: u32) -> String {
    let mut text = String::new();
    for number in 0..count {
        writeln!(text, "s{number}: f32 [{elements}] initialised").unwrap();
    }
    for number in count..2 * count {
        writeln!(text, "s{number}: f64 [{elements}] live").unwrap();
    }
    for number in 0..count {
        let result = count + number;
        writeln!(text, "t{number}: copy over [{elements}]: s{result}[i0] = s{number}[i0]").unwrap();
    }
    text
}

#[test]
fn inputs_that_end_one_by_one_are_not_all_there_at_the_end() {
    let (_, small) = plan(&compared(1000, 16));
    assert_eq!((small.step_count(), stops(&small, Reason::Memory)), (1, vec![]));
    let (_, large) = plan(&compared(1_000_000, 16));
    let held = stops(&large, Reason::Memory);
    assert!(!held.is_empty() && large.step_count() == held.len() + 1, "{held:?}");
}

#[test]
fn a_plan_serves_sizes_of_the_same_memory_alone() {
    for (make, small, large) in [
        (divided as fn(usize, usize, u32) -> String, (1, 5000), (1000, 5000)),
        (|rows, columns, count| compared(rows * columns, count), (1, 1000), (1000, 1000)),
    ] {
        let mut memo = Memo::new(options());
        let mut windows: Vec<Window> = Vec::new();
        for (rows, columns) in
            [small, large, small, large, (large.0 / 2, large.1), (large.0 * 2, large.1)]
        {
            windows.push(Window::parse(&make(rows, columns, 16)).unwrap());
        }
        let hits: Vec<bool> = windows
            .iter()
            .map(|window| {
                let Found { plan: found, hit, .. } = memo.plan(window);
                assert_eq!(
                    *found,
                    planner::plan(window, &options()),
                    "memo and fresh analysis differ"
                );
                hit
            })
            .collect();
        assert_eq!(hits, [false, false, true, true, true, true]);
    }
}

#[test]
fn short_rows_with_an_operand_that_is_the_same_along_each_are_folded_apart() {
    let text = |columns: usize, c: &str, map: &str| {
        format!(
            "s0: f64 [2000, {columns}] initialised live
            s1: f64 {c} initialised live
            s2: f64 [2000, {columns}]
            s3: f64 [2000] live
            t0: sub.f64 over [2000, {columns}]: s2[i0, i1] = s0[i0, i1], s1[{map}]
            t1: sum{{1}} over [2000, {columns}]: s3[i0] = s2[i0, i1]"
        )
    };
    let kernels = |columns, c, map| {
        let (_, plan) = plan(&text(columns, c, map));
        (plan.step_count(), stops(&plan, Reason::ShortRows).len())
    };
    assert_eq!(kernels(32, "[2000]", "i0"), (2, 1));
    assert_eq!(kernels(5000, "[2000]", "i0"), (1, 0), "long rows");
    assert_eq!(kernels(32, "[32]", "i1"), (1, 0), "an operand of each column");
    assert_eq!(kernels(32, "[]", ""), (1, 0), "one number");
}

/// A map of `x` and of what else is read, and whether what is folded is seen outside: why the fold stands apart, if it does.
fn apart(columns: usize, x: &str, kept: bool, operator: &str) -> Option<Reason> {
    let live = if kept { " live" } else { "" };
    let (x, shape) = match x {
        "across" => ("i1, i0", format!("{columns}, 2000")),
        "in steps" => ("i0, 2*i1", format!("2000, {}", 2 * columns)),
        _ => ("i0, i1", format!("2000, {columns}")),
    };
    let (_, plan) = plan(&format!(
        "s0: f64 [{shape}] initialised live
        s1: f64 [2000, {columns}]{live}
        s2: f64 [2000] live
        t0: {operator} over [2000, {columns}]: s1[i0, i1] = s0[{x}]
        t1: sum{{1}} over [2000, {columns}]: s2[i0] = s1[i0, i1]"
    ));
    let reason = plan.boundaries.first().map(|boundary| boundary.reason);
    assert_eq!(plan.step_count(), 1 + usize::from(reason.is_some()));
    reason
}

#[test]
fn folds_stand_apart_from_what_lies_across_their_rows() {
    for (x, expected) in
        [("along", None), ("across", Some(Reason::Across)), ("in steps", Some(Reason::Across))]
    {
        assert_eq!(apart(500, x, true, "neg.f64"), expected, "{x}");
        assert_eq!(apart(500, x, false, "neg.f64"), None, "{x}, not stored");
    }
}

#[test]
fn folds_of_short_rows_stand_apart_from_what_is_stored_or_takes_long() {
    let short = Some(Reason::ShortRows);
    for (columns, kept, operator, expected) in [
        (31, true, "neg.f64", short),
        (31, false, "neg.f64", None),
        (32, true, "neg.f64", None),
        (64, false, "tanh.f64", short),
        (65, false, "tanh.f64", None),
        (256, true, "tanh.f64", short),
        (257, true, "tanh.f64", None),
    ] {
        assert_eq!(apart(columns, "along", kept, operator), expected, "{columns} {operator}");
    }
}
