//! Norms.

use super::{Composition, Reduction};
use crate::error::expect_at_caller;
use crate::{Axes, Binary, DArray, DynArray, Element, Unary};
use darray_core::{Error, ErrorKind, RealType, Result};
use darray_kernel::ir::Reducer;

/// Which norm: the `ord` of `numpy.linalg.vector_norm`, over however many axes, and `'fro'` of
/// `numpy.linalg.norm`. Numbers become the order that NumPy takes them for.
///
/// ```
/// use darray::{DArray, Norm};
/// let x = DArray::from_vec(vec![3.0, -4.0]);
/// let norms = [Norm::One, Norm::Two, Norm::Inf].map(|norm| x.norm_ord(norm, ..).item());
/// assert_eq!(norms, [7.0, 5.0, 4.0]);
/// assert_eq!(x.norm_ord(f64::NEG_INFINITY, ..).item(), 3.0);
/// assert_eq!(Norm::from(2), Norm::Two);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Norm {
    /// `ord=0`: how many elements differ from zero. No norm, as they say.
    Zero,
    /// `ord=1`: the sum of the absolute values.
    One,
    /// `ord=2`: the root of the sum of the squares. Squares can overflow, as NumPy's do.
    #[default]
    Two,
    /// `ord=inf`: the largest absolute value; 0 for none.
    Inf,
    /// `ord=-inf`: the smallest absolute value. Not over nothing.
    NegInf,
    /// Any other number `p`: the sum of the absolute values to the power `p`, to the power `1 / p`. Those
    /// numbers that have a variant of their own are that one.
    P(f64),
    /// `ord='fro'`: the Frobenius norm of matrices, which is [`Two`](Norm::Two) over two axes, and an error
    /// over other numbers of them.
    Frobenius,
}

impl From<f64> for Norm {
    fn from(p: f64) -> Norm {
        match p {
            0.0 => Norm::Zero,
            1.0 => Norm::One,
            2.0 => Norm::Two,
            f64::INFINITY => Norm::Inf,
            f64::NEG_INFINITY => Norm::NegInf,
            _ => Norm::P(p),
        }
    }
}

impl From<i32> for Norm {
    fn from(p: i32) -> Norm {
        Norm::from(f64::from(p))
    }
}

impl Norm {
    /// With the variant that its number has.
    fn by_name(self) -> Norm {
        if let Norm::P(p) = self { Norm::from(p) } else { self }
    }

    /// Whether there is no result over no elements.
    pub(super) fn needs_elements(self) -> bool {
        self.by_name() == Norm::NegInf
    }
}

impl Composition {
    /// Refuses a norm that is not over these axes.
    pub(super) fn check_norm(&self, norm: Norm) -> Result<()> {
        let count = self.axes.count_ones();
        if norm != Norm::Frobenius || count == 2 {
            return Ok(());
        }
        let message = format!("the Frobenius norm is over two axes, not {count}");
        Err(Error::new(self.name, ErrorKind::Argument { message }, self.place))
    }

    /// A norm, in the float type of the array.
    pub(super) fn norm(&self, x: &DynArray, norm: Norm) -> Result<DynArray> {
        self.check_norm(norm)?;
        let x = self.cast(x, x.real_type().inexact())?;
        let dtype = x.real_type();
        let sizes = || self.apply_one(Unary::Abs, &x);
        match norm.by_name() {
            Norm::Zero => self.fold(&self.cast(&x, RealType::Bool)?, Reducer::Sum, dtype),
            // The sum of nothing is also the largest absolute value of nothing.
            Norm::Inf if self.count > 0 => self.fold(&sizes()?, Reducer::Max, dtype),
            Norm::One | Norm::Inf => self.fold(&sizes()?, Reducer::Sum, dtype),
            Norm::NegInf => self.fold(&sizes()?, Reducer::Min, dtype),
            Norm::Two | Norm::Frobenius => {
                let squares = self.apply(Binary::Mul, &x, &x)?;
                self.root(&self.fold(&squares, Reducer::Sum, dtype)?)
            }
            Norm::P(p) => {
                let powers = self.apply(Binary::Power, &sizes()?, p)?;
                let sum = self.fold(&powers, Reducer::Sum, dtype)?;
                self.apply(Binary::Power, &sum, p.recip())
            }
        }
    }
}

impl<T: Element> DArray<T> {
    /// The Euclidean norm of all elements, whatever the rank: the root of the sum of their squares, in
    /// floats; a 0-d array.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![3, 4]).norm().item(), 5.0);
    /// ```
    #[track_caller]
    pub fn norm(&self) -> DArray<T::Spread> {
        expect_at_caller(self.try_norm_axis(..))
    }

    /// The Euclidean norms along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![3.0, 4.0, 0.0, 2.0]);
    /// assert_eq!(x.norm_axis(1).to_vec(), [5.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn norm_axis(&self, axes: impl Into<Axes>) -> DArray<T::Spread> {
        expect_at_caller(self.try_norm_axis(axes))
    }

    /// As [`norm_axis`](Self::norm_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::ones((2, 2)).try_norm_axis(2).unwrap_err();
    /// assert!(error.to_string().starts_with("norm: axis 2 is out of range for shape [2, 2]"));
    /// ```
    #[track_caller]
    pub fn try_norm_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T::Spread>> {
        self.try_norm_ord(Norm::Two, axes)
    }

    /// NumPy's `linalg.vector_norm` with this `ord`, a [`Norm`] or a number, along axes. (`linalg.norm`
    /// takes an order of a matrix for a matrix norm; of those there is [`Norm::Frobenius`].)
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice; for [`Norm::NegInf`] over nothing, and
    /// [`Norm::Frobenius`] over other than two axes.
    ///
    /// ```
    /// use darray::{DArray, Norm};
    /// let x = DArray::from_shape_vec((2, 2), vec![3.0, -4.0, 0.0, 2.0]);
    /// assert_eq!(x.norm_ord(1, 1).to_vec(), [7.0, 2.0]);
    /// assert_eq!(x.norm_ord(Norm::Inf, ..).item(), 4.0);
    /// assert_eq!(DArray::from_vec(vec![9, 16]).norm_ord(0.5, ..).item(), 49.0);
    /// ```
    #[track_caller]
    pub fn norm_ord(&self, norm: impl Into<Norm>, axes: impl Into<Axes>) -> DArray<T::Spread> {
        expect_at_caller(self.try_norm_ord(norm, axes))
    }

    /// As [`norm_ord`](Self::norm_ord); what would panic is an error.
    ///
    /// ```
    /// use darray::{DArray, Norm};
    /// let error = DArray::<f64>::ones((2, 2)).try_norm_ord(Norm::Frobenius, 1).unwrap_err();
    /// assert!(error.to_string().starts_with("norm: the Frobenius norm is over two axes, not 1"));
    /// ```
    #[track_caller]
    pub fn try_norm_ord(
        &self,
        norm: impl Into<Norm>,
        axes: impl Into<Axes>,
    ) -> Result<DArray<T::Spread>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Norm(norm.into()), axes)?))
    }
}
