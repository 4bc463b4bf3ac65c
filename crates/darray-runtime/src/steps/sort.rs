//! Sort steps.
//!
//! An axis is sorted whole on one device where another axis can be cut. One axis alone is sorted in parts,
//! which every device then has, and of which it makes its part of the result:
//!
//! ```text
//! sort of [16] over 4 points:  part 0   part 1   part 2   part 3     each sorted on its device
//!                                 +--------+--------+--------+        every part copied to every device
//!                               0..4     4..8     8..12    12..16     each merged on its device
//! ```

use crate::devices::{COMPUTE, Events, History, Point, Use};
use crate::engine::{Engine, Flush, StepFault};
use crate::geometry::{SubStore, extents};
use crate::stores::Store;
use darray_core::{RealType, Shape};
use darray_device::builtin::{Merge, Sort, View};
use darray_device::{Block, Command, Rect};
use darray_ir::IndexTask;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The sort of one axis in parts.
pub(crate) struct SortRun<'r> {
    engine: &'r mut Engine,
    flush: Flush<'r>,
    task: &'r IndexTask,
    axis: usize,
    points: SmallVec<[Point; 1]>,
    /// By point.
    runs: Vec<Run>,
}

/// The sorted part of one point.
struct Run {
    length: usize,
    /// The elements, and their indices where those are the result: on every device that has a point.
    arrays: SmallVec<[RunArray; 2]>,
}

struct RunArray {
    dtype: RealType,
    /// By device.
    copies: Vec<Option<(Block, History)>>,
}

impl<'r> SortRun<'r> {
    /// Carries out a step whose domain has no other axis of extent above 1.
    pub(crate) fn run(
        engine: &'r mut Engine,
        flush: Flush<'r>,
        task: &'r IndexTask,
        axis: usize,
        indices: bool,
    ) -> Result<(), StepFault> {
        let mut points = engine.mapper.along(flush.window.domain(task.domain), axis);
        points.retain(|point| !point.is_empty());
        let devices = engine.devices.len();
        let dtypes = [flush.store(task.args[1].store).dtype(), RealType::INDEX];
        let run = |point: &Point| Run {
            length: point.tile[axis].len(),
            arrays: dtypes[..1 + indices as usize]
                .iter()
                .map(|&dtype| RunArray { dtype, copies: (0..devices).map(|_| None).collect() })
                .collect(),
        };
        let runs = points.iter().map(run).collect();
        let mut sort = SortRun { engine, flush, task, axis, points, runs };
        let result = sort.prepare().and_then(|()| sort.carry_out());
        for array in sort.runs.drain(..).flat_map(|run| run.arrays) {
            for (block, history) in array.copies.into_iter().flatten() {
                sort.engine.devices.release_block(block, &history);
            }
        }
        result
    }

    fn out(&self) -> &'r Arc<Store> {
        self.flush.store(self.task.args[0].store)
    }

    /// Instances and memory of all points.
    fn prepare(&mut self) -> Result<(), StepFault> {
        let stores = self.task.args.iter().map(|arg| self.flush.store(arg.store).id());
        self.engine.protect(stores);
        let prepared = (self.points.iter())
            .try_for_each(|point| self.engine.prepare_args(self.flush, self.task, point));
        let prepared = prepared.and_then(|()| self.allocate_runs());
        self.engine.unprotect();
        prepared
    }

    /// Memory for every part on every device that has a point.
    fn allocate_runs(&mut self) -> Result<(), StepFault> {
        for (number, run) in self.runs.iter_mut().enumerate() {
            let shape = Shape::new(&[run.length]);
            for Point { device, .. } in &self.points {
                let own = *device == self.points[number].device;
                let queue = if own { COMPUTE } else { self.engine.devices.copy_queue(*device) };
                for array in &mut run.arrays {
                    if array.copies[*device].is_none() {
                        let copy = self.engine.allocate(*device, queue, &shape, array.dtype)?;
                        array.copies[*device] = Some(copy);
                    }
                }
            }
        }
        Ok(())
    }

    fn carry_out(&mut self) -> Result<(), StepFault> {
        let points = 0..self.points.len();
        points.clone().try_for_each(|point| self.sort(point))?;
        for point in points.clone() {
            let source = self.points[point].device;
            for device in 0..self.engine.devices.len() {
                if device != source {
                    self.hand_on(point, source, device)?;
                }
            }
        }
        points.clone().try_for_each(|point| self.merge(point))?;
        let (out, map) = (self.out(), self.flush.window.map(self.task.args[0].map));
        for Point { device, tile, .. } in &self.points {
            let sub = SubStore::new(map, tile, out.shape());
            self.engine.written(out, &mut out.replicas(), *device, &sub);
        }
        Ok(())
    }

    /// Sorts the part of a point.
    fn sort(&mut self, point: usize) -> Result<(), StepFault> {
        let Point { device, ref tile, .. } = self.points[point];
        let mut after = Events::new();
        let (input, view) = self.operand(1, point, &mut after);
        let rank = tile.len();
        let mut outputs = self.runs[point].arrays.iter().map(|array| {
            let (block, history) = array.copies[device].as_ref().expect("allocated before");
            self.engine.devices.order(history, Use::KernelWrite, device, COMPUTE, &mut after);
            let mut strides = SmallVec::from_elem(0, rank);
            strides[self.axis] = 1;
            View { block: *block, offset: 0, strides }
        });
        let (values, indices) = (outputs.next(), outputs.next());
        drop(outputs);
        let sort = Sort {
            dtype: input.dtype(),
            axis: self.axis,
            origin: tile[self.axis].start,
            extents: extents(tile),
            input: view,
            values,
            indices,
        };
        let builtin = Command::Builtin { name: Sort::NAME, args: sort.encode() };
        let event =
            self.engine.submit(device, COMPUTE, &after, &builtin, &[self.out()], &[input])?;
        self.engine.counters.builtins += 1;
        if let Some(instance) = &mut input.replicas()[device].instance {
            instance.history.note(Use::KernelRead, event);
        }
        for array in &mut self.runs[point].arrays {
            if let Some((_, history)) = &mut array.copies[device] {
                history.note(Use::KernelWrite, event);
            }
        }
        Ok(())
    }

    /// Copies the sorted part of a point to another device, if that has a point.
    fn hand_on(&mut self, point: usize, from: usize, to: usize) -> Result<(), StepFault> {
        let out = self.out();
        let length = self.runs[point].length;
        for array in &mut self.runs[point].arrays {
            let dtype = array.dtype;
            let [source, target] = array.copies.get_disjoint_mut([from, to]).expect("two devices");
            let (Some((source, read)), Some((target, written))) = (source, target) else {
                return Ok(());
            };
            let rect = |block: Block| {
                let (extents, strides) = (smallvec![length], smallvec![1]);
                Rect { block, dtype, offset: 0, extents, strides }
            };
            let rects = [rect(*source), rect(*target)];
            self.engine.copy_block(to, rects, (read, written), None, (&[out], &[out]))?;
            self.engine.counters.copied((length * dtype.size()) as u64);
        }
        Ok(())
    }

    /// Makes the part of the result that a point has.
    fn merge(&mut self, point: usize) -> Result<(), StepFault> {
        let Point { device, ref tile, .. } = self.points[point];
        let mut after = Events::new();
        let (out, mut view) = self.operand(0, point, &mut after);
        view.strides = smallvec![view.strides[self.axis]];
        let mut views: SmallVec<[Vec<View>; 2]> = smallvec![Vec::new(), Vec::new()];
        for run in &self.runs {
            for (number, array) in run.arrays.iter().enumerate() {
                let (block, history) = array.copies[device].as_ref().expect("allocated before");
                self.engine.devices.order(history, Use::KernelRead, device, COMPUTE, &mut after);
                views[number].push(View { block: *block, offset: 0, strides: smallvec![1] });
            }
        }
        let indices = views.pop().unwrap_or_default();
        let values = views.pop().unwrap_or_default();
        let range = &tile[self.axis];
        let merge = Merge {
            dtype: self.runs[point].arrays[0].dtype,
            lengths: self.runs.iter().map(|run| run.length).collect(),
            values,
            indices,
            start: range.start,
            count: range.len(),
            out: view,
        };
        let builtin = Command::Builtin { name: Merge::NAME, args: merge.encode() };
        let event = self.engine.submit(device, COMPUTE, &after, &builtin, &[out], &[out])?;
        self.engine.counters.builtins += 1;
        if let Some(instance) = &mut out.replicas()[device].instance {
            instance.history.note(Use::KernelWrite, event);
        }
        for array in self.runs.iter_mut().flat_map(|run| &mut run.arrays) {
            if let Some((_, history)) = &mut array.copies[device] {
                history.note(Use::KernelRead, event);
            }
        }
        Ok(())
    }

    /// Argument `number` of the task as a point has it, and what its use must wait for.
    fn operand(&self, number: usize, point: usize, after: &mut Events) -> (&'r Arc<Store>, View) {
        let Point { device, ref tile, .. } = self.points[point];
        let arg = self.task.args[number];
        let (store, map) = (self.flush.store(arg.store), self.flush.window.map(arg.map));
        let replicas = store.replicas();
        let instance = replicas[device].instance.as_ref().expect("prepared before the launch");
        let by = Use::of(arg.privilege);
        self.engine.devices.order(&instance.history, by, device, COMPUTE, after);
        (store, instance.view(store.shape(), map, tile))
    }
}
