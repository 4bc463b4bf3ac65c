//! Array programs as values: what a user could have written, small enough to print and to shrink.

mod arrangement;
mod print;
mod reduction;

pub use reduction::Reduction;

pub use arrangement::{Arrangement, Border};

use darray_core::{DType, Ix};

/// The number of a variable; `a3` in the printed text.
pub type Name = usize;

/// Statements in order. Names are defined before use, once each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// What runs, in order.
    pub statements: Vec<Statement>,
}

/// One line of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `let aN = ...;`
    Let {
        /// The variable that is defined.
        name: Name,
        /// Its value.
        value: Expression,
    },
    /// `target.assign(value);` writes through views.
    Assign {
        /// The array or view that is written.
        target: Name,
        /// Broadcast and cast to the target.
        value: Operand,
    },
    /// `target += value;` writes through views.
    Update {
        /// The operator.
        operator: Binary,
        /// The array or view that is read and written.
        target: Name,
        /// Broadcast to the target; its type promotes to the target's.
        value: Operand,
    },
    /// `target.assign_where(mask, value);` writes through views.
    AssignWhere {
        /// The array or view that is written.
        target: Name,
        /// Of type bool, broadcast to the target.
        mask: Name,
        /// As in an assignment.
        value: Operand,
    },
    /// `of.reduce_into(reduction, axes, target);` writes through views.
    ReduceInto {
        /// The reduction.
        reduction: Reduction,
        /// The operand.
        of: Name,
        /// `None` for all; negative ones count from the end.
        axes: Option<Vec<isize>>,
        /// Of the shape of the result.
        target: Name,
    },
    /// `target.try_assign(value).unwrap_err();` where the target reaches an element twice.
    Refused {
        /// A view that cannot be written.
        target: Name,
        /// As in an assignment.
        value: Operand,
    },
    /// `drop(aN);`
    Drop(Name),
    /// Demands the value, which closes the window in the middle of the program.
    Read(Name),
}

/// An array or a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// An array.
    Name(Name),
    /// An integer literal: weak, takes the array's type, which has to hold it, except on bool.
    Integer(i64),
    /// A float literal: weak, takes the array's type where that is a float.
    Float(f64),
}

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// Every element the same.
    Full {
        /// Of the array.
        shape: Vec<usize>,
        /// Of the elements.
        dtype: DType,
        /// Cast to `dtype`.
        value: f64,
    },
    /// Host data that [`Expression::data`] draws from `seed`.
    Data {
        /// Of the array.
        shape: Vec<usize>,
        /// Of the elements.
        dtype: DType,
        /// What the elements are drawn from.
        seed: u64,
    },
    /// Random numbers, the first `skip` draws of the stream left out.
    Random {
        /// What they are.
        draw: Draw,
        /// Of the array.
        shape: Vec<usize>,
        /// Of the elements: what the draw can give.
        dtype: DType,
        /// Where they come from.
        stream: Stream,
        /// Draws before them.
        skip: u64,
    },
    /// `0, 1, .. count` as `dtype`.
    Arange {
        /// How many.
        count: usize,
        /// Any but bool.
        dtype: DType,
    },
    /// A view that aliases its array (a reshape that no strides express is a copy).
    View {
        /// The array.
        of: Name,
        /// How it is seen.
        view: View,
    },
    /// A copy under another shape.
    Arrange {
        /// The arrays, in order.
        of: Vec<Name>,
        /// How they are copied.
        how: Arrangement,
    },
    /// `.clone()`: by value.
    Clone(Name),
    /// Element-wise, one operand.
    Unary {
        /// The operator.
        operator: Unary,
        /// The operand.
        of: Name,
    },
    /// Element-wise, two operands that broadcast.
    Binary {
        /// The operator.
        operator: Binary,
        /// Left.
        left: Operand,
        /// Right.
        right: Operand,
    },
    /// Element-wise comparison to bool.
    Compare {
        /// The comparison.
        comparison: Comparison,
        /// Left.
        left: Operand,
        /// Right.
        right: Operand,
    },
    /// `mask.select(then, otherwise)`, NumPy's `where`.
    Select {
        /// Of type bool.
        mask: Name,
        /// Where true.
        then: Operand,
        /// Where false.
        otherwise: Operand,
    },
    /// `.cast(dtype)`.
    Cast {
        /// The operand.
        of: Name,
        /// The type of the result.
        dtype: DType,
    },
    /// A reduction over some or all axes.
    Reduce {
        /// The reduction.
        reduction: Reduction,
        /// The operand.
        of: Name,
        /// `None` for all; negative ones count from the end.
        axes: Option<Vec<isize>>,
        /// Whether reduced axes stay with extent 1.
        keepdims: bool,
    },
    /// `matmul`: matrices, stacks of them, vectors.
    Matmul {
        /// `(.., m, k)` or `(k)`.
        left: Name,
        /// `(.., k, n)` or `(k)`.
        right: Name,
    },
    /// `tensordot` over the last axes of one and the first of the other.
    Tensordot {
        /// Ends in the axes that are summed over.
        left: Name,
        /// Begins with them.
        right: Name,
        /// How many.
        count: usize,
    },
    /// `cumsum` or `cumprod`.
    Scan {
        /// [`Reduction::Sum`] or [`Reduction::Product`].
        reduction: Reduction,
        /// The operand.
        of: Name,
        /// `None`: of all elements in row-major order.
        axis: Option<isize>,
    },
}

/// A distribution of random numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draw {
    /// In [0, 1): f64 or f32.
    Uniform,
    /// In low..high: i64.
    Integers {
        /// The least.
        low: i64,
        /// Above the greatest.
        high: i64,
    },
    /// Standard normal: f64 or f32.
    Normal,
    /// Exponential of mean 1: f64 or f32.
    Exponential,
}

/// The source of random numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stream {
    /// Philox rather than PCG64.
    pub philox: bool,
    /// As NumPy's generators take it.
    pub seed: u64,
}

/// A way to see an array.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// `.slice(s![...])`.
    Slice(Vec<Index>),
    /// `.t()`.
    Transpose,
    /// `.permute(..)`.
    Permute(Vec<isize>),
    /// `.reshape(..)`.
    Reshape(Vec<usize>),
    /// `.broadcast_to(..)`.
    Broadcast(Vec<usize>),
    /// `.diagonal(offset, rows, columns)`.
    Diagonal {
        /// Above the main diagonal where positive.
        offset: isize,
        /// An axis.
        rows: isize,
        /// Another.
        columns: isize,
    },
}

/// One item of a slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Index {
    /// An integer: the axis goes.
    At(isize),
    /// `start..stop;step` as Python reads it.
    Range {
        /// `None`: from the end where the step begins.
        start: Option<isize>,
        /// `None`: up to the end where the step leads.
        stop: Option<isize>,
        /// Not 0.
        step: isize,
    },
    /// A new axis of extent 1.
    NewAxis,
    /// As many whole axes as are left.
    Ellipsis,
}

/// Element-wise operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// Any of darray's operations of one array.
    Apply(darray::Unary),
    /// `x.powi(n)` with n in 0..=4.
    Power(i32),
}

/// Element-wise operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, true division.
    Divide,
    /// NaN wins.
    Minimum,
    /// NaN wins.
    Maximum,
    /// `%`, with the sign of the divisor.
    Remainder,
    /// `&` of bools and integers.
    And,
    /// `|` of bools and integers.
    Or,
    /// `^` of bools and integers.
    Xor,
    /// Any other of darray's functions of two operands.
    Apply(darray::Binary),
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

impl Index {
    /// As darray's slices take it.
    pub fn to_ix(self) -> Ix {
        match self {
            Index::At(at) => Ix::At(at),
            Index::Range { start, stop, step } => Ix::Range { start, end: stop, step },
            Index::NewAxis => Ix::NewAxis,
            Index::Ellipsis => Ix::Ellipsis,
        }
    }
}

impl Operand {
    /// The array, if it is one.
    pub fn name(self) -> Option<Name> {
        match self {
            Operand::Name(name) => Some(name),
            _ => None,
        }
    }
}

impl Program {
    /// The names that are defined and not dropped at the end, in order of definition.
    pub fn live_names(&self) -> Vec<Name> {
        let mut live = Vec::new();
        for statement in &self.statements {
            match statement {
                Statement::Let { name, .. } => live.push(*name),
                Statement::Drop(name) => live.retain(|n| n != name),
                _ => {}
            }
        }
        live
    }
}

impl Statement {
    /// The names that the statement needs.
    pub fn uses(&self) -> Vec<Name> {
        let operands = |items: &[Operand]| items.iter().filter_map(|o| o.name()).collect();
        match self {
            Statement::Assign { target, value }
            | Statement::Update { target, value, .. }
            | Statement::Refused { target, value } => operands(&[Operand::Name(*target), *value]),
            Statement::ReduceInto { of, target, .. } => vec![*of, *target],
            Statement::AssignWhere { target, mask, value } => {
                operands(&[Operand::Name(*target), Operand::Name(*mask), *value])
            }
            Statement::Drop(name) | Statement::Read(name) => vec![*name],
            Statement::Let { value, .. } => match value {
                Expression::Full { .. }
                | Expression::Data { .. }
                | Expression::Random { .. }
                | Expression::Arange { .. } => Vec::new(),
                Expression::Arrange { of, .. } => of.clone(),
                Expression::View { of, .. }
                | Expression::Clone(of)
                | Expression::Unary { of, .. }
                | Expression::Cast { of, .. }
                | Expression::Reduce { of, .. }
                | Expression::Scan { of, .. } => vec![*of],
                Expression::Binary { left, right, .. }
                | Expression::Compare { left, right, .. } => operands(&[*left, *right]),
                Expression::Select { mask, then, otherwise } => {
                    operands(&[Operand::Name(*mask), *then, *otherwise])
                }
                Expression::Matmul { left, right } | Expression::Tensordot { left, right, .. } => {
                    vec![*left, *right]
                }
            },
        }
    }
}
