//! Sorts.

use super::{BuiltinSpec, Cuts};
use darray_core::RealType;
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;

/// `out = input sorted along axis`, or the indices (i64) that sort it. Ascending and stable; zeros
/// are equal, NaN comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sort {
    /// Axis of the domain.
    pub axis: u8,
    /// Whether the output has the indices: NumPy's `argsort`.
    pub indices: bool,
}

impl BuiltinSpec for Sort {
    fn name(&self) -> Cow<'static, str> {
        if self.indices { "argsort" } else { "sort" }.into()
    }

    fn numbers(&self) -> SmallVec<[u8; 3]> {
        smallvec![self.axis]
    }

    fn parse(name: &str, numbers: &[u8]) -> Option<Sort> {
        let &[axis] = numbers else { return None };
        ["sort", "argsort"].contains(&name).then_some(Sort { axis, indices: name == "argsort" })
    }

    fn variant(&self) -> u8 {
        self.indices as u8
    }

    fn inputs(&self) -> (usize, usize) {
        (1, 0)
    }

    fn check(&self, dtypes: &[RealType], rank: usize) -> Result<(), String> {
        let out = if self.indices { RealType::INDEX } else { dtypes[1] };
        match (self.axis as usize) < rank && dtypes[0] == out {
            true => Ok(()),
            false => Err(format!("sort of {} to {}", dtypes[1], dtypes[0])),
        }
    }

    fn cuts(&self) -> Cuts {
        Cuts::Runs { axis: self.axis as usize, indices: self.indices }
    }
}
