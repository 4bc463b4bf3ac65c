//! THE table of settings: every environment variable that darray reads, its type, its default and
//! what it does. Nothing else in the workspace reads the environment.
//!
//! `docs/settings.md` is [`page`], and a test keeps it so.

mod choices;
mod values;

pub use choices::{CpuJit, CpuLevel, CudaLaunch, CudaMath, CudaProducts, Grouping, Mode};

use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;
use values::{bytes, devices, near, path, switch};

/// What the environment says, typed. See [`TABLE`] for each field's meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Number of logical CPU devices.
    pub cpu_devices: usize,
    /// The physical GPU of each logical CUDA device; if there is any, CPU devices are not used.
    pub cuda_devices: Vec<usize>,
    /// Worker threads of each CPU device; `None`: the cores shared out evenly.
    pub threads: Option<usize>,
    /// Tasks after which the window is flushed; `None`: adaptive.
    pub window: Option<usize>,
    /// What is fused.
    pub mode: Mode,
    /// Which tasks stand together when they are fused.
    pub grouping: Grouping,
    /// Bytes that each device may use; `None`: what the process may have.
    pub memory_limit: Option<u64>,
    /// The highest instruction set that CPU devices use; `None`: the machine's.
    pub cpu_level: Option<CpuLevel>,
    /// What CPU devices compile kernels to.
    pub cpu_jit: CpuJit,
    /// Whether every operation is run and waited for as it is emitted.
    pub sync: bool,
    /// How CUDA devices launch plans that repeat.
    pub cuda_launch: CudaLaunch,
    /// Whose elementary functions the kernels of GPUs call.
    pub cuda_math: CudaMath,
    /// Who multiplies matrices of floats on GPUs.
    pub cuda_products: CudaProducts,
    /// The folder of cuBLAS; `None`: where the system's loader finds it.
    pub cublas: Option<PathBuf>,
    /// The file of the CUDA driver; `None`: where the system's loader finds it.
    pub cuda_driver: Option<PathBuf>,
    /// The folder of NVRTC; `None`: where the system's loader finds it.
    pub nvrtc: Option<PathBuf>,
    /// Where compiled kernels are kept; `None`: nowhere.
    pub kernel_cache: Option<PathBuf>,
}

/// Devices of a runtime at most.
pub const MAX_DEVICES: usize = 64;
/// Worker threads of a CPU device at most.
pub const MAX_THREADS: usize = 1024;
/// Tasks of a window at most.
pub const MAX_WINDOW: usize = 65536;

/// One setting.
pub struct Row {
    /// The environment variable.
    pub name: &'static str,
    /// The values that it takes, for people.
    pub accepted: &'static str,
    /// The value that holds when it is unset, for people.
    pub default: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Stores a value; `None` if it is not accepted.
    set: fn(&mut Settings, &str) -> Option<()>,
}

/// Every setting, in order of name.
pub const TABLE: [Row; 16] = [
    Row {
        name: "DARRAY_CUBLAS",
        accepted: "a folder",
        default: "where the system's loader or the CUDA toolkit has libcublas.so",
        doc: "The folder of cuBLAS: of the Python package nvidia-cublas, say. It is looked for only with \
              DARRAY_CUDA_PRODUCTS=cublas.",
        set: |s, text| {
            s.cublas = Some(path(text)?);
            Some(())
        },
    },
    Row {
        name: "DARRAY_CPU_JIT",
        accepted: "auto, off, avx2, avx512",
        default: "auto",
        doc: "The instruction set of the machine code that CPU devices compile kernels to: with auto, the \
              best of the machine within DARRAY_CPU_LEVEL; one that is named and not there is an error. \
              With off, blocks of elements go through loops that are compiled already. Results do not \
              depend on it.",
        set: |s, text| {
            s.cpu_jit = CpuJit::from_name(text)?;
            Some(())
        },
    },
    Row {
        name: "DARRAY_CPU_LEVEL",
        accepted: "baseline, avx2, avx512",
        default: "what the machine has",
        doc: "The highest instruction set that CPU devices use. Results do not depend on it.",
        set: |s, text| {
            s.cpu_level = Some(CpuLevel::from_name(text)?);
            Some(())
        },
    },
    Row {
        name: "DARRAY_CUDA_DRIVER",
        accepted: "a file",
        default: "where the system's loader finds libcuda.so",
        doc: "The CUDA driver's library.",
        set: |s, text| {
            s.cuda_driver = Some(path(text)?);
            Some(())
        },
    },
    Row {
        name: "DARRAY_CUDA_LAUNCH",
        accepted: "auto, streams, graphs",
        default: "auto",
        doc: "How CUDA devices launch plans that repeat: every kernel by itself (streams), or each plan as \
              one CUDA graph. auto: graphs, but streams with DARRAY_CUDA_PRODUCTS=cublas. Graphs were faster \
              where it was measured, see docs/gpu.md. Results do not depend on it.",
        set: |s, text| {
            s.cuda_launch = CudaLaunch::from_name(text)?;
            Some(())
        },
    },
    Row {
        name: "DARRAY_CUDA_MATH",
        accepted: "darray, libdevice",
        default: "darray",
        doc: "Whose elementary functions the kernels of GPUs call: darray's, whose bits are those of CPU \
              devices, or CUDA's, which are faster, within the errors that CUDA's documentation states, \
              and other bits.",
        set: |s, text| {
            s.cuda_math = match text {
                "darray" => CudaMath::Darray,
                "libdevice" => CudaMath::Libdevice,
                _ => return None,
            };
            Some(())
        },
    },
    Row {
        name: "DARRAY_CUDA_PRODUCTS",
        accepted: "darray, cublas",
        default: "darray",
        doc: "Who multiplies matrices of floats on GPUs: darray's kernels, whose bits are those of CPU \
              devices, or cuBLAS, which is faster and sums in an order of its own. Products that cuBLAS does \
              not take are darray's; both are counted.",
        set: |s, text| {
            s.cuda_products = CudaProducts::from_name(text)?;
            Some(())
        },
    },
    Row {
        name: "DARRAY_DEVICES",
        accepted: "cpu, cpu:N with N from 1 to 64, cuda:K and lists of it",
        default: "cpu",
        doc: "The devices of the global runtime. `cpu:4` makes four logical CPU devices with \
              separate memories, `cuda:0,cuda:1` one device on each of two GPUs, `cuda:0,cuda:0` two \
              that share one.",
        set: |s, text| {
            (s.cpu_devices, s.cuda_devices) = devices(text)?;
            Some(())
        },
    },
    Row {
        name: "DARRAY_GROUPING",
        accepted: "graph, prefix",
        default: "graph",
        doc: "Which tasks stand together when they are fused: by their dependences, wherever the program has them, or in \
              program order the longest prefix that fuses, then the next. Results do not depend on it.",
        set: |s, text| {
            s.grouping = Grouping::from_name(text)?;
            Some(())
        },
    },
    Row {
        name: "DARRAY_KERNEL_CACHE",
        accepted: "a folder, none",
        default: "darray in the user's folder of caches",
        doc: "Where kernels compiled for GPUs are kept for later processes, which may share it. It \
              may be deleted at any time.",
        set: |s, text| {
            s.kernel_cache = if text == "none" { None } else { Some(path(text)?) };
            Some(())
        },
    },
    Row {
        name: "DARRAY_MEMORY_LIMIT",
        accepted: "a number of bytes, with K, M, G or T for powers of 1024",
        default: "what the process may have",
        doc: "Bytes that each device may use for arrays. By default CPU devices share the machine's memory, or what the \
              process's control group (a container's) or half of `ulimit -v` leaves of it: `darray-cli doctor` says which. \
              Of what is kept for later arrays, too, no more than an eighth or 2 MiB above it is resident.",
        set: |s, text| {
            s.memory_limit = Some(bytes(text)?);
            Some(())
        },
    },
    Row {
        name: "DARRAY_MODE",
        accepted: "fused, task, unfused",
        default: "fused",
        doc: "What is fused: tasks and their kernels, tasks only, or nothing. Results do not depend \
              on it.",
        set: |s, text| {
            s.mode = Mode::from_name(text)?;
            Some(())
        },
    },
    Row {
        name: "DARRAY_NVRTC",
        accepted: "a folder",
        default: "where the system's loader or the CUDA toolkit has libnvrtc.so",
        doc: "The folder of NVRTC, which compiles kernels for GPUs: of the Python package \
              nvidia-cuda-nvrtc, say.",
        set: |s, text| {
            s.nvrtc = Some(path(text)?);
            Some(())
        },
    },
    Row {
        name: "DARRAY_SYNC",
        accepted: "0, 1",
        default: "0",
        doc: "With 1, every operation runs and is waited for as it is emitted, so that a failure \
              shows at the line that caused it.",
        set: |s, text| {
            s.sync = switch(text)?;
            Some(())
        },
    },
    Row {
        name: "DARRAY_THREADS",
        accepted: "a number from 1 to 1024",
        default: "the cores, shared out among the devices",
        doc: "Worker threads of each CPU device. Results do not depend on it. A thread that has \
              nothing to do looks for work for 100 us before it sleeps.",
        set: |s, text| {
            s.threads = Some(text.parse().ok().filter(|n| (1..=MAX_THREADS).contains(n))?);
            Some(())
        },
    },
    Row {
        name: "DARRAY_WINDOW",
        accepted: "a number from 1 to 65536",
        default: "adaptive",
        doc: "Tasks after which the window is flushed. Results do not depend on it.",
        set: |s, text| {
            s.window = Some(text.parse().ok().filter(|n| (1..=MAX_WINDOW).contains(n))?);
            Some(())
        },
    },
];

/// A setting with a value that it does not take.
#[derive(Clone, PartialEq, Eq)]
pub struct SettingError {
    /// The environment variable.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// The values that it takes.
    pub accepted: &'static str,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={:?}: accepted: {}", self.name, self.value, self.accepted)
    }
}

impl fmt::Debug for SettingError {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SettingError {}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            cpu_devices: 1,
            threads: None,
            window: None,
            mode: Mode::Fused,
            grouping: Grouping::Graph,
            memory_limit: None,
            cuda_devices: Vec::new(),
            cpu_level: None,
            cpu_jit: CpuJit::Auto,
            sync: false,
            cuda_launch: CudaLaunch::Auto,
            cuda_driver: None,
            cuda_math: CudaMath::Darray,
            cuda_products: CudaProducts::Darray,
            cublas: None,
            nvrtc: None,
            kernel_cache: None,
        }
    }
}

impl Settings {
    /// The settings of the process, read from the environment on the first call. Names that look
    /// like settings and are none give one warning each on standard error.
    ///
    /// Errors: [`SettingError`] for a value that is not accepted.
    pub fn global() -> Result<&'static Settings, SettingError> {
        static GLOBAL: OnceLock<Result<Settings, SettingError>> = OnceLock::new();
        let read = || {
            let text = |s: std::ffi::OsString| s.to_string_lossy().into_owned();
            let (settings, warnings) =
                Settings::read(std::env::vars_os().map(|(name, value)| (text(name), text(value))));
            for warning in warnings {
                // Where nobody reads it, there is nobody to warn.
                let _ = writeln!(std::io::stderr(), "darray: {warning}");
            }
            settings
        };
        GLOBAL.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// The settings that these variables give, and warnings about unknown names in order.
    pub fn read(
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> (Result<Settings, SettingError>, Vec<String>) {
        let mut settings = Settings::default();
        let (mut given, mut caches, mut home) = (Vec::new(), None, None);
        for (name, value) in variables {
            match &name[..] {
                "XDG_CACHE_HOME" => caches = path(&value),
                "HOME" => home = path(&value).map(|home| home.join(".cache")),
                _ if name.starts_with("DARRAY_") => given.push((name, value)),
                _ => {}
            }
        }
        settings.kernel_cache = caches.or(home).map(|folder| folder.join("darray"));
        given.sort();
        let mut error = None;
        let mut warnings = Vec::new();
        for (name, value) in given {
            match TABLE.iter().find(|row| row.name == name) {
                None => warnings.push(unknown(&name)),
                Some(row) => {
                    if (row.set)(&mut settings, value.trim()).is_none() {
                        let (name, accepted) = (row.name, row.accepted);
                        error.get_or_insert(SettingError { name, value, accepted });
                    }
                }
            }
        }
        (error.map_or(Ok(settings), Err), warnings)
    }
}

/// The text of `docs/settings.md`.
pub fn page() -> String {
    let mut page = String::from(
        "# Settings\n\n\
         darray reads these environment variables, once, when the global runtime is first used.\n\
         In a program, `Runtime::builder()` sets the same things and ignores the environment;\n\
         `Runtime::builder_from_env()` begins with what the environment says. An unknown `DARRAY_` name\n\
         gives a warning, a value that is not accepted an error.\n\n\
         | name | values | default | what it does |\n\
         |---|---|---|---|\n",
    );
    for Row { name, accepted, default, doc, .. } in &TABLE {
        page.push_str(&format!("| `{name}` | {accepted} | {default} | {doc} |\n"));
    }
    page
}

fn unknown(name: &str) -> String {
    match near(TABLE.iter().map(|row| row.name), name) {
        Some(known) => format!("no setting is called {name}; did you mean {known}?"),
        None => format!("no setting is called {name}"),
    }
}

#[cfg(test)]
mod tests;
