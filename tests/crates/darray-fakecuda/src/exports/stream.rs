//! Streams.

use super::{call, current, finish_stream, put, release, stream};
use crate::driver::code::{Answer, Code};
use crate::driver::operation::Operation;
use crate::driver::schedule::{HostFunction, Session, expect_host_function};
use crate::driver::stream::{Kind, Stream};
use std::ffi::c_void;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamCreate(to: *mut u64, flags: u32) -> u32 {
    call("cuStreamCreate", |session| create(session, to, flags, 0))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamCreateWithPriority(to: *mut u64, flags: u32, priority: i32) -> u32 {
    call("cuStreamCreateWithPriority", |session| create(session, to, flags, priority))
}

fn create(session: &mut Session, to: *mut u64, flags: u32, priority: i32) -> Answer {
    let device = current(session)?;
    session.check(device)?;
    let kind = match flags {
        0 => Kind::Blocking,
        1 => Kind::NonBlocking,
        _ => return Err(Code::INVALID_VALUE),
    };
    let handle = session.add_stream(Stream::new(device, kind, priority.clamp(-5, 0)));
    // SAFETY: the interface of the call.
    unsafe { put(to, handle) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamDestroy_v2(handle: u64) -> u32 {
    release("cuStreamDestroy_v2", |session| {
        let found = session.streams.get_mut(&handle).filter(|stream| !stream.destroyed);
        let found = found.ok_or(Code::INVALID_HANDLE)?;
        let device = found.device;
        // Its work goes on.
        found.destroyed = true;
        session.sweep(handle);
        session.check(device)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamSynchronize(handle: u64) -> u32 {
    call("cuStreamSynchronize", |session| {
        let found = stream(session, handle)?;
        if session.streams[&found].capture.is_some() {
            return Err(session.spoil(found, Code::CAPTURE_UNSUPPORTED));
        }
        finish_stream(session, found)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamQuery(handle: u64) -> u32 {
    call("cuStreamQuery", |session| {
        let found = stream(session, handle)?;
        if session.streams[&found].capture.is_some() {
            return Err(session.spoil(found, Code::CAPTURE_UNSUPPORTED));
        }
        // Who asks again and again shall see the work come to its end.
        session.step();
        let device = session.streams[&found].device;
        session.check(device)?;
        if !session.streams[&found].is_idle() {
            return Err(Code::NOT_READY);
        }
        session.races.waited_for(found);
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamWaitEvent(handle: u64, event: u64, _flags: u32) -> u32 {
    call("cuStreamWaitEvent", |session| {
        let found = stream(session, handle)?;
        let event = session.events.get(&event).ok_or(Code::INVALID_HANDLE)?.clone();
        session.counters.waits += 1;
        if session.config.skip_wait == Some(session.counters.waits) {
            return Ok(());
        }
        let (record, done, joined) = {
            let state = event.state();
            (state.recorded, state.done, state.joined.clone())
        };
        if let Some(joined) = joined {
            return session.join(found, joined);
        }
        if session.streams[&found].capture.is_some() {
            let outside = record > 0;
            return match outside {
                true => Err(session.spoil(found, Code::CAPTURE_ISOLATION)),
                false => Ok(()),
            };
        }
        if record == done && !session.is_lazy() && !session.config.races {
            return Ok(());
        }
        session.submit(found, Operation::Wait { event, record })
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamGetFlags(handle: u64, flags: *mut u32) -> u32 {
    call("cuStreamGetFlags", |session| {
        let found = stream(session, handle)?;
        let flag = u32::from(session.streams[&found].kind == Kind::NonBlocking);
        // SAFETY: the interface of the call.
        unsafe { put(flags, flag) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamGetPriority(handle: u64, priority: *mut i32) -> u32 {
    call("cuStreamGetPriority", |session| {
        let found = stream(session, handle)?;
        // SAFETY: the interface of the call.
        unsafe { put(priority, session.streams[&found].priority) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamGetCtx(handle: u64, context: *mut u64) -> u32 {
    call("cuStreamGetCtx", |session| {
        let found = stream(session, handle)?;
        let device = session.streams[&found].device as u64;
        // SAFETY: the interface of the call.
        unsafe { put(context, super::CONTEXT + 16 * device) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamGetDevice(handle: u64, to: *mut i32) -> u32 {
    call("cuStreamGetDevice", |session| {
        let found = stream(session, handle)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, session.streams[&found].device as i32) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamGetId(handle: u64, id: *mut u64) -> u32 {
    call("cuStreamGetId", |session| {
        let found = stream(session, handle)?;
        // SAFETY: the interface of the call.
        unsafe { put(id, found) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchHostFunc(
    handle: u64,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    data: *mut c_void,
) -> u32 {
    let code = call("cuLaunchHostFunc", |session| {
        let found = stream(session, handle)?;
        let function = function.ok_or(Code::INVALID_VALUE)?;
        let host = HostFunction { function, data };
        if session.streams[&found].capture.is_none() {
            session.host_functions += 1;
        }
        session.submit(found, Operation::Host(host))
    });
    expect_host_function();
    code
}
