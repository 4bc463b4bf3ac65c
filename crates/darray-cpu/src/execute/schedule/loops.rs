//! Loops that choices begin with.

use super::tuning::{self, STRIP_COLUMNS};
use darray_codegen::bind::Loop;

/// A tile that is everything.
pub(super) const WHOLE: (usize, usize) = (usize::MAX, usize::MAX);

/// What is gone through once.
pub(super) const ONCE: Loop = Loop { axis: 0, extent: 1 };

/// Puts a long loop in the place of a last one that is too short to be worth a row: the innermost that is as long as a strip, as
/// steps are the smaller the further inside, else the longest.
pub(super) fn lengthen(loops: &mut [Loop]) {
    let Some((last, outer)) = loops.split_last_mut() else { return };
    let longest = outer.iter_mut().max_by_key(|l| l.extent.min(STRIP_COLUMNS));
    if let Some(longest) = longest
        && last.extent < tuning::SHORT_LOOP_ELEMENTS
        && longest.extent >= tuning::LONGER_TIMES * last.extent
    {
        std::mem::swap(last, longest);
    }
}

#[cfg(test)]
mod tests {
    use super::lengthen;
    use darray_codegen::bind::Loop;

    #[test]
    fn a_short_row_gives_way_to_the_innermost_long_loop() {
        let lengthened = |extents: &[usize]| {
            let axes = extents.iter().zip(0..);
            let mut loops: Vec<Loop> = axes.map(|(&extent, axis)| Loop { axis, extent }).collect();
            lengthen(&mut loops);
            loops.iter().map(|l| l.axis).collect::<Vec<_>>()
        };
        assert_eq!(lengthened(&[512, 512, 3]), [0, 2, 1]);
        assert_eq!(lengthened(&[5000, 200, 3]), [0, 2, 1]);
        assert_eq!(lengthened(&[5000, 100, 3]), [2, 1, 0], "shorter than a strip");
        assert_eq!(lengthened(&[20, 3]), [0, 1], "not long enough");
        assert_eq!(lengthened(&[5000, 16]), [0, 1], "not short");
    }
}
