//! Operands of expressions in one type and of one shape.

use super::cell::{Cell, Value};
use super::types::{fits, promote, weak};
use super::{Oracle, broadcast};
use crate::program::Operand;
use darray_core::RealType;
use ndarray::{ArrayD, IxDyn};

/// Operands in one type, broadcast to one shape.
type Operands = (RealType, Vec<ArrayD<Cell>>);

impl Oracle {
    /// The type in which operands meet: NumPy's table for arrays, weak scalars.
    pub(super) fn promote(&self, operands: &[Operand]) -> Result<RealType, String> {
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
    pub(super) fn operand(
        &self,
        operand: Operand,
        dtype: RealType,
    ) -> Result<ArrayD<Cell>, String> {
        if !fits(operand, dtype) {
            return Err(format!("{operand} is no {dtype}"));
        }
        let scalar = |value: Value| ArrayD::from_elem(IxDyn(&[]), Cell::exact(value.cast(dtype)));
        let (found, cells) = match operand {
            Operand::Name(name) => {
                let cells = self.cells(name)?.mapv(|cell| cell.cast(dtype));
                (promote(self.variable(name)?.dtype, dtype), cells)
            }
            Operand::Integer(value) => (weak(dtype, operand), scalar(Value::whole(value))),
            Operand::Float(value) => (weak(dtype, operand), scalar(Value::F64(value))),
        };
        if found == dtype { Ok(cells) } else { Err(format!("{found} does not fit into {dtype}")) }
    }

    /// All operands in type `dtype`, broadcast together.
    pub(super) fn operands(
        &self,
        operands: &[Operand],
        dtype: RealType,
    ) -> Result<Operands, String> {
        let arrays: Result<Vec<_>, _> = operands.iter().map(|o| self.operand(*o, dtype)).collect();
        Ok((dtype, together(&arrays?)?))
    }
}

/// The arrays broadcast to one shape.
///
/// # Errors
/// A text when they do not broadcast.
pub fn together<T: Copy>(arrays: &[ArrayD<T>]) -> Result<Vec<ArrayD<T>>, String> {
    let mut shape = Vec::new();
    for array in arrays {
        shape = broadcast(&shape, array.shape())
            .ok_or_else(|| format!("{shape:?} and {:?} do not broadcast", array.shape()))?;
    }
    let fit = |a: &ArrayD<T>| a.broadcast(IxDyn(&shape)).expect("broadcasts").to_owned();
    Ok(arrays.iter().map(fit).collect())
}
