//! Slopes.

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Argument, Axes, Binary, DArray, DynArray, Element};
use darray_core::{Place, Result, promote};

/// What lies between neighbours in a [`gradient`](DArray::gradient): one distance, or the coordinates of all elements along the axis, an
/// array; and of which order the differences at both ends are.
///
/// ```
/// use darray::{DArray, Spacing};
/// let x = DArray::from_vec(vec![0.0, 1.0, 4.0, 9.0]);
/// assert_eq!(x.gradient(1.0, 0).to_vec(), [1.0, 2.0, 4.0, 5.0]);
/// assert_eq!(x.gradient(Spacing::new(1.0).edge_order(2), 0).to_vec(), [0.0, 2.0, 4.0, 6.0]);
/// let places = DArray::from_vec(vec![0.0, 1.0, 2.0, 4.0]);
/// assert_eq!(x.gradient(&places, 0).get(3), 2.5);
/// ```
#[derive(Debug)]
pub struct Spacing {
    between: Between,
    edge_order: usize,
}

#[derive(Debug)]
enum Between {
    Distance(f64),
    Coordinates(DynArray),
}

impl Spacing {
    /// Of this spacing, with differences of the first order at both ends.
    ///
    /// ```
    /// use darray::{DArray, Spacing};
    /// let x = DArray::from_vec(vec![0.0, 1.0, 4.0]);
    /// assert_eq!(x.gradient(Spacing::new(0.5), 0).to_vec(), [2.0, 4.0, 6.0]);
    /// ```
    pub fn new(spacing: impl Into<Spacing>) -> Spacing {
        spacing.into()
    }

    /// With differences of this order at both ends, 1 or 2.
    ///
    /// ```
    /// use darray::{DArray, Spacing};
    /// let x = DArray::from_vec(vec![0.0, 1.0, 4.0]);
    /// assert_eq!(x.gradient(Spacing::new(1.0).edge_order(2), 0).to_vec(), [0.0, 2.0, 4.0]);
    /// ```
    pub fn edge_order(self, order: usize) -> Spacing {
        Spacing { edge_order: order, ..self }
    }
}

impl From<f64> for Spacing {
    fn from(distance: f64) -> Spacing {
        Spacing { between: Between::Distance(distance), edge_order: 1 }
    }
}

impl From<&DynArray> for Spacing {
    fn from(coordinates: &DynArray) -> Spacing {
        Spacing { between: Between::Coordinates(coordinates.alias()), edge_order: 1 }
    }
}

impl<U: Element> From<&DArray<U>> for Spacing {
    fn from(coordinates: &DArray<U>) -> Spacing {
        Spacing::from(coordinates.as_dyn())
    }
}

impl Spacing {
    /// The distance, if all are alike.
    pub(crate) fn distance(&self) -> Option<f64> {
        match self.between {
            Between::Distance(distance) => Some(distance),
            Between::Coordinates(_) => None,
        }
    }

    /// The distances of neighbours along an axis of the array, if there are coordinates.
    pub(crate) fn widths(
        &self,
        steps: Steps,
        x: &DynArray,
        axis: usize,
    ) -> Result<Option<DynArray>> {
        let Between::Coordinates(places) = &self.between else { return Ok(None) };
        let n = x.shape()[axis];
        if places.shape() != [n] {
            let wanted = "a coordinate for each element, or a distance as a number, `h.item()`";
            return Err(steps.shapes(&[x, places], wanted));
        }
        steps.same_runtime(x, places)?;
        let dtype = promote(x.dtype().inexact(), places.dtype().inexact());
        let places = steps.cast(places, dtype)?;
        let before = steps.range(&places, 0, (0, n.saturating_sub(1)))?;
        let widths =
            steps.binary(Binary::Sub, &steps.range(&places, 0, (n.min(1), n))?, &before)?;
        let mut extents = vec![1; x.shape().len()];
        extents[axis] = n.saturating_sub(1);
        Ok(Some(steps.reshape(&widths, &extents)?))
    }
}

/// A factor of a sum: a number of the program, or one for each element.
enum Factor {
    Number(f64),
    Array(DynArray),
}

impl Factor {
    fn argument(&self) -> Argument<'_> {
        match self {
            Factor::Number(number) => (*number).into(),
            Factor::Array(array) => array.into(),
        }
    }
}

impl DynArray {
    /// NumPy's `gradient` along an axis: central differences over the distances of the neighbours, and at both ends one-sided ones; in
    /// floats. See [`Spacing`].
    ///
    /// Errors: the axis is out of range or has not more elements than the order at the ends; that is not 1 or 2; coordinates have not
    /// one axis of as many elements.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![1.0, 2.0, 4.0, 7.0]));
    /// let slopes = DArray::<f64>::try_from(x.gradient(0.5, 0).unwrap()).unwrap();
    /// assert_eq!(slopes.to_vec(), [2.0, 3.0, 5.0, 6.0]);
    /// ```
    #[track_caller]
    pub fn gradient(&self, spacing: impl Into<Spacing>, axis: isize) -> Result<DynArray> {
        let steps = Steps { name: "gradient", place: Place::caller() };
        steps.slopes(self, &spacing.into(), steps.axis(self, axis)?)
    }

    /// The [`gradient`](Self::gradient) along each of these axes.
    ///
    /// Errors: as there.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3)));
    /// assert_eq!(x.gradients(1.0, ..).unwrap().len(), 2);
    /// ```
    #[track_caller]
    pub fn gradients(
        &self,
        spacing: impl Into<Spacing>,
        axes: impl Into<Axes>,
    ) -> Result<Vec<DynArray>> {
        let steps = Steps { name: "gradient", place: Place::caller() };
        let (spacing, axes) = (spacing.into(), axes.into());
        let axes: Vec<usize> = match axes.list() {
            None => (0..self.shape().len()).collect(),
            Some(list) => list.iter().map(|&a| steps.axis(self, a)).collect::<Result<_>>()?,
        };
        axes.into_iter().map(|axis| steps.slopes(self, &spacing, axis)).collect()
    }
}

impl Steps {
    fn slopes(&self, array: &DynArray, spacing: &Spacing, axis: usize) -> Result<DynArray> {
        let (n, order) = (array.shape()[axis], spacing.edge_order);
        if !(1..=2).contains(&order) {
            return Err(self.argument(format!("differences of order {order} at the ends")));
        }
        if n <= order {
            let expected = format!("{} elements or more along the axis", order + 1);
            return Err(self.shapes(&[array], &expected));
        }
        let dtype = array.dtype().inexact();
        let line = Line { steps: self, axis, n };
        let widths = spacing.widths(*self, array, axis)?;
        let x = self.cast(array, widths.as_ref().map_or(dtype, |widths| widths.dtype()))?;
        let slopes = self.empty(&x, dtype, x.shape_of());
        let write = |to: (usize, usize), slope: DynArray| {
            self.assign(&self.range(&slopes, axis, to)?, &slope)
        };
        if n > 2 {
            write((1, n - 1), line.inner(&x, spacing, widths.as_ref())?)?;
        }
        write((0, 1), line.end(&x, spacing, widths.as_ref(), order, false)?)?;
        write((n - 1, n), line.end(&x, spacing, widths.as_ref(), order, true)?)?;
        Ok(slopes)
    }
}

/// The axis along which there are slopes, of `n` elements.
struct Line<'s> {
    steps: &'s Steps,
    axis: usize,
    n: usize,
}

impl Line<'_> {
    fn part(&self, x: &DynArray, first: usize, count: usize) -> Result<DynArray> {
        self.steps.range(x, self.axis, (first, first + count))
    }

    /// What lies between the first and the last element.
    fn inner(
        &self,
        x: &DynArray,
        spacing: &Spacing,
        widths: Option<&DynArray>,
    ) -> Result<DynArray> {
        let (steps, count) = (self.steps, self.n - 2);
        if let (Between::Distance(distance), None) = (&spacing.between, widths) {
            let (before, after) = (self.part(x, 0, count)?, self.part(x, 2, count)?);
            let rise = steps.binary(Binary::Sub, &after, &before)?;
            return steps.binary(Binary::Div, &rise, 2.0 * distance);
        }
        let widths = widths.expect("there are coordinates");
        let [left, right] = [self.part(widths, 0, count)?, self.part(widths, 1, count)?];
        let both = steps.binary(Binary::Add, &left, &right)?;
        let ratio = |over: &DynArray, under: &DynArray| {
            let under = steps.binary(Binary::Mul, under, &both)?;
            steps.binary(Binary::Div, over, &under)
        };
        let first = steps.binary(Binary::Mul, &ratio(&right, &left)?, -1.0)?;
        let excess = steps.binary(Binary::Sub, &right, &left)?;
        let middle =
            steps.binary(Binary::Div, &excess, &steps.binary(Binary::Mul, &left, &right)?)?;
        let last = ratio(&left, &right)?;
        self.sum(x, 0, count, &[first, middle, last].map(Factor::Array))
    }

    /// The slope at one of both ends.
    fn end(
        &self,
        x: &DynArray,
        spacing: &Spacing,
        widths: Option<&DynArray>,
        order: usize,
        is_last: bool,
    ) -> Result<DynArray> {
        let steps = self.steps;
        let first = if is_last { self.n - 1 - order } else { 0 };
        let width = |k: usize| match (&spacing.between, widths) {
            (_, Some(widths)) => Ok(Factor::Array(self.part(widths, k, 1)?)),
            (Between::Distance(distance), None) => Ok(Factor::Number(*distance)),
            (Between::Coordinates(_), None) => unreachable!("coordinates have widths"),
        };
        if order == 1 {
            let rise = steps.binary(
                Binary::Sub,
                &self.part(x, first + 1, 1)?,
                &self.part(x, first, 1)?,
            )?;
            return steps.binary(Binary::Div, &rise, width(first)?.argument());
        }
        let factors = match (width(first)?, width(first + 1)?) {
            (Factor::Array(left), Factor::Array(right)) => {
                self.edge_factors(&left, &right, is_last)?.map(Factor::Array)
            }
            (Factor::Number(d), _) | (_, Factor::Number(d)) => match is_last {
                false => [-1.5 / d, 2.0 / d, -0.5 / d].map(Factor::Number),
                true => [0.5 / d, -2.0 / d, 1.5 / d].map(Factor::Number),
            },
        };
        self.sum(x, first, 1, &factors)
    }

    /// The factors of the three outermost elements, whose distances are `left` and `right`.
    fn edge_factors(
        &self,
        left: &DynArray,
        right: &DynArray,
        is_last: bool,
    ) -> Result<[DynArray; 3]> {
        let steps = self.steps;
        let both = steps.binary(Binary::Add, left, right)?;
        let outer = if is_last { right } else { left };
        let far = steps.binary(Binary::Add, &both, outer)?;
        let over = |top: &DynArray, a: &DynArray, b: &DynArray, sign: f64| {
            let quotient = steps.binary(Binary::Div, top, &steps.binary(Binary::Mul, a, b)?)?;
            steps.binary(Binary::Mul, &quotient, sign)
        };
        Ok(match is_last {
            false => [
                over(&far, left, &both, -1.0)?,
                over(&both, left, right, 1.0)?,
                over(left, right, &both, -1.0)?,
            ],
            true => [
                over(right, left, &both, 1.0)?,
                over(&both, left, right, -1.0)?,
                over(&far, right, &both, 1.0)?,
            ],
        })
    }

    /// Three neighbours times factors, from left to right.
    fn sum(
        &self,
        x: &DynArray,
        first: usize,
        count: usize,
        factors: &[Factor; 3],
    ) -> Result<DynArray> {
        let term = |k: usize| {
            let part = self.part(x, first + k, count)?;
            self.steps.binary(Binary::Mul, &part, factors[k].argument())
        };
        let sum = self.steps.binary(Binary::Add, &term(0)?, &term(1)?)?;
        self.steps.binary(Binary::Add, &sum, &term(2)?)
    }
}

/// # Gradients
impl<T: Element> DArray<T> {
    /// NumPy's `gradient` along an axis: central differences, and at both ends one-sided ones; in floats. The [spacing](Spacing) is a
    /// distance, or an array of coordinates; `Spacing::new(0.5).edge_order(2)` takes differences of the second order at the ends.
    ///
    /// # Panics
    ///
    /// If the axis is out of range or has not more elements than the order at the ends, that is not 1 or 2, or there is not one
    /// coordinate for each element.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 4.0, 7.0]);
    /// assert_eq!(x.gradient(1.0, 0).to_vec(), [3.0, 5.0, 3.0, 5.0]);
    /// ```
    #[track_caller]
    pub fn gradient(&self, spacing: impl Into<Spacing>, axis: isize) -> DArray<T::Inexact> {
        DArray::wrap(expect_at_caller(self.as_dyn().gradient(spacing, axis)))
    }

    /// The [`gradient`](Self::gradient) along each of these axes, `..` for all.
    ///
    /// # Panics
    ///
    /// As there.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 4.0, 7.0]);
    /// let slopes = x.gradients(1.0, ..);
    /// assert_eq!(slopes[1].to_vec(), [1.0, 1.0, 3.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn gradients(
        &self,
        spacing: impl Into<Spacing>,
        axes: impl Into<Axes>,
    ) -> Vec<DArray<T::Inexact>> {
        let slopes = expect_at_caller(self.as_dyn().gradients(spacing, axes));
        slopes.into_iter().map(DArray::wrap).collect()
    }
}
