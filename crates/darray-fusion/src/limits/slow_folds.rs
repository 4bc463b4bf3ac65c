//! Folds that are slower in a loop with what they fold than in one of their own.
//!
//! A loop goes through memory one way. One that folds rows goes along them where it has to store or to load along them, too;
//! then it is slow
//! - along short rows, if an operand is the same all along each, or if what is folded is stored or takes long to compute;
//! - if something else lies across the rows, or is taken from them in steps;
//! - along rows of middle length, if it folds to the place of an element.
//!
//! ```text
//! t0  c[i0, i1] = x[i1, i0]        along rows x is loaded from a line of memory for each element,
//! t1  s[i0] = sum of c[i0, ..]     across them c is stored so: a transposition and a sum of rows are faster
//! ```

use crate::facts::Question;
use crate::limits::kernels::Kernels;
use crate::plan::Reason;
use darray_core::Chart;
use darray_ir::{DomainId, MapId, Privilege, StoreId, TaskOp};

/// Time of an operator that takes long, relative to an addition.
const LONG: u32 = 12;
/// Elements of the longest rows that are short where what is folded is stored, takes long, or both.
const STORED: usize = 31;
const TAKES_LONG: usize = 64;
const BOTH: usize = 256;
/// Rows of middle length have more elements than the first, at most as many as the second.
const MIDDLE: (usize, usize) = (31, 512);

/// What tells of a growing group whether a fold in it is slow.
pub(crate) struct SlowFolds<'w> {
    kernels: Kernels<'w>,
    has: Traits,
    /// What its tasks write beside reductions.
    outputs: Vec<StoreId>,
    /// Maps of loads that lie along rows, if their elements follow each other.
    along: Vec<MapId>,
    /// Tasks that are counted.
    seen: usize,
}

/// What tasks do.
#[derive(Clone, Copy, Default)]
struct Traits {
    /// A fold.
    folds: bool,
    /// A fold of rows.
    folds_rows: bool,
    /// One that gives the place of an element.
    places: bool,
    /// A read of what is the same all along each row.
    constant: bool,
    /// A load or store of what lies across the rows.
    transposed: bool,
    /// An operator that takes long.
    long: bool,
}

impl Traits {
    fn or(self, other: Traits) -> Traits {
        Traits {
            folds: self.folds || other.folds,
            folds_rows: self.folds_rows || other.folds_rows,
            places: self.places || other.places,
            constant: self.constant || other.constant,
            transposed: self.transposed || other.transposed,
            long: self.long || other.long,
        }
    }
}

impl<'w> SlowFolds<'w> {
    pub(crate) fn new(kernels: Kernels<'w>) -> SlowFolds<'w> {
        let (has, outputs, along) = Default::default();
        SlowFolds { kernels, has, outputs, along, seen: 0 }
    }

    /// Why the group ends before the next task, of the same domain where it may join, if it does.
    pub(crate) fn are_slow(&mut self, group: &[u32], next: u32) -> Option<Reason> {
        if group.len() == 1 {
            *self = SlowFolds::new(self.kernels);
        }
        group[self.seen..].iter().for_each(|&node| self.add(node));
        self.seen = group.len();
        if !self.has.folds && self.kernels.task(next).reduced_axes() == 0 {
            return None;
        }
        let (outputs, along) = (self.outputs.len(), self.along.len());
        let before = self.has;
        self.add(next);
        let reason = self.reason(next, group.len() as u32 + 1);
        self.has = before;
        self.outputs.truncate(outputs);
        self.along.truncate(along);
        reason
    }

    fn add(&mut self, node: u32) {
        let task = self.kernels.task(node);
        self.has = self.has.or(self.kernels.traits(node));
        for arg in task.args.iter().filter(|arg| arg.privilege.reads()) {
            let map = self.kernels.window.map(arg.map);
            let axes = map.dims.iter().filter(|dim| dim.axis.is_some()).count();
            // What one row is, all rows find in the cache.
            if axes > 1 && !self.outputs.contains(&arg.store) && !self.along.contains(&arg.map) {
                self.along.push(arg.map);
            }
        }
        let written =
            task.args.iter().filter(|arg| arg.privilege.writes() && !arg.privilege.reduces());
        self.outputs.extend(written.map(|arg| arg.store));
    }

    /// Of a group whose last task is this one, of so many.
    fn reason(&self, last: u32, tasks: u32) -> Option<Reason> {
        let Kernels { window, facts, .. } = self.kernels;
        let domain = self.kernels.task(last).domain;
        let has = self.has;
        let short = |most: usize| facts.ask(Question::RowsOf(domain, most));
        if has.folds_rows && has.constant && facts.ask(Question::ShortRows(domain, tasks))
            || has.places && self.kernels.are_middle_rows(domain)
        {
            return Some(Reason::ShortRows);
        }
        // A further call takes longer than few elements.
        if facts.ask(Question::FewElements(domain)) {
            return None;
        }
        // What nobody sees outside is not stored.
        let stores = self.outputs.iter().any(|&store| self.kernels.is_seen_after(last, store));
        let most = match (stores, has.long) {
            (true, true) => BOTH,
            (true, false) => STORED,
            (false, true) => TAKES_LONG,
            (false, false) => 0,
        };
        if has.folds_rows && most > 0 && short(most) {
            return Some(Reason::ShortRows);
        }
        let row = window.domain(domain).rank().checked_sub(1)?;
        let lies_along = |map: &&MapId| {
            window.map(**map).dims.iter().rev().find_map(|dim| dim.axis).map(usize::from)
                == Some(row)
        };
        let along = || self.along.iter().filter(lies_along);
        if !has.transposed && (!stores || !has.folds_rows) {
            return None;
        }
        let steps = |map: &MapId| !facts.ask(Question::Neighbours(*map));
        let strided = has.transposed || along().any(steps);
        let contiguous = stores || along().any(|map| !steps(map));
        (strided && contiguous).then_some(Reason::Across)
    }
}

impl Kernels<'_> {
    /// Whether a task folds rows of middle length to places of elements.
    pub(crate) fn places_in_middle_rows(&self, node: u32) -> bool {
        self.traits(node).places && self.are_middle_rows(self.task(node).domain)
    }

    fn are_middle_rows(&self, domain: DomainId) -> bool {
        let rows = |most| self.facts.ask(Question::RowsOf(domain, most));
        !rows(MIDDLE.0) && rows(MIDDLE.1)
    }

    fn traits(&self, node: u32) -> Traits {
        let task = self.task(node);
        let Some(row) = self.window.domain(task.domain).rank().checked_sub(1) else {
            return Traits::default();
        };
        let (mut constant, mut transposed) = (false, false);
        for arg in task.args.iter().filter(|arg| !arg.privilege.reduces()) {
            let map = self.window.map(arg.map);
            let mut axes = map.dims.iter().filter_map(|dim| dim.axis).map(usize::from);
            let (is_moved, last) = (axes.clone().any(|axis| axis == row), axes.next_back());
            constant |= arg.privilege == Privilege::Read && last.is_some() && !is_moved;
            transposed |= map.chart == Chart::Native && is_moved && last != Some(row);
        }
        let folds_rows = task.reduced_axes() >> row & 1 == 1;
        let long = match task.op {
            TaskOp::Apply { operator, .. } => operator.cost() > LONG,
            TaskOp::Composite { composite, compute, .. } => composite.cost(compute) > LONG,
            _ => false,
        };
        let folds = task.reduced_axes() != 0;
        Traits {
            folds,
            folds_rows,
            places: folds_rows && task.outputs() > 1,
            constant,
            transposed,
            long,
        }
    }
}
