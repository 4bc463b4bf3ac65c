//! A radix sort: stable passes, one digit each, the least first.

use super::keys::Key;

/// Bits of a digit.
const DIGIT: u32 = 8;
const DIGITS: usize = 1 << DIGIT;

/// Sorts by the bits from `low` on, and leaves those that are equal in them in order. `spare` is as long as `keys`.
/// All digits are counted in one pass, and those that all keys share are skipped; gives the passes made.
pub(super) fn sort<T: Key>(keys: &mut [T], spare: &mut [T], low: u32) -> usize {
    let n = keys.len();
    let shift = |digit: usize| low + DIGIT * digit as u32;
    let mut counts = vec![[0usize; DIGITS]; T::BITS.saturating_sub(low).div_ceil(DIGIT) as usize];
    for key in keys.iter() {
        for (digit, counts) in counts.iter_mut().enumerate() {
            counts[key.digit(shift(digit))] += 1;
        }
    }
    let (mut from, mut to, mut passes) = (&mut *keys, &mut *spare, 0);
    for (digit, counts) in counts.iter_mut().enumerate() {
        let shift = shift(digit);
        if from.first().is_none_or(|key| counts[key.digit(shift)] == n) {
            continue;
        }
        starts(counts);
        // SAFETY: the counts are those of these keys in another order, so the places are those of `to`.
        unsafe { pass(from, to, counts, shift) };
        (from, to, passes) = (to, from, passes + 1);
    }
    if passes % 2 == 1 {
        keys.copy_from_slice(spare);
    }
    passes
}

/// Where the keys of each digit begin.
fn starts(counts: &mut [usize; DIGITS]) {
    let mut sum = 0;
    for count in counts {
        (*count, sum) = (sum, sum + *count);
    }
}

/// # Safety
/// `starts` are those of the digits of `from`, which is as long as `to`.
unsafe fn pass<T: Key>(from: &[T], to: &mut [T], starts: &mut [usize; DIGITS], shift: u32) {
    for &key in from {
        let at = &mut starts[key.digit(shift)];
        // SAFETY: the caller's contract: each key has a place of its own.
        unsafe { *to.get_unchecked_mut(*at) = key };
        *at += 1;
    }
}

/// Sorts numbers of one digit by counting them.
pub(super) fn count<T: Key>(keys: &mut [T]) {
    let mut counts = [0usize; DIGITS];
    keys.iter().for_each(|key| counts[key.digit(0)] += 1);
    // A place of each: keys of one digit are the same bits.
    let mut values = [T::default(); DIGITS];
    keys.iter().for_each(|&key| values[key.digit(0)] = key);
    let mut rest = keys;
    for (count, value) in counts.into_iter().zip(values) {
        let (run, after) = rest.split_at_mut(count);
        run.fill(value);
        rest = after;
    }
}
