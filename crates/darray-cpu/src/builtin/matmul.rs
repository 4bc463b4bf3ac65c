//! Matrix products.

use super::gemm::{Gemm, Sizes};
use super::side;
#[cfg(test)]
use crate::jit::PathCounter;
use crate::level::Level;
use crate::memory::Located;
use crate::rectangle::{Side, copy};
use crate::workers::Workers;
use darray_core::{Kind, RealType};
use darray_device::builtin::MatMul;
use darray_device::{Block, Fault};
use smallvec::SmallVec;
use std::ops::Range;

/// A checked product `out (m, n) = a (m, k) . b (k, n)`, or a stack of them.
///
/// An element's bits depend on its operands alone: floats are sums of blocks, see [`Gemm`]; integers and bools are
/// exact.
pub(crate) struct Product {
    dtype: RealType,
    stack: SmallVec<[usize; 4]>,
    m: usize,
    k: usize,
    n: usize,
    out: Side,
    a: Side,
    b: Side,
}

// SAFETY: threads write disjoint parts of the output, which overlaps no input.
unsafe impl Sync for Product {}

impl Product {
    /// Checks sizes and views.
    pub fn new(
        call: MatMul,
        locate: &impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Product, Fault> {
        let MatMul { dtype, m, k, n, ref stack, .. } = call;
        let fits = |a: usize, b: usize| a.checked_mul(b).is_some_and(|p| p <= isize::MAX as usize);
        if !fits(m, k) || !fits(k, n) || !fits(m, n) {
            return Err(Fault::Execution(format!("matmul of ({m}, {k}) and ({k}, {n})")));
        }
        if dtype.is_narrow() && dtype.is_float() {
            return Err(Fault::Execution(format!("matmul of {dtype}, which is computed in f32")));
        }
        let stacked = |rows: usize, columns: usize| -> SmallVec<[usize; 8]> {
            stack.iter().copied().chain([rows, columns]).collect()
        };
        Ok(Product {
            dtype,
            stack: stack.clone(),
            m,
            k,
            n,
            out: side(&call.out, &stacked(m, n), dtype, locate)?,
            a: side(&call.a, &stacked(m, k), dtype, locate)?,
            b: side(&call.b, &stacked(k, n), dtype, locate)?,
        })
    }

    /// Runs all products.
    pub fn run(self, workers: &Workers, level: Level) -> Result<(), Fault> {
        let products: usize = self.stack.iter().product();
        if self.m == 0 || self.n == 0 || products == 0 {
            return Ok(());
        }
        let work = self.m.saturating_mul(self.k).saturating_mul(self.n);
        let all = workers.threads_for(work.saturating_mul(products));
        // Threads share the products of a long stack, and the elements of each in a short one.
        let (outer, inner) = if products >= all { (all, 1) } else { (1, all) };
        let part = |part: usize| {
            for product in products * part / outer..products * (part + 1) / outer {
                self.one(product, workers, inner, level);
            }
        };
        workers.split(outer, part);
        Ok(())
    }

    /// Runs one product.
    fn one(&self, product: usize, workers: &Workers, threads: usize, level: Level) {
        let [a, b, out] = [&self.a, &self.b, &self.out].map(|side| self.matrix(side, product));
        let size = self.dtype.size();
        let chains = Gemm::find(self.dtype, level);
        // Loops of integers want whole rows of the right matrix.
        let right = chains.is_none().then(|| Packed::new(&b, [self.k, self.n], size));
        let (sides, right) = (Sides { a, b, out }, right.as_ref());
        let columns = chains.is_some() && self.n > self.m;
        let long = if columns { self.n } else { self.m };
        let threads = threads.min(long.div_ceil(SHARE));
        if let Some(gemm) = chains.filter(|_| self.is_symmetric(&sides.a, &sides.b)) {
            return self.symmetric(gemm, &sides, workers, threads);
        }
        let part = |part: usize| {
            let (sides, range) = (&sides, long * part / threads..long * (part + 1) / threads);
            // SAFETY: parts of the checked views; packed operands are row-major with their sizes.
            unsafe {
                match (chains, right) {
                    (Some(gemm), _) if columns => {
                        let sizes = Sizes { m: self.m, k: self.k, n: range.len() };
                        let b = along(&sides.b, 1, range.start);
                        gemm.run(sizes, sides.a.clone(), b, along(&sides.out, 1, range.start));
                    }
                    (Some(gemm), _) => {
                        let sizes = Sizes { m: range.len(), k: self.k, n: self.n };
                        let a = along(&sides.a, 0, range.start);
                        gemm.run(sizes, a, sides.b.clone(), along(&sides.out, 0, range.start));
                    }
                    (None, Some(right)) => self.rows(sides, range, right),
                    (None, None) => unreachable!("packed above"),
                }
            }
        };
        workers.split(threads, part);
    }

    /// Whether the product is that of a transposed matrix and the matrix itself, and worth cutting into panels.
    fn is_symmetric(&self, a: &Side, b: &Side) -> bool {
        let transposed = a.strides[0] == b.strides[1] && a.strides[1] == b.strides[0];
        a.pointer == b.pointer && transposed && self.m == self.n && self.n > PANEL
    }

    /// Computes a symmetric product: panels of columns as far down as the diagonal. The rest are the same sums of the same
    /// products, so they are copied.
    fn symmetric(&self, gemm: Gemm, sides: &Sides, workers: &Workers, threads: usize) {
        let size = self.dtype.size();
        // Areas between bounds are alike.
        let bound =
            |part: usize| (self.n as f64 * (part as f64 / threads as f64).sqrt()).round() as usize;
        let part = |part: usize| {
            let (sides, last) = (&sides, bound(part + 1));
            for first in (bound(part)..last).step_by(PANEL) {
                let end = last.min(first + PANEL);
                let panel = along(&sides.out, 1, first);
                let above =
                    Side { strides: panel.strides.iter().rev().copied().collect(), ..panel };
                let sizes = Sizes { m: end, k: self.k, n: end - first };
                // SAFETY: parts of the checked views; a panel and its rows left of it are written by no other thread, and
                // what is copied lies above what it is copied to.
                unsafe {
                    let right = along(&sides.b, 1, first);
                    gemm.run(sizes, sides.a.clone(), right, along(&sides.out, 1, first));
                    copy(&[end - first, first], &above, &along(&sides.out, 0, first), size);
                }
                #[cfg(test)]
                PathCounter::SymmetricPanels.add(1);
            }
        };
        workers.split(threads, part);
    }

    /// A matrix of a stack.
    fn matrix(&self, side: &Side, product: usize) -> Side {
        let (mut at, mut rest) = (0, product);
        for (&extent, &stride) in self.stack.iter().zip(&side.strides).rev() {
            at += (rest % extent) as i64 * stride;
            rest /= extent;
        }
        let pointer = side.pointer.wrapping_offset(at as isize);
        Side { pointer, strides: side.strides[self.stack.len()..].into() }
    }

    /// Computes rows, by loops of integers.
    unsafe fn rows(&self, sides: &Sides, range: Range<usize>, right: &Packed) {
        let (k, n, size, rows) = (self.k, self.n, self.dtype.size(), range.len());
        let (a, out) = (along(&sides.a, 0, range.start), along(&sides.out, 0, range.start));
        // SAFETY: the caller's contract; packed operands are row-major with their sizes.
        unsafe {
            let left = Packed::new(&a, [rows, k], size);
            let direct = out.strides[1] == size as i64;
            let mut space = vec![0u64; if direct { 0 } else { (rows * n * size).div_ceil(8) }];
            let row_major = Side::row_major(space.as_mut_ptr().cast(), &[rows, n], size);
            let target = if direct { &out } else { &row_major };
            let (x, y) = ((left.pointer(), left.row()), (right.pointer(), right.row()));
            let z = (target.pointer, target.strides[0] as isize / size as isize);
            // Bits of sums and products do not depend on the sign.
            match (self.dtype.kind(), size) {
                (Kind::Bool, _) => {
                    exact::<u8>(rows, k, n, x, y, z, |sum, a, b| sum | ((a != 0) & (b != 0)) as u8)
                }
                (Kind::Float | Kind::Brain, _) => unreachable!("floats have a Gemm"),
                (_, 1) => exact::<u8>(rows, k, n, x, y, z, |sum, a, b| {
                    sum.wrapping_add(a.wrapping_mul(b))
                }),
                (_, 2) => exact::<u16>(rows, k, n, x, y, z, |sum, a, b| {
                    sum.wrapping_add(a.wrapping_mul(b))
                }),
                (_, 4) => exact::<u32>(rows, k, n, x, y, z, |sum, a, b| {
                    sum.wrapping_add(a.wrapping_mul(b))
                }),
                (_, 8) => exact::<u64>(rows, k, n, x, y, z, |sum, a, b| {
                    sum.wrapping_add(a.wrapping_mul(b))
                }),
                _ => unreachable!("no products of {}", self.dtype),
            }
            if !direct {
                copy(&[rows, n], &row_major, &out, size);
            }
        }
    }
}

/// Rows or columns of a product that a thread is worth: for fewer it goes through as much of the other matrix.
const SHARE: usize = 16;

/// Columns of a symmetric product that are computed together.
const PANEL: usize = 48;

/// A matrix from row (axis 0) or column (axis 1) `first`.
fn along(side: &Side, axis: usize, first: usize) -> Side {
    let at = first as isize * side.strides[axis] as isize;
    Side { pointer: side.pointer.wrapping_offset(at), strides: side.strides.clone() }
}

/// The matrices of one product.
struct Sides {
    a: Side,
    b: Side,
    out: Side,
}

// SAFETY: as for `Product`.
unsafe impl Sync for Sides {}

/// A row-major operand: the original where its rows are contiguous, else a copy.
struct Packed {
    side: Side,
    size: usize,
    _space: Vec<u64>,
}

impl Packed {
    fn new(side: &Side, extents: [usize; 2], size: usize) -> Packed {
        let [rows, columns] = extents;
        let contiguous = side.strides[if columns == 1 { 0 } else { 1 }] == size as i64;
        if contiguous {
            return Packed { side: side.clone(), size, _space: Vec::new() };
        }
        let mut space = vec![0u64; (rows * columns * size).div_ceil(8)];
        let packed = Side::row_major(space.as_mut_ptr().cast(), &extents, size);
        // SAFETY: the side was checked for the extents, the copy has room for them.
        unsafe { copy(&extents, side, &packed, size) };
        Packed { side: packed, size, _space: space }
    }

    fn pointer(&self) -> *mut u8 {
        self.side.pointer
    }

    /// Elements from one row to the next.
    fn row(&self) -> isize {
        self.side.strides[0] as isize / self.size as isize
    }
}

// SAFETY: only read while shared.
unsafe impl Sync for Packed {}

/// A matrix with contiguous rows: address, elements from row to row.
type Rows = (*mut u8, isize);

/// Columns of `b` and of the output that stay in the first cache, and rows of `b` that are used
/// together.
const COLUMNS: usize = 512;
const ROWS: usize = 32;

/// Plain loops in blocks: integers wrap, so every order gives the same.
unsafe fn exact<T: Copy + Default>(
    m: usize,
    k: usize,
    n: usize,
    a: Rows,
    b: Rows,
    out: Rows,
    step: impl Fn(T, T, T) -> T,
) {
    let row =
        |matrix: Rows, row: usize| matrix.0.cast::<T>().wrapping_offset(row as isize * matrix.1);
    // SAFETY: rows of the caller's matrices; the output overlaps no input.
    unsafe {
        for i in 0..m {
            std::slice::from_raw_parts_mut(row(out, i), n).fill(T::default());
        }
        for column in (0..n).step_by(COLUMNS) {
            let columns = COLUMNS.min(n - column);
            for first in (0..k).step_by(ROWS) {
                for i in 0..m {
                    let to = std::slice::from_raw_parts_mut(row(out, i).add(column), columns);
                    let left = std::slice::from_raw_parts(row(a, i), k);
                    for (j, &factor) in left.iter().enumerate().skip(first).take(ROWS) {
                        let right = std::slice::from_raw_parts(row(b, j).add(column), columns);
                        for (sum, &value) in to.iter_mut().zip(right) {
                            *sum = step(*sum, factor, value);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jit::PathCounter;

    #[test]
    fn symmetric_products_are_computed_once() {
        let (k, n) = (37, 100);
        let mut matrix: Vec<f64> = (0..k * n).map(|i| ((i * 7919 % 1000) as f64).sqrt()).collect();
        matrix[3 * n + 5] = f64::INFINITY;
        let mut same = matrix.clone();
        let run = |left: *mut f64, right: *mut f64, threads: usize| {
            let mut out = vec![0f64; n * n];
            let side = |pointer: *mut f64, strides: [i64; 2]| Side {
                pointer: pointer.cast(),
                strides: strides.into_iter().collect(),
            };
            let product = Product {
                dtype: RealType::F64,
                stack: SmallVec::new(),
                m: n,
                k,
                n,
                out: side(out.as_mut_ptr(), [8 * n as i64, 8]),
                a: side(left, [8, 8 * n as i64]),
                b: side(right, [8 * n as i64, 8]),
            };
            let before = PathCounter::SymmetricPanels.count();
            product.one(0, &Workers::new(threads, 0), threads, Level::detect());
            let bits: Vec<u64> = out.iter().map(|x| x.to_bits()).collect();
            (bits, PathCounter::SymmetricPanels.count() - before)
        };
        let (at, other) = (matrix.as_mut_ptr(), same.as_mut_ptr());
        let (expected, none) = run(at, other, 1);
        assert_eq!(none, 0);
        assert_eq!(run(at, at, 1), (expected.clone(), 3));
        for threads in [2, 3] {
            assert!(run(at, at, threads).0 == expected, "{threads}");
        }
    }
}
