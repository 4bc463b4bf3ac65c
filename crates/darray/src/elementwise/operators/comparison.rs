//! Comparisons: methods that give masks. `a == b` on arrays is a compile error and not a surprise; `absent` has what it says.

use crate::error::expect_at_caller;
use crate::{Binary, DArray, Element, Operand};

/// # Comparisons
impl<T: Element> DArray<T> {
    /// Whether each element is less than `right`'s; false with NaN.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::arange(3).lt(1.0).to_vec(), [true, false, false]);
    /// ```
    #[track_caller]
    pub fn lt<R: Operand<T>>(&self, right: R) -> DArray<bool> {
        DArray::wrap(expect_at_caller(self.as_dyn().binary(Binary::Lt, right.argument())))
    }

    /// Whether each element is at most `right`'s; false with NaN.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::arange(3).le(1.0).to_vec(), [true, true, false]);
    /// ```
    #[track_caller]
    pub fn le<R: Operand<T>>(&self, right: R) -> DArray<bool> {
        DArray::wrap(expect_at_caller(self.as_dyn().binary(Binary::Le, right.argument())))
    }

    /// Whether each element is greater than `right`'s; false with NaN.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::arange(3).gt(1.0).to_vec(), [false, false, true]);
    /// ```
    #[track_caller]
    pub fn gt<R: Operand<T>>(&self, right: R) -> DArray<bool> {
        DArray::wrap(expect_at_caller(self.as_dyn().binary(Binary::Gt, right.argument())))
    }

    /// Whether each element is at least `right`'s; false with NaN.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::arange(3).ge(1.0).to_vec(), [false, true, true]);
    /// ```
    #[track_caller]
    pub fn ge<R: Operand<T>>(&self, right: R) -> DArray<bool> {
        DArray::wrap(expect_at_caller(self.as_dyn().binary(Binary::Ge, right.argument())))
    }

    /// Whether each element equals `right`'s; false with NaN.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::arange(3).eq(1.0).to_vec(), [false, true, false]);
    /// ```
    #[track_caller]
    pub fn eq<R: Operand<T>>(&self, right: R) -> DArray<bool> {
        DArray::wrap(expect_at_caller(self.as_dyn().binary(Binary::Eq, right.argument())))
    }

    /// Whether each element differs from `right`'s; true with NaN.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::arange(3).ne(1.0).to_vec(), [true, false, true]);
    /// ```
    #[track_caller]
    pub fn ne<R: Operand<T>>(&self, right: R) -> DArray<bool> {
        DArray::wrap(expect_at_caller(self.as_dyn().binary(Binary::Ne, right.argument())))
    }
}
