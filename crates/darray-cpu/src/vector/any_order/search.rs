//! The best of elements side by side, and where it stands.

use super::super::element::{InMemory, Run, one_by_one};
use super::super::fold::Accumulators;
use super::{Columns, Found, ask_ahead};
use darray_core::{Kind, Scalar};
use darray_kernel::element::Element;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// `ArgMin` or `ArgMax` of one element type.
pub(super) trait Search {
    type T: InMemory + PartialOrd;
    /// Whether an element is taken instead of an earlier one; neither is NaN.
    fn is_better(later: Self::T, than: Self::T) -> bool;
}

/// Elements whose best one is found before the next ones are looked at.
const BLOCK: usize = 2048;

/// Finds the best element, block by block, by values alone, and then where it stands in the first block that has it. Elements of a
/// narrow type are compared as they are: their order is that of the values in the type of computation.
///
/// # Safety
/// `n` elements are readable.
#[inline(always)]
pub(super) unsafe fn search<S: Search>(
    found: Found,
    values: *const u8,
    n: usize,
    first: i64,
) -> Found {
    let run = Run::<S::T>::new(values);
    let mut best = narrowed::<S::T>(found.value);
    if found.decided || is_nan(best) {
        return Found { decided: true, ..found };
    }
    let (mut at, mut block) = (0, None);
    if S::T::DTYPE.is_narrow() && widened(best) != found.value && n > 0 {
        // What no element has is what there is before the first one.
        // SAFETY: an element.
        (best, block) = (unsafe { run.get(0) }, Some((0, n.min(BLOCK))));
    }
    let (mut is_none, mut decided) = (false, false);
    while at < n && !decided {
        let end = n.min(at + BLOCK);
        // SAFETY: a block of the elements.
        let (value, has_nan) = unsafe { best_of::<S>(run, at, end) };
        if has_nan || S::is_better(value, best) {
            (best, block, is_none) = (value, Some((at, end)), has_nan);
            decided = has_nan || is_last::<S>(value);
        }
        at = end;
    }
    let Some((at, end)) = block else { return found };
    // SAFETY: a block of the elements, and one of them.
    unsafe {
        let place = match is_none {
            true => find_in(run, at, end, best, is_nan_beside),
            false => find_in(run, at, end, best, is_equal),
        };
        // Zeros are equal, but their bits are not.
        let value = widened(run.get(place));
        Found { value, index: first.wrapping_add(place as i64), decided }
    }
}

/// Takes rows of elements, each element of one into an accumulator of its own: the first of the best, or the first NaN. Row k has the
/// index of the first one plus k.
///
/// # Safety
/// `n` elements of each row are readable, and so many accumulators there, apart from them.
#[inline(always)]
pub(super) unsafe fn search_columns<S: Search>(
    into: Accumulators,
    rows: Columns,
    n: usize,
    mut index: i64,
) {
    let size = size_of::<<S::T as InMemory>::Raw>();
    let mut from = rows.from;
    // SAFETY: the caller's rows and accumulators.
    unsafe {
        let mut left = rows.count;
        let together = WIDE.checked_div(n).unwrap_or(0);
        if together > 1 && rows.step == (n * size) as isize && left * n >= 2 * WIDE {
            // The last ones are read with what lies behind them.
            let count = (left * n - WIDE) / (together * n) + 1;
            search_wide::<S>(into, from, (n, together, count), index);
            (left, index) = (left - count * together, index + (count * together) as i64);
            from = from.wrapping_offset((count * together) as isize * rows.step);
        }
        for _ in 0..left {
            search_row::<S>(into, from, n, index);
            (from, index) = (from.wrapping_offset(rows.step), index.wrapping_add(1));
        }
    }
}

/// Takes short rows that follow one another, so many together, `count` times.
///
/// # Safety
/// As for [`search_columns`]; those together are [`WIDE`] elements at most, and so many are readable from the first of them on each time.
#[inline(always)]
unsafe fn search_wide<S: Search>(
    into: Accumulators,
    from: *const u8,
    (n, together, count): (usize, usize, usize),
    index: i64,
) {
    let (best, held) = (Run::<S::T>::new(into.values), Run::<i64>::new(into.indices));
    let width = n * together;
    // SAFETY: the caller's accumulators, and elements of `count` times `width`.
    unsafe {
        let mut kept = [best.get(0).into_raw(); WIDE];
        // Which of the `count` an element is of, if it is one of them.
        let mut steps = [-1i64; WIDE];
        for (k, kept) in kept[..width].iter_mut().enumerate() {
            *kept = best.get(k % n).into_raw();
        }
        let accumulators =
            Accumulators { values: (&raw mut kept).cast(), indices: (&raw mut steps).cast() };
        for step in 0..count {
            let row = Run::<S::T>::new(from).0.add(step * width).cast::<u8>();
            // What lies behind is not asked for in the end.
            search_row::<S>(accumulators, row, WIDE, step as i64);
        }
        let value = |k: usize| S::T::from_raw(kept[k]);
        let place = |k: usize| match steps[k] {
            -1 => held.get(k % n),
            step => index + step * together as i64 + (k / n) as i64,
        };
        for column in 0..n {
            let (mut found, mut first) = (value(column), place(column));
            for k in (column + n..width).step_by(n) {
                let (other, at) = (value(k), place(k));
                let is_same = !takes::<S>(other, found) & !takes::<S>(found, other);
                if takes::<S>(other, found) | (is_same & (at < first)) {
                    (found, first) = (other, at);
                }
            }
            best.set(column, found);
            held.set(column, first);
        }
    }
}

/// Elements of short rows that are taken together, at most.
const WIDE: usize = 64;

/// Takes the elements of a row, all of one index.
///
/// # Safety
/// As for [`search_columns`].
#[inline(always)]
unsafe fn search_row<S: Search>(into: Accumulators, values: *const u8, n: usize, index: i64) {
    // SAFETY: elements and accumulators below `n`, which are apart.
    unsafe {
        let values = from_raw_parts(values.cast::<Raw<S>>(), n);
        let best = from_raw_parts_mut(into.values.cast::<Raw<S>>(), n);
        let held = from_raw_parts_mut(into.indices.cast::<i64>(), n);
        take_each::<S>(values, best, held, index);
    }
}

type Raw<S> = <<S as Search>::T as InMemory>::Raw;

/// See [`search_row`]: the compiler knows of arguments that they are apart.
#[inline(always)]
fn take_each<S: Search>(values: &[Raw<S>], best: &mut [Raw<S>], held: &mut [i64], index: i64) {
    let n = values.len();
    let (best, held) = (&mut best[..n], &mut held[..n]);
    for k in 0..n {
        let is_taken = takes::<S>(S::T::from_raw(values[k]), S::T::from_raw(best[k]));
        best[k] = if is_taken { values[k] } else { best[k] };
        held[k] = if is_taken { index } else { held[k] };
    }
}

/// An element as the value of an accumulator.
#[inline(always)]
fn widened<T: InMemory>(value: T) -> u64 {
    value.into_scalar().cast(T::DTYPE.compute()).bits()
}

/// The value of an accumulator, which is of the type of computation, as an element: the nearest one that this type has.
#[inline(always)]
fn narrowed<T: InMemory>(bits: u64) -> T {
    let value = Scalar::from_bits(T::DTYPE.compute(), bits);
    match T::DTYPE.is_narrow() {
        // Conversions of floats saturate.
        true => T::from_scalar(Scalar::from(value.to_f64()).cast(T::DTYPE)),
        false => T::from_scalar(value),
    }
}

/// Whether a later element is taken instead of the best one so far, of which the first NaN is one.
#[inline(always)]
fn takes<S: Search>(value: S::T, best: S::T) -> bool {
    S::is_better(value, best) | (is_nan(value) & !is_nan(best))
}

/// Whether nothing is better: a bool soon is.
#[inline(always)]
fn is_last<S: Search>(value: S::T) -> bool {
    S::T::DTYPE.kind() == Kind::Bool
        && !S::is_better(S::T::from_scalar(false.into()), value)
        && !S::is_better(S::T::from_scalar(true.into()), value)
}

#[inline(always)]
fn is_nan<T: PartialOrd + Copy>(value: T) -> bool {
    value.partial_cmp(&value).is_none()
}

#[inline(always)]
fn is_nan_beside<T: PartialOrd + Copy>(value: T, _: T) -> bool {
    is_nan(value)
}

#[inline(always)]
fn is_equal<T: PartialOrd>(value: T, best: T) -> bool {
    value == best
}

/// The best of some elements, and whether one is NaN: then the value means nothing.
///
/// # Safety
/// There is one, and all are readable.
#[inline(always)]
unsafe fn best_of<S: Search>(run: Run<S::T>, mut at: usize, end: usize) -> (S::T, bool) {
    // SAFETY: elements below `end`.
    unsafe {
        let (begin, nan) =
            (run.get(at), S::T::from_scalar(Scalar::from(f64::NAN).cast(S::T::DTYPE)));
        // The latter are NaN if any element is: numbers else.
        let (mut best, mut odd) = ([begin; LANES], [begin; HALF]);
        macro_rules! step {
            ($at:expr) => {
                for lane in 0..HALF {
                    let (lower, upper) = (run.get($at + lane), run.get($at + lane + HALF));
                    best[lane] = better::<S>(lower, best[lane]);
                    best[lane + HALF] = better::<S>(upper, best[lane + HALF]);
                    // One question for two elements.
                    odd[lane] = if lower.partial_cmp(&upper).is_none() { nan } else { odd[lane] };
                }
            };
        }
        let many = end - at >= LANES;
        while at + LANES <= end {
            step!(at);
            ask_ahead(run.0.add(at).cast(), LANES * size_of::<S::T>());
            at = one_by_one(at + LANES);
        }
        if many && at < end {
            // What is looked at twice changes nothing.
            step!(end - LANES);
        } else {
            for at in at..end {
                let value = run.get(at);
                best[0] = better::<S>(value, best[0]);
                odd[0] = if is_nan(value) { value } else { odd[0] };
            }
        }
        // Else the compiler makes registers of the lanes in the loop that suit the few steps behind it.
        let (mut best, odd) = std::hint::black_box((best, odd));
        let mut has_nan = false;
        for value in odd {
            has_nan |= is_nan(value);
        }
        (best_lane::<S>(&mut best), has_nan)
    }
}

/// The better one of two, the second where neither is.
#[inline(always)]
fn better<S: Search>(value: S::T, best: S::T) -> S::T {
    if S::is_better(value, best) { value } else { best }
}

/// The best of the lanes.
#[inline(always)]
fn best_lane<S: Search>(lanes: &mut [S::T; LANES]) -> S::T {
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            lanes[lane] = better::<S>(lanes[lane + width], lanes[lane]);
        }
    }
    lanes[0]
}

/// Accumulators of [`best_of`].
const LANES: usize = 32;
const HALF: usize = LANES / 2;
/// Elements that are asked together before each by itself.
const FEW: usize = 4;

/// The place of the first element, of those from `at` on, that stands so to the best one.
///
/// # Safety
/// There is one below `end`, and all are readable.
#[inline(always)]
unsafe fn find_in<T: InMemory>(
    run: Run<T>,
    mut at: usize,
    end: usize,
    best: T,
    holds: impl Fn(T, T) -> bool,
) -> usize {
    // Of one of so many elements from here on.
    macro_rules! any {
        ($count:expr) => {{
            let mut any = false;
            for k in 0..$count {
                any |= holds(run.get(at + k), best);
            }
            any
        }};
    }
    // SAFETY: elements below `end`.
    unsafe {
        while at + LANES <= end && !any!(LANES) {
            at = one_by_one(at + LANES);
        }
        while at + FEW < end && !any!(FEW) {
            at += FEW;
        }
        while at + 1 < end && !holds(run.get(at), best) {
            at += 1;
        }
        at
    }
}
