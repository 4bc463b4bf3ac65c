//! Scan steps: running folds over points.
//!
//! ```text
//! cumsum of [16] over 4 points:  tile 0   tile 1   tile 2   tile 3     each on its device, its blocks
//!                                   |        |        |        |
//!                                carry -> carry -> carry -> carry      one value copied to the next
//!                                            |        |        |
//!                                           add      add      add      each on its device
//! ```

use crate::devices::{COMPUTE, Events, History, Point, Use};
use crate::engine::{Engine, Flush, StepFault};
use crate::geometry::{SubStore, Tile, extents};
use darray_core::Shape;
use darray_device::builtin::{Scan, ScanPart, View, carries_extents};
use darray_device::{Block, Command, Rect};
use darray_ir::IndexTask;
use darray_kernel::ir::Reducer;
use smallvec::SmallVec;

/// One scan over its points.
///
/// Points that own the same indices of the other axes form a line, in the order of the scanned axis. A
/// line of one scans its tile at once.
pub(crate) struct ScanRun<'r> {
    engine: &'r mut Engine,
    flush: Flush<'r>,
    task: &'r IndexTask,
    reducer: Reducer,
    axis: usize,
    /// Indices per block of the scanned axis.
    block: usize,
    points: SmallVec<[Point; 1]>,
    lines: Vec<Vec<usize>>,
    /// By point; none in lines of one.
    carries: Vec<Option<Carries>>,
}

/// The carries of one point, on its device: see [`Scan::operand`].
struct Carries {
    extents: SmallVec<[usize; 4]>,
    block: Block,
    history: History,
}

impl<'r> ScanRun<'r> {
    /// Carries out a step.
    pub(crate) fn run(
        engine: &'r mut Engine,
        flush: Flush<'r>,
        task: &'r IndexTask,
        reducer: Reducer,
        axis: usize,
    ) -> Result<(), StepFault> {
        let domain = flush.window.domain(task.domain);
        let block = engine.mapper.rule().scan_block(domain[axis], axis + 1 == domain.rank());
        let mut points = engine.mapper.scanned(domain, axis, block);
        points.retain(|point| !point.is_empty());
        let lines = lines(&points, axis);
        let carries = points.iter().map(|_| None).collect();
        let mut run = ScanRun { engine, flush, task, reducer, axis, block, points, lines, carries };
        let result = run.prepare().and_then(|()| run.carry_out());
        for carries in run.carries.drain(..).flatten() {
            run.engine.devices.release_block(carries.block, &carries.history);
        }
        result
    }

    /// Instances and memory of all points.
    fn prepare(&mut self) -> Result<(), StepFault> {
        let stores = self.task.args.iter().map(|arg| self.flush.store(arg.store).id());
        self.engine.protect(stores);
        let prepared = (self.points.iter())
            .try_for_each(|point| self.engine.prepare_args(self.flush, self.task, point));
        let prepared = prepared.and_then(|()| self.allocate_carries());
        self.engine.unprotect();
        prepared
    }

    fn allocate_carries(&mut self) -> Result<(), StepFault> {
        let dtype = self.flush.store(self.task.args[0].store).dtype();
        for &point in self.lines.iter().filter(|line| line.len() > 1).flatten() {
            let Point { device, ref tile, .. } = self.points[point];
            let blocks = tile[self.axis].len().div_ceil(self.block);
            let extents = carries_extents(blocks, self.axis, &extents(tile));
            let shape = Shape::new(&extents);
            let (block, history) = self.engine.allocate(device, COMPUTE, &shape, dtype)?;
            self.carries[point] = Some(Carries { extents, block, history });
        }
        Ok(())
    }

    fn carry_out(&mut self) -> Result<(), StepFault> {
        let lines = std::mem::take(&mut self.lines);
        for line in &lines {
            for &point in line {
                let part = if line.len() > 1 { ScanPart::Blocks } else { ScanPart::Whole };
                self.launch(point, part, point == line[0])?;
            }
        }
        for line in lines.iter().filter(|line| line.len() > 1) {
            for (number, &point) in line.iter().enumerate() {
                if number > 0 {
                    self.hand_on(line[number - 1], point)?;
                }
                self.launch(point, ScanPart::Carry, number == 0)?;
            }
        }
        for line in lines.iter().filter(|line| line.len() > 1) {
            for &point in line {
                self.launch(point, ScanPart::Add, point == line[0])?;
            }
        }
        let arg = self.task.args[0];
        let (store, map) = (self.flush.store(arg.store), self.flush.window.map(arg.map));
        for Point { device, tile, .. } in &self.points {
            let sub = SubStore::new(map, tile, store.shape());
            self.engine.written(store, &mut store.replicas(), *device, &sub);
        }
        Ok(())
    }

    /// Launches one part of one point.
    fn launch(&mut self, point: usize, part: ScanPart, first: bool) -> Result<(), StepFault> {
        let Point { device, ref tile, .. } = self.points[point];
        let mut after = Events::new();
        let used = if part.has_carries() { 1 } else { 2 };
        let mut views = Vec::with_capacity(2);
        for arg in &self.task.args[..used] {
            let (store, map) = (self.flush.store(arg.store), self.flush.window.map(arg.map));
            let replicas = store.replicas();
            let instance = replicas[device].instance.as_ref().expect("prepared before the launch");
            let (history, sub) = (&instance.history, SubStore::new(map, tile, store.shape()));
            let devices = &self.engine.devices;
            devices.order_sub(history, Use::of(arg.privilege), &sub, device, COMPUTE, &mut after);
            views.push(instance.view(store.shape(), map, tile));
        }
        if let (true, Some(carries)) = (part.has_carries(), &self.carries[point]) {
            let history = &carries.history;
            self.engine.devices.order(history, Use::KernelWrite, device, COMPUTE, &mut after);
            let strides = Shape::new(&carries.extents).strides();
            views.push(View { block: carries.block, offset: 0, strides });
        }
        let stores: SmallVec<[_; 2]> =
            self.task.args.iter().map(|arg| self.flush.store(arg.store)).collect();
        let [out, operand] = <[View; 2]>::try_from(views).expect("output and operand");
        let scan = Scan {
            part,
            first,
            reducer: self.reducer,
            dtype: stores[0].dtype(),
            block: self.block,
            axis: self.axis,
            extents: extents(tile),
            out,
            operand,
        };
        let builtin = Command::Builtin { name: Scan::NAME, args: scan.encode() };
        let (outputs, inputs) = stores.split_at(1);
        let event = self.engine.submit(device, COMPUTE, &after, &builtin, outputs, inputs)?;
        self.engine.counters.builtins += 1;
        for arg in &self.task.args[..used] {
            let (store, map) = (self.flush.store(arg.store), self.flush.window.map(arg.map));
            if let Some(instance) = &mut store.replicas()[device].instance {
                let sub = SubStore::new(map, tile, store.shape());
                instance.history.note_sub(Use::of(arg.privilege), &sub, event);
            }
        }
        if let (true, Some(carries)) = (part.has_carries(), &mut self.carries[point]) {
            carries.history.note(Use::KernelWrite, event);
        }
        Ok(())
    }

    /// Copies the carry out of one point to the next one.
    fn hand_on(&mut self, from: usize, to: usize) -> Result<(), StepFault> {
        let (source, device) = (self.points[from].device, self.points[to].device);
        let store = self.flush.store(self.task.args[0].store);
        let dtype = store.dtype();
        let [from, to] = self.carries.get_disjoint_mut([from, to]).expect("two points");
        let (Some(from), Some(to)) = (from, to) else { return Ok(()) };
        let row = |carries: &Carries, row: usize| {
            let strides = Shape::new(&carries.extents).strides();
            let mut extents = carries.extents.clone();
            extents[0] = 1;
            Rect { block: carries.block, dtype, offset: row as i64 * strides[0], extents, strides }
        };
        let (from_rect, to_rect) = (row(from, from.extents[0] - 1), row(to, 0));
        let bytes = to_rect.extents.iter().product::<usize>() * dtype.size();
        let (rects, histories) = ([from_rect, to_rect], (&mut from.history, &mut to.history));
        self.engine.copy_block(device, rects, histories, None, (&[store], &[store]))?;
        if source != device {
            self.engine.counters.copied(bytes as u64);
        }
        Ok(())
    }
}

/// Points with the same tile but for the scanned axis, which ascends.
fn lines(points: &[Point], axis: usize) -> Vec<Vec<usize>> {
    let others = |point: &Point| {
        let mut tile: Tile = point.tile.clone();
        tile[axis] = 0..0;
        tile
    };
    let mut lines: Vec<(Tile, Vec<usize>)> = Vec::new();
    for (number, point) in points.iter().enumerate() {
        let tile = others(point);
        match lines.iter_mut().find(|(known, _)| *known == tile) {
            Some((_, line)) => line.push(number),
            None => lines.push((tile, vec![number])),
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::Mapper;
    use darray_kernel::tree::TreeRule;

    #[test]
    fn lines_go_along_the_scanned_axis() {
        let mapper = Mapper::new(vec![2, 2], 3, TreeRule::TINY);
        let points = mapper.points(&Shape::new(&[4, 16]));
        assert_eq!(lines(&points, 0), [vec![0, 2], vec![1, 3]]);
        assert_eq!(lines(&points, 1), [vec![0, 1], vec![2, 3]]);
    }
}
