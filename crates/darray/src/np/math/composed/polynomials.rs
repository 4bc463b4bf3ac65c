//! Polynomials, whose coefficients lie along one axis, that of the highest power first; and convolutions.

use crate::elementwise::nullary::create_in;
use crate::elementwise::steps::Steps;
use crate::{Binary, DynArray};
use darray_core::{DType, Ix, Place, Result, Scalar, Shape, promote};
use darray_ir::TaskOp;

/// Which sums of a convolution are wanted: NumPy's `mode`.
///
/// ```
/// use darray::{DArray, Overlap, np};
/// let (x, y) = (DArray::from(vec![1, 2, 3]), DArray::from(vec![1, 1]));
/// assert_eq!(np::convolve(&x, &y, Overlap::Full).to_vec(), [1, 3, 5, 3]);
/// assert_eq!(np::convolve(&x, &y, Overlap::Same).to_vec(), [1, 3, 5]);
/// assert_eq!(np::convolve(&x, &y, Overlap::Valid).to_vec(), [3, 5]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Overlap {
    /// All in which both arrays have elements.
    #[default]
    Full,
    /// As many as the longer array has elements, the middle ones.
    Same,
    /// Those in which all of the shorter array is.
    Valid,
}

/// Refuses all but one axis.
fn one_axis(steps: Steps, arrays: &[&DynArray]) -> Result<()> {
    match arrays.iter().all(|x| x.shape().len() == 1 && x.shape()[0] > 0) {
        true => Ok(()),
        false => Err(steps.shapes(arrays, "elements along one axis")),
    }
}

/// The element at a place: a view without axes.
fn element(steps: Steps, x: &DynArray, k: usize) -> Result<DynArray> {
    Ok(x.with_view(x.view().slice(&[Ix::from(k as isize)]).map_err(|kind| steps.error(kind))?))
}

pub fn polyval(steps: Steps, p: &DynArray, x: &DynArray) -> Result<DynArray> {
    let &[count] = p.shape() else { return Err(steps.shapes(&[p, x], "one axis of coefficients")) };
    let dtype = promote(p.dtype(), x.dtype());
    let x = steps.cast(x, dtype)?;
    let mut value = steps.full(&x, dtype, x.shape(), 0.0)?;
    for k in 0..count {
        let power = steps.binary(Binary::Mul, &value, &x)?;
        value = steps.binary(Binary::Add, &power, &element(steps, p, k)?)?;
    }
    Ok(value)
}

/// Sums or differences of coefficients of the same powers.
fn combined(steps: Steps, operation: Binary, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    one_axis(steps, &[x, y])?;
    let dtype = promote(x.dtype(), y.dtype());
    let count = x.shape()[0].max(y.shape()[0]);
    let wide = |array: &DynArray| {
        let padded = steps.full(array, dtype, &[count], 0.0)?;
        let last = steps.range(&padded, 0, (count - array.shape()[0], count))?;
        steps.assign(&last, array)?;
        Ok(padded)
    };
    steps.binary(operation, &wide(x)?, &wide(y)?)
}

pub fn polyadd(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    combined(steps, Binary::Add, x, y)
}

pub fn polysub(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    combined(steps, Binary::Sub, x, y)
}

pub fn polymul(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    convolution(steps, x, y, Overlap::Full)
}

/// The numbers from the first on, one less each.
fn descending(steps: Steps, x: &DynArray, first: usize, count: usize) -> Result<DynArray> {
    let scalars = [Scalar::from(first as i64), Scalar::from(-1i64)];
    let (op, shape) = (TaskOp::Arange { axes: 1 }, Shape::new(&[count]));
    create_in(x.runtime(), steps.name, op, DType::I64.part(), &shape, &scalars, steps.place)
}

pub fn polyder(steps: Steps, p: &DynArray) -> Result<DynArray> {
    one_axis(steps, &[p])?;
    // Powers are no truth values.
    if p.dtype() == DType::Bool {
        return Err(steps.dtypes(&[p], "numbers"));
    }
    let count = p.shape()[0] - 1;
    let powers = steps.cast(&descending(steps, p, count, count)?, p.dtype())?;
    steps.binary(Binary::Mul, &steps.range(p, 0, (0, count))?, &powers)
}

/// For each element of the shorter array all of the longer one, one product behind the other where they overlap: what does not is left
/// out, so that NaN and infinities stay where they are.
fn convolution(steps: Steps, x: &DynArray, y: &DynArray, overlap: Overlap) -> Result<DynArray> {
    one_axis(steps, &[x, y])?;
    let (long, short) = if x.shape()[0] < y.shape()[0] { (y, x) } else { (x, y) };
    let (n, m) = (long.shape()[0], short.shape()[0]);
    let dtype = promote(x.dtype(), y.dtype());
    let (long, short) = (steps.cast(long, dtype)?, steps.cast(short, dtype)?);
    let (start, count) = match overlap {
        Overlap::Full => (0, n + m - 1),
        Overlap::Same => ((m - 1) / 2, n),
        Overlap::Valid => (m - 1, n - m + 1),
    };
    let around = |dtype: DType, value: &DynArray| {
        let padded = steps.full(value, dtype, &[n + 2 * (m - 1)], 0.0)?;
        steps.assign(&steps.range(&padded, 0, (m - 1, m - 1 + n))?, value)?;
        Ok(padded)
    };
    let there = around(DType::Bool, &steps.full(&long, DType::Bool, &[n], 1.0)?)?;
    let padded = around(dtype, &long)?;
    let mut sum = steps.full(&long, dtype, &[count], 0.0)?;
    for k in 0..m {
        let range = (start + m - 1 - k, start + m - 1 - k + count);
        let term = steps.range(&padded, 0, range)?;
        let product = steps.binary(Binary::Mul, &term, &element(steps, &short, k)?)?;
        let more = steps.binary(Binary::Add, &sum, &product)?;
        sum = match overlap {
            Overlap::Valid => more,
            _ => steps.select(&steps.range(&there, 0, range)?, &more, &sum, dtype)?,
        };
    }
    Ok(sum)
}

impl DynArray {
    /// NumPy's `convolve`: the sums of products of the elements of two arrays of one axis whose places add up to one number. As many passes
    /// over the longer one as the shorter one has elements, which fuse.
    ///
    /// Errors: there is not one axis, or no element along it.
    ///
    /// ```
    /// use darray::{DArray, DynArray, Overlap};
    /// let x = DynArray::from(DArray::from_vec(vec![1, 2, 3]));
    /// let sums = DArray::<i32>::try_from(x.convolve(&x, Overlap::Full).unwrap()).unwrap();
    /// assert_eq!(sums.to_vec(), [1, 4, 10, 12, 9]);
    /// ```
    #[track_caller]
    pub fn convolve(&self, other: &DynArray, overlap: Overlap) -> Result<DynArray> {
        let steps = Steps { name: "convolve", place: Place::caller() };
        steps.same_runtime(self, other)?;
        convolution(steps, self, other, overlap)
    }

    /// NumPy's `correlate`: the sums of products of elements and conjugates of the other array's, that moved along. NumPy's default is
    /// [`Overlap::Valid`].
    ///
    /// Errors: there is not one axis, or no element along it.
    ///
    /// ```
    /// use darray::{DArray, DynArray, Overlap};
    /// let x = DynArray::from(DArray::from_vec(vec![1, 2, 3]));
    /// let y = DynArray::from(DArray::from_vec(vec![0, 1]));
    /// let sums = DArray::<i32>::try_from(x.correlate(&y, Overlap::Valid).unwrap()).unwrap();
    /// assert_eq!(sums.to_vec(), [2, 3]);
    /// ```
    #[track_caller]
    pub fn correlate(&self, other: &DynArray, overlap: Overlap) -> Result<DynArray> {
        let steps = Steps { name: "correlate", place: Place::caller() };
        steps.same_runtime(self, other)?;
        one_axis(steps, &[self, other])?;
        let backwards = Ix::Range { start: None, end: None, step: -1 };
        let view = other.view().slice(&[backwards]).map_err(|kind| steps.error(kind))?;
        let conjugate = other.with_view(view).conj_as(steps.name, steps.place)?;
        convolution(steps, self, &conjugate, overlap)
    }

    /// NumPy's `polyint`: an antiderivative of the polynomial with these coefficients, with the constant `k`; in floats.
    ///
    /// Errors: there is not one axis, or no element along it.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let p = DynArray::from(DArray::from_vec(vec![6.0, 2.0]));
    /// let integral = DArray::<f64>::try_from(p.polyint(1.0).unwrap()).unwrap();
    /// assert_eq!(integral.to_vec(), [3.0, 2.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn polyint(&self, k: f64) -> Result<DynArray> {
        let steps = Steps { name: "polyint", place: Place::caller() };
        one_axis(steps, &[self])?;
        let (count, dtype) = (self.shape()[0], self.dtype().inexact());
        let powers = steps.cast(&descending(steps, self, count, count)?, dtype)?;
        let terms = steps.binary(Binary::Div, self, &powers)?;
        steps.concatenate(&[&terms, &steps.full(self, dtype, &[1], k)?], 0)
    }
}
