//! Pools of stream-ordered memory.

use crate::driver::code::{Answer, Code};
use crate::driver::pool::Pool;
use crate::exports::{call, device, put, release};
use std::ffi::c_void;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetDefaultMemPool(to: *mut u64, ordinal: i32) -> u32 {
    call("cuDeviceGetDefaultMemPool", |session| {
        let found = device(session, ordinal)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, session.devices[found].pools[0]) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetMemPool(to: *mut u64, ordinal: i32) -> u32 {
    call("cuDeviceGetMemPool", |session| {
        let found = device(session, ordinal)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, session.devices[found].pools[1]) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceSetMemPool(ordinal: i32, pool: u64) -> u32 {
    call("cuDeviceSetMemPool", |session| {
        let found = device(session, ordinal)?;
        if session.pools.get(&pool).ok_or(Code::INVALID_HANDLE)?.device != found {
            return Err(Code::INVALID_VALUE);
        }
        session.devices[found].pools[1] = pool;
        Ok(())
    })
}

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Location {
    kind: u32,
    ordinal: i32,
}

/// The kind of a location that is a device.
const DEVICE: u32 = 1;

/// `CUmemPoolProps`.
#[repr(C)]
struct Properties {
    kind: u32,
    handles: u32,
    location: Location,
    security: *mut c_void,
    most: usize,
    usage: u16,
    reserved: [u8; 54],
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemPoolCreate(to: *mut u64, properties: *const Properties) -> u32 {
    call("cuMemPoolCreate", |session| {
        // SAFETY: the interface of the call.
        let wanted = unsafe { properties.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        if wanted.location.kind != DEVICE {
            return Err(Code::NOT_SUPPORTED);
        }
        let found = device(session, wanted.location.ordinal)?;
        let handle = session.handle();
        // SAFETY: the interface of the call.
        unsafe { put(to, handle) }?;
        session.pools.insert(handle, Pool::new(found, wanted.most as u64));
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemPoolDestroy(handle: u64) -> u32 {
    release("cuMemPoolDestroy", |session| {
        let found = session.pools.get(&handle).ok_or(Code::INVALID_HANDLE)?;
        let (owner, used) = (found.device, found.used);
        let defaults = &mut session.devices[owner].pools;
        if defaults[0] == handle || used > 0 {
            return Err(Code::INVALID_VALUE);
        }
        if defaults[1] == handle {
            defaults[1] = defaults[0];
        }
        session.pools.remove(&handle);
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemPoolTrimTo(handle: u64, keep: usize) -> u32 {
    call("cuMemPoolTrimTo", |session| {
        let pool = session.pools.get_mut(&handle).ok_or(Code::INVALID_HANDLE)?;
        pool.reserved = pool.used.max(pool.reserved.min(keep as u64));
        Ok(())
    })
}

/// The attribute of a pool behind its number; switches have 32 bits, sizes 64.
enum Attribute<'a> {
    Switch(&'a mut u64),
    Size(&'a mut u64),
}

fn attribute(pool: &mut Pool, number: u32) -> Answer<Attribute<'_>> {
    Ok(match number {
        1..=3 => Attribute::Switch(&mut pool.switches[number as usize]),
        4 => Attribute::Size(&mut pool.threshold),
        5 => Attribute::Size(&mut pool.reserved),
        6 => Attribute::Size(&mut pool.reserved_high),
        7 => Attribute::Size(&mut pool.used),
        8 => Attribute::Size(&mut pool.used_high),
        _ => return Err(Code::INVALID_VALUE),
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemPoolGetAttribute(handle: u64, number: u32, to: *mut c_void) -> u32 {
    call("cuMemPoolGetAttribute", |session| {
        let pool = session.pools.get_mut(&handle).ok_or(Code::INVALID_HANDLE)?;
        // SAFETY: the interface of the call, whose result has a size for each attribute.
        unsafe {
            match attribute(pool, number)? {
                Attribute::Switch(value) => put(to.cast::<i32>(), *value as i32),
                Attribute::Size(value) => put(to.cast::<u64>(), *value),
            }
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemPoolSetAttribute(handle: u64, number: u32, from: *const c_void) -> u32 {
    call("cuMemPoolSetAttribute", |session| {
        let pool = session.pools.get_mut(&handle).ok_or(Code::INVALID_HANDLE)?;
        if from.is_null() || number == 5 || number == 7 {
            return Err(Code::INVALID_VALUE);
        }
        let (used, reserved) = (pool.used, pool.reserved);
        // SAFETY: the interface of the call, whose argument has a size for each attribute.
        unsafe {
            match attribute(pool, number)? {
                Attribute::Switch(value) => *value = from.cast::<i32>().read() as u64,
                Attribute::Size(value) => *value = from.cast::<u64>().read(),
            }
        }
        // Marks can only be taken back to what is there now.
        pool.used_high = pool.used_high.max(used);
        pool.reserved_high = pool.reserved_high.max(reserved);
        Ok(())
    })
}

/// `CUmemAccessDesc`.
#[repr(C)]
struct Access {
    location: Location,
    flags: u32,
}

/// Reading and writing.
const READ_WRITE: u32 = 3;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemPoolSetAccess(handle: u64, accesses: *const Access, count: usize) -> u32 {
    call("cuMemPoolSetAccess", |session| {
        for at in 0..count {
            // SAFETY: the caller gives `count` of them.
            let access = unsafe { &*accesses.add(at) };
            if access.location.kind != DEVICE {
                return Err(Code::INVALID_VALUE);
            }
            let reader = device(session, access.location.ordinal)?;
            let peers = session.config.peers;
            let pool = session.pools.get_mut(&handle).ok_or(Code::INVALID_HANDLE)?;
            if reader != pool.device && !peers {
                return Err(Code::INVALID_DEVICE);
            }
            pool.readers.retain(|other| *other != reader);
            if access.flags == READ_WRITE {
                pool.readers.push(reader);
            }
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemPoolGetAccess(
    flags: *mut u32,
    handle: u64,
    location: *const Location,
) -> u32 {
    call("cuMemPoolGetAccess", |session| {
        // SAFETY: the interface of the call.
        let location = unsafe { location.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        let reader = device(session, location.ordinal)?;
        let pool = session.pools.get(&handle).ok_or(Code::INVALID_HANDLE)?;
        let can = pool.device == reader || pool.readers.contains(&reader);
        // SAFETY: the interface of the call.
        unsafe { put(flags, if can { READ_WRITE } else { 0 }) }
    })
}
