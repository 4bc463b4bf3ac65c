//! Products of two arrays.

use darray::ContractionAxes;
use std::fmt;

/// Products of two arrays.
#[derive(Clone, Debug, PartialEq)]
pub enum Product {
    /// Matrices, stacks of them, vectors.
    Matmul,
    /// Over the last axis of one and the last but one of the other.
    Dot,
    /// Over the last axes of both.
    Inner,
    /// Every element with every other.
    Outer,
    /// Over all elements.
    Vdot,
    /// Over these axes.
    Tensordot(ContractionAxes),
}

impl Product {
    /// The method.
    pub fn method(&self) -> &'static str {
        match self {
            Product::Matmul => "matmul",
            Product::Dot => "dot",
            Product::Inner => "inner",
            Product::Outer => "outer",
            Product::Vdot => "vdot",
            Product::Tensordot(_) => "tensordot",
        }
    }
}

impl fmt::Display for Product {
    /// What stands behind the operands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Product::Tensordot(ContractionAxes::Count(count)) => write!(f, ", {count}"),
            Product::Tensordot(ContractionAxes::Pairs(left, right)) => {
                write!(f, ", ({left:?}, {right:?})")
            }
            _ => Ok(()),
        }
    }
}
