//! Shapes.

use smallvec::SmallVec;
use std::fmt;
use std::ops::Deref;

/// The extents of an array or of an iteration domain, outermost axis first.
#[derive(Eq, Hash, Default)]
#[allow(clippy::derived_hash_with_manual_eq, reason = "equal shapes are equal slices, as derived")]
pub struct Shape(SmallVec<[usize; 4]>);

impl PartialEq for Shape {
    // Every operation compares shapes: a few extents, not worth a call.
    #[inline]
    fn eq(&self, other: &Shape) -> bool {
        let (own, other) = (&self.0[..], &other.0[..]);
        own.len() == other.len() && own.iter().zip(other).all(|(a, b)| a == b)
    }
}

impl Clone for Shape {
    // Every operation clones shapes: at once, not extent by extent.
    #[inline]
    fn clone(&self) -> Shape {
        Shape::new(self)
    }
}

impl Shape {
    /// From a slice of extents.
    #[inline]
    pub fn new(extents: &[usize]) -> Shape {
        Shape(SmallVec::from_slice(extents))
    }

    /// The shape of a 0-d array.
    pub fn scalar() -> Shape {
        Shape(SmallVec::new())
    }

    /// Number of axes.
    #[inline]
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// Number of elements: the product of the extents (1 for rank 0).
    #[inline]
    pub fn size(&self) -> usize {
        self.0.iter().product()
    }

    /// Row-major strides in elements.
    pub fn strides(&self) -> SmallVec<[i64; 4]> {
        let mut strides: SmallVec<[i64; 4]> = SmallVec::from_elem(1, self.rank());
        for axis in (1..self.rank()).rev() {
            strides[axis - 1] = strides[axis] * self.0[axis] as i64;
        }
        strides
    }

    /// Appends an axis of this extent.
    pub fn push(&mut self, extent: usize) {
        self.0.push(extent);
    }
}

impl Deref for Shape {
    type Target = [usize];
    #[inline]
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl std::ops::DerefMut for Shape {
    fn deref_mut(&mut self) -> &mut [usize] {
        &mut self.0
    }
}

impl From<&[usize]> for Shape {
    fn from(extents: &[usize]) -> Shape {
        Shape::new(extents)
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(extents: [usize; N]) -> Shape {
        Shape::new(&extents)
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(extents: I) -> Shape {
        Shape(extents.into_iter().collect())
    }
}

impl fmt::Display for Shape {
    /// `[2, 3]`; `[]` for rank 0; as [`list_extents`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&list_extents(&self.0))
    }
}

/// Extents in brackets, at most 16 of them, so that a text about them has an end.
///
/// ```
/// assert_eq!(darray_core::list_extents(&[2, -1]), "[2, -1]");
/// assert!(darray_core::list_extents(&[1; 17]).ends_with(" 1, 1, ..]"));
/// ```
pub fn list_extents<E: fmt::Debug>(extents: &[E]) -> String {
    let (first, others) = extents.split_at(extents.len().min(16));
    let text = format!("{first:?}");
    if others.is_empty() { text } else { text.replace(']', ", ..]") }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
