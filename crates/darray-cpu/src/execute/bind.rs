//! A nest with the arguments of a launch: addresses, strides, loops.

use super::ahead::Ahead;
use super::arguments::Arguments;
use super::backward::turn_around;
use super::block_length::{block_length, points_of_block};
use super::compiled::{Compiled, Specialised};
use super::fold::all_points::COPIED;
use super::fold::bound::BoundFold;
use super::fold::way::FoldWay;
use super::interleaved::Interleaved;
use super::neighbours::{LEAST, neighbours};
use super::panels::{MOST_BEYOND, Panels};
use super::short_rows::{ShortRows, is_backward};
use super::streaming::{Question, Streamed, Streaming};
use super::work::work;
use crate::jit::{Traffic, is_in};
use crate::vector::LINE;
use darray_codegen::bind::{Addresses, Axes, BindError, Loop, plan_loops};
use darray_codegen::{FoldMode, Layout, Nest, Phase, Program, StrideClass};
use darray_device::Fault;
use smallvec::SmallVec;
use std::ops::Deref;
use std::sync::Arc;

/// A nest ready to run. Shared by the threads that run it.
pub(super) struct Bound<'l> {
    pub nest: &'l Nest,
    /// Address of every access at local index 0.
    pub bases: SmallVec<[*mut u8; 8]>,
    /// Accesses that cross the rows and are copied, a tile at a time. Their strides along the row and from row to row
    /// are those of the copies.
    pub panels: Panels,
    pub binding: Arc<Binding>,
}

/// What a bound nest knows beside addresses: how its accesses step, and which way it goes through memory.
pub(super) struct Binding {
    pub specialised: Arc<Specialised>,
    /// Bytes of every access from the start of its block to local index 0.
    offsets: SmallVec<[i64; 8]>,
    /// Whether it is as good at other addresses: at most little of what crosses the rows could be copied to panels there.
    is_anywhere: bool,
    /// How much there is to do, see [`work`].
    pub work: usize,
    /// Bytes per step: `strides[axis * accesses + access]`.
    pub strides: SmallVec<[i64; 16]>,
    /// Bytes per step along the vector axis of its phase, per access.
    pub along: SmallVec<[i64; 8]>,
    /// The kept loops around the vector axis.
    pub outer: SmallVec<[Loop; 4]>,
    /// The kept vector axis; extent 1 where there is none.
    pub vector: Loop,
    /// Global index of local index 0, per axis.
    pub origins: SmallVec<[i64; 4]>,
    /// Elements per block.
    pub block: usize,
    /// Rows and columns that are gone through before others.
    pub tile: (usize, usize),
    /// The copy to elements side by side, where the nest is one.
    pub interleaved: Option<Interleaved>,
    /// Accesses that are written past the caches.
    pub streamed: Streamed,
    /// In a box of its own, as most nests have none.
    pub fold: Option<Box<BoundFold>>,
}

// SAFETY: the addresses are those of the launch's buffers; threads that share a bound nest write
// disjoint elements of them.
unsafe impl Sync for Bound<'_> {}

impl Deref for Bound<'_> {
    type Target = Binding;

    #[inline]
    fn deref(&self) -> &Binding {
        &self.binding
    }
}

impl Binding {
    pub fn stride(&self, axis: u8, access: usize) -> i64 {
        self.strides[axis as usize * self.along.len() + access]
    }

    /// The strides of every access along an axis.
    pub fn strides_of(&self, axis: u8) -> &[i64] {
        let count = self.along.len();
        &self.strides[axis as usize * count..][..count]
    }

    /// Bytes of an access from the first kept point of a row to another.
    pub fn to_point(&self, access: usize, point: usize) -> i64 {
        point as i64 * self.stride(self.vector.axis, access)
    }

    /// Moves the places of all accesses by so many kept points.
    pub fn step_points(&self, places: &mut [*mut u8], points: usize) {
        let strides = self.strides_of(self.vector.axis);
        for (place, &stride) in places.iter_mut().zip(strides) {
            *place = place.wrapping_offset((points as i64 * stride) as isize);
        }
    }

    /// Whether it was bound for a function of points that there is none of.
    fn lacks_points(&self) -> bool {
        self.specialised.traffic.points > 0 && self.specialised.machine.points.is_none()
    }

    /// Rows: the points of the outer loops.
    pub fn rows(&self) -> usize {
        self.outer.iter().map(|l| l.extent).product()
    }
}

/// Binds nest number `number`; none when it has no point.
///
/// What does not depend on addresses is [kept](super::bindings).
pub(super) fn bind<'l>(
    compiled: &'l Compiled,
    number: usize,
    arguments: &Arguments<'_>,
    streaming: Streaming,
) -> Result<Option<Bound<'l>>, Fault> {
    let nest = &compiled.program.nests[number];
    let kept = &compiled.bindings[number];
    if let Some(binding) = kept.find(arguments) {
        let bases = bases(&compiled.program, nest, &binding.offsets, arguments);
        return Ok(Some(Bound { nest, bases, panels: Panels::default(), binding }));
    }
    let mut bound = bind_anew(compiled, number, arguments, streaming, true)?;
    if bound.as_ref().is_some_and(|bound| bound.lacks_points()) {
        bound = bind_anew(compiled, number, arguments, streaming, false)?;
    }
    if let Some(bound) = &bound {
        compiled.tell(number, bound);
    }
    if let Some(bound) = &bound
        && bound.is_anywhere
        && bound.panels.is_empty()
    {
        kept.keep(arguments, &bound.binding);
    }
    Ok(bound)
}

/// The addresses of a nest's accesses at these bytes in their blocks.
fn bases(
    program: &Program,
    nest: &Nest,
    offsets: &[i64],
    arguments: &Arguments<'_>,
) -> SmallVec<[*mut u8; 8]> {
    let base = |(&(access, _), &offset): (&(u16, Phase), &i64)| {
        let buffer = program.accesses[access as usize].buffer;
        arguments.pointer(buffer).wrapping_offset(offset as isize)
    };
    nest.accesses.iter().zip(offsets).map(base).collect()
}

fn bind_anew<'l>(
    compiled: &'l Compiled,
    number: usize,
    arguments: &Arguments<'_>,
    streaming: Streaming,
    with_points: bool,
) -> Result<Option<Bound<'l>>, Fault> {
    let program = &compiled.program;
    let nest = &program.nests[number];
    let axes = Axes::new(nest, arguments).map_err(misfit)?;
    if axes.extents[..nest.kept].contains(&0) {
        return Ok(None);
    }
    let tree = nest.fold.as_ref().map(|fold| axes.tile_tree(fold)).transpose().map_err(misfit)?;
    let mut addresses =
        Addresses::new(program, nest, &axes, tree.as_ref(), arguments).map_err(misfit)?;
    turn_around(program, nest, &axes, &mut addresses);
    let count = nest.accesses.len();
    let bases = bases(program, nest, &addresses.offsets, arguments);
    let strides_of = |axis: u8| {
        let from = axis as usize * count;
        &addresses.strides[from..from + count]
    };
    let alone: SmallVec<[u8; 4]> = match program.by_rows {
        // Blocks of rows are parts of one loop.
        true => nest.indexed.iter().copied().chain(nest.rows()).collect(),
        false => nest.indexed.iter().copied().collect(),
    };
    let in_fold = |access: usize| nest.accesses[access].1 == Phase::Fold;
    let mut outer = plan_loops(&axes.extents[..nest.kept], &alone, in_fold, strides_of);
    let place = (&axes, tree.as_ref());
    let (way, vector) =
        FoldWay::choose(compiled, number, place, &mut outer, with_points, strides_of);
    let level = compiled.level;
    let block =
        |&(access, _): &(u16, Phase)| arguments.pointer(program.accesses[access as usize].buffer);
    let blocks: SmallVec<[*mut u8; 8]> = nest.accesses.iter().map(block).collect();
    let places = (&bases[..], &blocks[..]);
    let mut panels = Panels::find(program, nest, places, &mut outer, vector, level, strides_of);
    let mode = way.mode;
    let mut layout =
        Layout { vector: (nest.kept > 0).then_some(vector.axis), classes: SmallVec::new(), mode };
    let mut along: SmallVec<[i64; 8]> = SmallVec::new();
    let mut along_rows: SmallVec<[u16; 8]> = SmallVec::new();
    for (access, &(number, phase)) in nest.accesses.iter().enumerate() {
        let inner = match &nest.fold {
            Some(fold) if phase == Phase::Fold && mode == FoldMode::Lanes => {
                fold.order.last().map(|&axis| (axis, axes.extents[axis as usize]))
            }
            _ => layout.vector.map(|axis| (axis, vector.extent)),
        };
        let buffer = program.accesses[number as usize].buffer;
        let size = program.buffers[buffer as usize].dtype.size() as i64;
        let stride = inner.map_or(0, |(axis, _)| strides_of(axis)[access]);
        let class = match inner {
            None => StrideClass::Still,
            // One element is contiguous.
            Some((_, 1)) => StrideClass::Unit,
            _ if way.across.contains(&(access as u16)) => StrideClass::Unit,
            _ if panels.contains(access) => StrideClass::Unit,
            _ if stride == 0 => StrideClass::Still,
            _ if stride == size => StrideClass::Unit,
            _ if is_backward((program, nest), access, stride, compiled.jit) => {
                StrideClass::Backward
            }
            _ => StrideClass::Strided,
        };
        layout.classes.push(class);
        let (alone, long) =
            inner.map_or((false, false), |(_, extent)| (extent == 1, extent >= LEAST));
        let copied = way.across.contains(&(access as u16)) || panels.contains(access);
        let side_by_side = alone || copied;
        along.push(if side_by_side { size } else { stride });
        debug_assert!(class != StrideClass::Unit || along[access] == size);
        if long && stride == size && !copied {
            along_rows.push(access as u16);
        }
    }
    let points: usize = axes.extents.iter().product();
    let short = ShortRows::find(compiled, nest, (&outer, &vector), strides_of);
    let is_cheap = short.is_some_and(|rows| rows.cheap);
    let pieces = !panels.is_empty() || is_cheap;
    let rows = way.traffic((program, nest), strides_of);
    let is_one = tree.as_ref().is_some_and(|tree| tree.slots() == 1);
    let short_rows = short.is_some();
    let around = outer.last().map(|around| around.axis).filter(|_| nest.fold.is_none());
    let row_axis = around.filter(|axis| nest.indexed.contains(axis));
    let stores = rows.stores && is_one;
    let rows = Traffic { pieces, short_rows, stores, row_axis, ..rows };
    let bytes = (&addresses.offsets[..], &addresses.strides[..]);
    let neighbours = |asking| neighbours((program, nest, compiled.jit), &along_rows, bytes, asking);
    // What a nest of a kernel by rows writes is read by the next ones.
    let large = !program.by_rows && points.saturating_mul(count * LARGEST) >= streaming.from;
    let (specialised, streamed, tile) = if large {
        let (layout, blocks, row) = (&layout, &blocks, vector.extent);
        let (bases, strides) = (&bases, &addresses.strides);
        let stores = rows.stores;
        let question = Question {
            program,
            nest,
            layout,
            blocks,
            bases,
            strides,
            stores,
            points,
            extents: &axes.extents,
            row,
        };
        let (wanted, mut ahead) = match question.bytes() >= streaming.from {
            true => (question.wanted(streaming), Ahead::new(&question, outer.last(), &vector)),
            false => (0, Ahead::default()),
        };
        // What is copied is asked for as it is.
        let across = way
            .across
            .iter()
            .fold(0u64, |bits, &access| bits | 1u64.checked_shl(access.into()).unwrap_or(0));
        ahead.first &= !(across & !rows.across | panels.accesses());
        let in_order = |access: &u16| {
            let row = usize::from(rows.points) * question.size(*access);
            question.stride(vector.axis, *access) == row as i64
        };
        let apart = |access: &u16| is_in(rows.across, *access) && !in_order(access);
        question.accesses().filter(apart).for_each(|access| ahead.first &= !(1 << access));
        let (past, ahead_of) = (question.in_step(wanted), ahead.first);
        let course = ahead.course(nest, past);
        let neighbours = neighbours(ahead_of);
        let traffic = Traffic { past, ahead: ahead_of, course, neighbours, ..rows };
        let specialised = compiled.specialised(number, layout, traffic)?;
        let streamed = Streamed::new(wanted, &question, &specialised.machine);
        // What else costs time hides the rest.
        let tile = ahead.tile.filter(|_| streamed.is_by_code() && nest.fold.is_none());
        (specialised, streamed, tile)
    } else {
        let traffic = Traffic { neighbours: neighbours(0), ..rows };
        let specialised = compiled.specialised(number, &layout, traffic)?;
        (specialised, Streamed::default(), None)
    };
    let machine = &specialised.machine;
    let items = &compiled.folds[number];
    let fold = tree.map(|tree| {
        let place = (tree, &axes, vector);
        let of_nest = (nest, &*specialised, &along[..]);
        Box::new(BoundFold::new(of_nest, place, &way, items, addresses.slots.clone(), strides_of))
    });
    let block = match (&fold, machine.points) {
        (Some(fold), Some(points)) => {
            let is_copied = !fold.across.is_empty() && machine.points_across().is_none();
            let most = if is_copied { COPIED } else { usize::MAX };
            points_of_block(machine, points).min(most)
        }
        (Some(fold), None) if mode == FoldMode::Kept => fold.block,
        _ => {
            let lanes = fold.as_ref().map_or(1, |fold| fold.tree.lanes());
            block_length(&specialised, lanes)
        }
    };
    // Rows of a strided access share cache lines: they are worked off a strip at a time. Those of one that goes
    // backwards through memory do not.
    let shared = layout.classes.iter().enumerate().filter(|&(access, class)| {
        let buffer = program.accesses[nest.accesses[access].0 as usize].buffer;
        let size = program.buffers[buffer as usize].dtype.size() as i64;
        *class == StrideClass::Strided && along[access] != -size
    });
    let strip = strip(shared.map(|(access, _)| along[access].unsigned_abs() as usize));
    let tile = match strip.filter(|_| nest.fold.is_none()) {
        _ if !panels.is_empty() => panels.tile,
        Some(strip) if !outer.is_empty() => (usize::MAX, strip),
        // There are no other rows.
        Some(_) => (usize::MAX, usize::MAX),
        None => tile.unwrap_or((usize::MAX, usize::MAX)),
    };
    panels.beyond = if streamed.is_by_code() { MOST_BEYOND } else { 0 };
    let interleaved = match panels.is_empty() && streamed.is_empty() {
        true => Interleaved::find(nest, &specialised.machine, (&outer, vector), strides_of),
        false => None,
    };
    let near = points.saturating_mul(count * LARGEST) < NEAR;
    let crosses = layout.classes.contains(&StrideClass::Strided);
    let mut strides = addresses.strides;
    if let Some(inner) = outer.last() {
        panels.step_in_buffers(&mut strides, count, vector.axis, inner.axis);
    }
    let binding = Binding {
        specialised,
        offsets: addresses.offsets,
        work: work(program, nest, &axes),
        is_anywhere: !large && (near || !crosses),
        strides,
        along,
        outer,
        vector,
        origins: axes.origins,
        block,
        tile,
        interleaved,
        streamed,
        fold,
    };
    Ok(Some(Bound { nest, bases, panels, binding: Arc::new(binding) }))
}

fn misfit(error: BindError) -> Fault {
    Fault::Execution(error.to_string())
}

/// Puts a long loop in the place of a last one that is too short to be worth a row: the innermost that is as long as a strip, as
/// steps are the smaller the further inside, else the longest.
pub(super) fn lengthen(loops: &mut [Loop]) {
    let Some((last, outer)) = loops.split_last_mut() else { return };
    let longest = outer.iter_mut().max_by_key(|l| l.extent.min(STRIP));
    if let Some(longest) = longest
        && last.extent < 16
        && longest.extent >= 8 * last.extent
    {
        std::mem::swap(last, longest);
    }
}

/// Columns of a strip, where there are accesses whose lines rows share: they are so many bytes apart along a row.
fn strip(apart: impl Iterator<Item = usize>) -> Option<usize> {
    let (mut all, mut most) = (0, 0);
    for bytes in apart {
        (all, most) = (all + bytes, most.max(bytes));
    }
    match most {
        0 => None,
        // Several columns lie in a line.
        1..LINE => Some((STRIP_BYTES / all).max(STRIP) / STRIP * STRIP),
        _ => Some(STRIP),
    }
}

/// Columns of a strip, at least.
const STRIP: usize = 128;

/// Bytes of the lines of a strip: the first-level cache holds them.
const STRIP_BYTES: usize = 24 << 10;

/// Bytes of the largest element.
pub(super) const LARGEST: usize = 8;

/// Bytes that are near enough: the second-level cache.
pub(crate) const NEAR: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::lengthen;
    use darray_codegen::bind::Loop;

    #[test]
    fn a_short_row_gives_way_to_the_innermost_long_loop() {
        let lengthened = |extents: &[usize]| {
            let axes = extents.iter().zip(0..);
            let mut loops: Vec<Loop> = axes.map(|(&extent, axis)| Loop { axis, extent }).collect();
            lengthen(&mut loops);
            loops.iter().map(|l| l.axis).collect::<Vec<_>>()
        };
        assert_eq!(lengthened(&[512, 512, 3]), [0, 2, 1]);
        assert_eq!(lengthened(&[5000, 200, 3]), [0, 2, 1]);
        assert_eq!(lengthened(&[5000, 100, 3]), [2, 1, 0], "shorter than a strip");
        assert_eq!(lengthened(&[20, 3]), [0, 1], "not long enough");
        assert_eq!(lengthened(&[5000, 16]), [0, 1], "not short");
    }
}
