//! The calls of the driver, by the names and types of its C interface.
//!
//! What all of them share is here: they are counted, the one that is asked to fail fails, a panic
//! becomes an error. Each call below does the rest in terms of [`crate::driver`].
#![allow(non_snake_case, reason = "the names of the driver's interface")]

mod code;
mod context;
mod control;
mod cublas;
mod device;
mod entry;
mod event;
mod graphs;
mod memory;
mod stream;

use crate::driver::code::{Answer, Code};
use crate::driver::config::Failure;
use crate::driver::schedule::Session;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Handles of contexts: one per device.
const CONTEXT: u64 = 0x1000;

thread_local! {
    /// The contexts that the thread has pushed; 0 is none.
    static CONTEXTS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Whether a call that is asked to fail does its work first, as a driver does that reports an
/// earlier error when something is given back.
#[derive(Clone, Copy, PartialEq)]
enum Failing {
    Instead,
    Afterwards,
}

/// A call.
fn call(name: &'static str, body: impl FnOnce(&mut Session) -> Answer) -> u32 {
    counted(name, Failing::Instead, body)
}

/// A call that gives something back.
fn release(name: &'static str, body: impl FnOnce(&mut Session) -> Answer) -> u32 {
    counted(name, Failing::Afterwards, body)
}

fn counted(name: &'static str, failing: Failing, body: impl FnOnce(&mut Session) -> Answer) -> u32 {
    let mut session = Session::new();
    session.counters.all_calls += 1;
    *session.counters.calls.entry(name).or_default() += 1;
    let number = session.counters.all_calls;
    if session.config.trace {
        eprintln!("[fakecuda] {number} {name}");
    }
    let lasting = session.config.lasting;
    let is_it = |fail: &Failure| fail.call == number || lasting && fail.call < number;
    let injected = session.config.fail.filter(is_it);
    if let Some(fail) = injected {
        if fail.call == number {
            session.report(format!("call {number}, {name}, fails as asked"));
        }
        if failing == Failing::Instead {
            return fail.code.0;
        }
    }
    let answer = match catch_unwind(AssertUnwindSafe(|| body(&mut session))) {
        Ok(Ok(())) => 0,
        Ok(Err(code)) => code.0,
        Err(_) => Code::UNKNOWN.0,
    };
    injected.map_or(answer, |fail| fail.code.0)
}

/// Writes a result of a call.
///
/// # Safety
/// `to` is null or may be written.
unsafe fn put<T>(to: *mut T, value: T) -> Answer {
    if to.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the caller promises it.
    unsafe { to.write(value) };
    Ok(())
}

/// The device of the thread's context.
fn current(session: &Session) -> Answer<usize> {
    if !session.initialized {
        return Err(Code::NOT_INITIALIZED);
    }
    let context = CONTEXTS.with_borrow(|contexts| contexts.last().copied().unwrap_or(0));
    device_of(session, context)
}

/// The device of a context.
fn device_of(session: &Session, context: u64) -> Answer<usize> {
    let device = context.checked_sub(CONTEXT).ok_or(Code::INVALID_CONTEXT)? / 16;
    let found = session.devices.get(device as usize).is_some_and(|device| device.retained > 0);
    if found { Ok(device as usize) } else { Err(Code::INVALID_CONTEXT) }
}

/// A device by its number.
fn device(session: &Session, ordinal: i32) -> Answer<usize> {
    if !session.initialized {
        return Err(Code::NOT_INITIALIZED);
    }
    let device = usize::try_from(ordinal).map_err(|_| Code::INVALID_DEVICE)?;
    if device < session.devices.len() { Ok(device) } else { Err(Code::INVALID_DEVICE) }
}

/// The stream that a handle means to this thread.
fn stream(session: &Session, handle: u64) -> Answer<u64> {
    let found = session.stream(handle, current(session).ok())?;
    session.check(session.streams[&found].device)?;
    Ok(found)
}

/// Runs work until a stream is idle.
fn finish_stream(session: &mut Session, stream: u64) -> Answer {
    let device = session.streams[&stream].device;
    let idle = |driver: &crate::driver::Driver| {
        driver.streams.get(&stream).is_none_or(|stream| stream.is_idle())
    };
    if !session.run_until(idle) {
        return Err(session.stuck(device));
    }
    session.races.waited_for(stream);
    session.release_cached(device);
    session.check(device)
}

/// Runs work until all streams of a device are idle.
fn finish_device(session: &mut Session, device: usize) -> Answer {
    let idle = |driver: &crate::driver::Driver| {
        driver.streams.values().all(|stream| stream.device != device || stream.is_idle())
    };
    if !session.run_until(idle) {
        return Err(session.stuck(device));
    }
    let all: Vec<u64> = session
        .streams
        .iter()
        .filter(|(_, stream)| stream.device == device)
        .map(|(handle, _)| *handle)
        .collect();
    for stream in all {
        session.races.waited_for(stream);
    }
    session.release_cached(device);
    session.check(device)
}
