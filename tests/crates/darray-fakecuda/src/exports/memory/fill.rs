//! Memory set to a value.

use crate::driver::code::{Answer, Code};
use crate::driver::operation::{Fill, Operation};
use crate::driver::schedule::Session;
use crate::exports::{call, current, stream};

/// Sets elements in a stream.
fn queued(session: &mut Session, queue: u64, fill: Fill) -> Answer {
    let found = stream(session, queue)?;
    submit(session, found, fill)
}

/// Sets elements in the legacy stream.
fn plain(session: &mut Session, fill: Fill) -> Answer {
    let device = current(session)?;
    session.forbid_in_capture()?;
    let legacy = session.devices[device].streams[0];
    submit(session, legacy, fill)
}

fn submit(session: &mut Session, stream: u64, fill: Fill) -> Answer {
    if fill.address == 0 || !fill.address.is_multiple_of(fill.element) {
        return Err(Code::INVALID_VALUE);
    }
    if fill.width == 0 || fill.rows == 0 {
        return Ok(());
    }
    session.submit(stream, Operation::Fill(fill))
}

fn row(address: u64, value: u32, element: u64, count: usize) -> Fill {
    Fill { address, value, element, width: count as u64, rows: 1, pitch: 0 }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD8Async(address: u64, value: u8, count: usize, queue: u64) -> u32 {
    call("cuMemsetD8Async", |session| queued(session, queue, row(address, value.into(), 1, count)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD16Async(address: u64, value: u16, count: usize, queue: u64) -> u32 {
    call("cuMemsetD16Async", |session| queued(session, queue, row(address, value.into(), 2, count)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD32Async(address: u64, value: u32, count: usize, queue: u64) -> u32 {
    call("cuMemsetD32Async", |session| queued(session, queue, row(address, value, 4, count)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD8_v2(address: u64, value: u8, count: usize) -> u32 {
    call("cuMemsetD8_v2", |session| plain(session, row(address, value.into(), 1, count)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD16_v2(address: u64, value: u16, count: usize) -> u32 {
    call("cuMemsetD16_v2", |session| plain(session, row(address, value.into(), 2, count)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD32_v2(address: u64, value: u32, count: usize) -> u32 {
    call("cuMemsetD32_v2", |session| plain(session, row(address, value, 4, count)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD2D8Async(
    address: u64,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
    queue: u64,
) -> u32 {
    call("cuMemsetD2D8Async", |session| {
        let mut fill = row(address, value.into(), 1, width);
        (fill.rows, fill.pitch) = (height as u64, pitch as u64);
        queued(session, queue, fill)
    })
}
