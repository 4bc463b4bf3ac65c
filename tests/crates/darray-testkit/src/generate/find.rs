//! What is found in arrays.

use super::Generator;
use crate::program::{Comparison, Draw, Expression, Finding, Name, Operand, Stream, View};
use darray_core::RealType;

impl Generator {
    /// By masks, known ones or new ones.
    pub(super) fn find(&mut self) {
        let of = self.any();
        let rank = self.shape(of).len();
        match self.random.below(9) {
            0 => {
                let masked = 1 + self.random.below(rank.max(1));
                let shape: Vec<usize> = self.shape(of).into_iter().take(masked).collect();
                self.held(Finding::Compress, of, &shape, None);
            }
            1 if rank > 0 => {
                let axis = self.axis(rank);
                let extent = self.shape(of)[axis.rem_euclid(rank as isize) as usize];
                self.held(Finding::Compress, of, &[extent], Some(axis));
            }
            2 => {
                let shape = self.shape(of);
                self.held(Finding::Extract, of, &shape, None);
            }
            3 => {
                let which = self.random.below(rank.max(1));
                let finding = self.random.pick(&[Finding::FlatNonzero, Finding::Nonzero(which)]);
                self.define(Expression::Find { finding, of, by: None, axis: None });
            }
            4 => {
                let (low, high, seed) = (0, 9, self.random.bits() % 1000);
                let stream = Stream { philox: false, seed, drawn: false };
                let (shape, draw) = (self.shape(of), Draw::Integers { low, high });
                let shape = vec![shape.iter().product()];
                let dtype = RealType::I64;
                let keys = Expression::Random { draw, shape, dtype, stream, skip: 0 };
                let weights = self
                    .random
                    .chance(50)
                    .then_some(View::Ravel)
                    .and_then(|view| self.define(Expression::View { of, view }));
                if let Some(of) = self.define(keys) {
                    let finding = Finding::BinCount;
                    self.define(Expression::Find { finding, of, by: weights, axis: None });
                }
            }
            5 => {
                let right = self.random.chance(50);
                let by = self.any();
                let sorted = Expression::Sort { of, axis: None, indices: false };
                if let Some(of) = self.define(sorted) {
                    let finding = Finding::SearchSorted { right };
                    self.define(Expression::Find { finding, of, by: Some(by), axis: None });
                }
            }
            6 => {
                let finding = self.random.pick(&[Finding::Unique, Finding::UniqueInverse]);
                self.define(Expression::Find { finding, of, by: None, axis: None });
            }
            7 => {
                let extent = self.shape(of).last().copied().unwrap_or(0);
                let finding = Finding::TopK(self.random.below(extent + 1));
                self.define(Expression::Find { finding, of, by: None, axis: None });
            }
            _ => {
                let finding = Finding::ArgWhere;
                self.define(Expression::Find { finding, of, by: None, axis: None });
            }
        }
    }

    fn held(&mut self, finding: Finding, of: Name, shape: &[usize], axis: Option<isize>) {
        if let Some(mask) = self.mask(shape) {
            self.define(Expression::Find { finding, of, by: Some(mask), axis });
        }
    }

    /// A mask of this shape.
    pub(super) fn mask(&mut self, shape: &[usize]) -> Option<Name> {
        let known =
            self.any_where(|g, name| g.dtype(name) == RealType::Bool && g.shape(name) == shape);
        if known.is_some() && self.random.chance(50) {
            return known;
        }
        let seed = self.random.bits() % 1000;
        let data = Expression::Data { shape: shape.to_vec(), dtype: RealType::I64, seed };
        let data = self.define(data)?;
        let comparison = Comparison::Less;
        let (left, right) = (Operand::Name(data), Operand::Integer(self.random.between(-3, 4)));
        self.define(Expression::Compare { comparison, left, right })
    }
}
