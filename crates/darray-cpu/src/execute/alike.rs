//! Operands whose leaves lie side by side in memory: copied to buffers by many small transpositions in a call.

use super::packed::Packing;
use crate::level::Level;
use crate::vector::{TransposeAlike, find_transpose_alike};
use darray_codegen::{Nest, Phase, Program};
use smallvec::SmallVec;

/// An access of the body of a fold that is copied so.
pub(super) struct CopiedAlike {
    pub access: usize,
    pub size: usize,
    pub transpose: TransposeAlike,
    /// Where its buffer begins.
    pub offset: usize,
}

/// All accesses of the body of a fold, if each is packed, lies side by side along an axis with the strides `beside`, and far
/// apart along one with the strides `apart`; and bytes of the buffers, of which an element of a size asks for so many.
pub(super) fn copied_alike(
    (program, nest): (&Program, &Nest),
    packing: &Packing,
    (beside, apart): (&[i64], &[i64]),
    level: Level,
    bytes_of: impl Fn(usize) -> usize,
) -> Option<(SmallVec<[CopiedAlike; 1]>, usize)> {
    let (mut copied, mut bytes) = (SmallVec::new(), 0);
    for (access, size) in accesses_of_body(program, nest) {
        let lies_so = beside[access] == size as i64 && apart[access].unsigned_abs() > FAR;
        packing.of(access).filter(|_| lies_so)?;
        let transpose = find_transpose_alike(size, level)?;
        copied.push(CopiedAlike { access, size, transpose, offset: bytes });
        bytes += bytes_of(size);
    }
    (bytes <= BUFFERS && !copied.is_empty()).then_some((copied, bytes))
}

/// The accesses of the body of a fold, and bytes of their elements.
pub(super) fn accesses_of_body(
    program: &Program,
    nest: &Nest,
) -> impl Iterator<Item = (usize, usize)> {
    let body = nest.accesses.iter().enumerate().filter(|(_, (_, phase))| *phase == Phase::Fold);
    body.map(|(access, &(number, _))| {
        let buffer = program.accesses[number as usize].buffer;
        (access, program.buffers[buffer as usize].dtype.size())
    })
}

/// Bytes from element to element from which on these are of streams of their own.
pub(super) const FAR: u64 = 512;

/// Bytes of the buffers, at most.
const BUFFERS: usize = 64 << 10;
