//! One kernel step over all its points: make valid, allocate, launch, note what was written.

use crate::devices::{COMPUTE, Events, Point, Use};
use crate::engine::{Engine, Flush, StepFault};
use crate::geometry::{Rectangle, SubStore};
use crate::prepared::PreparedStep;
use crate::prepared::named;
use crate::steps::reduction::{Folds, reduced_domains};
use crate::steps::takeover::Takeovers;
use crate::stores::Store;
use darray_core::{Chart, Shape};
use darray_device::{Arg, Code, Command, Event};
use darray_fusion::plan::{BufferSource, KernelStep, ParamSource};
use darray_fusion::precondition::reaches_all_through;
use darray_ir::{DomainId, MapId, Privilege, StoreId};
use smallvec::SmallVec;
use std::sync::Arc;

/// The execution of one kernel step.
///
/// Everything that can fail without having changed data comes first, for all points: instances,
/// partial blocks, codes. Then every input is made valid for all points, all points are launched,
/// and what they wrote becomes the only valid data. Points whose written rectangles overlap (linear
/// views that interleave) go one after the other instead.
pub(crate) struct KernelRun<'r> {
    engine: &'r mut Engine,
    flush: Flush<'r>,
    step: &'r KernelStep,
    ready: &'r PreparedStep,
    domain: &'r Shape,
    points: SmallVec<[Point; 1]>,
    uses: SmallVec<[SubStoreUse; 4]>,
    takeovers: Takeovers<'r>,
    folds: Folds,
    /// Whether all of its stores is used by one point, or counts as used: then `uses` is empty.
    whole: bool,
}

/// A sub-store that a point uses through one access.
struct SubStoreUse {
    /// Index into `points`.
    point: usize,
    /// Of the kernel.
    buffer: usize,
    store: StoreId,
    privilege: Privilege,
    sub: SubStore,
}

impl SubStoreUse {
    /// Whether it writes every element of a rectangle of what this buffer is. Uses of a buffer are in the
    /// order of their first turn, and one that reads first is no `Write`.
    fn makes(&self, buffer: usize, rectangle: &Rectangle) -> bool {
        self.buffer == buffer
            && self.privilege == Privilege::Write
            && self.sub.dense
            && self.sub.rectangles.iter().any(|own| own.contains(rectangle))
    }
}

/// Whether all of a store is there, or will be when the step has run: nothing else need be known of parts.
fn is_whole(flush: Flush<'_>, source: &BufferSource) -> bool {
    let BufferSource::Store { store, accesses } = source else { return true };
    let store = flush.store(*store);
    is_overwritten(flush, store, accesses)
        || is_fresh(store) && (store.whole().is_scratch() || is_little(store))
        || store.whole_block().is_some()
}

/// Whether no device has anything of a store.
#[inline]
fn is_fresh(store: &Store) -> bool {
    store.whole().is_nothing()
}

/// Bytes that are sooner cleared than it is known which of them were written.
const LITTLE: usize = 1 << 15;

fn is_little(store: &Store) -> bool {
    store.shape().size() * store.dtype().size() <= LITTLE
}

/// What a step does with a store.
fn use_of(accesses: &[(DomainId, MapId, Privilege)]) -> Use {
    let writes = accesses.iter().any(|&(_, _, privilege)| privilege.writes());
    if writes { Use::KernelWrite } else { Use::KernelRead }
}

/// Whether a step writes all of a store before it reads anything of it. Uses are in the order of their first turn.
fn is_overwritten(
    flush: Flush<'_>,
    store: &Store,
    accesses: &[(DomainId, MapId, Privilege)],
) -> bool {
    let mut first = accesses.iter().take_while(|(.., privilege)| !privilege.reads());
    first.any(|&(domain, map, _)| {
        let (domain, map) = (flush.window.domain(domain), flush.window.map(map));
        reaches_all_through(map, domain, store.shape())
    })
}

impl<'r> KernelRun<'r> {
    /// Carries out a step.
    pub(crate) fn run(
        engine: &'r mut Engine,
        flush: Flush<'r>,
        step: &'r KernelStep,
        ready: &'r PreparedStep,
    ) -> Result<(), StepFault> {
        let domain = flush.window.domain(step.domain);
        let mut points = engine.mapper.kernel_points(domain, reduced_domains(flush, step));
        let folds = Folds::new(flush, step, &mut points);
        if points.is_empty() {
            return Ok(());
        }
        let (uses, takeovers) = (SmallVec::new(), Takeovers::new(flush, step));
        let whole = engine.is_whole()
            && domain.size() > 0
            && step.buffers.iter().all(|source| is_whole(flush, source));
        let mut run =
            KernelRun { engine, flush, step, ready, domain, points, uses, takeovers, folds, whole };
        run.engine.set_origin(flush, &step.tasks);
        if whole { run.carry_out_whole() } else { run.carry_out() }
    }

    /// The one point of a step that [`is_whole`](Engine::is_whole): no part of a store matters.
    fn carry_out_whole(&mut self) -> Result<(), StepFault> {
        self.code(0)?;
        let mut outputs: SmallVec<[&Arc<Store>; 4]> = SmallVec::new();
        let mut made: SmallVec<[(&Arc<Store>, bool, bool); 8]> = SmallVec::new();
        for source in &self.step.buffers {
            let BufferSource::Store { store: id, accesses } = source else { continue };
            let (store, writes) = (self.flush.store(*id), use_of(accesses).writes());
            let is_cleared = is_fresh(store)
                && !store.whole().is_scratch()
                && !is_overwritten(self.flush, store, accesses);
            if writes {
                outputs.push(store);
                let whole = Rectangle::whole(store.shape());
                if !self.step.in_place.is_empty() && self.takeovers.take_over(*id, 0, &whole, false)
                {
                    self.engine.overwritten(store, &mut store.replicas());
                    continue;
                }
            }
            made.push((store, writes, is_cleared));
        }
        self.engine.protect(named(self.step).map(|s| self.flush.store(s).id()));
        let mut made = made.into_iter();
        let made = made.try_for_each(|(store, writes, is_cleared)| {
            if is_cleared {
                self.engine.clear(store)?;
            }
            self.engine.make_whole(store, writes)
        });
        let made = made
            .and_then(|()| self.folds.allocate(self.engine, self.flush, self.step, &self.points));
        self.engine.unprotect();
        made?;
        let launched = self.launch(0, &outputs);
        self.takeovers.finish(self.engine);
        launched?;
        self.folds.finish(self.engine, self.flush, self.step, &self.points)
    }

    fn carry_out(&mut self) -> Result<(), StepFault> {
        self.engine.protect(named(self.step).map(|s| self.flush.store(s).id()));
        let prepared = (0..self.points.len()).try_for_each(|point| self.prepare(point));
        let prepared = prepared
            .and_then(|()| self.folds.allocate(self.engine, self.flush, self.step, &self.points));
        self.engine.unprotect();
        if let Err(fault) = prepared {
            self.folds.release(self.engine);
            return Err(fault);
        }
        let result = if self.writes_interleave() { self.one_by_one() } else { self.all() };
        self.takeovers.finish(self.engine);
        let result = result
            .and_then(|()| self.folds.finish(self.engine, self.flush, self.step, &self.points));
        self.folds.release(self.engine);
        result
    }

    fn all(&mut self) -> Result<(), StepFault> {
        let points = 0..self.points.len();
        points.clone().try_for_each(|point| self.validate(point))?;
        points.clone().try_for_each(|point| self.launch(point, &self.written(point)))?;
        points.for_each(|point| self.note_written(point));
        Ok(())
    }

    fn one_by_one(&mut self) -> Result<(), StepFault> {
        for point in 0..self.points.len() {
            self.validate(point)?;
            self.launch(point, &self.written(point))?;
            self.note_written(point);
        }
        Ok(())
    }

    /// Code and instances of one point.
    fn prepare(&mut self, point: usize) -> Result<(), StepFault> {
        let device = self.points[point].device;
        self.code(device)?;
        if self.points[point].is_empty() {
            self.engine.spare(device)?;
            return Ok(());
        }
        for (buffer, source) in self.step.buffers.iter().enumerate() {
            let BufferSource::Store { store, accesses } = source else { continue };
            let target = self.flush.store(*store);
            let mut bounds: Option<Rectangle> = None;
            let (mut linear, mut is_only_read) = (false, true);
            for &(domain, map, privilege) in accesses {
                let tile = self.flush.tile(self.step, domain, &self.points[point]);
                let sub = SubStore::new(self.flush.window.map(map), &tile, target.shape());
                let around = sub.bounding();
                bounds = Some(bounds.map_or(around.clone(), |b| b.bounding(&around)));
                linear |= sub.linear;
                is_only_read &= privilege == Privilege::Read;
                self.uses.push(SubStoreUse { point, buffer, store: *store, privilege, sub });
            }
            let Some(bounds) = bounds else { continue };
            if !self.step.in_place.is_empty()
                && self.takeovers.are_filled(&self.points, target, accesses)
                && self.takeovers.take_over(*store, device, &bounds, linear)
            {
                continue;
            }
            let mut replicas = target.replicas();
            let queue = self.engine.devices.first_queue(device, is_only_read);
            self.engine.ensure_instance(target, &mut replicas, device, &bounds, linear, queue)?;
        }
        Ok(())
    }

    fn code(&mut self, device: usize) -> Result<Code, StepFault> {
        let codes = self.ready.codes.as_ref().expect("a kernel step has codes");
        self.engine.code(device, &self.step.kernel, codes)
    }

    /// Copies what a point lacks of its inputs. A write that leaves out elements of its rectangle
    /// needs the rectangle too; what the kernel writes itself before it reads it, nobody else need have
    /// written.
    fn validate(&mut self, point: usize) -> Result<(), StepFault> {
        let device = self.points[point].device;
        let uses = &self.uses[self.uses_of(point)];
        for (number, used) in uses.iter().enumerate() {
            if !used.privilege.reads() && used.sub.dense {
                continue;
            }
            let store = self.flush.store(used.store);
            let mut replicas = store.replicas();
            let makes =
                |part| uses[..number].iter().any(|earlier| earlier.makes(used.buffer, part));
            if !used.sub.rectangles.iter().any(makes) {
                let used = (store, used.privilege, &used.sub);
                self.engine.make_use_valid(used, &mut replicas, device)?;
                continue;
            }
            for part in used.sub.rectangles.iter().filter(|part| !makes(part)) {
                self.engine.make_valid(store, &mut replicas, device, part)?;
            }
        }
        Ok(())
    }

    /// Launches a point, which writes to these stores beside its reductions.
    fn launch(&mut self, point: usize, written: &[&Arc<Store>]) -> Result<(), StepFault> {
        let device = self.points[point].device;
        let code = self.code(device)?;
        let mut after = Events::new();
        let (params, scalars) = (&self.step.params, &self.step.scalars);
        let mut args = std::mem::take(&mut self.engine.args);
        for (number, source) in self.step.buffers.iter().enumerate() {
            args.push(self.buffer(number, source, point, &mut after)?);
        }
        args.extend(params.iter().map(|&source| Arg::Bits(self.param(source, point) as u64)));
        args.extend(scalars.iter().map(|&(task, index)| {
            let task = &self.flush.window.tasks()[task as usize];
            Arg::Bits(task.scalars[index as usize].bits())
        }));
        let (mut outputs, mut inputs) =
            (SmallVec::<[&Arc<Store>; 4]>::from_slice(written), SmallVec::<[_; 8]>::new());
        for store in named(self.step) {
            inputs.push(self.flush.store(store));
        }
        for (store, _) in self.step.reductions.iter().flat_map(|r| &r.outputs) {
            outputs.push(self.flush.store(*store));
        }
        let launch = Command::Launch { code, args };
        let submitted = self.engine.submit(device, COMPUTE, &after, &launch, &outputs, &inputs);
        if let Command::Launch { mut args, .. } = launch {
            args.clear();
            self.engine.args = args;
        }
        let event = submitted?;
        self.engine.counters.kernels += 1;
        self.engine.counters.whole += u64::from(self.whole);
        if self.engine.devices.several_queues() {
            self.note_launched(point, event);
        }
        Ok(())
    }

    /// The stores that a point writes through buffers of theirs.
    fn written(&self, point: usize) -> SmallVec<[&'r Arc<Store>; 4]> {
        let writes = self.uses[self.uses_of(point)].iter().filter(|u| u.privilege.writes());
        writes.map(|used| self.flush.store(used.store)).collect()
    }

    /// A kernel buffer as a launch argument, and what its use must wait for.
    fn buffer(
        &mut self,
        number: usize,
        source: &BufferSource,
        point: usize,
        after: &mut Events,
    ) -> Result<Arg, StepFault> {
        let device = self.points[point].device;
        let (store, accesses) = match source {
            BufferSource::Store { store, accesses } => (*store, accesses),
            BufferSource::Partial { reduction, output } => {
                let at = (*reduction as usize, *output as usize);
                let (flush, step) = (self.flush, self.step);
                let (engine, points) = (&*self.engine, &self.points);
                return Ok(self.folds.buffer(engine, flush, step, points, point, at, after));
            }
        };
        let rank = self.step.kernel.buffers[number].rank as usize;
        if self.points[point].is_empty() {
            let block = self.engine.spare(device)?;
            return Ok(Arg::Buffer { block, offset: 0, strides: SmallVec::from_elem(0, rank) });
        }
        let linear =
            accesses.iter().any(|&(_, m, _)| self.flush.window.map(m).chart == Chart::Linear);
        let holder = self.takeovers.holder(store, device);
        // What no replica tells of is used by nobody else.
        let known = self.engine.devices.is_one() || holder.whole().is_alone();
        if known && let Some(block) = holder.whole().get() {
            let strides =
                if linear { SmallVec::from_elem(1, rank) } else { holder.shape().strides() };
            return Ok(Arg::Buffer { block, offset: 0, strides });
        }
        let replicas = holder.replicas();
        let instance = replicas[device].instance.as_ref().expect("prepared before the launch");
        let (history, devices) = (&instance.history, &self.engine.devices);
        if self.whole {
            devices.order(history, use_of(accesses), device, COMPUTE, after);
        }
        for (by, part) in self.parts_of(point, store) {
            devices.order_part(history, by, Some(part), device, COMPUTE, after);
        }
        let block = instance.block;
        Ok(if linear {
            let origin = instance.linear_origin(self.flush.store(store).shape());
            let offset = origin.expect("prepared for linear use");
            Arg::Buffer { block, offset, strides: SmallVec::from_elem(1, rank) }
        } else {
            Arg::Buffer { block, offset: instance.origin, strides: instance.strides.clone() }
        })
    }

    fn param(&self, source: ParamSource, point: usize) -> i64 {
        let tile = &self.points[point].tile;
        let map = |m| self.flush.window.map(m);
        match source {
            ParamSource::Zero => 0,
            ParamSource::TileExtent(axis) => tile[axis as usize].len() as i64,
            ParamSource::TileOrigin(axis) => tile[axis as usize].start as i64,
            ParamSource::GlobalExtent(axis) => self.domain[axis as usize] as i64,
            ParamSource::Extent(domain, axis) => {
                self.flush.window.domain(domain)[axis as usize] as i64
            }
            ParamSource::Start(m, dim) => map(m).dims[dim as usize].start,
            ParamSource::Step(m, dim) => map(m).dims[dim as usize].step,
        }
    }

    fn note_launched(&mut self, point: usize, event: Event) {
        let device = self.points[point].device;
        if !self.points[point].is_empty() {
            for source in &self.step.buffers {
                let BufferSource::Store { store, accesses } = source else { continue };
                let holder = self.takeovers.holder(*store, device);
                if holder.whole().note(use_of(accesses), event.ticket) {
                    continue;
                }
                let mut replicas = holder.replicas();
                if let Some(instance) = &mut replicas[device].instance {
                    if self.whole {
                        instance.history.note(use_of(accesses), event);
                    }
                    for (by, part) in self.parts_of(point, *store) {
                        instance.history.note_part(by, Some(part), event);
                    }
                }
            }
        }
        self.folds.note_launched(self.flush, self.step, &self.points, point, event);
    }

    /// Where the uses of a point stand; they are in the order of the points.
    fn uses_of(&self, point: usize) -> std::ops::Range<usize> {
        let first = self.uses.partition_point(|u| u.point < point);
        first..self.uses.partition_point(|u| u.point <= point)
    }

    /// What a point does with the parts of a store that it uses through buffers; writes first, which stand
    /// for reads of the same part.
    fn parts_of(&self, point: usize, store: StoreId) -> impl Iterator<Item = (Use, &Rectangle)> {
        let uses = &self.uses[self.uses_of(point)];
        let by = |writes: bool| if writes { Use::KernelWrite } else { Use::KernelRead };
        [true, false].into_iter().flat_map(move |writes| {
            let chosen = move |u: &&SubStoreUse| u.store == store && u.privilege.writes() == writes;
            let parts = uses.iter().filter(chosen).flat_map(|used| &used.sub.rectangles);
            parts.map(move |part| (by(writes), part))
        })
    }

    fn note_written(&mut self, point: usize) {
        let device = self.points[point].device;
        for used in self.uses[self.uses_of(point)].iter().filter(|u| u.privilege.writes()) {
            let store = self.flush.store(used.store);
            self.engine.written(store, &mut store.replicas(), device, &used.sub);
        }
    }

    /// Whether two points on different devices write into overlapping rectangles of one store: at least one of them not all of
    /// its rectangle, as they write different elements. Each would make elements valid that the other one writes.
    fn writes_interleave(&self) -> bool {
        let written = || self.uses.iter().filter(|used| used.privilege.writes());
        let device = |used: &SubStoreUse| self.points[used.point].device;
        written().filter(|used| !used.sub.dense).any(|a| {
            written()
                .any(|b| device(a) != device(b) && a.store == b.store && a.sub.overlaps(&b.sub))
        })
    }
}
