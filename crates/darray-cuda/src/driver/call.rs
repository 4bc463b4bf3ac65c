//! Results of driver calls.

use crate::CudaError;
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, c_char};

/// The error of a call that did not succeed.
pub(super) fn check(call: &'static str, result: CUresult) -> Result<(), CudaError> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        _ => Err(error(call, result)),
    }
}

/// The error that a result is.
#[cold]
fn error(call: &'static str, result: CUresult) -> CudaError {
    // SAFETY: the driver stores the address of a constant text, or of nothing.
    let read = |get: unsafe fn(CUresult, *mut *const c_char) -> CUresult| unsafe {
        let mut text = std::ptr::null();
        match get(result, &mut text) {
            CUresult::CUDA_SUCCESS if !text.is_null() => {
                CStr::from_ptr(text).to_string_lossy().into_owned()
            }
            _ => "no text".to_string(),
        }
    };
    let (name, text) = (read(sys::cuGetErrorName), read(sys::cuGetErrorString));
    CudaError::Call { call, code: result as i32, name, text }
}
