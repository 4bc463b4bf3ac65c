//! Opaque tasks, point by point: what a point uses is made valid, its task is submitted, and what it wrote
//! is noted.

use crate::builtin::of;
use crate::device_set::COMPUTE;
use crate::engine::Engine;
use crate::executor::Flush;
use crate::fault::StepFault;
use crate::history::Events;
use crate::mapper::Point;
use crate::store::Store;
use crate::sub_store::{SubStore, Tile};
use darray_core::Map;
use darray_device::builtin::View;
use darray_device::{Command, PointArray, PointCall};
use darray_ir::{IndexTask, Opaque, Privilege, TaskArg, TaskOp};
use smallvec::SmallVec;
use std::sync::Arc;

/// What a point uses of one array.
struct Operand<'o> {
    store: &'o Arc<Store>,
    map: &'o Map,
    tile: Tile,
    privilege: Privilege,
    /// None where the point uses no element.
    sub: Option<SubStore>,
}

/// Whether a task writes all of an array and reads nothing of it. A write reaches no element twice (P2).
fn is_overwritten(flush: Flush<'_>, task: &IndexTask, opaque: Opaque, position: usize) -> bool {
    let arg = &task.args[position];
    let size = flush.window.domain(task.domain).size();
    let all = opaque.is_whole(position) || size == flush.store(arg.store).shape().size();
    arg.privilege == Privilege::Write && all
}

impl Engine {
    /// Runs an opaque task: memory for all points first, then the points one after the other.
    pub(crate) fn opaque(&mut self, flush: Flush<'_>, task: u32) -> Result<(), StepFault> {
        self.set_origin(flush, &[task]);
        let task = &flush.window.tasks()[task as usize];
        let TaskOp::Opaque(opaque) = task.op else { return Ok(()) };
        let mut args = task.args.iter().enumerate();
        let all_there = |(position, arg): (usize, &TaskArg)| {
            let store = flush.store(arg.store);
            is_overwritten(flush, task, opaque, position) || store.is_whole_on(0)
        };
        if self.is_whole() && args.all(all_there) {
            return self.call_whole(flush, task, opaque);
        }
        let points = self.mapper.points(flush.window.domain(task.domain));
        let calls: Vec<_> = points
            .iter()
            .filter(|point| !point.is_empty())
            .map(|point| (point, operands(flush, task, opaque, point)))
            .collect();
        calls.iter().try_for_each(|(point, operands)| self.prepare_operands(point, operands))?;
        let mut calls = calls.iter();
        calls
            .try_for_each(|(point, operands)| self.call_point(flush, task, opaque, point, operands))
    }

    /// The one point of a step that [`is_whole`](Engine::is_whole).
    fn call_whole(
        &mut self,
        flush: Flush<'_>,
        task: &IndexTask,
        opaque: Opaque,
    ) -> Result<(), StepFault> {
        let domain = flush.window.domain(task.domain);
        if domain.size() == 0 {
            return Ok(());
        }
        let definition = &flush.definitions[opaque.definition as usize];
        let mut call = self.new_call(definition, domain, &task.scalars);
        let mut stores: SmallVec<[&Arc<Store>; 4]> = SmallVec::new();
        let mut after = Events::new();
        stores.extend(task.args.iter().map(|arg| flush.store(arg.store)));
        let uses = stores.iter().zip(&task.args);
        let written = uses.clone().map(|(store, arg)| (*store, arg.privilege.writes()));
        self.protect(stores.iter().map(|store| store.id()));
        let made = self.make_whole(written);
        self.unprotect();
        made?;
        for (position, arg) in task.args.iter().enumerate() {
            let (store, map) = (flush.store(arg.store), flush.window.map(arg.map));
            let extents = if opaque.is_whole(position) { store.shape() } else { domain };
            let replicas = store.replicas();
            let instance = replicas[0].instance.as_ref().expect("just ensured");
            self.devices.order(&instance.history, of(arg.privilege), 0, COMPUTE, &mut after);
            call.arrays.push(PointArray {
                view: instance.view_of_all(store.shape(), map, extents.rank()),
                dtype: store.dtype(),
                extents: SmallVec::from_slice(extents),
                written: arg.privilege.writes(),
            });
        }
        let outputs = &stores[..opaque.outputs as usize];
        let command = Command::Task(call);
        let submitted = self.submit(0, COMPUTE, &after, &command, outputs, &stores);
        if let Command::Task(call) = command {
            self.end_call(call);
        }
        let event = submitted?;
        self.counters.opaque += 1;
        self.counters.whole += 1;
        if self.devices.several_queues() {
            uses.for_each(|(store, arg)| store.note(of(arg.privilege), event));
        }
        Ok(())
    }

    /// Memory for one point.
    fn prepare_operands(
        &mut self,
        point: &Point,
        operands: &[Operand<'_>],
    ) -> Result<(), StepFault> {
        self.protect(operands.iter().map(|operand| operand.store.id()));
        let prepared = operands.iter().try_for_each(|Operand { store, sub, .. }| match sub {
            None => self.spare(point.device).map(|_| ()),
            Some(sub) => {
                let (mut replicas, bounds) = (store.replicas(), sub.bounding());
                let linear = sub.linear;
                self.ensure_instance(store, &mut replicas, point.device, &bounds, linear, COMPUTE)
            }
        });
        self.unprotect();
        prepared
    }

    /// Copies what a point lacks, submits it, and notes what it wrote.
    fn call_point(
        &mut self,
        flush: Flush<'_>,
        task: &IndexTask,
        opaque: Opaque,
        point: &Point,
        operands: &[Operand<'_>],
    ) -> Result<(), StepFault> {
        if point.is_empty() {
            return Ok(());
        }
        let device = point.device;
        let (mut after, mut arrays) = (Events::new(), SmallVec::new());
        for Operand { store, map, tile, privilege, sub } in operands {
            let view = match sub {
                None => {
                    let strides = SmallVec::from_elem(0, tile.len());
                    View { block: self.spare(device)?, offset: 0, strides }
                }
                Some(sub) => {
                    let mut replicas = store.replicas();
                    if privilege.reads() || !sub.dense {
                        for rectangle in &sub.rectangles {
                            self.make_valid(store, &mut replicas, device, rectangle)?;
                        }
                    }
                    let instance = replicas[device].instance.as_ref();
                    let instance = instance.expect("prepared before the launch");
                    instance.view(store.shape(), map, tile)
                }
            };
            arrays.push(PointArray {
                view,
                dtype: store.dtype(),
                extents: tile.iter().map(|range| range.len()).collect(),
                written: privilege.writes(),
            });
        }
        let several_queues = self.devices.several_queues();
        let used = || operands.iter().filter_map(|o| o.sub.as_ref().map(|sub| (o, sub)));
        for (operand, sub) in used().filter(|_| several_queues) {
            // What was copied for a later operand may have changed an earlier one's history.
            if let Some(instance) = &operand.store.replicas()[device].instance {
                let (history, by) = (&instance.history, of(operand.privilege));
                self.devices.order_sub(history, by, sub, device, COMPUTE, &mut after);
            }
        }
        let command = Command::Task(Box::new(PointCall {
            task: flush.definitions[opaque.definition as usize].clone(),
            domain: point.tile.clone(),
            arrays,
            scalars: task.scalars.clone(),
        }));
        let stores: SmallVec<[_; 4]> = operands.iter().map(|operand| operand.store).collect();
        let outputs = &stores[..opaque.outputs as usize];
        let event = self.submit(device, COMPUTE, &after, &command, outputs, &stores)?;
        self.counters.opaque += 1;
        for (operand, sub) in used() {
            let mut replicas = operand.store.replicas();
            if several_queues && let Some(instance) = &mut replicas[device].instance {
                instance.history.note_sub(of(operand.privilege), sub, event);
            }
            if operand.privilege.writes() {
                self.written(operand.store, &mut replicas, device, sub);
            }
        }
        Ok(())
    }
}

fn operands<'o>(
    flush: Flush<'o>,
    task: &IndexTask,
    opaque: Opaque,
    point: &Point,
) -> SmallVec<[Operand<'o>; 4]> {
    let operand = |(position, arg): (usize, &TaskArg)| {
        let (store, map) = (flush.store(arg.store), flush.window.map(arg.map));
        let tile = match opaque.is_whole(position) {
            true => store.shape().iter().map(|&extent| 0..extent).collect(),
            false => point.tile.clone(),
        };
        let empty = tile.iter().any(|range| range.is_empty());
        let sub = (!empty).then(|| SubStore::new(map, &tile, store.shape()));
        Operand { store, map, tile, privilege: arg.privilege, sub }
    };
    task.args.iter().enumerate().map(operand).collect()
}
