//! Launches of kernels.

use crate::driver::code::{Answer, Code};
use crate::driver::module::Function;
use crate::driver::operation::{Kernel, Operation};
use crate::driver::schedule::Session;
use crate::exports::{call, stream};
use std::ffi::c_void;
use std::sync::Arc;

/// What a launch asks for.
pub(in crate::exports) struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
}

/// Most blocks along the axes.
const MOST_BLOCKS: [u32; 3] = [i32::MAX as u32, 65535, 65535];

/// Most threads of a block along the axes.
const MOST_THREADS: [u32; 3] = [1024, 1024, 64];

/// Checks a launch and takes its arguments.
///
/// # Safety
/// `arguments` points to as many pointers as the kernel has parameters, each to as many bytes as
/// the parameter has; or `extra` is as the interface has it.
pub(in crate::exports) unsafe fn kernel(
    session: &mut Session,
    device: usize,
    function: u64,
    shape: &Shape,
    arguments: *const *const c_void,
    extra: *const *const c_void,
) -> Answer<Operation> {
    let handle = session.kernel_function(function, device)?;
    let Some(Function::Kernel { module, kernel, limits, most_dynamic_shared, .. }) =
        session.functions.get(&handle)
    else {
        return Err(Code::INVALID_HANDLE);
    };
    if module.device != device {
        return Err(Code::INVALID_HANDLE);
    }
    let Shape { grid, block, shared } = *shape;
    let fits = |size: [u32; 3], most: [u32; 3]| {
        size.iter().zip(most).all(|(size, most)| *size > 0 && *size <= most)
    };
    if !fits(grid, MOST_BLOCKS) || !fits(block, MOST_THREADS) {
        return Err(Code::INVALID_VALUE);
    }
    let threads: u32 = block.iter().product();
    if threads > 1024 || shared > *most_dynamic_shared {
        return Err(Code::INVALID_VALUE);
    }
    if threads > limits.most_threads {
        return Err(Code::LAUNCH_OUT_OF_RESOURCES);
    }
    let mut bytes = vec![0; limits.argument_bytes as usize];
    // SAFETY: the caller promises the pointers and the bytes behind them.
    unsafe {
        if !arguments.is_null() {
            for (at, (offset, length)) in limits.parameters.iter().enumerate() {
                let (offset, length) = (*offset as usize, *length as usize);
                let from = (*arguments.add(at)).cast::<u8>();
                if from.is_null() {
                    return Err(Code::INVALID_VALUE);
                }
                let to = &mut bytes[offset..offset + length];
                std::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), length);
            }
        } else if !extra.is_null() {
            packed(&mut bytes, extra)?;
        } else if !limits.parameters.is_empty() {
            return Err(Code::INVALID_VALUE);
        }
    }
    let (module, kernel, arguments) = (module.clone(), *kernel, bytes);
    let kernel = Kernel { module, kernel, grid, block, shared, arguments };
    Ok(Operation::Kernel(Arc::new(kernel)))
}

/// Arguments that are given as one block of bytes.
///
/// # Safety
/// `extra` is a list of the interface: pairs of a key and a value, ended by a zero.
unsafe fn packed(bytes: &mut [u8], extra: *const *const c_void) -> Answer {
    const POINTER: usize = 1;
    const SIZE: usize = 2;
    let (mut from, mut size) = (std::ptr::null::<u8>(), 0);
    let mut at = 0;
    // SAFETY: the caller promises the list.
    unsafe {
        loop {
            match *extra.add(at) as usize {
                0 => break,
                POINTER => from = (*extra.add(at + 1)).cast(),
                SIZE => size = (*extra.add(at + 1)).cast::<usize>().read(),
                _ => return Err(Code::INVALID_VALUE),
            }
            at += 2;
        }
        if from.is_null() || size > bytes.len() {
            return Err(Code::INVALID_VALUE);
        }
        std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), size);
    }
    Ok(())
}

/// # Safety
/// As [`kernel`].
unsafe fn launch(
    session: &mut Session,
    function: u64,
    shape: &Shape,
    queue: u64,
    arguments: *const *const c_void,
    extra: *const *const c_void,
) -> Answer {
    let found = stream(session, queue)?;
    let device = session.streams[&found].device;
    // SAFETY: the caller promises the arguments.
    let operation = unsafe { kernel(session, device, function, shape, arguments, extra) }?;
    session.submit(found, operation)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchKernel(
    function: u64,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    queue: u64,
    arguments: *const *const c_void,
    extra: *const *const c_void,
) -> u32 {
    call("cuLaunchKernel", |session| {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let shape = Shape { grid, block, shared };
        // SAFETY: the interface of the call.
        unsafe { launch(session, function, &shape, queue, arguments, extra) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchCooperativeKernel(
    function: u64,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    queue: u64,
    arguments: *const *const c_void,
) -> u32 {
    call("cuLaunchCooperativeKernel", |session| {
        // Blocks run one after the other, so only one can wait for others.
        if [grid_x, grid_y, grid_z] != [1; 3] {
            return Err(Code::NOT_SUPPORTED);
        }
        let block = [block_x, block_y, block_z];
        let shape = Shape { grid: [1; 3], block, shared };
        // SAFETY: the interface of the call.
        unsafe { launch(session, function, &shape, queue, arguments, std::ptr::null()) }
    })
}

/// `CUlaunchConfig`.
#[repr(C)]
struct Config {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    queue: u64,
    attributes: *const c_void,
    attribute_count: u32,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchKernelEx(
    config: *const Config,
    function: u64,
    arguments: *const *const c_void,
    extra: *const *const c_void,
) -> u32 {
    call("cuLaunchKernelEx", |session| {
        // SAFETY: the interface of the call.
        let config = unsafe { config.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        let shape = Shape { grid: config.grid, block: config.block, shared: config.shared };
        // SAFETY: the interface of the call.
        unsafe { launch(session, function, &shape, config.queue, arguments, extra) }
    })
}
