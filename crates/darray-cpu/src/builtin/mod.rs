//! Kernels that are not generated, by name; their arguments are those of
//! [`darray_device::builtin`].

mod gather;
mod gemm;
mod matmul;
mod reduce_finish;
mod scan;
mod scatter;
mod sort;
mod walk;

use crate::level::Level;
use crate::memory::Located;
use crate::rectangle::Side;
use crate::workers::Workers;
use darray_core::DType;
use darray_device::builtin::{Gather, MatMul, Merge, ReduceFinish, Scan, Scatter, Sort, View};
use darray_device::{Arg, Block, Fault};

/// A call of a builtin with its arguments checked. Made and used once per call, never stored.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Call {
    /// See [`MatMul`].
    MatMul(matmul::Product),
    /// See [`ReduceFinish`].
    ReduceFinish(reduce_finish::Finish),
    /// See [`Scan`].
    Scan(scan::Running),
    /// See [`Gather`].
    Gather(gather::Lookup),
    /// See [`Scatter`].
    Scatter(scatter::Writes),
    /// See [`Sort`].
    Sort(sort::Sorting),
    /// See [`Merge`].
    Merge(sort::Merging),
}

impl Call {
    /// Checks name and arguments.
    pub fn new(
        name: &str,
        args: &[Arg],
        locate: impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Call, Fault> {
        match name {
            MatMul::NAME => {
                let product = MatMul::decode(args)?;
                Ok(Call::MatMul(matmul::Product::new(&product, &locate)?))
            }
            ReduceFinish::NAME => {
                let finish = ReduceFinish::decode(args)?;
                Ok(Call::ReduceFinish(reduce_finish::Finish::new(finish, &locate)?))
            }
            Scan::NAME => Ok(Call::Scan(scan::Running::new(Scan::decode(args)?, &locate)?)),
            Gather::NAME => Ok(Call::Gather(gather::Lookup::new(Gather::decode(args)?, &locate)?)),
            Scatter::NAME => {
                Ok(Call::Scatter(scatter::Writes::new(Scatter::decode(args)?, &locate)?))
            }
            Sort::NAME => Ok(Call::Sort(sort::Sorting::new(Sort::decode(args)?, &locate)?)),
            Merge::NAME => Ok(Call::Merge(sort::Merging::new(Merge::decode(args)?, &locate)?)),
            _ => Err(Fault::Execution(format!("builtin {name} is unknown"))),
        }
    }

    /// Runs it.
    pub fn run(self, workers: &Workers, level: Level) -> Result<(), Fault> {
        match self {
            Call::MatMul(product) => product.run(workers, level),
            Call::ReduceFinish(finish) => finish.run(level),
            Call::Scan(scan) => scan.run(workers),
            Call::Gather(lookup) => lookup.run(workers),
            Call::Scatter(writes) => writes.run(workers),
            Call::Sort(sorting) => sorting.run(workers, level),
            Call::Merge(merging) => merging.run(workers),
        }
    }
}

/// A view with its address, checked for these extents.
fn side(
    view: &View,
    extents: &[usize],
    dtype: DType,
    locate: &impl Fn(Block) -> Result<Located, Fault>,
) -> Result<Side, Fault> {
    Side::new(locate(view.block)?, view.offset, extents, &view.strides, dtype)
}
