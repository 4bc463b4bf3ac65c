//! Sorting: the arguments of the sort and merge builtins, and the order of elements.

use super::{Call, PointArguments, PointOperands, Reader, View, malformed};
use crate::{Arg, Fault};
use darray_core::{Kind, RealType};
use smallvec::SmallVec;

/// Sorts a tile that has whole lanes along one axis: ascending by [`sort_key`], equal ones in the order
/// in which they came.
///
/// Of an axis over several tiles, every tile is a call of `Sort` into memory of its own, a run; the runs
/// go to every device, and a call of [`Merge`] makes each tile of the result:
///
/// ```text
/// tile 0   Sort -> run 0 --+--> Merge -> tile 0
/// tile 1   Sort -> run 1 --+--> Merge -> tile 1
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sort {
    /// Of the elements.
    pub dtype: RealType,
    /// The axis.
    pub axis: usize,
    /// Index of the tile's first element along the axis.
    pub origin: usize,
    /// Of the tile.
    pub extents: SmallVec<[usize; 4]>,
    /// What is sorted.
    pub input: View,
    /// The sorted elements, if wanted. Overlaps no other array.
    pub values: Option<View>,
    /// Their indices along the axis, i64, if wanted. Overlaps no other array.
    pub indices: Option<View>,
}

/// The elements `start .. start + count` of what sorted runs make together; equal elements in the order of
/// the runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// Of the elements.
    pub dtype: RealType,
    /// Elements of each run.
    pub lengths: Vec<usize>,
    /// The sorted elements of each run; one coordinate.
    pub values: Vec<View>,
    /// Their indices, i64, if the result is indices; else none.
    pub indices: Vec<View>,
    /// Number of the first element of the result.
    pub start: usize,
    /// Elements of the result.
    pub count: usize,
    /// The result, elements or i64 indices; one coordinate. Overlaps no other array.
    pub out: View,
}

/// The bits of an element as a number that sorts as the elements do: zeros are equal, NaN comes last.
///
/// ```
/// use darray_core::RealType;
/// use darray_device::builtin::sort_key;
/// let key = |x: f64| sort_key(RealType::F64, x.to_bits());
/// assert!(key(-1.0) < key(-0.0) && key(-0.0) == key(0.0) && key(0.0) < key(1e-300));
/// assert!(key(f64::INFINITY) < key(f64::NAN) && key(-f64::NAN) == u64::MAX);
/// ```
#[inline(always)]
pub fn sort_key(dtype: RealType, bits: u64) -> u64 {
    let sign = 1 << (8 * dtype.size() - 1);
    match dtype.kind() {
        Kind::Bool | Kind::Unsigned => bits,
        Kind::Signed => bits ^ sign,
        // Infinity has all bits of the exponent, which begins above the significand, whose highest bit is not stored.
        Kind::Float | Kind::Brain => float_key(bits, sign, sign - (1 << (dtype.digits() - 1))),
    }
}

/// The key of a float of this sign bit and with these bits of infinity.
#[inline(always)]
fn float_key(bits: u64, sign: u64, infinity: u64) -> u64 {
    let all = sign | (sign - 1);
    let size = bits & !sign;
    if size > infinity {
        all
    } else if size == 0 || bits & sign == 0 {
        size | sign
    } else {
        bits ^ all
    }
}

impl Sort {
    /// The builtin's name.
    pub const NAME: &'static str = "sort";

    /// As launch arguments.
    pub fn encode(&self) -> Vec<Arg> {
        let wanted = self.values.is_some() as usize | (self.indices.is_some() as usize) << 1;
        let head = [self.dtype as usize, self.axis, self.origin, wanted, self.extents.len()];
        let words = head.iter().chain(&self.extents);
        let mut args: Vec<Arg> = words.map(|&word| Arg::Bits(word as u64)).collect();
        args.push(self.input.arg());
        args.extend(self.values.iter().chain(&self.indices).map(View::arg));
        args
    }

    /// From launch arguments.
    pub fn decode(args: &[Arg]) -> Result<Sort, Fault> {
        let mut args = Reader { args };
        let dtype = args.dtype()?;
        let (axis, origin, wanted, rank) = (args.size()?, args.size()?, args.size()?, args.size()?);
        let (extents, input) = (args.sizes(rank)?, args.view()?);
        let values = if wanted & 1 == 1 { Some(args.view()?) } else { None };
        let indices = if wanted & 2 == 2 { Some(args.view()?) } else { None };
        if axis >= rank || wanted == 0 {
            return Err(malformed());
        }
        Ok(Sort { dtype, axis, origin, extents, input, values, indices })
    }
}

impl PointArguments for darray_ir::builtin::Sort {
    fn point_call(&self, mut operands: PointOperands<'_>) -> Call {
        let [out, input] = operands.views();
        let (values, indices) = if self.indices { (None, Some(out)) } else { (Some(out), None) };
        let (axis, extents) = (self.axis as usize, operands.extents());
        let dtype = operands.dtypes[1];
        let sort = Sort { dtype, axis, origin: 0, extents, input, values, indices };
        (Sort::NAME, sort.encode())
    }
}

impl Merge {
    /// The builtin's name.
    pub const NAME: &'static str = "merge";

    /// Element type of the result.
    pub fn result(&self) -> RealType {
        if self.indices.is_empty() { self.dtype } else { RealType::INDEX }
    }

    /// As launch arguments.
    pub fn encode(&self) -> Vec<Arg> {
        let head = [self.dtype as usize, self.start, self.count, self.lengths.len()];
        let words = head.iter().chain(&self.lengths).copied();
        let words = words.chain([!self.indices.is_empty() as usize]);
        let mut args: Vec<Arg> = words.map(|word| Arg::Bits(word as u64)).collect();
        let views = self.values.iter().chain(&self.indices).chain([&self.out]);
        args.extend(views.map(View::arg));
        args
    }

    /// From launch arguments.
    pub fn decode(args: &[Arg]) -> Result<Merge, Fault> {
        let mut args = Reader { args };
        let dtype = args.dtype()?;
        let (start, count, runs) = (args.size()?, args.size()?, args.size()?);
        let lengths = args.sizes(runs)?.to_vec();
        let indexed = args.size()? != 0;
        let mut views = |n: usize| (0..n).map(|_| args.view()).collect::<Result<Vec<View>, _>>();
        let (values, indices) = (views(runs)?, views(if indexed { runs } else { 0 })?);
        let out = args.view()?;
        let all = lengths.iter().try_fold(0usize, |sum, &n| sum.checked_add(n));
        if all.zip(start.checked_add(count)).is_none_or(|(all, end)| end > all) {
            return Err(malformed());
        }
        Ok(Merge { dtype, lengths, values, indices, start, count, out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::tests::view;
    use darray_core::Scalar;

    #[test]
    fn arguments_survive_encoding() {
        for (values, indices) in [(true, false), (false, true), (true, true)] {
            let sort = Sort {
                dtype: RealType::F32,
                axis: 1,
                origin: 30,
                extents: SmallVec::from_slice(&[2, 9]),
                input: view(1, &[9, 1]),
                values: values.then(|| view(2, &[1, 2])),
                indices: indices.then(|| view(3, &[9, 1])),
            };
            assert_eq!(Sort::decode(&sort.encode()), Ok(sort.clone()));
            let wrong = Sort { axis: 2, ..sort };
            assert!(Sort::decode(&wrong.encode()).is_err());
            let runs = |used: bool| if used { vec![view(4, &[1]), view(5, &[1])] } else { vec![] };
            let merge = Merge {
                dtype: RealType::F32,
                lengths: vec![7, 5],
                values: runs(true),
                indices: runs(indices),
                start: 6,
                count: 6,
                out: view(6, &[3]),
            };
            assert_eq!(Merge::decode(&merge.encode()), Ok(merge.clone()));
            assert_eq!(merge.result(), if indices { RealType::I64 } else { RealType::F32 });
            let wrong = Merge { start: 7, ..merge };
            assert!(Merge::decode(&wrong.encode()).is_err());
        }
    }

    #[test]
    fn keys_are_in_the_order_of_the_elements() {
        let values = [f64::NEG_INFINITY, -1e300, -256.0, -1.5, -1e-40, 0.0, 1e-40, 1.0, 255.0, 1e9];
        for dtype in RealType::ALL {
            let scalars = values.map(|v| Scalar::from(v).cast(dtype));
            for (a, b) in scalars.iter().flat_map(|a| scalars.iter().map(move |b| (a, b))) {
                let [x, y] = [a, b].map(|s| sort_key(dtype, s.bits()));
                let [a, b] = [a, b].map(|s| s.to_f64());
                assert_eq!(x.cmp(&y), a.partial_cmp(&b).unwrap(), "{dtype} {a} {b}");
                assert_eq!(x >> (8 * dtype.size() - 1) >> 1, 0, "{dtype} {a}");
            }
        }
        let nan = [f32::NAN, -f32::NAN].map(|x| sort_key(RealType::F32, x.to_bits() as u64));
        assert_eq!(nan, [u64::from(u32::MAX); 2]);
    }
}
