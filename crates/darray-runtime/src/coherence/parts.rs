//! The lists that say what is valid where stay short, however a program writes.

use crate::engine::{Engine, Flush, StepFault};
use crate::geometry::Rectangle;
use crate::stores::{Replica, Store, Valid};
use std::sync::Arc;

/// Rectangles that a device holds of a store, at most, unless launches have many points: what one more costs is linear
/// in their number.
const MOST_PARTS: usize = 64;

impl Engine {
    /// Rectangles that a device holds of a store, at most: more than a launch leaves there.
    fn most_parts(&self) -> usize {
        MOST_PARTS.max(4 * self.mapper.most_points())
    }

    /// Notes how many rectangles a store has become.
    #[inline]
    pub(crate) fn note_parts(&mut self, store: &Store, replicas: &[Replica]) {
        let few = |replica: &Replica| replica.valid.count() <= MOST_PARTS;
        if !replicas.iter().all(few) || self.tracks && store.staged().count() > MOST_PARTS {
            self.has_many_parts |= self.is_many(store, replicas);
        }
    }

    fn is_many(&self, store: &Store, replicas: &[Replica]) -> bool {
        let most = self.most_parts();
        replicas.iter().any(|replica| replica.valid.count() > most) || store.staged().count() > most
    }

    /// Makes stores that became too many rectangles few ones again.
    #[cold]
    pub(crate) fn join_parts(&mut self, flush: Flush<'_>, tasks: &[u32]) {
        for store in flush.stores {
            if store.whole().is_known() || !self.is_many(store, &store.replicas()) {
                continue;
            }
            if let Err(StepFault::Execution(message)) = self.join_parts_of(store) {
                let last = *tasks.last().expect("a group has a task");
                let error = StepFault::Execution(message).error(&flush.origin(last));
                self.poison(store, &error);
            }
        }
        self.has_many_parts = false;
    }

    /// As [`join_parts`](Self::join_parts), of one store. Without memory for it the store stays as it is.
    fn join_parts_of(&mut self, store: &Arc<Store>) -> Result<(), StepFault> {
        if store.staged().count() > self.most_parts() {
            self.restore(store)?;
            store.staged().clear();
        }
        let mut replicas = store.replicas();
        self.hand_over(store, &mut replicas)?;
        let most = self.most_parts();
        if replicas.iter().any(|replica| replica.valid.count() > most - most / 4) {
            self.gather_whole(store, &mut replicas)?;
        }
        Ok(())
    }

    /// Small parts go where they fill a gap, or are forgotten where others hold them too: half as many are left.
    ///
    /// ```text
    /// valid on 0:  # # # # . . . # . #        # # # # . . . . . .
    /// valid on 1:  . . . . # # # . # .   ->   . . . . # # # # # #     two elements are copied
    /// ```
    ///
    /// So where one device has written elements of another's part, these are copied back, each once.
    fn hand_over(&mut self, store: &Arc<Store>, replicas: &mut [Replica]) -> Result<(), StepFault> {
        let (shape, few) = (store.shape(), self.most_parts() / 2);
        let mut parts: Vec<(usize, Rectangle)> = Vec::new();
        for (owner, replica) in replicas.iter().enumerate() {
            parts.extend(replica.valid.rectangles(shape).into_iter().map(|part| (owner, part)));
        }
        parts.sort_by_key(|(_, part)| part.size());
        for (owner, part) in parts {
            if replicas.iter().all(|replica| replica.valid.count() <= few) {
                break;
            }
            // It may have become a piece of a larger one.
            if !replicas[owner].valid.has_part(&part) {
                continue;
            }
            let others = || (0..replicas.len()).filter(|&other| other != owner);
            let holds = |&other: &usize| replicas[other].valid.missing(&part).is_empty();
            let joins = |&other: &usize| {
                let Replica { instance, valid, .. } = &replicas[other];
                let has_space = instance.as_ref().is_some_and(|i| i.bounds.contains(&part));
                has_space && valid.touches(&part)
            };
            if let Some(other) = others().find(holds).or_else(|| others().find(joins)) {
                self.make_valid(store, replicas, other, &part)?;
                if replicas[owner].valid.count() > few {
                    replicas[owner].valid.remove(&part, shape);
                }
            }
        }
        Ok(())
    }

    /// All of a store goes to the device that holds most of it.
    fn gather_whole(
        &mut self,
        store: &Arc<Store>,
        replicas: &mut [Replica],
    ) -> Result<(), StepFault> {
        let held = |replica: &Replica| -> usize {
            replica.valid.rectangles(store.shape()).iter().map(Rectangle::size).sum()
        };
        let sizes: Vec<usize> = replicas.iter().map(held).collect();
        let most = (0..replicas.len()).max_by_key(|&device| sizes[device]).unwrap_or(0);
        let (whole, queue) = (Rectangle::whole(store.shape()), self.devices.copy_queue(most));
        self.ensure_instance(store, replicas, most, &whole, false, queue)?;
        self.make_valid(store, replicas, most, &whole)?;
        let few = self.most_parts() / 2;
        for replica in replicas.iter_mut().filter(|replica| replica.valid.count() > few) {
            replica.valid = Valid::Nothing;
        }
        self.counters.gathered += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Stats;
    use crate::{Emission, Runtime, RuntimeOptions, StoreOwner, StoreRef, WindowSize};
    use darray_core::{Chart, Dim, Map, Place, RealType, Shape};
    use darray_cpu::{CpuDevices, CpuOptions};
    use darray_ir::{Privilege, TaskOp};
    use darray_kernel::tree::TreeRule;

    /// An array of f64, and what it must hold.
    struct Written {
        rt: Runtime,
        array: StoreOwner,
        expected: Vec<f64>,
        /// Sum over the writes of the rectangles that they left.
        parts: usize,
    }

    impl Written {
        fn new(devices: usize, extents: &[usize]) -> Written {
            let options = RuntimeOptions {
                window: WindowSize::Fixed(1),
                tree_rule: TreeRule::TINY,
                ..RuntimeOptions::default()
            };
            let rt = Runtime::new(CpuDevices::new(devices, CpuOptions::default()), options);
            let shape = Shape::new(extents);
            let array = StoreOwner::new(rt.new_store(RealType::F64, &shape));
            Written { rt, array, expected: vec![0.0; shape.size()], parts: 0 }
        }

        /// Sets a box to a value: along each axis its start and its extent.
        fn fill(&mut self, spans: &[(usize, usize)], value: f64) {
            let domain: Shape = spans.iter().map(|span| span.1).collect();
            let dim =
                |(axis, span): (usize, &(usize, usize))| Dim::along(axis as u8, span.0 as i64, 1);
            let mut map =
                Map { chart: Chart::Native, dims: spans.iter().enumerate().map(dim).collect() };
            map.normalise(&domain);
            self.rt.emit(Emission {
                op: TaskOp::Fill,
                name: "fill",
                domain: &domain,
                args: &[(StoreRef::from(self.array.store()), &map, Privilege::Write)],
                scalars: &[value.into()],
                place: Place::caller(),
            });
            let strides = self.array.shape().strides();
            let mut places = vec![0];
            for (&(start, extent), &stride) in spans.iter().zip(&strides) {
                let along = |&place: &usize| {
                    (0..extent).map(move |k| place + (start + k) * stride as usize)
                };
                places = places.iter().flat_map(along).collect();
            }
            places.into_iter().for_each(|place| self.expected[place] = value);
            let replicas = self.array.replicas();
            let most = replicas.iter().map(|replica| replica.valid.count()).max().unwrap_or(0);
            assert!(most <= MOST_PARTS, "{most} rectangles on one device");
            self.parts += most;
        }

        fn check(&self) -> Stats {
            let shape = self.array.shape();
            let map = Map::identity(shape);
            let read = self.rt.read::<f64>(&self.array, &map, shape, "to_vec", Place::caller());
            assert_eq!(read.expect("no fault"), self.expected);
            self.rt.stats()
        }
    }

    fn dice() -> impl FnMut(usize) -> usize {
        let mut state = 12345u64;
        move |n| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        }
    }

    #[test]
    fn many_writes_of_single_elements_cost_linear_time() {
        for (extents, few) in [(&[4000][..], 10_000), (&[40, 100], 1000), (&[10, 20, 20], 1000)] {
            let run = |count: usize| {
                let (mut written, mut next) = (Written::new(2, extents), dice());
                let all: Vec<_> = extents.iter().map(|&n| (0, n)).collect();
                written.fill(&all, -1.0);
                for k in 0..count {
                    let at: Vec<_> = extents.iter().map(|&n| (next(n), 1)).collect();
                    written.fill(&at, k as f64);
                }
                let stats = written.check();
                let writes = count as u64;
                assert!(stats.copies <= writes && stats.bytes_copied <= 8 * writes, "{extents:?}");
                assert_eq!(stats.gathered, 0);
                (written.parts, stats.copies)
            };
            let ((few_parts, few_copies), (parts, copies)) = (run(few), run(10 * few));
            assert!(parts <= 11 * few_parts && copies <= 11 * few_copies, "{extents:?}");
        }
    }

    #[test]
    fn boxes_that_do_not_fit_together_are_gathered_on_one_device() {
        let mut gathered = 0;
        for (devices, extents) in [(2, [60, 60]), (3, [40, 90]), (4, [64, 64])] {
            let (mut written, mut next) = (Written::new(devices, &extents), dice());
            written.fill(&extents.map(|n| (0, n)), -1.0);
            for k in 0..3000 {
                let at = extents.map(|n| {
                    let extent = 1 + next(n / 5);
                    (next(n - extent + 1), extent)
                });
                written.fill(&at, k as f64);
            }
            let stats = written.check();
            gathered += stats.gathered;
        }
        assert!(gathered > 0, "it is counted");
    }

    #[test]
    fn elements_of_what_nobody_wrote_are_few_rectangles_too() {
        for devices in [1, 2] {
            let (mut written, mut next) = (Written::new(devices, &[3000]), dice());
            for k in 0..2000 {
                written.fill(&[(next(3000), 1)], k as f64);
            }
            assert_eq!(written.check().gathered, 1, "{devices} devices");
        }
    }
}
