//! Running programs on darray.

use crate::oracle::{Expected, Oracle, Value, data};
use crate::program::{
    Arrangement, Binary, Border, Comparison, Draw, Expression, Name, Operand, Program, Reduction,
    Statement, Stream, Unary, View,
};
use darray::{
    Argument, Axes, DArray, DType, DynArray, Element, Error, ErrorKind, Generator, Ix, PadMode,
    Place, Result, Runtime, default_rng,
};
use std::collections::BTreeMap;
use std::fmt;

/// The value that a read gave.
#[derive(Clone, Debug)]
pub struct Found {
    /// The variable.
    pub name: Name,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its element type.
    pub dtype: DType,
    /// Its elements in row-major order.
    pub values: Vec<Value>,
}

/// Where two runs of a program differ first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub message: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Runs a program on `runtime`; the live arrays are read at its end, as the oracle does.
///
/// # Errors
/// Whatever darray says to one of the operations.
pub fn run(program: &Program, runtime: &Runtime) -> Result<Vec<Found>> {
    runtime.scope(|| {
        let mut machine = Machine::default();
        for statement in &program.statements {
            machine.execute(statement)?;
        }
        for name in program.live_names() {
            machine.read(name)?;
        }
        Ok(machine.reads)
    })
}

/// Whether two runs gave the same bits, all NaNs being one.
///
/// # Errors
/// The first difference.
pub fn same(reference: &[Found], found: &[Found]) -> std::result::Result<(), Difference> {
    let pairs = reference.iter().zip(found);
    pairs.clone().try_for_each(|(a, b)| {
        form(b, (a.name, &a.shape, a.dtype))?;
        let differs = a.values.iter().zip(&b.values).position(|(x, y)| x.bits() != y.bits());
        match differs {
            None => Ok(()),
            Some(at) => Err(element(b, at, &format!("{:?}", a.values[at]))),
        }
    })?;
    count(reference.len(), found.len())
}

/// Whether a run gave what the oracle admits.
///
/// # Errors
/// The first difference.
pub fn admitted(oracle: &Oracle, found: &[Found]) -> std::result::Result<(), Difference> {
    let pairs = oracle.reads.iter().zip(found);
    pairs.clone().try_for_each(|(expected, b): (&Expected, &Found)| {
        form(b, (expected.name, &expected.shape, expected.dtype))?;
        let refused = expected.cells.iter().zip(&b.values).position(|(c, v)| !c.admits(*v));
        match refused {
            None => Ok(()),
            Some(at) => {
                let cell = expected.cells[at];
                Err(element(b, at, &format!("{:?} within {:e}", cell.value, cell.radius)))
            }
        }
    })?;
    count(oracle.reads.len(), found.len())
}

fn form(
    found: &Found,
    (name, shape, dtype): (Name, &[usize], DType),
) -> std::result::Result<(), Difference> {
    let expected =
        format!("a{name} {shape:?} {dtype}, {} elements", shape.iter().product::<usize>());
    let (shape, count) = (&found.shape, found.values.len());
    let message = format!("a{} {shape:?} {}, {count} elements", found.name, found.dtype);
    if message == expected {
        return Ok(());
    }
    Err(Difference { message: format!("expected {expected}, found {message}") })
}

fn element(found: &Found, at: usize, expected: &str) -> Difference {
    let Found { name, shape, values, .. } = found;
    let message =
        format!("a{name} {shape:?} element {at}: expected {expected}, found {:?}", values[at]);
    Difference { message }
}

fn count(expected: usize, found: usize) -> std::result::Result<(), Difference> {
    if expected == found {
        return Ok(());
    }
    Err(Difference { message: format!("expected {expected} reads, found {found}") })
}

#[derive(Default)]
struct Machine {
    variables: BTreeMap<Name, DynArray>,
    reads: Vec<Found>,
}

impl Machine {
    fn execute(&mut self, statement: &Statement) -> Result<()> {
        match statement {
            Statement::Let { name, value } => {
                let array = self.evaluate(value)?;
                self.variables.insert(*name, array);
                Ok(())
            }
            Statement::Assign { target, value } => {
                self.variables[target].assign(self.argument(*value))
            }
            Statement::Update { operator, target, value } => {
                self.variables[target].update(binary(*operator), self.argument(*value))
            }
            Statement::AssignWhere { target, mask, value } => {
                self.variables[target].assign_where(&self.variables[mask], self.argument(*value))
            }
            Statement::ReduceInto { reduction, of, axes, target } => {
                let (reduction, axes) = (reduction_of(*reduction), axes_of(axes.as_deref()));
                self.variables[of].reduce_into(reduction, axes, &self.variables[target])
            }
            Statement::Refused { target, value } => {
                let target = &self.variables[target];
                match target.assign(self.argument(*value)) {
                    Err(error) if matches!(error.kind(), ErrorKind::Overlap { .. }) => Ok(()),
                    Err(other) => Err(other),
                    Ok(()) => {
                        let message = "a write that reaches an element twice went through";
                        let kind = ErrorKind::Runtime { message: message.to_string() };
                        Err(Error::new("assign", kind, Place::caller()))
                    }
                }
            }
            Statement::Drop(name) => {
                self.variables.remove(name);
                Ok(())
            }
            Statement::Read(name) => self.read(*name),
        }
    }

    fn read(&mut self, name: Name) -> Result<()> {
        let array = &self.variables[&name];
        let (shape, dtype) = (array.shape().to_vec(), array.dtype());
        let values = match dtype {
            DType::Bool => values::<bool>(array, Value::Bool)?,
            DType::U8 => values::<u8>(array, Value::U8)?,
            DType::I32 => values::<i32>(array, Value::I32)?,
            DType::I64 => values::<i64>(array, Value::I64)?,
            DType::F32 => values::<f32>(array, Value::F32)?,
            DType::F64 => values::<f64>(array, Value::F64)?,
        };
        self.reads.push(Found { name, shape, dtype, values });
        Ok(())
    }

    fn argument(&self, operand: Operand) -> Argument<'_> {
        match operand {
            Operand::Name(name) => Argument::from(&self.variables[&name]),
            Operand::Integer(value) => Argument::from(value),
            Operand::Float(value) => Argument::from(value),
        }
    }

    fn evaluate(&self, expression: &Expression) -> Result<DynArray> {
        let array = |name: &Name| &self.variables[name];
        match expression {
            Expression::Full { shape, dtype, value } => DynArray::full(&shape[..], *dtype, *value),
            Expression::Data { shape, dtype, seed } => host(shape, *dtype, *seed),
            Expression::Random { draw, shape, dtype, stream, skip } => {
                random(*draw, shape, *dtype, *stream, *skip)
            }
            Expression::Arange { count, dtype } => DynArray::arange(*count, *dtype),
            Expression::View { of, view } => match view {
                View::Slice(items) => {
                    let items: Vec<Ix> = items.iter().map(|item| item.to_ix()).collect();
                    array(of).slice(items)
                }
                View::Transpose => Ok(array(of).t()),
                View::Permute(order) => array(of).permute(order),
                View::Reshape(shape) => array(of).reshape(&shape[..]),
                View::Broadcast(shape) => array(of).broadcast_to(&shape[..]),
                View::Diagonal { offset, rows, columns } => {
                    array(of).diagonal(*offset, *rows, *columns)
                }
            },
            Expression::Arrange { of, how } => {
                let arrays: Vec<&DynArray> = of.iter().map(array).collect();
                arrange(&arrays, how)
            }
            Expression::Clone(of) => Ok(array(of).clone()),
            Expression::Unary { operator, of } => match operator {
                Unary::Apply(operation) => array(of).unary(*operation),
                Unary::Power(exponent) => array(of).powi(*exponent),
            },
            Expression::Binary { operator, left, right } => {
                self.join(binary(*operator), *left, *right)
            }
            Expression::Compare { comparison, left, right } => {
                let operation = match comparison {
                    Comparison::Less => darray::Binary::Lt,
                    Comparison::LessEqual => darray::Binary::Le,
                    Comparison::Greater => darray::Binary::Gt,
                    Comparison::GreaterEqual => darray::Binary::Ge,
                    Comparison::Equal => darray::Binary::Eq,
                    Comparison::NotEqual => darray::Binary::Ne,
                };
                self.join(operation, *left, *right)
            }
            Expression::Select { mask, then, otherwise } => {
                array(mask).select(self.argument(*then), self.argument(*otherwise))
            }
            Expression::Cast { of, dtype } => array(of).cast(*dtype),
            Expression::Reduce { reduction, of, axes, keepdims } => {
                let axes = axes_of(axes.as_deref());
                let axes = if *keepdims { darray::keepdims(axes) } else { axes };
                array(of).reduce(reduction_of(*reduction), axes)
            }
            Expression::Matmul { left, right } => array(left).matmul(array(right)),
            Expression::Tensordot { left, right, count } => {
                array(left).tensordot(array(right), *count)
            }
            Expression::Scan { reduction, of, axis } => match reduction {
                Reduction::Product => array(of).cumprod(*axis),
                _ => array(of).cumsum(*axis),
            },
        }
    }

    fn join(&self, operation: darray::Binary, left: Operand, right: Operand) -> Result<DynArray> {
        match left {
            Operand::Name(name) => self.variables[&name].binary(operation, self.argument(right)),
            scalar => {
                let right = right.name().expect("one operand is an array");
                self.variables[&right].binary_reversed(operation, self.argument(scalar))
            }
        }
    }
}

fn binary(operator: Binary) -> darray::Binary {
    match operator {
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

fn axes_of(axes: Option<&[isize]>) -> Axes {
    axes.map_or(Axes::all(), Axes::from)
}

fn reduction_of(reduction: Reduction) -> darray::Reduction {
    use darray::{Norm, Reduction as R};
    match reduction {
        Reduction::Sum => R::Sum,
        Reduction::Maximum => R::Max,
        Reduction::Minimum => R::Min,
        Reduction::ArgMaximum => R::ArgMax,
        Reduction::ArgMinimum => R::ArgMin,
        Reduction::Product => R::Prod,
        Reduction::Mean => R::Mean,
        Reduction::All => R::All,
        Reduction::Any => R::Any,
        Reduction::Variance(ddof) => R::Var { ddof },
        Reduction::Deviation(ddof) => R::Std { ddof },
        Reduction::Range => R::Ptp,
        Reduction::CountNonzero => R::CountNonzero,
        Reduction::NormOne => R::Norm(Norm::One),
        Reduction::NormTwo => R::Norm(Norm::Two),
        Reduction::NormInf => R::Norm(Norm::Inf),
        Reduction::NanSum => R::NanSum,
        Reduction::NanProduct => R::NanProd,
        Reduction::NanMinimum => R::NanMin,
        Reduction::NanMaximum => R::NanMax,
        Reduction::NanMean => R::NanMean,
        Reduction::NanVariance(ddof) => R::NanVar { ddof },
        Reduction::NanDeviation(ddof) => R::NanStd { ddof },
    }
}

fn values<T: Element>(array: &DynArray, wrap: fn(T) -> Value) -> Result<Vec<Value>> {
    let typed = DArray::<T>::try_from(array.alias())?;
    Ok(typed.try_to_vec()?.into_iter().map(wrap).collect())
}

fn arrange(arrays: &[&DynArray], how: &Arrangement) -> Result<DynArray> {
    let first = arrays[0];
    match how {
        Arrangement::Concatenate(axis) => DynArray::concatenate(arrays, *axis),
        Arrangement::Stack(axis) => DynArray::stack(arrays, *axis),
        Arrangement::Repeat { count, axis } => first.repeat(*count, *axis),
        Arrangement::Tile(counts) => first.tile(&counts[..]),
        Arrangement::Roll { shift, axis: Some(axis) } => first.roll(*shift, *axis),
        Arrangement::Roll { shift, axis: None } => first.roll(*shift, ..),
        Arrangement::Pad { widths, border } => {
            let mode = match border {
                Border::Constant(value) => PadMode::constant(*value),
                Border::Edge => PadMode::Edge,
                Border::Reflect => PadMode::Reflect,
                Border::Symmetric => PadMode::Symmetric,
                Border::Wrap => PadMode::Wrap,
            };
            first.pad(&widths[..], mode)
        }
        Arrangement::Triangle { offset, lower: true } => first.tril(*offset),
        Arrangement::Triangle { offset, lower: false } => first.triu(*offset),
    }
}

fn random(
    draw: Draw,
    shape: &[usize],
    dtype: DType,
    stream: Stream,
    skip: u64,
) -> Result<DynArray> {
    let mut rng = match stream.philox {
        true => Generator::philox(stream.seed),
        false => default_rng(stream.seed),
    };
    rng.advance(skip);
    let single = dtype == DType::F32;
    Ok(match draw {
        Draw::Uniform if single => rng.try_random_as::<f32>(shape)?.into(),
        Draw::Uniform => rng.try_random(shape)?.into(),
        Draw::Integers { low, high } => rng.try_integers(low, high, shape)?.into(),
        Draw::Normal if single => rng.try_standard_normal_as::<f32>(shape)?.into(),
        Draw::Normal => rng.try_standard_normal_as::<f64>(shape)?.into(),
        Draw::Exponential if single => rng.try_standard_exponential_as::<f32>(shape)?.into(),
        Draw::Exponential => rng.try_standard_exponential_as::<f64>(shape)?.into(),
    })
}

/// The host data of [`Expression::Data`].
fn host(shape: &[usize], dtype: DType, seed: u64) -> Result<DynArray> {
    let drawn = data(dtype, seed, shape.iter().product());
    let bytes = drawn.iter().flat_map(|value| value.memory().into_iter().take(dtype.size()));
    DynArray::from_bytes(shape, dtype, bytes.collect())
}
