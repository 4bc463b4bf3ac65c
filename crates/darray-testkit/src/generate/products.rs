//! Matrix products and scans.

use super::Generator;
use crate::program::{Expression, Name, Reduction, View};
use darray_core::DType;

impl Generator {
    /// Rather of matrices of one type; else of whatever fits, of any rank and type.
    pub(super) fn matmul(&mut self) {
        if self.random.chance(50) {
            return self.any_product();
        }
        let matrix = |g: &Generator, n: Name| g.shape(n).len() == 2 && g.dtype(n) != DType::Bool;
        let Some(left) = self.any_where(matrix) else { return };
        let (k, dtype) = (self.shape(left)[1], self.dtype(left));
        let fits =
            |g: &Generator, n: Name| matrix(g, n) && g.shape(n)[0] == k && g.dtype(n) == dtype;
        let right = match self.any_where(fits) {
            Some(right) => Some(right),
            None => self.define(Expression::View { of: left, view: View::Transpose }),
        };
        if let Some(right) = right {
            self.define(Expression::Matmul { left, right });
        }
    }

    /// Vectors, stacks, all types; an operand that nothing fits is multiplied by its transpose.
    fn any_product(&mut self) {
        let Some(left) = self.any_where(|g, n| !g.shape(n).is_empty()) else { return };
        let shape = self.shape(left);
        let (k, rank) = (shape[shape.len() - 1], shape.len());
        if self.random.chance(40) {
            let count = 1 + self.random.below(rank);
            let fits = |g: &Generator, n: Name| g.shape(n).starts_with(&shape[rank - count..]);
            let right = self.any_where(fits).unwrap_or(left);
            self.define(Expression::Tensordot { left, right, count });
            return;
        }
        let fits = |g: &Generator, n: Name| {
            let other = g.shape(n);
            !other.is_empty() && other[other.len().max(2) - 2] == k
        };
        let right = match self.any_where(fits).filter(|_| self.random.chance(60)) {
            Some(right) => Some(right),
            None => {
                let mut order: Vec<isize> = (0..rank as isize).collect();
                order[rank.max(2) - 2..].reverse();
                self.define(Expression::View { of: left, view: View::Permute(order) })
            }
        };
        if let Some(right) = right {
            self.define(Expression::Matmul { left, right });
        }
    }

    /// Along an axis or along none.
    pub(super) fn scan(&mut self) {
        let of = self.any();
        let rank = self.shape(of).len();
        let axis = (rank > 0 && self.random.chance(80)).then(|| self.axis(rank));
        let reduction = self.random.pick(&[Reduction::Sum, Reduction::Sum, Reduction::Product]);
        self.define(Expression::Scan { reduction, of, axis });
    }
}
