//! A random kernel on a device, for tests that compare devices with the reference interpreter.

use crate::Case;
use darray_core::{RealType, Scalar};
use darray_device::{Arg, Command, Device, Event, Fault, Queue, Rect};
use smallvec::smallvec;
use std::sync::{Arc, Mutex};

/// Runs the kernel of a case; gives its arrays as they are then. They are uploaded on queue 1 where the
/// device has one, so the kernel must wait for them.
///
/// # Errors
/// The device's. Blocks stay with the device then.
pub fn run(device: &dyn Device, case: &Case) -> Result<Vec<Vec<Scalar>>, Fault> {
    let compute = Queue(0);
    let copy = Queue(u16::from(device.describe().queues > 1));
    let code = device.compile(&case.kernel)?;
    let mut rects = Vec::new();
    let mut after: Vec<Event> = Vec::new();
    for array in &case.memory {
        let rect = whole(device, copy, array)?;
        let bytes = to_bytes(rect.dtype, array.iter().copied());
        let upload = Command::Upload { from: Arc::new(bytes), to: rect.clone() };
        after.push(device.submit(copy, &[], &[upload])?);
        rects.push(rect);
    }
    let buffers = case.launch.buffers.iter().map(|b| Arg::Buffer {
        block: rects[b.array].block,
        offset: b.offset,
        strides: b.strides.clone(),
    });
    let params = case.launch.params.iter().map(|&p| Arg::Bits(p as u64));
    let scalars = case.launch.scalars.iter().map(|s| Arg::Bits(s.bits()));
    let args = buffers.chain(params).chain(scalars).collect();
    let mut work = vec![Command::Launch { code, args }];
    let mut hosts: Vec<Arc<Mutex<Vec<u8>>>> = Vec::new();
    for rect in &rects {
        let to: Arc<Mutex<Vec<u8>>> =
            Arc::new(Mutex::new(vec![0; rect.extents[0] * rect.dtype.size()]));
        hosts.push(to.clone());
        work.push(Command::Download { from: rect.clone(), to, at: 0 });
    }
    let event = device.submit(compute, &after, &work)?;
    device.wait(event).map_err(|fault| fault.fault)?;
    rects.iter().for_each(|rect| device.release(copy, rect.block, &[event]));
    let elements = rects.iter().zip(&hosts).map(|(rect, host)| {
        to_scalars(rect.dtype, &host.lock().unwrap_or_else(|e| e.into_inner()))
    });
    Ok(elements.collect())
}

/// Elements of a type as they lie in an array.
pub fn to_bytes(dtype: RealType, elements: impl Iterator<Item = Scalar>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(elements.size_hint().0 * dtype.size());
    elements.for_each(|e| bytes.extend_from_slice(&e.bits().to_le_bytes()[..dtype.size()]));
    bytes
}

/// The elements of an array of this type.
pub fn to_scalars(dtype: RealType, bytes: &[u8]) -> Vec<Scalar> {
    let element = |chunk: &[u8]| {
        let mut bits = [0; 8];
        bits[..chunk.len()].copy_from_slice(chunk);
        Scalar::from_bits(dtype, u64::from_le_bytes(bits))
    };
    bytes.chunks_exact(dtype.size()).map(element).collect()
}

/// A block for an array, and the rectangle of all its elements.
fn whole(device: &dyn Device, queue: Queue, array: &[Scalar]) -> Result<Rect, Fault> {
    let dtype = array.first().map_or(RealType::F64, |element| element.dtype());
    let block = device.allocate(queue, (array.len() * dtype.size()) as u64)?;
    let (extents, strides) = (smallvec![array.len()], smallvec![1]);
    Ok(Rect { block, dtype, offset: 0, extents, strides })
}
