//! Running programs on darray.

mod data;
mod shape;

use crate::oracle::{Expected, Oracle, Value};
use crate::program::{
    Expression, Finding, Name, Operand, Product, Program, Reduction, Statement, Unary,
};
use darray::{
    Argument, Axes, DArray, DynArray, Element, Error, ErrorKind, Fallible, Place, RealType,
    ReduceOptions, Result, Runtime,
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
    pub dtype: RealType,
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
    (name, shape, dtype): (Name, &[usize], RealType),
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
                self.variables[target].update(operator.operation(), self.argument(*value))
            }
            Statement::AssignWhere { target, mask, value } => {
                self.variables[target].assign_where(&self.variables[mask], self.argument(*value))
            }
            Statement::Put { target, indices, values, axis, add } => {
                let (target, indices) = (&self.variables[target], &self.variables[indices]);
                let values = self.argument(*values);
                match axis {
                    None if *add => target.add_at(indices, values),
                    None => target.put(indices, values),
                    Some(axis) => target.put_along_axis(indices, values, *axis),
                }
            }
            Statement::ReduceInto { reduction, of, axes, target } => {
                let (reduction, axes) = (*reduction, axes_of(axes.as_deref()));
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
        let (shape, dtype) = (array.shape().to_vec(), array.dtype().part());
        let whole = |v: i128| Value::Integer(v, dtype);
        let values = match dtype {
            RealType::Bool => values::<bool>(array, Value::Bool)?,
            RealType::I8 => values::<i8>(array, |v| whole(v.into()))?,
            RealType::U8 => values::<u8>(array, |v| whole(v.into()))?,
            RealType::I16 => values::<i16>(array, |v| whole(v.into()))?,
            RealType::U16 => values::<u16>(array, |v| whole(v.into()))?,
            RealType::I32 => values::<i32>(array, |v| whole(v.into()))?,
            RealType::U32 => values::<u32>(array, |v| whole(v.into()))?,
            RealType::I64 => values::<i64>(array, |v| whole(v.into()))?,
            RealType::U64 => values::<u64>(array, |v| whole(v.into()))?,
            RealType::F16 => values::<darray::f16>(array, |v| Value::Narrow(v.into(), dtype))?,
            RealType::BF16 => values::<darray::bf16>(array, |v| Value::Narrow(v.into(), dtype))?,
            RealType::F32 => values::<f32>(array, Value::F32)?,
            RealType::F64 => values::<f64>(array, Value::F64)?,
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
            Expression::Full { shape, dtype, value } => {
                DynArray::full(&shape[..], (*dtype).into(), *value)
            }
            Expression::Data { shape, dtype, seed } => data::host(shape, *dtype, *seed),
            Expression::Random { draw, shape, dtype, stream, skip } => {
                data::random(*draw, shape, *dtype, *stream, *skip)
            }
            Expression::Create { what, dtype } => data::create(what, *dtype),
            Expression::Like { of, value: Some(value) } => array(of).full_like(*value),
            Expression::Like { of, value: None } => Ok(array(of).empty_like()),
            Expression::View { of, view } => shape::see(array(of), view),
            Expression::Arrange { of, how } => {
                let arrays: Vec<&DynArray> = of.iter().map(array).collect();
                shape::arrange(&arrays, how)
            }
            Expression::OneOf { of, how, part } => {
                let arrays: Vec<&DynArray> = of.iter().map(array).collect();
                shape::one_of(&arrays, *how, *part)
            }
            Expression::Carry { of, by } => data::carry(array(of), *by),
            Expression::Clone(of) => Ok(array(of).clone()),
            Expression::Unary { operator, of } => match operator {
                Unary::Apply(operation) => array(of).unary(*operation),
                Unary::Power(exponent) => array(of).powi(*exponent),
                Unary::Round(0) => array(of).round(),
                Unary::Round(decimals) => array(of).round_to(*decimals),
            },
            Expression::Binary { operator, left, right } => {
                self.join(operator.operation(), *left, *right)
            }
            Expression::Compare { comparison, left, right } => {
                self.join(comparison.operation(), *left, *right)
            }
            Expression::Select { mask, then, otherwise } => {
                array(mask).select(self.argument(*then), self.argument(*otherwise))
            }
            Expression::MulAdd { of, factor, addend } => {
                array(of).mul_add(self.argument(*factor), self.argument(*addend))
            }
            Expression::Clip { of, low, high } => {
                let bound = |bound: &Option<Operand>| bound.map(|bound| self.argument(bound));
                array(of).clip(bound(low), bound(high))
            }
            Expression::NanToNum { of, nan, high, low } => array(of).nan_to_num(*nan, *high, *low),
            Expression::Cast { of, dtype } => array(of).cast((*dtype).into()),
            Expression::Reduce { reduction, of, axes, keepdims, mask } => {
                let axes = axes_of(axes.as_deref());
                let axes = if *keepdims { axes.keepdims() } else { axes };
                let Some(mask) = mask else { return array(of).reduce(*reduction, axes) };
                let mask = Some(array(mask).alias());
                array(of).reduce_with(*reduction, ReduceOptions { mask, ..axes.into() })
            }
            Expression::Product { product, left, right } => {
                multiply(product, array(left), array(right))
            }
            Expression::Trace { of, offset, rows, columns } => {
                array(of).trace(*offset, (*rows, *columns))
            }
            Expression::Scan { reduction, of, axis } => match reduction {
                Reduction::Prod => array(of).cumprod(*axis),
                Reduction::Max => array(of).cummax(*axis),
                Reduction::Min => array(of).cummin(*axis),
                _ => array(of).cumsum(*axis),
            },
            Expression::Sort { of, axis, indices: false } => array(of).sort(*axis),
            Expression::Sort { of, axis, indices: true } => array(of).argsort(*axis),
            Expression::Find { finding, of, by, axis } => {
                find(*finding, array(of), by.as_ref().map(array), *axis)
            }
            Expression::Take { of, indices, axis, own: false } => {
                array(of).take(array(indices), *axis)
            }
            Expression::Take { of, indices, axis, own: true } => {
                array(of).take_along_axis(array(indices), *axis)
            }
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

fn axes_of(axes: Option<&[isize]>) -> Axes {
    axes.map_or(Axes::all(), Axes::from)
}

fn values<T: Element>(array: &DynArray, wrap: impl Fn(T) -> Value) -> Result<Vec<Value>> {
    let typed = DArray::<T>::try_from(array.alias())?;
    Ok(typed.try_to_vec()?.into_iter().map(wrap).collect())
}

fn find(
    finding: Finding,
    of: &DynArray,
    by: Option<&DynArray>,
    axis: Option<isize>,
) -> Result<DynArray> {
    let weights = by;
    let by = || by.expect("something to find by");
    match finding {
        Finding::Compress => of.compress(by(), axis),
        Finding::Extract => of.extract(by()),
        Finding::FlatNonzero => of.flatnonzero(),
        Finding::Nonzero(which) => of.nonzero().map(|mut indices| indices.swap_remove(which)),
        Finding::ArgWhere => of.argwhere(),
        Finding::BinCount => of.bincount(weights, 3),
        Finding::SearchSorted { right } => of.searchsorted(by(), right),
        Finding::Unique => of.unique(),
        Finding::UniqueInverse => of.unique_inverse().map(|(_, inverse)| inverse),
        Finding::TopK(k) => of.topk(k).map(|(_, indices)| indices),
    }
}

fn multiply(product: &Product, left: &DynArray, right: &DynArray) -> Result<DynArray> {
    match product {
        Product::Matmul => left.matmul(right),
        Product::Dot => left.dot(right),
        Product::Inner => left.inner(right),
        Product::Outer => left.outer(right),
        Product::Vdot => left.vdot(right),
        Product::Tensordot(axes) => left.tensordot(right, axes.clone()),
    }
}
