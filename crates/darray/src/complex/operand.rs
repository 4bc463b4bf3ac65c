//! What stands beside a complex array in an operation.

use super::pair::Pair;
use super::term::{Origin, Term};
use super::{ComplexArray, ComplexPart, Joined};
use crate::{Argument, DArray, DynArray, Element, Promote};
use darray_core::{DType, Error, ErrorKind, Result, Shape, broadcast_shapes};
use num_complex::Complex;

/// An operand of a complex operation, without its static type.
///
/// ```
/// use darray::{ComplexArgument, ComplexArray, ComplexOperand};
/// let z = ComplexArray::<f64>::zeros(2);
/// let argument = ComplexOperand::<f64>::argument(&z);
/// assert!(matches!(argument, ComplexArgument::Complex { .. }));
/// assert!(matches!(ComplexOperand::<f64>::argument(&2.5), ComplexArgument::Real(_)));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum ComplexArgument<'a> {
    /// A complex array.
    Complex {
        /// The real parts.
        re: &'a DynArray,
        /// The imaginary parts.
        im: &'a DynArray,
    },
    /// A real array or weak real scalar.
    Real(Argument<'a>),
    /// A weak complex scalar.
    Scalar(Complex<f64>),
}

/// The other side of an operation on `ComplexArray<T>`: a complex or real array (by value or reference), or
/// a scalar.
///
/// Arrays promote as NumPy's do: `complex64` and `float64` or `int64` give `complex128`. Scalars are
/// `Complex<f64>`, `f64` and `i64`, and are weak: they take the array's type.
///
/// ```
/// use darray::{Complex, ComplexArray, DArray};
/// let z = ComplexArray::<f32>::zeros(1);
/// let narrow: ComplexArray<f32> = &z + Complex::new(1.0, 2.0);
/// let wide: ComplexArray<f64> = &narrow * DArray::<f64>::full(1, 2.0);
/// assert_eq!(wide.to_string(), "[2.+4.j]");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with a complex array of `{T}`",
    note = "scalars are Complex<f64>, f64 and i64, and take the array's element type"
)]
pub trait ComplexOperand<T: ComplexPart> {
    /// The type of the parts of what the two sides give.
    type Output: ComplexPart;

    /// The operand without its static type.
    fn argument(&self) -> ComplexArgument<'_>;
}

macro_rules! complex_operands {
    ($(($($reference:tt)?))*) => { $(
        impl<T: ComplexPart + Promote<V>, V: ComplexPart> ComplexOperand<T>
            for $($reference)? ComplexArray<V>
        where
            Joined<T, V>: ComplexPart,
        {
            type Output = Joined<T, V>;

            fn argument(&self) -> ComplexArgument<'_> {
                ComplexArgument::Complex { re: self.re.as_dyn(), im: self.im.as_dyn() }
            }
        }

        impl<T: ComplexPart + Promote<V>, V: Element> ComplexOperand<T> for $($reference)? DArray<V>
        where
            Joined<T, V>: ComplexPart,
        {
            type Output = Joined<T, V>;

            fn argument(&self) -> ComplexArgument<'_> {
                ComplexArgument::Real(Argument::Array(self.as_dyn()))
            }
        }
    )* };
}

complex_operands!(() (&));

impl<T: ComplexPart> ComplexOperand<T> for Complex<f64> {
    type Output = T;

    fn argument(&self) -> ComplexArgument<'_> {
        ComplexArgument::Scalar(*self)
    }
}

impl<T: ComplexPart> ComplexOperand<T> for f64 {
    type Output = T;

    fn argument(&self) -> ComplexArgument<'_> {
        ComplexArgument::Real(Argument::from(*self))
    }
}

impl<T: ComplexPart> ComplexOperand<T> for i64 {
    type Output = T;

    fn argument(&self) -> ComplexArgument<'_> {
        ComplexArgument::Real(Argument::from(*self))
    }
}

/// An operand in a formula.
pub(super) enum Factor {
    Complex(Pair),
    Real(Term),
}

impl ComplexArgument<'_> {
    /// As it enters a formula of this type.
    pub(super) fn factor(self, origin: Origin, dtype: DType) -> Factor {
        let scalar = |value| Term::scalar(origin, value, dtype);
        match self {
            ComplexArgument::Complex { re, im } => {
                let term = |part| Term::array_as(origin, part, dtype);
                Factor::Complex(Pair::new(term(re), term(im)))
            }
            ComplexArgument::Scalar(z) => Factor::Complex(Pair::new(scalar(z.re), scalar(z.im))),
            ComplexArgument::Real(x) => Factor::Real(Term::argument(origin, x, dtype)),
        }
    }

    /// Its arrays' shape and where they are, if it is no scalar; the parts have one shape and runtime.
    pub(super) fn first(&self) -> Option<&DynArray> {
        match self {
            ComplexArgument::Complex { re, .. } => Some(re),
            ComplexArgument::Real(Argument::Array(array)) => Some(array),
            ComplexArgument::Real(Argument::Scalar(_)) | ComplexArgument::Scalar(_) => None,
        }
    }
}

/// The shape to which arrays broadcast, if they can meet. It is asked before anything is recorded, so that no
/// operation is recorded for one part alone.
pub(super) fn check_operands<'a>(
    arrays: impl IntoIterator<Item = &'a DynArray> + Clone,
    origin: Origin,
) -> Result<Shape> {
    let error = |kind| Error::new(origin.name, kind, origin.place);
    let mut shape = Shape::scalar();
    let mut first: Option<&DynArray> = None;
    for array in arrays.clone() {
        if first.is_some_and(|first| first.runtime() != array.runtime()) {
            let message = "the operands belong to two runtimes".to_string();
            return Err(error(ErrorKind::Runtime { message }));
        }
        first = Some(array);
        shape = broadcast_shapes(&shape, array.shape_of()).map_err(|kind| match kind {
            ErrorKind::Broadcast { .. } => {
                let shapes = arrays.clone().into_iter().map(|x| x.shape_of().clone()).collect();
                error(ErrorKind::Broadcast { shapes })
            }
            other => error(other),
        })?;
    }
    Ok(shape)
}
