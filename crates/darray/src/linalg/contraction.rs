//! NumPy's products on run-time types.

use super::product::Product;
use crate::elementwise::untyped::binary_as;
use crate::{Axes, Binary, DynArray, Reduction, array::axes};
use darray_core::{DType, Error, ErrorKind, Ix, Place, Result, Shape, promote_real};
use smallvec::SmallVec;

/// Which axes [`tensordot`](crate::DArray::tensordot) sums over.
///
/// Made from a number (the last axes of the left operand, the first of the right), or from two arrays
/// of axes; negative axes count from the end.
///
/// ```
/// use darray::{ContractionAxes, DArray};
/// let (a, b) = (DArray::<f64>::ones((2, 3, 4)), DArray::<f64>::ones((4, 3, 5)));
/// assert_eq!(a.tensordot(&b, ([1, 2], [1, 0])).to_vec(), [12.0; 10]);
/// assert_eq!(a.tensordot(&b.t(), 0).shape(), [2, 3, 4, 5, 3, 4]);
/// assert!(ContractionAxes::from(2) != ContractionAxes::from(([0, 1], [0, 1])));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContractionAxes {
    /// So many axes: the last of the left operand with the first of the right, in order.
    Count(usize),
    /// Axes of the left operand, and the axes of the right operand that they meet.
    Pairs(Vec<isize>, Vec<isize>),
}

impl From<usize> for ContractionAxes {
    fn from(count: usize) -> ContractionAxes {
        ContractionAxes::Count(count)
    }
}

impl<const N: usize, const M: usize> From<([isize; N], [isize; M])> for ContractionAxes {
    fn from((left, right): ([isize; N], [isize; M])) -> ContractionAxes {
        ContractionAxes::Pairs(left.to_vec(), right.to_vec())
    }
}

impl From<(&[isize], &[isize])> for ContractionAxes {
    fn from((left, right): (&[isize], &[isize])) -> ContractionAxes {
        ContractionAxes::Pairs(left.to_vec(), right.to_vec())
    }
}

/// An operation of two arrays, for its errors.
#[derive(Clone, Copy)]
struct Operands<'a> {
    name: &'static str,
    place: Place,
    a: &'a DynArray,
    b: &'a DynArray,
}

impl DynArray {
    /// NumPy's `matmul`: the product of matrices, or of stacks of matrices whose leading axes
    /// broadcast; a 1-d array is a row on the left, a column on the right, and leaves no axis.
    ///
    /// Errors: a 0-d array; inner extents that differ; leading axes that do not broadcast.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let a = DynArray::from(DArray::<f64>::ones((2, 1, 3, 4)));
    /// let b = DynArray::from(DArray::<f64>::ones((5, 4, 2)));
    /// assert_eq!(a.matmul(&b).unwrap().shape(), [2, 5, 3, 2]);
    /// ```
    #[track_caller]
    pub fn matmul(&self, right: &DynArray) -> Result<DynArray> {
        self.matmul_as(right, "matmul", Place::caller())
    }

    /// As [`matmul`](Self::matmul), for the operation of this name.
    pub(crate) fn matmul_as(
        &self,
        right: &DynArray,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        Operands { name, place, a: self, b: right }.by_parts(|operands| operands.matmul())
    }

    /// NumPy's `dot`: the inner product of 1-d arrays; else the sum over the last axis of this array
    /// and the last but one of the other (its only one), with all other axes in the result. A 0-d
    /// array multiplies.
    ///
    /// Errors: inner extents that differ.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let a = DynArray::from(DArray::<f64>::ones((2, 3, 4)));
    /// let b = DynArray::from(DArray::<f64>::ones((5, 4, 6)));
    /// assert_eq!(a.dot(&b).unwrap().shape(), [2, 3, 5, 6]);
    /// ```
    #[track_caller]
    pub fn dot(&self, right: &DynArray) -> Result<DynArray> {
        Operands { name: "dot", place: Place::caller(), a: self, b: right }
            .by_parts(|operands| operands.dot())
    }

    /// NumPy's `inner`: the sum over the last axes of both arrays. A 0-d array multiplies.
    ///
    /// Errors: last extents that differ.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let a = DynArray::from(DArray::<f64>::ones((2, 3)));
    /// assert_eq!(a.inner(&a).unwrap().shape(), [2, 2]);
    /// ```
    #[track_caller]
    pub fn inner(&self, right: &DynArray) -> Result<DynArray> {
        let operands = Operands { name: "inner", place: Place::caller(), a: self, b: right };
        match (self.shape().len(), right.shape().len()) {
            (0, _) | (_, 0) => operands.multiply(self, right),
            (a, b) => operands.by_parts(|operands| operands.contract(&[a - 1], &[b - 1])),
        }
    }

    /// NumPy's `outer`: every element of this array times every element of the other, both flattened.
    ///
    /// Errors: arrays of two runtimes.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(3));
    /// assert_eq!(x.outer(&x).unwrap().shape(), [3, 3]);
    /// ```
    #[track_caller]
    pub fn outer(&self, right: &DynArray) -> Result<DynArray> {
        let operands = Operands { name: "outer", place: Place::caller(), a: self, b: right };
        let column = self.reshape(-1)?.slice([Ix::from(..), Ix::NewAxis])?;
        operands.multiply(&column, &right.reshape(-1)?)
    }

    /// NumPy's `vdot`: the inner product of both arrays flattened; a 0-d array.
    ///
    /// Errors: numbers of elements that differ.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let a = DynArray::from(DArray::<f64>::ones((2, 3)));
    /// assert!(a.vdot(&a).unwrap().shape().is_empty());
    /// ```
    #[track_caller]
    pub fn vdot(&self, right: &DynArray) -> Result<DynArray> {
        let operands = Operands { name: "vdot", place: Place::caller(), a: self, b: right };
        if self.shape_of().size() != right.shape_of().size() {
            return Err(operands.shapes("as many elements on both sides"));
        }
        let (a, b) = (self.conj_as(operands.name, operands.place)?, right.reshape(-1)?);
        Operands { a: &a.reshape(-1)?, b: &b, ..operands }
            .by_parts(|operands| operands.inner_product())
    }

    /// NumPy's `tensordot`: the sum over pairs of axes; the other axes of this array and then those of
    /// the other are the result's.
    ///
    /// Errors: an axis out of range or given twice; not as many axes on both sides; extents of a pair
    /// that differ.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let a = DynArray::from(DArray::<f64>::ones((2, 3, 4)));
    /// let b = DynArray::from(DArray::<f64>::ones((3, 4, 5)));
    /// assert_eq!(a.tensordot(&b, 2).unwrap().shape(), [2, 5]);
    /// ```
    #[track_caller]
    pub fn tensordot(
        &self,
        right: &DynArray,
        over: impl Into<ContractionAxes>,
    ) -> Result<DynArray> {
        let operands = Operands { name: "tensordot", place: Place::caller(), a: self, b: right };
        let (left, right) = match over.into() {
            ContractionAxes::Pairs(left, right) => (left, right),
            ContractionAxes::Count(count) => {
                let ranks = [self.shape().len(), right.shape().len()];
                if ranks.iter().any(|&rank| rank < count) {
                    let expected = format!("at least {count} axes on both sides, to sum over them");
                    return Err(operands.shapes(&expected));
                }
                let (count, rank) = (count as isize, ranks[0] as isize);
                ((rank - count..rank).collect(), (0..count).collect())
            }
        };
        if left.len() != right.len() {
            let (left, right) = (left.len(), right.len());
            let expected = format!("as many axes on both sides, not {left} and {right}");
            return Err(operands.shapes(&expected));
        }
        let resolve = |list: &[isize], of: &DynArray| {
            axes::resolve(list, of.shape_of()).map_err(|kind| operands.error(kind))
        };
        let (left, right) = (resolve(&left, self)?, resolve(&right, operands.b)?);
        operands.by_parts(|operands| operands.contract(&left, &right))
    }
}

impl Operands<'_> {
    /// A product of real operands; of complex ones the products of their parts: two, or four.
    fn by_parts(self, product: impl Fn(Operands<'_>) -> Result<DynArray>) -> Result<DynArray> {
        let Operands { name, place, a, b } = self;
        let of = |a: &DynArray, b: &DynArray| product(Operands { name, place, a, b });
        let joined = |operation, (x, y): (DynArray, DynArray)| {
            binary_as(name, operation, (&x).into(), (&y).into(), place)
        };
        let (re, im) = match (a.parts(), b.parts()) {
            (None, None) => return product(self),
            (Some([re, im]), None) => (of(&re, b)?, of(&im, b)?),
            (None, Some([re, im])) => (of(a, &re)?, of(a, &im)?),
            (Some([a, b]), Some([c, d])) => (
                joined(Binary::Sub, (of(&a, &c)?, of(&b, &d)?))?,
                joined(Binary::Add, (of(&a, &d)?, of(&b, &c)?))?,
            ),
        };
        DynArray::complex_of(re, im, name, place)
    }

    fn matmul(self) -> Result<DynArray> {
        let ranks = (self.a.shape().len(), self.b.shape().len());
        if ranks.0 == 0 || ranks.1 == 0 {
            return Err(self.shapes("at least 1-d arrays"));
        }
        self.check_inner_extents()?;
        self.check_runtime()?;
        if ranks == (1, 1) {
            return self.inner_product();
        }
        let row = match ranks.0 {
            1 => self.a.slice([Ix::NewAxis, Ix::from(..)])?,
            _ => self.a.alias(),
        };
        let column = match ranks.1 {
            1 => self.b.slice([Ix::from(..), Ix::NewAxis])?,
            _ => self.b.alias(),
        };
        let kept = [ranks.0 > 1, ranks.1 > 1];
        let Operands { name, place, .. } = self;
        Product { name, place, a: &row, b: &column, kept }.create().map_err(|error| {
            match error.kind() {
                ErrorKind::Broadcast { .. } => self.shapes("leading axes that broadcast"),
                _ => error,
            }
        })
    }

    fn dot(self) -> Result<DynArray> {
        let ranks = (self.a.shape().len(), self.b.shape().len());
        if ranks.0 == 0 || ranks.1 == 0 {
            return self.multiply(self.a, self.b);
        }
        self.check_inner_extents()?;
        match ranks {
            (1 | 2, 1 | 2) => self.matmul(),
            (a, b) => self.contract(&[a - 1], &[b.max(2) - 2]),
        }
    }

    /// Whether the inner extents of `matmul` and `dot`, of arrays that have axes, are equal.
    fn check_inner_extents(self) -> Result<()> {
        let (a, b) = (self.a.shape(), self.b.shape());
        let (left, right) = (a[a.len() - 1], b[b.len().max(2) - 2]);
        if left == right {
            return Ok(());
        }
        Err(self.shapes(&format!("one inner extent, not {left} and {right}")))
    }

    /// Multiplication and then a sum, which fuse. Of bool, as in NumPy, it is `and` and `any`.
    fn inner_product(self) -> Result<DynArray> {
        let Operands { name, place, a, b } = self;
        let dtype = promote_real(a.real_type(), b.real_type());
        if dtype.is_narrow() {
            // Neither products nor partial sums are rounded to a type that only lies in memory, as in matrix products.
            let cast = |x: &DynArray| x.copy_as(name, dtype.compute(), place);
            let (a, b) = (&cast(a)?, &cast(b)?);
            return Operands { a, b, ..self }.inner_product()?.copy_as(name, dtype, place);
        }
        let products = self.multiply(a, b)?;
        if products.dtype() == DType::Bool {
            return products.reduce_named(Reduction::Any, Axes::all(), name, place);
        }
        let sum = products.reduce_named(Reduction::Sum, Axes::all(), name, place)?;
        match sum.dtype() == products.dtype() {
            true => Ok(sum),
            // Products of a small integer type stay in it, as NumPy's do.
            false => sum.copy_as(name, products.dtype(), place),
        }
    }

    /// The sum over pairs of axes, as one product of matrices.
    fn contract(self, left: &[usize], right: &[usize]) -> Result<DynArray> {
        let (a, b) = (self.a.shape(), self.b.shape());
        if left.iter().zip(right).any(|(&l, &r)| a[l] != b[r]) {
            return Err(self.shapes("equal extents of the axes that are summed over"));
        }
        self.check_runtime()?;
        let rest = |rank: usize, taken: &[usize]| -> SmallVec<[usize; 8]> {
            (0..rank).filter(|axis| !taken.contains(axis)).collect()
        };
        let (rows, columns) = (rest(a.len(), left), rest(b.len(), right));
        let shape: Shape =
            rows.iter().map(|&axis| a[axis]).chain(columns.iter().map(|&axis| b[axis])).collect();
        darray_core::check_shape(&shape).map_err(|kind| self.error(kind))?;
        let sizes = |of: &[usize], axes: &[usize]| axes.iter().map(|&axis| of[axis]).product();
        let (m, k, n): (usize, usize, usize) =
            (sizes(a, &rows), sizes(a, left), sizes(b, &columns));
        let order = |first: &[usize], last: &[usize]| -> SmallVec<[isize; 8]> {
            first.iter().chain(last).map(|&axis| axis as isize).collect()
        };
        let matrix = self.a.permute(&order(&rows, left))?.reshape(&[m, k][..])?;
        let other = self.b.permute(&order(right, &columns))?.reshape(&[k, n][..])?;
        let Operands { name, place, .. } = self;
        let product =
            Product { name, place, a: &matrix, b: &other, kept: [true, true] }.create()?;
        product.reshape(&shape[..])
    }

    fn multiply(self, a: &DynArray, b: &DynArray) -> Result<DynArray> {
        binary_as(self.name, Binary::Mul, a.into(), b.into(), self.place)
    }

    fn check_runtime(self) -> Result<()> {
        if self.a.runtime() == self.b.runtime() {
            return Ok(());
        }
        let message = "the operands belong to two runtimes".to_string();
        Err(self.error(ErrorKind::Runtime { message }))
    }

    fn shapes(self, expected: &str) -> Error {
        let shapes = vec![self.a.shape_of().clone(), self.b.shape_of().clone()];
        self.error(ErrorKind::Shapes { shapes, expected: expected.to_string() })
    }

    fn error(self, kind: ErrorKind) -> Error {
        Error::new(self.name, kind, self.place)
    }
}
