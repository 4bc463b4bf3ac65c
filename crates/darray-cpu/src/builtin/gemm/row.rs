//! Products of one row.

use super::Matrix;
use super::deferred::{Deferred, Strips};
use crate::vector::{MulAdd, array_of};
use darray_kernel::product::{self, Join};
use std::ops::{Add, Range};

/// Columns whose sums stay in the first cache while rows of the right matrix pass by.
const WIDTH: usize = 2048;

/// One row: rows of `b` are added to it as they lie in memory.
#[inline(always)]
pub(super) unsafe fn row<V: MulAdd>(
    k: usize,
    n: usize,
    a: Matrix<V::Element>,
    b: Matrix<V::Element>,
    out: Matrix<V::Element>,
) where
    V::Element: Default + Add<Output = V::Element>,
{
    let levels = product::levels(k);
    let mut strips = Strips::take();
    let deferred = Deferred { at: strips.reserve(levels * WIDTH), level: WIDTH };
    for left in (0..n).step_by(WIDTH) {
        let width = WIDTH.min(n - left);
        for (Range { start, end }, join) in product::blocks(k) {
            let (to, mut index) = (out.element(0, left), start);
            while index < end {
                // SAFETY: rows below `k`, columns below `n`.
                unsafe {
                    let (a, b) = (a.from(0, index), b.from(index, left));
                    let fresh = index == start;
                    if end - index >= 4 {
                        add_rows::<V, 4>(width, a, b, to, fresh);
                        index += 4;
                    } else {
                        add_rows::<V, 1>(width, a, b, to, fresh);
                        index += 1;
                    }
                }
            }
            // SAFETY: there is room for a width at every level.
            unsafe { join_sums(width, to, deferred, join) };
        }
    }
}

/// Adds what waits of earlier blocks to their sums in the output, which then wait unless they are the last ones.
#[inline(always)]
unsafe fn join_sums<T: Copy + Add<Output = T>>(
    width: usize,
    out: *mut T,
    deferred: Deferred<T>,
    join: Join,
) {
    // SAFETY: the caller's elements.
    unsafe {
        for level in join.levels() {
            let from = deferred.level(level);
            for at in 0..width {
                *out.add(at) = *from.add(at) + *out.add(at);
            }
        }
        if let Some(level) = join.waits {
            std::ptr::copy_nonoverlapping(out, deferred.level(level), width);
        }
    }
}

/// Adds `N` rows of `b`, each times an element of `a`, to the sums of a block in `out`, or begins them if `fresh`.
#[inline(always)]
unsafe fn add_rows<V: MulAdd, const N: usize>(
    width: usize,
    a: Matrix<V::Element>,
    b: Matrix<V::Element>,
    out: *mut V::Element,
    fresh: bool,
) where
    V::Element: Default,
{
    let zero = V::Element::default();
    // SAFETY: the caller's rows.
    unsafe {
        let begin = V::splat(&zero).neg();
        let factors: [V; N] = array_of!(N, |r| V::splat(a.element(0, r)));
        let rows: [*mut V::Element; N] = array_of!(N, |r| b.element(r, 0));
        let mut at = 0;
        while at + V::LANES <= width {
            let mut sum = if fresh { begin } else { V::load(out.add(at)) };
            for (r, factor) in factors.iter().enumerate() {
                sum = factor.mul_add(V::load(rows[r].add(at)), sum);
            }
            sum.store(out.add(at));
            at += V::LANES;
        }
        if at < width {
            // The rest in a vector of its own.
            let count = width - at;
            let mut space = [zero; 16];
            macro_rules! load {
                ($from:expr) => {{
                    std::ptr::copy_nonoverlapping($from.cast_const(), space.as_mut_ptr(), count);
                    V::load(space.as_ptr())
                }};
            }
            let mut sum = if fresh { begin } else { load!(out.add(at)) };
            for (r, factor) in factors.iter().enumerate() {
                sum = factor.mul_add(load!(rows[r].add(at)), sum);
            }
            sum.store(space.as_mut_ptr());
            std::ptr::copy_nonoverlapping(space.as_ptr(), out.add(at), count);
        }
    }
}
