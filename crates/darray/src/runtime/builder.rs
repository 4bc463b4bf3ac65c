//! Choices for a new runtime.

mod cpu;
mod cuda;

use crate::Runtime;
#[cfg(feature = "testing")]
use crate::runtime::testing::Testing;
use cuda::Cuda;
use darray_core::settings::{
    CpuJit, CpuLevel, Grouping, MAX_DEVICES, MAX_THREADS, MAX_WINDOW, Mode, Settings,
};
use darray_core::{Error, ErrorKind, Place, Result};
use darray_cpu::{CpuDevices, CpuOptions, Level, Listener};
use darray_device::Device;
use darray_runtime::{RuntimeOptions, WindowSize};
use std::sync::Arc;

/// Points of a grid at most: each is visited at every launch.
const MAX_POINTS: u32 = 1 << 20;

/// Choices for a new runtime; made by [`Runtime::builder`], where what is not chosen is as in a process
/// without settings (the environment has no say), or by [`Runtime::builder_from_env`], where it is as the
/// settings of the environment have it.
///
/// ```
/// use darray::{DArray, Grouping, Mode, Runtime};
/// let rt = Runtime::builder()
///     .cpu_devices(4)
///     .grid(&[2, 2])
///     .threads(1)
///     .mode(Mode::Task)
///     .window(16)
///     .build()
///     .unwrap();
/// assert_eq!(rt.scope(|| DArray::<f64>::ones((8, 8)).sum(..).item()), 64.0);
/// ```
#[must_use = "a builder does nothing until `build`"]
pub struct RuntimeBuilder {
    cpu_devices: usize,
    cuda: Cuda,
    devices: Option<Vec<Arc<dyn Device>>>,
    threads: Option<usize>,
    memory_limit: Option<u64>,
    cpu_level: Option<CpuLevel>,
    cpu_jit: CpuJit,
    listener: Option<Listener>,
    sync: bool,
    #[cfg(feature = "testing")]
    testing: Testing,
    options: RuntimeOptions,
}

impl RuntimeBuilder {
    pub(super) fn new() -> RuntimeBuilder {
        RuntimeBuilder::from_settings(&Settings::default())
    }

    pub(super) fn from_env(place: Place) -> Result<RuntimeBuilder> {
        let settings = Settings::global().map_err(|error| {
            let kind = ErrorKind::Runtime { message: error.to_string() };
            Error::new("runtime", kind, place)
        })?;
        Ok(RuntimeBuilder::from_settings(settings))
    }

    fn from_settings(settings: &Settings) -> RuntimeBuilder {
        let window = settings.window.map_or(WindowSize::Adaptive, WindowSize::Fixed);
        RuntimeBuilder {
            cpu_devices: settings.cpu_devices,
            cuda: Cuda::from_settings(settings),
            devices: None,
            threads: settings.threads,
            memory_limit: settings.memory_limit,
            cpu_level: settings.cpu_level,
            cpu_jit: settings.cpu_jit,
            listener: None,
            sync: settings.sync,
            #[cfg(feature = "testing")]
            testing: Testing::default(),
            options: RuntimeOptions {
                mode: settings.mode,
                grouping: settings.grouping,
                window,
                ..RuntimeOptions::default()
            },
        }
    }

    /// The number of logical CPU devices, each with a memory of its own; 1 by default.
    ///
    /// ```
    /// use darray::Runtime;
    /// let rt = Runtime::builder().cpu_devices(4).build().unwrap();
    /// # drop(rt);
    /// ```
    pub fn cpu_devices(mut self, count: usize) -> Self {
        self.cpu_devices = count;
        self
    }

    /// Points of a launch domain along each leading axis, so how arrays are tiled; their product
    /// is often the number of devices. By default one point a device along axis 0.
    ///
    /// ```
    /// use darray::Runtime;
    /// let rt = Runtime::builder().cpu_devices(4).grid(&[2, 2]).build().unwrap();
    /// # drop(rt);
    /// ```
    pub fn grid(mut self, points: &[u32]) -> Self {
        self.options.grid = points.to_vec();
        self
    }

    /// Worker threads of each CPU device; by default the cores, shared out.
    ///
    /// ```
    /// use darray::Runtime;
    /// let rt = Runtime::builder().threads(1).build().unwrap();
    /// # drop(rt);
    /// ```
    pub fn threads(mut self, count: usize) -> Self {
        self.threads = Some(count);
        self
    }

    /// What is fused; everything by default. Results do not depend on it.
    ///
    /// ```
    /// use darray::{Grouping, Mode, Runtime};
    /// let rt = Runtime::builder().mode(Mode::Unfused).build().unwrap();
    /// # drop(rt);
    /// ```
    pub fn mode(mut self, mode: Mode) -> Self {
        self.options.mode = mode;
        self
    }

    /// Which tasks stand together when they are fused: by their dependences, or in program order for comparison. Results do not
    /// depend on it.
    ///
    /// ```
    /// use darray::{Grouping, Runtime};
    /// let rt = Runtime::builder().grouping(Grouping::Prefix).build().unwrap();
    /// # drop(rt);
    /// ```
    pub fn grouping(mut self, grouping: Grouping) -> Self {
        self.options.grouping = grouping;
        self
    }

    /// A fixed number of tasks after which the window is flushed; adaptive by default.
    ///
    /// ```
    /// use darray::Runtime;
    /// let rt = Runtime::builder().window(1).build().unwrap();
    /// # drop(rt);
    /// ```
    pub fn window(mut self, tasks: usize) -> Self {
        self.options.window = WindowSize::Fixed(tasks);
        self
    }

    /// Bytes that each device may use for arrays; what the process may have by default, shared evenly, see the setting
    /// `DARRAY_MEMORY_LIMIT`.
    ///
    /// ```
    /// use darray::Runtime;
    /// let rt = Runtime::builder().memory_limit(1 << 30).build().unwrap();
    /// # drop(rt);
    /// ```
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// The highest instruction set that CPU devices use; the machine's by default. Results do not
    /// depend on it.
    ///
    /// ```
    /// use darray::{CpuLevel, Runtime};
    /// let rt = Runtime::builder().cpu_level(CpuLevel::Baseline).build().unwrap();
    /// # drop(rt);
    /// ```
    pub fn cpu_level(mut self, level: CpuLevel) -> Self {
        self.cpu_level = Some(level);
        self
    }

    /// What CPU devices compile kernels to; by default machine code for the best instruction set of the
    /// machine within the [level](Self::cpu_level). Results do not depend on it. Setting:
    /// `DARRAY_CPU_JIT`.
    ///
    /// ```
    /// use darray::{CpuJit, DArray, Runtime};
    /// let rt = Runtime::builder().cpu_jit(CpuJit::Off).build().unwrap();
    /// assert_eq!(rt.scope(|| (DArray::<f64>::ones(3) * 2.0 + 1.0).to_vec()), [3.0; 3]);
    /// ```
    pub fn cpu_jit(mut self, jit: CpuJit) -> Self {
        self.cpu_jit = jit;
        self
    }

    /// Whether every operation runs and is waited for as it is emitted, for debugging; not by
    /// default.
    ///
    /// ```
    /// use darray::{DArray, Runtime};
    /// let rt = Runtime::builder().synchronous(true).build().unwrap();
    /// rt.scope(|| DArray::<f64>::ones(3));
    /// assert_eq!(rt.stats().flushes, 1);
    /// ```
    pub fn synchronous(mut self, on: bool) -> Self {
        self.sync = on;
        self
    }

    /// Whether `a * b + c` and its like become one fused multiply-add, rounded once, where they meet in
    /// a kernel; not by default. Faster, and more accurate for the most part, but results then depend on
    /// what fuses: on modes and windows. They do not depend on devices.
    ///
    /// ```
    /// use darray::{DArray, Runtime};
    /// let x = 1.0 + f64::EPSILON;
    /// let rt = Runtime::builder().contract(true).build().unwrap();
    /// let a = rt.scope(|| DArray::from_vec(vec![x]));
    /// assert_eq!((&a * &a - x * x).to_vec(), [f64::EPSILON * f64::EPSILON]);
    /// ```
    pub fn contract(mut self, on: bool) -> Self {
        self.options.contract = on;
        self
    }

    /// For tools, such as `explain` of the command line: keeps this many of the last flushed windows with their plans.
    #[doc(hidden)]
    pub fn capture(mut self, windows: usize) -> Self {
        self.options.capture = windows;
        self
    }

    /// For tools, such as `dump` of the command line: is told what kernels become on CPU devices.
    #[doc(hidden)]
    pub fn listener(mut self, listener: Listener) -> Self {
        self.listener = Some(listener);
        self
    }

    /// For tools, such as `dump` of the command line: these devices instead of CPU devices. They are the runtime's alone.
    #[doc(hidden)]
    pub fn devices(mut self, devices: Vec<Arc<dyn Device>>) -> Self {
        self.cpu_devices = devices.len();
        self.devices = Some(devices);
        self
    }

    /// What tests change inside.
    ///
    /// ```
    /// use darray::Runtime;
    /// use darray::testing::Testing;
    /// let rt = Runtime::builder().testing(Testing::default()).build().unwrap();
    /// # drop(rt);
    /// ```
    #[cfg(feature = "testing")]
    pub fn testing(mut self, testing: Testing) -> Self {
        self.testing = testing;
        self
    }

    /// The runtime.
    ///
    /// Errors: no devices, threads, points or window, or more of them than the settings take (64
    /// devices, 1024 threads, 2^20 points, 65536 tasks of a window); machine code for an instruction set that
    /// the machine or the level lacks; GPUs that cannot be used.
    ///
    /// ```
    /// use darray::Runtime;
    /// let error = Runtime::builder().cpu_devices(0).build().unwrap_err();
    /// assert!(error.to_string().starts_with("runtime: 0 devices, at least 1 (at "));
    /// ```
    #[track_caller]
    pub fn build(self) -> Result<Runtime> {
        self.build_at(Place::caller())
    }

    pub(super) fn build_at(self, place: Place) -> Result<Runtime> {
        let window = match self.options.window {
            WindowSize::Fixed(tasks) => tasks,
            WindowSize::Adaptive => 1,
        };
        let points = self.options.grid.iter().min().map_or(1, |n| *n as usize);
        let counts = [
            ("devices", self.cpu_devices.max(self.cuda.count()), MAX_DEVICES),
            ("threads", self.threads.unwrap_or(1), MAX_THREADS),
            ("points along an axis", points, usize::MAX),
            ("tasks of a window", window, MAX_WINDOW),
        ];
        for (what, count, most) in counts {
            let message = match count {
                0 => format!("0 {what}, at least 1"),
                _ if count > most => format!("{count} {what}, at most {most}"),
                _ => continue,
            };
            return Err(Error::new("runtime", ErrorKind::Runtime { message }, place));
        }
        let points = self.options.grid.iter().try_fold(1u32, |all, &n| all.checked_mul(n));
        if points.is_none_or(|points| points > MAX_POINTS) {
            let message = format!("more than {MAX_POINTS} points");
            return Err(Error::new("runtime", ErrorKind::Runtime { message }, place));
        }
        let devices = self
            .make_devices()
            .map_err(|message| Error::new("runtime", ErrorKind::Runtime { message }, place))?;
        let options = self.options;
        #[cfg(feature = "testing")]
        let options = self.testing.runtime(options);
        Ok(Runtime::new(darray_runtime::Runtime::new(devices, options), self.sync))
    }

    fn make_devices(&self) -> std::result::Result<Vec<Arc<dyn Device>>, String> {
        if let Some(devices) = &self.devices {
            return Ok(devices.clone());
        }
        if self.cuda.is_chosen() {
            return self.cuda.devices(self.memory_limit);
        }
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let options = CpuOptions {
            threads: self.threads.unwrap_or((cores / self.cpu_devices).max(1)),
            memory_limit: self.memory_limit,
            level: self.cpu_level.map(cpu::level),
            listener: self.listener.clone(),
            jit: cpu::machine_code(self.cpu_jit, self.cpu_level, Level::detect())?,
            ..CpuOptions::default()
        };
        #[cfg(feature = "testing")]
        let options = self.testing.cpus(options);
        Ok(CpuDevices::new(self.cpu_devices, options))
    }
}
