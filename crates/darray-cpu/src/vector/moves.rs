//! Copies between memory with strides and contiguous blocks.

/// Calls a generic function with the unsigned integer type of a size in bytes.
macro_rules! by_size {
    ($size:expr, $function:ident($($arg:expr),*)) => {
        match $size {
            1 => $function::<u8>($($arg),*),
            2 => $function::<u16>($($arg),*),
            4 => $function::<u32>($($arg),*),
            8 => $function::<u64>($($arg),*),
            other => unreachable!("no element has {other} bytes"),
        }
    };
}

/// Copies `n` elements of `size` bytes between places that are `from.1` and `to.1` bytes apart,
/// ascending. A step of 0 on the source side repeats one element.
///
/// # Safety
/// The elements are readable, and what lies between two of them if that is one element; the places are writable (aligned to `size`
/// where the source's step is 0).
/// They do not overlap, or are the same.
#[inline]
pub(crate) unsafe fn copy(from: (*const u8, i64), to: (*mut u8, i64), n: usize, size: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        match (from.1 == size as i64, to.1 == size as i64) {
            (true, true) => std::ptr::copy(from.0, to.0, n * size),
            _ if n > 0 && from.1 == -(size as i64) && to.1 == size as i64 => {
                by_size!(size, copy_reversed(from.0, to.0, n));
            }
            _ if n > 0 && from.1 == size as i64 && to.1 == -(size as i64) => {
                let bytes = (n - 1) * size;
                by_size!(size, copy_reversed(from.0.add(bytes), to.0.sub(bytes), n));
            }
            _ if from.1 == 0 && to.1 == size as i64 => fill(from.0, to.0, n, size),
            (true, false) => by_size!(size, copy_sized((from.0, size as i64), to, n)),
            (false, true) if from.1 == 2 * size as i64 => {
                by_size!(size, copy_every_second(from.0, to.0, n));
            }
            (false, true) => by_size!(size, copy_sized(from, (to.0, size as i64), n)),
            (false, false) => by_size!(size, copy_sized(from, to, n)),
        }
    }
}

/// Sources that are interleaved, at most.
pub(crate) const MOST_INTERLEAVED: usize = 8;

/// Copies `n` elements of `size` bytes from each of up to [`MOST_INTERLEAVED`] sources, which are so many bytes apart there: the first of each source side by
/// side, then the second, `to.1` bytes from these.
///
/// # Safety
/// The elements are readable, the places writable. They do not overlap, or are the same.
pub(crate) unsafe fn interleave(
    sources: &[(*const u8, i64)],
    to: (*mut u8, i64),
    n: usize,
    size: usize,
) {
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, interleave_sized(sources, to, n)) }
}

/// # Safety
/// See [`interleave`].
unsafe fn interleave_sized<T: Copy>(sources: &[(*const u8, i64)], to: (*mut u8, i64), n: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        match *sources {
            [a] => interleave_all::<T, 1>([a], to, n),
            [a, b] => interleave_all::<T, 2>([a, b], to, n),
            [a, b, c] => interleave_all::<T, 3>([a, b, c], to, n),
            [a, b, c, d] => interleave_all::<T, 4>([a, b, c, d], to, n),
            [a, b, c, d, e] => interleave_all::<T, 5>([a, b, c, d, e], to, n),
            [a, b, c, d, e, f] => interleave_all::<T, 6>([a, b, c, d, e, f], to, n),
            [a, b, c, d, e, f, g] => interleave_all::<T, 7>([a, b, c, d, e, f, g], to, n),
            [a, b, c, d, e, f, g, h] => interleave_all::<T, 8>([a, b, c, d, e, f, g, h], to, n),
            _ => unreachable!("{} sources", sources.len()),
        }
    }
}

/// # Safety
/// See [`interleave`].
unsafe fn interleave_all<T: Copy, const COUNT: usize>(
    sources: [(*const u8, i64); COUNT],
    (to, step): (*mut u8, i64),
    n: usize,
) {
    for k in 0..n as i64 {
        let to = to.wrapping_offset((k * step) as isize).cast::<T>();
        for (number, &(from, step)) in sources.iter().enumerate() {
            let from = from.wrapping_offset((k * step) as isize).cast::<T>();
            // SAFETY: the caller's elements.
            unsafe { to.add(number).write_unaligned(from.read_unaligned()) };
        }
    }
}

/// Copies `n` elements of `size` bytes to each of up to [`MOST_INTERLEAVED`] rows: the first ones of all rows are side by side in the
/// source, the second ones `from.1` bytes behind these.
///
/// # Safety
/// The elements are readable, the places writable. They do not overlap, or are the same.
pub(crate) unsafe fn separate(from: (*const u8, i64), rows: &[*mut u8], n: usize, size: usize) {
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, separate_sized(from, rows, n)) }
}

/// # Safety
/// See [`separate`].
unsafe fn separate_sized<T: Copy>(from: (*const u8, i64), rows: &[*mut u8], n: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        match *rows {
            [a] => separate_all::<T, 1>(from, [a], n),
            [a, b] => separate_all::<T, 2>(from, [a, b], n),
            [a, b, c] => separate_all::<T, 3>(from, [a, b, c], n),
            [a, b, c, d] => separate_all::<T, 4>(from, [a, b, c, d], n),
            [a, b, c, d, e] => separate_all::<T, 5>(from, [a, b, c, d, e], n),
            [a, b, c, d, e, f] => separate_all::<T, 6>(from, [a, b, c, d, e, f], n),
            [a, b, c, d, e, f, g] => separate_all::<T, 7>(from, [a, b, c, d, e, f, g], n),
            [a, b, c, d, e, f, g, h] => separate_all::<T, 8>(from, [a, b, c, d, e, f, g, h], n),
            _ => unreachable!("{} rows", rows.len()),
        }
    }
}

/// # Safety
/// See [`separate`].
unsafe fn separate_all<T: Copy, const COUNT: usize>(
    (from, step): (*const u8, i64),
    rows: [*mut u8; COUNT],
    n: usize,
) {
    for k in 0..n {
        let from = from.wrapping_offset(k as isize * step as isize).cast::<T>();
        for (number, &row) in rows.iter().enumerate() {
            // SAFETY: the caller's elements.
            unsafe { row.cast::<T>().add(k).write_unaligned(from.add(number).read_unaligned()) };
        }
    }
}

/// Whether [`stream`] goes past the caches here.
pub(crate) const STREAMS: bool = cfg!(target_arch = "x86_64");

/// Bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// Copies bytes; whole lines are written by non-temporal stores. [`streamed`] is called before others may read
/// them.
///
/// # Safety
/// The bytes are readable and writable; they do not overlap.
pub(crate) unsafe fn stream(from: *const u8, to: *mut u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        let before = to.align_offset(LINE).min(bytes);
        let lines = (bytes - before) / LINE;
        let after = before + lines * LINE;
        // SAFETY: the caller's contract; `to + before` begins a line.
        unsafe {
            std::ptr::copy_nonoverlapping(from, to, before);
            for line in 0..lines {
                let from = from.add(before + line * LINE).cast::<__m128i>();
                let to = to.add(before + line * LINE).cast::<__m128i>();
                let parts: [__m128i; 4] = std::array::from_fn(|k| _mm_loadu_si128(from.add(k)));
                for (k, &part) in parts.iter().enumerate() {
                    _mm_stream_si128(to.add(k), part);
                }
            }
            std::ptr::copy_nonoverlapping(from.add(after), to.add(after), bytes - after);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: the caller's contract.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, bytes)
    };
}

/// Orders what [`stream`] wrote on this thread before what follows.
pub(crate) fn streamed() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has it.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

#[inline(always)]
unsafe fn copy_sized<T: Copy>(from: (*const u8, i64), to: (*mut u8, i64), n: usize) {
    for k in 0..n {
        // SAFETY: element k of `n`, see `copy`.
        unsafe {
            let element = from.0.offset(k as isize * from.1 as isize).cast::<T>().read_unaligned();
            to.0.offset(k as isize * to.1 as isize).cast::<T>().write_unaligned(element);
        }
    }
}

/// Copies `n` elements that are every second one of what is read.
#[inline(always)]
unsafe fn copy_every_second<T: Copy>(from: *const u8, to: *mut u8, n: usize) {
    let mut k = 0;
    // SAFETY: elements below `n`, see `copy`; behind every chunk is an element more, and so what lies before that one is there.
    unsafe {
        while k + CHUNK < n {
            let all = from.cast::<T>().add(2 * k).cast::<[T; 2 * CHUNK]>().read_unaligned();
            let chunk: [T; CHUNK] = std::array::from_fn(|i| all[2 * i]);
            to.cast::<T>().add(k).cast::<[T; CHUNK]>().write_unaligned(chunk);
            k += CHUNK;
        }
        let from = from.cast::<T>().add(2 * k).cast();
        copy_sized::<T>(
            (from, 2 * size_of::<T>() as i64),
            (to.cast::<T>().add(k).cast(), size_of::<T>() as i64),
            n - k,
        );
    }
}

/// Copies `n` elements, the first of which are the last of what is read: `from` is the place of that one.
#[inline(always)]
unsafe fn copy_reversed<T: Copy>(from: *const u8, to: *mut u8, n: usize) {
    let mut k = 0;
    // SAFETY: elements below `n`, see `copy`.
    unsafe {
        while k + CHUNK <= n {
            let first = from.cast::<T>().sub(k + CHUNK - 1).cast::<[T; CHUNK]>();
            let mut chunk = first.read_unaligned();
            chunk.reverse();
            to.cast::<T>().add(k).cast::<[T; CHUNK]>().write_unaligned(chunk);
            k += CHUNK;
        }
        while k < n {
            let element = from.cast::<T>().sub(k).read_unaligned();
            to.cast::<T>().add(k).write_unaligned(element);
            k += 1;
        }
    }
}

/// As [`copy`], where the mask's byte is not zero. Value and mask come with their steps in bytes.
///
/// # Safety
/// As for [`copy`]; the mask is readable.
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
    let mut at = 0;
    // SAFETY: elements below `n`, see `blend`.
    unsafe {
        let element = |k: usize| value.0.add(k * value.1).cast::<T>().read();
        let chosen = |k: usize| mask.0.add(k * mask.1).read() != 0;
        let place = |k: usize| to.offset(k as isize * stride as isize).cast::<T>();
        if stride == size_of::<T>() as i64 && value.1 == size_of::<T>() && mask.1 == 1 {
            // Vector code: what is not chosen is written back as it was.
            while at + CHUNK <= n {
                let mut chunk = place(at).cast::<[T; CHUNK]>().read();
                for (k, old) in chunk.iter_mut().enumerate() {
                    let new = value.0.cast::<T>().add(at + k).read();
                    *old = if mask.0.add(at + k).read() != 0 { new } else { *old };
                }
                place(at).cast::<[T; CHUNK]>().write(chunk);
                at += CHUNK;
            }
        }
        for k in at..n {
            if chosen(k) {
                place(k).write(element(k));
            }
        }
    }
}

/// Elements that are moved at once, by vector code.
const CHUNK: usize = 16;

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

/// Asks for a line into the second-level cache; any address will do.
#[inline(always)]
pub(crate) fn fetch_later(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    #[test]
    fn sources_of_all_sizes_are_interleaved() {
        for (size, count) in [1, 2, 4, 8]
            .into_iter()
            .flat_map(|size| (1..=super::MOST_INTERLEAVED).map(move |n| (size, n)))
        {
            for (n, gap, step) in
                [(0, 0, 1), (1, 3, 1), (50, 0, 1), (50, 2, 2), (50, 1, -1), (9, 1, 0)]
            {
                let from: Vec<u8> = (0..4096).map(|k| (k * 31 % 251) as u8).collect();
                let (row, reach) = ((count + gap) * size, 100 * size);
                let mut to = vec![0u8; row * n + size];
                let mut expected = to.clone();
                let mut sources = Vec::new();
                for source in 0..count {
                    let first = source * 3 * size + reach;
                    sources.push((from[first..].as_ptr(), step * size as i64));
                    for k in 0..n {
                        let read = (first as i64 + k as i64 * step * size as i64) as usize;
                        expected[k * row + source * size..][..size]
                            .copy_from_slice(&from[read..][..size]);
                    }
                }
                let place = (to.as_mut_ptr(), row as i64);
                // SAFETY: all elements lie in these vectors.
                unsafe { super::interleave(&sources, place, n, size) };
                assert!(to == expected, "{count} of {size} bytes, {n} times, {gap}, {step}");
            }
        }
    }
    #[test]
    fn rows_of_all_sizes_are_separated() {
        for (size, count) in [1, 2, 4, 8]
            .into_iter()
            .flat_map(|size| (1..=super::MOST_INTERLEAVED).map(move |n| (size, n)))
        {
            for (n, gap) in [(0, 0), (1, 3), (50, 0), (50, 2)] {
                let from: Vec<u8> = (0..4096).map(|k| (k * 31 % 251) as u8).collect();
                let step = (count + gap) * size;
                let mut to = vec![0u8; (n + 1) * size * count];
                let mut expected = to.clone();
                for (row, k) in (0..count).flat_map(|row| (0..n).map(move |k| (row, k))) {
                    let read = k * step + row * size;
                    expected[(row * (n + 1) + k) * size..][..size]
                        .copy_from_slice(&from[read..][..size]);
                }
                let rows: Vec<*mut u8> = (0..count)
                    .map(|row| to.as_mut_ptr().wrapping_add(row * (n + 1) * size))
                    .collect();
                // SAFETY: all elements lie in these vectors.
                unsafe { super::separate((from.as_ptr(), step as i64), &rows, n, size) };
                assert!(to == expected, "{count} of {size} bytes, {n} times, {gap}");
            }
        }
    }

    #[test]
    fn every_second_element_is_copied_up_to_the_last_one() {
        for (size, n) in [1, 2, 4, 8].into_iter().flat_map(|size| (1..70).map(move |n| (size, n))) {
            // Nothing is behind the last element, so that valgrind sees what is read there.
            let from: Vec<u8> = (0..(2 * n - 1) * size).map(|k| (k * 31 % 251) as u8).collect();
            let mut to = vec![0u8; n * size];
            // SAFETY: all elements lie in these vectors.
            unsafe {
                let (from, to) = ((from.as_ptr(), 2 * size as i64), (to.as_mut_ptr(), size as i64));
                super::copy(from, to, n, size);
            }
            let expected: Vec<u8> = from.chunks(size).step_by(2).flatten().copied().collect();
            assert!(to == expected, "{n} of {size} bytes");
        }
    }
}
