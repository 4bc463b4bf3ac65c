//! Keys: the bits of elements as numbers that sort as the elements do.

use crate::level::{Level, Loop};
use crate::memory::Bits;
use darray_core::{Kind, RealType, Scalar};
use std::mem::MaybeUninit;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// An unsigned integer of an element's size.
pub(super) trait Key:
    Bits
    + Default
    + Ord
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    const BITS: u32;
    const MAX: Self;
    /// The sign's bit of an element, and the key of zero.
    const SIGN: Self;

    fn to_u64(self) -> u64;

    /// The lowest bits of a number.
    fn of_u64(bits: u64) -> Self;

    /// Eight bits, from this one on.
    fn digit(self, shift: u32) -> usize;

    /// The key of which these are the lowest eight bits, the others being zeros.
    fn of_digit(digit: u8) -> Self;
}

macro_rules! impl_key {
    ($($key:ty)+) => {
        $(
            impl Key for $key {
                const BITS: u32 = <$key>::BITS;
                const MAX: $key = <$key>::MAX;
                const SIGN: $key = 1 << (<$key>::BITS - 1);

                #[inline(always)]
                fn to_u64(self) -> u64 {
                    u64::from(self)
                }

                #[inline(always)]
                fn of_u64(bits: u64) -> $key {
                    bits as $key
                }

                #[inline(always)]
                fn digit(self, shift: u32) -> usize {
                    (self >> shift) as u8 as usize
                }

                #[inline(always)]
                fn of_digit(digit: u8) -> $key {
                    digit.into()
                }
            }
        )+
    };
}

impl_key! { u8 u16 u32 u64 }

/// The bits of infinity, of a float; of other elements they are not asked for.
pub(super) fn infinity<T: Key>(dtype: RealType) -> T {
    T::of_u64(if dtype.is_float() { Scalar::from(f64::INFINITY).cast(dtype).bits() } else { 0 })
}

/// The key of an element of a kind: unsigned (0), signed (1) or float (2), of which these are the bits of infinity.
#[inline(always)]
pub(super) fn ordered<T: Key, const KIND: u8>(bits: T, infinity: T) -> T {
    match KIND {
        0 => bits,
        1 => bits ^ T::SIGN,
        _ => float_key(bits, infinity).0,
    }
}

/// What was seen while keys were made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seen<T> {
    /// Elements whose keys do not tell their bits: NaN, and zeros with a sign.
    pub special: bool,
    /// Every key is at least the one before.
    pub ascending: bool,
    /// Every key is at most the one before.
    pub descending: bool,
    /// The bits in which keys differ.
    pub differ: T,
}

/// Keys made at once, so that they are looked at while they are near.
const BLOCK: usize = 256;

/// Makes the keys of `n` elements, `step` bytes from one to the next. Their keys are those of
/// [`sort_key`](darray_device::builtin::sort_key).
///
/// # Safety
/// The elements can be read, `to` can be written. The two are the same places or do not overlap.
pub(super) unsafe fn read<T: Key>(
    dtype: RealType,
    from: *const u8,
    step: isize,
    to: *mut T,
    n: usize,
    level: Level,
) -> Seen<T> {
    level.vectorized(Reading { dtype, from, step, to, n })
}

/// Made by [`read`] alone, whose contract it has.
struct Reading<T> {
    dtype: RealType,
    from: *const u8,
    step: isize,
    to: *mut T,
    n: usize,
}

impl<T: Key> Loop for Reading<T> {
    type Result = Seen<T>;

    #[inline(always)]
    fn run(self) -> Seen<T> {
        let Reading { dtype, from, step, to, n } = self;
        // SAFETY: the contract of `read`.
        unsafe {
            match dtype.kind() {
                Kind::Bool | Kind::Unsigned => read_by(from, step, to, n, |bits| (bits, false)),
                Kind::Signed => read_by(from, step, to, n, |bits| (bits ^ T::SIGN, false)),
                Kind::Float | Kind::Brain => {
                    let infinity = infinity(dtype);
                    read_by(from, step, to, n, |bits| float_key(bits, infinity))
                }
            }
        }
    }
}

/// # Safety
/// As for [`read`].
#[inline(always)]
unsafe fn read_by<T: Key>(
    from: *const u8,
    step: isize,
    to: *mut T,
    n: usize,
    key: impl Fn(T) -> (T, bool),
) -> Seen<T> {
    let mut seen = Seen { special: false, ascending: true, descending: true, differ: T::default() };
    // Not set to zeros: lanes may be short.
    let mut block = [const { MaybeUninit::<T>::uninit() }; BLOCK];
    for start in (0..n).step_by(BLOCK) {
        let count = BLOCK.min(n - start);
        let from = from.wrapping_offset(start as isize * step);
        // SAFETY: the caller's contract. The block's elements are read before its keys are written.
        let (bits, keys) = unsafe {
            read_bits(from, step, block.as_mut_ptr().cast::<T>(), count);
            let bits = std::slice::from_raw_parts(block.as_ptr().cast::<T>(), count);
            (bits, std::slice::from_raw_parts_mut(to.add(start), count))
        };
        for (to, &bits) in keys.iter_mut().zip(bits) {
            let special;
            (*to, special) = key(bits);
            seen.special |= special;
        }
        let first = start.saturating_sub(1);
        // SAFETY: keys made by this block and the one before.
        let keys = unsafe { std::slice::from_raw_parts(to.add(first), start + count - first) };
        seen.look(keys);
    }
    seen
}

impl<T: Key> Seen<T> {
    /// What was seen of parts of keys, which begin there, is what is so of all of them.
    pub fn together(parts: impl Iterator<Item = (Seen<T>, usize)>, keys: &[T]) -> Seen<T> {
        let none = Seen { special: false, ascending: true, descending: true, differ: T::default() };
        parts.fold(none, |all, (part, begin)| {
            let mut seen = Seen {
                special: all.special | part.special,
                ascending: all.ascending & part.ascending,
                descending: all.descending & part.descending,
                differ: all.differ | part.differ,
            };
            if begin > 0 && begin < keys.len() {
                seen.look(&keys[begin - 1..=begin]);
            }
            seen
        })
    }

    /// Looks at the next keys, of which the first was seen already or is the first of all.
    #[inline(always)]
    fn look(&mut self, keys: &[T]) {
        let (before, after) = (&keys[..keys.len() - 1], &keys[1..]);
        let pairs = || before.iter().zip(after);
        // Without an early end, so that it is vector code; what was found false is not asked again.
        if self.ascending {
            self.ascending = pairs().fold(true, |all, (a, b)| all & (a <= b));
        }
        if self.descending {
            self.descending = pairs().fold(true, |all, (a, b)| all & (a >= b));
        }
        self.differ = pairs().fold(self.differ, |differ, (&a, &b)| differ | (a ^ b));
    }
}

/// # Safety
/// As for [`read`].
#[inline(always)]
unsafe fn read_bits<T: Key>(from: *const u8, step: isize, bits: *mut T, n: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        if step == size_of::<T>() as isize {
            return std::ptr::copy_nonoverlapping(from.cast(), bits, n);
        }
        for i in 0..n {
            bits.add(i).write(from.wrapping_offset(i as isize * step).cast::<T>().read());
        }
    }
}

/// The key of a float, by the bits of infinity, and whether it does not tell the bits.
#[inline(always)]
fn float_key<T: Key>(bits: T, infinity: T) -> (T, bool) {
    let nan = (bits & !T::SIGN) > infinity;
    let key = if bits & T::SIGN == T::default() { bits | T::SIGN } else { !bits };
    let key = if bits == T::SIGN { T::SIGN } else { key };
    (if nan { T::MAX } else { key }, nan | (bits == T::SIGN))
}

/// Makes elements of keys, in place. Zeros get no sign; see [`Specials`].
pub(super) fn restore<T: Key>(dtype: RealType, keys: &mut [T], level: Level) {
    level.vectorized(Restoring { dtype, keys });
}

struct Restoring<'k, T> {
    dtype: RealType,
    keys: &'k mut [T],
}

impl<T: Key> Loop for Restoring<'_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let keys = self.keys.iter_mut();
        match self.dtype.kind() {
            Kind::Bool | Kind::Unsigned => {}
            Kind::Signed => keys.for_each(|key| *key = *key ^ T::SIGN),
            Kind::Float | Kind::Brain => keys.for_each(|key| {
                *key = if *key & T::SIGN == T::default() { !*key } else { *key ^ T::SIGN }
            }),
        }
    }
}

/// Zeros and NaN, whose bits are not in their keys: a stable sort leaves them in the order of the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Specials {
    /// Number of the first zero in the result.
    zeros: usize,
    /// Number of the first NaN.
    nans: usize,
}

impl Specials {
    /// Where they are among sorted keys.
    pub fn find<T: Key>(keys: &[T]) -> Specials {
        Specials {
            zeros: keys.partition_point(|&key| key < T::SIGN),
            nans: keys.partition_point(|&key| key < T::MAX),
        }
    }

    /// Writes those of elements of this type, `to_step` bytes from one element of the result to the next.
    ///
    /// # Safety
    /// The `n` elements of the input can be read, those of the result written. They are floats.
    pub unsafe fn write<T: Key>(
        mut self,
        dtype: RealType,
        from: *const u8,
        step: isize,
        to: *mut u8,
        to_step: isize,
        n: usize,
    ) {
        let infinity = infinity(dtype);
        for i in 0..n as isize {
            // SAFETY: the caller's contract; the result has as many zeros and NaN as the input.
            unsafe {
                let bits = from.wrapping_offset(i * step).cast::<T>().read();
                let size = bits & !T::SIGN;
                let at = match size {
                    _ if size == T::default() => &mut self.zeros,
                    _ if size > infinity => &mut self.nans,
                    _ => continue,
                };
                to.wrapping_offset(*at as isize * to_step).cast::<T>().write(bits);
                *at += 1;
            }
        }
    }
}

/// Runs that make the result together.
impl std::iter::Sum for Specials {
    fn sum<I: Iterator<Item = Specials>>(runs: I) -> Specials {
        runs.fold(Specials { zeros: 0, nans: 0 }, |sum, run| Specials {
            zeros: sum.zeros + run.zeros,
            nans: sum.nans + run.nans,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, Seen, read};
    use crate::level::Level;
    use darray_core::{RealType, Scalar};
    use darray_device::builtin::sort_key;

    fn read_all<T: Key>(dtype: RealType, elements: &[T]) -> (Vec<T>, Seen<T>) {
        let mut keys = elements.to_vec();
        let (from, step) = (elements.as_ptr().cast(), size_of::<T>() as isize);
        // SAFETY: as many elements as keys.
        let seen =
            unsafe { read(dtype, from, step, keys.as_mut_ptr(), keys.len(), Level::detect()) };
        (keys, seen)
    }

    fn agree<T: Key>(dtype: RealType, of: impl Fn(u64) -> T) {
        let values = [0.0, -0.0, 1.0, -1.5, 1e9, -1e-5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let scalars = values.map(|value| Scalar::from(value).cast(dtype).bits());
        for bits in scalars.into_iter().chain([u64::MAX, 1, 1 << 63]).map(of) {
            let (keys, _) = read_all(dtype, &[bits]);
            assert_eq!(keys[0].to_u64(), sort_key(dtype, bits.to_u64()), "{dtype}");
        }
    }

    #[test]
    fn keys_are_those_of_every_device() {
        for dtype in RealType::ALL {
            match dtype.size() {
                1 => agree(dtype, |bits| bits as u8),
                2 => agree(dtype, |bits| bits as u16),
                4 => agree(dtype, |bits| bits as u32),
                _ => agree(dtype, |bits| bits),
            }
        }
    }

    #[test]
    fn order_and_specials_are_seen() {
        let seen = |values: &[f64]| {
            let seen =
                read_all(RealType::F64, &values.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
            (seen.1.ascending, seen.1.descending, seen.1.special)
        };
        let mut long: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(seen(&long), (true, false, false));
        // The last of a block of keys and the first of the next.
        long.swap(255, 256);
        assert_eq!(seen(&long), (false, false, false));
        assert_eq!(seen(&[2.0, 1.0, 1.0, -3.0]), (false, true, false));
        assert_eq!(seen(&[-0.0, 0.0, -0.0]), (true, true, true));
        assert_eq!(seen(&[1.0, f64::NAN]), (true, false, true));
    }
}
