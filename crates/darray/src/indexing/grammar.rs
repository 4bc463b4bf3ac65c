//! The grammar of indices: what stands in [`s!`](crate::s) and in [`slice`](crate::DArray::slice).
//!
//! Reading order: `integer` (indices and bounds), `list` (of indices), `item` (what may stand in `s!`, and [`Slice`], the list of it), `selection` (what
//! `slice` takes), `position` (the place of one element). Whether the result is a view is in the types: an index is
//! a list of [`Ix`](crate::Ix), or of [`Pick`] where a mask or an array of indices is among its items.

mod integer;
mod item;
mod list;
mod position;
mod selection;

pub use integer::Signed;
pub use item::{Chooser, Entry, Item, NewAxis, Pick, Slice};
pub use list::{List, ListElement};
pub use position::Position;
pub use selection::Selection;

/// NumPy's index. An item is one of
///
/// | item | NumPy | what it gives |
/// |---|---|---|
/// | `i`, `-1` | `i`, `-1` | one index: the axis goes away |
/// | `1..-1`, `..`, `1:-1`, `:` | `1:-1`, `:` | a range |
/// | `..;2`, `5..0;-1`, `::2` | `::2`, `5:0:-1` | a range with a step |
/// | `NewAxis`, `None` | `None` | a new axis of extent 1 |
/// | `...` | `...` | as many whole axes as are left over |
/// | `&mask`, `[true, false]` | `mask` | the elements that a mask holds: it stands for as many axes as it has |
/// | `&indices`, `[1, 0]`, `vec` | `indices` | the elements at these indices: an array of any integer type, nested lists, a `Vec` |
///
/// With the first kinds alone the result is a view. With a mask or an array of indices it is [`Picked`](crate::Picked), what is chosen:
/// see [`DArray::slice`](crate::DArray::slice).
///
/// Integers are of any type, and a minus counts from the end for unsigned ones too. What follows it is negated up to the next
/// `+`, `-`, `*` or `/`, as everywhere. A step that is longer than the axis takes one element.
///
/// ```
/// use darray::{DArray, Ix, NewAxis, s};
/// let (i, w) = (2, 3usize);
/// assert_eq!(s![i, i..i + 2][0], Ix::At(2));
/// assert_eq!(s![..-w, -w - 1.., w..-1], [Ix::from(..-3), Ix::from(-4..), Ix::from(3..-1)]);
/// assert_eq!(s![1:-1, :, ::-1, None, ...], s![1..-1, .., ..;-1, NewAxis, ...]);
/// let x = DArray::<i64>::arange(12).reshape((3, 4));
/// let rows = DArray::from([2, 0]);
/// assert_eq!(x.slice(s![&rows, [1, -1]]).to_vec(), [9, 3]);
/// assert_eq!(x.slice(s![&rows, 2..]).to_vec(), [10, 11, 2, 3]);
/// assert_eq!(x.slice(s![.., x.sum(0).gt(15)]).shape(), [3, 2]);
/// ```
///
/// Of two names `i::k` is a path, as everywhere in Rust: a step behind a name is written `i..;k` or `i: :k`.
#[macro_export]
macro_rules! s {
    // `@list` begins an index; `@start` gathers it up to the dots or colons of a range, `@end` up to those of a step.
    (@list [$($done:tt)*]) => { $crate::Slice::start()$($done)* };
    (@list [$($done:tt)*] ... $(, $($rest:tt)*)?) => {
        $crate::s!(@list [$($done)*.push($crate::Ix::Ellipsis)] $($($rest)*)?)
    };
    (@list [$($done:tt)*] None $(, $($rest:tt)*)?) => {
        $crate::s!(@list [$($done)*.push($crate::Ix::NewAxis)] $($($rest)*)?)
    };
    (@list $done:tt , $($rest:tt)*) => { $crate::s!(@refused , $($rest)*) };
    (@list $done:tt ; $($rest:tt)*) => { $crate::s!(@refused ; $($rest)*) };
    (@list $done:tt $($rest:tt)+) => { $crate::s!(@start $done [] $($rest)+) };
    (@push [$($done:tt)*] [$($item:tt)+] $($rest:tt)*) => {
        $crate::s!(@list [$($done)*.push($($item)+)] $($rest)*)
    };

    (@start $done:tt [$($start:tt)+] $(, $($rest:tt)*)?) => {
        $crate::s!(@push $done [$crate::s!(@signed $($start)+)] $($($rest)*)?)
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

    (@item $($item:tt)+) => { $crate::Item::item($crate::s!(@signed $($item)+)) };
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
            "no index of `s!`, which takes `i`, `a..b`, `a..b;step`, `a:b:step`, `NewAxis`, `None`, `...`, masks and arrays of indices, with commas between: `",
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ix;

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
        assert!(s![].is_empty());
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
    fn steps_are_of_any_integer() {
        let far = Ix::from(1..).by(isize::MAX);
        assert_eq!(s![1..;usize::MAX, 1..;isize::MAX], [far; 2]);
        assert_eq!(
            s![1..;5_000_000_000, 1..;6u8],
            [Ix::from(1..).by(5_000_000_000), Ix::from(1..).by(6)]
        );
        assert_eq!(s![..;isize::MIN], [Ix::from(..).by(isize::MIN)]);
    }
}
