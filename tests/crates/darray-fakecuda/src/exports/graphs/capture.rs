//! Streams that capture.

use crate::driver::code::{Answer, Code};
use crate::driver::schedule::Session;
use crate::exports::{call, put, release, stream};

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamBeginCapture_v2(queue: u64, mode: u32) -> u32 {
    call("cuStreamBeginCapture_v2", |session| {
        let found = stream(session, queue)?;
        session.begin_capture(found, mode)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamEndCapture(queue: u64, to: *mut u64) -> u32 {
    release("cuStreamEndCapture", |session| {
        let found = stream(session, queue)?;
        let graph = session.end_capture(found);
        // SAFETY: the interface of the call.
        unsafe { put(to, graph.unwrap_or(0)) }?;
        graph.map(drop)
    })
}

/// None, active or spoilt.
fn status(session: &Session, queue: u64) -> Answer<(u32, u64)> {
    let found = stream(session, queue)?;
    Ok(match &session.streams[&found].capture {
        None => (0, 0),
        Some(joined) => {
            let capture = session.graphs.get(&joined.graph).and_then(|g| g.capture.as_ref());
            let spoilt = capture.is_none_or(|capture| capture.spoilt);
            (if spoilt { 2 } else { 1 }, joined.graph)
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamIsCapturing(queue: u64, to: *mut u32) -> u32 {
    call("cuStreamIsCapturing", |session| {
        let (status, _) = status(session, queue)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, status) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamGetCaptureInfo_v3(
    queue: u64,
    to: *mut u32,
    id: *mut u64,
    graph: *mut u64,
    after: *mut *const u64,
    edges: *mut *const u8,
    count: *mut usize,
) -> u32 {
    call("cuStreamGetCaptureInfo_v3", |session| {
        if !after.is_null() || !edges.is_null() || !count.is_null() {
            return Err(Code::NOT_SUPPORTED);
        }
        let (status, found) = status(session, queue)?;
        // SAFETY: the interface of the call.
        unsafe {
            put(to, status)?;
            for to in [id, graph] {
                if !to.is_null() {
                    to.write(found);
                }
            }
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuThreadExchangeStreamCaptureMode(mode: *mut u32) -> u32 {
    call("cuThreadExchangeStreamCaptureMode", |_| {
        if mode.is_null() { Err(Code::INVALID_VALUE) } else { Ok(()) }
    })
}
