//! Products with a few columns: nothing is packed, as that takes longer than the product.
//!
//! ```text
//! for panels of rows of a:                    all of them if k is one block
//!     for blocks of k:
//!         for some of the block:              rows of b that the first cache holds
//!             for rows of a, some at a time:  their sums, in registers
//!                 for k:                      += element of each row . row k of b
//! ```

use super::deferred::{Deferred, Strips};
use super::{Matrix, Sizes};
use crate::vector::{FirstLanes, MulAdd};
use darray_kernel::product::{self, BLOCK, Join};

/// Bytes of the rows of the right matrix that all rows of the left one read from the first cache.
const SMALL: usize = 16 << 10;

/// Rows of a panel, of which so many are worked off at a time: few, so that the next part of a row comes soon after the one before,
/// but as many as keep a right matrix that no cache holds from being read as often as the left one.
fn panel(some: usize, n: usize, right: usize) -> usize {
    let most = 32.max(n.next_power_of_two() * 4);
    most.min((right / (2 * SMALL)).max(1) * some)
}

/// Vectors of a row, at most.
const MOST: usize = 4;

/// Whether the product of several rows is one of these.
pub(super) fn is_narrow<V: MulAdd>(
    n: usize,
    b: Matrix<V::Element>,
    out: Matrix<V::Element>,
) -> bool {
    n <= MOST * V::LANES && b.column == 1 && out.column == 1
}

/// The product.
#[inline(always)]
pub(super) unsafe fn narrow<V: MulAdd + FirstLanes>(
    sizes: Sizes,
    a: Matrix<V::Element>,
    b: Matrix<V::Element>,
    out: Matrix<V::Element>,
) where
    V::Element: Default,
{
    // SAFETY: the caller's matrices, of these sizes.
    unsafe {
        match sizes.n.div_ceil(V::LANES) {
            0 => {}
            1 => rows::<V, 1, 8>(sizes, a, b, out),
            2 => rows::<V, 2, 4>(sizes, a, b, out),
            3 => rows::<V, 3, 4>(sizes, a, b, out),
            _ => rows::<V, MOST, 2>(sizes, a, b, out),
        }
    }
}

/// Rows of `C` vectors, `R` at a time.
#[inline(always)]
unsafe fn rows<V: MulAdd + FirstLanes, const C: usize, const R: usize>(
    Sizes { m, k, n }: Sizes,
    a: Matrix<V::Element>,
    b: Matrix<V::Element>,
    out: Matrix<V::Element>,
) where
    V::Element: Default,
{
    // Equal parts of a block.
    let most = SMALL / (n * size_of::<V::Element>());
    let depth = BLOCK.div_ceil(BLOCK.div_ceil(most));
    let (levels, wide) = (product::levels(k), C * V::LANES);
    let right = k * n * size_of::<V::Element>();
    let high = if levels == 0 { m } else { panel(R, n, right).min(m) };
    let mut strips = Strips::take();
    let level = high * wide;
    let deferred = Deferred { at: strips.reserve(levels * level), level };
    // SAFETY: rows below `m`, indices below `k`; there is room for a panel at every level.
    unsafe {
        let last = V::first(n - (C - 1) * V::LANES);
        for top in (0..m).step_by(high) {
            let end = m.min(top + high);
            for (block, join) in product::blocks(k) {
                for first in block.clone().step_by(depth) {
                    let indices = depth.min(block.end - first);
                    let (a, b) = (a.from(0, first), b.from(first, 0));
                    let part = Part {
                        fresh: first == block.start,
                        join: (first + indices == block.end).then_some(join),
                    };
                    let mut row = top;
                    while row < end {
                        let (a, out) = (a.from(row, 0), out.from(row, 0));
                        let deferred = deferred.from((row - top) * wide);
                        if row + R <= end {
                            some_rows::<V, C, R>(indices, a, b, (out, deferred), (last, part));
                            row += R;
                        } else {
                            some_rows::<V, C, 1>(indices, a, b, (out, deferred), (last, part));
                            row += 1;
                        }
                    }
                }
            }
        }
    }
}

/// Of a block of k, what is worked off at a time.
#[derive(Clone, Copy)]
struct Part {
    /// The chains begin.
    fresh: bool,
    /// They end.
    join: Option<Join>,
}

/// Adds the products of `R` rows. Between two parts of a block sums are in the output.
#[inline(always)]
unsafe fn some_rows<V: MulAdd + FirstLanes, const C: usize, const R: usize>(
    k: usize,
    a: Matrix<V::Element>,
    b: Matrix<V::Element>,
    (out, deferred): (Matrix<V::Element>, Deferred<V::Element>),
    (last, part): (V::First, Part),
) where
    V::Element: Default,
{
    let zero = V::Element::default();
    let of = |number: usize| (number == C - 1).then_some(last);
    // SAFETY: `R` rows, of whose last vector these lanes are elements.
    unsafe {
        let begin = V::splat(&zero).neg();
        let mut sums = [[begin; C]; R];
        if !part.fresh {
            for (row, sums) in sums.iter_mut().enumerate() {
                for (number, sum) in sums.iter_mut().enumerate() {
                    let from = out.element(row, number * V::LANES);
                    *sum = V::load_some(from, of(number));
                }
            }
        }
        for index in 0..k {
            let row = b.element(index, 0).cast_const();
            let mut values = [begin; C];
            for (number, value) in values.iter_mut().enumerate() {
                *value = V::load_some(row.add(number * V::LANES), of(number));
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                let factor = V::splat(a.element(row, index));
                for (number, sum) in sums.iter_mut().enumerate() {
                    *sum = factor.mul_add(values[number], *sum);
                }
            }
        }
        let at = |row: usize, number: usize| (row * C + number) * V::LANES;
        for level in part.join.into_iter().flat_map(Join::levels) {
            let from = deferred.level(level);
            for (row, sums) in sums.iter_mut().enumerate() {
                for (number, sum) in sums.iter_mut().enumerate() {
                    *sum = V::load(from.add(at(row, number))).add(*sum);
                }
            }
        }
        let waits = part.join.and_then(|join| join.waits).map(|level| deferred.level(level));
        for (row, sums) in sums.into_iter().enumerate() {
            for (number, sum) in sums.into_iter().enumerate() {
                let to = out.element(row, number * V::LANES);
                match (waits, of(number)) {
                    (Some(waits), _) => sum.store(waits.add(at(row, number))),
                    (None, Some(last)) => sum.store_first(to, last),
                    (None, None) => sum.store(to),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Gemm, Sizes};
    use crate::level::Level;
    use crate::rectangle::Side;
    use darray_core::RealType;
    use darray_kernel::product;
    use std::ops::Range;

    #[test]
    fn sums_are_those_of_blocks_however_matrices_lie() {
        let number = |i: usize| ((i * 7919 % 1013) as f64 - 500.0) / 7.0;
        let side = |from: &mut [f64], strides: [usize; 2]| Side {
            pointer: from.as_mut_ptr().cast(),
            strides: strides.map(|step| 8 * step as i64).into_iter().collect(),
        };
        // Below one vector of each level up to more than four, of several pieces of k, whole groups of rows and what is left.
        for (m, n) in (1..=37).flat_map(|n| [(2, n), (13, n), (19, n), (70, n)]) {
            for (k, is_transposed) in [(1, false), (5, true), (700, false), (700, true)] {
                let (row, gap) = (n + 3, if n % 2 == 0 { 0 } else { 2 });
                let mut a: Vec<f64> = (0..m * k).map(number).collect();
                let mut b: Vec<f64> = (0..k * row).map(|i| number(3 * i + 1)).collect();
                let a_steps = if is_transposed { [1, m] } else { [k, 1] };
                let mut expected = vec![7.0; m * (n + gap)];
                for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let element = |l: usize| a[i * a_steps[0] + l * a_steps[1]];
                    let chain = |block: Range<usize>| {
                        block.fold(-0.0, |sum, l| element(l).mul_add(b[l * row + j], sum))
                    };
                    let sum = product::sum(k, chain, |a, b| a + b).expect("products");
                    expected[i * (n + gap) + j] = sum;
                }
                for level in Level::ALL.into_iter().filter(|&level| level <= Level::detect()) {
                    let gemm = Gemm::find(RealType::F64, level).expect("products of floats");
                    let mut out = vec![7.0; m * (n + gap)];
                    let sides = (side(&mut a, a_steps), side(&mut b, [row, 1]));
                    let to = side(&mut out, [n + gap, 1]);
                    // SAFETY: matrices of these sizes.
                    unsafe { gemm.run(Sizes { m, k, n }, sides.0, sides.1, to) };
                    let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                    assert!(bits(&out) == bits(&expected), "{level}: {m} x {k} x {n}");
                }
            }
        }
    }
}
