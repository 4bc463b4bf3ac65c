//! Sorting, and elements by arrays of indices.

use super::Generator;
use crate::program::{Draw, Expression, Name, Statement, Stream};
use darray_core::RealType;

impl Generator {
    /// Of an array, rather one whose order is known.
    pub(super) fn sort(&mut self) {
        let of = self.any();
        let rank = self.shape(of).len();
        let axis = (rank > 0 && self.random.chance(75)).then(|| self.axis(rank));
        let indices = self.random.chance(50);
        let sorted = self.define(Expression::Sort { of, axis, indices });
        // The indices bring the elements into order.
        if let (Some(order), true, true) = (sorted, indices, self.random.chance(40)) {
            self.define(Expression::Take { of, indices: order, axis, own: true });
        }
    }

    /// By new indices.
    pub(super) fn take(&mut self) {
        let of = self.any();
        let shape = self.shape(of);
        let axis = (!shape.is_empty() && self.random.chance(70)).then(|| self.axis(shape.len()));
        let own = self.random.chance(40);
        let (mut wanted, bound) = match axis {
            Some(axis) => {
                let at = axis.rem_euclid(shape.len() as isize) as usize;
                let mut wanted = shape.clone();
                wanted[at] = self.random.pick(&[0, 1, 2, 5]);
                (wanted, shape[at])
            }
            None => (vec![self.random.below(9)], shape.iter().product()),
        };
        match own {
            true => self.narrow(&mut wanted, axis),
            false => wanted.truncate(self.random.below(3)),
        }
        if let Some(indices) = self.indices(&wanted, bound) {
            self.define(Expression::Take { of, indices, axis, own });
        }
    }

    /// By new indices, of values that may overlap the target.
    pub(super) fn put(&mut self) {
        let Some(target) = self.any_where(|g, name| g.oracle.writable(name)) else { return };
        let shape = self.shape(target);
        let along = !shape.is_empty() && self.random.chance(50);
        let axis = along.then(|| self.axis(shape.len()));
        let (mut wanted, bound) = match axis {
            Some(axis) => {
                let at = axis.rem_euclid(shape.len() as isize) as usize;
                let mut wanted = shape.clone();
                wanted[at] = self.random.pick(&[1, 3, shape[at]]);
                (wanted, shape[at])
            }
            None => (vec![1 + self.random.below(12)], shape.iter().product()),
        };
        let values = self.value_for(target);
        if axis.is_some() {
            self.narrow(&mut wanted, axis);
        }
        if let Some(indices) = self.indices(&wanted, bound) {
            self.push(Statement::Put { target, indices, values, axis, add: false });
        }
    }

    /// To the first axis, by new indices that may be alike.
    pub(super) fn add_at(&mut self) {
        let Some(target) = self.any_where(|g, name| {
            g.oracle.writable(name) && !g.shape(name).is_empty() && g.dtype(name) != RealType::Bool
        }) else {
            return;
        };
        let shape = self.shape(target);
        let count = 1 + self.random.below(12);
        let values = self.value_for(target);
        if let Some(indices) = self.indices(&[count], shape[0]) {
            self.push(Statement::Put { target, indices, values, axis: None, add: true });
        }
    }

    /// Extent 1 along some of the axes that are not looked up.
    fn narrow(&mut self, shape: &mut [usize], axis: Option<isize>) {
        let kept = axis.map(|axis| axis.rem_euclid(shape.len() as isize) as usize);
        for at in (0..shape.len()).filter(|at| Some(*at) != kept) {
            if kept.is_some() && self.random.chance(30) {
                shape[at] = 1;
            }
        }
    }

    /// Indices from either end, of one of their types.
    fn indices(&mut self, shape: &[usize], bound: usize) -> Option<Name> {
        let n = bound.max(1) as i64;
        let low = if self.random.chance(50) { -n } else { 0 };
        let draw = Draw::Integers { low, high: n };
        let stream = Stream { philox: false, seed: self.random.bits() % 1000, drawn: false };
        let (shape, dtype) = (shape.to_vec(), RealType::I64);
        let of = self.define(Expression::Random { draw, shape, dtype, stream, skip: 0 })?;
        match self.random.below(4) {
            0 => self.define(Expression::Cast { of, dtype: RealType::I32 }),
            1 if low == 0 && n < 256 => self.define(Expression::Cast { of, dtype: RealType::U8 }),
            _ => Some(of),
        }
    }
}
