//! With what two neighbouring kernels would be one.
//!
//! ```text
//! points: t0 stops at t5: anti-dependence on s1
//!   one kernel if t0 read only what t5 writes, s1[1 + i0], and not s1[i0], or t5 wrote another array; 128 bytes less
//! ```

use crate::limits::{MAX_ACCESSES_PER_KERNEL, MAX_OPERATIONS_PER_KERNEL};
use crate::plan::{Boundary, Plan, Reason, Rule, Step};
use darray_ir::print::map_text;
use darray_ir::{IndexTask, Privilege, StoreId, TaskOp, Window};

impl Plan {
    /// What would have to be true for the kernels on both sides of a boundary to be one, and what that would save; none inside of a
    /// kernel, between whose nests there are boundaries, too.
    pub(super) fn remedy(&self, window: &Window, boundary: &Boundary) -> Option<String> {
        let at = self.steps().position(|step| step.tasks().first() == Some(&boundary.task))?;
        let before = at.checked_sub(1)?;
        let condition = condition(window, boundary)?;
        let are_kernels = self.steps().skip(before).take(2).all(|s| matches!(s, Step::Kernel(_)));
        let saved = match self.saved(window, before) {
            _ if !are_kernels => String::new(),
            0 => "; no bytes less".to_string(),
            bytes => format!("; {bytes} bytes less"),
        };
        Some(format!("if {condition}{saved}"))
    }
}

fn condition(window: &Window, boundary: &Boundary) -> Option<String> {
    let Boundary { task: later, earlier, reason, .. } = *boundary;
    let op = &window.tasks()[earlier as usize].op;
    let which = |is_it: bool| if is_it { earlier } else { later };
    Some(match reason {
        Reason::Rule(Rule::LaunchDomain, _) => domains(window, earlier, later),
        Reason::Rule(rule, Some(store)) => dependence(window, (earlier, later), rule, store)?,
        Reason::Rule(_, None) => return None,
        Reason::Builtin => {
            let builtin = which(matches!(op, TaskOp::Builtin(_)));
            format!("t{builtin} were a loop over elements")
        }
        Reason::Opaque => {
            let opaque = which(matches!(op, TaskOp::Opaque(_)));
            format!("t{opaque} were made of operations on arrays")
        }
        Reason::Mode => "the mode were `fused`".to_string(),
        Reason::Size => format!(
            "both had at most {MAX_OPERATIONS_PER_KERNEL} operations and \
             {MAX_ACCESSES_PER_KERNEL} arrays together"
        ),
        Reason::Rows => format!("t{earlier} went through the rows of the kernel of t{later}, too"),
        Reason::Order => "that moved fewer bytes".to_string(),
        Reason::Memory => "it held hardly more memory than its tasks one by one".to_string(),
        Reason::ShortRows => "the rows were longer".to_string(),
        Reason::Across => "what it loads and stores lay along its rows".to_string(),
    })
}

fn domains(window: &Window, earlier: u32, later: u32) -> String {
    let domain = |task: u32| window.domain(window.tasks()[task as usize].domain);
    let (first, second) = (domain(earlier), domain(later));
    match first == second {
        true => format!("t{earlier} and t{later} folded along the same axes, or one of them not"),
        false => format!(
            "t{earlier} and t{later} went over the same domain, not over {first:?} and {second:?}"
        ),
    }
}

/// What two tasks do with a store that keeps them apart.
fn dependence(
    window: &Window,
    (earlier, later): (u32, u32),
    rule: Rule,
    store: StoreId,
) -> Option<String> {
    let [first, second] = [earlier, later].map(|task| &window.tasks()[task as usize]);
    let mut of_first = first.args.iter().filter(|arg| arg.store == store);
    Some(match rule {
        Rule::TrueDependence => {
            let written = partitions(window, first, store, Privilege::writes);
            let used = partitions(window, second, store, |_| true);
            let only = only(&written, &used);
            format!("t{later} used only what t{earlier} writes, {only}")
        }
        Rule::AntiDependence => {
            let read = partitions(window, first, store, Privilege::reads);
            let written = partitions(window, second, store, Privilege::writes);
            let only = only(&written, &read);
            format!(
                "t{earlier} read only what t{later} writes, {only}, or t{later} wrote another array"
            )
        }
        Rule::Reduction if of_first.any(|arg| arg.privilege.reduces()) => {
            format!("t{later} did not need {store}, all of which t{earlier} folds first")
        }
        Rule::Reduction => {
            format!("t{later} folded into another array than {store}, which t{earlier} uses")
        }
        Rule::SingleReduction => {
            format!("t{earlier} and t{later} folded into two arrays, not both into {store}")
        }
        Rule::LaunchDomain | Rule::SelfAlias | Rule::InjectiveWrite => return None,
    })
}

/// The partitions through which a task uses a store in some way, each once, as text.
fn partitions(
    window: &Window,
    task: &IndexTask,
    store: StoreId,
    which: fn(Privilege) -> bool,
) -> Vec<String> {
    let used = task.args.iter().filter(|arg| arg.store == store && which(arg.privilege));
    let mut texts = Vec::new();
    for text in used.map(|arg| format!("{store}{}", map_text(window.map(arg.map)))) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// These partitions, and not the others that are used.
fn only(partitions: &[String], used: &[String]) -> String {
    let others: Vec<&str> =
        used.iter().filter(|text| !partitions.contains(text)).map(String::as_str).collect();
    let named = partitions.join(" and ");
    if others.is_empty() { named } else { format!("{named}, and not {}", others.join(" and ")) }
}
