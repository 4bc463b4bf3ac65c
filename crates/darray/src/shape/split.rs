//! Arrays cut along an axis: views.

use crate::array::axes::resolve_one;
use crate::error::expect_at_caller;
use crate::{DArray, DynArray, Element};
use darray_core::{Error, ErrorKind, Ix, Place, Result};

/// Where an array is cut: into a number of parts, or before these indices.
///
/// Indices are read as bounds of slices: negative ones count from the end, and those beyond the end
/// give empty parts.
///
/// ```
/// use darray::DArray;
/// let x = DArray::<i64>::arange(6);
/// let parts = |parts: Vec<DArray<i64>>| parts.iter().map(|p| p.to_vec()).collect::<Vec<_>>();
/// assert_eq!(parts(x.split(2, 0)), [vec![0, 1, 2], vec![3, 4, 5]]);
/// assert_eq!(parts(x.split([1, -1], 0)), [vec![0], vec![1, 2, 3, 4], vec![5]]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sections {
    /// So many parts.
    Count(usize),
    /// One part more than indices.
    At(Vec<isize>),
}

impl From<&[isize]> for Sections {
    fn from(indices: &[isize]) -> Sections {
        Sections::At(indices.to_vec())
    }
}

// What an isize cannot hold is beyond the end, and not an index from it.
macro_rules! section_types {
    ($($t:ty)*) => { $(
        impl From<$t> for Sections {
            fn from(count: $t) -> Sections {
                Sections::Count(usize::try_from(count).unwrap_or(0))
            }
        }
        impl<const N: usize> From<[$t; N]> for Sections {
            fn from(indices: [$t; N]) -> Sections {
                let index = |index: $t| isize::try_from(index).unwrap_or(isize::MAX);
                Sections::At(indices.map(index).to_vec())
            }
        }
    )* };
}

section_types!(i32 usize isize);

impl DynArray {
    /// Equal parts along an axis, or the parts between indices: views.
    ///
    /// Errors: the axis is out of range; the parts are none, not equal, or more than the host has
    /// memory for.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 6)));
    /// let parts = x.split(3, 1).unwrap();
    /// assert!(parts.len() == 3 && parts[0].shape() == [2, 2]);
    /// ```
    #[track_caller]
    pub fn split(&self, sections: impl Into<Sections>, axis: isize) -> Result<Vec<DynArray>> {
        let (name, place, sections) = ("split", Place::caller(), sections.into());
        let at = resolve_one(axis, self.shape_of());
        let extent = self.shape()[at.map_err(|kind| Error::new(name, kind, place))?];
        if let Sections::Count(count) = sections
            && (count == 0 || !extent.is_multiple_of(count))
        {
            let expected = format!("an extent along axis {axis} that divides into {count} parts");
            let kind = ErrorKind::Shapes { shapes: vec![self.shape_of().clone()], expected };
            return Err(Error::new(name, kind, place));
        }
        self.cut(&sections, axis, name, place)
    }

    /// As [`split`](Self::split), where a number of parts need not divide the axis: the first ones
    /// are longer by 1.
    ///
    /// Errors: the axis is out of range; there are no parts, or more than the host has memory for.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones(5));
    /// let parts = x.array_split(3, 0).unwrap();
    /// assert_eq!(parts.iter().map(|part| part.shape()[0]).collect::<Vec<_>>(), [2, 2, 1]);
    /// ```
    #[track_caller]
    pub fn array_split(&self, sections: impl Into<Sections>, axis: isize) -> Result<Vec<DynArray>> {
        self.cut(&sections.into(), axis, "array_split", Place::caller())
    }

    fn cut(
        &self,
        sections: &Sections,
        axis: isize,
        name: &'static str,
        place: Place,
    ) -> Result<Vec<DynArray>> {
        let error = |kind| Error::new(name, kind, place);
        let at = resolve_one(axis, self.shape_of()).map_err(error)?;
        let extent = self.shape()[at];
        let count = match sections {
            Sections::Count(count) => *count,
            Sections::At(indices) => indices.len() + 1,
        };
        if count == 0 {
            let expected = "at least one part".to_string();
            let shapes = vec![self.shape_of().clone()];
            return Err(error(ErrorKind::Shapes { shapes, expected }));
        }
        let mut parts = Vec::new();
        if parts.try_reserve_exact(count).is_err() {
            let message = format!("out of memory on the host: {count} parts");
            return Err(error(ErrorKind::Argument { message }));
        }
        // Where part `k` ends and the next one begins.
        let (short, longer) = (extent / count, extent % count);
        let bound = |k: usize| match sections {
            Sections::Count(_) => ((k + 1) * short + (k + 1).min(longer)) as isize,
            Sections::At(indices) => indices[k],
        };
        for k in 0..count {
            let start = k.checked_sub(1).map(bound);
            let end = (k + 1 < count).then(|| bound(k));
            let mut items = vec![Ix::from(..); at];
            items.push(Ix::Range { start, end, step: 1 });
            parts.push(self.with_view(self.view().slice(&items).map_err(error)?));
        }
        Ok(parts)
    }
}

/// # Parts
impl<T: Element> DArray<T> {
    /// Equal parts along an axis, or the parts between indices: views.
    ///
    /// # Panics
    ///
    /// If the axis is out of range, or the parts are none, not equal, or more than the host has memory
    /// for.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::zeros((2, 6));
    /// x.split(3, 1)[1].assign(1.0);
    /// assert_eq!(x.sum(0).to_vec(), [0.0, 0.0, 2.0, 2.0, 0.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn split(&self, sections: impl Into<Sections>, axis: isize) -> Vec<DArray<T>> {
        expect_at_caller(self.as_dyn().split(sections, axis))
            .into_iter()
            .map(DArray::wrap)
            .collect()
    }

    /// As [`split`](Self::split), where a number of parts need not divide the axis: the first ones
    /// are longer by 1.
    ///
    /// # Panics
    ///
    /// If the axis is out of range, or there are no parts, or more than the host has memory for.
    ///
    /// ```
    /// use darray::DArray;
    /// let parts = DArray::<i64>::arange(5).array_split(2, 0);
    /// assert_eq!((parts[0].to_vec(), parts[1].to_vec()), (vec![0, 1, 2], vec![3, 4]));
    /// ```
    #[track_caller]
    pub fn array_split(&self, sections: impl Into<Sections>, axis: isize) -> Vec<DArray<T>> {
        expect_at_caller(self.as_dyn().array_split(sections, axis))
            .into_iter()
            .map(DArray::wrap)
            .collect()
    }
}
