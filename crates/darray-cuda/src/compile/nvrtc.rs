//! The NVRTC library.
//!
//! cudarc's loader takes the first NVRTC of the system's path before any other; the folder of a
//! setting must win, so the few functions are bound here.

use crate::CudaError;
use crate::driver::Driver;
use crate::library::{Opened, Wanted};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::path::Path;

const WANTED: Wanted = Wanted {
    name: "NVRTC",
    advice: "install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc` and name the folder that holds \
             libnvrtc.so by the setting DARRAY_NVRTC",
    file: "libnvrtc.so",
    versions: &[13, 12],
    before: &["libnvrtc-builtins.so"],
};

/// A program of NVRTC.
type Program = *mut c_void;

/// NVRTC's functions, which may be called from any thread.
pub struct Nvrtc {
    version: (u32, u32),
    /// Capabilities that it compiles for, ascending.
    capabilities: Vec<u32>,
    file: String,
    functions: Functions,
}

/// Addresses inside a library that is never unloaded.
struct Functions {
    error_string: unsafe extern "C" fn(c_int) -> *const c_char,
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int,
    count_architectures: unsafe extern "C" fn(*mut c_int) -> c_int,
    architectures: unsafe extern "C" fn(*mut c_int) -> c_int,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    log: Buffer,
    ptx: Buffer,
    cubin: Buffer,
}

/// Two functions that give bytes of a program: how many, and which.
struct Buffer {
    calls: [&'static str; 2],
    size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    bytes: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
}

impl Nvrtc {
    /// Loads the library from a folder; with none, from where the system's loader or the CUDA
    /// toolkit has it, the newest that there is.
    ///
    /// # Errors
    /// It is absent, incomplete, or fails.
    pub fn load(folder: Option<&Path>) -> Result<Nvrtc, CudaError> {
        Nvrtc::new(WANTED.open(folder, None)?)
    }

    /// As [`load`](Self::load), but where there are several, that of the driver's major version: a driver may refuse
    /// the code of newer ones.
    ///
    /// # Errors
    /// The library is absent, incomplete, or fails, or the driver does.
    pub fn load_for(driver: Driver, folder: Option<&Path>) -> Result<Nvrtc, CudaError> {
        Nvrtc::new(WANTED.open(folder, Some(driver.version()?.0))?)
    }

    fn new(library: Opened) -> Result<Nvrtc, CudaError> {
        let functions = Functions::find(&library)?;
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: the library stores two numbers.
        functions.check("nvrtcVersion", unsafe { (functions.version)(&mut major, &mut minor) })?;
        // SAFETY: the library stores one number.
        functions.check("nvrtcGetNumSupportedArchs", unsafe {
            (functions.count_architectures)(&mut count)
        })?;
        let mut capabilities = vec![0; count.max(0) as usize];
        // SAFETY: the library stores as many numbers as it said.
        functions.check("nvrtcGetSupportedArchs", unsafe {
            (functions.architectures)(capabilities.as_mut_ptr())
        })?;
        let capabilities = capabilities.into_iter().map(|c| c as u32).collect();
        Ok(Nvrtc {
            version: (major as u32, minor as u32),
            capabilities,
            file: library.file,
            functions,
        })
    }

    /// Major and minor version.
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Compute capabilities that it compiles for, ascending: 90 for sm_90.
    pub fn capabilities(&self) -> &[u32] {
        &self.capabilities
    }

    /// The file that was loaded, or the name by which the loader found it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Compiles one text to a cubin or to PTX.
    pub(super) fn compile(
        &self,
        source: &str,
        options: &[String],
        cubin: bool,
    ) -> Result<Vec<u8>, CudaError> {
        let text = |s: &str| CString::new(s).map_err(|e| CudaError::Unsupported(e.to_string()));
        let source = text(source)?;
        let options = options.iter().map(|o| text(o)).collect::<Result<Vec<CString>, _>>()?;
        let options: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        let functions = &self.functions;
        let mut program = std::ptr::null_mut();
        // SAFETY: the text lives for the call; the library stores one handle.
        functions.check("nvrtcCreateProgram", unsafe {
            let nothing = std::ptr::null();
            let none = std::ptr::null();
            (functions.create)(&mut program, source.as_ptr(), nothing, 0, none, none)
        })?;
        let mut program = Created { program, functions };
        // SAFETY: the program lives, the options are as many texts.
        let result = unsafe {
            (functions.compile)(program.program, options.len() as c_int, options.as_ptr())
        };
        if let Err(error) = functions.check("nvrtcCompileProgram", result) {
            let log = program.read(&functions.log).unwrap_or_default();
            let log = String::from_utf8_lossy(&log).trim_end_matches('\0').trim().to_string();
            // Without a log it was not the text.
            return Err(if log.is_empty() { error } else { CudaError::Source { log } });
        }
        program.read(if cubin { &functions.cubin } else { &functions.ptx })
    }
}

/// A program until it is dropped.
struct Created<'f> {
    program: Program,
    functions: &'f Functions,
}

impl Created<'_> {
    fn read(&mut self, buffer: &Buffer) -> Result<Vec<u8>, CudaError> {
        let mut size = 0;
        // SAFETY: the program lives; the library stores one number.
        let result = unsafe { (buffer.size)(self.program, &mut size) };
        self.functions.check(buffer.calls[0], result)?;
        let mut bytes = vec![0u8; size];
        // SAFETY: the library stores as many bytes as it said.
        let result = unsafe { (buffer.bytes)(self.program, bytes.as_mut_ptr().cast()) };
        self.functions.check(buffer.calls[1], result)?;
        Ok(bytes)
    }
}

impl Drop for Created<'_> {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        unsafe { (self.functions.destroy)(&mut self.program) };
    }
}

impl Functions {
    fn find(library: &Opened) -> Result<Functions, CudaError> {
        let names = [
            "nvrtcGetErrorString",
            "nvrtcVersion",
            "nvrtcGetNumSupportedArchs",
            "nvrtcGetSupportedArchs",
            "nvrtcCreateProgram",
            "nvrtcDestroyProgram",
            "nvrtcCompileProgram",
            "nvrtcGetProgramLogSize",
            "nvrtcGetProgramLog",
            "nvrtcGetPTXSize",
            "nvrtcGetPTX",
            "nvrtcGetCUBINSize",
            "nvrtcGetCUBIN",
        ];
        library.require(&names)?;
        // SAFETY: the types are those of nvrtc.h; the library is never unloaded.
        unsafe {
            Ok(Functions {
                error_string: library.function(names[0]),
                version: library.function(names[1]),
                count_architectures: library.function(names[2]),
                architectures: library.function(names[3]),
                create: library.function(names[4]),
                destroy: library.function(names[5]),
                compile: library.function(names[6]),
                log: Buffer::find(library, [names[7], names[8]]),
                ptx: Buffer::find(library, [names[9], names[10]]),
                cubin: Buffer::find(library, [names[11], names[12]]),
            })
        }
    }

    fn check(&self, call: &'static str, code: c_int) -> Result<(), CudaError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the library gives a constant text for every number.
        let text = unsafe { CStr::from_ptr((self.error_string)(code)) };
        let name = text.to_string_lossy().into_owned();
        Err(CudaError::Call { call, code, text: format!("{} failed", WANTED.name), name })
    }
}

impl Buffer {
    /// # Safety
    /// The names are of functions that give a size and bytes.
    unsafe fn find(library: &Opened, calls: [&'static str; 2]) -> Buffer {
        // SAFETY: the caller's contract.
        unsafe {
            let (size, bytes) = (library.function(calls[0]), library.function(calls[1]));
            Buffer { calls, size, bytes }
        }
    }
}

impl fmt::Debug for Nvrtc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NVRTC {}.{} ({})", self.version.0, self.version.1, self.file)
    }
}
