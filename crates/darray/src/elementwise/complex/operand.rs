//! What stands beside a complex array in an operation.

use super::pair::Pair;
use super::term::{Origin, Term};
use crate::{Argument, DynArray};
use darray_core::{Error, ErrorKind, RealType, Result, Shape, broadcast_shapes};

/// An operand in a formula.
pub(super) enum Factor {
    Complex(Pair),
    Real(Term),
}

impl Factor {
    /// As it enters a formula of this type.
    pub fn of(argument: Argument<'_>, origin: Origin, dtype: RealType) -> Factor {
        let scalar = |value| Term::scalar(origin, value, dtype);
        match argument {
            Argument::Complex(z) => Factor::Complex(Pair::new(scalar(z.re), scalar(z.im))),
            Argument::Scalar(value) => Factor::Real(Term::scalar(origin, value, dtype)),
            Argument::Array(array) => match array.parts() {
                Some(parts) => Factor::Complex(Pair::array_as(origin, &parts, dtype)),
                None => Factor::Real(Term::array_as(origin, array, dtype)),
            },
        }
    }

    /// As a complex number: a real one with imaginary part 0.
    pub fn into_pair(self, origin: Origin, dtype: RealType) -> Pair {
        match self {
            Factor::Complex(pair) => pair,
            Factor::Real(re) => Pair::new(re, Term::scalar(origin, 0.0, dtype)),
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
