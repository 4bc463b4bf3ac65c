//! Tasks that programs bring along, on the CPU.

use crate::memory::Memory;
use crate::rectangle::Side;
use darray_core::{Kind, RealType, Scalar, bf16, f16};
use darray_device::{Fault, PointCall};
use darray_kernel::element::Element;
use smallvec::SmallVec;
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::MutexGuard;

/// What a task that a program brings along does for one point, on a CPU.
///
/// It is called on the thread that carries out the plan, which may be any thread of the program, and must
/// not wait for arrays of the runtime that calls it. An error, and likewise a panic, becomes the failure of
/// what the task writes.
pub struct CpuVariant {
    #[allow(clippy::type_complexity, reason = "what the constructor takes")]
    run: Box<dyn Fn(&mut PointTask<'_>) -> Result<(), String> + Send + Sync>,
}

impl CpuVariant {
    /// From a function of one point.
    ///
    /// ```
    /// let nothing = darray_cpu::CpuVariant::new(|_| Ok(()));
    /// # drop(nothing);
    /// ```
    pub fn new(
        run: impl Fn(&mut PointTask<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) -> CpuVariant {
        CpuVariant { run: Box::new(run) }
    }
}

impl fmt::Debug for CpuVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CpuVariant")
    }
}

/// One point of an index task, as the function that carries it out sees it.
#[derive(Debug)]
pub struct PointTask<'p> {
    domain: &'p [Range<usize>],
    scalars: &'p [Scalar],
    arrays: SmallVec<[LocalArray<'p>; 8]>,
    written: usize,
}

impl<'p> PointTask<'p> {
    /// The point's part of the iteration domain, in global indices.
    pub fn domain(&self) -> &'p [Range<usize>] {
        self.domain
    }

    /// The scalars.
    pub fn scalars(&self) -> &'p [Scalar] {
        self.scalars
    }

    /// The arrays that are written, then those that are only read, each in the order in which the
    /// program gave them.
    pub fn split(&mut self) -> (&mut [LocalArray<'p>], &[LocalArray<'p>]) {
        let (written, read) = self.arrays.split_at_mut(self.written);
        (written, read)
    }

    /// The array written, and that read, where there is one of each.
    ///
    /// # Panics
    ///
    /// If there are others.
    pub fn one_to_one(&mut self) -> (&mut LocalArray<'p>, &LocalArray<'p>) {
        match self.split() {
            ([to], [from]) => (to, from),
            (to, from) => panic!("{} arrays are written and {} read", to.len(), from.len()),
        }
    }
}

macro_rules! type_ids {
    ($($(#[$doc:meta])+ $name:ident = $rust:ident $row:tt;)+) => {
        [$(TypeId::of::<$rust>()),+]
    };
}

/// A part of an array in this machine's memory: what one point uses of it.
#[derive(Debug)]
pub struct LocalArray<'p> {
    pointer: *mut u8,
    /// Elements per step of each axis.
    strides: &'p [i64],
    extents: &'p [usize],
    dtype: RealType,
    memory: PhantomData<&'p mut [u8]>,
}

impl LocalArray<'_> {
    /// Extents.
    pub fn shape(&self) -> &[usize] {
        self.extents
    }

    /// Element type.
    pub fn dtype(&self) -> RealType {
        self.dtype
    }

    /// The element at these indices, which begin at 0 in this part.
    ///
    /// # Panics
    ///
    /// If the element type is another, or an index is out of range.
    pub fn get<T: Element>(&self, index: &[usize]) -> T {
        let address = self.address::<T>(index);
        if self.dtype.kind() == Kind::Bool {
            // Memory that was not written yet may hold no bool.
            // SAFETY: the element lies in the block, which lives while the task runs.
            let byte = unsafe { address.read() };
            return T::from_scalar((byte != 0).into());
        }
        // SAFETY: the element lies in the block, which lives while the task runs; whoever writes it
        // has this array by `&mut`. `T` is the Rust type of the element type, and takes any bits.
        unsafe { address.cast::<T>().read() }
    }

    /// Writes the element at these indices.
    ///
    /// # Panics
    ///
    /// As [`get`](Self::get).
    pub fn set<T: Element>(&mut self, index: &[usize], value: T) {
        let address = self.address::<T>(index);
        // SAFETY: as for `get`; an array that is written shares no element with any other, and only
        // such are given out by `&mut`.
        unsafe { address.cast::<T>().write(value) }
    }

    /// All elements, in row-major order; `None` where they do not lie so, and for `bool`.
    ///
    /// # Panics
    ///
    /// If the element type is another.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        let length = self.contiguous::<T>()?;
        // SAFETY: the array is `length` elements of `T` one after the other in a block that lives while
        // the task runs; whoever writes them has this array by `&mut`.
        Some(unsafe { std::slice::from_raw_parts(self.pointer.cast_const().cast(), length) })
    }

    /// As [`as_slice`](Self::as_slice), to be written. What is there before is undefined, unless the
    /// array is updated.
    ///
    /// # Panics
    ///
    /// If the element type is another.
    pub fn as_mut_slice<T: Element>(&mut self) -> Option<&mut [T]> {
        let length = self.contiguous::<T>()?;
        // SAFETY: as for `as_slice`; an array that is written shares no element with any other, and
        // only such are given out by `&mut`. The pool's bytes are initialised.
        Some(unsafe { std::slice::from_raw_parts_mut(self.pointer.cast(), length) })
    }

    fn address<T: Element>(&self, index: &[usize]) -> *mut u8 {
        self.check_type::<T>();
        let inside = index.len() == self.extents.len()
            && index.iter().zip(self.extents).all(|(i, extent)| i < extent);
        assert!(inside, "index {index:?} is out of range for an array of shape {:?}", self.extents);
        let steps = index.iter().zip(self.strides).map(|(&i, step)| i as i64 * step);
        self.pointer.wrapping_offset(steps.sum::<i64>() as isize * size_of::<T>() as isize)
    }

    /// How many elements there are, if they lie one after the other.
    fn contiguous<T: Element>(&self) -> Option<usize> {
        self.check_type::<T>();
        if self.dtype.kind() == Kind::Bool {
            // Memory that was not written yet may hold no bool.
            return None;
        }
        let mut length = 1;
        for (&extent, &stride) in self.extents.iter().zip(self.strides).rev() {
            if extent > 1 && stride != length as i64 {
                return None;
            }
            length *= extent;
        }
        Some(length)
    }

    fn check_type<T: Element>(&self) {
        // Not `T::DTYPE`, which a program's own type may say of itself.
        let own = darray_core::for_each_element! { [type_ids] }[self.dtype as usize];
        assert!(
            own == TypeId::of::<T>(),
            "an array of {} is used as one of {}",
            self.dtype,
            T::DTYPE
        );
    }
}

/// Runs a call. The memory is looked at first, and free for others while the function runs.
pub(crate) fn run(call: &PointCall, memory: MutexGuard<'_, Memory>) -> Result<(), Fault> {
    let variant: &CpuVariant = call.variant("CPUs")?;
    let (domain, scalars) = (&call.domain[..], &call.scalars[..]);
    let mut task = PointTask { domain, scalars, arrays: SmallVec::new(), written: 0 };
    for array in &call.arrays {
        let (view, extents, dtype) = (array.view(), array.extents(), array.dtype());
        let (block, strides) = (memory.locate(view.block)?, &view.strides[..]);
        if array.needed().is_none_or(|needed| needed > block.bytes) {
            // A fault that says how.
            let side = Side::new(block, view.offset, extents, strides, dtype);
            return Err(side.err().unwrap_or_else(|| Fault::Execution("extents too large".into())));
        }
        let offset = view.offset.wrapping_mul(dtype.size() as i64);
        let pointer = block.pointer.wrapping_offset(offset as isize);
        task.written += usize::from(array.is_written());
        task.arrays.push(LocalArray { pointer, strides, extents, dtype, memory: PhantomData });
    }
    drop(memory);
    PointCall::guard(|| (variant.run)(&mut task))
}
