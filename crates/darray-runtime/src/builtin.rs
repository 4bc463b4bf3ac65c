//! Builtin steps, point by point: products by rows or by the products of a stack, gathers and scatters; see [`crate::scan`] and [`crate::sort`] for those whose points wait for each other.

use crate::device_set::COMPUTE;
use crate::engine::Engine;
use crate::executor::Flush;
use crate::fault::StepFault;
use crate::history::{Events, Use};
use crate::mapper::Point;
use crate::scan::ScanRun;
use crate::sort::SortRun;
use crate::store::Store;
use crate::sub_store::{SubStore, Tile};
use darray_core::Map;
use darray_device::builtin::{Gather, MatMul, Scatter, Sort, View};
use darray_device::{Arg, Command};
use darray_fusion::plan::BuiltinStep;
use darray_ir::{Builtin, IndexTask, Privilege, TaskArg};
use smallvec::SmallVec;
use std::ops::Range;
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

/// A builtin's name, and its arguments for the views of its operands.
type Encode<'e> = (&'static str, &'e dyn Fn(&Call<'_>, &Point, Vec<View>) -> Vec<Arg>);

impl Engine {
    /// Instances of what a point uses of a task whose maps span its domain, and its inputs' data in them.
    pub(crate) fn prepare_args(
        &mut self,
        flush: Flush<'_>,
        task: &IndexTask,
        point: &Point,
    ) -> Result<(), StepFault> {
        let (device, tile) = (point.device, &point.tile);
        for (number, arg) in task.args.iter().enumerate() {
            let (store, map) = (flush.store(arg.store), flush.window.map(arg.map));
            let sub = SubStore::new(map, tile, store.shape());
            let (mut replicas, bounds) = (store.replicas(), sub.bounding());
            let queue = self.devices.first_queue(device, number > 0);
            self.ensure_instance(store, &mut replicas, device, &bounds, sub.linear, queue)?;
            if number > 0 {
                self.make_sub_valid(store, &mut replicas, device, &sub, true)?;
            }
        }
        Ok(())
    }

    /// Runs a builtin over its points.
    pub(crate) fn builtin(
        &mut self,
        flush: Flush<'_>,
        step: &BuiltinStep,
    ) -> Result<(), StepFault> {
        self.set_origin(flush, &[step.task]);
        let task = &flush.window.tasks()[step.task as usize];
        let domain = flush.window.domain(task.domain);
        match step.builtin {
            Builtin::MatMul => {
                let points = self.mapper.products(domain);
                let rank = domain.rank();
                let k = 0..scalar(task);
                let tile = |point: &Point, number: usize| {
                    let mut tile = point.tile.clone();
                    match number {
                        1 => tile[rank - 1] = k.clone(),
                        2 => tile[rank - 2] = k.clone(),
                        _ => {}
                    }
                    tile
                };
                let encode = |call: &Call<'_>, _: &Point, views| matmul(call, views);
                self.each_point(flush, task, &points, &tile, (MatMul::NAME, &encode))
            }
            Builtin::Scan { reducer, axis } => {
                ScanRun::run(self, flush, task, reducer, axis as usize)
            }
            Builtin::Sort { axis, indices } => {
                let axis = axis as usize;
                if domain.size() == domain[axis] && self.mapper.along(domain, axis).len() > 1 {
                    return SortRun::run(self, flush, task, axis, indices);
                }
                let points = self.mapper.across(domain, axis);
                let tile = |point: &Point, _: usize| point.tile.clone();
                let encode = |call: &Call<'_>, point: &Point, mut views: Vec<View>| {
                    let (input, out) = (views.pop().expect("an input"), views.pop());
                    let (values, indices) = if indices { (None, out) } else { (out, None) };
                    let (dtype, extents) = (call.operands[1].store.dtype(), extents(&point.tile));
                    Sort { dtype, axis, origin: 0, extents, input, values, indices }.encode()
                };
                self.each_point(flush, task, &points, &tile, (Sort::NAME, &encode))
            }
            Builtin::Gather { axis, first, count } => {
                let bound = scalar(task);
                let points = self.mapper.points(domain);
                let tile = |point: &Point, number: usize| {
                    let mut tile = point.tile.clone();
                    if number == 2 {
                        tile.push(0..bound);
                    }
                    tile
                };
                let positions = (first as usize, count as usize);
                let encode = |call: &Call<'_>, point: &Point, views| {
                    let [out, index, source] = three(views);
                    let dtype = call.operands[0].store.dtype();
                    let (extents, origin) = (extents(&point.tile), origin(&point.tile));
                    let axis = axis as usize;
                    Gather { dtype, extents, origin, positions, axis, bound, out, index, source }
                        .encode()
                };
                self.each_point(flush, task, &points, &tile, (Gather::NAME, &encode))
            }
            Builtin::Scatter { axis } => {
                let (axis, count) = (axis as usize, scalar(task));
                let bound = domain[axis];
                let points = self.mapper.points(domain);
                let tile = |point: &Point, number: usize| {
                    let mut tile = point.tile.clone();
                    if number > 0 {
                        tile[axis] = 0..count;
                    }
                    tile
                };
                let encode = |call: &Call<'_>, point: &Point, views| {
                    let [out, index, value] = three(views);
                    let dtype = call.operands[0].store.dtype();
                    let (extents, origin) = (extents(&point.tile), origin(&point.tile));
                    Scatter { dtype, axis, bound, count, extents, origin, out, index, value }
                        .encode()
                };
                self.each_point(flush, task, &points, &tile, (Scatter::NAME, &encode))
            }
        }
    }

    /// Runs a builtin for every point that has elements; `tile` gives what it uses of each operand.
    ///
    /// Memory for all points comes first. Then the points go one after the other, so that what one
    /// writes between the elements of another (through views that interleave) is there for the next.
    fn each_point(
        &mut self,
        flush: Flush<'_>,
        task: &IndexTask,
        points: &[Point],
        tile: &dyn Fn(&Point, usize) -> Tile,
        encode: Encode<'_>,
    ) -> Result<(), StepFault> {
        let calls: SmallVec<[(&Point, Call<'_>); 1]> = points
            .iter()
            .filter(|point| !point.is_empty())
            .map(|point| {
                let args = task.args.iter().enumerate();
                let operand = |(k, arg)| Operand::new(flush, arg, tile(point, k));
                let operands = args.map(operand).collect();
                (point, Call { device: point.device, operands })
            })
            .collect();
        self.protect(task.args.iter().map(|arg| flush.store(arg.store).id()));
        let prepared = calls.iter().try_for_each(|(_, call)| self.prepare_call(call));
        self.unprotect();
        prepared?;
        calls.iter().try_for_each(|(point, call)| self.call(call, point, encode))
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
        point: &Point,
        (name, encode): Encode<'_>,
    ) -> Result<(), StepFault> {
        let device = call.device;
        let (mut after, mut views) = (Events::new(), Vec::with_capacity(3));
        for Operand { store, map, tile, privilege, sub } in &call.operands {
            let Some(sub) = sub else {
                let strides = SmallVec::from_elem(0, tile.len());
                views.push(View { block: self.spare(device)?, offset: 0, strides });
                continue;
            };
            let mut replicas = store.replicas();
            self.make_use_valid((store, *privilege, sub), &mut replicas, device)?;
            let instance = replicas[device].instance.as_ref().expect("prepared before the launch");
            views.push(instance.view(store.shape(), map, tile));
        }
        let used =
            || call.operands.iter().filter_map(|o| Some((o.store, o.privilege, o.sub.as_ref()?)));
        used().for_each(|used| self.order_use(used, device, &mut after));
        let builtin = Command::Builtin { name, args: encode(call, point, views) };
        let stores: SmallVec<[_; 3]> = call.operands.iter().map(|o| o.store).collect();
        let read = if call.operands[0].privilege.reads() { 0 } else { 1 };
        let event =
            self.submit(device, COMPUTE, &after, &builtin, &stores[..1], &stores[read..])?;
        self.counters.builtins += 1;
        used().for_each(|used| self.note_use(used, device, Some(event)));
        Ok(())
    }
}

/// The arguments of a product: output (.., m, n), inputs (.., m, k) and (.., k, n).
fn matmul(call: &Call<'_>, views: Vec<View>) -> Vec<Arg> {
    let [out, a, b] = three(views);
    let extents: [SmallVec<[usize; 4]>; 2] = [0, 1].map(|k| extents(&call.operands[k].tile));
    let rank = extents[0].len();
    let matmul = MatMul {
        dtype: call.operands[0].store.dtype(),
        stack: SmallVec::from_slice(&extents[0][..rank - 2]),
        m: extents[0][rank - 2],
        k: extents[1][rank - 1],
        n: extents[0][rank - 1],
        out,
        a,
        b,
    };
    matmul.encode()
}

fn three(views: Vec<View>) -> [View; 3] {
    <[View; 3]>::try_from(views).expect("an output and two inputs")
}

/// The extent that a task has as a scalar.
fn scalar(task: &IndexTask) -> usize {
    task.scalars[0].to_i64() as usize
}

pub(crate) fn extents(tile: &[Range<usize>]) -> SmallVec<[usize; 4]> {
    tile.iter().map(|range| range.len()).collect()
}

fn origin(tile: &[Range<usize>]) -> SmallVec<[usize; 4]> {
    tile.iter().map(|range| range.start).collect()
}

/// What a launch does with an array of this privilege.
pub(crate) fn of(privilege: Privilege) -> Use {
    if privilege.writes() { Use::KernelWrite } else { Use::KernelRead }
}
