//! NumPy's basic indexing: integers, ranges with steps, new axes and `...`.

use crate::{Dim, ErrorKind, Reindex, Shape};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// One item of an index of a view. Written with `s!` of the front end, or by hand when the index is
/// only known at run time.
///
/// Negative bounds count from the end and out-of-range bounds clamp, as in NumPy. With a negative
/// step, bounds are NumPy's too: `5..0;-1` walks 5, 4, 3, 2, 1.
///
/// ```
/// use darray_core::Ix;
/// assert_eq!(Ix::from(-1), Ix::At(-1));
/// assert_eq!(Ix::from(1..3), Ix::Range { start: Some(1), end: Some(3), step: 1 });
/// assert_eq!(Ix::from(..=-1), Ix::from(..));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ix {
    /// One index; the axis goes away.
    At(isize),
    /// NumPy's `start:end:step`; a missing bound is the end of the axis on that side.
    Range {
        /// First index.
        start: Option<isize>,
        /// First index that is left out.
        end: Option<isize>,
        /// Not 0.
        step: isize,
    },
    /// A new axis of extent 1.
    NewAxis,
    /// As many whole axes as are left over.
    Ellipsis,
}

impl Ix {
    /// The same range with another step; other indices stay as they are.
    ///
    /// ```
    /// use darray_core::Ix;
    /// let every_second = Ix::from(..).by(2);
    /// assert_eq!(every_second, Ix::Range { start: None, end: None, step: 2 });
    /// ```
    pub const fn by(self, step: isize) -> Ix {
        match self {
            Ix::Range { start, end, .. } => Ix::Range { start, end, step },
            other => other,
        }
    }
}

macro_rules! conversions {
    ($($from:ty, $value:ident => $start:expr, $end:expr;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl From<$from> for Ix {
            fn from($value: $from) -> Ix {
                Ix::Range { start: $start, end: $end, step: 1 }
            }
        }
    )* };
}

conversions! {
    RangeFull, _r => None, None;
    Range<isize>, r => Some(r.start), Some(r.end);
    RangeFrom<isize>, r => Some(r.start), None;
    RangeTo<isize>, r => None, Some(r.end);
    RangeInclusive<isize>, r => Some(*r.start()), after(*r.end());
    RangeToInclusive<isize>, r => None, after(r.end);
}

impl From<isize> for Ix {
    fn from(index: isize) -> Ix {
        Ix::At(index)
    }
}

/// The exclusive bound after `end`; after -1 there is no bound.
fn after(end: isize) -> Option<isize> {
    if end == -1 { None } else { Some(end.saturating_add(1)) }
}

/// What an index expression makes of an array of this shape.
///
/// Errors: too many indices, an integer out of range, a step of 0, two ellipses.
pub(crate) fn resolve(items: &[Ix], shape: &Shape) -> Result<Reindex, ErrorKind> {
    let error = |message: String| ErrorKind::Index { message, shape: shape.clone() };
    let used = items.iter().filter(|i| matches!(i, Ix::At(_) | Ix::Range { .. })).count();
    let ellipses = items.iter().filter(|i| matches!(i, Ix::Ellipsis)).count();
    if used > shape.rank() {
        return Err(error(format!("{used} indices for {} axes", shape.rank())));
    }
    if ellipses > 1 {
        return Err(error("an index has at most one `...`".to_string()));
    }
    let mut result = Reindex::default();
    let rest = if ellipses == 0 { &[Ix::Ellipsis][..] } else { &[] };
    for item in items.iter().chain(rest) {
        let axis = result.axes.len();
        match *item {
            Ix::NewAxis => result.shape.push(1),
            Ix::Ellipsis => {
                for a in axis..axis + shape.rank() - used {
                    result.axes.push(Dim::along(result.shape.rank() as u8, 0, 1));
                    result.shape.push(shape[a]);
                }
            }
            Ix::At(index) => {
                let extent = shape[axis] as isize;
                let at = if index < 0 { index.saturating_add(extent) } else { index };
                if at < 0 || at >= extent {
                    let index = match index {
                        // What an isize cannot hold is here, too.
                        isize::MAX => format!("an index of {index} or more"),
                        _ => format!("index {index}"),
                    };
                    let message = "is out of range for axis";
                    return Err(error(format!("{index} {message} {axis} of extent {extent}")));
                }
                result.axes.push(Dim::fixed(at as i64));
            }
            Ix::Range { step: 0, .. } => return Err(error("the step of a range is 0".to_string())),
            Ix::Range { start, end, step } => {
                let extent = shape[axis] as isize;
                // No longer step takes other elements; it would not fit where views are sliced again.
                let step = step.clamp(-extent.max(1), extent.max(1));
                let (first, length) = clamp(start, end, step, extent);
                result.axes.push(Dim::along(result.shape.rank() as u8, first, step as i64));
                result.shape.push(length);
            }
        }
    }
    result.checked()
}

/// First index and length of `start:end:step` on an axis of this extent; (0, 0) where empty.
fn clamp(start: Option<isize>, end: Option<isize>, step: isize, extent: isize) -> (i64, usize) {
    let (low, high) = if step > 0 { (0, extent) } else { (-1, extent - 1) };
    let bound = |i: isize| (if i < 0 { i.saturating_add(extent) } else { i }).clamp(low, high);
    let start = start.map_or(if step > 0 { low } else { high }, bound);
    let end = end.map_or(if step > 0 { high } else { low }, bound);
    let span = if step > 0 { end - start } else { start - end };
    if span <= 0 {
        return (0, 0);
    }
    (start as i64, span.unsigned_abs().div_ceil(step.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::View;

    #[test]
    fn steps_beyond_the_axis_take_one_element() {
        let shape = Shape::from([6]);
        let every = |step| [Ix::from(..).by(step)];
        for step in [isize::MAX, 5_000_000_000, 6] {
            let second = View::whole(&shape).slice(&every(2)).unwrap();
            let view = second.slice(&[Ix::from(1..).by(step)]).unwrap();
            assert_eq!(view.elements(&shape), [2], "{step}");
            let again = view.slice(&every(isize::MAX)).unwrap();
            assert_eq!(again.elements(&shape), [2], "{step}");
        }
        let last = View::whole(&shape).slice(&every(isize::MIN)).unwrap();
        assert_eq!(last.elements(&shape), [5]);
        let none = View::whole(&Shape::from([0])).slice(&every(isize::MAX)).unwrap();
        assert_eq!(none.shape()[0], 0);
    }

    fn parse(text: &str) -> Ix {
        let bound = |t: &str| if t == "_" { None } else { Some(t.parse().unwrap()) };
        match text.split(':').collect::<Vec<_>>()[..] {
            ["N"] => Ix::NewAxis,
            ["E"] => Ix::Ellipsis,
            [index] => Ix::At(index.parse().unwrap()),
            [start, end, step] => {
                Ix::Range { start: bound(start), end: bound(end), step: step.parse().unwrap() }
            }
            _ => panic!("{text}"),
        }
    }

    /// 3,000 random indices of `arange(24).reshape(2, 3, 4)`: shape, elements and errors are NumPy's.
    #[test]
    fn slices_are_numpys() {
        let shape = Shape::from([2, 3, 4]);
        let (mut views, mut errors) = (0, 0);
        for line in include_str!("../tests/numpy/slices.txt").lines() {
            let (index, result) = line.split_once('|').unwrap();
            let items: Vec<Ix> = index.split(',').filter(|t| !t.is_empty()).map(parse).collect();
            let view = View::whole(&shape).slice(&items);
            if result == "error" {
                assert!(matches!(view, Err(ErrorKind::Index { .. })), "{line}");
                errors += 1;
                continue;
            }
            let view = view.unwrap();
            let numbers = |t: &str| -> Vec<usize> {
                t.split(' ').filter(|w| !w.is_empty()).map(|w| w.parse().unwrap()).collect()
            };
            let (extents, elements) = result.split_once('|').unwrap();
            assert_eq!(view.shape()[..], numbers(extents)[..], "{line}");
            assert_eq!(view.elements(&shape), numbers(elements), "{line}");
            views += 1;
        }
        assert!(views > 1500 && errors > 500);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let text = |items: &[Ix]| resolve(items, &Shape::from([2, 3])).unwrap_err().to_string();
        assert_eq!(
            text(&[0, 3].map(Ix::At)),
            "index 3 is out of range for axis 1 of extent 3 (shape [2, 3])"
        );
        assert_eq!(text(&[Ix::At(0); 3]), "3 indices for 2 axes (shape [2, 3])");
        assert_eq!(text(&[Ix::from(..).by(0)]), "the step of a range is 0 (shape [2, 3])");
        assert_eq!(text(&[Ix::Ellipsis; 2]), "an index has at most one `...` (shape [2, 3])");
    }
}
