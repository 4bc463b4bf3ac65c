//! Running folds: the arguments of the scan builtin.

use super::{Call, PointArguments, PointOperands, Reader, View, malformed};
use crate::{Arg, Fault};
use darray_core::RealType;
use darray_kernel::ir::Reducer;
use smallvec::SmallVec;

/// A running fold along one axis of a tile, in the order of [`darray_kernel::scan`].
///
/// A tile that covers the axis is one call of the part `Whole`. Of an axis over several tiles, every
/// tile is a call of `Blocks`, then in the order of the tiles one of `Carry`, then again one of `Add`:
///
/// ```text
/// tile 0   Blocks, Carry --copy of one row--+
/// tile 1   Blocks                           +-> Carry --copy of one row--+   Add
/// tile 2   Blocks                                                        +-> Carry, Add
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// What this call does.
    pub part: ScanPart,
    /// Whether the tile begins the axis: there is no carry into it.
    pub first: bool,
    /// One that has scans.
    pub reducer: Reducer,
    /// Of all arrays.
    pub dtype: RealType,
    /// Indices per block; the tile begins at a block.
    pub block: usize,
    /// The scanned axis.
    pub axis: usize,
    /// Of the tile.
    pub extents: SmallVec<[usize; 4]>,
    /// The result; one coordinate per axis. Overlaps no other array.
    pub out: View,
    /// The input for `Whole` and `Blocks`. For `Carry` and `Add` the carries: coordinate 0 is the
    /// block of the tile, and after all blocks the carry into the next tile; then the other axes. The
    /// row of block 0 is the last one of the tile before, and unused in the first tile.
    pub operand: View,
}

/// A part of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanPart {
    /// All of it.
    Whole,
    /// Folds each block by itself into `out`.
    Blocks,
    /// Makes the carries out of the ends of the blocks in `out`.
    Carry,
    /// Adds the carries to the blocks in `out`.
    Add,
}

impl ScanPart {
    const ALL: [ScanPart; 4] = [ScanPart::Whole, ScanPart::Blocks, ScanPart::Carry, ScanPart::Add];

    /// Whether the operand is the carries.
    pub fn has_carries(self) -> bool {
        matches!(self, ScanPart::Carry | ScanPart::Add)
    }
}

impl Scan {
    /// The builtin's name.
    pub const NAME: &'static str = "scan";

    /// Blocks of the tile.
    pub fn blocks(&self) -> usize {
        self.extents[self.axis].div_ceil(self.block)
    }

    /// Extents of the operand.
    pub fn operand_extents(&self) -> SmallVec<[usize; 4]> {
        match self.part.has_carries() {
            true => carries_extents(self.blocks(), self.axis, &self.extents),
            false => self.extents.clone(),
        }
    }

    /// As launch arguments.
    pub fn encode(&self) -> Vec<Arg> {
        let head = [
            self.part as usize,
            self.first as usize,
            self.reducer as usize,
            self.dtype as usize,
            self.block,
            self.axis,
            self.extents.len(),
        ];
        let words = head.iter().chain(&self.extents);
        let mut args: Vec<Arg> = words.map(|&word| Arg::Bits(word as u64)).collect();
        args.extend([self.out.arg(), self.operand.arg()]);
        args
    }

    /// From launch arguments.
    pub fn decode(args: &[Arg]) -> Result<Scan, Fault> {
        let mut args = Reader { args };
        let part = *ScanPart::ALL.get(args.size()?).ok_or_else(malformed)?;
        let first = args.size()? != 0;
        let reducer = *Reducer::ALL.get(args.size()?).ok_or_else(malformed)?;
        let (dtype, block, axis) = (args.dtype()?, args.size()?, args.size()?);
        let extents: SmallVec<[usize; 4]> =
            (0..args.size()?).map(|_| args.size()).collect::<Result<_, Fault>>()?;
        let (out, operand) = (args.view()?, args.view()?);
        if block == 0 || axis >= extents.len() {
            return Err(malformed());
        }
        Ok(Scan { part, first, reducer, dtype, block, axis, extents, out, operand })
    }
}

impl PointArguments for darray_ir::builtin::Scan {
    fn point_call(&self, _operands: PointOperands<'_>) -> Call {
        unreachable!("points of a scan wait for each other")
    }
}

/// Extents of the carries of a tile: one row per block and one for the next tile, then the other
/// axes.
pub fn carries_extents(blocks: usize, axis: usize, extents: &[usize]) -> SmallVec<[usize; 4]> {
    let others = extents.iter().enumerate().filter(|&(a, _)| a != axis);
    std::iter::once(blocks + 1).chain(others.map(|(_, &n)| n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, DeviceId};

    #[test]
    fn arguments_survive_encoding() {
        let view = |handle: u64, strides: &[i64]| View {
            block: Block { device: DeviceId(0), handle, bytes: 512 },
            offset: 3,
            strides: SmallVec::from_slice(strides),
        };
        for part in ScanPart::ALL {
            let scan = Scan {
                part,
                first: part == ScanPart::Blocks,
                reducer: Reducer::Prod,
                dtype: RealType::F32,
                block: 4,
                axis: 1,
                extents: SmallVec::from_slice(&[2, 9, 3]),
                out: view(1, &[27, 3, 1]),
                operand: view(2, &[6, 3, 1]),
            };
            assert_eq!(Scan::decode(&scan.encode()), Ok(scan.clone()));
            let rows = if part.has_carries() { [4, 2, 3] } else { [2, 9, 3] };
            assert_eq!(scan.operand_extents()[..], rows);
            let wrong = Scan { axis: 3, ..scan };
            assert!(Scan::decode(&wrong.encode()).is_err());
        }
    }
}
