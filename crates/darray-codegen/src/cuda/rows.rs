//! The rows of a leaf, accumulated.

use super::leaves::{Item, Leaf};
use super::literal::c_type;
use super::nodes::{At, Emitter};
use super::plan::is_store;
use crate::layout::StrideClass;
use crate::program::Node;
use darray_kernel::ir::Value;

/// What a thread folds of a row.
#[derive(Clone, Copy)]
pub(super) enum Share {
    /// Every index.
    All,
    /// The indices of `lane`; none where the thread is idle.
    Lane {
        /// Whether it may be.
        idle: bool,
    },
}

/// How a load of the fold's body moves over a leaf.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Move {
    /// Not at all.
    Still,
    /// From row to row only.
    Rows,
    /// Along the last reduced axis.
    Along,
}

/// A load of the fold's body.
pub(super) struct Load {
    pub access: u16,
    pub result: Value,
    pub moves: Move,
}

/// Several indices whose loads all come before the first of them is folded.
struct Stage {
    count: u32,
    /// Whether index `e` is one.
    guard: Option<String>,
    /// Dimensions that differ between the indices, with the coordinate of index `e`.
    coordinates: Vec<(usize, String)>,
    /// Coordinates of index `e` on every reduced axis, when it is folded.
    indices: Vec<String>,
    /// Statements that keep those coordinates and go to the next index.
    advance: Vec<String>,
}

impl Leaf<'_> {
    /// Accumulates the rows of the leaf, or a lane's share of them.
    pub(super) fn rows(&self, emitter: &mut Emitter<'_>, at: &At, share: Share) {
        let index = emitter.variant.index();
        let last = self.last();
        let (start, by) = match share {
            Share::Lane { .. } => (format!("f{last} + lane"), self.lanes),
            Share::All => (format!("f{last}"), 1),
        };
        let end = self.row_end(emitter, share);
        let ahead = self.ahead(emitter, last);
        if by > 1 && self.fold.short && ahead > 1 {
            return self.stream(emitter, at, &start, &end, ahead.min(TAIL));
        }
        let loops = emitter.variant.loops.len();
        let at = self.open_rows(emitter, at);
        emitter.text.line(format!("{index} i{last} = {start};"));
        let stage = |count: u32, guarded: bool| {
            let here = match by {
                1 => format!("(i{last} + e)"),
                _ => format!("(i{last} + e * {by})"),
            };
            let indices = self.indices(&here);
            let guard = guarded.then(|| format!("{here} < {end}"));
            let coordinates = vec![(loops + last, here)];
            Stage { count, guard, coordinates, indices, advance: Vec::new() }
        };
        if ahead > 1 {
            let (reach, all) = ((ahead - 1) * by, ahead * by);
            emitter.text.open(format!("for (; i{last} + {reach} < {end}; i{last} += {all})"));
            self.several(emitter, &at, &stage(ahead, false));
            emitter.text.close();
            let tail = ahead.min(TAIL);
            emitter.text.open(format!("for (; i{last} < {end}; i{last} += {})", tail * by));
            self.several(emitter, &at, &stage(tail, true));
            emitter.text.close();
        } else {
            emitter.text.open(format!("for (; i{last} < {end}; i{last} += {by})"));
            self.element(emitter, &at, &format!("i{last}"), "");
            emitter.text.close();
        }
        self.close_rows(emitter);
    }

    /// The loads of the fold's body.
    pub(super) fn loads(&self, emitter: &Emitter<'_>) -> Vec<Load> {
        let (loops, last) = (emitter.variant.loops.len(), self.last());
        let load = |node: &Node| {
            let Node::Load { access, result } = node else { return None };
            let at = emitter.position(*access);
            let still = |k: usize| {
                at.is_none_or(|at| emitter.variant.class(at, loops + k) == StrideClass::Still)
            };
            let moves = match still(last) {
                false => Move::Along,
                true if (0..last).all(still) => Move::Still,
                true => Move::Rows,
            };
            Some(Load { access: *access, result: *result, moves })
        };
        emitter.plan.fold.iter().filter_map(load).collect()
    }

    /// Where a thread's share of a row ends.
    pub(super) fn row_end(&self, emitter: &mut Emitter<'_>, share: Share) -> String {
        let (index, last) = (emitter.variant.index(), self.last());
        match share {
            Share::Lane { idle: true } => {
                emitter.text.line(format!("const {index} end = active ? e{last} : f{last};"));
                "end".to_string()
            }
            _ => format!("e{last}"),
        }
    }

    /// Opens the loops over the rows of the leaf; the place of their first elements.
    pub(super) fn open_rows(&self, emitter: &mut Emitter<'_>, at: &At) -> At {
        let (index, last) = (emitter.variant.index(), self.last());
        let loops = emitter.variant.loops.len();
        for k in 0..last {
            emitter.text.open(format!("for ({index} i{k} = f{k}; i{k} < e{k}; ++i{k})"));
        }
        let outer: Vec<(usize, String)> = (0..last).map(|k| (loops + k, format!("i{k}"))).collect();
        let mut at = at.clone();
        self.move_by(emitter, &mut at, &outer, "h");
        at
    }

    pub(super) fn close_rows(&self, emitter: &mut Emitter<'_>) {
        (0..self.last()).for_each(|_| emitter.text.close());
    }

    /// Coordinates on every reduced axis, with this one on the last.
    pub(super) fn indices(&self, last: &str) -> Vec<String> {
        (0..self.last()).map(|k| format!("i{k}")).chain([last.to_string()]).collect()
    }

    /// The elements of a lane as one stream, through row after row, where rows are short.
    fn stream(&self, emitter: &mut Emitter<'_>, at: &At, start: &str, end: &str, count: u32) {
        let (index, last, lanes) = (emitter.variant.index(), self.last(), self.lanes);
        let loops = emitter.variant.loops.len();
        let columns = format!("({start} < {end} ? ({end} - ({start}) - 1) / {lanes} + 1 : 0)");
        let rows: Vec<String> = (0..last).map(|k| format!("(e{k} - f{k})")).collect();
        emitter.text.line(format!("{index} left = {columns} * {};", rows.join(" * ")));
        for k in 0..last {
            emitter.text.line(format!("{index} i{k} = f{k};"));
        }
        emitter.text.line(format!("{index} i{last} = {start};"));
        let mut advance = Vec::new();
        let mut next = "++i0;".to_string();
        for k in 1..last {
            next = format!("if (++i{k} == e{k}) {{ i{k} = f{k}; {next} }}");
        }
        let kept = self.uses_indices(emitter);
        for k in (0..=last).filter(|_| kept) {
            emitter.text.line(format!("{index} g{k}[{count}];"));
            advance.push(format!("g{k}[e] = i{k};"));
        }
        advance.push(format!("i{last} += {lanes};"));
        advance.push(format!("if (i{last} >= {end}) {{ i{last} = {start}; {next} }}"));
        let stage = Stage {
            count,
            guard: Some("e < left".to_string()),
            coordinates: (0..=last).map(|k| (loops + k, format!("i{k}"))).collect(),
            indices: (0..=last).map(|k| format!("g{k}[e]")).collect(),
            advance,
        };
        emitter.text.open(format!("for (; left > 0; left -= {count})"));
        self.several(emitter, at, &stage);
        emitter.text.close();
    }

    /// One index of the last axis; `lane` names one of the accumulators of a thread that owns several.
    pub(super) fn element(&self, emitter: &mut Emitter<'_>, at: &At, here: &str, lane: &str) {
        let last = self.last();
        let mut at = at.clone();
        let coordinate = [(emitter.variant.loops.len() + last, here.to_string())];
        self.move_by(emitter, &mut at, &coordinate, "j");
        let indices = self.indices(here);
        self.set_indices(&mut at, &indices);
        let plan = emitter.plan;
        emitter.nodes(&plan.fold, &at);
        self.accumulate(emitter, &indices, lane);
    }

    /// Several indices: all loads, then the operations of each.
    fn several(&self, emitter: &mut Emitter<'_>, at: &At, stage: &Stage) {
        let (plan, count) = (emitter.plan, stage.count);
        let mut moving = Vec::new();
        for node in &plan.fold {
            let Node::Load { access, result } = node else { continue };
            let Some(position) = emitter.position(*access) else { continue };
            let still = |dim: usize| emitter.variant.class(position, dim) == StrideClass::Still;
            if stage.coordinates.iter().all(|(dim, _)| still(*dim)) {
                let offset = emitter.offset(*access, at);
                let value = emitter.load(*access, &offset);
                emitter.define(*result, &value);
            } else {
                let ty = c_type(emitter.dtype(*result));
                emitter.text.line(format!("{ty} q{access}[{count}];"));
                moving.push((*access, *result));
            }
        }
        emitter.text.line("#pragma unroll");
        emitter.text.open(format!("for (int e = 0; e < {count}; ++e)"));
        let mut there = at.clone();
        self.move_by(emitter, &mut there, &stage.coordinates, "j");
        for (access, _) in &moving {
            let offset = emitter.offset(*access, &there);
            let value = emitter.load(*access, &offset);
            let line = match &stage.guard {
                Some(guard) => format!("q{access}[e] = {guard} ? {value} : 0;"),
                None => format!("q{access}[e] = {value};"),
            };
            emitter.text.line(line);
        }
        stage.advance.iter().for_each(|line| emitter.text.line(line));
        emitter.text.close();
        emitter.text.line("#pragma unroll");
        emitter.text.open(format!("for (int e = 0; e < {count}; ++e)"));
        if let Some(guard) = &stage.guard {
            emitter.text.open(format!("if ({guard})"));
        }
        for (access, result) in &moving {
            emitter.define(*result, &format!("q{access}[e]"));
        }
        self.set_indices(&mut there, &stage.indices);
        for node in plan.fold.iter().filter(|node| !matches!(node, Node::Load { .. })) {
            let (result, value) = emitter.computed(node, &there);
            emitter.define(result, &value);
        }
        self.accumulate(emitter, &stage.indices, "");
        if stage.guard.is_some() {
            emitter.text.close();
        }
        emitter.text.close();
    }

    /// Folds the values of the body at these reduced indices; `lane` as in [`element`](Self::element).
    pub(super) fn accumulate(&self, emitter: &mut Emitter<'_>, indices: &[String], lane: &str) {
        let position = self.position(indices);
        for (number, item) in self.items.iter().enumerate() {
            let value = emitter.value(item.item.value);
            self.fold_value(emitter, number, &value, &position, lane);
        }
    }

    /// Adds coordinates to the offsets of the body's accesses; new names begin with `prefix`.
    pub(super) fn move_by(
        &self,
        emitter: &mut Emitter<'_>,
        at: &mut At,
        coordinates: &[(usize, String)],
        prefix: &str,
    ) {
        let index = emitter.variant.index();
        let accesses = emitter.plan.fold.iter().filter_map(Node::access);
        let used: Vec<usize> = accesses.filter_map(|access| emitter.position(access)).collect();
        for pattern in 0..emitter.variant.patterns.count() {
            let of = |&&at: &&usize| emitter.variant.patterns.number(at) == pattern;
            let users: Vec<usize> = used.iter().filter(of).copied().collect();
            let mut terms = emitter.moved(pattern, coordinates);
            let (Some(&one), false) = (users.first(), terms.is_empty()) else { continue };
            if !at.offsets[one].is_empty() {
                terms.insert(0, at.offsets[one].clone());
            }
            let name = format!("{prefix}{pattern}");
            emitter.text.line(format!("const {index} {name} = {};", terms.join(" + ")));
            users.into_iter().for_each(|access| at.offsets[access].clone_from(&name));
        }
    }

    pub(super) fn set_indices(&self, at: &mut At, indices: &[String]) {
        for (&axis, index) in self.body.order.iter().zip(indices) {
            at.indices[axis as usize].clone_from(index);
        }
    }

    /// The number of the last reduced axis.
    pub(super) fn last(&self) -> usize {
        self.body.order.len() - 1
    }

    /// Whether what is folded depends on reduced indices.
    pub(super) fn uses_indices(&self, emitter: &Emitter<'_>) -> bool {
        let index = |node: &Node| match node {
            Node::Index { axis, .. } => self.body.order.contains(axis),
            _ => false,
        };
        self.items.iter().any(Item::has_index) || emitter.plan.fold.iter().any(index)
    }

    /// How many indices are loaded before the first is folded: enough bytes on their way to hide
    /// how long each of them takes. Stores forbid it; much arithmetic does not need it.
    pub(super) fn ahead(&self, emitter: &Emitter<'_>, last: usize) -> u32 {
        let nodes = &emitter.plan.fold;
        let dim = emitter.variant.loops.len() + last;
        let moves = |dim: usize, access: u16| {
            let at = emitter.position(access);
            at.is_some_and(|at| emitter.variant.class(at, dim) != StrideClass::Still)
        };
        let bytes: u32 = nodes
            .iter()
            .filter_map(|node| match node {
                Node::Load { access, .. } if moves(dim, *access) => {
                    Some(emitter.access_dtype(*access).size() as u32)
                }
                _ => None,
            })
            .sum();
        let cost: u32 = nodes
            .iter()
            .map(|node| match node {
                Node::Apply { operator, .. } => operator.cost(),
                Node::Random { .. } => LONG,
                _ => 0,
            })
            .sum();
        let most = match cost {
            _ if bytes == 0 || nodes.iter().any(is_store) => 1,
            0..LIGHT => (AHEAD / bytes).clamp(4, 32),
            LIGHT..LONG => 4,
            _ => 1,
        };
        // A lane that goes from row to row does not end with one.
        if self.fold.short { most } else { most.min(self.fold.columns.into()) }
    }
}

/// Bytes that a thread has on their way.
const AHEAD: u32 = 128;

/// Most indices that are loaded at once where fewer may be left.
pub(super) const TAIL: u32 = 8;

/// Costs of a fold's body below which loads are all that matters, and from which they do not.
const LIGHT: u32 = 16;
const LONG: u32 = 64;
