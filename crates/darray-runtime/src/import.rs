//! Import: bytes of the host become a store.

use crate::fault::{Origin, StepFault};
use crate::rectangle::{Rectangle, Span};
use crate::runtime::{Runtime, State};
use crate::store::Store;
use darray_core::{DType, Error, ErrorKind, Place, Result, Shape};
use darray_device::HostBytes;
use smallvec::smallvec;
use std::sync::Arc;

impl Runtime {
    /// A store with these row-major elements, tiled over the devices as a task over it would be.
    ///
    /// # Errors
    ///
    /// A wrong number of them, or no room, with the name and place given.
    pub fn import(
        &self,
        dtype: DType,
        shape: &Shape,
        elements: Arc<dyn HostBytes>,
        name: &'static str,
        place: Place,
    ) -> Result<Arc<Store>> {
        let expected = shape.size() * dtype.size();
        let bytes = elements.bytes().len();
        if bytes != expected {
            let message =
                format!("{bytes} bytes for shape {shape} of {dtype}: expected {expected}");
            return Err(Error::new(name, ErrorKind::Runtime { message }, place));
        }
        let store = self.new_store(dtype, shape);
        let mut state = self.lock();
        let origin = Origin {
            operation: name,
            place,
            shapes: smallvec![shape.clone()],
            dtypes: smallvec![dtype],
        };
        state.engine.origin = origin.clone().into();
        let mut result = state.upload(&store, &elements);
        if matches!(result, Err(StepFault::Memory(_))) {
            // What is dead goes back to the devices when the window is carried out.
            state.flush();
            result = state.upload(&store, &elements);
        }
        state.engine.origin.end();
        store.settle();
        store.set_initialised();
        result.map(|()| store.clone()).map_err(|fault| fault.error(&origin))
    }
}

impl State {
    fn upload(
        &mut self,
        store: &Arc<Store>,
        elements: &Arc<dyn HostBytes>,
    ) -> std::result::Result<(), StepFault> {
        let (engine, shape) = (&mut self.engine, store.shape());
        let mut replicas = store.replicas();
        for point in engine.mapper.points(shape) {
            if point.is_empty() {
                continue;
            }
            let span = |r: &std::ops::Range<usize>| Span { lo: r.start as i64, hi: r.end as i64 };
            let part = Rectangle { spans: point.tile.iter().map(span).collect() };
            let device = point.device;
            let queue = engine.devices.first_queue(device, true);
            engine.ensure_instance(store, &mut replicas, device, &part, false, queue)?;
            let of_part: Arc<dyn HostBytes> = if part.is_whole(shape) {
                elements.clone()
            } else {
                let size = store.dtype().size();
                Arc::new(rectangle_bytes(elements.bytes(), &part, shape, size))
            };
            engine.upload(store, &mut replicas, device, &part, of_part)?;
            replicas[device].valid.insert(&part, shape);
        }
        Ok(())
    }
}

/// The row-major bytes of a rectangle out of those of the whole.
pub(crate) fn rectangle_bytes(
    bytes: &[u8],
    part: &Rectangle,
    shape: &Shape,
    size: usize,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(part.size() * size);
    crate::read::for_each_row(&part.extents(), |index| {
        let starts = part.spans.iter().map(|s| s.lo);
        let at = starts.zip(index).zip(shape.strides()).map(|((lo, &i), s)| (lo + i as i64) * s);
        let at = at.sum::<i64>() as usize * size;
        let row = part.spans.last().map_or(1, |s| s.extent());
        out.extend_from_slice(&bytes[at..at + row * size]);
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_rectangle() {
        let bytes: Vec<u8> = (0..24).collect();
        let part = Rectangle { spans: smallvec![Span { lo: 1, hi: 3 }, Span { lo: 2, hi: 4 }] };
        let shape = Shape::new(&[4, 6]);
        assert_eq!(rectangle_bytes(&bytes, &part, &shape, 1), [8, 9, 14, 15]);
        let scalar = Rectangle { spans: smallvec![] };
        assert_eq!(rectangle_bytes(&[1, 2], &scalar, &Shape::scalar(), 2), [1, 2]);
    }
}
