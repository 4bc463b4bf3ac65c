//! The compiled kernels of a device.

use crate::{Code, DeviceStats, Fault};
use darray_kernel::ir::Kernel;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use std::hash::BuildHasher;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What a device compiled, by code; for implementations of [`crate::Device`].
///
/// Rules:
/// - Equal kernels have one code, which counts how often it was asked for.
/// - It is gone after as many calls of [`forget`](Self::forget); whoever got it from
///   [`get`](Self::get) before keeps it as long as needed.
/// - The kernel of a code that is gone is compiled again when it is asked for again.
///
/// ```
/// use darray_device::codes::Codes;
/// use darray_kernel::ir::{Kernel, Region};
///
/// let body = Region { axes: vec![], ops: vec![] };
/// let kernel = Kernel { params: 0, scalars: vec![], buffers: vec![], body, by_rows: false };
/// let codes = Codes::default();
/// let code = codes.hold(&kernel, || Ok("machine code")).unwrap();
/// assert_eq!(codes.hold(&kernel, || unreachable!()), Ok(code));
/// codes.forget(code);
/// assert_eq!(*codes.get(code).unwrap(), "machine code");
/// codes.forget(code);
/// assert!(codes.get(code).is_err());
/// ```
#[derive(Debug)]
pub struct Codes<T> {
    known: RwLock<Known<T>>,
    hasher: DefaultHashBuilder,
}

#[derive(Debug)]
struct Known<T> {
    /// The codes, by the hashes of their kernels.
    by_kernel: HashTable<(u64, Code)>,
    by_code: HashMap<Code, Entry<T>>,
    next: u32,
    compiled: u64,
}

#[derive(Debug)]
struct Entry<T> {
    kernel: Kernel,
    /// Of the kernel: it is long, so that it is hashed once.
    hash: u64,
    compiled: Arc<T>,
    holds: u64,
}

impl<T> Default for Codes<T> {
    fn default() -> Codes<T> {
        let (by_kernel, by_code) = (HashTable::new(), HashMap::new());
        let known = RwLock::new(Known { by_kernel, by_code, next: 0, compiled: 0 });
        Codes { known, hasher: DefaultHashBuilder::default() }
    }
}

impl<T> Codes<T> {
    /// The code of a kernel, compiled if it is not there; one more call of `forget` ends it.
    ///
    /// # Errors
    ///
    /// Those of `compile`; nothing is kept then.
    pub fn hold(
        &self,
        kernel: &Kernel,
        compile: impl FnOnce() -> Result<T, Fault>,
    ) -> Result<Code, Fault> {
        let hash = self.hasher.hash_one(kernel);
        if let Some(code) = self.write().hold(kernel, hash) {
            return Ok(code);
        }
        let compiled = Arc::new(compile()?);
        let mut known = self.write();
        // Another thread may have been faster.
        Ok(known.hold(kernel, hash).unwrap_or_else(|| known.insert(kernel, hash, compiled)))
    }

    /// What a code stands for.
    ///
    /// # Errors
    ///
    /// If it was never given, or is gone.
    pub fn get(&self, code: Code) -> Result<Arc<T>, Fault> {
        let known = self.read();
        let entry = known.by_code.get(&code);
        entry
            .map(|entry| entry.compiled.clone())
            .ok_or_else(|| Fault::Execution(format!("code {} is unknown", code.0)))
    }

    /// Takes back one call of `hold`; nothing for a code that is gone.
    pub fn forget(&self, code: Code) {
        let mut known = self.write();
        let Some(entry) = known.by_code.get_mut(&code) else { return };
        entry.holds -= 1;
        if entry.holds > 0 {
            return;
        }
        let gone = known.by_code.remove(&code);
        if let Some(entry) = &gone
            && let Ok(known) = known.by_kernel.find_entry(entry.hash, |known| known.1 == code)
        {
            known.remove();
        }
        // Giving memory back may take long.
        drop(known);
        drop(gone);
    }

    /// Sets the counters of compiled kernels.
    pub fn count(&self, stats: &mut DeviceStats) {
        let known = self.read();
        stats.compiled = known.compiled;
        stats.codes = known.by_code.len() as u64;
    }

    fn read(&self) -> RwLockReadGuard<'_, Known<T>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known<T>> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Known<T> {
    fn hold(&mut self, kernel: &Kernel, hash: u64) -> Option<Code> {
        let by_code = &self.by_code;
        let is_it = |known: &(u64, Code)| known.0 == hash && by_code[&known.1].kernel == *kernel;
        let (_, code) = *self.by_kernel.find(hash, is_it)?;
        self.by_code.get_mut(&code)?.holds += 1;
        Some(code)
    }

    fn insert(&mut self, kernel: &Kernel, hash: u64, compiled: Arc<T>) -> Code {
        // Numbers begin again after the last; those in use are left out.
        while self.by_code.contains_key(&Code(self.next)) {
            self.next = self.next.wrapping_add(1);
        }
        let code = Code(self.next);
        self.next = self.next.wrapping_add(1);
        self.compiled += 1;
        self.by_kernel.insert_unique(hash, (hash, code), |known| known.0);
        self.by_code.insert(code, Entry { kernel: kernel.clone(), hash, compiled, holds: 1 });
        code
    }
}
