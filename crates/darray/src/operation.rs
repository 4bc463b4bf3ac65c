//! Element-wise operations by their NumPy meaning, and what each does with element types.
//!
//! This is where NumPy's rules meet the operator table of `darray_kernel`: in which type an
//! operation computes, and which operator it is there.

use darray_core::DType;
use darray_kernel::operator::Operator;

/// An operation of one array.
///
/// ```
/// use darray::{DArray, DynArray, Unary};
/// let x = DynArray::from(DArray::from_vec(vec![4.0, 9.0]));
/// let root = x.unary(Unary::Sqrt).unwrap();
/// assert_eq!(DArray::<f64>::try_from(root).unwrap().to_vec(), [2.0, 3.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-x`; not for bool.
    Neg,
    /// `|x|`.
    Abs,
    /// Square root, in floats.
    Sqrt,
    /// `e^x`, in floats.
    Exp,
    /// Natural logarithm, in floats.
    Ln,
    /// Logical negation of bool, bitwise of i64.
    Not,
}

/// An operation of two operands that broadcast.
///
/// ```
/// use darray::{Binary, DArray, DynArray};
/// let x = DynArray::from(DArray::from_vec(vec![4, 9]));
/// let half = x.binary(Binary::Div, 2).unwrap();
/// assert_eq!(DArray::<f64>::try_from(half).unwrap().to_vec(), [2.0, 4.5]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `a + b`; logical or of bool.
    Add,
    /// `a - b`; not for bool.
    Sub,
    /// `a * b`; logical and of bool.
    Mul,
    /// True division, in floats.
    Div,
    /// The remainder with the sign of the divisor; not for bool.
    Rem,
    /// The smaller; NaN wins.
    Minimum,
    /// The larger; NaN wins.
    Maximum,
    /// Logical and of bool, bitwise of i64.
    And,
    /// Logical or of bool, bitwise of i64.
    Or,
    /// Logical exclusive or of bool, bitwise of i64.
    Xor,
    /// `a < b`, to bool.
    Lt,
    /// `a <= b`, to bool.
    Le,
    /// `a > b`, to bool.
    Gt,
    /// `a >= b`, to bool.
    Ge,
    /// `a == b`, to bool.
    Eq,
    /// `a != b`, to bool.
    Ne,
}

/// What an operation is for operands of one element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// Row of the operator table.
    pub operator: Operator,
    /// The type in which it computes; operands are cast to it.
    pub compute: DType,
    /// The type of the result.
    pub output: DType,
}

impl Unary {
    /// The NumPy name.
    pub fn name(self) -> &'static str {
        match self {
            Unary::Neg => "negative",
            Unary::Abs => "absolute",
            Unary::Sqrt => "sqrt",
            Unary::Exp => "exp",
            Unary::Ln => "log",
            Unary::Not => "invert",
        }
    }

    /// What it does for an operand of this type; `None`: not defined.
    pub(crate) fn rule(self, operand: DType) -> Option<Rule> {
        let same = |operator| Some(Rule { operator, compute: operand, output: operand });
        let real =
            |operator| Some(Rule { operator, compute: operand.real(), output: operand.real() });
        match self {
            Unary::Neg if operand == DType::Bool => None,
            Unary::Neg => same(Operator::Neg),
            Unary::Abs if operand == DType::Bool => same(Operator::ToBool),
            Unary::Abs => same(Operator::Abs),
            Unary::Sqrt => real(Operator::Sqrt),
            Unary::Exp => real(Operator::Exp),
            Unary::Ln => real(Operator::Ln),
            Unary::Not if operand == DType::Bool => same(Operator::Not),
            Unary::Not => None,
        }
    }
}

impl Binary {
    /// The NumPy name.
    pub fn name(self) -> &'static str {
        match self {
            Binary::Add => "add",
            Binary::Sub => "subtract",
            Binary::Mul => "multiply",
            Binary::Div => "divide",
            Binary::Rem => "remainder",
            Binary::Minimum => "minimum",
            Binary::Maximum => "maximum",
            Binary::And => "bitwise_and",
            Binary::Or => "bitwise_or",
            Binary::Xor => "bitwise_xor",
            Binary::Lt => "less",
            Binary::Le => "less_equal",
            Binary::Gt => "greater",
            Binary::Ge => "greater_equal",
            Binary::Eq => "equal",
            Binary::Ne => "not_equal",
        }
    }

    /// What it does for operands that promote to this type; `None`: not defined.
    pub(crate) fn rule(self, promoted: DType) -> Option<Rule> {
        let bool = promoted == DType::Bool;
        let arithmetic = |operator| Some(Rule { operator, compute: promoted, output: promoted });
        let comparison = |operator| Some(Rule { operator, compute: promoted, output: DType::Bool });
        match self {
            Binary::Add if bool => arithmetic(Operator::Or),
            Binary::Mul if bool => arithmetic(Operator::And),
            Binary::Sub | Binary::Rem if bool => None,
            Binary::And | Binary::Or | Binary::Xor if promoted.is_float() => None,
            Binary::Add => arithmetic(Operator::Add),
            Binary::Sub => arithmetic(Operator::Sub),
            Binary::Mul => arithmetic(Operator::Mul),
            Binary::Div => {
                let real = promoted.real();
                Some(Rule { operator: Operator::Div, compute: real, output: real })
            }
            Binary::Rem => arithmetic(Operator::Rem),
            Binary::Minimum => arithmetic(Operator::Minimum),
            Binary::Maximum => arithmetic(Operator::Maximum),
            Binary::And => arithmetic(Operator::And),
            Binary::Or => arithmetic(Operator::Or),
            Binary::Xor => arithmetic(Operator::Xor),
            Binary::Lt => comparison(Operator::Lt),
            Binary::Le => comparison(Operator::Le),
            Binary::Gt => comparison(Operator::Gt),
            Binary::Ge => comparison(Operator::Ge),
            Binary::Eq => comparison(Operator::Eq),
            Binary::Ne => comparison(Operator::Ne),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNARY: [Unary; 6] =
        [Unary::Neg, Unary::Abs, Unary::Sqrt, Unary::Exp, Unary::Ln, Unary::Not];
    const BINARY: [Binary; 16] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::Div,
        Binary::Rem,
        Binary::Minimum,
        Binary::Maximum,
        Binary::And,
        Binary::Or,
        Binary::Xor,
        Binary::Lt,
        Binary::Le,
        Binary::Gt,
        Binary::Ge,
        Binary::Eq,
        Binary::Ne,
    ];

    #[test]
    fn every_rule_is_a_row_of_the_operator_table() {
        let mut rules = 0;
        for dtype in DType::ALL {
            for rule in UNARY.iter().filter_map(|u| u.rule(dtype)) {
                assert_eq!(rule.operator.result(&[rule.compute]), Some(rule.output), "{rule:?}");
                rules += 1;
            }
            for rule in BINARY.iter().filter_map(|b| b.rule(dtype)) {
                let operands = [rule.compute; 2];
                assert_eq!(rule.operator.result(&operands), Some(rule.output), "{rule:?}");
                rules += 1;
            }
        }
        assert_eq!(rules, (6 + 5 + 5 + 5 - 1) + (14 + 16 + 13 + 13));
    }
}
