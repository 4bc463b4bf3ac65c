//! The memory that a kernel may reach, and how addresses tell one memory from another.

use std::fmt;

/// Where generic addresses of a block's memory begin.
pub const SHARED_WINDOW: u64 = 0x0300_0000_0000_0000;

/// Where generic addresses of a thread's memory begin.
pub const LOCAL_WINDOW: u64 = 0x0400_0000_0000_0000;

/// Where generic addresses of a kernel's arguments begin.
pub const PARAM_WINDOW: u64 = 0x0500_0000_0000_0000;

/// The upper bits of an address that tell the windows apart.
pub const WINDOW_MASK: u64 = 0xff00_0000_0000_0000;

/// Bytes that are allocated together.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// The address of the first byte, as kernels know it.
    pub start: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Where they lie in this process.
    pub host: *mut u8,
    /// Why a kernel must not reach them; none where it may.
    pub denied: Option<Denied>,
}

/// Why memory must not be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// It has been freed.
    Freed,
    /// Its allocation is in a stream and has not run yet.
    NotYetAllocated,
    /// It belongs to another device, whose memory this one may not reach.
    NoPeerAccess {
        /// The device that wants it.
        device: usize,
        /// The device that owns it.
        owner: usize,
    },
}

/// Memory that kernels reach by address.
///
/// # Safety
/// `host` of a region that is found points to `bytes` bytes that may be read and written, by this
/// thread alone, as long as the memory is borrowed.
pub unsafe trait Memory {
    /// The region that holds these bytes.
    fn find(&self, address: u64, bytes: u64) -> Result<Region, Violation>;

    /// Whether it wants to know of every access.
    fn watches(&self) -> bool {
        false
    }

    /// An access, told only to those that want to know.
    fn note(&self, _address: u64, _bytes: u64, _writes: bool) {}
}

/// Regions that do not overlap, in a list.
#[derive(Debug, Default)]
pub struct Regions {
    /// By address.
    regions: Vec<Region>,
}

/// Why an access to memory of devices fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// No allocation holds all of its bytes.
    OutOfBounds {
        /// First byte of the access.
        address: u64,
        /// Its bytes.
        bytes: u64,
        /// The allocation before it: first byte and bytes.
        before: Option<(u64, u64)>,
    },
    /// The allocation must not be reached.
    Denied {
        /// First byte of the access.
        address: u64,
        /// Why.
        why: Denied,
    },
}

impl Regions {
    /// Regions in any order.
    ///
    /// # Safety
    /// As long as the result is used, `host` of every region that is not denied points to `bytes`
    /// bytes that may be read and written and to which there is no reference.
    pub unsafe fn new(mut regions: Vec<Region>) -> Regions {
        regions.sort_unstable_by_key(|region| region.start);
        Regions { regions }
    }
}

// SAFETY: whoever made the list has promised it.
unsafe impl Memory for Regions {
    fn find(&self, address: u64, bytes: u64) -> Result<Region, Violation> {
        let end = self.regions.partition_point(|region| region.start <= address);
        let before = end.checked_sub(1).map(|at| self.regions[at]);
        within(before, address, bytes)
    }
}

/// The region that begins last before an address, if it holds the bytes and may be reached.
pub fn within(before: Option<Region>, address: u64, bytes: u64) -> Result<Region, Violation> {
    let fits = |region: &Region| {
        let offset = address - region.start;
        offset < region.bytes && bytes <= region.bytes - offset
    };
    match before.filter(fits) {
        None => Err(Violation::OutOfBounds {
            address,
            bytes,
            before: before.map(|region| (region.start, region.bytes)),
        }),
        Some(Region { denied: Some(why), .. }) => Err(Violation::Denied { address, why }),
        Some(region) => Ok(region),
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::OutOfBounds { address, bytes, before: None } => {
                write!(f, "out of bounds: {bytes} bytes at {address:#x}, which no allocation holds")
            }
            Violation::OutOfBounds { address, bytes, before: Some((start, length)) } => {
                let offset = address - start;
                write!(
                    f,
                    "out of bounds: {bytes} bytes at {address:#x}, byte {offset} of an \
                     allocation of {length} bytes"
                )
            }
            Violation::Denied { address, why: Denied::Freed } => {
                write!(f, "use after free: {address:#x}")
            }
            Violation::Denied { address, why: Denied::NotYetAllocated } => {
                write!(f, "use before allocation: {address:#x} is allocated later in its stream")
            }
            Violation::Denied { address, why: Denied::NoPeerAccess { device, owner } } => {
                write!(f, "no peer access: device {device} reaches {address:#x} of device {owner}")
            }
        }
    }
}
