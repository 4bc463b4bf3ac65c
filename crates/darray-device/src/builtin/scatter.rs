//! Writes by indices: the arguments of the scatter builtin.

use super::gather::{coordinates, out_of_range};
use super::{Call, PointArguments, PointOperands, Reader, View, malformed};
use crate::{Arg, Fault};
use darray_core::RealType;
use darray_kernel::ir::Reducer;
use smallvec::SmallVec;

/// `out[.., index[.., i, ..], ..] = value[.., i, ..]` along one axis, for `count` indices `i` in
/// ascending order, so that the last one wins; the other axes go together. Or the values are added to what is there, one after
/// the other in the same order.
///
/// A tile is a part of the whole: it has the elements `origin .. origin + extent` along the axis, and
/// leaves to other tiles what lies outside. What nothing is written to stays. An index below 0 counts
/// from the end of the whole. One out of range is the command's fault, which names the first in
/// row-major order; elements of `out` are then undefined.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// Of `out` and `value`.
    pub dtype: RealType,
    /// Whether values are added; the type has sums then.
    pub add: bool,
    /// The axis.
    pub axis: usize,
    /// Its global extent.
    pub bound: usize,
    /// Indices along the axis.
    pub count: usize,
    /// Of the tile.
    pub extents: SmallVec<[usize; 4]>,
    /// Where the tile begins.
    pub origin: SmallVec<[usize; 4]>,
    /// What is written. Overlaps no other array.
    pub out: View,
    /// i64; of the tile's extents, but `count` along the axis.
    pub index: View,
    /// As `index`.
    pub value: View,
}

impl Scatter {
    /// The builtin's name.
    pub const NAME: &'static str = "scatter";

    /// Extents of indices and values.
    pub fn index_extents(&self) -> SmallVec<[usize; 4]> {
        let mut extents = self.extents.clone();
        extents[self.axis] = self.count;
        extents
    }

    /// The fault of the index that has this row-major number in the tile's indices.
    pub fn out_of_range(&self, number: usize, index: i64) -> Fault {
        let mut at = coordinates(&self.index_extents(), number);
        for (axis, coordinate) in at.iter_mut().enumerate().filter(|(a, _)| *a != self.axis) {
            *coordinate += self.origin[axis];
        }
        out_of_range(index, &at, self.axis, self.bound)
    }

    /// As launch arguments.
    pub fn encode(&self) -> Vec<Arg> {
        let (dtype, add) = (self.dtype as usize, self.add as usize);
        let head = [dtype, add, self.axis, self.bound, self.count, self.extents.len()];
        let words = head.iter().chain(&self.extents).chain(&self.origin);
        let mut args: Vec<Arg> = words.map(|&word| Arg::Bits(word as u64)).collect();
        args.extend([&self.out, &self.index, &self.value].map(View::arg));
        args
    }

    /// From launch arguments.
    pub fn decode(args: &[Arg]) -> Result<Scatter, Fault> {
        let mut args = Reader { args };
        let (dtype, add) = (args.dtype()?, args.size()? != 0);
        let (axis, bound, count, rank) = (args.size()?, args.size()?, args.size()?, args.size()?);
        let (extents, origin) = (args.sizes(rank)?, args.sizes(rank)?);
        let (out, index, value) = (args.view()?, args.view()?, args.view()?);
        if axis >= rank || add && Reducer::Sum.result(dtype).is_none() {
            return Err(malformed());
        }
        Ok(Scatter { dtype, add, axis, bound, count, extents, origin, out, index, value })
    }
}

impl PointArguments for darray_ir::builtin::Scatter {
    fn point_call(&self, mut operands: PointOperands<'_>) -> Call {
        let ([out, index, value], axis) = (operands.views(), self.axis as usize);
        let scatter = Scatter {
            dtype: operands.dtypes[0],
            add: self.add,
            axis,
            bound: operands.domain[axis],
            count: operands.extent,
            extents: operands.extents(),
            origin: operands.origin(),
            out,
            index,
            value,
        };
        (Scatter::NAME, scatter.encode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::tests::view;

    #[test]
    fn arguments_survive_encoding() {
        let scatter = Scatter {
            dtype: RealType::U8,
            add: false,
            axis: 1,
            bound: 50,
            count: 4,
            extents: SmallVec::from_slice(&[2, 9]),
            origin: SmallVec::from_slice(&[6, 30]),
            out: view(1, &[9, 1]),
            index: view(2, &[4, 1]),
            value: view(3, &[0, 0]),
        };
        assert_eq!(Scatter::decode(&scatter.encode()), Ok(scatter.clone()));
        assert_eq!(scatter.index_extents()[..], [2, 4]);
        let text = "index 50 at [7, 2] is out of range for axis 1 of extent 50";
        assert_eq!(scatter.out_of_range(6, 50).to_string(), text);
        let wrong = Scatter { add: true, ..scatter.clone() };
        assert!(Scatter::decode(&wrong.encode()).is_err(), "bytes have no sums");
        let wrong = Scatter { axis: 2, ..scatter };
        assert!(Scatter::decode(&wrong.encode()).is_err());
    }
}
