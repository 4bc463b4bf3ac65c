//! Instructions to what the block loop runs.

use super::coverage::Coverage;
use super::one_list::fold_in_one_list;
use super::operations::{MachineOp, Pointer, Points};
use super::points;
use super::runs::{Rest, Runs, is_costly, is_move, run_length};
use super::table::Table;
use crate::jit::{Folded, Native, Place, Run, Target, Traffic, is_in, written_access};
use crate::listing::Function;
use crate::vector::find_compute;
use darray_codegen::{Code, Instruction, Layout, Nest, Phase, Slot};
use darray_core::RealType;
use darray_device::Fault;
use std::ops::Range;

/// Machine code for a run, which lists of functions get, too; none where there is no memory for code, which is noted.
fn compile(
    run: &Run<'_>,
    target: Target,
    coverage: &mut Coverage,
    functions: &mut Option<Vec<Function>>,
) -> Option<Native> {
    let native = Native::new(run, target);
    coverage.memory += u32::from(native.is_none());
    if let (Some(functions), Some(native)) = (functions, &native) {
        functions.extend(native.listings(run, target));
    }
    native
}

/// Finds the function of every instruction, compiling what can be.
pub(in super::super) struct Resolver<'c> {
    table: Table,
    layout: &'c Layout,
    pub natives: Vec<Native>,
    /// What to compile; none: nothing.
    pub runs: Option<Runs>,
    /// What is wanted of machine code.
    traffic: Traffic,
    /// Accesses that it writes with non-temporal stores, as bits.
    pub non_temporal: u64,
    pub coverage: Coverage,
    /// What the natives are, if it is asked for.
    pub functions: Option<Vec<Function>>,
}

impl<'c> Resolver<'c> {
    /// Has resolved nothing yet.
    pub fn new(
        table: Table,
        layout: &'c Layout,
        runs: Option<Runs>,
        traffic: Traffic,
    ) -> Resolver<'c> {
        let coverage = Coverage { is_on: runs.is_some(), ..Coverage::default() };
        Resolver {
            table,
            layout,
            natives: Vec::new(),
            runs,
            traffic,
            non_temporal: 0,
            coverage,
            functions: None,
        }
    }

    /// A list that runs on one element: functions are compiled, what is cheap is one loop each.
    pub fn row(&mut self, list: &[Instruction]) -> Result<Vec<MachineOp>, Fault> {
        if list.iter().any(is_costly) {
            return self.list(list);
        }
        list.iter().map(|instruction| self.resolve(instruction)).collect()
    }

    /// A list that runs on blocks.
    pub fn blocks(&mut self, list: &[Instruction]) -> Result<Vec<MachineOp>, Fault> {
        self.list(list)
    }

    /// The function that folds points of a few elements, if that is wanted and can be.
    pub fn points(&mut self, code: &Code, nest: &Nest, items: &[Folded]) -> Option<Points> {
        let elements = usize::from(self.traffic.points);
        let target = self.runs.as_ref()?.target;
        if elements == 0 {
            return None;
        }
        let mut list = points::instructions(code, nest, self.layout, items, elements)?;
        let count = nest.accesses.len();
        // Registers of the block are not read from one of its points on.
        let is_alone = code.before.is_empty() && code.kept.is_empty();
        let wanted = is_alone && self.traffic.stores;
        let stored = if wanted { points::with_after(code, self.layout, &list) } else { None };
        let stores = stored.is_some();
        list = stored.unwrap_or(list);
        let in_fold = |access: u16| nest.accesses[usize::from(access)].1 == Phase::Fold;
        let pointer = |place: Place| match place {
            Place::Slot(Slot::Access(access)) if usize::from(access) >= count => {
                (self.table.length + usize::from(access) - count) as Pointer
            }
            // Lines are asked for by the first element.
            Place::Slot(Slot::Access(access)) if in_fold(access) => {
                (self.table.length + usize::from(access)) as Pointer
            }
            place => self.table.place(place),
        };
        let across = if is_alone { self.traffic.across } else { 0 };
        let asks = elements == 1 || across != 0;
        let traffic = Traffic {
            non_temporal: if stores { self.traffic.non_temporal } else { 0 },
            prefetched: if asks { self.traffic.prefetched } else { 0 },
            points: elements as u8,
            across,
            ..Traffic::default()
        };
        let first = self.table.length as u16;
        let run = Run {
            instructions: &list,
            pointer: &pointer,
            accesses: first..first + count as u16,
            is_live: &|_| false,
            traffic,
        };
        let native = compile(&run, target, &mut self.coverage, &mut self.functions)?;
        self.non_temporal |=
            run.written_non_temporal().fold(0, |non_temporal, access| non_temporal | 1 << access);
        self.natives.push(native);
        Some(Points { number: self.natives.len() as u32 - 1, elements, stores })
    }

    /// The function that does all of the body of a fold, and folds, if it can be.
    pub fn fold_function(
        &mut self,
        code: &Code,
        nest: &Nest,
        items: &[Folded],
    ) -> Option<(Native, bool)> {
        let target = self.runs.as_ref()?.target;
        let (instructions, sources) = fold_in_one_list(code, &self.layout.classes)?;
        let items: Vec<Folded> =
            items.iter().zip(sources).map(|(fold, source)| Folded { source, ..*fold }).collect();
        let first = self.table.accesses as u16;
        let count = nest.accesses.len() + code.kept.len();
        let Traffic { prefetched, backward, lanes, .. } = self.traffic;
        let mut run = Run {
            instructions: &instructions,
            pointer: &|place| self.table.place(place),
            accesses: first..first + count as u16,
            is_live: &|_| false,
            traffic: Traffic { prefetched, backward, lanes, ..Traffic::default() },
        };
        let mut native = Native::of_fold(&run, &items, self.layout.mode, target);
        if native.is_none() && lanes > 0 {
            run.traffic.lanes = 0;
            native = Native::of_fold(&run, &items, self.layout.mode, target);
        }
        let native = native?;
        if let Some(functions) = &mut self.functions {
            functions.extend(native.listings(&run, target));
        }
        Some((native, run.traffic.lanes > 0))
    }

    /// A list that runs on blocks.
    fn list(&mut self, list: &[Instruction]) -> Result<Vec<MachineOp>, Fault> {
        let mut ops = Vec::with_capacity(list.len() + 1);
        let mut at = 0;
        let rows = self.traffic.pieces || self.writes_non_temporal(list);
        let worth = !list.iter().all(is_move) || rows;
        let compiles = worth && self.runs.is_some();
        while at < list.len() {
            let run = if compiles { run_length(&list[at..], &self.layout.classes) } else { 0 };
            if run == 0 {
                let instruction = &list[at];
                ops.push(self.resolve(instruction)?);
                self.coverage.unknown += u32::from(compiles && !is_move(instruction));
                self.runs.iter_mut().for_each(|runs| runs.interpreted(instruction));
                at += 1;
                continue;
            }
            if let Some(native) = self.native(list, at..at + run) {
                self.push(&mut ops, native);
            }
            at += run;
        }
        Ok(ops)
    }

    /// Whether machine code would write with non-temporal stores what a loop of the table would not.
    fn writes_non_temporal(&self, list: &[Instruction]) -> bool {
        let mut written = list.iter().filter_map(written_access);
        written.any(|access| is_in(self.traffic.non_temporal, access))
    }

    fn push(&mut self, ops: &mut Vec<MachineOp>, native: Native) {
        ops.push(MachineOp::Native { number: self.natives.len() as u32 });
        self.natives.push(native);
        self.coverage.compiled += 1;
    }

    /// A part of a list; none where there is no memory for code, which is noted.
    fn native(&mut self, list: &[Instruction], part: Range<usize>) -> Option<Native> {
        let (run, rest) = (&list[part.clone()], &list[part.end..]);
        let rest = Rest { instructions: rest };
        let runs = self.runs.as_ref()?;
        let code = Run {
            instructions: run,
            pointer: &|place| self.table.place(place),
            accesses: self.table.accesses as u16
                ..(self.table.accesses + self.layout.classes.len()) as u16,
            is_live: &|register| runs.is_live(register, rest),
            traffic: Traffic { points: 0, across: 0, ..self.traffic },
        };
        let native = compile(&code, runs.target, &mut self.coverage, &mut self.functions);
        self.non_temporal |=
            code.written_non_temporal().fold(0, |non_temporal, access| non_temporal | 1 << access);
        self.runs.as_mut()?.compiled(run, rest);
        native
    }

    fn resolve(&mut self, instruction: &Instruction) -> Result<MachineOp, Fault> {
        let size = |dtype: RealType| dtype.size() as u8;
        // Bytes from one element to the next; none where one serves for all.
        let step = |uniform: bool, dtype: RealType| if uniform { 0 } else { size(dtype) };
        let access_pointer = |access: u16| (self.table.accesses + access as usize) as Pointer;
        Ok(match instruction {
            Instruction::Compute { primitive, dtype, args, uniform, out } => {
                let run = find_compute(*primitive, *dtype)
                    .ok_or_else(|| Fault::Compile(format!("no loop for {primitive}.{dtype}")))?;
                let mut pointers = [self.table.slot(args[0]); 4];
                for (pointer, &arg) in pointers.iter_mut().zip(args) {
                    *pointer = self.table.slot(arg);
                }
                let (uniform, out) = (*uniform, self.table.slot(*out));
                MachineOp::Compute { run, args: pointers, uniform, out }
            }
            Instruction::Gather { access, dtype, out } => MachineOp::Gather {
                access: *access,
                from: access_pointer(*access),
                out: self.table.slot(*out),
                size: size(*dtype),
            },
            Instruction::Scatter { access, dtype, value, uniform, mask, mask_uniform } => {
                let (access, to, value) =
                    (*access, access_pointer(*access), self.table.slot(*value));
                let (step, size) = (step(*uniform, *dtype), size(*dtype));
                match mask {
                    None => MachineOp::Scatter { access, to, value, step, size },
                    Some(mask) => MachineOp::Blend {
                        access,
                        to,
                        value,
                        step,
                        mask: self.table.slot(*mask),
                        mask_step: !*mask_uniform as u8,
                        size,
                    },
                }
            }
            Instruction::Fill { dtype, value, out } => MachineOp::Fill {
                value: self.table.slot(*value),
                out: self.table.slot(*out),
                size: size(*dtype),
            },
            Instruction::Iota { axis, out } => {
                MachineOp::Iota { axis: *axis, out: self.table.slot(*out) }
            }
            Instruction::Random { generator, dtype, key, counter, out } => MachineOp::Random {
                generator: *generator,
                dtype: *dtype,
                key: key.map(|k| self.table.slot(k)),
                counter: self.table.slot(*counter),
                out: self.table.slot(*out),
            },
            Instruction::Yield { access, dtype, item, index } => MachineOp::Yield {
                to: access_pointer(*access),
                access: *access,
                item: *item,
                index: *index,
                size: size(*dtype),
            },
        })
    }
}
