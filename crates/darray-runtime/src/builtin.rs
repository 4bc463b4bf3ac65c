//! Builtin steps: matmul by rows, or by the products of a stack.

use crate::device_set::COMPUTE;
use crate::engine::Engine;
use crate::executor::Flush;
use crate::fault::StepFault;
use crate::history::{Events, Use};
use crate::mapper::Point;
use crate::scan::ScanRun;
use crate::store::Store;
use crate::sub_store::{SubStore, Tile};
use darray_core::Map;
use darray_device::Command;
use darray_device::builtin::{MatMul, View};
use darray_fusion::plan::BuiltinStep;
use darray_ir::{Builtin, IndexTask};
use smallvec::SmallVec;
use std::sync::Arc;

/// One array of a builtin: its store, the map of its view, the part that a point uses.
struct Operand<'o> {
    store: &'o Arc<Store>,
    map: &'o Map,
    tile: Tile,
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
        match step.builtin {
            Builtin::MatMul => {
                let domain = flush.window.domain(task.domain);
                let mut points = self.mapper.products(domain);
                points.retain(|point| !point.is_empty());
                self.protect(task.args.iter().map(|arg| flush.store(arg.store).id()));
                let prepared = points.iter().try_for_each(|p| self.prepare_matmul(flush, task, p));
                self.unprotect();
                prepared?;
                points.iter().try_for_each(|point| self.matmul(flush, task, point))
            }
            Builtin::Scan { reducer, axis } => {
                ScanRun::run(self, flush, task, reducer, axis as usize)
            }
        }
    }

    fn prepare_matmul(
        &mut self,
        flush: Flush<'_>,
        task: &IndexTask,
        point: &Point,
    ) -> Result<(), StepFault> {
        for (number, operand) in operands(flush, task, point).iter().enumerate() {
            let Operand { store, map, tile } = operand;
            if tile.iter().any(|range| range.is_empty()) {
                self.spare(point.device)?;
                continue;
            }
            let sub = SubStore::new(map, tile, store.shape());
            let mut replicas = store.replicas();
            let (device, bounds) = (point.device, sub.bounding());
            self.ensure_instance(store, &mut replicas, device, &bounds, sub.linear, COMPUTE)?;
            if number > 0 || !sub.dense {
                for rectangle in &sub.rectangles {
                    self.make_valid(store, &mut replicas, device, rectangle)?;
                }
            }
        }
        Ok(())
    }

    fn matmul(
        &mut self,
        flush: Flush<'_>,
        task: &IndexTask,
        point: &Point,
    ) -> Result<(), StepFault> {
        let device = point.device;
        let operands = operands(flush, task, point);
        let mut after = Events::new();
        let mut views = Vec::with_capacity(3);
        for (number, Operand { store, map, tile }) in operands.iter().enumerate() {
            if tile.iter().any(|range| range.is_empty()) {
                views.push(View {
                    block: self.spare(device)?,
                    offset: 0,
                    strides: SmallVec::from_elem(0, tile.len()),
                });
                continue;
            }
            let replicas = store.replicas();
            let instance = replicas[device].instance.as_ref().expect("prepared before the launch");
            let by = if number == 0 { Use::KernelWrite } else { Use::KernelRead };
            let (history, sub) = (&instance.history, SubStore::new(map, tile, store.shape()));
            self.devices.order_sub(history, by, &sub, device, COMPUTE, &mut after);
            views.push(instance.view(store.shape(), map, tile));
        }
        let [out, a, b] = <[View; 3]>::try_from(views).expect("an output and two inputs");
        let rank = point.tile.len();
        let extents = |operand: usize| operands[operand].tile.iter().map(|range| range.len());
        let matmul = MatMul {
            dtype: operands[0].store.dtype(),
            stack: extents(0).take(rank - 2).collect(),
            m: operands[0].tile[rank - 2].len(),
            k: operands[1].tile[rank - 1].len(),
            n: operands[0].tile[rank - 1].len(),
            out,
            a,
            b,
        };
        let builtin = Command::Builtin { name: MatMul::NAME, args: matmul.encode() };
        let [out, a, b] = operands.each_ref().map(|o| o.store);
        let event = self.submit(device, COMPUTE, &after, builtin, &[out], &[a, b])?;
        self.counters.builtins += 1;
        for (number, Operand { store, map, tile }) in operands.iter().enumerate() {
            let by = if number == 0 { Use::KernelWrite } else { Use::KernelRead };
            let mut replicas = store.replicas();
            if tile.iter().any(|range| range.is_empty()) {
                continue;
            }
            let sub = SubStore::new(map, tile, store.shape());
            if let Some(instance) = &mut replicas[device].instance {
                instance.history.note_sub(by, &sub, event);
            }
            if number == 0 {
                self.written(store, &mut replicas, device, &sub);
            }
        }
        Ok(())
    }
}

/// Output (.., m, n), then inputs (.., m, k) and (.., k, n), for the tile of one point.
fn operands<'o>(flush: Flush<'o>, task: &IndexTask, point: &Point) -> [Operand<'o>; 3] {
    let k = task.scalars[0].to_i64() as usize;
    let rank = point.tile.len();
    let mut tiles: [Tile; 3] = std::array::from_fn(|_| point.tile.clone());
    tiles[1][rank - 1] = 0..k;
    tiles[2][rank - 2] = 0..k;
    let mut number = 0;
    tiles.map(|tile| {
        let arg = &task.args[number];
        number += 1;
        let (store, map) = (&flush.stores[arg.store.0 as usize], flush.window.map(arg.map));
        Operand { store, map, tile }
    })
}
