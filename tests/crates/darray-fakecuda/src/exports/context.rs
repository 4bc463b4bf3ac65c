//! Contexts: the primary one of each device, and the stack of them that every thread has.

use super::{CONTEXT, CONTEXTS, call, current, device, device_of, finish_device, put, release};
use crate::driver::code::{Answer, Code};
use crate::driver::schedule::Session;

/// What the context of a device is called.
fn handle(device: usize) -> u64 {
    CONTEXT + 16 * device as u64
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxRetain(to: *mut u64, ordinal: i32) -> u32 {
    call("cuDevicePrimaryCtxRetain", |session| {
        let found = device(session, ordinal)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, handle(found)) }?;
        session.devices[found].retained += 1;
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxRelease_v2(ordinal: i32) -> u32 {
    release("cuDevicePrimaryCtxRelease_v2", |session| {
        let found = device(session, ordinal)?;
        let retained = &mut session.devices[found].retained;
        *retained = retained.checked_sub(1).ok_or(Code::INVALID_CONTEXT)?;
        if *retained == 0 {
            reset(session, found);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxReset_v2(ordinal: i32) -> u32 {
    release("cuDevicePrimaryCtxReset_v2", |session| {
        let found = device(session, ordinal)?;
        reset(session, found);
        Ok(())
    })
}

/// A device as new: its work is completed, its memory freed, its error forgotten.
fn reset(session: &mut Session, device: usize) {
    // An error of the last work goes with the context.
    finish_device(session, device).ok();
    session.wipe(device);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxGetState(
    ordinal: i32,
    flags: *mut u32,
    active: *mut i32,
) -> u32 {
    call("cuDevicePrimaryCtxGetState", |session| {
        let found = device(session, ordinal)?;
        let is_active = session.devices[found].retained > 0;
        // SAFETY: the interface of the call.
        unsafe {
            put(flags, 0)?;
            put(active, i32::from(is_active))
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxSetFlags_v2(ordinal: i32, _flags: u32) -> u32 {
    call("cuDevicePrimaryCtxSetFlags_v2", |session| device(session, ordinal).map(drop))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetCurrent(to: *mut u64) -> u32 {
    call("cuCtxGetCurrent", |session| {
        if !session.initialized {
            return Err(Code::NOT_INITIALIZED);
        }
        let found = CONTEXTS.with_borrow(|contexts| contexts.last().copied().unwrap_or(0));
        // SAFETY: the interface of the call.
        unsafe { put(to, found) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxSetCurrent(context: u64) -> u32 {
    call("cuCtxSetCurrent", |session| {
        if context != 0 {
            device_of(session, context)?;
        }
        CONTEXTS.with_borrow_mut(|contexts| {
            contexts.pop();
            contexts.push(context);
        });
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxPushCurrent_v2(context: u64) -> u32 {
    call("cuCtxPushCurrent_v2", |session| {
        device_of(session, context)?;
        CONTEXTS.with_borrow_mut(|contexts| contexts.push(context));
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxPopCurrent_v2(to: *mut u64) -> u32 {
    call("cuCtxPopCurrent_v2", |_| {
        let popped = CONTEXTS.with_borrow_mut(Vec::pop).ok_or(Code::INVALID_CONTEXT)?;
        if to.is_null() {
            return Ok(());
        }
        // SAFETY: the interface of the call.
        unsafe { put(to, popped) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxSynchronize() -> u32 {
    call("cuCtxSynchronize", |session| {
        let found = current(session)?;
        session.forbid_in_capture()?;
        finish_device(session, found)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32) -> u32 {
    call("cuCtxGetStreamPriorityRange", |session| {
        current(session)?;
        // SAFETY: each is written where it is wanted.
        unsafe {
            put_wanted(least, 0);
            put_wanted(greatest, -5);
        }
        Ok(())
    })
}

/// # Safety
/// `to` is null or may be written.
unsafe fn put_wanted(to: *mut i32, value: i32) {
    if !to.is_null() {
        // SAFETY: the caller promises it.
        unsafe { to.write(value) };
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxEnablePeerAccess(peer: u64, flags: u32) -> u32 {
    call("cuCtxEnablePeerAccess", |session| {
        let (from, to) = (current(session)?, device_of(session, peer)?);
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        if from == to || !session.config.peers {
            return Err(Code::INVALID_DEVICE);
        }
        let most = session.config.most_peers;
        let peers = &mut session.devices[from].peers;
        if peers[to] {
            return Err(Code::PEER_ACCESS_ALREADY_ENABLED);
        }
        if peers.iter().filter(|reached| **reached).count() as u64 >= most {
            return Err(Code::TOO_MANY_PEERS);
        }
        peers[to] = true;
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxDisablePeerAccess(peer: u64) -> u32 {
    release("cuCtxDisablePeerAccess", |session| {
        let (from, to) = (current(session)?, device_of(session, peer)?);
        match std::mem::replace(&mut session.devices[from].peers[to], false) {
            true => Ok(()),
            false => Err(Code::PEER_ACCESS_NOT_ENABLED),
        }
    })
}

/// A setting that changes nothing here.
fn accept(name: &'static str) -> u32 {
    call(name, |session| current(session).map(drop))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxSetFlags(_flags: u32) -> u32 {
    accept("cuCtxSetFlags")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxSetLimit(_limit: u32, _value: usize) -> u32 {
    accept("cuCtxSetLimit")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetLimit(value: *mut usize, limit: u32) -> u32 {
    call("cuCtxGetLimit", |session| {
        current(session)?;
        let found: Answer<usize> = match limit {
            0 => Ok(1 << 10), // stack of a thread
            1 => Ok(1 << 20), // buffer of printf
            2 => Ok(8 << 20), // heap of malloc
            _ => Err(Code::INVALID_VALUE),
        };
        // SAFETY: the interface of the call.
        unsafe { put(value, found?) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxSetCacheConfig(_config: u32) -> u32 {
    accept("cuCtxSetCacheConfig")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetCacheConfig(config: *mut u32) -> u32 {
    call("cuCtxGetCacheConfig", |session| {
        current(session)?;
        // SAFETY: the interface of the call.
        unsafe { put(config, 0) }
    })
}
