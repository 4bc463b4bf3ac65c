//! Where the operations of a submission go: to a stream, or into the batch that is open.

use crate::device::graphs::launcher::Launcher;
use crate::device::graphs::operation::{Operation, Place};
use crate::device::group::Group;
use crate::device::state::logical::Logical;
use crate::device::state::memory::Spare;
use crate::driver::{self, Function, Grid, Parameters, Pinned, Stream};
use crate::error::CudaError;
use darray_device::{DeviceId, Queue};
use smallvec::SmallVec;
use std::cell::RefCell;

/// One of both.
pub(in crate::device) enum Route<'r> {
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

    /// Does something for which the driver needs memory of a device beside its blocks, such as loading code; if
    /// there is none, once more after [memory was freed](Self::make_room).
    pub fn with_room<T>(
        &self,
        group: &Group,
        device: &Logical,
        mut attempt: impl FnMut() -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        attempt().or_else(|error| {
            if !error.is_out_of_memory() {
                return Err(error);
            }
            self.make_room(group, device)?;
            attempt()
        })
    }

    /// Launches what is held back and waits for the work of a device's GPU, which gives memory back, and gives the
    /// GPU what is kept for reuse. The device's context is bound then.
    pub fn make_room(&self, group: &Group, device: &Logical) -> Result<(), CudaError> {
        if let Route::Batch(launcher, _) = self {
            launcher.borrow_mut().settle(group);
        }
        group.settle(device.context().card.ordinal);
        device.context().bind()
    }

    /// Does something with device memory that is given back behind it. It is not among the blocks, so
    /// nobody else makes space for it.
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
                let space = self.with_room(group, device, || pool.allocate(bytes, stream))?;
                let result = work(space);
                let freed = pool.free(space, stream);
                result.and(freed)
            }
            Route::Batch(launcher, queue) => {
                let space = self.with_room(group, device, || {
                    launcher.borrow_mut().memory(group, device, *queue, bytes)
                })?;
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
