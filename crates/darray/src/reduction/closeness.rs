//! Whether arrays are equal, or nearly.

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Binary, DArray, DynArray, Element, Reduction, Unary};
use darray_core::{DType, Place, Result, promote};

/// How far elements may be from each other to be close: `|x - y| <= absolute + relative * |y|`.
///
/// ```
/// use darray::{DArray, Tolerance};
/// let exact = Tolerance { relative: 0.0, absolute: 0.0, ..Tolerance::default() };
/// let (x, y) = (DArray::from_vec(vec![1.0]), DArray::from_vec(vec![1.0 + 1e-9]));
/// assert!(x.allclose(&y).item() && !x.allclose_within(&y, exact).item());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Of the second array's element; NumPy's `rtol`, 1e-5 by default.
    pub relative: f64,
    /// NumPy's `atol`, 1e-8 by default.
    pub absolute: f64,
    /// Whether NaN is close to NaN; not so by default.
    pub equal_nan: bool,
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance { relative: 1e-5, absolute: 1e-8, equal_nan: false }
    }
}

impl DynArray {
    /// NumPy's `isclose`: whether elements are as close as the tolerance says, or equal. Infinities are close to themselves alone.
    ///
    /// Errors: the shapes do not broadcast.
    ///
    /// ```
    /// use darray::{DArray, DynArray, Tolerance};
    /// let x = DynArray::from(DArray::from_vec(vec![1.0, 2.0]));
    /// let y = DynArray::from(DArray::from_vec(vec![1.0 + 1e-9, 2.1]));
    /// let close = DArray::<bool>::try_from(x.isclose(&y, Tolerance::default()).unwrap()).unwrap();
    /// assert_eq!(close.to_vec(), [true, false]);
    /// ```
    #[track_caller]
    pub fn isclose(&self, other: &DynArray, tolerance: Tolerance) -> Result<DynArray> {
        let steps = Steps { name: "isclose", place: Place::caller() };
        steps.close(self, other, tolerance)
    }

    /// NumPy's `allclose`: whether all elements are [close](Self::isclose), as a bool without axes.
    ///
    /// Errors: the shapes do not broadcast.
    ///
    /// ```
    /// use darray::{DArray, DynArray, Tolerance};
    /// let x = DynArray::from(DArray::<f64>::ones(2));
    /// let close = x.allclose(&x, Tolerance::default()).unwrap();
    /// assert!(DArray::<bool>::try_from(close).unwrap().item());
    /// ```
    #[track_caller]
    pub fn allclose(&self, other: &DynArray, tolerance: Tolerance) -> Result<DynArray> {
        let steps = Steps { name: "allclose", place: Place::caller() };
        let close = steps.close(self, other, tolerance)?;
        close.reduce_named(Reduction::All, .., steps.name, steps.place)
    }

    /// NumPy's `array_equal`: whether the shapes are equal and all elements are, as a bool without axes. NaN is equal to nothing.
    ///
    /// Errors: the arrays belong to two runtimes.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones(2));
    /// let y = DynArray::from(DArray::<i32>::ones(2));
    /// assert!(DArray::<bool>::try_from(x.array_equal(&y).unwrap()).unwrap().item());
    /// ```
    #[track_caller]
    pub fn array_equal(&self, other: &DynArray) -> Result<DynArray> {
        let steps = Steps { name: "array_equal", place: Place::caller() };
        steps.same_runtime(self, other)?;
        if self.shape() != other.shape() {
            return steps.full(self, DType::Bool, &[], 0.0);
        }
        let equal = steps.binary(Binary::Eq, self, other)?;
        equal.reduce_named(Reduction::All, .., steps.name, steps.place)
    }
}

impl Steps {
    fn close(&self, x: &DynArray, y: &DynArray, tolerance: Tolerance) -> Result<DynArray> {
        let dtype = promote(x.dtype(), y.dtype()).inexact();
        let (x, y) = (self.cast(x, dtype)?, self.cast(y, dtype)?);
        let distance = self.unary(Unary::Abs, &self.binary(Binary::Sub, &x, &y)?)?;
        let size = self.unary(Unary::Abs, &y)?;
        let relative = self.binary(Binary::Mul, &size, tolerance.relative)?;
        let allowed = self.binary(Binary::Add, &relative, tolerance.absolute)?;
        let near = self.binary(Binary::Le, &distance, &allowed)?;
        let near = self.binary(Binary::And, &near, &self.unary(Unary::IsFinite, &y)?)?;
        let close = self.binary(Binary::Or, &near, &self.binary(Binary::Eq, &x, &y)?)?;
        if !tolerance.equal_nan {
            return Ok(close);
        }
        let (x, y) = (self.unary(Unary::IsNan, &x)?, self.unary(Unary::IsNan, &y)?);
        self.binary(Binary::Or, &close, &self.binary(Binary::And, &x, &y)?)
    }
}

/// # Equality
impl<T: Element> DArray<T> {
    /// NumPy's `isclose`: whether elements are close by the default [tolerance](Tolerance), or equal. Infinities are close to
    /// themselves alone.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// let (x, y) = (DArray::from_vec(vec![1.0, 2.0]), DArray::from_vec(vec![1.0 + 1e-9, 2.1]));
    /// assert_eq!(x.isclose(&y).to_vec(), [true, false]);
    /// ```
    #[track_caller]
    pub fn isclose<U: Element>(&self, other: &DArray<U>) -> DArray<bool> {
        self.isclose_within(other, Tolerance::default())
    }

    /// As [`isclose`](Self::isclose), by another tolerance.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::{DArray, Tolerance};
    /// let x = DArray::from_vec(vec![1.0, f64::NAN]);
    /// let tolerance = Tolerance { equal_nan: true, ..Tolerance::default() };
    /// assert_eq!(x.isclose_within(&x, tolerance).to_vec(), [true, true]);
    /// ```
    #[track_caller]
    pub fn isclose_within<U: Element>(
        &self,
        other: &DArray<U>,
        tolerance: Tolerance,
    ) -> DArray<bool> {
        DArray::wrap(expect_at_caller(self.as_dyn().isclose(other.as_dyn(), tolerance)))
    }

    /// NumPy's `allclose`: whether all elements are [close](Self::isclose); a 0-d array.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, 2.0]);
    /// assert!(x.allclose(&(&x + 1e-9)).item());
    /// ```
    #[track_caller]
    pub fn allclose<U: Element>(&self, other: &DArray<U>) -> DArray<bool> {
        self.allclose_within(other, Tolerance::default())
    }

    /// As [`allclose`](Self::allclose), by another tolerance.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::{DArray, Tolerance};
    /// let x = DArray::from_vec(vec![1.0, 2.0]);
    /// let tolerance = Tolerance { relative: 0.2, ..Tolerance::default() };
    /// assert!(x.allclose_within(&(&x * 1.1), tolerance).item());
    /// ```
    #[track_caller]
    pub fn allclose_within<U: Element>(
        &self,
        other: &DArray<U>,
        tolerance: Tolerance,
    ) -> DArray<bool> {
        DArray::wrap(expect_at_caller(self.as_dyn().allclose(other.as_dyn(), tolerance)))
    }

    /// NumPy's `array_equal`: whether the shapes are equal and all elements are; a 0-d array. NaN is equal to nothing.
    ///
    /// # Panics
    ///
    /// If the arrays belong to two runtimes.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, 2.0]);
    /// assert!(x.array_equal(&DArray::from_vec(vec![1, 2])).item());
    /// assert!(!x.array_equal(&DArray::<f64>::ones((2, 1))).item());
    /// ```
    #[track_caller]
    pub fn array_equal<U: Element>(&self, other: &DArray<U>) -> DArray<bool> {
        DArray::wrap(expect_at_caller(self.as_dyn().array_equal(other.as_dyn())))
    }
}
