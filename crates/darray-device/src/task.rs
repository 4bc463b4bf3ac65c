//! Tasks that programs bring along, as devices see them.

use crate::Fault;
use crate::builtin::View;
use darray_core::{DType, Scalar};
use smallvec::SmallVec;
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A task that a program brings along: a name, and a variant for each kind of processor that it is
/// written for.
///
/// A device takes the variant that it knows (`darray_cpu::CpuVariant`, say); without one, the point tasks
/// that it gets are faults. Nothing here knows of processors.
///
/// ```
/// use darray_device::TaskDefinition;
/// struct Quantum(u32);
/// let task = TaskDefinition::new("annealing").with(Quantum(7));
/// assert_eq!(task.variant::<Quantum>().map(|v| v.0), Some(7));
/// assert!(task.variant::<u8>().is_none());
/// ```
#[derive(Clone)]
pub struct TaskDefinition {
    name: &'static str,
    variants: SmallVec<[Arc<dyn Any + Send + Sync>; 2]>,
}

impl TaskDefinition {
    /// Without variants.
    ///
    /// ```
    /// assert_eq!(darray_device::TaskDefinition::new("halo").name(), "halo");
    /// ```
    pub fn new(name: &'static str) -> TaskDefinition {
        TaskDefinition { name, variants: SmallVec::new() }
    }

    /// With one variant more.
    ///
    /// ```
    /// use darray_device::TaskDefinition;
    /// assert!(TaskDefinition::new("halo").with(1u8).variant::<u8>().is_some());
    /// ```
    pub fn with<V: Any + Send + Sync>(mut self, variant: V) -> TaskDefinition {
        self.variants.push(Arc::new(variant));
        self
    }

    /// What people call it.
    ///
    /// ```
    /// assert_eq!(darray_device::TaskDefinition::new("halo").name(), "halo");
    /// ```
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The variant of this kind.
    ///
    /// ```
    /// use darray_device::TaskDefinition;
    /// assert!(TaskDefinition::new("halo").variant::<u8>().is_none());
    /// ```
    pub fn variant<V: Any>(&self) -> Option<&V> {
        self.variants.iter().find_map(|variant| variant.downcast_ref())
    }
}

impl fmt::Debug for TaskDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {} of {} variants", self.name, self.variants.len())
    }
}

/// One point of an opaque task: what it is given.
///
/// Rules: an array that is written shares no element with any other.
#[derive(Clone, Debug)]
pub struct PointCall {
    /// What runs.
    pub task: Arc<TaskDefinition>,
    /// The point's part of the iteration domain, in global indices.
    pub domain: SmallVec<[Range<usize>; 4]>,
    /// The outputs, then the inputs.
    pub arrays: SmallVec<[PointArray; 4]>,
    /// In the order in which the program gave them.
    pub scalars: SmallVec<[Scalar; 2]>,
}

impl PointCall {
    /// Of a whole domain, without arrays yet.
    #[inline]
    pub fn new(task: Arc<TaskDefinition>, domain: &[usize], scalars: &[Scalar]) -> PointCall {
        let (whole, arrays, none) = (SmallVec::new(), SmallVec::new(), SmallVec::new());
        let mut call = PointCall { task: task.clone(), domain: whole, arrays, scalars: none };
        call.begin_again(task, domain, scalars);
        call
    }

    /// Makes it another call, as [`new`](Self::new) does, in the same memory.
    ///
    /// ```
    /// use darray_device::{PointCall, TaskDefinition};
    /// let mut call = PointCall::new(TaskDefinition::new("halo").into(), &[5], &[]);
    /// call.begin_again(TaskDefinition::new("sum").into(), &[2, 3], &[]);
    /// assert_eq!((call.task.name(), &call.domain[..]), ("sum", &[0..2, 0..3][..]));
    /// ```
    #[inline]
    pub fn begin_again(&mut self, task: Arc<TaskDefinition>, domain: &[usize], scalars: &[Scalar]) {
        self.task = task;
        self.domain.clear();
        for &extent in domain {
            self.domain.push(0..extent);
        }
        self.arrays.clear();
        self.scalars.clear();
        self.scalars.extend_from_slice(scalars);
    }

    /// The task's variant for a kind of processors.
    ///
    /// # Errors
    ///
    /// It has none; `processors` says of what kind.
    ///
    /// ```
    /// use darray_device::{PointCall, TaskDefinition};
    /// let call = PointCall::new(TaskDefinition::new("halo").with(7u8).into(), &[], &[]);
    /// assert_eq!(call.variant::<u8>("bytes").unwrap(), &7);
    /// let fault = call.variant::<u32>("words").unwrap_err();
    /// assert!(fault.to_string().contains("task halo has no variant for words"));
    /// ```
    pub fn variant<V: Any>(&self, processors: &str) -> Result<&V, Fault> {
        self.task.variant().ok_or_else(|| {
            let name = self.task.name();
            Fault::Execution(format!("task {name} has no variant for {processors}"))
        })
    }

    /// Calls the function of a variant; its error is a fault, and so is a panic.
    ///
    /// ```
    /// let fault = darray_device::PointCall::guard(|| panic!("no such axis")).unwrap_err();
    /// assert!(fault.to_string().contains("panicked: no such axis"));
    /// ```
    ///
    /// # Errors
    ///
    /// The function's, or that it panicked.
    pub fn guard(run: impl FnOnce() -> Result<(), String>) -> Result<(), Fault> {
        let result = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(format!("panicked: {}", text.unwrap_or_default()))
        });
        result.map_err(Fault::Execution)
    }
}

/// An array as one point sees it.
#[derive(Clone, Debug)]
pub struct PointArray {
    /// Where it lies; coordinates begin at 0.
    pub view: View,
    /// Element type.
    pub dtype: DType,
    /// Extents.
    pub extents: SmallVec<[usize; 4]>,
    /// Whether the point writes it.
    pub written: bool,
}
