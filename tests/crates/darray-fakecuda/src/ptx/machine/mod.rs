//! The machine: blocks in order, the warps of a block in turn, 32 threads at once.
//!
//! - Threads of a warp that stand at the same instruction execute it together. Where they part,
//!   those furthest behind go first, and threads that meet go on together.
//! - A warp runs until it ends or waits at a barrier of its block.
//! - Instructions are counted per thread.

mod access;
mod arithmetic;
mod block;
mod chain;
mod collective;
mod compare;
mod convert;
mod execute;
mod fault;
mod float;
mod integer;
mod lanes;
mod rounding;
mod warp;

/// What has tests of its own.
#[doc(hidden)]
pub mod parts {
    pub use super::chain::chain;
    pub use super::convert::{double_to_half, half_to_double};
    pub use super::integer::{dot_bytes, dot_words};
    pub use super::lanes::LANES;
    pub use super::rounding::{add32, divide64, fused32, fused64, multiply32};
}

use super::Program;
use super::memory::Memory;
use block::Block;
pub use fault::{Fault, Reason};

/// Instructions that a launch may execute, counted per thread.
pub const MOST_INSTRUCTIONS: u64 = 20_000_000_000;

/// A kernel to be executed.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The program that holds the kernel.
    pub program: &'a Program,
    /// Its index in the program.
    pub kernel: usize,
    /// Blocks along the axes.
    pub grid: [u32; 3],
    /// Threads of a block along the axes.
    pub block: [u32; 3],
    /// Bytes of shared memory beyond those that the text declares.
    pub dynamic_shared: u32,
    /// The bytes of the arguments.
    pub arguments: &'a [u8],
    /// Mixes the order in which warps take their turns; 0 is the order of their numbers.
    pub seed: u64,
}

/// What a launch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Instructions, counted per thread.
    pub instructions: u64,
}

/// Executes a kernel.
///
/// Errors: the instruction and the thread that could not go on; memory holds what was written up
/// to there.
pub fn run(launch: &Launch, memory: &dyn Memory) -> Result<Report, Box<Fault>> {
    let mut block = Block::new(launch, memory);
    for z in 0..launch.grid[2] {
        for y in 0..launch.grid[1] {
            for x in 0..launch.grid[0] {
                block.run([x, y, z])?;
            }
        }
    }
    Ok(Report { instructions: block.machine.instructions })
}
