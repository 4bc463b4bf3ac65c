//! Arrays: the typed handle.
//!
//! Reading order: `variable` (what views share), `dyn_array` (a view, element type at run time), `element` (element types at compile
//! time), this file, then `axes` and `into_shape` (arguments) and `display`.

pub(crate) mod as_array;
pub(crate) mod axes;
pub(crate) mod display;
pub(crate) mod dyn_array;
pub(crate) mod element;
pub(crate) mod host;
pub(crate) mod into_shape;
pub(crate) mod number;
mod variable;

use crate::{DynArray, Element, Runtime};
use darray_core::{DType, Place, Result};
use std::marker::PhantomData;

/// A lazy n-dimensional array with elements of type `T`.
///
/// Rules:
/// - Operations are recorded and run together, fused, when a value is read ([`to_vec`](Self::to_vec),
///   [`item`](Self::item), `{}`) or on [`Runtime::flush`].
/// - Wrong shapes, axes and indices panic at the caller's line; [`attempt`](crate::attempt) and the methods of [`Fallible`](crate::Fallible) give an error
///   that names operation, shapes and line instead. Failures while running show at the next read.
/// - Operators take references and values; scalars stand on either side. Promotion is NumPy's.
/// - Slices, [`t`](Self::t), [`broadcast_to`](Self::broadcast_to) and most
///   [`reshape`](Self::reshape)s are views that write through. `Clone` is by value: of an array in
///   row-major order O(1), and a copy is made only before a partial write.
///
/// ```
/// use darray::{DArray, s};
/// let grid = DArray::<f64>::zeros((4, 4));
/// grid.slice(s![1..-1, 1..-1]).assign(1.0);
/// let before = grid.clone();
/// grid.t().slice(s![0]).assign(2.0);
/// assert_eq!((grid.sum(..).item(), before.sum(..).item()), (12.0, 4.0));
/// ```
///
/// What NumPy refuses or what would surprise does not compile: writing a wider type into a narrower
/// one, and `==` between arrays, which have [`eq`](Self::eq). What the compiler says of it names what to write instead.
///
/// ```compile_fail
/// use darray::DArray;
/// let mut x = DArray::<f32>::ones(2);
/// x += DArray::<f64>::ones(2);
/// ```
///
/// ```compile_fail
/// use darray::DArray;
/// let x = DArray::<f64>::ones(2);
/// if x == x {}
/// ```
#[must_use = "operations make new arrays, and this one is not used; in place are `a.assign(&b)` and `a += &b`"]
pub struct DArray<T: Element = f64> {
    raw: DynArray,
    element: PhantomData<fn() -> T>,
}

/// # What it is
impl<T: Element> DArray<T> {
    /// A typed handle; the element type is known to fit.
    pub(crate) fn wrap(raw: DynArray) -> DArray<T> {
        debug_assert_eq!(raw.dtype(), T::DTYPE);
        DArray { raw, element: PhantomData }
    }

    /// The same array without its static type.
    ///
    /// ```
    /// use darray::{DArray, DType};
    /// assert_eq!(DArray::<f32>::ones(2).as_dyn().dtype(), DType::F32);
    /// ```
    pub fn as_dyn(&self) -> &DynArray {
        &self.raw
    }

    /// Extents, outermost axis first; [`dims`](Self::dims) gives them to be taken apart, `let [height, width] = x.dims();`.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::ones((2, 3)).shape(), [2, 3]);
    /// ```
    pub fn shape(&self) -> &[usize] {
        self.raw.shape()
    }

    /// The extents of an array of `N` axes, to be taken apart.
    ///
    /// # Panics
    ///
    /// If there are not `N` axes.
    ///
    /// ```
    /// use darray::DArray;
    /// let [height, width] = DArray::<f64>::ones((2, 3)).dims();
    /// assert_eq!((height, width), (2, 3));
    /// ```
    #[track_caller]
    pub fn dims<const N: usize>(&self) -> [usize; N] {
        crate::error::expect_at_caller(self.as_dyn().dims())
    }

    /// Number of axes.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::ones((2, 3)).ndim(), 2);
    /// ```
    pub fn ndim(&self) -> usize {
        self.shape().len()
    }

    /// Number of elements, as NumPy calls it: [`len`](Self::len).
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::ones((2, 3)).size(), 6);
    /// ```
    pub fn size(&self) -> usize {
        self.len()
    }

    /// Number of elements (NumPy's `size`; its `len` is `shape()[0]`).
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::ones((2, 3)).len(), 6);
    /// ```
    pub fn len(&self) -> usize {
        self.raw.shape_of().size()
    }

    /// Whether there is no element.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((0, 3)).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element type as a value.
    ///
    /// ```
    /// use darray::{DArray, DType};
    /// assert_eq!(DArray::<f64>::ones(1).dtype(), DType::F64);
    /// ```
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// The runtime that its data belongs to.
    ///
    /// ```
    /// use darray::{DArray, Runtime};
    /// assert!(DArray::<f64>::ones(1).runtime() == &Runtime::current());
    /// ```
    pub fn runtime(&self) -> &Runtime {
        self.raw.runtime()
    }

    /// Another handle of the same elements: writes through either are seen by both.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::zeros(2);
    /// let mut y = x.alias();
    /// y += 1.0;
    /// assert_eq!(x.to_vec(), [1.0, 1.0]);
    /// ```
    pub fn alias(&self) -> DArray<T> {
        DArray::wrap(self.raw.alias())
    }

    /// A new array with the same elements, copied when it runs.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::zeros(2);
    /// x.copy().assign(1.0);
    /// assert_eq!(x.to_vec(), [0.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn copy(&self) -> DArray<T> {
        DArray::wrap(crate::error::expect_at_caller(self.raw.copy()))
    }
}

impl<T: Element> Clone for DArray<T> {
    /// The same elements as an independent array; see [`DynArray`]'s clone for the cost.
    #[track_caller]
    fn clone(&self) -> DArray<T> {
        DArray::wrap(self.raw.clone())
    }
}

impl<T: Element> AsRef<DynArray> for DArray<T> {
    fn as_ref(&self) -> &DynArray {
        &self.raw
    }
}

impl<T: Element> From<DArray<T>> for DynArray {
    fn from(array: DArray<T>) -> DynArray {
        array.raw
    }
}

impl<T: Element> TryFrom<DynArray> for DArray<T> {
    type Error = darray_core::Error;

    /// Errors: the array's element type is not `T`.
    #[track_caller]
    fn try_from(raw: DynArray) -> Result<DArray<T>> {
        if raw.dtype() == T::DTYPE {
            return Ok(DArray::wrap(raw));
        }
        let kind = darray_core::ErrorKind::DType {
            found: vec![raw.dtype()],
            expected: T::DTYPE.to_string(),
        };
        Err(darray_core::Error::new("DArray::try_from", kind, Place::caller()))
    }
}

const _: () = {
    const fn send_and_sync<T: Send + Sync>() {}
    send_and_sync::<DArray<f64>>();
    send_and_sync::<DynArray>();
    send_and_sync::<Runtime>();
};
