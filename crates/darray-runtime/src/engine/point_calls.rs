//! What is the same of the calls of opaque tasks when a window comes again.

use crate::devices::Point;
use crate::engine::{Flush, Origin};
use crate::geometry::{Rectangle, SubStore};
use crate::stores::{Instance, Replica, view_of_all};
use darray_core::Shape;
use darray_device::builtin::View;
use darray_device::{Block, DeviceId, PointArray, PointCall, TaskDefinition};
use darray_fusion::precondition::reaches_all;
use darray_ir::{IndexTask, Opaque, Privilege};
use smallvec::SmallVec;
use std::sync::Arc;

/// The calls of a plan's opaque tasks, for windows with the same sizes.
///
/// Rules:
/// - A call keeps its shape: domain, extents, element types, views. What a window brings is filled in when it runs:
///   blocks, scalars, and the task, which is there only while it runs.
/// - Only calls of plans that repeat are kept, from one window to the next with all sizes the same.
#[derive(Default)]
pub(crate) struct PointCalls {
    /// Of memory, about.
    bytes: usize,
    /// By task of the window.
    tasks: Vec<TaskCalls>,
}

/// The calls of one task, as far as they were made.
#[derive(Default)]
pub(crate) struct TaskCalls {
    /// The one of a runtime with one device, where all arrays are whole.
    pub(crate) whole: Option<WholeCall>,
    /// Those of its points that have elements.
    pub(crate) points: Vec<PointOfTask>,
    /// What failures of them name, where they can come later.
    pub(crate) origin: Option<Arc<Origin>>,
}

/// The call of a task for all of its domain.
pub(crate) struct WholeCall {
    /// Not there while it runs.
    pub(crate) call: Option<Box<PointCall>>,
    /// Bit `k` set: all of array `k` is written and nothing of it read.
    pub(crate) overwritten: u32,
    /// Bit `k` set: array `k` is written.
    pub(crate) written: u32,
}

/// A point of a task with its call.
pub(crate) struct PointOfTask {
    pub(crate) device: usize,
    /// Not there while it runs.
    pub(crate) call: Option<Box<PointCall>>,
    pub(crate) operands: SmallVec<[Operand; 4]>,
}

/// What a point uses of one array.
pub(crate) struct Operand {
    pub(crate) privilege: Privilege,
    /// None where it uses no element.
    pub(crate) part: Option<Part>,
}

/// The elements that a point uses of one array.
pub(crate) struct Part {
    pub(crate) sub: SubStore,
    /// Around them.
    pub(crate) bounds: Rectangle,
    /// The bounds of the instance that the call's view is for; none: it has no view yet.
    pub(crate) viewed: Option<Rectangle>,
}

impl PointCalls {
    /// Bytes of memory that they take, about.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Counts a call that was made, of so many bytes.
    pub(crate) fn made(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Those of a task, to be given back.
    #[inline]
    pub(crate) fn take(&mut self, task: u32) -> TaskCalls {
        self.tasks.get_mut(task as usize).map(std::mem::take).unwrap_or_default()
    }

    /// Keeps those of a task.
    #[inline]
    pub(crate) fn put(&mut self, task: u32, calls: TaskCalls) {
        let task = task as usize;
        if self.tasks.len() <= task {
            self.tasks.resize_with(task + 1, TaskCalls::default);
        }
        self.tasks[task] = calls;
    }
}

impl WholeCall {
    /// The call of a task for all of its domain, where all arrays are whole.
    pub(crate) fn new(
        flush: Flush<'_>,
        task: &IndexTask,
        opaque: Opaque,
        nothing: &Arc<TaskDefinition>,
    ) -> WholeCall {
        let domain = flush.window.domain(task.domain);
        let mut call = Box::new(PointCall::new(nothing.clone(), domain, &[]));
        let (mut overwritten, mut written) = (0, 0);
        for (position, arg) in task.args.iter().enumerate() {
            let (store, map) = (flush.window.store(arg.store), flush.window.map(arg.map));
            let whole = opaque.is_whole(position);
            let all = whole || reaches_all(domain, &store.shape);
            overwritten |= u32::from(arg.privilege == Privilege::Write && all) << position;
            let extents = if whole { &store.shape } else { domain };
            let view = view_of_all(nowhere(), &store.shape, map, extents.rank());
            let writes = arg.privilege.writes();
            call.arrays.push(PointArray::new(view, store.dtype, extents, writes));
            written |= u32::from(writes) << position;
        }
        WholeCall { call: Some(call), overwritten, written }
    }

    /// Bytes that it takes, with its place among the tasks.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<TaskCalls>() + size_of::<Origin>() + bytes_of(&self.call)
    }

    /// The arrays of the call.
    pub(crate) fn arrays(&mut self) -> &mut [PointArray] {
        self.call.as_mut().map_or(&mut [], |call| &mut call.arrays[..])
    }
}

impl PointOfTask {
    /// A point that has elements.
    pub(crate) fn new(
        flush: Flush<'_>,
        task: &IndexTask,
        opaque: Opaque,
        point: &Point,
        nothing: &Arc<TaskDefinition>,
    ) -> PointOfTask {
        let mut call = Box::new(PointCall::new(nothing.clone(), &[], &[]));
        call.domain = point.tile.clone();
        let mut operands = SmallVec::new();
        for (position, arg) in task.args.iter().enumerate() {
            let (store, map) = (flush.window.store(arg.store), flush.window.map(arg.map));
            let tile = match opaque.is_whole(position) {
                true => store.shape.iter().map(|&extent| 0..extent).collect(),
                false => point.tile.clone(),
            };
            let empty = tile.iter().any(|range| range.is_empty());
            let part = (!empty).then(|| Part::new(SubStore::new(map, &tile, &store.shape)));
            operands.push(Operand { privilege: arg.privilege, part });
            let strides = SmallVec::from_elem(0, tile.len());
            let view = View { block: nowhere(), offset: 0, strides };
            let extents = Shape::from_iter(tile.iter().map(|range| range.len()));
            let writes = arg.privilege.writes();
            call.arrays.push(PointArray::new(view, store.dtype, &extents, writes));
        }
        PointOfTask { device: point.device, call: Some(call), operands }
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        let further = if self.operands.spilled() { self.operands.capacity() } else { 0 };
        size_of::<PointOfTask>() + further * size_of::<Operand>() + bytes_of(&self.call)
    }
}

/// What a call takes where it lies; shapes of many axes left out.
fn bytes_of(call: &Option<Box<PointCall>>) -> usize {
    let Some(call) = call else { return 0 };
    let further = if call.arrays.spilled() { call.arrays.capacity() } else { 0 };
    size_of::<PointCall>() + further * size_of::<PointArray>()
}

impl Part {
    /// Whether a replica has space for it in the place that the call's view is for. Of a linear one the instance has
    /// to know.
    #[inline]
    pub(crate) fn fits(&self, replica: &Replica) -> bool {
        let seen = |instance: &Instance| self.viewed.as_ref() == Some(&instance.bounds);
        !self.sub.linear && replica.instance.as_ref().is_some_and(seen)
    }

    fn new(sub: SubStore) -> Part {
        Part { bounds: sub.bounding(), sub, viewed: None }
    }
}

/// Until it is known.
fn nowhere() -> Block {
    Block { device: DeviceId(0), handle: 0, bytes: 0 }
}
