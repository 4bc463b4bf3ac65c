//! The arguments of a launch, checked.

use crate::memory::Located;
use darray_codegen::Program;
use darray_codegen::bind::{LaunchArguments, Place};
use darray_device::{Arg, Block, Fault};
use darray_kernel::ir::Param;
use smallvec::SmallVec;

/// The arguments of a launch: buffers, params, scalars, each of the right kind.
#[derive(Debug)]
pub(crate) struct Arguments<'a> {
    args: &'a [Arg],
    blocks: SmallVec<[Located; 8]>,
    /// Position of the first scalar.
    scalars: usize,
}

impl<'a> Arguments<'a> {
    /// Checks the arguments of a launch and finds the blocks.
    pub fn new(
        program: &Program,
        args: &'a [Arg],
        locate: impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Arguments<'a>, Fault> {
        let buffers = program.buffers.len();
        let scalars = buffers + program.params as usize;
        let expected = scalars + program.scalars.len();
        if args.len() != expected {
            let found = args.len();
            return Err(Fault::Execution(format!("{found} arguments, expected {expected}")));
        }
        let mut blocks = SmallVec::new();
        for (position, arg) in args.iter().enumerate() {
            match arg {
                Arg::Buffer { block, strides, .. } if position < buffers => {
                    let rank = program.buffers[position].rank as usize;
                    if strides.len() != rank {
                        return Err(Fault::Execution(format!(
                            "buffer {position} has {} strides, expected {rank}",
                            strides.len()
                        )));
                    }
                    blocks.push(locate(*block)?);
                }
                Arg::Bits(_) if position >= buffers => {}
                _ => {
                    return Err(Fault::Execution(format!("argument {position} is of wrong kind")));
                }
            }
        }
        Ok(Arguments { args, blocks, scalars })
    }

    /// The address of a buffer's block.
    pub fn pointer(&self, buffer: u16) -> *mut u8 {
        self.blocks[buffer as usize].pointer
    }

    /// The bits of a scalar.
    pub fn scalar(&self, index: u16) -> u64 {
        self.bits(self.scalars + index as usize)
    }

    /// All that says where elements lie but the addresses of the blocks: of each buffer the size of its block, its place there
    /// and its strides; the params.
    pub fn geometry(&self) -> impl Iterator<Item = i64> {
        let buffers = self.args.iter().zip(&self.blocks).flat_map(|(arg, block)| match arg {
            Arg::Buffer { offset, strides, .. } => {
                [block.bytes as i64, *offset].into_iter().chain(strides.iter().copied())
            }
            Arg::Bits(_) => unreachable!("checked by `new`"),
        });
        let params = self.blocks.len()..self.scalars;
        buffers.chain(params.map(|position| self.bits(position) as i64))
    }

    /// Whether that is the [geometry](Self::geometry) of the launch.
    pub fn has_geometry(&self, geometry: &[i64]) -> bool {
        self.geometry().eq(geometry.iter().copied())
    }

    fn bits(&self, position: usize) -> u64 {
        match self.args[position] {
            Arg::Bits(bits) => bits,
            Arg::Buffer { .. } => unreachable!("checked by `new`"),
        }
    }
}

impl LaunchArguments for Arguments<'_> {
    fn param(&self, param: Param) -> i64 {
        self.bits(self.blocks.len() + param.0 as usize) as i64
    }

    fn place(&self, buffer: u16) -> Place<'_> {
        match &self.args[buffer as usize] {
            Arg::Buffer { offset, strides, .. } => {
                let bytes = self.blocks[buffer as usize].bytes;
                Place { bytes, offset: *offset, strides }
            }
            Arg::Bits(_) => unreachable!("checked by `new`"),
        }
    }
}
