//! How a program finds the calls, their version and the words for their results.

use super::{call, put};
use crate::driver::code::Code;
use std::ffi::{CStr, c_char, c_int, c_void};

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDriverGetVersion(version: *mut i32) -> u32 {
    call("cuDriverGetVersion", |session| {
        let known = session.config.version.unwrap_or(13000);
        // SAFETY: the interface of the call.
        unsafe { put(version, known as i32) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(code: u32, to: *mut *const c_char) -> u32 {
    let text = Code(code).text().map(|(name, _)| name);
    // SAFETY: the interface of the call.
    unsafe { words(text, to) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(code: u32, to: *mut *const c_char) -> u32 {
    let text = Code(code).text().map(|(_, description)| description);
    // SAFETY: the interface of the call.
    unsafe { words(text, to) }
}

/// # Safety
/// `to` is null or may be written.
unsafe fn words(text: Option<&'static CStr>, to: *mut *const c_char) -> u32 {
    let pointer = text.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: the caller promises it.
    let written = unsafe { put(to, pointer) };
    match (text, written) {
        (Some(_), Ok(())) => 0,
        _ => Code::INVALID_VALUE.0,
    }
}

/// NVRTC loads the driver and reads this table without asking what it got: its first word is the
/// table's length in bytes, and so it has no entries.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetExportTable(to: *mut *const [usize; 2], _id: *const c_void) -> u32 {
    static TABLE: [usize; 2] = [16, 0];
    // SAFETY: the interface of the call.
    unsafe { put(to, &raw const TABLE) }.map_or_else(|code| code.0, |()| 0)
}

unsafe extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dladdr(address: *const c_void, to: *mut Symbol) -> c_int;
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
}

/// `Dl_info`.
#[repr(C)]
struct Symbol {
    file: *const c_char,
    base: *mut c_void,
    name: *const c_char,
    address: *mut c_void,
}

/// A call of this library by its name, also by the name without the version at its end.
fn find(name: &str) -> *mut c_void {
    const NOW: c_int = 2;
    const ONLY_LOADED: c_int = 4;
    let mut symbol = Symbol {
        file: std::ptr::null(),
        base: std::ptr::null_mut(),
        name: std::ptr::null(),
        address: std::ptr::null_mut(),
    };
    let own = cuDriverGetVersion as *const c_void;
    // SAFETY: the address is of this library, whose path is then opened once more.
    let library = unsafe {
        if dladdr(own, &raw mut symbol) == 0 {
            return std::ptr::null_mut();
        }
        dlopen(symbol.file, NOW | ONLY_LOADED)
    };
    if library.is_null() {
        return std::ptr::null_mut();
    }
    for suffix in ["_v4", "_v3", "_v2", ""] {
        let Ok(symbol) = std::ffi::CString::new(format!("{name}{suffix}")) else { continue };
        // SAFETY: the library is open and the name ends with a zero.
        let found = unsafe { dlsym(library, symbol.as_ptr()) };
        if !found.is_null() {
            return found;
        }
    }
    std::ptr::null_mut()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetProcAddress_v2(
    name: *const c_char,
    to: *mut *mut c_void,
    _version: i32,
    _flags: u64,
    status: *mut u32,
) -> u32 {
    if name.is_null() || to.is_null() {
        return Code::INVALID_VALUE.0;
    }
    const SYMBOL_NOT_FOUND: u32 = 1;
    // SAFETY: the interface of the call.
    unsafe {
        let found = find(&CStr::from_ptr(name).to_string_lossy());
        to.write(found);
        if !status.is_null() {
            status.write(if found.is_null() { SYMBOL_NOT_FOUND } else { 0 });
        }
        if found.is_null() { Code::NOT_FOUND.0 } else { 0 }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetProcAddress(
    name: *const c_char,
    to: *mut *mut c_void,
    version: i32,
    flags: u64,
) -> u32 {
    // SAFETY: the same interface, less one result.
    unsafe { cuGetProcAddress_v2(name, to, version, flags, std::ptr::null_mut()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuProfilerStart() -> u32 {
    call("cuProfilerStart", |_| Ok(()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuProfilerStop() -> u32 {
    call("cuProfilerStop", |_| Ok(()))
}
