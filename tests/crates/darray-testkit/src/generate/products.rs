//! Matrix products and scans.

use super::Generator;
use crate::program::{Expression, Name, Product, Reduction, View};
use darray::ContractionAxes;
use darray_core::RealType;

/// Elements of an array of a shape.
fn size(shape: &[usize]) -> usize {
    shape.iter().product()
}

impl Generator {
    /// Rather of matrices of one type; else of whatever fits, of any rank and type.
    pub(super) fn matmul(&mut self) {
        if self.random.chance(50) {
            return self.any_product();
        }
        let matrix = |g: &Generator, n: Name| g.shape(n).len() == 2 && g.dtype(n) != RealType::Bool;
        let Some(left) = self.any_where(matrix) else { return };
        let (shape, dtype) = (self.shape(left), self.dtype(left));
        let fits = |g: &Generator, n: Name| {
            let meets = matrix(g, n) && g.shape(n)[0] == shape[1] && g.dtype(n) == dtype;
            meets && g.holds(&shape, &g.shape(n), shape[1])
        };
        let right = match self.any_where(fits) {
            None if self.holds(&shape, &shape, shape[1]) => {
                self.define(Expression::View { of: left, view: View::Transpose })
            }
            right => right,
        };
        if let Some(right) = right {
            self.define(Expression::Product { product: Product::Matmul, left, right });
        }
    }

    /// Whether a product of arrays that share so many elements along some axes is not too large.
    fn holds(&self, left: &[usize], right: &[usize], shared: usize) -> bool {
        let most = self.scale.most_elements() as u128 * (shared.max(1) as u128).pow(2);
        size(left) as u128 * size(right) as u128 <= most
    }

    /// Vectors, stacks, all types; an operand that nothing fits is multiplied by its transpose.
    fn any_product(&mut self) {
        let Some(left) = self.any_where(|g, n| !g.shape(n).is_empty()) else { return };
        let shape = self.shape(left);
        let (k, rank) = (shape[shape.len() - 1], shape.len());
        if self.random.chance(40) {
            let count = 1 + self.random.below(rank);
            let over = &shape[rank - count..];
            let fits = |g: &Generator, n: Name| {
                g.shape(n).starts_with(over) && g.holds(&shape, &g.shape(n), size(over))
            };
            let right = self.any_where(fits).unwrap_or(left);
            let product = Product::Tensordot(ContractionAxes::Count(count));
            self.define(Expression::Product { product, left, right });
            return;
        }
        let fits = |g: &Generator, n: Name| {
            let other = g.shape(n);
            let meets = !other.is_empty() && other[other.len().max(2) - 2] == k;
            meets && g.holds(&shape, &other, k)
        };
        let right = match self.any_where(fits).filter(|_| self.random.chance(60)) {
            Some(right) => Some(right),
            None => {
                if !self.holds(&shape, &shape[rank.max(2) - 2..], k) {
                    return;
                }
                let mut order: Vec<isize> = (0..rank as isize).collect();
                order[rank.max(2) - 2..].reverse();
                self.define(Expression::View { of: left, view: View::Permute(order) })
            }
        };
        if let Some(right) = right {
            self.define(Expression::Product { product: Product::Matmul, left, right });
        }
    }

    /// Any other product, of operands that are not too large together, or the sum of a diagonal.
    pub(super) fn product(&mut self) {
        let Some(left) = self.any_where(|g, n| !g.shape(n).is_empty()) else { return };
        let shape = self.shape(left);
        let rank = shape.len();
        if rank > 1 && self.random.chance(25) {
            let order = self.order(rank);
            let offset = self.random.between(-2, 2) as isize;
            let (rows, columns) = (order[0], order[1]);
            self.define(Expression::Trace { of: left, offset, rows, columns });
            return;
        }
        let axis = self.axis(rank);
        let at = |shape: &[usize], axis: isize| {
            shape.get(axis.rem_euclid(shape.len().max(1) as isize) as usize).copied()
        };
        let extent = at(&shape, axis);
        let other = self.random.between(-1, 1) as isize;
        let product = match self.random.below(5) {
            0 => Product::Dot,
            1 => Product::Inner,
            2 => Product::Outer,
            3 => Product::Vdot,
            _ => Product::Tensordot(ContractionAxes::Pairs(vec![axis], vec![other])),
        };
        let fits = |g: &Generator, n: Name| {
            let right = g.shape(n);
            let inner = at(&shape, -1).unwrap_or(1);
            let (meets, shared) = match &product {
                Product::Dot => {
                    let over = if right.len() == 1 { -1 } else { -2 };
                    (at(&right, over) == Some(inner) || right.is_empty(), inner)
                }
                Product::Inner => (at(&right, -1) == Some(inner) || right.is_empty(), inner),
                Product::Vdot => (right.iter().product::<usize>() == shape.iter().product(), inner),
                Product::Tensordot(_) => (at(&right, other) == extent, extent.unwrap_or(1)),
                _ => (true, 1),
            };
            meets && g.holds(&shape, &right, shared)
        };
        if let Some(right) = self.any_where(fits) {
            self.define(Expression::Product { product, left, right });
        }
    }

    /// Along an axis or along none.
    pub(super) fn scan(&mut self) {
        let of = self.any();
        let rank = self.shape(of).len();
        let axis = (rank > 0 && self.random.chance(80)).then(|| self.axis(rank));
        let reduction = self.random.pick(&[
            Reduction::Sum,
            Reduction::Sum,
            Reduction::Prod,
            Reduction::Max,
            Reduction::Min,
        ]);
        self.define(Expression::Scan { reduction, of, axis });
    }
}
