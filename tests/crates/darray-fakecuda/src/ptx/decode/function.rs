//! The functions of a module.

use super::scope::{Named, Scope};
use crate::ptx::PtxError;
use crate::ptx::code::{Code, Condition, Instruction, Operation, Slot};
use crate::ptx::tree::{self, Function, Module, Space, Statement, Variable};
use std::collections::HashMap;

/// Most threads of a block where the text says nothing.
const MOST_THREADS: u32 = 1024;

/// All functions of a module, in the order of the text.
pub(super) fn all(
    module: &Module,
    addresses: &HashMap<String, u64>,
) -> Result<Vec<Code>, PtxError> {
    let names: HashMap<&str, usize> =
        module.functions.iter().enumerate().map(|(at, f)| (f.name.as_str(), at)).collect();
    let mut shared = 0;
    let mut visible: Vec<(&str, Named)> =
        addresses.iter().map(|(name, address)| (name.as_str(), Named::Global(*address))).collect();
    for variable in module.variables.iter().filter(|v| v.space == Space::Shared) {
        visible.push((&variable.name, place_shared(variable, &mut shared)));
    }
    let decode = |function| Decoder::new(function, &names, &visible, shared).function(function);
    module.functions.iter().map(decode).collect()
}

fn place_shared(variable: &Variable, end: &mut u32) -> Named {
    if variable.count.is_none() {
        return Named::DynamicShared;
    }
    let offset = (*end as usize).next_multiple_of(variable.align);
    *end = (offset + variable.bytes()) as u32;
    Named::Shared(offset as u64)
}

/// A function while it is decoded.
pub(super) struct Decoder<'a> {
    pub scope: Scope,
    pub functions: &'a HashMap<&'a str, usize>,
    pub entry: bool,
    pub results: Vec<Slot>,
    instructions: Vec<Instruction>,
    labels: HashMap<String, u32>,
    /// Labels that branches pick from.
    pub tables: HashMap<String, Vec<String>>,
    /// Branches whose targets are not known yet: instruction, labels, line.
    pending: Vec<(usize, Vec<String>, u32)>,
    shared: u32,
}

impl<'a> Decoder<'a> {
    fn new(
        function: &Function,
        functions: &'a HashMap<&'a str, usize>,
        visible: &[(&str, Named)],
        shared: u32,
    ) -> Decoder<'a> {
        let mut scope = Scope::new();
        for (name, named) in visible {
            scope.name(name, *named);
        }
        Decoder {
            scope,
            functions,
            entry: function.entry,
            results: Vec::new(),
            instructions: Vec::new(),
            labels: HashMap::new(),
            tables: HashMap::new(),
            pending: Vec::new(),
            shared,
        }
    }

    fn function(mut self, function: &Function) -> Result<Code, PtxError> {
        let (parameters, parameter_bytes) = self.parameters(function);
        for result in &function.results {
            let slot = self.slot(result);
            self.results.push(slot);
        }
        let mut origins = Vec::new();
        for statement in &function.body {
            match statement {
                Statement::Open => self.scope.open(),
                Statement::Close => self.scope.close(),
                Statement::Registers(kind, names) => {
                    for (name, count) in names {
                        let declared = self.scope.declare(name, *count, *kind);
                        declared.map_err(|why| PtxError::at(0, why))?;
                    }
                }
                Statement::Variable(variable) => self.variable(variable),
                Statement::Label(name) => {
                    self.labels.insert(name.clone(), self.instructions.len() as u32);
                }
                Statement::Targets(name, labels) => {
                    self.tables.insert(name.clone(), labels.clone());
                }
                Statement::Instruction(instruction) => {
                    self.instruction(instruction).map_err(|why| {
                        let what = written(instruction);
                        PtxError::at(instruction.line, format!("`{what}`: {why}"))
                    })?;
                    let (start, end) = instruction.span;
                    origins.resize(
                        self.instructions.len(),
                        (start as u32, end as u32, instruction.line),
                    );
                }
            }
        }
        self.instructions.push(Instruction { guard: None, operation: Operation::Return });
        origins.push((0, 0, 0));
        self.resolve()?;
        Ok(Code {
            name: function.name.clone(),
            entry: function.entry,
            instructions: self.instructions,
            origins,
            registers: self.scope.registers,
            predicates: self.scope.predicates,
            constants: self.scope.constants,
            specials: self.scope.specials,
            local: self.scope.most_local,
            shared: self.shared,
            parameters,
            results: self.results,
            parameter_bytes,
            most_threads: function.most_threads.unwrap_or(MOST_THREADS),
        })
    }

    /// Parameters of a kernel are bytes of its arguments, those of a function lie in its memory.
    fn parameters(&mut self, function: &Function) -> (Vec<Slot>, u32) {
        let mut end = 0;
        let mut slots = Vec::new();
        for parameter in &function.parameters {
            if !function.entry {
                let slot = self.slot(parameter);
                slots.push(slot);
                continue;
            }
            let offset = (end as usize).next_multiple_of(parameter.align);
            let slot = Slot { offset: offset as u32, bytes: parameter.bytes() as u32 };
            end = slot.offset + slot.bytes;
            self.scope.name(&parameter.name, Named::Parameter(offset as u64));
            slots.push(slot);
        }
        (slots, end)
    }

    fn slot(&mut self, variable: &Variable) -> Slot {
        let bytes = variable.bytes();
        let offset = self.scope.place(bytes, variable.align);
        self.scope.name(&variable.name, Named::Local(offset));
        Slot { offset, bytes: bytes as u32 }
    }

    fn variable(&mut self, variable: &Variable) {
        match variable.space {
            Space::Shared => {
                let named = place_shared(variable, &mut self.shared);
                self.scope.name(&variable.name, named);
            }
            _ => {
                self.slot(variable);
            }
        }
    }

    /// Appends an instruction.
    pub fn push(&mut self, guard: Option<Condition>, operation: Operation) {
        self.instructions.push(Instruction { guard, operation });
    }

    /// Appends a branch to labels that may come later.
    pub fn push_branch(
        &mut self,
        guard: Option<Condition>,
        operation: Operation,
        labels: Vec<String>,
        line: u32,
    ) {
        self.pending.push((self.instructions.len(), labels, line));
        self.push(guard, operation);
    }

    fn resolve(&mut self) -> Result<(), PtxError> {
        for (at, labels, line) in std::mem::take(&mut self.pending) {
            let target = |label: &String| {
                let found = self.labels.get(label).copied();
                found.ok_or_else(|| PtxError::at(line, format!("there is no label {label}")))
            };
            let targets: Vec<u32> = labels.iter().map(target).collect::<Result<_, _>>()?;
            match &mut self.instructions[at].operation {
                Operation::Branch(to) => *to = targets[0],
                Operation::BranchTable { targets: table, .. } => *table = targets,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Opcode and modifiers of an instruction.
fn written(instruction: &tree::Instruction) -> String {
    let parts = std::iter::once(&instruction.opcode).chain(&instruction.modifiers);
    parts.map(String::as_str).collect::<Vec<_>>().join(".")
}
