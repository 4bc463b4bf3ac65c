//! What one tile does: folds its leaves, combines them as far as it can, fills its slots.

use super::node::{Node, subtree_count, subtrees};
use super::stack::{Stack, depth};
use super::{Group, TreeRule, combine_lanes};
use smallvec::SmallVec;
use std::ops::Range;

/// The part of one reduced axis that a tile covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReducedAxis {
    /// First global index of the tile; a multiple of the axis' block, or `global`.
    pub origin: usize,
    /// Indices of the tile; it ends at a multiple of the block or at `global`.
    pub extent: usize,
    /// Extent of the whole axis.
    pub global: usize,
}

/// The tree of a fold as one tile sees it.
///
/// ```
/// use darray_kernel::tree::{Group, ReducedAxis, TileStep, TileTree, TreeRule};
///
/// // Indices 0..8 of 13 in blocks of 4: leaves 0 and 1 of 4 are one subtree.
/// let axis = ReducedAxis { origin: 0, extent: 8, global: 13 };
/// let tree = TileTree::new(TreeRule::TINY, Group { axes: 1, behind: 1 }, &[axis]);
/// assert_eq!(tree.slots(), 1);
/// let mut steps = vec![];
/// tree.walk(|step| {
///     steps.push(match step {
///         TileStep::Leaf { position, ranges } => format!("leaf {:?} at {position}", ranges[0]),
///         TileStep::Combine { position } => format!("combine {position}"),
///         TileStep::Slot { position, slot } => format!("slot {slot} from {position}"),
///     })
/// });
/// assert_eq!(steps, ["leaf 0..4 at 0", "leaf 4..8 at 1", "combine 0", "slot 0 from 0"]);
/// ```
#[derive(Clone, Debug)]
pub struct TileTree {
    axes: SmallVec<[TileAxis; 4]>,
    /// The last axis that the tile does not cover.
    split: Option<usize>,
    lanes: usize,
    empty: bool,
}

#[derive(Clone, Copy, Debug)]
struct TileAxis {
    origin: usize,
    extent: usize,
    block: usize,
    /// Leaves of the whole axis.
    leaves: usize,
    /// Leaves of the tile.
    first: usize,
    last: usize,
}

/// How far a walk through a [`TileTree`] has come.
#[derive(Clone, Debug)]
pub struct TileWalk {
    stack: Stack,
    /// The next leaf.
    leaf: SmallVec<[usize; 4]>,
    /// The next slot.
    slot: usize,
    ended: bool,
}

/// One step of [`TileTree::walk`]. Positions count values that wait for their siblings.
#[derive(Debug)]
pub enum TileStep<'a> {
    /// Fold the elements of a leaf and put the value at `position`; where a walk goes
    /// [by subtrees](TileTree::resume_by_subtrees), those of all leaves of one, and combine the leaves.
    Leaf {
        /// Where the value goes.
        position: usize,
        /// Per reduced axis, indices relative to the tile's origin. A leaf begins at lane 0.
        ranges: &'a [Range<usize>],
    },
    /// The value at `position` becomes itself combined with the one at `position + 1`.
    Combine {
        /// The left operand and the result.
        position: usize,
    },
    /// The value at `position` is the one of `slot`.
    Slot {
        /// Where the value is.
        position: usize,
        /// Below [`TileTree::slots`]; slots come in order.
        slot: usize,
    },
}

/// One step of [`TileTree::join`]. Positions count values that wait for their siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinStep {
    /// Put the value of `slot` of `part` at `position`.
    Take {
        /// Where the value goes.
        position: usize,
        /// Which part.
        part: usize,
        /// Which of its slots.
        slot: usize,
    },
    /// The value at `position` becomes itself combined with the one at `position + 1`.
    Combine {
        /// The left operand and the result.
        position: usize,
    },
    /// The value at `position` is the one of the tile's `slot`.
    Slot {
        /// Where the value is.
        position: usize,
        /// Below [`TileTree::slots`]; slots come in order.
        slot: usize,
    },
}

impl TileTree {
    /// The tree of a fold over these axes, in logical order, the last of which are the innermost `group`.
    ///
    /// # Panics
    ///
    /// If there is no axis, or the tile is not cut at block boundaries.
    pub fn new(rule: TreeRule, group: Group, axes: &[ReducedAxis]) -> TileTree {
        assert!(!axes.is_empty(), "a fold has at least one reduced axis");
        let empty = axes.iter().any(|a| a.global == 0);
        let globals: SmallVec<[usize; 4]> = axes.iter().map(|axis| axis.global).collect();
        let tile_axis = |(axis, block): (&ReducedAxis, usize)| {
            let aligned = |i: usize| i.is_multiple_of(block) || i == axis.global;
            let end = axis.origin + axis.extent;
            assert!(
                aligned(axis.origin) && aligned(end) && end <= axis.global,
                "tile {}..{end} of {} is not cut at blocks of {block}",
                axis.origin,
                axis.global,
            );
            let leaves = axis.global.div_ceil(block);
            let (first, last) = (axis.origin.div_ceil(block), end.div_ceil(block));
            TileAxis { origin: axis.origin, extent: axis.extent, block, leaves, first, last }
        };
        let axes: SmallVec<[TileAxis; 4]> =
            axes.iter().zip(rule.blocks(&globals, group)).map(tile_axis).collect();
        let split = split(&axes);
        TileTree { axes, split, lanes: rule.lanes(group.behind), empty }
    }

    /// The tree of a part of the tile, as another worker on the tile sees it: some indices along the first
    /// axis. They count from the tile's origin, and so do those that its walk gives. [`join`](Self::join)
    /// makes the slots of the tile from those of its parts.
    ///
    /// # Panics
    ///
    /// If the part is not cut at block boundaries, or is not all of a domain without elements.
    pub fn part(&self, indices: Range<usize>) -> TileTree {
        let whole = indices == (0..self.axes[0].extent);
        let is_cut = || self.is_cut(indices.start) && self.is_cut(indices.end);
        let mut part = self.clone();
        let axis = &mut part.axes[0];
        assert!(
            whole || is_cut(),
            "part {indices:?} of {} is not cut at blocks of {}",
            axis.extent,
            axis.block,
        );
        if !whole {
            let leaf = |i: usize| (axis.origin + i).div_ceil(axis.block);
            (axis.first, axis.last) = (leaf(indices.start), leaf(indices.end));
            part.split = split(&part.axes);
        }
        part
    }

    /// Whether a [part](Self::part) may begin or end at this index along the first axis.
    pub fn is_cut(&self, index: usize) -> bool {
        let axis = &self.axes[0];
        let aligned = (axis.origin + index).is_multiple_of(axis.block);
        !self.empty && (aligned || index == axis.extent)
    }

    /// Lanes of a leaf, at most.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Whether the whole domain has no elements: leaves start from the reducer's empty value.
    pub fn is_empty(&self) -> bool {
        self.empty
    }

    /// Whether the tile covers the whole domain: its one slot is the result.
    pub fn is_whole(&self) -> bool {
        self.empty || self.split.is_none()
    }

    /// Values that the tile hands on.
    pub fn slots(&self) -> usize {
        match self.split {
            Some(split) if !self.empty => {
                let q = self.axes[split];
                let before: usize = self.axes[..split].iter().map(|a| a.last - a.first).product();
                before * subtree_count(q.first, q.last, q.leaves)
            }
            _ => 1,
        }
    }

    /// An upper bound of positions used by [`walk`](Self::walk).
    pub fn depth(&self) -> usize {
        depth(self.axes.iter().map(|a| (a.leaves, a.first)))
    }

    /// Goes through leaves, combinations and slots in order.
    pub fn walk(&self, step: impl FnMut(TileStep<'_>)) {
        self.resume(&mut self.begin(), usize::MAX, step);
    }

    /// The start of a walk that [`resume`](Self::resume) goes on with.
    pub fn begin(&self) -> TileWalk {
        let leaf = self.axes.iter().map(|a| a.first).collect();
        let ended = self.axes.iter().any(|a| a.first == a.last) && !self.empty;
        TileWalk { stack: self.stack(), leaf, slot: 0, ended }
    }

    /// Goes on through the leaves that begin below `end` along the first axis, which counts from the
    /// tile's origin. Parts of a walk are the whole walk.
    ///
    /// ```
    /// use darray_kernel::tree::{Group, ReducedAxis, TileTree, TreeRule};
    /// let axis = ReducedAxis { origin: 0, extent: 13, global: 13 };
    /// let tree = TileTree::new(TreeRule::TINY, Group { axes: 1, behind: 1 }, &[axis]);
    /// let (mut walk, mut steps) = (tree.begin(), vec![]);
    /// tree.resume(&mut walk, 8, |step| steps.push(format!("{step:?}")));
    /// tree.resume(&mut walk, 13, |step| steps.push(format!("{step:?}")));
    /// let mut whole = vec![];
    /// tree.walk(|step| whole.push(format!("{step:?}")));
    /// assert_eq!(steps, whole);
    /// ```
    pub fn resume(&self, walk: &mut TileWalk, end: usize, step: impl FnMut(TileStep<'_>)) {
        self.resume_by_subtrees(walk, end, (self.axis_of_subtrees(), 1), step);
    }

    /// As [`resume`](Self::resume), where the largest subtrees along [an axis](Self::axis_of_subtrees) are one step each:
    /// those of at most so many leaves, which are whole and begin below `end`. The walk stands where it would without them. The tile
    /// covers the axes behind that axis, and a step has all of their leaves, which combine first; see [`axis_of_rows`](Self::axis_of_rows).
    ///
    /// ```
    /// use darray_kernel::tree::{Group, ReducedAxis, TileStep, TileTree, TreeRule};
    /// // Leaves 0 to 3 of 4, of which the last is not whole.
    /// let axis = ReducedAxis { origin: 0, extent: 14, global: 14 };
    /// let tree = TileTree::new(TreeRule::TINY, Group { axes: 1, behind: 1 }, &[axis]);
    /// let mut steps = vec![];
    /// tree.resume_by_subtrees(&mut tree.begin(), 14, (0, 4), |step| {
    ///     if let TileStep::Leaf { position, ranges } = step {
    ///         steps.push((position, ranges[0].clone()));
    ///     }
    /// });
    /// assert_eq!(steps, [(0, 0..8), (1, 8..12), (2, 12..14)]);
    /// ```
    pub fn resume_by_subtrees(
        &self,
        walk: &mut TileWalk,
        end: usize,
        (along, leaves): (usize, usize),
        mut step: impl FnMut(TileStep<'_>),
    ) {
        let mut ranges: SmallVec<[Range<usize>; 4]> =
            self.axes.iter().map(|a| 0..a.extent).collect();
        let TileWalk { stack, leaf, slot, ended } = walk;
        if self.empty && !*ended {
            step(TileStep::Leaf { position: 0, ranges: &ranges });
            step(TileStep::Slot { position: 0, slot: 0 });
            *ended = true;
        }
        while !*ended {
            let before = ranges[..=along].iter_mut();
            for ((range, axis), &index) in before.zip(&self.axes).zip(&*leaf) {
                *range = axis.indices(index, 1);
            }
            if ranges[0].start >= end {
                return;
            }
            let begin_below = if along == 0 { end } else { usize::MAX };
            let level = self.axes[along].level(leaf[along], leaves, begin_below);
            ranges[along] = self.axes[along].indices(leaf[along], 1 << level);
            step(TileStep::Leaf { position: stack.len(), ranges: &ranges });
            let node = Node { level, index: leaf[along] >> level };
            stack.push(along, node, leaf, |position| step(TileStep::Combine { position }));
            // The next leaf, row-major; axes behind have one.
            let mut axis = along;
            leaf[axis] += (1 << level) - 1;
            loop {
                leaf[axis] += 1;
                if leaf[axis] < self.axes[axis].last {
                    break;
                }
                leaf[axis] = self.axes[axis].first;
                if axis == self.split.unwrap_or(0) {
                    for position in 0..stack.len() {
                        step(TileStep::Slot { position, slot: *slot });
                        *slot += 1;
                    }
                    stack.clear();
                }
                if axis == 0 {
                    *ended = true;
                    break;
                }
                axis -= 1;
            }
        }
    }

    /// The axis along which leaves that follow one another are subtrees, by its place in logical order: the last one that has
    /// several leaves.
    pub fn axis_of_subtrees(&self) -> usize {
        self.axes.iter().rposition(|axis| axis.leaves > 1).unwrap_or(0)
    }

    /// Where leaves along that axis are at most so many, and the tile covers it: the axis before it that has several leaves, and how many
    /// there are behind each of them. Rows of few leaves are steps along it.
    ///
    /// ```
    /// use darray_kernel::tree::{Group, ReducedAxis, TileTree, TreeRule};
    /// // Ten rows of two leaves.
    /// let axes = [10, 6].map(|n| ReducedAxis { origin: 0, extent: n, global: n });
    /// let tree = TileTree::new(TreeRule::TINY, Group { axes: 2, behind: 1 }, &axes);
    /// assert_eq!((tree.axis_of_rows(4), tree.axis_of_rows(1)), (Some((0, 2)), None));
    /// ```
    pub fn axis_of_rows(&self, most: usize) -> Option<(usize, usize)> {
        let last = self.axis_of_subtrees();
        let axis = self.axes[last];
        let is_whole = (axis.first, axis.last) == (0, axis.leaves);
        let before = self.axes[..last].iter().rposition(|axis| axis.leaves > 1);
        before.filter(|_| is_whole && axis.leaves <= most).map(|before| (before, axis.leaves))
    }

    /// Goes through the slots of [parts](Self::part) of the tile that follow one another and are all of it,
    /// and gives the slots of the tile: the combinations are those of [`walk`](Self::walk) that no part made.
    ///
    /// ```
    /// use darray_kernel::tree::{Group, JoinStep::*, ReducedAxis, TileTree, TreeRule};
    /// // Leaves 0..3 of 4, and leaf 3.
    /// let axis = ReducedAxis { origin: 0, extent: 13, global: 13 };
    /// let tree = TileTree::new(TreeRule::TINY, Group { axes: 1, behind: 1 }, &[axis]);
    /// let mut steps = vec![];
    /// tree.join(&[tree.part(0..12), tree.part(12..13)], |step| steps.push(step));
    /// let take = |position, part, slot| Take { position, part, slot };
    /// let combine = |position| Combine { position };
    /// let begin = [take(0, 0, 0), take(1, 0, 1), take(2, 1, 0), combine(1), combine(0)];
    /// assert_eq!(steps[..5], begin);
    /// assert_eq!(steps[5..], [Slot { position: 0, slot: 0 }]);
    /// ```
    pub fn join<'p>(
        &self,
        parts: impl IntoIterator<Item = &'p TileTree>,
        mut step: impl FnMut(JoinStep),
    ) {
        let parts = parts.into_iter().enumerate();
        if self.empty || self.split.is_some_and(|axis| axis > 0) {
            // No slot of the tile is made of several.
            let slots =
                parts.flat_map(|(part, tree)| (0..tree.slots()).map(move |own| (part, own)));
            for (slot, (part, own)) in slots.enumerate() {
                step(JoinStep::Take { position: 0, part, slot: own });
                step(JoinStep::Slot { position: 0, slot });
            }
            return;
        }
        let mut stack = self.stack();
        for (part, tree) in parts {
            let axis = &tree.axes[0];
            for (slot, node) in subtrees(axis.first, axis.last, axis.leaves).enumerate() {
                step(JoinStep::Take { position: stack.len(), part, slot });
                stack.push(0, node, &[], |position| step(JoinStep::Combine { position }));
            }
        }
        for position in 0..stack.len() {
            step(JoinStep::Slot { position, slot: position });
        }
    }

    /// [`walk`](Self::walk) over owned values: `leaf` folds a leaf, the result is one value per slot.
    pub fn fold<V>(
        &self,
        mut leaf: impl FnMut(&[Range<usize>]) -> V,
        mut combine: impl FnMut(V, V) -> V,
    ) -> Vec<V> {
        let mut values = Vec::with_capacity(self.depth());
        let mut slots = Vec::with_capacity(self.slots());
        self.walk(|step| match step {
            TileStep::Leaf { ranges, .. } => values.push(leaf(ranges)),
            TileStep::Combine { .. } => {
                let right = values.pop().expect("a right sibling");
                let left = values.pop().expect("a left sibling");
                values.push(combine(left, right));
            }
            TileStep::Slot { position, .. } => {
                // Slots are taken from the bottom of the stack, all of them.
                if position == 0 {
                    slots.append(&mut values);
                }
            }
        });
        slots
    }

    /// Folds one leaf: `element` gives the value at indices relative to the tile's origin. `start` is the identity, and what a leaf
    /// without elements is.
    pub fn fold_leaf<V: Clone>(
        &self,
        ranges: &[Range<usize>],
        start: V,
        mut element: impl FnMut(&[usize]) -> V,
        mut combine: impl FnMut(V, V) -> V,
    ) -> V {
        let count: usize = ranges.iter().map(Range::len).product();
        let lanes = self.lanes;
        let mut values: Vec<V> = Vec::with_capacity(count.next_multiple_of(lanes));
        let mut index: SmallVec<[usize; 4]> = ranges.iter().map(|r| r.start).collect();
        while values.len() < count {
            values.push(element(&index));
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                if index[axis] < ranges[axis].end {
                    break;
                }
                index[axis] = ranges[axis].start;
            }
        }
        values.resize(count.next_multiple_of(lanes).max(lanes), start);
        let (mut rounds, mut apart) = (values.len() / lanes, lanes);
        while rounds > 1 {
            // Rounds that are left lie so far apart.
            for right in (apart..values.len()).step_by(2 * apart) {
                for lane in right..right + lanes {
                    values[lane - apart] =
                        combine(values[lane - apart].clone(), values[lane].clone());
                }
            }
            (rounds, apart) = (rounds.div_ceil(2), 2 * apart);
        }
        combine_lanes(&mut values[..lanes], |a, b| *a = combine(a.clone(), b.clone()));
        values.swap_remove(0)
    }

    fn stack(&self) -> Stack {
        Stack::new(self.axes.iter().map(|a| a.leaves))
    }
}

/// The last axis that is not covered.
fn split(axes: &[TileAxis]) -> Option<usize> {
    axes.iter().rposition(|a| a.last - a.first < a.leaves)
}

impl TileAxis {
    /// Indices of so many leaves from one on, relative to the tile's origin.
    fn indices(&self, leaf: usize, leaves: usize) -> Range<usize> {
        let start = leaf * self.block - self.origin;
        start..(start + leaves * self.block).min(self.extent)
    }

    /// The level of the largest node that begins with a leaf and has at most so many, all of them whole and beginning below
    /// an index relative to the tile's origin.
    fn level(&self, leaf: usize, most: usize, begin_below: usize) -> u32 {
        let whole = (self.origin + self.extent) / self.block;
        let below = self.origin.saturating_add(begin_below).div_ceil(self.block);
        let leaves = whole.min(below).min(self.last).saturating_sub(leaf).min(most);
        leaves.checked_ilog2().unwrap_or(0).min(leaf.trailing_zeros())
    }
}
