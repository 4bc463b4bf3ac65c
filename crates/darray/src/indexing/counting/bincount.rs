//! How often keys occur, and what is counted with them.

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::indexing::indices::indices_of;
use crate::{DArray, DynArray, Element, Integer, Integral, Reduction};
use darray_core::{DType, Place, Result};

/// How many numbers there are at least, of any integer type; a negative number is an error where it is used.
///
/// ```
/// use darray::MinLength;
/// assert_eq!(5i64.minlength(), 5);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how many numbers there are at least",
    label = "write `bincount(&keys, 0)`; with weights `bincount_weighted(&keys, &weights, 0)`"
)]
pub trait MinLength {
    /// The number.
    fn minlength(self) -> isize;
}

#[diagnostic::do_not_recommend]
impl<N: Integer> MinLength for N {
    fn minlength(self) -> isize {
        self.index()
    }
}

impl DynArray {
    /// NumPy's `bincount`: how often each number from 0 to the greatest key occurs, as i64, or with weights their sums, as f64, added in
    /// the order of the keys. There are at least `minlength` numbers. Flushes, and waits for the keys alone, since the extent
    /// depends on them.
    ///
    /// Errors: the keys are floats, have not one axis, or one is negative; the weights have another shape; computing the keys
    /// failed.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let keys = DynArray::from(DArray::from_vec(vec![2, 0, 2]));
    /// let counts = DArray::<i64>::try_from(keys.bincount(None, 0).unwrap()).unwrap();
    /// assert_eq!(counts.to_vec(), [1, 0, 2]);
    /// ```
    #[track_caller]
    pub fn bincount(&self, weights: Option<&DynArray>, minlength: isize) -> Result<DynArray> {
        let steps = Steps { name: "bincount", place: Place::caller() };
        let minlength = usize::try_from(minlength)
            .map_err(|_| steps.argument(format!("minlength is negative: {minlength}")))?;
        let keys = match self.dtype() {
            DType::Bool => steps.cast(self, DType::I64)?,
            _ => indices_of(self, steps.name, steps.place)?,
        };
        if self.shape().len() != 1 {
            return Err(steps.shapes(&[self], "keys along one axis"));
        }
        if let Some(weights) = weights {
            steps.same_runtime(self, weights)?;
            if weights.shape() != self.shape() {
                return Err(steps.shapes(&[self, weights], "a weight for each key"));
            }
        }
        // What other threads write between the reading and the counting changes neither.
        let keys = keys.snapshot();
        let extent = keys.greatest(steps)?.map_or(0, |greatest| greatest + 1).max(minlength);
        steps.counted(&keys, weights, extent)
    }

    /// The greatest key, if there is one; none is negative.
    fn greatest(&self, steps: Steps) -> Result<Option<usize>> {
        if self.shape_of().size() == 0 {
            return Ok(None);
        }
        let least = self.reduce_named(Reduction::Min, .., steps.name, steps.place)?;
        let greatest = self.reduce_named(Reduction::Max, .., steps.name, steps.place)?;
        let greatest = steps.read_extents(&greatest)?[0];
        let least = least.read_real::<i64>(steps.name, steps.place)?[0];
        match least < 0 {
            true => Err(steps.argument(format!("a key is negative: {least}"))),
            false => Ok(Some(greatest as usize)),
        }
    }
}

impl Steps {
    /// How often each number below the extent is among the keys, or the sums of their weights. All keys are such numbers.
    pub fn counted(
        &self,
        keys: &DynArray,
        weights: Option<&DynArray>,
        extent: usize,
    ) -> Result<DynArray> {
        let Steps { name, place } = *self;
        let dtype = if weights.is_some() { DType::F64 } else { DType::I64 };
        let shape = crate::array::into_shape::checked_shape(name, &extent, place)?;
        let counts = self.full(keys, dtype, &shape, 0.0)?;
        let values = match weights {
            Some(weights) => self.cast(weights, dtype)?,
            None => {
                let one = self.full(keys, dtype, &[], 1.0)?;
                let view = one.view().broadcast_to(keys.shape_of());
                one.with_view(view.map_err(|kind| self.error(kind))?)
            }
        };
        counts.scatter((0, true), keys, &values, name, place)?;
        Ok(counts)
    }
}

/// # Counts
impl<T: Integral> DArray<T> {
    /// NumPy's `bincount`: how often each number from 0 to the greatest key occurs; at least `minlength` numbers. Flushes, and waits for
    /// the keys alone, since the extent depends on them; where that is known, `zeros(n)` and [`add_at`](DArray::add_at) count without
    /// waiting. With weights: [`bincount_weighted`](Self::bincount_weighted).
    ///
    /// # Panics
    ///
    /// If the keys have not one axis, one or `minlength` is negative, or computing them failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let keys = DArray::from_vec(vec![2, 0, 2]);
    /// assert_eq!(keys.bincount(0).to_vec(), [1, 0, 2]);
    /// assert_eq!(keys.bincount(4).to_vec(), [1, 0, 2, 0]);
    /// ```
    #[track_caller]
    pub fn bincount(&self, minlength: impl MinLength) -> DArray<i64> {
        DArray::wrap(expect_at_caller(self.as_dyn().bincount(None, minlength.minlength())))
    }

    /// NumPy's `bincount` with weights: the sums, in `f64`, of the weights of the keys with each number from 0 to the greatest key, added
    /// in the order of the keys; at least `minlength` numbers. Flushes, and waits for the keys alone.
    ///
    /// # Panics
    ///
    /// If the keys have not one axis, one is negative, the weights have another shape, or computing the keys failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let (keys, weights) = (DArray::from_vec(vec![2, 0, 2]), DArray::from_vec(vec![0.5, 1.0, 2.0]));
    /// assert_eq!(keys.bincount_weighted(&weights, 0).to_vec(), [1.0, 0.0, 2.5]);
    /// ```
    #[track_caller]
    pub fn bincount_weighted<W: Element>(
        &self,
        weights: &DArray<W>,
        minlength: impl MinLength,
    ) -> DArray<f64> {
        let minlength = minlength.minlength();
        DArray::wrap(expect_at_caller(self.as_dyn().bincount(Some(weights.as_dyn()), minlength)))
    }
}
