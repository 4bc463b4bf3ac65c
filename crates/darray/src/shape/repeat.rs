//! Elements and whole arrays several times over: one copy.

use super::join::of_shape;
use crate::array::axes::resolve;
use crate::error::expect_at_caller;
use crate::{Axes, DArray, DynArray, Element, IntoShape};

use darray_core::{Error, ErrorKind, MAX_RANK, Place, Result, Shape, check_shape};
use smallvec::SmallVec;

/// How often an axis is repeated, as a whole and each of its elements.
#[derive(Clone, Copy)]
struct Times {
    whole: usize,
    each: usize,
}

const ONCE: Times = Times { whole: 1, each: 1 };

impl DynArray {
    /// Each element `count` times along these axes; with `..` the array is made one axis first. One
    /// copy.
    ///
    /// Errors: an axis out of range or given twice; too many elements.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(3)).repeat(2, 0).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [0, 0, 1, 1, 2, 2]);
    /// ```
    #[track_caller]
    pub fn repeat(&self, count: usize, axes: impl Into<Axes>) -> Result<DynArray> {
        let (name, place, axes) = ("repeat", Place::caller(), axes.into());
        let Some(list) = axes.list() else {
            let each = [Times { whole: 1, each: count }];
            return self.ravel_as(name, place)?.times(&each, name, place);
        };
        let list = resolve(list, self.shape_of()).map_err(|kind| Error::new(name, kind, place))?;
        let mut times: SmallVec<[Times; 8]> = SmallVec::from_elem(ONCE, self.shape().len());
        list.iter().for_each(|&axis| times[axis].each = count);
        self.times(&times, name, place)
    }

    /// The whole array so often along each axis, the last axes being meant where fewer counts are
    /// given, and new axes in front where more are. One copy.
    ///
    /// Errors: a count is negative; too many axes or elements.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(2)).tile((2, 2)).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [0, 1, 0, 1, 0, 1, 0, 1]);
    /// ```
    #[track_caller]
    pub fn tile(&self, counts: impl IntoShape) -> Result<DynArray> {
        let (name, place) = ("tile", Place::caller());
        let error = |kind| Error::new(name, kind, place);
        let counts = counts.extents();
        if let Some(count) = counts.iter().find(|n| **n < 0) {
            let message = format!("{count} times");
            return Err(error(ErrorKind::Index { message, shape: self.shape_of().clone() }));
        }
        let rank = self.shape().len().max(counts.len());
        let missing = std::iter::repeat_n(1, rank - self.shape().len());
        let wide: Shape = missing.chain(self.shape().iter().copied()).collect();
        let mut times: SmallVec<[Times; 8]> = SmallVec::from_elem(ONCE, rank);
        for (times, count) in times[rank - counts.len()..].iter_mut().zip(&counts) {
            times.whole = *count as usize;
        }
        check_shape(&wide).map_err(|kind| error(of_shape(kind, self.shape_of())))?;
        self.reshape_to(&wide, name, place)?.times(&times, name, place)
    }

    /// Writes the array, broadcast, into the result seen with two more axes per repeated axis.
    ///
    /// ```text
    /// [3] whole 2, each 4: [24] as (2, 3, 4) <- (1, 3, 1)
    /// ```
    ///
    /// Where these are too many axes, those that lie between repeated ones are one; where they still are, an axis is
    /// repeated after the other.
    fn times(&self, times: &[Times], name: &'static str, place: Place) -> Result<DynArray> {
        let shape = self.shape_of();
        let product =
            |a: usize| shape[a].saturating_mul(times[a].whole).saturating_mul(times[a].each);
        let result: Shape = (0..shape.rank()).map(product).collect();
        check_shape(&result).map_err(|kind| Error::new(name, kind, place))?;
        let (mut from, mut to) = apart(shape, times, false);
        if to.len() > MAX_RANK {
            (from, to) = apart(shape, times, true);
        }
        if to.len() > MAX_RANK {
            // The last repeated axis by itself, then the others.
            let repeated = |t: &Times| t.whole != 1 || t.each != 1;
            let last = times.iter().rposition(repeated).expect("an axis is repeated");
            let mut others: SmallVec<[Times; 8]> = SmallVec::from_slice(times);
            let mut alone: SmallVec<[Times; 8]> = SmallVec::from_elem(ONCE, times.len());
            std::mem::swap(&mut others[last], &mut alone[last]);
            return self.times(&alone, name, place)?.times(&others, name, place);
        }
        let [from, to] = [from, to].map(|extents| extents.into_iter().collect::<Shape>());
        let array = DynArray::allocate(self.runtime(), self.dtype(), &result);
        let source = self.reshape_to(&from, name, place)?;
        array.reshape_to(&to, name, place)?.assign_as((&source).into(), name, place)?;
        Ok(array)
    }
}

/// The extents of an array with two more axes per repeated axis, 1 and repeated. `joined`: neighbours that are not
/// repeated are one axis.
fn apart(shape: &Shape, times: &[Times], joined: bool) -> (Extents, Extents) {
    let (mut from, mut to) = (Extents::new(), Extents::new());
    // Whether the last axis is one of the array.
    let mut own = false;
    for (&extent, times) in shape.iter().zip(times) {
        for (one, count) in [(1, times.whole), (extent, extent), (1, times.each)] {
            if count == 1 {
                continue;
            }
            match (from.last_mut(), to.last_mut()) {
                (Some(from), Some(to)) if joined && own && one == count => {
                    *from *= extent;
                    *to *= extent;
                }
                _ => {
                    from.push(one);
                    to.push(count);
                }
            }
            own = one == count;
        }
    }
    (from, to)
}

type Extents = SmallVec<[usize; 24]>;

/// # Repetition
impl<T: Element> DArray<T> {
    /// Each element `count` times along these axes; with `..` the array is made one axis first. One
    /// copy. (NumPy's counts per element are not supported.)
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice, or there are too many elements.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(x.repeat(2, 0).to_vec(), [1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0]);
    /// assert_eq!(x.repeat(2, ..).to_vec(), [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn repeat(&self, count: usize, axes: impl Into<Axes>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().repeat(count, axes)))
    }

    /// The whole array so often along each axis, the last axes being meant where fewer counts are
    /// given, and new axes in front where more are. One copy.
    ///
    /// # Panics
    ///
    /// If a count is negative, or there are too many axes or elements.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, 2.0]);
    /// assert_eq!(x.tile(2).to_vec(), [1.0, 2.0, 1.0, 2.0]);
    /// assert_eq!(x.tile((2, 1)).shape(), [2, 2]);
    /// ```
    #[track_caller]
    pub fn tile(&self, counts: impl IntoShape) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().tile(counts)))
    }
}
