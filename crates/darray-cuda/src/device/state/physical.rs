//! GPUs and the code that is loaded there.

use super::source::CudaSource;
use crate::compile::{Compiler, Nvrtc, Target};
use crate::device::lock;
use crate::driver::{Context, Driver, Function, Module};
use crate::error::CudaError;
use hashbrown::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// A GPU, which several logical devices may share.
pub(in crate::device) struct Physical {
    pub context: Arc<Context>,
    driver: Driver,
    /// The capability to compile for.
    capability: u32,
    /// Whether the driver gets PTX: it refused a cubin, or NVRTC has none for this GPU.
    translates: AtomicBool,
    /// Of this crate's own texts, which are few.
    functions: Mutex<HashMap<String, Arc<Vec<Function>>>>,
    /// Of texts that come and go with the kernels of programs.
    passing: Mutex<Passing>,
    /// Of texts that programs wrote, by their addresses.
    programs: Mutex<HashMap<usize, Program>>,
}

/// A text that a program wrote, as long as the program has it.
struct Program {
    /// Keeps the address from being used again.
    text: Weak<str>,
    module: Arc<Module>,
    /// The kernels that were asked for: one each.
    kernels: Vec<(String, Arc<Vec<Function>>)>,
}

/// Modules as long as somebody has functions of them.
#[derive(Default)]
struct Passing {
    modules: HashMap<String, Weak<Module>>,
    /// When to drop the texts of those that are gone.
    sweep_at: usize,
}

impl Physical {
    pub fn new(
        driver: Driver,
        context: Arc<Context>,
        compiler: &Compiler,
    ) -> Result<Physical, CudaError> {
        let known = compiler.nvrtc().capabilities();
        let own = context.card.capability;
        let Some(&capability) = known.iter().rfind(|c| **c <= own) else {
            return Err(CudaError::Unsupported(format!(
                "cuda:{} is of capability {own}, and {:?} compiles for {known:?} only",
                context.card.ordinal,
                compiler.nvrtc()
            )));
        };
        let translates = AtomicBool::new(capability != own);
        let (functions, passing, programs) = Default::default();
        Ok(Physical { context, driver, capability, translates, functions, passing, programs })
    }

    /// Whether the units for matrices of f64 add products one by one in the order of the summed axis, each rounded as a
    /// fused multiply-add is: what was seen of capability 9.0, and is documented of none.
    pub fn chains_matrix_steps(&self) -> bool {
        self.capability == 90 && self.context.card.capability == 90
    }

    /// The kernels of one of this crate's texts, which is always asked for the same ones, compiled and
    /// loaded on first use, and kept.
    pub fn functions(
        &self,
        compiler: &Compiler,
        source: &str,
        entries: &[impl AsRef<str>],
    ) -> Result<Arc<Vec<Function>>, CudaError> {
        if let Some(known) = lock(&self.functions).get(source) {
            return Ok(known.clone());
        }
        self.context.bind()?;
        let module = self.load(Compiler::compile_own, compiler, source)?;
        let functions = entries.iter().map(|entry| module.function(entry.as_ref()));
        let functions = Arc::new(functions.collect::<Result<Vec<_>, _>>()?);
        lock(&self.functions).insert(source.to_string(), functions.clone());
        Ok(functions)
    }

    /// The kernels of a text, compiled and loaded where nobody has it loaded. The text is unloaded
    /// after the last of its functions is dropped.
    pub fn passing_functions(
        &self,
        compiler: &Compiler,
        source: &str,
        entries: &[impl AsRef<str>],
    ) -> Result<Vec<Function>, CudaError> {
        self.context.bind()?;
        let known = lock(&self.passing).modules.get(source).and_then(Weak::upgrade);
        let module = match known {
            Some(module) => module,
            None => {
                let module = self.load(Compiler::compile_own, compiler, source)?;
                lock(&self.passing).insert(source, &module);
                module
            }
        };
        entries.iter().map(|entry| module.function(entry.as_ref())).collect()
    }

    /// A kernel of a text that a program wrote, which is compiled and loaded on first use, and unloaded after
    /// the program has dropped it. The context is bound.
    pub fn program_function(
        &self,
        compiler: &Compiler,
        source: &CudaSource,
        kernel: &str,
    ) -> Result<Arc<Vec<Function>>, CudaError> {
        let text = source.shared();
        let key = text.as_ptr() as usize;
        if let Some(program) = lock(&self.programs).get_mut(&key) {
            return program.kernel(kernel);
        }
        let module = self.load(Compiler::compile, compiler, text)?;
        let mut program = Program { text: Arc::downgrade(text), module, kernels: Vec::new() };
        let found = program.kernel(kernel)?;
        let mut programs = lock(&self.programs);
        programs.retain(|_, program| program.text.strong_count() > 0);
        programs.insert(key, program);
        Ok(found)
    }

    /// Compiles and loads a text. The first module that is loaded shows whether the driver takes
    /// cubins; if it refuses, it gets PTX from then on. If it refuses that too, the error says which versions do
    /// not go together.
    fn load(
        &self,
        compile: impl Fn(&Compiler, &str, Target) -> Result<Arc<[u8]>, CudaError>,
        compiler: &Compiler,
        source: &str,
    ) -> Result<Arc<Module>, CudaError> {
        if !self.translates.load(Ordering::Relaxed) {
            let image = compile(compiler, source, Target::Cubin(self.capability))?;
            match Module::load(&self.context, &image) {
                Err(error) if error.is_refused_image() => {
                    self.translates.store(true, Ordering::Relaxed);
                }
                result => return result,
            }
        }
        let image = compile(compiler, source, Target::Ptx(self.capability))?;
        Module::load(&self.context, &image).map_err(|error| self.explain(compiler.nvrtc(), error))
    }

    /// Which versions are at odds where the driver refuses an image.
    fn explain(&self, nvrtc: &Nvrtc, error: CudaError) -> CudaError {
        if !error.is_refused_image() {
            return error;
        }
        let Ok(driver) = self.driver.version() else { return error };
        let (file, refusal) = (nvrtc.file().to_string(), error.to_string());
        CudaError::RefusedCode { driver, nvrtc: nvrtc.version(), file, refusal }
    }
}

impl Program {
    fn kernel(&mut self, name: &str) -> Result<Arc<Vec<Function>>, CudaError> {
        if let Some((_, known)) = self.kernels.iter().find(|(known, _)| known == name) {
            return Ok(known.clone());
        }
        let function = Arc::new(vec![self.module.function(name)?]);
        self.kernels.push((name.to_string(), function.clone()));
        Ok(function)
    }
}

impl Passing {
    fn insert(&mut self, source: &str, module: &Arc<Module>) {
        if self.modules.len() >= self.sweep_at {
            self.modules.retain(|_, module| module.strong_count() > 0);
            self.sweep_at = 256.max(2 * self.modules.len());
        }
        self.modules.insert(source.to_string(), Arc::downgrade(module));
    }
}
