//! Draws of a random stream.

use darray_core::{Compute, RealType};
use darray_kernel::random::{Stream, half, unit_f32, unit_f64};

/// Numbers drawn at once.
const CHUNK: usize = 256;

/// Draws `counters[k]` of a stream as elements of this type, see
/// [`draw`](darray_kernel::random::draw). Counters at equal distances are drawn together.
///
/// # Safety
/// `n` readable i64, room for `n` elements, aligned; the same addresses or disjoint.
pub(crate) unsafe fn random(
    stream: Stream,
    dtype: RealType,
    counters: *const u8,
    out: *mut u8,
    n: usize,
) {
    let counters = counters.cast::<u64>();
    let mut at = 0;
    while at < n {
        let length = CHUNK.min(n - at);
        let mut draws = [0u64; CHUNK];
        // SAFETY: elements `at..at + length` of `n`; all counters of a chunk are read before its
        // elements are written, and an element is not larger than a counter.
        unsafe {
            std::ptr::copy_nonoverlapping(counters.add(at), draws.as_mut_ptr(), length);
            let draws = &mut draws[..length];
            match Compute::of(dtype) {
                Compute::F32 => {
                    let out = out.cast::<f32>().add(at);
                    halves(stream, draws, |k, bits| out.add(k).write(unit_f32(bits)));
                }
                Compute::F64 => {
                    let out = out.cast::<f64>().add(at);
                    numbers(stream, draws);
                    draws
                        .iter()
                        .enumerate()
                        .for_each(|(k, &bits)| out.add(k).write(unit_f64(bits)));
                }
                _ => {
                    numbers(stream, draws);
                    std::ptr::copy_nonoverlapping(
                        draws.as_ptr(),
                        out.cast::<u64>().add(at),
                        length,
                    );
                }
            }
        }
        at += length;
    }
}

/// Replaces counters by the numbers of the stream.
fn numbers(stream: Stream, draws: &mut [u64]) {
    let first = draws[0];
    let step = draws.get(1).map_or(1, |second| second.wrapping_sub(first));
    let even = |(k, &counter): (usize, &u64)| counter == first.wrapping_add(step * k as u64);
    // Steps back do not wrap in the stream as they do in a word.
    if step < 1 << 32 && draws.iter().enumerate().fold(true, |all, one| all & even(one)) {
        stream.fill(first, step, draws);
    } else {
        draws.iter_mut().for_each(|counter| *counter = stream.number(*counter));
    }
}

/// Calls `write` with each position and the half number there.
fn halves(stream: Stream, draws: &mut [u64], mut write: impl FnMut(usize, u32)) {
    let first = draws[0];
    let consecutive = draws
        .iter()
        .enumerate()
        .fold(true, |all, (k, &counter)| all & (counter == first.wrapping_add(k as u64)));
    if consecutive {
        let count = draws.len();
        let (parity, drawn) = (first % 2, &mut draws[..(count + first as usize % 2).div_ceil(2)]);
        stream.fill(first / 2, 1, drawn);
        for k in 0..count {
            let n = parity + k as u64;
            write(k, half(drawn[n as usize / 2], n));
        }
    } else {
        for (k, &n) in draws.iter().enumerate() {
            write(k, half(stream.number(n / 2), n));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_core::Scalar;
    use darray_kernel::random::{BitGenerator, draw};

    #[test]
    fn runs_of_counters_are_drawn_as_single_ones() {
        let lists: [Vec<i64>; 6] = [
            vec![5],
            (0..700).collect(),
            (1..300).collect(),
            (0..50).map(|k| 3 + 7 * k).collect(),
            (0..50).map(|k| 90 - k).collect(),
            vec![0, 1, 2, 50, 51, 7, 7, 199, 0, 128],
        ];
        for generator in BitGenerator::ALL {
            let stream = Stream::new(generator, generator.key(42));
            for counters in &lists {
                for dtype in [RealType::F64, RealType::F32, RealType::I64] {
                    let mut out = vec![0u64; counters.len()];
                    let (from, to) = (counters.as_ptr().cast(), out.as_mut_ptr().cast());
                    // SAFETY: both have `counters.len()` elements of eight bytes.
                    unsafe { random(stream, dtype, from, to, counters.len()) };
                    let bytes: Vec<u8> = out.iter().flat_map(|word| word.to_le_bytes()).collect();
                    for (k, &counter) in counters.iter().enumerate() {
                        let mut bits = [0; 8];
                        let at = k * dtype.size();
                        bits[..dtype.size()].copy_from_slice(&bytes[at..at + dtype.size()]);
                        let found = Scalar::from_bits(dtype, u64::from_le_bytes(bits));
                        let wanted = draw(stream, dtype, counter as u64);
                        assert_eq!(found, wanted, "{generator} {dtype} {counter}");
                    }
                }
            }
        }
    }
}
