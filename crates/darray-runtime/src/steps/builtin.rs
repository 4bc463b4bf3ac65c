//! Builtin steps, point by point: products by rows or by the products of a stack, gathers and scatters; see [`super::scan`] and [`super::sort`] for those whose points wait for each other.

use crate::devices::{COMPUTE, Events, Point};
use crate::engine::{Engine, Flush, StepFault};
use crate::geometry::SubStore;
use crate::steps::scan::ScanRun;
use crate::steps::sort::SortRun;
use crate::stores::Store;
use darray_core::Map;
use darray_device::Command;
use darray_device::builtin::{PointOperands, View, point_call};
use darray_fusion::plan::BuiltinStep;
use darray_ir::builtin::{Builtin, Cuts, Tile};
use darray_ir::{IndexTask, Privilege, TaskArg};
use smallvec::SmallVec;
use std::sync::Arc;

/// One array of a builtin: its store, the map of its view, the part that a point uses.
struct Operand<'o> {
    store: &'o Arc<Store>,
    map: &'o Map,
    tile: Tile,
    privilege: Privilege,
    /// None where it uses no element.
    sub: Option<SubStore>,
}

impl<'o> Operand<'o> {
    fn new(flush: Flush<'o>, arg: &TaskArg, tile: Tile) -> Operand<'o> {
        let (store, map) = (flush.store(arg.store), flush.window.map(arg.map));
        let empty = tile.iter().any(|range| range.is_empty());
        let sub = (!empty).then(|| SubStore::new(map, &tile, store.shape()));
        Operand { store, map, tile, privilege: arg.privilege, sub }
    }
}

/// The call of a builtin for one point.
struct Call<'o> {
    device: usize,
    /// The output, then the inputs.
    operands: SmallVec<[Operand<'o>; 3]>,
}

impl Engine {
    /// Runs a builtin over its points.
    pub(crate) fn builtin(
        &mut self,
        flush: Flush<'_>,
        step: &BuiltinStep,
    ) -> Result<(), StepFault> {
        self.set_origin(flush, &[step.task]);
        let task = &flush.window.tasks()[step.task as usize];
        let domain = flush.window.domain(task.domain);
        let points = match step.builtin.spec().cuts() {
            Cuts::Carries { axis, reducer } => {
                return ScanRun::run(self, flush, task, reducer, axis);
            }
            Cuts::Runs { axis, indices }
                if domain.size() == domain[axis] && self.mapper.along(domain, axis).len() > 1 =>
            {
                return SortRun::run(self, flush, task, axis, indices);
            }
            Cuts::Runs { axis, .. } => self.mapper.across(domain, axis),
            Cuts::Rows => self.mapper.products(domain),
            Cuts::Anywhere => self.mapper.points(domain),
        };
        self.each_point(flush, (task, step.builtin), &points)
    }

    /// Runs a builtin for every point that has elements.
    ///
    /// Memory for all points comes first. Then the points go one after the other, so that what one
    /// writes between the elements of another (through views that interleave) is there for the next.
    fn each_point(
        &mut self,
        flush: Flush<'_>,
        (task, builtin): (&IndexTask, Builtin),
        points: &[Point],
    ) -> Result<(), StepFault> {
        let domain = flush.window.domain(task.domain);
        let extent = task.scalars.first().map_or(0, |extent| extent.to_i64() as usize);
        let calls: SmallVec<[(&Point, Call<'_>); 1]> = points
            .iter()
            .filter(|point| !point.is_empty())
            .map(|point| {
                let args = task.args.iter().enumerate();
                let operand = |(k, arg)| {
                    let mut tile = point.tile.clone();
                    builtin.spec().part(k, &mut tile, extent);
                    Operand::new(flush, arg, tile)
                };
                let operands = args.map(operand).collect();
                (point, Call { device: point.device, operands })
            })
            .collect();
        self.protect(task.args.iter().map(|arg| flush.store(arg.store).id()));
        let prepared = calls.iter().try_for_each(|(_, call)| self.prepare_call(call));
        self.unprotect();
        prepared?;
        calls.into_iter().try_for_each(|(point, call)| {
            let dtypes = call.operands.iter().map(|operand| operand.store.dtype()).collect();
            let (tile, views) = (&point.tile, Vec::with_capacity(3));
            let operands = PointOperands { domain, tile, extent, dtypes, views };
            self.call(&call, builtin, operands)
        })
    }

    /// Memory for one call.
    fn prepare_call(&mut self, call: &Call<'_>) -> Result<(), StepFault> {
        for Operand { store, sub, privilege, .. } in &call.operands {
            let Some(sub) = sub else {
                self.spare(call.device)?;
                continue;
            };
            let (mut replicas, bounds) = (store.replicas(), sub.bounding());
            let queue = self.devices.first_queue(call.device, *privilege == Privilege::Read);
            self.ensure_instance(store, &mut replicas, call.device, &bounds, sub.linear, queue)?;
        }
        Ok(())
    }

    /// Copies what a call lacks, launches it, and notes what it wrote.
    fn call(
        &mut self,
        call: &Call<'_>,
        builtin: Builtin,
        mut operands: PointOperands<'_>,
    ) -> Result<(), StepFault> {
        let device = call.device;
        let mut after = Events::new();
        for Operand { store, map, tile, privilege, sub } in &call.operands {
            let Some(sub) = sub else {
                let strides = SmallVec::from_elem(0, tile.len());
                operands.views.push(View { block: self.spare(device)?, offset: 0, strides });
                continue;
            };
            let mut replicas = store.replicas();
            self.make_use_valid((store, *privilege, sub), &mut replicas, device)?;
            let instance = replicas[device].instance.as_ref().expect("prepared before the launch");
            operands.views.push(instance.view(store.shape(), map, tile));
        }
        let used =
            || call.operands.iter().filter_map(|o| Some((o.store, o.privilege, o.sub.as_ref()?)));
        used().for_each(|used| self.order_use(used, device, &mut after));
        let (name, args) = point_call(builtin, operands);
        let builtin = Command::Builtin { name, args };
        let stores: SmallVec<[_; 3]> = call.operands.iter().map(|o| o.store).collect();
        let read = if call.operands[0].privilege.reads() { 0 } else { 1 };
        let event =
            self.submit(device, COMPUTE, &after, &builtin, &stores[..1], &stores[read..])?;
        self.counters.builtins += 1;
        used().for_each(|used| self.note_use(used, device, Some(event)));
        Ok(())
    }
}
