//! Opaque tasks, point by point: what a point uses is made valid, its task is submitted, and what it wrote
//! is noted.

use crate::devices::{COMPUTE, Events, Use};
use crate::engine::{Engine, Flush, PointOfTask, StepFault, TaskCalls, WholeCall};
use crate::geometry::{Rectangle, Tile};
use crate::stores::{Replica, Store};
use darray_device::{Command, Event, PointCall};
use darray_ir::{IndexTask, Opaque, TaskOp};
use smallvec::SmallVec;
use std::sync::Arc;

/// The stores of a task, in the order of its arguments.
type Stores<'s> = SmallVec<[&'s Arc<Store>; 8]>;

impl Engine {
    /// Runs an opaque task: memory for all points first, then the points one after the other.
    pub(crate) fn opaque(&mut self, flush: Flush<'_>, number: u32) -> Result<(), StepFault> {
        let task = &flush.window.tasks()[number as usize];
        let TaskOp::Opaque(opaque) = task.op else { return Ok(()) };
        let mut calls = self.calls.take(number);
        self.keep_origin(flush, number, &mut calls.origin);
        let mut stores = Stores::new();
        for arg in &task.args {
            stores.push(flush.store(arg.store));
        }
        let result = if self.is_whole() && self.all_there(flush, task, opaque, &stores, &mut calls)
        {
            self.call_whole(task, opaque, &stores, calls.whole.as_mut().expect("just made"))
        } else {
            self.call_points(flush, task, opaque, &stores, &mut calls.points)
        };
        self.calls.put(number, calls);
        result
    }

    /// Whether all of every array is there, or is overwritten; says in the call where those are that are there.
    fn all_there(
        &mut self,
        flush: Flush<'_>,
        task: &IndexTask,
        opaque: Opaque,
        stores: &Stores<'_>,
        calls: &mut TaskCalls,
    ) -> bool {
        if flush.window.domain(task.domain).size() == 0 {
            return false;
        }
        let whole = match &mut calls.whole {
            Some(whole) => whole,
            none => {
                let call = WholeCall::new(flush, task, opaque, &self.nothing);
                self.made_call(call.bytes());
                none.insert(call)
            }
        };
        let overwritten = whole.overwritten;
        for (at, (store, array)) in stores.iter().zip(whole.arrays()).enumerate() {
            if overwritten >> at & 1 == 0 {
                let Some(block) = store.whole_block() else { return false };
                array.set_block(block);
            }
        }
        true
    }

    /// Counts a call that was not kept from a window before.
    fn made_call(&mut self, bytes: usize) {
        self.calls.made(bytes);
        self.counters.calls_made += 1;
    }

    /// The one point of a step that [`is_whole`](Engine::is_whole).
    fn call_whole(
        &mut self,
        task: &IndexTask,
        opaque: Opaque,
        stores: &Stores<'_>,
        whole: &mut WholeCall,
    ) -> Result<(), StepFault> {
        self.protect(stores.iter().map(|store| store.id()));
        let written = whole.written;
        let writes = stores.iter().zip(whole.arrays()).enumerate();
        let mut writes = writes.filter(|(at, _)| written >> at & 1 != 0);
        let made = writes.try_for_each(|(_, (store, array))| {
            self.make_whole(store, true)?;
            array.set_block(store.whole().block());
            Ok(())
        });
        self.unprotect();
        made?;
        let uses =
            || stores.iter().zip(&task.args).map(|(store, arg)| (store, Use::of(arg.privilege)));
        let mut after = Events::new();
        let several_queues = self.devices.several_queues();
        // What no replica tells of is used by nobody else.
        for (store, by) in uses().filter(|(s, _)| several_queues && !s.whole().is_alone()) {
            let replicas = store.replicas();
            let instance = replicas[0].instance.as_ref().expect("it is there");
            self.devices.order(&instance.history, by, 0, COMPUTE, &mut after);
        }
        let (event, _) = self.run_call(&mut whole.call, task, opaque, (0, &after), stores)?;
        self.counters.whole += 1;
        if several_queues {
            uses().for_each(|(store, by)| store.note(by, event));
        }
        Ok(())
    }

    fn call_points(
        &mut self,
        flush: Flush<'_>,
        task: &IndexTask,
        opaque: Opaque,
        stores: &Stores<'_>,
        points: &mut Vec<PointOfTask>,
    ) -> Result<(), StepFault> {
        if points.is_empty() {
            let all = self.mapper.points(flush.window.domain(task.domain));
            let make = |point| PointOfTask::new(flush, task, opaque, point, &self.nothing);
            points.extend(all.iter().filter(|point| !point.is_empty()).map(make));
            points.iter().for_each(|point| self.made_call(point.bytes()));
        }
        if opaque.outputs == 1 && self.place_points(stores, points) {
            let mut points = points.iter_mut();
            return points.try_for_each(|point| self.call_placed(task, opaque, stores, point));
        }
        points.iter().try_for_each(|point| self.prepare_point(stores, point))?;
        points.iter_mut().try_for_each(|point| {
            self.make_operands_valid(flush, task, opaque, stores, point)?;
            self.call_placed(task, opaque, stores, point)
        })
    }

    /// Whether all points of a task with one output, which it overwrites, find what they read where they found it the
    /// last time: most do. Then says so in their calls, and has memory for the output. One look at each store is for
    /// all points; what one writes is nothing that another reads.
    fn place_points(&mut self, stores: &Stores<'_>, points: &mut [PointOfTask]) -> bool {
        if stores[1..].iter().any(|input| Arc::ptr_eq(input, stores[0])) {
            return false;
        }
        // The output last: memory is asked for when all else is known to be there.
        self.protect(stores.iter().map(|store| store.id()));
        let placed = (0..stores.len()).rev().all(|at| {
            let mut replicas = stores[at].replicas();
            points.iter_mut().all(|point| self.place_operand(stores[at], &mut replicas, point, at))
        });
        self.unprotect();
        placed
    }

    fn place_operand(
        &mut self,
        store: &Arc<Store>,
        replicas: &mut [Replica],
        point: &mut PointOfTask,
        at: usize,
    ) -> bool {
        let (device, operand) = (point.device, &point.operands[at]);
        let (Some(part), Some(call)) = (&operand.part, &mut point.call) else { return false };
        let overwritten = at == 0 && !operand.privilege.reads() && part.sub.dense;
        let replica = &replicas[device];
        if overwritten && replica.instance.is_none() && part.viewed.is_some() {
            let (bounds, linear) = (&part.bounds, part.sub.linear);
            let made = self.ensure_instance(store, replicas, device, bounds, linear, COMPUTE);
            if made.is_err() {
                return false;
            }
        }
        let replica = &replicas[device];
        let holds = |rectangle: &Rectangle| replica.valid.holds(rectangle);
        let there = overwritten || at > 0 && part.sub.rectangles.iter().all(holds);
        match &replica.instance {
            Some(instance) if there && part.fits(replica) => {
                call.arrays[at].set_block(instance.block);
                true
            }
            _ => false,
        }
    }

    /// Memory for one point.
    fn prepare_point(&mut self, stores: &Stores<'_>, point: &PointOfTask) -> Result<(), StepFault> {
        self.protect(stores.iter().map(|store| store.id()));
        let mut operands = stores.iter().zip(&point.operands);
        let prepared = operands.try_for_each(|(store, operand)| match &operand.part {
            None => self.spare(point.device).map(|_| ()),
            Some(part) => {
                let (mut replicas, linear) = (store.replicas(), part.sub.linear);
                let (device, bounds) = (point.device, &part.bounds);
                if part.fits(&replicas[device]) {
                    return Ok(());
                }
                let queue = self.devices.first_queue(device, !operand.privilege.writes());
                self.ensure_instance(store, &mut replicas, device, bounds, linear, queue)
            }
        });
        self.unprotect();
        prepared
    }

    /// Submits a point whose call says where everything is, and notes what it wrote.
    fn call_placed(
        &mut self,
        task: &IndexTask,
        opaque: Opaque,
        stores: &Stores<'_>,
        point: &mut PointOfTask,
    ) -> Result<(), StepFault> {
        let device = point.device;
        let several_queues = self.devices.several_queues();
        let used = || {
            let uses = stores.iter().zip(&point.operands);
            uses.filter_map(|(store, operand)| {
                Some((*store, operand.privilege, &operand.part.as_ref()?.sub))
            })
        };
        let mut after = Events::new();
        // What was copied for a later operand may have changed an earlier one's history.
        for used in used().filter(|_| several_queues) {
            self.order_use(used, device, &mut after);
        }
        let call = &mut point.call;
        let (event, done) = self.run_call(call, task, opaque, (device, &after), stores)?;
        // Nobody need wait for what has happened; what is written comes first.
        let noted = used().take_while(|(_, privilege, _)| !done || privilege.writes());
        noted.for_each(|used| self.note_use(used, device, (!done).then_some(event)));
        Ok(())
    }

    /// Copies what a point lacks, and says in its call where everything is.
    fn make_operands_valid(
        &mut self,
        flush: Flush<'_>,
        task: &IndexTask,
        opaque: Opaque,
        stores: &Stores<'_>,
        point: &mut PointOfTask,
    ) -> Result<(), StepFault> {
        let device = point.device;
        let call = point.call.as_mut().expect("it runs once at a time");
        for (position, operand) in point.operands.iter_mut().enumerate() {
            let array = &mut call.arrays[position];
            let Some(part) = &mut operand.part else {
                array.set_block(self.spare(device)?);
                continue;
            };
            let store = stores[position];
            let mut replicas = store.replicas();
            let used = (store, operand.privilege, &part.sub);
            self.make_use_valid(used, &mut replicas, device)?;
            let instance = replicas[device].instance.as_ref();
            let instance = instance.expect("prepared before the launch");
            array.set_block(instance.block);
            if part.viewed.as_ref() != Some(&instance.bounds) {
                let all = || store.shape().iter().map(|&extent| 0..extent).collect::<Tile>();
                let tile = if opaque.is_whole(position) { all() } else { call.domain.clone() };
                let map = flush.window.map(task.args[position].map);
                array.set_view(instance.view(store.shape(), map, &tile));
                part.viewed = Some(instance.bounds.clone());
            }
        }
        Ok(())
    }

    /// Submits a call that has its blocks, to a device behind these events. Says whether it has ended, too.
    fn run_call(
        &mut self,
        kept: &mut Option<Box<PointCall>>,
        task: &IndexTask,
        opaque: Opaque,
        (device, after): (usize, &Events),
        stores: &Stores<'_>,
    ) -> Result<(Event, bool), StepFault> {
        let definition = opaque.definition as usize;
        let mut call = kept.take().expect("it runs once at a time");
        call.scalars.clear();
        call.scalars.extend_from_slice(&task.scalars);
        // What the program brought along is kept by nobody when the window has ended.
        std::mem::swap(&mut call.task, &mut self.definitions[definition]);
        let outputs = &stores[..opaque.outputs as usize];
        // The only output inherits nothing from itself.
        let inputs = if outputs.len() == 1 { &stores[1..] } else { stores };
        let command = Command::Task(call);
        let submitted = self.submit_looked(device, COMPUTE, after, &command, outputs, inputs);
        if let Command::Task(mut call) = command {
            std::mem::swap(&mut call.task, &mut self.definitions[definition]);
            *kept = Some(call);
        }
        self.counters.opaque += u64::from(submitted.is_ok());
        submitted
    }
}
