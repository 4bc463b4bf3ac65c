//! CUDA C of the kernels that a CPU device launches, made for the arguments of the launches.

use super::lock;
use darray_codegen::cuda::{Binding, Bindings, CudaKernel};
use darray_device::{
    Arg, Block, Code, Command, CommandFault, Describe, Device, DeviceStats, Event, Fault, Queue,
};
use darray_kernel::ir::Kernel;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;

/// A kernel's text and what it would be on a GPU.
pub struct Text {
    pub kernel: String,
    pub source: String,
}

/// A device that makes the texts of what it launches.
pub struct Texts {
    inner: Arc<dyn Device>,
    kernels: Mutex<HashMap<Code, Kernel>>,
    /// In order of first launches.
    texts: Mutex<Vec<Text>>,
}

impl Texts {
    /// Has launched nothing yet.
    pub fn new(inner: Arc<dyn Device>) -> Texts {
        Texts { inner, kernels: Mutex::default(), texts: Mutex::default() }
    }

    /// The texts so far, each once.
    pub fn texts(&self) -> MutexGuard<'_, Vec<Text>> {
        lock(&self.texts)
    }

    fn launched(&self, code: Code, args: &[Arg]) {
        let Some(kernel) = lock(&self.kernels).get(&code).cloned() else { return };
        let source = source(&kernel, args).unwrap_or_else(|message| message);
        let kernel = kernel.to_string();
        let mut texts = self.texts();
        if !texts.iter().any(|text| (&text.kernel, &text.source) == (&kernel, &source)) {
            texts.push(Text { kernel, source });
        }
    }
}

/// The text for these arguments; or why there is none.
fn source(kernel: &Kernel, args: &[Arg]) -> Result<String, String> {
    let cut = CudaKernel::new(kernel).map_err(|error| error.to_string())?;
    let buffers: Vec<Binding> = args.iter().filter_map(binding).collect();
    let numbers: Vec<u64> = args.iter().filter_map(bits).collect();
    let (params, scalars) = numbers.split_at(numbers.len().min(kernel.params as usize));
    let params: Vec<i64> = params.iter().map(|&param| param as i64).collect();
    let bindings = Bindings { buffers: &buffers, params: &params, scalars };
    let variant = cut.variant(&bindings).map_err(|error| error.to_string())?;
    Ok(cut.source(&variant).text)
}

/// A buffer, at an address as aligned as those of GPUs.
fn binding(arg: &Arg) -> Option<Binding> {
    match arg {
        Arg::Buffer { block, offset, strides } => Some(Binding {
            address: (block.handle + 1) << 32,
            bytes: block.bytes,
            offset: *offset,
            strides: strides.clone(),
        }),
        Arg::Bits(_) => None,
    }
}

fn bits(arg: &Arg) -> Option<u64> {
    match arg {
        Arg::Bits(bits) => Some(*bits),
        Arg::Buffer { .. } => None,
    }
}

impl Device for Texts {
    fn describe(&self) -> &Describe {
        self.inner.describe()
    }

    fn compile(&self, kernel: &Kernel) -> Result<Code, Fault> {
        let code = self.inner.compile(kernel)?;
        lock(&self.kernels).insert(code, kernel.clone());
        Ok(code)
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
        for command in work {
            if let Command::Launch { code, args } = command {
                self.launched(*code, args);
            }
        }
        self.inner.submit(queue, after, work)
    }

    fn poll(&self, event: Event) -> Poll<Result<(), CommandFault>> {
        self.inner.poll(event)
    }

    fn wait(&self, event: Event) -> Result<(), CommandFault> {
        self.inner.wait(event)
    }

    fn stats(&self) -> DeviceStats {
        self.inner.stats()
    }
}
