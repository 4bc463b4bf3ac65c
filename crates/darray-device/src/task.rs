//! Tasks that programs bring along, as devices see them.

use crate::builtin::View;
use darray_core::{DType, Scalar};
use smallvec::SmallVec;
use std::any::Any;
use std::fmt;
use std::ops::Range;
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
        let mut whole: SmallVec<[Range<usize>; 4]> = SmallVec::new();
        for &extent in domain {
            whole.push(0..extent);
        }
        let (arrays, scalars) = (SmallVec::new(), SmallVec::from_slice(scalars));
        PointCall { task, domain: whole, arrays, scalars }
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
