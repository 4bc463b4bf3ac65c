//! A kernel as a CUDA device keeps it.

use crate::bind::BindError;
use crate::error::CodegenError;
use crate::lower::lower;
use crate::program::Program;
use darray_kernel::ir::Kernel;
use smallvec::SmallVec;

/// A kernel cut into nests, from which texts and launches are made.
#[derive(Clone, Debug)]
pub struct CudaKernel {
    program: Program,
}

/// Where a buffer lies: coordinates `c` are element `offset + sum(c_k * strides_k)` of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Device address of element 0 of the block; a multiple of the element's size.
    pub address: u64,
    /// Length of the block.
    pub bytes: u64,
    /// Element of the block at coordinates 0; may lie outside.
    pub offset: i64,
    /// In elements, one per coordinate.
    pub strides: SmallVec<[i64; 4]>,
}

/// The arguments of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Bindings<'a> {
    /// One per kernel buffer.
    pub buffers: &'a [Binding],
    /// One per kernel param.
    pub params: &'a [i64],
    /// The bits of every kernel scalar.
    pub scalars: &'a [u64],
}

/// All that a text depends on, beside the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {}

/// A CUDA C text, to be compiled with `--fmad=false`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The text; it includes nothing.
    pub text: String,
    /// Names of its `extern "C" __global__` functions.
    pub entries: Vec<String>,
}

/// One start of an entry. Launches run in order on one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Index into [`Source::entries`].
    pub entry: usize,
    /// Blocks.
    pub grid: u32,
    /// Threads per block.
    pub block: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The entry's only parameter, a structure passed by value.
    pub arguments: Vec<u8>,
}

impl CudaKernel {
    /// Lowers a verified kernel.
    ///
    /// # Errors
    ///
    /// If the code generator does not take its shape.
    pub fn new(kernel: &Kernel) -> Result<CudaKernel, CodegenError> {
        Ok(CudaKernel { program: lower(kernel)? })
    }

    /// What the text for these arguments depends on. Checks every access against its block.
    ///
    /// # Errors
    ///
    /// If an access reaches beyond its block, or the arguments do not fit the kernel.
    pub fn variant(&self, bindings: &Bindings<'_>) -> Result<Variant, BindError> {
        let _ = (&self.program, bindings);
        todo!()
    }

    /// The text of a variant.
    pub fn source(&self, variant: &Variant) -> Source {
        let _ = variant;
        todo!()
    }

    /// Bytes of device memory that the launches need, aligned to 256: cells and leaf values. They
    /// may hold anything at the start, and are free when the last launch has run.
    pub fn workspace(&self, variant: &Variant, bindings: &Bindings<'_>) -> u64 {
        let _ = (variant, bindings);
        todo!()
    }

    /// The launches for arguments of this variant, with a workspace at this address.
    pub fn launches(
        &self,
        variant: &Variant,
        bindings: &Bindings<'_>,
        workspace: u64,
    ) -> Vec<Launch> {
        let _ = (variant, bindings, workspace);
        todo!()
    }
}
