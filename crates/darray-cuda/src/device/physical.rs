//! GPUs and the code that is loaded there.

use super::lock;
use crate::compile::{Compiler, Target};
use crate::driver::{Context, Function, Module};
use crate::error::CudaError;
use hashbrown::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A GPU, which several logical devices may share.
pub(super) struct Physical {
    pub context: Arc<Context>,
    /// The capability to compile for.
    capability: u32,
    /// Whether the driver gets PTX: it refused a cubin, or NVRTC has none for this GPU.
    translates: AtomicBool,
    /// By text.
    functions: Mutex<HashMap<String, Arc<Vec<Function>>>>,
}

impl Physical {
    pub fn new(context: Arc<Context>, compiler: &Compiler) -> Result<Physical, CudaError> {
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
        Ok(Physical { context, capability, translates, functions: Mutex::default() })
    }

    /// The kernels of a text, which is always asked for the same ones, compiled and loaded on first
    /// use. The first module that is loaded shows
    /// whether the driver takes cubins; if it refuses, it gets PTX from then on.
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
        let module = self.load(compiler, source)?;
        let functions = entries.iter().map(|entry| module.function(entry.as_ref()));
        let functions = Arc::new(functions.collect::<Result<Vec<_>, _>>()?);
        lock(&self.functions).insert(source.to_string(), functions.clone());
        Ok(functions)
    }

    fn load(&self, compiler: &Compiler, source: &str) -> Result<Arc<Module>, CudaError> {
        if !self.translates.load(Ordering::Relaxed) {
            let image = compiler.compile(source, Target::Cubin(self.capability))?;
            match Module::load(&self.context, &image) {
                Err(error) if error.is_refused_image() => {
                    self.translates.store(true, Ordering::Relaxed);
                }
                result => return result,
            }
        }
        let image = compiler.compile(source, Target::Ptx(self.capability))?;
        Module::load(&self.context, &image)
    }
}
