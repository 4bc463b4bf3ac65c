//! Preconditions of the four constraints. Without them a brute-force run found more than half of
//! the pairs that pass the constraints wrong when fused.
//!
//! - **P1, no task aliases itself**: every access of a store that a task writes or reduces is equal
//!   to, or proven disjoint from, its other accesses of that store; of an opaque task, disjoint.
//! - **P2, writes are injective**: a written map reaches no element twice, and no two outputs the same.
//! - **P3, one reduction per store and group**: checked as [`Rule::SingleReduction`] by
//!   [`crate::constraint::dependence`]; within one task here.
//!
//! The front end splits or refuses what breaks P1 and P2 before it emits; this is the one place that
//! says what "breaks" means, for it ([`self_alias`], [`non_injective`]) and for the verifier.

use crate::constraint::Access;
use crate::facts::{Facts, Question};
use crate::plan::Rule;
use darray_core::{Map, Shape};
use darray_ir::{IndexTask, Opaque, Privilege, StoreId, TaskOp, Window, geometry};

/// Whether a write through `out` and a read through `input`, both of one store over one domain, break
/// P1. The emitter then copies the input first, so that all is read before anything is written.
pub fn self_alias(out: &Map, input: &Map, domain: &Shape) -> bool {
    out != input && !geometry::disjoint((out, domain), (input, domain))
}

/// As [`self_alias`] for an opaque task, which gets what it writes as memory that nobody else has: equal maps
/// share it too, and so does `None`, an array that the task reads all of.
pub fn opaque_alias(out: &Map, input: Option<&Map>, domain: &Shape) -> bool {
    input.is_none_or(|input| !geometry::disjoint((out, domain), (input, domain)))
}

/// Whether writing through `map` over `domain` breaks P2.
pub fn non_injective(map: &Map, domain: &Shape) -> bool {
    !geometry::injective(map, domain)
}

/// Whether a write over a domain reaches all of a store: it reaches no element twice (P2).
pub fn reaches_all(domain: &Shape, store: &Shape) -> bool {
    domain.size() == store.size()
}

/// As [`reaches_all`], of what a nest stores once for all indices of the axes that the map does not use: results of folds.
pub fn reaches_all_through(map: &Map, domain: &Shape, store: &Shape) -> bool {
    let mut seen = 0u32;
    let axes = map.dims.iter().filter_map(|dim| dim.axis).filter(|axis| {
        let is_new = seen >> axis & 1 == 0;
        seen |= 1 << axis;
        is_new
    });
    axes.map(|axis| domain[axis as usize]).product::<usize>() == store.size()
}

/// The precondition that a task of the window breaks, if any, and the store.
pub fn broken(window: &Window, facts: &dyn Facts, task: u32) -> Option<(Rule, StoreId)> {
    let task = &window.tasks()[task as usize];
    if let TaskOp::Opaque(opaque) = task.op {
        return broken_by_opaque(facts, task, opaque);
    }
    if !task.is_nest() {
        return None;
    }
    for (i, a) in task.args.iter().enumerate() {
        if a.privilege.writes() && !facts.ask(Question::Injective(task.domain, a.map)) {
            return Some((Rule::InjectiveWrite, a.store));
        }
        for b in &task.args[i + 1..] {
            if a.store != b.store
                || (a.privilege, b.privilege) == (Privilege::Read, Privilege::Read)
            {
                continue;
            }
            let disjoint =
                facts.ask(Question::Disjoint((task.domain, a.map), (task.domain, b.map)));
            let reduction = a.privilege.reduces() || b.privilege.reduces();
            let twice = a.privilege.writes() && b.privilege.writes();
            if !disjoint && a.privilege.reduces() && b.privilege.reduces() {
                return Some((Rule::SingleReduction, a.store));
            }
            if !disjoint && (a.map != b.map || reduction || twice) {
                return Some((Rule::SelfAlias, a.store));
            }
        }
    }
    None
}

/// What an opaque task writes it gets as memory that nobody else has: P1 asks for more there.
fn broken_by_opaque(
    facts: &dyn Facts,
    task: &IndexTask,
    opaque: Opaque,
) -> Option<(Rule, StoreId)> {
    let outputs = opaque.outputs as usize;
    for (k, out) in task.args[..outputs].iter().enumerate() {
        let written = (task.domain, out.map);
        if !facts.ask(Question::Injective(task.domain, out.map)) {
            return Some((Rule::InjectiveWrite, out.store));
        }
        for (position, other) in task.args.iter().enumerate().skip(k + 1) {
            let apart = other.store != out.store
                || !opaque.is_whole(position)
                    && facts.ask(Question::Disjoint(written, (task.domain, other.map)));
            if !apart {
                return Some((Rule::SelfAlias, out.store));
            }
        }
    }
    None
}

/// Access-level form of [`broken`] for the accesses of a fused group: whether a store is reduced
/// more than once.
pub fn reductions_per_store(accesses: &[Access]) -> Option<StoreId> {
    let reduced = |a: &&Access| a.privilege.reduces();
    accesses
        .iter()
        .filter(reduced)
        .find(|a| accesses.iter().filter(reduced).filter(|b| b.store == a.store).count() > 1)
        .map(|a| a.store)
}
