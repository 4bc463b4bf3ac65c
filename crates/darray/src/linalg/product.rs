//! The matrix product as an index task.

use crate::DynArray;
use darray_core::{
    Chart, Dim, Error, Map, Place, Result, Scalar, Shape, View, broadcast_shapes, check_shape,
    promote,
};
use darray_ir::{Builtin, Privilege, TaskOp};
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
    /// Emits the builtin; the operands fit.
    pub fn create(self) -> Result<DynArray> {
        let Product { name, place, a, b, kept } = self;
        let error = |kind| Error::new(name, kind, place);
        let dtype = promote(a.dtype(), b.dtype());
        let cast = |x: &DynArray| match x.dtype() == dtype {
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
        let (map, shape) = output(&domain, kept);
        let runtime = a.runtime();
        let args = &[
            (StoreRef::New(dtype, &shape), &map, Privilege::Write),
            (a.variable().when_recorded(), a.view().map(), Privilege::Read),
            (b.variable().when_recorded(), b.view().map(), Privilege::Read),
        ];
        let op = TaskOp::Builtin(Builtin::MatMul);
        let scalars = &[Scalar::from(inner as i64)];
        let made = runtime.emit(Emission { op, name, domain: &domain, args, scalars, place })?;
        Ok(DynArray::of_made(runtime, made, View::whole(&shape)))
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
