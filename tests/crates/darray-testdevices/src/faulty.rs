//! Devices whose builtins fail on demand.

use darray_device::{
    Block, Code, Command, CommandFault, Describe, Device, DeviceStats, Event, Fault, Queue,
};
use darray_kernel::ir::Kernel;
use std::sync::{Arc, Mutex};
use std::task::Poll;

/// What fails now: a builtin's name and the message.
type Order = Arc<Mutex<Option<(String, String)>>>;

/// Devices that refuse a builtin while they are told to.
pub struct FaultyDevices {
    devices: Vec<Arc<dyn Device>>,
    order: Order,
}

struct Faulty {
    inner: Arc<dyn Device>,
    order: Order,
}

impl FaultyDevices {
    /// One over each of these devices; none fails yet.
    pub fn over(devices: Vec<Arc<dyn Device>>) -> FaultyDevices {
        let order = Order::default();
        let faulty = |inner| Arc::new(Faulty { inner, order: order.clone() }) as Arc<dyn Device>;
        let devices = devices.into_iter().map(faulty).collect();
        FaultyDevices { devices, order }
    }

    /// For a runtime's builder.
    pub fn devices(&self) -> Vec<Arc<dyn Device>> {
        self.devices.clone()
    }

    /// From now on, the builtin of this name fails with this message.
    pub fn fail(&self, builtin: &str, message: &str) {
        self.set(Some((builtin.to_string(), message.to_string())));
    }

    /// From now on, nothing fails.
    pub fn repair(&self) {
        self.set(None);
    }

    fn set(&self, order: Option<(String, String)>) {
        *self.order.lock().expect("nobody panics with the lock") = order;
    }
}

impl Device for Faulty {
    fn describe(&self) -> &Describe {
        self.inner.describe()
    }

    fn is_synchronous(&self) -> bool {
        self.inner.is_synchronous()
    }

    fn compile(&self, kernel: &Kernel) -> Result<Code, Fault> {
        self.inner.compile(kernel)
    }

    fn forget(&self, code: Code) {
        self.inner.forget(code);
    }

    fn allocate(&self, queue: Queue, bytes: u64) -> Result<Block, Fault> {
        self.inner.allocate(queue, bytes)
    }

    fn release(&self, queue: Queue, block: Block, after: &[Event]) {
        self.inner.release(queue, block, after);
    }

    fn submit(&self, queue: Queue, after: &[Event], work: &[Command]) -> Result<Event, Fault> {
        let order = self.order.lock().expect("nobody panics with the lock").clone();
        if let Some((builtin, message)) = order
            && work.iter().any(|c| matches!(c, Command::Builtin { name, .. } if *name == builtin))
        {
            return Err(Fault::Execution(message));
        }
        self.inner.submit(queue, after, work)
    }

    fn poll(&self, event: Event) -> Poll<Result<(), CommandFault>> {
        self.inner.poll(event)
    }

    fn known(&self, event: Event) -> Poll<Result<(), CommandFault>> {
        self.inner.known(event)
    }

    fn wait(&self, event: Event) -> Result<(), CommandFault> {
        self.inner.wait(event)
    }

    fn stats(&self) -> DeviceStats {
        self.inner.stats()
    }
}
