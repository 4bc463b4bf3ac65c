//! Tasks that programs bring along, as devices see them.

use crate::builtin::View;
use crate::{Block, Fault};
use darray_core::{RealType, Scalar};
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
    view: View,
    dtype: RealType,
    extents: SmallVec<[usize; 4]>,
    written: bool,
    needed: Option<u64>,
}

impl PointArray {
    /// The array that a view makes of a block: coordinates begin at 0; `written` says whether the point writes it.
    ///
    /// ```
    /// use darray_core::RealType;
    /// use darray_device::{Block, DeviceId, PointArray, builtin::View};
    /// let block = Block { device: DeviceId(0), handle: 1, bytes: 64 };
    /// let view = View { block, offset: 1, strides: [2].into_iter().collect() };
    /// let array = PointArray::new(view, RealType::F64, &[3], false);
    /// assert_eq!(array.needed(), Some(6 * 8));
    /// ```
    pub fn new(view: View, dtype: RealType, extents: &[usize], written: bool) -> PointArray {
        let extents = SmallVec::from_slice(extents);
        let needed = needed(&view, dtype, &extents);
        PointArray { view, dtype, extents, written, needed }
    }

    /// Where it lies.
    #[inline]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// It lies elsewhere.
    pub fn set_view(&mut self, view: View) {
        self.needed = needed(&view, self.dtype, &self.extents);
        self.view = view;
    }

    /// It lies in the same place of another block.
    #[inline]
    pub fn set_block(&mut self, block: Block) {
        self.view.block = block;
    }

    /// Element type.
    #[inline]
    pub fn dtype(&self) -> RealType {
        self.dtype
    }

    /// Extents.
    #[inline]
    pub fn extents(&self) -> &[usize] {
        &self.extents
    }

    /// Whether the point writes it.
    #[inline]
    pub fn is_written(&self) -> bool {
        self.written
    }

    /// How many bytes a block has at least of which it is a part; none: it is part of no block.
    #[inline]
    pub fn needed(&self) -> Option<u64> {
        self.needed
    }
}

fn needed(view: &View, dtype: RealType, extents: &[usize]) -> Option<u64> {
    if extents.contains(&0) {
        return Some(0);
    }
    let (mut first, mut last) = (view.offset, view.offset);
    for (&extent, &stride) in extents.iter().zip(&view.strides) {
        let span = i64::try_from(extent - 1).ok()?.checked_mul(stride)?;
        (first, last) = (first.checked_add(span.min(0))?, last.checked_add(span.max(0))?);
    }
    let inside = first >= 0 && view.strides.len() == extents.len();
    inside.then_some(last as u64 + 1)?.checked_mul(dtype.size() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceId;

    fn needed_of(offset: i64, strides: &[i64], extents: &[usize]) -> Option<u64> {
        let block = Block { device: DeviceId(0), handle: 0, bytes: 0 };
        let view = View { block, offset, strides: SmallVec::from_slice(strides) };
        PointArray::new(view, RealType::F32, extents, true).needed()
    }

    #[test]
    fn an_array_needs_the_bytes_up_to_its_last_element() {
        assert_eq!(needed_of(3, &[], &[]), Some(16));
        assert_eq!(needed_of(5, &[-2, 7], &[3, 2]), Some(13 * 4));
        assert_eq!(needed_of(5, &[0, 1], &[9, 2]), Some(7 * 4));
        assert_eq!(needed_of(-9, &[1], &[0]), Some(0));
    }

    #[test]
    fn no_block_has_what_lies_before_it_or_too_far_away() {
        assert_eq!(needed_of(3, &[-2], &[3]), None);
        assert_eq!(needed_of(i64::MAX, &[1], &[2]), None);
        assert_eq!(needed_of(0, &[i64::MAX, 1], &[3, 1]), None);
        assert_eq!(needed_of(i64::MAX / 2, &[1], &[1]), None);
        assert_eq!(needed_of(0, &[1, 1], &[2]), None);
    }
}
