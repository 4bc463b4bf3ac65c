//! `any` and `all` of columns of bools whose rows follow one another in memory: byte for byte, in no order, and no further than
//! to the row that decides the last column.

use super::element::Run;
use super::moves::LINE;
use crate::level::Level;

/// Columns, at most: so many rows as a line has bytes, whole lines all together, stay in the first-level cache.
pub(crate) const MOST_COLUMNS: usize = 63;

/// Finds the columns of which one of so many rows is the value.
pub(crate) type FindInColumns = unsafe fn(*const u8, usize, &mut [bool], bool);

/// Rows after which it is looked whether all columns are found, at first.
const FIRST: usize = 4 * LINE;

/// Of as many columns as `found` has; those that are found are set.
///
/// # Safety
/// So many rows of them are readable.
#[inline(always)]
unsafe fn find(values: *const u8, rows: usize, found: &mut [bool], value: bool) {
    let (run, columns) = (Run::<bool>::new(values), found.len());
    assert!(columns <= MOST_COLUMNS);
    let mut held = [false; MOST_COLUMNS * LINE];
    let note = |held: &[bool], found: &mut [bool]| {
        for row in held.chunks(columns) {
            found.iter_mut().zip(row).for_each(|(found, &held)| *found |= held);
        }
    };
    let (mut row, mut together) = (0, FIRST);
    while row + LINE <= rows {
        let end = rows.min(row + together) / LINE * LINE;
        while row < end {
            let at = row * columns;
            for (line, held) in held[..columns * LINE].chunks_exact_mut(LINE).enumerate() {
                for (k, held) in held.iter_mut().enumerate() {
                    // SAFETY: rows below `rows`.
                    *held |= unsafe { run.get(at + line * LINE + k) } == value;
                }
            }
            row += LINE;
        }
        note(&held[..columns * LINE], found);
        if found.iter().all(|&found| found) {
            return;
        }
        together *= 2;
    }
    for row in row..rows {
        // SAFETY: as above.
        let of = |column: usize| unsafe { run.get(row * columns + column) };
        found.iter_mut().enumerate().for_each(|(k, found)| *found |= of(k) == value);
    }
}

macro_rules! define_loops {
    ($(($level:ident, $find:ident $(, $features:literal)?))+) => {
        $(
            $(#[target_feature(enable = $features)])?
            unsafe fn $find(values: *const u8, rows: usize, found: &mut [bool], value: bool) {
                // SAFETY: the caller's contract.
                unsafe { find(values, rows, found, value) }
            }
        )+

        /// The loop of a level.
        pub(crate) fn find_in_columns(level: Level) -> FindInColumns {
            match level {
                $(Level::$level => $find,)+
                #[allow(unreachable_patterns)]
                _ => find_baseline,
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
define_loops! {
    (Baseline, find_baseline)
    (Avx2, find_avx2, "avx2,fma")
    (Avx512, find_avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}

#[cfg(not(target_arch = "x86_64"))]
define_loops! { (Baseline, find_baseline) }

#[cfg(test)]
mod tests {
    use super::{LINE, MOST_COLUMNS, find_in_columns};
    use crate::level::Level;

    #[test]
    fn columns_are_found_wherever_their_value_is() {
        let mut checked = 0;
        for level in Level::ALL.into_iter().filter(|&level| level <= Level::detect()) {
            for columns in [1, 2, 3, 8, 31, MOST_COLUMNS] {
                for rows in [0, 1, LINE - 1, LINE, 5 * LINE + 7, 30 * LINE] {
                    for (value, place) in
                        [true, false].into_iter().flat_map(|v| [(v, 0), (v, 1), (v, 2)])
                    {
                        let mut bools = vec![!value; rows * columns];
                        // Of every third column, in a row that differs from column to column.
                        let wanted = |k: usize| rows > 0 && k % 3 == place;
                        for k in (0..columns).filter(|&k| wanted(k)) {
                            bools[k * 977 % rows * columns + k] = value;
                        }
                        let mut found = vec![false; columns];
                        // SAFETY: so many bools.
                        unsafe {
                            let values = bools.as_ptr().cast();
                            find_in_columns(level)(values, rows, &mut found, value);
                        }
                        let expected: Vec<bool> = (0..columns).map(wanted).collect();
                        assert_eq!(found, expected, "{level:?}, {rows} of {columns}, {value}");
                        checked += 1;
                    }
                }
            }
        }
        assert!(checked >= 6 * 6 * 6);
    }
}
