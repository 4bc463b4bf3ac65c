//! What a real driver does not have: settings, counts and errors in words, for tests.

use crate::driver::config::Config;
use crate::driver::counters::Counters;
use crate::driver::lock;
use std::ffi::{CStr, c_char};

/// # Safety
/// `text` is null or ends with a zero byte.
unsafe fn read<'a>(text: *const c_char) -> Option<&'a str> {
    if text.is_null() {
        return Some("");
    }
    // SAFETY: the caller promises it.
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}

/// Forgets everything and starts anew with the default settings and those of a text
/// (`devices=2 sched=random:7`). All handles are void.
///
/// Returns 0, or 1 if a setting is unknown; then nothing has changed.
#[unsafe(no_mangle)]
unsafe extern "C" fn fakecuda_configure(text: *const c_char) -> u32 {
    // SAFETY: the interface of the call.
    let Some(text) = (unsafe { read(text) }) else { return 1 };
    let mut config = Config::default();
    let mut driver = lock();
    match config.apply(text) {
        Ok(()) => {
            driver.start(config);
            0
        }
        Err(why) => {
            driver.report(why);
            1
        }
    }
}

/// Changes settings of a text and leaves all else as it is; the number of devices stays.
///
/// Returns 0, or 1 if a setting is unknown.
#[unsafe(no_mangle)]
unsafe extern "C" fn fakecuda_set(text: *const c_char) -> u32 {
    // SAFETY: the interface of the call.
    let Some(text) = (unsafe { read(text) }) else { return 1 };
    let mut driver = lock();
    let mut config = driver.config.clone();
    match config.apply(text) {
        Ok(()) => {
            driver.change(config);
            0
        }
        Err(why) => {
            driver.report(why);
            1
        }
    }
}

/// A count by its name (see `Counters`), the calls of a function of the driver by its name, or
/// `allocated:D`, the bytes that are allocated on device D.
#[unsafe(no_mangle)]
unsafe extern "C" fn fakecuda_count(name: *const c_char) -> u64 {
    // SAFETY: the interface of the call.
    let Some(name) = (unsafe { read(name) }) else { return 0 };
    lock().count(name)
}

/// Sets all counts to zero; calls that are asked to fail are counted from here.
#[unsafe(no_mangle)]
extern "C" fn fakecuda_reset_counts() {
    lock().counters = Counters::default();
}

/// Writes the last error in words, cut to `length` bytes with a zero at the end, and returns how
/// long it is. With nothing to write to, it only returns the length.
#[unsafe(no_mangle)]
unsafe extern "C" fn fakecuda_error(to: *mut c_char, length: usize) -> usize {
    let driver = lock();
    let text = driver.error.as_bytes();
    if !to.is_null() && length > 0 {
        let bytes = text.iter().copied().take(length - 1).chain([0]);
        for (at, byte) in bytes.enumerate() {
            // SAFETY: the caller gives `length` bytes.
            unsafe { to.add(at).write(byte as c_char) };
        }
    }
    text.len()
}
