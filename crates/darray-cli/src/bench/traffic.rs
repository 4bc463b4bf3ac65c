//! What a plan moves: the bytes that its steps read and write, each array's once per step.

use darray_core::{Map, Shape};
use darray_fusion::plan::{BufferSource, BuiltinStep, KernelStep, Plan, Step};
use darray_ir::geometry::bounds;
use darray_ir::{DomainId, Privilege, StoreId, Window};
use std::collections::BTreeSet;
use std::ops::AddAssign;

/// Bytes that are read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
}

impl Traffic {
    /// Both together.
    pub fn total(self) -> u64 {
        self.read + self.written
    }
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Traffic) {
        self.read += other.read;
        self.written += other.written;
    }
}

/// The traffic of each step of a plan. A kernel reads what its loads reach of a store and writes what its
/// stores reach, however often, and a builtin its arguments whole; temporaries that no step names cost nothing.
pub fn of_steps(window: &Window, plan: &Plan) -> Vec<Traffic> {
    let steps = plan.groups.iter().flat_map(|group| &group.steps);
    steps.map(|step| of_step(window, step)).collect()
}

fn of_step(window: &Window, step: &Step) -> Traffic {
    let mut traffic = Traffic::default();
    match step {
        Step::Kernel(kernel) => of_kernel(window, kernel, &mut traffic),
        Step::Builtin(BuiltinStep { task, .. }) | Step::Opaque(task) => {
            let task = &window.tasks()[*task as usize];
            for arg in &task.args {
                let store = window.store(arg.store);
                let bytes = (store.shape.iter().product::<usize>() * store.dtype.size()) as u64;
                traffic.read += if arg.privilege.reads() { bytes } else { 0 };
                traffic.written += if arg.privilege.writes() { bytes } else { 0 };
            }
        }
    }
    traffic
}

fn of_kernel(window: &Window, kernel: &KernelStep, traffic: &mut Traffic) {
    for source in &kernel.buffers {
        let BufferSource::Store { store, accesses } = source else { continue };
        // Nests over different domains may reach the same elements, which come once.
        let mut most = Traffic::default();
        let domains: BTreeSet<DomainId> = accesses.iter().map(|&(domain, ..)| domain).collect();
        for domain in domains {
            let own = accesses.iter().filter(|(other, ..)| *other == domain);
            let maps: Vec<_> = own.map(|&(_, map, p)| (window.map(map), p)).collect();
            let mut here = Traffic::default();
            add(window, *store, window.domain(domain), &maps, &mut here);
            most.read = most.read.max(here.read);
            most.written = most.written.max(here.written);
        }
        *traffic += most;
    }
    for reduction in &kernel.reductions {
        let domain = window.domain(reduction.domain);
        for &(store, map) in &reduction.outputs {
            add(window, store, domain, &[(window.map(map), Privilege::Write)], traffic);
        }
    }
}

/// Adds what accesses of a store reach over a domain.
fn add(
    window: &Window,
    store: StoreId,
    domain: &Shape,
    accesses: &[(&Map, Privilege)],
    traffic: &mut Traffic,
) {
    if domain.contains(&0) {
        return;
    }
    let bytes_of = |which: fn(Privilege) -> bool| {
        let maps = accesses.iter().filter(|(_, privilege)| which(*privilege));
        let reached = maps.map(|(map, _)| bounds(map, domain));
        let around = reached.reduce(|all, one| {
            all.into_iter().zip(one).map(|(a, b)| a.start.min(b.start)..a.end.max(b.end)).collect()
        });
        let elements = around.map_or(0, |sides| {
            sides.into_iter().map(|side| (side.end - side.start) as u64).product()
        });
        elements * window.store(store).dtype.size() as u64
    };
    traffic.read += bytes_of(Privilege::reads);
    traffic.written += bytes_of(Privilege::writes);
}

#[cfg(test)]
mod tests {
    use super::{Traffic, of_steps};
    use darray::{DArray, Mode, Runtime, s};

    fn traffic(mode: Mode, program: impl Fn() -> DArray<f64>) -> Vec<Traffic> {
        let runtime = Runtime::builder().mode(mode).build().unwrap();
        let capture = runtime.engine().capture();
        let result = runtime.scope(&program);
        runtime.sync();
        drop(result);
        let windows = capture.windows();
        let flushed = windows.last().unwrap();
        of_steps(&flushed.window, &flushed.plan)
    }

    #[test]
    fn arrays_count_once_per_step_and_temporaries_not_at_all() {
        let chain = || {
            let a = DArray::<f64>::zeros(100);
            Runtime::current().sync();
            &a + 2.0 * &a + 1.0
        };
        assert_eq!(traffic(Mode::Fused, chain), [Traffic { read: 800, written: 800 }]);
        let unfused = traffic(Mode::Unfused, chain);
        let reads: Vec<u64> = unfused.iter().map(|t| t.read).collect();
        assert_eq!(reads, [800, 1600, 800]);
    }

    #[test]
    fn views_count_as_the_box_around_them_and_folds_as_their_results() {
        let stencil = || {
            let a = DArray::<f64>::zeros((10, 12));
            Runtime::current().sync();
            a.slice(s![1..-1, ..-2]) + a.slice(s![..-2, 2..])
        };
        let expected = Traffic { read: 9 * 12 * 8, written: 8 * 10 * 8 };
        assert_eq!(traffic(Mode::Fused, stencil), [expected]);
        let sorted = || {
            let a = DArray::<f64>::zeros((10, 12));
            Runtime::current().sync();
            a.sort(-1)
        };
        let whole = traffic(Mode::Fused, sorted);
        assert!(whole.contains(&Traffic { read: 960, written: 960 }), "{whole:?}");
        let columns = || {
            let a = DArray::<f64>::zeros((10, 12));
            Runtime::current().sync();
            a.sum(0)
        };
        assert_eq!(traffic(Mode::Fused, columns), [Traffic { read: 960, written: 96 }]);
    }
}
