//! Memory that holds code.
//!
//! Functions lie one after another in regions, so that most of them cost one write rather than mappings and page faults
//! of their own. A region is a file that has no name and that is mapped once, to be read and executed: code comes in
//! through the file, no mapping can ever be written.

mod ranges;
#[cfg(test)]
mod tests;

use ranges::Ranges;
use std::fs::File;
use std::os::fd::FromRawFd;
use std::os::unix::fs::FileExt;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Code of this process. Given back when dropped, with its region if it is the last one there.
pub(super) struct Executable {
    region: Arc<Region>,
    /// Where it begins in the region.
    begin: usize,
    /// Bytes of the code.
    length: usize,
}

/// The region that new code goes to, while anything is there.
static CURRENT: Mutex<Weak<Region>> = Mutex::new(Weak::new());

/// Bytes of a region, if no code is longer. What nothing was written to takes no memory.
const REGION: usize = 256 << 10;
/// Code begins a cache line, and shares it with no other.
const LINE: usize = 64;
const PAGE: usize = 4096;

impl Executable {
    /// Memory with these bytes; none where the system gives none that may be executed.
    pub fn new(code: &[u8]) -> Option<Executable> {
        Executable::beside(&CURRENT, code)
    }

    /// In this region, or else in a new one that takes its place.
    fn beside(current: &Mutex<Weak<Region>>, code: &[u8]) -> Option<Executable> {
        let mut current = current.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = code.len().next_multiple_of(LINE);
        let place = |region: Arc<Region>| region.take(bytes).map(|begin| (region, begin));
        let (region, begin) = match current.upgrade().and_then(place) {
            Some(found) => found,
            None => {
                let region = Arc::new(Region::new(bytes.max(REGION).next_multiple_of(PAGE))?);
                *current = Arc::downgrade(&region);
                place(region)?
            }
        };
        let executable = Executable { region, begin, length: code.len() };
        executable.region.file.write_all_at(code, begin as u64).ok()?;
        Some(executable)
    }

    /// The code.
    pub fn code(&self) -> &[u8] {
        // SAFETY: so many bytes of the region were written in `new`, and nothing writes them while this lives; it is
        // mapped to be read.
        unsafe { std::slice::from_raw_parts(self.at(0), self.length) }
    }

    /// The address of byte `offset`.
    pub fn at(&self, offset: usize) -> *const u8 {
        debug_assert!(offset < self.length);
        self.region.start.as_ptr().wrapping_add(self.begin + offset)
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        let bytes = self.length.next_multiple_of(LINE);
        self.region.free().give(self.begin..self.begin + bytes);
    }
}

struct Region {
    file: File,
    start: NonNull<u8>,
    bytes: usize,
    free: Mutex<Ranges>,
}

// SAFETY: what is mapped is only read, and written through the file only where nothing has its place.
unsafe impl Send for Region {}
// SAFETY: see above.
unsafe impl Sync for Region {}

impl Region {
    fn new(bytes: usize) -> Option<Region> {
        let file = file()?;
        file.set_len(bytes as u64).ok()?;
        let (protection, kind) = (libc::PROT_READ | libc::PROT_EXEC, libc::MAP_SHARED);
        let descriptor = std::os::fd::AsRawFd::as_raw_fd(&file);
        // SAFETY: a new mapping of a file that is as long.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, kind, descriptor, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start = NonNull::new(start.cast())?;
        Some(Region { file, start, bytes, free: Mutex::new(Ranges::new(bytes)) })
    }

    /// Where so many bytes were free, which they are no longer.
    fn take(&self, bytes: usize) -> Option<usize> {
        self.free().take(bytes)
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Ranges> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`; all code in it is gone.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// A file without a name, in memory, that may be mapped to be executed.
fn file() -> Option<File> {
    // Systems before Linux 6.3 do not know that it is to be asked for.
    for flags in [libc::MFD_CLOEXEC | libc::MFD_EXEC, libc::MFD_CLOEXEC] {
        // SAFETY: the name ends with zero.
        let descriptor = unsafe { libc::memfd_create(c"darray code".as_ptr(), flags) };
        if descriptor >= 0 {
            // SAFETY: it is open, and nobody else's.
            return Some(unsafe { File::from_raw_fd(descriptor) });
        }
    }
    None
}
