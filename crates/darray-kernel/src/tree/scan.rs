//! The order in which running folds (cumulative sums and products) combine: a formula of the global
//! extent, so that results do not depend on tiles, threads or devices.
//!
//! The scanned axis of global extent `n` is cut into blocks of
//! [`TreeRule::scan_block`](crate::tree::TreeRule::scan_block)`(n, innermost)` indices each, aligned to global
//! indices. With `s[i]` the fold, left to right, of the elements from the beginning of `i`'s block up
//! to `i`,
//!
//! ```text
//! r[i] = s[i]                    in block 0
//! r[i] = c[b] . s[i]             in block b > 0
//! c[1] = s[last of block 0]
//! c[b + 1] = c[b] . s[last of block b]
//! ```
//!
//! so the carry into a block is the result at the end of the block before. Blocks are independent
//! but for the carries, and rounding errors grow with the block and the number of blocks, not with
//! their product.
//!
//! A tile begins at a block. It folds its blocks ([`scan_blocks`]), makes the carries out of the carry
//! of the tile before ([`carries`]), and adds them ([`add_carries`]); a tile that covers the axis does
//! it all ([`scan`]).
//!
//! ```
//! use darray_kernel::scan::{add_carries, carries, scan, scan_blocks};
//! let join = |a: &String, b: &String| format!("({a}{b})");
//! let letters = || ["a", "b", "c", "d", "e"].map(String::from);
//! let mut whole = letters();
//! scan(&mut whole, 2, join);
//! assert_eq!(whole[4], "(((ab)(cd))e)");
//!
//! let mut tiles = letters();
//! let (left, right) = tiles.split_at_mut(2);
//! scan_blocks(left, 2, join);
//! scan_blocks(right, 2, join);
//! let carries = carries(Some(left[1].clone()), right, 2, join);
//! add_carries(right, 2, &carries, join);
//! assert_eq!(tiles, whole);
//! ```

/// The whole scan of an axis.
pub fn scan<V: Clone>(values: &mut [V], block: usize, combine: impl Fn(&V, &V) -> V) {
    scan_blocks(values, block, &combine);
    let carries = carries(None, values, block, &combine);
    add_carries(values, block, &carries, &combine);
}

/// Folds each block by itself.
pub fn scan_blocks<V: Clone>(values: &mut [V], block: usize, combine: impl Fn(&V, &V) -> V) {
    for block in values.chunks_mut(block) {
        for i in 1..block.len() {
            block[i] = combine(&block[i - 1], &block[i]);
        }
    }
}

/// The carry into each block of a tile, and after them the carry into the next tile. `values` has its
/// blocks folded; `before` is the carry into the tile, none for the first.
pub fn carries<V: Clone>(
    before: Option<V>,
    values: &[V],
    block: usize,
    combine: impl Fn(&V, &V) -> V,
) -> Vec<Option<V>> {
    let mut carries = vec![before];
    for block in values.chunks(block) {
        let total = block.last().expect("chunks are not empty");
        let next = match carries.last() {
            Some(Some(carry)) => combine(carry, total),
            _ => total.clone(),
        };
        carries.push(Some(next));
    }
    carries
}

/// Adds the carry of each block that has one.
pub fn add_carries<V>(
    values: &mut [V],
    block: usize,
    carries: &[Option<V>],
    combine: impl Fn(&V, &V) -> V,
) {
    for (block, carry) in values.chunks_mut(block).zip(carries) {
        if let Some(carry) = carry {
            block.iter_mut().for_each(|value| *value = combine(carry, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeRule;

    /// The formula of the module's text, index by index.
    fn definition(values: &[f64], block: usize, at: usize) -> f64 {
        let first = at / block * block;
        let own = values[first + 1..=at].iter().fold(values[first], |sum, v| sum + v);
        if first == 0 { own } else { definition(values, block, first - 1) + own }
    }

    #[test]
    fn any_tiles_at_blocks_give_the_definition() {
        let n = 37;
        let block = TreeRule::TINY.scan_block(n, true);
        let values: Vec<f64> =
            (0..n).map(|i| (i as f64 * 0.7).sin() * 10f64.powi(i as i32 % 5)).collect();
        let wanted: Vec<u64> = (0..n).map(|i| definition(&values, block, i).to_bits()).collect();
        let plus = |a: &f64, b: &f64| a + b;
        let blocks = n.div_ceil(block);
        for first in 0..=blocks {
            for second in first..=blocks {
                let mut found = values.clone();
                let mut before = None;
                let cuts = [0, first * block, second * block, n].map(|cut| cut.min(n));
                for tile in cuts.windows(2) {
                    let tile = &mut found[tile[0]..tile[1]];
                    scan_blocks(tile, block, plus);
                    let carried = carries(before, tile, block, plus);
                    before = *carried.last().expect("the carry out");
                    add_carries(tile, block, &carried, plus);
                }
                let found: Vec<u64> = found.iter().map(|v| v.to_bits()).collect();
                assert_eq!(found, wanted, "{cuts:?}");
            }
        }
        let mut whole = values.clone();
        scan(&mut whole, block, plus);
        assert_eq!(whole.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), wanted);
        assert_ne!(
            whole[n - 1].to_bits(),
            values.iter().sum::<f64>().to_bits(),
            "blocks show in the rounding"
        );
    }

    #[test]
    fn nothing_and_one() {
        let mut none: [f64; 0] = [];
        scan(&mut none, 4, |a, b| a + b);
        assert!(carries(None, &none, 4, |a: &f64, b| a + b)[0].is_none());
        let mut one = [-0.0f64];
        scan(&mut one, 4, |a, b| a + b);
        assert_eq!(one[0].to_bits(), (-0.0f64).to_bits(), "no identity is added");
    }
}
