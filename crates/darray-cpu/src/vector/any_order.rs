//! Folds of elements side by side whose result does not depend on the order: not by the lanes of the tree, and no further
//! than to the element that decides.

mod search;

use super::element::Run;
use super::fold::Accumulators;
use super::moves::{LINE, fetch_later};
use crate::level::Level;
use darray_core::RealType;
use darray_kernel::element::Element;
use darray_kernel::for_each_fold;
use darray_kernel::ir::Reducer;
use darray_kernel::operator::scalar::{and_bool, or_bool};
use search::{Search, search, search_columns};

/// What such a fold has found so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The bits of the value.
    pub value: u64,
    /// Where it stands, of `ArgMin` and `ArgMax`.
    pub index: i64,
    /// Whether nothing that comes later changes it.
    pub decided: bool,
}

/// Folds `n` elements from an address on into what was found before them; the first has this index, the others those that
/// follow.
pub(crate) type FoldInAnyOrder = unsafe fn(Found, *const u8, usize, i64) -> Found;

/// Rows of elements: where the first begins, bytes from one to the next, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    pub from: *const u8,
    pub step: isize,
    pub count: usize,
}

/// Takes element k of `n` of each row into accumulator k of `ArgMin` or `ArgMax`, where it is better. All of the first row have this
/// index, those of the others the ones that follow.
pub(crate) type SearchColumns = unsafe fn(Accumulators, Columns, usize, i64);

/// The loops of a reducer in any order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InAnyOrder {
    /// Of a row.
    pub row: FoldInAnyOrder,
    /// Of a row that has one element for each of several folds, of `ArgMin` and `ArgMax`.
    pub columns: Option<SearchColumns>,
}

/// Elements after which `any` and `all` look whether they are decided, at first and at most.
const FIRST: usize = 2 * LINE;
const MOST: usize = 32 * LINE;

/// Whether one of `n` bools is the value: what decides a fold that combines by `combine`.
///
/// # Safety
/// They are readable.
#[inline(always)]
unsafe fn decide(
    found: Found,
    values: *const u8,
    n: usize,
    (identity, combine): (bool, fn(bool, bool) -> bool),
) -> Found {
    let run = Run::<bool>::new(values);
    let decided = Found { value: u64::from(!identity), decided: true, ..found };
    if found.decided || found.value == decided.value {
        return decided;
    }
    let (mut at, mut together) = (0, FIRST);
    while at + LINE <= n {
        let mut held = [identity; LINE];
        let end = n.min(at + together) / LINE * LINE;
        while at < end {
            for (k, held) in held.iter_mut().enumerate() {
                // SAFETY: whole lines below `n`.
                *held = combine(*held, unsafe { run.get(at + k) });
            }
            ask_ahead(values.wrapping_add(at), LINE);
            at += LINE;
        }
        let mut all = identity;
        for held in held {
            all = combine(all, held);
        }
        if all != identity {
            return decided;
        }
        together = MOST.min(2 * together);
    }
    // SAFETY: below `n`.
    let rest = (at..n).fold(identity, |held, k| combine(held, unsafe { run.get(k) }));
    if rest == identity { found } else { decided }
}

/// Counts the bools that are true.
///
/// # Safety
/// `n` of them are readable.
#[inline(always)]
unsafe fn count_true(found: Found, values: *const u8, n: usize) -> Found {
    let run = Run::<bool>::new(values);
    let (mut at, mut total) = (0, found.value);
    while at < n {
        // A byte counts no further.
        let lines = ((n - at) / LINE).min(u8::MAX as usize);
        let mut counts = [0u8; LINE];
        for _ in 0..lines {
            for (k, count) in counts.iter_mut().enumerate() {
                // SAFETY: whole lines below `n`.
                *count += u8::from(unsafe { run.get(at + k) });
            }
            ask_ahead(values.wrapping_add(at), LINE);
            at += LINE;
        }
        for count in counts {
            total = total.wrapping_add(u64::from(count));
        }
        if lines == 0 {
            // SAFETY: below `n`.
            let rest = (at..n).filter(|&k| unsafe { run.get(k) });
            total = total.wrapping_add(rest.count() as u64);
            at = n;
        }
    }
    Found { value: total, ..found }
}

/// Asks for what lies behind so many bytes at an address, line by line.
#[inline(always)]
fn ask_ahead(from: *const u8, bytes: usize) {
    for at in (0..bytes).step_by(LINE) {
        fetch_later(from.wrapping_add(AHEAD + at));
    }
}

/// Bytes from what is read to what is asked for.
const AHEAD: usize = 41 * LINE;

macro_rules! define_loops {
    ($(($level:ident, $all:ident, $any:ident, $count:ident, $search:ident, $columns:ident $(, $features:literal)?))+) => {
        $(
            $(#[target_feature(enable = $features)])?
            unsafe fn $all(found: Found, values: *const u8, n: usize, _: i64) -> Found {
                // SAFETY: the contract of `FoldInAnyOrder`.
                unsafe { decide(found, values, n, (true, and_bool)) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn $any(found: Found, values: *const u8, n: usize, _: i64) -> Found {
                // SAFETY: the contract of `FoldInAnyOrder`.
                unsafe { decide(found, values, n, (false, or_bool)) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn $count(found: Found, values: *const u8, n: usize, _: i64) -> Found {
                // SAFETY: the contract of `FoldInAnyOrder`.
                unsafe { count_true(found, values, n) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn $search<S: Search>(
                found: Found,
                values: *const u8,
                n: usize,
                first: i64,
            ) -> Found {
                // SAFETY: the contract of `FoldInAnyOrder`.
                unsafe { search::<S>(found, values, n, first) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn $columns<S: Search>(
                into: Accumulators,
                rows: Columns,
                n: usize,
                index: i64,
            ) {
                // SAFETY: the contract of `SearchColumns`.
                unsafe { search_columns::<S>(into, rows, n, index) }
            }
        )+

        /// The loop that counts bools.
        pub(crate) fn find_count(level: Level) -> FoldInAnyOrder {
            match level {
                $(Level::$level => $count,)+
                #[allow(unreachable_patterns)]
                _ => count_baseline,
            }
        }

        fn find_decide(all: bool, level: Level) -> FoldInAnyOrder {
            match level {
                $(Level::$level => if all { $all } else { $any },)+
                #[allow(unreachable_patterns)]
                _ => if all { all_baseline } else { any_baseline },
            }
        }

        fn find_search<S: Search>(level: Level) -> FoldInAnyOrder {
            match level {
                $(Level::$level => $search::<S>,)+
                #[allow(unreachable_patterns)]
                _ => search_baseline::<S>,
            }
        }

        fn find_columns<S: Search>(level: Level) -> SearchColumns {
            match level {
                $(Level::$level => $columns::<S>,)+
                #[allow(unreachable_patterns)]
                _ => columns_baseline::<S>,
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
define_loops! {
    (Baseline, all_baseline, any_baseline, count_baseline, search_baseline, columns_baseline)
    (Avx2, all_avx2, any_avx2, count_avx2, search_avx2, columns_avx2, "avx2,fma")
    (Avx512, all_avx512, any_avx512, count_avx512, search_avx512, columns_avx512,
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}

#[cfg(not(target_arch = "x86_64"))]
define_loops! {
    (Baseline, all_baseline, any_baseline, count_baseline, search_baseline, columns_baseline)
}

/// Defines the search `Row` of elements by a comparison.
macro_rules! searched {
    (Lt $element:ident) => { searched!(< $element); };
    (Gt $element:ident) => { searched!(> $element); };
    ($better:tt $element:ident) => {
        struct Row;
        impl Search for Row {
            type T = $element;
            #[inline(always)]
            fn is_better(later: $element, than: $element) -> bool {
                later $better than
            }
        }
    };
}

/// A reducer's loop, where it has one.
macro_rules! instance {
    ([decided $value:literal $operator:ident], $level:ident, $element:ident) => {
        Some(InAnyOrder { row: find_decide(!$value, $level), columns: None })
    };
    ([first $by:ident], $level:ident, $element:ident) => {{
        searched!($by $element);
        let columns = Some(find_columns::<Row>($level));
        Some(InAnyOrder { row: find_search::<Row>($level), columns })
    }};
    ($how:tt, $level:ident, $element:ident) => { None };
}

/// The search of rows of integers that kernels widen first; of columns those are as fast.
fn find_widened(reducer: Reducer, dtype: RealType, level: Level) -> Option<FoldInAnyOrder> {
    match reducer {
        _ if dtype != <u8 as Element>::DTYPE => None,
        Reducer::ArgMin => {
            searched!(Lt u8);
            Some(find_search::<Row>(level))
        }
        Reducer::ArgMax => {
            searched!(Gt u8);
            Some(find_search::<Row>(level))
        }
        _ => None,
    }
}

macro_rules! define_find {
    ($(($reducer:ident, $how:tt, $element:ident, $identity:expr, $combine:path))*) => {
        /// The loops for a reducer of elements as they are, if its results do not depend on the order and it gains by that.
        pub(crate) fn find_any_order(
            reducer: Reducer,
            dtype: RealType,
            level: Level,
        ) -> Option<InAnyOrder> {
            $(
                if reducer == Reducer::$reducer && dtype == <$element as Element>::DTYPE {
                    return instance!($how, level, $element);
                }
            )*
            find_widened(reducer, dtype, level).map(|row| InAnyOrder { row, columns: None })
        }
    };
}

for_each_fold!(define_find);

#[cfg(test)]
mod tests {
    use super::{Accumulators, Columns, Found, find_any_order, find_count};
    use crate::level::Level;
    use darray_core::{RealType, Scalar};
    use darray_kernel::ir::Reducer;

    const LEVELS: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];
    const DTYPES: [RealType; 6] =
        [RealType::Bool, RealType::I32, RealType::I64, RealType::U64, RealType::F32, RealType::F64];
    const LENGTHS: [usize; 9] = [1, 31, 32, 33, 64, 200, 2047, 2048, 5001];

    fn levels() -> impl Iterator<Item = Level> {
        LEVELS.into_iter().filter(|&level| level <= Level::detect())
    }

    /// Bytes of elements, one behind the other.
    fn bytes(elements: &[Scalar]) -> Vec<u64> {
        let size = elements[0].dtype().size();
        let all: Vec<u8> =
            elements.iter().flat_map(|e| e.bits().to_le_bytes()[..size].to_vec()).collect();
        let words = all.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        words.collect()
    }

    /// Numbers that look random, some of them often.
    fn some(dtype: RealType, k: usize) -> Scalar {
        let mixed = (k as u64 ^ 0x51).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        match dtype {
            RealType::Bool => mixed.is_multiple_of(7).into(),
            _ => Scalar::from((mixed % 4096) as f64 - 2048.0).cast(dtype),
        }
    }

    #[test]
    fn best_elements_are_those_of_the_reducer() {
        for (reducer, dtype) in [Reducer::ArgMin, Reducer::ArgMax]
            .into_iter()
            .flat_map(|reducer| DTYPES.into_iter().chain([RealType::U8]).map(move |d| (reducer, d)))
        {
            for n in LENGTHS {
                let plain: Vec<Scalar> = (0..n).map(|k| some(dtype, k)).collect();
                let mut cases = vec![plain.clone(), vec![plain[0]; n]];
                if dtype.is_float() {
                    let of = |value: f64| Scalar::from(value).cast(dtype);
                    for specials in [[0.0, -0.0], [-0.0, 0.0], [f64::INFINITY, f64::NEG_INFINITY]] {
                        cases.push((0..n).map(|k| of(specials[(k % 37 == 5) as usize])).collect());
                        cases.push(vec![of(specials[1]); n]);
                    }
                    for at in [0, n / 2, n - 1] {
                        let mut one = plain.clone();
                        one[at] = of(f64::NAN);
                        one[n - 1] = of(f64::NAN);
                        cases.push(one);
                    }
                }
                for elements in cases {
                    let start = (reducer.identity(dtype.compute()).0, 7);
                    let widened = |e: Scalar| e.cast(dtype.compute());
                    let combine = |a, (k, &e)| reducer.combine(a, (widened(e), 7 + k as i64));
                    let (value, index) = elements.iter().enumerate().fold(start, combine);
                    let memory = bytes(&elements);
                    for level in levels() {
                        let find = find_any_order(reducer, dtype, level).unwrap().row;
                        let begin = Found { value: start.0.bits(), index: 7, decided: false };
                        // In two pieces, which give the same.
                        for cut in [0, n / 3, n] {
                            let from = memory.as_ptr().cast::<u8>();
                            // SAFETY: `n` elements of that size.
                            let found = unsafe {
                                let first = find(begin, from, cut, 7);
                                find(first, from.add(cut * dtype.size()), n - cut, 7 + cut as i64)
                            };
                            let name = format!("{reducer} {dtype} {n} {cut} {level:?}");
                            assert_eq!(found.index, index, "{name}");
                            let is_nan = value.to_f64().is_nan();
                            let is_last = dtype == RealType::Bool && value != start.0;
                            assert_eq!(found.decided, is_nan | is_last, "{name}");
                            assert!(found.value == value.bits() || is_nan, "{name} {found:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn columns_are_searched_as_the_reducer_does() {
        const ROWS: usize = 150;
        for (reducer, dtype) in [Reducer::ArgMin, Reducer::ArgMax]
            .into_iter()
            .flat_map(|reducer| DTYPES.map(|dtype| (reducer, dtype)))
        {
            for n in [1, 2, 3, 31, 32, 33, 70] {
                let element = |row: usize, k: usize| match (dtype.is_float(), row, k % 7) {
                    (true, 103 | 106, 2) | (true, 0, 3) => Scalar::from(f64::NAN).cast(dtype),
                    (true, _, 4) => Scalar::from([0.0, -0.0][row % 2]).cast(dtype),
                    _ => some(dtype, (row / 2) * n + k),
                };
                let start = reducer.identity(dtype).0;
                let expected = (0..n).map(|k| {
                    let all = (0..ROWS).map(|row| (element(row, k), 7 + row as i64));
                    let (value, index) = all.fold((start, 7), |a, b| reducer.combine(a, b));
                    (value.bits(), index)
                });
                let expected: Vec<_> = expected.collect();
                for level in levels() {
                    let search = find_any_order(reducer, dtype, level).unwrap().columns.unwrap();
                    let mut values = bytes(&vec![start; n]);
                    let mut indices = vec![7i64; n];
                    let into = Accumulators {
                        values: values.as_mut_ptr().cast(),
                        indices: indices.as_mut_ptr().cast(),
                    };
                    let all: Vec<Scalar> =
                        (0..ROWS * n).map(|at| element(at / n, at % n)).collect();
                    let memory = bytes(&all);
                    let step = (n * dtype.size()) as isize;
                    // In two parts, which give the same.
                    for (first, count) in [(0, ROWS / 3), (ROWS / 3, ROWS - ROWS / 3)] {
                        let from =
                            memory.as_ptr().cast::<u8>().wrapping_offset(first as isize * step);
                        let rows = Columns { from, step, count };
                        // SAFETY: so many rows of `n` elements of that size, and so many accumulators.
                        unsafe { search(into, rows, n, 7 + first as i64) };
                    }
                    for (k, &(value, index)) in expected.iter().enumerate() {
                        let mut bits = 0u64;
                        let from = into.from(k, dtype.size()).values;
                        // SAFETY: accumulator `k` has that size.
                        unsafe {
                            from.copy_to_nonoverlapping((&raw mut bits).cast(), dtype.size())
                        };
                        let name = format!("{reducer} {dtype} {n} {k} {level:?}");
                        assert_eq!((bits, indices[k]), (value, index), "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_first_bool_that_is_best_decides() {
        for (level, flip) in levels().flat_map(|level| [(level, 0), (level, 1)]) {
            let is_best = |k| k == 2050 || k == 7000;
            let values: Vec<u8> = (0..9000).map(|k| u8::from(is_best(k)) ^ flip).collect();
            let reducer = if flip == 0 { Reducer::ArgMax } else { Reducer::ArgMin };
            let find = find_any_order(reducer, RealType::Bool, level).unwrap().row;
            let start = Found { value: flip.into(), index: 3, decided: false };
            let best = Found { value: (flip ^ 1).into(), index: 2053, decided: true };
            for (n, expected) in [(2050, start), (2051, best), (9000, best)] {
                // SAFETY: as many as there are.
                assert_eq!(unsafe { find(start, values.as_ptr(), n, 3) }, expected, "{level} {n}");
            }
        }
    }

    #[test]
    fn bools_are_found_and_counted() {
        for n in LENGTHS.into_iter().chain([40_000]) {
            // All alike but one, at several places; any byte but 0 is true.
            for (value, at) in [0u8, 1, 0xff]
                .into_iter()
                .flat_map(|value| [None, Some(0), Some(n / 2), Some(n - 1)].map(|at| (value, at)))
            {
                let mut bools = vec![value; n];
                if let Some(at) = at {
                    bools[at] = u8::from(value == 0);
                }
                let number = bools.iter().filter(|&&b| b != 0).count();
                for level in levels() {
                    let name = format!("{n} of {value} but {at:?} {level:?}");
                    let begin = |value: u64| Found { value, index: 3, decided: false };
                    for (reducer, identity, result) in
                        [(Reducer::Any, 0, number > 0), (Reducer::All, 1, number == n)]
                    {
                        let decide = find_any_order(reducer, RealType::Bool, level).unwrap().row;
                        // SAFETY: `n` bytes.
                        let found = unsafe { decide(begin(identity), bools.as_ptr(), n, 0) };
                        let decided = u64::from(result) != identity;
                        let expected = Found { value: result.into(), index: 3, decided };
                        assert_eq!(found, expected, "{reducer} {name}");
                    }
                    // SAFETY: as above.
                    let found = unsafe { find_count(level)(begin(5), bools.as_ptr(), n, 0) };
                    assert_eq!(found, begin(5 + number as u64), "{name}");
                }
            }
        }
    }
}
