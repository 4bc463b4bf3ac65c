//! A program as the Rust that a user would have written.

use super::{
    Binary, Comparison, Draw, Expression, Index, Operand, Program, Statement, Unary, View,
};
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statements.iter().try_for_each(|statement| writeln!(f, "{statement}"))
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Let { name, value } => write!(f, "let a{name} = {value};"),
            Statement::Assign { target, value } => write!(f, "a{target}.assign({value});"),
            Statement::Update { operator, target, value } => {
                write!(f, "a{target} {}= {value};", operator.symbol())
            }
            Statement::AssignWhere { target, mask, value } => {
                write!(f, "a{target}.assign_where(&a{mask}, {value});")
            }
            Statement::ReduceInto { reduction, of, axes, target } => {
                let method = reduction.method();
                match axes {
                    None => write!(f, "a{of}.{method}(out = a{target});"),
                    Some(axes) => write!(f, "a{of}.{method}({axes:?}, out = a{target});"),
                }
            }
            Statement::Refused { target, value } => {
                write!(f, "a{target}.try_assign({value}).unwrap_err();")
            }
            Statement::Drop(name) => write!(f, "drop(a{name});"),
            Statement::Read(name) => write!(f, "a{name}.to_vec();"),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Name(name) => write!(f, "&a{name}"),
            Operand::Integer(value) => write!(f, "{value}"),
            Operand::Float(value) => write!(f, "{value:?}"),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Full { shape, dtype, value } => {
                write!(f, "full::<{dtype}>({shape:?}, {value:?})")
            }
            Expression::Data { shape, dtype, seed } => {
                write!(f, "from_shape_vec({shape:?}, data::<{dtype}>({seed}))")
            }
            Expression::Random { draw, shape, dtype, stream, skip } => {
                let generator = if stream.philox { "philox" } else { "pcg64" };
                write!(f, "{{ let mut rng = Generator::{generator}({}); ", stream.seed)?;
                write!(f, "rng.advance({skip}); rng.")?;
                match draw {
                    Draw::Uniform => write!(f, "random::<{dtype}>({shape:?})"),
                    Draw::Integers { low, high } => write!(f, "integers({low}, {high}, {shape:?})"),
                    Draw::Normal => write!(f, "standard_normal::<{dtype}>({shape:?})"),
                    Draw::Exponential => write!(f, "standard_exponential::<{dtype}>({shape:?})"),
                }?;
                write!(f, " }}")
            }
            Expression::Arange { count, dtype } => write!(f, "arange::<{dtype}>({count})"),
            Expression::View { of, view } => write!(f, "a{of}.{view}"),
            Expression::Arrange { of, how } => {
                let names: Vec<String> = of.iter().map(|name| format!("&a{name}")).collect();
                write!(f, "[{}].{how}", names.join(", "))
            }
            Expression::Clone(of) => write!(f, "a{of}.clone()"),
            Expression::Unary { operator, of } => match operator {
                Unary::Apply(darray::Unary::Neg) => write!(f, "-&a{of}"),
                Unary::Apply(darray::Unary::Not) => write!(f, "!&a{of}"),
                Unary::Apply(operation) => write!(f, "np::{}(&a{of})", operation.name()),
                Unary::Power(n) => write!(f, "a{of}.powi({n})"),
            },
            Expression::Binary { operator, left, right } => match operator {
                Binary::Minimum | Binary::Maximum | Binary::Apply(_) => {
                    write!(f, "np::{}({left}, {right})", operator.symbol())
                }
                _ => write!(f, "{left} {} {right}", operator.symbol()),
            },
            Expression::Compare { comparison, left, right } => {
                let method = match comparison {
                    Comparison::Less => "lt",
                    Comparison::LessEqual => "le",
                    Comparison::Greater => "gt",
                    Comparison::GreaterEqual => "ge",
                    Comparison::Equal => "eq",
                    Comparison::NotEqual => "ne",
                };
                write!(f, "({left}).{method}({right})")
            }
            Expression::Select { mask, then, otherwise } => {
                write!(f, "a{mask}.select({then}, {otherwise})")
            }
            Expression::Cast { of, dtype } => write!(f, "a{of}.cast::<{dtype}>()"),
            Expression::Reduce { reduction, of, axes, keepdims } => {
                let method = reduction.method();
                match axes {
                    None => write!(f, "a{of}.{method}(keepdims = {keepdims})"),
                    Some(axes) => write!(f, "a{of}.{method}({axes:?}, keepdims = {keepdims})"),
                }
            }
            Expression::Matmul { left, right } => write!(f, "a{left}.matmul(&a{right})"),
            Expression::Tensordot { left, right, count } => {
                write!(f, "a{left}.tensordot(&a{right}, {count})")
            }
            Expression::Scan { reduction, of, axis } => {
                let method = reduction.method();
                match axis {
                    None => write!(f, "a{of}.cum{method}()"),
                    Some(axis) => write!(f, "a{of}.cum{method}_axis({axis})"),
                }
            }
        }
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            View::Slice(items) => {
                let items: Vec<String> = items.iter().map(|i| i.to_string()).collect();
                write!(f, "slice(s![{}])", items.join(", "))
            }
            View::Transpose => write!(f, "t()"),
            View::Permute(order) => write!(f, "permute(&{order:?})"),
            View::Reshape(shape) => write!(f, "reshape({shape:?})"),
            View::Broadcast(shape) => write!(f, "broadcast_to({shape:?})"),
            View::Diagonal { offset, rows, columns } => {
                write!(f, "diagonal_of({offset}, {rows}, {columns})")
            }
        }
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = |b: &Option<isize>| b.map_or(String::new(), |b| b.to_string());
        match self {
            Index::At(at) => write!(f, "{at}"),
            Index::Range { start, stop, step: 1 } => write!(f, "{}..{}", bound(start), bound(stop)),
            Index::Range { start, stop, step } => {
                write!(f, "{}..{};{step}", bound(start), bound(stop))
            }
            Index::NewAxis => write!(f, "NewAxis"),
            Index::Ellipsis => write!(f, "..."),
        }
    }
}

impl Binary {
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
