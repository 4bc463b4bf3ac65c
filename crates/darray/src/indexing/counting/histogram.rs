//! In which bins elements fall.

use crate::elementwise::nullary::create_in;
use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Argument, Binary, DArray, DynArray, Element, Reduction, Unary};
use darray_core::{DType, Ix, Place, RealType, Result, Scalar, Shape, promote};
use darray_ir::TaskOp;

/// The bins of a [`histogram`](DArray::histogram): so many of one width that span the elements, or with [`range`](Bins::range) a range; or
/// those between edges that ascend, an array of one axis.
///
/// ```
/// use darray::{Bins, DArray};
/// let x = DArray::from_vec(vec![0.0, 0.5, 0.75, 2.0]);
/// assert_eq!(x.histogram(2).0.to_vec(), [3, 1]);
/// assert_eq!(x.histogram(Bins::new(2).range(0.0, 1.0)).0.to_vec(), [1, 2]);
/// assert_eq!(x.histogram(&DArray::from_vec(vec![0.0, 0.7, 2.0])).0.to_vec(), [2, 2]);
/// ```
#[derive(Debug)]
pub struct Bins(Spans);

#[derive(Debug)]
enum Spans {
    Count { count: usize, range: Option<(f64, f64)> },
    Edges(DynArray),
}

impl Bins {
    /// So many bins of one width.
    ///
    /// ```
    /// use darray::{Bins, DArray};
    /// assert_eq!(DArray::from_vec(vec![0.0, 3.0]).histogram(Bins::new(3)).0.to_vec(), [1, 0, 1]);
    /// ```
    pub fn new(count: usize) -> Bins {
        Bins(Spans::Count { count, range: None })
    }

    /// Bins that span a range in place of the elements; those of given edges stay as they are.
    ///
    /// ```
    /// use darray::{Bins, DArray};
    /// let x = DArray::from_vec(vec![0.0, 3.0]);
    /// assert_eq!(x.histogram(Bins::new(2).range(2.0, 4.0)).0.to_vec(), [0, 1]);
    /// ```
    pub fn range(self, low: f64, high: f64) -> Bins {
        match self.0 {
            Spans::Count { count, .. } => Bins(Spans::Count { count, range: Some((low, high)) }),
            edges => Bins(edges),
        }
    }
}

impl From<usize> for Bins {
    fn from(count: usize) -> Bins {
        Bins::new(count)
    }
}

impl From<i32> for Bins {
    /// A negative count is none.
    fn from(count: i32) -> Bins {
        Bins::new(usize::try_from(count).unwrap_or(0))
    }
}

impl From<&DynArray> for Bins {
    fn from(edges: &DynArray) -> Bins {
        Bins(Spans::Edges(edges.alias()))
    }
}

impl<U: Element> From<&DArray<U>> for Bins {
    fn from(edges: &DArray<U>) -> Bins {
        Bins::from(edges.as_dyn())
    }
}

/// An end of a range: of the data, a 0-d array, or a number of the program.
enum End {
    Array(DynArray),
    Number(f64),
}

impl End {
    fn argument(&self) -> Argument<'_> {
        match self {
            End::Array(array) => array.into(),
            End::Number(number) => (*number).into(),
        }
    }
}

/// Bins of one width.
struct Even {
    steps: Steps,
    count: usize,
    low: End,
    high: End,
    /// From one edge to the next.
    width: End,
    /// Of the edges, and in which they are computed.
    dtype: RealType,
    wide: RealType,
}

impl DynArray {
    /// NumPy's `histogram`: how many elements fall into each of some [bins](Bins), as i64, and the edges, one more than bins. The last bin
    /// has its right edge, too. What lies outside and NaN are not counted. Of a number of bins the edges are floats of this element type,
    /// f64 for integers; of f16 they are computed in f32 and rounded in the result.
    ///
    /// With weights, an array of this one's shape, it is the sums of the weights of the elements in each bin, as f64; and as a density
    /// what is in each bin is divided by its width and by all that is in bins.
    ///
    /// Errors: there are no bins; the range is not finite or its end lies before its beginning; edges have not one axis, or are fewer
    /// than two; the weights have another shape.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![0.0, 0.5, 0.75, 2.0]));
    /// let (counts, edges) = x.histogram(2, None, false).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(counts).unwrap().to_vec(), [3, 1]);
    /// assert_eq!(DArray::<f64>::try_from(edges).unwrap().to_vec(), [0.0, 1.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn histogram(
        &self,
        bins: impl Into<Bins>,
        weights: Option<&DynArray>,
        density: bool,
    ) -> Result<(DynArray, DynArray)> {
        let steps = Steps { name: "histogram", place: Place::caller() };
        let weights = match weights {
            Some(weights) if weights.shape() != self.shape() => {
                return Err(steps.shapes(&[self, weights], "a weight for each element"));
            }
            Some(weights) => {
                steps.same_runtime(self, weights)?;
                Some(steps.ravel(weights)?)
            }
            None => None,
        };
        let (numbers, count, edges) = match bins.into().0 {
            Spans::Count { count, range } => steps.even(self, count, range)?,
            Spans::Edges(edges) => steps.between(self, edges)?,
        };
        let counts = steps.counted(&numbers, weights.as_ref(), count + 1)?;
        let counts = steps.range(&counts, 0, (0, count))?;
        Ok((if density { steps.density(&counts, &edges)? } else { counts }, edges))
    }

    /// NumPy's `histogram_bin_edges`: the edges of a [`histogram`](Self::histogram).
    ///
    /// Errors: as there.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![0.0, 2.0]));
    /// let edges = DArray::<f64>::try_from(x.histogram_bin_edges(2).unwrap()).unwrap();
    /// assert_eq!(edges.to_vec(), [0.0, 1.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn histogram_bin_edges(&self, bins: impl Into<Bins>) -> Result<DynArray> {
        let steps = Steps { name: "histogram_bin_edges", place: Place::caller() };
        match bins.into().0 {
            Spans::Count { count, range } => {
                let (bins, x, result) = steps.bins(self, count, range)?;
                steps.cast(&bins.edges(&x)?, result)
            }
            Spans::Edges(edges) => Ok(steps.between(self, edges)?.2),
        }
    }
}

impl Steps {
    /// Bins of one width, the elements along one axis in the type of the edges, and that of the edges in the result.
    fn bins(
        self,
        x: &DynArray,
        count: usize,
        range: Option<(f64, f64)>,
    ) -> Result<(Even, DynArray, RealType)> {
        if count == 0 {
            return Err(self.argument("there are no bins"));
        }
        let result = self.real(x.dtype())?.inexact();
        let dtype = result.compute();
        let x = self.cast(&self.ravel(x)?, dtype)?;
        let range = match range {
            None if x.shape_of().size() == 0 => Some((0.0, 1.0)),
            Some((low, high)) if !(low <= high && (high - low).is_finite()) => {
                return Err(self.argument(format!("a range from {low} to {high}")));
            }
            range => range,
        };
        let bins = match range {
            Some(range) => Even::of_range(self, count, dtype, range),
            None => Even::of_elements(self, count, &x)?,
        };
        Ok((bins, x, result))
    }

    /// The numbers of the elements' bins, how many bins there are, and the edges.
    fn even(
        self,
        x: &DynArray,
        count: usize,
        range: Option<(f64, f64)>,
    ) -> Result<(DynArray, usize, DynArray)> {
        let (bins, x, result) = self.bins(x, count, range)?;
        Ok((bins.numbers(&x)?, count, self.cast(&bins.edges(&x)?, result)?))
    }

    /// As [`even`](Self::even), of bins between edges.
    fn between(self, x: &DynArray, given: DynArray) -> Result<(DynArray, usize, DynArray)> {
        self.same_runtime(x, &given)?;
        let &[count] = given.shape() else {
            return Err(self.shapes(&[x, &given], "edges along one axis"));
        };
        if count < 2 {
            return Err(self.shapes(&[x, &given], "two edges or more"));
        }
        let dtype = self.real(promote(x.dtype(), given.dtype()))?;
        let (x, edges) = (self.cast(&self.ravel(x)?, dtype)?, self.cast(&given, dtype)?);
        let bins = (count - 1) as i64;
        // What lies before all edges and behind them is counted in a bin more.
        let above = self.searched(&edges, &x, true)?;
        let last = self.reshape(&self.range(&edges, 0, (count - 1, count))?, &[])?;
        let number = self.binary(Binary::Sub, &above, 1)?;
        let is_last = self.binary(Binary::Eq, &x, &last)?;
        let number = self.select(&is_last, bins - 1, &number, DType::I64)?;
        let outside = self.binary(Binary::Lt, &number, 0)?;
        let number = self.select(&outside, bins, &number, DType::I64)?;
        Ok((number, count - 1, given))
    }

    /// What is in each bin by its width and by all of it, in f64.
    fn density(self, counts: &DynArray, edges: &DynArray) -> Result<DynArray> {
        let (counts, edges) = (self.cast(counts, DType::F64)?, self.cast(edges, DType::F64)?);
        let bins = counts.shape()[0];
        let (before, after) =
            (self.range(&edges, 0, (0, bins))?, self.range(&edges, 0, (1, bins + 1))?);
        let widths = self.binary(Binary::Sub, &after, &before)?;
        let all = counts.reduce_named(Reduction::Sum, .., self.name, self.place)?;
        self.binary(Binary::Div, &self.binary(Binary::Div, &counts, &widths)?, &all)
    }
}

impl Even {
    fn of_range(steps: Steps, count: usize, dtype: RealType, (low, high): (f64, f64)) -> Even {
        let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
        let width = End::Number((high - low) / count as f64);
        let (low, high) = (End::Number(low), End::Number(high));
        Even { steps, count, low, high, width, dtype, wide: RealType::F64 }
    }

    /// From the least element to the greatest, of which there is one.
    fn of_elements(steps: Steps, count: usize, x: &DynArray) -> Result<Even> {
        let dtype = x.real_type();
        let (low, high) = (
            x.reduce_named(Reduction::Min, .., steps.name, steps.place)?,
            x.reduce_named(Reduction::Max, .., steps.name, steps.place)?,
        );
        let is_one_value = steps.binary(Binary::Eq, &low, &high)?;
        let lower = steps.binary(Binary::Sub, &low, 0.5)?;
        let higher = steps.binary(Binary::Add, &high, 0.5)?;
        let low = steps.select(&is_one_value, &lower, &low, dtype)?;
        let high = steps.select(&is_one_value, &higher, &high, dtype)?;
        let span = steps.binary(Binary::Sub, &high, &low)?;
        let width = End::Array(steps.binary(Binary::Div, &span, count as f64)?);
        let (low, high) = (End::Array(low), End::Array(high));
        Ok(Even { steps, count, low, high, width, dtype, wide: dtype })
    }

    /// The edges of these numbers, the last one's but for a rounding.
    fn edge(&self, numbers: &DynArray) -> Result<DynArray> {
        let steps = self.steps;
        let numbers = steps.cast(numbers, self.wide)?;
        let from_low = steps.binary(Binary::Mul, &numbers, self.width.argument())?;
        let edges = steps.binary(Binary::Add, &from_low, self.low.argument())?;
        steps.cast(&edges, self.dtype)
    }

    fn edges(&self, x: &DynArray) -> Result<DynArray> {
        let Steps { name, place } = self.steps;
        let shape = Shape::new(&[self.count + 1]);
        let scalars = [0.0, 1.0].map(|value| Scalar::from(value).cast(self.wide));
        let op = TaskOp::Arange { axes: 1 };
        let numbers = create_in(x.runtime(), name, op, self.wide, &shape, &scalars, place)?;
        let edges = self.edge(&numbers)?;
        edges.slice([Ix::At(-1)])?.assign_as(self.high.argument(), name, place)?;
        Ok(edges)
    }

    /// The number of each element's bin (i64), or that of all bins where it lies in none. A rounding of the number is found by the
    /// edges, as NumPy does.
    fn numbers(&self, x: &DynArray) -> Result<DynArray> {
        let (steps, count) = (self.steps, self.count as f64);
        let select = |mask: &DynArray, yes: &DynArray, no: &DynArray| {
            steps.select(mask, yes, no, self.dtype)
        };
        let from_low = steps.binary(Binary::Sub, x, self.low.argument())?;
        let span = match (&self.low, &self.high) {
            (End::Number(low), End::Number(high)) => End::Number(high - low),
            (low, high) => {
                End::Array(steps.binary(Binary::Sub, high.argument(), low.argument())?)
            }
        };
        let part = steps.binary(Binary::Div, &from_low, span.argument())?;
        let number = steps.unary(Unary::Floor, &steps.binary(Binary::Mul, &part, count)?)?;
        let number = steps.binary(Binary::Minimum, &number, count - 1.0)?;
        let before = steps.binary(Binary::Sub, &number, 1.0)?;
        let is_before = steps.binary(Binary::Lt, x, &self.edge(&number)?)?;
        let number = select(&is_before, &before, &number)?;
        let next = steps.binary(Binary::Add, &number, 1.0)?;
        let is_next = steps.binary(Binary::Ge, x, &self.edge(&next)?)?;
        let is_not_last = steps.binary(Binary::Lt, &next, count)?;
        let is_next = steps.binary(Binary::And, &is_next, &is_not_last)?;
        let number = select(&is_next, &next, &number)?;
        let inside = steps.binary(Binary::Ge, x, self.low.argument())?;
        let below = steps.binary(Binary::Le, x, self.high.argument())?;
        let inside = steps.binary(Binary::And, &inside, &below)?;
        steps.cast(&steps.select(&inside, &number, count, self.dtype)?, DType::I64)
    }
}

/// # Histograms
impl<T: Element> DArray<T> {
    /// NumPy's `histogram`: how many elements fall into each of some [bins](Bins), and the edges, one more than bins: `10` bins that span
    /// the elements, `Bins::new(10).range(0.0, 1.0)`, or edges that ascend. The last bin has its right edge, too; what lies outside is not
    /// counted. NaN is not counted, and where there is one the edges of bins that span the elements are NaN. Where given edges do
    /// not ascend the counts are not specified.
    ///
    /// # Panics
    ///
    /// If there are no bins, the range is not finite or its end lies before its beginning, or edges have not one axis or are fewer than
    /// two.
    ///
    /// ```
    /// use darray::DArray;
    /// let (counts, edges) = DArray::from_vec(vec![0.0, 0.5, 0.75, 2.0]).histogram(2);
    /// assert_eq!((counts.to_vec(), edges.to_vec()), (vec![3, 1], vec![0.0, 1.0, 2.0]));
    /// ```
    #[track_caller]
    pub fn histogram(&self, bins: impl Into<Bins>) -> (DArray<i64>, DArray<T::Inexact>) {
        let steps = Steps { name: "histogram", place: Place::caller() };
        let (counts, edges) = expect_at_caller(self.as_dyn().histogram(bins, None, false));
        (
            DArray::wrap(counts),
            DArray::wrap(expect_at_caller(steps.cast(&edges, T::Inexact::DTYPE))),
        )
    }

    /// As [`histogram`](Self::histogram), with the sum of the elements' weights in place of their number.
    ///
    /// # Panics
    ///
    /// As there, and if the weights have another shape.
    ///
    /// ```
    /// use darray::DArray;
    /// let (x, w) = (DArray::from_vec(vec![0, 1, 4]), DArray::from_vec(vec![0.5, 1.0, 2.0]));
    /// assert_eq!(x.histogram_weighted(&w, 2).0.to_vec(), [1.5, 2.0]);
    /// ```
    #[track_caller]
    pub fn histogram_weighted<W: Element>(
        &self,
        weights: &DArray<W>,
        bins: impl Into<Bins>,
    ) -> (DArray<f64>, DArray<T::Inexact>) {
        let steps = Steps { name: "histogram", place: Place::caller() };
        let (sums, edges) =
            expect_at_caller(self.as_dyn().histogram(bins, Some(weights.as_dyn()), false));
        (DArray::wrap(sums), DArray::wrap(expect_at_caller(steps.cast(&edges, T::Inexact::DTYPE))))
    }

    /// As [`histogram`](Self::histogram) with NumPy's `density=True`: the counts divided by all of them and by the widths of the bins, so
    /// that their integral is 1.
    ///
    /// # Panics
    ///
    /// As there.
    ///
    /// ```
    /// use darray::DArray;
    /// let (density, _) = DArray::from_vec(vec![0.0, 0.5, 0.75, 4.0]).histogram_density(2);
    /// assert_eq!(density.to_vec(), [0.375, 0.125]);
    /// ```
    #[track_caller]
    pub fn histogram_density(&self, bins: impl Into<Bins>) -> (DArray<f64>, DArray<T::Inexact>) {
        let steps = Steps { name: "histogram", place: Place::caller() };
        let (density, edges) = expect_at_caller(self.as_dyn().histogram(bins, None, true));
        (
            DArray::wrap(density),
            DArray::wrap(expect_at_caller(steps.cast(&edges, T::Inexact::DTYPE))),
        )
    }
}
