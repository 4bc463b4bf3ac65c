//! Reductions.

use super::Generator;
use crate::program::{Expression, Reduction};

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
        let single = self.random.pick(&[
            Reduction::Sum,
            Reduction::Sum,
            Reduction::Sum,
            Reduction::Maximum,
            Reduction::Minimum,
            Reduction::ArgMaximum,
            Reduction::ArgMinimum,
            Reduction::Product,
            Reduction::All,
            Reduction::Any,
        ]);
        let composed = self.random.pick(&[
            Reduction::Mean,
            Reduction::Mean,
            Reduction::Variance(ddof),
            Reduction::Deviation(ddof),
            Reduction::Range,
            Reduction::CountNonzero,
            Reduction::NormOne,
            Reduction::NormTwo,
            Reduction::NormInf,
            Reduction::NanSum,
            Reduction::NanProduct,
            Reduction::NanMinimum,
            Reduction::NanMaximum,
            Reduction::NanMean,
            Reduction::NanVariance(ddof),
            Reduction::NanDeviation(ddof),
        ]);
        let reduction = if self.random.chance(65) { single } else { composed };
        let keepdims = self.random.chance(40);
        self.define(Expression::Reduce { reduction, of, axes, keepdims });
    }

    pub(super) fn axis(&mut self, rank: usize) -> isize {
        self.random.between(-(rank as i64), rank as i64 - 1) as isize
    }
}
