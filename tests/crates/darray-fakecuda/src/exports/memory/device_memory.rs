//! Memory of devices.

use crate::driver::code::{Answer, Code};
use crate::driver::heap::{self, Owner};
use crate::driver::operation::Operation;
use crate::driver::schedule::Session;
use crate::exports::{call, current, finish_device, put, release, stream};

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAlloc_v2(to: *mut u64, bytes: usize) -> u32 {
    call("cuMemAlloc_v2", |session| {
        let device = current(session)?;
        session.check(device)?;
        if bytes == 0 || to.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        session.forbid_in_capture()?;
        let address = session.allocate_plain(device, bytes as u64, Owner::Plain)?;
        session.counters.allocations += 1;
        // SAFETY: the interface of the call.
        unsafe { put(to, address) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemFree_v2(address: u64) -> u32 {
    release("cuMemFree_v2", |session| {
        if address == 0 {
            return Ok(());
        }
        let device = current(session)?;
        session.forbid_in_capture()?;
        let owner = heap::owner(address).filter(|owner| *owner < session.devices.len());
        let owner = owner.ok_or(Code::INVALID_VALUE)?;
        if session.devices[owner].heap.get_mut(address).is_none() {
            return Err(Code::INVALID_VALUE);
        }
        // As the driver does: all work of the device comes first.
        let mut finished = finish_device(session, owner);
        if owner != device {
            finished = finished.and(finish_device(session, device));
        }
        session.free(address)?;
        finished
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocAsync(to: *mut u64, bytes: usize, queue: u64) -> u32 {
    call("cuMemAllocAsync", |session| {
        let found = stream(session, queue)?;
        let device = session.streams[&found].device;
        let pool = session.devices[device].pools[1];
        allocate(session, to, bytes, pool, found)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocFromPoolAsync(
    to: *mut u64,
    bytes: usize,
    pool: u64,
    queue: u64,
) -> u32 {
    call("cuMemAllocFromPoolAsync", |session| {
        let found = stream(session, queue)?;
        allocate(session, to, bytes, pool, found)
    })
}

fn allocate(session: &mut Session, to: *mut u64, bytes: usize, pool: u64, stream: u64) -> Answer {
    if to.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    let address = session.allocate_from(pool, bytes as u64, stream)?;
    // SAFETY: the interface of the call.
    unsafe { put(to, address) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemFreeAsync(address: u64, queue: u64) -> u32 {
    release("cuMemFreeAsync", |session| {
        if address == 0 {
            return Ok(());
        }
        let owner = heap::owner(address).filter(|owner| *owner < session.devices.len());
        let owner = owner.ok_or(Code::INVALID_VALUE)?;
        let broken = session.devices[owner].broken;
        let found = session.devices[owner].heap.get_mut(address).ok_or(Code::INVALID_VALUE)?;
        if std::mem::replace(&mut found.free_pending, true) {
            session.report(format!("double free: {address:#x}"));
            return Err(Code::INVALID_VALUE);
        }
        if let Some(code) = broken {
            session.free(address)?;
            return Err(code);
        }
        let found = stream(session, queue)?;
        session.submit(found, Operation::Free { address })
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> u32 {
    call("cuMemGetInfo_v2", |session| {
        let device = current(session)?;
        let (limit, used) = (session.config.memory, session.used(device));
        // SAFETY: the interface of the call.
        unsafe {
            put(free, limit.saturating_sub(used) as usize)?;
            put(total, limit as usize)
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemGetAddressRange_v2(
    start: *mut u64,
    bytes: *mut usize,
    address: u64,
) -> u32 {
    call("cuMemGetAddressRange_v2", |session| {
        let owner = heap::owner(address).filter(|owner| *owner < session.devices.len());
        let heap = &session.devices[owner.ok_or(Code::NOT_FOUND)?].heap;
        let found = heap.holding(address).ok_or(Code::NOT_FOUND)?;
        // SAFETY: the interface of the call; each is written where it is wanted.
        unsafe {
            if !start.is_null() {
                start.write(found.address);
            }
            if !bytes.is_null() {
                bytes.write(found.bytes as usize);
            }
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuPointerGetAttribute(to: *mut u64, attribute: u32, address: u64) -> u32 {
    call("cuPointerGetAttribute", |session| {
        let owner = heap::owner(address).filter(|owner| *owner < session.devices.len());
        let holding = owner.and_then(|owner| session.devices[owner].heap.holding(address));
        let pinned = session.is_pinned(address, 1);
        if holding.is_none() && !pinned {
            return Err(Code::INVALID_VALUE);
        }
        const CONTEXT: u32 = 1;
        const MEMORY_TYPE: u32 = 2;
        const DEVICE_POINTER: u32 = 3;
        const DEVICE_ORDINAL: u32 = 9;
        let device = owner.unwrap_or(0);
        // SAFETY: the interface of the call, whose result has a size for each attribute.
        unsafe {
            match attribute {
                CONTEXT => put(to, crate::exports::CONTEXT + 16 * device as u64),
                MEMORY_TYPE => put(to.cast::<u32>(), if pinned { 1 } else { 2 }),
                DEVICE_POINTER => put(to, address),
                DEVICE_ORDINAL => put(to.cast::<i32>(), device as i32),
                _ => Err(Code::NOT_SUPPORTED),
            }
        }
    })
}
