//! Outputs that take over the memory of inputs that end.

use crate::devices::Point;
use crate::engine::{Engine, Flush};
use crate::geometry::{Rectangle, SubStore};
use crate::stores::{Instance, Store};
use darray_fusion::plan::KernelStep;
use darray_ir::{DomainId, MapId, Privilege, StoreId};
use smallvec::SmallVec;
use std::sync::Arc;

/// An output that takes the place of a dead input on one device.
#[derive(Clone, Copy, PartialEq)]
struct Takeover {
    input: StoreId,
    output: StoreId,
    device: usize,
}

/// The takeovers of one kernel step.
pub(crate) struct Takeovers<'r> {
    flush: Flush<'r>,
    step: &'r KernelStep,
    all: SmallVec<[Takeover; 1]>,
}

impl<'r> Takeovers<'r> {
    pub(crate) fn new(flush: Flush<'r>, step: &'r KernelStep) -> Takeovers<'r> {
        Takeovers { flush, step, all: SmallVec::new() }
    }

    /// Whether all points use all of the rectangles around what they use of a store: the others copy what is between
    /// from each other.
    pub(crate) fn are_filled(
        &self,
        points: &[Point],
        store: &Store,
        accesses: &[(DomainId, MapId, Privilege)],
    ) -> bool {
        let mut points = points.iter().filter(|point| !point.is_empty());
        points.all(|point| {
            accesses.iter().all(|&(domain, map, _)| {
                let tile = self.flush.tile(self.step, domain, point);
                SubStore::new(self.flush.window.map(map), &tile, store.shape()).dense
            })
        })
    }

    /// Whether `output` can take over the instance of its dead input on this device, which then holds
    /// the rectangle that is needed, and with `linear` in row-major order.
    pub(crate) fn take_over(
        &mut self,
        output: StoreId,
        device: usize,
        needed: &Rectangle,
        linear: bool,
    ) -> bool {
        let Some(&(input, _)) = self.step.in_place.iter().find(|pair| pair.1 == output) else {
            return false;
        };
        // Until the task runs that replaces it, which may be without memory, its value may be needed again.
        let last = self.step.tasks.iter().max();
        if self.flush.replaced_by(input).is_some_and(|by| last.is_some_and(|&last| by > last)) {
            return false;
        }
        let takeover = Takeover { input, output, device };
        if self.all.contains(&takeover) {
            return true;
        }
        let (from, to) = (self.flush.store(input), self.flush.store(output));
        let free = to.replicas()[device].instance.is_none();
        let fits = |instance: &Instance| {
            instance.bounds.contains(needed)
                && (!linear || instance.linear_origin(from.shape()).is_some())
        };
        let possible = free && from.replicas()[device].instance.as_ref().is_some_and(fits);
        if possible {
            self.all.push(takeover);
        }
        possible
    }

    /// The store whose instance a buffer of `store` is bound to on a device.
    pub(crate) fn holder(&self, store: StoreId, device: usize) -> &'r Arc<Store> {
        let taken = |t: &&Takeover| t.output == store && t.device == device;
        let holder = self.all.iter().find(taken).map_or(store, |t| t.input);
        &self.flush.stores[holder.0 as usize]
    }

    /// Moves the instances that were taken over.
    pub(crate) fn finish(&self, engine: &mut Engine) {
        for takeover in &self.all {
            let device = takeover.device;
            let input = self.flush.store(takeover.input);
            // Its data is overwritten, which a failed update must not leave.
            input.set_ended();
            let taken = std::mem::take(&mut input.replicas()[device]);
            let output = self.flush.store(takeover.output);
            output.replicas()[device].instance = taken.instance;
            engine.resides(output);
        }
    }
}
