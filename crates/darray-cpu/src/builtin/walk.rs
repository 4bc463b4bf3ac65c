//! Walking over the elements of an array row by row.

use crate::rectangle::Side;
use darray_device::builtin::resolve_index;
use smallvec::SmallVec;

/// A position among the elements of an array, in row-major order.
pub(super) struct Walk<'w> {
    extents: &'w [usize],
    at: SmallVec<[usize; 4]>,
}

impl<'w> Walk<'w> {
    /// At the element of this number. No extent is 0.
    pub fn new(extents: &'w [usize], mut number: usize) -> Walk<'w> {
        let mut at: SmallVec<[usize; 4]> = SmallVec::from_elem(0, extents.len());
        for (coordinate, &extent) in at.iter_mut().zip(extents).rev() {
            (*coordinate, number) = (number % extent.max(1), number / extent.max(1));
        }
        Walk { extents, at }
    }

    /// What the position adds to the address of element (0, 0, ..).
    pub fn offset(&self, strides: &[i64]) -> i64 {
        self.at.iter().zip(strides).map(|(&c, &s)| c as i64 * s).sum()
    }

    /// Goes on to the end of the row along the last axis, by at most so many elements; gives how many.
    pub fn row(&mut self, most: usize) -> usize {
        let Some(last) = self.extents.len().checked_sub(1) else { return 1 };
        let n = most.min(self.extents[last] - self.at[last]);
        self.at[last] += n;
        for axis in (1..=last).rev() {
            if self.at[axis] == self.extents[axis] {
                self.at[axis] = 0;
                self.at[axis - 1] += 1;
            }
        }
        n
    }
}

/// The first index in row-major order that is out of range, with its number.
///
/// # Safety
/// The side is valid for the extents.
pub(super) unsafe fn first_out_of_range(
    index: &Side,
    extents: &[usize],
    bound: usize,
) -> Option<(usize, i64)> {
    (0..extents.iter().product()).find_map(|number| {
        // SAFETY: an element of the extents.
        let found = unsafe { index_at(index, Walk::new(extents, number).offset(&index.strides)) };
        resolve_index(found, bound).is_none().then_some((number, found))
    })
}

/// The index at an offset of a side, in bytes.
///
/// # Safety
/// The side is valid there.
pub(super) unsafe fn index_at(index: &Side, offset: i64) -> i64 {
    // SAFETY: the caller's contract.
    unsafe { index.pointer.wrapping_offset(offset as isize).cast::<i64>().read() }
}

#[cfg(test)]
mod tests {
    use super::Walk;

    #[test]
    fn rows_follow_each_other() {
        for first in 0..24 {
            let mut walk = Walk::new(&[2, 3, 4], first);
            let mut number = first;
            while number < 24 {
                assert_eq!(walk.offset(&[12, 4, 1]), number as i64);
                let n = walk.row(3);
                assert!(n > 0 && n <= 3 && number % 4 + n <= 4);
                number += n;
            }
        }
        assert_eq!(Walk::new(&[], 0).row(5), 1);
    }
}
