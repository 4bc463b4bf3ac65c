//! Events.

use super::{call, current, put, release, stream};
use crate::driver::code::Code;
use crate::driver::event::Event;
use crate::driver::operation::Operation;
use std::sync::Arc;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventCreate(to: *mut u64, flags: u32) -> u32 {
    call("cuEventCreate", |session| {
        let device = current(session)?;
        session.check(device)?;
        const DISABLE_TIMING: u32 = 2;
        let handle = session.handle();
        let event = Arc::new(Event::new(device, flags & DISABLE_TIMING == 0));
        // SAFETY: the interface of the call.
        unsafe { put(to, handle) }?;
        session.events.insert(handle, event);
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventDestroy_v2(handle: u64) -> u32 {
    release("cuEventDestroy_v2", |session| {
        session.events.remove(&handle).map(drop).ok_or(Code::INVALID_HANDLE)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventRecord(handle: u64, queue: u64) -> u32 {
    call("cuEventRecord", |session| {
        let found = stream(session, queue)?;
        let event = session.events.get(&handle).ok_or(Code::INVALID_HANDLE)?.clone();
        if event.device != session.streams[&found].device {
            return Err(Code::INVALID_HANDLE);
        }
        if let Some(joined) = session.streams[&found].capture.clone() {
            event.state().joined = Some(joined);
            return Ok(());
        }
        let record = {
            let mut state = event.state();
            state.joined = None;
            state.recorded += 1;
            state.recorded
        };
        session.submit(found, Operation::Record { event, record })
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventRecordWithFlags(handle: u64, queue: u64, _flags: u32) -> u32 {
    // SAFETY: the same interface.
    unsafe { cuEventRecord(handle, queue) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventQuery(handle: u64) -> u32 {
    call("cuEventQuery", |session| {
        let event = session.events.get(&handle).ok_or(Code::INVALID_HANDLE)?.clone();
        let record = {
            let state = event.state();
            if state.joined.is_some() {
                return Err(Code::CAPTURED_EVENT);
            }
            state.recorded
        };
        // Who asks again and again shall see the work come to its end.
        if !event.is_done(record) {
            session.step();
        }
        session.check(event.device)?;
        if !event.is_done(record) {
            return Err(Code::NOT_READY);
        }
        if let Some(clock) = event.state().clocks.get(&record) {
            session.races.waited(clock);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventSynchronize(handle: u64) -> u32 {
    call("cuEventSynchronize", |session| {
        let event = session.events.get(&handle).ok_or(Code::INVALID_HANDLE)?.clone();
        let record = {
            let state = event.state();
            if state.joined.is_some() {
                return Err(Code::CAPTURED_EVENT);
            }
            state.recorded
        };
        if !session.run_until(|_| event.is_done(record)) {
            return Err(session.stuck(event.device));
        }
        if let Some(clock) = event.state().clocks.get(&record) {
            session.races.waited(clock);
        }
        session.release_cached(event.device);
        session.check(event.device)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: u64, end: u64) -> u32 {
    call("cuEventElapsedTime_v2", |session| {
        let find = |handle: u64| session.events.get(&handle).ok_or(Code::INVALID_HANDLE);
        let (start, end) = (find(start)?.clone(), find(end)?.clone());
        if !start.timed || !end.timed || start.device != end.device {
            return Err(Code::INVALID_HANDLE);
        }
        let time = |event: &Event| {
            let state = event.state();
            if state.recorded == 0 {
                return Err(Code::INVALID_HANDLE);
            }
            state.time.filter(|_| state.done >= state.recorded).ok_or(Code::NOT_READY)
        };
        let (start, end) = (time(&start)?, time(&end)?);
        let elapsed = match end.checked_duration_since(start) {
            Some(forth) => forth.as_secs_f32(),
            None => -start.duration_since(end).as_secs_f32(),
        };
        // SAFETY: the interface of the call.
        unsafe { put(milliseconds, elapsed * 1e3) }
    })
}
