//! Elements by indices: the arguments of the gather builtin.

use super::{Call, PointArguments, PointOperands, Reader, View, malformed};
use crate::{Arg, Fault};
use darray_core::RealType;
use smallvec::SmallVec;

/// `out[c] = source[c, index[c]]` for the coordinates `c` of a tile: the source has one coordinate
/// more, the last, which is looked up.
///
/// An index below 0 counts from the end. One out of range is the command's fault, which names the first
/// of the tile in row-major order; elements of `out` are then undefined.
#[derive(Clone, Debug, PartialEq)]
pub struct Gather {
    /// Of `out` and `source`.
    pub dtype: RealType,
    /// Of the tile.
    pub extents: SmallVec<[usize; 4]>,
    /// Where the tile begins, for messages.
    pub origin: SmallVec<[usize; 4]>,
    /// Which axes of the tile are axes of the array of indices, for messages: the first, and how many.
    pub positions: (usize, usize),
    /// The axis of the source that is looked up, for messages.
    pub axis: usize,
    /// Its extent.
    pub bound: usize,
    /// The result. Overlaps no other array.
    pub out: View,
    /// i64.
    pub index: View,
    /// One coordinate more.
    pub source: View,
}

impl Gather {
    /// The builtin's name.
    pub const NAME: &'static str = "gather";

    /// Extents of the source.
    pub fn source_extents(&self) -> SmallVec<[usize; 4]> {
        self.extents.iter().copied().chain([self.bound]).collect()
    }

    /// The fault of this index for the element of this row-major number.
    pub fn out_of_range(&self, number: usize, index: i64) -> Fault {
        let at = coordinates(&self.extents, number);
        let at: SmallVec<[usize; 4]> = at.iter().zip(&self.origin).map(|(c, o)| c + o).collect();
        let (first, count) = self.positions;
        out_of_range(index, &at[first..first + count], self.axis, self.bound)
    }

    /// As launch arguments.
    pub fn encode(&self) -> Vec<Arg> {
        let (first, count) = self.positions;
        let head = [self.dtype as usize, first, count, self.axis, self.bound, self.extents.len()];
        let words = head.iter().chain(&self.extents).chain(&self.origin);
        let mut args: Vec<Arg> = words.map(|&word| Arg::Bits(word as u64)).collect();
        args.extend([&self.out, &self.index, &self.source].map(View::arg));
        args
    }

    /// From launch arguments.
    pub fn decode(args: &[Arg]) -> Result<Gather, Fault> {
        let mut args = Reader { args };
        let dtype = args.dtype()?;
        let positions = (args.size()?, args.size()?);
        let (axis, bound) = (args.size()?, args.size()?);
        let rank = args.size()?;
        let (extents, origin) = (args.sizes(rank)?, args.sizes(rank)?);
        let (out, index, source) = (args.view()?, args.view()?, args.view()?);
        if positions.0.checked_add(positions.1).is_none_or(|end| end > rank) {
            return Err(malformed());
        }
        Ok(Gather { dtype, extents, origin, positions, axis, bound, out, index, source })
    }
}

impl PointArguments for darray_ir::builtin::Gather {
    fn point_call(&self, mut operands: PointOperands<'_>) -> Call {
        let [out, index, source] = operands.views();
        let gather = Gather {
            dtype: operands.dtypes[0],
            extents: operands.extents(),
            origin: operands.origin(),
            positions: (self.first as usize, self.count as usize),
            axis: self.axis as usize,
            bound: operands.extent,
            out,
            index,
            source,
        };
        (Gather::NAME, gather.encode())
    }
}

/// An index counted from the front; none if it is out of range.
#[inline]
pub fn resolve_index(index: i64, bound: usize) -> Option<usize> {
    let from_front = if index < 0 { index.wrapping_add(bound as i64) } else { index };
    (from_front >= 0 && (from_front as u64) < bound as u64).then_some(from_front as usize)
}

/// The fault of an index, which stands at `position` of the array of indices.
pub(super) fn out_of_range(index: i64, position: &[usize], axis: usize, bound: usize) -> Fault {
    let position: Vec<String> = position.iter().map(|p| p.to_string()).collect();
    let position = position.join(", ");
    Fault::Execution(format!(
        "index {index} at [{position}] is out of range for axis {axis} of extent {bound}"
    ))
}

/// The coordinates of the element of this row-major number.
pub(super) fn coordinates(extents: &[usize], mut number: usize) -> SmallVec<[usize; 4]> {
    let mut at: SmallVec<[usize; 4]> = SmallVec::from_elem(0, extents.len());
    for (coordinate, &extent) in at.iter_mut().zip(extents).rev() {
        *coordinate = number % extent.max(1);
        number /= extent.max(1);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::tests::view;

    #[test]
    fn arguments_survive_encoding() {
        let gather = Gather {
            dtype: RealType::F32,
            extents: SmallVec::from_slice(&[2, 9, 3]),
            origin: SmallVec::from_slice(&[0, 7, 2]),
            positions: (1, 2),
            axis: 1,
            bound: 5,
            out: view(1, &[27, 3, 1]),
            index: view(2, &[0, 3, 1]),
            source: view(3, &[1, 0, 0, 4]),
        };
        assert_eq!(Gather::decode(&gather.encode()), Ok(gather.clone()));
        assert_eq!(gather.source_extents()[..], [2, 9, 3, 5]);
        let text = "index -6 at [8, 4] is out of range for axis 1 of extent 5";
        assert_eq!(gather.out_of_range(32, -6).to_string(), text);
        let wrong = Gather { positions: (2, 2), ..gather };
        assert!(Gather::decode(&wrong.encode()).is_err());
    }

    #[test]
    fn indices_count_from_both_ends() {
        let found = [0, 2, 3, -1, -3, -4, i64::MIN, i64::MAX].map(|i| resolve_index(i, 3));
        assert_eq!(found, [Some(0), Some(2), None, Some(2), Some(0), None, None, None]);
        assert_eq!(resolve_index(0, 0), None);
    }
}
