//! Comparisons and tests: masks.

use super::operand::{ComplexOperand, check_operands};
use super::pair::Pair;
use super::term::{Origin, Term};
use super::{ComplexArray, ComplexPart};
use crate::error::expect_at_caller;
use crate::{DArray, Element};
use darray_core::{DType, Result};
use darray_kernel::composite::Formula;

impl<T: ComplexPart> ComplexArray<T> {
    /// Whether each element equals `right`'s: both parts do; false with NaN.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, 0.0), Complex::new(1.0, 2.0)]);
    /// assert_eq!(z.eq(1.0).to_vec(), [true, false]);
    /// ```
    #[track_caller]
    pub fn eq<R: ComplexOperand<T>>(&self, right: R) -> DArray<bool> {
        expect_at_caller(self.try_eq(right))
    }

    /// As [`eq`](Self::eq); shapes that do not broadcast are an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_eq(ComplexArray::<f64>::zeros(2)).is_err());
    /// ```
    #[track_caller]
    pub fn try_eq<R: ComplexOperand<T>>(&self, right: R) -> Result<DArray<bool>> {
        self.compared(right, Origin::here("equal"), Formula::ComplexEqual)
    }

    /// Whether each element differs from `right`'s; true with NaN.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, 0.0), Complex::new(1.0, 2.0)]);
    /// assert_eq!(z.ne(Complex::new(1.0, 2.0)).to_vec(), [true, false]);
    /// ```
    #[track_caller]
    pub fn ne<R: ComplexOperand<T>>(&self, right: R) -> DArray<bool> {
        expect_at_caller(self.try_ne(right))
    }

    /// As [`ne`](Self::ne); shapes that do not broadcast are an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_ne(ComplexArray::<f64>::zeros(2)).is_err());
    /// ```
    #[track_caller]
    pub fn try_ne<R: ComplexOperand<T>>(&self, right: R) -> Result<DArray<bool>> {
        self.compared(right, Origin::here("not_equal"), Formula::ComplexNotEqual)
    }

    /// Where a part is NaN.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, f64::NAN), Complex::new(1.0, 2.0)]);
    /// assert_eq!(z.is_nan().to_vec(), [true, false]);
    /// ```
    #[track_caller]
    pub fn is_nan(&self) -> DArray<bool> {
        self.tested(Origin::here("isnan"), Formula::ComplexIsNan)
    }

    /// Where a part is infinite.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(f64::NAN, f64::NEG_INFINITY)]);
    /// assert_eq!(z.is_infinite().to_vec(), [true]);
    /// ```
    #[track_caller]
    pub fn is_infinite(&self) -> DArray<bool> {
        self.tested(Origin::here("isinf"), Formula::ComplexIsInfinite)
    }

    /// Where both parts are finite.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, f64::NAN), Complex::new(1.0, 2.0)]);
    /// assert_eq!(z.is_finite().to_vec(), [false, true]);
    /// ```
    #[track_caller]
    pub fn is_finite(&self) -> DArray<bool> {
        self.tested(Origin::here("isfinite"), Formula::ComplexIsFinite)
    }

    fn compared<R: ComplexOperand<T>>(
        &self,
        right: R,
        origin: Origin,
        formula: Formula,
    ) -> Result<DArray<bool>> {
        let right = right.argument();
        check_operands([self.re.as_dyn()].into_iter().chain(right.first()), origin)?;
        let dtype = R::Output::DTYPE;
        let right = right.factor(origin, dtype).into_pair(origin, dtype);
        let z = Pair::array_as(origin, self, dtype);
        let terms = [&z.re, &z.im, &right.re, &right.im];
        let mask = Term::measured(formula, &terms, DType::Bool);
        Ok(DArray::wrap(mask.into_array()?))
    }

    #[track_caller]
    fn tested(&self, origin: Origin, formula: Formula) -> DArray<bool> {
        let mask = Pair::array(origin, self).measured(formula, DType::Bool);
        DArray::wrap(expect_at_caller(mask.into_array()))
    }
}

impl DArray<bool> {
    /// Where the mask holds `then`'s element, else `otherwise`'s, of complex arrays and what stands beside one;
    /// see [`select`](Self::select).
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(3.0, 4.0), Complex::new(0.0, 1.0)]);
    /// let w = z.abs().le(2.0).select_complex(&z, 0.0);
    /// assert_eq!(w.to_string(), "[0.+0.j 0.+1.j]");
    /// ```
    #[track_caller]
    pub fn select_complex<T: ComplexPart, B: ComplexOperand<T>>(
        &self,
        then: &ComplexArray<T>,
        otherwise: B,
    ) -> ComplexArray<B::Output> {
        expect_at_caller(self.try_select_complex(then, otherwise))
    }

    /// As [`select_complex`](Self::select_complex); shapes that do not broadcast are an error.
    ///
    /// ```
    /// use darray::{ComplexArray, DArray};
    /// let (mask, z) = (DArray::<bool>::ones(2), ComplexArray::<f64>::zeros(3));
    /// assert!(mask.try_select_complex(&z, 0.0).is_err());
    /// ```
    #[track_caller]
    pub fn try_select_complex<T: ComplexPart, B: ComplexOperand<T>>(
        &self,
        then: &ComplexArray<T>,
        otherwise: B,
    ) -> Result<ComplexArray<B::Output>> {
        let (origin, otherwise) = (Origin::here("where"), otherwise.argument());
        let arrays = [self.as_dyn(), then.re.as_dyn()].into_iter().chain(otherwise.first());
        check_operands(arrays, origin)?;
        let dtype = B::Output::DTYPE;
        let otherwise = otherwise.factor(origin, dtype).into_pair(origin, dtype);
        let mask = Term::array(origin, self.as_dyn());
        Pair::array_as(origin, then, dtype).chosen(&mask, &otherwise).into_complex(origin)
    }
}
