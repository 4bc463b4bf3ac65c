//! What functions that are made of several operations have in common: all their operations have one name and one place.

use crate::elementwise::emission::{ElementOp, Elementwise};
use crate::elementwise::operand::undefined;
use crate::elementwise::untyped::{binary_as, select_as, unary_as};
use crate::{Argument, Binary, DynArray, Unary};
use darray_core::{DType, Error, ErrorKind, Ix, Place, RealType, Result, Shape};
use darray_kernel::operator::Operator;
use smallvec::SmallVec;

/// Under which name and at which place a function's operations are recorded.
#[derive(Clone, Copy)]
pub(crate) struct Steps {
    pub name: &'static str,
    pub place: Place,
}

impl Steps {
    pub fn error(&self, kind: ErrorKind) -> Error {
        Error::new(self.name, kind, self.place)
    }

    /// An error of an argument that is no array.
    pub fn argument(&self, message: impl Into<String>) -> Error {
        self.error(ErrorKind::Argument { message: message.into() })
    }

    /// An error of shapes.
    pub fn shapes(&self, arrays: &[&DynArray], expected: &str) -> Error {
        let shapes = arrays.iter().map(|array| array.shape_of().clone()).collect();
        self.error(ErrorKind::Shapes { shapes, expected: expected.to_string() })
    }

    /// An error of element types.
    pub fn dtypes(&self, arrays: &[&DynArray], expected: &str) -> Error {
        let found = arrays.iter().map(|array| array.dtype()).collect();
        self.error(ErrorKind::DType { found, expected: expected.to_string() })
    }

    /// The type of real elements; complex ones are refused.
    pub fn real(&self, dtype: DType) -> Result<RealType> {
        dtype.as_real().ok_or_else(|| undefined(self.name, &[dtype], self.place))
    }

    /// Refuses arrays of another runtime.
    pub fn same_runtime(&self, x: &DynArray, other: &DynArray) -> Result<()> {
        if x.runtime() == other.runtime() {
            return Ok(());
        }
        let message = "the operands belong to two runtimes".to_string();
        Err(self.error(ErrorKind::Runtime { message }))
    }

    pub fn binary<'a>(
        &self,
        operation: Binary,
        left: impl Into<Argument<'a>>,
        right: impl Into<Argument<'a>>,
    ) -> Result<DynArray> {
        binary_as(self.name, operation, left.into(), right.into(), self.place)
    }

    pub fn unary(&self, operation: Unary, x: &DynArray) -> Result<DynArray> {
        unary_as(self.name, operation, x, self.place)
    }

    /// Elements of one or the other, in a type that both have.
    pub fn select<'a>(
        &self,
        mask: &'a DynArray,
        yes: impl Into<Argument<'a>>,
        no: impl Into<Argument<'a>>,
        dtype: impl Into<DType>,
    ) -> Result<DynArray> {
        let dtype = dtype.into();
        if dtype.is_complex() {
            return select_as(self.name, mask, yes.into(), no.into(), self.place);
        }
        let part = dtype.part();
        let op = ElementOp::Apply { operator: Operator::Select, compute: part.compute() };
        let operands = &[Argument::Array(mask), yes.into(), no.into()];
        Elementwise { op, name: self.name, operands, place: self.place }.create(part)
    }

    /// In another element type; the array itself where it has that one.
    pub fn cast(&self, x: &DynArray, dtype: impl Into<DType>) -> Result<DynArray> {
        let dtype = dtype.into();
        match x.dtype() == dtype {
            true => Ok(x.alias()),
            false => x.copy_as(self.name, dtype, self.place),
        }
    }

    /// All elements in row-major order along one axis.
    pub fn ravel(&self, x: &DynArray) -> Result<DynArray> {
        x.ravel_as(self.name, self.place)
    }

    pub fn reshape(&self, x: &DynArray, extents: &[usize]) -> Result<DynArray> {
        x.reshape_to(&Shape::new(extents), self.name, self.place)
    }

    /// The indices `start .. end` along an axis: a view.
    pub fn range(
        &self,
        x: &DynArray,
        axis: usize,
        (start, end): (usize, usize),
    ) -> Result<DynArray> {
        let range = Ix::Range { start: Some(start as isize), end: Some(end as isize), step: 1 };
        let before = (0..axis).map(|_| Ix::from(..));
        let index: SmallVec<[Ix; 8]> = before.chain([range]).collect();
        let view = x.view().slice(&index).map_err(|kind| self.error(kind))?;
        Ok(x.with_view(view))
    }

    /// A new array of one number.
    pub fn full(
        &self,
        like: &DynArray,
        dtype: impl Into<DType>,
        extents: &[usize],
        value: f64,
    ) -> Result<DynArray> {
        let array = self.empty(like, dtype, &Shape::new(extents));
        array.assign_as(value.into(), self.name, self.place)?;
        Ok(array)
    }

    /// A new array without values.
    pub fn empty(&self, like: &DynArray, dtype: impl Into<DType>, shape: &Shape) -> DynArray {
        DynArray::allocate(like.runtime(), dtype.into(), shape)
    }

    /// Writes a value into an array or a view of one.
    pub fn assign(&self, target: &DynArray, value: &DynArray) -> Result<()> {
        target.assign_as(Argument::Array(value), self.name, self.place)
    }

    /// The axis that is meant.
    pub fn axis(&self, x: &DynArray, axis: isize) -> Result<usize> {
        let axis = crate::array::axes::resolve_one(axis, x.shape_of());
        axis.map_err(|kind| self.error(kind))
    }

    /// Reads numbers of an array of i64 on which the extent of a result depends: flushes, waits for that array alone, and counts.
    pub fn read_extents(&self, numbers: &DynArray) -> Result<Vec<i64>> {
        let (store, map) = (numbers.current(), numbers.view().map());
        let engine = numbers.runtime().engine();
        engine.read_extents(store.store(), map, numbers.shape_of(), self.name, self.place)
    }
}
