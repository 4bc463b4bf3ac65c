//! Products of float matrices, in tiles of vector registers.
//!
//! Every element is one chain of fused multiply-adds in the order of k, from -0.0, which adds nothing to
//! the first product:
//!
//! ```text
//! sum = -0.0;  for k in 0..K { sum = fma(a[i][k], b[k][j], sum) }
//! ```
//!
//! so its bits follow from the operands alone: not from tiles, blocks, threads, layouts or the
//! instruction set. Between two blocks of k the running sum rests in the output, which is exact.
//!
//! ```text
//! for DEPTH of k:                         a block of b is packed in strips as wide as a tile
//!   for HEIGHT of rows:                   a block of a in strips as high as a tile
//!     for strips of columns, of rows:     a tile of out, in registers: += strip of a . strip of b
//! ```

mod narrow;

use crate::level::Level;
use crate::memory::Storage;
use crate::rectangle::Side;
use crate::vector::{FirstLanes, MulAdd, array_of};
use darray_core::DType;
use std::cell::Cell;

/// Of k, what is worked off at a time: strips of it stay in the first cache.
const DEPTH: usize = 256;
/// Rows of a packed block of the left matrix, which stays in the second cache.
const HEIGHT: usize = 192;
/// Columns of a packed block of the right matrix.
const WIDTH: usize = 3072;
/// Columns whose sums stay in the first cache while rows of the right matrix pass by.
const ROW_WIDTH: usize = 2048;
/// Below this many columns, and with more rows, the transposed product is computed.
const NARROW: usize = 16;

thread_local! {
    /// Room for the packed blocks, less than 7 MiB, which a thread keeps for its next product: fresh pages for those of 200
    /// rows cost as much as two thirds of the product.
    static STRIPS: Cell<Storage> = Cell::default();
}

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
    pub fn find(dtype: DType, level: Level) -> Option<Gemm> {
        match dtype {
            DType::F64 => Some(find_f64(level)),
            DType::F32 => Some(find_f32(level)),
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
    V::Element: Default,
{
    let mut a = Matrix::<V::Element>::new(&sides[0]);
    let mut b = Matrix::new(&sides[1]);
    let mut out = Matrix::new(&sides[2]);
    let Sizes { mut m, k, mut n } = sizes;
    if k > 0 && m > 1 && narrow::is_narrow::<V>(n, b, out) {
        // SAFETY: the caller's matrices, of these sizes.
        return unsafe { narrow::narrow::<V>(sizes, a, b, out) };
    }
    // The chain of an element is the same in the transposed product.
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
            row::<V>(k, n, a, b, out);
        } else {
            blocks::<V, R, C>(Sizes { m, k, n }, a, b, out);
        }
    }
}

/// One row: rows of `b` are added to it as they lie in memory.
#[inline(always)]
unsafe fn row<V: MulAdd>(
    k: usize,
    n: usize,
    a: Matrix<V::Element>,
    b: Matrix<V::Element>,
    out: Matrix<V::Element>,
) where
    V::Element: Default,
{
    for left in (0..n).step_by(ROW_WIDTH) {
        let width = ROW_WIDTH.min(n - left);
        let mut first = 0;
        while first < k {
            // SAFETY: rows below `k`, columns below `n`.
            unsafe {
                let (a, b, to) = (a.from(0, first), b.from(first, left), out.element(0, left));
                let fresh = first == 0;
                if k - first >= 4 {
                    add_rows::<V, 4>(width, a, b, to, fresh);
                    first += 4;
                } else {
                    add_rows::<V, 1>(width, a, b, to, fresh);
                    first += 1;
                }
            }
        }
    }
}

/// Adds `N` rows of `b`, each times an element of `a`, to `out`, or begins the chains if `fresh`.
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
    let (depth, height, width) = (DEPTH.min(k), HEIGHT.min(m), WIDTH.min(n));
    let (right, left) = (width.next_multiple_of(wide) * depth, height.next_multiple_of(R) * depth);
    let bytes = (right + left) * size_of::<V::Element>();
    // A thread that ends keeps none any more.
    let mut strips = STRIPS.try_with(Cell::take).unwrap_or_default();
    let space = strips.reserve(bytes).cast::<V::Element>();
    // SAFETY: so much was reserved, and numbers may have any bits.
    let (right, left) =
        unsafe { std::slice::from_raw_parts_mut(space, right + left) }.split_at_mut(right);
    for column in (0..n).step_by(WIDTH) {
        let columns = WIDTH.min(n - column);
        for first in (0..k).step_by(DEPTH) {
            let depth = DEPTH.min(k - first);
            // SAFETY: blocks inside the caller's matrices; strips have room for them.
            unsafe {
                pack(b.from(first, column).transposed(), columns, depth, wide, right);
                for top in (0..m).step_by(HEIGHT) {
                    let rows = HEIGHT.min(m - top);
                    pack(a.from(top, first), rows, depth, R, left);
                    let out = out.from(top, column);
                    for j in (0..columns).step_by(wide) {
                        let b = right.as_ptr().add(j * depth);
                        for i in (0..rows).step_by(R) {
                            let a = left.as_ptr().add(i * depth);
                            let inside = (rows - i).min(R) * (columns - j).min(wide);
                            let to = out.from(i, j);
                            if inside == R * wide && out.column == 1 {
                                tile::<V, R, C>(depth, a, b, to.at, to.row, first == 0);
                            } else {
                                let part = [(rows - i).min(R), (columns - j).min(wide)];
                                partial::<V, R, C>(depth, a, b, to, part, first == 0);
                            }
                        }
                    }
                }
            }
        }
    }
    let _ = STRIPS.try_with(|kept| kept.set(strips));
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
    for (strip, to) in (0..count).step_by(high).zip(to.chunks_exact_mut(high * depth)) {
        let rows = high.min(count - strip);
        let from = from.from(strip, 0);
        // SAFETY: elements of the caller's matrix.
        unsafe {
            if from.row == 1 && rows == high {
                for (k, column) in to.chunks_exact_mut(high).enumerate() {
                    std::ptr::copy_nonoverlapping(from.element(0, k), column.as_mut_ptr(), high);
                }
                continue;
            }
            for (k, column) in to.chunks_exact_mut(high).enumerate() {
                let (inside, outside) = column.split_at_mut(rows);
                for (i, value) in inside.iter_mut().enumerate() {
                    *value = from.element(i, k).read();
                }
                outside.fill(T::default());
            }
        }
    }
}

/// A tile that reaches over the edge of the output, or whose rows have gaps.
#[inline(always)]
unsafe fn partial<V: MulAdd, const R: usize, const C: usize>(
    depth: usize,
    a: *const V::Element,
    b: *const V::Element,
    out: Matrix<V::Element>,
    [rows, columns]: [usize; 2],
    fresh: bool,
) where
    V::Element: Default,
{
    let wide = C * V::LANES;
    // R * C vectors of at most 16 elements.
    let mut space = [V::Element::default(); 24 * 16];
    debug_assert!(R * wide <= space.len());
    // SAFETY: elements inside the output; the space has a tile.
    unsafe {
        if !fresh {
            for (i, row) in space.chunks_exact_mut(wide).take(rows).enumerate() {
                for (j, value) in row.iter_mut().take(columns).enumerate() {
                    *value = out.element(i, j).read();
                }
            }
        }
        tile::<V, R, C>(depth, a, b, space.as_mut_ptr(), wide as isize, fresh);
        for (i, row) in space.chunks_exact(wide).take(rows).enumerate() {
            for (j, value) in row.iter().take(columns).enumerate() {
                out.element(i, j).write(*value);
            }
        }
    }
}

/// `out += a . b` of a tile in registers, which begins the chains if `fresh`.
#[inline(always)]
unsafe fn tile<V: MulAdd, const R: usize, const C: usize>(
    depth: usize,
    mut a: *const V::Element,
    mut b: *const V::Element,
    out: *mut V::Element,
    row: isize,
    fresh: bool,
) where
    V::Element: Default,
{
    let zero = V::Element::default();
    // SAFETY: strips have `depth` columns of a tile's height or width, the output is a tile.
    unsafe {
        let at = |r: usize, c: usize| out.offset(r as isize * row).add(c * V::LANES);
        let mut sums: [[V; C]; R] = if fresh {
            [[V::splat(&zero).neg(); C]; R]
        } else {
            array_of!(R, |r| array_of!(C, |c| V::load(at(r, c))))
        };
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
        for (r, sums) in sums.iter().enumerate() {
            for (c, sum) in sums.iter().enumerate() {
                sum.store(at(r, c));
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
