//! Maps from an iteration domain to the elements of a store.

use crate::Shape;
use smallvec::SmallVec;

/// In which coordinates a [`Map`] speaks of its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Chart {
    /// One [`Dim`] per dimension of the store.
    Native,
    /// The dims are summands of the store's row-major linear index (views made by `reshape`).
    Linear,
}

/// One coordinate of a map: `start + step * axis`, or `start` where `axis` is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim {
    /// The axis of the iteration domain that moves this coordinate.
    pub axis: Option<u8>,
    /// The coordinate at axis index 0.
    pub start: i64,
    /// Signed; 0 exactly when `axis` is `None`.
    pub step: i64,
}

/// How the points of an iteration domain (the shape of a view or of a loop nest) reach elements of
/// a store.
///
/// Rules:
/// - `Chart::Native` has exactly one [`Dim`] per dimension of the store.
/// - Normalised: an axis of extent 1 never appears, and a linear map has one summand per axis in
///   order, the first holding the start; so a map says nothing that its domain does not need, and
///   equality of maps of one chart over one domain is equality of what they reach.
/// - Closed under slicing, reversal, transposition, broadcasting, integer indexing, diagonals.
///
/// ```text
/// a: store of shape (4, 6)
/// a[1:3, ::-2].T  : domain (3, 2)   native [ 1 + 1*axis1, 5 - 2*axis0 ]
/// a.reshape(24)   : domain (24)     linear [ 0 + 1*axis0 ]
/// ```
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Map {
    /// The coordinates in use.
    pub chart: Chart,
    /// One per store dimension (native), or summands of the linear index.
    pub dims: SmallVec<[Dim; 4]>,
}

impl Clone for Map {
    // Every operation clones maps: at once, not dimension by dimension.
    #[inline]
    fn clone(&self) -> Map {
        Map { chart: self.chart, dims: SmallVec::from_slice(&self.dims) }
    }
}

impl Dim {
    /// A coordinate that does not move.
    pub const fn fixed(start: i64) -> Dim {
        Dim { axis: None, start, step: 0 }
    }

    /// `start + step * axis`.
    pub const fn along(axis: u8, start: i64, step: i64) -> Dim {
        Dim { axis: Some(axis), start, step }
    }
}

impl Map {
    /// The map of a whole store of this shape over a domain of the same shape.
    #[inline]
    pub fn identity(shape: &Shape) -> Map {
        let dim = |(d, &n): (usize, &usize)| match n {
            1 => Dim::fixed(0),
            _ => Dim::along(d as u8, 0, 1),
        };
        let mut first = [Dim::fixed(0); 4];
        let dims = if shape.rank() <= first.len() {
            for (place, extent) in first.iter_mut().zip(shape.iter().enumerate()) {
                *place = dim(extent);
            }
            SmallVec::from_buf_and_len(first, shape.rank())
        } else {
            shape.iter().enumerate().map(dim).collect()
        };
        Map { chart: Chart::Native, dims }
    }

    /// Whether this is [`Map::identity`] of `store` over `domain`.
    pub fn is_identity(&self, store: &Shape, domain: &Shape) -> bool {
        store == domain && *self == Map::identity(store)
    }

    /// The map by way of others of its axes: `axes[a]` is where an index of `domain` lands along axis `a` of the domain that this map has. Normalised.
    ///
    /// ```
    /// # use darray_core::{Chart, Dim, Map, Shape};
    /// let native = |dims: &[Dim]| Map { chart: Chart::Native, dims: dims.into() };
    /// let map = native(&[Dim::along(1, 0, 1), Dim::along(0, 2, 1)]);            // [i1, 2 + i0]
    /// let axes = [Dim::along(0, 1, 2), Dim::along(1, 3, 1)];                    // [1 + 2*i0, 3 + i1]
    /// let both = native(&[Dim::along(1, 3, 1), Dim::along(0, 3, 2)]);
    /// assert_eq!(map.compose(&axes, &Shape::new(&[4, 5])), both);
    /// ```
    pub fn compose(&self, axes: &[Dim], domain: &Shape) -> Map {
        let mut map = self.clone();
        for dim in &mut map.dims {
            if let Some(axis) = dim.axis {
                let to = axes[axis as usize];
                let start = dim.start + dim.step * to.start;
                *dim = Dim { axis: to.axis, start, step: dim.step * to.step };
            }
        }
        map.normalise(domain);
        map
    }

    /// Makes the map the only one of its meaning over `domain`: axes of extent 1 go, and a linear
    /// map has its summands in the order of their axes, the first holding all of the start.
    pub fn normalise(&mut self, domain: &Shape) {
        for dim in &mut self.dims {
            if dim.step == 0 || dim.axis.is_some_and(|a| domain[a as usize] == 1) {
                *dim = Dim::fixed(dim.start);
            }
        }
        if self.chart == Chart::Linear {
            self.gather_summands();
        }
    }

    /// One summand per axis; the start in the first.
    fn gather_summands(&mut self) {
        let start = self.dims.iter().map(|d| d.start).sum();
        self.dims.retain(|d| d.axis.is_some());
        self.dims.sort_unstable_by_key(|d| d.axis);
        self.dims.dedup_by(|later, first| {
            let same = later.axis == first.axis;
            if same {
                first.step += later.step;
            }
            same
        });
        for dim in &mut self.dims {
            dim.start = 0;
        }
        match self.dims.first_mut() {
            Some(first) => first.start = start,
            None => self.dims.push(Dim::fixed(start)),
        }
    }
}
