//! What a mask holds: the arguments of the compact builtin.

use super::{Call, PointArguments, PointOperands, Reader, View, malformed};
use crate::{Arg, Fault};
use darray_core::RealType;

/// The elements `start .. start + count` of those that a mask holds, in order; or their places, i64.
///
/// The mask holds as many; where it holds fewer the rest of `out` is undefined.
#[derive(Clone, Debug, PartialEq)]
pub struct Compact {
    /// Of `out`, and of `source` where there is one.
    pub dtype: RealType,
    /// Elements of mask and source.
    pub bound: usize,
    /// Number of the first element of the tile.
    pub start: usize,
    /// Elements of the tile.
    pub count: usize,
    /// The result; one coordinate, as all. Overlaps no other array.
    pub out: View,
    /// Bool.
    pub mask: View,
    /// What is taken; none where places are.
    pub source: Option<View>,
}

impl Compact {
    /// The builtin's name.
    pub const NAME: &'static str = "compact";

    /// As launch arguments.
    pub fn encode(&self) -> Vec<Arg> {
        let has_source = self.source.is_some() as usize;
        let words = [self.dtype as usize, self.bound, self.start, self.count, has_source];
        let mut args: Vec<Arg> = words.map(|word| Arg::Bits(word as u64)).to_vec();
        args.extend([&self.out, &self.mask].map(View::arg));
        args.extend(self.source.as_ref().map(View::arg));
        args
    }

    /// From launch arguments.
    pub fn decode(args: &[Arg]) -> Result<Compact, Fault> {
        let mut args = Reader { args };
        let dtype = args.dtype()?;
        let (bound, start, count) = (args.size()?, args.size()?, args.size()?);
        let has_source = args.size()? != 0;
        let (out, mask) = (args.view()?, args.view()?);
        let source = if has_source { Some(args.view()?) } else { None };
        let ends = start.checked_add(count).is_some();
        if !ends || !has_source && dtype != RealType::INDEX {
            return Err(malformed());
        }
        Ok(Compact { dtype, bound, start, count, out, mask, source })
    }
}

impl PointArguments for darray_ir::builtin::Compact {
    fn point_call(&self, mut operands: PointOperands<'_>) -> Call {
        let (out, mask, source) = match self.places {
            true => {
                let [out, mask] = operands.views();
                (out, mask, None)
            }
            false => {
                let [out, mask, source] = operands.views();
                (out, mask, Some(source))
            }
        };
        let (dtype, bound) = (operands.dtypes[0], operands.extent);
        let (start, count) = (operands.origin()[0], operands.extents()[0]);
        (Compact::NAME, Compact { dtype, bound, start, count, out, mask, source }.encode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::tests::view;

    #[test]
    fn arguments_survive_encoding() {
        for source in [None, Some(view(3, &[-1]))] {
            let compact = Compact {
                dtype: if source.is_some() { RealType::F32 } else { RealType::I64 },
                bound: 50,
                start: 7,
                count: 4,
                out: view(1, &[1]),
                mask: view(2, &[2]),
                source,
            };
            assert_eq!(Compact::decode(&compact.encode()), Ok(compact.clone()));
            let wrong = Compact { start: usize::MAX, ..compact.clone() };
            assert!(Compact::decode(&wrong.encode()).is_err());
            let wrong = Compact { dtype: RealType::F32, source: None, ..compact };
            assert!(Compact::decode(&wrong.encode()).is_err());
        }
    }
}
