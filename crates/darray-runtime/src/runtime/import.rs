//! Import: bytes of the host become a store.

use crate::engine::{Origin, StepFault};
use crate::geometry::{Rectangle, rectangle_bytes};
use crate::runtime::{Runtime, State};
use crate::stores::Store;
use darray_core::{Error, ErrorKind, Place, RealType, Result, Shape};
use darray_device::HostBytes;
use smallvec::smallvec;
use std::ops::Range;
use std::sync::Arc;

impl Runtime {
    /// A store with these row-major elements, tiled over the devices as a task over it would be.
    ///
    /// # Errors
    ///
    /// A wrong number of them, or no memory, with the name and place given.
    pub fn import(
        &self,
        dtype: RealType,
        shape: &Shape,
        elements: Arc<dyn HostBytes>,
        name: &'static str,
        place: Place,
    ) -> Result<Arc<Store>> {
        let import = self.begin_import(dtype, shape, name, place);
        import.put_rectangle(&Rectangle::whole(shape), elements)?;
        Ok(import.finish())
    }

    /// Begins a store that gets its elements piece by piece.
    pub fn begin_import(
        &self,
        dtype: RealType,
        shape: &Shape,
        name: &'static str,
        place: Place,
    ) -> Import<'_> {
        let origin = Origin {
            operation: name,
            place,
            shapes: smallvec![shape.clone()],
            dtypes: smallvec![dtype],
        };
        Import { runtime: self, store: self.new_store(dtype, shape), origin }
    }
}

/// A store that gets its elements from the host, piece by piece. Those that it did not get are 0.
pub struct Import<'r> {
    runtime: &'r Runtime,
    store: Arc<Store>,
    origin: Origin,
}

impl Import<'_> {
    /// Gives it the row-major elements of the rectangle that has these spans.
    ///
    /// # Errors
    ///
    /// A wrong number of them, or no memory.
    pub fn put(&self, spans: &[Range<usize>], elements: Arc<dyn HostBytes>) -> Result<()> {
        self.put_rectangle(&Rectangle::of_tile(spans), elements)
    }

    fn put_rectangle(&self, piece: &Rectangle, elements: Arc<dyn HostBytes>) -> Result<()> {
        let Import { runtime, store, origin } = self;
        let expected = piece.size() * store.dtype().size();
        let bytes = elements.bytes().len();
        if bytes != expected {
            let (shape, dtype) = (Shape::new(&piece.extents()), store.dtype());
            let message =
                format!("{bytes} bytes for shape {shape} of {dtype}: expected {expected}");
            let kind = ErrorKind::Runtime { message };
            return Err(Error::new(origin.operation, kind, origin.place));
        }
        let mut state = runtime.lock();
        state.engine.origin = origin.clone().into();
        let mut result = state.upload(store, piece, &elements);
        if matches!(result, Err(StepFault::Memory(_))) {
            // What is dead goes back to the devices when the window is carried out.
            state.flush();
            result = state.upload(store, piece, &elements);
        }
        state.engine.origin.end();
        store.settle();
        result.map_err(|fault| fault.error(origin))
    }

    /// The store.
    pub fn finish(self) -> Arc<Store> {
        self.store.set_initialised();
        self.store
    }
}

impl State {
    /// Gives a store the elements of a rectangle of it.
    fn upload(
        &mut self,
        store: &Arc<Store>,
        piece: &Rectangle,
        elements: &Arc<dyn HostBytes>,
    ) -> std::result::Result<(), StepFault> {
        let (engine, shape) = (&mut self.engine, store.shape());
        let mut replicas = store.replicas();
        for point in engine.mapper.points(shape) {
            if point.is_empty() {
                continue;
            }
            let tile = Rectangle::of_tile(&point.tile);
            let Some(part) = tile.intersect(piece) else { continue };
            let device = point.device;
            let queue = engine.devices.first_queue(device, true);
            engine.ensure_instance(store, &mut replicas, device, &tile, false, queue)?;
            let of_part: Arc<dyn HostBytes> = if part == *piece {
                elements.clone()
            } else {
                let size = store.dtype().size();
                Arc::new(rectangle_bytes(elements.bytes(), piece, &part, size))
            };
            engine.upload(store, &mut replicas, device, &part, of_part)?;
            replicas[device].valid.insert(&part, shape);
        }
        Ok(())
    }
}
