//! Buffers and launches for tests of the interpreter.

use darray_fakecuda::ptx::machine::run;
use darray_fakecuda::ptx::memory::{Denied, Region, Regions};
use darray_fakecuda::ptx::{Fault, Launch, Program, Report};

/// A value in memory.
pub trait Bits: Copy + PartialEq + std::fmt::Debug {
    const BYTES: usize;
    fn write(self, to: &mut Vec<u8>);
    fn read(from: &[u8]) -> Self;
    /// What tells it from all others, NaNs included.
    fn bits(self) -> u64 {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes.resize(8, 0);
        u64::from_le_bytes(bytes.try_into().unwrap())
    }
}

macro_rules! bits {
    ($($kind:ty)*) => {$(
        impl Bits for $kind {
            const BYTES: usize = size_of::<$kind>();
            fn write(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
            fn read(from: &[u8]) -> $kind {
                <$kind>::from_le_bytes(from.try_into().unwrap())
            }
        }
    )*};
}

bits!(u8 i16 i32 u32 i64 u64 f32 f64);

impl Bits for bool {
    const BYTES: usize = 1;
    fn write(self, to: &mut Vec<u8>) {
        to.push(self.into());
    }
    fn read(from: &[u8]) -> bool {
        from[0] != 0
    }
}

/// A program and memory for it.
pub struct Bench {
    program: Program,
    buffers: Vec<Buffer>,
    pub seed: u64,
    pub shared: u32,
}

struct Buffer {
    address: u64,
    bytes: Vec<u8>,
    denied: Option<Denied>,
}

/// An argument of a kernel.
pub fn argument<T: Bits>(value: T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    bytes
}

impl Bench {
    pub fn new(text: &str) -> Bench {
        let mut next = 0x7000_0000_0000;
        let program = Program::new(text, |global| {
            next += 0x10000 + global.bytes as u64;
            next -= next % 256;
            Ok(next)
        });
        let program = program.unwrap();
        let buffers = program.globals.iter().map(|(_, address, bytes)| Buffer {
            address: *address,
            bytes: bytes.clone(),
            denied: None,
        });
        Bench { buffers: buffers.collect(), program, seed: 0, shared: 0 }
    }

    /// A buffer; its argument.
    pub fn buffer<T: Bits>(&mut self, values: &[T]) -> Vec<u8> {
        let mut bytes = Vec::new();
        values.iter().for_each(|value| value.write(&mut bytes));
        let address = 0x1_0000_0000 * (1 + self.buffers.len() as u64);
        self.buffers.push(Buffer { address, bytes, denied: None });
        argument(address)
    }

    /// Puts a buffer out of reach.
    pub fn deny(&mut self, buffer: &[u8], why: Denied) {
        let address = u64::read(buffer);
        let found = self.buffers.iter_mut().find(|buffer| buffer.address == address);
        found.unwrap().denied = Some(why);
    }

    pub fn run(
        &mut self,
        kernel: &str,
        grid: u32,
        block: u32,
        arguments: &[&[u8]],
    ) -> Result<Report, Box<Fault>> {
        let kernel = self.program.kernel(kernel).unwrap_or_else(|| panic!("no kernel {kernel}"));
        let limits = self.program.limits(kernel);
        let mut bytes = vec![0; limits.argument_bytes as usize];
        assert_eq!(limits.parameters.len(), arguments.len());
        for ((offset, length), argument) in limits.parameters.iter().zip(arguments) {
            assert_eq!(*length as usize, argument.len());
            bytes[*offset as usize..(offset + length) as usize].copy_from_slice(argument);
        }
        let regions = self.buffers.iter_mut().map(|buffer| Region {
            start: buffer.address,
            bytes: buffer.bytes.len() as u64,
            host: buffer.bytes.as_mut_ptr(),
            denied: buffer.denied,
        });
        // SAFETY: the buffers live and are borrowed for the run.
        let regions = unsafe { Regions::new(regions.collect()) };
        let launch = Launch {
            program: &self.program,
            kernel,
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            dynamic_shared: self.shared,
            arguments: &bytes,
            seed: self.seed,
        };
        run(&launch, &regions)
    }

    pub fn read<T: Bits>(&self, buffer: &[u8]) -> Vec<T> {
        let address = u64::read(buffer);
        let found = self.buffers.iter().find(|buffer| buffer.address == address).unwrap();
        found.bytes.chunks_exact(T::BYTES).map(T::read).collect()
    }
}

/// Numbers that look random.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
}
