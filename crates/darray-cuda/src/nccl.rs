//! NCCL: found, and not called. What devices exchange goes by copies from memory to memory.

use crate::CudaError;
use crate::library::Wanted;
use std::ffi::c_int;

const WANTED: Wanted = Wanted {
    name: "NCCL",
    advice: "install libnccl2, or `pip install nvidia-nccl-cu13` and let LD_LIBRARY_PATH name its folder; darray \
             does not need it yet",
    file: "libnccl.so",
    versions: &[2],
    before: &[],
};

/// The NCCL library, if it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nccl {
    /// E.g. 22703 for 2.27.3.
    pub version: u32,
    /// The file that was loaded, or the name by which the loader found it.
    pub file: String,
}

impl Nccl {
    /// Loads the library from where the system's loader or the CUDA toolkit has it.
    ///
    /// # Errors
    /// It is absent, incomplete, or fails.
    pub fn find() -> Result<Nccl, CudaError> {
        const CALL: &str = "ncclGetVersion";
        let library = WANTED.open(None, None)?;
        library.require(&[CALL])?;
        let mut version = 0;
        // SAFETY: the type is that of nccl.h; the library stores one number.
        let code = unsafe {
            let get: unsafe extern "C" fn(*mut c_int) -> c_int = library.function(CALL);
            get(&mut version)
        };
        if code != 0 {
            let (name, text) = (format!("ncclResult_t {code}"), "NCCL failed".to_string());
            return Err(CudaError::Call { call: CALL, code, name, text });
        }
        Ok(Nccl { version: version as u32, file: library.file })
    }
}
