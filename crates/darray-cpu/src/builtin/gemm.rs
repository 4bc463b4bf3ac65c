//! Products of float matrices, in tiles of vector registers.
//!
//! Every element is summed in the order of [`product`]: blocks of k are chains of fused multiply-adds from -0.0, which adds
//! nothing to the first product, and their sums are added two by two,
//!
//! ```text
//! sum = -0.0;  for k in block { sum = fma(a[i][k], b[k][j], sum) }
//! ```
//!
//! so its bits follow from the operands alone: not from tiles, panels, threads, layouts or the instruction set. What is packed of
//! k is a block. The sum of a tile is added to those that wait, before it leaves the registers, and then waits itself, or is
//! written to the output if it is the last one.
//!
//! ```text
//! for panels of columns, of rows:           as much of the output as there is room for sums that wait
//!   for BLOCK of k:                         a block of b is packed in strips as wide as a tile
//!     for HEIGHT of rows:                   a block of a in strips as high as a tile
//!       for strips of columns, of rows:     a tile in registers: strip of a . strip of b, and what waits
//! ```

mod deferred;
mod narrow;
mod row;

use crate::level::Level;
use crate::rectangle::Side;
use crate::vector::{FirstLanes, MulAdd, array_of};
use darray_core::{Compute, RealType};
use darray_kernel::product::{self, BLOCK, Join};
use deferred::{Deferred, Strips};
use std::ops::Add;

/// Rows of a packed block of the left matrix, which stays in the second cache.
const HEIGHT: usize = 192;
/// Columns of a packed block of the right matrix.
const WIDTH: usize = 3072;
/// Bytes for sums that wait, and rows that a panel of the output has at least where there are more of them: a block of b is
/// packed for each panel of rows, a block of a for each panel of columns. In tests panels are small.
const CAPACITY: usize = if cfg!(test) { 1 << 16 } else { 16 << 20 };
const PANEL: usize = 3 * HEIGHT;
/// Rows of the right matrix that are packed together.
const SOME: usize = 16;
/// Rows of whole tiles of every instruction set.
const HIGH: usize = 24;
/// Below this many columns, and with more rows, the transposed product is computed.
const NARROW: usize = 16;

/// The products of one float type on one instruction set.
#[derive(Clone, Copy)]
pub(super) struct Gemm(unsafe fn(Sizes, Side, Side, Side));

/// Rows, inner extent, columns.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub m: usize,
    pub k: usize,
    pub n: usize,
}

impl Gemm {
    /// For floats only.
    pub fn find(dtype: RealType, level: Level) -> Option<Gemm> {
        match dtype.as_compute() {
            Some(Compute::F64) => Some(find_f64(level)),
            Some(Compute::F32) => Some(find_f32(level)),
            _ => None,
        }
    }

    /// `out (m, n) = a (m, k) . b (k, n)`.
    ///
    /// # Safety
    /// The operands have these sizes; the output overlaps no input.
    pub unsafe fn run(&self, sizes: Sizes, a: Side, b: Side, out: Side) {
        // SAFETY: the caller's contract.
        unsafe { self.0(sizes, a, b, out) }
    }
}

/// A strided matrix; strides count elements.
struct Matrix<T> {
    at: *mut T,
    row: isize,
    column: isize,
}

impl<T> Clone for Matrix<T> {
    fn clone(&self) -> Matrix<T> {
        *self
    }
}

impl<T> Copy for Matrix<T> {}

impl<T> Matrix<T> {
    fn new(side: &Side) -> Matrix<T> {
        let elements = |bytes: i64| bytes as isize / size_of::<T>() as isize;
        Matrix {
            at: side.pointer.cast(),
            row: elements(side.strides[0]),
            column: elements(side.strides[1]),
        }
    }

    fn element(self, i: usize, j: usize) -> *mut T {
        self.at.wrapping_offset(i as isize * self.row + j as isize * self.column)
    }

    fn from(self, i: usize, j: usize) -> Matrix<T> {
        Matrix { at: self.element(i, j), ..self }
    }

    fn transposed(self) -> Matrix<T> {
        Matrix { at: self.at, row: self.column, column: self.row }
    }
}

/// `out = a . b` in tiles of `R` rows by `C` vectors.
#[inline(always)]
unsafe fn product<V: MulAdd + FirstLanes, const R: usize, const C: usize>(
    sizes: Sizes,
    sides: [Side; 3],
) where
    V::Element: Default + Add<Output = V::Element>,
{
    let mut a = Matrix::<V::Element>::new(&sides[0]);
    let mut b = Matrix::new(&sides[1]);
    let mut out = Matrix::new(&sides[2]);
    let Sizes { mut m, k, mut n } = sizes;
    if k > 0 && m > 1 && narrow::is_narrow::<V>(n, b, out) {
        // SAFETY: the caller's matrices, of these sizes.
        return unsafe { narrow::narrow::<V>(sizes, a, b, out) };
    }
    // The sum of an element is the same in the transposed product.
    let upright = out.column != 1 && (out.row == 1 || m == 1);
    if n > 1 && m > n && n < NARROW || upright && n > 1 && m >= NARROW {
        (a, b, out) = (b.transposed(), a.transposed(), out.transposed());
        (m, n) = (n, m);
    }
    // SAFETY: the caller's matrices, of these sizes.
    unsafe {
        if k == 0 {
            for i in 0..m {
                for j in 0..n {
                    out.element(i, j).write(V::Element::default());
                }
            }
        } else if m == 1 && b.column == 1 && out.column == 1 {
            row::row::<V>(k, n, a, b, out);
        } else {
            blocks::<V, R, C>(Sizes { m, k, n }, a, b, out);
        }
    }
}

/// How much of the output is worked off over all of k, in panels alike: rows, columns.
fn panel(m: usize, n: usize, wide: usize, deferred: usize) -> (usize, usize) {
    let Some(elements) = CAPACITY.checked_div(deferred) else { return (m, WIDTH.min(n)) };
    let most = (elements / m.min(PANEL)).clamp(wide, WIDTH);
    let columns = n.div_ceil(n.div_ceil(most)).next_multiple_of(wide);
    let most = (elements / columns).max(HEIGHT);
    let rows = m.div_ceil(m.div_ceil(most)).next_multiple_of(HIGH);
    (rows.min(m), columns.min(n))
}

#[inline(always)]
unsafe fn blocks<V: MulAdd, const R: usize, const C: usize>(
    Sizes { m, k, n }: Sizes,
    a: Matrix<V::Element>,
    b: Matrix<V::Element>,
    out: Matrix<V::Element>,
) where
    V::Element: Default,
{
    let wide = C * V::LANES;
    let levels = product::levels(k);
    let (high, width) = panel(m, n, wide, levels * size_of::<V::Element>());
    let (depth, height) = (BLOCK.min(k), HEIGHT.min(high));
    let (right, left) = (width.next_multiple_of(wide) * depth, height.next_multiple_of(R) * depth);
    // A panel's tiles, strip after strip.
    let strip = high.next_multiple_of(R) * wide;
    let level = width.div_ceil(wide) * strip;
    let mut strips = Strips::take();
    let space = strips.reserve::<V::Element>(right + left + levels * level);
    // SAFETY: so much was reserved, and numbers may have any bits.
    let (right, rest) =
        unsafe { std::slice::from_raw_parts_mut(space, right + left + levels * level) }
            .split_at_mut(right);
    let (left, rest) = rest.split_at_mut(left);
    let deferred = Deferred { at: rest.as_mut_ptr(), level };
    for column in (0..n).step_by(width) {
        let columns = width.min(n - column);
        for panel in (0..m).step_by(high) {
            let end = m.min(panel + high);
            for (indices, join) in product::blocks(k) {
                let (first, depth) = (indices.start, indices.len());
                // SAFETY: blocks inside the caller's matrices; strips have room for them, as what waits has for a panel.
                unsafe {
                    pack(b.from(first, column).transposed(), columns, depth, wide, right);
                    for top in (panel..end).step_by(HEIGHT) {
                        let rows = HEIGHT.min(end - top);
                        pack(a.from(top, first), rows, depth, R, left);
                        let out = out.from(top, column);
                        for j in (0..columns).step_by(wide) {
                            let b = right.as_ptr().add(j * depth);
                            let deferred = deferred.from(j / wide * strip + (top - panel) * wide);
                            for i in (0..rows).step_by(R) {
                                let a = left.as_ptr().add(i * depth);
                                let inside = (rows - i).min(R) * (columns - j).min(wide);
                                let (to, deferred) = (out.from(i, j), deferred.from(i * wide));
                                let is_whole = inside == R * wide && out.column == 1;
                                if is_whole || join.waits.is_some() {
                                    tile::<V, R, C>(depth, a, b, (to.at, to.row), (deferred, join));
                                } else {
                                    let part = [(rows - i).min(R), (columns - j).min(wide)];
                                    partial::<V, R, C>(depth, a, b, (to, part), (deferred, join));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Copies a matrix of `count` by `depth` elements into strips of `high` rows, column after column; the
/// last strip is filled up with zeros.
#[inline(always)]
unsafe fn pack<T: Copy + Default>(
    from: Matrix<T>,
    count: usize,
    depth: usize,
    high: usize,
    to: &mut [T],
) {
    // Of rows that lie one behind the other some whole ones are read in order, not a part of each, which takes a page each.
    let some = if from.row == 1 { SOME } else { depth };
    for first in (0..depth).step_by(some) {
        let columns = first..depth.min(first + some);
        for strip in (0..count).step_by(high) {
            let rows = high.min(count - strip);
            let to = &mut to[strip * depth..][..high * depth];
            // SAFETY: elements of the caller's matrix.
            unsafe {
                if from.row == 1 && rows == high {
                    for k in columns.clone() {
                        let (from, column) = (from.element(strip, k), &mut to[k * high..][..high]);
                        std::ptr::copy_nonoverlapping(from, column.as_mut_ptr(), high);
                    }
                    continue;
                }
                for k in columns.clone() {
                    let (inside, outside) = to[k * high..][..high].split_at_mut(rows);
                    for (i, value) in inside.iter_mut().enumerate() {
                        *value = from.element(strip + i, k).read();
                    }
                    outside.fill(T::default());
                }
            }
        }
    }
}

/// The last sums of a tile that reaches over the edge of the output, or whose rows have gaps.
#[inline(always)]
unsafe fn partial<V: MulAdd, const R: usize, const C: usize>(
    depth: usize,
    a: *const V::Element,
    b: *const V::Element,
    (out, [rows, columns]): (Matrix<V::Element>, [usize; 2]),
    earlier: (Deferred<V::Element>, Join),
) where
    V::Element: Default,
{
    let wide = C * V::LANES;
    // R * C vectors of at most 16 elements.
    let mut space = [V::Element::default(); 24 * 16];
    debug_assert!(R * wide <= space.len());
    // SAFETY: elements inside the output; the space has a tile.
    unsafe {
        tile::<V, R, C>(depth, a, b, (space.as_mut_ptr(), wide as isize), earlier);
        for (i, row) in space.chunks_exact(wide).take(rows).enumerate() {
            for (j, value) in row.iter().take(columns).enumerate() {
                out.element(i, j).write(*value);
            }
        }
    }
}

/// A tile of a block of k in registers, with what waits of earlier ones: `out = a . b` if it is the last one.
#[inline(always)]
unsafe fn tile<V: MulAdd, const R: usize, const C: usize>(
    depth: usize,
    mut a: *const V::Element,
    mut b: *const V::Element,
    (out, row): (*mut V::Element, isize),
    (deferred, join): (Deferred<V::Element>, Join),
) where
    V::Element: Default,
{
    let zero = V::Element::default();
    // SAFETY: strips have `depth` columns of a tile's height or width, the output is a tile, and so is what waits at a level.
    unsafe {
        let mut sums = [[V::splat(&zero).neg(); C]; R];
        for _ in 0..depth {
            let right: [V; C] = array_of!(C, |c| V::load(b.add(c * V::LANES)));
            for (r, sums) in sums.iter_mut().enumerate() {
                let left = V::splat(a.add(r));
                for (c, sum) in sums.iter_mut().enumerate() {
                    *sum = left.mul_add(right[c], *sum);
                }
            }
            a = a.add(R);
            b = b.add(C * V::LANES);
        }
        for level in join.levels() {
            let from = deferred.level(level);
            for (r, sums) in sums.iter_mut().enumerate() {
                for (c, sum) in sums.iter_mut().enumerate() {
                    *sum = V::load(from.add((r * C + c) * V::LANES)).add(*sum);
                }
            }
        }
        let (to, row) = match join.waits {
            Some(level) => (deferred.level(level), (C * V::LANES) as isize),
            None => (out, row),
        };
        for (r, sums) in sums.iter().enumerate() {
            for (c, sum) in sums.iter().enumerate() {
                sum.store(to.offset(r as isize * row).add(c * V::LANES));
            }
        }
    }
}

macro_rules! products {
    ($find:ident: $(($level:ident, $name:ident, $vector:ty, $rows:literal, $vectors:literal
        $(, $features:literal)?))+) => {
        $(
            $(#[target_feature(enable = $features)])?
            unsafe fn $name(sizes: Sizes, a: Side, b: Side, out: Side) {
                // SAFETY: the caller's contract.
                unsafe { product::<$vector, $rows, $vectors>(sizes, [a, b, out]) }
            }
        )+

        fn $find(level: Level) -> Gemm {
            match level {
                $(Level::$level => Gemm($name),)+
                #[allow(unreachable_patterns)]
                _ => $find(Level::Baseline),
            }
        }
    };
}

// As many sums as the registers hold, beside a row of the right strip and an element of the left one.
#[cfg(target_arch = "x86_64")]
products! { find_f64:
    (Baseline, f64_baseline, f64, 4, 2)
    (Avx2, f64_avx2, std::arch::x86_64::__m256d, 6, 2, "avx2,fma")
    (Avx512, f64_avx512, std::arch::x86_64::__m512d, 8, 3, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}
#[cfg(target_arch = "x86_64")]
products! { find_f32:
    (Baseline, f32_baseline, f32, 4, 2)
    (Avx2, f32_avx2, std::arch::x86_64::__m256, 6, 2, "avx2,fma")
    (Avx512, f32_avx512, std::arch::x86_64::__m512, 8, 3, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}
#[cfg(not(target_arch = "x86_64"))]
products! { find_f64: (Baseline, f64_baseline, f64, 4, 6) }
#[cfg(not(target_arch = "x86_64"))]
products! { find_f32: (Baseline, f32_baseline, f32, 4, 6) }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_have_room_and_are_the_product() {
        assert_eq!(panel(400, 5000, 24, 0), (400, WIDTH));
        let (m, k, n) = (400, 3 * BLOCK + 7, 60);
        let deferred = product::levels(k) * size_of::<f64>();
        assert_eq!(panel(m, n, 24, deferred), (144, 24));
        let number = |i: usize| ((i * 7919 % 1013) as f64 - 500.0) / 7.0;
        let (mut a, mut b): (Vec<f64>, Vec<f64>) =
            ((0..m * k).map(number).collect(), (0..k * n).map(number).collect());
        let side = |from: &mut [f64], row: usize| Side {
            pointer: from.as_mut_ptr().cast(),
            strides: [8 * row as i64, 8].into_iter().collect(),
        };
        let element = |at: usize| {
            let (i, j) = (at / n, at % n);
            let chain = |block: std::ops::Range<usize>| {
                block.fold(-0.0, |sum, p| a[i * k + p].mul_add(b[p * n + j], sum))
            };
            product::sum(k, chain, |a, b| a + b).expect("products")
        };
        let expected: Vec<f64> = (0..m * n).map(element).collect();
        let mut out = vec![f64::NAN; m * n];
        let gemm = Gemm::find(RealType::F64, Level::detect()).expect("products of floats");
        let (a, b, to) = (side(&mut a, k), side(&mut b, n), side(&mut out, n));
        // SAFETY: matrices of these sizes.
        unsafe { gemm.run(Sizes { m, k, n }, a, b, to) };
        assert!(out == expected);
    }
}
