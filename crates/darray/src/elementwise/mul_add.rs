//! Multiplication and addition with one rounding.

use crate::elementwise::emission::{ElementOp, Elementwise};
use crate::elementwise::operand::{dtypes, undefined};
use crate::error::expect_at_caller;
use crate::{Argument, DArray, DynArray, Float, Operand};
use darray_core::{Place, Result, promote, promote_weak};
use darray_kernel::operator::Operator;

/// # Multiplication and addition at once
impl<T: Float> DArray<T> {
    /// `x * y + z`, rounded once.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0 + f64::EPSILON, 3.0]);
    /// let square = &x * &x;
    /// assert_eq!(x.mul_add(&x, -square).to_vec(), [f64::EPSILON * f64::EPSILON, 0.0]);
    /// ```
    #[track_caller]
    pub fn mul_add<Y, Z>(&self, y: Y, z: Z) -> DArray<Z::Output>
    where
        Y: Operand<T>,
        Z: Operand<Y::Output>,
    {
        DArray::wrap(expect_at_caller(self.as_dyn().mul_add(y.argument(), z.argument())))
    }
}

impl DynArray {
    /// `x * y + z`, rounded once, in the float type to which all three promote.
    ///
    /// Errors: they do not promote to floats; the shapes do not broadcast.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f32>::ones(2));
    /// let y = DArray::<f32>::try_from(x.mul_add(2.0, 0.5).unwrap()).unwrap();
    /// assert_eq!(y.to_vec(), [2.5, 2.5]);
    /// ```
    #[track_caller]
    pub fn mul_add<'a>(
        &'a self,
        y: impl Into<Argument<'a>>,
        z: impl Into<Argument<'a>>,
    ) -> Result<DynArray> {
        let (name, place) = ("mul_add", Place::caller());
        let operands = [Argument::Array(self), y.into(), z.into()];
        // Scalars are weak beside all arrays.
        let arrays = operands.iter().fold(self.dtype(), |dtype, operand| match operand {
            Argument::Array(array) => promote(dtype, array.dtype()),
            Argument::Scalar(_) | Argument::Complex(_) => dtype,
        });
        let compute = operands.iter().fold(arrays, |dtype, operand| match operand {
            Argument::Array(_) => dtype,
            Argument::Scalar(_) | Argument::Complex(_) => promote_weak(dtype, operand.dtype()),
        });
        if !compute.is_float() {
            return Err(undefined(name, &dtypes(&operands), place));
        }
        let compute = compute.part();
        let op = ElementOp::Apply { operator: Operator::Fma, compute };
        Elementwise { op, name, operands: &operands, place }.create(compute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_promote_and_integers_are_refused() {
        let ones = |dtype| DynArray::from(DArray::<f64>::ones(2)).cast(dtype).unwrap();
        use darray_core::DType::{Bool, F32, F64, I64};
        let result = |x: DynArray, y: DynArray, z: f64| x.mul_add(&y, z).unwrap().dtype();
        assert_eq!(result(ones(F32), ones(F32), 1.0), F32);
        assert_eq!(result(ones(F32), ones(I64), 1.0), F64);
        assert_eq!(result(ones(Bool), ones(F32), 1.0), F32);
        assert_eq!(ones(Bool).mul_add(2, &ones(F32)).unwrap().dtype(), F32);
        let error = ones(I64).mul_add(2, 3).unwrap_err().to_string();
        assert!(error.starts_with("mul_add: element types i64"), "{error}");
    }
}
