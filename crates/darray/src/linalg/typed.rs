//! Products of typed arrays.

use super::ContractionAxes;
use crate::error::expect_at_caller;
use crate::{DArray, Element, Promote};

/// # Products
impl<T: Element> DArray<T> {
    /// NumPy's `matmul` (`@`): the product of matrices, or of stacks of matrices whose leading axes
    /// broadcast; a 1-d array is a row on the left, a column on the right, and leaves no axis. For the
    /// order of summation see the notes on [`dot`](Self::dot).
    ///
    /// # Panics
    ///
    /// If an array is 0-d, the inner extents differ, or the leading axes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// let turns = DArray::from_shape_vec((2, 2, 2), vec![0, -1, 1, 0, 0, 1, -1, 0]);
    /// let x = DArray::from_vec(vec![3, 5]);
    /// assert_eq!(turns.matmul(&x).to_vec(), [-5, 3, 5, -3]);
    /// assert_eq!(turns.matmul(&turns).to_vec(), [-1, 0, 0, -1, -1, 0, 0, -1]);
    /// ```
    #[track_caller]
    pub fn matmul<V: Element>(&self, right: &DArray<V>) -> DArray<<T as Promote<V>>::Output>
    where
        T: Promote<V>,
    {
        DArray::wrap(expect_at_caller(self.as_dyn().matmul(right.as_dyn())))
    }

    /// NumPy's `dot`: the inner product of 1-d arrays (0-d), matrix times vector, vector times matrix,
    /// matrix product; for more axes the sum over the last axis of this array and the last but one of
    /// the other, with all other axes in the result. A 0-d array multiplies.
    ///
    /// Sums of products of matrices are chains of fused multiply-adds over blocks of 256 of the inner extent, whose sums are added
    /// two by two; where one side is a vector (or has one row or column) they go by the tree of reductions, so that `a.dot(x)` has the bits of
    /// `(a * x).sum(-1)`. Bits depend on the operands, not on devices, tiles, threads or layouts.
    /// Integers wrap; products of bool are `and`, sums `or`.
    ///
    /// # Panics
    ///
    /// If the inner extents differ.
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
        DArray::wrap(expect_at_caller(self.as_dyn().dot(right.as_dyn())))
    }

    /// NumPy's `inner`: the sum over the last axes of both arrays, with all other axes in the result. A
    /// 0-d array multiplies.
    ///
    /// # Panics
    ///
    /// If the last extents differ.
    ///
    /// ```
    /// use darray::DArray;
    /// let a = DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
    /// assert_eq!(a.inner(&a).to_vec(), [5, 11, 11, 25]);
    /// ```
    #[track_caller]
    pub fn inner<V: Element>(&self, right: &DArray<V>) -> DArray<<T as Promote<V>>::Output>
    where
        T: Promote<V>,
    {
        DArray::wrap(expect_at_caller(self.as_dyn().inner(right.as_dyn())))
    }

    /// NumPy's `outer`: every element of this array times every element of the other, both flattened;
    /// element-wise, so it fuses.
    ///
    /// # Panics
    ///
    /// If the arrays belong to two runtimes.
    ///
    /// ```
    /// use darray::DArray;
    /// let (x, y) = (DArray::from_vec(vec![1, 2]), DArray::from_vec(vec![10, 20, 30]));
    /// assert_eq!(x.outer(&y).to_vec(), [10, 20, 30, 20, 40, 60]);
    /// ```
    #[track_caller]
    pub fn outer<V: Element>(&self, right: &DArray<V>) -> DArray<<T as Promote<V>>::Output>
    where
        T: Promote<V>,
    {
        DArray::wrap(expect_at_caller(self.as_dyn().outer(right.as_dyn())))
    }

    /// NumPy's `vdot`: the inner product of both arrays flattened; a 0-d array.
    ///
    /// # Panics
    ///
    /// If the numbers of elements differ.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
    /// assert_eq!(x.vdot(&x.reshape(4)).item(), 30);
    /// ```
    #[track_caller]
    pub fn vdot<V: Element>(&self, right: &DArray<V>) -> DArray<<T as Promote<V>>::Output>
    where
        T: Promote<V>,
    {
        DArray::wrap(expect_at_caller(self.as_dyn().vdot(right.as_dyn())))
    }

    /// NumPy's `tensordot`: the sum over pairs of axes, or over so many last axes of this array and first
    /// axes of the other; the other axes of this array and then those of the other are the result's.
    /// Where transposing and reshaping to matrices makes no view, it makes a copy.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice, there are not as many axes on both sides, or the extents
    /// of a pair differ.
    ///
    /// ```
    /// use darray::DArray;
    /// let a = DArray::<f64>::ones((2, 3, 4));
    /// let b = DArray::<f64>::ones((4, 3, 5));
    /// assert_eq!(a.tensordot(&b, ([1, 2], [1, 0])).to_vec(), [12.0; 10]);
    /// assert_eq!(a.tensordot(&b, 1).shape(), [2, 3, 3, 5]);
    /// ```
    #[track_caller]
    pub fn tensordot<V: Element>(
        &self,
        right: &DArray<V>,
        over: impl Into<ContractionAxes>,
    ) -> DArray<<T as Promote<V>>::Output>
    where
        T: Promote<V>,
    {
        DArray::wrap(expect_at_caller(self.as_dyn().tensordot(right.as_dyn(), over)))
    }
}
