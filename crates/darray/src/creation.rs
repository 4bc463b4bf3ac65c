//! New arrays. All are recorded operations, but those that take host data.

use crate::error::must;
use crate::{DArray, DynArray, Element, IntoShape, Number, Operand, Runtime};
use darray_core::{
    DType, Error, ErrorKind, Map, Place, Result, Scalar, Shape, check_shape, promote,
};
use darray_ir::{Privilege, TaskOp};
use darray_runtime::Emission;

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
    pub fn full(shape: impl IntoShape, dtype: DType, value: impl Into<Scalar>) -> Result<DynArray> {
        let place = Place::caller();
        let (shape, value) = (checked_shape("full", &shape, place)?, value.into());
        if !value.fits(dtype) {
            let kind = ErrorKind::Value { value: value.to_i64(), dtype };
            return Err(Error::new("full", kind, place));
        }
        create("full", TaskOp::Fill, dtype, &shape, &[value.cast(dtype)], place)
    }

    /// `0, 1, .. count` as `dtype`; integers wrap.
    ///
    /// Errors: `dtype` is bool.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// let x = DynArray::arange(3, DType::F32).unwrap();
    /// assert_eq!(DArray::<f32>::try_from(x).unwrap().to_vec(), [0.0, 1.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn arange(count: usize, dtype: DType) -> Result<DynArray> {
        let (zero, one) = (Scalar::zero(dtype), Scalar::one(dtype));
        arange("arange", count, zero, one, Place::caller())
    }

    /// An array of host data: row-major elements as they lie in memory.
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
    pub fn from_bytes(shape: impl IntoShape, dtype: DType, mut bytes: Vec<u8>) -> Result<DynArray> {
        let (name, place) = ("array", Place::caller());
        let shape = checked_shape(name, &shape, place)?;
        if bytes.len() != shape.size() * dtype.size() {
            let (given, wanted) = (bytes.len() / dtype.size(), shape.size());
            let expected = format!("{wanted} elements, not {given}");
            return Err(Error::new(
                name,
                ErrorKind::Shapes { shapes: vec![shape], expected },
                place,
            ));
        }
        if dtype == DType::Bool {
            // Kernels count on 0 and 1.
            bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        let runtime = Runtime::try_current()?;
        let store = runtime.engine().import(dtype, &shape, bytes, name, place)?;
        Ok(DynArray::of_store(&runtime, store))
    }
}

/// Emits a task that only writes a new array, in the current runtime.
pub(crate) fn create(
    name: &'static str,
    op: TaskOp,
    dtype: DType,
    shape: &Shape,
    scalars: &[Scalar],
    place: Place,
) -> Result<DynArray> {
    create_in(&Runtime::try_current()?, name, op, dtype, shape, scalars, place)
}

/// As [`create`], in this runtime.
pub(crate) fn create_in(
    runtime: &Runtime,
    name: &'static str,
    op: TaskOp,
    dtype: DType,
    shape: &Shape,
    scalars: &[Scalar],
    place: Place,
) -> Result<DynArray> {
    let result = DynArray::allocate(runtime, dtype, shape);
    let store = result.variable().current();
    let map = Map::identity(shape);
    let args = &[(store.store(), &map, Privilege::Write)];
    runtime.emit(Emission { op, name, domain: shape, args, scalars, place })?;
    Ok(result)
}

fn arange(
    name: &'static str,
    count: usize,
    start: Scalar,
    step: Scalar,
    place: Place,
) -> Result<DynArray> {
    let dtype = start.dtype();
    if dtype == DType::Bool {
        let expected = "numbers".to_string();
        return Err(Error::new(name, ErrorKind::DType { found: vec![dtype], expected }, place));
    }
    create(name, TaskOp::Arange, dtype, &Shape::from([count]), &[start, step], place)
}

/// The shape, if no extent is negative and there are neither too many axes nor elements.
pub(crate) fn checked_shape(
    name: &'static str,
    shape: &impl IntoShape,
    place: Place,
) -> Result<Shape> {
    let extents = shape.extents();
    let shape = extents.iter().map(|&n| n.max(0) as usize).collect();
    let checked = match extents.iter().find(|n| **n < 0) {
        Some(n) => {
            let message = format!("extent {n} is negative");
            Err(ErrorKind::Index { message, shape: Shape::clone(&shape) })
        }
        None => check_shape(&shape),
    };
    checked.map(|()| shape).map_err(|kind| Error::new(name, kind, place))
}

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
        DArray::wrap(must(DynArray::full(shape, T::DTYPE, Scalar::zero(T::DTYPE))))
    }

    /// An array of ones (`true` for bool).
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<bool>::ones(2).to_vec(), [true, true]);
    /// ```
    #[track_caller]
    pub fn ones(shape: impl IntoShape) -> DArray<T> {
        DArray::wrap(must(DynArray::full(shape, T::DTYPE, Scalar::one(T::DTYPE))))
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
        V: Into<Scalar> + Operand<T, Output = T>,
    {
        DArray::wrap(must(DynArray::full(shape, T::DTYPE, value)))
    }

    /// A 1-d array of these elements.
    ///
    /// Integer literals are `i32` where nothing says otherwise, as everywhere in Rust (NumPy's are
    /// `i64`): `DArray::<i64>::from_vec(vec![1, 2])`, or `vec![1i64, 2]`.
    ///
    /// ```
    /// use darray::{DArray, DType};
    /// assert_eq!(DArray::from_vec(vec![1.5, 2.5]).shape(), [2]);
    /// assert_eq!(DArray::from_vec(vec![1, 2]).dtype(), DType::I32);
    /// ```
    #[track_caller]
    pub fn from_vec(elements: Vec<T>) -> DArray<T> {
        must(DArray::try_from_shape_vec(elements.len(), elements))
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
        must(DArray::try_from_shape_vec(shape, elements))
    }

    /// As [`from_shape_vec`](Self::from_shape_vec); elements that do not fit the shape are an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::try_from_shape_vec((2, 2), vec![1, 2, 3]).unwrap_err();
    /// assert!(error.to_string().starts_with("array: shapes [2, 2]: expected 4 elements, not 3"));
    /// ```
    #[track_caller]
    pub fn try_from_shape_vec(shape: impl IntoShape, elements: Vec<T>) -> Result<DArray<T>> {
        Ok(DArray::wrap(DynArray::from_bytes(shape, T::DTYPE, T::to_bytes(&elements))?))
    }

    /// An array whose element at each index a closure computes now, on this thread.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_fn((2, 2), |index| (10 * index[0] + index[1]) as i64);
    /// assert_eq!(x.to_vec(), [0, 1, 10, 11]);
    /// ```
    #[track_caller]
    pub fn from_fn(shape: impl IntoShape, mut f: impl FnMut(&[usize]) -> T) -> DArray<T> {
        let shape = must(checked_shape("from_fn", &shape, Place::caller()));
        let mut index = vec![0; shape.rank()];
        let mut elements = Vec::with_capacity(shape.size());
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
        DArray::from_shape_vec(shape, elements)
    }
}

impl<T: Number> DArray<T> {
    /// `0, 1, .. count`; integers wrap.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::arange(3).to_vec(), [0.0, 1.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn arange(count: usize) -> DArray<T> {
        DArray::wrap(must(DynArray::arange(count, T::DTYPE)))
    }

    /// NumPy's `arange(start, stop, step)`: `start, start + step, ..` up to but without `stop`.
    ///
    /// # Panics
    ///
    /// If the step is zero or not a number.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::range(1.0, 2.0, 0.25).to_vec(), [1.0, 1.25, 1.5, 1.75]);
    /// assert_eq!(DArray::range(3, 0, -1).to_vec(), [3, 2, 1]);
    /// ```
    #[track_caller]
    pub fn range(start: T, stop: T, step: T) -> DArray<T> {
        let (name, place) = ("arange", Place::caller());
        let [first, last, by] = [start, stop, step].map(T::into_scalar);
        let count = match T::DTYPE {
            // An f64 has not all digits of an i64.
            dtype if dtype.is_integer() => steps([first, last, by].map(|s| i128::from(s.to_i64()))),
            _ => ((last.to_f64() - first.to_f64()) / by.to_f64()).ceil(),
        };
        if !count.is_finite() || count > u32::MAX as f64 * 4096.0 {
            let message = format!("no finite range from {first} to {last} by {by}");
            let shape = Shape::scalar();
            must::<()>(Err(Error::new(name, ErrorKind::Index { message, shape }, place)));
        }
        // NumPy's step of floats is the difference of the first two elements.
        let by = match T::DTYPE.is_float() {
            true => difference(first, by),
            false => by,
        };
        DArray::wrap(must(arange(name, count.max(0.0) as usize, first, by, place)))
    }
}

/// How many steps lead from `first` to `last` or beyond, if that is the direction; no number for
/// steps of 0.
fn steps([first, last, by]: [i128; 3]) -> f64 {
    let span = last - first;
    match by {
        0 => f64::NAN,
        _ => (span / by + i128::from(span % by != 0 && (span < 0) == (by < 0))) as f64,
    }
}

/// `(first + by) - first` in the element type.
fn difference(first: Scalar, by: Scalar) -> Scalar {
    use darray_kernel::operator::Operator;
    debug_assert_eq!(promote(first.dtype(), by.dtype()), first.dtype());
    Operator::Sub.apply(&[Operator::Add.apply(&[first, by]), first])
}

impl DArray<f64> {
    /// `count` numbers from `start` to `stop`, both included.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::linspace(0.0, 1.0, 5).to_vec(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// ```
    #[track_caller]
    pub fn linspace(start: f64, stop: f64, count: usize) -> DArray<f64> {
        let place = Place::caller();
        let step = if count > 1 { (stop - start) / (count - 1) as f64 } else { 0.0 };
        let result = must(arange("linspace", count, start.into(), step.into(), place));
        if count > 1 {
            let last = must(result.slice([darray_core::Ix::At(-1)]));
            must(last.assign(stop));
        }
        DArray::wrap(result)
    }
}
