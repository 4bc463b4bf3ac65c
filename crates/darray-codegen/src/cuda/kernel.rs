//! A kernel as a CUDA device keeps it.

use super::binding::arguments::Place;
use super::binding::bindings::Bindings;
use super::binding::bound::Bound;
use super::binding::shape::{Shape, shape};
use super::binding::workspace::Scratch;
use super::emit::entry::{entry_name, entry_text};
use super::language::math::Math;
use super::language::operators::Functions;
use super::plan::fields::fields;
use super::plan::kernel_plan::{Entry, KernelPlan};
use super::plan::variant::{BLOCK, Variant};
use crate::bind::BindError;
use crate::error::CodegenError;
use darray_kernel::ir::Kernel;

/// A kernel cut into entries, from which texts and launches are made.
#[derive(Clone, Debug)]
pub struct CudaKernel {
    plan: KernelPlan,
}

/// What tests change inside a kernel, so that small arrays go the ways of large ones.
#[cfg(feature = "testing")]
#[derive(Clone, Copy, Debug, Default)]
pub struct CudaTesting {
    /// Whether indices have 64 bits, also where 32 would do.
    pub wide_indices: bool,
    /// Threads that keep a device busy: where more could fold, they have several leaves each. None: half of what an H100 holds.
    pub busy_threads: Option<usize>,
}

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
        Ok(CudaKernel { plan: KernelPlan::new(kernel)? })
    }

    /// The kernel with these elementary functions.
    pub fn with_math(mut self, math: Math) -> CudaKernel {
        self.plan.math = math;
        self
    }

    /// What tests change inside.
    #[cfg(feature = "testing")]
    pub fn with_testing(mut self, testing: CudaTesting) -> CudaKernel {
        self.plan.wide = testing.wide_indices;
        self.plan.busy = testing.busy_threads.unwrap_or(self.plan.busy);
        self
    }

    /// Checks the arguments of a launch: every access against its block.
    ///
    /// # Errors
    ///
    /// If an access reaches beyond its block, or the arguments do not fit the kernel.
    pub fn prepare<'p>(&'p self, bindings: &'p Bindings<'p>) -> Result<Prepared<'p>, BindError> {
        Ok(Prepared { plan: &self.plan, bindings, bound: Bound::new(&self.plan, bindings)? })
    }

    /// [`Prepared::variant`] of these arguments.
    ///
    /// # Errors
    ///
    /// As [`prepare`](Self::prepare).
    pub fn variant(&self, bindings: &Bindings<'_>) -> Result<Variant, BindError> {
        Ok(Bound::new(&self.plan, bindings)?.variant)
    }

    /// The text of a variant.
    pub fn source(&self, variant: &Variant) -> Source {
        let mut functions = Functions::new(self.plan.math);
        let mut entries = Vec::new();
        let mut text = String::new();
        for entry in self.plan.entries(variant) {
            let name = entry_name(entries.len(), &entry);
            text.push('\n');
            text.push_str(&entry_text(&self.plan, &name, &entry, &mut functions));
            entries.push(name);
        }
        Source { text: functions.definitions() + text.trim_start(), entries }
    }
}

/// A kernel with the checked arguments of one launch.
pub struct Prepared<'p> {
    plan: &'p KernelPlan,
    bindings: &'p Bindings<'p>,
    bound: Bound,
}

impl Prepared<'_> {
    /// What the text for these arguments depends on.
    pub fn variant(&self) -> &Variant {
        &self.bound.variant
    }

    /// Lets the text be the one for any numbers, [`Variant::for_any_numbers`].
    pub fn take_any_numbers(&mut self) {
        self.bound.variant.forget_numbers();
    }

    /// Bytes of device memory that the launches need, aligned to 256: cells and values of pieces. They
    /// may hold anything at the start, and are free when the last launch has run.
    pub fn workspace(&self) -> u64 {
        let nests = self.bound.nests.iter().zip(&self.bound.variant.nests).enumerate();
        let ends = nests.filter_map(|(number, (nest, variant))| {
            Some(Scratch::new(self.plan, number, nest.as_ref()?, variant.as_ref()?).end)
        });
        ends.max().unwrap_or(0)
    }

    /// What to run, with a workspace at this address.
    pub fn launches(&self, workspace: u64) -> Vec<Launch> {
        let Prepared { plan: kernel, bindings, bound } = self;
        let launch = |(number, entry): (usize, Entry<'_>)| {
            let mut arguments = Vec::new();
            // One block runs several parts.
            let mut of_all = Shape { units: 0, grid: 1, block: BLOCK, shared: 0 };
            for &(plan, variant) in &entry {
                let nest =
                    bound.nests[plan.nest].as_ref().expect("the variant's nests have points");
                let own = shape(&kernel.program, plan, nest, variant);
                let units = own.units;
                let place = Place { kernel, bindings, bound, nest, variant, units, workspace };
                let fields = fields(&kernel.program, plan, variant);
                arguments.reserve(fields.len() * 8);
                for field in fields {
                    arguments.extend_from_slice(&place.value(plan, field).to_le_bytes());
                }
                if entry.len() == 1 {
                    of_all = own;
                }
            }
            let Shape { grid, block, shared, .. } = of_all;
            if arguments.is_empty() {
                // An empty structure has one byte.
                arguments.push(0);
            }
            Launch { entry: number, grid, block, shared, arguments }
        };
        kernel.entries(&bound.variant).into_iter().enumerate().map(launch).collect()
    }
}
