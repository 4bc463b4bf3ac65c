//! Kernels that are not generated, by name; their arguments are those of
//! [`darray_device::builtin`].

mod compact;
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
use darray_core::RealType;
use darray_device::builtin::{
    Compact, Gather, MatMul, Merge, ReduceFinish, Scan, Scatter, Search, Sort, View,
};
use darray_device::{Arg, Block, Fault};

macro_rules! define_calls {
    ($($builtin:ident => $call:ty,)+) => {
        /// A call of a builtin with its arguments checked. Made and used once per call, never stored.
        #[allow(clippy::large_enum_variant)]
        pub(crate) enum Call {
            $(#[doc = concat!("See [`", stringify!($builtin), "`].")] $builtin($call),)+
        }

        impl Call {
            /// Checks name and arguments.
            pub fn new(
                name: &str,
                args: &[Arg],
                locate: impl Fn(Block) -> Result<Located, Fault>,
            ) -> Result<Call, Fault> {
                match name {
                    $($builtin::NAME => {
                        Ok(Call::$builtin(<$call>::new($builtin::decode(args)?, &locate)?))
                    })+
                    _ => Err(Fault::Execution(format!("builtin {name} is unknown"))),
                }
            }

            /// Runs it.
            pub fn run(self, workers: &Workers, level: Level) -> Result<(), Fault> {
                match self {
                    $(Call::$builtin(call) => call.run(workers, level),)+
                }
            }
        }
    };
}

define_calls! {
    MatMul => matmul::Product,
    ReduceFinish => reduce_finish::Finish,
    Scan => scan::Running,
    Gather => gather::Lookup,
    Scatter => scatter::Writes,
    Sort => sort::Sorting,
    Merge => sort::Merging,
    Compact => compact::Picking,
    Search => sort::Searching,
}

/// A view with its address, checked for these extents.
fn side(
    view: &View,
    extents: &[usize],
    dtype: RealType,
    locate: &impl Fn(Block) -> Result<Located, Fault>,
) -> Result<Side, Fault> {
    Side::new(locate(view.block)?, view.offset, extents, &view.strides, dtype)
}
