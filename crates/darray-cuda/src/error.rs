//! What can go wrong between darray and CUDA.

use darray_device::Fault;
use std::fmt;

/// A failure of a library or of one of its calls.
#[derive(Clone, PartialEq, Eq)]
pub enum CudaError {
    /// A library cannot be loaded.
    Library {
        /// E.g. `the CUDA driver`.
        library: &'static str,
        /// Files and names, in the order in which they were tried.
        tried: Vec<String>,
        /// What to install or to set.
        advice: &'static str,
    },
    /// A library lacks functions that are needed.
    Functions {
        /// E.g. `the CUDA driver`.
        library: &'static str,
        /// The functions.
        missing: Vec<String>,
    },
    /// A call failed.
    Call {
        /// The function, e.g. `cuMemFreeAsync`.
        call: &'static str,
        /// Its result.
        code: i32,
        /// E.g. `CUDA_ERROR_ILLEGAL_ADDRESS`.
        name: String,
        /// The library's explanation.
        text: String,
    },
    /// A text does not compile.
    Source {
        /// What NVRTC says.
        log: String,
    },
    /// The driver loads nothing of what NVRTC makes.
    RefusedCode {
        /// The CUDA version that the driver knows: major, minor.
        driver: (u32, u32),
        /// NVRTC's version, likewise.
        nvrtc: (u32, u32),
        /// NVRTC's file.
        file: String,
        /// How the driver refuses it.
        refusal: String,
    },
    /// What was asked for cannot be done.
    Unsupported(String),
}

/// The driver's code for memory that is used up.
const OUT_OF_MEMORY: i32 = 2;
/// The driver's codes for an image that it cannot load, though it may load another one.
const REFUSED_IMAGES: [i32; 4] = [200, 209, 218, 222];

impl CudaError {
    /// Whether the driver has no memory left.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, CudaError::Call { code: OUT_OF_MEMORY, .. })
    }

    /// Whether the driver cannot load images of this form.
    pub(crate) fn is_refused_image(&self) -> bool {
        matches!(self, CudaError::Call { code, .. } if REFUSED_IMAGES.contains(code))
    }

    /// As the fault of a command.
    pub(crate) fn execution(self) -> Fault {
        match self {
            CudaError::Source { log } => Fault::Compile(log),
            other => Fault::Execution(other.to_string()),
        }
    }
}

impl fmt::Display for CudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CudaError::Library { library, tried, advice } => {
                write!(f, "{library} is not there (tried {}); {advice}", tried.join(", "))
            }
            CudaError::Functions { library, missing } => {
                write!(f, "{library} is too old: it has no {}", missing.join(", "))
            }
            CudaError::Call { call, code, name, text } => {
                write!(f, "{call}: {name} ({code}): {text}")
            }
            CudaError::Source { log } => write!(f, "a kernel does not compile: {log}"),
            CudaError::RefusedCode { driver, nvrtc, file, refusal } => {
                let (known, own) = (Version(*driver), Version(*nvrtc));
                let advice = match nvrtc > driver {
                    true => format!(
                        "install a driver for CUDA {own}, or an NVRTC of version {known} at most, and name its \
                         folder by the setting DARRAY_NVRTC"
                    ),
                    false => "NVRTC is not too new for it: name the folder of another one by the setting \
                              DARRAY_NVRTC, or install the driver again"
                        .to_string(),
                };
                write!(
                    f,
                    "the CUDA driver, for CUDA {known}, refuses the code of NVRTC {own} ({file}): {refusal}; {advice}"
                )
            }
            CudaError::Unsupported(what) => f.write_str(what),
        }
    }
}

impl fmt::Debug for CudaError {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for CudaError {}

/// Major and minor version.
struct Version((u32, u32));

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0.0, self.0.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_says_what_was_tried_and_what_to_do() {
        let error = CudaError::Library {
            library: "the CUDA driver",
            tried: vec!["libcuda.so".to_string(), "libcuda.so.1".to_string()],
            advice: "install a driver",
        };
        let text =
            "the CUDA driver is not there (tried libcuda.so, libcuda.so.1); install a driver";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn refused_code_names_both_versions_and_what_to_do() {
        let error = |nvrtc| CudaError::RefusedCode {
            driver: (12, 4),
            nvrtc,
            file: "libnvrtc.so".to_string(),
            refusal: "no".to_string(),
        };
        assert_eq!(
            error((13, 0)).to_string(),
            "the CUDA driver, for CUDA 12.4, refuses the code of NVRTC 13.0 (libnvrtc.so): no; \
             install a driver for CUDA 13.0, or an NVRTC of version 12.4 at most, and name its folder by the \
             setting DARRAY_NVRTC"
        );
        let older = error((12, 2)).to_string();
        assert!(older.contains("not too new") && !older.contains("install a driver"), "{older}");
    }

    #[test]
    fn a_failed_call_says_which_and_why() {
        let error = CudaError::Call {
            call: "cuMemAllocFromPoolAsync",
            code: 2,
            name: "CUDA_ERROR_OUT_OF_MEMORY".to_string(),
            text: "out of memory".to_string(),
        };
        let text = "cuMemAllocFromPoolAsync: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory";
        assert_eq!(error.to_string(), text);
        assert!(error.is_out_of_memory() && !error.is_refused_image());
    }
}
