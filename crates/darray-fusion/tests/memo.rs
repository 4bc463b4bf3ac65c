//! Which windows share a plan: those of one canonical form whose guards hold, and no others.

use darray_fusion::facts::Question;
use darray_fusion::memo::{Found, Memo};
use darray_fusion::plan::{Costs, Grouping, Mode, PlanOptions, Rules};
use darray_fusion::planner;
use darray_ir::Window;
use darray_kernel::tree::TreeRule;

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

/// Whether the second window hits the plan of the first; a hit must equal a fresh analysis.
fn shares(first: &str, second: &str) -> bool {
    let (first, second) = (Window::parse(first).unwrap(), Window::parse(second).unwrap());
    let mut memo = Memo::new(options());
    assert!(!memo.plan(&first).hit);
    assert!(memo.plan(&first).hit, "a window hits itself");
    let Found { plan, hit, same_sizes } = memo.plan(&second);
    assert_eq!(same_sizes, hit && first.sizes() == second.sizes());
    assert_eq!(*plan, planner::plan(&second, &options()), "memo and fresh analysis differ");
    hit
}

/// Two tasks over 8 elements: `s2 = s0 + s1; s3 = s2 * s0`, with parts that a case replaces.
const BASE: &str = "
s0: f64 [8] initialised live
s1: f64 [8] initialised live
s2: f64 [8]
s3: f64 [8] live
t0: add.f64 over [8]: s2[i0] = s0[i0], s1[i0]
t1: mul.f64 over [8]: s3[i0] = s2[i0], s0[i0]
";

/// A write through a part of a store, then a read of all of it.
const PART: &str = "
s0: f64 [8]
s1: f64 [4] initialised live
s2: f64 [8] live
t0: copy over [4]: s0[i0] = s1[i0]
t1: neg.f64 over [8]: s2[i0] = s0[i0]
";

/// Two halves of one store.
const HALVES: &str = "
s0: f64 [8] initialised live
s1: f64 [4] initialised live
s2: f64 [4] live
t0: copy over [4]: s0[i0] = s1[i0]
t1: neg.f64 over [4]: s2[i0] = s0[4 + i0]
";

/// An element-wise task and a reduction of its result.
const REDUCED: &str = "
s0: f64 [4, 6]
s1: f64 [4, 6] initialised live
s2: f64 [4] live
t0: neg.f64 over [4, 6]: s0[i0, i1] = s1[i0, i1]
t1: sum{1} over [4, 6]: s2[i0] = s0[i0, i1]
";

#[test]
fn windows_that_must_not_share() {
    type Case<'t> = (&'t str, &'t str, &'t [(&'t str, &'t str)]);
    let cases: &[Case<'_>] = &[
        // Stride.
        ("reversed operand", BASE, &[("s2[i0], s0[i0]", "s2[i0], s0[7 + -1*i0]")]),
        ("step 2", HALVES, &[("s0[4 + i0]", "s0[1 + 2*i0]")]),
        ("step -1 of the part", HALVES, &[("s0[4 + i0]", "s0[7 + -1*i0]")]),
        (
            "transposed",
            REDUCED,
            &[("s1: f64 [4, 6]", "s1: f64 [6, 4]"), ("s1[i0, i1]", "s1[i1, i0]")],
        ),
        ("another chart", BASE, &[("s1[i0]", "s1{i0}")]),
        // Aliasing.
        ("operands are one store", BASE, &[("s0[i0], s1[i0]", "s0[i0], s0[i0]")]),
        ("second operand is the other store", BASE, &[("s2[i0], s0[i0]", "s2[i0], s1[i0]")]),
        ("overlapping halves", HALVES, &[("s0[4 + i0]", "s0[2 + i0]")]),
        ("equal halves", HALVES, &[("s0[4 + i0]", "s0[i0]")]),
        ("reads what was written", BASE, &[("s2[i0], s0[i0]", "s2[i0], s2[i0]")]),
        // Liveness.
        ("intermediate is live", BASE, &[("s2: f64 [8]", "s2: f64 [8] live")]),
        ("input dies", BASE, &[("s0: f64 [8] initialised live", "s0: f64 [8] initialised")]),
        ("result dies", BASE, &[("s3: f64 [8] live", "s3: f64 [8]")]),
        ("held data before", BASE, &[("s2: f64 [8]", "s2: f64 [8] initialised")]),
        // Covering.
        (
            "part becomes the whole",
            PART,
            &[
                ("s0: f64 [8]", "s0: f64 [4]"),
                ("over [8]: s2[i0] = s0[i0]", "over [4]: s2[i0] = s0[i0]"),
            ],
        ),
        ("whole becomes a part", BASE, &[("s2: f64 [8]", "s2: f64 [9]")]),
        // Extents of 1.
        ("column of extent 1", REDUCED, &[("[4, 6]", "[4, 1]"), ("[i0, i1]", "[i0, 0]")]),
        (
            "row of extent 1",
            REDUCED,
            &[
                ("[4, 6]", "[1, 6]"),
                ("s2: f64 [4]", "s2: f64 [1]"),
                ("[i0, i1]", "[0, i1]"),
                ("s2[i0]", "s2[0]"),
            ],
        ),
        ("broadcast operand", BASE, &[("s1: f64 [8]", "s1: f64 [1]"), ("s1[i0]", "s1[0]")]),
        ("extra axis", BASE, &[("over [8]", "over [8, 1]")]),
        // Order and code.
        ("operands swapped", BASE, &[("s2[i0], s0[i0]", "s0[i0], s2[i0]")]),
        ("another operator", BASE, &[("mul.f64", "sub.f64")]),
        ("another type", BASE, &[("f64", "f32")]),
        ("a scalar operand", BASE, &[("s2[i0], s0[i0]", "s2[i0], 2.0:f64")]),
        (
            "other reduced axis",
            REDUCED,
            &[("sum{1}", "sum{0}"), ("s2: f64 [4]", "s2: f64 [6]"), ("s2[i0]", "s2[i1]")],
        ),
        ("another reducer", REDUCED, &[("sum{1}", "max{1}")]),
        (
            "another exponent",
            &BASE.replace(
                "mul.f64 over [8]: s3[i0] = s2[i0], s0[i0]",
                "powi{3}.f64 over [8]: s3[i0] = s2[i0]",
            ),
            &[("powi{3}", "powi{2}")],
        ),
        (
            "another formula",
            "
s0: f64 [8] initialised live
s1: f64 [8] live
s2: f64 [8] live
t0: complex_sin.f64 over [8]: s1[i0], s2[i0] = s0[i0], s0[i0]
",
            &[("complex_sin", "complex_cos")],
        ),
        (
            "tasks reordered",
            "
s0: f64 [8] initialised live
s1: f64 [8] live
s2: f64 [8] live
t0: neg.f64 over [8]: s1[i0] = s0[i0]
t1: abs.f64 over [8]: s2[i0] = s0[i0]
",
            &[("neg.f64", "x"), ("abs.f64", "neg.f64"), ("x", "abs.f64")],
        ),
    ];
    assert!(cases.len() >= 20);
    for (name, base, changes) in cases {
        let changed = changes.iter().fold(base.to_string(), |text, (from, to)| {
            assert!(text.contains(from), "{name}: nothing to replace");
            text.replace(from, to)
        });
        assert!(!shares(base, &changed), "{name}: shares a plan with\n{changed}");
    }
}

#[test]
fn windows_that_share() {
    let swapped =
        BASE.replace("s0: f64 [8] initialised live\ns1", "s1: f64 [8] initialised live\ns0");
    let far = HALVES.replace("s0: f64 [8]", "s0: f64 [80]").replace("4 + i0", "20 + 2*i0");
    let cases: &[(&str, &str, String)] = &[
        ("another extent", BASE, BASE.replace("[8]", "[100]")),
        ("declared in another order", BASE, swapped),
        ("another disjoint offset", &far, far.replace("20 + 2*i0", "50 + 2*i0")),
        ("another step of the same class", &far, far.replace("20 + 2*i0", "60 + 3*i0")),
        ("other extents", REDUCED, REDUCED.replace("[4, 6]", "[5, 7]").replace("[4]", "[5]")),
    ];
    for (name, first, second) in cases {
        assert!(shares(first, second), "{name}: does not share a plan with\n{second}");
    }
}

#[test]
fn scalar_values_are_no_part_of_the_form() {
    let window = BASE.replace("s2[i0], s0[i0]", "s2[i0], 2.0:f64");
    assert!(shares(&window, &window.replace("2.0", "3.5")));
}

/// 002, figure 10: two isomorphic streams share, the third does not.
#[test]
fn figure_10() {
    let stream = |third: &str| {
        format!(
            "
s0: f64 [8] initialised live
s1: f64 [8] initialised live
s2: f64 [8] initialised live
t0: copy over [8]: s1[i0] = s0[i0]
t1: neg.f64 over [8]: s0[i0] = s1[i0]
t2: abs.f64 over [8]: s2[i0] = {third}[i0]
t3: exp.f64 over [8]: s0[i0] = s2[i0]
"
        )
    };
    // S5, S6, S7 instead of S1, S2, S3: other stores, declared in another order.
    let names =
        [("s0", "S5"), ("s1", "S6"), ("s2", "S7"), ("S5", "s2"), ("S6", "s0"), ("S7", "s1")];
    let renamed = names.iter().fold(stream("s0"), |text, (from, to)| text.replace(from, to));
    assert!(shares(&stream("s0"), &renamed));
    assert!(!shares(&stream("s0"), &stream("s2")));
}

#[test]
fn growth_is_bounded_by_the_number_of_forms() {
    let mut memo = Memo::new(options());
    for extent in 1..2000usize {
        let n = format!("[{}]", extent + 1);
        memo.plan(&Window::parse(&BASE.replace("[8]", &n)).unwrap());
    }
    assert_eq!((memo.len(), memo.misses(), memo.hits()), (1, 1, 1998));
}

#[test]
fn a_plan_says_whether_it_was_found_for_the_same_sizes_before() {
    let mut memo = Memo::new(options());
    let mut found = |extent: &str| {
        let found = memo.plan(&Window::parse(&BASE.replace("[8]", extent)).unwrap());
        (found.hit, found.same_sizes)
    };
    assert_eq!(
        ["[8]", "[8]", "[9]", "[9]", "[8]"].map(&mut found),
        [(false, false), (true, true), (true, false), (true, true), (true, false),]
    );
    // What was not accepted changes nothing.
    assert_eq!(found("[8, 2]"), (false, false));
    assert_eq!(found("[8]"), (true, true));
}

/// `count` fills of parts of one array, by their first elements, all of which stay.
fn fills(starts: impl Iterator<Item = i64>) -> String {
    let tasks = starts.enumerate().map(|(t, start)| {
        let start = if start == 0 { String::new() } else { format!("{start} + ") };
        format!("t{t}: fill over [2]: s0[{start}i0] = 1.0:f64\n")
    });
    let tasks: String = tasks.collect();
    format!("\ns0: f64 [100000] initialised live\n{tasks}")
}

#[test]
fn many_uses_of_one_store_share_a_plan_while_they_are_apart() {
    for count in [30, 33, 200] {
        let base = fills((0..count).map(|i| 2 * i));
        assert!(shares(&base, &fills((0..count).map(|i| 500 + 7 * i))));
        assert!(shares(&base, &fills((0..count).map(|i| 3 * (count - i)))));
        // The last one, or one in the middle, shares an element with the first.
        for moved in [count - 1, count / 2] {
            let moved = |i| if i == moved { 11 } else { 10 + 2 * i };
            assert!(!shares(&base, &fills((0..count).map(moved))), "of {count}");
        }
    }
}

#[test]
fn uses_that_end_a_group_are_guarded() {
    let last = |start: i64, step: i64, of: i64| {
        fills((0..60).map(move |i| if i == 59 { of } else { start + step * i }))
    };
    // Task 20 stands at 50, then at 180.
    let base = last(10, 2, 51);
    let window = Window::parse(&base).unwrap();
    let text = planner::plan(&window, &options()).text(&window);
    assert!(text.contains("points: t20 stops at t59: true dependence on s0"), "{text}");
    assert!(shares(&base, &last(100, 4, 181)));
    assert!(!shares(&base, &last(10, 2, 53)), "the boundary names another task");
    assert!(!shares(&base, &last(10, 2, 500)), "there is no boundary");
}

#[test]
fn guards_of_many_uses_grow_with_their_number() {
    for count in [1000, 2000, 4000] {
        let window = Window::parse(&fills((0..count).map(|i| 2 * i))).unwrap();
        let plan = planner::plan(&window, &options());
        let size: usize = plan
            .guards
            .iter()
            .map(|guard| match &guard.question {
                Question::Apart(uses) => uses.len(),
                _ => 1,
            })
            .sum();
        let pairs = plan.guards.len();
        assert!(size < 24 * count as usize, "{pairs} guards on {size} uses for {count} tasks");
        assert_eq!(plan.groups.len(), 1);
    }
}

#[test]
fn windows_that_do_not_return_start_the_memo_afresh() {
    // Long ones: their number of words counts. The last one that was planned is known.
    let mut memo = Memo::new(options());
    let mut most = 0;
    for count in 0..60 {
        let task = |t: usize| format!("t{t}: fill over [2]: s0[i0] = 1.0:f64\n");
        let tasks: String = (0..20_000 + count).map(task).collect();
        let window = Window::parse(&format!("\ns0: f64 [2] live\n{tasks}")).unwrap();
        assert!(!memo.plan(&window).hit);
        assert!(memo.plan(&window).hit);
        most = most.max(memo.len());
    }
    assert!((20..40).contains(&most), "{most} plans of 60,000 words");
    assert_eq!(memo.restarts(), 1);
}
