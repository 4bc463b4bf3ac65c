//! A nest with a layout to code.

mod placement;
mod registers;
mod steps;

use crate::code::{Code, FoldSource, Instruction, Primitive, Slot};
use crate::layout::{FoldMode, Layout};
use crate::program::{Nest, Phase, Program};
use darray_core::RealType;
use darray_kernel::ir::Value;
use placement::{Placement, find_placements};
use registers::Registers;
use smallvec::{Array, SmallVec};
use steps::{Kind, Step, Steps};

/// The code of a nest for a layout.
///
/// In order: drop what nothing uses; split what moves along the vector axis from what does not; let
/// contiguous loads and stores become memory operands; give the rest registers, used again after
/// the last use of their value.
pub fn specialise(program: &Program, nest: &Nest, layout: &Layout) -> Code {
    let steps = Steps::new(program, nest, layout);
    let placements = find_placements(program, nest, layout, &steps);
    let mut emitter = Emitter {
        program,
        layout,
        steps: &steps,
        placements,
        registers: Registers::default(),
        code: Code { cells: program.cells.count, element: 1, ..Code::default() },
    };
    for phase in [Phase::Before, Phase::Fold, Phase::After] {
        for (position, step) in steps.list.iter().enumerate() {
            if step.phase == phase && step.needed {
                emitter.step(position, step);
            }
        }
        if phase == Phase::Fold {
            emitter.sources(nest);
        }
    }
    emitter.code.registers = emitter.registers.count();
    emitter.code
}

struct Emitter<'p> {
    program: &'p Program,
    layout: &'p Layout,
    steps: &'p Steps,
    placements: Vec<Placement>,
    registers: Registers,
    code: Code,
}

impl Emitter<'_> {
    fn step(&mut self, position: usize, step: &Step) {
        if step.uniform {
            return self.uniform(step);
        }
        match step.kind {
            Kind::Apply(primitive) => self.apply(position, step, primitive),
            Kind::Load => self.load(step),
            Kind::Store => self.store(position, step),
            Kind::Index(axis) => {
                let out = self.define(step.result.expect("an index has a result"));
                self.list(step.phase, false).push(Instruction::Iota { axis, out });
            }
            Kind::Random(generator) => {
                let result = step.result.expect("random has a result");
                let dtype = self.dtype(result);
                let key = std::array::from_fn(|k| self.slot(step.args[k], step.phase));
                let counter = self.slot(step.args[4], step.phase);
                let out = self.define(result);
                self.release(position, |_| true);
                let code = Instruction::Random { generator, dtype, key, counter, out };
                self.list(step.phase, false).push(code);
            }
            Kind::Yield { item, index } => {
                let code = self.yielded(step, item, index);
                self.list(step.phase, false).push(code);
            }
            Kind::FoldEnd => {}
        }
    }

    fn apply(&mut self, position: usize, step: &Step, primitive: Primitive) {
        let phase = step.phase;
        let mut uniform = 0;
        for (k, &arg) in step.args.iter().enumerate() {
            uniform |= (self.steps.is_uniform(arg, phase) as u8) << k;
        }
        let args: SmallVec<[Slot; 4]> = self.slots(step);
        let result = step.result.expect("an operator has a result");
        let (program, size) = (self.program, self.dtype(result).size());
        let shrinks = |value: Value| program.dtypes[value.0 as usize].size() >= size;
        // A register may be read and written at once where elements do not grow.
        self.release(position, shrinks);
        let out = self.define(result);
        self.release(position, |value| !shrinks(value));
        let dtype = self.dtype(*step.args.last().expect("an operator has operands"));
        let code = Instruction::Compute { primitive, dtype, args, uniform, out };
        self.list(phase, false).push(code);
    }

    fn load(&mut self, step: &Step) {
        let result = step.result.expect("a load has a result");
        if let Placement::Access(_) = self.placements[result.0 as usize] {
            return;
        }
        let (out, dtype) = (self.define(result), self.dtype(result));
        let access = step.access.expect("a load has an access");
        self.list(step.phase, false).push(Instruction::Gather { access, dtype, out });
    }

    fn store(&mut self, position: usize, step: &Step) {
        let (phase, value, mask) = (step.phase, step.args[0], step.args.get(1).copied());
        let access = step.access.expect("a store has an access");
        if self.placements[value.0 as usize] != Placement::Access(access) {
            let code = Instruction::Scatter {
                access,
                dtype: self.dtype(value),
                value: self.slot(value, phase),
                uniform: self.steps.is_uniform(value, phase),
                mask: mask.map(|m| self.slot(m, phase)),
                mask_uniform: mask.is_some_and(|m| self.steps.is_uniform(m, phase)),
            };
            self.list(phase, false).push(code);
        }
        self.release(position, |_| true);
    }

    /// The same for a step that makes one element.
    fn uniform(&mut self, step: &Step) {
        let phase = step.phase;
        let dtype = |value: Value| self.program.dtypes[value.0 as usize];
        let args: SmallVec<[Slot; 4]> = match step.kind {
            Kind::Random(_) => SmallVec::new(),
            _ => self.slots(step),
        };
        let code = match step.kind {
            Kind::Apply(primitive) => {
                let last = dtype(*step.args.last().expect("an operator has operands"));
                let out = self.new_cell(step.result.expect("an operator has a result"));
                Instruction::Compute { primitive, dtype: last, args, uniform: 0, out }
            }
            Kind::Load => {
                let result = step.result.expect("a load has a result");
                let access = step.access.expect("a load has an access");
                Instruction::Gather { access, dtype: dtype(result), out: self.new_cell(result) }
            }
            Kind::Index(axis) => {
                let out = self.new_cell(step.result.expect("an index has a result"));
                Instruction::Iota { axis, out }
            }
            Kind::Random(generator) => {
                let result = step.result.expect("random has a result");
                let key = std::array::from_fn(|k| self.slot(step.args[k], phase));
                let counter = self.slot(step.args[4], phase);
                let (dtype, out) = (dtype(result), self.new_cell(result));
                Instruction::Random { generator, dtype, key, counter, out }
            }
            Kind::Store => Instruction::Scatter {
                access: step.access.expect("a store has an access"),
                dtype: dtype(step.args[0]),
                value: args[0],
                uniform: true,
                mask: args.get(1).copied(),
                mask_uniform: true,
            },
            Kind::Yield { item, index } => self.yielded(step, item, index),
            Kind::FoldEnd => return,
        };
        self.list(phase, true).push(code);
    }

    fn yielded(&self, step: &Step, item: u16, index: bool) -> Instruction {
        let access = step.access.expect("a yield has an access");
        let buffer = self.steps.buffers[access as usize];
        let dtype = self.program.buffers[buffer as usize].dtype;
        Instruction::Yield { access, dtype, item, index }
    }

    /// The values that the folds take, as blocks.
    fn sources(&mut self, nest: &Nest) {
        let Some(fold) = &nest.fold else { return };
        let mut filled = Vec::new();
        for item in &fold.items {
            let dtype = self.program.dtypes[item.value.0 as usize];
            let mut value = self.slot(item.value, Phase::Fold);
            if self.steps.is_uniform(item.value, Phase::Fold) {
                let register = self.fill(Phase::Fold, value, dtype);
                filled.push(register);
                value = Slot::Register(register);
            }
            self.code.sources.push(FoldSource { value, dtype });
        }
        filled.into_iter().for_each(|register| self.registers.free(register));
        let end = self.steps.fold_end;
        self.release(end, |_| true);
    }

    fn fill(&mut self, phase: Phase, value: Slot, dtype: RealType) -> u16 {
        let register = self.registers.take();
        self.code.element = self.code.element.max(dtype.size());
        let out = Slot::Register(register);
        self.list(phase, false).push(Instruction::Fill { dtype, value, out });
        register
    }

    /// Where a value is read in a phase.
    fn slot(&mut self, value: Value, phase: Phase) -> Slot {
        match self.placements[value.0 as usize] {
            Placement::Cell(cell) => Slot::Cell(cell),
            Placement::Access(access) => Slot::Access(access),
            Placement::Result(item) => Slot::Result(item),
            Placement::ResultIndex(item) => Slot::ResultIndex(item),
            Placement::Register(register) => {
                let by_element = phase == Phase::Fold && self.layout.mode == FoldMode::Lanes;
                if by_element && self.steps.defined_in[value.0 as usize] == Some(Phase::Before) {
                    let size = self.program.dtypes[value.0 as usize].size();
                    let entry = (register, size);
                    let known = self.code.kept.iter().position(|&k| k == entry);
                    Slot::Kept(known.unwrap_or_else(|| {
                        self.code.kept.push(entry);
                        self.code.kept.len() - 1
                    }) as u16)
                } else {
                    Slot::Register(register)
                }
            }
            Placement::None => unreachable!("%{} is used before it is defined", value.0),
        }
    }

    /// Where a step reads its operands.
    fn slots<A: Array<Item = Slot>>(&mut self, step: &Step) -> SmallVec<A> {
        let mut slots = SmallVec::new();
        for &arg in &step.args {
            slots.push(self.slot(arg, step.phase));
        }
        slots
    }

    /// Gives a vector value its place.
    fn define(&mut self, value: Value) -> Slot {
        if let Placement::Access(access) = self.placements[value.0 as usize] {
            return Slot::Access(access);
        }
        self.code.element = self.code.element.max(self.dtype(value).size());
        let register = self.registers.take();
        self.placements[value.0 as usize] = Placement::Register(register);
        Slot::Register(register)
    }

    fn dtype(&self, value: Value) -> RealType {
        self.program.dtypes[value.0 as usize]
    }

    fn new_cell(&mut self, value: Value) -> Slot {
        let placement = &mut self.placements[value.0 as usize];
        if let Placement::Cell(cell) = *placement {
            return Slot::Cell(cell);
        }
        let cell = self.code.cells;
        self.code.cells += 1;
        *placement = Placement::Cell(cell);
        Slot::Cell(cell)
    }

    /// Frees the registers of the values whose last use is here.
    fn release(&mut self, position: usize, which: impl Fn(Value) -> bool) {
        for &value in &self.steps.last_uses[position] {
            if let Placement::Register(register) = self.placements[value.0 as usize]
                && which(value)
            {
                self.registers.free(register);
            }
        }
    }

    fn list(&mut self, phase: Phase, row: bool) -> &mut Vec<Instruction> {
        match (phase, row) {
            (Phase::Before, true) => &mut self.code.before_row,
            (Phase::Before, false) => &mut self.code.before,
            (Phase::Fold, true) => &mut self.code.fold_row,
            (Phase::Fold, false) => &mut self.code.fold,
            (Phase::After, true) => &mut self.code.after_row,
            (Phase::After, false) => &mut self.code.after,
        }
    }
}
