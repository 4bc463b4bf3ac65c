//! Code with its functions found and its operands numbered: what the block loop runs.

use super::super::schedule::summary::{Copied, bit};
use super::coverage::Coverage;
use super::one_list::in_one_list;
use super::operations::{MachineOp, Pointer, Points};
use super::resolve::Resolver;
use super::runs::Runs;
use super::table::Table;
use crate::jit::{Across, Folded, Native, Target, Traffic};
use crate::listing::Function;
use darray_codegen::{Code, FoldSource, Instruction, Layout, Nest, Slot, StrideClass};
use darray_device::Fault;
use darray_kernel::ir::FoldItem;

/// The lists of a [`Code`], and where its slots stand in the pointer table.
pub(in super::super) struct Machine {
    pub table: Table,
    /// Compiled runs.
    pub natives: Vec<Native>,
    /// Block-sized registers that are used in memory; the others are in those of compiled runs.
    pub registers: u16,
    pub before_row: Vec<MachineOp>,
    pub before: Vec<MachineOp>,
    /// Accesses that the natives of `before` write with non-temporal stores, as bits: such an access begins a cache line
    /// where a native runs on more than a few elements.
    pub non_temporal: u64,
    /// The number of the function that is all there is to do for a row of a nest without a fold, and that
    /// knows of rows nothing but the addresses of their elements and, if it is `indexed`, their indices.
    pub before_alone: Option<u32>,
    /// Whether that function goes by indices: those of a row are written by `before_row`, and moved on from row to row by the function.
    pub indexed: bool,
    pub fold_row: Vec<MachineOp>,
    pub fold: Vec<MachineOp>,
    /// Where each fold reads.
    pub sources: Vec<Pointer>,
    /// The function that folds all points, where there is one.
    pub points: Option<Points>,
    /// The function that does all of the body, and folds.
    pub fold_function: Option<Native>,
    /// Whether it takes the rows of all lanes together: see [`Traffic::lanes`].
    pub lanes_together: bool,
    pub after_row: Vec<MachineOp>,
    pub after: Vec<MachineOp>,
    pub coverage: Coverage,
    /// What the natives are, if it was asked for.
    pub functions: Vec<Function>,
}

impl Machine {
    /// Finds the functions of the code of a nest for a layout; compiles runs of instructions on blocks where
    /// there is a target. Of the accesses of `traffic` they write with non-temporal stores what nothing reads. With
    /// `list`, keeps what they became.
    pub fn new(
        code: &Code,
        nest: &Nest,
        layout: &Layout,
        jit: Option<Target>,
        traffic: Traffic,
        list: bool,
    ) -> Result<Machine, Fault> {
        let joined = match traffic.short_rows && jit.is_some() {
            true => in_one_list(code, &layout.classes, traffic.pieces),
            false => None,
        };
        let (rows, code) = (code, joined.as_ref().unwrap_or(code));
        let table = Table::new(code, nest.accesses.len(), nest.axes.len());
        let items = folded(code, nest);
        let runs = jit.map(|target| Runs::new(code, &items, target));
        let backward = backward_accesses(layout);
        let non_temporal = traffic.non_temporal & !read_accesses(code);
        let counted = counted_cells(code, traffic.row_axis);
        let traffic = Traffic { non_temporal, backward, counted, ..traffic };
        let mut resolver = Resolver::new(table, layout, runs, traffic);
        resolver.functions = list.then(Vec::new);
        let before_row = resolver.row(&code.before_row)?;
        let before = resolver.blocks(&code.before)?;
        let fold_row = resolver.row(&code.fold_row)?;
        let fold = resolver.blocks(&code.fold)?;
        let points = resolver.points(code, nest, &items);
        let fold_function = match points {
            None => resolver.fold_function(code, nest, &items),
            Some(_) => None,
        };
        let (fold_function, lanes_together) = fold_function.unzip();
        let sources = code.sources.iter().map(|source| table.slot(source.value)).collect();
        let after_row = resolver.row(&code.after_row)?;
        let after = resolver.blocks(&code.after)?;
        let Resolver { natives, runs, non_temporal, coverage, functions, .. } = resolver;
        if coverage.memory > 0 {
            let interpreted = Machine::new(rows, nest, layout, None, Traffic::default(), list)?;
            return Ok(Machine { coverage, ..interpreted });
        }
        let registers = match runs {
            Some(runs) if !runs.in_memory() => 0,
            _ => code.registers,
        };
        let in_registers = registers == 0;
        let is_index = |op: &MachineOp| match *op {
            MachineOp::Iota { out, .. } => u32::from(out) < u64::BITS,
            _ => false,
        };
        let only_indices = before_row.iter().all(is_index);
        let before_alone =
            alone(&before).filter(|_| only_indices && in_registers && items.is_empty());
        let indexed = !before_row.is_empty() || has_indices(&code.before);
        Ok(Machine {
            table,
            natives,
            registers,
            before_row,
            before,
            non_temporal,
            before_alone,
            indexed,
            fold_row,
            fold,
            sources,
            points,
            fold_function,
            lanes_together: lanes_together == Some(true),
            after_row,
            after,
            coverage,
            functions: functions.unwrap_or_default(),
        })
    }
}

impl Machine {
    /// Pointers that a frame has for it.
    pub fn pointers(&self, accesses: usize) -> usize {
        let items = self.sources.len();
        self.table.length + self.points.map_or(0, |points| points.elements * (accesses + 1) + items)
    }

    /// The accesses that blocks are copied to, as bits.
    pub fn copied(&self) -> u64 {
        let copied = |op: &MachineOp| match *op {
            MachineOp::Scatter { access, step: 1.., .. } => bit(access.into()),
            _ => 0,
        };
        self.before.iter().fold(0, |all, op| all | copied(op))
    }

    /// The copy of one of so many accesses to another that is all there is to do.
    pub fn copy(&self, accesses: usize) -> Option<Copied> {
        let access = |pointer: u16| usize::from(pointer).checked_sub(self.table.accesses);
        let (from, to, size) = match self.before[..] {
            [MachineOp::Scatter { access: to, value, size, .. }] => (access(value)?, to, size),
            [MachineOp::Gather { access: from, out, size, .. }] => {
                (usize::from(from), access(out)? as u16, size)
            }
            [
                MachineOp::Gather { access, out, .. },
                MachineOp::Scatter { access: to, value, size, .. },
            ] if out == value => (usize::from(access), to, size),
            _ => return None,
        };
        let is_all = self.before_row.is_empty() && from < accesses;
        is_all.then_some(Copied { from, to: to.into(), size: size.into() })
    }

    /// What the function of all points reads at once where points are rows of memory, if it can.
    pub fn points_across(&self) -> Option<Across> {
        self.points.and_then(|points| self.natives[points.number as usize].across())
    }
}

/// The accesses that code loads backwards, as bits.
fn backward_accesses(layout: &Layout) -> u64 {
    let classes = layout.classes.iter().enumerate();
    let backward = classes.filter(|(_, class)| **class == StrideClass::Backward);
    backward.fold(0, |all, (access, _)| all | 1 << access)
}

/// The accesses whose elements instructions read where they are, as bits.
fn read_accesses(code: &Code) -> u64 {
    let bit = |slot: &Slot| match *slot {
        Slot::Access(access) => 1u64.checked_shl(access.into()).unwrap_or(0),
        _ => 0,
    };
    let reads = |code: &Instruction| code.reads().iter().fold(0, |read, slot| read | bit(slot));
    let lists = code.before.iter().chain(&code.after);
    lists.fold(0, |read, code| read | reads(code))
}

/// The function that does all of a list of blocks, where there is one.
fn alone(blocks: &[MachineOp]) -> Option<u32> {
    match *blocks {
        [MachineOp::Native { number }] => Some(number),
        _ => None,
    }
}

fn has_indices(code: &[Instruction]) -> bool {
    code.iter().any(|op| matches!(op, Instruction::Iota { .. }))
}

/// The cells with the index along an axis that rows go along, as bits.
fn counted_cells(code: &Code, axis: Option<u8>) -> u64 {
    code.before_row.iter().fold(0, |cells, instruction| match *instruction {
        Instruction::Iota { axis: of, out: Slot::Cell(cell) } if Some(of) == axis => {
            cells | 1u64.checked_shl(cell.into()).unwrap_or(0)
        }
        _ => cells,
    })
}

/// The folds of a nest.
fn folded(code: &Code, nest: &Nest) -> Vec<Folded> {
    let items = nest.fold.iter().flat_map(|fold| &fold.items);
    let folded = |(item, (fold, &source)): (usize, (&FoldItem, &FoldSource))| Folded {
        item: item as u16,
        reducer: fold.reducer,
        source,
    };
    items.zip(&code.sources).enumerate().map(folded).collect()
}
