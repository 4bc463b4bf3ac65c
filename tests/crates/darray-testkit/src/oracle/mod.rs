//! An independent evaluation of programs over ndarray, one element at a time.
//!
//! Nothing of darray is used here but the names of the element types, the type rules of functions,
//! the seeding of random streams, and the operator table for functions that have no independent
//! evaluation (see `functions`). Views are arrays of positions in flat storages, so aliasing is
//! what NumPy's is by construction.

mod cell;
mod creation;
mod draw;
mod evaluate;
mod find;
mod functions;
mod indices;
mod operands;
mod product;
mod reduce;
mod rounding;
mod scan;
mod shape;
mod types;

use crate::program::{Name, Program, Statement};
use darray_core::RealType;
use ndarray::ArrayD;
use std::collections::{BTreeMap, BTreeSet};
use types::binary_dtypes;

pub use cell::{Cell, Value};
pub use creation::data;
pub use reduce::result_type;
pub use shape::view::broadcast;
pub use types::promote;

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
    dtype: RealType,
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
    pub dtype: RealType,
    /// Its elements in row-major order.
    pub cells: Vec<Cell>,
}

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
    pub fn look(&self, name: Name) -> Option<(&[usize], RealType)> {
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
                if self.variable(*mask)?.dtype != RealType::Bool {
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
            Statement::Put { target, indices, values, add: true, .. } => {
                let cells = self.add_at(*target, *indices, *values)?;
                self.write(*target, cells)
            }
            Statement::Put { target, indices, values, axis, .. } => {
                let cells = self.put(*target, *indices, *values, *axis)?;
                self.write(*target, cells)
            }
            Statement::ReduceInto { reduction, of, axes, target } => {
                let dtype = self.variable(*target)?.dtype;
                let (_, cells) = self.reduce(*reduction, *of, axes.as_deref(), false, None)?;
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

    /// A new storage of these cells.
    fn store(&mut self, dtype: RealType, cells: ArrayD<Cell>) -> Variable {
        debug_assert!(cells.iter().all(|cell| cell.value.dtype() == dtype));
        let positions = shape::view::whole(cells.shape());
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
}

fn zip<A: Copy, B: Copy, C>(a: &ArrayD<A>, b: &ArrayD<B>, f: impl Fn(A, B) -> C) -> ArrayD<C> {
    ndarray::Zip::from(a).and(b).map_collect(|&a, &b| f(a, b))
}
