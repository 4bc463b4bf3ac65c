//! How a bound nest goes through memory, as a value and as text: what people and tests look at.
//!
//! ```text
//! rows i0 < 1000; vectors along i1 < 1000; whole rows in machine code; prefetch a0; non-temporal a2
//! vectors along i0 < 300; fold i1 < 2000 by lanes: 32 lanes, leaves of 1024, 16 points together, in machine code
//! ```

use super::bind::Bound;
use super::fold::bound::BoundFold;
use darray_codegen::bind::Loop;
use darray_codegen::{FoldMode, StrideClass};
use smallvec::SmallVec;
use std::fmt;

/// See the [module](self).
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    /// The loops around the vectors, outermost first.
    pub rows: SmallVec<[Loop; 4]>,
    /// The kept loop that vectors, or points of a fold, go along; extent 1 where there is none.
    pub vector: Loop,
    pub body: Body,
    /// Rows and columns that are gone through before others.
    pub tile: Option<(usize, usize)>,
    /// Sets of accesses, as bits: those that are transposed to buffers, reversed in registers, gathered element by element,
    /// written past the caches, prefetched.
    pub transposed: u64,
    pub reversed: u64,
    pub gathered: u64,
    pub non_temporal: u64,
    pub prefetched: u64,
    pub fold: Option<FoldSchedule>,
}

/// What runs what comes before a fold, or all of a nest without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// Nothing comes before the fold.
    Empty,
    /// One function, for whole rows.
    Rows,
    /// A copy whose elements change places in registers.
    Interleaved,
    /// Functions and loops, for blocks of so many elements.
    Blocks(usize),
}

/// How a fold goes through its elements.
#[derive(Clone, Debug)]
pub(super) struct FoldSchedule {
    /// The reduced loops.
    pub loops: SmallVec<[Loop; 4]>,
    pub over: Over,
    /// Lanes of a kept point, and elements of a leaf.
    pub lanes: usize,
    pub leaf: usize,
    /// Leaves that are one step of a walk, at most.
    pub leaves: usize,
    /// Kept points that go through the tree together, at most.
    pub points: usize,
    /// Whether one function computes and folds the elements.
    pub by_function: bool,
}

/// What the vectors of a fold go along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// The lanes of a point.
    Lanes,
    /// Kept points.
    Points,
    /// Kept points, all of whose elements are one straight function.
    PointsAtOnce,
    /// Elements, in any order.
    AnyOrder,
    /// Columns of bools, in any order.
    BoolColumns,
}

impl Schedule {
    /// That of a nest with its arguments.
    pub fn of(bound: &Bound<'_>) -> Schedule {
        let specialised = &bound.specialised;
        let machine = &specialised.machine;
        let of_class = |wanted: StrideClass| {
            let classes = specialised.layout.classes.iter().take(64).enumerate();
            classes.fold(0, |all, (at, &class)| all | u64::from(class == wanted) << at)
        };
        let body = if machine.before.is_empty() && bound.fold.is_some() {
            Body::Empty
        } else if bound.interleaved.is_some() {
            Body::Interleaved
        } else if machine.before_alone.is_some() {
            Body::Rows
        } else {
            Body::Blocks(bound.block)
        };
        let is_whole = bound.tile == (usize::MAX, usize::MAX);
        Schedule {
            rows: bound.outer.clone(),
            vector: bound.vector,
            body,
            tile: (!is_whole).then_some(bound.tile),
            transposed: bound.panels.accesses(),
            reversed: of_class(StrideClass::Backward),
            gathered: of_class(StrideClass::Strided),
            non_temporal: bound.streamed.accesses(),
            prefetched: specialised.traffic.ahead,
            fold: bound.fold.as_ref().map(|fold| FoldSchedule::of(bound, fold)),
        }
    }
}

impl FoldSchedule {
    fn of(bound: &Bound<'_>, fold: &BoundFold) -> FoldSchedule {
        let machine = &bound.specialised.machine;
        let at_once = fold.all_points(machine).is_some();
        let over = if at_once {
            Over::PointsAtOnce
        } else if fold.bool_columns.is_some() {
            Over::BoolColumns
        } else if fold.any_order.is_some() {
            Over::AnyOrder
        } else if fold.mode == FoldMode::Lanes {
            Over::Lanes
        } else {
            Over::Points
        };
        let loops = fold.order.iter().zip(&fold.extents);
        FoldSchedule {
            loops: loops.map(|(&axis, &extent)| Loop { axis, extent }).collect(),
            over,
            lanes: fold.tree.lanes(),
            leaf: fold.of_leaf(),
            leaves: fold.leaves_of_step,
            points: if over == Over::Lanes { fold.points_of_walk } else { fold.block },
            by_function: at_once || machine.fold_function.is_some() && fold.steps.is_some(),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        if !self.rows.is_empty() {
            parts.push(format!("rows {}", loops(&self.rows)));
        }
        if self.vector.extent > 1 {
            let what = if self.fold.is_some() { "points" } else { "vectors" };
            parts.push(format!("{what} along {}", loops(&[self.vector])));
        }
        match self.body {
            Body::Empty => {}
            Body::Rows => parts.push("whole rows in machine code".into()),
            Body::Interleaved => parts.push("interleaved in registers".into()),
            Body::Blocks(block) => parts.push(format!("blocks of {block}")),
        }
        if let Some((rows, columns)) = self.tile {
            let side = |n: usize| if n == usize::MAX { "all".into() } else { n.to_string() };
            parts.push(format!("tiles of {} x {}", side(rows), side(columns)));
        }
        let sets = [
            ("transposed", self.transposed),
            ("reversed", self.reversed),
            ("gathered", self.gathered),
            ("non-temporal", self.non_temporal),
            ("prefetch", self.prefetched),
        ];
        for (what, accesses) in sets.into_iter().filter(|&(_, accesses)| accesses != 0) {
            let names =
                (0..64).filter(|bit| accesses >> bit & 1 == 1).map(|bit| format!(" a{bit}"));
            parts.push(format!("{what}{}", names.collect::<String>()));
        }
        if let Some(fold) = &self.fold {
            parts.push(fold.to_string());
        }
        f.write_str(&parts.join("; "))
    }
}

impl fmt::Display for FoldSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FoldSchedule { lanes, leaf, points, .. } = *self;
        write!(f, "fold {} ", loops(&self.loops))?;
        match self.over {
            Over::PointsAtOnce => return write!(f, "over points, each at once, in machine code"),
            Over::BoolColumns => return write!(f, "over bytes of columns, in any order"),
            Over::AnyOrder => return write!(f, "over elements, in any order"),
            Over::Lanes => write!(f, "over lanes: {lanes} lanes")?,
            Over::Points if lanes == 1 => write!(f, "over points: one lane")?,
            Over::Points => write!(f, "over points: {lanes} lanes")?,
        }
        write!(f, ", leaves of {leaf}")?;
        if self.leaves > 1 {
            write!(f, ", {} a step", self.leaves)?;
        }
        if points > 1 {
            write!(f, ", {points} points together")?;
        }
        f.write_str(if self.by_function { ", in machine code" } else { ", by loops" })
    }
}

fn loops(all: &[Loop]) -> String {
    let one = |around: &Loop| format!("i{} < {}", around.axis, around.extent);
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
