//! Nests bound to memory, for tests that look at what binding decides.

use super::arguments::Arguments;
use super::bind::{Bound, bind};
use super::compiled::Compiled;
use super::streaming::Streaming;
use crate::jit::Target;
use crate::level::Level;
use crate::memory::Memory;
use darray_device::{Arg, DeviceId};
use darray_kernel::ir::Kernel;
use std::sync::Arc;

/// Where a buffer lies: its block, and its first element and strides there.
pub(super) struct Array<'a> {
    pub block: usize,
    pub offset: usize,
    pub strides: &'a [i64],
}

/// Binds the first nest of a kernel to blocks of a mebibyte and looks at it.
pub(super) fn with_bound<R>(
    kernel: &str,
    arrays: &[Array<'_>],
    params: &[usize],
    jit: Option<Target>,
    from: usize,
    look: impl FnOnce(&Bound<'_>) -> R,
) -> R {
    let kernel = Kernel::parse(kernel).unwrap();
    let compiled = Compiled::new(&kernel, Level::detect(), jit, Arc::default(), None).unwrap();
    let mut memory = Memory::new(DeviceId(0), 16 << 20);
    let blocks: Vec<_> = (0..4).map(|_| memory.allocate(1 << 20).unwrap()).collect();
    let buffer = |array: &Array<'_>| Arg::Buffer {
        block: blocks[array.block],
        offset: array.offset as i64,
        strides: array.strides.iter().copied().collect(),
    };
    let params = params.iter().map(|&param| Arg::Bits(param as u64));
    let args: Vec<Arg> = arrays.iter().map(buffer).chain(params).collect();
    let arguments = Arguments::new(&compiled.program, &args, |block| memory.locate(block)).unwrap();
    look(&bind(&compiled, 0, &arguments, Streaming { from }).unwrap().unwrap())
}
