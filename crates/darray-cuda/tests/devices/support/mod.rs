//! What tests of CUDA need of the machine.

pub mod twins;

use darray_core::RealType;
use darray_core::settings::{CudaLaunch, Settings};
use darray_cuda::{CudaDevices, CudaOptions, CudaTesting, Driver, Nvrtc};
use darray_device::{Block, Command, Device, Event, Queue, Rect};
use darray_fakecuda::{FakeCuda, skipped, without_nvrtc};
use smallvec::SmallVec;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

/// NVRTC where it is. Else the test says that it is skipped, or fails where NVRTC is required.
pub fn nvrtc_or_skip() -> Option<Nvrtc> {
    let settings = Settings::global().expect("settings");
    match Nvrtc::load(settings.nvrtc.as_deref()) {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) => {
            without_nvrtc(error);
            None
        }
    }
}

/// A driver for one test: the fake one, or the real one that the settings name. Tests of a binary
/// take turns.
pub struct Machine {
    pub fake: Option<FakeCuda>,
    _turn: MutexGuard<'static, ()>,
}

/// The fake driver started with these settings. Without NVRTC the test says that it is skipped.
pub fn machine_or_skip(settings: &str) -> Option<Machine> {
    static TURN: Mutex<()> = Mutex::new(());
    nvrtc_or_skip()?;
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    let real = Settings::global().expect("settings").cuda_driver.is_some();
    let fake = (!real).then(|| {
        let fake = FakeCuda::load().expect("the fake driver is built");
        fake.configure(settings).expect("settings of the fake driver");
        fake
    });
    Some(Machine { fake, _turn })
}

impl Machine {
    /// The fake driver, for what only it can be asked; where GPUs are real the test says that it is skipped.
    pub fn fake_or_skip(&self) -> Option<&FakeCuda> {
        if self.fake.is_none() {
            skipped("only the fake driver can be asked");
        }
        self.fake.as_ref()
    }

    /// Options for devices on these GPUs.
    pub fn options(&self, gpus: &[usize]) -> CudaOptions {
        let settings = Settings::global().expect("settings");
        let fake = self.fake.as_ref().map(|fake| fake.path().to_path_buf());
        CudaOptions {
            gpus: self.at_hand(gpus),
            driver: settings.cuda_driver.clone().or(fake),
            nvrtc: settings.nvrtc.clone(),
            launch: CudaLaunch::Streams,
            memory_limit: Some(64 << 20),
            kernel_cache: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels")),
            ..CudaOptions::default()
        }
    }

    /// These GPUs, each replaced by one that there is where the real driver has fewer, which is said.
    pub fn at_hand(&self, gpus: &[usize]) -> Vec<usize> {
        let count = match &self.fake {
            Some(_) => return gpus.to_vec(),
            None => self.driver().device_count().expect("a count"),
        };
        if gpus.iter().any(|&gpu| gpu >= count) {
            let _ =
                writeln!(std::io::stderr(), "{gpus:?} share the {count} GPU(s) of this machine");
        }
        gpus.iter().map(|gpu| gpu % count.max(1)).collect()
    }

    fn driver(&self) -> Driver {
        let settings = Settings::global().expect("settings");
        Driver::load(settings.cuda_driver.as_deref()).expect("a driver")
    }

    /// Devices on these GPUs.
    pub fn devices(&self, gpus: &[usize]) -> Vec<Arc<dyn Device>> {
        CudaDevices::new(self.options(gpus)).expect("devices")
    }

    /// That everything was given back to the driver; the devices are gone.
    pub fn check_returned(&self) {
        let Some(fake) = &self.fake else { return };
        assert_eq!(fake.returned(), Ok(()));
    }
}

/// Schedules of the fake driver.
pub fn schedules(seeds: std::ops::Range<u64>) -> impl Iterator<Item = String> {
    let random = seeds.map(|seed| format!("devices=2 sched=random:{seed}"));
    std::iter::once("devices=2 sched=eager".to_string()).chain(random)
}

/// Copies that go through the host, or not.
pub fn through_host(staged: bool) -> CudaTesting {
    CudaTesting { staged, ..CudaTesting::default() }
}

pub const COMPUTE: Queue = Queue(0);
pub const COPY: Queue = Queue(1);

/// A strided rectangle.
pub fn rect(
    block: Block,
    dtype: RealType,
    offset: i64,
    extents: &[usize],
    strides: &[i64],
) -> Rect {
    let (extents, strides) = (SmallVec::from_slice(extents), SmallVec::from_slice(strides));
    Rect { block, dtype, offset, extents, strides }
}

/// A contiguous rectangle of bytes from the front of a block.
pub fn bytes_of(block: Block, count: usize) -> Rect {
    rect(block, RealType::U8, 0, &[count], &[1])
}

/// A block that holds these bytes once the event has happened.
pub fn upload(device: &dyn Device, queue: Queue, bytes: &[u8]) -> (Block, Event) {
    let block = device.allocate(queue, bytes.len() as u64).expect("memory");
    let to = bytes_of(block, bytes.len());
    let command = Command::Upload { from: Arc::new(bytes.to_vec()), to };
    let event = device.submit(queue, &[], &[command]).expect("an upload");
    (block, event)
}

/// The bytes of a rectangle after these events.
pub fn download(device: &dyn Device, queue: Queue, after: &[Event], from: Rect) -> Vec<u8> {
    let count = from.extents.iter().product::<usize>() * from.dtype.size();
    let to: Arc<Mutex<Vec<u8>>> = Arc::new(Mutex::new(vec![0; count]));
    let command = Command::Download { from, to: to.clone(), at: 0 };
    let event = device.submit(queue, after, &[command]).expect("a download");
    device.wait(event).expect("the bytes");
    to.lock().expect("no panic").clone()
}
