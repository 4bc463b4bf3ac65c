//! Expressions.

use super::cell::{Cell, Value};
use super::operands::together;
use super::shape::{arrangement, view};
use super::types::{
    binary_dtypes, is_function, normalise, promote, promote_function, unary_dtypes, weak,
};
use super::{Oracle, Variable, creation, draw, indices, product, reduce, scan, zip};
use crate::program::{Binary, Expression, Joint, Name, Operand, Reduction, View};
use darray::{Indexing, Norm};
use darray_core::RealType;
use ndarray::{ArrayD, IxDyn};

impl Oracle {
    pub(super) fn evaluate(&mut self, expression: &Expression) -> Result<Variable, String> {
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
                (*dtype, creation::full(shape, *dtype, *value))
            }
            Expression::Data { shape, dtype, seed } => {
                let cells = creation::data(*dtype, *seed, shape.iter().product());
                let cells = cells.into_iter().map(Cell::exact).collect();
                (*dtype, ArrayD::from_shape_vec(IxDyn(shape), cells).expect("equal sizes"))
            }
            Expression::Random { draw, shape, dtype, stream, skip } => {
                let cells = draw::draw(*draw, *dtype, *stream, *skip, shape.iter().product());
                (*dtype, ArrayD::from_shape_vec(IxDyn(shape), cells).expect("equal sizes"))
            }
            Expression::Create { what, dtype } => (*dtype, creation::create(what, *dtype)?),
            Expression::Like { of, value } => {
                let dtype = self.variable(*of)?.dtype;
                let shape = self.variable(*of)?.positions.shape();
                (dtype, creation::full(shape, dtype, value.unwrap_or(0.0)))
            }
            Expression::OneOf { of, how, part } => {
                let (seen, aliases) = self.joint(of, *how, *part)?;
                if aliases {
                    return Ok(seen);
                }
                (seen.dtype, self.gather(&seen))
            }
            Expression::Arrange { of, how } => {
                let types: Result<Vec<RealType>, String> =
                    of.iter().map(|name| Ok(self.variable(*name)?.dtype)).collect();
                let dtype = types?.into_iter().reduce(promote).ok_or("no arrays")?;
                let arrays: Result<Vec<_>, String> = of
                    .iter()
                    .map(|name| Ok(self.cells(*name)?.mapv(|cell| cell.cast(dtype))))
                    .collect();
                (dtype, arrangement::arrange(&arrays?, dtype, how)?)
            }
            Expression::Clone(of) => {
                let variable = self.variable(*of)?;
                (variable.dtype, self.gather(variable))
            }
            Expression::Carry { of, .. } => (self.variable(*of)?.dtype, self.cells(*of)?),
            Expression::Unary { operator, of } => {
                let from = self.variable(*of)?.dtype;
                let (compute, dtype) = unary_dtypes(*operator, from)?;
                let cells = self.cells(*of)?;
                (dtype, cells.mapv(|cell| cell.cast(compute).unary(*operator).cast(dtype)))
            }
            Expression::Binary { operator, left, right } => {
                let common = match (operator, left, right) {
                    (Binary::Apply(operation), Operand::Name(a), Operand::Name(b))
                        if is_function(*operation) =>
                    {
                        let [a, b] =
                            [a, b].map(|name| Ok::<_, String>(self.variable(*name)?.dtype));
                        promote_function(a?, b?)
                    }
                    _ => self.promote(&[*left, *right])?,
                };
                let (compute, dtype) = binary_dtypes(*operator, common)?;
                if let (Binary::Apply(darray::Binary::Power), Operand::Integer(..0), false) =
                    (operator, right, compute.is_float())
                {
                    return Err("a negative power of integers".to_string());
                }
                let fixed = matches!(operator, Binary::Apply(darray::Binary::Power))
                    && matches!(right, Operand::Integer(_) | Operand::Float(_))
                    && compute.is_float();
                let (_, operands) = self.operands(&[*left, *right], compute)?;
                let apply = |a: Cell, b: Cell| match fixed {
                    true => a.power_of_scalar(b),
                    false => a.binary(*operator, b),
                };
                (dtype, zip(&operands[0], &operands[1], apply))
            }
            Expression::Compare { comparison, left, right } => {
                let dtype = self.promote(&[*left, *right])?;
                let of_integers = |operand: &Operand| match *operand {
                    Operand::Name(name) => Ok(!self.variable(name)?.dtype.is_float()),
                    Operand::Integer(_) => Ok::<_, String>(true),
                    Operand::Float(_) => Ok(false),
                };
                // Integers are compared as the numbers that they are.
                let own = |operand: &Operand| match *operand {
                    Operand::Name(name) => self.operand(*operand, self.variable(name)?.dtype),
                    _ => self.operand(*operand, RealType::I64),
                };
                let operands = match of_integers(left)? && of_integers(right)? {
                    true => together(&[own(left)?, own(right)?])?,
                    false => self.operands(&[*left, *right], dtype)?.1,
                };
                (RealType::Bool, zip(&operands[0], &operands[1], |a, b| a.compare(*comparison, b)))
            }
            Expression::Select { mask, then, otherwise } => {
                if self.variable(*mask)?.dtype != RealType::Bool {
                    return Err("the mask is not bool".to_string());
                }
                let dtype = self.promote(&[*then, *otherwise])?;
                let (_, all) = self.operands(&[*then, *otherwise, Operand::Name(*mask)], dtype)?;
                // The mask went through `dtype` with the others, which keeps what it says.
                let mask = all[2].mapv(|cell| cell.cast(RealType::Bool));
                let pairs = zip(&all[0], &all[1], |a, b| (a, b));
                (dtype, zip(&mask, &pairs, |m, (a, b)| m.select(a, b)))
            }
            Expression::MulAdd { of, factor, addend } => {
                let all = [Operand::Name(*of), *factor, *addend];
                let dtype = self.promote(&all)?;
                if !dtype.is_float() {
                    return Err(format!("mul_add of {dtype}"));
                }
                let (_, all) = self.operands(&all, dtype)?;
                let pairs = zip(&all[1], &all[2], |y, z| (y, z));
                (dtype, zip(&all[0], &pairs, |x, (y, z)| x.mul_add(y, z)))
            }
            Expression::Clip { of, low, high } => {
                let all = (self.variable(*of)?.dtype, self.cells(*of)?);
                let raised = self.limit(Binary::Maximum, all, *low)?;
                self.limit(Binary::Minimum, raised, *high)?
            }
            Expression::NanToNum { of, nan, high, low } => {
                let dtype = self.variable(*of)?.dtype;
                let largest = if dtype.is_float() { dtype.largest() } else { f64::MAX };
                let (high, low) = (high.unwrap_or(largest), low.unwrap_or(-largest));
                (dtype, self.cells(*of)?.mapv(|cell| cell.finite(*nan, high, low)))
            }
            Expression::Cast { of, dtype } => {
                (*dtype, self.cells(*of)?.mapv(|cell| cell.cast(*dtype)))
            }
            Expression::Reduce { reduction, of, axes, keepdims, mask } => {
                self.reduce(*reduction, *of, axes.as_deref(), *keepdims, *mask)?
            }
            Expression::Product { product, left, right } => {
                let dtype = self.promote(&[Operand::Name(*left), Operand::Name(*right)])?;
                let operand = |name: &Name| self.operand(Operand::Name(*name), dtype);
                (dtype, product::product(product, &operand(left)?, &operand(right)?, dtype)?)
            }
            Expression::Trace { of, offset, rows, columns } => {
                let view = View::Diagonal { offset: *offset, rows: *rows, columns: *columns };
                let from = self.variable(*of)?;
                let (positions, _) = view::see(&from.positions, &view)?;
                let cells = self.gather(&Variable { positions, ..*from });
                let last = cells.ndim() - 1;
                let dtype = reduce::result_type(Reduction::Sum, from.dtype);
                let cells = cells.mapv(|cell| cell.cast(dtype));
                (dtype, reduce::reduce(&cells, dtype, Reduction::Sum, &[last], false)?)
            }
            Expression::Scan { reduction, of, axis } => {
                let own = self.variable(*of)?.dtype;
                let dtype = match reduction {
                    Reduction::Max | Reduction::Min => own,
                    _ => reduce::result_type(*reduction, own),
                };
                let cells = self.operand(Operand::Name(*of), dtype)?;
                (dtype, scan::scan(cells, dtype, *reduction, *axis)?)
            }
            Expression::Sort { of, axis, indices: wanted } => {
                let dtype = if *wanted { RealType::I64 } else { self.variable(*of)?.dtype };
                (dtype, indices::sort(self.cells(*of)?, *axis, *wanted)?)
            }
            Expression::Find { finding, of, by, axis } => self.find(*finding, *of, *by, *axis)?,
            Expression::Take { of, indices, axis, own } => {
                (self.variable(*of)?.dtype, self.take(*of, *indices, *axis, *own)?)
            }
        };
        Ok(self.store(dtype, cells))
    }

    /// The larger or the smaller of the elements and a bound, where there is one.
    fn limit(
        &self,
        operator: Binary,
        (dtype, cells): (RealType, ArrayD<Cell>),
        bound: Option<Operand>,
    ) -> Result<(RealType, ArrayD<Cell>), String> {
        let common = match bound {
            None => return Ok((dtype, cells)),
            Some(Operand::Name(name)) => promote(dtype, self.variable(name)?.dtype),
            Some(scalar) => weak(dtype, scalar),
        };
        let bound = bound.map(|bound| self.operand(bound, common)).transpose()?;
        let all = [Some(cells.mapv(|cell| cell.cast(common))), bound];
        let all = together(&all.into_iter().flatten().collect::<Vec<_>>())?;
        Ok((common, zip(&all[0], &all[1], |a, b| a.binary(operator, b))))
    }

    /// One of several arrays that are made of several, and whether it aliases its own.
    fn joint(&self, of: &[Name], how: Joint, part: usize) -> Result<(Variable, bool), String> {
        let all: Result<Vec<&Variable>, String> = of.iter().map(|n| self.variable(*n)).collect();
        let all = all?;
        let variable = all.get(part).ok_or("no such part")?;
        let positions = match how {
            Joint::Broadcast => {
                let arrays: Vec<_> = all.iter().map(|v| v.positions.clone()).collect();
                together(&arrays)?.swap_remove(part)
            }
            Joint::Grid(indexing) => {
                let mut axes: Vec<usize> = (0..all.len()).collect();
                if indexing == Indexing::Xy && axes.len() > 1 {
                    axes.swap(0, 1);
                }
                let mut shape = vec![0; all.len()];
                for (variable, axis) in all.iter().zip(&axes) {
                    shape[*axis] = variable.positions.len();
                }
                let flat: Vec<usize> = variable.positions.iter().copied().collect();
                ArrayD::from_shape_fn(IxDyn(&shape), |at| flat[at[axes[part]]])
            }
        };
        Ok((Variable { positions, ..**variable }, how == Joint::Broadcast))
    }

    pub(super) fn reduce(
        &self,
        reduction: Reduction,
        of: Name,
        axes: Option<&[isize]>,
        keepdims: bool,
        mask: Option<Name>,
    ) -> Result<(RealType, ArrayD<Cell>), String> {
        let from = self.variable(of)?.dtype;
        let reduction = if from.is_float() { reduction } else { reduce::with_nan(reduction) };
        if reduction == Reduction::Ptp && from == RealType::Bool {
            return Err("range of bool".to_string());
        }
        let operand = reduce::operand(reduction, from);
        let dtype = reduce::result_type(reduction, from);
        let axes = normalise(axes, self.variable(of)?.positions.ndim())?;
        if reduction == Reduction::Norm(Norm::Frobenius) && axes.len() != 2 {
            return Err(format!("the norm of a matrix over axes {axes:?}"));
        }
        let mut cells = self.cells(of)?.mapv(|cell| cell.cast(operand));
        if let Some(mask) = mask {
            // What does not count changes nothing.
            let neutral = match reduction {
                Reduction::Prod | Reduction::All => 1,
                _ => 0,
            };
            let neutral = Cell::exact(Value::whole(neutral)).cast(operand);
            cells
                .zip_mut_with(&self.cells(mask)?, |cell, held| *cell = held.select(*cell, neutral));
        }
        Ok((dtype, reduce::reduce(&cells, operand, reduction, &axes, keepdims)?))
    }
}
