//! Slice specifications: `s![1..-1, .., -1, ..;2, NewAxis, ...]` with NumPy's semantics.

mod integer;
mod selection;

use crate::{Dim, ErrorKind, Reindex, Shape};
pub use integer::{Index, Signed};
pub use selection::{Position, Selection};

/// One element of an index expression. Written with [`s!`](crate::s), or by hand when the index is
/// only known at run time.
///
/// Negative bounds count from the end and out-of-range bounds clamp, as in NumPy. With a negative
/// step, bounds are NumPy's too: `5..0;-1` walks 5, 4, 3, 2, 1.
///
/// ```
/// use darray_core::{Ix, NewAxis, s};
/// assert_eq!(s![-1, 1..3, ..;2, NewAxis, ...], [
///     Ix::At(-1),
///     Ix::Range { start: Some(1), end: Some(3), step: 1 },
///     Ix::Range { start: None, end: None, step: 2 },
///     Ix::NewAxis,
///     Ix::Ellipsis,
/// ]);
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

/// A new axis of extent 1, in [`s!`](crate::s).
///
/// ```
/// use darray_core::{Ix, NewAxis, s};
/// assert_eq!(s![.., NewAxis][1], Ix::NewAxis);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewAxis;

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

/// An index expression: a list of [`Ix`], one per integer (`-1`), range (`1..-1`, `..`, or NumPy's `1:-1`, `:`), range with
/// step (`..;2`, `5..0;-1`, `::2`), [`NewAxis`] (or `None`) or `...`. A step that is longer than the axis takes one element.
///
/// Integers are of any type, and a minus counts from the end for unsigned ones too. What follows it is negated up to the next
/// `+`, `-`, `*` or `/`, as everywhere.
///
/// ```
/// use darray_core::{Ix, s};
/// let (i, w) = (2, 3usize);
/// assert_eq!(s![i, i..i + 2][0], Ix::At(2));
/// assert_eq!(s![..-w, -w - 1.., w..-1], [Ix::from(..-3), Ix::from(-4..), Ix::from(3..-1)]);
/// assert_eq!(s![1:-1, :, ::-1, None, ...], s![1..-1, .., ..;-1, darray_core::NewAxis, ...]);
/// assert_eq!(s![..;usize::MAX], [Ix::from(..).by(isize::MAX)]);
/// ```
///
/// Of two names `i::k` is a path, as everywhere in Rust: a step behind a name is written `i..;k` or `i: :k`.
#[macro_export]
macro_rules! s {
    // `@list` begins an index; `@start` gathers it up to the dots or colons of a range, `@end` up to those of a step.
    (@list [$($done:tt)*]) => { [$($done)*] };
    (@list [$($done:tt)*] ... $(, $($rest:tt)*)?) => {
        $crate::s!(@list [$($done)* $crate::Ix::Ellipsis,] $($($rest)*)?)
    };
    (@list [$($done:tt)*] None $(, $($rest:tt)*)?) => {
        $crate::s!(@list [$($done)* $crate::Ix::NewAxis,] $($($rest)*)?)
    };
    (@list $done:tt , $($rest:tt)*) => { $crate::s!(@refused , $($rest)*) };
    (@list $done:tt ; $($rest:tt)*) => { $crate::s!(@refused ; $($rest)*) };
    (@list $done:tt $($rest:tt)+) => { $crate::s!(@start $done [] $($rest)+) };
    (@push [$($done:tt)*] [$($item:tt)+] $($rest:tt)*) => {
        $crate::s!(@list [$($done)* $($item)+,] $($rest)*)
    };

    (@start $done:tt [$($start:tt)+] $(, $($rest:tt)*)?) => {
        $crate::s!(@push $done [$crate::s!(@item $($start)+)] $($($rest)*)?)
    };
    (@start $done:tt $start:tt .. $($rest:tt)*) => {
        $crate::s!(@end $done $start [..] [] $($rest)*)
    };
    (@start $done:tt $start:tt ..= $($rest:tt)*) => {
        $crate::s!(@end $done $start [..=] [] $($rest)*)
    };
    (@start $done:tt $start:tt : $($rest:tt)*) => {
        $crate::s!(@end $done $start [..] [] $($rest)*)
    };
    (@start $done:tt [$($start:tt)+] :: $name:ident $($rest:tt)*) => {
        $crate::s!(@path [$($start)+] $done [$($start)+] $name $($rest)*)
    };
    (@start $done:tt [$($start:tt)+] :: < $($rest:tt)*) => {
        $crate::s!(@start $done [$($start)+ :: <] $($rest)*)
    };
    (@start $done:tt $start:tt :: $($rest:tt)*) => {
        $crate::s!(@step $done [$crate::s!(@range $start [..] [])] [] $($rest)*)
    };
    // A range that is a value has a step as well.
    (@start $done:tt [$($start:tt)+] ; $step:tt $($rest:tt)*) => {
        $crate::s!(@step $done [$crate::s!(@item $($start)+)] [$step] $($rest)*)
    };
    (@start $done:tt [$($start:tt)*] $token:tt $($rest:tt)*) => {
        $crate::s!(@start $done [$($start)* $token] $($rest)*)
    };

    // Behind a literal a name is the step, else it belongs to a path. A minus is told apart first, as what begins with one and
    // is no literal would be an error.
    (@path [- $number:literal] $done:tt $start:tt $($rest:tt)+) => {
        $crate::s!(@step $done [$crate::s!(@range $start [..] [])] [] $($rest)+)
    };
    (@path [- $($value:tt)+] $done:tt [$($start:tt)+] $name:ident $($rest:tt)*) => {
        $crate::s!(@start $done [$($start)+ :: $name] $($rest)*)
    };
    (@path [$number:literal] $done:tt $start:tt $($rest:tt)+) => {
        $crate::s!(@step $done [$crate::s!(@range $start [..] [])] [] $($rest)+)
    };
    (@path $value:tt $done:tt [$($start:tt)+] $name:ident $($rest:tt)*) => {
        $crate::s!(@start $done [$($start)+ :: $name] $($rest)*)
    };

    (@end $done:tt $start:tt $dots:tt $end:tt $(, $($rest:tt)*)?) => {
        $crate::s!(@push $done [$crate::s!(@range $start $dots $end)] $($($rest)*)?)
    };
    (@end $done:tt $start:tt $dots:tt $end:tt ; $step:tt $($rest:tt)*) => {
        $crate::s!(@step $done [$crate::s!(@range $start $dots $end)] [$step] $($rest)*)
    };
    (@end $done:tt $start:tt $dots:tt $end:tt : $($rest:tt)*) => {
        $crate::s!(@step $done [$crate::s!(@range $start $dots $end)] [] $($rest)*)
    };
    (@end $done:tt $start:tt $dots:tt [$($end:tt)*] $token:tt $($rest:tt)*) => {
        $crate::s!(@end $done $start $dots [$($end)* $token] $($rest)*)
    };

    (@step $done:tt [$($range:tt)+] [] $(, $($rest:tt)*)?) => {
        $crate::s!(@push $done [$($range)+] $($($rest)*)?)
    };
    (@step $done:tt [$($range:tt)+] [$($step:tt)+] $(, $($rest:tt)*)?) => {
        $crate::s!(@push $done [$($range)+.by($crate::s!(@stride $($step)+))] $($($rest)*)?)
    };
    (@step $done:tt $range:tt [$($step:tt)*] $token:tt $($rest:tt)*) => {
        $crate::s!(@step $done $range [$($step)* $token] $($rest)*)
    };

    (@item $($item:tt)+) => { $crate::Ix::from($crate::s!(@signed $($item)+)) };
    (@range [] [..] []) => { $crate::Ix::from(..) };
    (@range [$($start:tt)+] [..] []) => { $crate::Ix::from($crate::s!(@bound $($start)+)..) };
    (@range [] [$dots:tt] [$($end:tt)+]) => {
        $crate::Ix::from($dots $crate::s!(@bound $($end)+))
    };
    (@range [$($start:tt)+] [$dots:tt] [$($end:tt)+]) => {
        $crate::Ix::from($crate::s!(@bound $($start)+) $dots $crate::s!(@bound $($end)+))
    };
    (@range [$($start:tt)*] [..=] []) => { $crate::s!(@refused $($start)* ..=) };
    // A literal may be longer than an i32.
    (@stride - $step:literal) => { -$step as isize };
    (@stride - $($step:tt)+) => { $crate::s!(@bound - $($step)+) };
    (@stride $step:literal) => { $step as isize };
    (@stride $($step:tt)+) => { $crate::s!(@bound $($step)+) };
    (@bound $($bound:tt)+) => { $crate::Index::index($crate::s!(@signed $($bound)+)) };

    (@signed - $number:literal) => { -$number };
    (@signed - $($rest:tt)+) => { $crate::s!(@negated [] $($rest)+) };
    (@signed $value:expr) => { $value };
    (@signed $($rest:tt)+) => { $crate::s!(@refused $($rest)+) };
    (@negated [$($value:tt)+]) => { -$crate::Signed::of($($value)+) };
    (@negated [$($value:tt)+] + $($rest:tt)+) => { -$crate::Signed::of($($value)+) + $($rest)+ };
    (@negated [$($value:tt)+] - $($rest:tt)+) => { -$crate::Signed::of($($value)+) - $($rest)+ };
    (@negated [$($value:tt)+] * $($rest:tt)+) => { -$crate::Signed::of($($value)+) * $($rest)+ };
    (@negated [$($value:tt)+] / $($rest:tt)+) => { -$crate::Signed::of($($value)+) / $($rest)+ };
    (@negated [$($value:tt)*] $token:tt $($rest:tt)*) => {
        $crate::s!(@negated [$($value)* $token] $($rest)*)
    };

    (@refused $($rest:tt)+) => {
        compile_error!(concat!(
            "no index of `s!`, which takes `i`, `a..b`, `a..b;step`, `a:b:step`, `NewAxis`, `None` and `...`, with commas between: `",
            stringify!($($rest)+),
            "`",
        ))
    };
    ($($index:tt)*) => {
        {
            // `5..0;-1` is meant, and a step may be an isize already.
            #[allow(
                unused_parens,
                clippy::reversed_empty_ranges,
                clippy::unnecessary_cast,
                clippy::useless_conversion
            )]
            let index = $crate::s!(@list [] $($index)*);
            index
        }
    };
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
    fn the_macro_takes_every_form() {
        let (i, step) = (1usize, -1);
        let range = |start, end, step| Ix::Range { start, end, step };
        assert_eq!(
            s![1..-1, .., -1, NewAxis, ..., i..i + 2, ..;2, 5..;step, ..=-1, ..=3, 1..=2],
            [
                range(Some(1), Some(-1), 1),
                range(None, None, 1),
                Ix::At(-1),
                Ix::NewAxis,
                Ix::Ellipsis,
                range(Some(1), Some(3), 1),
                range(None, None, 2),
                range(Some(5), None, -1),
                range(None, None, 1),
                range(None, Some(4), 1),
                range(Some(1), Some(3), 1),
            ]
        );
        assert_eq!(s![..., 0,], [Ix::Ellipsis, Ix::At(0)]);
        let nothing: [Ix; 0] = s![];
        assert!(nothing.is_empty());
    }

    #[test]
    fn the_macro_takes_colons_and_unsigned_integers_from_the_end() {
        let (w, n, k) = (2usize, 7u8, -3isize);
        let x = [0u32; 5];
        let range = |start, end, step| Ix::Range { start, end, step };
        let expected = [
            range(Some(1), Some(-1), 1),
            range(None, None, 1),
            range(None, None, -1),
            range(None, None, 2),
            range(Some(3), None, 2),
            range(None, Some(4), -3),
        ];
        assert_eq!(s![1:-1, :, ::-1, ::2, 3::w, :4:k], expected);
        let expected = [
            range(None, Some(-2), 1),
            range(Some(2), None, 1),
            range(Some(-3), None, 1),
            range(Some(-9), Some(-4), 1),
            range(None, Some(-5), -2),
            Ix::At(-2),
        ];
        assert_eq!(s![..-w, w.., -w - 1.., -w - n..-w * 2, :-x.len():-w, -w], expected);
        assert_eq!(s![w:n, -w + n, -w / 2], s![2..7, 5, -1]);
        assert_eq!(s![usize::MAX.., u64::MAX], s![isize::MAX.., isize::MAX]);
        assert_eq!(s![None, (w + 1).., ..=-w, w..=n], s![NewAxis, 3.., ..-1, 2..8]);
        assert_eq!(s![w: :n, w..;n], [Ix::from(2..).by(7); 2]);
        // As many axes as there may be, and long bounds: within the compiler's limit of expansions.
        let long = s![
            w + n as usize..x.len() + 1,
            w + n as usize..x.len() + 1,
            w + n as usize..x.len() + 1,
            w + n as usize..x.len() + 1,
            w + n as usize..x.len() + 1,
            w + n as usize..x.len() + 1,
            w + n as usize..x.len() + 1,
            -w - n..-w * 2
        ];
        assert_eq!(long[..7], [s![9..6][0]; 7]);
        let (part, step) = (1..3, 2);
        assert_eq!(s![part.clone(); step, (5..0);-1], s![1..3;2, 5..0;-1]);
        assert_eq!(s![usize::min(w, 1), Vec::<u8>::new().len()..], s![1, 0..]);
    }

    #[test]
    fn steps_beyond_the_axis_take_one_element() {
        let shape = Shape::from([6]);
        for index in [s![1..;usize::MAX], s![1..;isize::MAX], s![1..;5_000_000_000], s![1..;6u8]] {
            let view = View::whole(&shape).slice(&s![..;2]).unwrap().slice(&index).unwrap();
            assert_eq!(view.elements(&shape), [2], "{index:?}");
            let again = view.slice(&s![..;usize::MAX]).unwrap();
            assert_eq!(again.elements(&shape), [2], "{index:?}");
        }
        let last = View::whole(&shape).slice(&s![..;isize::MIN]).unwrap();
        assert_eq!(last.elements(&shape), [5]);
        assert_eq!(View::whole(&Shape::from([0])).slice(&s![..;usize::MAX]).unwrap().shape()[0], 0);
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
            text(&s![0, 3]),
            "index 3 is out of range for axis 1 of extent 3 (shape [2, 3])"
        );
        assert_eq!(text(&s![0, 0, 0]), "3 indices for 2 axes (shape [2, 3])");
        assert_eq!(text(&s![..;0]), "the step of a range is 0 (shape [2, 3])");
        assert_eq!(text(&s![..., ...]), "an index has at most one `...` (shape [2, 3])");
    }
}
