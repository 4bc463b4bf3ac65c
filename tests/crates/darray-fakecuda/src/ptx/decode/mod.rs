//! A module as it is written into a program that the machine executes.

mod arithmetic;
mod control;
mod convert;
mod function;
mod instruction;
mod memory;
mod modifiers;
mod scope;

pub(crate) use memory::memory_type;

use super::PtxError;
use super::code::Code;
use super::parser;
use super::tree::{Initial, Module, Space, Variable};
use std::collections::HashMap;
use std::sync::Arc;

/// A variable of device memory: where it is put and what it holds at first.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its alignment in bytes.
    pub align: usize,
    /// Its length in bytes.
    pub bytes: usize,
}

/// What a launch of a kernel must keep to.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Most threads of a block.
    pub most_threads: u32,
    /// Bytes of shared memory that the text declares.
    pub shared: u32,
    /// Bytes of a thread's memory.
    pub local: u32,
    /// Offset and bytes of every parameter.
    pub parameters: Vec<(u32, u32)>,
    /// Bytes of all parameters.
    pub argument_bytes: u32,
}

/// A module ready to be launched.
#[derive(Debug)]
pub struct Program {
    /// Its text, from which faults quote.
    pub text: Arc<str>,
    /// Its kernels and device functions.
    pub(super) functions: Vec<Code>,
    /// Variables of device memory, their addresses and first bytes.
    pub globals: Vec<(Global, u64, Vec<u8>)>,
}

/// A text that was read; its variables have no place yet.
#[derive(Debug)]
pub struct Source {
    text: Arc<str>,
    module: Module,
}

impl Source {
    /// Reads a text.
    ///
    /// Errors: the line and what is unknown in it.
    pub fn new(text: &str) -> Result<Source, PtxError> {
        Ok(Source { text: text.into(), module: parser::parse(text)? })
    }

    /// Its program. `place` says at which address a variable of device memory lies.
    ///
    /// Errors: the line and what is unknown in it.
    pub fn program(
        &self,
        mut place: impl FnMut(&Global) -> Result<u64, PtxError>,
    ) -> Result<Program, PtxError> {
        let module = &self.module;
        let mut globals = Vec::new();
        let mut addresses = HashMap::new();
        for variable in device_variables(module) {
            let global = Global {
                name: variable.name.clone(),
                align: variable.align,
                bytes: variable.bytes(),
            };
            let address = place(&global)?;
            addresses.insert(variable.name.clone(), address);
            globals.push((global, address, Vec::new()));
        }
        for (slot, variable) in globals.iter_mut().zip(device_variables(module)) {
            slot.2 = first_bytes(variable, &addresses)?;
        }
        let functions = function::all(module, &addresses)?;
        Ok(Program { text: self.text.clone(), functions, globals })
    }
}

impl Program {
    /// The name of a kernel.
    pub fn name(&self, kernel: usize) -> &str {
        &self.functions[kernel].name
    }

    /// The program of a text, see [`Source`].
    ///
    /// Errors: the line and what is unknown in it.
    pub fn new(
        text: &str,
        place: impl FnMut(&Global) -> Result<u64, PtxError>,
    ) -> Result<Program, PtxError> {
        Source::new(text)?.program(place)
    }

    /// The index of a kernel.
    pub fn kernel(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|code| code.entry && code.name == name)
    }

    /// The name of a kernel.
    pub fn kernel_name(&self, kernel: usize) -> &str {
        &self.functions[kernel].name
    }

    /// The names of the kernels, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().filter(|code| code.entry).map(|code| code.name.as_str())
    }

    /// What a launch of a kernel must keep to.
    pub fn limits(&self, kernel: usize) -> Limits {
        let code = &self.functions[kernel];
        Limits {
            most_threads: code.most_threads,
            shared: code.shared,
            local: code.local,
            parameters: code.parameters.iter().map(|slot| (slot.offset, slot.bytes)).collect(),
            argument_bytes: code.parameter_bytes,
        }
    }
}

fn device_variables(module: &Module) -> impl Iterator<Item = &Variable> {
    module.variables.iter().filter(|v| matches!(v.space, Space::Global | Space::Const))
}

fn first_bytes(variable: &Variable, addresses: &HashMap<String, u64>) -> Result<Vec<u8>, PtxError> {
    let size = variable.element.bytes();
    let mut bytes = vec![0; variable.bytes()];
    for (index, value) in variable.values.iter().enumerate() {
        let bits = match value {
            Initial::Bits(bits) => *bits,
            Initial::Address(name, offset) => {
                let Some(address) = addresses.get(name) else {
                    let why = format!("{} points to {name}, which is unknown", variable.name);
                    return Err(PtxError::at(0, why));
                };
                address.wrapping_add_signed(*offset)
            }
        };
        let Some(place) = bytes.get_mut(index * size..(index + 1) * size) else {
            let why = format!("{} has more values than elements", variable.name);
            return Err(PtxError::at(0, why));
        };
        place.copy_from_slice(&bits.to_le_bytes()[..size]);
    }
    Ok(bytes)
}
