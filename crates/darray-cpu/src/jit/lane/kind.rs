//! Kinds of lanes, and which one elements of a type lie in.

use darray_core::{Compute, Kind, RealType};

/// What a value's lanes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::jit) enum Lane {
    F64,
    /// Also f16, of which it has all values: loads widen and stores round to nearest, ties to even.
    F32,
    I64,
    /// Compared, divided and converted without a sign, else as I64.
    U64,
    /// Also smaller integers, and the bits of bf16: loads have zeros or copies of the sign above them. What stores take, see
    /// [`Form::Integer`](super::Form::Integer) and `Lowering::written`.
    I32,
    /// One bit per lane: bool.
    Mask,
}

impl Lane {
    /// How elements of a type lie in lanes.
    pub fn of(dtype: RealType) -> Lane {
        match Compute::of(dtype) {
            Compute::F64 => Lane::F64,
            // Until it is converted, a bf16 is its bits.
            Compute::F32 if dtype.kind() == Kind::Brain => Lane::I32,
            Compute::F32 => Lane::F32,
            // Until it is converted, an integer of 4 bytes that computes in 8 is its bits.
            Compute::I64 if dtype.size() == 4 => Lane::I32,
            Compute::I64 => Lane::I64,
            Compute::U64 => Lane::U64,
            Compute::I32 => Lane::I32,
            Compute::Bool => Lane::Mask,
        }
    }

    /// The type of whole lanes.
    pub fn dtype(self) -> RealType {
        match self {
            Lane::F64 => Compute::F64,
            Lane::F32 => Compute::F32,
            Lane::I64 => Compute::I64,
            Lane::U64 => Compute::U64,
            Lane::I32 | Lane::Mask => Compute::I32,
        }
        .dtype()
    }

    /// Bytes of a lane; masks have none.
    #[inline]
    pub fn size(self) -> usize {
        match self {
            Lane::F64 | Lane::I64 | Lane::U64 => 8,
            Lane::F32 | Lane::I32 => 4,
            Lane::Mask => 0,
        }
    }

    #[inline]
    pub fn is_float(self) -> bool {
        matches!(self, Lane::F64 | Lane::F32)
    }

    /// The integer as wide as a number, the signed one.
    #[inline]
    pub fn bits(self) -> Lane {
        match self {
            Lane::F64 | Lane::U64 => Lane::I64,
            Lane::F32 => Lane::I32,
            other => other,
        }
    }
}
