//! Code with its functions found and its operands numbered: what the block loop runs.

use crate::level::Level;
use crate::vector::{Chain, ChainLink, Compute, find_chain, find_compute};
use darray_codegen::{Code, Instruction, Slot};
use darray_core::DType;
use darray_device::Fault;
use darray_kernel::random::BitGenerator;

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
    /// Finds the functions of `code` for a nest with so many accesses.
    pub fn new(code: &Code, accesses: usize, level: Level) -> Result<Machine, Fault> {
        let registers = code.cells as usize;
        let first_access = registers + code.registers as usize;
        let kept = first_access + accesses;
        let results = kept + code.kept.len();
        let indices = results + code.sources.len();
        let length = indices + code.sources.len();
        let table = Table { registers, accesses: first_access, kept, results, indices, length };
        let mut resolver = Resolver { table, level, links: Vec::new() };
        Ok(Machine {
            table,
            before_row: resolver.list(&code.before_row)?,
            before: resolver.list(&code.before)?,
            fold_row: resolver.list(&code.fold_row)?,
            fold: resolver.list(&code.fold)?,
            sources: code.sources.iter().map(|source| resolver.slot(source.value)).collect(),
            after_row: resolver.list(&code.after_row)?,
            after: resolver.list(&code.after)?,
            links: resolver.links,
        })
    }
}

struct Resolver {
    table: Table,
    level: Level,
    links: Vec<ChainLink>,
}

impl Resolver {
    fn list(&mut self, list: &[Instruction]) -> Result<Vec<MachineOp>, Fault> {
        list.iter().map(|instruction| self.resolve(instruction)).collect()
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
