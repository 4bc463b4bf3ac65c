//! Distinct elements.

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::indexing::held::Held;
use crate::{Binary, DArray, DynArray, Element};
use darray_core::{DType, Place, Result, Shape};

/// What there is to know of an array's distinct elements; see [`DArray::unique_all`].
///
/// ```
/// use darray::{DArray, Unique};
/// let Unique { values, counts, .. } = DArray::from_vec(vec![3, 1, 3]).unique_all();
/// assert_eq!((values.to_vec(), counts.to_vec()), (vec![1, 3], vec![1, 2]));
/// ```
#[derive(Debug)]
pub struct Unique<T: Element> {
    /// In ascending order.
    pub values: DArray<T>,
    /// Of each the place, in row-major order, of the first element that is equal.
    pub indices: DArray<i64>,
    /// Of each element the place of its value: of the array's shape.
    pub inverse: DArray<i64>,
    /// Of each how many elements are equal.
    pub counts: DArray<i64>,
}

/// An array's elements in order, and which of them are the first of their kind.
struct Sorted {
    steps: Steps,
    elements: DynArray,
    /// The places from which they come, if these are wanted.
    order: Option<DynArray>,
    begins: DynArray,
    distinct: Held,
}

impl Sorted {
    fn of(x: &DynArray, ordered: bool, steps: Steps) -> Result<Sorted> {
        let flat = steps.ravel(x)?;
        let Steps { name, place } = steps;
        let order = match ordered {
            true => Some(flat.sorted(Some(0), true, name, place)?),
            false => None,
        };
        let elements = match &order {
            Some(order) => flat.taken(order, Some(0), steps)?,
            None => flat.sorted(Some(0), false, name, place)?,
        };
        let n = elements.shape()[0];
        let begins = steps.full(x, DType::Bool, &[n], 1.0)?;
        if n > 1 {
            let before = steps.range(&elements, 0, (0, n - 1))?;
            let after = steps.range(&elements, 0, (1, n))?;
            // NaN is like NaN: behind one there are no others.
            let differ = steps.binary(Binary::Ne, &before, &after)?;
            let numbers = steps.binary(Binary::Eq, &before, &before)?;
            let differ = steps.binary(Binary::And, &differ, &numbers)?;
            steps.assign(&steps.range(&begins, 0, (1, n))?, &differ)?;
        }
        let distinct = Held::of(&begins, steps)?;
        Ok(Sorted { steps, elements, order, begins, distinct })
    }

    fn values(&self) -> Result<DynArray> {
        self.distinct.elements(&self.elements)
    }

    /// From each place at which a value begins to the next one's.
    fn counts(&self) -> Result<DynArray> {
        let (steps, places) = (self.steps, self.distinct.places()?);
        let (n, distinct) = (self.elements.shape()[0], places.shape()[0]);
        let ends = steps.full(&places, DType::I64, &[distinct], n as f64)?;
        if distinct > 1 {
            let next = steps.range(&places, 0, (1, distinct))?;
            steps.assign(&steps.range(&ends, 0, (0, distinct - 1))?, &next)?;
        }
        steps.binary(Binary::Sub, &ends, &places)
    }

    fn order(&self) -> &DynArray {
        self.order.as_ref().expect("the order is wanted")
    }

    fn indices(&self) -> Result<DynArray> {
        self.order().taken(&self.distinct.places()?, Some(0), self.steps)
    }

    /// The number of the value that each element is, put back where the element was.
    fn inverse(&self, shape: &Shape) -> Result<DynArray> {
        let (steps, Steps { name, place }) = (self.steps, self.steps);
        let numbers = self.begins.sums(0, name, place)?;
        let numbers = steps.binary(Binary::Sub, &numbers, 1)?;
        let inverse = steps.empty(&numbers, DType::I64, numbers.shape_of());
        inverse.scatter((0, false), self.order(), &numbers, name, place)?;
        inverse.reshape_to(shape, name, place)
    }
}

impl DynArray {
    /// NumPy's `unique`: the distinct elements in ascending order; NaN once. Flushes, and waits for the array alone, since the extent
    /// depends on it.
    ///
    /// Errors: computing the array failed.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![3, 1, 3]));
    /// assert_eq!(DArray::<i32>::try_from(x.unique().unwrap()).unwrap().to_vec(), [1, 3]);
    /// ```
    #[track_caller]
    pub fn unique(&self) -> Result<DynArray> {
        self.distinct(Steps { name: "unique", place: Place::caller() })
    }

    /// As [`unique`](Self::unique), under the name of the operation that it is a part of.
    pub(crate) fn distinct(&self, steps: Steps) -> Result<DynArray> {
        Sorted::of(self, false, steps)?.values()
    }

    /// NumPy's `unique_counts`: the distinct elements, and how many are equal to each (i64). Flushes, and waits for the array alone.
    ///
    /// Errors: computing the array failed.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![3, 1, 3]));
    /// let (_, counts) = x.unique_counts().unwrap();
    /// assert_eq!(DArray::<i64>::try_from(counts).unwrap().to_vec(), [1, 2]);
    /// ```
    #[track_caller]
    pub fn unique_counts(&self) -> Result<(DynArray, DynArray)> {
        let steps = Steps { name: "unique_counts", place: Place::caller() };
        let sorted = Sorted::of(self, false, steps)?;
        Ok((sorted.values()?, sorted.counts()?))
    }

    /// NumPy's `unique_inverse`: the distinct elements, and of each element the place of its value (i64), in the shape of this array.
    /// Flushes, and waits for the array alone.
    ///
    /// Errors: computing the array failed.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![3, 1, 3]));
    /// let (_, inverse) = x.unique_inverse().unwrap();
    /// assert_eq!(DArray::<i64>::try_from(inverse).unwrap().to_vec(), [1, 0, 1]);
    /// ```
    #[track_caller]
    pub fn unique_inverse(&self) -> Result<(DynArray, DynArray)> {
        let steps = Steps { name: "unique_inverse", place: Place::caller() };
        let sorted = Sorted::of(self, true, steps)?;
        Ok((sorted.values()?, sorted.inverse(self.shape_of())?))
    }

    /// NumPy's `unique_all`: the distinct elements, of each the place of the first that is equal, of each element the place of its
    /// value, and how many are equal to each value (all i64). Flushes, and waits for the array alone.
    ///
    /// Errors: computing the array failed.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![3, 1, 3]));
    /// let [_, indices, ..] = x.unique_all().unwrap();
    /// assert_eq!(DArray::<i64>::try_from(indices).unwrap().to_vec(), [1, 0]);
    /// ```
    #[track_caller]
    pub fn unique_all(&self) -> Result<[DynArray; 4]> {
        let steps = Steps { name: "unique_all", place: Place::caller() };
        let sorted = Sorted::of(self, true, steps)?;
        let inverse = sorted.inverse(self.shape_of())?;
        Ok([sorted.values()?, sorted.indices()?, inverse, sorted.counts()?])
    }
}

/// # Distinct elements
impl<T: Element> DArray<T> {
    /// NumPy's `unique`: the distinct elements in ascending order; NaN once. Of zeros of both signs the first. Flushes, and waits for
    /// the array alone, since the extent depends on it.
    ///
    /// # Panics
    ///
    /// If computing the array failed.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![3.5, 1.0, 3.5]).unique().to_vec(), [1.0, 3.5]);
    /// ```
    #[track_caller]
    pub fn unique(&self) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().unique()))
    }

    /// NumPy's `unique_counts`: the distinct elements, and how many are equal to each. Flushes, and waits for the array alone.
    ///
    /// # Panics
    ///
    /// If computing the array failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let (values, counts) = DArray::from_vec(vec![3.5, 1.0, 3.5]).unique_counts();
    /// assert_eq!((values.to_vec(), counts.to_vec()), (vec![1.0, 3.5], vec![1, 2]));
    /// ```
    #[track_caller]
    pub fn unique_counts(&self) -> (DArray<T>, DArray<i64>) {
        let (values, counts) = expect_at_caller(self.as_dyn().unique_counts());
        (DArray::wrap(values), DArray::wrap(counts))
    }

    /// NumPy's `unique_inverse`: the distinct elements, and of each element the place of its value, in the shape of this array:
    /// `values.take(&inverse)` is the array again. Flushes, and waits for the array alone.
    ///
    /// # Panics
    ///
    /// If computing the array failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let (values, inverse) = DArray::from_vec(vec![3.5, 1.0, 3.5]).unique_inverse();
    /// assert_eq!((values.to_vec(), inverse.to_vec()), (vec![1.0, 3.5], vec![1, 0, 1]));
    /// ```
    #[track_caller]
    pub fn unique_inverse(&self) -> (DArray<T>, DArray<i64>) {
        let (values, inverse) = expect_at_caller(self.as_dyn().unique_inverse());
        (DArray::wrap(values), DArray::wrap(inverse))
    }

    /// NumPy's `unique_all`: the distinct elements and [what there is to know](Unique) of them. Flushes, and waits for the array alone.
    ///
    /// # Panics
    ///
    /// If computing the array failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let unique = DArray::from_vec(vec![3.5, 1.0, 3.5]).unique_all();
    /// assert_eq!((unique.values.to_vec(), unique.indices.to_vec()), (vec![1.0, 3.5], vec![1, 0]));
    /// ```
    #[track_caller]
    pub fn unique_all(&self) -> Unique<T> {
        let [values, indices, inverse, counts] = expect_at_caller(self.as_dyn().unique_all());
        let [indices, inverse, counts] = [indices, inverse, counts].map(DArray::wrap);
        Unique { values: DArray::wrap(values), indices, inverse, counts }
    }
}
