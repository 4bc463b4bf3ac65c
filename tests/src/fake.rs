//! CUDA devices over the fake driver.

use crate::gpu::launch;
use darray::{CudaLaunch, Runtime, RuntimeBuilder};
use darray_core::settings::Settings;
use darray_cuda::Nvrtc;
use darray_fakecuda::{FakeCuda, without_nvrtc};
use darray_testkit::{Machine, tiny};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// The fake driver of this process, with NVRTC and a folder for kernels.
#[derive(Debug)]
pub struct Fake {
    driver: FakeCuda,
    kernels: PathBuf,
}

/// The fake driver, for as long as this lives: tests of one binary take turns.
#[derive(Debug)]
pub struct Turn {
    fake: &'static Fake,
    _guard: MutexGuard<'static, ()>,
}

/// The GPUs of runtimes with 1 to 4 devices: as many GPUs, or fewer that several devices share.
const GPUS: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 1]];

/// The fake driver, when it is this test's turn; its kernels are kept in `folder`. Without NVRTC the
/// test says that it is skipped, or fails where NVRTC is required.
///
/// # Panics
/// As said, or if the settings are wrong, or if the fake driver was not built.
pub fn fake_or_skip(folder: impl AsRef<Path>) -> Option<Turn> {
    static FAKE: OnceLock<Fake> = OnceLock::new();
    static TURN: Mutex<()> = Mutex::new(());
    let settings = Settings::global().expect("settings");
    if let Err(error) = Nvrtc::load(settings.nvrtc.as_deref()) {
        without_nvrtc(error);
        return None;
    }
    let guard = TURN.lock().unwrap_or_else(|e| e.into_inner());
    let fake = FAKE.get_or_init(|| Fake {
        driver: FakeCuda::load().expect("the fake driver is built"),
        kernels: folder.as_ref().join("kernels"),
    });
    Some(Turn { fake, _guard: guard })
}

impl Turn {
    /// As a machine of campaigns; they end before this does.
    pub fn machine(&self) -> &'static Fake {
        self.fake
    }
}

impl Deref for Turn {
    type Target = Fake;

    fn deref(&self) -> &Fake {
        self.fake
    }
}

impl Deref for Fake {
    type Target = FakeCuda;

    fn deref(&self) -> &FakeCuda {
        &self.driver
    }
}

impl Fake {
    /// Starts the driver anew with these settings.
    ///
    /// # Panics
    /// If it does not know them.
    pub fn start(&self, settings: &str) {
        self.driver.configure(settings).expect("settings of the fake driver");
    }

    /// The choice of devices on these GPUs.
    pub fn devices(&self, builder: RuntimeBuilder, gpus: &[usize]) -> RuntimeBuilder {
        let builder = builder.cuda(gpus).cuda_driver(self.driver.path());
        let builder = builder.kernel_cache(&self.kernels);
        match &Settings::global().expect("settings").nvrtc {
            Some(folder) => builder.nvrtc(folder),
            None => builder,
        }
    }

    /// A runtime on these GPUs, over a driver with these settings, that launches every kernel by itself.
    ///
    /// # Panics
    /// If there can be none.
    pub fn runtime(&self, settings: &str, gpus: &[usize], window: usize) -> Runtime {
        self.start(settings);
        let builder = self.devices(Runtime::builder(), gpus).window(window).testing(tiny());
        let builder = builder.cuda_launch(CudaLaunch::Streams);
        builder.build().expect("a runtime")
    }
}

/// Settings of the driver by seed: the order of work, whether it looks for races, whether GPUs reach
/// each other's memory.
fn settings(seed: u64) -> String {
    let schedule = match seed % 8 {
        7 => "eager".to_string(),
        _ => format!("random:{seed}"),
    };
    let races = if seed % 4 == 1 { "on" } else { "off" };
    let peers = if seed % 5 == 2 { "off" } else { "on" };
    format!("devices=4 sched={schedule} races={races} peers={peers}")
}

impl Machine for Fake {
    fn choose(&self, builder: RuntimeBuilder, devices: usize, seed: u64) -> RuntimeBuilder {
        self.start(&settings(seed));
        let gpus = GPUS[(seed / 3) as usize % GPUS.len()];
        // By another digit than the order of work and what the driver looks for.
        self.devices(builder, &gpus[..devices]).cuda_launch(launch(seed / 8))
    }

    fn look_behind(&self) -> Result<(), String> {
        match self.driver.error() {
            error if error.is_empty() => self.returned(),
            error => Err(error),
        }
    }
}
