//! Arguments for kernels, and NVRTC.

use darray_codegen::cuda::{Binding, Bindings};
use darray_core::Scalar;
use darray_core::settings::Settings;
use darray_cuda::{Compiler, Nvrtc, Target};
use darray_kernel::interpret::Launch;

/// NVRTC where it is. Else the test says that it is skipped, or fails if the settings want it.
pub fn compiler_or_skip() -> Option<Compiler> {
    let settings = Settings::global().expect("settings");
    match Nvrtc::load(settings.nvrtc.as_deref()) {
        Ok(nvrtc) => Some(Compiler::new(nvrtc, None)),
        Err(error) if settings.require_nvrtc => panic!("NVRTC is required: {error}"),
        Err(error) => {
            eprintln!("SKIPPED, no kernel is compiled: {error}");
            None
        }
    }
}

/// The PTX of a text, which must also give a cubin.
pub fn ptx(compiler: &Compiler, text: &str) -> String {
    let image = compiler.compile(text, Target::Ptx(90));
    let image = image.unwrap_or_else(|error| panic!("{error}\n{text}"));
    String::from_utf8(image.to_vec()).expect("PTX is text").trim_end_matches('\0').to_string()
}

/// The arguments of a launch over arrays in device memory.
pub struct Arguments {
    buffers: Vec<Binding>,
    params: Vec<i64>,
    scalars: Vec<u64>,
}

impl Arguments {
    /// Arrays lie at `addresses`.
    pub fn new(launch: &Launch, memory: &[Vec<Scalar>], addresses: &[u64]) -> Arguments {
        let buffer = |arg: &darray_kernel::interpret::BufferArg| {
            let array = &memory[arg.array];
            let size = array.first().map_or(1, |element| element.dtype().size());
            Binding {
                address: addresses[arg.array],
                bytes: (array.len() * size) as u64,
                offset: arg.offset,
                strides: arg.strides.clone(),
            }
        };
        Arguments {
            buffers: launch.buffers.iter().map(buffer).collect(),
            params: launch.params.clone(),
            scalars: launch.scalars.iter().map(|scalar| scalar.bits()).collect(),
        }
    }

    pub fn bindings(&self) -> Bindings<'_> {
        Bindings { buffers: &self.buffers, params: &self.params, scalars: &self.scalars }
    }
}
