//! Writes by indices.

use super::{BuiltinSpec, Cuts, Tile};
use crate::privilege::Privilege;
use darray_core::RealType;
use darray_kernel::ir::Reducer;
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;

/// `out[.., indices[i], ..] = values[i]`: the output keeps what is not written. The maps of indices
/// (i64) and values span the domain with the scalar as extent along `axis`. What is written more than
/// once has the value of the last index along the axis, or, of an adding one, all values added in the order of the indices along
/// the axis; negative indices count from the end. An index out of range is a failure of the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scatter {
    /// Axis of the domain.
    pub axis: u8,
    /// Whether values are added to what is there: NumPy's `add.at`, of types that have sums.
    pub add: bool,
}

impl BuiltinSpec for Scatter {
    fn name(&self) -> Cow<'static, str> {
        if self.add { "scatter_add" } else { "scatter" }.into()
    }

    fn numbers(&self) -> SmallVec<[u8; 3]> {
        smallvec![self.axis]
    }

    fn parse(name: &str, numbers: &[u8]) -> Option<Scatter> {
        let &[axis] = numbers else { return None };
        let known = ["scatter", "scatter_add"].contains(&name);
        known.then_some(Scatter { axis, add: name == "scatter_add" })
    }

    fn variant(&self) -> u8 {
        self.add as u8
    }

    fn inputs(&self) -> (usize, usize) {
        (2, 1)
    }

    fn output(&self) -> Privilege {
        Privilege::ReadWrite
    }

    fn check(&self, dtypes: &[RealType], rank: usize) -> Result<(), String> {
        let axis = (self.axis as usize) < rank;
        let adds = !self.add || Reducer::Sum.result(dtypes[0]).is_some();
        match dtypes[1] == RealType::INDEX && dtypes[0] == dtypes[2] && axis && adds {
            true => Ok(()),
            false => Err(format!("{} of {} by {}", self.name(), dtypes[2], dtypes[1])),
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
