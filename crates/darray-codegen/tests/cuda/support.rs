//! Arguments for kernels, and NVRTC.

use darray_codegen::cuda::{Binding, Bindings, CudaKernel, Source};
use darray_core::settings::Settings;
use darray_core::{RealType, Scalar};
use darray_cuda::{Compiler, Nvrtc, Target};
use darray_differential::{Case, Dice};
use darray_fakecuda::without_nvrtc;
use darray_interpreter::{BufferArg, Launch};
use darray_kernel::ir::Kernel;
use std::sync::OnceLock;

/// NVRTC where it is. Else the test says that it is skipped, or fails where NVRTC is required.
pub fn compiler_or_skip() -> Option<&'static Compiler> {
    static COMPILER: OnceLock<Result<Compiler, String>> = OnceLock::new();
    let compiler = COMPILER.get_or_init(|| {
        let settings = Settings::global().expect("settings");
        match Nvrtc::load(settings.nvrtc.as_deref()) {
            Ok(nvrtc) => Ok(Compiler::new(nvrtc, None)),
            Err(error) => Err(error.to_string()),
        }
    });
    compiler.as_ref().inspect_err(|error| without_nvrtc(error)).ok()
}

/// The machine code of a text for a capability: 90 for sm_90.
pub fn cubin(compiler: &Compiler, text: &str, capability: u32) -> Vec<u8> {
    let image = compiler.compile_own(text, Target::Cubin(capability));
    image.unwrap_or_else(|error| panic!("{error}\n{text}")).to_vec()
}

/// The PTX of a text.
pub fn ptx(compiler: &Compiler, text: &str) -> String {
    let image = compiler.compile_own(text, Target::Ptx(90));
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
        let buffer = |arg: &BufferArg| {
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

/// A kernel with arguments that lie at aligned addresses.
pub struct Example {
    pub kernel: Kernel,
    pub launch: Launch,
    pub memory: Vec<Vec<Scalar>>,
}

impl Example {
    /// A kernel over row-major arrays of these shapes.
    pub fn new(text: &str, params: &[i64], scalars: &[Scalar], shapes: &[&[usize]]) -> Example {
        let kernel = Kernel::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let mut dice = Dice::new(7);
        let (mut buffers, mut memory) = (Vec::new(), Vec::new());
        for (number, (shape, buffer)) in shapes.iter().zip(&kernel.buffers).enumerate() {
            let mut strides = vec![1i64; shape.len()];
            for axis in (1..shape.len()).rev() {
                strides[axis - 1] = strides[axis] * shape[axis] as i64;
            }
            buffers.push(BufferArg::new(number, 0, strides));
            let length = shape.iter().product::<usize>().max(1);
            memory.push((0..length).map(|_| moderate(&mut dice, buffer.dtype)).collect());
        }
        let (params, scalars) = (params.to_vec(), scalars.to_vec());
        Example { kernel, launch: Launch { buffers, params, scalars }, memory }
    }

    /// Moves the first element of an array.
    pub fn offset(mut self, array: usize, elements: i64) -> Example {
        self.launch.buffers[array].offset = elements;
        let dtype = self.memory[array][0].dtype();
        self.memory[array].extend((0..elements).map(|k| Scalar::from(k).cast(dtype)));
        self
    }

    /// The strides of an array's buffer.
    pub fn strides(mut self, array: usize, offset: i64, strides: &[i64], length: usize) -> Example {
        self.launch.buffers[array] = BufferArg::new(array, offset, strides.iter().copied());
        let mut dice = Dice::new(array as u64);
        let dtype = self.memory[array][0].dtype();
        self.memory[array] = (0..length).map(|_| moderate(&mut dice, dtype)).collect();
        self
    }

    pub fn case(&self) -> Case {
        let (kernel, launch) = (self.kernel.clone(), self.launch.clone());
        Case { kernel, launch, memory: self.memory.clone() }
    }

    /// The text for arrays at addresses that are multiples of 256.
    pub fn source(&self) -> Source {
        let addresses: Vec<u64> = (1..=self.memory.len() as u64).map(|k| k << 32).collect();
        let arguments = Arguments::new(&self.launch, &self.memory, &addresses);
        let kernel = CudaKernel::new(&self.kernel).unwrap();
        kernel.source(&kernel.variant(&arguments.bindings()).unwrap())
    }
}

/// A number that is neither special nor large, as often negative as positive: sums of many of them show the order in which they
/// were added, since they are not larger than parts of them.
fn moderate(dice: &mut Dice, dtype: RealType) -> Scalar {
    match dtype {
        RealType::Bool => dice.one_in(2).into(),
        _ => Scalar::from(dice.between(-2000, 2000) as f64 / 7.0).cast(dtype),
    }
}
