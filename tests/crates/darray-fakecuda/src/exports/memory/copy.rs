//! Copies.
//!
//! Copies from memory that is not pinned take their bytes when they are submitted; copies to such
//! memory wait. Copies of pinned memory do neither. Copies between the host and a device need no
//! access of the stream's device to that one, nor do the peer copies; others do.

use crate::driver::code::{Answer, Code};
use crate::driver::heap;
use crate::driver::operation::{Copy, End, Operation};
use crate::driver::schedule::Session;
use crate::exports::{call, current, finish_stream, stream};
use std::ffi::c_void;
use std::sync::Arc;

/// A copy of one row.
fn row(to: End, from: End, bytes: usize, peer: bool) -> Copy {
    Copy { to, from, width: bytes as u64, rows: 1, pitches: [0, 0], peer }
}

/// Submits a copy; true if it has to be waited for.
fn submit(session: &mut Session, stream: u64, mut copy: Copy) -> Answer<bool> {
    if copy.width == 0 || copy.rows == 0 {
        return Ok(false);
    }
    let capturing = session.streams[&stream].capture.is_some();
    let mut waits = false;
    if let End::Host(address) = copy.to {
        let bytes = span(&copy, 0);
        if session.is_pinned(address, bytes) {
            copy.to = End::Address(address);
        } else {
            waits = !capturing;
        }
    }
    if let End::Host(address) = copy.from {
        let bytes = span(&copy, 1);
        if session.is_pinned(address, bytes) {
            copy.from = End::Address(address);
        } else if !capturing {
            // SAFETY: the caller gives this many bytes.
            let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, bytes as usize) };
            copy.from = End::Staged(bytes.into());
        }
    }
    session.submit(stream, Operation::Copy(Arc::new(copy)))?;
    Ok(waits)
}

/// Bytes from the first to the last of one end of a copy.
fn span(copy: &Copy, end: usize) -> u64 {
    copy.pitches[end] * (copy.rows - 1) + copy.width
}

/// A copy in a stream.
fn queued(session: &mut Session, queue: u64, copy: Copy) -> Answer {
    let found = stream(session, queue)?;
    if submit(session, found, copy)? { finish_stream(session, found) } else { Ok(()) }
}

/// A copy that is done when the call returns.
fn waited(session: &mut Session, copy: Copy) -> Answer {
    let device = current(session)?;
    session.forbid_in_capture()?;
    let legacy = session.devices[device].streams[0];
    submit(session, legacy, copy)?;
    finish_stream(session, legacy)
}

fn pointer(address: u64) -> Answer<End> {
    if address == 0 { Err(Code::INVALID_VALUE) } else { Ok(End::Address(address)) }
}

fn host<T>(address: *const T, bytes: usize) -> Answer<End> {
    match address.is_null() && bytes > 0 {
        true => Err(Code::INVALID_VALUE),
        false => Ok(End::Host(address as u64)),
    }
}

/// Either kind of memory, told apart by its address.
fn either(address: u64) -> Answer<End> {
    if heap::owner(address).is_some() { pointer(address) } else { Ok(End::Host(address)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const c_void,
    bytes: usize,
    queue: u64,
) -> u32 {
    call("cuMemcpyHtoDAsync_v2", |session| {
        queued(session, queue, row(pointer(to)?, host(from, bytes)?, bytes, true))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> u32 {
    call("cuMemcpyHtoD_v2", |session| {
        waited(session, row(pointer(to)?, host(from, bytes)?, bytes, true))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    to: *mut c_void,
    from: u64,
    bytes: usize,
    queue: u64,
) -> u32 {
    call("cuMemcpyDtoHAsync_v2", |session| {
        queued(session, queue, row(host(to, bytes)?, pointer(from)?, bytes, true))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> u32 {
    call("cuMemcpyDtoH_v2", |session| {
        waited(session, row(host(to, bytes)?, pointer(from)?, bytes, true))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, queue: u64) -> u32 {
    call("cuMemcpyDtoDAsync_v2", |session| {
        queued(session, queue, row(pointer(to)?, pointer(from)?, bytes, false))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) -> u32 {
    call("cuMemcpyDtoD_v2", |session| {
        waited(session, row(pointer(to)?, pointer(from)?, bytes, false))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, queue: u64) -> u32 {
    call("cuMemcpyAsync", |session| {
        queued(session, queue, row(either(to)?, either(from)?, bytes, false))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpy(to: u64, from: u64, bytes: usize) -> u32 {
    call("cuMemcpy", |session| waited(session, row(either(to)?, either(from)?, bytes, false)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyPeerAsync(
    to: u64,
    to_context: u64,
    from: u64,
    from_context: u64,
    bytes: usize,
    queue: u64,
) -> u32 {
    call("cuMemcpyPeerAsync", |session| {
        crate::exports::device_of(session, to_context)?;
        crate::exports::device_of(session, from_context)?;
        queued(session, queue, row(pointer(to)?, pointer(from)?, bytes, true))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyPeer(
    to: u64,
    to_context: u64,
    from: u64,
    from_context: u64,
    bytes: usize,
) -> u32 {
    call("cuMemcpyPeer", |session| {
        crate::exports::device_of(session, to_context)?;
        crate::exports::device_of(session, from_context)?;
        waited(session, row(pointer(to)?, pointer(from)?, bytes, true))
    })
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
struct Rectangle {
    from_x: usize,
    from_y: usize,
    from_kind: u32,
    from_host: *const c_void,
    from_device: u64,
    from_array: u64,
    from_pitch: usize,
    to_x: usize,
    to_y: usize,
    to_kind: u32,
    to_host: *mut c_void,
    to_device: u64,
    to_array: u64,
    to_pitch: usize,
    width: usize,
    height: usize,
}

impl Rectangle {
    fn copy(&self) -> Answer<Copy> {
        let end = |kind: u32, host: u64, device: u64, offset: usize| {
            const HOST: u32 = 1;
            const DEVICE: u32 = 2;
            const UNIFIED: u32 = 4;
            let offset = offset as u64;
            match kind {
                HOST => Ok(End::Host(host + offset)),
                DEVICE => pointer(device + offset),
                UNIFIED => either(device + offset),
                _ => Err(Code::NOT_SUPPORTED),
            }
        };
        let pitch = |pitch: usize| if pitch == 0 { self.width } else { pitch };
        let (from_pitch, to_pitch) = (pitch(self.from_pitch), pitch(self.to_pitch));
        if self.width > from_pitch || self.width > to_pitch {
            return Err(Code::INVALID_VALUE);
        }
        let from_offset = self.from_y * from_pitch + self.from_x;
        let to_offset = self.to_y * to_pitch + self.to_x;
        Ok(Copy {
            to: end(self.to_kind, self.to_host as u64, self.to_device, to_offset)?,
            from: end(self.from_kind, self.from_host as u64, self.from_device, from_offset)?,
            width: self.width as u64,
            rows: self.height as u64,
            pitches: [to_pitch as u64, from_pitch as u64],
            peer: false,
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpy2DAsync_v2(what: *const Rectangle, queue: u64) -> u32 {
    call("cuMemcpy2DAsync_v2", |session| {
        // SAFETY: the interface of the call.
        let what = unsafe { what.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        queued(session, queue, what.copy()?)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpy2D_v2(what: *const Rectangle) -> u32 {
    call("cuMemcpy2D_v2", |session| {
        // SAFETY: the interface of the call.
        let what = unsafe { what.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        waited(session, what.copy()?)
    })
}
