//! Elements by indices.

use super::{BuiltinSpec, Cuts, Tile};
use darray_core::RealType;
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;

/// `out = source`, whose index along one axis is taken from an i64 array. The source's map spans
/// the domain and behind it one more axis, the one that is looked up, whose extent is the scalar;
/// negative indices count from its end. An index out of range is a failure of the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gather {
    /// The source's axis that is looked up, for messages.
    pub axis: u8,
    /// The first axis of the domain that is an axis of the indices, for messages.
    pub first: u8,
    /// How many there are.
    pub count: u8,
}

impl BuiltinSpec for Gather {
    fn name(&self) -> Cow<'static, str> {
        "gather".into()
    }

    fn numbers(&self) -> SmallVec<[u8; 3]> {
        smallvec![self.axis, self.first, self.count]
    }

    fn parse(name: &str, numbers: &[u8]) -> Option<Gather> {
        let (true, &[axis, first, count]) = (name == "gather", numbers) else { return None };
        Some(Gather { axis, first, count })
    }

    fn inputs(&self) -> (usize, usize) {
        (2, 1)
    }

    fn check(&self, dtypes: &[RealType], rank: usize) -> Result<(), String> {
        let axes = self.first as usize + self.count as usize <= rank;
        match dtypes[1] == RealType::INDEX && dtypes[0] == dtypes[2] && axes {
            true => Ok(()),
            false => Err(format!("gather of {} by {}", dtypes[2], dtypes[1])),
        }
    }

    fn cuts(&self) -> Cuts {
        Cuts::Anywhere
    }

    fn part(&self, position: usize, tile: &mut Tile, extent: usize) {
        if position == 2 {
            tile.push(0..extent);
        }
    }
}
