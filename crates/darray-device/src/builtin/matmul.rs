//! Matrix products: the arguments of the matmul builtin.

use super::{Call, PointArguments, PointOperands, Reader, View};
use crate::{Arg, Fault};
use darray_core::RealType;
use smallvec::SmallVec;

/// `out (m, n) = a (m, k) . b (k, n)` for the rows of one tile, for each product of a stack.
///
/// An element's bits follow from its row and its column alone. Floats are summed in the order of
/// [`product`](darray_kernel::product): chains of fused multiply-adds over blocks of k, whose sums are added two by two.
/// Integers wrap; bools are `and` and `or`.
/// `k` = 0 gives zeros. The output overlaps no input. Floats of one row or one column do not come here:
/// they are sums of products, which kernels make.
#[derive(Clone, Debug, PartialEq)]
pub struct MatMul {
    /// Of all three arrays.
    pub dtype: RealType,
    /// Extents of the stack; none for one product.
    pub stack: SmallVec<[usize; 4]>,
    /// Rows of the tile.
    pub m: usize,
    /// Inner extent.
    pub k: usize,
    /// Columns.
    pub n: usize,
    /// The axes of the stack, then rows and columns; so the inputs.
    pub out: View,
    /// See `out`.
    pub a: View,
    /// See `out`.
    pub b: View,
}

impl MatMul {
    /// The builtin's name.
    pub const NAME: &'static str = "matmul";

    /// As launch arguments.
    pub fn encode(&self) -> Vec<Arg> {
        let head = [self.dtype as usize, self.stack.len()];
        let sizes = [self.m, self.k, self.n];
        let words = head.iter().chain(&self.stack).chain(&sizes);
        let mut args: Vec<Arg> = words.map(|&word| Arg::Bits(word as u64)).collect();
        args.extend([&self.out, &self.a, &self.b].map(View::arg));
        args
    }

    /// From launch arguments.
    pub fn decode(args: &[Arg]) -> Result<MatMul, Fault> {
        let mut args = Reader { args };
        Ok(MatMul {
            dtype: args.dtype()?,
            stack: (0..args.size()?).map(|_| args.size()).collect::<Result<_, Fault>>()?,
            m: args.size()?,
            k: args.size()?,
            n: args.size()?,
            out: args.view()?,
            a: args.view()?,
            b: args.view()?,
        })
    }
}

impl PointArguments for darray_ir::builtin::MatMul {
    fn point_call(&self, mut operands: PointOperands<'_>) -> Call {
        let ([out, a, b], extents) = (operands.views(), operands.extents());
        let (stack, matrix) = extents.split_at(extents.len() - 2);
        let matmul = MatMul {
            dtype: operands.dtypes[0],
            stack: SmallVec::from_slice(stack),
            m: matrix[0],
            k: operands.extent,
            n: matrix[1],
            out,
            a,
            b,
        };
        (MatMul::NAME, matmul.encode())
    }
}
