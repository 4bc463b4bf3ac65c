//! Random chains of view operations against a model that lists every element.

use darray_core::{Chart, Ix, Shape, View, broadcast_shapes};
use proptest::prelude::*;

/// The linear indices of a view's elements, row-major.
#[derive(Clone, Debug)]
struct Model {
    shape: Vec<usize>,
    elements: Vec<usize>,
}

impl Model {
    /// The model whose element at each index of `shape` is this one's at `source(index)`.
    fn gather(&self, shape: &[usize], source: impl Fn(&[usize]) -> Vec<usize>) -> Model {
        let elements = indices(shape).map(|index| {
            let at = source(&index).iter().zip(&self.shape).fold(0, |a, (i, n)| a * n + i);
            self.elements[at]
        });
        Model { elements: elements.collect(), shape: shape.to_vec() }
    }
}

/// All indices of a shape in row-major order.
fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let size: usize = shape.iter().product();
    (0..size).map(move |mut linear| {
        let mut index = vec![0; shape.len()];
        for axis in (0..shape.len()).rev() {
            index[axis] = linear % shape[axis];
            linear /= shape[axis];
        }
        index
    })
}

/// A view operation, with numbers that are reduced to what the shape at hand allows.
#[derive(Clone, Debug)]
enum Step {
    Slice { axis: usize, first: usize, length: usize, step: usize, reverse: bool },
    At { axis: usize, index: usize },
    NewAxis { axis: usize },
    Permute { order: Vec<u32> },
    Broadcast { axis: usize, extent: usize },
    Diagonal { axis: usize, offset: isize },
    Reshape { cuts: Vec<usize> },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0usize..4, 0usize..4, 0usize..5, 1usize..4, any::<bool>()).prop_map(
            |(axis, first, length, step, reverse)| Step::Slice {
                axis,
                first,
                length,
                step,
                reverse
            }
        ),
        (0usize..4, 0usize..6).prop_map(|(axis, index)| Step::At { axis, index }),
        (0usize..4).prop_map(|axis| Step::NewAxis { axis }),
        prop::collection::vec(any::<u32>(), 6).prop_map(|order| Step::Permute { order }),
        (0usize..4, 0usize..4).prop_map(|(axis, extent)| Step::Broadcast { axis, extent }),
        (0usize..4, -3isize..4).prop_map(|(axis, offset)| Step::Diagonal { axis, offset }),
        prop::collection::vec(1usize..5, 0..5).prop_map(|cuts| Step::Reshape { cuts }),
        prop::collection::vec(1usize..5, 0..5).prop_map(|cuts| Step::Reshape { cuts }),
    ];
    prop::collection::vec(step, 0..7)
}

/// A shape of this size made of divisors.
fn factors(mut size: usize, cuts: &[usize]) -> Vec<usize> {
    let mut shape = Vec::new();
    for &cut in cuts {
        let extent = if size.is_multiple_of(cut) { cut } else { 1 };
        shape.push(extent);
        size /= extent;
    }
    shape.push(size);
    shape
}

/// Both sides after one step; `None` where a reshape needs a copy.
fn apply(step: &Step, store: &Shape, view: &View, model: &Model) -> Option<(View, Model)> {
    let rank = model.shape.len();
    let unchanged = Some((view.clone(), model.clone()));
    match step {
        _ if rank == 0 && !matches!(step, Step::NewAxis { .. } | Step::Reshape { .. }) => unchanged,
        _ if rank >= 6 && matches!(step, Step::NewAxis { .. }) => unchanged,
        Step::Slice { axis, first, length, step, reverse } => {
            let axis = axis % rank;
            let mut picked: Vec<usize> =
                (0..model.shape[axis]).skip(*first).take(*length).step_by(*step).collect();
            let range = match (picked.first(), picked.last()) {
                (Some(&lo), Some(&hi)) if *reverse => {
                    picked.reverse();
                    let end = if lo == 0 { None } else { Some(lo as isize - 1) };
                    Ix::Range { start: Some(hi as isize), end, step: -(*step as isize) }
                }
                _ => Ix::from(*first as isize..(*first + *length) as isize).by(*step as isize),
            };
            let mut items = vec![Ix::from(..); axis];
            items.push(range);
            let mut shape = model.shape.clone();
            shape[axis] = picked.len();
            let source = |index: &[usize]| {
                let mut index = index.to_vec();
                index[axis] = picked[index[axis]];
                index
            };
            Some((view.slice(&items).unwrap(), model.gather(&shape, source)))
        }
        Step::At { axis, index } => {
            let axis = axis % rank;
            if model.shape[axis] == 0 {
                return unchanged;
            }
            let at = index % model.shape[axis];
            let mut items = vec![Ix::from(..); axis];
            items.push(Ix::At(at as isize - model.shape[axis] as isize));
            let mut shape = model.shape.clone();
            shape.remove(axis);
            let source = |index: &[usize]| {
                let mut index = index.to_vec();
                index.insert(axis, at);
                index
            };
            Some((view.slice(&items).unwrap(), model.gather(&shape, source)))
        }
        Step::NewAxis { axis } => {
            let axis = axis % (rank + 1);
            let mut items = vec![Ix::from(..); axis];
            items.push(Ix::NewAxis);
            let mut shape = model.shape.clone();
            shape.insert(axis, 1);
            Some((view.slice(&items).unwrap(), Model { shape, ..model.clone() }))
        }
        Step::Permute { order } => {
            let mut axes: Vec<usize> = (0..rank).collect();
            axes.sort_by_key(|&a| order[a]);
            let shape: Vec<usize> = axes.iter().map(|&a| model.shape[a]).collect();
            let source = |index: &[usize]| {
                let mut old = vec![0; rank];
                for (new, &axis) in axes.iter().enumerate() {
                    old[axis] = index[new];
                }
                old
            };
            Some((view.permute(&axes), model.gather(&shape, source)))
        }
        Step::Broadcast { axis, extent } => {
            let axis = axis % rank;
            let mut shape = model.shape.clone();
            if shape[axis] != 1 {
                return unchanged;
            }
            shape[axis] = *extent;
            let source = |index: &[usize]| {
                let mut index = index.to_vec();
                index[axis] = 0;
                index
            };
            let to = Shape::new(&shape);
            assert_eq!(broadcast_shapes(view.shape(), &to).unwrap(), to);
            let wide = view.broadcast_to(&to).unwrap();
            assert_eq!(wide.map(), &view.map_over(&to));
            Some((wide, model.gather(&shape, source)))
        }
        Step::Diagonal { axis, offset } => {
            let (rows, columns) = (axis % rank, (axis + 1) % rank);
            if rows == columns {
                return unchanged;
            }
            let offset = *offset;
            let (down, right) = (offset.min(0).unsigned_abs(), offset.max(0).unsigned_abs());
            let length = model.shape[rows]
                .saturating_sub(down)
                .min(model.shape[columns].saturating_sub(right));
            let mut shape: Vec<usize> =
                (0..rank).filter(|a| *a != rows && *a != columns).map(|a| model.shape[a]).collect();
            shape.push(length);
            let source = |index: &[usize]| {
                let (i, mut rest) = (index[index.len() - 1], index.iter());
                (0..rank)
                    .map(|a| match a {
                        _ if a == rows => i + down,
                        _ if a == columns => i + right,
                        _ => *rest.next().unwrap(),
                    })
                    .collect()
            };
            Some((view.diagonal(offset, rows, columns), model.gather(&shape, source)))
        }
        Step::Reshape { cuts } => {
            let shape = factors(model.elements.len(), cuts);
            let reshaped = view.reshape(store, &Shape::new(&shape)).unwrap()?;
            Some((reshaped, Model { shape, ..model.clone() }))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn views_reach_what_the_model_reaches(
        extents in prop::collection::vec(0usize..5, 0..4),
        steps in steps(),
    ) {
        let store = Shape::new(&extents);
        let mut view = View::whole(&store);
        let mut model = Model { elements: (0..store.size()).collect(), shape: extents };
        for step in &steps {
            let Some((v, m)) = apply(step, &store, &view, &model) else { break };
            (view, model) = (v, m);
            prop_assert_eq!(&view.shape()[..], &model.shape[..], "{:?}", step);
            prop_assert_eq!(view.elements(&store), &model.elements[..], "{:?}", step);
            let row_major = model.elements.iter().copied().eq(0..store.size());
            prop_assert_eq!(view.is_row_major(&store), row_major, "{:?}", step);
            let mut normal = view.map().clone();
            normal.normalise(view.shape());
            prop_assert_eq!(&normal, view.map());
            if view.map().chart == Chart::Native {
                prop_assert_eq!(view.map().dims.len(), store.rank());
            }
        }
    }
}

fn reshape(view: &View, store: &[usize], to: &[usize]) -> Option<View> {
    view.reshape(&Shape::new(store), &Shape::new(to)).unwrap()
}

#[test]
fn reshapes_that_only_move_unit_axes_stay_native() {
    let store = Shape::from([4, 6]);
    let view = View::whole(&store).slice(&[Ix::from(1..3), Ix::from(..).by(2)]).unwrap();
    let moved = reshape(&view, &store, &[1, 2, 1, 3]).unwrap();
    assert_eq!(moved.map().chart, Chart::Native);
    assert_eq!(reshape(&moved, &store, &[2, 3]), Some(view));
}

#[test]
fn reshapes_follow_numpys_copy_rule() {
    let store = [4, 6];
    let whole = View::whole(&Shape::new(&store));
    let flat = reshape(&whole, &store, &[24]).unwrap();
    assert_eq!(flat.map().chart, Chart::Linear);
    assert_eq!(reshape(&flat, &store, &[4, 6]), Some(whole.clone()), "back is native");
    assert_eq!(reshape(&whole.transpose(), &store, &[24]), None);
    assert!(reshape(&whole.transpose(), &store, &[2, 3, 4]).is_some());
    let columns = whole.slice(&[Ix::from(..), Ix::from(..).by(2)]).unwrap();
    assert!(reshape(&columns, &store, &[12]).is_some(), "4 rows of 3: one stride of 2");
    let part = whole.slice(&[Ix::from(..), Ix::from(1..)]).unwrap();
    assert_eq!(reshape(&part, &store, &[20]), None);
    let error = whole.reshape(&Shape::new(&store), &Shape::from([5])).unwrap_err();
    assert_eq!(error.to_string(), "cannot reshape [4, 6] (24 elements) to [5] (5 elements)");
}
