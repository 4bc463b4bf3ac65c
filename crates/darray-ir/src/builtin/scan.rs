//! Running folds.

use super::{BuiltinSpec, Cuts};
use darray_core::RealType;
use darray_kernel::ir::Reducer;
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;

/// `out = running fold of input along axis`: `Sum` is `cumsum`, `Prod` is `cumprod`, `Max` is `maximum.accumulate`; in the order of
/// `darray_kernel::scan`. Input and output have one element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scan {
    /// One that has scans.
    pub reducer: Reducer,
    /// Axis of the domain.
    pub axis: u8,
}

impl BuiltinSpec for Scan {
    fn name(&self) -> Cow<'static, str> {
        format!("scan {}", self.reducer).into()
    }

    fn numbers(&self) -> SmallVec<[u8; 3]> {
        smallvec![self.axis]
    }

    fn parse(name: &str, numbers: &[u8]) -> Option<Scan> {
        let reducer = Reducer::from_name(name.strip_prefix("scan ")?)?;
        let &[axis] = numbers else { return None };
        Some(Scan { reducer, axis })
    }

    fn variant(&self) -> u8 {
        self.reducer as u8
    }

    fn inputs(&self) -> (usize, usize) {
        (1, 0)
    }

    fn check(&self, dtypes: &[RealType], rank: usize) -> Result<(), String> {
        let &Scan { reducer, axis } = self;
        let defined = reducer.has_scan()
            && reducer.result(dtypes[0]).is_some()
            && dtypes[0] == dtypes[1]
            && (axis as usize) < rank;
        match defined {
            true => Ok(()),
            false => Err(format!("scan {reducer} of {} along axis {axis}", dtypes[1])),
        }
    }

    fn cuts(&self) -> Cuts {
        Cuts::Carries { axis: self.axis as usize, reducer: self.reducer }
    }
}
