//! Memory for measurements.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};

/// A huge page, to which buffers are aligned.
const PAGE: usize = 2 << 20;

/// Zeroed, resident memory for elements, aligned to and advised to use huge pages.
///
/// ```
/// let mut numbers = darray_benches::memory::Buffer::<f64>::new(3);
/// numbers.as_mut_slice()[2] = 1.5;
/// assert_eq!(numbers.as_slice(), [0.0, 0.0, 1.5]);
/// ```
#[derive(Debug)]
pub struct Buffer<T> {
    pointer: *mut T,
    length: usize,
    layout: Layout,
}

/// Types of which all bits zero is a value.
pub trait Number: Copy + Send + Sync + 'static {}
impl Number for f64 {}
impl Number for f32 {}

impl<T: Number> Buffer<T> {
    /// `length` zeros.
    pub fn new(length: usize) -> Buffer<T> {
        let bytes = (length * size_of::<T>()).max(1);
        let layout = Layout::from_size_align(bytes, PAGE).expect("less than the address space");
        // SAFETY: the size is not zero.
        let pointer = unsafe { alloc(layout) };
        if pointer.is_null() {
            handle_alloc_error(layout);
        }
        #[cfg(target_os = "linux")]
        // SAFETY: the range was just allocated; advice changes no contents.
        unsafe {
            libc::madvise(pointer.cast(), bytes / PAGE * PAGE, libc::MADV_HUGEPAGE);
        }
        // After the advice, which small pages that are there would not heed.
        // SAFETY: `bytes` bytes were allocated.
        unsafe { pointer.write_bytes(0, bytes) };
        Buffer { pointer: pointer.cast(), length, layout }
    }

    /// The elements.
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: so many elements, initialised with zeros.
        unsafe { std::slice::from_raw_parts(self.pointer, self.length) }
    }

    /// The elements, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: so many elements, initialised with zeros, borrowed as a whole.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.length) }
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout; nothing borrows it any more.
        unsafe { dealloc(self.pointer.cast(), self.layout) };
    }
}
