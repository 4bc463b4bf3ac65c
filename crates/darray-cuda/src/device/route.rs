//! Where the operations of a submission go: to a stream, or into the batch that is open.

use super::group::Group;
use super::launcher::Launcher;
use super::logical::Logical;
use super::memory::Spare;
use super::operation::{Operation, Place};
use crate::driver::{self, Function, Grid, Parameters, Pinned, Stream};
use crate::error::CudaError;
use darray_device::{DeviceId, Queue};
use smallvec::SmallVec;
use std::cell::RefCell;

/// One of both.
pub(super) enum Route<'r> {
    /// They are queued at once.
    Stream(&'r Stream),
    /// They are held back, as work of this queue.
    Batch(RefCell<&'r mut Launcher>, (DeviceId, Queue)),
}

impl Route<'_> {
    /// A kernel of a device.
    ///
    /// # Safety
    /// The parameters are what the kernel expects; every address in them is valid when it runs.
    pub unsafe fn launch(
        &self,
        device: &Logical,
        function: &Function,
        grid: Grid,
        parameters: Parameters<'_>,
    ) -> Result<(), CudaError> {
        match self {
            // SAFETY: the caller's contract.
            Route::Stream(stream) => unsafe { function.launch(grid, stream, parameters) },
            Route::Batch(..) => {
                let (function, parameters) = (function.clone(), parameters.into());
                let kernel = Operation::Kernel { function, grid, parameters };
                self.push(device, kernel);
                Ok(())
            }
        }
    }

    /// A copy within a device, or from one that it has access to.
    pub fn peer_copy(
        &self,
        (to, near): (u64, &Logical),
        (from, far): (u64, &Logical),
        bytes: usize,
    ) -> Result<(), CudaError> {
        match self {
            Route::Stream(stream) if near.context().card == far.context().card => {
                driver::copy(to, from, bytes, stream)
            }
            Route::Stream(stream) => {
                driver::peer_copy((to, near.context()), (from, far.context()), bytes, stream)
            }
            Route::Batch(..) => {
                let (to, from) = (Place::device(to, near), Place::device(from, far));
                self.push(near, Operation::Copy { to, from, bytes });
                Ok(())
            }
        }
    }

    /// The first bytes of pinned memory, to a device. The memory stays until the copy has run.
    pub fn upload(
        &self,
        device: &Logical,
        to: u64,
        from: &Pinned,
        bytes: usize,
    ) -> Result<(), CudaError> {
        match self {
            Route::Stream(stream) => driver::upload(to, from, bytes, stream),
            Route::Batch(..) => {
                assert!(bytes <= from.len(), "pinned memory of {} holds {bytes}", from.len());
                let (to, from) = (Place::device(to, device), Place::host(from.pointer()));
                self.push(device, Operation::Copy { to, from, bytes });
                Ok(())
            }
        }
    }

    /// Bytes of a device, to the front of pinned memory. The memory stays until the copy has run.
    pub fn download(
        &self,
        device: &Logical,
        to: &Pinned,
        from: u64,
        bytes: usize,
    ) -> Result<(), CudaError> {
        match self {
            Route::Stream(stream) => driver::download(to, from, bytes, stream),
            Route::Batch(..) => {
                assert!(bytes <= to.len(), "pinned memory of {} holds {bytes}", to.len());
                let (to, from) = (Place::host(to.pointer()), Place::device(from, device));
                self.push(device, Operation::Copy { to, from, bytes });
                Ok(())
            }
        }
    }

    /// Does something with device memory that is given back behind it. It is not among the blocks, so
    /// nobody makes room for it: if there is none, all work is waited for, which gives memory back.
    pub fn with_space(
        &self,
        group: &Group,
        device: &Logical,
        bytes: u64,
        work: impl FnOnce(u64) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        match self {
            Route::Stream(stream) => {
                let pool = device.memory.pool();
                let space = pool.allocate(bytes, stream).or_else(|error| {
                    if !error.is_out_of_memory() {
                        return Err(error);
                    }
                    group.settle(device.context().card.ordinal);
                    device.context().bind()?;
                    pool.allocate(bytes, stream)
                })?;
                let result = work(space);
                let freed = pool.free(space, stream);
                result.and(freed)
            }
            Route::Batch(launcher, queue) => {
                let mut borrowed = launcher.borrow_mut();
                let space = borrowed.memory(group, device, *queue, bytes).or_else(|error| {
                    if !error.is_out_of_memory() {
                        return Err(error);
                    }
                    borrowed.settle(group);
                    group.settle(device.context().card.ordinal);
                    borrowed.memory(group, device, *queue, bytes)
                })?;
                drop(borrowed);
                let result = work(space);
                let (address, queue, after) = (space, *queue, SmallVec::new());
                device.memory.spare(Spare { address, bytes, queue, after, point: None });
                result
            }
        }
    }

    fn push(&self, device: &Logical, operation: Operation) {
        if let Route::Batch(launcher, queue) = self {
            launcher.borrow_mut().push(*queue, device, operation);
        }
    }
}
