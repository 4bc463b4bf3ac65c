//! New arrays on darray: computed, random and host data, and arrays that leave and come back.

use crate::oracle::data;
use crate::program::{Carrier, Creation, Draw, Stream};
use darray::{
    Archive, DArray, DynArray, Element, Fallible, Generator, Place, Real, RealType, Result, Scalar,
    bf16, default_rng, f16,
};
use darray_core::{Error, ErrorKind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// `$body` with `$t` for the type of elements of type `$dtype`.
macro_rules! with_element {
    ($dtype:expr, $t:ident => $body:expr, $bool:expr) => {
        match $dtype {
            RealType::Bool => $bool,
            RealType::I8 => with_element!(@ i8, $t, $body),
            RealType::U8 => with_element!(@ u8, $t, $body),
            RealType::I16 => with_element!(@ i16, $t, $body),
            RealType::U16 => with_element!(@ u16, $t, $body),
            RealType::I32 => with_element!(@ i32, $t, $body),
            RealType::U32 => with_element!(@ u32, $t, $body),
            RealType::I64 => with_element!(@ i64, $t, $body),
            RealType::U64 => with_element!(@ u64, $t, $body),
            RealType::F16 => with_element!(@ f16, $t, $body),
            RealType::BF16 => with_element!(@ bf16, $t, $body),
            RealType::F32 => with_element!(@ f32, $t, $body),
            RealType::F64 => with_element!(@ f64, $t, $body),
        }
    };
    ($dtype:expr, $t:ident => $body:expr) => {
        with_element!($dtype, $t => $body, with_element!(@ bool, $t, $body))
    };
    (@ $concrete:ty, $t:ident, $body:expr) => {{
        type $t = $concrete;
        $body
    }};
}

/// An array of computed numbers.
pub fn create(what: &Creation, dtype: RealType) -> Result<DynArray> {
    match what {
        Creation::Arange { count } => DynArray::arange(*count, dtype.into()),
        Creation::Range { start, stop, step } => {
            let bounds = [*start, *stop, *step];
            with_element!(dtype, T => range::<T>(bounds), DynArray::arange(0, dtype.into()))
        }
        Creation::Linspace(span) => {
            DynArray::linspace(span.start, span.stop, span.count, span.endpoint, dtype.into())
        }
        Creation::Logspace { exponents: e, base } => {
            DynArray::logspace(e.start, e.stop, e.count, e.endpoint, *base, dtype.into())
        }
        Creation::Eye { rows, columns, offset } => {
            DynArray::eye(*rows, *columns, *offset, dtype.into())
        }
        Creation::Identity { count } => {
            with_element!(dtype, T => Ok(DArray::<T>::identity(*count).into()))
        }
        Creation::Tri { rows, columns, offset } => {
            DynArray::tri(*rows, *columns, *offset, dtype.into())
        }
        Creation::Empty { shape } => DynArray::empty(&shape[..], dtype.into()),
    }
}

fn range<T: Real>(bounds: [f64; 3]) -> Result<DynArray> {
    let [start, stop, step] = bounds.map(|v| T::from_real(Scalar::from(v)));
    Ok(DArray::try_range(start, stop, step)?.into())
}

/// An array of random numbers, the first `skip` draws left out.
pub fn random(
    draw: Draw,
    shape: &[usize],
    dtype: RealType,
    stream: Stream,
    skip: u64,
) -> Result<DynArray> {
    let mut rng = match stream.philox {
        true => Generator::philox(stream.seed),
        false => default_rng(stream.seed),
    };
    match stream.drawn {
        true => drop(rng.try_random(skip as usize)?),
        false => rng.advance(skip),
    }
    let single = dtype == RealType::F32;
    Ok(match draw {
        Draw::Random if dtype == RealType::F16 => rng.try_random_as::<f16>(shape)?.into(),
        Draw::Random if dtype == RealType::BF16 => rng.try_random_as::<bf16>(shape)?.into(),
        Draw::Random if single => rng.try_random_as::<f32>(shape)?.into(),
        Draw::Random => rng.try_random(shape)?.into(),
        Draw::Uniform { low, high } => rng.try_uniform(low, high, shape)?.into(),
        Draw::Integers { low, high } => rng.try_integers(low, high, shape)?.into(),
        Draw::StandardNormal if single => rng.try_standard_normal_as::<f32>(shape)?.into(),
        Draw::StandardNormal => rng.try_standard_normal_as::<f64>(shape)?.into(),
        Draw::Normal { mean, deviation } => rng.try_normal(mean, deviation, shape)?.into(),
        Draw::StandardExponential if single => {
            rng.try_standard_exponential_as::<f32>(shape)?.into()
        }
        Draw::StandardExponential => rng.try_standard_exponential_as::<f64>(shape)?.into(),
        Draw::Exponential { mean } => rng.try_exponential(mean, shape)?.into(),
    })
}

/// The host data of [`Expression::Data`](crate::program::Expression::Data).
pub fn host(shape: &[usize], dtype: RealType, seed: u64) -> Result<DynArray> {
    let drawn = data(dtype, seed, shape.iter().product());
    let bytes = drawn.iter().flat_map(|value| value.memory().into_iter().take(dtype.size()));
    DynArray::from_bytes(shape, dtype.into(), bytes.collect())
}

/// An array out of the runtime and back.
pub fn carry(array: &DynArray, by: Carrier) -> Result<DynArray> {
    match by {
        Carrier::Bytes => DynArray::from_bytes(array.shape(), array.dtype(), array.to_bytes()?),
        Carrier::Vector | Carrier::Function | Carrier::Ndarray => {
            with_element!(array.dtype().part(), T => typed::<T>(array, by))
        }
        Carrier::Npy => with_file(|path| {
            array.save(path)?;
            DynArray::load(path)
        }),
        Carrier::Npz { compressed } => with_file(|path| {
            let arrays = [("other", array), ("array", array)];
            match compressed {
                true => Archive::save_compressed(path, &arrays)?,
                false => Archive::save(path, &arrays)?,
            }
            Archive::open(path)?.get("array")
        }),
    }
}

fn typed<T: Element>(array: &DynArray, by: Carrier) -> Result<DynArray> {
    let array = DArray::<T>::try_from(array.alias())?;
    if by == Carrier::Ndarray {
        return Ok(DArray::from_ndarray(&array.try_to_ndarray()?).into());
    }
    let elements = array.try_to_vec()?;
    if by == Carrier::Vector {
        return Ok(DArray::try_from_shape_vec(array.shape(), elements)?.into());
    }
    let row_major = |at: &[usize]| at.iter().zip(array.shape()).fold(0, |k, (i, n)| k * n + i);
    Ok(DArray::from_fn(array.shape(), |at| elements[row_major(at)]).into())
}

/// Lends a path of its own, at which nothing is left.
fn with_file(f: impl FnOnce(&PathBuf) -> Result<DynArray>) -> Result<DynArray> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("darray-program-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let result = f(&path)?;
    std::fs::remove_file(&path).map_err(|error| {
        let kind = ErrorKind::Runtime { message: error.to_string() };
        Error::new("remove_file", kind, Place::caller())
    })?;
    Ok(result)
}
