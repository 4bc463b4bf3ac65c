//! Steps that copy arrays under other shapes, and writes where a mask holds.

use super::Generator;
use crate::program::{Arrangement, Border, Expression, Name, Statement};
use darray_core::RealType;

impl Generator {
    /// A copy of any kind.
    pub(super) fn arrange(&mut self) {
        let of = self.any();
        let shape = self.shape(of);
        let axis = if shape.is_empty() { 0 } else { self.axis(shape.len()) };
        let flat = self.random.chance(25);
        let how = match self.random.below(12) {
            0 | 1 => return self.concatenate(of, axis),
            2 => return self.stack(of),
            3 => {
                let axes = self.few_axes(shape.len());
                let axes = (!flat).then_some(axes);
                Arrangement::Repeat { count: self.random.below(4), axes }
            }
            4 => {
                let axes = 1 + self.random.below(shape.len() + 1);
                Arrangement::Tile((0..axes).map(|_| self.random.pick(&[1, 1, 2, 3])).collect())
            }
            5 => {
                let axes = self.few_axes(shape.len());
                let count = if self.random.chance(50) { 1 } else { axes.len().max(1) };
                let shifts = (0..count).map(|_| self.random.between(-9, 9) as isize).collect();
                Arrangement::Roll { shifts, axes: (!flat).then_some(axes) }
            }
            6 => {
                // A line becomes a square.
                if matches!(shape[..], [count] if count * count > self.scale.most_elements()) {
                    return;
                }
                let offset = self.random.between(-3, 3) as isize;
                Arrangement::Triangle { offset, lower: self.random.chance(50) }
            }
            7 => Arrangement::Flatten,
            8 => Arrangement::Copy,
            9 => return self.diagonal_matrix(),
            _ => {
                let mut width = || self.random.pick(&[0, 0, 1, 1, 2, 3, 7]);
                let widths = shape.iter().map(|_| (width(), width())).collect();
                let border = self.random.pick(&[
                    Border::Constant(7),
                    Border::Edge,
                    Border::Reflect,
                    Border::Symmetric,
                    Border::Wrap,
                ]);
                Arrangement::Pad { widths, border }
            }
        };
        self.define(Expression::Arrange { of: vec![of], how });
    }

    /// One axis, or two.
    fn few_axes(&mut self, rank: usize) -> Vec<isize> {
        let mut axes = self.order(rank);
        axes.truncate(1 + self.random.below(2));
        axes
    }

    /// A line as a diagonal.
    fn diagonal_matrix(&mut self) {
        let most = self.scale.most_elements();
        let line = |g: &Generator, name: Name| matches!(g.shape(name)[..], [count] if (count + 2) * (count + 2) <= most);
        let Some(of) = self.any_where(line) else { return };
        let how = Arrangement::Diag(self.random.between(-2, 2) as isize);
        self.define(Expression::Arrange { of: vec![of], how });
    }

    /// Arrays that differ along one axis at most.
    fn concatenate(&mut self, of: Name, axis: isize) {
        let shape = self.shape(of);
        let at = axis.rem_euclid(shape.len().max(1) as isize) as usize;
        let fits = |g: &Generator, name: Name| {
            let other = g.shape(name);
            let equal = |a: usize| a == at || other[a] == shape[a];
            other.len() == shape.len() && (0..shape.len()).all(equal)
        };
        let joins = [
            Arrangement::Concatenate(Some(axis)),
            Arrangement::Concatenate(Some(axis)),
            Arrangement::Concatenate(None),
            Arrangement::Vstack,
            Arrangement::Hstack,
        ];
        let how = self.random.pick(&joins);
        let mut all = vec![of];
        for _ in 0..1 + self.random.below(2) {
            all.extend(match how {
                Arrangement::Concatenate(None) => Some(self.any()),
                Arrangement::Concatenate(_) => self.any_where(fits),
                _ => self.any_where(|g, name| g.shape(name) == shape),
            });
        }
        self.define(Expression::Arrange { of: all, how });
    }

    /// Arrays of one shape.
    fn stack(&mut self, of: Name) {
        let shape = self.shape(of);
        let mut all = vec![of];
        all.extend(self.any_where(|g, name| g.shape(name) == shape));
        let axis = self.axis(shape.len() + 1);
        self.define(Expression::Arrange { of: all, how: Arrangement::Stack(axis) });
    }

    /// A write where a mask holds, of a value that may overlap the target.
    pub(super) fn masked_write(&mut self) {
        let Some(target) = self.any_where(|g, name| g.oracle.writable(name)) else { return };
        let shape = self.shape(target);
        let masks = |g: &Generator, name: Name| {
            g.dtype(name) == RealType::Bool
                && crate::oracle::broadcast(&shape, &g.shape(name)).as_ref() == Some(&shape)
        };
        let Some(mask) = self.any_where(masks) else { return };
        let value = self.value_for(target);
        self.push(Statement::AssignWhere { target, mask, value });
    }
}
