//! The shared library, loaded in place of the real driver.

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW, Symbol};
use std::error::Error;
use std::ffi::{CString, c_char};
use std::fmt;
use std::path::{Path, PathBuf};

/// The fake driver in this process.
///
/// Make it before anything else loads `libcuda.so.1`: the loader then gives it to whoever asks for
/// that name. All values of this type control the same driver. It stays loaded.
///
/// ```no_run
/// use darray_fakecuda::FakeCuda;
///
/// let fake = FakeCuda::load()?;
/// fake.configure("devices=2 sched=random:7 memory=1000000")?;
/// // ... a program that uses CUDA ...
/// println!("{} launches, {} calls", fake.count("launches"), fake.count("calls"));
/// println!("{}", fake.error());
/// # Ok::<(), darray_fakecuda::LibraryError>(())
/// ```
#[derive(Debug)]
pub struct FakeCuda {
    library: Library,
    path: PathBuf,
}

/// Why the fake driver cannot be used.
pub enum LibraryError {
    /// No file of its name lies beside the program.
    Missing {
        /// The places that were looked at.
        looked_at: Vec<PathBuf>,
    },
    /// The file cannot be loaded.
    Load {
        /// The file.
        path: PathBuf,
        /// What the loader says.
        why: String,
    },
    /// A setting is unknown or cannot have its value.
    Setting {
        /// What is wrong.
        why: String,
    },
}

impl FakeCuda {
    /// Counts of what the first four devices still have, of work that is still queued, and of what was taken from under others: all are 0
    /// where everything was given back in order.
    pub const HELD: [&str; 11] = [
        "allocated:0",
        "allocated:1",
        "allocated:2",
        "allocated:3",
        "queued",
        "pinned",
        "streams",
        "events",
        "modules",
        "graphs",
        "early_unloads",
    ];

    /// Loads the library that cargo has built beside the running program: a test, an example or a
    /// binary of this workspace whose package depends on this crate.
    pub fn load() -> Result<FakeCuda, LibraryError> {
        let program = std::env::current_exe().unwrap_or_default();
        let mut looked_at = Vec::new();
        for folder in program.ancestors().skip(1).take(3) {
            for folder in [folder.to_path_buf(), folder.join("deps")] {
                let path = folder.join("libdarray_fakecuda.so");
                if path.is_file() {
                    return FakeCuda::load_from(&path);
                }
                looked_at.push(path);
            }
        }
        Err(LibraryError::Missing { looked_at })
    }

    /// Loads the library from a file.
    pub fn load_from(path: &Path) -> Result<FakeCuda, LibraryError> {
        let path = path.to_path_buf();
        // SAFETY: the library runs no code when it is loaded.
        let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_GLOBAL) };
        let library = library.map_err(|why| {
            let (path, why) = (path.clone(), why.to_string());
            LibraryError::Load { path, why }
        })?;
        // Once more, so that it stays loaded when this value is dropped.
        // SAFETY: as above.
        let kept = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_GLOBAL) };
        std::mem::forget(kept);
        Ok(FakeCuda { library, path })
    }

    /// Where the library lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts anew with the default settings and these (see the crate's page). All handles of
    /// contexts, streams and so on are void.
    pub fn configure(&self, settings: &str) -> Result<(), LibraryError> {
        self.apply(b"fakecuda_configure", settings)
    }

    /// Changes settings and leaves all else as it is; the number of devices cannot change.
    pub fn set(&self, settings: &str) -> Result<(), LibraryError> {
        self.apply(b"fakecuda_set", settings)
    }

    fn apply(&self, name: &[u8], settings: &str) -> Result<(), LibraryError> {
        let text = CString::new(settings).unwrap_or_default();
        let apply: Symbol<unsafe extern "C" fn(*const c_char) -> u32> = self.symbol(name);
        // SAFETY: the text ends with a zero byte.
        match unsafe { apply(text.as_ptr()) } {
            0 => Ok(()),
            _ => Err(LibraryError::Setting { why: self.error() }),
        }
    }

    /// A count by its name (see the crate's page), or how often a call of the driver was made.
    pub fn count(&self, name: &str) -> u64 {
        let text = CString::new(name).unwrap_or_default();
        let count: Symbol<unsafe extern "C" fn(*const c_char) -> u64> =
            self.symbol(b"fakecuda_count");
        // SAFETY: the text ends with a zero byte.
        unsafe { count(text.as_ptr()) }
    }

    /// That everything was given back in order, once whoever used the driver is gone.
    ///
    /// # Errors
    /// What is left, and the last error.
    pub fn returned(&self) -> Result<(), String> {
        let counts = FakeCuda::HELD.map(|name| (name, self.count(name)));
        let left: Vec<String> = counts
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{name}: {count} left"))
            .collect();
        if left.is_empty() { Ok(()) } else { Err(format!("{}; {}", left.join(", "), self.error())) }
    }

    /// Sets all counts to zero; a call that is asked to fail is counted from here.
    pub fn reset_counts(&self) {
        let reset: Symbol<unsafe extern "C" fn()> = self.symbol(b"fakecuda_reset_counts");
        // SAFETY: it has no arguments.
        unsafe { reset() };
    }

    /// The last error in words; empty if there was none since the start.
    pub fn error(&self) -> String {
        let error: Symbol<unsafe extern "C" fn(*mut c_char, usize) -> usize> =
            self.symbol(b"fakecuda_error");
        // SAFETY: without a place to write to, it only says how long the text is.
        let length = unsafe { error(std::ptr::null_mut(), 0) };
        let mut bytes = vec![0u8; length + 1];
        // SAFETY: there are as many bytes as are said.
        unsafe { error(bytes.as_mut_ptr().cast(), bytes.len()) };
        bytes.truncate(length);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn symbol<T>(&self, name: &[u8]) -> Symbol<T> {
        // SAFETY: the types above are those of `exports/control.rs`.
        unsafe { self.library.get(name) }.expect("the library has what this crate exports")
    }
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LibraryError::Missing { looked_at } => {
                write!(f, "the fake driver was not found; looked at {looked_at:?}")
            }
            LibraryError::Load { path, why } => write!(f, "{}: {why}", path.display()),
            LibraryError::Setting { why } => write!(f, "fake driver: {why}"),
        }
    }
}

impl fmt::Debug for LibraryError {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for LibraryError {}
