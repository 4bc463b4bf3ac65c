//! Places in sorted arrays: the arguments of the search builtin.

use super::{Call, PointArguments, PointOperands, Reader, View};
use crate::{Arg, Fault};
use darray_core::RealType;
use smallvec::SmallVec;

/// `out[c] =` how many of the first elements of `sorted[c]` stand before `values[c]` by [`sort_key`](super::sort_key): those that are
/// less, or, on the right, those that are not greater. The sorted array has one coordinate more, the last, along which it
/// ascends; of one that does not, the result is some number from 0 to its extent.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Of values and sorted elements.
    pub dtype: RealType,
    /// Whether equal elements stand before a value.
    pub right: bool,
    /// Of the tile.
    pub extents: SmallVec<[usize; 4]>,
    /// Elements of a sorted array.
    pub bound: usize,
    /// The result, i64. Overlaps no other array.
    pub out: View,
    /// What is looked for.
    pub values: View,
    /// One coordinate more.
    pub sorted: View,
}

impl Search {
    /// The builtin's name.
    pub const NAME: &'static str = "search";

    /// Extents of the sorted array.
    pub fn sorted_extents(&self) -> SmallVec<[usize; 4]> {
        self.extents.iter().copied().chain([self.bound]).collect()
    }

    /// As launch arguments.
    pub fn encode(&self) -> Vec<Arg> {
        let head = [self.dtype as usize, self.right as usize, self.bound, self.extents.len()];
        let words = head.iter().chain(&self.extents);
        let mut args: Vec<Arg> = words.map(|&word| Arg::Bits(word as u64)).collect();
        args.extend([&self.out, &self.values, &self.sorted].map(View::arg));
        args
    }

    /// From launch arguments.
    pub fn decode(args: &[Arg]) -> Result<Search, Fault> {
        let mut args = Reader { args };
        let (dtype, right) = (args.dtype()?, args.size()? != 0);
        let (bound, rank) = (args.size()?, args.size()?);
        let extents = args.sizes(rank)?;
        let (out, values, sorted) = (args.view()?, args.view()?, args.view()?);
        Ok(Search { dtype, right, extents, bound, out, values, sorted })
    }
}

impl PointArguments for darray_ir::builtin::Search {
    fn point_call(&self, mut operands: PointOperands<'_>) -> Call {
        let [out, values, sorted] = operands.views();
        let search = Search {
            dtype: operands.dtypes[1],
            right: self.right,
            extents: operands.extents(),
            bound: operands.extent,
            out,
            values,
            sorted,
        };
        (Search::NAME, search.encode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::tests::view;

    #[test]
    fn arguments_survive_encoding() {
        for right in [false, true] {
            let search = Search {
                dtype: RealType::F32,
                right,
                extents: SmallVec::from_slice(&[2, 9]),
                bound: 5,
                out: view(1, &[9, 1]),
                values: view(2, &[1, 2]),
                sorted: view(3, &[0, 0, 4]),
            };
            assert_eq!(Search::decode(&search.encode()), Ok(search.clone()));
            assert_eq!(search.sorted_extents()[..], [2, 9, 5]);
            let args = search.encode();
            assert!(Search::decode(&args[..args.len() - 1]).is_err());
        }
    }
}
