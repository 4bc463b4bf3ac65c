//! Other shapes of complex arrays, and parts of them: what [`DArray`] does, with both parts.

use super::term::Origin;
use super::{ComplexArray, ComplexPart, copied};
use crate::error::expect_at_caller;
use crate::{Axes, DArray, Integral, IntoShape, Number, PadMode, PadWidths, Shifts};
use darray_core::{Ix, Result};
use std::borrow::Borrow;

/// The complex array of what is done with either part.
macro_rules! of_both {
    ($self:ident, $part:ident => $result:expr) => {
        Ok(ComplexArray::wrap(
            {
                let $part = &$self.re;
                $result?
            },
            {
                let $part = &$self.im;
                $result?
            },
        ))
    };
}

impl<T: ComplexPart> ComplexArray<T> {
    /// NumPy basic indexing with [`s!`](crate::s): a view that writes through.
    ///
    /// # Panics
    ///
    /// If an integer index is out of range, there are too many indices, or a step is 0.
    ///
    /// ```
    /// use darray::{ComplexArray, s};
    /// let z = ComplexArray::<f64>::zeros(3);
    /// z.slice(s![1..]).assign(1.0);
    /// assert_eq!(z.to_string(), "[0.+0.j 1.+0.j 1.+0.j]");
    /// ```
    #[track_caller]
    pub fn slice(&self, index: impl AsRef<[Ix]>) -> ComplexArray<T> {
        expect_at_caller(self.try_slice(index))
    }

    /// As [`slice`](Self::slice); a bad index is an error.
    ///
    /// ```
    /// use darray::{ComplexArray, s};
    /// assert!(ComplexArray::<f64>::zeros(3).try_slice(s![3]).is_err());
    /// ```
    #[track_caller]
    pub fn try_slice(&self, index: impl AsRef<[Ix]>) -> Result<ComplexArray<T>> {
        let index = index.as_ref();
        of_both!(self, part => part.try_slice(index))
    }

    /// The axes in reverse order: a view. Not conjugated; `z.t().conj()` is the adjoint.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert_eq!(ComplexArray::<f64>::zeros((2, 3)).t().shape(), [3, 2]);
    /// ```
    pub fn t(&self) -> ComplexArray<T> {
        ComplexArray::wrap(self.re.t(), self.im.t())
    }

    /// The axes in another order: a view.
    ///
    /// # Panics
    ///
    /// If `order` is not a permutation of the axes.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert_eq!(ComplexArray::<f64>::zeros((2, 3, 4)).permute(&[2, 0, 1]).shape(), [4, 2, 3]);
    /// ```
    #[track_caller]
    pub fn permute(&self, order: &[isize]) -> ComplexArray<T> {
        expect_at_caller(self.try_permute(order))
    }

    /// As [`permute`](Self::permute); what is no permutation is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros((2, 3)).try_permute(&[0, 0]).is_err());
    /// ```
    #[track_caller]
    pub fn try_permute(&self, order: &[isize]) -> Result<ComplexArray<T>> {
        of_both!(self, part => part.try_permute(order))
    }

    /// Two axes exchanged: a view.
    ///
    /// # Panics
    ///
    /// If an axis is out of range.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert_eq!(ComplexArray::<f64>::zeros((2, 3, 4)).swap_axes(0, -1).shape(), [4, 3, 2]);
    /// ```
    #[track_caller]
    pub fn swap_axes(&self, a: isize, b: isize) -> ComplexArray<T> {
        expect_at_caller(self.try_swap_axes(a, b))
    }

    /// As [`swap_axes`](Self::swap_axes); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_swap_axes(0, 1).is_err());
    /// ```
    #[track_caller]
    pub fn try_swap_axes(&self, a: isize, b: isize) -> Result<ComplexArray<T>> {
        of_both!(self, part => part.try_swap_axes(a, b))
    }

    /// The elements along axes in reverse order: a view.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let z = DArray::<f64>::arange(2).to_complex();
    /// assert_eq!(z.flip(..).to_string(), "[1.+0.j 0.+0.j]");
    /// ```
    #[track_caller]
    pub fn flip(&self, axes: impl Into<Axes>) -> ComplexArray<T> {
        expect_at_caller(self.try_flip(axes))
    }

    /// As [`flip`](Self::flip); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_flip(1).is_err());
    /// ```
    #[track_caller]
    pub fn try_flip(&self, axes: impl Into<Axes>) -> Result<ComplexArray<T>> {
        let axes = axes.into();
        of_both!(self, part => part.try_flip(axes.clone()))
    }

    /// Repeated to a larger shape: a view that cannot be written where it repeats.
    ///
    /// # Panics
    ///
    /// If the shape does not broadcast to that.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert_eq!(ComplexArray::<f64>::zeros(2).broadcast_to((3, 2)).shape(), [3, 2]);
    /// ```
    #[track_caller]
    pub fn broadcast_to(&self, shape: impl IntoShape) -> ComplexArray<T> {
        expect_at_caller(self.try_broadcast_to(shape))
    }

    /// As [`broadcast_to`](Self::broadcast_to); shapes that do not broadcast are an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_broadcast_to((3, 2)).is_err());
    /// ```
    #[track_caller]
    pub fn try_broadcast_to(&self, shape: impl IntoShape) -> Result<ComplexArray<T>> {
        of_both!(self, part => part.try_broadcast_to(&shape))
    }

    /// The same elements in row-major order under another shape, of which one extent may be -1: a view where
    /// the strides of both parts can express it, else a copy of both.
    ///
    /// # Panics
    ///
    /// If the number of elements differs.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert_eq!(ComplexArray::<f64>::zeros(6).reshape((2, -1)).shape(), [2, 3]);
    /// ```
    #[track_caller]
    pub fn reshape(&self, shape: impl IntoShape) -> ComplexArray<T> {
        expect_at_caller(self.try_reshape(shape))
    }

    /// As [`reshape`](Self::reshape); another number of elements is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(6).try_reshape(5).is_err());
    /// ```
    #[track_caller]
    pub fn try_reshape(&self, shape: impl IntoShape) -> Result<ComplexArray<T>> {
        let origin = Origin::here("reshape");
        let (re, im) = (self.re.try_reshape(&shape)?, self.im.try_reshape(&shape)?);
        // A write into half a view would be seen through one part alone.
        Ok(match [(&re, &self.re), (&im, &self.im)].map(|(to, from)| is_view(to, from)) {
            [true, false] => ComplexArray::wrap(copied(&re, origin)?, im),
            [false, true] => ComplexArray::wrap(re, copied(&im, origin)?),
            _ => ComplexArray::wrap(re, im),
        })
    }

    /// The elements moved along axes, those beyond an end coming in at the other; see [`DArray::roll`].
    ///
    /// # Panics
    ///
    /// If an axis is out of range, or there are not as many shifts as axes.
    ///
    /// ```
    /// use darray::DArray;
    /// let z = DArray::<f64>::arange(3).to_complex();
    /// assert_eq!(z.roll(1, 0).to_string(), "[2.+0.j 0.+0.j 1.+0.j]");
    /// ```
    #[track_caller]
    pub fn roll(&self, shifts: impl Into<Shifts>, axes: impl Into<Axes>) -> ComplexArray<T> {
        expect_at_caller(self.try_roll(shifts, axes))
    }

    /// As [`roll`](Self::roll); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_roll(1, 1).is_err());
    /// ```
    #[track_caller]
    pub fn try_roll(
        &self,
        shifts: impl Into<Shifts>,
        axes: impl Into<Axes>,
    ) -> Result<ComplexArray<T>> {
        let (shifts, axes) = (shifts.into(), axes.into());
        of_both!(self, part => part.try_roll(shifts.clone(), axes.clone()))
    }

    /// The elements with more around them; see [`DArray::pad`]. A constant is the real part of what is added.
    ///
    /// # Panics
    ///
    /// If there are not as many widths as axes, or the mode needs elements where there are none.
    ///
    /// ```
    /// use darray::{DArray, PadMode};
    /// let z = DArray::<f64>::ones(1).to_complex();
    /// assert_eq!(z.pad(1, PadMode::constant(7.0)).to_string(), "[7.+0.j 1.+0.j 7.+0.j]");
    /// ```
    #[track_caller]
    pub fn pad(&self, widths: impl Into<PadWidths>, mode: PadMode) -> ComplexArray<T> {
        expect_at_caller(self.try_pad(widths, mode))
    }

    /// As [`pad`](Self::pad); what would panic is an error.
    ///
    /// ```
    /// use darray::{ComplexArray, PadMode};
    /// let z = ComplexArray::<f64>::zeros(0);
    /// assert!(z.try_pad(1, PadMode::Edge).is_err());
    /// ```
    #[track_caller]
    pub fn try_pad(&self, widths: impl Into<PadWidths>, mode: PadMode) -> Result<ComplexArray<T>> {
        let widths = widths.into();
        let im_mode = match mode {
            PadMode::Constant(_) => PadMode::constant(0.0),
            other => other,
        };
        let re = self.re.try_pad(widths.clone(), mode)?;
        Ok(ComplexArray::wrap(re, self.im.try_pad(widths, im_mode)?))
    }

    /// The elements at these indices in row-major order, in the shape of the indices; see [`DArray::take`].
    ///
    /// # Panics
    ///
    /// If there are no elements.
    ///
    /// ```
    /// use darray::DArray;
    /// let z = DArray::<f64>::arange(3).to_complex();
    /// assert_eq!(z.take(&DArray::from_vec(vec![-1, 0])).to_string(), "[2.+0.j 0.+0.j]");
    /// ```
    #[track_caller]
    pub fn take<I: Integral + Number>(&self, indices: &DArray<I>) -> ComplexArray<T> {
        expect_at_caller(self.try_take(indices))
    }

    /// As [`take`](Self::take); what would panic is an error.
    ///
    /// ```
    /// use darray::{ComplexArray, DArray};
    /// assert!(ComplexArray::<f64>::zeros(0).try_take(&DArray::from_vec(vec![0])).is_err());
    /// ```
    #[track_caller]
    pub fn try_take<I: Integral + Number>(&self, indices: &DArray<I>) -> Result<ComplexArray<T>> {
        of_both!(self, part => part.try_take(indices))
    }

    /// The elements at these indices along an axis; see [`DArray::take_axis`].
    ///
    /// # Panics
    ///
    /// If the axis is out of range or has no elements, or there are too many axes.
    ///
    /// ```
    /// use darray::{ComplexArray, DArray};
    /// let z = ComplexArray::<f64>::zeros((2, 3));
    /// assert_eq!(z.take_axis(&DArray::from_vec(vec![1, 1, 0]), 0).shape(), [3, 3]);
    /// ```
    #[track_caller]
    pub fn take_axis<I: Integral + Number>(
        &self,
        indices: &DArray<I>,
        axis: isize,
    ) -> ComplexArray<T> {
        expect_at_caller(self.try_take_axis(indices, axis))
    }

    /// As [`take_axis`](Self::take_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::{ComplexArray, DArray};
    /// let z = ComplexArray::<f64>::zeros((2, 3));
    /// assert!(z.try_take_axis(&DArray::from_vec(vec![0]), 2).is_err());
    /// ```
    #[track_caller]
    pub fn try_take_axis<I: Integral + Number>(
        &self,
        indices: &DArray<I>,
        axis: isize,
    ) -> Result<ComplexArray<T>> {
        of_both!(self, part => part.try_take_axis(indices, axis))
    }

    /// The arrays one after the other along an axis, or with `..` as one axis; see [`DArray::concatenate`].
    ///
    /// # Panics
    ///
    /// If there are no arrays, or other extents differ.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let z = ComplexArray::<f64>::zeros((2, 2));
    /// assert_eq!(ComplexArray::concatenate(&[&z, &z], 1).shape(), [2, 4]);
    /// ```
    #[track_caller]
    pub fn concatenate<A: Borrow<ComplexArray<T>>>(
        arrays: &[A],
        axis: impl Into<Axes>,
    ) -> ComplexArray<T> {
        expect_at_caller(ComplexArray::try_concatenate(arrays, axis))
    }

    /// As [`concatenate`](Self::concatenate); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let (z, w) = (ComplexArray::<f64>::zeros((2, 2)), ComplexArray::<f64>::zeros((2, 1)));
    /// assert!(ComplexArray::try_concatenate(&[&z, &w], 0).is_err());
    /// ```
    #[track_caller]
    pub fn try_concatenate<A: Borrow<ComplexArray<T>>>(
        arrays: &[A],
        axis: impl Into<Axes>,
    ) -> Result<ComplexArray<T>> {
        let (re, im, axis) = (parts(arrays, |z| &z.re), parts(arrays, |z| &z.im), axis.into());
        let re = DArray::try_concatenate(&re, axis.clone())?;
        Ok(ComplexArray::wrap(re, DArray::try_concatenate(&im, axis)?))
    }

    /// The arrays, of one shape, side by side along a new axis; see [`DArray::stack`].
    ///
    /// # Panics
    ///
    /// If there are no arrays, shapes differ, or the axis is out of range.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let z = ComplexArray::<f64>::zeros(3);
    /// assert_eq!(ComplexArray::stack(&[&z, &z], 0).shape(), [2, 3]);
    /// ```
    #[track_caller]
    pub fn stack<A: Borrow<ComplexArray<T>>>(arrays: &[A], axis: isize) -> ComplexArray<T> {
        expect_at_caller(ComplexArray::try_stack(arrays, axis))
    }

    /// As [`stack`](Self::stack); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::try_stack::<ComplexArray>(&[], 0).is_err());
    /// ```
    #[track_caller]
    pub fn try_stack<A: Borrow<ComplexArray<T>>>(
        arrays: &[A],
        axis: isize,
    ) -> Result<ComplexArray<T>> {
        let (re, im) = (parts(arrays, |z| &z.re), parts(arrays, |z| &z.im));
        Ok(ComplexArray::wrap(DArray::try_stack(&re, axis)?, DArray::try_stack(&im, axis)?))
    }
}

fn is_view<T: ComplexPart>(array: &DArray<T>, of: &DArray<T>) -> bool {
    std::ptr::eq(array.as_dyn().variable(), of.as_dyn().variable())
}

/// The real or the imaginary parts of some arrays.
fn parts<T: ComplexPart, A: Borrow<ComplexArray<T>>>(
    arrays: &[A],
    part: fn(&ComplexArray<T>) -> &DArray<T>,
) -> Vec<&DArray<T>> {
    arrays.iter().map(|array| part(array.borrow())).collect()
}
