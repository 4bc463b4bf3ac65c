//! Running functions of whole leaves.

use super::Native;
#[cfg(test)]
use super::PathCounter;
use smallvec::SmallVec;
use std::ops::Range;

/// Elements of leaves that one function takes before the next one, if these are so many leaves: of an array of f64 the first-level
/// cache has them then.
const PIECE: usize = 2048;

impl Native {
    /// Whether it has functions of whole leaves, see [`Traffic::whole`](super::Traffic::whole).
    pub fn has_whole(&self) -> bool {
        !self.whole.is_empty()
    }

    /// Folds so many leaves, one at least, of rows of `n` elements, one at least, each to a value where its accumulators are
    /// said to be; that of the next leaf goes behind it. In `steps` stand those from row to row, of the accesses and of a
    /// first index, as many from the last row of a leaf to the next leaf, and how many rows a leaf has. The accesses stand
    /// in the table from `first` on. Where the values are of `one` point, which all of them make together, those behind one
    /// that [decides](darray_kernel::reducer::Reducer::decides) a fold may be that value.
    ///
    /// # Safety
    /// As for [`run`](Self::run), of every row; there is room for the values. Rows that go backwards begin with their
    /// element 31.
    pub unsafe fn run_whole(
        &self,
        pointers: &mut [*mut u8],
        first: usize,
        (n, leaves, one): (usize, usize, bool),
        steps: &[isize],
    ) {
        debug_assert!(n > 0 && leaves > 0 && steps.last().is_some_and(|&rows| rows > 0));
        #[cfg(test)]
        PathCounter::WholeLeaves.add(leaves);
        if let [all] = &*self.whole {
            // SAFETY: the caller's contract.
            return unsafe { all.call(pointers, n, leaves, steps) };
        }
        assert!(self.has_whole(), "`has_whole` was asked");
        // SAFETY: the caller's contract.
        unsafe { self.run_some_whole(pointers, first, (n, leaves, one), steps) };
    }

    /// The same, where each function takes some of the folds.
    unsafe fn run_some_whole(
        &self,
        pointers: &mut [*mut u8],
        first: usize,
        (n, leaves, one): (usize, usize, bool),
        steps: &[isize],
    ) {
        let (count, rows) = (steps.len() / 2, steps[steps.len() - 1]);
        let accesses: Range<usize> = first..first + count - 1;
        let mut at: SmallVec<[*mut u8; 8]> = pointers[accesses.clone()].into();
        let together = (PIECE / (n * rows as usize)).max(1);
        // Functions that are left out, by their numbers.
        let mut decided = 0u64;
        for leaf in (0..leaves).step_by(together) {
            let some = together.min(leaves - leaf);
            for (number, function) in self.whole.iter().enumerate() {
                if decided >> number & 1 == 1 {
                    continue;
                }
                // Functions move them.
                pointers[accesses.clone()].copy_from_slice(&at);
                // SAFETY: the caller's contract, of these leaves.
                unsafe { function.call(pointers, n, some, steps) };
                let left = leaves - leaf - some;
                // SAFETY: the function was called; room for the values of those that are left is the caller's contract.
                if one && number < 64 && unsafe { function.fill_decided(pointers, some, left) } {
                    decided |= 1 << number;
                }
            }
            for (access, at) in at.iter_mut().enumerate() {
                let step = steps[access] * (rows - 1) + steps[count + access];
                *at = at.wrapping_offset(step * some as isize);
            }
        }
    }

    /// If one of the last `some` values of a function decides its fold, the next `left` ones are that value; whether it is so.
    ///
    /// # Safety
    /// The pointer of the values is behind the last of `some`, and there is room for `left` more.
    unsafe fn fill_decided(&self, pointers: &[*mut u8], some: usize, left: usize) -> bool {
        let Some((values, decides)) = self.decides else { return false };
        let end = pointers[usize::from(values)];
        // SAFETY: the caller's contract; bools are bytes.
        unsafe {
            let last = std::slice::from_raw_parts(end.wrapping_sub(some), some);
            let is_decided = last.contains(&u8::from(decides));
            if is_decided {
                end.write_bytes(decides.into(), left);
            }
            is_decided
        }
    }
}
