//! How elements lie in memory.

use darray_core::{Kind, RealType};

/// What loads do with elements to have them in lanes, and stores the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::jit) enum Form {
    /// Nothing: they lie as lanes have them.
    Plain,
    /// A byte, 0 or 1, becomes a bit of a mask.
    Truth,
    /// One or two bytes become the lowest ones of a lane of 4, the others being copies of the sign, or zeros.
    Integer { bytes: usize, signed: bool },
    /// An f16 becomes the f32 that is as large.
    Half,
}

impl Form {
    /// Of the elements of a type.
    pub fn of(dtype: RealType) -> Form {
        match (dtype.kind(), dtype.size()) {
            (_, 4 | 8) => Form::Plain,
            (Kind::Bool, _) => Form::Truth,
            (Kind::Signed, bytes @ (1 | 2)) => Form::Integer { bytes, signed: true },
            (Kind::Unsigned, bytes @ (1 | 2)) => Form::Integer { bytes, signed: false },
            (Kind::Float, 2) => Form::Half,
            // The bits, of which a conversion makes the upper half of an f32.
            (Kind::Brain, bytes) => Form::Integer { bytes, signed: false },
            _ => unreachable!("machine code loads no {dtype}"),
        }
    }
}
