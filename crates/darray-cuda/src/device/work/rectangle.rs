//! Rectangles as copies see them.

use crate::device::state::memory::Located;
use darray_device::{Fault, Rect};
use smallvec::{SmallVec, smallvec};

/// Two rectangles of equal extents, in as few axes as their strides allow.
///
/// ```text
/// extents (4, 1, 3), strides (3, 9, 1) and (6, 0, 2)  ->  extents (12), strides (1) and (2)
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::device) struct Pair {
    /// Outermost first; none is 1.
    pub extents: SmallVec<[usize; 4]>,
    /// In elements.
    pub to: SmallVec<[i64; 4]>,
    /// In elements.
    pub from: SmallVec<[i64; 4]>,
}

impl Pair {
    /// Leaves out axes of extent 1 and merges axes that continue each other on both sides.
    pub fn new(extents: &[usize], to: &[i64], from: &[i64]) -> Pair {
        let mut pair =
            Pair { extents: SmallVec::new(), to: SmallVec::new(), from: SmallVec::new() };
        for ((&extent, &to), &from) in extents.iter().zip(to).zip(from) {
            if extent == 1 {
                continue;
            }
            let steps = |last: Option<&i64>, inner: i64| {
                last.is_some_and(|&outer| inner.checked_mul(extent as i64) == Some(outer))
            };
            if steps(pair.to.last(), to) && steps(pair.from.last(), from) {
                let last = pair.extents.len() - 1;
                pair.extents[last] *= extent;
                (pair.to[last], pair.from[last]) = (to, from);
            } else {
                pair.extents.push(extent);
                pair.to.push(to);
                pair.from.push(from);
            }
        }
        pair
    }

    /// The axes along which neighbours lie closest in the source and in the target, if these are two,
    /// and long enough for tiles of both to pay.
    pub fn transposed(&self) -> Option<(usize, usize)> {
        let closest = |strides: &[i64]| {
            let moving = (0..strides.len()).filter(|&axis| strides[axis] != 0);
            moving.min_by_key(|&axis| strides[axis].unsigned_abs())
        };
        let (rows, columns) = (closest(&self.from)?, closest(&self.to)?);
        let long = [rows, columns].iter().all(|&axis| self.extents[axis] >= 8);
        let apart = |strides: &[i64], near: usize, far: usize| {
            strides[far] != 0 && strides[near].unsigned_abs() < strides[far].unsigned_abs()
        };
        let turned = apart(&self.from, rows, columns) && apart(&self.to, columns, rows);
        (long && turned).then_some((rows, columns))
    }

    /// Whether both are plain bytes.
    pub fn is_contiguous(&self) -> bool {
        match (&self.extents[..], &self.to[..], &self.from[..]) {
            ([], ..) => true,
            ([_], [to], [from]) => *to == 1 && *from == 1,
            _ => false,
        }
    }
}

/// Strides of a contiguous array.
pub(in crate::device) fn row_major(extents: &[usize]) -> SmallVec<[i64; 4]> {
    let mut strides: SmallVec<[i64; 4]> = SmallVec::from_elem(1, extents.len());
    for axis in (1..extents.len()).rev() {
        strides[axis - 1] = strides[axis].wrapping_mul(extents[axis].max(1) as i64);
    }
    strides
}

/// Bytes of a rectangle's elements.
pub(in crate::device) fn bytes(rect: &Rect) -> usize {
    rect.extents.iter().fold(rect.dtype.size(), |product, &e| product.saturating_mul(e))
}

/// A rectangle with elements in parts of at most so many bytes each, but of one element at least; one behind the other in
/// row-major order.
pub(in crate::device) fn pieces(rect: &Rect, most: usize) -> SmallVec<[Rect; 1]> {
    if bytes(rect) <= most || rect.extents.is_empty() {
        return smallvec![rect.clone()];
    }
    // The outermost axis of whose indices one fits, or the last axis.
    let (mut axis, mut one) = (0, bytes(rect) / rect.extents[0]);
    while one > most && axis + 1 < rect.extents.len() {
        axis += 1;
        one /= rect.extents[axis];
    }
    let (extent, together) = (rect.extents[axis], (most / one).max(1));
    let outer: usize = rect.extents[..axis].iter().product();
    let piece = |number: usize, first: usize| {
        let mut piece = rect.clone();
        let mut rest = number;
        for outer in (0..axis).rev() {
            let at = rest % rect.extents[outer];
            rest /= rect.extents[outer];
            piece.offset += at as i64 * rect.strides[outer];
            piece.extents[outer] = 1;
        }
        piece.offset += first as i64 * rect.strides[axis];
        piece.extents[axis] = together.min(extent - first);
        piece
    };
    let along = |number| (0..extent).step_by(together).map(move |first| (number, first));
    (0..outer).flat_map(along).map(|(number, first)| piece(number, first)).collect()
}

/// The address of element (0, 0, ..) of a rectangle that lies inside its block.
pub(in crate::device) fn address(rect: &Rect, block: Located) -> Result<u64, Fault> {
    inside(rect.offset, &rect.extents, &rect.strides, rect.dtype.size(), block)
}

/// The address of element 0 of a strided array, all of whose elements lie inside a block. Of an empty
/// array, the block's.
pub(in crate::device) fn inside(
    offset: i64,
    extents: &[usize],
    strides: &[i64],
    size: usize,
    block: Located,
) -> Result<u64, Fault> {
    if extents.contains(&0) {
        return Ok(block.address);
    }
    if strides.len() != extents.len() {
        return Err(Fault::Execution(format!("strides {strides:?} of extents {extents:?}")));
    }
    let (mut low, mut high) = (offset as i128, offset as i128);
    for (&extent, &stride) in extents.iter().zip(strides) {
        let reach = (extent as i128 - 1) * stride as i128;
        if reach < 0 { low += reach } else { high += reach }
    }
    if low < 0 || (high + 1) * size as i128 > block.bytes as i128 {
        return Err(Fault::Execution(format!(
            "elements {low} to {high} of {size} bytes in a block of {} bytes",
            block.bytes
        )));
    }
    Ok(block.address + (offset * size as i64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_core::RealType;
    use darray_device::{Block, DeviceId, Event, Queue};

    fn merged(extents: &[usize], to: &[i64], from: &[i64]) -> (Vec<usize>, Vec<i64>, Vec<i64>) {
        let Pair { extents, to, from } = Pair::new(extents, to, from);
        (extents.to_vec(), to.to_vec(), from.to_vec())
    }

    #[test]
    fn axes_that_continue_each_other_become_one() {
        let three = [4, 1, 3];
        assert_eq!(merged(&three, &[3, 9, 1], &[6, 0, 2]), (vec![12], vec![1], vec![2]));
        let whole = Pair::new(&[2, 3, 4], &[12, 4, 1], &[12, 4, 1]);
        assert!(whole.is_contiguous() && whole.extents[..] == [24]);
        assert!(Pair::new(&[1, 1], &[7, 7], &[0, 0]).is_contiguous());
        // Rows of a wider array, a transpose, a broadcast.
        for (to, from) in [([3, 1], [5, 1]), ([3, 1], [1, 2]), ([3, 1], [0, 1])] {
            let pair = Pair::new(&[2, 3], &to, &from);
            assert!(!pair.is_contiguous() && pair.extents[..] == [2, 3]);
        }
        assert_eq!(merged(&[2, 3], &[-3, -1], &[3, 1]), (vec![6], vec![-1], vec![1]));
    }

    #[test]
    fn transposed_copies_are_known() {
        let axes =
            |extents: &[usize], to: &[i64], from: &[i64]| Pair::new(extents, to, from).transposed();
        assert_eq!(axes(&[33, 65], &[65, 1], &[1, 33]), Some((0, 1)));
        assert_eq!(axes(&[9, 3, 40], &[120, 40, 1], &[-1, 400, 9]), Some((0, 2)));
        // Rows of a wider array, a short axis, elements that are broadcast, columns on both sides.
        assert_eq!(axes(&[33, 65], &[65, 1], &[70, 1]), None);
        assert_eq!(axes(&[7, 65], &[65, 1], &[1, 7]), None);
        assert_eq!(axes(&[33, 65], &[65, 1], &[1, 0]), None);
        assert_eq!(axes(&[33, 65], &[1, 40], &[1, 33]), None);
    }

    #[test]
    fn elements_outside_a_block_are_refused() {
        let since = Event { device: DeviceId(0), queue: Queue(0), ticket: 0 };
        let block = Located { address: 0x1000, bytes: 48, since };
        let at = |offset, extents: &[usize], strides: &[i64]| {
            inside(offset, extents, strides, 8, block).ok()
        };
        assert_eq!(at(0, &[2, 3], &[3, 1]), Some(0x1000));
        assert_eq!(at(5, &[2, 3], &[-3, -1]), Some(0x1028));
        assert_eq!(at(1, &[2, 3], &[3, 1]), None);
        assert_eq!(at(4, &[2, 3], &[-3, -1]), None);
        assert_eq!(at(99, &[2, 0], &[3, 1]), Some(0x1000));
        assert_eq!(at(0, &[2], &[i64::MAX]), None);
        assert_eq!(at(5, &[], &[]), Some(0x1028));
        assert_eq!(at(6, &[], &[]), None);
    }

    #[test]
    fn pieces_are_the_rectangle_in_order() {
        let rect = |extents: &[usize], strides: &[i64]| Rect {
            block: Block { device: DeviceId(0), handle: 1, bytes: 1 << 20 },
            dtype: RealType::I32,
            offset: 100,
            extents: SmallVec::from_slice(extents),
            strides: SmallVec::from_slice(strides),
        };
        let elements = |rect: &Rect| {
            let count: usize = rect.extents.iter().product();
            let mut elements = vec![rect.offset; count];
            for (number, element) in elements.iter_mut().enumerate() {
                let mut rest = number;
                for (&extent, &stride) in rect.extents.iter().zip(&rect.strides).rev() {
                    *element += (rest % extent) as i64 * stride;
                    rest /= extent;
                }
            }
            elements
        };
        let whole = rect(&[3, 4, 5], &[20, -5, 2]);
        for (most, count) in
            [(1000, 1), (239, 2), (80, 3), (79, 3 * 2), (20, 12), (19, 24), (1, 60)]
        {
            let parts = pieces(&whole, most);
            assert_eq!(parts.len(), count, "{most}");
            assert!(parts.iter().all(|part| bytes(part) <= most.max(4)));
            assert_eq!(parts.iter().flat_map(elements).collect::<Vec<_>>(), elements(&whole));
        }
        assert_eq!(pieces(&rect(&[], &[]), 1)[..], [rect(&[], &[])]);
        assert_eq!(pieces(&rect(&[1, 7], &[9, 1]), 16).len(), 2);
    }
}
