//! Draws of a random stream.

use darray_kernel::random::Pcg64;

/// Draws number `counters[k]` of a stream. Consecutive counters cost one step each, others a jump.
///
/// # Safety
/// `n` readable i64, room for `n` f64, aligned; the same addresses or disjoint.
pub(crate) unsafe fn random(stream: Pcg64, counters: *const u8, out: *mut u8, n: usize) {
    let mut at = stream;
    let mut next = 0;
    for k in 0..n {
        // SAFETY: element k of `n`.
        let counter = unsafe { counters.cast::<i64>().add(k).read() } as u64;
        if counter != next {
            at = stream.at(counter);
        }
        next = counter.wrapping_add(1);
        // SAFETY: element k of `n`.
        unsafe { out.cast::<f64>().add(k).write(at.next_f64()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_equal_steps() {
        let mut stream = Pcg64::from_seed(42);
        let drawn: Vec<f64> = (0..200).map(|_| stream.next_f64()).collect();
        let counters: Vec<i64> = vec![0, 1, 2, 50, 51, 7, 7, 199, 0, 128];
        let mut out = vec![0.0f64; counters.len()];
        let (from, to) = (counters.as_ptr().cast(), out.as_mut_ptr().cast());
        // SAFETY: both have `counters.len()` elements.
        unsafe { random(Pcg64::from_seed(42), from, to, counters.len()) };
        let expected: Vec<f64> = counters.iter().map(|&c| drawn[c as usize]).collect();
        assert_eq!(out, expected);
    }
}
