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
/// - Normalised: an axis of extent 1 never appears, so a map says nothing that its domain does not
///   need; equality of maps over one domain is then equality of the values.
/// - Closed under slicing, reversal, transposition, broadcasting, integer indexing, diagonals.
///
/// ```text
/// a: store of shape (4, 6)
/// a[1:3, ::-2].T  : domain (3, 2)   native [ 1 + 1*axis1, 5 - 2*axis0 ]
/// a.reshape(24)   : domain (24)     linear [ 0 + 1*axis0 ]
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map {
    /// The coordinates in use.
    pub chart: Chart,
    /// One per store dimension (native), or summands of the linear index.
    pub dims: SmallVec<[Dim; 4]>,
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
        let dims = shape
            .iter()
            .enumerate()
            .map(|(d, &n)| if n == 1 { Dim::fixed(0) } else { Dim::along(d as u8, 0, 1) })
            .collect();
        Map { chart: Chart::Native, dims }
    }

    /// Whether this is [`Map::identity`] of `store` over `domain`.
    pub fn is_identity(&self, store: &Shape, domain: &Shape) -> bool {
        store == domain && *self == Map::identity(store)
    }

    /// Drops axes of extent 1 of `domain`, as the rules ask.
    pub fn normalise(&mut self, domain: &Shape) {
        for dim in &mut self.dims {
            if dim.axis.is_some_and(|a| domain[a as usize] == 1) {
                *dim = Dim::fixed(dim.start);
            }
        }
    }
}
