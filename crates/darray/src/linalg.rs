//! Products of vectors and matrices.

use crate::error::must;
use crate::{Binary, DArray, DynArray, Element, Promote, Reduction};
use darray_core::{
    DType, Dim, Error, ErrorKind, Ix, Map, Place, Result, Scalar, Shape, check_shape, promote,
};
use darray_ir::{Builtin, Privilege, TaskOp};
use darray_runtime::Emission;

impl DynArray {
    /// NumPy's `dot` for 1-d and 2-d arrays: inner product, matrix times vector, vector times
    /// matrix, matrix product.
    ///
    /// Errors: another rank; the inner extents differ.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3)));
    /// assert_eq!(x.dot(&x.t()).unwrap().shape(), [2, 2]);
    /// ```
    #[track_caller]
    pub fn dot(&self, right: &DynArray) -> Result<DynArray> {
        let place = Place::caller();
        let (a, b) = (self.shape_of(), right.shape_of());
        let ranks = (a.rank(), b.rank());
        let fits = matches!(ranks, (1 | 2, 1 | 2)) && a[a.rank() - 1] == b[0];
        if !fits {
            let expected = "1-d or 2-d arrays with one inner extent".to_string();
            let kind = ErrorKind::Shapes { shapes: vec![a.clone(), b.clone()], expected };
            return Err(Error::new("dot", kind, place));
        }
        if self.runtime() != right.runtime() {
            let message = "the operands belong to two runtimes".to_string();
            return Err(Error::new("dot", ErrorKind::Runtime { message }, place));
        }
        if ranks == (1, 1) || !promote(self.dtype(), right.dtype()).is_float() {
            return self.dot_by_sum(right);
        }
        let matrix = |array: &DynArray, new: &[Ix]| match array.shape().len() {
            1 => array.slice(new),
            _ => Ok(array.alias()),
        };
        let row = matrix(self, &[Ix::NewAxis, Ix::from(..)])?;
        let column = matrix(right, &[Ix::from(..), Ix::NewAxis])?;
        matmul(&row, &column, ranks, place)
    }

    /// Multiplication and then a sum, which fuse: inner products, and products of integers. Of bool,
    /// as in NumPy, it is `and` and `any`.
    #[track_caller]
    fn dot_by_sum(&self, right: &DynArray) -> Result<DynArray> {
        let left = match right.shape().len() {
            1 => self.alias(),
            _ => self.slice([Ix::Ellipsis, Ix::NewAxis])?,
        };
        let axis = self.shape().len() - 1;
        let products = left.binary(Binary::Mul, right)?;
        let (dtype, place) = (products.dtype(), Place::caller());
        if dtype == DType::Bool {
            return products.reduce(Reduction::Any, axis);
        }
        // Narrow integers are summed in i64, whose low bits are the sum that wraps.
        let sum = products.reduce(Reduction::Sum, axis)?;
        if sum.dtype() == dtype { Ok(sum) } else { sum.copy_as("dot", dtype, place) }
    }
}

/// Emits the builtin for matrices `a (m, k)` and `b (k, n)`; `ranks` are the operands' as given.
fn matmul(a: &DynArray, b: &DynArray, ranks: (usize, usize), place: Place) -> Result<DynArray> {
    let name = "dot";
    let runtime = a.runtime();
    let dtype = promote(a.dtype(), b.dtype());
    let cast = |x: &DynArray| match x.dtype() == dtype {
        true => Ok(x.alias()),
        false => x.copy_as(name, dtype, place),
    };
    let (a, b) = (cast(a)?, cast(b)?);
    let domain = Shape::from([a.shape()[0], b.shape()[1]]);
    check_shape(&domain).map_err(|kind| Error::new(name, kind, place))?;
    let rows = if domain[0] == 1 { Dim::fixed(0) } else { Dim::along(0, 0, 1) };
    let columns = if domain[1] == 1 { Dim::fixed(0) } else { Dim::along(1, 0, 1) };
    let (shape, dims) = match ranks {
        (2, 1) => (Shape::from([domain[0]]), vec![rows]),
        (1, 2) => (Shape::from([domain[1]]), vec![columns]),
        _ => (domain.clone(), vec![rows, columns]),
    };
    let map = Map { chart: darray_core::Chart::Native, dims: dims.into() };
    let result = DynArray::allocate(runtime, dtype, &shape);
    let (out, left, right) =
        (result.variable().current(), a.variable().current(), b.variable().current());
    let args = &[
        (out.store(), &map, Privilege::Write),
        (left.store(), a.view().map(), Privilege::Read),
        (right.store(), b.view().map(), Privilege::Read),
    ];
    let op = TaskOp::Builtin(Builtin::MatMul);
    let scalars = &[Scalar::from(a.shape()[1] as i64)];
    runtime.emit(Emission { op, name, domain: &domain, args, scalars, place })?;
    Ok(result)
}

impl<T: Element> DArray<T> {
    /// NumPy's `dot` for 1-d and 2-d arrays: inner product (0-d), matrix times vector, vector times
    /// matrix, matrix product. Bits do not depend on the number of devices.
    ///
    /// # Panics
    ///
    /// If a rank is neither 1 nor 2, or the inner extents differ.
    ///
    /// ```
    /// use darray::DArray;
    /// let a = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 4.0]);
    /// let x = DArray::from_vec(vec![1.0, -1.0]);
    /// assert_eq!(a.dot(&x).to_vec(), [-1.0, -1.0]);
    /// assert_eq!(a.dot(&a).to_vec(), [7.0, 10.0, 15.0, 22.0]);
    /// assert_eq!(x.dot(&x).item(), 2.0);
    /// ```
    #[track_caller]
    pub fn dot<V: Element>(&self, right: &DArray<V>) -> DArray<<T as Promote<V>>::Output>
    where
        T: Promote<V>,
    {
        must(self.try_dot(right))
    }

    /// As [`dot`](Self::dot); shapes that do not fit are an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::ones((2, 3)).try_dot(&DArray::<f64>::ones(2)).unwrap_err();
    /// assert!(error.to_string().starts_with("dot: shapes [2, 3] and [2]: expected "));
    /// ```
    #[track_caller]
    pub fn try_dot<V: Element>(
        &self,
        right: &DArray<V>,
    ) -> Result<DArray<<T as Promote<V>>::Output>>
    where
        T: Promote<V>,
    {
        let result = self.as_dyn().dot(right.as_dyn())?;
        Ok(DArray::wrap(result))
    }
}
