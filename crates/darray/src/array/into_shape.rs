//! Ways to write a shape.

use crate::Index;
use darray_core::{Error, ErrorKind, Place, Result, Shape, check_shape, list_extents};
use smallvec::SmallVec;

/// What can be given where a shape is wanted: an extent, a tuple or array of extents, a slice, a
/// [`Shape`], `()` for 0-d.
///
/// Extents may be of any integer type; `-1` is only meant for [`reshape`](crate::DArray::reshape).
///
/// ```
/// use darray::DArray;
/// let n = 4usize;
/// assert_eq!(DArray::<f64>::zeros(n).shape(), [4]);
/// assert_eq!(DArray::<f64>::zeros((n, 3)).shape(), [4, 3]);
/// assert_eq!(DArray::<f64>::zeros([n, n + 1]).shape(), [4, 5]);
/// assert_eq!(DArray::<f64>::zeros(()).shape(), [0usize; 0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape",
    label = "write `n`, `(n, m)`, `[n, m]` or `()`, of integers, or `a.shape()`"
)]
pub trait IntoShape {
    /// The extents as written.
    fn extents(&self) -> Extents;
}

/// The extents of a shape as written, possibly negative.
pub type Extents = SmallVec<[i64; 4]>;

macro_rules! extents {
    ($($t:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl IntoShape for $t {
            fn extents(&self) -> Extents {
                SmallVec::from_slice(&[extent(*self)])
            }
        }
    )* };
}

extents!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

/// An extent as a signed number. What an i64 cannot hold is larger than any extent.
pub(crate) fn extent(extent: impl Index) -> i64 {
    extent.index() as i64
}

macro_rules! extent_tuples {
    ($(($($e:ident)*))*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($e: Index),*> IntoShape for ($($e,)*) {
            #[allow(non_snake_case)]
            fn extents(&self) -> Extents {
                let ($($e,)*) = self;
                SmallVec::from_slice(&[$(extent(*$e)),*])
            }
        }
    )* };
}

extent_tuples!((A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H));

#[diagnostic::do_not_recommend]
impl IntoShape for () {
    fn extents(&self) -> Extents {
        SmallVec::new()
    }
}

#[diagnostic::do_not_recommend]
impl<E: Index, const N: usize> IntoShape for [E; N] {
    fn extents(&self) -> Extents {
        self.iter().copied().map(extent).collect()
    }
}

#[diagnostic::do_not_recommend]
impl<E: Index> IntoShape for &[E] {
    fn extents(&self) -> Extents {
        self.iter().copied().map(extent).collect()
    }
}

#[diagnostic::do_not_recommend]
impl<E: Index> IntoShape for Vec<E> {
    fn extents(&self) -> Extents {
        self.iter().copied().map(extent).collect()
    }
}

#[diagnostic::do_not_recommend]
impl IntoShape for Shape {
    fn extents(&self) -> Extents {
        self.iter().copied().map(extent).collect()
    }
}

#[diagnostic::do_not_recommend]
impl<S: IntoShape> IntoShape for &S {
    fn extents(&self) -> Extents {
        S::extents(self)
    }
}

/// The shape, if no extent is negative and there are neither too many axes nor elements.
pub(crate) fn checked_shape(
    name: &'static str,
    shape: &impl IntoShape,
    place: Place,
) -> Result<Shape> {
    let extents = shape.extents();
    let mut shape = Shape::scalar();
    let mut negative = false;
    for &extent in &extents {
        negative |= extent < 0;
        shape.push(extent.max(0) as usize);
    }
    let checked = if negative { Err(negative_extent(&extents)) } else { check_shape(&shape) };
    checked.map(|()| shape).map_err(|kind| Error::new(name, kind, place))
}

#[cold]
fn negative_extent(extents: &[i64]) -> ErrorKind {
    let n = extents.iter().find(|n| **n < 0).unwrap_or(&0);
    let shape = list_extents(extents);
    ErrorKind::Argument { message: format!("extent {n} is negative (shape {shape})") }
}
