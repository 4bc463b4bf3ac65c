//! Writes by indices.

use super::{BuiltinSpec, Cuts, Tile};
use crate::privilege::Privilege;
use darray_core::RealType;
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;

/// `out[.., indices[i], ..] = values[i]`: the output keeps what is not written. The maps of indices
/// (i64) and values span the domain with the scalar as extent along `axis`. What is written more than
/// once has the value of the last index along the axis; negative indices count from the end. An
/// index out of range is a failure of the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scatter {
    /// Axis of the domain.
    pub axis: u8,
}

impl BuiltinSpec for Scatter {
    fn name(&self) -> Cow<'static, str> {
        "scatter".into()
    }

    fn numbers(&self) -> SmallVec<[u8; 3]> {
        smallvec![self.axis]
    }

    fn parse(name: &str, numbers: &[u8]) -> Option<Scatter> {
        let (true, &[axis]) = (name == "scatter", numbers) else { return None };
        Some(Scatter { axis })
    }

    fn inputs(&self) -> (usize, usize) {
        (2, 1)
    }

    fn output(&self) -> Privilege {
        Privilege::ReadWrite
    }

    fn check(&self, dtypes: &[RealType], rank: usize) -> Result<(), String> {
        let axis = (self.axis as usize) < rank;
        match dtypes[1] == RealType::INDEX && dtypes[0] == dtypes[2] && axis {
            true => Ok(()),
            false => Err(format!("scatter of {} by {}", dtypes[2], dtypes[1])),
        }
    }

    fn cuts(&self) -> Cuts {
        Cuts::Anywhere
    }

    fn part(&self, position: usize, tile: &mut Tile, extent: usize) {
        if let (true, Some(part)) = (position > 0, tile.get_mut(self.axis as usize)) {
            *part = 0..extent;
        }
    }
}
