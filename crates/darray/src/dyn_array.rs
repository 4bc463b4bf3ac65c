//! Arrays whose element type is known at run time.

use crate::emission::{ElementOp, Elementwise};
use crate::exponent::fixed_exponent;
use crate::operand::dtypes;
use crate::variable::Variable;
use crate::{Argument, Binary, Runtime, Unary};
use darray_core::{
    DType, Error, ErrorKind, Map, Place, Result, Shape, View, promote, promote_weak,
};
use darray_kernel::operator::Operator;
use darray_runtime::{NewStores, StoreOwner};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A lazy array with element type and rank known at run time: what [`DArray<T>`](crate::DArray) is a
/// typed handle of, and what other front ends wrap.
///
/// Rules:
/// - A handle is a view: a shape and a map over a store that other handles may share.
/// - Operations are recorded, not run; errors of shapes and element types are known at once and
///   returned with the caller's place.
/// - `Clone` is by value (copy-on-write); [`alias`](Self::alias), slices, transposes and broadcasts
///   are views that write through.
///
/// ```
/// use darray::{Binary, DArray, DType, DynArray};
/// let x = DynArray::from(DArray::<i64>::arange(3));
/// let y = DynArray::from(DArray::<f32>::ones(3));
/// let z = x.binary(Binary::Add, &y).unwrap();
/// assert_eq!(z.dtype(), DType::F64);
/// assert_eq!(DArray::<f64>::try_from(z).unwrap().to_vec(), [1.0, 2.0, 3.0]);
/// ```
pub struct DynArray {
    variable: Arc<Variable>,
    /// None: all of it, by the view that the variable keeps. So most handles are two words.
    part: Option<Box<View>>,
}

impl DynArray {
    /// A new store of this shape, not yet written.
    pub(crate) fn allocate(runtime: &Runtime, dtype: DType, shape: &Shape) -> DynArray {
        let store = runtime.engine().new_store(dtype, shape);
        DynArray::of_store(runtime, StoreOwner::new(store))
    }

    /// All of a store.
    pub(crate) fn of_store(runtime: &Runtime, store: StoreOwner) -> DynArray {
        let view = View::whole(store.shape());
        DynArray::of_variable(Variable::new(runtime.clone(), store, view))
    }

    /// All of the one store that a task made.
    #[inline]
    pub(crate) fn of_made(runtime: &Runtime, made: NewStores, view: View) -> DynArray {
        DynArray::made_in(runtime.clone(), made, view)
    }

    /// As [`of_made`](Self::of_made).
    #[inline]
    pub(crate) fn made_in(runtime: Runtime, mut made: NewStores, view: View) -> DynArray {
        let store = made.pop().expect("the task makes a store");
        DynArray::of_variable(Variable::new(runtime, store, view))
    }

    #[inline]
    fn of_variable(variable: Variable) -> DynArray {
        DynArray { variable: Arc::new(variable), part: None }
    }

    /// Another view of the same variable.
    pub(crate) fn with_view(&self, view: View) -> DynArray {
        DynArray { variable: self.variable.clone(), part: Some(Box::new(view)) }
    }

    pub(crate) fn variable(&self) -> &Variable {
        &self.variable
    }

    #[inline]
    pub(crate) fn view(&self) -> &View {
        match &self.part {
            None => self.variable.whole(),
            Some(view) => view,
        }
    }

    #[inline]
    pub(crate) fn shape_of(&self) -> &Shape {
        self.view().shape()
    }

    /// The map of this array broadcast to a domain that its shape broadcasts to.
    pub(crate) fn map_over(&self, domain: &Shape) -> Cow<'_, Map> {
        match self.wide_map(domain) {
            None => Cow::Borrowed(self.view().map()),
            Some(map) => Cow::Owned(map),
        }
    }

    /// That map, where it is another than the array's own.
    #[inline]
    pub(crate) fn wide_map(&self, domain: &Shape) -> Option<Map> {
        // Axes of extent 1 are in no map, so repeating them changes nothing.
        (self.shape_of().rank() != domain.rank()).then(|| self.view().map_over(domain))
    }

    /// Element type.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// assert_eq!(DynArray::from(DArray::<f32>::ones(2)).dtype(), DType::F32);
    /// ```
    pub fn dtype(&self) -> DType {
        self.variable.dtype()
    }

    /// Extents, outermost axis first.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// assert_eq!(DynArray::from(DArray::<f32>::ones((2, 3))).shape(), [2, 3]);
    /// ```
    pub fn shape(&self) -> &[usize] {
        self.shape_of()
    }

    /// The runtime that its data belongs to.
    ///
    /// ```
    /// use darray::{DArray, DynArray, Runtime};
    /// let x = DynArray::from(DArray::<f32>::ones(2));
    /// assert!(x.runtime() == &Runtime::current());
    /// ```
    pub fn runtime(&self) -> &Runtime {
        self.variable.runtime()
    }

    /// Another handle of the same elements: writes through either are seen by both.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::zeros(2));
    /// x.alias().assign(1.0).unwrap();
    /// assert_eq!(DArray::<f64>::try_from(x).unwrap().to_vec(), [1.0, 1.0]);
    /// ```
    pub fn alias(&self) -> DynArray {
        DynArray { variable: self.variable.clone(), part: self.part.clone() }
    }

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
        if self.view().is_row_major(self.variable.shape()) {
            return Ok(self.snapshot());
        }
        self.copy_as(name, self.dtype(), place)
    }

    /// The elements as they are now, whatever is written to the array later: a view of a variable of its own, which holds
    /// the same store.
    pub(crate) fn snapshot(&self) -> DynArray {
        let _updating = self.runtime().updating();
        let variable = Arc::new(self.variable.share());
        DynArray { variable, part: self.part.clone() }
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
            Some(exponent) => (ElementOp::Powi { exponent }, &operands[..1]),
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
        (Argument::Array(a), Argument::Array(b)) => promote(a.dtype(), b.dtype()),
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
        crate::error::expect_at_caller(self.clone_as("copy", Place::caller()))
    }
}

impl AsRef<DynArray> for DynArray {
    fn as_ref(&self) -> &DynArray {
        self
    }
}

impl fmt::Debug for DynArray {
    /// Element type and shape only: never waits for data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynArray<{}>{}", self.dtype(), self.shape_of())
    }
}
