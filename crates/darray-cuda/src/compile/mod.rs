//! From texts in CUDA C to images that a device loads.

mod cache;
mod nvrtc;

pub use cache::cached_texts;
pub use nvrtc::Nvrtc;

use crate::CudaError;
use cache::{Cache, Found};
use hashbrown::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What an image is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Machine code of exactly this capability (90 for sm_90).
    Cubin(u32),
    /// Text that the driver translates for its device, of at least this capability.
    Ptx(u32),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Cubin(capability) => write!(f, "sm_{capability}"),
            Target::Ptx(capability) => write!(f, "compute_{capability}"),
        }
    }
}

/// Options of every compilation. Contraction would change bits.
const OPTIONS: [&str; 3] = ["--std=c++17", "--fmad=false", "--device-int128"];

/// The option without textures and the runtime's functions and types, whose declarations NVRTC otherwise reads for every text; and the
/// first version that knows it.
const MINIMAL: (&str, (u32, u32)) = ("--minimal", (12, 4));

/// Most images kept in memory; past it they are dropped, so that a program whose kernels never repeat
/// does not fill memory.
const CAPACITY: usize = 4096;

/// Counters of a compiler since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompileStats {
    /// Texts that NVRTC compiled.
    pub compiled: u64,
    /// Images that were found in memory.
    pub from_memory: u64,
    /// Images that were found on disk.
    pub from_disk: u64,
    /// Images on disk that were damaged, and compiled again.
    pub damaged: u64,
    /// Images that could not be written to disk.
    pub unwritten: u64,
}

/// Compiles, and remembers in memory and, where it has a folder, on disk.
///
/// An image is remembered by its identity: the text, the options, the target and NVRTC's version. An
/// entry on disk holds its whole identity, so equal hashes confuse nothing, and a checksum. Processes
/// may share the folder; it may be deleted at any time.
///
/// ```no_run
/// use darray_cuda::{Compiler, Nvrtc, Target};
/// let compiler = Compiler::new(Nvrtc::load(None)?, Some("/tmp/kernels".into()));
/// let text = "extern \"C\" __global__ void zero(float* x) { x[threadIdx.x] = 0; }";
/// let image = compiler.compile(text, Target::Cubin(90))?;
/// assert_eq!(&image[..4], b"\x7fELF");
/// # Ok::<(), darray_cuda::CudaError>(())
/// ```
pub struct Compiler {
    nvrtc: Nvrtc,
    cache: Option<Cache>,
    images: Mutex<HashMap<Vec<u8>, Arc<[u8]>>>,
    counters: Counters,
}

#[derive(Default)]
struct Counters {
    compiled: AtomicU64,
    from_memory: AtomicU64,
    from_disk: AtomicU64,
    damaged: AtomicU64,
    unwritten: AtomicU64,
}

impl Compiler {
    /// A compiler that keeps images in `folder`, which is made when there is one to keep.
    pub fn new(nvrtc: Nvrtc, folder: Option<PathBuf>) -> Compiler {
        let (images, counters) = Default::default();
        Compiler { nvrtc, cache: folder.map(Cache::new), images, counters }
    }

    /// The library.
    pub fn nvrtc(&self) -> &Nvrtc {
        &self.nvrtc
    }

    /// The image of a text: an ELF file for a cubin, text that ends with a zero byte for PTX.
    ///
    /// # Errors
    /// [`CudaError::Source`] with NVRTC's log if the text does not compile.
    pub fn compile(&self, source: &str, target: Target) -> Result<Arc<[u8]>, CudaError> {
        self.compile_with(source, &self.options(target), matches!(target, Target::Cubin(_)))
    }

    /// The same of a text of the library's own, which has no textures and none of the runtime's functions and types: where NVRTC
    /// can leave them out, it takes less time.
    ///
    /// # Errors
    /// As for [`compile`](Self::compile).
    pub fn compile_own(&self, source: &str, target: Target) -> Result<Arc<[u8]>, CudaError> {
        let mut options = self.options(target);
        let (minimal, since) = MINIMAL;
        if self.nvrtc.version() >= since {
            options.push(minimal.to_string());
        }
        self.compile_with(source, &options, matches!(target, Target::Cubin(_)))
    }

    fn compile_with(
        &self,
        source: &str,
        options: &[String],
        cubin: bool,
    ) -> Result<Arc<[u8]>, CudaError> {
        let identity = self.identity(source, options);
        let count = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
        if let Some(image) = self.images().get(&identity) {
            count(&self.counters.from_memory);
            return Ok(image.clone());
        }
        let found = self.cache.as_ref().map_or(Found::Nothing, |cache| cache.read(&identity));
        let image: Arc<[u8]> = match found {
            Found::Image(image) => {
                count(&self.counters.from_disk);
                image.into()
            }
            Found::Nothing | Found::Damaged => {
                if matches!(found, Found::Damaged) {
                    count(&self.counters.damaged);
                }
                let image = self.nvrtc.compile(source, options, cubin)?;
                count(&self.counters.compiled);
                if let Some(cache) = &self.cache
                    && cache.write(&identity, &image).is_err()
                {
                    count(&self.counters.unwritten);
                }
                image.into()
            }
        };
        let mut images = self.images();
        if images.len() >= CAPACITY {
            images.clear();
        }
        images.insert(identity, image.clone());
        Ok(image)
    }

    /// Counters.
    pub fn stats(&self) -> CompileStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        CompileStats {
            compiled: read(&self.counters.compiled),
            from_memory: read(&self.counters.from_memory),
            from_disk: read(&self.counters.from_disk),
            damaged: read(&self.counters.damaged),
            unwritten: read(&self.counters.unwritten),
        }
    }

    fn options(&self, target: Target) -> Vec<String> {
        let mut options = vec![format!("--gpu-architecture={target}")];
        options.extend(OPTIONS.map(String::from));
        options
    }

    fn identity(&self, source: &str, options: &[String]) -> Vec<u8> {
        let (major, minor) = self.nvrtc.version();
        format!("nvrtc {major}.{minor}\n{}\n{source}", options.join(" ")).into_bytes()
    }

    fn images(&self) -> std::sync::MutexGuard<'_, HashMap<Vec<u8>, Arc<[u8]>>> {
        self.images.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
