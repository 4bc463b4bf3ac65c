//! Coherence: every sub-store is valid where it is used, by exactly the copies that are missing.
//!
//! Beside it: `allocation` (memory for stores), `download`, `eviction` (what goes when a device is full, and comes back), `holders`
//! (which device has which part of a view), `parts` (lists of what is valid stay short).

mod allocation;
mod download;
mod eviction;
mod holders;
mod parts;

pub(crate) use download::{Piece, host_memory};
pub(crate) use holders::{Held, Holders, most_pieces};

use crate::devices::{COMPUTE, Events, History, Point, Use};
use crate::engine::{Engine, Flush, StepFault};
use crate::geometry::{Rectangle, SubStore, Tile};
use crate::stores::{Instance, Replica, Store, Valid, grown, linear_closure};
use darray_core::{Map, Shape};
use darray_device::{Command, Event, HostBytes, Queue, Rect};
use darray_ir::{IndexTask, Privilege};
use std::sync::Arc;

/// What a point uses of a store, and what for.
pub(crate) type Used<'u> = (&'u Arc<Store>, Privilege, &'u SubStore);

impl Engine {
    /// Makes the instance of `store` on `device` hold `needed`, keeping what is valid there. With
    /// `linear`, row-major indices are affine in it, now and whenever it grows.
    ///
    /// A runtime of one device gives every store its whole rectangle at once.
    pub(crate) fn ensure_instance(
        &mut self,
        store: &Arc<Store>,
        replicas: &mut [Replica],
        device: usize,
        needed: &Rectangle,
        linear: bool,
        queue: Queue,
    ) -> Result<(), StepFault> {
        let shape = store.shape();
        match &mut replicas[device].instance {
            None => self.first_instance(store, replicas, device, needed, linear, queue),
            Some(i)
                if i.bounds.contains(needed) && (!linear || i.linear_origin(shape).is_some()) =>
            {
                i.linear |= linear;
                Ok(())
            }
            Some(_) => self.grow_instance(store, replicas, device, needed, linear),
        }
    }

    /// As [`ensure_instance`](Self::ensure_instance), for a device that has none yet.
    #[inline]
    fn first_instance(
        &mut self,
        store: &Arc<Store>,
        replicas: &mut [Replica],
        device: usize,
        needed: &Rectangle,
        linear: bool,
        queue: Queue,
    ) -> Result<(), StepFault> {
        let bounds = match self.devices.len() {
            1 => Rectangle::whole(store.shape()),
            _ => needed.clone(),
        };
        let instance = self.new_instance(store, device, bounds, linear, queue)?;
        self.resides(store);
        replicas[device].instance = Some(instance);
        Ok(())
    }

    /// An instance with space for these bounds and, with `linear`, for what makes row-major indices affine in it.
    #[inline(always)]
    fn new_instance(
        &mut self,
        store: &Store,
        device: usize,
        mut bounds: Rectangle,
        linear: bool,
        queue: Queue,
    ) -> Result<Instance, StepFault> {
        if linear {
            bounds = linear_closure(&bounds, store.shape());
        }
        let extents = Shape::new(&bounds.extents());
        let (block, history) = self.allocate(device, queue, &extents, store.dtype())?;
        Ok(Instance { linear, ..Instance::new(block, bounds, history) })
    }

    /// As [`ensure_instance`](Self::ensure_instance), where there is one that has too little space.
    fn grow_instance(
        &mut self,
        store: &Arc<Store>,
        replicas: &mut [Replica],
        device: usize,
        needed: &Rectangle,
        linear: bool,
    ) -> Result<(), StepFault> {
        let shape = store.shape();
        let Some(mut old) = replicas[device].instance.take() else { return Ok(()) };
        let linear = linear || old.linear;
        let bounds = grown(&old, needed, shape);
        let queue = self.devices.copy_queue(device);
        let mut instance = match self.new_instance(store, device, bounds, linear, queue) {
            Ok(instance) => instance,
            Err(fault) => {
                replicas[device].instance = Some(old);
                return Err(fault);
            }
        };
        instance.growths = old.growths + 1;
        let mut moved = Ok(());
        for part in replicas[device].valid.rectangles(shape) {
            let rects = [&old, &instance].map(|instance| instance.rect(store.dtype(), &part));
            let ends = (&mut old, &mut instance);
            moved = moved.and(self.transfer(store, ends, device, rects, &part));
        }
        if moved.is_err() {
            // What is valid is in the old block.
            self.devices.release_block(instance.block, &instance.history);
            replicas[device].instance = Some(old);
            return moved;
        }
        self.counters.moves += 1;
        self.devices.release_block(old.block, &old.history);
        replicas[device].instance = Some(instance);
        Ok(())
    }

    /// Makes `rectangle` valid in the instance of `device`, which holds it: copies what is missing
    /// from the devices that have it, or from the host where it was staged; elements that nobody ever wrote become 0.
    pub(crate) fn make_valid(
        &mut self,
        store: &Arc<Store>,
        replicas: &mut [Replica],
        device: usize,
        rectangle: &Rectangle,
    ) -> Result<(), StepFault> {
        if replicas[device].valid.holds(rectangle) {
            return Ok(());
        }
        let mut missing = replicas[device].valid.missing(rectangle);
        if missing.is_empty() {
            return Ok(());
        }
        let shape = store.shape();
        let mut rest = Vec::new();
        for source in (0..replicas.len()).filter(|&source| source != device) {
            for held in replicas[source].valid.rectangles(shape) {
                for part in &missing {
                    if let Some(common) = part.intersect(&held) {
                        self.copy(store, replicas, source, device, &common)?;
                    }
                    part.subtract(&held, &mut rest);
                }
                std::mem::swap(&mut missing, &mut rest);
                rest.clear();
            }
        }
        let (staged, missing) = store.staged().find(&missing, store.dtype());
        for (part, bytes) in staged {
            self.upload(store, replicas, device, &part, bytes)?;
        }
        for part in &missing {
            self.zero(store, replicas, device, part)?;
        }
        replicas[device].valid.insert(rectangle, shape);
        self.note_parts(store, replicas);
        Ok(())
    }

    /// Makes what a point reads of a sub-store valid, where it `reads` any: a write that leaves out elements of the
    /// rectangles reads them too.
    #[inline]
    pub(crate) fn make_sub_valid(
        &mut self,
        store: &Arc<Store>,
        replicas: &mut [Replica],
        device: usize,
        sub: &SubStore,
        reads: bool,
    ) -> Result<(), StepFault> {
        if !reads && sub.dense {
            return Ok(());
        }
        let mut rectangles = sub.rectangles.iter();
        rectangles.try_for_each(|part| self.make_valid(store, replicas, device, part))
    }

    /// As [`make_sub_valid`](Self::make_sub_valid), for a launch before which the instance does not move: of elements far
    /// apart that are only read, just these are copied.
    pub(crate) fn make_use_valid(
        &mut self,
        (store, privilege, sub): Used<'_>,
        replicas: &mut [Replica],
        device: usize,
    ) -> Result<(), StepFault> {
        if privilege == Privilege::Read
            && replicas.len() > 1
            && let Some(view) = &sub.apart
            && self.fetch(store, replicas, device, sub, view)?
        {
            return Ok(());
        }
        self.make_sub_valid(store, replicas, device, sub, privilege.reads())
    }

    /// Copies the elements of a view to a device, and nothing between them; they do not count as valid there, as the list
    /// of them would be long. Says whether it did: who comes back so often that all between them had been less in the end
    /// is to get that.
    fn fetch(
        &mut self,
        store: &Arc<Store>,
        replicas: &mut [Replica],
        device: usize,
        sub: &SubStore,
        (map, tile): &(Map, Tile),
    ) -> Result<bool, StepFault> {
        let missing = |part| replicas[device].valid.missing(part);
        let lacking =
            sub.rectangles.iter().flat_map(missing).map(|part| part.size()).sum::<usize>();
        if lacking == 0 || store.staged().count() > 0 {
            return Ok(lacking == 0);
        }
        let indices = Rectangle::of_tile(tile);
        let holders = Holders { replicas, map, shape: store.shape(), first: device };
        let most = most_pieces(lacking * store.dtype().size());
        let Some(held) = holders.of(&indices, most) else { return Ok(false) };
        let elsewhere = || held.iter().filter(|part| part.device != Some(device));
        let asked: usize = elsewhere().map(|part| part.indices.size()).sum();
        let fetched = replicas[device].fetched + asked;
        if fetched >= lacking || held.iter().any(|part| part.device.is_none()) {
            replicas[device].fetched = 0;
            return Ok(false);
        }
        replicas[device].fetched = fetched;
        for part in elsewhere() {
            let tile = part.indices.tile();
            let pair = [part.device.unwrap_or(device), device];
            let [from, to] = replicas.get_disjoint_mut(pair).expect("two devices");
            let (Some(from), Some(to)) = (&mut from.instance, &mut to.instance) else { continue };
            let rects = [&*from, &*to]
                .map(|instance| instance.view_rect((store.shape(), store.dtype()), map, &tile));
            let around = SubStore::around(map, &tile, store.shape()).bounding();
            self.transfer(store, (from, to), device, rects, &around)?;
            self.counters.copied((part.indices.size() * store.dtype().size()) as u64);
        }
        Ok(true)
    }

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

    /// Notes that `device` has overwritten a sub-store.
    #[inline]
    pub(crate) fn written(
        &mut self,
        store: &Store,
        replicas: &mut [Replica],
        device: usize,
        sub: &SubStore,
    ) {
        for rectangle in &sub.rectangles {
            store.staged().remove(rectangle);
            if !replicas[device].valid.holds(rectangle) {
                replicas[device].valid.insert(rectangle, store.shape());
            }
            for (other, replica) in replicas.iter_mut().enumerate() {
                if other != device && !matches!(replica.valid, Valid::Nothing) {
                    replica.valid.remove(rectangle, store.shape());
                }
            }
        }
        self.note_parts(store, replicas);
    }

    /// Adds to `after` what a launch must wait for before it uses a sub-store of a store.
    #[inline]
    pub(crate) fn order_use(
        &self,
        (store, privilege, sub): Used<'_>,
        device: usize,
        after: &mut Events,
    ) {
        if let Some(instance) = &store.replicas()[device].instance {
            let (history, by) = (&instance.history, Use::of(privilege));
            self.devices.order_sub(history, by, sub, device, COMPUTE, after);
        }
    }

    /// Notes that a launch used a sub-store of a store, and its event where somebody may have to wait for it.
    #[inline]
    pub(crate) fn note_use(
        &mut self,
        (store, privilege, sub): Used<'_>,
        device: usize,
        event: Option<Event>,
    ) {
        let mut replicas = store.replicas();
        if let (Some(event), Some(instance)) = (event, &mut replicas[device].instance) {
            instance.history.note_sub(Use::of(privilege), sub, event);
        }
        if privilege.writes() {
            self.written(store, &mut replicas, device, sub);
        }
    }

    fn copy(
        &mut self,
        store: &Arc<Store>,
        replicas: &mut [Replica],
        source: usize,
        device: usize,
        part: &Rectangle,
    ) -> Result<(), StepFault> {
        let [from, to] = replicas.get_disjoint_mut([source, device]).expect("two devices");
        let (Some(from), Some(to)) = (&mut from.instance, &mut to.instance) else {
            return Ok(());
        };
        let rects = [&*from, &*to].map(|instance| instance.rect(store.dtype(), part));
        self.transfer(store, (from, to), device, rects, part)?;
        self.counters.copied((part.size() * store.dtype().size()) as u64);
        Ok(())
    }

    /// Queues a copy from one instance to another, which is on `device`, of elements in a rectangle.
    fn transfer(
        &mut self,
        store: &Arc<Store>,
        (from, to): (&mut Instance, &mut Instance),
        device: usize,
        rects: [Rect; 2],
        part: &Rectangle,
    ) -> Result<(), StepFault> {
        let histories = (&mut from.history, &mut to.history);
        self.copy_block(device, rects, histories, Some(part), (&[store], &[store]))
    }

    /// Queues a copy of a part, or of all, from one block to another, which is on `device`.
    pub(crate) fn copy_block(
        &mut self,
        device: usize,
        [from, to]: [Rect; 2],
        (read, written): (&mut History, &mut History),
        part: Option<&Rectangle>,
        (outputs, inputs): (&[&Arc<Store>], &[&Arc<Store>]),
    ) -> Result<(), StepFault> {
        let (queue, mut after) = (self.devices.copy_queue(device), Events::new());
        self.devices.order_part(read, Use::CopyRead, part, device, queue, &mut after);
        self.devices.order_part(written, Use::CopyWrite, part, device, queue, &mut after);
        let copy = Command::Copy { from, to };
        let event = self.submit(device, queue, &after, &copy, outputs, inputs)?;
        read.note_part(Use::CopyRead, part, event);
        written.note_part(Use::CopyWrite, part, event);
        Ok(())
    }

    fn zero(
        &mut self,
        store: &Arc<Store>,
        replicas: &mut [Replica],
        device: usize,
        part: &Rectangle,
    ) -> Result<(), StepFault> {
        let zeros = Arc::new(vec![0u8; part.size() * store.dtype().size()]);
        self.counters.bytes_cleared += zeros.len() as u64;
        self.upload(store, replicas, device, part, zeros)
    }

    /// Copies host bytes, row-major, into a rectangle of the instance.
    pub(crate) fn upload(
        &mut self,
        store: &Arc<Store>,
        replicas: &mut [Replica],
        device: usize,
        part: &Rectangle,
        from: Arc<dyn HostBytes>,
    ) -> Result<(), StepFault> {
        let queue = self.devices.copy_queue(device);
        let Some(instance) = &mut replicas[device].instance else { return Ok(()) };
        let mut after = Events::new();
        let (history, only) = (&instance.history, Some(part));
        self.devices.order_part(history, Use::CopyWrite, only, device, queue, &mut after);
        let upload = Command::Upload { from, to: instance.rect(store.dtype(), part) };
        let event = self.submit(device, queue, &after, &upload, &[store], &[])?;
        instance.history.note_part(Use::CopyWrite, only, event);
        Ok(())
    }
}
