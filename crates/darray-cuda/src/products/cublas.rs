//! cuBLAS.

use super::{Matrix, Product, Products};
use crate::CudaError;
use crate::driver::{Driver, Stream};
use crate::library::{Opened, Wanted};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

const WANTED: Wanted = Wanted {
    name: "cuBLAS",
    advice: "install the CUDA toolkit, or `pip install nvidia-cublas` and name the folder that holds \
             libcublas.so by the setting DARRAY_CUBLAS",
    file: "libcublas.so",
    versions: &[13, 12],
    before: &["libcublasLt.so"],
};

const FUNCTIONS: [&str; 6] = [
    "cublasCreate_v2",
    "cublasDestroy_v2",
    "cublasGetStatusName",
    "cublasSetStream_v2",
    "cublasDgemmStridedBatched",
    "cublasSgemmStridedBatched",
];

/// A handle of the library.
type Handle = *mut c_void;

/// How an operand is read: as it lies, or transposed.
const PLAIN: c_int = 0;
const TRANSPOSED: c_int = 1;

/// The library with a handle for one GPU.
pub struct Cublas {
    /// One caller at a time: a call needs the stream that was set before it.
    handle: Mutex<Owned>,
    functions: Functions,
}

/// A handle until it is dropped.
struct Owned {
    handle: Handle,
    destroy: unsafe extern "C" fn(Handle) -> c_int,
}

// SAFETY: a handle may be used by any thread, one at a time.
unsafe impl Send for Owned {}

#[derive(Clone, Copy)]
struct Functions {
    status_name: unsafe extern "C" fn(c_int) -> *const c_char,
    set_stream: unsafe extern "C" fn(Handle, *mut c_void) -> c_int,
    gemm64: Gemm<f64>,
    gemm32: Gemm<f32>,
}

/// `cublas?gemmStridedBatched`.
type Gemm<T> = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const T,
    *const T,
    c_int,
    i64,
    *const T,
    c_int,
    i64,
    *const T,
    *mut T,
    c_int,
    i64,
    c_int,
) -> c_int;

impl Cublas {
    /// Loads the library from a folder, or from where the system's loader or the CUDA toolkit has it, of the driver's
    /// major version if it can be; with a handle for the GPU of the thread's context.
    ///
    /// # Errors
    /// It is absent, incomplete, or fails.
    pub(crate) fn load(driver: Driver, folder: Option<&Path>) -> Result<Cublas, CudaError> {
        let library = WANTED.open(folder, Some(driver.version()?.0))?;
        library.require(&FUNCTIONS)?;
        // SAFETY: the types are those of cublas_v2.h.
        let functions = unsafe { Functions::find(&library) };
        let mut handle = std::ptr::null_mut();
        // SAFETY: as above; the library stores one handle.
        let (result, destroy) = unsafe {
            let create: unsafe extern "C" fn(*mut Handle) -> c_int =
                library.function("cublasCreate_v2");
            (create(&mut handle), library.function("cublasDestroy_v2"))
        };
        functions.check("cublasCreate_v2", result)?;
        Ok(Cublas { handle: Mutex::new(Owned { handle, destroy }), functions })
    }

    /// The file of the library for a driver of this major version, or the name by which the loader found it; no GPU
    /// is needed, and no driver.
    ///
    /// # Errors
    /// It is absent or incomplete.
    pub fn find(folder: Option<&Path>, driver: Option<u32>) -> Result<String, CudaError> {
        let library = WANTED.open(folder, driver)?;
        library.require(&FUNCTIONS)?;
        Ok(library.file)
    }
}

impl Functions {
    /// # Safety
    /// The library is cuBLAS and has the functions.
    unsafe fn find(library: &Opened) -> Functions {
        // SAFETY: the caller's contract; the types are those of cublas_v2.h.
        unsafe {
            Functions {
                status_name: library.function("cublasGetStatusName"),
                set_stream: library.function("cublasSetStream_v2"),
                gemm64: library.function("cublasDgemmStridedBatched"),
                gemm32: library.function("cublasSgemmStridedBatched"),
            }
        }
    }

    fn check(&self, call: &'static str, code: c_int) -> Result<(), CudaError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the library gives a constant text for every number.
        let name = unsafe { CStr::from_ptr((self.status_name)(code)) };
        let name = name.to_string_lossy().into_owned();
        Err(CudaError::Call { call, code, text: "cuBLAS failed".to_string(), name })
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        unsafe { (self.destroy)(self.handle) };
    }
}

impl Products for Cublas {
    unsafe fn multiply(&self, product: &Product, stream: &Stream) -> Result<bool, CudaError> {
        let Some(plan) = Plan::new(product) else { return Ok(false) };
        let owned = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        let (handle, functions) = (owned.handle, &self.functions);
        // SAFETY: the handle lives, and so does the stream.
        let result = unsafe { (functions.set_stream)(handle, stream.handle()) };
        functions.check("cublasSetStream_v2", result)?;
        // SAFETY: the caller's contract; the plan's matrices are those of the product.
        let (call, code) = unsafe {
            match product.double {
                true => {
                    ("cublasDgemmStridedBatched", plan.run(handle, functions.gemm64, [1.0, 0.0]))
                }
                false => {
                    ("cublasSgemmStridedBatched", plan.run(handle, functions.gemm32, [1.0, 0.0]))
                }
            }
        };
        functions.check(call, code)?;
        Ok(true)
    }
}

/// A product in cuBLAS's terms: matrices lie column by column, so what lies row by row is a transposed one,
/// and the product of the transposed is asked for, `outᵀ = bᵀ aᵀ`.
#[derive(Debug, PartialEq)]
struct Plan {
    /// Of `b` and of `a`: whether it lies row by row (plain here) or column by column, and elements from one
    /// row or column to the next.
    b: (c_int, c_int),
    a: (c_int, c_int),
    /// Elements from one row of `out` to the next.
    out: c_int,
    /// n, m, k.
    extents: [c_int; 3],
    count: c_int,
    addresses: [u64; 3],
    next: [i64; 3],
}

impl Plan {
    /// None where strides or extents are none of cuBLAS's.
    fn new(product: &Product) -> Option<Plan> {
        let [m, n, k] = product.extents;
        if k == 0 {
            // Nothing is summed: cuBLAS does not know of -0.0.
            return None;
        }
        let next = [product.b.next, product.a.next, product.out.next];
        if next.iter().any(|&next| next < 0) {
            return None;
        }
        let small = |n: usize| c_int::try_from(n).ok();
        let (a, b) = (layout(&product.a, m, k)?, layout(&product.b, k, n)?);
        let (out, of_out) = match layout(&product.out, m, n)? {
            (PLAIN, apart) => (apart, product.out),
            _ => return None,
        };
        Some(Plan {
            b,
            a,
            out,
            extents: [small(n)?, small(m)?, small(k)?],
            count: small(product.count)?,
            addresses: [product.b.address, product.a.address, of_out.address],
            next,
        })
    }

    /// The code of the call.
    ///
    /// # Safety
    /// The function takes elements of type `T`, of which the addresses are, in memory of the handle's GPU.
    unsafe fn run<T>(&self, handle: Handle, gemm: Gemm<T>, [one, zero]: [T; 2]) -> c_int {
        let [b, a, out] = self.addresses;
        let [n, m, k] = self.extents;
        let (b, a, out) = (b as *const T, a as *const T, out as *mut T);
        let [b_next, a_next, out_next] = self.next;
        // SAFETY: the caller's contract.
        unsafe {
            gemm(
                handle, self.b.0, self.a.0, n, m, k, &one, b, self.b.1, b_next, a, self.a.1,
                a_next, &zero, out, self.out, out_next, self.count,
            )
        }
    }
}

/// Whether a matrix lies row by row ([`PLAIN`], seen from its transposed) or column by column, and how far
/// apart rows or columns are; none where elements have gaps between them.
fn layout(matrix: &Matrix, rows: usize, columns: usize) -> Option<(c_int, c_int)> {
    let apart = |stride: i64, least: usize, alone: bool| {
        let stride = if alone { least as i64 } else { stride };
        let fits = stride >= least.max(1) as i64;
        c_int::try_from(stride.max(1)).ok().filter(|_| fits)
    };
    let by_rows =
        (columns == 1 || matrix.column == 1).then(|| apart(matrix.row, columns, rows == 1));
    let by_columns =
        (rows == 1 || matrix.row == 1).then(|| apart(matrix.column, rows, columns == 1));
    let plain = by_rows.flatten().map(|apart| (PLAIN, apart));
    plain.or(by_columns.flatten().map(|apart| (TRANSPOSED, apart)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(row: i64, column: i64) -> Matrix {
        Matrix { address: 64, row, column, next: 0 }
    }

    #[test]
    fn layouts_are_rows_or_columns() {
        assert_eq!(layout(&matrix(5, 1), 3, 5), Some((PLAIN, 5)));
        assert_eq!(layout(&matrix(8, 1), 3, 5), Some((PLAIN, 8)));
        assert_eq!(layout(&matrix(1, 3), 3, 5), Some((TRANSPOSED, 3)));
        // A column with gaps, a row with gaps.
        assert_eq!(layout(&matrix(7, 9), 3, 1), Some((PLAIN, 7)));
        assert_eq!(layout(&matrix(7, 9), 1, 3), Some((TRANSPOSED, 9)));
        // Gaps, broadcast, backwards.
        assert_eq!(layout(&matrix(10, 2), 3, 5), None);
        assert_eq!(layout(&matrix(0, 1), 3, 5), None);
        assert_eq!(layout(&matrix(5, -1), 3, 5), None);
    }

    #[test]
    fn products_that_cublas_does_not_know_are_refused() {
        let product = |extents: [usize; 3], a: Matrix, b: Matrix, out: Matrix| Product {
            double: true,
            extents,
            count: 1,
            out,
            a,
            b,
        };
        let plan = Plan::new(&product([3, 4, 5], matrix(5, 1), matrix(1, 5), matrix(4, 1)));
        let plan = plan.expect("all of it is known");
        assert_eq!((plan.b, plan.a, plan.out), ((TRANSPOSED, 5), (PLAIN, 5), 4));
        assert_eq!(plan.extents, [4, 3, 5]);
        let nothing = product([3, 4, 0], matrix(1, 1), matrix(4, 1), matrix(4, 1));
        assert_eq!(Plan::new(&nothing), None);
        let columns = product([3, 4, 5], matrix(5, 1), matrix(4, 1), matrix(1, 3));
        assert_eq!(Plan::new(&columns), None);
        let mut backwards = product([3, 4, 5], matrix(5, 1), matrix(4, 1), matrix(4, 1));
        (backwards.count, backwards.a.next) = (2, -15);
        assert_eq!(Plan::new(&backwards), None);
        let huge = product([3, 1 << 40, 5], matrix(5, 1), matrix(1 << 40, 1), matrix(1 << 40, 1));
        assert_eq!(Plan::new(&huge), None);
    }
}
