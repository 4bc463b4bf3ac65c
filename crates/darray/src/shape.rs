//! Other shapes of the same elements: views wherever NumPy gives views, else copies that are
//! recorded as tasks.

mod axes;
mod diagonal;
mod flatten;
mod join;
mod pad;
mod repeat;
mod roll;
mod split;

pub use diagonal::Diagonal;
pub use pad::{PadMode, PadWidths, Padding};
pub use roll::Shifts;
pub use split::Sections;

use crate::DynArray;
use darray_core::{Error, Ix, Place, Result};
use smallvec::SmallVec;
use std::ops::Range;

impl DynArray {
    /// The elements between these bounds along each axis: a view.
    fn block(&self, bounds: &[Range<usize>]) -> Result<DynArray> {
        let items: SmallVec<[Ix; 8]> =
            bounds.iter().map(|b| Ix::from(b.start as isize..b.end as isize)).collect();
        let view = self.view().slice(&items);
        Ok(self.with_view(view.map_err(|kind| Error::new("slice", kind, Place::caller()))?))
    }
}
