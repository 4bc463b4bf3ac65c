//! Products of matrices, by the rules of [`MatMul`], or by a library where one is asked for.

use super::{THREADS, count};
use crate::device::work::Run;
use crate::device::work::route::Route;
use crate::error::CudaError;
use crate::products::{Matrix, Product};
use darray_core::{Compute, Kind, RealType};
use darray_device::Fault;
use darray_device::builtin::{MatMul, View};
use darray_kernel::product::{self, BLOCK};
use smallvec::SmallVec;
use std::sync::atomic::Ordering;

const TEXT: &str = include_str!("../../../kernels/matmul.cu");
const ENTRIES: [&str; 1] = ["matmul"];

/// How the output is cut among blocks of threads.
#[derive(Clone, Copy)]
pub(super) struct Tiles {
    /// Rows and columns that a block makes.
    tile: usize,
    /// Rows and columns that a thread makes.
    own: usize,
    /// What a block holds of the summed axis at a time.
    deep: usize,
    /// Blocks, of elements of four bytes, that a multiprocessor is to hold: its registers are shared out among them.
    resident: usize,
}

impl Tiles {
    pub const ALL: [Tiles; 3] = [Tiles::LARGE, Tiles::MIDDLE, Tiles::SMALL];
    const LARGE: Tiles = Tiles { tile: 128, own: 8, deep: 8, resident: 2 };
    const MIDDLE: Tiles = Tiles { tile: 64, own: 4, deep: 16, resident: 3 };
    const SMALL: Tiles = Tiles { tile: 16, own: 1, deep: 64, resident: 3 };

    /// Smaller ones where larger ones would leave much of a device idle.
    fn of(m: usize, n: usize, products: usize) -> Tiles {
        /// As many blocks as a large GPU runs at once.
        const MANY: usize = 128;
        const FEW: usize = 64;
        let [large, middle, _] = Tiles::ALL.map(|tiles| tiles.count(m, n, products));
        // A large one is four of the middle ones.
        if large >= MANY && large <= middle.div_ceil(3) {
            Tiles::LARGE
        } else if middle >= FEW {
            Tiles::MIDDLE
        } else {
            Tiles::SMALL
        }
    }

    /// Whether the units for matrices can make them.
    pub fn has_matrix_steps(self, dtype: RealType) -> bool {
        self.tile == Tiles::LARGE.tile && Compute::of(dtype) == Compute::F64
    }

    /// Blocks that a multiprocessor is to hold.
    fn resident(self, dtype: RealType) -> usize {
        // Elements of eight bytes take twice the registers.
        if dtype.size() == 8 { self.resident.div_ceil(2) } else { self.resident }
    }

    /// Blocks that a multiprocessor holds at most.
    fn at_once(self, dtype: RealType) -> usize {
        /// Of its 2,048 threads; smaller tiles need few registers.
        const MOST: usize = 2048 / THREADS as usize;
        if self.tile == Tiles::LARGE.tile { self.resident(dtype) } else { MOST }
    }

    fn count(self, m: usize, n: usize, products: usize) -> usize {
        m.div_ceil(self.tile).saturating_mul(n.div_ceil(self.tile)).saturating_mul(products)
    }
}

impl Run<'_> {
    pub(super) fn matmul(&mut self, call: &MatMul) -> Result<(), Fault> {
        let &MatMul { dtype, m, k, n, ref stack, .. } = call;
        if dtype.is_narrow() && dtype.is_float() {
            return Err(Fault::Execution(format!("matmul of {dtype}, which is computed in f32")));
        }
        let products = count(stack)?;
        let stacked = |rows: usize, columns: usize| -> SmallVec<[usize; 8]> {
            stack.iter().copied().chain([rows, columns]).collect()
        };
        count(&stacked(m, n))?;
        let out = self.view(&call.out, &stacked(m, n), dtype)?;
        let a = self.view(&call.a, &stacked(m, k), dtype)?;
        let b = self.view(&call.b, &stacked(k, n), dtype)?;
        if m == 0 || n == 0 || products == 0 {
            return Ok(());
        }
        if self.by_library(call, [out, a, b])? {
            return Ok(());
        }
        let views = [&call.out, &call.a, &call.b];
        let mut words: Vec<u64> = stack.iter().map(|&n| n as u64).collect();
        for view in views {
            words.extend(view.strides[..stack.len()].iter().map(|&s| s as u64));
        }
        let tiles = Tiles::of(m, n, products);
        let steps = tiles.has_matrix_steps(dtype) && self.own.physical.chains_matrix_steps();
        let kernels = self.kernels(&text(dtype, tiles, steps), &ENTRIES)?;
        // Sums of blocks of k wait in as much memory as the threads need that run at once, which then go round.
        let levels = if dtype.is_float() { product::levels(k) } else { 0 };
        let items = tiles.count(m, n, products);
        let items = match levels {
            0 => items,
            _ => items.min(tiles.at_once(dtype) * self.own.context().multiprocessors),
        };
        let blocks = self.group.blocks(items) as usize;
        let pending = count(&[blocks, levels, tiles.tile * tiles.tile, dtype.size()])?;
        self.with_table(&words, pending, |run, rows, pending| {
            let mut numbers = vec![out, a, b, m as u64, k as u64, n as u64];
            for view in views {
                numbers.extend(view.strides[stack.len()..].iter().map(|&s| s as u64));
            }
            numbers.extend([products as u64, rows, stack.len() as u64, pending, levels as u64]);
            // SAFETY: the structure of the kernels; the views were checked for their extents, and so many blocks have space.
            unsafe { run.over(&kernels[0], blocks, 1, &numbers) }
        })
    }
}

impl Run<'_> {
    /// Asks the library, if there is one; false where it does not take the product.
    fn by_library(&self, call: &MatMul, [out, a, b]: [u64; 3]) -> Result<bool, Fault> {
        let (Some(library), Route::Stream(stream)) = (&self.own.products, &self.route) else {
            return Ok(false);
        };
        let made = match (call.dtype.kind(), &call.stack[..]) {
            (Kind::Float, [] | [_]) => {
                let depth = call.stack.len();
                let matrix = |view: &View, address| Matrix {
                    address,
                    row: view.strides[depth],
                    column: view.strides[depth + 1],
                    next: if depth == 1 { view.strides[0] } else { 0 },
                };
                let product = Product {
                    double: Compute::of(call.dtype) == Compute::F64,
                    extents: [call.m, call.n, call.k],
                    count: call.stack.first().copied().unwrap_or(1),
                    out: matrix(&call.out, out),
                    a: matrix(&call.a, a),
                    b: matrix(&call.b, b),
                };
                // SAFETY: the views were checked for their extents.
                let made = unsafe { library.multiply(&product, stream) };
                made.map_err(CudaError::execution)?
            }
            _ => false,
        };
        let count = if made { &self.own.library_products } else { &self.own.refused_products };
        count.fetch_add(1, Ordering::Relaxed);
        Ok(made)
    }
}

/// The kernels of an element type; not of f16, whose products are computed in f32. `matrix_steps`: by units for matrices.
pub(super) fn text(dtype: RealType, tiles: Tiles, matrix_steps: bool) -> String {
    let Tiles { tile, own, deep, .. } = tiles;
    let resident = tiles.resident(dtype);
    // Integers and bools have the same sums in any order.
    let block = if dtype.is_float() { BLOCK } else { 0 };
    let (element, begin, step, join) = match (dtype.kind(), dtype.size()) {
        (Kind::Float, 8) => ("double", "-0.0", "__fma_rn(a, b, sum)", "__dadd_rn(a, b)"),
        (Kind::Float, 4) => ("float", "-0.0f", "__fmaf_rn(a, b, sum)", "__fadd_rn(a, b)"),
        (Kind::Bool, _) => ("bool", "false", "sum || (a && b)", "a || b"),
        // Bits of sums and products do not depend on the sign.
        (Kind::Signed | Kind::Unsigned, 1) => ("unsigned char", "0", "sum + a * b", "a + b"),
        // In C the product of two shorts is signed, and may overflow.
        (Kind::Signed | Kind::Unsigned, 2) => {
            ("unsigned short", "0", "sum + (unsigned)a * b", "a + b")
        }
        (Kind::Signed | Kind::Unsigned, 4) => ("unsigned", "0", "sum + a * b", "a + b"),
        (Kind::Signed | Kind::Unsigned, 8) => ("unsigned long long", "0", "sum + a * b", "a + b"),
        _ => unreachable!("refused before"),
    };
    format!(
        "typedef {element} Element;\n#define BEGIN Element({begin})\n#define BLOCK {block}\n\
         #define TILE {tile}\n#define DEEP {deep}\n#define OWN {own}\n\
         #define RESIDENT {resident}\n#define MATRIX_STEPS {}\n\
         __device__ Element step(Element sum, Element a, Element b) {{ return {step}; }}\n\
         __device__ Element join(Element a, Element b) {{ return {join}; }}\n\n{TEXT}",
        u8::from(matrix_steps)
    )
}
