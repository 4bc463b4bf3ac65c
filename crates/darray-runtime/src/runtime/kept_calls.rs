//! The calls of opaque tasks between windows that come again.

use crate::engine::PointCalls;
use hashbrown::HashMap;

/// The calls of plans that repeat, by the number of the plan.
///
/// Rule: what is counted of them ([`PointCalls::bytes`]) is so many bytes at most. Where they would take more, those of the plans that were used least recently
/// go, and are made again when their windows come again, as `Stats::calls_made` counts.
pub(crate) struct KeptCalls {
    plans: HashMap<u64, Kept>,
    bytes: usize,
    most: usize,
    /// How often calls were kept.
    count: u64,
}

struct Kept {
    calls: PointCalls,
    /// Which of the times when calls were kept it was.
    at: u64,
}

/// Those of some ten thousand tasks of one point.
const MOST_BYTES: usize = 32 << 20;

impl Default for KeptCalls {
    fn default() -> KeptCalls {
        KeptCalls::new(MOST_BYTES)
    }
}

impl KeptCalls {
    /// Of so many bytes at most.
    pub(crate) fn new(most: usize) -> KeptCalls {
        KeptCalls { plans: HashMap::new(), bytes: 0, most, count: 0 }
    }

    /// Those of a plan, to be given back.
    pub(crate) fn take(&mut self, plan: u64) -> PointCalls {
        let calls = self.plans.remove(&plan).map(|kept| kept.calls).unwrap_or_default();
        self.bytes -= calls.bytes();
        calls
    }

    /// Keeps those of a plan, which has none here.
    pub(crate) fn keep(&mut self, plan: u64, calls: PointCalls) {
        let bytes = calls.bytes();
        if bytes == 0 || bytes > self.most {
            return;
        }
        while self.bytes + bytes > self.most {
            self.forget_oldest();
        }
        self.bytes += bytes;
        self.count += 1;
        self.plans.insert(plan, Kept { calls, at: self.count });
    }

    /// Forgets all: their plans are not known any more.
    pub(crate) fn clear(&mut self) {
        self.plans.clear();
        self.bytes = 0;
    }

    fn forget_oldest(&mut self) {
        let oldest = self.plans.iter().min_by_key(|(_, kept)| kept.at).map(|(&plan, _)| plan);
        drop(self.take(oldest.expect("what takes bytes is of a plan")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Emission, Runtime, RuntimeOptions, StoreOwner};
    use darray_core::{Map, Place, RealType, Shape};
    use darray_cpu::{CpuDevices, CpuOptions, CpuVariant};
    use darray_device::TaskDefinition;
    use darray_ir::{Opaque, Privilege, TaskOp};
    use std::sync::Arc;

    /// A runtime whose calls take so many bytes at most.
    fn runtime(most: usize) -> Runtime {
        let devices = CpuDevices::new(1, CpuOptions::default());
        let rt = Runtime::new(devices, RuntimeOptions::default());
        rt.lock().kept_calls = KeptCalls::new(most);
        rt
    }

    /// Flushes windows of so many tasks each; how many calls each one made.
    fn calls_made(rt: &Runtime, windows: &[usize]) -> Vec<u64> {
        let shape = Shape::new(&[3]);
        let map = Map::identity(&shape);
        let owner = StoreOwner::new(rt.new_store(RealType::F64, &shape));
        let task = Arc::new(TaskDefinition::new("nothing").with(CpuVariant::new(|_| Ok(()))));
        let op = TaskOp::Opaque(Opaque { definition: 0, outputs: 1, updated: 0, whole: 0 });
        let window = |&tasks: &usize| {
            let before = rt.stats().calls_made;
            for _ in 0..tasks {
                let args = &[(owner.store().into(), &map, Privilege::Write)];
                let (domain, place) = (&shape, Place::caller());
                let emission = Emission { op, name: "test", domain, args, scalars: &[], place };
                rt.emit_task(&task, emission);
            }
            rt.flush();
            rt.stats().calls_made - before
        };
        windows.iter().map(window).collect()
    }

    /// What the calls of one task take, alone in a window.
    fn bytes_of_one() -> usize {
        let rt = runtime(usize::MAX);
        calls_made(&rt, &[1, 1, 1]);
        rt.lock().kept_calls.bytes
    }

    #[test]
    fn calls_are_made_once_for_windows_that_come_again() {
        // The first window is planned, and in the second the store holds data; the third is the first that repeats.
        let made = calls_made(&runtime(MOST_BYTES), &[2, 2, 2, 2, 2]);
        assert_eq!(made, [2, 2, 2, 0, 0]);
    }

    #[test]
    fn those_used_least_recently_go_where_they_take_too_much() {
        let one = bytes_of_one();
        // Behind windows that make all of them once.
        let after = |most: usize, windows: &[usize]| {
            let (rt, warm) = (runtime(most), [1, 1, 1, 2, 2, 3, 3]);
            let made = calls_made(&rt, &[&warm, windows].concat());
            assert!(rt.lock().kept_calls.bytes <= most, "{made:?}");
            made[warm.len()..].to_vec()
        };
        assert_eq!(after(usize::MAX, &[1, 2, 3, 1]), [0, 0, 0, 0]);
        assert_eq!(after(0, &[3, 3, 2]), [3, 3, 2]);
        // Room for five tasks: of windows of one, two and three, one is always left out.
        let most = 5 * one + one / 2;
        assert_eq!(after(most, &[3, 2, 1, 2, 3, 1]), [0, 0, 1, 0, 3, 1]);
    }

    #[test]
    fn plans_that_are_gone_take_nothing() {
        let mut kept = KeptCalls::default();
        let mut calls = PointCalls::default();
        calls.made(100);
        kept.keep(7, calls);
        assert_eq!(kept.bytes, 100);
        kept.clear();
        assert_eq!((kept.bytes, kept.take(7).bytes()), (0, 0));
    }
}
