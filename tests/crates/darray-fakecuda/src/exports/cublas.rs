//! The calls of cuBLAS that the back end uses, on the streams of this driver. A file by the name of that
//! library that is a link to this one gives them.

use super::{call, current, put, release, stream};
use crate::driver::code::{Answer, Code};
use crate::driver::operation::{Element, Operation, Product};
use crate::driver::schedule::Session;
use std::ffi::{CStr, c_char};
use std::sync::Arc;

/// cuBLAS has codes of its own; the calls share those of the driver, which are numbers too.
#[unsafe(no_mangle)]
unsafe extern "C" fn cublasGetStatusName(code: i32) -> *const c_char {
    let known = Code(code as u32).text().map(|(name, _)| name);
    known.map_or(c"CUBLAS_STATUS_UNKNOWN".as_ptr(), CStr::as_ptr)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cublasCreate_v2(to: *mut u64) -> u32 {
    call("cublasCreate_v2", |session| {
        current(session)?;
        let handle = session.handle();
        session.products.insert(handle, 0);
        // SAFETY: the interface of the call.
        unsafe { put(to, handle) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cublasDestroy_v2(handle: u64) -> u32 {
    release("cublasDestroy_v2", |session| {
        session.products.remove(&handle).map(|_| ()).ok_or(Code::INVALID_HANDLE)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cublasSetStream_v2(handle: u64, queue: u64) -> u32 {
    call("cublasSetStream_v2", |session| {
        let found = stream(session, queue)?;
        *session.products.get_mut(&handle).ok_or(Code::INVALID_HANDLE)? = found;
        Ok(())
    })
}

/// Queues a product that has been checked, on the handle's stream.
///
/// # Safety
/// The factors are null or may be read.
unsafe fn submit<T: Copy + Into<f64>>(
    session: &mut Session,
    handle: u64,
    [alpha, beta]: [*const T; 2],
    product: Product,
) -> Answer {
    // SAFETY: the caller promises it.
    let factors = unsafe { alpha.as_ref().zip(beta.as_ref()) };
    let (alpha, beta) = factors.ok_or(Code::INVALID_VALUE)?;
    if ((*alpha).into(), (*beta).into()) != (1.0, 0.0) {
        // Nobody here asks for more.
        return Err(Code::NOT_SUPPORTED);
    }
    let stream = *session.products.get(&handle).ok_or(Code::INVALID_HANDLE)?;
    session.submit(stream, Operation::Product(Arc::new(product)))
}

/// A size of the interface.
fn size(n: i32) -> Answer<u64> {
    u64::try_from(n).map_err(|_| Code::INVALID_VALUE)
}

/// An operand: columns of `rows` elements, `apart` from each other, transposed or not.
fn operand(
    address: u64,
    transposed: i32,
    apart: i32,
    (rows, columns): (u64, u64),
) -> Answer<[u64; 3]> {
    let apart = size(apart)?;
    let least = match transposed {
        0 => rows,
        1 => columns,
        _ => return Err(Code::INVALID_VALUE),
    };
    if apart < least.max(1) || address == 0 {
        return Err(Code::INVALID_VALUE);
    }
    // Elements from one row to the next, and from one column to the next.
    Ok(if transposed == 0 { [address, 1, apart] } else { [address, apart, 1] })
}

macro_rules! products {
    ($gemm:ident $type:ty, $element:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $gemm(
            handle: u64,
            a_transposed: i32,
            b_transposed: i32,
            m: i32,
            n: i32,
            k: i32,
            alpha: *const $type,
            a: u64,
            a_apart: i32,
            a_next: i64,
            b: u64,
            b_apart: i32,
            b_next: i64,
            beta: *const $type,
            c: u64,
            c_apart: i32,
            c_next: i64,
            count: i32,
        ) -> u32 {
            call(stringify!($gemm), |session| {
                let [rows, columns, depth] = [size(m)?, size(n)?, size(k)?];
                let product = Product {
                    element: $element,
                    extents: [rows, columns, depth],
                    count: size(count)?,
                    out: operand(c, 0, c_apart, (rows, columns))?,
                    a: operand(a, a_transposed, a_apart, (rows, depth))?,
                    b: operand(b, b_transposed, b_apart, (depth, columns))?,
                    next: [c_next, a_next, b_next],
                };
                // SAFETY: the interface of the call.
                unsafe { submit(session, handle, [alpha, beta], product) }
            })
        }
    };
}

products!(cublasDgemmStridedBatched f64, Element::Double);
products!(cublasSgemmStridedBatched f32, Element::Single);
