//! Pictures of arrays as PNG files.
//!
//! An array of two axes is shown by a [`Colormap`]; a `u8` array with three or four channels along its third axis holds the colours
//! themselves. Both are methods: [`DArray::save_png`](crate::DArray::save_png) and
//! [`DArray::save_rgb_png`](crate::DArray::save_rgb_png).
//!
//! ```
//! use darray::image::Colormap;
//! use darray::prelude::*;
//! # let path = std::env::temp_dir().join(format!("darray-image-{}.png", std::process::id()));
//! let x: DArray = DArray::linspace(0.0, 6.0, 60);
//! let waves = x.slice(s![.., None]).sin() * x.cos();
//! waves.save_png(&path, Colormap::Viridis)?;
//! waves.save_png(&path, Colormap::Gray.range(-1.0, 1.0))?;
//! # std::fs::remove_file(path).unwrap();
//! # Ok::<(), darray::Error>(())
//! ```

use super::Origin;
use super::replace::replace;
use super::saved::each_piece;
use crate::elementwise::steps::Steps;
use crate::{Binary, DArray, DynArray, Element, Reduction, Unary};
use darray_core::{DType, Place, Result};
use png::{BitDepth, ColorType, Encoder, Filter};
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

/// How many colours numbers have in a picture. One more, the first, is that of NaN.
const LEVELS: u8 = 255;

/// Colours for numbers: a line through a few colours, of which each is lighter than the one before.
///
/// ```
/// use darray::image::Colormap;
/// assert_eq!(Colormap::Gray.color(0.0), [0, 0, 0]);
/// assert_eq!(Colormap::Gray.color(0.5), [128, 128, 128]);
/// assert_eq!(Colormap::Viridis.color(1.0), [250, 230, 40]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Colormap {
    /// From black to white.
    Gray,
    /// From dark violet by blue and green to yellow, in the manner of Matplotlib's map of this name.
    Viridis,
    /// From black by violet and orange to pale yellow, in the manner of Matplotlib's map of this name.
    Inferno,
}

impl Colormap {
    /// Every map.
    pub const ALL: [Colormap; 3] = [Colormap::Gray, Colormap::Viridis, Colormap::Inferno];

    /// The colour at a place from 0 to 1, as red, green and blue; that of the nearest end for other places.
    ///
    /// ```
    /// use darray::image::Colormap;
    /// assert_eq!(Colormap::Inferno.color(-1.0), Colormap::Inferno.color(0.0));
    /// ```
    pub fn color(self, place: f64) -> [u8; 3] {
        let points = self.points();
        let place = place.clamp(0.0, 1.0) * (points.len() - 1) as f64;
        // NaN is 0 here.
        let before = (place as usize).min(points.len() - 2);
        let part = place - before as f64;
        std::array::from_fn(|channel| {
            let [from, to] = [before, before + 1].map(|at| f64::from(points[at][channel]));
            (from + part * (to - from)).round() as u8
        })
    }

    /// This map for the numbers from `low` to `high`: what is less has the first colour, what is greater the last.
    ///
    /// ```
    /// use darray::DArray;
    /// use darray::image::Colormap;
    /// # let path = std::env::temp_dir().join(format!("darray-range-{}.png", std::process::id()));
    /// let temperatures = DArray::<f64>::full((4, 6), 21.5);
    /// temperatures.save_png(&path, Colormap::Inferno.range(-20.0, 50.0))?;
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), darray::Error>(())
    /// ```
    pub fn range(self, low: f64, high: f64) -> Colors {
        Colors { map: self, range: Some((low, high)) }
    }

    /// Colours at equal distances.
    fn points(self) -> &'static [[u8; 3]] {
        match self {
            Colormap::Gray => &[[0, 0, 0], [255, 255, 255]],
            Colormap::Viridis => {
                &[[70, 0, 85], [60, 75, 140], [35, 140, 140], [95, 200, 95], [250, 230, 40]]
            }
            Colormap::Inferno => {
                &[[0, 0, 5], [85, 15, 105], [185, 55, 85], [245, 135, 25], [250, 255, 165]]
            }
        }
    }

    /// Red, green and blue of each level.
    fn palette(self) -> Vec<u8> {
        let nan = [0; 3];
        let place = |level: u8| f64::from(level) / f64::from(LEVELS - 1);
        let levels = (0..LEVELS).flat_map(|level| self.color(place(level)));
        nan.into_iter().chain(levels).collect()
    }
}

/// A [`Colormap`], and which numbers have its first and its last colour; see [`Colormap::range`]. A map alone goes from the least to
/// the greatest element that is finite.
///
/// ```
/// use darray::image::{Colormap, Colors};
/// let of_the_elements = Colors::from(Colormap::Gray);
/// assert_ne!(of_the_elements, Colormap::Gray.range(0.0, 1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Colors {
    map: Colormap,
    range: Option<(f64, f64)>,
}

impl From<Colormap> for Colors {
    fn from(map: Colormap) -> Colors {
        Colors { map, range: None }
    }
}

impl DynArray {
    /// Writes a picture of a real array of two axes, one pixel for each element; see [`DArray::save_png`].
    ///
    /// Errors: those of [`DArray::save_png`]; complex elements.
    ///
    /// ```
    /// use darray::image::Colormap;
    /// use darray::{DType, DynArray};
    /// # let path = std::env::temp_dir().join(format!("darray-dyn-png-{}.png", std::process::id()));
    /// let x = DynArray::full((2, 3), DType::U8, 1).unwrap();
    /// x.save_png(&path, Colormap::Gray)?;
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), darray::Error>(())
    /// ```
    #[track_caller]
    pub fn save_png(&self, path: impl AsRef<Path>, colors: impl Into<Colors>) -> Result<()> {
        let Colors { map, range } = colors.into();
        let steps = Steps { name: "save_png", place: Place::caller() };
        let size = size(self, &steps, self.shape().len() == 2, "two axes, and elements")?;
        let levels = levels(self, &steps, range)?;
        let origin = Origin { name: steps.name, path: path.as_ref(), place: steps.place };
        write(&levels, origin, size, &|encoder| {
            encoder.set_color(ColorType::Indexed);
            encoder.set_palette(map.palette());
            // What is not named is opaque.
            encoder.set_trns(Cow::Borrowed(&[0][..]));
            // What is next to one another in a palette need not be alike, so that differences compress worse.
            encoder.set_filter(Filter::NoFilter);
        })
    }

    /// Writes the picture whose colours are the elements of a `u8` array; see [`DArray::save_rgb_png`].
    ///
    /// Errors: those of [`DArray::save_rgb_png`]; elements that are not `u8`.
    ///
    /// ```
    /// use darray::{DType, DynArray};
    /// # let path = std::env::temp_dir().join(format!("darray-dyn-rgb-{}.png", std::process::id()));
    /// DynArray::full((2, 3, 4), DType::U8, 255).unwrap().save_rgb_png(&path)?;
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), darray::Error>(())
    /// ```
    #[track_caller]
    pub fn save_rgb_png(&self, path: impl AsRef<Path>) -> Result<()> {
        let steps = Steps { name: "save_rgb_png", place: Place::caller() };
        if self.dtype() != DType::U8 {
            return Err(steps.dtypes(&[self], "u8"));
        }
        let color = match self.shape() {
            [.., 4] => ColorType::Rgba,
            _ => ColorType::Rgb,
        };
        let is_picture = matches!(self.shape(), [_, _, 3 | 4]);
        let size = size(self, &steps, is_picture, "(rows, columns, 3) or (rows, columns, 4)")?;
        let origin = Origin { name: steps.name, path: path.as_ref(), place: steps.place };
        write(self, origin, size, &|encoder| encoder.set_color(color))
    }
}

/// # Pictures
impl<T: Element> DArray<T> {
    /// Writes a picture of a real array of two axes to a PNG file: a row of pixels for each row, in the colours of a map. It goes from
    /// the least to the greatest element that is finite, or over a range: `Colormap::Viridis.range(0.0, 1.0)`. Infinite elements
    /// have the first or the last colour, NaN is transparent.
    ///
    /// Levels of colours are computed where the array is. Flushes, and waits for this array alone. A file that was there is replaced,
    /// as by [`save`](Self::save).
    ///
    /// Errors: the array has not two axes, or no elements; complex elements; a range that is not finite or does not ascend; the file
    /// cannot be written; a failure while the array was computed.
    ///
    /// ```
    /// use darray::DArray;
    /// use darray::image::Colormap;
    /// # let path = std::env::temp_dir().join(format!("darray-png-{}.png", std::process::id()));
    /// let x: DArray = DArray::linspace(0.0, 1.0, 64).broadcast_to((16, 64));
    /// x.save_png(&path, Colormap::Viridis)?;
    /// let error = x.sum(..).save_png(&path, Colormap::Viridis).unwrap_err();
    /// assert!(error.to_string().starts_with("save_png: shapes []: expected two axes, and elements"));
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), darray::Error>(())
    /// ```
    #[track_caller]
    pub fn save_png(&self, path: impl AsRef<Path>, colors: impl Into<Colors>) -> Result<()> {
        self.as_dyn().save_png(path, colors)
    }
}

/// # Pictures
impl DArray<u8> {
    /// Writes the picture whose colours are the elements to a PNG file. The array has the shape (rows, columns, 3) of red, green and
    /// blue, or (rows, columns, 4), where the fourth channel is how opaque a pixel is. Flushes, and waits for this array alone. A
    /// file that was there is replaced, as by [`save`](Self::save).
    ///
    /// Errors: another shape, or no elements; the file cannot be written; a failure while the array was computed.
    ///
    /// ```
    /// use darray::{DArray, s};
    /// # let path = std::env::temp_dir().join(format!("darray-rgb-{}.png", std::process::id()));
    /// let red = DArray::<u8>::zeros((8, 12, 3));
    /// red.slice(s![.., .., 0]).assign(255);
    /// red.save_rgb_png(&path)?;
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), darray::Error>(())
    /// ```
    #[track_caller]
    pub fn save_rgb_png(&self, path: impl AsRef<Path>) -> Result<()> {
        self.as_dyn().save_rgb_png(path)
    }
}

/// Columns and rows of a picture.
fn size(x: &DynArray, steps: &Steps, is_picture: bool, expected: &str) -> Result<(u32, u32)> {
    match *x.shape() {
        [rows, columns, ..] if is_picture && rows > 0 && columns > 0 => {
            match (u32::try_from(columns), u32::try_from(rows)) {
                (Ok(columns), Ok(rows)) => Ok((columns, rows)),
                _ => Err(steps.shapes(&[x], "fewer than 2^32 rows and columns")),
            }
        }
        _ => Err(steps.shapes(&[x], expected)),
    }
}

/// The number of each element's colour in the palette, as u8.
fn levels(x: &DynArray, steps: &Steps, range: Option<(f64, f64)>) -> Result<DynArray> {
    let dtype = steps.real(x.dtype())?.inexact().compute();
    let x = steps.cast(x, dtype)?;
    // Of halves, since the difference of numbers may be too large for one.
    let half = steps.binary(Binary::Mul, &x, 0.5)?;
    let parts = match range {
        Some((low, high)) if low < high && (0.5 * high - 0.5 * low).is_finite() => {
            let above = steps.binary(Binary::Sub, &half, 0.5 * low)?;
            steps.binary(Binary::Div, &above, 0.5 * high - 0.5 * low)?
        }
        Some((low, high)) => return Err(steps.argument(format!("a range from {low} to {high}"))),
        None => {
            let is_finite = steps.unary(Unary::IsFinite, &half)?;
            let end = |reduction, neutral: f64| {
                let finite = steps.select(&is_finite, &half, neutral, dtype)?;
                finite.reduce_named(reduction, .., steps.name, steps.place)
            };
            let low = end(Reduction::Min, f64::INFINITY)?;
            let high = end(Reduction::Max, f64::NEG_INFINITY)?;
            // Where all elements are the same the parts are 0 / 0, and their level the first.
            let span = steps.binary(Binary::Sub, &high, &low)?;
            steps.binary(Binary::Div, &steps.binary(Binary::Sub, &half, &low)?, &span)?
        }
    };
    let scaled = steps.binary(Binary::Mul, &parts, f64::from(LEVELS))?;
    let least = steps.binary(Binary::Minimum, &scaled, f64::from(LEVELS - 1))?;
    let level = steps.binary(Binary::Maximum, &least, 0.0)?;
    // NaN becomes 0, and fractions go.
    let number = steps.binary(Binary::Add, &steps.cast(&level, DType::I64)?, 1)?;
    let is_nan = steps.unary(Unary::IsNan, &x)?;
    steps.cast(&steps.select(&is_nan, 0, &number, DType::I64)?, DType::U8)
}

/// Writes u8 elements as the pixels of a file.
fn write(
    pixels: &DynArray,
    origin: Origin<'_>,
    (columns, rows): (u32, u32),
    describe: &dyn Fn(&mut Encoder<'_, &mut dyn Write>),
) -> Result<()> {
    let failed = |error: png::EncodingError| origin.failed(error);
    replace(
        origin,
        |file| file,
        |sink| {
            let sink: &mut dyn Write = sink;
            let mut encoder = Encoder::new(sink, columns, rows);
            encoder.set_depth(BitDepth::Eight);
            describe(&mut encoder);
            let mut writer = encoder.write_header().map_err(failed)?;
            let mut stream = writer.stream_writer().map_err(failed)?;
            each_piece(pixels, origin, &mut |bytes| stream.write_all(bytes))?;
            stream.finish().map_err(failed)?;
            writer.finish().map_err(failed)
        },
    )
}
