//! Axes that come, go and change places: views.

use super::join::of_shape;
use crate::array::axes::{resolve, resolve_one};
use crate::error::expect_at_caller;
use crate::{Axes, DArray, DynArray, Element};
use darray_core::{Error, ErrorKind, Ix, Place, Result, Shape};
use smallvec::SmallVec;

impl DynArray {
    /// New axes of extent 1, numbered as in the result: a view.
    ///
    /// Errors: an axis out of range or given twice; more than eight axes.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones(3));
    /// assert_eq!(x.expand_dims([0, -1]).unwrap().shape(), [1, 3, 1]);
    /// ```
    #[track_caller]
    pub fn expand_dims(&self, axes: impl Into<Axes>) -> Result<DynArray> {
        let (name, place) = ("expand_dims", Place::caller());
        let shape = expanded(self.shape_of(), axes.into().list().unwrap_or_default());
        let shape = shape.map_err(|kind| Error::new(name, kind, place))?;
        self.reshape_to(&shape, name, place)
    }

    /// Without these axes, which have extent 1; `..` for all that have: a view.
    ///
    /// Errors: an axis out of range, given twice, or of another extent.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((1, 3, 1)));
    /// assert_eq!(x.squeeze(0).unwrap().shape(), [3, 1]);
    /// assert_eq!(x.squeeze(..).unwrap().shape(), [3]);
    /// ```
    #[track_caller]
    pub fn squeeze(&self, axes: impl Into<Axes>) -> Result<DynArray> {
        let (name, place) = ("squeeze", Place::caller());
        let shape = squeezed(self.shape_of(), &axes.into());
        let shape = shape.map_err(|kind| Error::new(name, kind, place))?;
        self.reshape_to(&shape, name, place)
    }

    /// With two axes in each other's place: a view.
    ///
    /// Errors: an axis out of range.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3, 4)));
    /// assert_eq!(x.swap_axes(0, -1).unwrap().shape(), [4, 3, 2]);
    /// ```
    #[track_caller]
    pub fn swap_axes(&self, a: isize, b: isize) -> Result<DynArray> {
        let (name, place) = ("swapaxes", Place::caller());
        let at =
            |axis| resolve_one(axis, self.shape_of()).map_err(|kind| Error::new(name, kind, place));
        let (a, b) = (at(a)?, at(b)?);
        let mut order: SmallVec<[usize; 8]> = (0..self.shape().len()).collect();
        order.swap(a, b);
        Ok(self.with_view(self.view().permute(&order)))
    }

    /// With the axes `source` at the places `destination`, the others in order around them: a view.
    ///
    /// Errors: an axis out of range or given twice; not as many sources as destinations.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3, 4)));
    /// assert_eq!(x.moveaxis(0, -1).unwrap().shape(), [3, 4, 2]);
    /// assert_eq!(x.moveaxis([0, 1], [-1, 0]).unwrap().shape(), [3, 4, 2]);
    /// ```
    #[track_caller]
    pub fn moveaxis(
        &self,
        source: impl Into<Axes>,
        destination: impl Into<Axes>,
    ) -> Result<DynArray> {
        let place = Place::caller();
        let order = moved(self.shape_of(), &source.into(), &destination.into());
        let order = order.map_err(|kind| Error::new("moveaxis", kind, place))?;
        Ok(self.with_view(self.view().permute(&order)))
    }

    /// The axes in this order; `..` for the reverse: a view.
    ///
    /// Errors: the axes are not a permutation of all.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3, 4)));
    /// assert_eq!(x.transpose([2, 0, 1]).unwrap().shape(), [4, 2, 3]);
    /// assert_eq!(x.transpose(..).unwrap().shape(), [4, 3, 2]);
    /// ```
    #[track_caller]
    pub fn transpose(&self, axes: impl Into<Axes>) -> Result<DynArray> {
        match axes.into().list() {
            None => Ok(self.t()),
            Some(order) => self.permute(order),
        }
    }

    /// The elements in reverse order along these axes, `..` for all: a view.
    ///
    /// Errors: an axis out of range or given twice.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(3)).flip(0).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [2, 1, 0]);
    /// ```
    #[track_caller]
    pub fn flip(&self, axes: impl Into<Axes>) -> Result<DynArray> {
        let place = Place::caller();
        let error = |kind| Error::new("flip", kind, place);
        let (bits, _) = axes.into().resolve(self.shape_of()).map_err(error)?;
        let items: SmallVec<[Ix; 8]> = (0..self.shape().len())
            .map(|a| Ix::from(..).by(if bits >> a & 1 == 1 { -1 } else { 1 }))
            .collect();
        Ok(self.with_view(self.view().slice(&items).map_err(error)?))
    }
}

/// The shape with new axes of extent 1 at these places of the result.
fn expanded(shape: &Shape, axes: &[isize]) -> std::result::Result<Shape, ErrorKind> {
    let result = std::iter::repeat_n(1, shape.rank() + axes.len()).collect();
    let new = resolve(axes, &result).map_err(|kind| of_shape(kind, shape))?;
    let mut old = shape.iter();
    let extent = |a| if new.contains(&a) { Some(1) } else { old.next().copied() };
    Ok((0..result.rank()).filter_map(extent).collect())
}

/// The shape without these axes of extent 1.
fn squeezed(shape: &Shape, axes: &Axes) -> std::result::Result<Shape, ErrorKind> {
    let gone: SmallVec<[usize; 8]> = match axes.list() {
        None => (0..shape.rank()).filter(|&a| shape[a] == 1).collect(),
        Some(list) => resolve(list, shape)?,
    };
    if let Some(&axis) = gone.iter().find(|a| shape[**a] != 1) {
        let expected = format!("extent 1 along axis {axis}, not {}", shape[axis]);
        return Err(ErrorKind::Shapes { shapes: vec![shape.clone()], expected });
    }
    Ok((0..shape.rank()).filter(|a| !gone.contains(a)).map(|a| shape[a]).collect())
}

/// The order of axes after a move.
fn moved(
    shape: &Shape,
    source: &Axes,
    destination: &Axes,
) -> std::result::Result<SmallVec<[usize; 8]>, ErrorKind> {
    let all: SmallVec<[isize; 8]> = (0..shape.rank() as isize).collect();
    let from = resolve(source.list().unwrap_or(&all), shape)?;
    let to = resolve(destination.list().unwrap_or(&all), shape)?;
    if from.len() != to.len() {
        let message = format!("{} axes to {} places", from.len(), to.len());
        return Err(ErrorKind::Index { message, shape: shape.clone() });
    }
    let mut rest = (0..shape.rank()).filter(|a| !from.contains(a));
    let axis_at = |place| match to.iter().position(|t| *t == place) {
        Some(k) => Some(from[k]),
        None => rest.next(),
    };
    Ok((0..shape.rank()).filter_map(axis_at).collect())
}

/// # Axes
impl<T: Element> DArray<T> {
    /// New axes of extent 1, numbered as in the result: a view.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice, or there are more than eight axes.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::ones(3).expand_dims(1).shape(), [3, 1]);
    /// assert_eq!(DArray::<f64>::ones(3).expand_dims([0, -1]).shape(), [1, 3, 1]);
    /// ```
    #[track_caller]
    pub fn expand_dims(&self, axes: impl Into<Axes>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().expand_dims(axes)))
    }

    /// Without these axes, which have extent 1; `..` for all that have: a view.
    ///
    /// # Panics
    ///
    /// If an axis is out of range, given twice, or of another extent.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::ones((1, 3, 1));
    /// assert_eq!((x.squeeze(0).shape(), x.squeeze(..).shape()), (&[3, 1][..], &[3][..]));
    /// ```
    #[track_caller]
    pub fn squeeze(&self, axes: impl Into<Axes>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().squeeze(axes)))
    }

    /// With two axes in each other's place: a view.
    ///
    /// # Panics
    ///
    /// If an axis is out of range.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::ones((2, 3, 4)).swap_axes(0, -1).shape(), [4, 3, 2]);
    /// ```
    #[track_caller]
    pub fn swap_axes(&self, a: isize, b: isize) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().swap_axes(a, b)))
    }

    /// With the axes `source` at the places `destination`, the others in order around them: a view.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice, or there are not as many sources as destinations.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::ones((2, 3, 4));
    /// assert_eq!(x.moveaxis(0, -1).shape(), [3, 4, 2]);
    /// assert_eq!(x.moveaxis([0, 1], [-1, -2]).shape(), [4, 3, 2]);
    /// ```
    #[track_caller]
    pub fn moveaxis(&self, source: impl Into<Axes>, destination: impl Into<Axes>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().moveaxis(source, destination)))
    }

    /// The axes in this order; `..` for the reverse, as [`t`](Self::t): a view.
    ///
    /// # Panics
    ///
    /// If the axes are not a permutation of all.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::ones((2, 3, 4));
    /// assert_eq!(x.transpose([2, 0, 1]).shape(), [4, 2, 3]);
    /// assert_eq!(x.transpose(..).shape(), [4, 3, 2]);
    /// ```
    #[track_caller]
    pub fn transpose(&self, axes: impl Into<Axes>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().transpose(axes)))
    }

    /// The elements in reverse order along these axes, `..` for all: a view.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(x.flip(0).to_vec(), [3.0, 4.0, 1.0, 2.0]);
    /// assert_eq!(x.flip(..).to_vec(), [4.0, 3.0, 2.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn flip(&self, axes: impl Into<Axes>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().flip(axes)))
    }
}
