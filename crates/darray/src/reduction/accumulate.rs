//! Running results of any associative operation.

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Along, DArray, DynArray, Element};
use darray_core::{Ix, Place, Result};
use smallvec::SmallVec;

impl DynArray {
    /// The results of an associative operation of all elements so far, along an axis, or of all in row-major order where there is none:
    /// element `k` is `f(.. f(f(x0, x1), x2) .., xk)`, but for the grouping, which depends on the extent alone.
    ///
    /// The operation takes two arrays of one shape and gives one of that shape and this element type, each place along the axis by
    /// itself. It is called about twice as many times as the extent has binary digits, with halves, quarters and so on of the array.
    ///
    /// Errors: the axis is out of range; the operation gives another shape or element type, or an error of its own.
    ///
    /// ```
    /// use darray::{Binary, DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![3.0, 4.0, 12.0]));
    /// let lengths = x.accumulate(0, |a, b| a.binary(Binary::Hypot, b)).unwrap();
    /// assert_eq!(DArray::<f64>::try_from(lengths).unwrap().to_vec(), [3.0, 5.0, 13.0]);
    /// ```
    #[track_caller]
    pub fn accumulate(
        &self,
        axis: impl Into<Along>,
        mut f: impl FnMut(&DynArray, &DynArray) -> Result<DynArray>,
    ) -> Result<DynArray> {
        let steps = Steps { name: "accumulate", place: Place::caller() };
        let (x, axis) = match axis.into().0 {
            None => (steps.ravel(self)?, 0),
            Some(axis) => (self.alias(), steps.axis(self, axis)?),
        };
        let mut f = |a: &DynArray, b: &DynArray| {
            let result = f(a, b)?;
            if result.shape() != a.shape() {
                return Err(steps.shapes(&[a, &result], "an operation element by element"));
            }
            match result.dtype() == a.dtype() {
                true => Ok(result),
                false => Err(steps.dtypes(&[a, &result], "a result of the operands' type")),
            }
        };
        steps.running(&x, axis, &mut f)
    }
}

impl Steps {
    /// Neighbours together, the running results of those, which are every other result, and from each of them the next.
    fn running(
        &self,
        x: &DynArray,
        axis: usize,
        f: &mut dyn FnMut(&DynArray, &DynArray) -> Result<DynArray>,
    ) -> Result<DynArray> {
        let n = x.shape()[axis];
        let result = self.empty(x, x.dtype(), x.shape_of());
        self.assign(
            &self.range(&result, axis, (0, n.min(1)))?,
            &self.range(x, axis, (0, n.min(1)))?,
        )?;
        if n < 2 {
            return Ok(result);
        }
        let pairs =
            f(&self.every_other(x, axis, 0, n / 2)?, &self.every_other(x, axis, 1, n / 2)?)?;
        let odd = self.running(&pairs, axis, f)?;
        self.assign(&self.every_other(&result, axis, 1, n / 2)?, &odd)?;
        let others = (n - 1) / 2;
        if others > 0 {
            let before = self.range(&odd, axis, (0, others))?;
            let even = f(&before, &self.every_other(x, axis, 2, others)?)?;
            self.assign(&self.every_other(&result, axis, 2, others)?, &even)?;
        }
        Ok(result)
    }

    /// So many elements along an axis, every other one: a view.
    fn every_other(
        &self,
        x: &DynArray,
        axis: usize,
        first: usize,
        count: usize,
    ) -> Result<DynArray> {
        let (start, end) = (first as isize, (first + 2 * count - 1) as isize);
        let range = Ix::Range { start: Some(start), end: Some(end), step: 2 };
        let before = (0..axis).map(|_| Ix::from(..));
        let index: SmallVec<[Ix; 8]> = before.chain([range]).collect();
        let view = x.view().slice(&index).map_err(|kind| self.error(kind))?;
        Ok(x.with_view(view))
    }
}

/// # Running results of any operation
impl<T: Element> DArray<T> {
    /// The results of an associative operation of all elements so far along an axis, or with `..` of all elements in row-major order:
    /// NumPy's `accumulate` of any operation. How elements are grouped depends on the extent alone.
    ///
    /// The operation takes two arrays of one shape and works on each place along the axis by itself; it is called about twice as many
    /// times as the extent has binary digits. [`cumsum`](Self::cumsum), [`cumprod`](Self::cumprod), [`cummax`](Self::cummax) and
    /// [`cummin`](Self::cummin) go once through memory.
    ///
    /// # Panics
    ///
    /// If the axis is out of range or the operation gives another shape.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![3.0, 4.0, 12.0]);
    /// assert_eq!(x.accumulate(0, |a, b| a.hypot(b)).to_vec(), [3.0, 5.0, 13.0]);
    /// let bits = DArray::from_vec(vec![1, 4, 1, 2]);
    /// assert_eq!(bits.accumulate(.., |a, b| a | b).to_vec(), [1, 5, 5, 7]);
    /// ```
    #[track_caller]
    pub fn accumulate(
        &self,
        axis: impl Into<Along>,
        f: impl FnMut(&DArray<T>, &DArray<T>) -> DArray<T>,
    ) -> DArray<T> {
        let mut f = f;
        let f = |a: &DynArray, b: &DynArray| {
            Ok(DynArray::from(f(&DArray::wrap(a.alias()), &DArray::wrap(b.alias()))))
        };
        DArray::wrap(expect_at_caller(self.as_dyn().accumulate(axis, f)))
    }
}
