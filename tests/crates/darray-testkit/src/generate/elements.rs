//! Element-wise steps.

use super::Generator;
use crate::oracle::promote;
use crate::program::{Binary, Comparison, Expression, Name, Operand, Unary};
use darray_core::RealType;

impl Generator {
    pub(super) fn unary(&mut self) {
        let of = self.any();
        // What is not defined for the array's type is refused, and another step is drawn.
        let operator = match self.random.below(30) {
            27 => Unary::Round(0),
            28.. => Unary::Round(self.decimals()),
            power @ 0..5 if self.random.chance(80) => Unary::Power(power as i32),
            0..5 => Unary::Power(self.random.between(-4, -1) as i32),
            5..9 => Unary::Apply(darray::Unary::Sqrt),
            9..13 => Unary::Apply(self.random.pick(&[darray::Unary::Neg, darray::Unary::Abs])),
            _ => Unary::Apply(self.random.pick(darray::Unary::ALL)),
        };
        let bool = self.dtype(of) == RealType::Bool;
        let operator = if bool && self.random.chance(80) {
            Unary::Apply(darray::Unary::Not)
        } else {
            operator
        };
        self.define(Expression::Unary { operator, of });
    }

    /// Few, or so many that their power of ten is inexact or infinite in some type.
    fn decimals(&mut self) -> i32 {
        let few = self.random.between(-3, 3) as i32;
        let many = self.random.pick(&[-400, -40, -24, 12, 25, 39, 310]);
        if self.random.chance(80) { few } else { many }
    }

    pub(super) fn binary(&mut self) {
        let left = self.any();
        let right = self.partner(&self.shape(left));
        let function = self.random.pick(darray::Binary::FUNCTIONS);
        let operator = self.random.pick(&[
            Binary::Add,
            Binary::Add,
            Binary::Subtract,
            Binary::Multiply,
            Binary::Multiply,
            Binary::Divide,
            Binary::Minimum,
            Binary::Maximum,
            Binary::Remainder,
            Binary::Apply(function),
        ]);
        let dtype = match right.name() {
            Some(name) => promote(self.dtype(left), self.dtype(name)),
            None => self.dtype(left),
        };
        let bitwise = dtype == RealType::Bool || dtype.is_integer() && self.random.chance(25);
        let operator = match operator {
            Binary::Add | Binary::Minimum if bitwise => Binary::And,
            Binary::Subtract | Binary::Multiply | Binary::Maximum if bitwise => Binary::Or,
            Binary::Divide if bitwise => Binary::Xor,
            _ => operator,
        };
        let (left, right) = self.shuffle(Operand::Name(left), right);
        self.define(Expression::Binary { operator, left, right });
    }

    fn shuffle(&mut self, a: Operand, b: Operand) -> (Operand, Operand) {
        if self.random.chance(50) { (a, b) } else { (b, a) }
    }

    pub(super) fn compare(&mut self) {
        let left = self.any();
        let right = self.partner(&self.shape(left));
        let comparison = self.random.pick(&[
            Comparison::Less,
            Comparison::LessEqual,
            Comparison::Greater,
            Comparison::GreaterEqual,
            Comparison::Equal,
            Comparison::NotEqual,
        ]);
        let (left, right) = (Operand::Name(left), right);
        self.define(Expression::Compare { comparison, left, right });
    }

    pub(super) fn select(&mut self) {
        let Some(mask) = self.any_where(|g, name| g.dtype(name) == RealType::Bool) else {
            return self.compare();
        };
        let then = self.partner(&self.shape(mask));
        let otherwise = self.partner(&self.shape(mask));
        self.define(Expression::Select { mask, then, otherwise });
    }

    pub(super) fn cast(&mut self) {
        let of = self.any();
        let dtype = self.random.pick(&RealType::ALL);
        self.define(Expression::Cast { of, dtype });
    }

    /// Products with an addend, bounds, and what stands for special values.
    pub(super) fn limited(&mut self) {
        let of = self.any();
        let shape = self.shape(of);
        let value = match self.random.below(6) {
            0 | 1 => {
                let (factor, addend) = (self.partner(&shape), self.partner(&shape));
                Expression::MulAdd { of, factor, addend }
            }
            2..5 => {
                let bound = |g: &mut Generator| g.random.chance(75).then(|| g.partner(&shape));
                let (low, high) = (bound(self), bound(self));
                Expression::Clip { of, low, high }
            }
            _ => {
                let special = |g: &Generator, name: Name| g.dtype(name).is_float();
                let of = self.any_where(special).unwrap_or(of);
                let nan = self.random.pick(&[0.0, -1.5]);
                let mut bound = || self.random.pick(&[None, Some(1e9), Some(-2.5)]);
                let (high, low) = (bound(), bound());
                Expression::NanToNum { of, nan, high, low }
            }
        };
        self.define(value);
    }
}
