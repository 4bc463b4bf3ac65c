//! Random kernels: every instruction set, with and without threads and machine code, bit-equal to the
//! reference interpreter.

use darray_core::Scalar;
use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_device::{Arg, Block, Command, Device, Fault, HostBuffer, Queue, Rect};
use darray_kernel::interpret::interpret;
use darray_kernel::random_kernel::{Case, Options, first_difference, random_kernel};
use smallvec::SmallVec;
use std::sync::{Arc, Mutex};

const QUEUE: Queue = Queue(0);

fn devices() -> Vec<Arc<dyn Device>> {
    let levels = Level::ALL.into_iter().filter(|&level| level <= Level::detect());
    let with = |level, threads, jit| {
        let level = Some(level);
        let options =
            CpuOptions { level, threads, jit, least_parallel: 1, ..CpuOptions::default() };
        CpuDevices::new(1, options).remove(0)
    };
    levels.flat_map(|level| [with(level, 1, false), with(level, 2, true)]).collect()
}

#[test]
fn random_kernels_equal_the_reference() {
    check(0..3000, &Options::default());
}

#[test]
fn long_axes_equal_the_reference() {
    check(0..60, &Options { longest: 20_000, iterations: 60_000, ..Options::default() });
}

fn check(seeds: std::ops::Range<u64>, options: &Options) {
    let devices = devices();
    for seed in seeds {
        let case = random_kernel(seed, options);
        let mut expected = case.memory.clone();
        interpret(&case.kernel, &case.launch, &mut expected).unwrap();
        for device in &devices {
            let name = &device.describe().name;
            let found = run(&**device, &case)
                .unwrap_or_else(|fault| panic!("seed {seed} on {name}: {fault}\n{}", case.kernel));
            if let Some(difference) = first_difference(&expected, &found) {
                panic!("seed {seed} on {name}: {difference:?}\n{}\n{:?}", case.kernel, case.launch);
            }
        }
    }
    for device in &devices {
        assert_eq!(device.stats().bytes_in_use, 0);
    }
}

fn run(device: &dyn Device, case: &Case) -> Result<Vec<Vec<Scalar>>, Fault> {
    let code = device.compile(&case.kernel)?;
    let rects: Vec<Rect> = case
        .memory
        .iter()
        .map(|array| {
            let dtype = array.first().map_or(darray_core::DType::F64, |e| e.dtype());
            let block = device.allocate(QUEUE, (array.len() * dtype.size()) as u64)?;
            Ok(whole(block, dtype, array.len()))
        })
        .collect::<Result<_, Fault>>()?;
    let mut work = vec![];
    for (rect, array) in rects.iter().zip(&case.memory) {
        let size = rect.dtype.size();
        let bytes = array.iter().flat_map(|e| e.bits().to_le_bytes()[..size].to_vec()).collect();
        work.push(Command::Upload { from: Arc::new(bytes), to: rect.clone() });
    }
    let buffers = case.launch.buffers.iter().map(|b| Arg::Buffer {
        block: rects[b.array].block,
        offset: b.offset,
        strides: b.strides.clone(),
    });
    let params = case.launch.params.iter().map(|&p| Arg::Bits(p as u64));
    let scalars = case.launch.scalars.iter().map(|s| Arg::Bits(s.bits()));
    let args = buffers.chain(params).chain(scalars).collect();
    work.push(Command::Launch { code, args });
    let mut hosts: Vec<HostBuffer> = vec![];
    for rect in &rects {
        let bytes = rect.extents[0] * rect.dtype.size();
        hosts.push(Arc::new(Mutex::new(vec![0; bytes])));
        let to = hosts[hosts.len() - 1].clone();
        work.push(Command::Download { from: rect.clone(), to, at: 0 });
    }
    let event = device.submit(QUEUE, &[], work)?;
    device.wait(event).map_err(|fault| fault.fault)?;
    rects.iter().for_each(|rect| device.release(QUEUE, rect.block, &[]));
    let elements = rects.iter().zip(&hosts).map(|(rect, host)| {
        let element = |chunk: &[u8]| {
            let mut bits = [0; 8];
            bits[..chunk.len()].copy_from_slice(chunk);
            Scalar::from_bits(rect.dtype, u64::from_le_bytes(bits))
        };
        host.lock().unwrap().chunks(rect.dtype.size()).map(element).collect()
    });
    Ok(elements.collect())
}

fn whole(block: Block, dtype: darray_core::DType, length: usize) -> Rect {
    Rect {
        block,
        dtype,
        offset: 0,
        extents: SmallVec::from_slice(&[length]),
        strides: SmallVec::from_slice(&[1]),
    }
}
