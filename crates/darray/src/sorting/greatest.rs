//! The greatest elements.

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::indexing::held::Held;
use crate::{Binary, DArray, DynArray, Element, Unary};
use darray_core::{DType, Ix, Place, Result};

/// Elements from which on the greatest ones are looked for among those above a bound, and how many times as many as wanted there are.
const MANY: usize = 1 << 14;
const SCARCE: usize = 16;

/// Elements of which the bound is one.
const SAMPLE: usize = 1 << 10;

impl DynArray {
    /// The `k` greatest elements along the last axis in descending order, and their indices (i64). In the order of sorting: NaN is
    /// greatest. Of equal elements those with the greater indices come first. Of long arrays of one axis this flushes, and waits for
    /// the array alone.
    ///
    /// Errors: there is no axis, or fewer than `k` elements along it; computing the array failed.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![3, 9, 5]));
    /// let (values, indices) = x.topk(2).unwrap();
    /// assert_eq!(DArray::<i32>::try_from(values).unwrap().to_vec(), [9, 5]);
    /// assert_eq!(DArray::<i64>::try_from(indices).unwrap().to_vec(), [1, 2]);
    /// ```
    #[track_caller]
    pub fn topk(&self, k: usize) -> Result<(DynArray, DynArray)> {
        let steps = Steps { name: "topk", place: Place::caller() };
        let axis = steps.axis(self, -1)?;
        if k > self.shape()[axis] {
            return Err(steps.shapes(&[self], &format!("{k} elements or more along the last axis")));
        }
        match steps.candidates(self, k)? {
            None => steps.greatest(self, k),
            Some(held) => {
                let (values, places) = (held.elements(self)?, held.places()?);
                let (values, indices) = steps.greatest(&values, k)?;
                Ok((values, places.taken(&indices, Some(0), steps)?))
            }
        }
    }
}

impl Steps {
    /// Elements among which the greatest ones are, if there is one axis and far fewer are wanted: those that are not below a bound, which
    /// a sample of them gives. In the rare case that these are too few it is all of them.
    fn candidates(&self, x: &DynArray, k: usize) -> Result<Option<Held>> {
        let &[n] = x.shape() else { return Ok(None) };
        if n < MANY || k > n / SCARCE {
            return Ok(None);
        }
        let wanted = (SAMPLE * k) as f64 / n as f64;
        let above = (wanted + 4.0 * wanted.sqrt() + 4.0).ceil() as usize;
        let step = (n / SAMPLE) as isize;
        let sample = Ix::Range { start: None, end: Some(step * SAMPLE as isize), step };
        let sample = x.view().slice(&[sample]).map_err(|kind| self.error(kind))?;
        let sample = x.with_view(sample).sorted(Some(0), false, self.name, self.place)?;
        let at = SAMPLE.saturating_sub(above);
        let bound = self.reshape(&self.range(&sample, 0, (at, at + 1))?, &[])?;
        let held = self.unary(Unary::LogicalNot, &self.binary(Binary::Lt, x, &bound)?)?;
        let held = Held::of(&held, *self)?;
        Ok((held.count() >= k).then_some(held))
    }

    /// By an order of all.
    fn greatest(&self, x: &DynArray, k: usize) -> Result<(DynArray, DynArray)> {
        let last = x.shape().len() - 1;
        let n = x.shape()[last];
        let order = x.sorted(Some(last as isize), true, self.name, self.place)?;
        let greatest = self.range(&order, last, (n - k, n))?;
        let backwards = Ix::Range { start: None, end: None, step: -1 };
        let descending = greatest.view().slice(&[Ix::Ellipsis, backwards]);
        let descending = greatest.with_view(descending.map_err(|kind| self.error(kind))?);
        let indices = self.cast(&descending, DType::I64)?.copy_at(self.place)?;
        let values = x.take_along_axis(&indices, last as isize)?;
        Ok((values, indices))
    }
}

/// # Greatest elements
impl<T: Element> DArray<T> {
    /// The `k` greatest elements along the last axis in descending order, and their indices. In the order of sorting: NaN is greatest.
    /// Of equal elements those with the greater indices come first. Of long arrays of one axis this flushes, and waits for the array
    /// alone: few elements are above a bound, which is found in a sample.
    ///
    /// # Panics
    ///
    /// If there is no axis, there are fewer than `k` elements along it, or computing the array failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let (values, indices) = DArray::from_vec(vec![3.0, 9.0, 5.0]).topk(2);
    /// assert_eq!((values.to_vec(), indices.to_vec()), (vec![9.0, 5.0], vec![1, 2]));
    /// ```
    #[track_caller]
    pub fn topk(&self, k: usize) -> (DArray<T>, DArray<i64>) {
        let (values, indices) = expect_at_caller(self.as_dyn().topk(k));
        (DArray::wrap(values), DArray::wrap(indices))
    }
}
