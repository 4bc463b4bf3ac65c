//! Of which size a program's arrays do not fit into a cache, and no more than that.

use super::unfused_windows;
use darray::Result;
use darray_fusion::footprint::working_set;
use darray_programs::Program;

/// Bytes that the tasks of an iteration are to hold one by one: four times a second-level cache of a core, as many have.
/// Pages are to be the same on every machine.
const WORKING_SET: f64 = 4.0 * 1_048_576.0;

/// Sizes at which a program is looked at first.
const FIRST: [usize; 2] = [16, 32];

/// The size, to two digits.
pub fn of(program: Program) -> Result<usize> {
    with_working_set(program, WORKING_SET)
}

/// The size at which the tasks of an iteration hold so many bytes one by one, about, to two digits.
pub fn with_working_set(program: Program, bytes: f64) -> Result<usize> {
    let held = |n: usize| -> Result<f64> {
        let windows = unfused_windows(program, n)?;
        let bytes = windows.iter().map(|flushed| working_set(&flushed.window)).max();
        Ok(bytes.unwrap_or(0).max(1) as f64)
    };
    let [small, large] = [held(FIRST[0])?, held(FIRST[1])?];
    // Bytes grow as this power of the size. Borders let small sizes grow less.
    let power = ((large / small).log2() - 0.05).ceil().max(1.0);
    let next = |n: f64, held: f64| n * (bytes / held).powf(1.0 / power);
    let once = next(FIRST[1] as f64, large);
    let twice = next(once.round(), held(once.round().max(1.0) as usize)?);
    Ok(two_digits(twice))
}

fn two_digits(number: f64) -> usize {
    let unit = 10f64.powf((number.log10().floor() - 1.0).max(0.0));
    ((number / unit).round() * unit).max(1.0) as usize
}

#[cfg(test)]
mod tests {
    use super::two_digits;

    #[test]
    fn sizes_have_two_digits() {
        let numbers = [0.2, 3.4, 17.6, 99.7, 123.4, 5_251.0, 61_700_000.0];
        assert_eq!(numbers.map(two_digits), [1, 3, 18, 100, 120, 5300, 62_000_000]);
    }
}
