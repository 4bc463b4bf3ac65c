//! NVIDIA's libraries beside the driver: opened when they are there, and never a panic when they are not.

use crate::CudaError;
use libloading::Library;
use std::ffi::c_void;
use std::path::{Path, PathBuf};

/// A library that may be there.
pub(crate) struct Wanted {
    /// E.g. `NVRTC`.
    pub name: &'static str,
    /// What to install or to set.
    pub advice: &'static str,
    /// How its file's name begins.
    pub file: &'static str,
    /// The versions by which the system's loader knows it, besides that of the driver; the newest first.
    pub versions: &'static [u32],
    /// How the names of other files begin that it asks for by bare names, so that they must be in memory
    /// before.
    pub before: &'static [&'static str],
}

/// A library in memory, which it never leaves.
#[derive(Clone)]
pub(crate) struct Opened {
    library: &'static Library,
    name: &'static str,
    /// Its file, or the name by which the loader found it.
    pub file: String,
}

/// Where the toolkit puts its libraries.
const TOOLKIT: &str = "/usr/local/cuda/lib64";

impl Wanted {
    /// Opens it from a folder; with none, from where the system's loader or the CUDA toolkit has it, of the
    /// driver's major version if there is one.
    ///
    /// # Errors
    /// It is absent.
    pub fn open(&self, folder: Option<&Path>, driver: Option<u32>) -> Result<Opened, CudaError> {
        let mut tried = Vec::new();
        let (library, file) = match folder {
            Some(folder) => self.in_folder(folder, &mut tried),
            None => {
                let named = self.by_name(driver, &mut tried);
                named.or_else(|| self.in_folder(Path::new(TOOLKIT), &mut tried))
            }
        }
        .ok_or(CudaError::Library { library: self.name, tried, advice: self.advice })?;
        Ok(Opened { library: Box::leak(Box::new(library)), name: self.name, file })
    }

    /// By the names that the system's loader knows.
    fn by_name(&self, driver: Option<u32>, tried: &mut Vec<String>) -> Option<(Library, String)> {
        names(self.file, self.versions, driver).into_iter().find_map(|name| {
            tried.push(name.clone());
            // SAFETY: NVIDIA's library; its initialisers run.
            unsafe { Library::new(&name) }.ok().map(|library| (library, name))
        })
    }

    /// From the files of a folder.
    fn in_folder(&self, folder: &Path, tried: &mut Vec<String>) -> Option<(Library, String)> {
        let files = |part: &str| -> Vec<PathBuf> {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let named = |path: &PathBuf| {
                let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
                name.is_some_and(|n| n.starts_with(part) && !n.contains(".alt."))
            };
            let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(named).collect();
            files.sort();
            files
        };
        // SAFETY: NVIDIA's libraries; their initialisers run.
        let open = |path: &PathBuf| unsafe { Library::new(path) };
        for path in self.before.iter().flat_map(|part| files(part)) {
            if let Ok(library) = open(&path) {
                std::mem::forget(library);
            }
        }
        tried.push(folder.join(format!("{}*", self.file)).display().to_string());
        files(self.file).iter().find_map(|path| match open(path) {
            Ok(library) => Some((library, path.display().to_string())),
            Err(error) => {
                tried.push(refused(path, &error));
                None
            }
        })
    }
}

/// Why the system's loader does not open a file, which is named: its own text lies behind that of libloading.
pub(crate) fn refused(file: &Path, error: &libloading::Error) -> String {
    let cause = std::error::Error::source(error);
    let text = cause.map_or_else(|| error.to_string(), |cause| cause.to_string());
    let file = file.display().to_string();
    if text.contains(&file) { text } else { format!("{file}: {text}") }
}

/// The names of a library in the order in which the system's loader is asked for them: of the driver's major version,
/// since a driver may refuse what comes from newer libraries; of older versions, whose code it takes; of newer
/// ones; of any.
fn names(file: &str, versions: &[u32], driver: Option<u32>) -> Vec<String> {
    let driver = driver.unwrap_or(versions.first().copied().unwrap_or_default());
    let (older, newer): (Vec<u32>, Vec<u32>) =
        versions.iter().filter(|version| **version != driver).partition(|v| **v < driver);
    // The newest of the older ones first, the oldest of the newer ones.
    let ordered = [driver].into_iter().chain(older).chain(newer.into_iter().rev());
    let named = ordered.map(|version| format!("{file}.{version}"));
    named.chain([file.to_string()]).collect()
}

impl Opened {
    /// That it has these functions.
    ///
    /// # Errors
    /// It lacks some.
    pub fn require(&self, names: &[&str]) -> Result<(), CudaError> {
        // SAFETY: only looked at here.
        let absent =
            |name: &&&str| unsafe { self.library.get::<*const c_void>(name.as_bytes()).is_err() };
        let missing: Vec<String> = names.iter().filter(absent).map(|n| n.to_string()).collect();
        match missing.is_empty() {
            true => Ok(()),
            false => Err(CudaError::Functions { library: self.name, missing }),
        }
    }

    /// One of the functions that were required.
    ///
    /// # Safety
    /// `F` is its type.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> F {
        // SAFETY: the caller's contract; the library is never unloaded.
        *unsafe { self.library.get::<F>(name.as_bytes()) }.expect("required before")
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn the_drivers_version_comes_first_then_older_then_newer_ones() {
        let of = |driver| names("lib.so", &[14, 13, 12], driver).join(" ");
        assert_eq!(of(Some(14)), "lib.so.14 lib.so.13 lib.so.12 lib.so");
        assert_eq!(of(Some(13)), "lib.so.13 lib.so.12 lib.so.14 lib.so");
        assert_eq!(of(Some(12)), "lib.so.12 lib.so.13 lib.so.14 lib.so");
        // Versions that this crate has not seen.
        assert_eq!(of(Some(16)), "lib.so.16 lib.so.14 lib.so.13 lib.so.12 lib.so");
        assert_eq!(of(Some(11)), "lib.so.11 lib.so.12 lib.so.13 lib.so.14 lib.so");
        // Without a driver nothing is refused.
        assert_eq!(of(None), of(Some(14)));
    }
}
