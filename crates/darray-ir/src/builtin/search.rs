//! Places in sorted arrays.

use super::{BuiltinSpec, Cuts, Tile};
use darray_core::RealType;
use smallvec::SmallVec;
use std::borrow::Cow;

/// `out = how many elements of a sorted array stand before each value` (i64), in the order of sorting: those that are less, or, on the
/// right, those that are not greater. The values' map spans the domain; that of the sorted array spans the domain and behind it one
/// axis more, whose extent is the scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    /// Whether equal elements stand before the value.
    pub right: bool,
}

impl BuiltinSpec for Search {
    fn name(&self) -> Cow<'static, str> {
        if self.right { "search_right" } else { "search" }.into()
    }

    fn numbers(&self) -> SmallVec<[u8; 3]> {
        SmallVec::new()
    }

    fn parse(name: &str, numbers: &[u8]) -> Option<Search> {
        let known = ["search", "search_right"].contains(&name) && numbers.is_empty();
        known.then_some(Search { right: name == "search_right" })
    }

    fn variant(&self) -> u8 {
        self.right as u8
    }

    fn inputs(&self) -> (usize, usize) {
        (2, 1)
    }

    fn check(&self, dtypes: &[RealType], _rank: usize) -> Result<(), String> {
        match dtypes[0] == RealType::INDEX && dtypes[1] == dtypes[2] {
            true => Ok(()),
            false => Err(format!("search for {} in {} to {}", dtypes[1], dtypes[2], dtypes[0])),
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
