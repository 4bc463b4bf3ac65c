//! Which way a fold goes through memory: decided here, for each launch, by strides and extents.
//!
//! In this order, the first that fits:
//!
//! ```text
//! products     sums of products have loops of their own             products.rs
//! any order    what does not depend on it, side by side            any_order.rs
//! columns      the same of columns of bools                        bool_columns.rs
//! point rows   kept points in short rows: a block is many of them   point_rows.rs
//! joined       few kept points beside each other, index by index    joined.rs
//! across       leaves with very short rows: along leaves            across.rs
//! backward     a row of a leaf backwards: its lanes in reverse      backward.rs
//! packed       elements lie along another axis: copied first        packed.rs
//! beside       the same, of points that are a row each: along leaves  beside.rs
//! ```
//!
//! Beside these, points that are one row for the body of the fold may be several for its results
//! ([result rows](super::result_rows)).
//!
//! Else the body goes along kept points or along rows, as they lie, leaves of short rows of points some at a time
//! ([abreast](super::abreast)); leaves of rows that lie side by side are folded
//! [whole](super::whole_rows) where there is a function that does, which is then also better than the loops for products if
//! they are not in the cache, or if 32 elements do not divide a row.

mod traffic;

use super::across::Across;
use super::any_order::AnyOrder;
use super::backward::is_backward;
use super::beside::{Beside, POINTS};
use super::bind::{LARGEST, NEAR, lengthen};
use super::bool_columns::BoolColumns;
use super::bound_fold::{BoundFold, Stream};
use super::column_leaves;
use super::compiled::Compiled;
use super::compiled_rows::LONG as IN_PIECES;
use super::joined::are_joined;
use super::kept_rows::KeptRows;
use super::machine::Machine;
use super::packed::Packing;
use super::point_rows;
use super::points::{MOST_PRODUCTS, few_elements};
use super::products::Products;
use super::result_rows;
use super::short_rows::ShortRows;
use super::whole_rows::{is_sure, is_worth};
use crate::jit::{Folded, Target};
use darray_codegen::bind::{Axes, Loop};
use darray_codegen::{FoldMode, Nest, Phase};
use darray_kernel::tree::TileTree;
use smallvec::SmallVec;

/// See the [module](self).
pub(super) struct FoldWay {
    /// Along what the body goes.
    pub mode: FoldMode,
    pub products: Option<Products>,
    any_order: Option<AnyOrder>,
    bool_columns: Option<BoolColumns>,
    pub packing: Packing,
    /// Whether the body goes backwards.
    pub backward: bool,
    point_rows: Option<Box<KeptRows>>,
    /// How points lie for what comes after the fold, where that is not as they do for its body.
    pub result_rows: Option<Box<KeptRows>>,
    /// Rows of `point_rows`; else 1.
    rows: usize,
    joined: bool,
    /// Whether the kernel is one by rows.
    by_rows: bool,
    /// Whether there are functions of several leaves of columns.
    leaves_together: bool,
    across: Option<Box<Across>>,
    beside: Option<Box<Beside>>,
}

impl FoldWay {
    /// The way of nest number `number`, with its tree if it folds, and the kept loop that it is vectorised over, which is
    /// taken from the loops. `strides(axis)` are the bytes per step of all accesses.
    pub fn choose<'s>(
        compiled: &Compiled,
        number: usize,
        axes: &Axes,
        tree: Option<&TileTree>,
        loops: &mut SmallVec<[Loop; 4]>,
        strides: impl Fn(u8) -> &'s [i64] + Copy,
    ) -> (FoldWay, Loop) {
        let (program, nest) = (&compiled.program, &compiled.program.nests[number]);
        let lanes = tree.map_or(1, TileTree::lanes);
        let only = Loop { axis: nest.kept.saturating_sub(1) as u8, extent: 1 };
        let mut way = FoldWay {
            mode: FoldMode::Kept,
            products: None,
            any_order: None,
            bool_columns: None,
            packing: Packing::default(),
            backward: false,
            point_rows: None,
            result_rows: None,
            rows: 1,
            joined: false,
            by_rows: program.by_rows,
            leaves_together: column_leaves::may_be(nest, axes, compiled.jit),
            across: None,
            beside: None,
        };
        if nest.fold.is_none() {
            let vector = loops.pop().unwrap_or(only);
            if ShortRows::find(compiled, nest, (loops, &vector), strides)
                .is_some_and(|rows| rows.are_best())
            {
                return (way, vector);
            }
            loops.push(vector);
            lengthen(loops);
            return (way, loops.pop().unwrap_or(only));
        }
        way.result_rows =
            compiled.jit.and_then(|_| result_rows::find(program, nest, loops, strides));
        if way.result_rows.is_some() {
            // One loop, along the inner axis.
            let inner = loops.pop().unwrap_or(only);
            let outer = loops.pop().unwrap_or(only);
            loops.push(Loop { extent: outer.extent * inner.extent, ..inner });
        }
        // The interpreter would take short rows, too.
        way.point_rows =
            compiled.jit.and_then(|_| point_rows::find(program, nest, axes, loops, strides));
        way.joined =
            loops.last().is_some_and(|&inner| are_joined(program, nest, axes, inner, strides));
        if way.point_rows.is_none() && !way.joined {
            lengthen(loops);
        }
        let vector = loops.pop().unwrap_or(only);
        if way.point_rows.is_some() {
            way.rows = loops.last().map_or(1, |around| around.extent);
        }
        // Whether rows would be whole leaves.
        let last = nest.fold.as_ref().and_then(|fold| fold.order.last());
        let whole = last.is_some_and(|&last| {
            is_worth(axes, FoldMode::Lanes) && is_sure(program, nest, compiled.jit, strides(last))
        });
        let mode = fold_mode(nest, axes, vector, (compiled.jit.is_some(), whole), strides);
        let row = last.map_or(0, |&last| axes.extents[last as usize]);
        // In a kernel by rows the other nests go over the same rows next, which took longer after such functions.
        // Of very long rows, side by side, a vector that all of them take is read less often.
        let bytes = axes.extents.iter().product::<usize>() * LARGEST;
        let far = !program.by_rows && bytes > NEAR && row <= VERY_LONG;
        let whole_rows = whole && mode == FoldMode::Lanes && (far || has_rest(row, compiled.jit));
        let are_few = |most: usize| {
            let few = |mode, most| few_elements(nest, axes, mode, (vector, way.rows), most) > 0;
            compiled.jit.is_some() && (few(FoldMode::Kept, SHORT - 1) || few(mode, most))
        };
        way.products = compiled.folds[number]
            .first()
            .and_then(|item| Some((item.products?, item.size as i64)))
            // Points of a few elements are folded in registers.
            .filter(|_| !whole_rows && !are_few(Folded::LANES))
            .and_then(|sums| Products::find(nest, sums, lanes, vector, program.by_rows, strides))
            .filter(|products| products.by_rows() || !are_few(MOST_PRODUCTS));
        if way.products.is_some() {
            way.joined = false;
            return (way, vector);
        }
        if mode == FoldMode::Lanes && !way.joined && way.point_rows.is_none() {
            way.any_order = AnyOrder::find(program, nest, axes, compiled.level, strides);
        }
        if way.any_order.is_some() {
            way.mode = mode;
            return (way, vector);
        }
        let has_one_slot = tree.is_some_and(|tree| tree.slots() == 1);
        if loops.is_empty() && nest.kept > 0 && way.result_rows.is_none() && has_one_slot {
            let points = (vector.axis, vector.extent);
            way.bool_columns =
                BoolColumns::find(program, nest, axes, compiled.level, points, strides);
            if way.bool_columns.is_some() {
                (way.joined, way.point_rows, way.rows) = (false, None, 1);
                return (way, vector);
            }
        }
        let across = |mode: FoldMode| {
            let machine = (compiled.jit?, compiled.level);
            Across::find(program, nest, axes, mode, vector, machine, strides)
        };
        way.across = if way.point_rows.is_some() { None } else { across(FoldMode::Kept) };
        if !(way.joined || way.across.is_some() || way.point_rows.is_some()) {
            way.mode = mode;
        }
        if way.mode == FoldMode::Lanes {
            way.across = across(way.mode);
        }
        // The one copies by itself, the other needs no copies.
        if way.across.is_none() {
            way.backward = compiled.jit.is_some() && is_backward(program, nest, way.mode, strides);
            if !way.backward {
                let level = compiled.level;
                way.packing = Packing::new(program, nest, axes, way.mode, vector, level, strides);
                let (along, packing) = ((way.mode, vector), &way.packing);
                way.beside = compiled.jit.and_then(|target| {
                    Beside::find(program, nest, axes, (packing, target), along, strides)
                });
                if way.beside.is_some() {
                    way.packing.points = way.packing.points.min(POINTS);
                }
            }
        }
        (way, vector)
    }

    /// The kept loop that a block is of, and how its points lie, if they are in rows and there is code for these; the loop
    /// around it is then part of it.
    pub fn points(
        &mut self,
        machine: &Machine,
        lanes: usize,
        vector: Loop,
        loops: &mut SmallVec<[Loop; 4]>,
    ) -> (Loop, Option<Box<KeptRows>>) {
        let by_rows = match lanes {
            1 => machine.fold_alone.or(machine.fold_short).is_some(),
            _ => machine.points.is_some(),
        };
        let rows = self.point_rows.take().filter(|_| by_rows);
        if rows.is_none() {
            return (vector, None);
        }
        loops.pop();
        (Loop { extent: vector.extent * self.rows, ..vector }, rows)
    }

    /// Points of a block, of a nest whose points lie so; `usual` is the number where the way asks for none.
    pub fn block(
        &self,
        point_rows: Option<&KeptRows>,
        (lanes, reduced): (usize, usize),
        (vector, machine): (Loop, &Machine),
        usual: impl FnOnce() -> usize,
    ) -> usize {
        if self.products.is_some_and(|products| products.by_rows()) {
            return Products::rows_per_block(reduced * LARGEST);
        }
        let block = match point_rows {
            Some(rows) => rows.block(point_rows::MOST_POINTS),
            None if self.joined => lanes * vector.extent,
            None => usual(),
        };
        let packed = self.mode == FoldMode::Kept
            && !self.packing.is_empty()
            && machine.points_across().is_none();
        let block = if packed { block.min(self.packing.points) } else { block };
        self.result_rows.as_ref().map_or(block, |rows| rows.block(block))
    }

    /// Lets a bound fold go this way, as far as there is code.
    pub fn lead<'s>(
        self,
        fold: &mut BoundFold,
        (nest, machine): (&Nest, &Machine),
        (vector, in_rows): (Loop, bool),
        strides: impl Fn(u8) -> &'s [i64],
    ) {
        fold.joined = if self.joined { vector.extent } else { 0 };
        fold.any_order = self.any_order;
        fold.bool_columns = self.bool_columns;
        if fold.any_order.is_some() {
            fold.band = 0;
            return;
        }
        fold.backward = self.backward;
        // Rows of many leaves in the order of memory, else leaves that have functions of their own.
        let is_forward = |stream: &Stream| stream.around > 0;
        if self.backward && machine.whole().is_some() && fold.streams.iter().any(is_forward) {
            fold.band = 0;
        }
        let has_code = |leaves: usize| machine.short(leaves).is_some();
        fold.across = self.across.filter(|way| fold.band == 0 && has_code(way.leaves));
        fold.beside = self.beside.filter(|_| machine.tiles().is_some());
        if nest.kept > 0 && !self.by_rows {
            fold.fold_by_leaf(machine, strides(vector.axis));
        }
        let short = vector.extent * LARGEST <= IN_PIECES && machine.fold_alone.is_some();
        fold.fold_together(machine.leaves(), in_rows, short);
    }
}

/// Whether the loops of products take much of a row one by one: what is left of 32, of a row that is not long. Else they are as
/// good in the cache as functions of whole leaves, and with vectors of 4 better: they go through rows side by side. From memory
/// that is worse: what is read goes to and fro, and is not asked for ahead.
fn has_rest(row: usize, target: Option<Target>) -> bool {
    let long = if target == Some(Target::Avx2) { 256 } else { 1024 };
    (SHORT..long).contains(&row) && !row.is_multiple_of(Folded::LANES)
}

/// Elements of rows from which on they are very long: of a vector the first-level cache holds less.
const VERY_LONG: usize = 1 << 13;

/// Elements of a row that are not few.
pub(super) const SHORT: usize = 32;

/// Rows from which on a function for them pays.
pub(super) const MANY: usize = 64;

/// Over what a fold is vectorised: over lanes where the last reduced axis is long and no worse in
/// memory than the kept vector axis, which has `vector` points; `strides(axis)` are the strides of
/// all accesses. `compiled` says whether there is machine code, `whole` whether it is one of whole leaves.
fn fold_mode<'s>(
    nest: &Nest,
    axes: &Axes,
    vector: Loop,
    (compiled, whole): (bool, bool),
    strides: impl Fn(u8) -> &'s [i64],
) -> FoldMode {
    let Some(fold) = &nest.fold else { return FoldMode::Kept };
    let Some(&last) = fold.order.last() else { return FoldMode::Lanes };
    if nest.kept == 0 {
        return FoldMode::Lanes;
    }
    let reduced = axes.extents[last as usize];
    let lanes = fold.tree.lanes() > 1;
    // Accesses that move less along the kept axis than along the reduced one, and the opposite.
    let phases = nest.accesses.iter().map(|&(_, phase)| phase);
    let pairs = phases.zip(strides(vector.axis)).zip(strides(last));
    let votes = pairs.filter(|((phase, _), _)| *phase == Phase::Fold).map(|((_, &k), &r)| {
        (k != 0 && r != 0) as i32 * (r.unsigned_abs().cmp(&k.unsigned_abs()) as i32)
    });
    let votes = votes.sum::<i32>();
    if !lanes {
        // One point after another costs a walk each; one reduced index after another a call each, but machine code
        // goes from index to index by itself.
        let few = vector.extent < 8 && reduced > 4 * vector.extent;
        let by_index = compiled && vector.extent > 1;
        return if few && !by_index { FoldMode::Lanes } else { FoldMode::Kept };
    }
    // One point after another by the block loop, which costs more than a short row.
    let short = if whole && votes < 0 { SHORT - 1 } else { 2 * SHORT };
    let plane = plane(nest, axes, strides);
    let few = reduced <= short && (votes >= 0 || plane < PLANE);
    let kept = vector.extent >= 32 && (few || votes > 0);
    if kept { FoldMode::Kept } else { FoldMode::Lanes }
}

/// Elements of a point that lie side by side along the last two reduced axes.
fn plane<'s>(nest: &Nest, axes: &Axes, strides: impl Fn(u8) -> &'s [i64]) -> usize {
    let Some([.., around, last]) = nest.fold.as_ref().map(|fold| &fold.order[..]) else { return 0 };
    let row = axes.extents[*last as usize];
    let follow = strides(*around).iter().zip(strides(*last)).zip(&nest.accesses);
    let mut follow = follow.filter(|(_, (_, phase))| *phase == Phase::Fold);
    let all = follow.all(|((&around, &last), _)| around == last * row as i64);
    if all { row * axes.extents[*around as usize] } else { 0 }
}

/// Elements side by side from which on a point is better folded by itself, although its rows are short.
const PLANE: usize = 384;

#[cfg(test)]
mod tests {
    use crate::execute::bind::Bound;
    use crate::execute::testing::{Cube, FOLDS};
    use crate::jit::Target;
    use crate::level::Level;
    use darray_codegen::FoldMode;

    #[test]
    fn planes_of_short_rows_are_folded_one_by_one() {
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for (rows, alone) in [(150, true), (20, false)] {
                let strides = [3 * rows as i64, 3, 1];
                let cube = Cube { extents: [40, rows, 3], strides, reduced: &[1, 2], to: &[1] };
                for fold in FOLDS {
                    let look =
                        |bound: &Bound<'_>| bound.fold.as_ref().unwrap().mode == FoldMode::Lanes;
                    let (expected, _) = cube.fold(fold, None, look);
                    let (bits, seen) = cube.fold(fold, Some(target), look);
                    assert_eq!(seen, alone, "{target:?} {fold:?} {rows}");
                    assert!(bits == expected, "{target:?} {fold:?} {rows}");
                }
            }
        }
    }
}
