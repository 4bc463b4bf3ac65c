//! Kernels with their texts.

use crate::device::lock;
use crate::driver::Function;
use darray_codegen::cuda::{CudaKernel, Math, Variant};
use darray_device::Fault;
use darray_kernel::ir::Kernel;
use hashbrown::HashMap;
use std::sync::{Arc, Mutex};

/// A kernel, with its texts as far as they were needed.
pub(in crate::device) struct Compiled {
    pub kernel: CudaKernel,
    pub buffers: usize,
    pub params: usize,
    pub scalars: usize,
    pub variants: Mutex<HashMap<Variant, Text>>,
}

/// What is launched for a variant.
#[derive(Clone)]
pub(in crate::device) struct Text {
    pub functions: Arc<Vec<Function>>,
    /// Whether it is the text for any numbers, where numbers are part of the variant.
    pub any_numbers: bool,
}

/// Texts that differ by what is known of numbers, at most, beside the one for any: compiling takes longer than what
/// is known saves where a program goes through them.
const TEXTS: usize = 4;

impl Compiled {
    /// Nothing is compiled before the first launch shows which texts are needed.
    pub fn new(kernel: &Kernel, math: Math) -> Result<Compiled, Fault> {
        let cut = CudaKernel::new(kernel).map_err(|e| Fault::Compile(e.to_string()))?;
        Ok(Compiled {
            kernel: cut.with_math(math),
            buffers: kernel.buffers.len(),
            params: kernel.params as usize,
            scalars: kernel.scalars.len(),
            variants: Mutex::default(),
        })
    }

    /// The variant whose text is compiled for one that is new.
    pub fn to_compile(&self, variant: &Variant) -> Variant {
        let any = variant.for_any_numbers();
        let variants = lock(&self.variants);
        let of_equal_numbers =
            |(other, text): &(&Variant, &Text)| !text.any_numbers && other.for_any_numbers() == any;
        match variants.iter().filter(of_equal_numbers).count() < TEXTS {
            true => variant.clone(),
            false => any,
        }
    }
}
