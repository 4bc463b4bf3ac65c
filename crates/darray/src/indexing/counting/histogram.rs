//! In which bins elements fall.

use crate::elementwise::nullary::create_in;
use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Argument, Binary, DArray, DynArray, Element, Reduction, Unary};
use darray_core::{DType, Ix, Place, RealType, Result, Scalar, Shape, promote};
use darray_ir::TaskOp;

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
struct Bins {
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
    /// NumPy's `histogram` with a number of bins: how many elements fall into each of as many bins of one width, as i64, and the edges,
    /// one more than bins. The bins span the range, or, where there is none, the elements; the last has its right edge, too. What
    /// lies outside and NaN are not counted. The edges are floats of this element type, f64 for integers; of f16 they are computed in
    /// f32 and rounded in the result.
    ///
    /// Errors: there are no bins; the range is not finite or its end lies before its beginning.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![0.0, 0.5, 0.75, 2.0]));
    /// let (counts, edges) = x.histogram(2, None).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(counts).unwrap().to_vec(), [3, 1]);
    /// assert_eq!(DArray::<f64>::try_from(edges).unwrap().to_vec(), [0.0, 1.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn histogram(
        &self,
        bins: usize,
        range: Option<(f64, f64)>,
    ) -> Result<(DynArray, DynArray)> {
        let steps = Steps { name: "histogram", place: Place::caller() };
        if bins == 0 {
            return Err(steps.argument("there are no bins"));
        }
        let result = steps.real(self.dtype())?.inexact();
        let dtype = result.compute();
        let x = steps.cast(&steps.ravel(self)?, dtype)?;
        let range = match range {
            None if x.shape_of().size() == 0 => Some((0.0, 1.0)),
            Some((low, high)) if !(low <= high && (high - low).is_finite()) => {
                return Err(steps.argument(format!("a range from {low} to {high}")));
            }
            range => range,
        };
        let bins = match range {
            Some(range) => Bins::of_range(steps, bins, dtype, range),
            None => Bins::of_elements(steps, bins, &x)?,
        };
        let counts = steps.counted(&bins.numbers(&x)?, None, bins.count + 1)?;
        let edges = steps.cast(&bins.edges(&x)?, result)?;
        Ok((steps.range(&counts, 0, (0, bins.count))?, edges))
    }

    /// NumPy's `histogram` with edges that ascend: how many elements fall between each and the next, as i64; the last bin has its
    /// right edge, too. What lies outside and NaN are not counted. Where the edges do not ascend the counts are not specified.
    ///
    /// Errors: the edges have not one axis, or are fewer than two.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![0.0, 0.5, 0.75, 2.0]));
    /// let edges = DynArray::from(DArray::from_vec(vec![0.0, 0.7, 2.0]));
    /// let counts = DArray::<i64>::try_from(x.histogram_edges(&edges).unwrap()).unwrap();
    /// assert_eq!(counts.to_vec(), [2, 2]);
    /// ```
    #[track_caller]
    pub fn histogram_edges(&self, edges: &DynArray) -> Result<DynArray> {
        let steps = Steps { name: "histogram", place: Place::caller() };
        steps.same_runtime(self, edges)?;
        let &[count] = edges.shape() else {
            return Err(steps.shapes(&[self, edges], "edges along one axis"));
        };
        if count < 2 {
            return Err(steps.shapes(&[self, edges], "two edges or more"));
        }
        let dtype = steps.real(promote(self.dtype(), edges.dtype()))?;
        let (x, edges) = (steps.cast(&steps.ravel(self)?, dtype)?, steps.cast(edges, dtype)?);
        let bins = (count - 1) as i64;
        // What lies before all edges and behind them is counted in a bin more.
        let above = steps.searched(&edges, &x, true)?;
        let last = steps.reshape(&steps.range(&edges, 0, (count - 1, count))?, &[])?;
        let number = steps.binary(Binary::Sub, &above, 1)?;
        let is_last = steps.binary(Binary::Eq, &x, &last)?;
        let number = steps.select(&is_last, bins - 1, &number, DType::I64)?;
        let outside = steps.binary(Binary::Lt, &number, 0)?;
        let number = steps.select(&outside, bins, &number, DType::I64)?;
        let counts = steps.counted(&number, None, count)?;
        steps.range(&counts, 0, (0, count - 1))
    }
}

impl Bins {
    fn of_range(steps: Steps, count: usize, dtype: RealType, (low, high): (f64, f64)) -> Bins {
        let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
        let width = End::Number((high - low) / count as f64);
        let (low, high) = (End::Number(low), End::Number(high));
        Bins { steps, count, low, high, width, dtype, wide: RealType::F64 }
    }

    /// From the least element to the greatest, of which there is one.
    fn of_elements(steps: Steps, count: usize, x: &DynArray) -> Result<Bins> {
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
        Ok(Bins { steps, count, low, high, width, dtype, wide: dtype })
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

impl<T: Element> DArray<T> {
    /// NumPy's `histogram` with a number of bins: how many elements fall into each of as many bins of one width, and the edges, one more
    /// than bins. The bins span the elements; the last has its right edge, too. NaN is not counted, and where there is one all edges are
    /// NaN.
    ///
    /// # Panics
    ///
    /// If there are no bins.
    ///
    /// ```
    /// use darray::DArray;
    /// let (counts, edges) = DArray::from_vec(vec![0.0, 0.5, 0.75, 2.0]).histogram(2);
    /// assert_eq!((counts.to_vec(), edges.to_vec()), (vec![3, 1], vec![0.0, 1.0, 2.0]));
    /// ```
    #[track_caller]
    pub fn histogram(&self, bins: usize) -> (DArray<i64>, DArray<T::Inexact>) {
        expect_at_caller(self.try_histogram(bins))
    }

    /// As [`histogram`](Self::histogram); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones(3).try_histogram(0).is_err());
    /// ```
    #[track_caller]
    pub fn try_histogram(&self, bins: usize) -> Result<(DArray<i64>, DArray<T::Inexact>)> {
        let (counts, edges) = self.as_dyn().histogram(bins, None)?;
        Ok((DArray::wrap(counts), DArray::wrap(edges)))
    }
    /// NumPy's `histogram` with a number of bins that span a range: how many elements fall into each, and the edges. What lies outside
    /// and NaN are not counted.
    ///
    /// # Panics
    ///
    /// If there are no bins, the range is not finite, or its end lies before its beginning.
    ///
    /// ```
    /// use darray::DArray;
    /// let (counts, edges) = DArray::from_vec(vec![0.0, 0.5, 1.0, 2.0]).histogram_range(2, (0.0, 1.0));
    /// assert_eq!((counts.to_vec(), edges.to_vec()), (vec![1, 2], vec![0.0, 0.5, 1.0]));
    /// ```
    #[track_caller]
    pub fn histogram_range(
        &self,
        bins: usize,
        range: (f64, f64),
    ) -> (DArray<i64>, DArray<T::Inexact>) {
        expect_at_caller(self.try_histogram_range(bins, range))
    }

    /// As [`histogram_range`](Self::histogram_range); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::ones(3).try_histogram_range(2, (1.0, 0.0)).unwrap_err();
    /// assert!(error.to_string().starts_with("histogram: a range from 1 to 0"));
    /// ```
    #[track_caller]
    pub fn try_histogram_range(
        &self,
        bins: usize,
        range: (f64, f64),
    ) -> Result<(DArray<i64>, DArray<T::Inexact>)> {
        let (counts, edges) = self.as_dyn().histogram(bins, Some(range))?;
        Ok((DArray::wrap(counts), DArray::wrap(edges)))
    }

    /// NumPy's `histogram` with edges that ascend: how many elements fall between each and the next; the last bin has its right edge,
    /// too. What lies outside and NaN are not counted. Where the edges do not ascend the counts are not specified.
    ///
    /// # Panics
    ///
    /// If the edges have not one axis, or are fewer than two.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![0, 1, 1, 5, 9]);
    /// assert_eq!(x.histogram_edges(&DArray::from_vec(vec![1.0, 2.0, 5.0])).to_vec(), [2, 1]);
    /// ```
    #[track_caller]
    pub fn histogram_edges<U: Element>(&self, edges: &DArray<U>) -> DArray<i64> {
        expect_at_caller(self.try_histogram_edges(edges))
    }

    /// As [`histogram_edges`](Self::histogram_edges); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones(3).try_histogram_edges(&DArray::<f64>::ones(1)).is_err());
    /// ```
    #[track_caller]
    pub fn try_histogram_edges<U: Element>(&self, edges: &DArray<U>) -> Result<DArray<i64>> {
        Ok(DArray::wrap(self.as_dyn().histogram_edges(edges.as_dyn())?))
    }
}
