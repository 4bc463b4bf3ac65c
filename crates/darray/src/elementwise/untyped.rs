//! Element-wise operations of arrays whose element type is known at run time: by the operation's rule to what is emitted.

use crate::elementwise::emission::{ElementOp, Elementwise};
use crate::elementwise::exponent::fixed_exponent;
use crate::elementwise::operand::dtypes;
use crate::error::expect_at_caller;
use crate::{Argument, Binary, DynArray, Unary};
use darray_core::{DType, Error, ErrorKind, Kind, Place, Result, promote, promote_weak};
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
        if self.view().is_row_major(self.variable().shape()) {
            return Ok(self.snapshot());
        }
        self.copy_as(name, self.dtype(), place)
    }

    pub(crate) fn copy_as(
        &self,
        name: &'static str,
        dtype: DType,
        place: Place,
    ) -> Result<DynArray> {
        let operands = [Argument::Array(self)];
        Elementwise { op: ElementOp::Copy, name, operands: &operands, place }.create(dtype)
    }

    /// A new array with the elements converted: floats to integers toward zero and saturating,
    /// integers to narrower ones by their low bits, anything to bool by comparison with zero.
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
        let (place, name) = (Place::caller(), operation.name());
        let right = right.into().seen_by(operation);
        let promoted = promoted(self.dtype(), right);
        let rule = operation.rule(promoted);
        let rule = rule.ok_or_else(|| undefined(name, &dtypes(&[self.into(), right]), place))?;
        if rule.output != self.dtype() {
            let expected = format!("a result of type {}, not {}", self.dtype(), rule.output);
            let found = dtypes(&[self.into(), right]);
            return Err(Error::new(name, ErrorKind::DType { found, expected }, place));
        }
        let operands = [Argument::Array(self), right];
        let (op, operands) = match fixed_exponent(operation, operands, rule.compute, place)? {
            Some(exponent) => (ElementOp::powi(exponent, rule.compute), &operands[..1]),
            None => {
                let op = ElementOp::Apply { operator: rule.operator, compute: rule.compute };
                (op, &operands[..])
            }
        };
        Elementwise { op, name, operands, place }.update(self)
    }

    /// Writes `value`, broadcast to this shape and cast to this element type, as if all of it were
    /// read before anything is written. It may have more axes in front, of extent 1.
    ///
    /// Errors: the shapes do not broadcast; this is a view that reaches an element twice.
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
        self.assign_at(value.into(), Place::caller())
    }

    pub(crate) fn assign_at(&self, value: Argument<'_>, place: Place) -> Result<()> {
        let operands = [value];
        Elementwise { op: ElementOp::Copy, name: "assign", operands: &operands, place }.update(self)
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
        let (then, otherwise, place) = (then.into(), otherwise.into(), Place::caller());
        if self.dtype() != DType::Bool {
            let expected = "a mask of type bool".to_string();
            let kind = ErrorKind::DType { found: vec![self.dtype()], expected };
            return Err(Error::new("where", kind, place));
        }
        let compute = match (then, otherwise) {
            (Argument::Array(array), other) | (other, Argument::Array(array)) => {
                promoted(array.dtype(), other)
            }
            (Argument::Scalar(a), Argument::Scalar(b)) => promote(a.dtype(), b.dtype()),
        };
        let op = ElementOp::Apply { operator: Operator::Select, compute };
        let operands = [Argument::Array(self), then, otherwise];
        Elementwise { op, name: "where", operands: &operands, place }.create(compute)
    }
}

/// Emits an operation of one array under the name of the operation that it is a part of.
pub(crate) fn unary_as(
    name: &'static str,
    operation: Unary,
    x: &DynArray,
    place: Place,
) -> Result<DynArray> {
    let rule = operation.rule(x.dtype()).ok_or_else(|| undefined(name, &[x.dtype()], place))?;
    let op = ElementOp::Apply { operator: rule.operator, compute: rule.compute };
    Elementwise { op, name, operands: &[Argument::Array(x)], place }.create(rule.output)
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
pub(crate) fn binary_as(
    name: &'static str,
    operation: Binary,
    left: Argument<'_>,
    right: Argument<'_>,
    place: Place,
) -> Result<DynArray> {
    match operation.is_logical() {
        // Apart, since operations are emitted by the hundred thousand and few of them are logical.
        true => {
            binary_of(name, operation, left.seen_by(operation), right.seen_by(operation), place)
        }
        false => binary_of(name, operation, left, right, place),
    }
}

#[inline(always)]
fn binary_of(
    name: &'static str,
    operation: Binary,
    left: Argument<'_>,
    right: Argument<'_>,
    place: Place,
) -> Result<DynArray> {
    let promoted = match (left, right) {
        (Argument::Array(a), Argument::Array(b)) => {
            let promoted = promote(a.dtype(), b.dtype());
            if promoted.is_float() && needs_signs(operation, [a, b]) {
                return compare_with_signs(name, operation, [a, b], place);
            }
            promoted
        }
        (Argument::Array(array), Argument::Scalar(scalar))
        | (Argument::Scalar(scalar), Argument::Array(array)) => {
            operation.promote_scalar(array.dtype(), scalar)
        }
        (Argument::Scalar(a), Argument::Scalar(b)) => promote(a.dtype(), b.dtype()),
    };
    let operands = [left, right];
    let rule = operation.rule(promoted);
    let rule = rule.ok_or_else(|| undefined(name, &dtypes(&operands), place))?;
    let exponent = fixed_exponent(operation, operands, rule.compute, place)?;
    if let (Some(exponent), Argument::Array(base)) = (exponent, left) {
        return base.powi_as(name, exponent, rule.output, place);
    }
    let op = ElementOp::Apply { operator: rule.operator, compute: rule.compute };
    Elementwise { op, name, operands: &operands, place }.create(rule.output)
}

/// Whether it is a comparison of integers that do not promote to one.
fn needs_signs(operation: Binary, operands: [&DynArray; 2]) -> bool {
    use Binary::{Eq, Ge, Gt, Le, Lt, Ne};
    let compares = matches!(operation, Lt | Le | Gt | Ge | Eq | Ne);
    compares && operands.iter().all(|x| x.dtype().is_integer())
}

/// A comparison of u64 with signed integers, of which no type has all numbers, as NumPy has it: below zero the sign says all, and
/// other numbers are u64.
#[cold]
fn compare_with_signs(
    name: &'static str,
    operation: Binary,
    operands: [&DynArray; 2],
    place: Place,
) -> Result<DynArray> {
    let [left, right] = operands.map(|x| match x.dtype() {
        DType::U64 => Ok(x.alias()),
        _ => x.copy_as(name, DType::U64, place),
    });
    let compared = binary_as(name, operation, (&left?).into(), (&right?).into(), place)?;
    let first = operands[0].dtype().kind() == Kind::Signed;
    let holds_below_zero = match operation {
        Binary::Lt | Binary::Le => first,
        Binary::Gt | Binary::Ge => !first,
        _ => operation == Binary::Ne,
    };
    let (test, join) = match holds_below_zero {
        true => (Binary::Lt, Binary::Or),
        false => (Binary::Ge, Binary::And),
    };
    let signed = operands[usize::from(!first)];
    let sign = binary_as(name, test, signed.into(), Argument::from(0), place)?;
    binary_as(name, join, (&compared).into(), (&sign).into(), place)
}

/// The type of an array and what stands beside it.
pub(crate) fn promoted(array: DType, other: Argument<'_>) -> DType {
    match other {
        Argument::Array(other) => promote(array, other.dtype()),
        Argument::Scalar(scalar) => promote_weak(array, scalar.dtype()),
    }
}

pub(crate) fn undefined(name: &'static str, found: &[DType], place: Place) -> Error {
    let expected = "types for which the operation is defined".to_string();
    Error::new(name, ErrorKind::DType { found: found.to_vec(), expected }, place)
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
