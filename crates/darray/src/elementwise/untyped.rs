//! Element-wise operations of arrays whose element type is known at run time: by the operation's rule to what is emitted.

use crate::array::number::real_value;
use crate::elementwise::complex::{self, term::Origin};
use crate::elementwise::emission::{ElementOp, Elementwise};
use crate::elementwise::exponent::fixed_exponent;
use crate::elementwise::nullary::filled_in;
use crate::elementwise::operand::{dtypes, promoted, promoted_of, undefined};
use crate::elementwise::real;
use crate::error::expect_at_caller;
use crate::{Argument, Binary, DynArray, Unary};
use darray_core::{DType, Error, ErrorKind, Place, Result};
use darray_kernel::operator::Operator;

impl DynArray {
    /// A new array with the same elements.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::zeros(2));
    /// x.copy().unwrap().assign(1.0).unwrap();
    /// assert_eq!(DArray::<f64>::try_from(x).unwrap().to_vec(), [0.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn copy(&self) -> Result<DynArray> {
        self.copy_at(Place::caller())
    }

    pub(crate) fn copy_at(&self, place: Place) -> Result<DynArray> {
        self.copy_as("copy", self.dtype(), place)
    }

    /// The same elements as an independent array, whose own order is the row-major one, for the operation of this name.
    pub(crate) fn clone_as(&self, name: &'static str, place: Place) -> Result<DynArray> {
        if self.view().is_row_major(self.whole_shape()) {
            return Ok(self.snapshot());
        }
        self.copy_as(name, self.dtype(), place)
    }

    pub(crate) fn copy_as(
        &self,
        name: &'static str,
        dtype: impl Into<DType>,
        place: Place,
    ) -> Result<DynArray> {
        let dtype = dtype.into();
        if self.is_complex() || dtype.is_complex() {
            return self.complex_copy_as(name, dtype, place);
        }
        let operands = [Argument::Array(self)];
        Elementwise { op: ElementOp::Copy, name, operands: &operands, place }.create(dtype.part())
    }

    /// As [`copy_as`](Self::copy_as), from or to complex numbers.
    fn complex_copy_as(&self, name: &'static str, dtype: DType, place: Place) -> Result<DynArray> {
        let part = |x: &DynArray| x.copy_as(name, dtype.part(), place);
        match self.parts() {
            Some(_) if dtype == DType::Bool => self.nonzero_as(name, place),
            Some(_) if !dtype.is_complex() => {
                let (found, expected) = (vec![self.dtype()], real_value(dtype));
                Err(Error::new(name, ErrorKind::DType { found, expected }, place))
            }
            Some([re, im]) => DynArray::complex_of(part(&re)?, part(&im)?, name, place),
            None => {
                let (zero, part_type) = (false.into(), dtype.part().into());
                let im = filled_in(self.runtime(), name, part_type, self.shape_of(), zero, place)?;
                DynArray::complex_of(part(self)?, im, name, place)
            }
        }
    }

    /// A new array with the elements converted: floats to integers toward zero and saturating,
    /// integers to narrower ones by their low bits, anything to bool by comparison with zero, real numbers to complex ones
    /// without imaginary parts.
    ///
    /// Errors: complex numbers to real ones, which would lose their imaginary parts.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![1.5, -1.5]));
    /// let n = DArray::<i64>::try_from(x.cast(DType::I64).unwrap()).unwrap();
    /// assert_eq!(n.to_vec(), [1, -1]);
    /// ```
    #[track_caller]
    pub fn cast(&self, dtype: DType) -> Result<DynArray> {
        self.copy_as("astype", dtype, Place::caller())
    }

    /// An element-wise operation.
    ///
    /// Errors: the operation is not defined for the element type.
    ///
    /// ```
    /// use darray::{DArray, DynArray, Unary};
    /// let mask = DynArray::from(DArray::from_vec(vec![true]));
    /// let error = mask.unary(Unary::Neg).unwrap_err();
    /// assert!(error.to_string().starts_with("negative: element types bool"));
    /// ```
    #[track_caller]
    pub fn unary(&self, operation: Unary) -> Result<DynArray> {
        unary_as(operation.name(), operation, self, Place::caller())
    }

    /// An operation with another array or a weak scalar on the right.
    ///
    /// Errors: the shapes do not broadcast; the operation is not defined for the element types; the
    /// array's type cannot hold an integer scalar.
    ///
    /// ```
    /// use darray::{Binary, DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones(3));
    /// let y = DynArray::from(DArray::<f64>::ones(4));
    /// let error = x.binary(Binary::Add, &y).unwrap_err();
    /// assert!(error.to_string().starts_with("add: shapes [3] and [4] do not broadcast"));
    /// ```
    #[track_caller]
    pub fn binary<'a>(
        &'a self,
        operation: Binary,
        right: impl Into<Argument<'a>>,
    ) -> Result<DynArray> {
        binary(operation, Argument::Array(self), right.into(), Place::caller())
    }

    /// As [`binary`](Self::binary) with this array on the right and a weak scalar on the left.
    ///
    /// ```
    /// use darray::{Binary, DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![4.0, 8.0]));
    /// let y = x.binary_reversed(Binary::Div, 1.0).unwrap();
    /// assert_eq!(DArray::<f64>::try_from(y).unwrap().to_vec(), [0.25, 0.125]);
    /// ```
    #[track_caller]
    pub fn binary_reversed<'a>(
        &'a self,
        operation: Binary,
        left: impl Into<Argument<'a>>,
    ) -> Result<DynArray> {
        binary(operation, left.into(), Argument::Array(self), Place::caller())
    }

    /// `self = self op right`, in the array's own type and shape, seen by every view.
    ///
    /// Errors: as [`binary`](Self::binary); the result does not fit this array's shape or element
    /// type.
    ///
    /// ```
    /// use darray::{Binary, DArray, DynArray, s};
    /// let x = DArray::<f64>::ones(3);
    /// DynArray::from(x.slice(s![1..])).update(Binary::Mul, 5.0).unwrap();
    /// assert_eq!(x.to_vec(), [1.0, 5.0, 5.0]);
    /// ```
    #[track_caller]
    pub fn update<'a>(&'a self, operation: Binary, right: impl Into<Argument<'a>>) -> Result<()> {
        update_as(operation.name(), operation, self, right.into(), Place::caller())
    }

    /// Writes `value`, broadcast to this shape and cast to this element type, as if all of it were
    /// read before anything is written. It may have more axes in front, of extent 1.
    ///
    /// Errors: the shapes do not broadcast; this is a view that reaches an element twice; the value is complex, this array real.
    ///
    /// ```
    /// use darray::{DArray, DynArray, s};
    /// let x = DArray::<i64>::arange(4);
    /// let (to, from) = (x.slice(s![1..]), x.slice(s![..-1]));
    /// DynArray::from(to).assign(&DynArray::from(from)).unwrap();
    /// assert_eq!(x.to_vec(), [0, 0, 1, 2]);
    /// ```
    #[track_caller]
    pub fn assign<'a>(&self, value: impl Into<Argument<'a>>) -> Result<()> {
        self.assign_as(value.into(), "assign", Place::caller())
    }

    /// As [`assign`](Self::assign), for the operation of this name.
    pub(crate) fn assign_as(
        &self,
        value: Argument<'_>,
        name: &'static str,
        place: Place,
    ) -> Result<()> {
        if let Some(parts) = self.parts() {
            return complex::write::assign(Origin { name, place }, &parts, value);
        }
        self.refuse_complex(value, name, place)?;
        let operands = [value];
        Elementwise { op: ElementOp::Copy, name, operands: &operands, place }.update(self)
    }

    /// Refuses a complex value for this real array.
    pub(crate) fn refuse_complex(
        &self,
        value: Argument<'_>,
        name: &'static str,
        place: Place,
    ) -> Result<()> {
        if !value.is_complex() {
            return Ok(());
        }
        let (found, expected) = (vec![value.dtype()], real_value(self.dtype()));
        Err(Error::new(name, ErrorKind::DType { found, expected }, place))
    }

    /// NumPy's `where`: this mask's choice between two operands, of which not both are scalars of
    /// different kinds.
    ///
    /// Errors: this array is not bool; the shapes do not broadcast.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let mask = DynArray::from(DArray::from_vec(vec![true, false]));
    /// let x = DynArray::from(DArray::<f64>::ones(2));
    /// let y = DArray::<f64>::try_from(mask.select(&x, 0.0).unwrap()).unwrap();
    /// assert_eq!(y.to_vec(), [1.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn select<'a>(
        &'a self,
        then: impl Into<Argument<'a>>,
        otherwise: impl Into<Argument<'a>>,
    ) -> Result<DynArray> {
        select_as("where", self, then.into(), otherwise.into(), Place::caller())
    }
}

/// A mask's choice between two operands, for the operation of this name.
pub(crate) fn select_as(
    name: &'static str,
    mask: &DynArray,
    then: Argument<'_>,
    otherwise: Argument<'_>,
    place: Place,
) -> Result<DynArray> {
    if mask.dtype() != DType::Bool {
        let expected = "a mask of type bool".to_string();
        let kind = ErrorKind::DType { found: vec![mask.dtype()], expected };
        return Err(Error::new(name, kind, place));
    }
    let dtype = promoted_of(then, otherwise);
    let compute = dtype.part();
    if dtype.is_complex() {
        return complex::write::select(Origin { name, place }, mask, [then, otherwise], compute);
    }
    let op = ElementOp::Apply { operator: Operator::Select, compute };
    let operands = [Argument::Array(mask), then, otherwise];
    Elementwise { op, name, operands: &operands, place }.create(compute)
}

/// `array = array operation right`, for the operation of this name.
pub(crate) fn update_as(
    name: &'static str,
    operation: Binary,
    array: &DynArray,
    right: Argument<'_>,
    place: Place,
) -> Result<()> {
    let right = right.seen_by(operation);
    let promoted = promoted(array.dtype(), right);
    let operands = [Argument::Array(array), right];
    let other_type = |output: DType| {
        let expected = format!("a result of type {}, not {output}", array.dtype());
        Error::new(name, ErrorKind::DType { found: dtypes(&operands), expected }, place)
    };
    if promoted.is_complex() {
        return match array.parts() {
            Some(parts) if promoted == array.dtype() => {
                complex::write::update(Origin { name, place }, operation, operands, &parts)
            }
            _ => Err(other_type(promoted)),
        };
    }
    let rule = operation.rule(promoted.part());
    let rule = rule.ok_or_else(|| undefined(name, &dtypes(&operands), place))?;
    if array.dtype() != rule.output {
        return Err(other_type(rule.output.into()));
    }
    let (op, operands) = match fixed_exponent(operation, operands, rule.compute, place)? {
        Some(exponent) => (ElementOp::powi(exponent, rule.compute), &operands[..1]),
        None => {
            let op = ElementOp::Apply { operator: rule.operator, compute: rule.compute };
            (op, &operands[..])
        }
    };
    Elementwise { op, name, operands, place }.update(array)
}

/// Emits an operation of one array under the name of the operation that it is a part of.
pub(crate) fn unary_as(
    name: &'static str,
    operation: Unary,
    x: &DynArray,
    place: Place,
) -> Result<DynArray> {
    match x.parts() {
        None => real::unary(name, operation, x, place),
        Some(parts) => complex::functions::unary(Origin { name, place }, operation, &parts),
    }
}

/// Emits an operation of two operands.
fn binary(
    operation: Binary,
    left: Argument<'_>,
    right: Argument<'_>,
    place: Place,
) -> Result<DynArray> {
    binary_as(operation.name(), operation, left, right, place)
}

/// Emits an operation of two operands under the name of the operation that it is a part of.
#[inline]
pub(crate) fn binary_as(
    name: &'static str,
    operation: Binary,
    left: Argument<'_>,
    right: Argument<'_>,
    place: Place,
) -> Result<DynArray> {
    if left.is_complex() || right.is_complex() {
        let promoted = promoted_of(left, right);
        let operands = [left, right];
        return complex::arithmetic::binary(Origin { name, place }, operation, operands, promoted);
    }
    real::binary(name, operation, left, right, place)
}

impl Clone for DynArray {
    /// The same elements as an independent array, as NumPy's `copy`: every reshape of it is a view of it. O(1) where this is
    /// all of its store in row-major order (the store is copied before the first partial write through
    /// either), else a recorded copy.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::zeros((2, 3)));
    /// let clone = x.t().clone();
    /// clone.reshape(6).unwrap().assign(1.0).unwrap();
    /// assert_eq!(DArray::<f64>::try_from(clone).unwrap().to_vec(), [1.0; 6]);
    /// ```
    #[track_caller]
    fn clone(&self) -> DynArray {
        expect_at_caller(self.clone_as("copy", Place::caller()))
    }
}
