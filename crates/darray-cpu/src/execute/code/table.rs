//! The pointer table: where code finds its operands.

use super::operations::Pointer;
use crate::jit::Place;
use darray_codegen::{Code, Slot};

/// The positions of everything in the pointer table of a [`Frame`](super::super::run::frame::Frame): cells, registers,
/// accesses, kept elements, results, their indices, indices along axes, where functions that fold put values.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Table {
    pub registers: usize,
    pub accesses: usize,
    pub kept: usize,
    pub results: usize,
    pub indices: usize,
    pub axes: usize,
    pub folded: usize,
    pub length: usize,
}

impl Table {
    /// The table of a code for a nest with so many accesses and axes.
    pub fn new(code: &Code, accesses: usize, axes: usize) -> Table {
        let registers = code.cells as usize;
        let first_access = registers + code.registers as usize;
        let kept = first_access + accesses;
        let results = kept + code.kept.len();
        let items = code.sources.len();
        let indices = results + items;
        let first_axis = indices + items;
        Table {
            registers,
            accesses: first_access,
            kept,
            results,
            indices,
            axes: first_axis,
            folded: first_axis + axes,
            length: first_axis + axes + items,
        }
    }

    /// Where a slot stands.
    pub fn slot(&self, slot: Slot) -> Pointer {
        self.place(Place::Slot(slot))
    }

    /// Where a place stands.
    pub fn place(&self, place: Place) -> Pointer {
        let at = match place {
            Place::Slot(Slot::Cell(k)) => k as usize,
            Place::Slot(Slot::Register(k)) => self.registers + k as usize,
            Place::Slot(Slot::Access(k)) => self.accesses + k as usize,
            Place::Slot(Slot::Kept(k)) => self.kept + k as usize,
            Place::Slot(Slot::Result(k)) => self.results + k as usize,
            Place::Slot(Slot::ResultIndex(k)) => self.indices + k as usize,
            Place::Index(axis) => self.axes + axis as usize,
            Place::Folded(item) => self.folded + item as usize,
        };
        at as Pointer
    }
}
