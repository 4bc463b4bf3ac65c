//! Elements by masks and bounds: writes where a mask holds, limits, replacements of special values.

use crate::elementwise::complex::{self, term::Origin};
use crate::elementwise::emission::{ElementOp, Elementwise};
use crate::elementwise::untyped::binary_as;
use crate::error::expect_at_caller;
use crate::{
    Argument, Assignable, Binary, DArray, DynArray, Element, Operand, Promote, ScalarLike,
};
use darray_core::{DType, Error, ErrorKind, Place, Result};
use darray_kernel::operator::Operator;

impl DynArray {
    /// Writes `value`, broadcast to this shape and cast to this element type, where `mask`, broadcast
    /// too, holds; as if all were read before anything is written.
    ///
    /// Errors: the mask is not bool; the shapes do not broadcast to this one; this is a view that
    /// reaches an element twice.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(3));
    /// let mask = DynArray::from(DArray::from_vec(vec![true, false, true]));
    /// x.assign_where(&mask, 9).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [9, 1, 9]);
    /// ```
    #[track_caller]
    pub fn assign_where<'a>(
        &'a self,
        mask: &'a DynArray,
        value: impl Into<Argument<'a>>,
    ) -> Result<()> {
        self.assign_where_as("assign_where", mask, value.into(), Place::caller())
    }

    /// As [`assign_where`](Self::assign_where), under a name.
    pub(crate) fn assign_where_as(
        &self,
        name: &'static str,
        mask: &DynArray,
        value: Argument<'_>,
        place: Place,
    ) -> Result<()> {
        if mask.dtype() != DType::Bool {
            let expected = "a mask of type bool".to_string();
            let kind = ErrorKind::DType { found: vec![mask.dtype()], expected };
            return Err(Error::new(name, kind, place));
        }
        if let Some(parts) = self.parts() {
            return complex::write::assign_where(Origin { name, place }, &parts, mask, value);
        }
        self.refuse_complex(value, name, place)?;
        let op = ElementOp::Apply { operator: Operator::Select, compute: self.real_type() };
        let operands = [mask.into(), value, self.into()];
        Elementwise { op, name, operands: &operands, place }.update(self)
    }

    /// The elements, but not below `low` nor above `high`; NaN stays and wins. An integer bound beyond
    /// what the element type holds, on the side where it bounds nothing, is none.
    ///
    /// Errors: the shapes do not broadcast; an integer bound beyond every element on the other side.
    ///
    /// ```
    /// use darray::{Argument, DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(5));
    /// let clipped = x.clip(Some(Argument::from(1)), Some(Argument::from(3))).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(clipped).unwrap().to_vec(), [1, 1, 2, 3, 3]);
    /// ```
    #[track_caller]
    pub fn clip(&self, low: Option<Argument<'_>>, high: Option<Argument<'_>>) -> Result<DynArray> {
        let (name, place) = ("clip", Place::caller());
        let mut result = None;
        for (by, bound) in [(Binary::Maximum, low), (Binary::Minimum, high)] {
            let x = result.as_ref().unwrap_or(self);
            if let Some(bound) = bound.filter(|&bound| !is_beyond(x.dtype(), by, bound)) {
                result = Some(binary_as(name, by, x.into(), bound, place)?);
            }
        }
        result.map_or_else(|| self.copy_as(name, self.dtype(), place), Ok)
    }

    /// The elements with NaN and the infinities replaced; `None` is the largest finite number of that
    /// sign. A copy for types that have no such values.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![f64::NAN, f64::INFINITY]));
    /// let x = DArray::<f64>::try_from(x.nan_to_num(0.5, Some(2.0), None).unwrap()).unwrap();
    /// assert_eq!(x.to_vec(), [0.5, 2.0]);
    /// ```
    #[track_caller]
    pub fn nan_to_num(&self, nan: f64, high: Option<f64>, low: Option<f64>) -> Result<DynArray> {
        let (name, place) = ("nan_to_num", Place::caller());
        self.by_parts(name, place, |part| part.part_to_num((nan, high, low), name, place))
    }

    /// The same of a real array.
    fn part_to_num(
        &self,
        (nan, high, low): (f64, Option<f64>, Option<f64>),
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        let dtype = self.real_type();
        if !dtype.is_float() {
            return self.copy_as(name, dtype, place);
        }
        let largest = dtype.largest();
        let op = ElementOp::Apply { operator: Operator::Select, compute: dtype };
        let replaced = |mask: DynArray, value: f64, others: &DynArray| {
            let operands = [(&mask).into(), value.into(), others.into()];
            Elementwise { op, name, operands: &operands, place }.create(dtype)
        };
        let compared = |by, with| binary_as(name, by, self.into(), with, place);
        let numbers = replaced(compared(Binary::Ne, self.into())?, nan, self)?;
        let infinite = compared(Binary::Eq, f64::INFINITY.into())?;
        let below = replaced(infinite, high.unwrap_or(largest), &numbers)?;
        let infinite = compared(Binary::Eq, f64::NEG_INFINITY.into())?;
        replaced(infinite, low.unwrap_or(-largest), &below)
    }
}

/// Whether a bound is an integer that arrays of this type cannot hold and that changes none of them.
fn is_beyond(dtype: DType, by: Binary, bound: Argument<'_>) -> bool {
    let Argument::Scalar(bound) = bound else { return false };
    !bound.fits(dtype.part()) && (bound.to_i128() < 0) == (by == Binary::Maximum)
}

/// # Masks and bounds
impl<T: Element> DArray<T> {
    /// NumPy's `self[mask] = value` for a scalar, and `np.copyto(self, value, where=mask)`: writes the
    /// value, broadcast to this shape, where the mask, broadcast too, holds, as if all were read
    /// before anything is written.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast to this one, or this view repeats elements.
    ///
    /// ```
    /// use darray::{DArray, s};
    /// let x = DArray::from_vec(vec![-1.0, 2.0, -3.0]);
    /// x.assign_where(&x.lt(0.0), 0.0);
    /// assert_eq!(x.to_vec(), [0.0, 2.0, 0.0]);
    /// let tail = x.slice(s![1..]);
    /// tail.assign_where(&tail.gt(1.0), -&tail);
    /// assert_eq!(x.to_vec(), [0.0, -2.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn assign_where<R: Assignable<T>>(&self, mask: &DArray<bool>, value: R) {
        expect_at_caller(self.as_dyn().assign_where(mask.as_dyn(), value.argument()));
    }

    /// The elements, but not below `low` nor above `high`; `()` for no bound. NaN stays and wins;
    /// where the bounds cross, `high` wins. An integer that the element type cannot hold bounds nothing,
    /// as in NumPy: `clip(0, 300)` of `u8`.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or an integer that the element type cannot hold is beyond every
    /// element: `clip(300, 400)` of `u8`.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::arange(5);
    /// assert_eq!(x.clip(1, 3).to_vec(), [1, 1, 2, 3, 3]);
    /// assert_eq!(x.clip((), 3).to_vec(), [0, 1, 2, 3, 3]);
    /// assert_eq!(x.clip(0.5, ()).to_vec(), [0.5, 1.0, 2.0, 3.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn clip<L: Bound<T>, H: Bound<L::Output>>(&self, low: L, high: H) -> DArray<H::Output> {
        DArray::wrap(expect_at_caller(self.as_dyn().clip(low.bound(), high.bound())))
    }

    /// The elements with 0 for NaN and the largest finite numbers for the infinities. A copy for
    /// types that have no such values.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, f64::NAN, f64::NEG_INFINITY]);
    /// assert_eq!(x.nan_to_num().to_vec(), [1.0, 0.0, f64::MIN]);
    /// ```
    #[track_caller]
    pub fn nan_to_num(&self) -> DArray<T> {
        self.nan_to_num_as(0.0, None, None)
    }

    /// As [`nan_to_num`](Self::nan_to_num) with other replacements of NaN, the positive and the
    /// negative infinity; `None` is the largest finite number of that sign.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
    /// assert_eq!(x.nan_to_num_as(-1.0, Some(9.0), Some(-9.0)).to_vec(), [-1.0, 9.0, -9.0]);
    /// ```
    #[track_caller]
    pub fn nan_to_num_as(&self, nan: f64, high: Option<f64>, low: Option<f64>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().nan_to_num(nan, high, low)))
    }
}

/// A bound of [`clip`](DArray::clip): an array, a scalar, or `()` for none.
///
/// ```
/// use darray::DArray;
/// let x = DArray::<f64>::arange(3);
/// assert_eq!(x.clip((), DArray::from_vec(vec![1.0, 0.5, 9.0])).to_vec(), [0.0, 0.5, 2.0]);
/// ```
pub trait Bound<T: Element> {
    /// The element type of what is bounded.
    type Output: Element;

    /// The bound without its static type.
    fn bound(&self) -> Option<Argument<'_>>;
}

impl<T: Element> Bound<T> for () {
    type Output = T;

    fn bound(&self) -> Option<Argument<'_>> {
        None
    }
}

impl<T: Element + Promote<V>, V: Element> Bound<T> for DArray<V> {
    type Output = <T as Promote<V>>::Output;

    fn bound(&self) -> Option<Argument<'_>> {
        Some(Argument::Array(self.as_dyn()))
    }
}

impl<T: Element + Promote<V>, V: Element> Bound<T> for &DArray<V> {
    type Output = <T as Promote<V>>::Output;

    fn bound(&self) -> Option<Argument<'_>> {
        Some(Argument::Array(self.as_dyn()))
    }
}

impl<T: Element, S: ScalarLike + Operand<T>> Bound<T> for S {
    type Output = <S as Operand<T>>::Output;

    fn bound(&self) -> Option<Argument<'_>> {
        Some(self.argument())
    }
}
