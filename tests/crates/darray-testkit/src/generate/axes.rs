//! Steps that give arrays other axes, cut them, and bring several to one shape.

use super::Generator;
use crate::oracle::broadcast;
use crate::program::{Expression, Joint, Name, View};
use darray::{Indexing, Sections};

impl Generator {
    /// A view that a function other than a slice gives.
    pub(super) fn axes(&mut self) {
        let of = self.any();
        let shape = self.shape(of);
        let rank = shape.len();
        let some = self.random.chance(60);
        let view = match self.random.below(10) {
            0 => View::Alias,
            1 => View::Ravel,
            2 => View::ExpandDims(self.some_axes(rank + 1, 1)),
            3 => return self.squeeze(of),
            4 if rank > 0 => View::SwapAxes(self.axis(rank), self.axis(rank)),
            5 if rank > 0 => {
                let count = 1 + self.random.below(rank);
                View::MoveAxis(self.some_axes(rank, count), self.some_axes(rank, count))
            }
            6 => View::Reorder(some.then(|| self.order(rank))),
            7 => {
                let count = self.random.below(rank + 1);
                View::Flip(some.then(|| self.some_axes(rank, count)))
            }
            8 if rank == 2 => View::Diag(self.random.between(-2, 2) as isize),
            4 | 5 | 8 | 9 if rank > 0 => self.part(&shape),
            _ => View::Flip(None),
        };
        self.define(Expression::View { of, view });
    }

    /// So many axes in some order.
    fn some_axes(&mut self, rank: usize, count: usize) -> Vec<isize> {
        let mut axes = self.order(rank);
        axes.truncate(count);
        axes
    }

    /// Without axes of extent 1, which are made where there are none.
    fn squeeze(&mut self, of: Name) {
        let thin = |g: &Generator, name: Name| g.shape(name).contains(&1);
        let wide = |g: &mut Generator| {
            let axes = g.some_axes(g.shape(of).len() + 1, 1);
            g.define(Expression::View { of, view: View::ExpandDims(axes) })
        };
        let Some(of) = self.any_where(thin).or_else(|| wide(self)) else { return };
        let shape = self.shape(of);
        let mut axes = self.order(shape.len());
        axes.retain(|axis| shape[axis.rem_euclid(shape.len() as isize) as usize] == 1);
        axes.truncate(1 + self.random.below(2));
        let view = View::Squeeze(self.random.chance(60).then_some(axes));
        self.define(Expression::View { of, view });
    }

    /// A part of an array that is cut along an axis.
    fn part(&mut self, shape: &[usize]) -> View {
        let axis = self.axis(shape.len());
        let extent = shape[axis.rem_euclid(shape.len() as isize) as usize];
        let unequal = self.random.chance(50);
        let (sections, parts) = if self.random.chance(40) {
            let mut index = || self.random.between(-1, extent as i64 + 1) as isize;
            (Sections::At(vec![index(), index()]), 3)
        } else {
            // Not equal ones are refused by `split`.
            let divides = |count: &usize| unequal || extent.is_multiple_of(*count);
            let counts: Vec<usize> = [2, 3, 4, 5, 1].into_iter().filter(divides).collect();
            let count = self.random.pick(&counts[..counts.len().min(2)]);
            (Sections::Count(count), count)
        };
        View::Part { sections, unequal, axis, part: self.random.below(parts) }
    }

    /// One of two arrays brought to one shape, or of the coordinates of a grid.
    pub(super) fn joint(&mut self) {
        let first = self.any();
        let shape = self.shape(first);
        let most = self.scale.most_elements();
        let size = |shape: &[usize]| shape.iter().product::<usize>();
        let grid = self.random.chance(50);
        let fits = |g: &Generator, name: Name| match (grid, broadcast(&shape, &g.shape(name))) {
            (true, _) => size(&shape) * size(&g.shape(name)) <= most,
            (false, wide) => wide.is_some_and(|wide| size(&wide) <= most),
        };
        let Some(second) = self.any_where(fits) else { return };
        let how = match grid {
            false => Joint::Broadcast,
            true => Joint::Grid(self.random.pick(&[Indexing::Xy, Indexing::Ij])),
        };
        let (of, part) = (vec![first, second], self.random.below(2));
        self.define(Expression::OneOf { of, how, part });
    }
}
