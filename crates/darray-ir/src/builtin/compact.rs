//! What a mask holds.

use super::{BuiltinSpec, Cuts, Tile};
use darray_core::RealType;
use smallvec::SmallVec;
use std::borrow::Cow;

/// `out = the elements of source where the mask holds, in order`, or their places (i64). The domain has one axis: elements that the
/// mask holds, of which there are as many or more. The maps of mask (bool) and source span one axis of the scalar as extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Compact {
    /// Whether the output has the places: NumPy's `flatnonzero`. There is no source then.
    pub places: bool,
}

impl BuiltinSpec for Compact {
    fn name(&self) -> Cow<'static, str> {
        if self.places { "nonzero" } else { "compress" }.into()
    }

    fn numbers(&self) -> SmallVec<[u8; 3]> {
        SmallVec::new()
    }

    fn parse(name: &str, numbers: &[u8]) -> Option<Compact> {
        let known = ["compress", "nonzero"].contains(&name) && numbers.is_empty();
        known.then_some(Compact { places: name == "nonzero" })
    }

    fn variant(&self) -> u8 {
        self.places as u8
    }

    fn inputs(&self) -> (usize, usize) {
        (if self.places { 1 } else { 2 }, 1)
    }

    fn check(&self, dtypes: &[RealType], rank: usize) -> Result<(), String> {
        let out = dtypes.get(2).copied().unwrap_or(RealType::INDEX);
        match rank == 1 && dtypes[0] == out && dtypes[1] == RealType::MASK {
            true => Ok(()),
            false => Err(format!("{} to {} by {}", self.name(), dtypes[0], dtypes[1])),
        }
    }

    fn cuts(&self) -> Cuts {
        Cuts::Anywhere
    }

    fn part(&self, position: usize, tile: &mut Tile, extent: usize) {
        if let (true, [all]) = (position > 0, &mut tile[..]) {
            *all = 0..extent;
        }
    }
}
