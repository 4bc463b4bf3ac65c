//! Matrix products on row panels.

use super::dot::Dot;
use super::side;
use crate::level::Level;
use crate::memory::Located;
use crate::rectangle::{Side, copy};
use crate::workers::Workers;
use darray_core::DType;
use darray_device::builtin::MatMul;
use darray_device::{Block, Fault};
use smallvec::SmallVec;

/// A checked product `out (m, n) = a (m, k) . b (k, n)`, or a stack of them.
///
/// Which bits come out depends on the sizes alone: floats with more than one column go to `gemm`
/// panel by panel, always from row-major operands; one column is a dot product per row, in lanes,
/// see [`Dot`]; integers and bools are exact.
pub(crate) struct Product {
    dtype: DType,
    stack: SmallVec<[usize; 4]>,
    m: usize,
    k: usize,
    n: usize,
    panel: usize,
    out: Side,
    a: Side,
    b: Side,
}

// SAFETY: products and panels write disjoint rows of the output, which overlaps no input.
unsafe impl Sync for Product {}

impl Product {
    /// Checks sizes and views.
    pub fn new(
        call: &MatMul,
        locate: &impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Product, Fault> {
        let &MatMul { dtype, m, k, n, panel, ref stack, .. } = call;
        if panel == 0 {
            return Err(Fault::Execution("matmul on panels of 0 rows".to_string()));
        }
        let fits = |a: usize, b: usize| a.checked_mul(b).is_some_and(|p| p <= isize::MAX as usize);
        if !fits(m, k) || !fits(k, n) || !fits(m, n) {
            return Err(Fault::Execution(format!("matmul of ({m}, {k}) and ({k}, {n})")));
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
            panel,
            out: side(&call.out, &stacked(m, n), dtype, locate)?,
            a: side(&call.a, &stacked(m, k), dtype, locate)?,
            b: side(&call.b, &stacked(k, n), dtype, locate)?,
        })
    }

    /// Runs all panels of all products.
    pub fn run(self, workers: &Workers, level: Level) -> Result<(), Fault> {
        let products: usize = self.stack.iter().product();
        if self.m == 0 || self.n == 0 || products == 0 {
            return Ok(());
        }
        let work = self.m.saturating_mul(self.k).saturating_mul(self.n);
        let panels = self.m.div_ceil(self.panel);
        let all = workers.threads_for(work.saturating_mul(products));
        // Threads share the products of a long stack, and the panels of each in a short one.
        let (outer, inner) = if products >= all { (all, 1) } else { (1, all.min(panels)) };
        let part = |part: usize| {
            for product in products * part / outer..products * (part + 1) / outer {
                self.one(product, workers, inner, level);
            }
        };
        workers.split(outer, part, || part(0));
        Ok(())
    }

    /// Runs all panels of one product.
    fn one(&self, product: usize, workers: &Workers, threads: usize, level: Level) {
        let (k, n, size) = (self.k, self.n, self.dtype.size());
        let [a, b, out] = [&self.a, &self.b, &self.out].map(|side| self.matrix(side, product));
        let right = Packed::new(&b, [k, n], size);
        let sides = Sides { a, out };
        let panels = self.m.div_ceil(self.panel);
        let part = |part: usize| {
            for panel in panels * part / threads..panels * (part + 1) / threads {
                let first = panel * self.panel;
                let rows = self.panel.min(self.m - first);
                // SAFETY: the panel lies inside the checked views.
                unsafe { self.panel(&sides, first, rows, &right, level) };
            }
        };
        workers.split(threads, part, || part(0));
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

    /// Computes `rows` rows from row `first`.
    unsafe fn panel(&self, sides: &Sides, first: usize, rows: usize, right: &Packed, level: Level) {
        let (k, n, size) = (self.k, self.n, self.dtype.size());
        let at = |side: &Side| Side {
            pointer: side.pointer.wrapping_offset(first as isize * side.strides[0] as isize),
            strides: side.strides.clone(),
        };
        let (a, out) = (at(&sides.a), at(&sides.out));
        let dot = if n == 1 { Dot::find(self.dtype, level) } else { None };
        // SAFETY: the caller's contract; packed operands are row-major with their sizes.
        unsafe {
            if let Some(dot) = dot {
                return dot.rows(&a, right.pointer(), &out, rows, k);
            }
            let left = Packed::new(&a, [rows, k], size);
            let direct = out.strides[1] == size as i64;
            let mut space = vec![0u64; if direct { 0 } else { (rows * n * size).div_ceil(8) }];
            let row_major = Side::row_major(space.as_mut_ptr().cast(), &[rows, n], size);
            let target = if direct { &out } else { &row_major };
            let (l, r) = (&left, right);
            let (x, y) = ((l.pointer(), l.row()), (r.pointer(), r.row()));
            let stride = target.strides[0] as isize / size as isize;
            let z = (target.pointer, stride);
            match self.dtype {
                DType::F64 => float::<f64>(rows, k, n, x, y, z, [0.0, 1.0]),
                DType::F32 => float::<f32>(rows, k, n, x, y, z, [0.0, 1.0]),
                DType::U8 => exact::<u8>(rows, k, n, x, y, z, |sum, a, b| {
                    sum.wrapping_add(a.wrapping_mul(b))
                }),
                DType::I32 => exact::<i32>(rows, k, n, x, y, z, |sum, a, b| {
                    sum.wrapping_add(a.wrapping_mul(b))
                }),
                DType::I64 => exact::<i64>(rows, k, n, x, y, z, |sum, a, b| {
                    sum.wrapping_add(a.wrapping_mul(b))
                }),
                DType::Bool => {
                    exact::<u8>(rows, k, n, x, y, z, |sum, a, b| sum | ((a != 0) & (b != 0)) as u8)
                }
            }
            if !direct {
                copy(&[rows, n], &row_major, &out, size);
            }
        }
    }
}

/// The left matrix and the result of one product.
struct Sides {
    a: Side,
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

unsafe fn float<T: 'static + Copy>(
    m: usize,
    k: usize,
    n: usize,
    a: Rows,
    b: Rows,
    out: Rows,
    [zero, one]: [T; 2],
) {
    // SAFETY: the caller's matrices have these sizes.
    unsafe {
        gemm::gemm::<T>(
            m,
            n,
            k,
            out.0.cast(),
            1,
            out.1,
            false,
            a.0.cast(),
            1,
            a.1,
            b.0.cast(),
            1,
            b.1,
            zero,
            one,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

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
