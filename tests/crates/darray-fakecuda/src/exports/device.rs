//! Devices and what they are.

use super::{call, current, device, put};
use crate::driver::code::{Answer, Code};
use crate::driver::config::Config;
use std::ffi::c_char;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuInit(flags: u32) -> u32 {
    call("cuInit", |session| {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        if !session.initialized {
            let counters = session.counters.clone();
            session.start(Config::from_environment());
            session.counters = counters;
        }
        if session.devices.is_empty() { Err(Code::NO_DEVICE) } else { Ok(()) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetCount(count: *mut i32) -> u32 {
    call("cuDeviceGetCount", |session| {
        if !session.initialized {
            return Err(Code::NOT_INITIALIZED);
        }
        // SAFETY: the interface of the call.
        unsafe { put(count, session.devices.len() as i32) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGet(to: *mut i32, ordinal: i32) -> u32 {
    call("cuDeviceGet", |session| {
        let found = device(session, ordinal)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, found as i32) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, length: i32, ordinal: i32) -> u32 {
    call("cuDeviceGetName", |session| {
        let found = device(session, ordinal)?;
        if name.is_null() || length < 1 {
            return Err(Code::INVALID_VALUE);
        }
        let text = format!("fake CUDA device {found}");
        let bytes = text.bytes().take(length as usize - 1).chain([0]);
        for (at, byte) in bytes.enumerate() {
            // SAFETY: the caller gives `length` bytes.
            unsafe { name.add(at).write(byte as c_char) };
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetUuid_v2(to: *mut [u8; 16], ordinal: i32) -> u32 {
    call("cuDeviceGetUuid_v2", |session| {
        let found = device(session, ordinal)?;
        let mut uuid = *b"fake CUDA device";
        uuid[15] = found as u8;
        // SAFETY: the interface of the call.
        unsafe { put(to, uuid) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, ordinal: i32) -> u32 {
    call("cuDeviceTotalMem_v2", |session| {
        device(session, ordinal)?;
        // SAFETY: the interface of the call.
        unsafe { put(bytes, session.config.memory as usize) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetAttribute(value: *mut i32, attribute: u32, ordinal: i32) -> u32 {
    call("cuDeviceGetAttribute", |session| {
        let found = device(session, ordinal)?;
        // SAFETY: the interface of the call.
        unsafe { put(value, attribute_of(attribute, found)?) }
    })
}

/// Attributes as an H100 has them, where something depends on them.
fn attribute_of(attribute: u32, device: usize) -> Answer<i32> {
    Ok(match attribute {
        1 => 1024,               // threads per block
        2 | 3 => 1024,           // block extents
        4 => 64,                 //
        5 => i32::MAX,           // grid extents
        6 | 7 => 65535,          //
        8 => 48 << 10,           // shared memory per block
        9 => 64 << 10,           // constant memory
        10 => 32,                // warp size
        11 => i32::MAX,          // pitch
        12 => 65536,             // registers per block
        13 => 1_980_000,         // clock in kHz
        14 => 512,               // alignment of textures
        15 => 1,                 // copies overlap kernels
        16 => 8,                 // multiprocessors
        17 | 18 | 20 | 32 => 0,  // timeout, integrated, compute mode, error correction
        19 => 1,                 // host memory can be mapped
        31 => 1,                 // kernels run side by side
        33 => 1 + device as i32, // PCI bus
        34 | 50 => 0,            // PCI device and domain
        36 => 2_619_000,         // memory clock in kHz
        37 => 5120,              // width of the memory bus
        38 => 50 << 20,          // second-level cache
        39 => 2048,              // threads per multiprocessor
        40 => 3,                 // copy engines
        41 => 1,                 // one address space
        75 => 9,                 // compute capability
        76 => 0,                 //
        78 => 1,                 // priorities
        81 => 228 << 10,         // shared memory per multiprocessor
        82 => 65536,             // registers per multiprocessor
        83..=85 => 0,            // managed memory, multi-GPU board
        88 | 89 => 0,            // pageable and concurrent managed access
        90 => 1,                 // compute preemption
        91 => 1,                 // registered host memory keeps its address
        95 | 96 => 0,            // cooperative launches: blocks run one after the other
        97 => 227 << 10,         // shared memory per block, if asked for
        99 => 1,                 // host memory can be registered
        106 => 32,               // blocks per multiprocessor
        111 => 1 << 10,          // shared memory reserved per block
        115 => 1,                // pools
        _ => 0,
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceCanAccessPeer(to: *mut i32, from: i32, peer: i32) -> u32 {
    call("cuDeviceCanAccessPeer", |session| {
        let (from, peer) = (device(session, from)?, device(session, peer)?);
        let can = session.config.peers && from != peer;
        // SAFETY: the interface of the call.
        unsafe { put(to, i32::from(can)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetP2PAttribute(
    to: *mut i32,
    attribute: u32,
    from: i32,
    peer: i32,
) -> u32 {
    call("cuDeviceGetP2PAttribute", |session| {
        let (from, peer) = (device(session, from)?, device(session, peer)?);
        let can = session.config.peers && from != peer;
        let value = match attribute {
            1 => 0,
            2..=4 => i32::from(can),
            _ => return Err(Code::INVALID_VALUE),
        };
        // SAFETY: the interface of the call.
        unsafe { put(to, value) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetDevice(to: *mut i32) -> u32 {
    call("cuCtxGetDevice", |session| {
        let found = current(session)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, found as i32) }
    })
}
