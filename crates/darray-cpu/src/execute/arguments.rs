//! The arguments of a launch, checked.

use crate::memory::Located;
use darray_codegen::Program;
use darray_device::{Arg, Block, Fault};
use smallvec::SmallVec;

/// Arguments of a launch by kind.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// In the kernel's order.
    pub buffers: SmallVec<[BufferArgument; 8]>,
    /// In the kernel's order.
    pub params: SmallVec<[i64; 16]>,
    /// Bits, in the kernel's order.
    pub scalars: SmallVec<[u64; 4]>,
}

/// A buffer with its place in memory.
#[derive(Debug)]
pub(crate) struct BufferArgument {
    /// First byte of the block.
    pub block: Located,
    /// In elements.
    pub offset: i64,
    /// In elements, one per coordinate.
    pub strides: SmallVec<[i64; 4]>,
}

impl Arguments {
    /// Sorts the arguments of a launch. They are the buffers, the params, the scalars.
    pub fn new(
        program: &Program,
        args: &[Arg],
        locate: impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Arguments, Fault> {
        let (buffers, params) = (program.buffers.len(), program.params as usize);
        let expected = buffers + params + program.scalars.len();
        if args.len() != expected {
            let found = args.len();
            return Err(Fault::Execution(format!("{found} arguments, expected {expected}")));
        }
        let mut sorted = Arguments {
            buffers: SmallVec::new(),
            params: SmallVec::new(),
            scalars: SmallVec::new(),
        };
        for (position, arg) in args.iter().enumerate() {
            match arg {
                Arg::Buffer { block, offset, strides } if position < buffers => {
                    let rank = program.buffers[position].rank as usize;
                    if strides.len() != rank {
                        return Err(Fault::Execution(format!(
                            "buffer {position} has {} strides, expected {rank}",
                            strides.len()
                        )));
                    }
                    let block = locate(*block)?;
                    let strides = strides.clone();
                    sorted.buffers.push(BufferArgument { block, offset: *offset, strides });
                }
                Arg::Bits(bits) if (buffers..buffers + params).contains(&position) => {
                    sorted.params.push(*bits as i64);
                }
                Arg::Bits(bits) if position >= buffers + params => sorted.scalars.push(*bits),
                _ => {
                    return Err(Fault::Execution(format!("argument {position} is of wrong kind")));
                }
            }
        }
        Ok(sorted)
    }
}
