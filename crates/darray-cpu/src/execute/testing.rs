//! Nests bound to memory, for tests that look at what binding decides.

use super::arguments::Arguments;
use super::bind::{Bound, bind};
use super::compiled::Compiled;
use super::nest::launch;
use super::streaming::Streaming;
use crate::jit::Target;
use crate::level::Level;
use crate::memory::Memory;
use crate::workers::Workers;
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
    with_arguments(kernel, arrays, params, jit, |compiled, arguments, _| {
        look(&bind(compiled, 0, arguments, Streaming { from }).unwrap().unwrap())
    })
}

/// Compiles a kernel and looks at it with arguments in blocks of a mebibyte, whose addresses come along.
pub(super) fn with_arguments<R>(
    kernel: &str,
    arrays: &[Array<'_>],
    params: &[usize],
    jit: Option<Target>,
    look: impl FnOnce(&Compiled, &Arguments<'_>, &[*mut f64]) -> R,
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
    let places = blocks.iter().map(|&block| memory.locate(block).unwrap().pointer.cast());
    look(&compiled, &arguments, &places.collect::<Vec<_>>())
}

/// What a kernel writes to the first elements of its second block, the first one holding `1/3, 1/4, ..`, and what is
/// seen of its nests. One thread runs it; nests that touch so many bytes are large.
pub(super) fn run<R>(
    kernel: &str,
    arrays: &[Array<'_>],
    params: &[usize],
    jit: Option<Target>,
    from: usize,
    (read, written): (usize, usize),
    look: impl Fn(&Bound<'_>) -> R,
) -> (Vec<u64>, Vec<R>) {
    assert!(read.max(written) <= (1 << 20) / 8);
    with_arguments(kernel, arrays, params, jit, |compiled, arguments, blocks| {
        let streaming = Streaming { from };
        // SAFETY: the blocks hold so many elements, and nobody else knows them.
        let bits = unsafe {
            (0..read).for_each(|k| blocks[0].add(k).write(1.0 / (k + 3) as f64));
            (0..written).for_each(|k| blocks[1].add(k).write(0.0));
            launch(compiled, arguments, &Workers::new(1, 0), streaming).unwrap();
            (0..written).map(|k| blocks[1].add(k).read().to_bits()).collect()
        };
        let nests = 0..compiled.program.nests.len();
        let bound = nests.map(|nest| bind(compiled, nest, arguments, streaming).unwrap().unwrap());
        (bits, bound.map(|bound| look(&bound)).collect())
    })
}
