//! A place where generated kernels run.

use darray_codegen::cuda::Launch;
use darray_fakecuda::ptx::{self, Arena, Program};

/// A device with memory.
#[derive(Default)]
pub struct Machine {
    arena: Arena,
}

impl Machine {
    /// The address of new memory, a multiple of 256.
    pub fn allocate(&mut self, bytes: usize) -> u64 {
        self.arena.allocate(bytes as u64)
    }

    pub fn write(&mut self, address: u64, bytes: &[u8]) {
        self.arena.write(address, bytes);
    }

    pub fn read(&mut self, address: u64, bytes: usize) -> Vec<u8> {
        self.arena.read(address, bytes)
    }

    /// Runs launches in order, warps of a block in an order of their own.
    pub fn run(&mut self, ptx: &str, entries: &[String], launches: &[Launch]) {
        let arena = &mut self.arena;
        let place = |global: &ptx::Global| Ok(arena.allocate(global.bytes as u64));
        let program = Program::new(ptx, place).unwrap_or_else(|error| panic!("{error}"));
        for (_, address, bytes) in &program.globals {
            self.arena.write(*address, bytes);
        }
        for (number, launch) in launches.iter().enumerate() {
            let kernel = program.kernel(&entries[launch.entry]).expect("a kernel");
            let limits = program.limits(kernel);
            assert!(launch.block <= limits.most_threads);
            assert_eq!(launch.arguments.len(), limits.argument_bytes as usize);
            let run = ptx::Launch {
                program: &program,
                kernel,
                grid: [launch.grid, 1, 1],
                block: [launch.block, 1, 1],
                dynamic_shared: launch.shared,
                arguments: &launch.arguments,
                seed: number as u64 + 1,
            };
            ptx::machine::run(&run, &self.arena).unwrap_or_else(|fault| panic!("{fault}"));
        }
    }
}
