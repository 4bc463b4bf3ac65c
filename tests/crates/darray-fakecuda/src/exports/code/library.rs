//! Libraries: modules that belong to no context.

use super::module::{name, text};
use crate::driver::code::Code;
use crate::driver::module::{Function, Library};
use crate::driver::programs;
use crate::exports::{call, current, put, release};
use std::collections::HashMap;
use std::ffi::{c_char, c_void};

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLibraryLoadData(
    to: *mut u64,
    image: *const c_void,
    _options: *mut u32,
    _values: *mut *mut c_void,
    _count: u32,
    _library_options: *mut u32,
    _library_values: *mut *mut c_void,
    _library_count: u32,
) -> u32 {
    call("cuLibraryLoadData", |session| {
        if !session.initialized {
            return Err(Code::NOT_INITIALIZED);
        }
        // SAFETY: the interface of the call.
        let text = unsafe { text(image) }?;
        // Here already, so that errors come now; each device that uses it loads it again.
        let program = match programs::program(&text, |_| Ok(0)) {
            Ok(program) => program,
            Err(why) => {
                session.report(format!("library: {why}"));
                return Err(Code::INVALID_PTX);
            }
        };
        let library = session.handle();
        let mut kernels = HashMap::new();
        for name in program.kernels() {
            let kernel = session.handle();
            let name = name.to_string();
            session.functions.insert(kernel, Function::Library { library, name: name.clone() });
            kernels.insert(name, kernel);
        }
        let (text, modules, functions) = (text.into(), HashMap::new(), HashMap::new());
        session.libraries.insert(library, Library { text, modules, kernels, functions });
        // SAFETY: the interface of the call.
        unsafe { put(to, library) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLibraryUnload(handle: u64) -> u32 {
    release("cuLibraryUnload", |session| {
        let library = session.libraries.remove(&handle).ok_or(Code::INVALID_HANDLE)?;
        let mut finished = Ok(());
        for device in library.modules.keys() {
            finished = finished.and(crate::exports::finish_device(session, *device));
        }
        for kernel in library.kernels.values() {
            session.functions.remove(kernel);
        }
        for module in library.modules.values() {
            session.unload(*module)?;
        }
        finished
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLibraryGetKernel(to: *mut u64, library: u64, what: *const c_char) -> u32 {
    call("cuLibraryGetKernel", |session| {
        // SAFETY: the interface of the call.
        let name = unsafe { name(what) }?;
        let library = session.libraries.get(&library).ok_or(Code::INVALID_HANDLE)?;
        let kernel = library.kernels.get(&name).copied().ok_or(Code::NOT_FOUND)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, kernel) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLibraryGetModule(to: *mut u64, library: u64) -> u32 {
    call("cuLibraryGetModule", |session| {
        let device = current(session)?;
        let module = session.library_module(library, device)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, module) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuKernelGetFunction(to: *mut u64, kernel: u64) -> u32 {
    call("cuKernelGetFunction", |session| {
        let device = current(session)?;
        let function = session.kernel_function(kernel, device)?;
        // SAFETY: the interface of the call.
        unsafe { put(to, function) }
    })
}
