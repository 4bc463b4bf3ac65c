//! Elements that masks and arrays of indices choose: NumPy's advanced indexing, to read, to assign and to update.
//!
//! ```text
//! a[:, i, m, 0]        items that choose nothing make a view: a[:, :, :, 0]
//! axes 1 and 2         are looked up; they are moved next to each other: where the first of them stands, or to the front where a range,
//!                      a new axis or `...` stands between items that count as arrays (integers do beside one)
//! i * extent + m       one array of indices into the two axes as one: a sum of what each array stands for
//! gather, scatter      read and write along that axis
//! ```
//!
//! A mask stands for the places of what it holds, which are counted when they are needed (docs/decisions/0057); a value of which every element
//! of the mask gets the same is written where the mask holds, without a count. Each file has one of these: this one the handle of a [`DynArray`],
//! `axes` (NumPy's rules of axes), `read`, `write`, `add` (`add_at`), `operators`, `entry`, and `typed`, the handle of a
//! [`DArray`](crate::DArray).

mod add;
mod axes;
mod entry;
mod operators;
mod read;
pub(crate) mod typed;
mod write;

use crate::elementwise::steps::Steps;
use crate::indexing::grammar::Pick;
use crate::{Argument, Binary, DynArray};
use axes::Resolved;
use darray_core::{DType, Place, Result, Shape, broadcast_shapes, check_shape};
use smallvec::SmallVec;
use std::fmt;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// What masks and arrays of indices choose of an array: what [`DynArray::slice`] gives for an index with one of them.
///
/// Rules:
/// - Read by [`array`](Self::array), it is an array of its own, with the elements from when the slice was made, as NumPy's `a[mask]`.
/// - [`assign`](Self::assign) and [`update`](Self::update) write into the array that was sliced.
/// - Masks and indices are those from when the slice was made.
///
/// ```
/// use darray::{Binary, DArray, DynArray, s};
/// let x = DynArray::from(DArray::<i64>::arange(5));
/// let mask = DynArray::from(DArray::<i64>::arange(5).gt(2));
/// let large = x.slice(&mask).unwrap().array().unwrap();
/// x.slice(&mask).unwrap().assign(0).unwrap();
/// x.slice(s![[0, 1]]).unwrap().update(Binary::Add, 7).unwrap();
/// assert_eq!(DArray::<i64>::try_from(large).unwrap().to_vec(), [3, 4]);
/// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [7, 8, 2, 0, 0]);
/// ```
#[must_use = "it is read by `array()`, and written by `assign(..)` and `update(..)`"]
pub struct DynPicked {
    picks: Picks,
    steps: Steps,
    seen: Mutex<Seen>,
}

/// What is read of the target.
enum Seen {
    /// Its elements when the slice was made.
    Before(DynArray),
    /// What was chosen of them.
    Chosen(DynArray),
}

impl DynPicked {
    /// What the items choose. NumPy's rules, and its errors as far as they do not depend on data.
    pub(crate) fn new(array: &DynArray, items: &[Pick], steps: Steps) -> Result<DynPicked> {
        let picks = Picks::new(array, items, steps)?;
        let seen = Mutex::new(Seen::Before(picks.target.snapshot()));
        Ok(DynPicked { picks, steps, seen })
    }

    /// The elements that are chosen, from when the slice was made. With a mask it flushes, and waits for the mask alone, since the
    /// extent depends on it. An index out of range is an error when the array is read.
    ///
    /// Errors: computing a mask failed; a mask holds another number of elements than arrays beside it have; indices into an axis without
    /// elements.
    ///
    /// ```
    /// use darray::{DArray, DynArray, s};
    /// let x = DynArray::from(DArray::<i64>::arange(12).reshape((3, 4)));
    /// let picked = x.slice(s![.., [3, 0]]).unwrap();
    /// let found = DArray::<i64>::try_from(picked.array().unwrap()).unwrap();
    /// assert_eq!(found.to_vec(), [3, 0, 7, 4, 11, 8]);
    /// ```
    pub fn array(&self) -> Result<DynArray> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let source = match &*seen {
            Seen::Chosen(array) => return Ok(array.alias()),
            Seen::Before(source) => source,
        };
        let array = self.picks.read(source, self.steps)?;
        // The source is held no longer, so that nothing has to be copied when it is written.
        *seen = Seen::Chosen(array.alias());
        Ok(array)
    }

    /// The places to write into. What would have been read is held no longer, so that it is written in place.
    pub(crate) fn into_picks(self) -> Picks {
        self.picks
    }

    /// NumPy's `x[mask] = value` and `x[indices] = value`: writes the value, broadcast to what is chosen and cast to the element type, as if
    /// all were read first. What is chosen several times gets the last value. With one mask and a value of which all elements of the
    /// mask get the same, a number or a row, nothing is counted and nothing waits: it is one element-wise operation.
    ///
    /// Errors: the shapes do not broadcast; the array that was sliced is a view that reaches an element twice; the value is complex, the
    /// array real; as [`array`](Self::array).
    ///
    /// ```
    /// use darray::{DArray, s};
    /// let x = DArray::<i64>::arange(6).reshape((2, 3));
    /// x.as_dyn().slice(s![.., [0, -1]]).unwrap().assign(9).unwrap();
    /// assert_eq!(x.to_vec(), [9, 1, 9, 9, 4, 9]);
    /// ```
    #[track_caller]
    pub fn assign<'a>(self, value: impl Into<Argument<'a>>) -> Result<()> {
        let steps = Steps { name: "assign", place: Place::caller() };
        self.into_picks().write(None, value.into(), steps)
    }

    /// NumPy's `x[indices] op= value`: what is chosen is read, the operation made, and the result written, so what is chosen several
    /// times is changed once. Nothing waits where nothing would for [`assign`](Self::assign).
    ///
    /// Errors: as [`DynArray::update`] and [`assign`](Self::assign).
    ///
    /// ```
    /// use darray::{Binary, DArray, s};
    /// let x = DArray::<i64>::arange(3);
    /// x.as_dyn().slice(s![[2, 2, 0]]).unwrap().update(Binary::Add, 10).unwrap();
    /// assert_eq!(x.to_vec(), [10, 1, 12]);
    /// ```
    #[track_caller]
    pub fn update<'a>(self, operation: Binary, value: impl Into<Argument<'a>>) -> Result<()> {
        let steps = Steps { name: operation.name(), place: Place::caller() };
        self.into_picks().write(Some(operation), value.into(), steps)
    }

    /// NumPy's `np.add.at(x, indices, value)`: adds a value, broadcast to what is chosen and cast to the element type, as if all were read
    /// first. What is chosen several times gets all its values, added one after the other in the order of the indices. Small integers are
    /// added in i64 and f16 in f32; the sum is rounded once.
    ///
    /// Errors: as [`assign`](Self::assign).
    ///
    /// ```
    /// use darray::{DArray, s};
    /// let x = DArray::<i64>::zeros((2, 2));
    /// x.as_dyn().slice(s![[0, 1, 0], [1, 0, 1]]).unwrap().add_at(5).unwrap();
    /// assert_eq!(x.to_vec(), [0, 10, 5, 0]);
    /// ```
    #[track_caller]
    pub fn add_at<'a>(self, value: impl Into<Argument<'a>>) -> Result<()> {
        let steps = Steps { name: "add_at", place: Place::caller() };
        self.into_picks().add(value.into(), steps)
    }
}

impl fmt::Debug for DynPicked {
    /// As that of the array.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.array() {
            Ok(array) => array.fmt(f),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

/// Places of an array that an index chooses.
pub(crate) struct Picks {
    /// The view of the items that choose nothing, in which the axes that are looked up lie next to each other.
    target: DynArray,
    /// The first of those axes.
    first: usize,
    chosen: SmallVec<[Chosen; 2]>,
}

/// A mask or an array of indices.
struct Chosen {
    array: DynArray,
    /// The axes of the view for which it stands.
    axes: Range<usize>,
    /// The first of them in the array that is sliced, for messages.
    axis: usize,
}

impl Chosen {
    fn is_mask(&self) -> bool {
        self.array.dtype() == DType::Bool
    }
}

impl Picks {
    fn new(array: &DynArray, items: &[Pick], steps: Steps) -> Result<Picks> {
        let Resolved { view, mut chosen, first } = Resolved::new(array, items, steps)?;
        // In the order of memory, so that the axes become one without a copy.
        let (_, strides) = view.view().strides(view.whole_shape());
        chosen.sort_by_key(|one| {
            let steps = strides[one.axes.clone()].iter().map(|step| step.unsigned_abs());
            std::cmp::Reverse(steps.max())
        });
        let looked_up: SmallVec<[usize; 8]> =
            chosen.iter().flat_map(|one| one.axes.clone()).collect();
        let others = (0..view.shape().len()).filter(|axis| !looked_up.contains(axis));
        let others: SmallVec<[usize; 8]> = others.collect();
        let (before, behind) = others.split_at(first.min(others.len()));
        let order = [before, &looked_up, behind].concat();
        let (target, first) = (view.with_view(view.view().permute(&order)), before.len());
        let picks = Picks { target, first, chosen };
        if let Some(shape) = picks.shape_of_indices(steps)? {
            picks.extents(&shape, steps)?;
        }
        Ok(picks)
    }

    /// How many axes are looked up.
    fn looked_up(&self) -> usize {
        self.chosen.iter().map(|one| one.axes.len()).sum()
    }

    /// Their extents.
    fn bounds(&self) -> &[usize] {
        &self.target.shape()[self.first..][..self.looked_up()]
    }

    /// The target's extents with others in place of those that are looked up.
    fn extents(&self, others: &[usize], steps: Steps) -> Result<Shape> {
        let (before, rest) = self.target.shape().split_at(self.first);
        let extents = [before, others, &rest[self.looked_up()..]].concat();
        let shape = extents.into_iter().collect();
        check_shape(&shape).map_err(|kind| steps.error(kind))?;
        Ok(shape)
    }

    /// The shape of the arrays of indices, where no mask is among them: how many that stands for is known later.
    fn shape_of_indices(&self, steps: Steps) -> Result<Option<Shape>> {
        if self.chosen.iter().any(Chosen::is_mask) {
            return Ok(None);
        }
        let mut shape = Shape::scalar();
        for one in &self.chosen {
            shape = broadcast_shapes(&shape, one.array.shape_of()).map_err(|_| {
                let arrays: Vec<&DynArray> = self.chosen.iter().map(|one| &one.array).collect();
                steps.shapes(&arrays, "arrays of indices that broadcast to one shape")
            })?;
        }
        Ok(Some(shape))
    }
}
