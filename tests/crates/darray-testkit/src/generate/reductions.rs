//! Reductions into existing arrays.

use super::Generator;
use crate::oracle::result_type;
use crate::program::{Expression, Name, Reduction, Statement, View};
use darray::Norm;
use darray_core::RealType;

impl Generator {
    /// Two or three reductions into one array: into shifted views of it, which overlap, or twice
    /// into the same place.
    pub(super) fn reduce_into(&mut self) {
        let matrix = |g: &Generator, n: Name| g.shape(n).len() > 1;
        let of = self.any_where(matrix).filter(|_| self.random.chance(70));
        let of = of.unwrap_or_else(|| self.any());
        let shape = self.shape(of);
        let rank = shape.len();
        let reduction = self.random.pick(&[
            Reduction::Sum,
            Reduction::Sum,
            Reduction::Max,
            Reduction::Min,
            Reduction::Prod,
            Reduction::Mean,
            Reduction::Any,
            Reduction::ArgMax,
            Reduction::CountNonzero,
            Reduction::Var { ddof: 1 },
            Reduction::Norm(Norm::Inf),
            Reduction::Norm(Norm::P(3.0)),
            Reduction::NanSum,
            Reduction::Median,
        ]);
        let axis = (rank > 1 && self.random.chance(80))
            .then(|| if self.random.chance(60) { 0 } else { self.random.below(rank) });
        let mut result = shape.clone();
        match axis {
            Some(axis) => drop(result.remove(axis)),
            None => result.clear(),
        }
        // Mostly of the type of the result, so that it is reduced right there.
        let natural = result_type(reduction, self.dtype(of));
        let dtype = if self.random.chance(85) { natural } else { RealType::F64 };
        let Some(targets) = self.targets(&result, dtype) else { return };
        for target in targets {
            let same = |g: &Generator, n: Name| {
                g.shape(n) == shape && result_type(reduction, g.dtype(n)) == natural
            };
            let of = self.any_where(same).filter(|_| self.random.chance(50)).unwrap_or(of);
            let axes = axis.map(|axis| vec![axis as isize]);
            self.push(Statement::ReduceInto { reduction, of, axes, target });
        }
    }

    /// Two or three places of this shape in one array.
    fn targets(&mut self, shape: &[usize], dtype: RealType) -> Option<Vec<Name>> {
        let known = |g: &Generator, n: Name| {
            g.shape(n) == shape && g.dtype(n) == dtype && g.oracle.writable(n)
        };
        if self.random.chance(25)
            && let Some(target) = self.any_where(known)
        {
            return Some(vec![target, target]);
        }
        let mut larger = shape.to_vec();
        match larger.first_mut() {
            Some(first) => *first += 2,
            None => larger.push(3),
        }
        let seed = self.random.bits() % 1000;
        let table = self.define(Expression::Data { shape: larger, dtype, seed })?;
        let starts: &[isize] = self.random.pick(&[&[0, 1], &[1, 0], &[0, 2], &[1, 1], &[0, 1, 2]]);
        starts
            .iter()
            .map(|&at| {
                let view = View::Slice(vec![super::views::rows(shape, at)]);
                self.define(Expression::View { of: table, view })
            })
            .collect()
    }
}
