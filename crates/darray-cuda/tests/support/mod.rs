//! What tests of CUDA need of the machine.

use darray_core::settings::Settings;
use darray_cuda::Nvrtc;

/// NVRTC where it is. Else the test says that it is skipped, or fails if the settings want it.
pub fn nvrtc_or_skip() -> Option<Nvrtc> {
    let settings = Settings::global().expect("settings");
    match Nvrtc::load(settings.nvrtc.as_deref()) {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) if settings.require_nvrtc => panic!("NVRTC is required: {error}"),
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            None
        }
    }
}
