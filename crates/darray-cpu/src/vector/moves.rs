//! Copies between memory with strides and contiguous blocks.

/// Calls a generic function with the unsigned integer type of a size in bytes.
macro_rules! by_size {
    ($size:expr, $function:ident($($arg:expr),*)) => {
        match $size {
            1 => $function::<u8>($($arg),*),
            4 => $function::<u32>($($arg),*),
            8 => $function::<u64>($($arg),*),
            other => unreachable!("no element has {other} bytes"),
        }
    };
}

/// Reads `n` elements of `size` bytes, `stride` bytes apart, into a block.
///
/// # Safety
/// The elements are readable, the block writable, neither overlaps the other, all aligned to `size`.
#[inline]
pub(crate) unsafe fn gather(from: *const u8, stride: i64, out: *mut u8, n: usize, size: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        if stride == size as i64 {
            std::ptr::copy_nonoverlapping(from, out, n * size);
        } else {
            by_size!(size, gather_sized(from, stride, out, n));
        }
    }
}

unsafe fn gather_sized<T: Copy>(from: *const u8, stride: i64, out: *mut u8, n: usize) {
    let out = out.cast::<T>();
    for k in 0..n {
        // SAFETY: element k of `n`, see `gather`.
        unsafe { out.add(k).write(from.offset(k as isize * stride as isize).cast::<T>().read()) };
    }
}

/// Writes `n` elements of `size` bytes, `step` bytes apart (0: one element again and again), to
/// places `stride` bytes apart. Ascending.
///
/// # Safety
/// The elements are readable, the places writable, all aligned to `size`. They do not overlap, or
/// are the same.
#[inline]
pub(crate) unsafe fn scatter(
    value: *const u8,
    step: usize,
    to: *mut u8,
    stride: i64,
    n: usize,
    size: usize,
) {
    // SAFETY: the caller's contract.
    unsafe {
        if step == 0 && stride == size as i64 {
            fill(value, to, n, size);
        } else if step != 0 && stride == size as i64 {
            std::ptr::copy(value, to, n * size);
        } else {
            by_size!(size, scatter_sized(value, step, to, stride, n));
        }
    }
}

unsafe fn scatter_sized<T: Copy>(
    value: *const u8,
    step: usize,
    to: *mut u8,
    stride: i64,
    n: usize,
) {
    for k in 0..n {
        // SAFETY: element k of `n`, see `scatter`.
        unsafe {
            let element = value.add(k * step).cast::<T>().read();
            to.offset(k as isize * stride as isize).cast::<T>().write(element);
        }
    }
}

/// As [`scatter`], where the mask's byte is not zero; mask bytes are `mask_step` apart.
///
/// # Safety
/// As for [`scatter`]; the mask is readable.
pub(crate) unsafe fn blend(
    value: (*const u8, usize),
    mask: (*const u8, usize),
    to: *mut u8,
    stride: i64,
    n: usize,
    size: usize,
) {
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, blend_sized(value, mask, to, stride, n)) }
}

unsafe fn blend_sized<T: Copy>(
    value: (*const u8, usize),
    mask: (*const u8, usize),
    to: *mut u8,
    stride: i64,
    n: usize,
) {
    for k in 0..n {
        // SAFETY: element k of `n`, see `blend`.
        unsafe {
            if mask.0.add(k * mask.1).read() != 0 {
                let element = value.0.add(k * value.1).cast::<T>().read();
                to.offset(k as isize * stride as isize).cast::<T>().write(element);
            }
        }
    }
}

/// Repeats one element of `size` bytes `n` times.
///
/// # Safety
/// The element is readable, the block writable, aligned to `size`.
pub(crate) unsafe fn fill(value: *const u8, out: *mut u8, n: usize, size: usize) {
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, fill_sized(value, out, n)) }
}

unsafe fn fill_sized<T: Copy>(value: *const u8, out: *mut u8, n: usize) {
    // SAFETY: see `fill`.
    let value = unsafe { value.cast::<T>().read() };
    for k in 0..n {
        // SAFETY: element k of `n`.
        unsafe { out.cast::<T>().add(k).write(value) };
    }
}

/// Writes `first, first + 1, ..` as i64.
///
/// # Safety
/// `out` has room for `n` aligned i64.
pub(crate) unsafe fn iota(first: i64, out: *mut u8, n: usize) {
    for k in 0..n {
        // SAFETY: element k of `n`.
        unsafe { out.cast::<i64>().add(k).write(first.wrapping_add(k as i64)) };
    }
}
