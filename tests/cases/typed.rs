//! Calls that need the element type when the program is compiled: of elements as Rust's values, of new arrays, of files.

use crate::table::Case;
use darray::{Archive, Complex, DArray, DType, DynArray, Element, Error, Fallible, TextFormat};
use darray::{bf16, default_rng, f16};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls a function with the Rust type of an element type.
macro_rules! with_type {
    ($dtype:expr, $function:ident($($arguments:expr),*)) => {
        match $dtype {
            DType::Bool => $function::<bool>($($arguments),*),
            DType::I8 => $function::<i8>($($arguments),*),
            DType::I16 => $function::<i16>($($arguments),*),
            DType::I32 => $function::<i32>($($arguments),*),
            DType::I64 => $function::<i64>($($arguments),*),
            DType::U8 => $function::<u8>($($arguments),*),
            DType::U16 => $function::<u16>($($arguments),*),
            DType::U32 => $function::<u32>($($arguments),*),
            DType::U64 => $function::<u64>($($arguments),*),
            DType::F16 => $function::<f16>($($arguments),*),
            DType::BF16 => $function::<bf16>($($arguments),*),
            DType::F32 => $function::<f32>($($arguments),*),
            DType::F64 => $function::<f64>($($arguments),*),
            DType::C64 => $function::<Complex<f32>>($($arguments),*),
            DType::C128 => $function::<Complex<f64>>($($arguments),*),
        }
    };
}

/// The call of a case with operands, if it is of one of these functions.
pub fn call(case: &Case, x: &DynArray) -> Option<Result<DynArray, Error>> {
    Some(match &case.function[..] {
        "__bool__" => item_as(x, DType::Bool),
        "__int__" | "__index__" => item_as(x, DType::I64),
        "__float__" => item_as(x, DType::F64),
        "__complex__" => item_as(x, DType::C128),
        "item" => with_type!(x.dtype(), item(case, x)),
        "tolist" => with_type!(x.dtype(), tolist(x)),
        "array" => with_type!(x.dtype(), array(x)),
        "asarray" => with_type!(x.dtype(), asarray(x)),
        "fromiter" => with_type!(x.dtype(), fromiter(x)),
        "frombuffer" => {
            x.to_bytes().and_then(|all| DynArray::from_bytes(x.shape(), x.dtype(), all))
        }
        "permutation" => with_type!(x.dtype(), permutation(x)),
        "shuffle" => with_type!(x.dtype(), shuffle(x)),
        "save" | "savez" | "savez_compressed" | "savetxt" => in_file(case, x),
        _ => return None,
    })
}

/// The call of a case without operands, if it is of one of these functions.
pub fn create(case: &Case) -> Option<Result<DynArray, Error>> {
    Some(match &case.function[..] {
        "zeros" | "ones" | "full" | "empty" | "identity" => with_type!(case.to(), new(case)),
        "loadtxt" => {
            let path = file();
            let text = case.options["text"].as_str().expect("a text");
            std::fs::write(&path, text).expect("a file");
            let found = TextFormat::new().load_as(&path, case.to());
            std::fs::remove_file(path).expect("the file");
            found
        }
        _ => return None,
    })
}

/// The only element as a value of another type, what Python's `float(x)` and the like are here.
fn item_as(x: &DynArray, to: DType) -> Result<DynArray, Error> {
    fn taken<T: Element>(x: &DynArray, to: DType) -> Result<DynArray, Error> {
        let value = DArray::<T>::try_from(x.cast(to)?)?.try_item()?;
        Ok(DArray::try_from_shape_vec((), vec![value])?.into())
    }
    with_type!(to, taken(x, to))
}

fn typed<T: Element>(x: &DynArray) -> Result<DArray<T>, Error> {
    DArray::try_from(x.alias())
}

fn item<T: Element>(case: &Case, x: &DynArray) -> Result<DynArray, Error> {
    let x = typed::<T>(x)?;
    let value = match case.integers("at") {
        Some(at) => x.try_get(&at[..])?,
        None => x.try_item()?,
    };
    Ok(DArray::try_from_shape_vec((), vec![value])?.into())
}

fn tolist<T: Element>(x: &DynArray) -> Result<DynArray, Error> {
    Ok(DArray::try_from_shape_vec(x.shape(), typed::<T>(x)?.try_to_vec()?)?.into())
}

fn array<T: Element>(x: &DynArray) -> Result<DynArray, Error> {
    let all = typed::<T>(x)?.try_to_vec()?;
    Ok(DArray::<T>::from([[all[0], all[1]], [all[2], all[3]]]).into())
}

fn asarray<T: Element>(x: &DynArray) -> Result<DynArray, Error> {
    Ok(DArray::from(typed::<T>(x)?.try_to_vec()?).into())
}

fn fromiter<T: Element>(x: &DynArray) -> Result<DynArray, Error> {
    Ok(typed::<T>(x)?.try_to_vec()?.into_iter().collect::<DArray<T>>().into())
}

/// In ascending order, for the order of NumPy is that of another stream.
fn permutation<T: Element>(x: &DynArray) -> Result<DynArray, Error> {
    DynArray::from(default_rng(1).try_permutation(&typed::<T>(x)?)?).sort(0)
}

fn shuffle<T: Element>(x: &DynArray) -> Result<DynArray, Error> {
    // Each second element of another array.
    let pairs = DynArray::stack(&[x, x], -1)?;
    let column = typed::<T>(&pairs.slice(darray::s![.., 0])?)?;
    default_rng(1).try_shuffle(&column)?;
    let (changed, kept) = (DynArray::from(column), pairs.slice(darray::s![.., 1])?);
    assert_eq!(kept.to_bytes()?, x.to_bytes()?, "what lies between is not touched");
    changed.sort(0)
}

fn new<T: Element>(case: &Case) -> Result<DynArray, Error> {
    let shape = || -> Vec<usize> {
        let extents = case.integers("dims").expect("extents");
        extents.into_iter().map(|n| n as usize).collect()
    };
    Ok(match &case.function[..] {
        "zeros" => DArray::<T>::try_zeros(&shape()[..])?.into(),
        "ones" => DArray::<T>::try_ones(&shape()[..])?.into(),
        "full" => DynArray::full(&shape()[..], T::DTYPE, case.integer("value").expect("a value"))?,
        "identity" => {
            DArray::<T>::try_identity(case.integer("n").expect("an extent") as usize)?.into()
        }
        _ => {
            // What stands in it is not said.
            let x = DynArray::from(DArray::<T>::try_empty(&shape()[..])?);
            x.assign(0)?;
            x
        }
    })
}

/// What a file gives back.
fn in_file(case: &Case, x: &DynArray) -> Result<DynArray, Error> {
    let path = file();
    let written = match &case.function[..] {
        "save" => x.save(&path),
        "savez" => Archive::save(&path, &[("x", x)]),
        "savez_compressed" => Archive::save_compressed(&path, &[("x", x)]),
        _ => TextFormat::new().save(&path, &x),
    };
    let found = written.and_then(|()| match &case.function[..] {
        "save" => DynArray::load(&path),
        "savetxt" => TextFormat::new().load_as(&path, x.dtype()),
        _ => Archive::open(&path)?.get("x"),
    });
    let _ = std::fs::remove_file(path);
    found
}

/// A file that only this call has.
fn file() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("darray-cases-{}-{number}", std::process::id()))
}
