//! New arrays. All are recorded operations, but those that take host data.

mod convert;
mod grid;
mod like;
mod matrix;
mod nested;
pub(crate) mod open_grid;
pub(crate) mod random;
pub(crate) mod range;

pub use grid::Indexing;
pub use nested::{Nest, Nested};
pub use open_grid::Coordinates;

use crate::array::host::of_bytes;
use crate::array::into_shape::checked_shape;
use crate::elementwise::nullary::{create_in, filled_in};
use crate::error::expect_at_caller;
use crate::{Assignable, DArray, DynArray, Element, IntoShape, Runtime, ScalarLike, WeakScalar};
use darray_core::{DType, Error, ErrorKind, Place, RealType, Result, Scalar, Shape};
use darray_ir::TaskOp;

impl DynArray {
    /// An array of equal elements, cast to `dtype`.
    ///
    /// Errors: `dtype` is an integer type that cannot hold an integer value.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// let x = DynArray::full((2, 2), DType::F32, 1.5).unwrap();
    /// assert_eq!(DArray::<f32>::try_from(x).unwrap().to_vec(), [1.5; 4]);
    /// assert!(DynArray::full(2, DType::U8, 300).is_err());
    /// ```
    #[track_caller]
    pub fn full(
        shape: impl IntoShape,
        dtype: DType,
        value: impl Into<WeakScalar>,
    ) -> Result<DynArray> {
        DynArray::filled("full", &shape, dtype, value.into(), Place::caller())
    }

    /// As [`full`](Self::full), for the operation of this name.
    pub(crate) fn filled(
        name: &'static str,
        shape: &impl IntoShape,
        dtype: DType,
        value: WeakScalar,
        place: Place,
    ) -> Result<DynArray> {
        let shape = checked_shape(name, shape, place)?;
        filled_in(&Runtime::current_at(place)?, name, dtype, &shape, value, place)
    }

    /// An array of host data: row-major elements as they lie in memory, complex ones with the real part first.
    ///
    /// Any byte but 0 is `true`.
    ///
    /// Errors: the number of bytes does not fit the shape; no memory on the device.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// let bytes = [1.0f32, 2.0].iter().flat_map(|v| v.to_ne_bytes()).collect();
    /// let x = DynArray::from_bytes(2, DType::F32, bytes).unwrap();
    /// assert_eq!(DArray::<f32>::try_from(x).unwrap().to_vec(), [1.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn from_bytes(shape: impl IntoShape, dtype: DType, bytes: Vec<u8>) -> Result<DynArray> {
        let (name, place) = ("from_bytes", Place::caller());
        let shape = checked_shape(name, &shape, place)?;
        let wanted = shape.size() * dtype.size();
        if bytes.len() != wanted {
            let expected = format!("{wanted} bytes for {dtype}, not {}", bytes.len());
            let kind = ErrorKind::Shapes { shapes: vec![shape], expected };
            return Err(Error::new(name, kind, place));
        }
        of_bytes(name, &shape, dtype, bytes, place)
    }
}

/// Emits a task that only writes a new real array, in the current runtime.
pub(crate) fn create(
    name: &'static str,
    op: TaskOp,
    dtype: RealType,
    shape: &Shape,
    scalars: &[Scalar],
    place: Place,
) -> Result<DynArray> {
    create_in(&Runtime::current_at(place)?, name, op, dtype, shape, scalars, place)
}

/// # Creation
impl<T: Element> DArray<T> {
    /// An array of zeros (`false` for bool).
    ///
    /// # Panics
    ///
    /// If an extent is negative, or there are more than eight axes or too many elements; so do all
    /// creations.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::zeros((1, 2)).to_vec(), [0.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn zeros(shape: impl IntoShape) -> DArray<T> {
        let zero = false.into();
        DArray::wrap(expect_at_caller(DynArray::filled(
            "zeros",
            &shape,
            T::DTYPE,
            zero,
            Place::caller(),
        )))
    }

    /// An array of ones (`true` for bool).
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<bool>::ones(2).to_vec(), [true, true]);
    /// ```
    #[track_caller]
    pub fn ones(shape: impl IntoShape) -> DArray<T> {
        let one = true.into();
        DArray::wrap(expect_at_caller(DynArray::filled(
            "ones",
            &shape,
            T::DTYPE,
            one,
            Place::caller(),
        )))
    }

    /// An array of equal elements, from a weak scalar (see [`Operand`](crate::Operand)).
    ///
    /// # Panics
    ///
    /// If the value is an integer that the element type cannot hold.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f32>::full(2, 1.5).to_vec(), [1.5, 1.5]);
    /// ```
    #[track_caller]
    pub fn full<V>(shape: impl IntoShape, value: V) -> DArray<T>
    where
        V: ScalarLike + Assignable<T>,
    {
        DArray::wrap(expect_at_caller(DynArray::full(shape, T::DTYPE, value.weak())))
    }

    /// A 1-d array of these elements.
    ///
    /// Integer literals are `i32` where nothing says otherwise, as everywhere in Rust (NumPy's are
    /// `i64`): `DArray::<i64>::from_vec(vec![1, 2])`, or `vec![1i64, 2]`.
    ///
    /// # Panics
    ///
    /// If no device has memory for them; so do all that take host data.
    ///
    /// ```
    /// use darray::{DArray, DType};
    /// assert_eq!(DArray::from_vec(vec![1.5, 2.5]).shape(), [2]);
    /// assert_eq!(DArray::from_vec(vec![1, 2]).dtype(), DType::I32);
    /// ```
    #[doc(alias = "array")]
    #[track_caller]
    pub fn from_vec(elements: Vec<T>) -> DArray<T> {
        expect_at_caller(from_elements("from_vec", elements.len(), elements, Place::caller()))
    }

    /// An array of these elements in row-major order.
    ///
    /// # Panics
    ///
    /// If the number of elements does not fit the shape.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
    /// assert_eq!(x.t().to_vec(), [1, 3, 2, 4]);
    /// ```
    #[track_caller]
    pub fn from_shape_vec(shape: impl IntoShape, elements: Vec<T>) -> DArray<T> {
        expect_at_caller(from_elements("from_shape_vec", shape, elements, Place::caller()))
    }

    /// An array whose element at each index a closure computes now, on this thread.
    ///
    /// # Panics
    ///
    /// As [`zeros`](Self::zeros) and [`from_vec`](Self::from_vec), or if the host has no memory for the elements.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_fn((2, 2), |index| (10 * index[0] + index[1]) as i64);
    /// assert_eq!(x.to_vec(), [0, 1, 10, 11]);
    /// ```
    #[track_caller]
    pub fn from_fn(shape: impl IntoShape, f: impl FnMut(&[usize]) -> T) -> DArray<T> {
        expect_at_caller(DArray::from_fn_at(shape, f, Place::caller()))
    }

    /// As [`from_fn`](Self::from_fn), from this place, with an error.
    pub(crate) fn from_fn_at(
        shape: impl IntoShape,
        mut f: impl FnMut(&[usize]) -> T,
        place: Place,
    ) -> Result<DArray<T>> {
        let name = "from_fn";
        let shape = checked_shape(name, &shape, place)?;
        let mut index = vec![0; shape.rank()];
        let mut elements = with_capacity_for(&shape, T::DTYPE, name, place)?;
        for _ in 0..shape.size() {
            elements.push(f(&index));
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                if index[axis] < shape[axis] {
                    break;
                }
                index[axis] = 0;
            }
        }
        from_elements(name, shape, elements, place)
    }
}

/// A vector with capacity for the elements of this shape, where the host has it.
pub(crate) fn with_capacity_for<E>(
    shape: &Shape,
    dtype: DType,
    name: &'static str,
    place: Place,
) -> Result<Vec<E>> {
    let mut elements = Vec::new();
    let reserved = elements.try_reserve_exact(shape.size());
    reserved.map(|()| elements).map_err(|_| {
        let bytes = shape.size().saturating_mul(size_of::<E>());
        let message = format!("out of memory on the host: {bytes} bytes");
        let (shapes, dtypes) = (vec![shape.clone()], vec![dtype]);
        Error::new(name, ErrorKind::Execution { message, shapes, dtypes }, place)
    })
}

/// An array of these elements in row-major order, for the operation of this name.
pub(crate) fn from_elements<T: Element>(
    name: &'static str,
    shape: impl IntoShape,
    elements: Vec<T>,
    place: Place,
) -> Result<DArray<T>> {
    Ok(DArray::wrap(T::import(name, shape, elements, place)?))
}
