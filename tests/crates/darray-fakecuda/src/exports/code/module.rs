//! Modules and the attributes of their kernels.

use crate::driver::code::{Answer, Code};
use crate::driver::module::{Function, MOST_SHARED};
use crate::driver::schedule::Session;
use crate::exports::{call, current, put, release};
use std::ffi::{CStr, c_char, c_void};

/// The PTX that an image holds. Code for real processors is refused.
///
/// # Safety
/// `image` is null or ends with a zero byte, or is an object file.
pub(super) unsafe fn text(image: *const c_void) -> Answer<String> {
    if image.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the caller promises a zero byte; object files have one behind their first four.
    let bytes = unsafe { CStr::from_ptr(image.cast()) };
    const OBJECT: [u8; 4] = [0x7f, b'E', b'L', b'F'];
    const FAT: [u8; 4] = [0x50, 0xed, 0x55, 0xba];
    if bytes.to_bytes().starts_with(&OBJECT) || bytes.to_bytes().starts_with(&FAT) {
        return Err(Code::NO_BINARY_FOR_GPU);
    }
    bytes.to_str().map(str::to_string).map_err(|_| Code::INVALID_IMAGE)
}

/// A name.
///
/// # Safety
/// `name` is null or ends with a zero byte.
pub(super) unsafe fn name(name: *const c_char) -> Answer<String> {
    if name.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the caller promises a zero byte.
    Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

fn load(session: &mut Session, to: *mut u64, text: &str) -> Answer {
    let device = current(session)?;
    session.check(device)?;
    let handle = session.load(device, text)?;
    // SAFETY: the interface of the calls that load.
    unsafe { put(to, handle) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadData(to: *mut u64, image: *const c_void) -> u32 {
    call("cuModuleLoadData", |session| {
        // SAFETY: the interface of the call.
        let text = unsafe { text(image) }?;
        load(session, to, &text)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadDataEx(
    to: *mut u64,
    image: *const c_void,
    _count: u32,
    _options: *mut u32,
    _values: *mut *mut c_void,
) -> u32 {
    call("cuModuleLoadDataEx", |session| {
        // SAFETY: the interface of the call.
        let text = unsafe { text(image) }?;
        load(session, to, &text)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoad(to: *mut u64, path: *const c_char) -> u32 {
    call("cuModuleLoad", |session| {
        // SAFETY: the interface of the call.
        let path = unsafe { name(path) }?;
        let text = std::fs::read_to_string(path).map_err(|_| Code::FILE_NOT_FOUND)?;
        load(session, to, text.trim_end_matches('\0'))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleUnload(handle: u64) -> u32 {
    release("cuModuleUnload", |session| {
        let device = session.modules.get(&handle).ok_or(Code::INVALID_HANDLE)?.device;
        // Work that may use the variables comes first.
        let finished = crate::exports::finish_device(session, device);
        session.unload(handle)?;
        finished
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetFunction(to: *mut u64, module: u64, text: *const c_char) -> u32 {
    call("cuModuleGetFunction", |session| {
        // SAFETY: the interface of the call.
        let name = unsafe { name(text) }?;
        let handle = session.function(module, &name)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, handle) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetGlobal_v2(
    to: *mut u64,
    bytes: *mut usize,
    module: u64,
    text: *const c_char,
) -> u32 {
    call("cuModuleGetGlobal_v2", |session| {
        // SAFETY: the interface of the call.
        let name = unsafe { name(text) }?;
        let module = session.modules.get(&module).ok_or(Code::INVALID_HANDLE)?;
        let globals = &module.program.globals;
        let found = globals.iter().find(|(global, ..)| global.name == name);
        let (global, address, _) = found.ok_or(Code::NOT_FOUND)?;
        // SAFETY: the interface of the call; each is written where it is wanted.
        unsafe {
            if !to.is_null() {
                to.write(*address);
            }
            if !bytes.is_null() {
                bytes.write(global.bytes);
            }
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuFuncGetAttribute(to: *mut i32, attribute: u32, function: u64) -> u32 {
    call("cuFuncGetAttribute", |session| {
        let device = current(session)?;
        let kernel = session.kernel_function(function, device)?;
        let Some(Function::Kernel { limits, most_dynamic_shared, .. }) =
            session.functions.get(&kernel)
        else {
            return Err(Code::INVALID_HANDLE);
        };
        let value = match attribute {
            0 => limits.most_threads as i32,
            1 => limits.shared as i32,
            2 => 0,
            3 => limits.local as i32,
            4 => 32,
            5 | 6 => 90,
            7 => 0,
            8 => *most_dynamic_shared as i32,
            9 => -1,
            _ => return Err(Code::INVALID_VALUE),
        };
        // SAFETY: the interface of the call.
        unsafe { put(to, value) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuFuncSetAttribute(handle: u64, attribute: u32, value: i32) -> u32 {
    call("cuFuncSetAttribute", |session| {
        let device = current(session)?;
        let kernel = session.kernel_function(handle, device)?;
        const DYNAMIC_SHARED: u32 = 8;
        let Some(Function::Kernel { limits, most_dynamic_shared, .. }) =
            session.functions.get_mut(&kernel)
        else {
            return Err(Code::INVALID_HANDLE);
        };
        match u32::try_from(value) {
            Ok(bytes) if attribute == DYNAMIC_SHARED => {
                if bytes + limits.shared > MOST_SHARED {
                    return Err(Code::INVALID_VALUE);
                }
                *most_dynamic_shared = bytes;
                Ok(())
            }
            _ if attribute > DYNAMIC_SHARED => Ok(()),
            _ => Err(Code::INVALID_VALUE),
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuFuncSetCacheConfig(handle: u64, _config: u32) -> u32 {
    call("cuFuncSetCacheConfig", |session| {
        session.functions.get(&handle).map(drop).ok_or(Code::INVALID_HANDLE)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuFuncGetName(to: *mut *const c_char, handle: u64) -> u32 {
    call("cuFuncGetName", |session| {
        let name = match session.functions.get(&handle).ok_or(Code::INVALID_HANDLE)? {
            Function::Kernel { name, .. } | Function::Library { name, .. } => name.clone(),
        };
        let name = session.kept_name(&name);
        // SAFETY: the interface of the call.
        unsafe { put(to, name) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    to: *mut i32,
    function: u64,
    threads: i32,
    shared: usize,
) -> u32 {
    call("cuOccupancyMaxActiveBlocksPerMultiprocessor", |session| {
        let blocks = resident(session, function, threads, shared)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, blocks) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    to: *mut i32,
    function: u64,
    threads: i32,
    shared: usize,
    _flags: u32,
) -> u32 {
    call("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", |session| {
        let blocks = resident(session, function, threads, shared)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, blocks) }
    })
}

/// Blocks that a multiprocessor holds at a time.
fn resident(session: &mut Session, function: u64, threads: i32, shared: usize) -> Answer<i32> {
    let device = current(session)?;
    let kernel = session.kernel_function(function, device)?;
    let Some(Function::Kernel { limits, .. }) = session.functions.get(&kernel) else {
        return Err(Code::INVALID_HANDLE);
    };
    if threads <= 0 || threads as u32 > limits.most_threads {
        return Err(Code::INVALID_VALUE);
    }
    let by_threads = 2048 / (threads as u32).next_multiple_of(32) as i32;
    let bytes = shared + limits.shared as usize + 1024;
    let by_shared = ((228 << 10) / bytes) as i32;
    Ok(by_threads.min(by_shared).min(32))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyMaxPotentialBlockSize(
    blocks: *mut i32,
    threads: *mut i32,
    function: u64,
    _shared_of: *const c_void,
    shared: usize,
    most: i32,
) -> u32 {
    call("cuOccupancyMaxPotentialBlockSize", |session| {
        let most = if most <= 0 { 1024 } else { most.min(1024) };
        let size = most.min(256);
        let resident = resident(session, function, size, shared)?;
        // SAFETY: the interface of the call.
        unsafe {
            put(threads, size)?;
            put(blocks, 8 * resident)
        }
    })
}
