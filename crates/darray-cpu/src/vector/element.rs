//! Elements as they lie in memory.

use darray_kernel::element::{Element, bf16, f16};

/// An element type with its form in memory.
///
/// A bool is read from a byte by comparison with zero: bytes that came from outside are no
/// undefined behaviour.
pub(super) trait InMemory: Element {
    type Raw: Copy;
    fn from_raw(raw: Self::Raw) -> Self;
    fn into_raw(self) -> Self::Raw;
}

/// Numbers lie in memory as they are.
macro_rules! in_memory {
    (Bool $bool:ident $name:ident) => {
        impl InMemory for $bool {
            type Raw = u8;
            #[inline(always)]
            fn from_raw(raw: u8) -> $bool {
                raw != 0
            }
            #[inline(always)]
            fn into_raw(self) -> u8 {
                self as u8
            }
        }
    };
    ($kind:ident $number:ident $name:ident) => {
        impl InMemory for $number {
            type Raw = $number;
            #[inline(always)]
            fn from_raw(raw: $number) -> $number {
                raw
            }
            #[inline(always)]
            fn into_raw(self) -> $number {
                self
            }
        }
    };
}

darray_core::each_element! { in_memory }

/// `n` elements at an address.
#[derive(Clone, Copy)]
pub(super) struct Run<T: InMemory>(pub *mut T::Raw);

impl<T: InMemory> Run<T> {
    #[inline(always)]
    pub fn new(address: *const u8) -> Run<T> {
        Run(address.cast_mut().cast())
    }

    /// # Safety
    /// Element `at` is readable.
    #[inline(always)]
    pub unsafe fn get(self, at: usize) -> T {
        // SAFETY: as the caller says; addresses are aligned to the element.
        unsafe { T::from_raw(self.0.add(at).read()) }
    }

    /// # Safety
    /// Element `at` is writable.
    #[inline(always)]
    pub unsafe fn set(self, at: usize, value: T) {
        // SAFETY: as the caller says; addresses are aligned to the element.
        unsafe { self.0.add(at).write(value.into_raw()) }
    }

    /// # Safety
    /// Elements `at..at + N` are writable.
    #[inline(always)]
    pub unsafe fn set_chunk<const N: usize>(self, at: usize, values: [T::Raw; N]) {
        // SAFETY: as the caller says; addresses are aligned to the element.
        unsafe { self.0.add(at).cast::<[T::Raw; N]>().write(values) }
    }
}

/// Gives `at` back, and keeps the compiler from making one iteration of several of the loop that
/// counts with it: it would vectorise across chunks, with gathers.
#[inline(always)]
pub(super) fn one_by_one(at: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        let mut at = at;
        // SAFETY: no instruction.
        unsafe {
            std::arch::asm!("/* {0} */", inout(reg) at, options(pure, nomem, nostack, preserves_flags));
        }
        at
    }
    #[cfg(not(target_arch = "x86_64"))]
    at
}
