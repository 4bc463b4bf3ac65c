//! Tasks of a program's own: fusion does not look into them, and orders them with everything else.
//!
//! ```
//! use darray::{DArray, task::Task};
//! let triple = Task::new("triple", |point| {
//!     let (to, from) = point.one_to_one();
//!     (0..from.shape()[0]).for_each(|i| to.set(&[i], 3.0 * from.get::<f64>(&[i])));
//!     Ok(())
//! });
//! let x = DArray::<f64>::ones(2);
//! let y: DArray<f64> = triple.launch().read(&x).create(2);
//! assert_eq!((&y + 1.0).to_vec(), [4.0, 4.0]);
//! ```

#[cfg(feature = "cuda")]
mod cuda;
mod emit;

use crate::error::expect_at_caller;
use crate::{DArray, DynArray, Element, IntoShape, Runtime};
use darray_core::{DType, Error, ErrorKind, Place, Result, Scalar, View};
use darray_cpu::CpuVariant;
use darray_device::TaskDefinition;
use darray_ir::Opaque;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::Arc;

pub use darray_cpu::{LocalArray, PointTask};
#[cfg(feature = "cuda")]
pub use darray_cuda::{CudaArg, CudaArray, CudaPointTask, CudaSource, Grid};

/// A task of the program's own, by which it does to arrays what no operation here does.
///
/// Rules:
/// - It is *opaque*: of a [`launch`](Self::launch) the runtime knows which arrays it writes, updates and
///   reads, orders it with all other tasks by that, and never merges it with them.
/// - It is an index task like any other: its domain, the shape of what it writes, is tiled over the
///   devices, and the function is called for each point with the parts that the point uses.
/// - An array that is written shares no memory with any other array of the call.
/// - It has a variant for each kind of device that it is to run on: for CPUs by [`Task::new`], for NVIDIA GPUs by
///   `Task::cuda`, with the feature `cuda`. On another device it fails, by name.
///
/// ```
/// use darray::DArray;
/// use darray::task::Task;
/// let reverse_bits = Task::new("reverse_bits", |point| {
///     let (to, from) = point.one_to_one();
///     for i in 0..from.shape()[0] {
///         to.set(&[i], from.get::<i64>(&[i]).reverse_bits());
///     }
///     Ok(())
/// });
/// let x = DArray::from_vec(vec![1i64, -1]);
/// let y: DArray<i64> = reverse_bits.launch().read(&(&x + 1)).create(2);
/// assert_eq!(y.to_vec(), [1 << 62, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct Task(Arc<TaskDefinition>);

impl Task {
    /// A task with what it does for one point on a CPU. The name is the one in errors and reports.
    ///
    /// The function runs on a thread that carries out a plan, and must not use arrays of the runtime that calls
    /// it, which panics. It may use those of another runtime, whose tasks must not use the first one's meanwhile: on two
    /// threads they would wait for each other. Its error, and likewise a panic, is the failure of the arrays that the task writes.
    ///
    /// ```
    /// use darray::{Fallible, DArray};
    /// use darray::task::Task;
    /// let refuse = Task::new("refuse", |_| Err("not today".to_string()));
    /// let x: DArray<f64> = refuse.launch().create(3);
    /// assert!(x.try_to_vec().unwrap_err().to_string().starts_with("refuse: not today"));
    /// ```
    pub fn new(
        name: &'static str,
        cpu: impl Fn(&mut PointTask<'_>) -> std::result::Result<(), String> + Send + Sync + 'static,
    ) -> Task {
        Task(Arc::new(TaskDefinition::new(name).with(CpuVariant::new(cpu))))
    }

    /// The name in errors and reports.
    ///
    /// ```
    /// use darray::task::Task;
    /// assert_eq!(Task::new("halo", |_| Ok(())).name(), "halo");
    /// ```
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// A launch, which is told the arrays and then submitted.
    ///
    /// ```
    /// use darray::DArray;
    /// use darray::task::Task;
    /// let scale = Task::new("scale", |point| {
    ///     let factor = point.scalars()[0].to_f64();
    ///     let (written, _) = point.split();
    ///     let values = written[0].as_mut_slice::<f64>().ok_or("strided")?;
    ///     values.iter_mut().for_each(|value| *value *= factor);
    ///     Ok(())
    /// });
    /// let x = DArray::<f64>::ones(3);
    /// scale.launch().update(&x).scalar(2.5).submit();
    /// assert_eq!(x.to_vec(), [2.5; 3]);
    /// ```
    #[inline]
    pub fn launch(&self) -> Launch<'_> {
        Launch {
            task: self,
            arrays: SmallVec::new(),
            accesses: Accesses::default(),
            scalars: SmallVec::new(),
        }
    }
}

/// What a launch does with an array.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Access {
    Write,
    Update,
    Read,
    ReadWhole,
}

/// What a launch does with its arrays, two bits each; of more arrays than a launch may have, nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Accesses(u64);

impl Accesses {
    #[inline]
    fn set(&mut self, position: usize, access: Access) {
        if position < Opaque::MOST_ARGS {
            self.0 |= (access as u64) << (2 * position);
        }
    }

    /// Whether each of so many arrays is read and nothing else.
    #[inline]
    fn only_read(self, count: usize) -> bool {
        let read = (Access::Read as u64) * (u64::MAX / 3);
        count < Opaque::MOST_ARGS && self.0 == read & ((1 << (2 * count)) - 1)
    }

    #[inline]
    fn get(self, position: usize) -> Access {
        match self.0.checked_shr(2 * position as u32).unwrap_or(0) & 3 {
            0 => Access::Write,
            1 => Access::Update,
            2 => Access::Read,
            _ => Access::ReadWhole,
        }
    }
}

/// An array that a launch uses.
#[derive(Clone, Copy, Debug)]
struct Use<'a> {
    array: &'a DynArray,
    access: Access,
}

/// One launch of a [`Task`]: the arrays that it uses, in the order in which the function finds them, those
/// that are written before those that are read.
///
/// ```
/// use darray::{DArray, task::Task};
/// let swap = Task::new("swap", |point| {
///     let (written, _) = point.split();
///     let (a, b) = (written[0].get::<i64>(&[0]), written[1].get::<i64>(&[0]));
///     written[0].set(&[0], b);
///     written[1].set(&[0], a);
///     Ok(())
/// });
/// let (a, b) = (DArray::from_vec(vec![1i64]), DArray::from_vec(vec![2i64]));
/// swap.launch().update(&a).update(&b).submit();
/// assert_eq!((a.to_vec(), b.to_vec()), (vec![2], vec![1]));
/// ```
#[derive(Debug)]
#[must_use = "a launch does nothing before it is submitted"]
pub struct Launch<'a> {
    task: &'a Task,
    /// Few enough inline that a launch is moved by a few instructions: each array and scalar that it is told moves it.
    arrays: SmallVec<[&'a DynArray; 6]>,
    accesses: Accesses,
    scalars: SmallVec<[Scalar; 2]>,
}

impl<'a> Launch<'a> {
    /// An array that is written, all of it; what it held is not there for the function. All arrays that
    /// are written have one shape, which is the domain.
    ///
    /// ```
    /// use darray::{DArray, task::Task};
    /// let number = Task::new("number", |point| {
    ///     let first = point.domain()[0].start;
    ///     let (written, _) = point.split();
    ///     for i in 0..written[0].shape()[0] {
    ///         written[0].set(&[i], (first + i) as i64);
    ///     }
    ///     Ok(())
    /// });
    /// let x = DArray::<i64>::zeros(3);
    /// number.launch().write(&x).submit();
    /// assert_eq!(x.to_vec(), [0, 1, 2]);
    /// ```
    #[inline]
    pub fn write(self, array: &'a impl AsRef<DynArray>) -> Launch<'a> {
        self.using(array.as_ref(), Access::Write)
    }

    /// An array that is read and written; see [`Task::launch`] for an example.
    ///
    /// ```
    /// use darray::{DArray, task::Task};
    /// let nothing = Task::new("nothing", |_| Ok(()));
    /// let x = DArray::<f64>::ones(2);
    /// nothing.launch().update(&x).submit();
    /// assert_eq!(x.to_vec(), [1.0, 1.0]);
    /// ```
    #[inline]
    pub fn update(self, array: &'a impl AsRef<DynArray>) -> Launch<'a> {
        self.using(array.as_ref(), Access::Update)
    }

    /// An array that is read, broadcast to the domain: a point has its part of it.
    ///
    /// ```
    /// use darray::{DArray, task::Task};
    /// let copy = Task::new("copy", |point| {
    ///     let (to, from) = point.one_to_one();
    ///     to.set(&[0], from.get::<f64>(&[0]));
    ///     Ok(())
    /// });
    /// let x = DArray::<f64>::ones(1);
    /// let y: DArray<f64> = copy.launch().read(&x).create(1);
    /// assert_eq!(y.to_vec(), [1.0]);
    /// ```
    #[inline]
    pub fn read(self, array: &'a impl AsRef<DynArray>) -> Launch<'a> {
        self.using(array.as_ref(), Access::Read)
    }

    /// An array that is read, of any shape: every point has all of it.
    ///
    /// ```
    /// use darray::{DArray, task::Task};
    /// let total = Task::new("total", |point| {
    ///     let (to, from) = point.one_to_one();
    ///     to.set(&[], from.as_slice::<f64>().ok_or("strided")?.iter().sum::<f64>());
    ///     Ok(())
    /// });
    /// let x = DArray::<f64>::ones((2, 3));
    /// let y: DArray<f64> = total.launch().read_whole(&x).create(());
    /// assert_eq!(y.item(), 6.0);
    /// ```
    #[inline]
    pub fn read_whole(self, array: &'a impl AsRef<DynArray>) -> Launch<'a> {
        self.using(array.as_ref(), Access::ReadWhole)
    }

    /// A number for the function; see [`Task::launch`] for an example.
    ///
    /// ```
    /// use darray::{DArray, task::Task};
    /// let fill = Task::new("fill", |point| {
    ///     let value = point.scalars()[0].to_i64();
    ///     let (written, _) = point.split();
    ///     written[0].as_mut_slice::<i64>().ok_or("strided")?.fill(value);
    ///     Ok(())
    /// });
    /// let x: DArray<i64> = fill.launch().scalar(7i64).create(2);
    /// assert_eq!(x.to_vec(), [7, 7]);
    /// ```
    #[inline]
    pub fn scalar(mut self, scalar: impl Into<Scalar>) -> Launch<'a> {
        self.scalars.push(scalar.into());
        self
    }

    /// Records the task.
    ///
    /// # Panics
    ///
    /// If nothing is written, the shapes do not fit, or there are more than 16 arrays.
    ///
    /// ```
    /// use darray::{DArray, task::Task};
    /// let nothing = Task::new("nothing", |_| Ok(()));
    /// nothing.launch().update(&DArray::<f64>::ones(2)).submit();
    /// ```
    #[track_caller]
    pub fn submit(self) {
        expect_at_caller(self.try_submit());
    }

    /// As [`submit`](Self::submit); what does not fit is an error.
    ///
    /// ```
    /// use darray::task::Task;
    /// assert!(Task::new("nothing", |_| Ok(())).launch().try_submit().is_err());
    /// ```
    #[track_caller]
    pub fn try_submit(self) -> Result<()> {
        let place = Place::caller();
        let runtime = self.runtime(place)?;
        self.emit(&runtime, None, place).map(|_| ())
    }

    /// Records the task with one array more that it writes: a new one, which comes first.
    ///
    /// # Panics
    ///
    /// As [`submit`](Self::submit).
    ///
    /// ```
    /// use darray::{DArray, task::Task};
    /// let one = Task::new("one", |point| {
    ///     point.split().0[0].set(&[], 1.0);
    ///     Ok(())
    /// });
    /// let x: DArray<f64> = one.launch().create(());
    /// assert_eq!(x.item(), 1.0);
    /// ```
    #[inline]
    #[track_caller]
    pub fn create<T: Element>(self, shape: impl IntoShape) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.try_create(shape, T::DTYPE)))
    }

    /// As [`create`](Self::create), of this element type; what does not fit is an error.
    ///
    /// ```
    /// use darray::{DType, task::Task};
    /// let nothing = Task::new("nothing", |_| Ok(()));
    /// assert!(nothing.launch().try_create(-3, DType::F64).is_err());
    /// ```
    #[track_caller]
    pub fn try_create(self, shape: impl IntoShape, dtype: DType) -> Result<DynArray> {
        let place = Place::caller();
        let shape = crate::array::into_shape::checked_shape(self.task.name(), &shape, place)?;
        let Some(real) = dtype.as_real() else {
            let (found, expected) = (vec![dtype], "a real type of what is created".to_string());
            return Err(Error::new(self.task.name(), ErrorKind::DType { found, expected }, place));
        };
        let view = View::whole(&shape);
        let runtime = self.runtime(place)?;
        let made = self.emit(&runtime, Some((real, &view)), place)?;
        match made {
            Some(made) => Ok(DynArray::made_in(runtime.into_owned(), made, view)),
            None => Ok(DynArray::unwritten(&runtime, dtype, &shape)),
        }
    }

    #[inline]
    fn using(mut self, array: &'a DynArray, access: Access) -> Launch<'a> {
        self.accesses.set(self.arrays.len(), access);
        self.arrays.push(array);
        self
    }

    /// The runtime of the first array, or of this thread.
    fn runtime(&self, place: Place) -> Result<Cow<'a, Runtime>> {
        match self.arrays.first() {
            Some(array) => Ok(Cow::Borrowed(array.runtime())),
            None => Runtime::current_at(place).map(Cow::Owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_kept_in_order() {
        let all = [Access::Write, Access::Update, Access::Read, Access::ReadWhole];
        let mut accesses = Accesses::default();
        for position in 0..Opaque::MOST_ARGS + 30 {
            accesses.set(position, all[position * 7 % 4]);
        }
        for position in 0..Opaque::MOST_ARGS {
            assert_eq!(accesses.get(position), all[position * 7 % 4]);
        }
    }

    #[test]
    fn what_only_reads_is_known() {
        let mut accesses = Accesses::default();
        for count in 0..Opaque::MOST_ARGS {
            assert!(accesses.only_read(count));
            for other in [Access::Update, Access::ReadWhole] {
                let mut mixed = accesses;
                mixed.set(count, other);
                assert!(!mixed.only_read(count + 1), "{count} {other:?}");
            }
            assert!(!accesses.only_read(count + 1), "a write");
            accesses.set(count, Access::Read);
        }
        assert!(!accesses.only_read(Opaque::MOST_ARGS), "one is created, too");
    }
}
