//! Operands of folds that lie across memory: transposed, leaf by leaf.
//!
//! The body of a fold goes along kept points, or along the last reduced axis. Where the elements of an access lie side
//! by side along another reduced axis, each comes from a line of its own, which is gone again when the next index of
//! that axis has its turn. So a leaf of the reduction tree is copied before it is folded:
//!
//! ```text
//! memory   point 0: indices 0..8 ..        buffer   index 0: points 0..n
//!          point 1: indices 0..8 ..                 index 1: points 0..n
//! ```

use super::fold::FoldRun;
use crate::level::Level;
use crate::vector::{LINE, Transpose, Transposed, find_transpose};
use darray_codegen::bind::{Axes, Loop};
use darray_codegen::{FoldMode, Nest, Phase, Program};
use darray_kernel::ir::Role;
use smallvec::SmallVec;
use std::ops::Range;

/// Bytes per step of every dimension.
type Steps = SmallVec<[i64; 4]>;

/// The accesses of a fold that are copied before each leaf.
#[derive(Default)]
pub(super) struct Packing {
    packed: SmallVec<[Packed; 1]>,
    /// Bytes of the buffers.
    pub bytes: usize,
    /// Indices of the first reduced axis that are copied at once, where those of a leaf are too many.
    piece: Option<usize>,
    /// Most kept points of a block, where the fold goes along those.
    pub points: usize,
    /// The reduced axis, by its place in logical order, along which so many leaves are copied together.
    pub group: Option<(usize, usize)>,
}

/// An access that is copied.
pub(super) struct Packed {
    access: usize,
    /// Bytes of an element.
    size: usize,
    transpose: Transpose,
    /// The dimension along which elements lie side by side in memory; in the buffer they do so along the last one.
    side: usize,
    /// Bytes per step of every dimension, in memory and in the buffer: of the reduced axes in logical order and, where
    /// the fold goes along kept points, of those.
    from: Steps,
    to: Steps,
    /// Indices that are copied together along the reduced axes: a leaf, a piece of one, or several along `side`.
    blocks: SmallVec<[usize; 4]>,
    /// Bytes from what is copied to what is fetched meanwhile.
    ahead: isize,
    /// Where the buffer begins.
    offset: usize,
}

/// The point and the ranges that each packed operand was copied for last.
pub(super) type Filled = SmallVec<[(usize, SmallVec<[Range<usize>; 4]>); 1]>;

impl Packing {
    /// What is copied of a nest, the steps along whose axes are `strides`.
    pub fn new<'s>(
        program: &Program,
        nest: &Nest,
        axes: &Axes,
        mode: FoldMode,
        vector: Loop,
        level: Level,
        strides: impl Fn(u8) -> &'s [i64],
    ) -> Packing {
        let mut packing = Packing::default();
        let Some(fold) = &nest.fold else { return packing };
        let block = |(block, &axis): (usize, &u8)| block.min(axes.extents[axis as usize]);
        let mut blocks: SmallVec<[usize; 4]> =
            axes.blocks(fold).into_iter().zip(&fold.order).map(block).collect();
        let (mut dims, mut extents) = (fold.order.clone(), blocks.clone());
        if mode == FoldMode::Kept {
            dims.push(vector.axis);
            extents.push(vector.extent);
        }
        let buffer =
            |number: u16| &program.buffers[program.accesses[number as usize].buffer as usize];
        let find = |(access, &(number, phase)): (usize, &(u16, Phase))| {
            let (size, role) = (buffer(number).dtype.size(), buffer(number).role);
            let from: Steps = dims.iter().map(|&axis| strides(axis)[access]).collect();
            let is_read = phase == Phase::Fold && role == Role::Read;
            let side = across(&from, &extents, size).filter(|_| is_read)?;
            let transpose = find_transpose(size, level)?;
            Some(Found { access, size, side, from, transpose })
        };
        let found: SmallVec<[Found; 1]> =
            nest.accesses.iter().enumerate().filter_map(find).collect();
        if found.is_empty() || blocks.contains(&0) {
            return packing;
        }
        let largest = found.iter().map(|one| one.size).max().unwrap_or(8);
        let (most, most_points, element) = match found.iter().any(Found::is_far) {
            true => (MOST, MOST_POINTS, 8),
            false => (MOST_NEAR, MOST_POINTS_NEAR, largest),
        };
        let leaf = |blocks: &[usize]| blocks.iter().product::<usize>().saturating_mul(element);
        let points = if mode == FoldMode::Kept { vector.extent.min(MOST_POINTS) } else { 1 };
        // Pieces begin with the first lane.
        let least = if blocks.len() > 1 { 1 } else { LANES };
        while leaf(&blocks) * points > most && blocks[0] > least {
            blocks[0] = blocks[0].div_ceil(2).next_power_of_two();
            packing.piece = Some(blocks[0]);
        }
        let last = extents.len() - 1;
        if mode == FoldMode::Kept {
            let fit = (most / leaf(&blocks)).min(most_points);
            packing.points = if fit < vector.extent { fit / FEW * FEW } else { vector.extent };
            extents[last] = packing.points;
        } else {
            extents[last] = blocks[last];
        }
        if leaf(&blocks) > most || extents[last] == 0 {
            return Packing::default();
        }
        // All leaves can be folded in any order, where there is one result and nothing waits between them; else they
        // have to follow one another.
        let is_free = !program.by_rows && packing.piece.is_none();
        let fit = (most / (leaf(&blocks) * packing.points.max(1))).clamp(1, MOST_LEAVES);
        for one in found {
            let in_order = mode == FoldMode::Kept && one.side + 1 == fold.order.len();
            let together = if is_free && (nest.kept == 0 || in_order) { fit } else { 1 };
            let side = axes.extents[fold.order[one.side] as usize];
            packing.add(one, together, (&blocks, side), extents[last], mode);
        }
        packing
    }

    /// Copies one more access, of leaves with these `blocks` and so many indices of the tile along the side, whose last
    /// dimension has `row` indices in the buffer.
    fn add(
        &mut self,
        found: Found,
        together: usize,
        (blocks, all): (&[usize], usize),
        row: usize,
        mode: FoldMode,
    ) {
        let is_far = found.is_far();
        let Found { access, size, side, from, transpose } = found;
        let is_along = from[side].unsigned_abs() == size as u64 && row >= FEW;
        if mode == FoldMode::Lanes && together > 1 && is_along && self.group.is_none() {
            self.group = Some((side, together));
        }
        let count = match mode {
            FoldMode::Kept if is_along => together,
            FoldMode::Lanes if self.group == Some((side, together)) => together,
            _ => 1,
        };
        let mut blocks: SmallVec<[usize; 4]> = blocks.into();
        blocks[side] = (blocks[side] * count).min(all);
        let mut to: Steps = SmallVec::from_elem(size as i64, from.len());
        // Long rows do not compete for the same lines of the cache.
        let apart = if row * size >= LONG { LINE } else { 0 };
        let mut row = row * size + apart;
        for dim in (0..from.len() - 1).rev() {
            to[dim] = row as i64;
            row *= blocks[dim];
        }
        let last = from[from.len() - 1];
        let ahead = match (is_far, mode) {
            (false, _) => last.signum() as isize * AHEAD,
            (true, FoldMode::Kept) if count == 1 => {
                from[side].signum() as isize * (LINES * LINE) as isize
            }
            // The next leaves that are copied.
            (true, _) => {
                let lines = (blocks[side] * size).div_ceil(LINE);
                from[side].signum() as isize * (lines * LINE) as isize
            }
        };
        let offset = self.bytes;
        // Elements of any size are aligned in the next buffer.
        self.bytes += row.next_multiple_of(LINE);
        self.packed.push(Packed { access, size, transpose, side, from, to, blocks, ahead, offset });
    }

    /// Whether nothing is copied.
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// What is copied of an access, if anything is.
    pub fn of(&self, access: usize) -> Option<&Packed> {
        self.packed.iter().find(|packed| packed.access == access)
    }

    /// Bytes per step of a reduced axis, by its place in logical order, where an access is copied to.
    pub fn step(&self, access: usize, number: usize) -> Option<i64> {
        self.of(access).map(|packed| packed.to[number])
    }

    /// The accesses that are copied, as bits.
    pub fn accesses(&self) -> u64 {
        self.packed
            .iter()
            .fold(0, |bits, one| bits | 1u64.checked_shl(one.access as u32).unwrap_or(0))
    }

    /// The ranges of the reduced indices that are copied one after the other for a leaf.
    pub fn pieces(
        &self,
        leaf: &[Range<usize>],
    ) -> impl Iterator<Item = SmallVec<[Range<usize>; 4]>> + use<> {
        let leaf: SmallVec<[Range<usize>; 4]> = leaf.into();
        let (first, step) = (leaf[0].clone(), self.piece.unwrap_or(usize::MAX));
        (first.start..first.end.max(first.start + 1)).step_by(step).map(move |start| {
            let mut piece = leaf.clone();
            piece[0] = start..start.saturating_add(step).min(first.end);
            piece
        })
    }

    /// All that is copied.
    pub fn all(&self) -> &[Packed] {
        &self.packed
    }
}

/// An access that had better be copied.
struct Found {
    access: usize,
    size: usize,
    side: usize,
    from: Steps,
    transpose: Transpose,
}

impl Found {
    /// Whether what is copied together is many streams rather than one.
    fn is_far(&self) -> bool {
        let all = [self.side, self.from.len() - 1].map(|dim| self.from[dim].unsigned_abs());
        all.into_iter().any(|step| step > NEAR)
    }
}

/// The dimension along which an access is copied that does not lie side by side along the last one, along which the
/// body goes: the one along which elements are nearest. It is if that is nearer than along the last one, or if there
/// are few elements along the last one, where a call or a loop for each row costs more.
fn across(from: &Steps, extents: &[usize], size: usize) -> Option<usize> {
    let last = from.len().checked_sub(1)?;
    let step = |dim: usize| from[dim].unsigned_abs();
    if extents[last] < 2 || from[last] == 0 || from[last] == size as i64 {
        return None;
    }
    let others = (0..last).filter(|&dim| extents[dim] > 1 && from[dim] != 0);
    let side = others.min_by_key(|&dim| step(dim))?;
    let is_nearer = step(side) < step(last) && step(side) < LINE as u64 && size != 2;
    (is_nearer || extents[last] < LANES).then_some(side)
}

impl Packed {
    /// Bytes of an element.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The access.
    pub fn access(&self) -> usize {
        self.access
    }

    /// Where the body finds reduced indices and a point of the block, the buffers being at `base`.
    pub fn place(&self, base: *mut u8, at: &[usize], point: usize) -> *mut u8 {
        let in_leaf = at.iter().zip(&self.blocks).map(|(&i, &block)| i % block);
        let offset: usize =
            in_leaf.chain([point]).zip(&self.to).map(|(i, &step)| i * step as usize).sum();
        base.wrapping_add(self.offset + offset)
    }

    /// What is copied for a leaf of a tile with these extents: the ranges of the reduced indices.
    pub fn group(&self, leaf: &[Range<usize>], extents: &[usize]) -> SmallVec<[Range<usize>; 4]> {
        let grouped = |((range, &block), &extent): ((&Range<usize>, &usize), &usize)| {
            let start = range.start / block * block;
            start..(start + block).min(extent)
        };
        leaf.iter().zip(&self.blocks).zip(extents).map(grouped).collect()
    }

    /// Copies to the buffers at `base`: these ranges of the reduced indices, of which those of number 0 lie at
    /// `from`, and `n` kept points.
    ///
    /// # Safety
    /// The elements can be read; the ranges are a [`group`](Self::group), and buffers hold so many points.
    pub unsafe fn fill(&self, from: *const u8, ranges: &[Range<usize>], n: usize, base: *mut u8) {
        let starts = ranges.iter().zip(&self.from).map(|(range, &step)| range.start as i64 * step);
        let mut from = from.wrapping_offset(starts.sum::<i64>() as isize);
        let mut to = base.wrapping_add(self.offset);
        let extents: SmallVec<[usize; 4]> =
            ranges.iter().map(Range::len).chain([n]).take(self.from.len()).collect();
        let (side, last) = (self.side, extents.len() - 1);
        let mut to_step = self.to[side] as isize;
        if self.from[side] < 0 {
            // Backwards: from the other end.
            let steps = extents[side].saturating_sub(1) as isize;
            from = from.wrapping_offset(steps * self.from[side] as isize);
            to = to.wrapping_offset(steps * to_step);
            to_step = -to_step;
        }
        let others: SmallVec<[usize; 4]> = (0..last).filter(|&dim| dim != side).collect();
        let count: usize = others.iter().map(|&dim| extents[dim]).product();
        for number in 0..count {
            let (mut rest, mut read, mut write) = (number, from, to);
            for &dim in others.iter().rev() {
                let at = (rest % extents[dim]) as isize;
                rest /= extents[dim];
                read = read.wrapping_offset(at * self.from[dim] as isize);
                write = write.wrapping_offset(at * self.to[dim] as isize);
            }
            let (rows, columns) = (extents[last], extents[side]);
            let from_step = self.from[last] as isize;
            let along = self.from[side].abs() as isize;
            let (from, to) = (read, write);
            let matrix = Transposed { from, from_step, along, to, to_step, rows, columns };
            // SAFETY: the caller's contract.
            unsafe { (self.transpose)(matrix, self.ahead) };
        }
    }
}

impl FoldRun<'_> {
    /// Copies what the body finds in buffers, unless it is there from the leaf before.
    ///
    /// # Safety
    /// The frame is at a block of `n` kept points of the bound nest; the ranges are a [piece](Packing::pieces) of a leaf.
    pub(super) unsafe fn pack(&mut self, ranges: &[Range<usize>], point: usize, n: usize) {
        let (bound, fold) = (self.bound, self.fold);
        for (number, packed) in fold.packing.all().iter().enumerate() {
            let group = packed.group(ranges, &fold.extents);
            let wanted = (point, group);
            if self.filled.get(number) == Some(&wanted) {
                continue;
            }
            let access = packed.access();
            let along = match bound.nest.kept {
                0 => 0,
                _ => bound.stride(bound.vector.axis, access) as isize,
            };
            let from = self.frame.kept[access].wrapping_offset(point as isize * along);
            let buffers = self.frame.packed.reserve(fold.packing.bytes);
            // SAFETY: the group lies in the tile; blocks have at most so many points as buffers.
            unsafe { packed.fill(from, &wanted.1, n, buffers) };
            match self.filled.get_mut(number) {
                Some(filled) => *filled = wanted,
                None => self.filled.push(wanted),
            }
        }
    }
}

/// Points are taken in multiples of so many; leaves are copied together where rows have so many elements.
const FEW: usize = 8;

/// Lanes of a row, see [`Folded::LANES`](crate::jit::Folded::LANES).
const LANES: usize = crate::jit::Folded::LANES;

/// Bytes from element to element along what is copied, up to which it is one stream.
const NEAR: u64 = 512;

/// Bytes of a row of a buffer that is long.
const LONG: usize = 256;

/// Bytes that are copied at once at most: a part of the second-level cache; where they are one stream, of the first.
const MOST: usize = 256 << 10;
const MOST_NEAR: usize = 32 << 10;

/// Leaves that are copied together at most, so that memory is read in longer pieces.
const MOST_LEAVES: usize = 8;

/// Points of a block at most: so many streams the hardware fetches ahead; where points are near, they are one.
const MOST_POINTS: usize = 256;
const MOST_POINTS_NEAR: usize = 512;

/// Bytes from what is copied to what is fetched, where it is one stream.
const AHEAD: isize = 2 << 10;

/// Lines from what is copied to what is fetched, where leaves that follow one another are side by side.
const LINES: usize = 2;

#[cfg(test)]
mod tests {
    use crate::execute::bind::Bound;
    use crate::execute::testing::{Array, with_bound};

    /// What is seen of the sum over the last axis of a matrix, or over both, whose strides are given.
    fn seen<R>(
        kept: bool,
        [rows, columns]: [usize; 2],
        strides: [i64; 2],
        look: impl FnOnce(&Bound<'_>) -> R,
    ) -> R {
        let [first, second] =
            [0, 1].map(|k| format!("i{k}: extent=p{k} origin=p2 global=p{k} logical={k}"));
        let tree = "lanes=32 width=64 rounds=32 alone=8 { %0 = load b0[p2 + 1*i0, p2 + 1*i1] }";
        let body = match kept {
            true => format!(
                "for ({first}) {{ fold ({second}) {tree} %1 = sum %0 store b1[p2 + 1*i0] %1 }}"
            ),
            false => format!("fold ({first}, {second}) innermost {tree} %1 = sum %0 store b1[] %1"),
        };
        let rank = usize::from(kept);
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank {rank} write noalias {{ {body} }}"
        );
        let arrays = [
            Array { block: 0, offset: 0, strides: &strides },
            Array { block: 1, offset: 0, strides: &[1][..rank] },
        ];
        with_bound(&text, &arrays, &[rows, columns, 0], None, usize::MAX, look)
    }

    #[test]
    fn what_lies_across_memory_is_packed() {
        let packed = |bound: &Bound<'_>| bound.fold.as_ref().unwrap().packing.of(0).is_some();
        assert!(seen(true, [300, 70], [71, 1], packed), "points far apart, indices side by side");
        assert!(seen(false, [70, 900], [1, 71], packed), "rows far apart");
        assert!(!seen(true, [300, 70], [1, 301], packed), "points side by side");
        assert!(!seen(false, [70, 900], [901, 1], packed), "along memory");
        assert!(seen(false, [70, 900], [2, 142], packed), "nothing side by side, but nearer");
        assert!(seen(true, [300, 7], [7, 1], packed), "points share lines");
    }

    #[test]
    fn kept_points_have_leaves_that_follow_one_another_copied_together() {
        let blocks = |rows: usize, columns: usize| {
            seen(true, [rows, columns], [columns as i64, 1], |bound| {
                let fold = bound.fold.as_ref().unwrap();
                let packed = fold.packing.of(0).unwrap();
                let leaf = std::slice::from_ref(&(8..16));
                (
                    fold.packing.points,
                    packed.blocks.to_vec(),
                    packed.group(leaf, &fold.extents)[0].clone(),
                )
            })
        };
        // 8 leaves of 8 indices are 512 bytes of a row.
        assert_eq!(blocks(300, 400), (256, vec![64], 0..64));
        assert_eq!(blocks(300, 70), (256, vec![64], 0..64));
        assert_eq!(blocks(300, 50), (300, vec![8], 8..16), "one stream");
    }

    #[test]
    fn rows_of_a_few_bytes_are_packed() {
        let text = "kernel params=3 scalars=[] b0: bool rank 2 read noalias b1: bool rank 1 write noalias {
             for (i0: extent=p0 origin=p2 global=p0 logical=0) {
             fold (i1: extent=p1 origin=p2 global=p1 logical=1) lanes=32 width=64 rounds=32 alone=8 { %0 = load b0[p2 + 1*i0, p2 + 1*i1] }
             %1 = any %0 store b1[p2 + 1*i0] %1 } }";
        let arrays = [
            Array { block: 0, offset: 0, strides: &[16, 1] },
            Array { block: 1, offset: 0, strides: &[1] },
        ];
        with_bound(text, &arrays, &[3000, 16, 0], None, usize::MAX, |bound| {
            let packing = &bound.fold.as_ref().unwrap().packing;
            assert!(packing.of(0).is_some());
            assert_eq!(packing.points, super::MOST_POINTS_NEAR);
        });
    }

    #[test]
    fn leaves_that_are_copied_together_follow_one_another() {
        // 8 leaves of 8 rows and one of 6, times 2 of 1,024 columns; 4 leaves are copied together.
        seen(false, [70, 1500], [1, 71], |bound| {
            let fold = bound.fold.as_ref().unwrap();
            let (places, together) = fold.places();
            assert_eq!((fold.leaves(), places, together), (18, 24, 4));
            let leaves: Vec<usize> = (0..places).filter_map(|place| fold.leaf_at(place)).collect();
            assert_eq!(leaves[..4], [0, 2, 4, 6], "along the rows");
            let mut sorted = leaves.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..18), "{leaves:?}");
        });
    }
}
