//! Going over the first axis, and sums of arrays.

use crate::error::expect_at_caller;
use crate::{DArray, DynArray, Element, Number};
use darray_core::{Error, ErrorKind, Ix, Place, Result};
use std::borrow::Borrow;
use std::iter::{FusedIterator, Sum};
use std::ops::Range;

/// The views of what lies at each index of an array's first axis, in order: what [`DArray::iter`] gives.
///
/// ```
/// use darray::DArray;
/// let x = DArray::<i64>::arange(6).reshape((3, 2));
/// let last_first: Vec<i64> = x.iter().rev().map(|row| row.get(0)).collect();
/// assert_eq!((x.iter().len(), last_first), (3, vec![4, 2, 0]));
/// ```
#[derive(Debug)]
pub struct Iter<T: Element> {
    array: DArray<T>,
    left: Range<usize>,
}

impl<T: Element> Iter<T> {
    /// The view at an index that the first axis has.
    fn view(&self, index: usize) -> DArray<T> {
        let array = self.array.as_dyn();
        let view =
            array.view().slice(&[Ix::At(index as isize)]).expect("an index of the first axis");
        DArray::wrap(array.with_view(view))
    }
}

impl<T: Element> Iterator for Iter<T> {
    type Item = DArray<T>;

    fn next(&mut self) -> Option<DArray<T>> {
        self.left.next().map(|index| self.view(index))
    }

    fn nth(&mut self, n: usize) -> Option<DArray<T>> {
        self.left.nth(n).map(|index| self.view(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<T: Element> DoubleEndedIterator for Iter<T> {
    fn next_back(&mut self) -> Option<DArray<T>> {
        self.left.next_back().map(|index| self.view(index))
    }
}

impl<T: Element> ExactSizeIterator for Iter<T> {}

impl<T: Element> FusedIterator for Iter<T> {}

impl DynArray {
    /// The extent of the first axis.
    pub(crate) fn first_extent(&self, name: &'static str, place: Place) -> Result<usize> {
        self.shape().first().copied().ok_or_else(|| {
            let message = "a 0-d array has no axis to go over".to_string();
            Error::new(name, ErrorKind::Index { message, shape: self.shape_of().clone() }, place)
        })
    }
}

/// # Rows
impl<T: Element> DArray<T> {
    /// The views along the first axis, as NumPy's `for row in a` has them; so has `for row in &a`. They write through. Those of a
    /// 1-d array have no axes: where numbers are wanted, go over [`to_vec`](Self::to_vec), which reads all at once.
    ///
    /// # Panics
    ///
    /// If the array has no axis.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::ones((3, 2));
    /// for (i, row) in x.iter().enumerate() {
    ///     row.mul_assign(i as f64);
    /// }
    /// let total: DArray = x.iter().sum();
    /// assert_eq!(total.to_vec(), [3.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn iter(&self) -> Iter<T> {
        expect_at_caller(self.iter_at(Place::caller()))
    }

    /// As [`iter`](Self::iter), from this place, with an error.
    pub(crate) fn iter_at(&self, place: Place) -> Result<Iter<T>> {
        let count = self.as_dyn().first_extent("iter", place)?;
        Ok(Iter { array: self.alias(), left: 0..count })
    }
}

impl<T: Element> IntoIterator for &DArray<T> {
    type Item = DArray<T>;
    type IntoIter = Iter<T>;

    /// As [`DArray::iter`].
    #[track_caller]
    fn into_iter(self) -> Iter<T> {
        self.iter()
    }
}

impl<T: Element> IntoIterator for DArray<T> {
    type Item = DArray<T>;
    type IntoIter = Iter<T>;

    /// As [`DArray::iter`].
    #[track_caller]
    fn into_iter(self) -> Iter<T> {
        self.iter()
    }
}

/// The sum of arrays from the first to the last, in an array of its own; of none a 0-d zero.
#[track_caller]
fn total<T: Number, A: Borrow<DArray<T>>>(mut arrays: impl Iterator<Item = A>) -> DArray<T> {
    let Some(first) = arrays.next() else { return DArray::zeros(()) };
    // The only one may be a view, and the sum does not write through.
    let Some(second) = arrays.next() else { return first.borrow().clone() };
    arrays.fold(first.borrow() + second.borrow(), |total, array| total + array.borrow())
}

impl<T: Number> Sum for DArray<T> {
    /// Python's `sum` of arrays whose shapes broadcast; of none a 0-d zero. Shapes that do not broadcast panic with a line of the
    /// standard library, which makes the call.
    ///
    /// ```
    /// use darray::DArray;
    /// let total: DArray<i64> = (1..4).map(|n| DArray::<i64>::full(2, n)).sum();
    /// assert_eq!(total.to_vec(), [6, 6]);
    /// ```
    #[track_caller]
    fn sum<I: Iterator<Item = DArray<T>>>(arrays: I) -> DArray<T> {
        total(arrays)
    }
}

impl<'a, T: Number> Sum<&'a DArray<T>> for DArray<T> {
    /// As the sum of arrays by value.
    ///
    /// ```
    /// use darray::DArray;
    /// let parts = [DArray::<f64>::ones(2), DArray::from([1.0, 2.0])];
    /// assert_eq!(parts.iter().sum::<DArray>().to_vec(), [2.0, 3.0]);
    /// ```
    #[track_caller]
    fn sum<I: Iterator<Item = &'a DArray<T>>>(arrays: I) -> DArray<T> {
        total(arrays)
    }
}
