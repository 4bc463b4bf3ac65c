//! What each entry of a nest does.

use super::cells::Source;
use super::variant::{NestVariant, PieceCount};
use crate::program::{Nest, Node, Program};
use darray_kernel::ir::Value;

/// What an entry is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// One thread: operations of the outermost region.
    Single,
    /// The parallel points of an element-wise nest, or of what stands before a fold.
    Points,
    /// The leaves of a fold; `finish`: each is a result, with what comes after it.
    Leaves { finish: bool },
    /// Combines leaf values, then does what comes after the fold.
    Combine,
}

/// What an entry does, apart from addresses: the operations of its phases that anything needs.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub nest: usize,
    pub role: Role,
    /// Repeated operations of the outermost region, in order.
    pub prologue: Vec<Node>,
    /// Task arguments in use.
    pub arguments: Vec<u16>,
    /// Values read from cells of the workspace.
    pub cells: Vec<Value>,
    /// Values written to cells.
    pub results: Vec<Value>,
    /// The outer level before the fold.
    pub before: Vec<Node>,
    /// The body of the fold.
    pub fold: Vec<Node>,
    /// Stores of the outer level that were put off until after the fold.
    pub deferred: Vec<Node>,
    /// The outer level after the fold.
    pub after: Vec<Node>,
    /// Values of the outer level that `Points` leaves in the workspace for the other entries.
    pub spilled: Vec<Value>,
}

/// The entries that a nest may have.
#[derive(Clone, Debug)]
pub(crate) struct NestPlans {
    /// `Single` or `Points`, if there is anything to do.
    first: Option<Plan>,
    /// `Leaves`, not finishing and finishing, and `Combine`.
    fold: Option<[Plan; 3]>,
}

impl NestPlans {
    /// The entries of a variant, in order.
    pub fn entries(&self, variant: &NestVariant) -> impl Iterator<Item = &Plan> {
        let leaves = variant.fold.as_ref().map(|fold| fold.pieces);
        let [leaf, finish, combine] = match &self.fold {
            Some([leaf, finish, combine]) => [Some(leaf), Some(finish), Some(combine)],
            None => [None; 3],
        };
        let folds = match leaves {
            None => [None; 2],
            Some(PieceCount::None) => [combine, None],
            Some(PieceCount::One) => [finish, None],
            Some(PieceCount::Many) => [leaf, combine],
        };
        self.first.iter().chain(folds.into_iter().flatten())
    }

    /// Whether an entry leaves a value in a cell.
    pub fn uses_cells(&self) -> bool {
        let folds = self.fold.iter().flatten();
        self.first.iter().chain(folds).any(|plan| !plan.results.is_empty())
    }

    /// The entry of an element-wise nest.
    pub fn points(&self) -> Option<&Plan> {
        self.first.as_ref().filter(|plan| plan.role == Role::Points)
    }

    /// Values left in the workspace between entries.
    pub fn spilled(&self) -> &[Value] {
        self.first.as_ref().map_or(&[], |plan| &plan.spilled)
    }
}

/// The entries of every nest.
pub(crate) fn plan_entries(program: &Program, sources: &[Option<Source>]) -> Vec<NestPlans> {
    let planner = Planner { program, sources };
    (0..program.nests.len()).map(|nest| planner.nest(nest)).collect()
}

struct Planner<'p> {
    program: &'p Program,
    sources: &'p [Option<Source>],
}

impl Planner<'_> {
    fn nest(&self, number: usize) -> NestPlans {
        let nest = &self.program.nests[number];
        let Some(fold) = &nest.fold else {
            let role = if nest.axes.is_empty() { Role::Single } else { Role::Points };
            let results: Vec<Value> = self.cells_of(nest.before.iter().filter_map(Node::result));
            let stores = nest.before.iter().any(is_store);
            let lists = [nest.before.as_slice(), &[], &[], &[]];
            let plan = || self.plan(number, role, lists, &results, &[]);
            return NestPlans { first: (stores || !results.is_empty()).then(plan), fold: None };
        };
        let items: Vec<Value> = fold.items.iter().map(|item| item.value).collect();
        let spills = self.must_spill(nest);
        let (pure, stores): (Vec<Node>, Vec<Node>) = match spills {
            true => (Vec::new(), Vec::new()),
            false => nest.before.iter().cloned().partition(|node| !is_store(node)),
        };
        let results = fold.items.iter().flat_map(|item| [Some(item.result), item.index]).flatten();
        let results = self.cells_of(results);
        let leaf = self.plan(
            number,
            Role::Leaves { finish: false },
            [&pure, &fold.nodes, &[], &[]],
            &[],
            &items,
        );
        let mut finish = self.plan(
            number,
            Role::Leaves { finish: true },
            [&pure, &fold.nodes, &stores, &nest.after],
            &[],
            &items,
        );
        let mut combine =
            self.plan(number, Role::Combine, [&pure, &[], &stores, &nest.after], &[], &[]);
        finish.results.clone_from(&results);
        combine.results = results;
        let first = spills.then(|| {
            let spilled: Vec<Value> = nest
                .before
                .iter()
                .filter_map(Node::result)
                .filter(|v| leaf.spilled.contains(v) || finish.spilled.contains(v))
                .collect();
            let lists = [nest.before.as_slice(), &[], &[], &[]];
            let mut plan = self.plan(number, Role::Points, lists, &spilled, &[]);
            plan.results.clear();
            plan.spilled = spilled;
            plan
        });
        NestPlans { first, fold: Some([leaf, finish, combine]) }
    }

    /// Those of these values that others read from cells.
    fn cells_of(&self, values: impl Iterator<Item = Value>) -> Vec<Value> {
        let in_cell = |value: &Value| {
            matches!(self.sources[value.0 as usize], Some(Source::Cell(_))) && self.is_used(*value)
        };
        values.filter(in_cell).collect()
    }

    fn is_used(&self, value: Value) -> bool {
        self.program.nests.iter().any(|nest| {
            let folded = nest.fold.iter().flat_map(|fold| &fold.nodes);
            let mut nodes = nest.before.iter().chain(folded).chain(&nest.after);
            let mut items = nest.fold.iter().flat_map(|fold| &fold.items);
            nodes.any(|node| node.uses().contains(&value)) || items.any(|item| item.value == value)
        })
    }

    /// Whether the outer level before a fold cannot be computed again by every entry, nor its stores
    /// be put off: it then has an entry of its own.
    fn must_spill(&self, nest: &Nest) -> bool {
        let folded = nest.fold.as_ref().map_or(&[][..], |fold| &fold.nodes);
        let conflict = |one: &[Node], stores: &[Node]| {
            let stores = || stores.iter().filter(|node| is_store(node));
            one.iter().any(|node| stores().any(|store| self.overlap(node, store)))
        };
        let loads = |nodes: &[Node]| -> Vec<Node> {
            nodes.iter().filter(|node| matches!(node, Node::Load { .. })).cloned().collect()
        };
        let before = loads(&nest.before);
        conflict(&before, &nest.before)
            || conflict(&before, folded)
            || conflict(folded, &nest.before)
    }

    /// Whether two operations may touch the same memory.
    fn overlap(&self, a: &Node, b: &Node) -> bool {
        let buffer =
            |node: &Node| node.access().map(|access| self.program.accesses[access as usize].buffer);
        match (buffer(a), buffer(b)) {
            (Some(a), Some(b)) => self.program.overlap(a, b),
            _ => false,
        }
    }

    /// An entry that runs these lists: before, fold, deferred, after. Of them it keeps what stores,
    /// and what stores, `results` and `items` need.
    fn plan(
        &self,
        nest: usize,
        role: Role,
        lists: [&[Node]; 4],
        results: &[Value],
        items: &[Value],
    ) -> Plan {
        let mut needed: Vec<Value> = results.iter().chain(items).copied().collect();
        let mut kept = lists.map(|_| Vec::new());
        for (kept, list) in kept.iter_mut().zip(lists).rev() {
            for node in list.iter().rev() {
                if node.result().is_none_or(|result| needed.contains(&result)) {
                    needed.extend(node.uses());
                    kept.push(node.clone());
                }
            }
            kept.reverse();
        }
        let own: Vec<Value> = kept.iter().flatten().filter_map(Node::result).collect();
        let fold = self.program.nests[nest].fold.as_ref();
        let of_fold = |value: &Value| {
            fold.is_some_and(|fold| {
                fold.items.iter().any(|item| item.result == *value || item.index == Some(*value))
            })
        };
        let [before, fold, deferred, after] = kept;
        let mut plan = Plan {
            nest,
            role,
            prologue: Vec::new(),
            arguments: Vec::new(),
            cells: Vec::new(),
            results: results.to_vec(),
            before,
            fold,
            deferred,
            after,
            spilled: Vec::new(),
        };
        let mut seen = own;
        needed.sort_unstable();
        needed.dedup();
        needed.retain(|value| !of_fold(value));
        for value in needed {
            self.fetch(value, &mut plan, &mut seen);
        }
        plan
    }

    /// Makes a value available that the entry does not compute in its lists.
    fn fetch(&self, value: Value, plan: &mut Plan, seen: &mut Vec<Value>) {
        if seen.contains(&value) {
            return;
        }
        seen.push(value);
        match self.sources[value.0 as usize] {
            Some(Source::Constant(_)) => {}
            Some(Source::Argument(index)) => {
                if !plan.arguments.contains(&index) {
                    plan.arguments.push(index);
                }
            }
            Some(Source::Cell(_)) => plan.cells.push(value),
            Some(Source::Repeated { nest, node }) => {
                let node = &self.program.nests[nest].before[node];
                node.uses().into_iter().for_each(|used| self.fetch(used, plan, seen));
                plan.prologue.push(node.clone());
            }
            None => plan.spilled.push(value),
        }
    }
}

pub(crate) fn is_store(node: &Node) -> bool {
    matches!(node, Node::Store { .. } | Node::Yield { .. })
}
