//! View geometry: a shape and the map by which it reaches a store.

use crate::broadcast::broadcast_shapes;
use crate::reindex::check_shape;
use crate::{Chart, Dim, ErrorKind, Ix, Map, Reindex, Shape};
use smallvec::SmallVec;

/// A rectangular way to look at a store: its shape, and the map from its indices to elements.
///
/// Rules:
/// - The map is normalised over the shape, so two views of one store with equal shapes reach the
///   same elements in the same order exactly when their maps are equal (for one chart).
/// - All operations are O(rank), and none looks at data.
///
/// ```text
/// store (4, 6)   view [1:3, ::-2].T   shape (3, 2)   map [ 1 + 1*axis1, 5 - 2*axis0 ]
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    shape: Shape,
    map: Map,
}

impl View {
    /// All of a store.
    #[inline]
    pub fn whole(store: &Shape) -> View {
        View { map: Map::identity(store), shape: store.clone() }
    }

    /// Its extents.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// How its indices reach the store.
    #[inline]
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// Whether it is all of the store, in the store's own order.
    pub fn is_whole(&self, store: &Shape) -> bool {
        self.map.is_identity(store, &self.shape)
    }

    /// Whether it is all of the store in the order of the store's row-major index: every reshape of it is a view.
    pub fn is_row_major(&self, store: &Shape) -> bool {
        if self.shape.size() != store.size() {
            return false;
        }
        let (start, strides) = self.strides(store);
        let steps = strides.iter().zip(self.shape.strides());
        let mut moving = steps.zip(self.shape.iter()).filter(|(_, extent)| **extent != 1);
        self.shape.size() == 0 || start == 0 && moving.all(|((found, step), _)| *found == step)
    }

    /// The view through a change of axes.
    pub fn reindex(&self, change: &Reindex) -> View {
        let map = self.map.compose(&change.axes, &change.shape);
        View { shape: change.shape.clone(), map }
    }

    /// NumPy basic indexing.
    ///
    /// Errors: [`ErrorKind::Index`].
    pub fn slice(&self, items: &[Ix]) -> Result<View, ErrorKind> {
        Ok(self.reindex(&crate::slice::resolve(items, &self.shape)?))
    }

    /// The axes in another order; `order` is a permutation of the axes.
    pub fn permute(&self, order: &[usize]) -> View {
        self.reindex(&Reindex::permute(&self.shape, order))
    }

    /// The axes in reverse order.
    pub fn transpose(&self) -> View {
        let order: SmallVec<[usize; 8]> = (0..self.shape.rank()).rev().collect();
        self.permute(&order)
    }

    /// The diagonal of two different axes, as the last axis.
    pub fn diagonal(&self, offset: isize, rows: usize, columns: usize) -> View {
        self.reindex(&Reindex::diagonal(&self.shape, offset, rows, columns))
    }

    /// Repeated to a larger shape.
    ///
    /// Errors: [`ErrorKind::Broadcast`].
    pub fn broadcast_to(&self, shape: &Shape) -> Result<View, ErrorKind> {
        check_shape(shape)?;
        Ok(self.reindex(&Reindex::broadcast(&self.shape, shape)?))
    }

    /// The map of this view, repeated to a domain that is known to be its broadcast shape.
    pub fn map_over(&self, domain: &Shape) -> Map {
        debug_assert_eq!(broadcast_shapes(&self.shape, domain).as_ref(), Ok(domain));
        let mut map = self.map.clone();
        let new = (domain.rank() - self.shape.rank()) as u8;
        if new > 0 {
            for dim in &mut map.dims {
                dim.axis = dim.axis.map(|a| a + new);
            }
        }
        // Axes of extent 1 are in no map, so repeating them changes nothing.
        map
    }

    /// The same elements in row-major order under another shape of the same size, or `None` where
    /// no map can say that and a copy is needed (NumPy's rule). `store` is the store's shape.
    ///
    /// Where axes of extent 1 come and go the chart stays; any other reshape that strides can
    /// express is [`Chart::Linear`].
    ///
    /// Errors: [`ErrorKind::Reshape`], [`ErrorKind::Index`] for too many axes.
    pub fn reshape(&self, store: &Shape, to: &Shape) -> Result<Option<View>, ErrorKind> {
        check_shape(to)?;
        if self.shape.size() != to.size() {
            return Err(ErrorKind::Reshape { from: self.shape.clone(), to: to.clone() });
        }
        Ok(self.move_unit_axes(to).or_else(|| self.linear(store, to)))
    }

    /// The reshape, if it only adds and removes axes of extent 1.
    fn move_unit_axes(&self, to: &Shape) -> Option<View> {
        let mut new = to.iter().enumerate().filter(|(_, n)| **n != 1);
        let mut axes: SmallVec<[Dim; 4]> = SmallVec::new();
        for &extent in self.shape.iter() {
            axes.push(match extent {
                1 => Dim::fixed(0),
                _ => match new.next() {
                    Some((axis, n)) if *n == extent => Dim::along(axis as u8, 0, 1),
                    _ => return None,
                },
            });
        }
        new.next().is_none().then(|| self.reindex(&Reindex { shape: to.clone(), axes }))
    }

    /// The reshape in the linear chart, if strides can express it.
    fn linear(&self, store: &Shape, to: &Shape) -> Option<View> {
        let (start, strides) = self.strides(store);
        let strides = reshape_strides(&self.shape, &strides, to)?;
        let mut dims: SmallVec<[Dim; 4]> = strides
            .iter()
            .enumerate()
            .map(|(axis, &step)| match step {
                0 => Dim::fixed(0),
                _ => Dim::along(axis as u8, 0, step),
            })
            .collect();
        dims.insert(0, Dim::fixed(start));
        let mut map = Map { chart: Chart::Linear, dims };
        map.normalise(to);
        if start == 0 && to == store && strides == store.strides() {
            map = Map::identity(store);
        }
        Some(View { shape: to.clone(), map })
    }

    /// The row-major linear index of element (0, 0, ..), and what each axis adds to it.
    pub fn strides(&self, store: &Shape) -> (i64, SmallVec<[i64; 4]>) {
        let weights = match self.map.chart {
            Chart::Native => store.strides(),
            Chart::Linear => SmallVec::from_elem(1, self.map.dims.len()),
        };
        let mut start = 0;
        let mut strides: SmallVec<[i64; 4]> = SmallVec::from_elem(0, self.shape.rank());
        for (dim, weight) in self.map.dims.iter().zip(weights) {
            start += dim.start * weight;
            if let Some(axis) = dim.axis {
                strides[axis as usize] += dim.step * weight;
            }
        }
        (start, strides)
    }

    /// The row-major linear indices of its elements, in order. For tests and small arrays.
    pub fn elements(&self, store: &Shape) -> Vec<usize> {
        let (start, strides) = self.strides(store);
        let mut index = vec![0; self.shape.rank()];
        (0..self.shape.size())
            .map(|_| {
                let at = index.iter().zip(&strides).map(|(i, s)| *i as i64 * s).sum::<i64>();
                for axis in (0..index.len()).rev() {
                    index[axis] += 1;
                    if index[axis] < self.shape[axis] {
                        break;
                    }
                    index[axis] = 0;
                }
                (start + at) as usize
            })
            .collect()
    }
}

/// The strides of a reshape without copy: groups of old axes and of new axes with the same number
/// of elements face each other, and each group of old axes must be contiguous in itself.
fn reshape_strides(from: &Shape, strides: &[i64], to: &Shape) -> Option<SmallVec<[i64; 4]>> {
    if from.size() == 0 {
        return Some(to.strides());
    }
    let old: SmallVec<[usize; 8]> = (0..from.rank()).filter(|&a| from[a] != 1).collect();
    let mut result: SmallVec<[i64; 4]> = SmallVec::from_elem(0, to.rank());
    let (mut o, mut n) = (0, 0);
    while o < old.len() && n < to.rank() {
        let (mut old_end, mut new_end) = (o + 1, n + 1);
        let (mut old_size, mut new_size) = (from[old[o]], to[n]);
        while old_size != new_size {
            if new_size < old_size {
                new_size *= to[new_end];
                new_end += 1;
            } else {
                old_size *= from[old[old_end]];
                old_end += 1;
            }
        }
        for pair in old[o..old_end].windows(2) {
            if strides[pair[0]] != strides[pair[1]] * from[pair[1]] as i64 {
                return None;
            }
        }
        let mut step = strides[old[old_end - 1]];
        for axis in (n..new_end).rev() {
            result[axis] = step;
            step *= to[axis] as i64;
        }
        (o, n) = (old_end, new_end);
    }
    Some(result)
}
