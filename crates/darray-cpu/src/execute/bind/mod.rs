//! A nest with the arguments of a launch: addresses, strides, loops.

pub(super) mod arguments;
mod bindings;
pub(super) mod compiled;
pub(super) mod fold;
pub(super) mod panels;
mod strides;
mod work;

use super::code::{Codes, Specialised};
use super::schedule::summary::{Summary, TreeSummary};
use super::schedule::{Schedule, choose};
use arguments::Arguments;
use compiled::Compiled;
use darray_codegen::bind::{Addresses, Axes, BindError};
use darray_codegen::{Nest, Phase, Program, StrideClass};
use darray_device::Fault;
use fold::BoundFold;
use panels::Panels;
use smallvec::SmallVec;
use std::ops::Deref;
use std::sync::Arc;
use strides::{follow_on, turn_around};
use work::work;

/// When the caches do not keep what is touched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Streaming {
    /// Bytes that a nest touches, at least, where stores go past the caches. Where less than a row would do, shorter rows
    /// do too.
    pub from: usize,
    /// Bytes that a nest of a kernel by rows touches, at least, where the nests run together.
    pub together: usize,
}

#[cfg(test)]
impl Streaming {
    /// Stores go past the caches from so many bytes on.
    pub fn from(from: usize) -> Streaming {
        Streaming { from, together: super::schedule::tuning::NEAR_BYTES }
    }
}

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

/// What a bound nest knows beside addresses: how its accesses step, and how it goes through memory.
pub(super) struct Binding {
    pub schedule: Schedule,
    pub specialised: Arc<Specialised>,
    /// Bytes of every access from the start of its block to local index 0.
    offsets: SmallVec<[i64; 8]>,
    /// How much there is to do, see [`work`].
    pub work: usize,
    /// Bytes per step: `strides[axis * accesses + access]`.
    pub strides: SmallVec<[i64; 16]>,
    /// Global index of local index 0, per axis.
    pub origins: SmallVec<[i64; 4]>,
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
        self.strides[axis as usize * self.offsets.len() + access]
    }

    /// The strides of every access along an axis.
    pub fn strides_of(&self, axis: u8) -> &[i64] {
        let count = self.offsets.len();
        &self.strides[axis as usize * count..][..count]
    }

    /// Bytes of an access from the first kept point of a row to another.
    pub fn to_point(&self, access: usize, point: usize) -> i64 {
        point as i64 * self.stride(self.schedule.vector.axis, access)
    }

    /// Moves the places of all accesses by so many kept points.
    pub fn step_points(&self, places: &mut [*mut u8], points: usize) {
        let strides = self.strides_of(self.schedule.vector.axis);
        for (place, &stride) in places.iter_mut().zip(strides) {
            *place = place.wrapping_offset((points as i64 * stride) as isize);
        }
    }

    /// Rows: the points of the outer loops.
    pub fn rows(&self) -> usize {
        self.schedule.rows.iter().map(|l| l.extent).product()
    }
}

/// Binds nest number `number`; none when it has no point.
///
/// What does not depend on addresses is [kept](bindings).
pub(super) fn bind<'l>(
    compiled: &'l Compiled,
    number: usize,
    arguments: &Arguments<'_>,
    streaming: Streaming,
) -> Result<Option<Bound<'l>>, Fault> {
    let Compiled { codes, bindings, .. } = compiled;
    let (program, kept) = (&codes.program, &bindings[number]);
    let nest = &program.nests[number];
    if let Some(binding) = kept.find(arguments) {
        let bases = bases(program, nest, &binding.offsets, arguments);
        return Ok(Some(Bound { nest, bases, panels: Panels::default(), binding }));
    }
    let bound = bind_anew(codes, number, arguments, streaming.from)?;
    if let Some(bound) = &bound {
        codes.tell(number, &bound.schedule);
        if bound.schedule.is_anywhere {
            kept.keep(arguments, &bound.binding);
        }
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
    codes: &'l Codes,
    number: usize,
    arguments: &Arguments<'_>,
    stream_from: usize,
) -> Result<Option<Bound<'l>>, Fault> {
    let (program, of_nest) = (&codes.program, &codes.nests[number]);
    let nest = &program.nests[number];
    let axes = Axes::new(nest, arguments).map_err(misfit)?;
    if axes.extents[..nest.kept].contains(&0) {
        return Ok(None);
    }
    let tree = nest.fold.as_ref().map(|fold| axes.tile_tree(fold)).transpose().map_err(misfit)?;
    let mut addresses =
        Addresses::new(program, nest, &axes, tree.as_ref(), arguments).map_err(misfit)?;
    turn_around(&of_nest.summary, &axes, &mut addresses);
    follow_on(&of_nest.summary, &axes, &mut addresses);
    let bases = bases(program, nest, &addresses.offsets, arguments);
    let block = |&(access, _): &(u16, Phase)| {
        arguments.pointer(program.accesses[access as usize].buffer) as usize
    };
    let mut summary = Summary {
        nest: &of_nest.summary,
        extents: &axes.extents,
        offsets: &addresses.offsets,
        strides: &addresses.strides,
        blocks: nest.accesses.iter().map(block).collect(),
        tree: nest.fold.as_ref().zip(tree.as_ref()).map(|(fold, tree)| TreeSummary {
            tree,
            behind: axes.group.behind,
            blocks: axes.blocks(fold),
        }),
        stream_from,
        with_points: true,
        with_reversed: true,
    };
    let mut schedule = choose(&summary);
    let specialised =
        |schedule: &Schedule| codes.specialised(number, &schedule.layout, schedule.traffic);
    let mut code = specialised(&schedule)?;
    if schedule.traffic.points > 0 && code.machine.points.is_none() {
        summary.with_points = false;
        schedule = choose(&summary);
        code = specialised(&schedule)?;
    }
    schedule.fit(&summary, &code.summary());
    // Only the function of leaves reads backwards.
    let is_reversed = schedule.layout.classes.contains(&StrideClass::Backward);
    if schedule.fold.as_ref().is_some_and(|fold| is_reversed && fold.function_steps.is_none()) {
        summary.with_reversed = false;
        schedule = choose(&summary);
        code = specialised(&schedule)?;
        schedule.fit(&summary, &code.summary());
    }
    let panels = Panels::new(&schedule, &summary, &bases, codes.level);
    let fold = match (&tree, &schedule.fold) {
        (Some(tree), Some(fold)) => {
            let of_code = (nest, &*code, codes.level);
            let fold = (&summary, &**fold);
            let (items, slots) = (&of_nest.folds, addresses.slots.clone());
            Some(Box::new(BoundFold::new(of_code, (tree, &axes), fold, items, slots)))
        }
        _ => None,
    };
    let mut strides = addresses.strides;
    if let Some(inner) = schedule.rows.last() {
        panels.step_in_buffers(&mut strides, bases.len(), schedule.vector.axis, inner.axis);
    }
    let work = work(program, nest, &axes);
    let (specialised, offsets, origins) = (code, addresses.offsets, axes.origins);
    let binding = Binding { schedule, specialised, offsets, work, strides, origins, fold };
    Ok(Some(Bound { nest, bases, panels, binding: Arc::new(binding) }))
}

fn misfit(error: BindError) -> Fault {
    Fault::Execution(error.to_string())
}
