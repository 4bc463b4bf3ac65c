//! Element-wise operators of programs.

/// Element-wise operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// Any of darray's operations of one array.
    Apply(darray::Unary),
    /// `x.powi(n)` with n in -4..=4, not negative of integers.
    Power(i32),
    /// `x.round_to(decimals)`, and `x.round()` for none, in the element type.
    Round(i32),
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

impl Binary {
    /// darray's operation.
    pub fn operation(self) -> darray::Binary {
        match self {
            Binary::Add => darray::Binary::Add,
            Binary::Subtract => darray::Binary::Sub,
            Binary::Multiply => darray::Binary::Mul,
            Binary::Divide => darray::Binary::Div,
            Binary::Remainder => darray::Binary::Rem,
            Binary::Minimum => darray::Binary::Minimum,
            Binary::Maximum => darray::Binary::Maximum,
            Binary::And => darray::Binary::And,
            Binary::Or => darray::Binary::Or,
            Binary::Xor => darray::Binary::Xor,
            Binary::Apply(operation) => operation,
        }
    }

    /// The operator, or the function's name where there is none.
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Remainder => "%",
            Binary::Minimum => "minimum",
            Binary::Maximum => "maximum",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Apply(operation) => operation.name(),
        }
    }
}

impl Comparison {
    /// darray's operation.
    pub fn operation(self) -> darray::Binary {
        match self {
            Comparison::Less => darray::Binary::Lt,
            Comparison::LessEqual => darray::Binary::Le,
            Comparison::Greater => darray::Binary::Gt,
            Comparison::GreaterEqual => darray::Binary::Ge,
            Comparison::Equal => darray::Binary::Eq,
            Comparison::NotEqual => darray::Binary::Ne,
        }
    }
}
