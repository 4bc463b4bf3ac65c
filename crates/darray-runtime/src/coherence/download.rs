//! Downloads: rectangles of stores on their way to the host.

use crate::devices::{Events, Use};
use crate::engine::{Engine, StepFault};
use crate::geometry::{Rectangle, for_each_row};
use crate::stores::Instance;
use darray_core::Shape;
use darray_device::{Command, Event, Fault, HostBytes, Plain, Rect};
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
    pub(crate) fn check(&self) -> Result<(), Fault> {
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

    pub(crate) fn rectangle(&self) -> &Rectangle {
        &self.rectangle
    }

    /// Puts it where it belongs in the row-major bytes of `shape`, less `start` elements.
    pub(crate) fn scatter(&self, shape: &Shape, start: i64, size: usize, into: &mut [u8]) {
        let elements = self.lock();
        let row = self.rectangle.spans.last().map_or(1, |s| s.extent()) * size;
        let strides = shape.strides();
        let mut rows = elements.bytes().chunks(row.max(1));
        for_each_row(&self.rectangle.extents(), |index| {
            let lows = self.rectangle.spans.iter().map(|s| s.lo).zip(index);
            let at =
                lows.zip(&strides).map(|((lo, &i), s)| (lo + i as i64) * s).sum::<i64>() - start;
            let at = at as usize * size;
            into[at..at + row].copy_from_slice(rows.next().expect("a row for each index"));
        });
    }
}

impl Engine {
    /// Queues the download of a rectangle, which `parts` of the store hold.
    pub(crate) fn download<T: Plain>(
        &mut self,
        instance: &mut Instance,
        device: usize,
        from: Rect,
        rectangle: Rectangle,
        parts: &[Rectangle],
    ) -> Result<Piece<T>, StepFault> {
        let queue = self.devices.copy_queue(device);
        let mut after = Events::new();
        for part in parts {
            let (history, part) = (&instance.history, Some(part));
            self.devices.order_part(history, Use::Download, part, device, queue, &mut after);
        }
        let count = rectangle.size() * from.dtype.size();
        let elements = Arc::new(Mutex::new(host_memory::<T>(count)?));
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

/// Memory on the host for elements of so many bytes.
pub(crate) fn host_memory<T: Plain>(bytes: usize) -> Result<Vec<T>, StepFault> {
    debug_assert_eq!(bytes % size_of::<T>(), 0, "whole elements");
    let mut elements = Vec::new();
    let reserved = elements.try_reserve_exact(bytes / size_of::<T>());
    let full = || StepFault::Execution(format!("out of memory on the host: {bytes} bytes"));
    reserved.map_err(|_| full()).map(|()| elements)
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
