//! The choice for folds: along what they go, and how much of them at once.

use super::loops::{ONCE, lengthen};
use super::summary::{CodeSummary, FoldSummary, Summary, TreeSummary, bit};
use super::{FoldSchedule, Over, Schedule, tuning};
use crate::jit::Traffic;
use crate::vector::{LANES, MOST_COLUMNS};
use darray_codegen::bind::Loop;
use darray_codegen::{FoldMode, Phase, StrideClass};
use darray_core::{Kind, RealType};
use smallvec::SmallVec;
use std::ops::Range;

/// Along what the fold of a nest goes, and the kept loop that a block is of, which is no longer among the `rows`.
pub(super) fn choose(
    summary: &Summary<'_>,
    (fold, tree): (&FoldSummary, &TreeSummary<'_>),
    rows: &mut SmallVec<[Loop; 4]>,
) -> (Loop, FoldSchedule) {
    let (nest, lanes) = (summary.nest, tree.tree.lanes());
    // Lanes and the points behind them are one row.
    if lanes == 1 || tree.behind == 1 {
        lengthen(rows);
    }
    let vector = rows.pop().unwrap_or(ONCE);
    let kept = summary.strides_of(vector.axis);
    let along = fold.order.last().map_or(kept, |&axis| summary.strides_of(axis));
    // Accesses that move less along the kept axis than along the reduced one, and the opposite.
    let of_fold = |access: &usize| nest.accesses[*access].phase == Phase::Fold;
    let in_fold = || (0..nest.accesses.len()).filter(of_fold);
    let votes = in_fold().map(|access| {
        let (k, r) = (kept[access], along[access]);
        (k != 0 && r != 0) as i32 * (r.unsigned_abs().cmp(&k.unsigned_abs()) as i32)
    });
    let votes = votes.sum::<i32>();
    let is_plain_row = rows.is_empty() && nest.kept > 0 && tree.tree.slots() == 1;
    let over = if has_few_elements(summary, fold, tree, vector, votes) {
        Over::PointsAtOnce
    } else if nest.kept > 0 && (lanes == 1 || votes > 0) {
        match is_plain_row && has_bool_columns(summary, fold, vector) {
            true => Over::BoolColumns,
            false => Over::Points,
        }
    } else {
        match is_in_any_order(summary, fold, tree) {
            true => Over::AnyOrder,
            false => Over::Lanes,
        }
    };
    let lies_across =
        |&access: &usize| kept[access] != 0 && kept[access] != summary.size(access) as i64;
    let across = in_fold().filter(lies_across).map(|access| access as u16);
    let extents = fold.order.iter().map(|&axis| (axis, summary.extents[usize::from(axis)]));
    let loops: SmallVec<[Loop; 4]> = extents.map(|(axis, extent)| Loop { axis, extent }).collect();
    let leaf = loops.iter().zip(&tree.blocks).map(|(it, &block)| it.extent.min(block).max(1));
    let schedule = FoldSchedule {
        over,
        mode: match over {
            Over::Lanes | Over::AnyOrder => FoldMode::Lanes,
            Over::Points | Over::PointsAtOnce | Over::BoolColumns => FoldMode::Kept,
        },
        across: if over == Over::PointsAtOnce { across.collect() } else { SmallVec::new() },
        lanes,
        leaf: leaf.product(),
        loops,
        step_leaves: 1,
        step_elements: 1,
        step_loop: tree.tree.axis_of_subtrees(),
        row_leaves: 1,
        walk_points: 1,
        function_steps: None,
        lines: SmallVec::new(),
    };
    (vector, schedule)
}

impl FoldSchedule {
    /// Whether a function of leaves, if there is one, is to load what an access reads backwards, where it can.
    pub(super) fn reverses(&self, summary: &Summary<'_>, access: usize) -> bool {
        self.over == Over::Lanes
            && self.lanes == LANES
            && summary.with_reversed
            && summary.nest.fold.as_ref().is_some_and(|fold| !fold.indexed())
            && !summary.nest.by_rows
            && summary.nest.accesses[access].phase == Phase::Fold
    }
}

/// Whether each kept point has few elements and points are many, so that a function is best that folds them all at once.
fn has_few_elements(
    summary: &Summary<'_>,
    fold: &FoldSummary,
    tree: &TreeSummary<'_>,
    vector: Loop,
    votes: i32,
) -> bool {
    let &[axis] = &fold.order[..] else { return false };
    if summary.nest.target.is_none() || !summary.with_points || vector.extent < tuning::MANY_POINTS
    {
        return false;
    }
    // What elements of a point side by side are read from is copied before; nothing is copied to where they are written.
    let kept = summary.strides_of(vector.axis);
    let stores_across = summary.nest.accesses.iter().zip(kept).any(|(access, &stride)| {
        access.phase == Phase::Fold && !access.is_load && stride != access.size as i64
    });
    if stores_across {
        return false;
    }
    let extent = summary.extents[usize::from(axis)];
    let is_one_leaf = tree.tree.is_whole() && extent <= tree.blocks[0];
    let most = match votes {
        // Rows that are not short are better folded by themselves.
        ..=0 => tuning::ROUND_ELEMENTS - 1,
        1.. if vector.extent < tuning::MANY_POINTS_OF_MORE => LANES,
        1.. => tuning::POINT_ELEMENTS,
    };
    let most = if fold.indexed() { most.min(LANES) } else { most };
    is_one_leaf && tree.tree.lanes() == LANES && (1..=most).contains(&extent)
}

/// Whether rows are elements of one access as they are, side by side, whose fold shows no order.
fn is_in_any_order(summary: &Summary<'_>, fold: &FoldSummary, tree: &TreeSummary<'_>) -> bool {
    let (Some(plain), Some(&last)) = (fold.plain, fold.order.last()) else { return false };
    let stride = |axis: u8| summary.stride(axis, plain.access);
    let extent = |axis: u8| summary.extents[usize::from(axis)];
    // Elements of a leaf that lie side by side: rows that follow one another are one.
    let mut length = 1;
    for ((number, &axis), &block) in fold.order.iter().enumerate().zip(&tree.blocks).rev() {
        let block = block.min(extent(axis));
        length *= block;
        let behind =
            |before: usize| stride(fold.order[before]) == stride(axis) * extent(axis) as i64;
        if block < extent(axis) || !number.checked_sub(1).is_some_and(behind) {
            break;
        }
    }
    let least =
        if fold.are_searches() { tuning::SEARCH_ELEMENTS } else { tuning::ANY_ORDER_ELEMENTS };
    let is_long = extent(last).max(length) >= least;
    // What a kernel by rows goes through is shared by its nests row by row.
    plain.has_loop && stride(last) == plain.dtype.size() as i64 && is_long && !summary.nest.by_rows
}

/// Whether points are a row of columns of bools as they are, whose fold over one axis shows no order: nothing has to follow the tree,
/// whose leaves are eight rows of perhaps a few bytes.
fn has_bool_columns(summary: &Summary<'_>, fold: &FoldSummary, vector: Loop) -> bool {
    let (Some(plain), &[along]) = (fold.plain, &fold.order[..]) else { return false };
    let is_known = plain.reducer.is_none_or(|reducer| reducer.decides().is_some());
    let elements = summary.extents[usize::from(along)] * vector.extent;
    is_known
        && plain.dtype.kind() == Kind::Bool
        && (2..=MOST_COLUMNS).contains(&vector.extent)
        && summary.stride(vector.axis, plain.access) == RealType::MASK.size() as i64
        && elements >= tuning::BOOL_ELEMENTS
        // As above.
        && !summary.nest.by_rows
}

/// What code for a fold knows of rows.
pub(super) fn traffic(summary: &Summary<'_>, vector: Loop, fold: Option<&FoldSchedule>) -> Traffic {
    let Some(fold) = fold else { return Traffic::default() };
    if fold.over != Over::PointsAtOnce {
        let lanes = if takes_lanes_together(summary, vector, fold) { fold.lanes as u8 } else { 0 };
        return Traffic { lanes, ..Traffic::default() };
    }
    let Loop { axis, extent } = fold.loops[0];
    // Of bytes copies are better, as only 4 of a point are loaded at once.
    let is_row = |&access: &u16| {
        let access = usize::from(access);
        let size = summary.size(access);
        summary.stride(axis, access) == size as i64 && size > 1 && bit(access) != 0
    };
    let bits = fold.across.iter().fold(0, |bits, &access| bits | bit(access.into()));
    let across = if fold.across.iter().all(is_row) { bits } else { 0 };
    Traffic { points: extent as u8, across, stores: true, ..Traffic::default() }
}

/// Whether a function had better go through the rows of all lanes of kept points: by lanes each would read its own of rows that lie beside
/// one another, unless all of these are one row.
fn takes_lanes_together(summary: &Summary<'_>, vector: Loop, fold: &FoldSchedule) -> bool {
    let nest = summary.nest;
    let Some(last) = fold.loops.last() else { return false };
    let is_one_row = |access: usize| {
        let (along, down) =
            (summary.stride(vector.axis, access), summary.stride(last.axis, access));
        down == if along == 0 { 0 } else { along * vector.extent as i64 }
    };
    let in_fold = |&access: &usize| nest.accesses[access].phase == Phase::Fold;
    fold.over == Over::Points
        && matches!(fold.lanes, 2..=tuning::LANES_TOGETHER)
        && fold.leaf.is_multiple_of(fold.lanes)
        && !(0..nest.accesses.len()).filter(in_fold).all(is_one_row)
}

/// Adds to the schedule of a nest with a fold what depends on the code that there is.
pub(super) fn fit(
    schedule: &mut Schedule,
    summary: &Summary<'_>,
    tree: &TreeSummary<'_>,
    code: &CodeSummary,
) {
    let (Some(fold), Some(of_nest)) = (&mut schedule.fold, &summary.nest.fold) else { return };
    let (mode, lanes, leaf) = (fold.mode, fold.lanes, fold.leaf);
    let indexed = of_nest.indexed();
    let has_function = code.has_fold && (mode == FoldMode::Kept || lanes == LANES);
    let are_loads = !code.computes && code.taken.iter().all(Option::is_some);
    let is_read = are_loads || has_function;
    let extents = || fold.loops.iter().map(|it| it.extent);
    let one_leaf: Ranges = extents().zip(&tree.blocks).map(|(n, &block)| 0..n.min(block)).collect();
    let whole: Ranges = extents().map(|n| 0..n).collect();
    let steps = |access: usize| -> SmallVec<[isize; 4]> {
        fold.loops.iter().map(|it| summary.stride(it.axis, access) as isize).collect()
    };
    let of_function = |ranges: &[Range<usize>]| -> Option<SmallVec<[isize; 8]>> {
        let count = schedule.along.len();
        let mut all: SmallVec<[isize; 8]> = SmallVec::from_elem(0, count + code.kept);
        let is_folded = |access: &usize| summary.nest.accesses[*access].phase == Phase::Fold;
        for access in (0..count).filter(is_folded) {
            let moves = (schedule.layout.classes[access], schedule.along[access] as isize);
            let line = line(&steps(access), ranges);
            all[access] = step_of_function(mode, moves, line, ranges)?;
        }
        Some(all)
    };
    let of_items = |ranges: &[Range<usize>]| -> SmallVec<[Option<isize>; 4]> {
        let of_item = |(access, &(size, indexed)): (&Option<u16>, &(usize, bool))| {
            let line = line(&steps(usize::from((*access)?)), ranges);
            step_of_item(mode, line.filter(|_| !indexed), size, ranges)
        };
        code.taken.iter().zip(&of_nest.items).map(of_item).collect()
    };
    let lines = of_items(&one_leaf);
    let function_steps = has_function.then(|| of_function(&one_leaf)).flatten();
    let in_lines = match has_function {
        true => function_steps.is_some(),
        false => lines.iter().all(Option::is_some),
    };
    // Of pairs all the way down several leaves are one, if they are in a line too.
    let is_pairs = mode == FoldMode::Kept && lanes == 1 && !indexed;
    let whole_is_line = || match has_function {
        true => of_function(&whole).is_some(),
        false => of_items(&whole).iter().all(Option::is_some),
    };
    // As many as are a node. A leaf of one element does not say where the next one is.
    let is_node = is_pairs && leaf > 1 && leaf.is_power_of_two() && in_lines == whole_is_line();
    (fold.function_steps, fold.lines) = (function_steps, lines);
    // Searches show no order, and hold no elements.
    let is_search = of_nest.are_searches();
    let extent = schedule.vector.extent;
    let block = match mode {
        FoldMode::Lanes => 1,
        FoldMode::Kept if is_read && !indexed => match lanes {
            1 => extent.min(tuning::FOLD_POINTS),
            _ => extent.min(tuning::LANE_POINTS / lanes),
        },
        FoldMode::Kept if is_search => extent.min(tuning::POINT_BLOCK),
        FoldMode::Kept => extent.min((tuning::LEAF_BUFFER_BYTES / leaf / 8).max(16)),
    };
    let is_any_order = fold.over == Over::AnyOrder;
    let by_function = has_function && in_lines && !indexed;
    let points: usize = fold.loops.iter().map(|it| it.extent).product();
    if mode == FoldMode::Lanes
        && by_function
        && !is_any_order
        && of_nest.decides.is_none()
        && points < tuning::STEP_LEAVES / 2 * leaf
    {
        fold.walk_points = extent.min(tuning::WALK_POINTS);
    }
    fold.step_leaves = match mode {
        _ if fold.walk_points > 1 => 1,
        _ if (is_any_order || is_search) && !tree.tree.is_empty() => usize::MAX,
        FoldMode::Lanes if is_read && in_lines && lanes == LANES && !indexed => {
            tuning::step_leaves(leaf)
        }
        FoldMode::Kept if is_node => {
            let most = match is_read {
                true => (tuning::STEP_BYTES / block / 8).clamp(tuning::STEP_ROWS, 1024),
                false => tuning::LEAF_BUFFER_BYTES / block / 8,
            };
            1 << (most / leaf).max(1).ilog2()
        }
        FoldMode::Kept if by_function && lanes > 1 => {
            1 << (tuning::HELD_BYTES / (8 * block * leaf)).clamp(1, 8).ilog2()
        }
        _ => 1,
    };
    let are_steps = mode == FoldMode::Lanes && fold.step_leaves == tuning::step_leaves(leaf);
    if let Some((axis, leaves)) = tree.tree.axis_of_rows(tuning::STEP_LEAVES / 4)
        && are_steps
        && by_function
        && of_nest.decides.is_none()
        && tree.blocks[axis] == 1
    {
        (fold.step_loop, fold.row_leaves) = (axis, leaves);
        fold.step_leaves = 1 << (tuning::STEP_LEAVES / leaves).ilog2();
    }
    // Elements may lie so that they are computed before they are folded; those of a leaf of which not all lanes have as many are.
    let together = schedule.traffic.lanes > 0;
    let may_fail = has_function && (!in_lines || together);
    fold.step_elements = match fold.step_leaves {
        usize::MAX => 0,
        _ if is_read && in_lines && !indexed && !may_fail => 0,
        leaves => leaf * leaves,
    };
    schedule.block = block;
}

/// Indices along each reduced axis.
type Ranges = SmallVec<[Range<usize>; 4]>;

/// Bytes from one element to the next, if an item takes elements of this size of some ranges from where they lie.
fn step_of_item(
    mode: FoldMode,
    line: Option<isize>,
    size: usize,
    ranges: &[Range<usize>],
) -> Option<isize> {
    let step = line?;
    match mode {
        FoldMode::Kept => Some(step),
        FoldMode::Lanes if ranges.iter().all(|range| range.len() == 1) => Some(size as isize),
        FoldMode::Lanes => (step == size as isize).then_some(step),
    }
}

/// Bytes from one element to the next of an access of this class, which moves so along the vector axis, where a function that folds
/// finds elements of some ranges: by lanes they lie side by side, or are one and the same.
fn step_of_function(
    mode: FoldMode,
    (class, along): (StrideClass, isize),
    line: Option<isize>,
    ranges: &[Range<usize>],
) -> Option<isize> {
    let step = line?;
    let along = if class == StrideClass::Still { 0 } else { along };
    match mode {
        FoldMode::Kept => Some(step),
        FoldMode::Lanes if step == along || ranges.iter().all(|range| range.len() == 1) => {
            Some(along)
        }
        FoldMode::Lanes => None,
    }
}

/// Bytes from an element of some ranges to the next one in row-major order, if these are the same everywhere; 0 for one element.
fn line(steps: &[isize], ranges: &[Range<usize>]) -> Option<isize> {
    let (mut along, mut inside) = (None, 1);
    for (&step, range) in steps.iter().zip(ranges).rev().filter(|(_, range)| range.len() != 1) {
        match along {
            None => along = Some(step),
            Some(along) if step == along * inside => {}
            Some(_) => return None,
        }
        inside *= range.len() as isize;
    }
    Some(along.unwrap_or(0))
}
