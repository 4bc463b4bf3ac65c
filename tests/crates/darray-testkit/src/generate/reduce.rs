//! Reductions.

use super::Generator;
use crate::program::{Expression, Reduction};
use darray::Norm;

/// Those that are one fold, as often as they are drawn.
const SINGLE: [Reduction; 10] = [
    Reduction::Sum,
    Reduction::Sum,
    Reduction::Sum,
    Reduction::Max,
    Reduction::Min,
    Reduction::ArgMax,
    Reduction::ArgMin,
    Reduction::Prod,
    Reduction::All,
    Reduction::Any,
];

impl Generator {
    pub(super) fn reduce(&mut self) {
        let of = self.any();
        let rank = self.shape(of).len();
        let axes = match self.random.below(3) {
            0 => None,
            1 if rank > 0 => Some(vec![self.axis(rank)]),
            _ => {
                let first = self.random.below(rank.max(1));
                Some((first..rank).filter(|_| self.random.chance(60)).map(|a| a as isize).collect())
            }
        };
        let ddof = self.random.below(3);
        let norm = Reduction::Norm(self.norm());
        let q = self.random.pick(&[0.0, 0.1, 0.25, 0.5, 0.7, 1.0]);
        let single = self.random.pick(&SINGLE);
        let mut composed = vec![
            Reduction::Mean,
            Reduction::Mean,
            Reduction::Var { ddof },
            Reduction::Std { ddof },
            Reduction::Ptp,
            Reduction::CountNonzero,
            norm,
            norm,
            norm,
            norm,
            Reduction::NanSum,
            Reduction::NanProd,
            Reduction::NanMin,
            Reduction::NanMax,
            Reduction::NanMean,
            Reduction::NanVar { ddof },
            Reduction::NanStd { ddof },
            Reduction::Median,
            Reduction::Quantile { q },
        ];
        let listed = |name| SINGLE.iter().chain(&composed).any(|listed| listed.name() == name);
        let others: Vec<Reduction> =
            Reduction::ALL.iter().copied().filter(|other| !listed(other.name())).collect();
        composed.extend(others);
        let composed = self.random.pick(&composed);
        let reduction = if self.random.chance(65) { single } else { composed };
        let keepdims = self.random.chance(40);
        if reduction == Reduction::Norm(Norm::Frobenius) {
            return self.matrix_norm(reduction, keepdims);
        }
        let takes_mask =
            matches!(reduction, Reduction::Sum | Reduction::Prod | Reduction::All | Reduction::Any);
        let shape = self.shape(of).to_vec();
        let mask = if takes_mask && self.random.chance(15) { self.mask(&shape) } else { None };
        self.define(Expression::Reduce { reduction, of, axes, keepdims, mask });
    }

    fn norm(&mut self) -> Norm {
        // Among them are orders that have a variant of their own.
        let p = self.random.pick(&[0.5, 1.5, 3.0, 3.0, -1.0, -2.5, 2.0, 1.0, f64::NEG_INFINITY]);
        self.random.pick(&[
            Norm::Zero,
            Norm::One,
            Norm::Two,
            Norm::Inf,
            Norm::NegInf,
            Norm::P(p),
            Norm::Frobenius,
            Norm::Frobenius,
        ])
    }

    /// Over two axes, in any order.
    fn matrix_norm(&mut self, reduction: Reduction, keepdims: bool) {
        let Some(of) = self.any_where(|g, name| g.shape(name).len() > 1) else { return };
        let rank = self.shape(of).len();
        let first = self.axis(rank);
        let second = self.axis(rank);
        // The same axis twice is refused, and another step is drawn.
        self.define(Expression::Reduce {
            reduction,
            of,
            axes: Some(vec![first, second]),
            keepdims,
            mask: None,
        });
    }

    pub(super) fn axis(&mut self, rank: usize) -> isize {
        self.random.between(-(rank as i64), rank as i64 - 1) as isize
    }
}
