//! Read: flush, gather one view from the devices that hold it, and wait for that alone.

use crate::engine::Engine;
use crate::fault::{Origin, StepFault};
use crate::history::{Events, Use, WaitKind};
use crate::holders::{Held, Holders, most_pieces, tile_of};
use crate::instance::{Instance, Replica};
use crate::rectangle::Rectangle;
use crate::runtime::Runtime;
use crate::store::{Store, StoreOwner};
use crate::sub_store::{SubStore, Tile, interval_rectangles, linear_interval};
use darray_core::{Chart, Error, ErrorKind, Map, Place, Result, Shape};
use darray_device::{Command, Event, Fault, HostBytes, HostBytesMut, Plain, Rect};
use smallvec::{SmallVec, smallvec};
use std::sync::{Arc, Mutex, MutexGuard};

/// Bytes on their way to the host: a rectangle of some index space.
pub(crate) struct Piece<T> {
    rectangle: Rectangle,
    /// Its elements; none before they arrive.
    elements: Arc<Mutex<Vec<T>>>,
    bytes: usize,
    event: Event,
}

impl<T: Plain> Piece<T> {
    /// The elements, which are taken.
    pub(crate) fn take(&self) -> Vec<T> {
        std::mem::take(&mut self.lock())
    }

    /// What is missing although the download is done.
    pub(crate) fn check(&self) -> std::result::Result<(), Fault> {
        match (self.lock().bytes().len(), self.bytes) {
            (found, bytes) if found == bytes => Ok(()),
            (found, bytes) => {
                Err(Fault::Execution(format!("{found} of {bytes} bytes were downloaded")))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.elements.lock().unwrap_or_else(|e| e.into_inner())
    }

    pub(crate) fn event(&self) -> Event {
        self.event
    }
}

/// What a read has asked of the devices.
enum Gather<T> {
    /// Pieces of the view itself.
    View(Vec<Piece<T>>),
    /// Pieces of the store that hold an interval of its linear indices, where pieces of the view would be too many.
    Interval(Vec<Piece<T>>, i64),
}

impl Runtime {
    /// A view, row-major, in elements of as many bytes or as its bytes: `domain` elements of `store` through `map`.
    ///
    /// # Errors
    ///
    /// The failure that the store carries, or one of the read itself. A failed update that has changed nothing is given once:
    /// then variables that hold the store hold the value from before.
    pub fn read<T: Plain>(
        &self,
        store: &Arc<Store>,
        map: &Map,
        domain: &Shape,
        name: &'static str,
        place: Place,
    ) -> Result<Vec<T>> {
        // A pending read keeps the store live.
        let store = StoreOwner::new(store.clone());
        let mut state = self.lock();
        state.flush();
        state.engine.harvest();
        if let Some(error) = store.error() {
            state.restore(&store);
            return Err(error.clone());
        }
        if store.has_ended() {
            let message = "the array's data ended with its last owner".to_string();
            return Err(Error::new(name, ErrorKind::Runtime { message }, place));
        }
        let size = store.dtype().size();
        if !size.is_multiple_of(size_of::<T>()) {
            let message =
                format!("{} is read as elements of {} bytes", store.dtype(), size_of::<T>());
            return Err(Error::new(name, ErrorKind::Runtime { message }, place));
        }
        if domain.size() == 0 {
            return Ok(Vec::new());
        }
        let origin = Origin {
            operation: name,
            place,
            shapes: smallvec![domain.clone()],
            dtypes: smallvec![store.dtype()],
        };
        let failed = |fault: StepFault| fault.error(&origin);
        state.engine.restore(&store).map_err(failed)?;
        let gather = state.engine.gather(&store, map, domain);
        store.settle();
        let gather = gather.map_err(failed)?;
        drop(state);
        let pieces = match &gather {
            Gather::View(pieces) | Gather::Interval(pieces, _) => pieces,
        };
        for piece in pieces {
            if self.devices().skips(WaitKind::ReadAfterDownload) {
                break;
            }
            let device = self.devices().device(piece.event.device.0 as usize);
            let fault = |f: darray_device::CommandFault| StepFault::Execution(f.fault.to_string());
            device.wait(piece.event).map_err(|f| failed(fault(f)))?;
        }
        let mut state = self.lock();
        state.engine.harvest();
        drop(state);
        match store.error() {
            Some(error) => Err(error.clone()),
            None => {
                let check = pieces.iter().try_for_each(Piece::check);
                check.map_err(|fault| failed(StepFault::Execution(fault.to_string())))?;
                gather.assemble(&store, map, domain, size).map_err(failed)
            }
        }
    }
}

impl Engine {
    fn gather<T: Plain>(
        &mut self,
        store: &Arc<Store>,
        map: &Map,
        domain: &Shape,
    ) -> std::result::Result<Gather<T>, StepFault> {
        let (mut replicas, shape) = (store.replicas(), store.shape());
        let all = Rectangle::whole(domain);
        let of = |replicas: &[Replica], map, indices: &Rectangle, most| {
            Holders { replicas, map, shape, first: 0 }.of(indices, most)
        };
        let interval = (map.chart == Chart::Linear).then(|| linear_interval(map, &tile_of(&all)));
        let most = interval.as_ref().map_or(usize::MAX, |interval| {
            most_pieces((interval.end - interval.start) as usize * store.dtype().size())
        });
        let mut pieces = Vec::new();
        if let Some(held) = of(&replicas, map, &all, most) {
            self.download_held(store, &mut replicas, map, held, &mut pieces)?;
            return Ok(Gather::View(pieces));
        }
        let interval = interval.expect("a native map needs no bound");
        let identity = Map::identity(shape);
        for part in interval_rectangles(interval.clone(), shape) {
            let held = of(&replicas, &identity, &part, usize::MAX).unwrap_or_default();
            self.download_held(store, &mut replicas, &identity, held, &mut pieces)?;
        }
        Ok(Gather::Interval(pieces, interval.start))
    }

    /// Queues the downloads of what devices hold of a view.
    fn download_held<T: Plain>(
        &mut self,
        store: &Store,
        replicas: &mut [Replica],
        map: &Map,
        held: Vec<Held>,
        pieces: &mut Vec<Piece<T>>,
    ) -> std::result::Result<(), StepFault> {
        for Held { device, indices } in held {
            let Some(device) = device else { continue };
            let Some(instance) = &mut replicas[device].instance else { continue };
            let tile = tile_of(&indices);
            let rect = instance.view_rect(store, map, &tile);
            let parts = SubStore::around(map, &tile, store.shape()).rectangles;
            pieces.push(self.download(instance, device, rect, indices, &parts)?);
        }
        Ok(())
    }

    /// Queues the download of a rectangle, which `parts` of the store hold.
    pub(crate) fn download<T: Plain>(
        &mut self,
        instance: &mut Instance,
        device: usize,
        from: Rect,
        rectangle: Rectangle,
        parts: &[Rectangle],
    ) -> std::result::Result<Piece<T>, StepFault> {
        let queue = self.devices.copy_queue(device);
        let mut after = Events::new();
        for part in parts {
            let (history, part) = (&instance.history, Some(part));
            self.devices.order_part(history, Use::Download, part, device, queue, &mut after);
        }
        let count = rectangle.size() * from.dtype.size();
        let elements = Arc::new(Mutex::new(room::<T>(count)?));
        let download = Command::Download { from, to: elements.clone(), at: 0 };
        let event = self.submit(device, queue, &after, &download, &[], &[])?;
        self.counters.bytes_read += count as u64;
        if self.devices.several_queues() {
            for part in parts {
                instance.history.note_part(Use::Download, Some(part), event);
            }
        }
        Ok(Piece { rectangle, elements, bytes: count, event })
    }
}

/// Room on the host for elements of so many bytes.
fn room<T: Plain>(bytes: usize) -> std::result::Result<Vec<T>, StepFault> {
    debug_assert_eq!(bytes % size_of::<T>(), 0, "whole elements");
    let mut elements = Vec::new();
    let reserved = elements.try_reserve_exact(bytes / size_of::<T>());
    let no_room = || StepFault::Execution(format!("out of memory on the host: {bytes} bytes"));
    reserved.map_err(|_| no_room()).map(|()| elements)
}

/// As [`room`], with zeros in it.
fn zeros<T: Plain>(bytes: usize) -> std::result::Result<Vec<T>, StepFault> {
    let mut elements = room(bytes)?;
    elements.resize(bytes / size_of::<T>(), T::default());
    Ok(elements)
}

impl<T: Plain> Gather<T> {
    /// The view, row-major; what no device holds was never written and is 0. An element of the store has `size` bytes.
    fn assemble(
        self,
        store: &Store,
        map: &Map,
        domain: &Shape,
        size: usize,
    ) -> std::result::Result<Vec<T>, StepFault> {
        match self {
            Gather::View(pieces) => {
                if let [piece] = &pieces[..]
                    && piece.rectangle.is_whole(domain)
                {
                    return Ok(piece.take());
                }
                let mut out = zeros::<T>(domain.size() * size)?;
                for piece in pieces {
                    scatter(&piece, domain, 0, size, out.bytes_mut());
                }
                Ok(out)
            }
            Gather::Interval(pieces, start) => {
                let tile: Tile = domain.iter().map(|&n| 0..n).collect();
                let interval = linear_interval(map, &tile);
                let mut bytes = zeros::<u8>((interval.end - interval.start) as usize * size)?;
                for piece in pieces {
                    scatter(&piece, store.shape(), start, size, &mut bytes);
                }
                let mut out = zeros::<T>(domain.size() * size)?;
                let mut places = out.bytes_mut().chunks_exact_mut(size);
                for_each_index(domain, |index| {
                    let coordinate = |d: &darray_core::Dim| {
                        d.start + d.axis.map_or(0, |a| d.step * index[a as usize] as i64)
                    };
                    let at = map.dims.iter().map(coordinate).sum::<i64>() - start;
                    let at = at as usize * size;
                    let place = places.next().expect("a place for each index");
                    place.copy_from_slice(&bytes[at..at + size]);
                });
                Ok(out)
            }
        }
    }
}

/// Puts a piece where it belongs in the row-major bytes of `shape`, less `start` elements.
fn scatter<T: Plain>(piece: &Piece<T>, shape: &Shape, start: i64, size: usize, into: &mut [u8]) {
    let elements = piece.lock();
    let row = piece.rectangle.spans.last().map_or(1, |s| s.extent()) * size;
    let strides = shape.strides();
    let mut rows = elements.bytes().chunks(row.max(1));
    for_each_row(&piece.rectangle.extents(), |index| {
        let lows = piece.rectangle.spans.iter().map(|s| s.lo).zip(index);
        let at = lows.zip(&strides).map(|((lo, &i), s)| (lo + i as i64) * s).sum::<i64>() - start;
        let at = at as usize * size;
        into[at..at + row].copy_from_slice(rows.next().expect("a row for each index"));
    });
}

/// Calls `visit` with the index of the first element of every row of a non-empty rectangle.
pub(crate) fn for_each_row(extents: &[usize], mut visit: impl FnMut(&[usize])) {
    let mut rows: SmallVec<[usize; 4]> = extents.iter().copied().collect();
    if let Some(last) = rows.last_mut() {
        *last = 1;
    }
    for_each_index(&rows, &mut visit);
}

fn for_each_index(extents: &[usize], mut visit: impl FnMut(&[usize])) {
    let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, extents.len());
    loop {
        visit(&index);
        let mut axis = extents.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < extents[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_arrived_is_a_fault() {
        let piece = |elements: Vec<f64>| {
            let event = Event {
                device: darray_device::DeviceId(0),
                queue: darray_device::Queue(0),
                ticket: 1,
            };
            let rectangle = Rectangle::whole(&Shape::new(&[3]));
            Piece { rectangle, elements: Arc::new(Mutex::new(elements)), bytes: 24, event }
        };
        let fault = piece(vec![1.0; 2]).check().unwrap_err();
        assert_eq!(fault.to_string(), "16 of 24 bytes were downloaded");
        assert!(piece(vec![1.0; 3]).check().is_ok());
    }
}
