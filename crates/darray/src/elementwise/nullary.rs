//! Tasks without operands: they only write new arrays.

use crate::{DynArray, Runtime, WeakScalar};
use darray_core::{DType, Error, Place, RealType, Result, Scalar, Shape, View};
use darray_ir::{Privilege, TaskOp};
use darray_runtime::{Emission, StoreRef};
use smallvec::SmallVec;

/// A new array of equal elements, cast to a type that can hold them, in this runtime.
pub(crate) fn filled_in(
    runtime: &Runtime,
    name: &'static str,
    dtype: DType,
    shape: &Shape,
    value: WeakScalar,
    place: Place,
) -> Result<DynArray> {
    let (re, im) = value.cast(dtype).map_err(|kind| Error::new(name, kind, place))?;
    let part = |value| create_in(runtime, name, TaskOp::Fill, dtype.part(), shape, &[value], place);
    match im {
        None => part(re),
        Some(im) => DynArray::complex_of(part(re)?, part(im)?, name, place),
    }
}

/// Emits a task that only writes a new real array.
pub(crate) fn create_in(
    runtime: &Runtime,
    name: &'static str,
    op: TaskOp,
    dtype: RealType,
    shape: &Shape,
    scalars: &[Scalar],
    place: Place,
) -> Result<DynArray> {
    let view = View::whole(shape);
    let args = &[(StoreRef::New(dtype, shape), view.map(), Privilege::Write)];
    let wide = |scalar: &Scalar| scalar.cast(scalar.dtype().compute());
    let scalars: SmallVec<[Scalar; 8]> = scalars.iter().map(wide).collect();
    let made =
        runtime.emit(Emission { op, name, domain: shape, args, scalars: &scalars, place })?;
    Ok(DynArray::of_made(runtime, made, view))
}
