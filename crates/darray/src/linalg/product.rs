//! The matrix product as an index task: a builtin, or sums of products where one side is a vector.

use crate::DynArray;
use darray_core::{
    Chart, Dim, Error, Map, Place, RealType, Result, Scalar, Shape, View, broadcast_shapes,
    check_shape, promote_real,
};
use darray_ir::builtin::MatMul;
use darray_ir::{Privilege, TaskOp};
use darray_kernel::ir::Reducer;
use darray_runtime::{Emission, StoreRef};

/// A product of `a (.., m, k)` and `b (.., k, n)`, whose leading axes broadcast.
pub(super) struct Product<'a> {
    /// The NumPy name of the operation that is carried out.
    pub name: &'static str,
    pub place: Place,
    pub a: &'a DynArray,
    pub b: &'a DynArray,
    /// Whether the result has the axis of the rows, and that of the columns; an axis that it does not
    /// have has extent 1.
    pub kept: [bool; 2],
}

impl Product<'_> {
    /// Emits the task; the operands fit.
    pub fn create(self) -> Result<DynArray> {
        let Product { name, place, a, b, kept } = self;
        let error = |kind| Error::new(name, kind, place);
        let promoted = promote_real(a.real_type(), b.real_type());
        // Integers wrap, so products of bytes are bytes.
        if promoted.is_narrow() && promoted.is_float() {
            // The sums are of f32, and rounded once.
            let cast = |x: &DynArray| x.copy_as(name, promoted.compute(), place);
            let (a, b) = (&cast(a)?, &cast(b)?);
            return Product { a, b, ..self }.create()?.copy_as(name, promoted, place);
        }
        let dtype = promoted;
        let cast = |x: &DynArray| match x.real_type() == dtype {
            true => Ok(x.alias()),
            false => x.copy_as(name, dtype, place),
        };
        let (a, b) = (cast(a)?, cast(b)?);
        let (rows, inner) = last_two(&a);
        let (_, columns) = last_two(&b);
        let stack = |x: &DynArray| Shape::new(&x.shape()[..x.shape().len() - 2]);
        let stack = broadcast_shapes(&stack(&a), &stack(&b)).map_err(error)?;
        let shape_of = |rows: usize, columns: usize| -> Shape {
            stack.iter().copied().chain([rows, columns]).collect()
        };
        let domain = shape_of(rows, columns);
        check_shape(&domain).map_err(error)?;
        let (a, b) = (
            a.view().broadcast_to(&shape_of(rows, inner)).map(|view| a.with_view(view)),
            b.view().broadcast_to(&shape_of(inner, columns)).map(|view| b.with_view(view)),
        );
        let (a, b) = (a.map_err(error)?, b.map_err(error)?);
        // Of bool it is `or` of `and`.
        if dtype != RealType::Bool && (rows == 1 || columns == 1) {
            let vector = VectorProduct { name, place, a: &a, b: &b, domain: &domain, inner, kept };
            let sums = vector.create(dtype.accumulator())?;
            // Integers wrap: the low bits of a sum are the sum of the low bits.
            let same = sums.real_type() == dtype;
            return if same { Ok(sums) } else { sums.copy_as(name, dtype, place) };
        }
        let (map, shape) = output(&domain, kept);
        let runtime = a.runtime();
        let args = &[
            (StoreRef::New(dtype, &shape), &map, Privilege::Write),
            (a.when_recorded(), a.view().map(), Privilege::Read),
            (b.when_recorded(), b.view().map(), Privilege::Read),
        ];
        let op = TaskOp::Builtin(MatMul.into());
        let scalars = &[Scalar::from(inner as i64)];
        let made = runtime.emit(Emission { op, name, domain: &domain, args, scalars, place })?;
        Ok(DynArray::of_made(runtime, made, View::whole(&shape)))
    }
}

/// A product of numbers with one column or one row: for every element of the other axis the sum of the
/// products along the inner one, which fuses.
///
/// The axes of the task's domain stand as those of the matrix lie in memory, and the order of the sum goes by them.
struct VectorProduct<'a> {
    name: &'static str,
    place: Place,
    /// `(.., m, k)` and `(.., k, n)`, of one type and one stack.
    a: &'a DynArray,
    b: &'a DynArray,
    /// `(.., m, n)`.
    domain: &'a Shape,
    inner: usize,
    kept: [bool; 2],
}

impl VectorProduct<'_> {
    /// Sums of this type.
    fn create(self, dtype: RealType) -> Result<DynArray> {
        let VectorProduct { name, place, a, b, domain, inner, kept } = self;
        // In maps of `a` the inner axis is the last one, in those of `b` the last but one.
        let first = domain.rank() - 2;
        let column = domain[first + 1] == 1;
        let (across, other) = match column {
            true => (lies_across(a.view().map(), first + 1, first), domain[first]),
            false => (lies_across(b.view().map(), first, first + 1), domain[first + 1]),
        };
        let (inner_at, other_at) = if across { (first, first + 1) } else { (first + 1, first) };
        let last = if across { [inner, other] } else { [other, inner] };
        let extents: Shape = domain.iter().take(first).copied().chain(last).collect();
        let renamed = |map: &Map, places: [usize; 2]| {
            let place = |axis: u8| match (axis as usize).checked_sub(first) {
                Some(number) => places[number] as u8,
                None => axis,
            };
            let dims = map.dims.iter().map(|dim| Dim { axis: dim.axis.map(place), ..*dim });
            let mut map = Map { chart: map.chart, dims: dims.collect() };
            map.normalise(&extents);
            map
        };
        let left = renamed(a.view().map(), [other_at, inner_at]);
        let right = renamed(b.view().map(), [inner_at, other_at]);
        let (out, shape) = output(domain, kept);
        let out = renamed(&out, [other_at, other_at]);
        let runtime = a.runtime();
        let args = &[
            (StoreRef::New(dtype, &shape), &out, Privilege::Reduce(Reducer::Sum)),
            (a.when_recorded(), &left, Privilege::Read),
            (b.when_recorded(), &right, Privilege::Read),
        ];
        let op = TaskOp::InnerProduct { axis: inner_at as u8 };
        let emission = Emission { op, name, domain: &extents, args, scalars: &[], place };
        let made = runtime.emit(emission)?;
        Ok(DynArray::of_made(runtime, made, View::whole(&shape)))
    }
}

/// Whether a native map moves a later dimension of its store along `other` than along `inner`: the
/// elements along `other` lie closer together.
fn lies_across(map: &Map, inner: usize, other: usize) -> bool {
    let last = |axis: usize| map.dims.iter().rposition(|dim| dim.axis == Some(axis as u8));
    match (last(inner), last(other)) {
        (Some(inner), Some(other)) => map.chart == Chart::Native && inner < other,
        // A vector of its own, or a matrix of one row or column.
        _ => false,
    }
}

/// The extents of the last two axes.
fn last_two(x: &DynArray) -> (usize, usize) {
    let shape = x.shape();
    (shape[shape.len() - 2], shape[shape.len() - 1])
}

/// The result's map over the domain and its shape, without the axes that it does not have.
fn output(domain: &Shape, kept: [bool; 2]) -> (Map, Shape) {
    let rank = domain.rank();
    let has = |axis: usize| axis + 2 < rank || kept[axis + 2 - rank];
    let shape = (0..rank).filter(|&axis| has(axis)).map(|axis| domain[axis]).collect();
    let dims = (0..rank).filter(|&axis| has(axis)).map(|axis| match domain[axis] {
        1 => Dim::fixed(0),
        _ => Dim::along(axis as u8, 0, 1),
    });
    (Map { chart: Chart::Native, dims: dims.collect() }, shape)
}
