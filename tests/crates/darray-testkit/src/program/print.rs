//! A program as the Rust that a user would have written.

use super::{
    Binary, Comparison, Expression, Finding, Joint, Name, Operand, Program, Reduction, Statement,
    Unary,
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
            Statement::Update { operator, target, value } => match operator {
                Binary::Minimum | Binary::Maximum | Binary::Apply(_) => {
                    write!(f, "a{target}.update({}, {value});", operator.symbol())
                }
                _ => write!(f, "a{target} {}= {value};", operator.symbol()),
            },
            Statement::AssignWhere { target, mask, value } => {
                write!(f, "a{target}.assign_where(&a{mask}, {value});")
            }
            Statement::Put { target, indices, values, add: true, .. } => {
                write!(f, "a{target}.add_at(&a{indices}, {values});")
            }
            Statement::Put { target, indices, values, axis, .. } => match axis {
                None => write!(f, "a{target}.put(&a{indices}, {values});"),
                Some(axis) => {
                    write!(f, "a{target}.put_along_axis(&a{indices}, {values}, {axis});")
                }
            },
            Statement::ReduceInto { reduction, of, axes, target } => {
                let method = method(*reduction);
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
                let leave = if stream.drawn { "random" } else { "advance" };
                write!(f, "rng.{leave}({skip}); rng.")?;
                write!(f, "{draw}{shape:?}) as {dtype}")?;
                write!(f, " }}")
            }
            Expression::Create { what, dtype } => write!(f, "{what} as {dtype}"),
            Expression::Like { of, value: Some(value) } => write!(f, "a{of}.full_like({value:?})"),
            Expression::Like { of, value: None } => write!(f, "a{of}.empty_like()"),
            Expression::View { of, view } => write!(f, "a{of}.{view}"),
            Expression::Arrange { of, how } => {
                write!(f, "[{}].{how}", list(of))
            }
            Expression::OneOf { of, how: Joint::Broadcast, part } => {
                write!(f, "broadcast_arrays(&[{}])[{part}]", list(of))
            }
            Expression::OneOf { of, how: Joint::Grid(indexing), part } => {
                write!(f, "meshgrid(&[{}], {indexing:?})[{part}]", list(of))
            }
            Expression::Clone(of) => write!(f, "a{of}.clone()"),
            Expression::Carry { of, by } => write!(f, "a{of}.carried_by({by:?})"),
            Expression::Unary { operator, of } => match operator {
                Unary::Apply(darray::Unary::Neg) => write!(f, "-&a{of}"),
                Unary::Apply(darray::Unary::Not) => write!(f, "!&a{of}"),
                Unary::Apply(operation) => write!(f, "np::{}(&a{of})", operation.name()),
                Unary::Power(n) => write!(f, "a{of}.powi({n})"),
                Unary::Round(0) => write!(f, "a{of}.round()"),
                Unary::Round(decimals) => write!(f, "a{of}.round_to({decimals})"),
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
            Expression::MulAdd { of, factor, addend } => {
                write!(f, "a{of}.mul_add({factor}, {addend})")
            }
            Expression::Clip { of, low, high } => {
                let bound = |b: &Option<Operand>| b.map_or("()".to_string(), |b| b.to_string());
                write!(f, "a{of}.clip({}, {})", bound(low), bound(high))
            }
            Expression::NanToNum { of, nan, high, low } => {
                write!(f, "a{of}.nan_to_num_as({nan:?}, {high:?}, {low:?})")
            }
            Expression::Cast { of, dtype } => write!(f, "a{of}.cast::<{dtype}>()"),
            Expression::Reduce { reduction, of, axes, keepdims, mask } => {
                let method = method(*reduction);
                let held = mask.map_or(String::new(), |mask| format!(", where = a{mask}"));
                match axes {
                    None => write!(f, "a{of}.{method}(keepdims = {keepdims}{held})"),
                    Some(axes) => {
                        write!(f, "a{of}.{method}({axes:?}, keepdims = {keepdims}{held})")
                    }
                }
            }
            Expression::Product { product, left, right } => {
                write!(f, "a{left}.{}(&a{right}{product})", product.method())
            }
            Expression::Trace { of, offset, rows, columns } => {
                let diagonal = format!("Diagonal::new({offset}).axes({rows}, {columns})");
                write!(f, "a{of}.diagonal({diagonal}).sum(-1)")
            }
            Expression::Scan { reduction, of, axis } => {
                let method = method(*reduction);
                write!(f, "a{of}.cum{method}({})", along(*axis))
            }
            Expression::Sort { of, axis, indices } => {
                let method = if *indices { "argsort" } else { "sort" };
                write!(f, "a{of}.{method}({})", along(*axis))
            }
            Expression::Find { finding, of, by, axis } => {
                let by = by.map_or(String::new(), |by| format!("&a{by}, "));
                let which = match finding {
                    Finding::Nonzero(which) => format!("[{which}]"),
                    _ => String::new(),
                };
                write!(f, "a{of}.{}({by}{axis:?}){which}", finding.method())
            }
            Expression::Take { of, indices, axis, own } => {
                let method = if *own { "take_along_axis" } else { "take" };
                write!(f, "a{of}.{method}(&a{indices}, {axis:?})")
            }
        }
    }
}

fn list(names: &[Name]) -> String {
    names.iter().map(|name| format!("&a{name}")).collect::<Vec<_>>().join(", ")
}

/// The method of a reduction, with `ddof` or order where it has one.
fn method(reduction: Reduction) -> String {
    let name = reduction.name();
    match reduction {
        Reduction::Var { ddof }
        | Reduction::Std { ddof }
        | Reduction::NanVar { ddof }
        | Reduction::NanStd { ddof } => format!("{name}_ddof_{ddof}"),
        Reduction::Norm(norm) => format!("{name}_{norm:?}"),
        Reduction::Quantile { q } => format!("{name}_{q}"),
        _ => name.to_string(),
    }
}

/// An axis, or all elements.
fn along(axis: Option<isize>) -> String {
    axis.map_or("..".to_string(), |axis| axis.to_string())
}
