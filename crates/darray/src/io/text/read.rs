//! From the lines of a file to an array.

use super::TextFormat;
use crate::io::Origin;
use crate::{DArray, DynArray, Element};
use darray_core::{DType, Result, Scalar};
use num_complex::Complex;
use smallvec::SmallVec;

/// A field and where it begins: bytes from the beginning of the line.
type Field<'t> = (usize, &'t str);

/// A row, and the number of its line.
struct Row<'t> {
    number: usize,
    fields: SmallVec<[Field<'t>; 16]>,
}

/// The numbers of a text.
pub fn table(
    format: &TextFormat,
    text: &str,
    dtype: DType,
    origin: Origin<'_>,
) -> Result<DynArray> {
    if dtype.is_complex() {
        return numbers(format, text, dtype, origin, complex);
    }
    match dtype {
        DType::Bool => numbers(format, text, dtype, origin, truth),
        DType::U64 => numbers(format, text, dtype, origin, |field| field.parse::<u64>().ok()),
        _ if dtype.is_integer() => numbers(format, text, dtype, origin, |field| {
            let number = field.parse::<i64>().ok()?;
            let held = Scalar::from(number).cast(dtype.part());
            (held.cast(darray_core::RealType::I64) == Scalar::from(number)).then_some(number)
        }),
        _ => numbers(format, text, dtype, origin, |field| field.parse::<f64>().ok()),
    }
}

/// The fields as `parse` has them, then in the element type that is wanted.
fn numbers<T: Element>(
    format: &TextFormat,
    text: &str,
    dtype: DType,
    origin: Origin<'_>,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<DynArray> {
    let (mut elements, mut count, mut columns) = (Vec::new(), 0, None);
    for row in rows(format, text).take(format.max_rows) {
        let wanted = *columns.get_or_insert(row.fields.len());
        if wanted != row.fields.len() && format.usecols.is_none() {
            let found = row.fields.len();
            let reason = format!("line {}: {found} fields, {wanted} before", row.number);
            return Err(origin.failed(reason));
        }
        let mut add = |(start, field): Field<'_>| {
            let wrong = || {
                let (line, column) = (row.number, start + 1);
                let place = format!("line {line}, column {column}");
                origin.failed(format!("{place}: `{field}` is no number of type {dtype}"))
            };
            elements.push(parse(field).ok_or_else(wrong)?);
            Ok(())
        };
        match &format.usecols {
            None => row.fields.iter().try_for_each(|field| add(*field))?,
            Some(list) => list.iter().try_for_each(|&column| {
                let fields = row.fields.len() as isize;
                let at = if column < 0 { column + fields } else { column };
                let field = usize::try_from(at).ok().and_then(|at| row.fields.get(at));
                let missing = || {
                    let reason = format!("there is no column {column} among {fields}");
                    origin.failed(format!("line {}: {reason}", row.number))
                };
                add(*field.ok_or_else(missing)?)
            })?,
        }
        count += 1;
    }
    let columns = format.usecols.as_ref().map_or(columns.unwrap_or(1), Vec::len);
    let shape: &[usize] = match (count, columns) {
        (1, 1) => &[],
        (count, 1) => &[count],
        (1, columns) => &[columns],
        _ => &[count, columns],
    };
    let array = T::import(origin.name, shape, elements, origin.place)?;
    match array.dtype() == dtype {
        true => Ok(array),
        false => array.copy_as(origin.name, dtype, origin.place),
    }
}

/// The lines that hold fields.
fn rows<'t>(format: &'t TextFormat, text: &'t str) -> impl Iterator<Item = Row<'t>> {
    let lines = text.lines().enumerate().skip(format.skiprows);
    lines.filter_map(|(index, line)| {
        let line = match &format.comments[..] {
            "" => line,
            mark => line.split(mark).next().unwrap_or(line),
        };
        if line.trim().is_empty() {
            return None;
        }
        let field = |field: &'t str| {
            let trimmed = field.trim();
            let start = trimmed.as_ptr() as usize - line.as_ptr() as usize;
            (start, trimmed)
        };
        let fields = match format.delimiter {
            None => line.split_ascii_whitespace().map(field).collect(),
            Some(delimiter) => line.split(delimiter).map(field).collect(),
        };
        Some(Row { number: index + 1, fields })
    })
}

fn truth(field: &str) -> Option<bool> {
    match field {
        "True" | "true" => Some(true),
        "False" | "false" => Some(false),
        number => Some(number.parse::<i64>().ok()? != 0),
    }
}

/// `1+2j`, also in parentheses; `2j`; a real number.
fn complex(field: &str) -> Option<Complex<f64>> {
    let inner = field.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let number = inner.unwrap_or(field).trim();
    let Some(number) = number.strip_suffix('j') else {
        return Some(Complex::new(number.parse().ok()?, 0.0));
    };
    // The sign of the imaginary part is the last one that belongs to no exponent.
    let is_sign = |&(at, c): &(usize, char)| {
        at > 0 && matches!(c, '+' | '-') && !number[..at].ends_with(['e', 'E'])
    };
    match number.char_indices().rfind(is_sign) {
        None => Some(Complex::new(0.0, number.parse().ok()?)),
        Some((at, _)) => Some(Complex::new(number[..at].parse().ok()?, number[at..].parse().ok()?)),
    }
}

/// # Text files
impl<T: Element> DArray<T> {
    /// NumPy's `loadtxt` with its defaults: the numbers of a text file, see [`TextFormat::load`](crate::TextFormat::load).
    ///
    /// ```
    /// use darray::DArray;
    /// # let path = std::env::temp_dir().join(format!("darray-loadtxt-{}.txt", std::process::id()));
    /// std::fs::write(&path, "1 2\n3 4\n").unwrap();
    /// assert_eq!(DArray::<f32>::loadtxt(&path).unwrap().shape(), [2, 2]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn loadtxt(path: impl AsRef<std::path::Path>) -> Result<DArray<T>> {
        TextFormat::new().load(path)
    }

    /// NumPy's `savetxt` with its defaults, see [`TextFormat::save`](crate::TextFormat::save).
    ///
    /// ```
    /// use darray::DArray;
    /// # let path = std::env::temp_dir().join(format!("darray-savetxt-{}.txt", std::process::id()));
    /// DArray::from([[1, 2], [3, 4]]).savetxt(&path).unwrap();
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "1 2\n3 4\n");
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn savetxt(&self, path: impl AsRef<std::path::Path>) -> Result<()> {
        TextFormat::new().save(path, self)
    }
}
