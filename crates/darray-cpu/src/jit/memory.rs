//! Memory that holds code: written, then made executable.

use std::ptr::NonNull;

/// Code of this process. Given back when dropped.
pub(super) struct Executable {
    start: NonNull<u8>,
    bytes: usize,
    /// Bytes of the code.
    length: usize,
}

// SAFETY: the memory is never written after it was made.
unsafe impl Send for Executable {}
// SAFETY: see above.
unsafe impl Sync for Executable {}

impl Executable {
    /// Memory with these bytes; none where the system gives none that may be executed.
    pub fn new(code: &[u8]) -> Option<Executable> {
        let bytes = code.len().next_multiple_of(4096);
        // SAFETY: a new private mapping, filled within its size while it is writable, and given back
        // where it cannot be made executable.
        unsafe {
            let start = libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            if start == libc::MAP_FAILED {
                return None;
            }
            let memory =
                Executable { start: NonNull::new(start.cast())?, bytes, length: code.len() };
            memory.start.as_ptr().copy_from_nonoverlapping(code.as_ptr(), code.len());
            let made = libc::mprotect(start, bytes, libc::PROT_READ | libc::PROT_EXEC);
            (made == 0).then_some(memory)
        }
    }

    /// The code.
    pub fn code(&self) -> &[u8] {
        // SAFETY: so many bytes were written before the memory was made executable, which includes readable.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    /// The address of byte `offset`.
    pub fn at(&self, offset: usize) -> *const u8 {
        debug_assert!(offset < self.bytes);
        self.start.as_ptr().wrapping_add(offset)
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`; nothing else knows it but code that borrows `self`.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}
