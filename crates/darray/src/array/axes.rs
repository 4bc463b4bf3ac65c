//! Which axes an operation goes over.

use crate::Index;
use darray_core::{ErrorKind, Shape};
use smallvec::SmallVec;
use std::ops::RangeFull;

/// The axes that an operation goes over, and whether a reduction keeps them with extent 1.
///
/// Made from an axis, an array or a tuple of axes, or `..` (NumPy's `None`) for all; negative axes count from the end.
///
/// ```
/// use darray::{DArray, axis};
/// let x = DArray::<f64>::ones((2, 3, 4));
/// assert_eq!(x.sum(..).shape(), []);
/// assert_eq!(x.sum(0).shape(), [3, 4]);
/// assert_eq!(x.sum([0, -1]).shape(), [3]);
/// assert_eq!(x.sum((0, -1)).shape(), [3]);
/// assert_eq!(x.sum(axis(-1).keepdims()).shape(), [2, 3, 1]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axes {
    /// `None`: all.
    list: Option<SmallVec<[isize; 4]>>,
    keepdims: bool,
}

/// One axis, to which options are added: `axis(0).keepdims()`, [`axis(0).ddof(1)`](Axes::ddof), [`axis(0).ord(1)`](Axes::ord).
///
/// ```
/// use darray::{DArray, axis};
/// let x = DArray::from_shape_vec((2, 2), vec![1.0, 3.0, 2.0, 2.0]);
/// let shares = &x / x.sum(axis(1).keepdims());
/// assert_eq!(shares.to_vec(), [0.25, 0.75, 0.5, 0.5]);
/// ```
pub fn axis(axis: impl Into<Axes>) -> Axes {
    axis.into()
}

/// Several axes, or `..` for all, to which options are added, as to [`axis`].
///
/// ```
/// use darray::{DArray, axes};
/// let x = DArray::from_vec(vec![1.0, 2.0, 3.0, 6.0]);
/// assert_eq!(x.var(axes(..).ddof(1)).item(), 14.0 / 3.0);
/// assert_eq!(x.sum(axes([0]).keepdims()).shape(), [1]);
/// ```
pub fn axes(axes: impl Into<Axes>) -> Axes {
    axes.into()
}

impl Axes {
    /// All axes.
    ///
    /// ```
    /// use darray::Axes;
    /// assert_eq!(Axes::all(), Axes::from(..));
    /// ```
    pub fn all() -> Axes {
        Axes { list: None, keepdims: false }
    }

    /// The axes, kept with extent 1 in the result, so that it broadcasts against the reduced array.
    ///
    /// ```
    /// use darray::{DArray, axes};
    /// assert_eq!(DArray::<f64>::ones((2, 3)).max(axes(..).keepdims()).shape(), [1, 1]);
    /// ```
    pub fn keepdims(self) -> Axes {
        Axes { keepdims: true, ..self }
    }

    /// The axes as given; `None` for all.
    pub(crate) fn list(&self) -> Option<&[isize]> {
        self.list.as_deref()
    }

    /// The axes as a bit set, and the shape that is left of `shape`.
    pub(crate) fn resolve(&self, shape: &Shape) -> Result<(u32, Shape), ErrorKind> {
        let axes = match &self.list {
            None => (0..shape.rank()).collect(),
            Some(list) => resolve(list, shape)?,
        };
        let bits = axes.iter().fold(0, |bits, a| bits | 1 << a);
        let left = (0..shape.rank()).filter_map(|a| match bits >> a & 1 {
            0 => Some(shape[a]),
            _ => self.keepdims.then_some(1),
        });
        Ok((bits, left.collect()))
    }
}

/// One axis counted from the front.
pub(crate) fn resolve_one(axis: isize, shape: &Shape) -> Result<usize, ErrorKind> {
    Ok(resolve(&[axis], shape)?[0])
}

/// The axes counted from the front, each in range and given once.
pub(crate) fn resolve(axes: &[isize], shape: &Shape) -> Result<SmallVec<[usize; 8]>, ErrorKind> {
    let rank = shape.rank() as isize;
    let mut result: SmallVec<[usize; 8]> = SmallVec::new();
    for &axis in axes {
        let at = if axis < 0 { axis + rank } else { axis };
        let repeated = result.contains(&(at as usize));
        if at < 0 || at >= rank || repeated {
            return Err(ErrorKind::Axis { axis, shape: shape.clone(), repeated });
        }
        result.push(at as usize);
    }
    Ok(result)
}

/// Along what an operation goes that needs one order of elements, such as a sort or a running sum: an axis, which counts from the
/// end where it is negative, or `..` for all elements in row-major order.
///
/// ```
/// use darray::DArray;
/// let x = DArray::from_shape_vec((2, 2), vec![4, 3, 2, 1]);
/// assert_eq!(x.sort(0).to_vec(), [2, 1, 4, 3]);
/// assert_eq!(x.sort(-1).to_vec(), [3, 4, 1, 2]);
/// assert_eq!(x.sort(..).to_vec(), [1, 2, 3, 4]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along(pub(crate) Option<isize>);

impl From<Option<isize>> for Along {
    fn from(axis: Option<isize>) -> Along {
        Along(axis)
    }
}

impl From<RangeFull> for Along {
    fn from(_: RangeFull) -> Along {
        Along(None)
    }
}

impl From<RangeFull> for Axes {
    fn from(_: RangeFull) -> Axes {
        Axes::all()
    }
}

impl From<Option<isize>> for Axes {
    fn from(axis: Option<isize>) -> Axes {
        axis.map_or(Axes::all(), Axes::from)
    }
}

impl From<&[isize]> for Axes {
    fn from(axes: &[isize]) -> Axes {
        Axes { list: Some(axes.into()), keepdims: false }
    }
}

impl From<Vec<isize>> for Axes {
    fn from(axes: Vec<isize>) -> Axes {
        Axes::from(&axes[..])
    }
}

// What an isize cannot hold is out of range, and not an axis from the end.
macro_rules! axis_types {
    ($($t:ident)*) => { $(
        impl From<$t> for Axes {
            fn from(axis: $t) -> Axes {
                Axes::from([axis])
            }
        }

        impl<const N: usize> From<[$t; N]> for Axes {
            fn from(axes: [$t; N]) -> Axes {
                Axes::from(&axes.map(|axis| isize::try_from(axis).unwrap_or(isize::MAX))[..])
            }
        }

        impl From<$t> for Along {
            fn from(axis: $t) -> Along {
                Along(Some(isize::try_from(axis).unwrap_or(isize::MAX)))
            }
        }
    )* };
}

axis_types!(i32 usize isize);

macro_rules! axis_tuples {
    ($(($($axis:ident)+))*) => { $(
        #[allow(non_snake_case)]
        impl<$($axis: Index),+> From<($($axis,)+)> for Axes {
            fn from(($($axis,)+): ($($axis,)+)) -> Axes {
                Axes::from(&[$($axis.index()),+][..])
            }
        }
    )* };
}

axis_tuples!((A) (A B) (A B C) (A B C D));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_resolved_or_refused() {
        let shape = Shape::from([2, 3, 4]);
        let ok = |axes: Axes| axes.resolve(&shape).unwrap();
        assert_eq!(ok(Axes::from(..)), (0b111, Shape::scalar()));
        assert_eq!(ok(Axes::from(-1)), (0b100, Shape::from([2, 3])));
        assert_eq!(ok(axes([2, 0]).keepdims()), (0b101, Shape::from([1, 3, 1])));
        assert_eq!(ok(axes((2usize, -3))), (0b101, Shape::from([3])));
        assert_eq!(ok(Axes::from(None)), (0b111, Shape::scalar()));
        let error = |axes: Axes| axes.resolve(&shape).unwrap_err().to_string();
        assert_eq!(error(Axes::from(3)), "axis 3 is out of range for shape [2, 3, 4]");
        assert_eq!(error(Axes::from([1, -2])), "axis -2 is given twice for shape [2, 3, 4]");
        let text = format!("axis {} or more is out of range for shape [2, 3, 4]", isize::MAX);
        assert_eq!(error(Axes::from([0, usize::MAX])), text);
    }
}
