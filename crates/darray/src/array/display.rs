//! `{}` as NumPy prints: eight digits, columns aligned, large arrays elided, or as [`PrintOptions`] say. `{:?}` says element type and shape before.

mod element;
mod options;

use crate::error::expect_at_caller;
use crate::{DArray, DynArray, Element};
use darray_core::{Ix, Place, RealType, Result, Scalar};
use element::{alone, complex_alone, complex_formatter, formatter};
pub use options::PrintOptions;
use std::fmt;

impl<T: Element> fmt::Display for DArray<T> {
    /// The elements as `numpy.array2string` gives them. Flushes, and waits for this array alone; of
    /// a large array only what is printed is fetched.
    ///
    /// A precision is NumPy's `precision` option: how many digits after the point there are at most.
    /// Width, fill and sign are ignored. An array without axes is printed as a number is, with all of
    /// these: `{:>8.2}`.
    ///
    /// # Panics
    ///
    /// If computing the array failed; the text names the operation and line that caused it. In the message
    /// of another panic that text stands in place of the elements, since a second panic would end the
    /// process. [`try_to_string`](crate::Fallible::try_to_string) returns the error.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.5, -3.0, 0.125]);
    /// assert_eq!(x.to_string(), "[[ 1.     2.5  ]\n [-3.     0.125]]");
    /// assert_eq!(DArray::<i64>::arange(2000).to_string(), "[   0    1    2 ... 1997 1998 1999]");
    /// assert_eq!(format!("{:.2}", x / 3.0), "[[ 0.33  0.83]\n [-1.    0.04]]");
    /// assert_eq!(format!("{:>8.2}", DArray::<f64>::full((), 2.0 / 3.0)), "    0.67");
    /// ```
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_dyn(), f)
    }
}

impl DynArray {
    /// As [`try_to_string`](crate::Fallible::try_to_string).
    ///
    /// ```
    /// use darray::{Fallible, DArray, DynArray};
    /// assert_eq!(DynArray::from(DArray::<f64>::ones(2)).try_to_string().unwrap(), "[1. 1.]");
    /// ```
    #[track_caller]
    pub fn try_to_string(&self) -> Result<String> {
        Ok(Printed::read(self, Place::caller())?.to_string())
    }
}

impl fmt::Display for DynArray {
    /// As [`DArray`]'s.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// assert_eq!(DynArray::from(DArray::<f64>::arange(3)).to_string(), "[0. 1. 2.]");
    /// ```
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(Printed::read(self, Place::caller()), f)
    }
}

impl<T: Element> fmt::Debug for DArray<T> {
    /// Element type, shape and elements. As `{}` it flushes and waits for this array, and a precision is that of the elements; it
    /// never panics: where computing the array failed the error's text stands in place of the elements.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(format!("{:?}", DArray::<f64>::arange(3)), "DArray<f64>[3] [0. 1. 2.]");
    /// assert_eq!(format!("{:?}", DArray::<f32>::ones((2, 2))), "DArray<f32>[2, 2]\n[[1. 1.]\n [1. 1.]]");
    /// ```
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe("DArray", self.as_dyn(), f)
    }
}

impl fmt::Debug for DynArray {
    /// As [`DArray`]'s.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(3));
    /// assert_eq!(format!("{x:?}"), "DynArray<i64>[3] [0 1 2]");
    /// ```
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe("DynArray", self, f)
    }
}

/// Prints what an array is and what is in it, or why that is not known.
#[track_caller]
fn describe(handle: &str, array: &DynArray, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{handle}<{}>{}", array.dtype(), array.shape_of())?;
    let text = match (Printed::read(array, Place::caller()), f.precision()) {
        (Ok(printed), None) => printed.to_string(),
        (Ok(printed), Some(digits)) => format!("{printed:.digits$}"),
        (Err(error), _) => format!("<{error}>"),
    };
    // Columns stay below each other.
    write!(f, "{}{text}", if text.contains('\n') { '\n' } else { ' ' })
}

/// Prints what was read. A failure is a panic, but within the message of another one it is printed.
#[track_caller]
fn show(read: Result<impl fmt::Display>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match read {
        Err(error) if std::thread::panicking() => write!(f, "<{error}>"),
        read => expect_at_caller(read).fmt(f),
    }
}

/// What is printed of an array, row-major.
struct Printed<'a> {
    array: &'a DynArray,
    options: PrintOptions,
    parts: Parts,
}

enum Parts {
    Real(Vec<Scalar>),
    /// Real and imaginary parts.
    Complex(Vec<Scalar>, Vec<Scalar>),
}

impl Printed<'_> {
    fn read(array: &DynArray, place: Place) -> Result<Printed<'_>> {
        let options = PrintOptions::current();
        let read = |array: &DynArray| match options.elides(array) {
            true => read_edges(array, options.edge_items, place),
            false => read(array, place),
        };
        let parts = match array.parts() {
            None => Parts::Real(read(array)?),
            Some([re, im]) => Parts::Complex(read(&re)?, read(&im)?),
        };
        Ok(Printed { array, options, parts })
    }
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (array, precision) = (self.array, f.precision());
        let options = match precision {
            Some(precision) => self.options.precision(precision),
            None => self.options,
        };
        let is_number = array.shape().is_empty();
        match &self.parts {
            Parts::Real(elements) if is_number => number(elements[0], f),
            Parts::Complex(re, im) if is_number => f.write_str(&match precision {
                Some(digits) => {
                    format!("({:.digits$}{:+.digits$}j)", re[0].to_f64(), im[0].to_f64())
                }
                None => complex_alone(re[0], im[0]),
            }),
            Parts::Real(elements) => {
                let format = formatter(array.real_type(), elements, options);
                Words::new(array, options, elements.iter().copied().map(format).collect()).fmt(f)
            }
            Parts::Complex(re, im) => {
                let format = complex_formatter(re, im, options);
                let words = re.iter().zip(im).map(|(&x, &y)| format(x, y)).collect();
                Words::new(array, options, words).fmt(f)
            }
        }
    }
}

/// The element of an array without axes: as NumPy prints it, or to the precision asked for.
fn number(element: Scalar, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let value = element.to_f64();
    match element.dtype() {
        RealType::Bool => f.pad(&alone(element)),
        dtype if dtype.is_float() && f.precision().is_some() && value.is_finite() => {
            fmt::Display::fmt(&value, f)
        }
        _ => {
            let text = alone(element);
            let digits = text.strip_prefix('-');
            f.pad_integral(digits.is_none(), "", digits.unwrap_or(&text))
        }
    }
}

/// The elements that are printed, as words of one width.
struct Words<'a> {
    /// Extents of the array.
    shape: &'a [usize],
    options: PrintOptions,
    /// Whether long axes are elided.
    elide: bool,
    /// Row-major over what is printed.
    words: Vec<String>,
}

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.words[..] {
            [] => f.write_str("[]"),
            words => f.write_str(&self.axis(0, &mut words.iter().map(String::as_str))),
        }
    }
}

impl Words<'_> {
    fn new(array: &DynArray, options: PrintOptions, words: Vec<String>) -> Words<'_> {
        Words { shape: array.shape(), options, elide: options.elides(array), words }
    }

    /// The text of one index of the axes before `axis`.
    fn axis<'a>(&self, axis: usize, words: &mut impl Iterator<Item = &'a str>) -> String {
        let extent = self.shape[axis];
        let left = self.shape.len() - axis - 1;
        let edge = self.options.edge_items;
        let elided = self.elide && extent > 2 * edge;
        let count = if elided { 2 * edge } else { extent };
        if left == 0 {
            let mut row: Vec<&str> = words.take(count).collect();
            if elided {
                row.insert(edge, "...");
            }
            return wrap(&row, axis + 1, self.options.line_width);
        }
        let separator = format!("{}{}", "\n".repeat(left), " ".repeat(axis + 1));
        let mut rows: Vec<String> = (0..count).map(|_| self.axis(axis + 1, words)).collect();
        if elided {
            rows.insert(edge, "...".to_string());
        }
        format!("[{}]", rows.join(&separator))
    }
}

/// The words of a row of the last of `rank` axes, broken into lines that are indented by `rank`.
fn wrap(row: &[&str], rank: usize, line_width: usize) -> String {
    let (mut text, mut line) = (String::from("["), rank);
    // Brackets of outer axes take one column each, the separator or bracket after a word another.
    let width = line_width.saturating_sub(rank);
    for (k, word) in row.iter().enumerate() {
        if line + word.len() > width && line > rank {
            text.truncate(text.trim_end().len());
            text.push('\n');
            text.push_str(&" ".repeat(rank));
            line = rank;
        }
        text.push_str(word);
        line += word.len() + 1;
        if k + 1 < row.len() {
            text.push(' ');
        }
    }
    text.push(']');
    text
}

impl PrintOptions {
    /// Whether long axes of the array are elided.
    fn elides(self, array: &DynArray) -> bool {
        array.shape_of().size() > self.threshold
    }
}

/// The elements, row-major.
fn read(array: &DynArray, place: Place) -> Result<Vec<Scalar>> {
    let dtype = array.real_type();
    let element = |bytes: &[u8]| {
        let mut bits = [0; 8];
        bits[..bytes.len()].copy_from_slice(bytes);
        Scalar::from_bits(dtype, u64::from_le_bytes(bits))
    };
    Ok(array.read_real::<u8>("display", place)?.chunks_exact(dtype.size()).map(element).collect())
}

/// What is printed of a large array, row-major: of long axes the edges only.
fn read_edges(array: &DynArray, edge: usize, place: Place) -> Result<Vec<Scalar>> {
    let shape = array.shape();
    let printed: Vec<usize> = shape.iter().map(|&n| n.min(2 * edge)).collect();
    let long: Vec<usize> = (0..shape.len()).filter(|&a| shape[a] > 2 * edge).collect();
    let mut elements = vec![None; printed.iter().product()];
    for corner in 0..1usize << long.len() {
        let mut items = vec![Ix::from(..); shape.len()];
        let mut origin = vec![0; shape.len()];
        for (bit, &axis) in long.iter().enumerate() {
            let last = corner >> bit & 1 == 1;
            let edges = [(shape[axis] - edge) as isize, edge as isize];
            items[axis] = if last { Ix::from(edges[0]..) } else { Ix::from(..edges[1]) };
            origin[axis] = if last { edge } else { 0 };
        }
        let block = array.slice(items)?;
        let mut index = origin.clone();
        for element in read(&block, place)? {
            let at = index.iter().zip(&printed).fold(0, |at, (i, n)| at * n + i);
            elements[at] = Some(element);
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                if index[axis] < origin[axis] + block.shape()[axis] {
                    break;
                }
                index[axis] = origin[axis];
            }
        }
    }
    Ok(elements.into_iter().map(|e| e.expect("the corners make up what is printed")).collect())
}
