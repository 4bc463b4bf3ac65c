//! Plans as text: what `explain` shows and the plan tests compare.
//!
//! ```text
//! F0: t0..t2
//!   args: s0[i0] readwrite, s1[1 + i0] read, s2[i0] write
//!   temporaries: s0
//!   kernel K0: t0..t2
//! F1: t3
//!   args: s1[i0] write, s2[i0] read
//!   kernel K1: t3
//! points: t0 stops at t3: anti-dependence on s1
//! ```
//!
//! A kernel of several nests says them: `kernel K0: t0..t6, by rows: t0 | t1..t5 | t6`, or `in turn`. A plan whose tasks have another order than the
//! program, or are not all run, begins with that: `in the program: t0 t2 | t1`, `updated in two buffers: s0`, `not computed: t3 t4, nobody needs them`.

mod apart;

use crate::plan::{Boundary, FusedTask, Level, Plan, Reason, Rule, Step};
use darray_ir::{StoreId, Window};
use std::fmt::{self, Write};

impl Rule {
    /// The rule's name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Rule::LaunchDomain => "launch domain",
            Rule::TrueDependence => "true dependence",
            Rule::AntiDependence => "anti-dependence",
            Rule::Reduction => "reduction",
            Rule::SelfAlias => "self-alias (P1)",
            Rule::InjectiveWrite => "injective write (P2)",
            Rule::SingleReduction => "single reduction (P3)",
        }
    }
}

impl fmt::Display for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Points => "points",
            Level::Rows => "rows",
            Level::Elements => "elements",
        };
        write!(f, "{level}: t{} stops at t{}: ", self.earlier, self.task)?;
        match self.reason {
            Reason::Rule(rule, Some(store)) => write!(f, "{} on {store}", rule.name()),
            Reason::Rule(rule, None) => f.write_str(rule.name()),
            Reason::Builtin => f.write_str("a builtin is never merged"),
            Reason::Opaque => f.write_str("an opaque task is never merged"),
            Reason::Mode => f.write_str("this mode does not fuse"),
            Reason::Rows => f.write_str("a kernel by rows begins"),
            Reason::Order => f.write_str("one kernel of both would move no fewer bytes"),
            Reason::Memory => f.write_str("the kernel would need more memory than its tasks"),
            Reason::ShortRows => {
                f.write_str("folds along such short rows are faster in a loop of their own")
            }
            Reason::Across => f.write_str(
                "folds are faster in a loop of their own than with what lies across rows",
            ),
            Reason::Size => f.write_str("the kernel is as large as a kernel may be"),
        }
    }
}

impl Plan {
    /// Groups, their arguments, temporaries, kernels and boundaries, without kernel texts.
    pub fn text(&self, window: &Window) -> String {
        let mut out = String::new();
        self.write(window, Detail::Groups, &mut out).expect("writing to a string");
        out
    }

    /// [`Plan::text`] with the text of every kernel.
    pub fn text_with_kernels(&self, window: &Window) -> String {
        let mut out = String::new();
        self.write(window, Detail::Kernels, &mut out).expect("writing to a string");
        out
    }

    /// [`Plan::text_with_kernels`] that says what each group costs, in what the choice between orders goes by, and,
    /// below each boundary between neighbouring kernels, with what the two would be one, and how many bytes that would
    /// save.
    pub fn explanation(&self, window: &Window) -> String {
        let mut out = String::new();
        self.write(window, Detail::Boundaries, &mut out).expect("writing to a string");
        out
    }

    /// Kernels and builtins of all groups.
    pub fn step_count(&self) -> usize {
        self.groups.iter().map(|g| g.steps.len()).sum()
    }

    fn write(&self, window: &Window, detail: Detail, out: &mut String) -> fmt::Result {
        let kernels = detail != Detail::Groups;
        let mut number = 0;
        if let Some(order) = &self.order {
            writeln!(out, "in the program: {order}")?;
            if !order.equals.is_empty() {
                let pair = |&(task, earlier): &(u32, u32)| format!("t{task} is t{earlier}");
                let pairs: Vec<String> = order.equals.once.iter().map(pair).collect();
                writeln!(out, "computed once: {}", pairs.join(", "))?;
            }
            if !order.inlined.is_empty() {
                let tasks = tasks_text(&order.inlined.tasks());
                writeln!(out, "computed where it is read: {tasks}")?;
            }
            if !order.twins.is_empty() {
                let stores: Vec<StoreId> = order.twins.iter().map(|twin| twin.store).collect();
                writeln!(out, "updated in two buffers: {}", stores_text(&stores))?;
                let copies: Vec<u32> = order.twins.iter().flat_map(|t| t.copies.clone()).collect();
                if !copies.is_empty() {
                    writeln!(out, "read where it was copied from: {}", tasks_text(&copies))?;
                }
            }
        }
        if !self.unneeded.is_empty() {
            writeln!(out, "not computed: {}, nobody needs them", tasks_text(&self.unneeded))?;
        }
        let bytes = match detail {
            Detail::Boundaries => self.bytes_of_steps(window),
            _ => Vec::new(),
        };
        let mut steps = 0;
        for (index, group) in self.groups.iter().enumerate() {
            writeln!(out, "F{index}: {}", tasks_text(&group.tasks))?;
            let of_group = bytes.get(steps..steps + group.steps.len());
            steps += group.steps.len();
            if let Some(bytes) = of_group {
                let (launches, bytes) = (bytes.len(), bytes.iter().sum::<u64>());
                let several = if launches == 1 { "" } else { "es" };
                writeln!(out, "  cost: {bytes} bytes moved, {launches} launch{several}")?;
            }
            write_group(window, group, kernels, &mut number, out)?;
        }
        for boundary in &self.boundaries {
            writeln!(out, "{boundary}")?;
            if detail == Detail::Boundaries
                && let Some(text) = self.remedy(window, boundary)
            {
                writeln!(out, "  one kernel {text}")?;
            }
        }
        Ok(())
    }
}

/// How much a text says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Groups,
    Kernels,
    Boundaries,
}

fn write_group(
    window: &Window,
    group: &FusedTask,
    kernels: bool,
    number: &mut usize,
    out: &mut String,
) -> fmt::Result {
    let args: Vec<String> = group
        .args
        .iter()
        .map(|a| {
            let map = darray_ir::print::map_text(window.map(a.map));
            format!("{}{map} {}", a.store, a.privilege)
        })
        .collect();
    writeln!(out, "  args: {}", args.join(", "))?;
    if !group.temporaries.is_empty() {
        writeln!(out, "  temporaries: {}", stores_text(&group.temporaries))?;
    }
    for step in &group.steps {
        match step {
            Step::Kernel(kernel) => {
                write!(out, "  kernel K{number}: {}", tasks_text(&kernel.tasks))?;
                if kernel.nests.len() > 1 {
                    let how = if kernel.is_in_turn() { "in turn" } else { "by rows" };
                    let nests: Vec<_> = kernel.nests.iter().map(|n| tasks_text(n)).collect();
                    write!(out, ", {how}: {}", nests.join(" | "))?;
                }
                for (input, output) in &kernel.in_place {
                    write!(out, ", {output} in place of {input}")?;
                }
                writeln!(out)?;
                if kernels {
                    for line in kernel.kernel.to_string().lines() {
                        writeln!(out, "    {line}")?;
                    }
                }
                *number += 1;
            }
            Step::Builtin(builtin) => {
                writeln!(out, "  builtin {:?}: t{}", builtin.builtin, builtin.task)?;
            }
            Step::Opaque(task) => writeln!(out, "  opaque task: t{task}")?,
        }
    }
    Ok(())
}

fn tasks_text(tasks: &[u32]) -> String {
    let contiguous = tasks.windows(2).all(|w| w[1] == w[0] + 1);
    match tasks {
        [first, .., last] if contiguous && tasks.len() > 2 => format!("t{first}..t{last}"),
        _ => tasks.iter().map(|t| format!("t{t}")).collect::<Vec<_>>().join(" "),
    }
}

fn stores_text(stores: &[StoreId]) -> String {
    stores.iter().map(|s| s.to_string()).collect::<Vec<_>>().join(" ")
}
