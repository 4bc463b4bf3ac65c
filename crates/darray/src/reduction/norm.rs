//! Norms.

use super::Composition;
use crate::{Binary, DynArray, Unary};
use darray_core::{Error, ErrorKind, RealType, Result};
use darray_kernel::ir::Reducer;

/// Which norm: the `ord` of `numpy.linalg.vector_norm`, over however many axes, and `'fro'` of
/// `numpy.linalg.norm`. Numbers become the order that NumPy takes them for.
///
/// ```
/// use darray::{DArray, Norm, axes};
/// let x = DArray::from_vec(vec![3.0, -4.0]);
/// let norms = [Norm::One, Norm::Two, Norm::Inf].map(|norm| x.norm(axes(..).ord(norm)).item());
/// assert_eq!(norms, [7.0, 5.0, 4.0]);
/// assert_eq!(x.norm(axes(..).ord(f64::NEG_INFINITY)).item(), 3.0);
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

impl Composition<'_> {
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
