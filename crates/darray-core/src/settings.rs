//! THE table of settings: every environment variable that darray reads, its type, its default and
//! what it does. Nothing else in the workspace reads the environment.
//!
//! `docs/settings.md` is [`page`], and a test keeps it so.

mod choices;
mod values;

pub use choices::{CpuJit, CpuLevel, CudaLaunch, CudaMath, Mode};

use std::fmt;
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
    /// Bytes that each device may use; `None`: what the machine has.
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
    /// The file of the CUDA driver; `None`: where the system's loader finds it.
    pub cuda_driver: Option<PathBuf>,
    /// The folder of NVRTC; `None`: where the system's loader finds it.
    pub nvrtc: Option<PathBuf>,
    /// Where compiled kernels are kept; `None`: nowhere.
    pub kernel_cache: Option<PathBuf>,
    /// Whether tests that need NVRTC fail without it.
    pub require_nvrtc: bool,
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
pub const TABLE: [Row; 14] = [
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
        accepted: "streams, graphs",
        default: "streams",
        doc: "How CUDA devices launch plans that repeat: every kernel by itself, or each plan as one \
              CUDA graph. Which is faster has not been measured on a GPU yet. Results do not depend on \
              it.",
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
        default: "what the machine has",
        doc: "Bytes that each device may use for arrays.",
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
        name: "DARRAY_REQUIRE_NVRTC",
        accepted: "0, 1",
        default: "0",
        doc: "For darray's own tests: with 1, those that need NVRTC fail without it; else they say \
              that they are skipped.",
        set: |s, text| {
            s.require_nvrtc = switch(text)?;
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
        doc: "Worker threads of each CPU device. Results do not depend on it.",
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
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl std::error::Error for SettingError {}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            cpu_devices: 1,
            threads: None,
            window: None,
            mode: Mode::Fused,
            memory_limit: None,
            cuda_devices: Vec::new(),
            cpu_level: None,
            cpu_jit: CpuJit::Auto,
            sync: false,
            cuda_launch: CudaLaunch::Streams,
            cuda_driver: None,
            cuda_math: CudaMath::Darray,
            nvrtc: None,
            kernel_cache: None,
            require_nvrtc: false,
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
                eprintln!("darray: {warning}");
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
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> (Result<Settings, SettingError>, Vec<String>) {
        Settings::read(variables.iter().map(|(n, v)| (n.to_string(), v.to_string())))
    }

    #[test]
    fn every_setting_is_read() {
        let (settings, warnings) = read(&[
            ("DARRAY_CPU_JIT", "off"),
            ("DARRAY_CPU_LEVEL", "avx2"),
            ("DARRAY_CUDA_DRIVER", "/d/libcuda.so.1"),
            ("DARRAY_CUDA_LAUNCH", "graphs"),
            ("DARRAY_CUDA_MATH", "libdevice"),
            ("DARRAY_DEVICES", "cpu:4"),
            ("DARRAY_KERNEL_CACHE", "/k"),
            ("DARRAY_MEMORY_LIMIT", "3G"),
            ("DARRAY_MODE", "task"),
            ("DARRAY_NVRTC", "/n"),
            ("DARRAY_REQUIRE_NVRTC", "1"),
            ("DARRAY_SYNC", "1"),
            ("DARRAY_THREADS", "2"),
            ("DARRAY_WINDOW", "17"),
            ("PATH", "anything"),
        ]);
        let expected = Settings {
            cpu_devices: 4,
            threads: Some(2),
            window: Some(17),
            mode: Mode::Task,
            memory_limit: Some(3 << 30),
            cuda_devices: vec![],
            cpu_level: Some(CpuLevel::Avx2),
            cpu_jit: CpuJit::Off,
            sync: true,
            cuda_launch: CudaLaunch::Graphs,
            cuda_driver: Some("/d/libcuda.so.1".into()),
            cuda_math: CudaMath::Libdevice,
            nvrtc: Some("/n".into()),
            kernel_cache: Some("/k".into()),
            require_nvrtc: true,
        };
        assert_eq!((settings, warnings), (Ok(expected), vec![]));
        assert_eq!(read(&[]).0, Ok(Settings::default()));
    }

    #[test]
    fn gpus_are_listed_and_may_repeat() {
        let gpus = |text| {
            let settings = read(&[("DARRAY_DEVICES", text)]).0.unwrap();
            (settings.cpu_devices, settings.cuda_devices)
        };
        assert_eq!(gpus("cuda:3"), (1, vec![3]));
        assert_eq!(gpus("cuda:0,cuda:1, cuda:0"), (3, vec![0, 1, 0]));
        assert_eq!(gpus("cpu:2"), (2, vec![]));
    }

    #[test]
    fn kernels_are_kept_among_the_users_caches() {
        let folder = |variables: &[(&str, &str)]| read(variables).0.unwrap().kernel_cache;
        assert_eq!(folder(&[]), None);
        assert_eq!(folder(&[("HOME", "/h")]), Some("/h/.cache/darray".into()));
        let both = [("HOME", "/h"), ("XDG_CACHE_HOME", "/c")];
        assert_eq!(folder(&both), Some("/c/darray".into()));
        assert_eq!(folder(&[("HOME", "/h"), ("DARRAY_KERNEL_CACHE", "none")]), None);
    }

    #[test]
    fn unknown_names_give_the_nearest_known_one() {
        let (settings, warnings) = read(&[("DARRAY_WINDOWS", "3"), ("DARRAY_SOMETHING_ELSE", "")]);
        assert_eq!(settings, Ok(Settings::default()));
        let near = "no setting is called DARRAY_WINDOWS; did you mean DARRAY_WINDOW?";
        assert_eq!(warnings, ["no setting is called DARRAY_SOMETHING_ELSE", near]);
    }

    #[test]
    fn only_near_names_are_suggested() {
        for (name, meant) in [
            ("DARRAY_FOO", None),
            ("DARRAY_LOG", None),
            ("DARRAY_", None),
            ("DARRAY_NODE", Some("DARRAY_MODE")),
            ("DARRAY_MODES", Some("DARRAY_MODE")),
            ("DARRAY_DEVICE", Some("DARRAY_DEVICES")),
            ("DARRAY_MEMORYLIMIT", Some("DARRAY_MEMORY_LIMIT")),
            ("DARRAY_MEM_LIMIT", Some("DARRAY_MEMORY_LIMIT")),
        ] {
            let warnings = read(&[(name, "1")]).1;
            let expected = match meant {
                Some(meant) => format!("no setting is called {name}; did you mean {meant}?"),
                None => format!("no setting is called {name}"),
            };
            assert_eq!(warnings, [expected]);
        }
    }

    #[test]
    fn bad_values_name_the_setting_and_what_it_takes() {
        for (name, value) in [
            ("DARRAY_CPU_LEVEL", "sse"),
            ("DARRAY_CUDA_LAUNCH", "graph"),
            ("DARRAY_DEVICES", "cpu:0"),
            ("DARRAY_DEVICES", "gpu"),
            ("DARRAY_DEVICES", "cuda"),
            ("DARRAY_DEVICES", "cuda:0,cpu"),
            ("DARRAY_NVRTC", ""),
            ("DARRAY_MEMORY_LIMIT", "4X"),
            ("DARRAY_MODE", "fast"),
            ("DARRAY_SYNC", "yes"),
            ("DARRAY_THREADS", "0"),
            ("DARRAY_WINDOW", "-1"),
        ] {
            let error = read(&[(name, value)]).0.unwrap_err();
            assert_eq!((error.name, &error.value[..]), (name, value));
        }
        assert_eq!(
            read(&[("DARRAY_MODE", "fast")]).0.unwrap_err().to_string(),
            "DARRAY_MODE=\"fast\": accepted: fused, task, unfused"
        );
    }

    /// `BLESS=1 cargo test -p darray-core` writes the page.
    #[test]
    fn the_page_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings.md");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page());
    }
}
