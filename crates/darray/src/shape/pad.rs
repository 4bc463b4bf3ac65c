//! Arrays with borders: a copy of the inside and one or two tasks per padded axis.

use crate::array::into_shape::extent;
use crate::error::expect_at_caller;
use crate::{Argument, DArray, DynArray, Element, FitsIn, Index, Integer, Number, Real};
use darray_core::{Error, ErrorKind, Ix, Place, Result, Scalar, Shape, check_shape};
use smallvec::SmallVec;
use std::ops::Range;

/// What a border holds.
///
/// ```
/// use darray::{DArray, PadMode};
/// let x = DArray::<i64>::arange(4);
/// assert_eq!(x.pad(2, PadMode::constant(7)).to_vec(), [7, 7, 0, 1, 2, 3, 7, 7]);
/// assert_eq!(x.pad(2, PadMode::Edge).to_vec(), [0, 0, 0, 1, 2, 3, 3, 3]);
/// assert_eq!(x.pad(2, PadMode::Reflect).to_vec(), [2, 1, 0, 1, 2, 3, 2, 1]);
/// assert_eq!(x.pad(2, PadMode::Symmetric).to_vec(), [1, 0, 0, 1, 2, 3, 3, 2]);
/// assert_eq!(x.pad(2, PadMode::Wrap).to_vec(), [2, 3, 0, 1, 2, 3, 0, 1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PadMode {
    /// This value, cast to the array's element type.
    Constant(Scalar),
    /// The element at the edge.
    Edge,
    /// The array mirrored at its edge, which is not repeated.
    Reflect,
    /// The array mirrored beside its edge, which is repeated.
    Symmetric,
    /// The array from its other end.
    Wrap,
}

impl PadMode {
    /// A border of equal elements.
    ///
    /// ```
    /// use darray::{PadMode, Scalar};
    /// assert_eq!(PadMode::constant(1.5), PadMode::Constant(Scalar::from(1.5)));
    /// ```
    pub fn constant(value: impl Into<Scalar>) -> PadMode {
        PadMode::Constant(value.into())
    }
}

/// What the border of an array of `T` holds: a [`PadMode`], or a number that stands beside such an array, for a border of equal elements.
///
/// ```
/// use darray::{DArray, PadMode};
/// let x = DArray::from([1.0, 2.0]);
/// assert_eq!(x.pad(1, 0).to_vec(), [0.0, 1.0, 2.0, 0.0]);
/// assert_eq!(x.pad(1, PadMode::Edge).to_vec(), [1.0, 1.0, 2.0, 2.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what a border of `{T}` holds",
    label = "write `PadMode::Edge`, `PadMode::Reflect`, `PadMode::Symmetric`, `PadMode::Wrap`, or a number that such an array holds: `0`"
)]
pub trait Padding<T: Element> {
    /// The mode.
    fn mode(self) -> PadMode;
}

#[diagnostic::do_not_recommend]
impl<T: Element> Padding<T> for PadMode {
    fn mode(self) -> PadMode {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T: Number, S: Real + FitsIn<T>> Padding<T> for S {
    fn mode(self) -> PadMode {
        PadMode::Constant(self.into_scalar())
    }
}

#[diagnostic::do_not_recommend]
impl Padding<bool> for bool {
    fn mode(self) -> PadMode {
        PadMode::constant(self)
    }
}

/// How wide borders are before and after each axis: one number, one pair, or a pair per axis.
///
/// ```
/// use darray::{DArray, PadMode};
/// let x = DArray::<f64>::ones((2, 2));
/// let shape = |padded: DArray| padded.shape().to_vec();
/// assert_eq!(shape(x.pad(1, PadMode::Edge)), [4, 4]);
/// assert_eq!(shape(x.pad((1, 2), PadMode::Edge)), [5, 5]);
/// assert_eq!(shape(x.pad([(0, 1), (2, 2)], PadMode::Edge)), [3, 6]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PadWidths(SmallVec<[(i64, i64); 4]>);

impl<E: Index> From<(E, E)> for PadWidths {
    fn from((before, after): (E, E)) -> PadWidths {
        PadWidths(SmallVec::from_slice(&[(extent(before), extent(after))]))
    }
}

impl<E: Index> From<&[(E, E)]> for PadWidths {
    fn from(pairs: &[(E, E)]) -> PadWidths {
        PadWidths(pairs.iter().map(|(before, after)| (extent(*before), extent(*after))).collect())
    }
}

impl<E: Index, const N: usize> From<[(E, E); N]> for PadWidths {
    fn from(pairs: [(E, E); N]) -> PadWidths {
        PadWidths::from(&pairs[..])
    }
}

impl<E: Integer> From<E> for PadWidths {
    fn from(width: E) -> PadWidths {
        PadWidths::from((width, width))
    }
}

impl PadWidths {
    /// A pair per axis of an array of this shape.
    fn resolve(
        &self,
        shape: &Shape,
    ) -> std::result::Result<SmallVec<[(usize, usize); 4]>, ErrorKind> {
        let error = |message| ErrorKind::Index { message, shape: shape.clone() };
        let pairs: SmallVec<[(i64, i64); 4]> = match &self.0[..] {
            [pair] => SmallVec::from_elem(*pair, shape.rank()),
            pairs if pairs.len() == shape.rank() => SmallVec::from_slice(pairs),
            pairs => {
                let (found, rank) = (pairs.len(), shape.rank());
                return Err(error(format!("{found} pairs of widths for {rank} axes")));
            }
        };
        let width =
            |n: i64| usize::try_from(n).map_err(|_| error(format!("width {n} is negative")));
        pairs.into_iter().map(|(before, after)| Ok((width(before)?, width(after)?))).collect()
    }
}

impl DynArray {
    /// The array with a border.
    ///
    /// Errors: a width is negative; not a pair of widths per axis; a border, of another mode than
    /// constant, beside an axis without elements.
    ///
    /// ```
    /// use darray::{DArray, DynArray, PadMode};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3)));
    /// assert_eq!(x.pad(1, PadMode::Wrap).unwrap().shape(), [4, 5]);
    /// ```
    #[track_caller]
    pub fn pad(&self, widths: impl Into<PadWidths>, mode: PadMode) -> Result<DynArray> {
        let (name, place) = ("pad", Place::caller());
        let error = |kind| Error::new(name, kind, place);
        let shape = self.shape_of();
        let widths = widths.into().resolve(shape).map_err(error)?;
        let wide = |a: usize| shape[a].saturating_add(widths[a].0).saturating_add(widths[a].1);
        let result: Shape = (0..shape.rank()).map(wide).collect();
        check_shape(&result).map_err(error)?;
        let bordered = |a: &usize| result[*a] > shape[*a];
        if let Some(axis) = (0..shape.rank()).filter(bordered).find(|a| shape[*a] == 0)
            && !matches!(mode, PadMode::Constant(_))
        {
            let expected = format!("elements along axis {axis} to fill its border from");
            return Err(error(ErrorKind::Shapes { shapes: vec![shape.clone()], expected }));
        }
        let out = DynArray::allocate(self.runtime(), self.dtype(), &result);
        // What is written so far: the inside, then whole axes from the first to the last.
        let mut written: SmallVec<[Range<usize>; 4]> =
            widths.iter().zip(shape.iter()).map(|(w, n)| w.0..w.0 + n).collect();
        out.block(&written)?.assign_as(self.into(), name, place)?;
        for axis in 0..shape.rank() {
            for run in runs(mode, written[axis].clone(), result[axis]) {
                let mut target = written.clone();
                target[axis] = run.to;
                let target = out.block(&target)?;
                let from = match run.from {
                    Source::Value(value) => {
                        target.assign_as(Argument::Scalar(value), name, place)?;
                        continue;
                    }
                    Source::Elements(item) => item,
                };
                let mut source = written.clone();
                source[axis] = 0..result[axis];
                let mut items = vec![Ix::from(..); axis];
                items.push(from);
                let source = out.block(&source)?.slice(&items)?;
                target.assign_as((&source).into(), name, place)?;
            }
            written[axis] = 0..result[axis];
        }
        Ok(out)
    }
}

/// A piece of a border along one axis, and what it holds.
struct Run {
    to: Range<usize>,
    from: Source,
}

enum Source {
    Value(Scalar),
    /// Elements of the axis that are written already.
    Elements(Ix),
}

/// The pieces of the borders of an axis of `extent`, of which `inside` is written, each filled from
/// what is written before it: at most one piece a side unless the border is wider than the array,
/// and then as many as doublings are needed.
fn runs(mode: PadMode, inside: Range<usize>, extent: usize) -> Vec<Run> {
    let n = inside.len();
    if n == extent {
        return Vec::new();
    }
    let (mut low, mut high) = (inside.start, inside.end);
    let edge = match mode {
        PadMode::Constant(value) => Some([Source::Value(value), Source::Value(value)]),
        _ if n == 1 || mode == PadMode::Edge => {
            Some([low, high - 1].map(|at| Source::Elements(range(at, at + 1))))
        }
        _ => None,
    };
    if let Some([before, after]) = edge {
        let borders = [Run { to: 0..low, from: before }, Run { to: high..extent, from: after }];
        return borders.into_iter().filter(|run| !run.to.is_empty()).collect();
    }
    // The axis is periodic; mirrored ones are mirrored once, until a period is written.
    let (period, skip) = match mode {
        PadMode::Reflect => (2 * (n - 1), 1),
        PadMode::Symmetric => (2 * n, 0),
        _ => (n, 0),
    };
    let mut runs = Vec::new();
    while high < extent {
        let written = high - low;
        let (count, from) = if written >= period {
            let back = written / period * period;
            let count = back.min(extent - high);
            (count, range(high - back, high - back + count))
        } else {
            let count = (written - skip).min(extent - high);
            (count, mirrored(high - skip - count, high - skip))
        };
        runs.push(Run { to: high..high + count, from: Source::Elements(from) });
        high += count;
    }
    while low > 0 {
        let written = high - low;
        let (count, from) = if written >= period {
            let ahead = written / period * period;
            let count = ahead.min(low);
            (count, range(low + ahead - count, low + ahead))
        } else {
            let count = (written - skip).min(low);
            (count, mirrored(low + skip, low + skip + count))
        };
        runs.push(Run { to: low - count..low, from: Source::Elements(from) });
        low -= count;
    }
    runs
}

fn range(start: usize, end: usize) -> Ix {
    Ix::from(start as isize..end as isize)
}

/// The range from its last element to its first.
fn mirrored(start: usize, end: usize) -> Ix {
    let stop = start.checked_sub(1).map(|stop| stop as isize);
    Ix::Range { start: Some(end as isize - 1), end: stop, step: -1 }
}

/// # Borders
impl<T: Element> DArray<T> {
    /// The array with a border, of a number or by a [`PadMode`]; see [`PadWidths`].
    ///
    /// # Panics
    ///
    /// If a width is negative, there is not a pair of widths per axis, or a border, of another mode
    /// than constant, is beside an axis without elements.
    ///
    /// ```
    /// use darray::{DArray, PadMode};
    /// let x = DArray::from_shape_vec((1, 2), vec![1.0, 2.0]);
    /// let padded = x.pad([(1, 0), (1, 1)], 0.0);
    /// assert_eq!(padded.to_vec(), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0]);
    /// assert_eq!(x.pad((0, 1), PadMode::Wrap).to_vec(), [1.0, 2.0, 1.0, 1.0, 2.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn pad(&self, widths: impl Into<PadWidths>, border: impl Padding<T>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().pad(widths, border.mode())))
    }
}
