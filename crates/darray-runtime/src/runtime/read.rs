//! Read: flush, gather one view from the devices that hold it, and wait for that alone.

use crate::coherence::Holders;
use crate::coherence::{Held, Piece, host_memory, most_pieces};
use crate::devices::WaitKind;
use crate::engine::{Engine, Origin, StepFault};
use crate::geometry::{
    Rectangle, SubStore, Tile, for_each_index, interval_rectangles, linear_interval,
};
use crate::runtime::Runtime;
use crate::stores::{Replica, Store, StoreOwner};
use darray_core::{Chart, Error, ErrorKind, Map, Place, Result, Shape};
use darray_device::{HostBytesMut, Plain};
use smallvec::smallvec;
use std::sync::Arc;

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
            let device = self.devices().device(piece.event().device.0 as usize);
            let fault = |f: darray_device::CommandFault| StepFault::Execution(f.fault.to_string());
            device.wait(piece.event()).map_err(|f| failed(fault(f)))?;
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

    /// As [`read`](Self::read), of numbers on which the extent of a result depends; counted.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_extents(
        &self,
        store: &Arc<Store>,
        map: &Map,
        domain: &Shape,
        name: &'static str,
        place: Place,
    ) -> Result<Vec<i64>> {
        let found = self.read(store, map, domain, name, place)?;
        self.lock().engine.counters.extents_read += 1;
        Ok(found)
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
        let interval = (map.chart == Chart::Linear).then(|| linear_interval(map, &all.tile()));
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
            let tile = indices.tile();
            let rect = instance.view_rect((store.shape(), store.dtype()), map, &tile);
            let parts = SubStore::around(map, &tile, store.shape()).rectangles;
            pieces.push(self.download(instance, device, rect, indices, &parts)?);
        }
        Ok(())
    }
}

/// Zeros on the host, of so many bytes.
fn zeros<T: Plain>(bytes: usize) -> std::result::Result<Vec<T>, StepFault> {
    let mut elements = host_memory(bytes)?;
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
                    && piece.rectangle().is_whole(domain)
                {
                    return Ok(piece.take());
                }
                let mut out = zeros::<T>(domain.size() * size)?;
                for piece in pieces {
                    piece.scatter(domain, 0, size, out.bytes_mut());
                }
                Ok(out)
            }
            Gather::Interval(pieces, start) => {
                let tile: Tile = domain.iter().map(|&n| 0..n).collect();
                let interval = linear_interval(map, &tile);
                let mut bytes = zeros::<u8>((interval.end - interval.start) as usize * size)?;
                for piece in pieces {
                    piece.scatter(store.shape(), start, size, &mut bytes);
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
