//! Cumulative sums, products, maxima and minima.
//!
//! A scan is a builtin of the devices, in an order that depends on the extents alone: runs of fixed
//! length, aligned to global indices, are added up from left to right, and each run begins with what
//! the runs before it make together (`darray_kernel::scan` has the formula). Over several devices each
//! scans its own part, and one value per line goes from each part to the next.

use crate::elementwise::operand::undefined;
use crate::elementwise::untyped::update_as;
use crate::error::expect_at_caller;
use crate::{Along, Binary, DArray, DynArray, Element, array::axes};
use darray_core::{Error, Ix, Place, Result, View};
use darray_ir::builtin::Scan;
use darray_ir::{Privilege, TaskOp};
use darray_kernel::ir::Reducer;
use darray_runtime::{Emission, StoreRef};
use smallvec::SmallVec;

impl DynArray {
    /// NumPy's `cumsum`: the cumulative sum along an axis, or of all elements in row-major order
    /// where there is none; bool counts as i64.
    ///
    /// Errors: the axis is out of range.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![1, 2, 3]));
    /// let along = DArray::<i64>::try_from(x.cumsum(0).unwrap()).unwrap();
    /// assert_eq!(along.to_vec(), [1, 3, 6]);
    /// ```
    #[track_caller]
    pub fn cumsum(&self, axis: impl Into<Along>) -> Result<DynArray> {
        self.scan(Reducer::Sum, "cumsum", axis.into().0, Place::caller())
    }

    /// NumPy's `cumprod`: the cumulative product along an axis, or of all elements in row-major order
    /// where there is none; bool counts as i64.
    ///
    /// Errors: the axis is out of range.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![1, 2, 3]));
    /// let along = DArray::<i64>::try_from(x.cumprod(0).unwrap()).unwrap();
    /// assert_eq!(along.to_vec(), [1, 2, 6]);
    /// ```
    #[track_caller]
    pub fn cumprod(&self, axis: impl Into<Along>) -> Result<DynArray> {
        self.scan(Reducer::Prod, "cumprod", axis.into().0, Place::caller())
    }

    /// NumPy's `maximum.accumulate`: the greatest of the elements so far, along an axis, or of all in row-major order where there is
    /// none. NaN is kept.
    ///
    /// Errors: the axis is out of range.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![1, 3, 2]));
    /// let along = DArray::<i32>::try_from(x.cummax(0).unwrap()).unwrap();
    /// assert_eq!(along.to_vec(), [1, 3, 3]);
    /// ```
    #[track_caller]
    pub fn cummax(&self, axis: impl Into<Along>) -> Result<DynArray> {
        self.scan(Reducer::Max, "cummax", axis.into().0, Place::caller())
    }

    /// NumPy's `minimum.accumulate`: the least of the elements so far, along an axis, or of all in row-major order where there is none.
    /// NaN is kept.
    ///
    /// Errors: the axis is out of range.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![2, 3, 1]));
    /// let along = DArray::<i32>::try_from(x.cummin(0).unwrap()).unwrap();
    /// assert_eq!(along.to_vec(), [2, 2, 1]);
    /// ```
    #[track_caller]
    pub fn cummin(&self, axis: impl Into<Along>) -> Result<DynArray> {
        self.scan(Reducer::Min, "cummin", axis.into().0, Place::caller())
    }

    /// The cumulative products along an axis, for the operation of this name.
    pub(crate) fn products(
        &self,
        axis: usize,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        self.scan(Reducer::Prod, name, Some(axis as isize), place)
    }

    /// As [`products`](Self::products), sums.
    pub(crate) fn sums(&self, axis: usize, name: &'static str, place: Place) -> Result<DynArray> {
        self.scan(Reducer::Sum, name, Some(axis as isize), place)
    }

    fn scan(
        &self,
        reducer: Reducer,
        name: &'static str,
        axis: Option<isize>,
        place: Place,
    ) -> Result<DynArray> {
        if let Some([re, im]) = self.parts()
            && reducer == Reducer::Sum
        {
            let (re, im) =
                (re.scan(reducer, name, axis, place)?, im.scan(reducer, name, axis, place)?);
            return DynArray::complex_of(re, im, name, place);
        }
        let (input, axis) = match axis {
            None => (self.ravel_as(name, place)?, 0),
            Some(axis) => {
                let axes = axes::resolve(&[axis], self.shape_of());
                (self.alias(), axes.map_err(|kind| Error::new(name, kind, place))?[0])
            }
        };
        if self.is_complex() {
            return match reducer {
                Reducer::Prod => input.complex_products(axis, name, place),
                _ => Err(undefined(name, &[self.dtype()], place)),
            };
        }
        // An extremum is one of the elements.
        let result = match reducer {
            Reducer::Max | Reducer::Min => self.real_type(),
            _ => self.real_type().accumulator(),
        };
        // Of f16 in f32; every element is rounded once.
        let dtype = result.compute();
        let input = match input.real_type() == dtype {
            true => input,
            false => input.copy_as(name, dtype, place)?,
        };
        let domain = input.shape_of();
        let view = View::whole(domain);
        let args = &[
            (StoreRef::New(dtype, domain), view.map(), Privilege::Write),
            (input.when_recorded(), input.view().map(), Privilege::Read),
        ];
        let op = TaskOp::Builtin(Scan { reducer, axis: axis as u8 }.into());
        let emission = Emission { op, name, domain, args, scalars: &[], place };
        let made = self.runtime().emit(emission)?;
        let scanned = DynArray::of_made(self.runtime(), made, view);
        if result == dtype { Ok(scanned) } else { scanned.copy_as(name, result, place) }
    }

    /// The cumulative products of complex numbers: every element is multiplied by the one before it, then by the one two places
    /// before it, and so on: a kernel for every factor of two, since a scan of two numbers at once is no builtin.
    fn complex_products(&self, axis: usize, name: &'static str, place: Place) -> Result<DynArray> {
        let products = self.copy_as(name, self.dtype(), place)?;
        let count = self.shape()[axis];
        let part = |start: Option<usize>, end: Option<usize>| {
            let mut index: SmallVec<[Ix; 8]> = SmallVec::from_elem(Ix::from(..), axis);
            let [start, end] = [start, end].map(|bound| bound.map(|bound| bound as isize));
            index.push(Ix::Range { start, end, step: 1 });
            products.slice(index)
        };
        let mut distance = 1;
        while distance < count {
            let (later, earlier) =
                (part(Some(distance), None)?, part(None, Some(count - distance))?);
            update_as(name, Binary::Mul, &later, (&earlier).into(), place)?;
            distance *= 2;
        }
        Ok(products)
    }
}

/// # Running results
impl<T: Element> DArray<T> {
    /// The cumulative sums along an axis, or with `..` of all elements in row-major order, 1-d; negative axes count from the end.
    ///
    /// # Panics
    ///
    /// If the axis is out of range.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::arange(6).reshape((2, 3));
    /// assert_eq!(x.cumsum(0).to_vec(), [0, 1, 2, 3, 5, 7]);
    /// assert_eq!(x.cumsum(-1).to_vec(), [0, 1, 3, 3, 7, 12]);
    /// ```
    #[track_caller]
    pub fn cumsum(&self, axis: impl Into<Along>) -> DArray<T::Accumulator> {
        DArray::wrap(expect_at_caller(self.as_dyn().cumsum(axis)))
    }

    /// The cumulative products along an axis, or with `..` of all elements in row-major order, 1-d; negative axes count from the end.
    ///
    /// # Panics
    ///
    /// If the axis is out of range.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::arange(6).reshape((2, 3));
    /// assert_eq!(x.cumprod(1).to_vec(), [0, 0, 0, 3, 12, 60]);
    /// ```
    #[track_caller]
    pub fn cumprod(&self, axis: impl Into<Along>) -> DArray<T::Accumulator> {
        DArray::wrap(expect_at_caller(self.as_dyn().cumprod(axis)))
    }

    /// The greatest of the elements so far along an axis, or with `..` of all elements in row-major order, 1-d; negative axes count from the end.
    ///
    /// # Panics
    ///
    /// If the axis is out of range.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((1, 3), vec![3, 1, 7]);
    /// assert_eq!(x.cummax(1).to_vec(), [3, 3, 7]);
    /// ```
    #[track_caller]
    pub fn cummax(&self, axis: impl Into<Along>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().cummax(axis)))
    }

    /// The least of the elements so far along an axis, or with `..` of all elements in row-major order, 1-d; negative axes count from the end.
    ///
    /// # Panics
    ///
    /// If the axis is out of range.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((1, 3), vec![3, 1, 7]);
    /// assert_eq!(x.cummin(1).to_vec(), [3, 1, 1]);
    /// ```
    #[track_caller]
    pub fn cummin(&self, axis: impl Into<Along>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().cummin(axis)))
    }
}
