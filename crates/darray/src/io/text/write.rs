//! From an array to the lines of a file.

use super::TextFormat;
use crate::io::Origin;
use crate::{DynArray, Element};
use darray_core::{DType, Result};
use num_complex::Complex;
use std::fmt::Write;

/// The lines of an array of at most two axes.
pub fn table(format: &TextFormat, x: &DynArray, origin: Origin<'_>) -> Result<String> {
    let columns = match *x.shape() {
        [] | [_] => 1,
        [_, columns] => columns,
        _ => {
            return Err(origin.failed(format!("{} axes, at most two are written", x.shape().len())));
        }
    };
    let mut lines = String::new();
    comment(format, &format.header, &mut lines);
    if x.is_complex() {
        written(
            format,
            &read::<Complex<f64>>(x, DType::C128, origin)?,
            columns,
            &mut lines,
            |z, lines| {
                lines.push('(');
                float(format, z.re, lines);
                if z.im.is_sign_positive() || z.im.is_nan() {
                    lines.push('+');
                }
                float(format, z.im, lines);
                lines.push_str("j)");
            },
        );
    } else if x.dtype() == DType::U64 {
        let numbers = read::<u64>(x, DType::U64, origin)?;
        written(format, &numbers, columns, &mut lines, |n, lines| display(n, lines));
    } else if x.dtype() == DType::Bool || x.dtype().is_integer() {
        let numbers = read::<i64>(x, DType::I64, origin)?;
        written(format, &numbers, columns, &mut lines, |n, lines| display(n, lines));
    } else {
        let numbers = read::<f64>(x, DType::F64, origin)?;
        written(format, &numbers, columns, &mut lines, |&v, lines| float(format, v, lines));
    }
    comment(format, &format.footer, &mut lines);
    Ok(lines)
}

fn read<T: Element>(x: &DynArray, dtype: DType, origin: Origin<'_>) -> Result<Vec<T>> {
    match x.dtype() == dtype {
        true => T::read(x, origin.name, origin.place),
        false => T::read(&x.copy_as(origin.name, dtype, origin.place)?, origin.name, origin.place),
    }
}

/// Rows, a line each.
fn written<T>(
    format: &TextFormat,
    elements: &[T],
    columns: usize,
    lines: &mut String,
    write: impl Fn(&T, &mut String),
) {
    let delimiter = format.delimiter.unwrap_or(' ');
    for row in elements.chunks(columns.max(1)) {
        for (k, element) in row.iter().enumerate() {
            if k > 0 {
                lines.push(delimiter);
            }
            write(element, lines);
        }
        lines.push('\n');
    }
}

fn display(number: impl std::fmt::Display, lines: &mut String) {
    write!(lines, "{number}").expect("a string takes all");
}

/// As C's `%.*e` and `%.*f` have it.
fn float(format: &TextFormat, value: f64, lines: &mut String) {
    let decimals = format.decimals;
    if !value.is_finite() {
        let text = if value.is_nan() {
            "nan"
        } else if value > 0.0 {
            "inf"
        } else {
            "-inf"
        };
        lines.push_str(text);
    } else if format.fixed {
        write!(lines, "{value:.decimals$}").expect("a string takes all");
    } else {
        let start = lines.len();
        write!(lines, "{value:.decimals$e}").expect("a string takes all");
        let at = start + lines[start..].find('e').expect("an exponent");
        let exponent: i32 = lines[at + 1..].parse().expect("an integer");
        lines.truncate(at);
        write!(lines, "e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
            .expect("a string takes all");
    }
}

fn comment(format: &TextFormat, text: &str, lines: &mut String) {
    let mark = if format.comments.is_empty() { "#" } else { &format.comments };
    for line in text.lines() {
        writeln!(lines, "{mark} {line}").expect("a string takes all");
    }
}
