//! Columns of bools, rows of which lie side by side: `any`, `all` and counts, byte for byte and in no order. `any` and `all` go no
//! further than to the row that decides the last column.

use super::element::Run;
use super::moves::LINE;
use crate::level::Level;

/// Columns, at most: what is held of them stays in the first-level cache.
pub(crate) const MOST_COLUMNS: usize = 4096;

/// Where rows of bools are: the first one, how many there are, and bytes from one to the next.
#[derive(Clone, Copy)]
pub(crate) struct BoolRows {
    pub first: *const u8,
    pub count: usize,
    pub step: isize,
}

/// The loops of a level, for as many columns as there are results, [`MOST_COLUMNS`] at most.
#[derive(Clone, Copy)]
pub(crate) struct ColumnsOfBools {
    /// Sets the columns of which one bool is the value.
    pub find: unsafe fn(BoolRows, &mut [bool], bool),
    /// Adds how many bools of each column are true.
    pub count: unsafe fn(BoolRows, &mut [i64]),
}

/// Elements after which it is looked whether all columns are found, at first.
const FIRST: usize = 1 << 14;

impl BoolRows {
    fn row(&self, number: usize) -> Run<bool> {
        Run::new(self.first.wrapping_offset(number as isize * self.step))
    }

    /// Rows that are taken at once: those that follow one another are one, if few elements are left behind whole vectors.
    fn together(&self, columns: usize) -> usize {
        match self.step == columns as isize {
            true => LINE.min(MOST_COLUMNS / columns),
            false => 1,
        }
    }
}

/// See [`ColumnsOfBools::find`].
///
/// # Safety
/// The rows have as many readable bools as there are columns.
#[inline(always)]
unsafe fn find(rows: BoolRows, found: &mut [bool], value: bool) {
    let columns = found.len();
    let mut held = [false; MOST_COLUMNS];
    let together = rows.together(columns);
    let whole = rows.count / together * together;
    let (mut row, mut next) = (0, FIRST.div_ceil(columns));
    while row < whole {
        let end = whole.min(row + next.next_multiple_of(together));
        let held = &mut held[..together * columns];
        for row in (row..end).step_by(together) {
            let run = rows.row(row);
            for (k, held) in held.iter_mut().enumerate() {
                // SAFETY: so many rows follow one another.
                *held |= unsafe { run.get(k) } == value;
            }
        }
        for row in held.chunks(columns) {
            let row = &row[..found.len()];
            for (k, found) in found.iter_mut().enumerate() {
                *found |= row[k];
            }
        }
        if found.iter().all(|&found| found) {
            return;
        }
        (row, next) = (end, 2 * next);
    }
    for row in whole..rows.count {
        let run = rows.row(row);
        for (k, found) in found.iter_mut().enumerate() {
            // SAFETY: as above.
            *found |= unsafe { run.get(k) } == value;
        }
    }
}

/// See [`ColumnsOfBools::count`].
///
/// # Safety
/// As for [`find`].
#[inline(always)]
unsafe fn count(rows: BoolRows, counts: &mut [i64]) {
    let columns = counts.len();
    let mut held = [0u8; MOST_COLUMNS];
    let together = rows.together(columns);
    let whole = rows.count / together * together;
    let mut row = 0;
    while row < whole {
        // A byte counts no further.
        let end = whole.min(row + together * usize::from(u8::MAX));
        let held = &mut held[..together * columns];
        held.fill(0);
        for row in (row..end).step_by(together) {
            let run = rows.row(row);
            for (k, held) in held.iter_mut().enumerate() {
                // SAFETY: so many rows follow one another.
                *held += u8::from(unsafe { run.get(k) });
            }
        }
        for row in held.chunks(columns) {
            let row = &row[..counts.len()];
            for (k, count) in counts.iter_mut().enumerate() {
                *count += i64::from(row[k]);
            }
        }
        row = end;
    }
    for row in whole..rows.count {
        let run = rows.row(row);
        for (k, count) in counts.iter_mut().enumerate() {
            // SAFETY: as above.
            *count += i64::from(unsafe { run.get(k) });
        }
    }
}

macro_rules! define_loops {
    ($(($level:ident, $find:ident, $count:ident $(, $features:literal)?))+) => {
        $(
            $(#[target_feature(enable = $features)])?
            unsafe fn $find(rows: BoolRows, found: &mut [bool], value: bool) {
                // SAFETY: the caller's contract.
                unsafe { find(rows, found, value) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn $count(rows: BoolRows, counts: &mut [i64]) {
                // SAFETY: the caller's contract.
                unsafe { count(rows, counts) }
            }
        )+

        /// The loops of a level.
        pub(crate) fn columns_of_bools(level: Level) -> ColumnsOfBools {
            match level {
                $(Level::$level => ColumnsOfBools { find: $find, count: $count },)+
                #[allow(unreachable_patterns)]
                _ => ColumnsOfBools { find: find_baseline, count: count_baseline },
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
define_loops! {
    (Baseline, find_baseline, count_baseline)
    (Avx2, find_avx2, count_avx2, "avx2,fma")
    (Avx512, find_avx512, count_avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}

#[cfg(not(target_arch = "x86_64"))]
define_loops! { (Baseline, find_baseline, count_baseline) }

#[cfg(test)]
mod tests {
    use super::{BoolRows, LINE, MOST_COLUMNS, columns_of_bools};
    use crate::level::Level;

    /// Every number of columns and rows, with rows one behind the other, apart, and backwards.
    fn shapes() -> impl Iterator<Item = (usize, usize, isize)> {
        let columns = [1, 2, 3, 8, 31, 63, 64, 65, 700, MOST_COLUMNS].into_iter();
        let sizes = columns.flat_map(|columns| {
            [0, 1, LINE - 1, LINE, 5 * LINE + 7, 300 * LINE].map(|rows| (columns, rows))
        });
        let small = sizes.filter(|(columns, rows)| columns * rows <= 1 << 19);
        small.flat_map(|(columns, rows)| {
            let step = columns as isize;
            [step, step + 3, -step].map(|step| (columns, rows, step))
        })
    }

    fn levels() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|&level| level <= Level::detect())
    }

    #[test]
    fn columns_are_found_wherever_their_value_is() {
        let mut checked = 0;
        for (columns, rows, step) in shapes() {
            for (value, place) in [(true, 0), (true, 1), (false, 2)] {
                let row = step.unsigned_abs();
                let mut bools = vec![!value; rows * row + columns];
                // Of every third column, in a row that differs from column to column.
                let wanted = |k: usize| rows > 0 && k % 3 == place;
                for k in (0..columns).filter(|&k| wanted(k)) {
                    bools[k * 977 % rows * row + k] = value;
                }
                let last = if step < 0 { rows.saturating_sub(1) * row } else { 0 };
                let first = bools[last..].as_ptr().cast();
                let expected: Vec<bool> = (0..columns).map(wanted).collect();
                for level in levels() {
                    let mut found = vec![false; columns];
                    let all = BoolRows { first, count: rows, step };
                    // SAFETY: so many bools.
                    unsafe { (columns_of_bools(level).find)(all, &mut found, value) };
                    assert_eq!(found, expected, "{level:?}, {rows} of {columns}, {step}, {value}");
                    checked += 1;
                }
            }
        }
        assert!(checked >= 300);
    }

    #[test]
    fn columns_are_counted() {
        for (columns, rows, step) in shapes() {
            let row = step.unsigned_abs();
            let bool_at = |k: usize| k.wrapping_mul(0x9e37_79b9) >> 7 & 3 != 0;
            let bools: Vec<bool> = (0..rows * row + columns).map(bool_at).collect();
            let last = if step < 0 { rows.saturating_sub(1) * row } else { 0 };
            let first = bools[last..].as_ptr().cast();
            let of = |k: usize| (0..rows).filter(|r| bools[r * row + k]).count() as i64;
            let expected: Vec<i64> = (0..columns).map(|k| 7 + of(k)).collect();
            for level in levels() {
                let mut counts = vec![7; columns];
                let all = BoolRows { first, count: rows, step };
                // SAFETY: so many bools.
                unsafe { (columns_of_bools(level).count)(all, &mut counts) };
                assert_eq!(counts, expected, "{level:?}, {rows} of {columns}, {step}");
            }
        }
    }
}
