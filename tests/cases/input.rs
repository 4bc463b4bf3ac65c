//! The arrays that cases are called with.

use crate::table::{Input, Step};
use darray::{DynArray, Ix, Result};
use std::collections::BTreeMap;

/// Inputs as arrays of the current runtime, each made once.
pub struct Inputs<'i> {
    known: &'i BTreeMap<String, Input>,
    made: BTreeMap<&'i str, DynArray>,
}

impl<'i> Inputs<'i> {
    /// None made yet.
    pub fn new(known: &'i BTreeMap<String, Input>) -> Inputs<'i> {
        Inputs { known, made: BTreeMap::new() }
    }

    /// The input of this name.
    pub fn get(&mut self, name: &str) -> DynArray {
        let (name, input) = self.known.get_key_value(name).unwrap_or_else(|| panic!("{name}"));
        let make = || see(input).unwrap_or_else(|error| panic!("{name}: {error}"));
        self.made.entry(name).or_insert_with(make).alias()
    }
}

fn see(input: &Input) -> Result<DynArray> {
    let base = &input.base;
    let bytes = base.elements.iter().flat_map(|element| {
        let bits = element.bits().to_le_bytes();
        bits.into_iter().take(base.dtype.part().size())
    });
    let mut array = DynArray::from_bytes(&base.shape[..], base.dtype, bytes.collect())?;
    for step in &input.view {
        array = match step {
            Step::Slice(items) => array.slice(items.iter().map(range).collect::<Vec<Ix>>())?,
            Step::Permute(order) => {
                array.permute(&order.iter().map(|&axis| axis as isize).collect::<Vec<_>>())?
            }
            Step::Broadcast(shape) => {
                array.broadcast_to(&shape.iter().map(|&n| n as usize).collect::<Vec<_>>()[..])?
            }
        };
    }
    Ok(array)
}

fn range(&[start, stop, step]: &[Option<i64>; 3]) -> Ix {
    Ix::Range {
        start: start.map(|n| n as isize),
        end: stop.map(|n| n as isize),
        step: step.unwrap_or(1) as isize,
    }
}
