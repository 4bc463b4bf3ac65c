//! Views, and writing through them; `grammar`: what an index is; `picked`: what masks and arrays of indices choose; `element`: one element;
//! `iteration`: along the first axis; `indices`: elements by arrays of indices along an axis; `held`: the places of what masks
//! hold; `mask`: functions of them; `counting`: counts and places.

pub(crate) mod counting;
mod element;
pub(crate) mod grammar;
pub(crate) mod held;
pub(crate) mod indices;
pub(crate) mod iteration;
pub(crate) mod mask;
pub(crate) mod picked;

use crate::error::expect_at_caller;
use crate::{Assignable, DArray, DynArray, Element, IntoShape};
use darray_core::{Error, ErrorKind, Place, Result, Shape, list_extents};
use grammar::{Entry, Selection};
use smallvec::SmallVec;

impl DynArray {
    /// NumPy's index, written with [`s!`](crate::s): a view, or with a mask or an array of indices among its items what these choose, a
    /// [`DynPicked`](crate::DynPicked). See [`DArray::slice`].
    ///
    /// Errors: an index out of range, too many indices, a step of 0; a mask of another shape, arrays of indices that do not broadcast or
    /// are of another type.
    ///
    /// ```
    /// use darray::{DArray, DynArray, s};
    /// let x = DynArray::from(DArray::<i64>::arange(5));
    /// assert_eq!(x.slice(s![1..;2]).unwrap().shape(), [2]);
    /// assert_eq!(x.slice([4, 0, 1]).unwrap().array().unwrap().shape(), [3]);
    /// ```
    #[track_caller]
    pub fn slice<S: Selection>(&self, index: S) -> Result<<S::Entry as Entry>::Untyped> {
        S::Entry::select(self, index.items().as_ref(), Place::caller())
    }

    /// The axes in reverse order: a view.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// assert_eq!(DynArray::from(DArray::<f64>::ones((2, 3))).t().shape(), [3, 2]);
    /// ```
    pub fn t(&self) -> DynArray {
        self.with_view(self.view().transpose())
    }

    /// The axes in another order: a view.
    ///
    /// Errors: `order` is not a permutation of the axes.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3, 4)));
    /// assert_eq!(x.permute(&[2, 0, 1]).unwrap().shape(), [4, 2, 3]);
    /// ```
    #[track_caller]
    pub fn permute(&self, order: &[isize]) -> Result<DynArray> {
        let (name, place) = ("transpose", Place::caller());
        let axes = crate::array::axes::resolve(order, self.shape_of())
            .map_err(|kind| Error::new(name, kind, place))?;
        if axes.len() != self.shape().len() {
            let expected = format!("{} axes, not {}", self.shape().len(), axes.len());
            let kind = ErrorKind::Shapes { shapes: vec![self.shape_of().clone()], expected };
            return Err(Error::new(name, kind, place));
        }
        Ok(self.with_view(self.view().permute(&axes)))
    }

    /// Repeated to a larger shape: a view that cannot be written where it repeats.
    ///
    /// Errors: the shape does not broadcast to that.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones(3));
    /// assert_eq!(x.broadcast_to((2, 3)).unwrap().shape(), [2, 3]);
    /// ```
    #[track_caller]
    pub fn broadcast_to(&self, shape: impl IntoShape) -> Result<DynArray> {
        let (name, place) = ("broadcast_to", Place::caller());
        let shape = crate::array::into_shape::checked_shape(name, &shape, place)?;
        let view = self.view().broadcast_to(&shape);
        Ok(self.with_view(view.map_err(|kind| Error::new(name, kind, place))?))
    }

    /// The same elements in row-major order under another shape, of which one extent may be -1: a
    /// view where strides can express it (NumPy's rule), else a copy.
    ///
    /// Errors: the number of elements differs.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 6)));
    /// assert_eq!(x.reshape((3, -1)).unwrap().shape(), [3, 4]);
    /// ```
    #[track_caller]
    pub fn reshape(&self, shape: impl IntoShape) -> Result<DynArray> {
        let (name, place) = ("reshape", Place::caller());
        let shape = self.reshape_extents(&shape.extents(), place)?;
        self.reshape_to(&shape, name, place)
    }

    /// As [`reshape`](Self::reshape), to a shape without -1.
    pub(crate) fn reshape_to(
        &self,
        shape: &Shape,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        let error = |kind| Error::new(name, kind, place);
        match self.view().reshape(self.whole_shape(), shape).map_err(error)? {
            Some(view) => Ok(self.with_view(view)),
            None => {
                let copy = self.copy_at(place)?;
                let view = copy.view().reshape(copy.whole_shape(), shape).map_err(error)?;
                Ok(copy.with_view(view.expect("a whole store has every shape of its size")))
            }
        }
    }

    /// The shape with its -1 filled in.
    fn reshape_extents(&self, extents: &[i64], place: Place) -> Result<Shape> {
        let unknown: SmallVec<[usize; 4]> =
            (0..extents.len()).filter(|&a| extents[a] == -1).collect();
        let mut known = extents.iter().filter(|n| **n != -1);
        // Too many to count are too many to fit; 0 says that nothing can be filled in.
        let known = known.try_fold(1i64, |known, n| known.checked_mul(*n)).unwrap_or(0);
        let mut extents: SmallVec<[i64; 4]> = SmallVec::from_slice(extents);
        let size = self.shape_of().size() as i64;
        if let [axis] = unknown[..]
            && known > 0
            && size % known == 0
        {
            extents[axis] = size / known;
        }
        if extents.iter().any(|n| *n < 0) {
            let wanted = list_extents(&extents);
            let message = format!("cannot fill in {wanted} with {size} elements");
            let kind = ErrorKind::Index { message, shape: self.shape_of().clone() };
            return Err(Error::new("reshape", kind, place));
        }
        Ok(extents.iter().map(|&n| n as usize).collect())
    }
}

/// # Views and writes
impl<T: Element> DArray<T> {
    /// NumPy's index, written with [`s!`](crate::s), or as one item for the first axis.
    ///
    /// Of integers, ranges, new axes and `...` the result is a view that writes through. A mask or an array of indices chooses elements:
    /// the result is [`Picked`](crate::Picked), which reads as an array of its own and writes into this one. The rules are NumPy's:
    ///
    /// - Arrays of indices, of any integer type, broadcast against each other; indices below 0 count from the end. A mask stands for as
    ///   many axes as it has, and for the places of what it holds.
    /// - The axes of what they choose stand where the first of them stands; at the front, where a range, a new axis or `...` stands
    ///   between two of them. An integer beside them counts as one of them.
    ///
    /// # Panics
    ///
    /// If an integer index is out of range, there are too many indices, or a step is 0; if a mask has other extents than its axes, or
    /// arrays of indices do not broadcast. An index out of range in an array is an error when the result is read.
    ///
    /// ```
    /// use darray::{DArray, NewAxis, s};
    /// let x = DArray::<i64>::arange(12).reshape((3, 4));
    /// assert_eq!(x.slice(s![-1, ..;-2]).to_vec(), [11, 9]);
    /// assert_eq!(x.slice(s![..., NewAxis]).shape(), [3, 4, 1]);
    /// assert_eq!((x.slice(1..).shape(), x.slice(2).shape()), (&[2, 4][..], &[4][..]));
    /// assert_eq!(x.slice(x.gt(8)).to_vec(), [9, 10, 11]);
    /// let (rows, columns) = (DArray::from([2, 0]), DArray::from([1, -1]));
    /// assert_eq!(x.slice(s![&rows, &columns]).to_vec(), [9, 3]);
    /// x.slice(s![.., &columns]).assign(0);
    /// assert_eq!(x.at(0).to_vec(), [0, 0, 2, 0]);
    /// ```
    #[track_caller]
    pub fn slice<S: Selection>(&self, index: S) -> <S::Entry as Entry>::Of<T> {
        S::Entry::typed(expect_at_caller(self.as_dyn().slice(index)))
    }

    /// The axes in reverse order: a view.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
    /// assert_eq!(x.t().to_vec(), [1, 3, 2, 4]);
    /// ```
    #[doc(alias = "T")]
    pub fn t(&self) -> DArray<T> {
        DArray::wrap(self.as_dyn().t())
    }

    /// The axes in another order: a view.
    ///
    /// # Panics
    ///
    /// If `order` is not a permutation of the axes.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::ones((2, 3, 4)).permute(&[2, 0, 1]).shape(), [4, 2, 3]);
    /// ```
    #[track_caller]
    pub fn permute(&self, order: &[isize]) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().permute(order)))
    }

    /// Repeated to a larger shape: a view that cannot be written where it repeats.
    ///
    /// # Panics
    ///
    /// If the shape does not broadcast to that.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![1, 2]).broadcast_to((2, 2)).to_vec(), [1, 2, 1, 2]);
    /// ```
    #[track_caller]
    pub fn broadcast_to(&self, shape: impl IntoShape) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().broadcast_to(shape)))
    }

    /// The same elements in row-major order under another shape, of which one extent may be -1: a
    /// view where strides can express it (NumPy's rule), else a copy.
    ///
    /// # Panics
    ///
    /// If the number of elements differs.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::arange(6).reshape((2, -1));
    /// assert_eq!((x.shape(), x.t().reshape(6).to_vec()), (&[2, 3][..], vec![0, 3, 1, 4, 2, 5]));
    /// ```
    #[track_caller]
    pub fn reshape(&self, shape: impl IntoShape) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().reshape(shape)))
    }

    /// NumPy's `self[...] = value`: writes the value, broadcast to this shape, into what this is a
    /// view of, as if all of the value were read first. The value may have more axes in front, of extent 1.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or this view repeats elements.
    ///
    /// ```
    /// use darray::{DArray, s};
    /// let x = DArray::<i64>::arange(4);
    /// x.slice(s![1..]).assign(x.slice(s![..-1]));
    /// x.slice(s![0]).assign(9);
    /// assert_eq!(x.to_vec(), [9, 0, 1, 2]);
    /// ```
    #[doc(alias = "fill")]
    #[doc(alias = "copyto")]
    #[track_caller]
    pub fn assign<R: Assignable<T>>(&self, value: R) {
        expect_at_caller(self.as_dyn().assign(value.argument()));
    }
}
