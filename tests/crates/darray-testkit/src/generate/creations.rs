//! Steps that make new arrays.

use super::Generator;
use crate::program::{Creation, Draw, Expression, Span, Stream};
use darray_core::{Kind, RealType};

impl Generator {
    pub(super) fn create(&mut self) {
        let shape = self.random.pick(&self.palette.clone());
        let dtype = match self.random.below(4) {
            0 => RealType::F64,
            _ => self.random.pick(&RealType::ALL),
        };
        let value = match self.random.below(12) {
            0 => Expression::Full { shape, dtype, value: 0.0 },
            1 | 2 => Expression::Full { shape, dtype, value: self.random.pick(&[1.0, -2.5, 7.0]) },
            3 | 4 => self.computed(&shape, dtype),
            5 => self.draw(shape),
            6 if self.random.chance(30) => self.like(),
            _ => Expression::Data { shape, dtype, seed: self.random.bits() % 1000 },
        };
        self.define(value);
    }

    /// Numbers made of few; those that the element type does not have are refused.
    fn computed(&mut self, shape: &[usize], dtype: RealType) -> Expression {
        let count = shape.last().copied().unwrap_or(1);
        let (rows, columns) = match *shape {
            [rows, columns] => (rows, columns),
            _ => (1 + self.random.below(6), 1 + self.random.below(9)),
        };
        let offset = self.random.between(-3, 3) as isize;
        let real = if dtype.is_float() { dtype } else { RealType::F64 };
        let (what, dtype) = match self.random.below(8) {
            0 => (Creation::Arange { count }, dtype),
            1 => (self.range(count, dtype), dtype),
            2 => (Creation::Linspace(self.span(count)), real),
            3 => {
                let base = self.random.pick(&[10.0, 2.0, 0.5]);
                (Creation::Logspace { exponents: self.span(count), base }, real)
            }
            4 => (Creation::Eye { rows, columns, offset }, dtype),
            5 => (Creation::Identity { count: rows.min(9) }, dtype),
            6 => (Creation::Tri { rows, columns, offset }, dtype),
            _ => (Creation::Empty { shape: shape.to_vec() }, dtype),
        };
        Expression::Create { what, dtype }
    }

    /// About so many numbers, down as often as up where there are numbers below zero.
    fn range(&mut self, count: usize, dtype: RealType) -> Creation {
        let step = match dtype.is_float() {
            true => self.random.pick(&[0.5, 0.1, -0.3, 1.0, 1e-3]),
            false if dtype.kind() == Kind::Unsigned => 1.0,
            false => self.random.pick(&[1.0, 2.0, -1.0, -3.0]),
        };
        let start = self.random.between(0, 5) as f64;
        // The largest number of half precision is 65504.
        let count = if dtype == RealType::F16 { count.min(5000) } else { count };
        Creation::Range { start, stop: start + step * count as f64, step }
    }

    fn span(&mut self, count: usize) -> Span {
        let bound = |g: &mut Generator| g.random.pick(&[0.0, 1.0, -1.0, 2.5, 0.1, -3.0]);
        let (start, stop) = (bound(self), bound(self));
        Span { start, stop, count, endpoint: self.random.chance(60) }
    }

    /// As large as another array, and of its type.
    fn like(&mut self) -> Expression {
        let of = self.any();
        let value = self.random.pick(&[None, Some(0.0), Some(1.0), Some(2.5)]);
        Expression::Like { of, value }
    }

    fn draw(&mut self, shape: Vec<usize>) -> Expression {
        let low = self.random.between(-9, 9);
        let mean = self.random.pick(&[0.0, 1.5, 10.0]);
        let (draw, dtype) = self.random.pick(&[
            (Draw::Random, RealType::F64),
            (Draw::Random, RealType::F32),
            (Draw::Random, RealType::F16),
            (Draw::Random, RealType::BF16),
            (Draw::Uniform { low: low as f64, high: low as f64 + 2.5 }, RealType::F64),
            (Draw::Integers { low, high: low + 7 }, RealType::I64),
            (Draw::StandardNormal, RealType::F64),
            (Draw::StandardNormal, RealType::F32),
            (Draw::Normal { mean: low as f64, deviation: mean }, RealType::F64),
            (Draw::StandardExponential, RealType::F64),
            (Draw::StandardExponential, RealType::F32),
            (Draw::Exponential { mean }, RealType::F64),
        ]);
        let (philox, drawn) = (self.random.chance(50), self.random.chance(30));
        let stream = Stream { philox, seed: self.random.bits() % 1000, drawn };
        let skip = self.random.pick(&[0, 0, 1, 6]);
        Expression::Random { draw, shape, dtype, stream, skip }
    }
}
