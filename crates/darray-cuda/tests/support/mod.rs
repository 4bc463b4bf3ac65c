//! What tests of CUDA need of the machine.

// Every test binary uses a part of it.
#![allow(dead_code)]

use darray_core::DType;
use darray_core::settings::Settings;
use darray_cuda::{CudaDevices, CudaError, CudaOptions, Nvrtc};
use darray_device::{Block, Command, Device, Event, HostBuffer, Queue, Rect};
use smallvec::SmallVec;
use std::io::Write;
use std::sync::{Arc, Mutex};

/// NVRTC where it is. Else the test says that it is skipped, or fails if the settings want it.
pub fn nvrtc_or_skip() -> Option<Nvrtc> {
    let settings = Settings::global().expect("settings");
    match Nvrtc::load(settings.nvrtc.as_deref()) {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) if settings.require_nvrtc => panic!("NVRTC is required: {error}"),
        Err(error) => {
            skipped(&error);
            None
        }
    }
}

/// Options for devices on these GPUs, over the driver and NVRTC of the settings.
pub fn options(gpus: &[usize]) -> CudaOptions {
    let settings = Settings::global().expect("settings");
    CudaOptions {
        gpus: gpus.to_vec(),
        driver: settings.cuda_driver.clone(),
        nvrtc: settings.nvrtc.clone(),
        memory_limit: Some(64 << 20),
        ..CudaOptions::default()
    }
}

/// Devices on these GPUs. Else the test says that it is skipped.
pub fn devices_or_skip(options: CudaOptions) -> Option<Vec<Arc<dyn Device>>> {
    nvrtc_or_skip()?;
    match CudaDevices::new(options) {
        Ok(devices) => Some(devices),
        Err(error) => {
            skipped(&error);
            None
        }
    }
}

pub const COMPUTE: Queue = Queue(0);
pub const COPY: Queue = Queue(1);

/// A strided rectangle.
pub fn rect(block: Block, dtype: DType, offset: i64, extents: &[usize], strides: &[i64]) -> Rect {
    let (extents, strides) = (SmallVec::from_slice(extents), SmallVec::from_slice(strides));
    Rect { block, dtype, offset, extents, strides }
}

/// A contiguous rectangle of bytes from the front of a block.
pub fn bytes_of(block: Block, count: usize) -> Rect {
    rect(block, DType::U8, 0, &[count], &[1])
}

/// A block that holds these bytes once the event has happened.
pub fn upload(device: &dyn Device, queue: Queue, bytes: &[u8]) -> (Block, Event) {
    let block = device.allocate(queue, bytes.len() as u64).expect("memory");
    let to = bytes_of(block, bytes.len());
    let command = Command::Upload { from: Arc::new(bytes.to_vec()), to };
    let event = device.submit(queue, &[], vec![command]).expect("an upload");
    (block, event)
}

/// The bytes of a rectangle after these events.
pub fn download(device: &dyn Device, queue: Queue, after: &[Event], from: Rect) -> Vec<u8> {
    let count = from.extents.iter().product::<usize>() * from.dtype.size();
    let to: HostBuffer = Arc::new(Mutex::new(vec![0; count]));
    let command = Command::Download { from, to: to.clone(), at: 0 };
    let event = device.submit(queue, after, vec![command]).expect("a download");
    device.wait(event).expect("the bytes");
    let bytes = to.lock().expect("no panic").clone();
    bytes
}

/// Says so on standard error, past the test harness, which hides what passing tests print.
fn skipped(error: &CudaError) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {error}");
}
