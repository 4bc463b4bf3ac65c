//! Two kept loops that are one for a part of a nest: its points lie one after the other there, and in rows for the rest.
//!
//! For which part says whoever finds them: [`point_rows`](super::point_rows) or [`result_rows`](super::result_rows).

use darray_codegen::bind::Loop;
use darray_codegen::{Nest, Phase, Program};
use smallvec::SmallVec;

/// How points lie in rows.
pub(super) struct KeptRows {
    /// Points of a row.
    pub length: usize,
    /// Bytes from the end of a row to the next one, per access.
    gaps: SmallVec<[i64; 8]>,
}

/// An access along two loops.
pub(super) struct AlongRows {
    pub phase: Phase,
    /// Bytes of an element.
    pub size: i64,
    /// Bytes from point to point of a row.
    pub along: i64,
    /// Bytes from the end of a row to the next one.
    pub gap: i64,
}

impl KeptRows {
    /// Those of the points of two loops, if all accesses fit; `strides(axis)` are the bytes per step of all accesses.
    pub fn new<'s>(
        (program, nest): (&Program, &Nest),
        [outer, inner]: [Loop; 2],
        strides: impl Fn(u8) -> &'s [i64],
        fits: impl Fn(&AlongRows) -> bool,
    ) -> Option<Box<KeptRows>> {
        if [outer, inner].iter().any(|l| nest.indexed.contains(&l.axis)) {
            return None;
        }
        let gap = |(access, &(number, phase)): (usize, &(u16, Phase))| {
            let buffer = program.accesses[number as usize].buffer;
            let size = program.buffers[buffer as usize].dtype.size() as i64;
            let [around, along] = [outer, inner].map(|l| strides(l.axis)[access]);
            let gap = around - along * inner.extent as i64;
            fits(&AlongRows { phase, size, along, gap }).then_some(gap)
        };
        let gaps = nest.accesses.iter().enumerate().map(gap).collect::<Option<_>>()?;
        Some(Box::new(KeptRows { length: inner.extent, gaps }))
    }

    /// Bytes of an access that the rows before a point leave out.
    pub fn gap(&self, access: usize, point: usize) -> i64 {
        self.gaps[access] * (point / self.length) as i64
    }

    /// Points of a block of about so many, whole rows.
    pub fn block(&self, usual: usize) -> usize {
        (usual / self.length).max(1) * self.length
    }
}
