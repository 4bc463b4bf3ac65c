//! NumPy's rules of axes: what the items of an index are for an array.

use super::Chosen;
use crate::DynArray;
use crate::elementwise::steps::Steps;
use crate::indexing::grammar::Pick;
use darray_core::{DType, Ix, Result};
use smallvec::SmallVec;

/// What the items of an index are for an array.
pub(super) struct Resolved {
    /// The view of the items that choose nothing.
    pub view: DynArray,
    pub chosen: SmallVec<[Chosen; 2]>,
    /// Where what is chosen stands among the other axes of the view.
    pub first: usize,
}

impl Resolved {
    pub fn new(array: &DynArray, items: &[Pick], steps: Steps) -> Result<Resolved> {
        let arrays = items.iter().map(|item| match item {
            Pick::Ix(_) => Ok(None),
            Pick::Array(array) => Ok(Some(array.snapshot())),
            Pick::List(list) => list.array(array, steps.name, steps.place).map(Some),
        });
        let arrays: SmallVec<[Option<DynArray>; 4]> = arrays.collect::<Result<_>>()?;
        // How many axes of the array an item stands for.
        let used = |item: &Pick, array: &Option<DynArray>| match (item, array) {
            (_, Some(mask)) if mask.dtype() == DType::Bool => mask.shape().len(),
            (_, Some(_)) | (Pick::Ix(Ix::At(_) | Ix::Range { .. }), _) => 1,
            _ => 0,
        };
        let all: usize = items.iter().zip(&arrays).map(|(item, array)| used(item, array)).sum();
        let left = array.shape().len().saturating_sub(all);
        let mut basic: SmallVec<[Ix; 8]> = SmallVec::new();
        let mut chosen: SmallVec<[Chosen; 2]> = SmallVec::new();
        // The next axis of the array and of the view.
        let (mut from, mut to) = (0, 0);
        // Where the items that count as arrays begin, and whether something stands behind them, or between them.
        let (mut first, mut ended, mut apart) = (None, false, false);
        for (item, choice) in items.iter().zip(arrays) {
            let axes = used(item, &choice);
            if matches!((item, &choice), (Pick::Ix(Ix::At(_)), _) | (_, Some(_))) {
                apart |= ended;
                first.get_or_insert(to);
            } else {
                ended = first.is_some();
            }
            match (item, choice) {
                (&Pick::Ix(item), _) => {
                    basic.push(item);
                    to += match item {
                        Ix::At(_) => 0,
                        Ix::Range { .. } | Ix::NewAxis => 1,
                        Ix::Ellipsis => left,
                    };
                    from += if item == Ix::Ellipsis { left } else { axes };
                }
                // A truth value counts the elements of an axis of its own.
                (_, Some(array)) if axes == 0 => {
                    basic.push(Ix::NewAxis);
                    let array = steps.reshape(&array, &[1])?;
                    chosen.push(Chosen { array, axes: to..to + 1, axis: from });
                    to += 1;
                }
                (_, Some(array)) => {
                    basic.extend((0..axes).map(|_| Ix::from(..)));
                    chosen.push(Chosen { array, axes: to..to + axes, axis: from });
                    (from, to) = (from + axes, to + axes);
                }
                (_, None) => {}
            }
        }
        let view = array.view_at(&basic, steps.name, steps.place)?;
        chosen.iter().try_for_each(|one| check(array, &view, one, steps))?;
        Ok(Resolved { view, chosen, first: if apart { 0 } else { first.unwrap_or(0) } })
    }
}

/// Refuses what is no mask of the axes, and no indices.
fn check(array: &DynArray, view: &DynArray, one: &Chosen, steps: Steps) -> Result<()> {
    steps.same_runtime(array, &one.array)?;
    let extents = &view.shape()[one.axes.clone()];
    match one.array.dtype() {
        DType::Bool if one.array.shape() != extents => {
            let first = one.axis;
            let expected = format!("a mask with the extents of the axes from axis {first} on");
            Err(steps.shapes(&[array, &one.array], &expected))
        }
        dtype if dtype.is_integer() || dtype == DType::Bool => Ok(()),
        _ => Err(steps.dtypes(&[&one.array], "indices of an integer type, or a mask of bool")),
    }
}
