//! Loads, stores and atomic operations of a warp.

use super::arithmetic;
use super::block::Machine;
use super::fault::Reason;
use super::integer::{mask, signed};
use super::lanes::{LANES, Lanes, each};
use crate::ptx::code::{Binary, Change, Number, Place, Reach, Register, Registers};
use crate::ptx::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_MASK};
use crate::ptx::types::{Type, Width};

/// Regions that were reached before: the last one, and one for each of some kinds of address.
#[derive(Clone, Copy, Default)]
pub(super) struct Recent {
    last: Known,
    others: [Known; KNOWN],
}

/// How many regions are kept.
const KNOWN: usize = 16;

/// A region that may be reached.
#[derive(Clone, Copy)]
struct Known {
    start: u64,
    bytes: u64,
    host: *mut u8,
}

impl Default for Known {
    fn default() -> Known {
        Known { start: 0, bytes: 0, host: std::ptr::null_mut() }
    }
}

impl Known {
    /// Where bytes lie in this process, if the region holds them.
    #[inline(always)]
    fn host(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        let offset = address.wrapping_sub(self.start);
        let inside = offset < self.bytes && bytes <= self.bytes - offset;
        inside.then(|| self.host.wrapping_add(offset as usize))
    }
}

impl Recent {
    /// Where bytes lie, if one of the regions holds them.
    fn find(&mut self, address: u64, bytes: u64) -> Option<*mut u8> {
        let found = self
            .others
            .iter()
            .find_map(|known| known.host(address, bytes).map(|host| (*known, host)));
        let (known, host) = found?;
        self.last = known;
        Some(host)
    }

    /// Keeps a region in place of the one that was found longest ago.
    fn keep(&mut self, known: Known) {
        self.others.rotate_right(1);
        self.others[0] = known;
        self.last = known;
    }
}

/// A lane and why it cannot go on.
pub(super) type Failed = (usize, Reason);

/// Where bytes of an access lie in this process.
///
/// The pointer may be read and written for `bytes` bytes until the machine runs on.
#[inline(always)]
fn host(
    machine: &mut Machine,
    local: &mut [Vec<u8>],
    reach: Reach,
    lane: usize,
    address: u64,
    bytes: u64,
) -> Result<*mut u8, Reason> {
    if !address.is_multiple_of(bytes) {
        return Err(Reason::Misaligned { address, bytes });
    }
    match reach {
        Reach::Global | Reach::Generic => {
            if let Some(host) = machine.recent.last.host(address, bytes) {
                return Ok(host);
            }
        }
        Reach::Shared if address.saturating_add(bytes) <= machine.shared_bytes => {
            return Ok(machine.shared().wrapping_add(address as usize));
        }
        _ => {}
    }
    host_slow(machine, local, reach, lane, address, bytes)
}

#[inline(never)]
fn host_slow(
    machine: &mut Machine,
    local: &mut [Vec<u8>],
    reach: Reach,
    lane: usize,
    address: u64,
    bytes: u64,
) -> Result<*mut u8, Reason> {
    let (start, size, memory) = match reach {
        Reach::Global => {
            if let Some(host) = machine.recent.find(address, bytes) {
                return Ok(host);
            }
            let region = machine.memory.find(address, bytes).map_err(Reason::Memory)?;
            let (start, bytes, host) = (region.start, region.bytes, region.host);
            machine.recent.keep(Known { start, bytes, host });
            return Ok(host.wrapping_add((address - start) as usize));
        }
        Reach::Generic => {
            let reach = match address & WINDOW_MASK {
                SHARED_WINDOW => Reach::Shared,
                LOCAL_WINDOW => Reach::Local,
                PARAM_WINDOW => Reach::Param,
                _ => return host_slow(machine, local, Reach::Global, lane, address, bytes),
            };
            return host_slow(machine, local, reach, lane, address & !WINDOW_MASK, bytes);
        }
        Reach::Shared => (machine.shared(), machine.shared_bytes, "shared memory"),
        Reach::Local => {
            (local[lane].as_mut_ptr(), local[lane].len() as u64, "memory of the thread")
        }
        Reach::Param => {
            let arguments = machine.launch.arguments;
            // The decoder makes no store to a kernel's arguments.
            (arguments.as_ptr().cast_mut(), arguments.len() as u64, "the arguments")
        }
    };
    if address >= size || bytes > size - address {
        return Err(Reason::Outside { memory, offset: address, bytes, size });
    }
    Ok(start.wrapping_add(address as usize))
}

/// Whether an address belongs to a memory.
pub(super) fn is_within(address: u64, reach: Reach) -> bool {
    let window = address & WINDOW_MASK;
    match reach {
        Reach::Shared => window == SHARED_WINDOW,
        Reach::Local => window == LOCAL_WINDOW,
        Reach::Param => window == PARAM_WINDOW,
        Reach::Global | Reach::Generic => {
            ![SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW].contains(&window)
        }
    }
}

/// Tells memory that wants to know which bytes the lanes of a mask reach.
#[inline(never)]
fn tell(machine: &Machine, base: &Lanes, lanes: u32, place: Place, bytes: usize, writes: bool) {
    if matches!(place.reach, Reach::Global | Reach::Generic) {
        each(lanes, |lane| {
            let address = base[lane].wrapping_add_signed(place.offset);
            machine.memory.note(address, bytes as u64, writes);
        });
    }
}

/// Calls `visit` for the lanes of a mask until one fails.
#[inline(always)]
fn each_until(
    mut lanes: u32,
    mut visit: impl FnMut(usize) -> Result<(), Reason>,
) -> Result<(), Failed> {
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        visit(lane).map_err(|reason| (lane, reason))?;
        lanes &= lanes - 1;
    }
    Ok(())
}

/// A load.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the fields of the instruction")]
pub(super) fn load(
    machine: &mut Machine,
    local: &mut [Vec<u8>],
    registers: &mut [Lanes],
    lanes: u32,
    kind: Type,
    extend: Option<Width>,
    count: u8,
    to: Registers,
    place: Place,
) -> Result<(), Failed> {
    let size = kind.bytes();
    let base = registers[usize::from(place.register)];
    if machine.watched {
        tell(machine, &base, lanes, place, size * usize::from(count), false);
    }
    match (size, count, extend) {
        (4, 1, None) => {
            let to = &mut registers[usize::from(to[0])];
            each_until(lanes, |lane| {
                let address = base[lane].wrapping_add_signed(place.offset);
                let from = host(machine, local, place.reach, lane, address, 4)?;
                // SAFETY: `host` gives a pointer to 4 readable bytes.
                to[lane] = unsafe { from.cast::<u32>().read_unaligned() }.into();
                Ok(())
            })
        }
        (8, 1, None) => {
            let to = &mut registers[usize::from(to[0])];
            each_until(lanes, |lane| {
                let address = base[lane].wrapping_add_signed(place.offset);
                let from = host(machine, local, place.reach, lane, address, 8)?;
                // SAFETY: `host` gives a pointer to 8 readable bytes.
                to[lane] = unsafe { from.cast::<u64>().read_unaligned() };
                Ok(())
            })
        }
        _ => each_until(lanes, |lane| {
            let address = base[lane].wrapping_add_signed(place.offset);
            let bytes = size * usize::from(count);
            let from = host(machine, local, place.reach, lane, address, bytes as u64)?;
            for part in 0..usize::from(count) {
                let mut value = [0; 8];
                // SAFETY: `host` gives a pointer to `size * count` readable bytes.
                unsafe {
                    std::ptr::copy_nonoverlapping(from.add(part * size), value.as_mut_ptr(), size);
                }
                let value = u64::from_le_bytes(value);
                registers[usize::from(to[part])][lane] = match (kind, extend) {
                    (Type::Signed(width), Some(register)) => {
                        signed(value, width) as u64 & mask(register)
                    }
                    _ => value,
                };
            }
            Ok(())
        }),
    }
}

/// A store.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the fields of the instruction")]
pub(super) fn store(
    machine: &mut Machine,
    local: &mut [Vec<u8>],
    registers: &[Lanes],
    lanes: u32,
    kind: Type,
    count: u8,
    from: Registers,
    place: Place,
) -> Result<(), Failed> {
    let size = kind.bytes();
    let base = &registers[usize::from(place.register)];
    if machine.watched {
        tell(machine, base, lanes, place, size * usize::from(count), true);
    }
    match (size, count) {
        (4, 1) => {
            let from = &registers[usize::from(from[0])];
            each_until(lanes, |lane| {
                let address = base[lane].wrapping_add_signed(place.offset);
                let to = host(machine, local, place.reach, lane, address, 4)?;
                // SAFETY: `host` gives a pointer to 4 writable bytes.
                unsafe { to.cast::<u32>().write_unaligned(from[lane] as u32) };
                Ok(())
            })
        }
        (8, 1) => {
            let from = &registers[usize::from(from[0])];
            each_until(lanes, |lane| {
                let address = base[lane].wrapping_add_signed(place.offset);
                let to = host(machine, local, place.reach, lane, address, 8)?;
                // SAFETY: `host` gives a pointer to 8 writable bytes.
                unsafe { to.cast::<u64>().write_unaligned(from[lane]) };
                Ok(())
            })
        }
        _ => each_until(lanes, |lane| {
            let address = base[lane].wrapping_add_signed(place.offset);
            let bytes = size * usize::from(count);
            let to = host(machine, local, place.reach, lane, address, bytes as u64)?;
            for part in 0..usize::from(count) {
                let value = registers[usize::from(from[part])][lane].to_le_bytes();
                // SAFETY: `host` gives a pointer to `size * count` writable bytes.
                unsafe {
                    std::ptr::copy_nonoverlapping(value.as_ptr(), to.add(part * size), size);
                }
            }
            Ok(())
        }),
    }
}

/// An atomic operation; lanes take their turns from the lowest.
#[expect(clippy::too_many_arguments, reason = "the fields of the instruction")]
pub(super) fn atomic(
    machine: &mut Machine,
    local: &mut [Vec<u8>],
    registers: &mut [Lanes],
    lanes: u32,
    change: Change,
    number: Number,
    to: Option<Register>,
    place: Place,
    from: [Register; 2],
) -> Result<(), Failed> {
    let size = crate::ptx::decode::memory_type(number).bytes();
    let base = registers[usize::from(place.register)];
    if machine.watched {
        tell(machine, &base, lanes, place, size, true);
    }
    each_until(lanes, |lane| {
        let address = base[lane].wrapping_add_signed(place.offset);
        let at = host(machine, local, place.reach, lane, address, size as u64)?;
        let mut old = [0; 8];
        // SAFETY: `host` gives a pointer to `size` bytes that may be read and written.
        unsafe { std::ptr::copy_nonoverlapping(at, old.as_mut_ptr(), size) };
        let old = u64::from_le_bytes(old);
        let [value, other] = from.map(|register| registers[usize::from(register)][lane]);
        let new = changed(change, number, old, value, other).to_le_bytes();
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(new.as_ptr(), at, size) };
        if let Some(to) = to {
            registers[usize::from(to)][lane] = old;
        }
        Ok(())
    })
}

/// What memory holds after an atomic operation.
pub(super) fn changed(change: Change, number: Number, old: u64, value: u64, other: u64) -> u64 {
    let operator = match change {
        Change::Add => Binary::Add,
        Change::Minimum => Binary::Minimum,
        Change::Maximum => Binary::Maximum,
        Change::And => Binary::And,
        Change::Or => Binary::Or,
        Change::Xor => Binary::Xor,
        Change::Exchange => return value,
        Change::CompareExchange => return if old == value { other } else { old },
        Change::Increment => return if old >= value { 0 } else { old + 1 },
        Change::Decrement => return if old == 0 || old > value { value } else { old - 1 },
    };
    let mut registers = [[old; LANES], [value; LANES]];
    arithmetic::binary(&mut registers, 1, operator, number, 0, [0, 1]);
    registers[0][0]
}
