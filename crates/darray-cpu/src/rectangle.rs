//! Copies of strided rectangles.

use crate::memory::Located;
use crate::vector;
use darray_codegen::bind::plan_loops;
use darray_core::RealType;
use darray_device::{Fault, Rect};
use smallvec::SmallVec;

/// One side of a copy: an address, and bytes per step of each axis.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub pointer: *mut u8,
    pub strides: SmallVec<[i64; 4]>,
}

impl Side {
    /// A rectangle inside a block; a fault if it is not.
    pub fn of_rect(rect: &Rect, block: Located) -> Result<Side, Fault> {
        Side::new(block, rect.offset, &rect.extents, &rect.strides, rect.dtype)
    }

    /// A strided array inside a block; a fault if it is not. Offset and strides count elements.
    #[inline]
    pub fn new(
        block: Located,
        offset: i64,
        extents: &[usize],
        strides: &[i64],
        dtype: RealType,
    ) -> Result<Side, Fault> {
        let size = dtype.size() as i64;
        let (mut first, mut last) = (offset as i128, offset as i128);
        for (&extent, &stride) in extents.iter().zip(strides) {
            let span = extent.saturating_sub(1) as i128 * stride as i128;
            first += span.min(0);
            last += span.max(0);
        }
        let room = (block.bytes / size as u64) as i128;
        let empty = extents.contains(&0);
        if strides.len() != extents.len() || !empty && (first < 0 || last >= room) {
            return Err(Fault::Execution(format!(
                "rectangle {extents:?} reaches elements {first}..={last} of {room}"
            )));
        }
        let pointer = block.pointer.wrapping_offset(offset.wrapping_mul(size) as isize);
        let mut strides: SmallVec<[i64; 4]> = SmallVec::from_slice(strides);
        strides.iter_mut().for_each(|stride| *stride = stride.wrapping_mul(size));
        Ok(Side { pointer, strides })
    }

    /// Row-major elements of `size` bytes.
    pub fn row_major(pointer: *mut u8, extents: &[usize], size: usize) -> Side {
        let mut strides: SmallVec<[i64; 4]> = SmallVec::from_elem(size as i64, extents.len());
        for axis in (1..extents.len()).rev() {
            strides[axis - 1] = strides[axis] * extents[axis] as i64;
        }
        Side { pointer, strides }
    }

    /// Whether there are elements, one behind the other in row-major order.
    pub fn is_row_major(&self, extents: &[usize], size: usize) -> bool {
        let dense = Side::row_major(self.pointer, extents, size).strides;
        let mut axes = extents.iter().zip(self.strides.iter().zip(&dense));
        !extents.contains(&0) && axes.all(|(&extent, (step, dense))| extent == 1 || step == dense)
    }
}

/// Copies elements of `size` bytes from one side to the other.
///
/// # Safety
/// Both sides are valid for the extents and share no memory.
pub(crate) unsafe fn copy(extents: &[usize], from: &Side, to: &Side, size: usize) {
    if extents.contains(&0) {
        return;
    }
    let strides: SmallVec<[[i64; 2]; 4]> =
        from.strides.iter().zip(&to.strides).map(|(&f, &t)| [f, t]).collect();
    let mut outer = plan_loops(extents, &[], |_| false, |axis| &strides[axis as usize]);
    let inner = outer.pop();
    let (n, along) = inner.map_or((1, [size as i64; 2]), |l| (l.extent, strides[l.axis as usize]));
    let mut at: SmallVec<[usize; 4]> = SmallVec::from_elem(0, outer.len());
    loop {
        let mut offsets = [0i64; 2];
        for (l, &i) in outer.iter().zip(&at) {
            let step = strides[l.axis as usize];
            offsets = [offsets[0] + i as i64 * step[0], offsets[1] + i as i64 * step[1]];
        }
        let source = from.pointer.wrapping_offset(offsets[0] as isize).cast_const();
        let target = to.pointer.wrapping_offset(offsets[1] as isize);
        // SAFETY: a row of the rectangle.
        unsafe { vector::copy((source, along[0]), (target, along[1]), n, size) };
        let mut axis = outer.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            at[axis] += 1;
            if at[axis] < outer[axis].extent {
                break;
            }
            at[axis] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_behind_one_another_are_row_major() {
        let is_row_major = |strides: &[i64], extents: &[usize]| {
            let strides = SmallVec::from_slice(strides);
            Side { pointer: std::ptr::null_mut(), strides }.is_row_major(extents, 8)
        };
        assert!(is_row_major(&[24, 8], &[2, 3]) && is_row_major(&[], &[]));
        assert!(is_row_major(&[24, 0, 8], &[2, 1, 3]), "one step has no length");
        assert!(!is_row_major(&[32, 8], &[2, 3]), "gaps");
        assert!(!is_row_major(&[8, 16], &[2, 3]), "transposed");
        assert!(!is_row_major(&[-8], &[2]), "reversed");
        assert!(!is_row_major(&[24, 8], &[0, 3]), "nothing");
    }

    #[test]
    fn transposes_and_reverses() {
        let from: Vec<u32> = (0..24).collect();
        let mut to = vec![0u32; 24];
        // to[j][i] = from[i][5 - j] for a (4, 6) source.
        let source = Side {
            pointer: from.as_ptr().wrapping_add(5).cast_mut().cast(),
            strides: SmallVec::from_slice(&[24, -4]),
        };
        let target =
            Side { pointer: to.as_mut_ptr().cast(), strides: SmallVec::from_slice(&[4, 16]) };
        // SAFETY: both sides reach 24 elements of their vectors.
        unsafe { copy(&[4, 6], &source, &target, 4) };
        let expected: Vec<u32> = (0..6).flat_map(|j| (0..4).map(move |i| i * 6 + 5 - j)).collect();
        assert_eq!(to, expected);
    }
}
