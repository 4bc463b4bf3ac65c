//! Grids of coordinates from ranges.

use crate::array::into_shape::checked_shape;
use crate::creation::create;
use crate::elementwise::steps::Steps;
use crate::{DArray, DynArray, Element, IntoShape};
use darray_core::{DType, Ix, Place, Result, Scalar, Shape, check_shape};
use darray_ir::TaskOp;
use std::ops::Range;

/// Coordinates along an axis of a grid: `0..5` of i64 or of f64, and `(start, stop, step)` of floats.
///
/// ```
/// use darray::np;
/// assert_eq!(np::ogrid([0..2, 5..8])[1].to_vec(), [5, 6, 7]);
/// assert_eq!(np::ogrid([(0.0, 1.0, 0.5)])[0].to_vec(), [0.0, 0.5]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no coordinates",
    label = "write ranges of i64 or f64, or `(start, stop, step)` of f64"
)]
pub trait Coordinates {
    /// The type of the coordinates.
    type Element: Element;

    /// First one, distance and number.
    #[doc(hidden)]
    fn along(&self) -> (Scalar, Scalar, usize);
}

impl Coordinates for Range<i64> {
    type Element = i64;

    fn along(&self) -> (Scalar, Scalar, usize) {
        let count = usize::try_from(self.end.saturating_sub(self.start)).unwrap_or(0);
        (self.start.into(), 1i64.into(), count)
    }
}

impl Coordinates for Range<f64> {
    type Element = f64;

    fn along(&self) -> (Scalar, Scalar, usize) {
        (self.start, self.end, 1.0).along()
    }
}

impl Coordinates for (f64, f64, f64) {
    type Element = f64;

    fn along(&self) -> (Scalar, Scalar, usize) {
        let (start, stop, step) = *self;
        // A negative number, and NaN, are none.
        let count = ((stop - start) / step).ceil() as usize;
        (start.into(), step.into(), count)
    }
}

/// The coordinates along each axis, with extent 1 along the others.
pub(crate) fn open_grid<C: Coordinates>(axes: &[C], steps: Steps) -> Result<Vec<DynArray>> {
    let Steps { name, place } = steps;
    let dtype = C::Element::DTYPE.part();
    let line = |(k, axis): (usize, &C)| {
        let (start, step, count) = axis.along();
        let mut shape: Shape = axes.iter().map(|_| 1).collect();
        shape[k] = count;
        check_shape(&shape).map_err(|kind| steps.error(kind))?;
        let numbers = Shape::new(&[count]);
        let line =
            create(name, TaskOp::Arange { axes: 1 }, dtype, &numbers, &[start, step], place)?;
        line.reshape_to(&shape, name, place)
    };
    axes.iter().enumerate().map(line).collect()
}

/// The coordinates of all points: one array for each axis, side by side along a new first axis.
pub(crate) fn grid<C: Coordinates>(axes: &[C], steps: Steps) -> Result<DynArray> {
    let lines = open_grid(axes, steps)?;
    let extents = lines.iter().enumerate().map(|(k, line)| line.shape()[k]);
    let shape: Shape = std::iter::once(axes.len()).chain(extents).collect();
    check_shape(&shape).map_err(|kind| steps.error(kind))?;
    let runtime = crate::Runtime::current_at(steps.place)?;
    let result = DynArray::allocate(&runtime, C::Element::DTYPE, &shape);
    for (k, line) in lines.iter().enumerate() {
        let part =
            result.view().slice(&[Ix::from(k as isize)]).map_err(|kind| steps.error(kind))?;
        steps.assign(&result.with_view(part), line)?;
    }
    Ok(result)
}

impl DynArray {
    /// NumPy's `indices`: the indices (i64) of all places of a shape, those of each axis side by side along a new first axis.
    ///
    /// Errors: a shape that cannot be.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let places = DArray::<i64>::try_from(DynArray::indices((2, 2)).unwrap()).unwrap();
    /// assert_eq!(places.to_vec(), [0, 0, 1, 1, 0, 1, 0, 1]);
    /// ```
    #[track_caller]
    pub fn indices(shape: impl IntoShape) -> Result<DynArray> {
        let steps = Steps { name: "indices", place: Place::caller() };
        let shape = checked_shape(steps.name, &shape, steps.place)?;
        let axes: Vec<Range<i64>> = shape.iter().map(|&extent| 0..extent as i64).collect();
        if axes.is_empty() {
            let runtime = crate::Runtime::current_at(steps.place)?;
            return Ok(DynArray::allocate(&runtime, DType::I64, &Shape::new(&[0])));
        }
        grid(&axes, steps)
    }
}

/// # Grids
impl DArray<i64> {
    /// NumPy's `indices`: the indices of all places of a shape, those of each axis side by side along a new first axis.
    ///
    /// # Panics
    ///
    /// If an extent is negative, or there are more than seven axes or too many elements.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::indices((2, 2)).at(0).to_vec(), [0, 0, 1, 1]);
    /// ```
    #[track_caller]
    pub fn indices(shape: impl IntoShape) -> DArray<i64> {
        DArray::wrap(crate::error::expect_at_caller(DynArray::indices(shape)))
    }
}
