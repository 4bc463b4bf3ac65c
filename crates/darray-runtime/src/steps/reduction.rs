//! Reductions over points: partial results of the tiles, and the finish step.
//!
//! ```text
//! sum of [16] over 4 points:   tile 0   tile 1   tile 2   tile 3      each on its device
//!                                |        |        |        |         slots (subtrees)
//!                                +--------+---+----+--------+         copied to the first's device
//!                                      reduce_finish -> [] sum
//! ```

use crate::devices::{COMPUTE, Events, History, Point, Use};
use crate::engine::{Engine, Flush, StepFault};
use crate::geometry::{SubStore, Tile};
use crate::stores::{Instance, Store};
use darray_core::{Map, RealType, Shape};
use darray_device::builtin::{ReduceFinish, View};
use darray_device::{Arg, Block, Command, Event, Rect};
use darray_fusion::plan::{KernelStep, Reduction};
use darray_kernel::tree::{Group, ReducedAxis, TileTree};
use smallvec::{SmallVec, smallvec};

/// The reductions of one kernel step over its points.
///
/// Points that own the same parallel points form a group. A group of one writes its results where they
/// belong; the members of a larger one each fill a partial block, and a finish step on the first
/// member's device combines them.
#[derive(Default)]
pub(crate) struct Folds {
    groups: SmallVec<[FoldGroup; 1]>,
    partials: Vec<Partial>,
}

/// Points that own the same parallel points, in order.
struct FoldGroup {
    members: SmallVec<[usize; 4]>,
}

/// The partial results of one point, on its device; `landed` is the copy on the finishing device.
struct Partial {
    point: usize,
    /// Reduction and output of it.
    of: (usize, usize),
    dtype: RealType,
    /// Slots, then extents of the parallel axes.
    extents: SmallVec<[usize; 4]>,
    block: Block,
    history: History,
    landed: Option<(Block, History)>,
}

impl Folds {
    /// Groups the points and drops those that have nothing to do. A reduction of no elements keeps
    /// one point per group, which yields the empty value.
    pub(crate) fn new(
        flush: Flush<'_>,
        step: &KernelStep,
        points: &mut SmallVec<[Point; 1]>,
    ) -> Folds {
        let Some(reduction) = step.reductions.first() else {
            points.retain(|p| !p.is_empty());
            return Folds::default();
        };
        // The reductions of a nest have one set of axes; those of a kernel by rows may have several, but
        // tiles cut none but the rows, which all of them reduce.
        let (axes, domain) = (reduction.axes, flush.window.domain(reduction.domain));
        let mut groups: SmallVec<[FoldGroup; 1]> = SmallVec::new();
        if let [point] = &points[..] {
            let tile = flush.tile(step, reduction.domain, point);
            if parallel(axes, &tile).all(|(_, range)| !range.is_empty()) {
                groups.push(FoldGroup { members: smallvec![0] });
            } else {
                points.clear();
            }
            return Folds { groups, partials: Vec::new() };
        }
        let empty = domain.size() == 0;
        let mut parallel_tiles: Vec<Tile> = Vec::new();
        let mut number = 0;
        points.retain(|point| {
            let whole = flush.tile(step, reduction.domain, point);
            let tile: Tile = parallel(axes, &whole).map(|(_, range)| range).collect();
            let known = parallel_tiles.iter().position(|t| *t == tile);
            let idle = if empty {
                known.is_some() || tile.iter().any(|range| range.is_empty())
            } else {
                point.is_empty()
            };
            if idle {
                return false;
            }
            match known {
                Some(group) => groups[group].members.push(number),
                None => {
                    parallel_tiles.push(tile);
                    groups.push(FoldGroup { members: smallvec![number] });
                }
            }
            number += 1;
            true
        });
        Folds { groups, partials: Vec::new() }
    }

    /// Memory for results, for partial results, and for their copies on the finishing device.
    pub(crate) fn allocate(
        &mut self,
        engine: &mut Engine,
        flush: Flush<'_>,
        step: &KernelStep,
        points: &[Point],
    ) -> Result<(), StepFault> {
        for group in &self.groups {
            let first = &points[group.members[0]];
            for (r, reduction) in step.reductions.iter().enumerate() {
                let tile = |point: &Point| flush.tile(step, reduction.domain, point).into_owned();
                let first_tile = tile(first);
                for (o, &(store, map)) in reduction.outputs.iter().enumerate() {
                    let (target, map) = (flush.store(store), flush.window.map(map));
                    let sub = SubStore::new(map, &first_tile, target.shape());
                    let mut replicas = target.replicas();
                    let bounds = sub.bounding();
                    engine.ensure_instance(
                        target,
                        &mut replicas,
                        first.device,
                        &bounds,
                        sub.linear,
                        COMPUTE,
                    )?;
                    if !sub.dense {
                        // What lies between the results stays, and will count as valid here.
                        for rectangle in &sub.rectangles {
                            engine.make_valid(target, &mut replicas, first.device, rectangle)?;
                        }
                    }
                    if group.members.len() == 1 {
                        continue;
                    }
                    for &point in &group.members {
                        let extents =
                            partial_extents(engine, flush, reduction, &tile(&points[point]));
                        let (device, dtype) = (points[point].device, target.dtype());
                        let shape = Shape::new(&extents);
                        let (block, history) = engine.allocate(device, COMPUTE, &shape, dtype)?;
                        let of = (r, o);
                        self.partials.push(Partial {
                            point,
                            of,
                            dtype,
                            extents,
                            block,
                            history,
                            landed: None,
                        });
                        if device != first.device {
                            let queue = engine.devices.copy_queue(first.device);
                            let landed = engine.allocate(first.device, queue, &shape, dtype)?;
                            self.partials.last_mut().expect("just pushed").landed = Some(landed);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The buffer that a point's kernel yields an output into: slot, then parallel axes, by global index.
    #[expect(clippy::too_many_arguments, reason = "the run that calls it is borrowed in parts")]
    pub(crate) fn buffer(
        &self,
        engine: &Engine,
        flush: Flush<'_>,
        step: &KernelStep,
        points: &[Point],
        point: usize,
        of: (usize, usize),
        after: &mut Events,
    ) -> Arg {
        let device = &points[point].device;
        let reduction = &step.reductions[of.0];
        let (axes, tile) = (reduction.axes, flush.tile(step, reduction.domain, &points[point]));
        let tile = &*tile;
        if let Some(partial) = self.partials.iter().find(|p| p.point == point && p.of == of) {
            engine.devices.order(&partial.history, Use::KernelWrite, *device, COMPUTE, after);
            let strides = Shape::new(&partial.extents).strides();
            let origins = parallel(axes, tile).zip(&strides[1..]);
            let offset = -origins.map(|((_, range), s)| range.start as i64 * s).sum::<i64>();
            return Arg::Buffer { block: partial.block, offset, strides };
        }
        let (store, map) = reduction.outputs[of.1];
        let replicas = flush.store(store).replicas();
        let instance = replicas[*device].instance.as_ref().expect("prepared before the launch");
        let (store, map) = (flush.store(store), flush.window.map(map));
        let (history, sub) = (&instance.history, SubStore::new(map, tile, store.shape()));
        engine.devices.order_sub(history, Use::KernelWrite, &sub, *device, COMPUTE, after);
        let view = output_view(instance, store, map, axes, tile);
        let offset = offset_of_zero(&view, axes, tile);
        let mut strides = smallvec![0];
        strides.extend_from_slice(&view.strides);
        Arg::Buffer { block: instance.block, offset, strides }
    }

    /// Notes a point's launch on the blocks that it yields into.
    pub(crate) fn note_launched(
        &mut self,
        flush: Flush<'_>,
        step: &KernelStep,
        points: &[Point],
        point: usize,
        event: Event,
    ) {
        for partial in self.partials.iter_mut().filter(|p| p.point == point) {
            partial.history.note(Use::KernelWrite, event);
        }
        if self.groups.iter().any(|g| g.members[..] == [point]) {
            for reduction in &step.reductions {
                let tile = flush.tile(step, reduction.domain, &points[point]);
                for &(store, map) in &reduction.outputs {
                    let (store, map) = (flush.store(store), flush.window.map(map));
                    note(store, map, (points[point].device, &tile), event);
                }
            }
        }
    }

    /// Combines the partial results of every group and notes the outputs as written.
    pub(crate) fn finish(
        &mut self,
        engine: &mut Engine,
        flush: Flush<'_>,
        step: &KernelStep,
        points: &[Point],
    ) -> Result<(), StepFault> {
        let Folds { groups, partials } = self;
        for group in groups.iter() {
            let first = &points[group.members[0]];
            for (r, reduction) in step.reductions.iter().enumerate() {
                if group.members.len() > 1 {
                    let mut of_group: Vec<&mut Partial> = partials
                        .iter_mut()
                        .filter(|p| p.of.0 == r && group.members.contains(&p.point))
                        .collect();
                    land(engine, flush, reduction, first.device, &mut of_group)?;
                    let at = (reduction, step);
                    combine(engine, flush, at, points, first, &mut of_group)?;
                }
                for &(store, map) in &reduction.outputs {
                    let (store, map) = (flush.store(store), flush.window.map(map));
                    let tile = flush.tile(step, reduction.domain, first);
                    let sub = SubStore::new(map, &tile, store.shape());
                    engine.written(store, &mut store.replicas(), first.device, &sub);
                }
            }
        }
        Ok(())
    }

    /// Gives the partial blocks back.
    pub(crate) fn release(&mut self, engine: &Engine) {
        for partial in self.partials.drain(..) {
            engine.devices.release_block(partial.block, &partial.history);
            if let Some((block, history)) = partial.landed {
                engine.devices.release_block(block, &history);
            }
        }
    }
}

/// Copies partial results to the finishing device, exactly.
fn land(
    engine: &mut Engine,
    flush: Flush<'_>,
    reduction: &Reduction,
    device: usize,
    partials: &mut [&mut Partial],
) -> Result<(), StepFault> {
    let outputs: SmallVec<[_; 2]> =
        reduction.outputs.iter().map(|&(s, _)| flush.store(s)).collect();
    for partial in partials {
        let (dtype, extents) = (partial.dtype, partial.extents.clone());
        let rect = |block: Block| {
            let (extents, strides) = (extents.clone(), Shape::new(&extents).strides());
            Rect { block, dtype, offset: 0, extents, strides }
        };
        let Some((landed, history)) = &mut partial.landed else { continue };
        let rects = [rect(partial.block), rect(*landed)];
        let histories = (&mut partial.history, history);
        engine.copy_block(device, rects, histories, None, (&outputs, &[]))?;
        engine.counters.copied((extents.iter().product::<usize>() * dtype.size()) as u64);
    }
    Ok(())
}

/// Runs the finish step of one group.
fn combine(
    engine: &mut Engine,
    flush: Flush<'_>,
    (reduction, step): (&Reduction, &KernelStep),
    points: &[Point],
    first: &Point,
    partials: &mut [&mut Partial],
) -> Result<(), StepFault> {
    let (device, axes) = (first.device, reduction.axes);
    let first = &*flush.tile(step, reduction.domain, first);
    let domain = flush.window.domain(reduction.domain);
    // The nests of a kernel by rows have one tiling of the rows, and no other axis is cut.
    let tiling =
        engine.mapper.kernel_tiling(flush.window.domain(step.domain), reduced_domains(flush, step));
    let tiling = match reduction.domain == step.domain {
        true => tiling,
        false => {
            let mut own = engine.mapper.tiling(domain);
            own.blocks[0] = tiling.blocks[0];
            own
        }
    };
    let reduced = || (0..domain.rank()).filter(|a| axes >> a & 1 == 1);
    let parts = |axis: usize| tiling.grid.parts[axis] as usize;
    let cuts = reduced().map(|axis| {
        let starts = (0..parts(axis)).map(|part| tiling.part(axis, part as u32).start);
        starts.chain([domain[axis]]).collect()
    });
    let mut after = Events::new();
    let mut tiles: Vec<Vec<View>> = vec![Vec::new(); reduced().map(parts).product()];
    for partial in partials.iter() {
        let point = tiling.grid.point(points[partial.point].number);
        let tile = reduced().fold(0, |tile, axis| tile * parts(axis) + point[axis] as usize);
        let own = (partial.block, &partial.history);
        let (block, history) = partial.landed.as_ref().map_or(own, |(b, h)| (*b, h));
        engine.devices.order(history, Use::KernelRead, device, COMPUTE, &mut after);
        let strides = Shape::new(&partial.extents).strides();
        // Partials of one point are in the order of the outputs.
        tiles[tile].push(View { block, offset: 0, strides });
    }
    let mut outputs = Vec::new();
    let mut stores: SmallVec<[_; 2]> = SmallVec::new();
    for &(store, map) in &reduction.outputs {
        let store = flush.store(store);
        let replicas = store.replicas();
        let instance = replicas[device].instance.as_ref().expect("prepared before the finish");
        let map = flush.window.map(map);
        let (history, sub) = (&instance.history, SubStore::new(map, first, store.shape()));
        engine.devices.order_sub(history, Use::KernelWrite, &sub, device, COMPUTE, &mut after);
        outputs.push(output_view(instance, store, map, axes, first));
        stores.push(store);
    }
    let finish = ReduceFinish {
        reducer: reduction.reducer,
        dtype: stores[0].dtype(),
        rule: engine.mapper.rule(),
        group: group(reduction, domain),
        cuts: cuts.collect(),
        kept: parallel(axes, first).map(|(_, range)| range.len()).collect(),
        outputs,
        tiles,
    };
    let builtin = Command::Builtin { name: ReduceFinish::NAME, args: finish.encode() };
    let event = engine.submit(device, COMPUTE, &after, &builtin, &stores, &stores)?;
    engine.counters.finishes += 1;
    for partial in partials.iter_mut() {
        let own = &mut partial.history;
        partial.landed.as_mut().map_or(own, |(_, h)| h).note(Use::KernelRead, event);
    }
    for &(store, map) in &reduction.outputs {
        note(flush.store(store), flush.window.map(map), (device, first), event);
    }
    Ok(())
}

/// Notes that a point writes its part of an output.
fn note(store: &Store, map: &Map, (device, tile): (usize, &Tile), event: Event) {
    if let Some(instance) = &mut store.replicas()[device].instance {
        let sub = SubStore::new(map, tile, store.shape());
        instance.history.note_sub(Use::KernelWrite, &sub, event);
    }
}

/// The parallel axes of a tile.
fn parallel(axes: u32, tile: &Tile) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> + '_ {
    tile.iter().cloned().enumerate().filter(move |(a, _)| axes >> a & 1 == 0)
}

/// Slots of a tile, then the extents of its parallel axes.
fn partial_extents(
    engine: &Engine,
    flush: Flush<'_>,
    reduction: &Reduction,
    tile: &Tile,
) -> SmallVec<[usize; 4]> {
    let (axes, domain) = (reduction.axes, flush.window.domain(reduction.domain));
    let reduced: Vec<ReducedAxis> = (0..domain.rank())
        .filter(|a| axes >> a & 1 == 1)
        .map(|a| ReducedAxis { origin: tile[a].start, extent: tile[a].len(), global: domain[a] })
        .collect();
    let tree = TileTree::new(engine.mapper.rule(), group(reduction, domain), &reduced);
    let mut extents = smallvec![tree.slots()];
    extents.extend(parallel(axes, tile).map(|(_, range)| range.len()));
    extents
}

/// The domains of a step's reductions.
pub(crate) fn reduced_domains<'f>(
    flush: Flush<'f>,
    step: &'f KernelStep,
) -> impl Iterator<Item = &'f Shape> {
    step.reductions.iter().map(move |reduction| flush.window.domain(reduction.domain))
}

/// The innermost of the reduced axes.
fn group(reduction: &Reduction, domain: &Shape) -> Group {
    let axis = |axis: usize| (axis as u8, domain[axis], reduction.axes >> axis & 1 == 1);
    Group::of((0..domain.rank()).map(axis))
}

/// An output through its map over the parallel axes of a tile, first parallel point at coordinate 0.
fn output_view(instance: &Instance, store: &Store, map: &Map, axes: u32, tile: &Tile) -> View {
    let mut view = instance.view(store.shape(), map, tile);
    view.strides = parallel(axes, tile).map(|(axis, _)| view.strides[axis]).collect();
    view
}

/// Where the element of parallel index (0, 0, ..) of the whole domain would lie.
fn offset_of_zero(view: &View, axes: u32, tile: &Tile) -> i64 {
    let starts = parallel(axes, tile).zip(&view.strides);
    view.offset - starts.map(|((_, range), s)| range.start as i64 * s).sum::<i64>()
}
