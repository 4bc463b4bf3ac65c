//! Loading the driver library.

use super::call::check;
use crate::CudaError;
use crate::library::refused;
use cudarc::driver::sys;
use std::ffi::c_void;
use std::path::Path;
use std::sync::Mutex;

const NAME: &str = "the CUDA driver";
const ADVICE: &str = "install NVIDIA's driver (it brings libcuda.so.1), or name the library's file by \
                      the setting DARRAY_CUDA_DRIVER";

/// Every function that this crate calls: a missing one is found here, and not when it is called.
const FUNCTIONS: [&str; 51] = [
    "cuCtxEnablePeerAccess",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuDeviceCanAccessPeer",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuGraphAddKernelNode_v2",
    "cuGraphAddMemcpyNode",
    "cuGraphCreate",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuGraphExecKernelNodeSetParams_v2",
    "cuGraphExecMemcpyNodeSetParams",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAllocFromPoolAsync",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemHostAlloc",
    "cuMemPoolCreate",
    "cuMemPoolDestroy",
    "cuMemPoolGetAttribute",
    "cuMemPoolSetAccess",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyPeerAsync",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// Proof that the driver is loaded, complete and initialised.
#[derive(Clone, Copy, Debug)]
pub struct Driver(());

impl Driver {
    /// Loads the driver: from `file`, else from where the system's loader finds it. The first library
    /// that is loaded stays for the life of the process.
    ///
    /// # Errors
    /// The library is absent, lacks functions, or finds no device.
    pub fn load(file: Option<&Path>) -> Result<Driver, CudaError> {
        static LOADED: Mutex<bool> = Mutex::new(false);
        let mut loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
        if !*loaded {
            open(file)?;
            *loaded = true;
        }
        // SAFETY: the function exists; calling it again does nothing.
        check("cuInit", unsafe { sys::cuInit(0) })?;
        Ok(Driver(()))
    }

    /// Number of devices.
    ///
    /// # Errors
    /// The driver's.
    pub fn device_count(self) -> Result<usize, CudaError> {
        let mut count = 0;
        // SAFETY: the driver stores one number.
        check("cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&mut count) })?;
        Ok(count.max(0) as usize)
    }

    /// The CUDA version that the driver knows: major, minor.
    ///
    /// # Errors
    /// The driver's.
    pub fn version(self) -> Result<(u32, u32), CudaError> {
        let mut version = 0;
        // SAFETY: the driver stores one number.
        check("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) })?;
        Ok((version as u32 / 1000, version as u32 % 1000 / 10))
    }
}

/// Opens the library and looks for its functions, so that no later call finds it incomplete.
fn open(file: Option<&Path>) -> Result<(), CudaError> {
    let mut tried = Vec::new();
    let mut wanted = None;
    if let Some(file) = file {
        // SAFETY: a library that the user names; its initialisers run.
        match unsafe { libloading::Library::new(file) } {
            // It stays open: calls find it again by its own name.
            Ok(library) => wanted = Some(&*Box::leak(Box::new(library))),
            Err(error) => {
                tried.push(refused(file, &error));
                return Err(CudaError::Library { library: NAME, tried, advice: ADVICE });
            }
        }
    }
    // SAFETY: only opens libraries.
    if !unsafe { sys::is_culib_present() } {
        tried.extend(cudarc::get_lib_name_candidates("cuda"));
        return Err(CudaError::Library { library: NAME, tried, advice: ADVICE });
    }
    // SAFETY: the library is present.
    let library = unsafe { sys::culib() };
    // SAFETY: only addresses are compared, nothing is called.
    let address = |library: &libloading::Library, name: &str| unsafe {
        library.get::<*const c_void>(name.as_bytes()).ok().map(|symbol| *symbol)
    };
    if let Some(wanted) = wanted
        && address(wanted, "cuInit") != address(library, "cuInit")
    {
        return Err(CudaError::Unsupported(format!(
            "{}: another CUDA driver on the loader's path comes first",
            file.unwrap_or(Path::new("")).display()
        )));
    }
    complete(|name| address(library, name).is_some())
}

/// That a library has all functions that are called.
fn complete(has: impl Fn(&str) -> bool) -> Result<(), CudaError> {
    let missing: Vec<String> =
        FUNCTIONS.iter().filter(|name| !has(name)).map(|name| name.to_string()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(CudaError::Functions { library: NAME, missing })
}

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, NAME, complete};
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// Names of the driver's functions that the sources below a folder call.
    fn called(folder: &Path, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("the crate's sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                called(&path, names);
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source");
            for after in text.split("sys::cu").skip(1) {
                let name: String =
                    after.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                // This test's own text, and what opens the library.
                if !["", "lib"].contains(&&name[..]) {
                    names.insert(format!("cu{name}"));
                }
            }
        }
    }

    #[test]
    fn every_function_that_is_called_is_looked_for() {
        let mut names = BTreeSet::new();
        called(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut names);
        let wanted: BTreeSet<String> = FUNCTIONS.iter().map(|name| name.to_string()).collect();
        assert_eq!(names, wanted);
    }

    #[test]
    fn an_incomplete_library_is_an_error_that_names_what_it_lacks() {
        assert!(complete(|_| true).is_ok());
        let error = complete(|name| name != "cuGraphLaunch").expect_err("one is missing");
        let expected = format!("{NAME} is too old: it has no cuGraphLaunch");
        assert_eq!(error.to_string(), expected);
    }
}
