//! Code with its functions found and its operands numbered: what the block loop runs.

use super::runs::{LEAST_RUN, Runs, run_length};
use crate::jit::{Native, Target};
use crate::level::Level;
use crate::vector::{Chain, ChainLink, Compute, find_chain, find_compute};
use darray_codegen::{Code, Instruction, Slot};
use darray_core::DType;
use darray_device::Fault;
use darray_kernel::random::BitGenerator;
use std::ops::Range;

/// An operand: a position in the pointer table of a [`Frame`](super::frame::Frame).
pub(super) type Pointer = u16;

/// One instruction, ready to run.
#[derive(Clone, Copy)]
pub(super) enum MachineOp {
    Compute {
        run: Compute,
        args: [Pointer; 4],
        out: Pointer,
    },
    Chain {
        run: Chain,
        first: Pointer,
        /// Where its links begin in [`Machine::links`], and how many there are.
        links: (u32, u32),
        out: Pointer,
    },
    Gather {
        access: u16,
        from: Pointer,
        out: Pointer,
        size: u8,
    },
    Scatter {
        access: u16,
        to: Pointer,
        value: Pointer,
        step: u8,
        size: u8,
    },
    Blend {
        access: u16,
        to: Pointer,
        value: Pointer,
        step: u8,
        mask: Pointer,
        mask_step: u8,
        size: u8,
    },
    Fill {
        value: Pointer,
        out: Pointer,
        size: u8,
    },
    Iota {
        axis: u8,
        out: Pointer,
    },
    Random {
        generator: BitGenerator,
        dtype: DType,
        key: [Pointer; 4],
        counter: Pointer,
        out: Pointer,
    },
    /// A compiled run of instructions, by its number in [`Machine::natives`].
    Native {
        number: u32,
    },
    Yield {
        to: Pointer,
        access: u16,
        item: u16,
        index: bool,
        size: u8,
    },
}

/// The lists of a [`Code`], and where its slots stand in the pointer table.
pub(super) struct Machine {
    pub table: Table,
    /// The links of all chains.
    pub links: Vec<ChainLink>,
    /// Compiled runs.
    pub natives: Vec<Native>,
    /// Block-sized registers that are used in memory; the others are in those of compiled runs.
    pub registers: u16,
    pub before_row: Vec<MachineOp>,
    pub before: Vec<MachineOp>,
    pub fold_row: Vec<MachineOp>,
    pub fold: Vec<MachineOp>,
    /// Where each fold reads.
    pub sources: Vec<Pointer>,
    pub after_row: Vec<MachineOp>,
    pub after: Vec<MachineOp>,
}

/// The pointer table: cells, registers, accesses, kept elements, results, their indices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Table {
    pub registers: usize,
    pub accesses: usize,
    pub kept: usize,
    pub results: usize,
    pub indices: usize,
    pub length: usize,
}

impl Machine {
    /// Finds the functions of `code` for a nest with so many accesses; compiles runs of instructions on
    /// blocks where there is a target.
    pub fn new(
        code: &Code,
        accesses: usize,
        level: Level,
        target: Option<Target>,
    ) -> Result<Machine, Fault> {
        let registers = code.cells as usize;
        let first_access = registers + code.registers as usize;
        let kept = first_access + accesses;
        let results = kept + code.kept.len();
        let indices = results + code.sources.len();
        let length = indices + code.sources.len();
        let table = Table { registers, accesses: first_access, kept, results, indices, length };
        let runs = target.map(|target| (target, Runs::new(code)));
        let mut resolver = Resolver { table, level, links: Vec::new(), natives: Vec::new(), runs };
        let before_row = resolver.row(&code.before_row)?;
        let before = resolver.blocks(&code.before)?;
        let fold_row = resolver.row(&code.fold_row)?;
        let fold = resolver.blocks(&code.fold)?;
        let sources = code.sources.iter().map(|source| resolver.slot(source.value)).collect();
        let after_row = resolver.row(&code.after_row)?;
        let after = resolver.blocks(&code.after)?;
        let Resolver { links, natives, runs, .. } = resolver;
        let registers = match runs {
            Some((_, runs)) if !runs.in_memory() => 0,
            _ => code.registers,
        };
        Ok(Machine {
            table,
            links,
            natives,
            registers,
            before_row,
            before,
            fold_row,
            fold,
            sources,
            after_row,
            after,
        })
    }
}

struct Resolver {
    table: Table,
    level: Level,
    links: Vec<ChainLink>,
    natives: Vec<Native>,
    /// What to compile, and for what; none: nothing.
    runs: Option<(Target, Runs)>,
}

impl Resolver {
    /// A list that runs on one element.
    fn row(&mut self, list: &[Instruction]) -> Result<Vec<MachineOp>, Fault> {
        list.iter().map(|instruction| self.resolve(instruction)).collect()
    }

    /// A list that runs on blocks.
    fn blocks(&mut self, list: &[Instruction]) -> Result<Vec<MachineOp>, Fault> {
        let mut ops = Vec::with_capacity(list.len());
        let mut at = 0;
        while at < list.len() {
            let run = self.runs.as_ref().map_or(0, |_| run_length(&list[at..]));
            if let Some(native) = self.native(list, at..at + run) {
                ops.push(MachineOp::Native { number: self.natives.len() as u32 });
                self.natives.push(native);
                at += run;
            } else {
                for instruction in &list[at..at + run.max(1)] {
                    ops.push(self.resolve(instruction)?);
                    if let Some((_, runs)) = &mut self.runs {
                        runs.interpreted(instruction);
                    }
                }
                at += run.max(1);
            }
        }
        Ok(ops)
    }

    /// A part of a list, compiled; none where that is not worth it or there is no memory for code.
    fn native(&mut self, list: &[Instruction], part: Range<usize>) -> Option<Native> {
        let run = &list[part.clone()];
        if run.len() < LEAST_RUN {
            return None;
        }
        let (target, runs) = self.runs.as_ref()?;
        let live = |register: u16| runs.is_live(register, &list[part.end..]);
        let native = Native::new(run, *target, |slot| self.slot(slot), live)?;
        self.runs.as_mut()?.1.compiled(run, &list[part.end..]);
        Some(native)
    }

    fn resolve(&mut self, instruction: &Instruction) -> Result<MachineOp, Fault> {
        let size = |dtype: DType| dtype.size() as u8;
        // Bytes from one element to the next; none where one serves for all.
        let step = |uniform: bool, dtype: DType| if uniform { 0 } else { size(dtype) };
        let access_pointer = |access: u16| (self.table.accesses + access as usize) as Pointer;
        Ok(match instruction {
            Instruction::Compute { primitive, dtype, args, uniform, out } => {
                let run = find_compute(*primitive, *dtype, *uniform, self.level);
                let run = run.ok_or_else(|| {
                    Fault::Compile(format!("no loop for {primitive}.{dtype} form {uniform:#b}"))
                })?;
                let mut pointers = [self.slot(args[0]); 4];
                for (pointer, &arg) in pointers.iter_mut().zip(args) {
                    *pointer = self.slot(arg);
                }
                MachineOp::Compute { run, args: pointers, out: self.slot(*out) }
            }
            Instruction::Chain { dtype, links, args, uniform, out } => {
                let run = find_chain(*dtype, self.level)
                    .ok_or_else(|| Fault::Compile(format!("no chains of {dtype}")))?;
                let first = self.slot(args[0]);
                let begin = self.links.len();
                let mut operand = 1;
                for &link in links {
                    let (mut pointer, mut one) = (first, false);
                    if link.has_operand() {
                        pointer = self.slot(args[operand]);
                        one = uniform >> operand & 1 == 1;
                        operand += 1;
                    }
                    self.links.push(ChainLink::new(link, one, pointer));
                }
                let links = (begin as u32, links.len() as u32);
                MachineOp::Chain { run, first, links, out: self.slot(*out) }
            }
            Instruction::Gather { access, dtype, out } => MachineOp::Gather {
                access: *access,
                from: access_pointer(*access),
                out: self.slot(*out),
                size: size(*dtype),
            },
            Instruction::Scatter { access, dtype, value, uniform, mask, mask_uniform } => {
                let (access, to, value) = (*access, access_pointer(*access), self.slot(*value));
                let (step, size) = (step(*uniform, *dtype), size(*dtype));
                match mask {
                    None => MachineOp::Scatter { access, to, value, step, size },
                    Some(mask) => MachineOp::Blend {
                        access,
                        to,
                        value,
                        step,
                        mask: self.slot(*mask),
                        mask_step: !*mask_uniform as u8,
                        size,
                    },
                }
            }
            Instruction::Fill { dtype, value, out } => MachineOp::Fill {
                value: self.slot(*value),
                out: self.slot(*out),
                size: size(*dtype),
            },
            Instruction::Iota { axis, out } => {
                MachineOp::Iota { axis: *axis, out: self.slot(*out) }
            }
            Instruction::Random { generator, dtype, key, counter, out } => MachineOp::Random {
                generator: *generator,
                dtype: *dtype,
                key: key.map(|k| self.slot(k)),
                counter: self.slot(*counter),
                out: self.slot(*out),
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

    fn slot(&self, slot: Slot) -> Pointer {
        let at = match slot {
            Slot::Cell(k) => k as usize,
            Slot::Register(k) => self.table.registers + k as usize,
            Slot::Access(k) => self.table.accesses + k as usize,
            Slot::Kept(k) => self.table.kept + k as usize,
            Slot::Result(k) => self.table.results + k as usize,
            Slot::ResultIndex(k) => self.table.indices + k as usize,
        };
        at as Pointer
    }
}
