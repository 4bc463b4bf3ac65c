//! The views of random programs reach the elements that the oracle says, and alias where it says.

use darray_core::{Ix, Shape, View};
use darray_testkit::program::{self, Expression, Name, Statement};
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
            // A clone of all of an array keeps its layout, a clone of a part is a new array.
            if let Expression::Clone(of) = value
                && oracle.writable(*of)
                && oracle.positions(*of).map(|p| p.len()) == Some(views[of].0.size())
            {
                entry = views[of].clone();
            }
            let positions = oracle.positions(*name).expect("just defined");
            assert_eq!(entry.1.elements(&entry.0), positions, "{statement}\n{program}");
            views.insert(*name, entry);
        }
    }
    assert!(seen > 5000, "{seen} views");
    assert!(copied > 50, "{copied} copies");
}

/// The view of a view, or none where it has to be a copy.
fn look(store: &Shape, base: &View, view: &program::View) -> Option<View> {
    match view {
        program::View::Slice(items) => {
            let items: Vec<Ix> = items.iter().map(|item| item.to_ix()).collect();
            Some(base.slice(&items).expect("a valid slice"))
        }
        program::View::Transpose => Some(base.transpose()),
        program::View::Permute(order) => {
            let rank = order.len() as isize;
            let axes: Vec<usize> = order.iter().map(|a| a.rem_euclid(rank) as usize).collect();
            Some(base.permute(&axes))
        }
        program::View::Broadcast(to) => {
            Some(base.broadcast_to(&Shape::new(to)).expect("a valid broadcast"))
        }
        program::View::Diagonal { offset, rows, columns } => {
            let rank = base.shape().rank() as isize;
            let [rows, columns] = [rows, columns].map(|a| a.rem_euclid(rank) as usize);
            Some(base.diagonal(*offset, rows, columns))
        }
        program::View::Reshape(to) => {
            base.reshape(store, &Shape::new(to)).expect("a valid reshape")
        }
    }
}
