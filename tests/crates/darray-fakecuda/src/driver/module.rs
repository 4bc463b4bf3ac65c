//! Modules: programs whose variables have their place on a device.

use super::Driver;
use super::code::{Answer, Code};
use super::graph::Executable;
use super::heap::Owner;
use super::operation::Operation;
use super::programs;
use crate::ptx::memory::Memory;
use crate::ptx::{Global, Limits, Program, PtxError};
use std::collections::HashMap;
use std::sync::Arc;

/// A module on a device.
#[derive(Debug)]
pub struct Module {
    /// The device.
    pub device: usize,
    /// The program.
    pub program: Arc<Program>,
}

/// A text that becomes a module on every device that uses it.
#[derive(Debug)]
pub struct Library {
    /// The text.
    pub text: Arc<str>,
    /// Modules by device.
    pub modules: HashMap<usize, u64>,
    /// Kernels by name.
    pub kernels: HashMap<String, u64>,
    /// What the kernels are on the devices that have used them.
    pub functions: HashMap<(usize, String), u64>,
}

/// A kernel of a module, or of a library on whatever device is current.
#[derive(Clone, Debug)]
pub enum Function {
    /// Of a module.
    Kernel {
        /// The module.
        module: Arc<Module>,
        /// Its index.
        kernel: usize,
        /// Its name.
        name: String,
        /// What launches must keep to.
        limits: Arc<Limits>,
        /// Most bytes of shared memory that the launch may add.
        most_dynamic_shared: u32,
    },
    /// Of a library.
    Library {
        /// The library.
        library: u64,
        /// Its name.
        name: String,
    },
}

/// Bytes of shared memory of a block where a kernel does not ask for more.
pub const SHARED: u32 = 48 << 10;

/// Most bytes of shared memory of a block.
pub const MOST_SHARED: u32 = 227 << 10;

impl Driver {
    /// Loads PTX on a device.
    pub fn load(&mut self, device: usize, text: &str) -> Answer<u64> {
        if self.config.version.is_some_and(|driver| ptx_major(text) > Some(driver / 1000)) {
            return Err(Code::UNSUPPORTED_PTX_VERSION);
        }
        let mut addresses = Vec::new();
        let mut lacking = None;
        let loaded = programs::program(text, |global: &Global| {
            let bytes = global.bytes as u64;
            let address = self.allocate_plain(device, bytes, Owner::Module);
            let address = address.map_err(|code| {
                lacking = Some(code);
                PtxError { line: 0, why: format!("no memory for {} ({})", global.name, code.0) }
            })?;
            addresses.push(address);
            Ok(address)
        });
        let program = match loaded {
            Ok(program) => program,
            Err(why) => {
                for address in addresses {
                    self.free(address).ok();
                }
                // Want of memory for a variable is no fault of the program.
                if let Some(code) = lacking {
                    return Err(code);
                }
                self.counters.early_unloads += 1;
                self.report(format!("module: {why}"));
                return Err(Code::INVALID_PTX);
            }
        };
        for (_, address, bytes) in &program.globals {
            let place = self.memory(device).find(*address, bytes.len() as u64);
            let place = place.map_err(|_| Code::UNKNOWN)?;
            // SAFETY: the allocation has as many bytes as the variable.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), place.host, bytes.len());
            }
        }
        let handle = self.handle();
        self.modules.insert(handle, Arc::new(Module { device, program }));
        Ok(handle)
    }

    /// Forgets a module and frees its variables; not while a graph is there that launches one of its kernels.
    pub fn unload(&mut self, handle: u64) -> Answer {
        let module = self.modules.get(&handle).ok_or(Code::INVALID_HANDLE)?.clone();
        let launches = |executable: &Executable| {
            executable.nodes.iter().any(|node| match &node.operation {
                Operation::Kernel(kernel) => Arc::ptr_eq(&kernel.module, &module),
                _ => false,
            })
        };
        if self.executables.values().any(launches) {
            self.counters.early_unloads += 1;
            self.report(format!("module {handle:#x} is unloaded before a graph that launches it"));
            return Err(Code::INVALID_HANDLE);
        }
        self.modules.remove(&handle);
        self.functions.retain(|_, function| match function {
            Function::Kernel { module: other, .. } => !Arc::ptr_eq(other, &module),
            Function::Library { .. } => true,
        });
        for (_, address, _) in &module.program.globals {
            self.free(*address)?;
        }
        Ok(())
    }

    /// A handle of a kernel of a module.
    pub fn function(&mut self, module: u64, name: &str) -> Answer<u64> {
        let module = self.modules.get(&module).ok_or(Code::INVALID_HANDLE)?.clone();
        let kernel = module.program.kernel(name).ok_or(Code::NOT_FOUND)?;
        let limits = Arc::new(module.program.limits(kernel));
        let most_dynamic_shared = SHARED.saturating_sub(limits.shared);
        let name = name.to_string();
        let function = Function::Kernel { module, kernel, name, limits, most_dynamic_shared };
        let handle = self.handle();
        self.functions.insert(handle, function);
        Ok(handle)
    }

    /// The kernel that a handle means on a device.
    pub fn kernel_function(&mut self, function: u64, device: usize) -> Answer<u64> {
        match self.functions.get(&function).ok_or(Code::INVALID_HANDLE)? {
            Function::Kernel { .. } => Ok(function),
            Function::Library { library, name } => {
                let (library, name) = (*library, name.clone());
                let module = self.library_module(library, device)?;
                let key = (device, name);
                let known = |found: &Library| found.functions.get(&key).copied();
                if let Some(function) = self.libraries.get(&library).and_then(known) {
                    return Ok(function);
                }
                let function = self.function(module, &key.1)?;
                if let Some(found) = self.libraries.get_mut(&library) {
                    found.functions.insert(key, function);
                }
                Ok(function)
            }
        }
    }

    /// What a library is on a device.
    pub fn library_module(&mut self, library: u64, device: usize) -> Answer<u64> {
        let found = self.libraries.get(&library).ok_or(Code::INVALID_HANDLE)?;
        if let Some(module) = found.modules.get(&device) {
            return Ok(*module);
        }
        let text = found.text.clone();
        let module = self.load(device, &text)?;
        if let Some(library) = self.libraries.get_mut(&library) {
            library.modules.insert(device, module);
        }
        Ok(module)
    }
}

/// The major version of CUDA in which a PTX text's version came up: 12 for 8.x.
fn ptx_major(text: &str) -> Option<u32> {
    let version = text.lines().find_map(|line| line.trim().strip_prefix(".version"))?;
    version.trim().split('.').next()?.parse::<u32>().ok().map(|major| major + 4)
}
