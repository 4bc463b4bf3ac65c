//! Pinned memory of the host: devices reach it, and copies of it need not wait.

use crate::driver::code::{Answer, Code};
use crate::driver::schedule::Session;
use crate::exports::{call, current, finish_device, put, release};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostAlloc(to: *mut *mut c_void, bytes: usize, _flags: u32) -> u32 {
    call("cuMemHostAlloc", |session| allocate(session, to, bytes))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocHost_v2(to: *mut *mut c_void, bytes: usize) -> u32 {
    call("cuMemAllocHost_v2", |session| allocate(session, to, bytes))
}

fn allocate(session: &mut Session, to: *mut *mut c_void, bytes: usize) -> Answer {
    current(session)?;
    if to.is_null() || bytes == 0 {
        return Err(Code::INVALID_VALUE);
    }
    session.forbid_in_capture()?;
    let layout = Layout::from_size_align(bytes, 4096).map_err(|_| Code::INVALID_VALUE)?;
    // SAFETY: the layout is not empty.
    let start = unsafe { alloc_zeroed(layout) };
    if start.is_null() {
        return Err(Code::OUT_OF_MEMORY);
    }
    session.pinned.insert(start as u64, bytes as u64);
    session.pinned_here.insert(start as u64, layout);
    // SAFETY: the interface of the call.
    unsafe { put(to, start.cast()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemFreeHost(start: *mut c_void) -> u32 {
    release("cuMemFreeHost", |session| {
        let layout = session.pinned_here.remove(&(start as u64)).ok_or(Code::INVALID_VALUE)?;
        // As the driver does: work that may reach the memory comes first.
        let finished = finish_all(session);
        session.unpin(start as u64);
        // SAFETY: allocated with this layout and freed once.
        unsafe { dealloc(start.cast(), layout) };
        finished
    })
}

fn finish_all(session: &mut Session) -> Answer {
    let mut finished = Ok(());
    for device in 0..session.devices.len() {
        finished = finished.and(finish_device(session, device));
    }
    finished
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostRegister_v2(start: *mut c_void, bytes: usize, _flags: u32) -> u32 {
    call("cuMemHostRegister_v2", |session| {
        current(session)?;
        if start.is_null() || bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        if session.is_pinned(start as u64, 1) {
            return Err(Code::HOST_MEMORY_ALREADY_REGISTERED);
        }
        session.pinned.insert(start as u64, bytes as u64);
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostUnregister(start: *mut c_void) -> u32 {
    release("cuMemHostUnregister", |session| {
        let registered = session.pinned.contains_key(&(start as u64));
        if !registered || session.pinned_here.contains_key(&(start as u64)) {
            return Err(Code::HOST_MEMORY_NOT_REGISTERED);
        }
        let finished = finish_all(session);
        session.unpin(start as u64);
        finished
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostGetDevicePointer_v2(
    to: *mut u64,
    start: *mut c_void,
    _flags: u32,
) -> u32 {
    call("cuMemHostGetDevicePointer_v2", |session| {
        if !session.is_pinned(start as u64, 1) {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the interface of the call.
        unsafe { put(to, start as u64) }
    })
}
