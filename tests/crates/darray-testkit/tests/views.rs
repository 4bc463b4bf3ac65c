//! The views of random programs reach the elements that the oracle says, and alias where it says.

use darray::Sections;
use darray_core::{Ix, Shape, View};
use darray_testkit::program::{self, Expression, Joint, Name, Statement};
use darray_testkit::{Oracle, Scale, generate};
use std::collections::BTreeMap;

#[test]
fn views_reach_the_same_elements_as_the_oracles() {
    let (mut seen, mut copied) = (0, 0);
    for seed in 0..3000 {
        let program = generate(seed, Scale::Small);
        let mut oracle = Oracle::default();
        let mut views: BTreeMap<Name, (Shape, View)> = BTreeMap::new();
        for statement in &program.statements {
            oracle.execute(statement).expect("generated programs are valid");
            let Statement::Let { name, value } = statement else { continue };
            let (shape, _) = oracle.look(*name).expect("just defined");
            let mut entry = (Shape::new(shape), View::whole(&Shape::new(shape)));
            if let Expression::View { of, view } = value {
                let (store, base) = &views[of];
                let found = look(store, base, view);
                assert_eq!(found.is_some(), oracle.alias(*of, *name), "{statement}\n{program}");
                seen += 1;
                copied += usize::from(found.is_none());
                entry = found.map_or(entry, |view| (store.clone(), view));
            }
            if let Expression::OneOf { of, how: Joint::Broadcast, part } = value {
                let (store, base) = &views[&of[*part]];
                let wide = Shape::new(oracle.look(*name).expect("just defined").0);
                entry = (store.clone(), base.broadcast_to(&wide).expect("a valid broadcast"));
            }
            let positions = oracle.positions(*name).expect("just defined");
            assert_eq!(entry.1.elements(&entry.0), positions, "{statement}\n{program}");
            views.insert(*name, entry);
        }
    }
    println!("{seen} views, {copied} copies");
    assert!(seen > 5000, "{seen} views");
    assert!(copied > 50, "{copied} copies");
}

/// The view of a view, or none where it has to be a copy.
fn look(store: &Shape, base: &View, view: &program::View) -> Option<View> {
    let rank = base.shape().rank();
    let at = |axis: isize, rank: usize| axis.rem_euclid(rank as isize) as usize;
    let order = |axes: &[isize]| axes.iter().map(|axis| at(*axis, rank)).collect::<Vec<_>>();
    let every = || (0..rank).collect::<Vec<_>>();
    let slice = |items: &[Ix]| Some(base.slice(items).expect("a valid slice"));
    let all = Ix::from(..);
    match view {
        program::View::Slice(items) => {
            slice(&items.iter().map(|item| item.to_ix()).collect::<Vec<_>>())
        }
        program::View::Transpose | program::View::Reorder(None) => Some(base.transpose()),
        program::View::Permute(axes) | program::View::Reorder(Some(axes)) => {
            Some(base.permute(&order(axes)))
        }
        program::View::Broadcast(to) => {
            Some(base.broadcast_to(&Shape::new(to)).expect("a valid broadcast"))
        }
        program::View::Diagonal { offset, rows, columns } => {
            Some(base.diagonal(*offset, at(*rows, rank), at(*columns, rank)))
        }
        program::View::Reshape(to) => {
            base.reshape(store, &Shape::new(to)).expect("a valid reshape")
        }
        program::View::Alias => Some(base.clone()),
        program::View::Ravel => {
            let line = Shape::from([base.shape().size()]);
            base.reshape(store, &line).expect("a valid reshape")
        }
        program::View::ExpandDims(axes) => {
            let new: Vec<usize> = axes.iter().map(|axis| at(*axis, rank + axes.len())).collect();
            let item = |axis| if new.contains(&axis) { Ix::NewAxis } else { all };
            slice(&(0..rank + axes.len()).map(item).collect::<Vec<_>>())
        }
        program::View::Squeeze(axes) => {
            let thin = |axis: &usize| base.shape()[*axis] == 1;
            let gone = match axes {
                Some(axes) => order(axes),
                None => every().into_iter().filter(thin).collect(),
            };
            let item = |axis: &usize| if gone.contains(axis) { Ix::from(0) } else { all };
            slice(&every().iter().map(item).collect::<Vec<_>>())
        }
        program::View::SwapAxes(a, b) => {
            let mut axes = every();
            axes.swap(at(*a, rank), at(*b, rank));
            Some(base.permute(&axes))
        }
        program::View::MoveAxis(from, to) => {
            let (from, to) = (order(from), order(to));
            let mut rest = every().into_iter().filter(|axis| !from.contains(axis));
            let axis = |place: usize| match to.iter().position(|t| *t == place) {
                Some(k) => from[k],
                None => rest.next().expect("as many axes as places"),
            };
            Some(base.permute(&every().into_iter().map(axis).collect::<Vec<_>>()))
        }
        program::View::Flip(axes) => {
            let axes = axes.as_ref().map_or_else(every, |axes| order(axes));
            let item = |axis: &usize| all.by(if axes.contains(axis) { -1 } else { 1 });
            slice(&every().iter().map(item).collect::<Vec<_>>())
        }
        program::View::Diag(offset) => Some(base.diagonal(*offset, 0, 1)),
        program::View::Part { sections, axis, part, .. } => {
            let axis = at(*axis, rank);
            let bounds = match sections {
                Sections::At(indices) => indices.clone(),
                Sections::Count(count) => {
                    let (short, longer) = (base.shape()[axis] / count, base.shape()[axis] % count);
                    (1..*count).map(|k| (k * short + k.min(longer)) as isize).collect()
                }
            };
            let start = part.checked_sub(1).map(|before| bounds[before]);
            let mut items = vec![all; axis];
            items.push(Ix::Range { start, end: bounds.get(*part).copied(), step: 1 });
            slice(&items)
        }
    }
}
