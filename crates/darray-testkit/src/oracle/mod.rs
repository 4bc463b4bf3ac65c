//! An independent evaluation of programs over ndarray, one element at a time.
//!
//! Nothing of darray is used here but the names of the element types, the type rules of functions,
//! the seeding of random streams, and the operator table for functions that have no independent
//! evaluation (see `functions`). Views are arrays of positions in flat storages, so aliasing is
//! what NumPy's is by construction.

mod arrangement;
mod cell;
mod draw;
mod functions;
mod product;
mod reduce;
mod scan;
mod statistics;
mod view;

use crate::program::{Binary, Expression, Name, Operand, Program, Reduction, Statement, Unary};
use crate::random::Random;
use darray_core::DType;
use ndarray::{ArrayD, IxDyn};
use std::collections::{BTreeMap, BTreeSet};

pub use cell::{Cell, Value};
pub use view::broadcast;

/// The state of a program under evaluation.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    storages: Vec<Vec<Cell>>,
    variables: BTreeMap<Name, Variable>,
    /// What the program read, in order.
    pub reads: Vec<Expected>,
}

/// An array: positions in a storage.
#[derive(Clone, Debug)]
struct Variable {
    storage: usize,
    dtype: DType,
    positions: ArrayD<usize>,
}

/// The value that a read has to give.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The variable.
    pub name: Name,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its element type.
    pub dtype: DType,
    /// Its elements in row-major order.
    pub cells: Vec<Cell>,
}

/// Operands in one type, broadcast to one shape.
type Operands = (DType, Vec<ArrayD<Cell>>);

impl Oracle {
    /// Evaluates a whole program; the live arrays are read at its end.
    ///
    /// # Errors
    /// A text when the program is not valid: NumPy would raise, or a write reaches an element twice.
    pub fn run(program: &Program) -> Result<Oracle, String> {
        let mut oracle = Oracle::default();
        for statement in &program.statements {
            oracle.execute(statement).map_err(|error| format!("{statement} {error}"))?;
        }
        for name in program.live_names() {
            oracle.read(name)?;
        }
        Ok(oracle)
    }

    /// The shape and element type of a variable.
    pub fn look(&self, name: Name) -> Option<(&[usize], DType)> {
        self.variables.get(&name).map(|v| (v.positions.shape(), v.dtype))
    }

    /// The names in use, in order.
    pub fn names(&self) -> Vec<Name> {
        self.variables.keys().copied().collect()
    }

    /// Whether no element of the variable is reached twice, so that it can be written.
    pub fn writable(&self, name: Name) -> bool {
        let Some(variable) = self.variables.get(&name) else { return false };
        let distinct: BTreeSet<usize> = variable.positions.iter().copied().collect();
        distinct.len() == variable.positions.len()
    }

    /// Whether two variables see one storage.
    pub fn alias(&self, a: Name, b: Name) -> bool {
        self.storage(a).is_some() && self.storage(a) == self.storage(b)
    }

    /// For each element of the variable, its position in the storage.
    pub fn positions(&self, name: Name) -> Option<Vec<usize>> {
        self.variables.get(&name).map(|v| v.positions.iter().copied().collect())
    }

    /// Executes one statement; an invalid one changes nothing.
    ///
    /// # Errors
    /// A text when the statement is not valid.
    pub fn execute(&mut self, statement: &Statement) -> Result<(), String> {
        match statement {
            Statement::Let { name, value } => {
                let variable = self.evaluate(value)?;
                if self.variables.insert(*name, variable).is_some() {
                    return Err(format!("a{name} is defined twice"));
                }
                Ok(())
            }
            Statement::Assign { target, value } => {
                let cells = self.operand(*value, self.variable(*target)?.dtype)?;
                self.write(*target, cells)
            }
            Statement::Update { operator, target, value } => {
                let dtype = self.variable(*target)?.dtype;
                if binary_dtypes(*operator, dtype)? != (dtype, dtype) {
                    return Err(format!("the result does not fit into {dtype}"));
                }
                let value = self.operand(*value, dtype)?;
                let old = self.cells(*target)?;
                let (shape, value) =
                    (old.shape().to_vec(), value.broadcast(old.shape()).map(|v| v.to_owned()));
                let value = value.ok_or_else(|| format!("does not broadcast to {shape:?}"))?;
                let cells = zip(&old, &value, |a, b| a.binary(*operator, b));
                self.write(*target, cells)
            }
            Statement::AssignWhere { target, mask, value } => {
                let (dtype, old) = (self.variable(*target)?.dtype, self.cells(*target)?);
                if self.variable(*mask)?.dtype != DType::Bool {
                    return Err("the mask is not bool".to_string());
                }
                let (mask, value) = (self.cells(*mask)?, self.operand(*value, dtype)?);
                let wide =
                    |cells: &ArrayD<Cell>| cells.broadcast(old.shape()).map(|c| c.to_owned());
                let (Some(mask), Some(value)) = (wide(&mask), wide(&value)) else {
                    return Err(format!("does not broadcast to {:?}", old.shape()));
                };
                let pairs = zip(&value, &old, |a, b| (a, b));
                self.write(*target, zip(&mask, &pairs, |m, (a, b)| m.select(a, b)))
            }
            Statement::ReduceInto { reduction, of, axes, target } => {
                let dtype = self.variable(*target)?.dtype;
                let (_, cells) = self.reduce(*reduction, *of, axes.as_deref(), false)?;
                if cells.shape() != self.variable(*target)?.positions.shape() {
                    return Err("the target has another shape".to_string());
                }
                self.write(*target, cells.mapv(|cell| cell.cast(dtype)))
            }
            Statement::Refused { target, value } => {
                let target_shape = self.variable(*target)?.positions.shape().to_vec();
                let cells = self.operand(*value, self.variable(*target)?.dtype)?;
                match cells.broadcast(&target_shape[..]) {
                    Some(_) if !self.writable(*target) => Ok(()),
                    _ => Err(format!("a{target} can be written")),
                }
            }
            Statement::Drop(name) => match self.variables.remove(name) {
                Some(_) => Ok(()),
                None => Err(format!("a{name} is not defined")),
            },
            Statement::Read(name) => self.read(*name),
        }
    }

    fn read(&mut self, name: Name) -> Result<(), String> {
        let cells = self.cells(name)?;
        let dtype = self.variable(name)?.dtype;
        let (shape, cells) = (cells.shape().to_vec(), cells.into_iter().collect());
        self.reads.push(Expected { name, shape, dtype, cells });
        Ok(())
    }

    fn evaluate(&mut self, expression: &Expression) -> Result<Variable, String> {
        let (dtype, cells) = match expression {
            Expression::View { of, view } => {
                let variable = self.variable(*of)?;
                let (positions, aliases) = view::see(&variable.positions, view)?;
                let seen = Variable { positions, ..*variable };
                if aliases {
                    return Ok(seen);
                }
                (seen.dtype, self.gather(&seen))
            }
            Expression::Full { shape, dtype, value } => {
                let cell = Cell::exact(Value::F64(*value).cast(*dtype));
                (*dtype, ArrayD::from_elem(IxDyn(shape), cell))
            }
            Expression::Data { shape, dtype, seed } => {
                let cells = data(*dtype, *seed, shape.iter().product());
                let cells = cells.into_iter().map(Cell::exact).collect();
                (*dtype, ArrayD::from_shape_vec(IxDyn(shape), cells).expect("equal sizes"))
            }
            Expression::Random { draw, shape, dtype, stream, skip } => {
                let cells = draw::draw(*draw, *dtype, *stream, *skip, shape.iter().product());
                (*dtype, ArrayD::from_shape_vec(IxDyn(shape), cells).expect("equal sizes"))
            }
            Expression::Arange { count, dtype } => {
                let cell = |at: IxDyn| Cell::exact(Value::I64(at[0] as i64).cast(*dtype));
                (*dtype, ArrayD::from_shape_fn(IxDyn(&[*count]), cell))
            }
            Expression::Arrange { of, how } => {
                let types: Result<Vec<DType>, String> =
                    of.iter().map(|name| Ok(self.variable(*name)?.dtype)).collect();
                let dtype = types?.into_iter().reduce(promote).ok_or("no arrays")?;
                let arrays: Result<Vec<_>, String> = of
                    .iter()
                    .map(|name| Ok(self.cells(*name)?.mapv(|cell| cell.cast(dtype))))
                    .collect();
                (dtype, arrangement::arrange(&arrays?, dtype, how)?)
            }
            Expression::Clone(of) => {
                let variable = self.variable(*of)?.clone();
                let whole = variable.positions.len() == self.storages[variable.storage].len();
                if whole && self.writable(*of) {
                    // All of an array is cloned with its layout (NumPy's order K), which decides
                    // whether a reshape of the clone is a view.
                    self.storages.push(self.storages[variable.storage].clone());
                    return Ok(Variable { storage: self.storages.len() - 1, ..variable });
                }
                (variable.dtype, self.gather(&variable))
            }
            Expression::Unary { operator, of } => {
                let from = self.variable(*of)?.dtype;
                let (compute, dtype) = unary_dtypes(*operator, from)?;
                (dtype, self.cells(*of)?.mapv(|cell| cell.cast(compute).unary(*operator)))
            }
            Expression::Binary { operator, left, right } => {
                let common = self.promote(&[*left, *right])?;
                let (compute, dtype) = binary_dtypes(*operator, common)?;
                if let (Binary::Apply(darray::Binary::Power), Operand::Integer(..0), false) =
                    (operator, right, compute.is_float())
                {
                    return Err("a negative power of integers".to_string());
                }
                let (_, operands) = self.operands(&[*left, *right], compute)?;
                (dtype, zip(&operands[0], &operands[1], |a, b| a.binary(*operator, b)))
            }
            Expression::Compare { comparison, left, right } => {
                let mut dtype = self.promote(&[*left, *right])?;
                if !(fits(*left, dtype) && fits(*right, dtype)) {
                    dtype = DType::I64;
                }
                let (_, operands) = self.operands(&[*left, *right], dtype)?;
                (DType::Bool, zip(&operands[0], &operands[1], |a, b| a.compare(*comparison, b)))
            }
            Expression::Select { mask, then, otherwise } => {
                if self.variable(*mask)?.dtype != DType::Bool {
                    return Err("the mask is not bool".to_string());
                }
                let dtype = self.promote(&[*then, *otherwise])?;
                let (_, all) = self.operands(&[*then, *otherwise, Operand::Name(*mask)], dtype)?;
                // The mask went through `dtype` with the others, which keeps what it says.
                let mask = all[2].mapv(|cell| cell.cast(DType::Bool));
                let pairs = zip(&all[0], &all[1], |a, b| (a, b));
                (dtype, zip(&mask, &pairs, |m, (a, b)| m.select(a, b)))
            }
            Expression::Cast { of, dtype } => {
                (*dtype, self.cells(*of)?.mapv(|cell| cell.cast(*dtype)))
            }
            Expression::Reduce { reduction, of, axes, keepdims } => {
                self.reduce(*reduction, *of, axes.as_deref(), *keepdims)?
            }
            Expression::Matmul { left, right } => {
                let dtype = self.promote(&[Operand::Name(*left), Operand::Name(*right)])?;
                let operand = |name: &Name| self.operand(Operand::Name(*name), dtype);
                (dtype, product::matmul(&operand(left)?, &operand(right)?, dtype)?)
            }
            Expression::Tensordot { left, right, count } => {
                let dtype = self.promote(&[Operand::Name(*left), Operand::Name(*right)])?;
                let operand = |name: &Name| self.operand(Operand::Name(*name), dtype);
                (dtype, product::tensordot(&operand(left)?, &operand(right)?, *count, dtype)?)
            }
            Expression::Scan { reduction, of, axis } => {
                let dtype = reduction.dtype(self.variable(*of)?.dtype);
                let cells = self.operand(Operand::Name(*of), dtype)?;
                (dtype, scan::scan(cells, dtype, *reduction, *axis)?)
            }
        };
        Ok(self.store(dtype, cells))
    }

    fn reduce(
        &self,
        reduction: Reduction,
        of: Name,
        axes: Option<&[isize]>,
        keepdims: bool,
    ) -> Result<(DType, ArrayD<Cell>), String> {
        let from = self.variable(of)?.dtype;
        let reduction = if from.is_float() { reduction } else { reduction.with_nan() };
        if reduction == Reduction::Range && from == DType::Bool {
            return Err("range of bool".to_string());
        }
        let (operand, dtype) = (reduction.operand(from), reduction.dtype(from));
        let axes = normalise(axes, self.variable(of)?.positions.ndim())?;
        let cells = self.cells(of)?.mapv(|cell| cell.cast(operand));
        Ok((dtype, reduce::reduce(&cells, operand, reduction, &axes, keepdims)?))
    }

    /// A new storage of these cells.
    fn store(&mut self, dtype: DType, cells: ArrayD<Cell>) -> Variable {
        debug_assert!(cells.iter().all(|cell| cell.value.dtype() == dtype));
        let positions = view::whole(cells.shape());
        self.storages.push(cells.into_iter().collect());
        Variable { storage: self.storages.len() - 1, dtype, positions }
    }

    fn write(&mut self, target: Name, cells: ArrayD<Cell>) -> Result<(), String> {
        let variable = self.variable(target)?.clone();
        if !self.writable(target) {
            return Err(format!("a{target} reaches an element twice"));
        }
        let shape = variable.positions.shape();
        let Some(cells) = cells.broadcast(shape) else {
            return Err(format!("{:?} does not broadcast to {shape:?}", cells.shape()));
        };
        for (&at, &cell) in variable.positions.iter().zip(cells) {
            self.storages[variable.storage][at] = cell;
        }
        Ok(())
    }

    fn storage(&self, name: Name) -> Option<usize> {
        self.variables.get(&name).map(|v| v.storage)
    }

    fn variable(&self, name: Name) -> Result<&Variable, String> {
        self.variables.get(&name).ok_or_else(|| format!("a{name} is not defined"))
    }

    fn gather(&self, variable: &Variable) -> ArrayD<Cell> {
        variable.positions.mapv(|at| self.storages[variable.storage][at])
    }

    fn cells(&self, name: Name) -> Result<ArrayD<Cell>, String> {
        Ok(self.gather(self.variable(name)?))
    }

    /// The type in which operands meet: NumPy's table for arrays, weak scalars.
    fn promote(&self, operands: &[Operand]) -> Result<DType, String> {
        let mut common = None;
        for operand in operands {
            if let Operand::Name(name) = operand {
                let dtype = self.variable(*name)?.dtype;
                common = Some(common.map_or(dtype, |other| promote(dtype, other)));
            }
        }
        let common = common.ok_or("no array among the operands")?;
        Ok(operands.iter().fold(common, |dtype, operand| weak(dtype, *operand)))
    }

    /// One operand in type `dtype`.
    ///
    /// # Errors
    /// When its own type does not promote to `dtype`, or `dtype` cannot hold the integer.
    fn operand(&self, operand: Operand, dtype: DType) -> Result<ArrayD<Cell>, String> {
        if !fits(operand, dtype) {
            return Err(format!("{operand} is no {dtype}"));
        }
        let scalar = |value: Value| ArrayD::from_elem(IxDyn(&[]), Cell::exact(value.cast(dtype)));
        let (found, cells) = match operand {
            Operand::Name(name) => {
                let cells = self.cells(name)?.mapv(|cell| cell.cast(dtype));
                (promote(self.variable(name)?.dtype, dtype), cells)
            }
            Operand::Integer(value) => (weak(dtype, operand), scalar(Value::I64(value))),
            Operand::Float(value) => (weak(dtype, operand), scalar(Value::F64(value))),
        };
        if found == dtype { Ok(cells) } else { Err(format!("{found} does not fit into {dtype}")) }
    }

    /// All operands in type `dtype`, broadcast together.
    fn operands(&self, operands: &[Operand], dtype: DType) -> Result<Operands, String> {
        let arrays: Result<Vec<_>, _> = operands.iter().map(|o| self.operand(*o, dtype)).collect();
        let arrays = arrays?;
        let mut shape = Vec::new();
        for array in &arrays {
            shape = broadcast(&shape, array.shape())
                .ok_or_else(|| format!("{shape:?} and {:?} do not broadcast", array.shape()))?;
        }
        let fit = |a: &ArrayD<Cell>| a.broadcast(IxDyn(&shape)).expect("broadcasts").to_owned();
        Ok((dtype, arrays.iter().map(fit).collect()))
    }
}

/// Host data: small integers and fractions, now and then a special value.
pub fn data(dtype: DType, seed: u64, count: usize) -> Vec<Value> {
    const SPECIAL: [f64; 8] =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 1e-310, 3e9, -1e19];
    let mut random = Random::new(seed);
    let special = random.chance(15);
    let element = |random: &mut Random| {
        if dtype == DType::Bool {
            return Value::Bool(random.chance(50));
        }
        if special && random.chance(20) {
            return Value::F64(random.pick(&SPECIAL)).cast(dtype);
        }
        let whole = random.between(-9, 9) as f64;
        let part = random.below(16) as f64 / 16.0;
        if dtype.is_integer() {
            // Below zero, unsigned ones wrap.
            return Value::I64(whole as i64).cast(dtype);
        }
        // Thirds do not fit into a float, so every rounding shows.
        let value = if random.chance(30) { (whole + part) / 3.0 } else { whole + part };
        Value::F64(value).cast(dtype)
    };
    (0..count).map(|_| element(&mut random)).collect()
}

/// NumPy's table for two arrays: the later one of bool, u8, i32, i64, f32, f64, but f64 where an f32
/// cannot hold the integers.
pub fn promote(a: DType, b: DType) -> DType {
    match (a.min(b), a.max(b)) {
        (DType::I32 | DType::I64, DType::F32) => DType::F64,
        (_, greater) => greater,
    }
}

/// The type that a scalar operand makes of an array's.
fn weak(dtype: DType, scalar: Operand) -> DType {
    match scalar {
        Operand::Integer(_) if dtype == DType::Bool => DType::I64,
        Operand::Float(_) if !dtype.is_float() => DType::F64,
        _ => dtype,
    }
}

/// Whether the type can hold an operand: all but an integer type any.
fn fits(operand: Operand, dtype: DType) -> bool {
    match (operand, dtype) {
        (Operand::Integer(value), DType::U8) => (0..256).contains(&value),
        (Operand::Integer(value), DType::I32) => (-(1 << 31)..1 << 31).contains(&value),
        _ => true,
    }
}

/// The types in which an operator computes and what it gives.
fn unary_dtypes(operator: Unary, from: DType) -> Result<(DType, DType), String> {
    let undefined = || format!("{operator:?} of {from}");
    match operator {
        Unary::Apply(operation) => {
            let rule = operation.rule(from).ok_or_else(undefined)?;
            Ok((rule.compute, rule.output))
        }
        Unary::Power(_) if from == DType::Bool => Err(undefined()),
        Unary::Power(_) => Ok((from, from)),
    }
}

/// The types in which an operator computes and what it gives.
fn binary_dtypes(operator: Binary, common: DType) -> Result<(DType, DType), String> {
    let undefined = || format!("{operator:?} of {common}");
    let dtype = match operator {
        Binary::Apply(operation) => {
            let rule = operation.rule(common).ok_or_else(undefined)?;
            return Ok((rule.compute, rule.output));
        }
        Binary::And | Binary::Or | Binary::Xor if common.is_float() => return Err(undefined()),
        Binary::Divide if !common.is_float() => DType::F64,
        Binary::And | Binary::Or | Binary::Xor | Binary::Minimum | Binary::Maximum => common,
        _ if common == DType::Bool => return Err(undefined()),
        _ => common,
    };
    Ok((dtype, dtype))
}

/// Axes counted from the start, ascending.
fn normalise(axes: Option<&[isize]>, rank: usize) -> Result<Vec<usize>, String> {
    let Some(axes) = axes else { return Ok((0..rank).collect()) };
    let mut normal = BTreeSet::new();
    for &axis in axes {
        let from_start = if axis < 0 { axis + rank as isize } else { axis };
        if !(0..rank as isize).contains(&from_start) || !normal.insert(from_start as usize) {
            return Err(format!("axes {axes:?} of rank {rank}"));
        }
    }
    Ok(normal.into_iter().collect())
}

fn zip<A: Copy, B: Copy, C>(a: &ArrayD<A>, b: &ArrayD<B>, f: impl Fn(A, B) -> C) -> ArrayD<C> {
    ndarray::Zip::from(a).and(b).map_collect(|&a, &b| f(a, b))
}
