//! The builtins that every device offers, with their arguments in one place for both sides.
//!
//! The runtime encodes a [`MatMul`], [`ReduceFinish`], [`Scan`], [`Gather`], [`Scatter`], [`Sort`],
//! [`Merge`], [`Compact`] or [`Search`] into the argument list of a [`Command::Builtin`](crate::Command::Builtin); the device
//! decodes it back. What the call of a builtin of `darray_ir` for a point is, [`point_call`] says.

mod compact;
mod gather;
mod matmul;
mod scan;
mod scatter;
mod search;
mod sort;

pub use compact::Compact;
pub use gather::{Gather, resolve_index};
pub use matmul::MatMul;
pub use scan::{Scan, ScanPart, carries_extents};
pub use scatter::Scatter;
pub use search::Search;
pub use sort::{Merge, Sort, sort_key};

use crate::{Arg, Block, Fault};
use darray_core::{RealType, Shape};
use darray_ir::Builtin;
use darray_ir::builtin::Tile;
use darray_kernel::ir::Reducer;
use darray_kernel::tree::{Group, TreeRule};
use smallvec::SmallVec;

/// A strided array as a builtin sees it: element (c0, c1, ..) lies at
/// `offset + sum(c_k * strides[k])` elements from the block's start; coordinates begin at 0.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Where it lies.
    pub block: Block,
    /// In elements.
    pub offset: i64,
    /// In elements, one per coordinate.
    pub strides: SmallVec<[i64; 4]>,
}

/// Combines the slots of all tiles of a reduction into its results, in the order of
/// [`GridTree`](darray_kernel::tree::GridTree), for every parallel point.
#[derive(Clone, Debug, PartialEq)]
pub struct ReduceFinish {
    /// The fold.
    pub reducer: Reducer,
    /// Of the values; indices of arg-reductions are i64.
    pub dtype: RealType,
    /// As the kernels' folds have it.
    pub rule: TreeRule,
    /// The innermost of the axes, as in the kernels' folds.
    pub group: Group,
    /// Per reduced axis: where its parts begin, and then its global extent.
    pub cuts: Vec<Vec<usize>>,
    /// Extents of the parallel axes.
    pub kept: SmallVec<[usize; 4]>,
    /// Value, then index for arg-reductions; one coordinate per parallel axis.
    pub outputs: Vec<View>,
    /// Per tile, row-major over the parts: as many views as outputs, with the slot as coordinate 0
    /// and then the parallel axes; none for an empty tile.
    pub tiles: Vec<Vec<View>>,
}

/// A call of a device: the builtin's name and its arguments.
pub type Call = (&'static str, Vec<Arg>);

/// What the call of a builtin for one point is made of.
#[derive(Clone, Debug)]
pub struct PointOperands<'p> {
    /// Of the task.
    pub domain: &'p Shape,
    /// The point's part of it.
    pub tile: &'p Tile,
    /// The scalar of the task, if it has one.
    pub extent: usize,
    /// Of the output, then of the inputs.
    pub dtypes: SmallVec<[RealType; 3]>,
    /// Their parts that the point uses.
    pub views: Vec<View>,
}

impl PointOperands<'_> {
    fn extents(&self) -> SmallVec<[usize; 4]> {
        self.tile.iter().map(|range| range.len()).collect()
    }

    fn origin(&self) -> SmallVec<[usize; 4]> {
        self.tile.iter().map(|range| range.start).collect()
    }

    /// The views of as many arguments.
    fn views<const N: usize>(&mut self) -> [View; N] {
        let views = std::mem::take(&mut self.views);
        <[View; N]>::try_from(views).expect("a view of every argument")
    }
}

/// How a device is called for a builtin.
trait PointArguments {
    /// The call for one point.
    fn point_call(&self, operands: PointOperands<'_>) -> Call;
}

macro_rules! define_point_call {
    ($($builtin:ident)+) => {
        /// The call of a builtin for one point. Points that wait for each other have calls of their own kind, see [`Scan`] and
        /// [`Merge`].
        pub fn point_call(builtin: Builtin, operands: PointOperands<'_>) -> Call {
            match builtin {
                $(Builtin::$builtin(builtin) => builtin.point_call(operands),)+
            }
        }
    };
}

darray_ir::for_each_builtin!(define_point_call);

impl View {
    fn arg(&self) -> Arg {
        Arg::Buffer { block: self.block, offset: self.offset, strides: self.strides.clone() }
    }
}

impl ReduceFinish {
    /// The builtin's name.
    pub const NAME: &'static str = "reduce_finish";

    /// As launch arguments.
    pub fn encode(&self) -> Vec<Arg> {
        let TreeRule { lanes, width, rounds, alone } = self.rule;
        let mut args = Vec::new();
        let mut bits = |value: usize| args.push(Arg::Bits(value as u64));
        bits(self.reducer as usize);
        bits(self.dtype as usize);
        [lanes, width, rounds, alone].iter().for_each(|&v| bits(v as usize));
        bits(self.group.axes);
        bits(self.group.behind);
        bits(self.cuts.len());
        for cuts in &self.cuts {
            bits(cuts.len());
            cuts.iter().for_each(|&c| bits(c));
        }
        bits(self.kept.len());
        self.kept.iter().for_each(|&n| bits(n));
        bits(self.outputs.len());
        args.extend(self.outputs.iter().map(View::arg));
        for tile in &self.tiles {
            args.push(Arg::Bits(tile.len() as u64));
            args.extend(tile.iter().map(View::arg));
        }
        args
    }

    /// From launch arguments.
    pub fn decode(args: &[Arg]) -> Result<ReduceFinish, Fault> {
        let mut args = Reader { args };
        let reducer = args.size()?;
        let reducer = *Reducer::ALL.get(reducer).ok_or_else(malformed)?;
        let dtype = args.dtype()?;
        let mut word = || args.size().map(|v| v as u32);
        let (lanes, width, rounds, alone) = (word()?, word()?, word()?, word()?);
        let group = Group { axes: args.size()?, behind: args.size()? };
        let cuts = (0..args.size()?)
            .map(|_| (0..args.size()?).map(|_| args.size()).collect())
            .collect::<Result<Vec<Vec<usize>>, Fault>>()?;
        let kept = (0..args.size()?).map(|_| args.size()).collect::<Result<_, Fault>>()?;
        let outputs = args.views()?;
        let count = cuts.iter().map(|c| c.len().saturating_sub(1)).product();
        let tiles = (0..count).map(|_| args.views()).collect::<Result<_, Fault>>()?;
        let rule = TreeRule { lanes, width, rounds, alone };
        Ok(ReduceFinish { reducer, dtype, rule, group, cuts, kept, outputs, tiles })
    }

    /// Whether a [`GridTree`](darray_kernel::tree::GridTree) can be made of the rule and the cuts.
    pub fn cuts_are_valid(&self) -> bool {
        let TreeRule { lanes, width, rounds, alone } = self.rule;
        let sizes = [lanes, width, rounds, alone].iter().all(|size| size.is_power_of_two());
        let axes = self.cuts.len();
        let ends = |cuts: &Vec<usize>| Some((*cuts.first()?, *cuts.last()?));
        let ends: Option<Vec<(usize, usize)>> = self.cuts.iter().map(ends).collect();
        let Some(ends) = ends.filter(|_| sizes && axes > 0 && self.group.axes <= axes) else {
            return false;
        };
        let globals: Vec<usize> = ends.iter().map(|&(_, global)| global).collect();
        let blocks = self.rule.blocks(&globals, self.group);
        self.cuts.iter().zip(ends).zip(blocks).all(|((cuts, (first, global)), block)| {
            let aligned = |&c: &usize| c.is_multiple_of(block) || c == global;
            first == 0 && cuts.len() > 1 && cuts.is_sorted() && cuts.iter().all(aligned)
        })
    }
}

/// Takes arguments from the front.
struct Reader<'a> {
    args: &'a [Arg],
}

impl Reader<'_> {
    fn next(&mut self) -> Result<&Arg, Fault> {
        let (first, rest) = self.args.split_first().ok_or_else(malformed)?;
        self.args = rest;
        Ok(first)
    }

    fn size(&mut self) -> Result<usize, Fault> {
        match self.next()? {
            Arg::Bits(bits) => Ok(*bits as usize),
            Arg::Buffer { .. } => Err(malformed()),
        }
    }

    fn sizes(&mut self, count: usize) -> Result<SmallVec<[usize; 4]>, Fault> {
        (0..count).map(|_| self.size()).collect()
    }

    fn dtype(&mut self) -> Result<RealType, Fault> {
        let code = self.size()?;
        RealType::ALL.into_iter().find(|d| *d as usize == code).ok_or_else(malformed)
    }

    fn view(&mut self) -> Result<View, Fault> {
        match self.next()? {
            Arg::Buffer { block, offset, strides } => {
                Ok(View { block: *block, offset: *offset, strides: strides.clone() })
            }
            Arg::Bits(_) => Err(malformed()),
        }
    }

    fn views(&mut self) -> Result<Vec<View>, Fault> {
        (0..self.size()?).map(|_| self.view()).collect()
    }
}

fn malformed() -> Fault {
    Fault::Execution("malformed arguments of a builtin".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceId;

    pub(super) fn view(handle: u64, strides: &[i64]) -> View {
        let block = Block { device: DeviceId(1), handle, bytes: 64 };
        View { block, offset: handle as i64, strides: SmallVec::from_slice(strides) }
    }

    #[test]
    fn arguments_survive_encoding() {
        let finish = ReduceFinish {
            reducer: Reducer::ArgMax,
            dtype: RealType::F32,
            rule: TreeRule::TINY,
            group: Group { axes: 1, behind: 15 },
            cuts: vec![vec![0, 4, 4, 13], vec![0, 2]],
            kept: SmallVec::from_slice(&[3, 5]),
            outputs: vec![view(1, &[5, 1]), view(2, &[5, 1])],
            tiles: vec![
                vec![view(3, &[15, 5, 1]), view(4, &[15, 5, 1])],
                vec![],
                vec![view(5, &[15, 5, 1]), view(6, &[15, 5, 1])],
            ],
        };
        assert_eq!(ReduceFinish::decode(&finish.encode()), Ok(finish.clone()));
        let matmul = MatMul {
            dtype: RealType::F64,
            stack: SmallVec::from_slice(&[5]),
            m: 2,
            k: 3,
            n: 4,
            out: view(1, &[8, 4, 1]),
            a: view(2, &[6, 3, 1]),
            b: view(3, &[0, 4, 1]),
        };
        assert_eq!(MatMul::decode(&matmul.encode()), Ok(matmul));
        let args = finish.encode();
        assert!(ReduceFinish::decode(&args[..args.len() - 1]).is_err());
    }

    #[test]
    fn reducers_are_in_the_order_of_their_codes() {
        for (code, reducer) in Reducer::ALL.iter().enumerate() {
            assert_eq!(*reducer as usize, code);
        }
    }
}
