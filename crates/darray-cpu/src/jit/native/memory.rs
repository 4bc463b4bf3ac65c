//! Memory that holds code.
//!
//! Functions lie one after another in regions, so that most of them cost one write rather than mappings and page faults
//! of their own. A region is a file that has no name and that is mapped once, to be read and executed: code comes in
//! through the file, no mapping can ever be written. A place is written once, since a process that was forked off
//! still executes what lies there. Where the system has no such files, a function has a mapping of its own, which is
//! written before it becomes executable.

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;

use crate::vector::LINE;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// Code of this process. Its region is given back with the last one there, once new code goes to another.
pub(in super::super) struct Executable {
    region: Arc<Region>,
    /// Where it begins in the region.
    begin: usize,
    /// Bytes of the code.
    length: usize,
}

/// A region, how much of it has been taken, and whose it is to write.
#[derive(Default)]
struct Current {
    region: Option<Arc<Region>>,
    /// What it is a mapping of, and how the system knows that file.
    file: Option<(File, u64)>,
    taken: usize,
    process: u32,
}

/// The region that new code goes to, as long as it has room: who makes one function after another and forgets each
/// before the next would pay for a region each time.
static CURRENT: Mutex<Option<Current>> = Mutex::new(None);

/// Bytes of a region, if no code is longer. What nothing was written to takes no memory.
const REGION: usize = 256 << 10;
const PAGE: usize = 4096;

impl Executable {
    /// Memory with these bytes; none where the system gives none that may be executed.
    pub fn new(code: &[u8]) -> Option<Executable> {
        let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
        current.get_or_insert_default().add(code).or_else(|| Executable::alone(code))
    }

    /// In a mapping of its own.
    fn alone(code: &[u8]) -> Option<Executable> {
        let bytes = code.len().next_multiple_of(PAGE);
        let region = Region::map(bytes, libc::PROT_READ | libc::PROT_WRITE, None)?;
        let start = region.start.as_ptr();
        // SAFETY: so many bytes of a new mapping that nobody else knows.
        let made = unsafe {
            start.copy_from_nonoverlapping(code.as_ptr(), code.len());
            libc::mprotect(start.cast(), bytes, libc::PROT_READ | libc::PROT_EXEC)
        };
        let region = Arc::new(region);
        (made == 0).then_some(Executable { region, begin: 0, length: code.len() })
    }

    /// The code.
    pub fn code(&self) -> &[u8] {
        // SAFETY: so many bytes of the region were written before this was made, and nothing writes them again; they
        // are mapped to be read.
        unsafe { std::slice::from_raw_parts(self.at(0), self.length) }
    }

    /// The address of byte `offset`.
    pub fn at(&self, offset: usize) -> *const u8 {
        debug_assert!(offset < self.length);
        self.region.start.as_ptr().wrapping_add(self.begin + offset)
    }
}

impl Current {
    /// Adds code to the region, or to a new one that takes its place; none where the system has no such regions.
    fn add(&mut self, code: &[u8]) -> Option<Executable> {
        // It begins a cache line, and shares it with no other.
        let bytes = code.len().next_multiple_of(LINE);
        let process = std::process::id();
        let has_room = |region: &Arc<Region>| self.taken + bytes <= region.bytes;
        let known = self.region.clone().filter(|_| process == self.process).filter(has_room);
        let region = match known.filter(|_| self.has_its_file()) {
            Some(region) => region,
            None => {
                let bytes = bytes.max(REGION).next_multiple_of(PAGE);
                let file = file(bytes)?;
                let number = file.metadata().ok()?.ino();
                let protection = libc::PROT_READ | libc::PROT_EXEC;
                let region = Arc::new(Region::map(bytes, protection, Some(&file))?);
                if !self.has_its_file() {
                    // Another's by now, not to be closed here.
                    std::mem::forget(self.file.take());
                }
                let (file, own) = (Some((file, number)), Some(region.clone()));
                *self = Current { region: own, file, taken: 0, process };
                region
            }
        };
        let begin = self.taken;
        self.taken += bytes;
        let (file, _) = self.file.as_ref()?;
        file.write_all_at(code, begin as u64).ok()?;
        Some(Executable { region, begin, length: code.len() })
    }

    /// Whether its descriptor still is that of the file: programs may close all that they did not open.
    fn has_its_file(&self) -> bool {
        let same = |(file, number): &(File, u64)| file.metadata().is_ok_and(|m| m.ino() == *number);
        self.file.as_ref().is_none_or(same)
    }
}

/// A file of so many bytes that has no name and may be executed; none where the system has none.
#[cfg(target_os = "linux")]
fn file(bytes: usize) -> Option<File> {
    use std::os::fd::FromRawFd;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is writable.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    // The system ends processes that make longer files than they may.
    if !known || limit.rlim_cur < bytes as u64 {
        return None;
    }
    // Systems before Linux 6.3 do not know that it is to be asked for.
    let flags = [libc::MFD_CLOEXEC | libc::MFD_EXEC, libc::MFD_CLOEXEC];
    // SAFETY: the name ends with zero.
    let open = |flags| unsafe { libc::memfd_create(c"darray code".as_ptr(), flags) };
    let descriptor = flags.into_iter().map(open).find(|&descriptor| descriptor >= 0)?;
    // SAFETY: it is open, and nobody else's.
    let file = unsafe { File::from_raw_fd(descriptor) };
    file.set_len(bytes as u64).ok()?;
    Some(file)
}

#[cfg(not(target_os = "linux"))]
fn file(_: usize) -> Option<File> {
    None
}

/// A mapping.
struct Region {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: what is mapped is only read once others know it, but where nothing lies yet.
unsafe impl Send for Region {}
// SAFETY: see above.
unsafe impl Sync for Region {}

impl Region {
    /// Of a file, or of memory.
    fn map(bytes: usize, protection: i32, file: Option<&File>) -> Option<Region> {
        let (kind, descriptor) = match file {
            Some(file) => (libc::MAP_SHARED, file.as_raw_fd()),
            None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1),
        };
        // SAFETY: a new mapping, of a file that is as long.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, kind, descriptor, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        Some(Region { start: NonNull::new(start.cast())?, bytes })
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `map`; all code in it is gone.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}
