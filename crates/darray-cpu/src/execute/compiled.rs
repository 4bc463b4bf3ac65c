//! A kernel as one device keeps it.

use super::bind::Bound;
use super::bindings::Bindings;
use super::machine::Machine;
use super::schedule::Schedule;
use crate::jit::{Neighbours, Target, Traffic};
use crate::level::Level;
use crate::listing::{Listener, Listing};
use crate::vector::{Folding, find_folding};
use darray_codegen::{Code, Layout, Nest, Program, lower, specialise};
use darray_device::{Fault, NativeStats};
use darray_kernel::ir::Kernel;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// A compiled kernel: its program, and for every nest the code of each layout met so far.
pub(crate) struct Compiled {
    pub program: Program,
    pub(super) folds: Vec<Arc<[FoldLoops]>>,
    /// What was bound last, of each nest.
    pub(super) bindings: Vec<Bindings>,
    nests: Vec<RwLock<Vec<Arc<Specialised>>>>,
    pub(super) level: Level,
    pub(super) jit: Option<Target>,
    /// The device's.
    native: Arc<Mutex<NativeStats>>,
    /// The kernel's text, and who is told what becomes of it.
    listener: Option<(String, Listener)>,
    /// The kernel, if it is one by rows, as one that is not; made where its nests had better run one after the other.
    apart: OnceLock<Box<Compiled>>,
}

/// Code of a nest for one layout.
pub(super) struct Specialised {
    pub layout: Layout,
    /// What was wanted of its machine code.
    pub traffic: Traffic,
    pub code: Code,
    pub machine: Machine,
}

/// What a fold item needs at run time.
#[derive(Clone, Copy)]
pub(super) struct FoldLoops {
    pub folding: Folding,
    /// Bytes of a value.
    pub size: usize,
    /// Whether values come with their index; else there is none in the accumulators.
    pub indexed: bool,
    /// What accumulators start from, as bits: of a domain with elements, and of an empty one.
    pub start: u64,
    pub empty: u64,
}

impl Compiled {
    /// Compiles a verified kernel.
    ///
    /// `native` counts nests as they get their code, and `listener` is told.
    pub fn new(
        kernel: &Kernel,
        level: Level,
        jit: Option<Target>,
        native: Arc<Mutex<NativeStats>>,
        listener: Option<&Listener>,
    ) -> Result<Compiled, Fault> {
        let program = lower(kernel).map_err(|error| Fault::Compile(error.to_string()))?;
        let folds = program.nests.iter().map(|nest| fold_loops(&program, nest));
        let folds = folds.collect::<Result<Vec<_>, _>>()?;
        let nests = program.nests.iter().map(|_| RwLock::default()).collect();
        let listener = listener.map(|listener| (kernel.to_string(), listener.clone()));
        let apart = OnceLock::new();
        let bindings = program.nests.iter().map(|_| Bindings::default()).collect();
        Ok(Compiled { program, folds, bindings, nests, level, jit, native, listener, apart })
    }

    /// The kernel with nests that nothing of holds for being by rows: each goes the way that is best for it.
    pub(super) fn apart(&self) -> &Compiled {
        self.apart.get_or_init(|| {
            let program = Program { by_rows: false, ..self.program.clone() };
            let nests = program.nests.iter().map(|_| RwLock::default()).collect();
            let (folds, native) = (self.folds.clone(), self.native.clone());
            let (level, jit, listener) = (self.level, self.jit, self.listener.clone());
            let apart = OnceLock::new();
            let bindings = program.nests.iter().map(|_| Bindings::default()).collect();
            Box::new(Compiled {
                program,
                folds,
                bindings,
                nests,
                level,
                jit,
                native,
                listener,
                apart,
            })
        })
    }

    /// Tells whoever wants to know how a nest goes through memory.
    pub(super) fn tell(&self, nest: usize, bound: &Bound<'_>) {
        if let Some((kernel, listener)) = &self.listener {
            listener.tell_schedule(kernel, nest, Schedule::of(bound));
        }
    }

    /// The code of a nest for a layout and for the traffic that machine code makes where it can, made at the first
    /// call.
    pub(super) fn specialised(
        &self,
        nest: usize,
        layout: &Layout,
        traffic: Traffic,
    ) -> Result<Arc<Specialised>, Fault> {
        let traffic = if self.jit.is_some() { traffic } else { Traffic::default() };
        let is_it = |s: &&Arc<Specialised>| s.traffic == traffic && s.layout == *layout;
        let known = self.nests[nest].read().unwrap_or_else(|e| e.into_inner());
        if let Some(found) = known.iter().find(is_it) {
            return Ok(found.clone());
        }
        // Of places that change from launch to launch there would be more and more.
        let others = known.iter().filter(|s| s.layout == *layout).count();
        drop(known);
        if others >= MOST_PATTERNS && traffic.neighbours != Neighbours::default() {
            let traffic = Traffic { neighbours: Neighbours::default(), ..traffic };
            return self.specialised(nest, layout, traffic);
        }
        let body = &self.program.nests[nest];
        let code = specialise(&self.program, body, layout);
        // Of two threads that come here at once, one makes the code.
        let mut known = self.nests[nest].write().unwrap_or_else(|e| e.into_inner());
        if let Some(found) = known.iter().find(is_it) {
            return Ok(found.clone());
        }
        let list = self.listener.is_some();
        let mut machine = Machine::new(&code, body, layout, self.jit, traffic, list)?;
        if let Some((kernel, listener)) = &self.listener {
            let functions = std::mem::take(&mut machine.functions);
            let (kernel, layout, code) = (kernel.clone(), layout.clone(), code.clone());
            listener.tell(&Listing { kernel, nest, layout, code, functions });
        }
        machine.coverage.count(&mut self.native.lock().unwrap_or_else(PoisonError::into_inner));
        let made = Arc::new(Specialised { layout: layout.clone(), traffic, code, machine });
        known.push(made.clone());
        Ok(made)
    }
}

/// Codes of a layout of a nest, at most, that are made for how far its accesses are apart in their rows.
pub(super) const MOST_PATTERNS: usize = 8;

fn fold_loops(program: &Program, nest: &Nest) -> Result<Arc<[FoldLoops]>, Fault> {
    let items = nest.fold.iter().flat_map(|fold| &fold.items);
    let loops = items.map(|item| {
        let dtype = program.dtypes[item.value.0 as usize];
        let folding = find_folding(item.reducer, dtype)
            .ok_or_else(|| Fault::Compile(format!("{} of {dtype}", item.reducer)))?;
        let bits = |empty: bool| {
            let (value, _) = item.reducer.start(dtype, empty);
            value.bits()
        };
        let (size, indexed) = (dtype.size(), item.index.is_some());
        let (start, empty) = (bits(false), bits(true));
        Ok(FoldLoops { folding, size, indexed, start, empty })
    });
    loops.collect()
}
