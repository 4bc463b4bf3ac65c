//! Builtins on a CPU device and a CUDA device.

use super::{COMPUTE, Machine, bytes_of, download, upload};
use darray_core::{RealType, Scalar};
use darray_cpu::{CpuDevices, CpuOptions};
use darray_cuda::{CudaDevices, CudaOptions, CudaTesting};
use darray_device::builtin::View;
use darray_device::{Arg, Block, Command, Device};
use darray_differential::{to_bytes, to_scalars};
use darray_kernel::random::Pcg64;
use smallvec::SmallVec;
use std::sync::Arc;

/// Elements of a type.
pub type Array = (RealType, Vec<u8>);

/// What a builtin is given: an array per operand, and where the builtin's views lie in them.
pub struct Call<'c> {
    pub name: &'static str,
    /// One per operand.
    pub arrays: Vec<Array>,
    /// The builtin's arguments for the arrays' blocks.
    pub encode: &'c dyn Fn(&[Block]) -> Vec<Arg>,
}

impl Call<'_> {
    /// All arrays after the call.
    pub fn run(&self, device: &dyn Device) -> Vec<Vec<u8>> {
        let (blocks, events): (Vec<Block>, Vec<_>) =
            self.arrays.iter().map(|(_, bytes)| upload(device, COMPUTE, bytes)).unzip();
        let work = vec![Command::Builtin { name: self.name, args: (self.encode)(&blocks) }];
        let event = device.submit(COMPUTE, &events, &work).expect("a submission");
        device.wait(event).unwrap_or_else(|fault| panic!("{}: {fault:?}", self.name));
        blocks
            .iter()
            .map(|block| {
                let bytes = bytes_of(*block, block.bytes as usize);
                let found = download(device, COMPUTE, &[event], bytes);
                device.release(COMPUTE, *block, &[]);
                found
            })
            .collect()
    }

    /// The same bits on both devices, those of NaN too.
    pub fn same_bits(&self, devices: &[Arc<dyn Device>; 2], what: &str) {
        let [expected, found] = devices.each_ref().map(|device| self.run(&**device));
        for (number, (a, b)) in expected.iter().zip(&found).enumerate() {
            let differs = a.iter().zip(b).position(|(a, b)| a != b);
            assert!(differs.is_none(), "{what}, array {number}, byte {differs:?}");
        }
    }

    /// The same bits on both devices; all NaNs are one.
    pub fn same(&self, devices: &[Arc<dyn Device>; 2], what: &str) {
        let [expected, found] = devices.each_ref().map(|device| self.run(&**device));
        for (number, (dtype, _)) in self.arrays.iter().enumerate() {
            let scalars = |arrays: &[Vec<u8>]| to_scalars(*dtype, &arrays[number]);
            let same = |(a, b): (Scalar, Scalar)| {
                let nan = dtype.is_float() && a.to_f64().is_nan() && b.to_f64().is_nan();
                nan || a.bits() == b.bits()
            };
            let mut pairs = scalars(&expected).into_iter().zip(scalars(&found));
            if let Some((at, (a, b))) = pairs.by_ref().enumerate().find(|(_, pair)| !same(*pair)) {
                panic!("{what}, array {number}, element {at}: {a:?} expected, {b:?} found");
            }
        }
    }
}

/// A CPU device and a CUDA device.
pub fn both(machine: &Machine) -> [Arc<dyn Device>; 2] {
    both_of(machine, None)
}

/// As [`both`]; no more than so many blocks, so that loops over what has more of them go round.
pub fn both_of(machine: &Machine, most_blocks: Option<u32>) -> [Arc<dyn Device>; 2] {
    let testing = CudaTesting { most_blocks, ..CudaTesting::default() };
    let options = CudaOptions { testing, ..machine.options(&[0]) };
    let devices = CudaDevices::new(options).expect("devices");
    [CpuDevices::new(1, CpuOptions::default()).remove(0), devices[0].clone()]
}

/// `count` numbers of a type, of many magnitudes; floats with NaN and zeros of both signs where
/// `wild`.
pub fn numbers(dtype: RealType, count: usize, seed: u64, wild: bool) -> Array {
    let mut stream = Pcg64::from_seed(seed);
    let number = |_| {
        let x = stream.next_f64();
        Scalar::from(match (wild, (x * 16.0) as u32) {
            (true, 0) => f64::NAN,
            (true, 1) => -0.0,
            (true, 2) => 0.0,
            _ => (stream.next_f64() - 0.5) * 2f64.powi((x * 24.0) as i32 - 4),
        })
        .cast(dtype)
    };
    (dtype, to_bytes(dtype, (0..count).map(number)))
}

pub fn view(block: Block, offset: i64, strides: &[i64]) -> View {
    View { block, offset, strides: SmallVec::from_slice(strides) }
}
