//! Elements between the host and stores: real ones lie there as they do in vectors, complex ones in pairs, whose parts are
//! taken apart and put together here.

use super::into_shape::checked_shape;
use crate::{DynArray, IntoShape, Runtime};
use darray_core::{DType, Error, ErrorKind, Place, RealType, Result, Scalar, Shape};
use darray_device::{HostBytes, HostElement, Plain};
use darray_runtime::StoreOwner;
use num_complex::Complex;
use std::sync::Arc;

/// Vectors of real elements.
pub(crate) mod real {
    use super::*;

    pub fn import<T: HostElement>(
        dtype: DType,
        name: &'static str,
        shape: impl IntoShape,
        elements: Vec<T>,
        place: Place,
    ) -> Result<DynArray> {
        let shape = fitting_shape(name, &shape, elements.len(), place)?;
        store(name, &shape, dtype.part(), elements, place)
    }

    pub fn read<T: HostElement>(
        array: &DynArray,
        name: &'static str,
        place: Place,
    ) -> Result<Vec<T>> {
        Ok(T::of_plain(array.read_real(name, place)?))
    }

    pub fn into_scalars(value: impl Into<Scalar>) -> (Scalar, Option<Scalar>) {
        (value.into(), None)
    }

    pub fn from_real<T: darray_kernel::element::Element>(scalar: Scalar) -> T {
        T::from_scalar(scalar)
    }
}

/// Vectors of complex elements.
pub(crate) mod complex {
    use super::*;

    pub fn import<T: Plain>(
        dtype: DType,
        name: &'static str,
        shape: impl IntoShape,
        elements: Vec<Complex<T>>,
        place: Place,
    ) -> Result<DynArray> {
        let shape = fitting_shape(name, &shape, elements.len(), place)?;
        let part = |part: fn(&Complex<T>) -> T| {
            let part: Vec<T> = elements.iter().map(part).collect();
            store(name, &shape, dtype.part(), part, place)
        };
        DynArray::complex_of(part(|z| z.re)?, part(|z| z.im)?, name, place)
    }

    pub fn read<T: Plain>(
        array: &DynArray,
        name: &'static str,
        place: Place,
    ) -> Result<Vec<Complex<T>>> {
        let [re, im] = array.parts().expect("the parts of complex elements");
        let (re, im) = (re.read_real::<T>(name, place)?, im.read_real::<T>(name, place)?);
        Ok(re.into_iter().zip(im).map(|(re, im)| Complex::new(re, im)).collect())
    }

    pub fn into_scalars(value: Complex<impl Into<Scalar>>) -> (Scalar, Option<Scalar>) {
        (value.re.into(), Some(value.im.into()))
    }

    pub fn from_real<T: darray_kernel::element::Element>(scalar: Scalar) -> Complex<T> {
        let part = |value: Scalar| T::from_scalar(value);
        Complex::new(part(scalar), part(Scalar::zero(scalar.dtype())))
    }
}

/// An array of row-major elements as they lie in memory, as many as the shape has.
pub(crate) fn of_bytes(
    name: &'static str,
    shape: &Shape,
    dtype: DType,
    mut bytes: Vec<u8>,
    place: Place,
) -> Result<DynArray> {
    if dtype.is_complex() {
        let size = dtype.part().size();
        let part = |first: usize| {
            let parts = bytes.chunks_exact(size).skip(first).step_by(2);
            store(name, shape, dtype.part(), parts.flatten().copied().collect(), place)
        };
        return DynArray::complex_of(part(0)?, part(1)?, name, place);
    }
    if dtype == DType::Bool {
        // Kernels count on 0 and 1.
        bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
    }
    store(name, shape, dtype.part(), bytes, place)
}

/// The elements of an array as they lie in memory, row-major.
pub(crate) fn bytes_of(array: &DynArray, name: &'static str, place: Place) -> Result<Vec<u8>> {
    let Some([re, im]) = array.parts() else { return array.read_real(name, place) };
    let (re, im) = (re.read_real::<u8>(name, place)?, im.read_real::<u8>(name, place)?);
    let size = array.real_type().size();
    let pairs = re.chunks_exact(size).zip(im.chunks_exact(size));
    Ok(pairs.flat_map(|(re, im)| [re, im]).flatten().copied().collect())
}

/// The shape, where it has as many elements as are given.
fn fitting_shape(
    name: &'static str,
    shape: &impl IntoShape,
    given: usize,
    place: Place,
) -> Result<Shape> {
    let shape = checked_shape(name, shape, place)?;
    let wanted = shape.size();
    if given == wanted {
        return Ok(shape);
    }
    let expected = format!("{wanted} elements, not {given}");
    Err(Error::new(name, ErrorKind::Shapes { shapes: vec![shape], expected }, place))
}

/// A real array of elements, or of their bytes, which become the host's part of the copy to a device.
fn store<T: HostElement>(
    name: &'static str,
    shape: &Shape,
    dtype: RealType,
    elements: Vec<T>,
    place: Place,
) -> Result<DynArray> {
    debug_assert_eq!(elements.bytes().len(), shape.size() * dtype.size());
    let runtime = Runtime::current_at(place)?;
    let store = runtime.engine().import(dtype, shape, Arc::new(elements), name, place)?;
    Ok(DynArray::of_store(&runtime, StoreOwner::new(store)))
}
