//! How the axes of an array become the axes of a view of it.

use crate::{Dim, ErrorKind, Shape};
use smallvec::SmallVec;

/// The most axes that an array may have.
pub const MAX_RANK: usize = 8;

/// A change of axes: the new shape, and for every old axis the index at which a new index lands.
///
/// Slices, integer indices, new axes, transposition, broadcasting and diagonals are all of this
/// form, and [`Map::compose`](crate::Map::compose) is their only implementation.
///
/// ```text
/// (4, 6) by [1:3, ::-2].T : new shape (3, 2), old axes [ 1 + 1*axis1, 5 - 2*axis0 ]
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Reindex {
    /// The new shape.
    pub shape: Shape,
    /// One per old axis, in terms of the new ones.
    pub axes: SmallVec<[Dim; 4]>,
}

impl Reindex {
    /// The axes of `shape` in another order: new axis `i` is old axis `order[i]`.
    pub fn permute(shape: &Shape, order: &[usize]) -> Reindex {
        let mut axes: SmallVec<[Dim; 4]> = SmallVec::from_elem(Dim::fixed(0), shape.rank());
        for (new, &old) in order.iter().enumerate() {
            axes[old] = Dim::along(new as u8, 0, 1);
        }
        Reindex { shape: order.iter().map(|&a| shape[a]).collect(), axes }
    }

    /// Repeats axes of extent 1 and adds axes in front, by NumPy's broadcasting rule.
    ///
    /// Errors: the shapes do not broadcast, or `to` is not their broadcast shape.
    pub fn broadcast(shape: &Shape, to: &Shape) -> Result<Reindex, ErrorKind> {
        let error = || ErrorKind::Broadcast { shapes: vec![shape.clone(), to.clone()] };
        let new = to.rank().checked_sub(shape.rank()).ok_or_else(error)?;
        let axes = shape.iter().enumerate().map(|(a, &n)| match to[a + new] {
            m if m == n => Ok(Dim::along((a + new) as u8, 0, 1)),
            _ if n == 1 => Ok(Dim::fixed(0)),
            _ => Err(error()),
        });
        Ok(Reindex { axes: axes.collect::<Result<_, _>>()?, shape: to.clone() })
    }

    /// The diagonal `[.., i, i + offset]` of two axes, as the last axis of the result.
    pub fn diagonal(shape: &Shape, offset: isize, rows: usize, columns: usize) -> Reindex {
        let (down, right) = (offset.min(0).unsigned_abs(), offset.max(0).unsigned_abs());
        let length = shape[rows].saturating_sub(down).min(shape[columns].saturating_sub(right));
        let mut result = Reindex::default();
        let last = shape.rank() as u8 - 2;
        for (axis, &extent) in shape.iter().enumerate() {
            let start = if axis == rows { down } else { right };
            if axis == rows || axis == columns {
                let start = if length == 0 { 0 } else { start };
                result.axes.push(Dim::along(last, start as i64, 1));
            } else {
                result.axes.push(Dim::along(result.shape.rank() as u8, 0, 1));
                result.shape.push(extent);
            }
        }
        result.shape.push(length);
        result
    }

    /// Itself, unless it has too many axes.
    pub(crate) fn checked(self) -> Result<Reindex, ErrorKind> {
        check_shape(&self.shape)?;
        Ok(self)
    }
}

/// The most elements that an array may have: so many of the largest type have a byte count and
/// offsets of 63 bits.
const MAX_ELEMENTS: usize = i64::MAX as usize / 8;

/// Errors where the shape has more than [`MAX_RANK`] axes, or its extents above 0 multiply to more
/// elements than an array may have.
pub fn check_shape(shape: &Shape) -> Result<(), ErrorKind> {
    let times = |size: usize, &n: &usize| size.checked_mul(n).filter(|size| *size <= MAX_ELEMENTS);
    let message = if shape.rank() > MAX_RANK {
        format!("{} axes, at most {MAX_RANK}", shape.rank())
    } else if shape.iter().filter(|n| **n > 0).try_fold(1, times).is_none() {
        "too many elements".to_string()
    } else {
        return Ok(());
    };
    Err(ErrorKind::Index { message, shape: shape.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_limits() {
        for good in [&[][..], &[1; 8], &[1 << 30, 1 << 29], &[0, usize::MAX >> 4]] {
            assert_eq!(check_shape(&Shape::new(good)), Ok(()), "{good:?}");
        }
        for bad in
            [&[1; 9][..], &[1 << 30, 1 << 31], &[usize::MAX], &[1 << 40, 1 << 40], &[0, usize::MAX]]
        {
            assert!(check_shape(&Shape::new(bad)).is_err(), "{bad:?}");
        }
    }
}
