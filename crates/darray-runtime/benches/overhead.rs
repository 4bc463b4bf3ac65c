//! What the runtime itself costs: emission and flush over a device that does nothing, and over the
//! CPU with 1,000 elements.
//!
//! `cargo bench -p darray-runtime --bench overhead` prints nanoseconds per operation.

use darray_core::{Compute, Map, Place, RealType, Shape};
use darray_device::{
    Block, Code, Command, CommandFault, Describe, Device, DeviceId, DeviceStats, Event, Fault,
    LaunchCosts, Queue,
};
use darray_ir::{Privilege, TaskOp};
use darray_kernel::ir::Kernel;
use darray_kernel::operator::Operator;
use darray_runtime::{Emission, Runtime, RuntimeOptions, StoreOwner, WindowSize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Instant;

struct Nothing {
    describe: Describe,
    handles: AtomicU64,
}

impl Device for Nothing {
    fn describe(&self) -> &Describe {
        &self.describe
    }
    fn compile(&self, _: &Kernel) -> Result<Code, Fault> {
        Ok(Code(0))
    }
    fn forget(&self, _: Code) {}
    fn allocate(&self, _: Queue, bytes: u64) -> Result<Block, Fault> {
        let handle = self.handles.fetch_add(1, Ordering::Relaxed);
        Ok(Block { device: DeviceId(0), handle, bytes })
    }
    fn release(&self, _: Queue, _: Block, _: &[Event]) {}
    fn submit(&self, queue: Queue, _: &[Event], _: &[Command]) -> Result<Event, Fault> {
        Ok(Event { device: DeviceId(0), queue, ticket: 1 })
    }
    fn poll(&self, _: Event) -> Poll<Result<(), CommandFault>> {
        Poll::Ready(Ok(()))
    }
    fn wait(&self, _: Event) -> Result<(), CommandFault> {
        Ok(())
    }
    fn stats(&self) -> DeviceStats {
        DeviceStats::default()
    }
}

fn runtime(window: WindowSize) -> Runtime {
    let launches = LaunchCosts { small: 0, launch: 50_000, next_nest: 20_000 };
    let describe =
        Describe { name: "nothing".to_string(), memory_limit: 1 << 40, queues: 1, launches };
    let device = Nothing { describe, handles: AtomicU64::new(1) };
    Runtime::new(vec![Arc::new(device)], RuntimeOptions { window, ..RuntimeOptions::default() })
}

/// `a + b` as a front end emits it.
fn add(rt: &Runtime, a: &StoreOwner, b: &StoreOwner) -> StoreOwner {
    let shape = a.shape();
    let (out, map) = (StoreOwner::new(rt.new_store(RealType::F64, shape)), Map::identity(shape));
    rt.emit(Emission {
        op: TaskOp::Apply { operator: Operator::Add, compute: Compute::F64, scalars: 0 },
        name: "add",
        domain: shape,
        args: &[
            (out.store().into(), &map, Privilege::Write),
            (a.store().into(), &map, Privilege::Read),
            (b.store().into(), &map, Privilege::Read),
        ],
        scalars: &[],
        place: Place::caller(),
    });
    out
}

/// Nanoseconds per call: the median of batches.
fn time(name: &str, calls: usize, mut batch: impl FnMut(usize)) {
    batch(calls);
    let mut times: Vec<f64> = (0..15)
        .map(|_| {
            let start = Instant::now();
            batch(calls);
            start.elapsed().as_nanos() as f64 / calls as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name:<40} {:>8.0} ns", times[times.len() / 2]);
}

fn cpu(window: WindowSize) -> Runtime {
    let devices = darray_cpu::CpuDevices::new(1, darray_cpu::CpuOptions::default());
    Runtime::new(devices, RuntimeOptions { window, ..RuntimeOptions::default() })
}

fn main() {
    let inputs = |rt: &Runtime| {
        [0, 1].map(|_| StoreOwner::new(rt.new_store(RealType::F64, &Shape::new(&[1000]))))
    };
    let rt = runtime(WindowSize::Fixed(usize::MAX));
    let [a, b] = inputs(&rt);
    time("emit a + b, no flush", 10_000, |calls| {
        let outs: Vec<_> = (0..calls).map(|_| add(&rt, &a, &b)).collect();
        drop(outs);
    });
    let rt = runtime(WindowSize::Fixed(1));
    let [a, b] = inputs(&rt);
    time("c = a + b and flush", 10_000, |calls| {
        for _ in 0..calls {
            add(&rt, &a, &b);
        }
    });
    for size in [10, 100] {
        let rt = runtime(WindowSize::Fixed(size));
        let [a, b] = inputs(&rt);
        let mut x = add(&rt, &a, &b);
        time(&format!("x = x + b, window of {size}, per operation"), 10_000, |calls| {
            for _ in 0..calls {
                x = add(&rt, &x, &b);
            }
        });
    }
    let rt = cpu(WindowSize::Fixed(1));
    let [a, b] = inputs(&rt);
    time("cpu: c = a + b and flush", 10_000, |calls| {
        for _ in 0..calls {
            add(&rt, &a, &b);
        }
    });
}
