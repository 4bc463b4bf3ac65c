//! The code of a kernel: its program, and what its nests became for each layout.

mod coverage;
pub(super) mod machine;
mod one_list;
pub(super) mod operations;
mod points;
mod resolve;
mod runs;
mod table;

use super::schedule::Schedule;
use super::schedule::summary::{CodeSummary, NestSummary, PointsSummary};
use crate::jit::{Neighbours, Target, Traffic};
use crate::level::Level;
use crate::listing::{Listener, Listing};
use crate::vector::{FoldInAnyOrder, Folding, SearchColumns, find_any_order, find_folding};
use darray_codegen::{Code, FoldSource, Layout, Nest, Program, Slot, lower, specialise};
use darray_device::{Fault, NativeStats};
use darray_kernel::ir::Kernel;
use machine::Machine;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// A compiled kernel: its program, and for every nest the code of each layout met so far.
pub(super) struct Codes {
    pub program: Program,
    pub nests: Vec<NestCodes>,
    pub level: Level,
    target: Option<Target>,
    /// The device's.
    native: Arc<Mutex<NativeStats>>,
    /// The kernel's text, and who is told what becomes of it.
    listener: Option<(String, Listener)>,
}

/// What is known of a nest, and its codes.
pub(super) struct NestCodes {
    pub summary: NestSummary,
    pub folds: Arc<[FoldLoops]>,
    codes: RwLock<Vec<Arc<Specialised>>>,
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
    /// Where values come with their index, which accumulators have then, the loops for elements side by side that one accumulator
    /// takes, and for such that have one each.
    pub search: Option<(FoldInAnyOrder, SearchColumns)>,
    /// Bytes of a value.
    pub size: usize,
    /// What accumulators start from, as bits: of a domain with elements, and of an empty one.
    pub start: u64,
    pub empty: u64,
}

impl Codes {
    /// Compiles a verified kernel.
    ///
    /// `native` counts nests as they get their code, and `listener` is told.
    pub fn new(
        kernel: &Kernel,
        level: Level,
        target: Option<Target>,
        native: Arc<Mutex<NativeStats>>,
        listener: Option<&Listener>,
    ) -> Result<Codes, Fault> {
        let program = lower(kernel).map_err(|error| Fault::Compile(error.to_string()))?;
        let folds = program.nests.iter().map(|nest| fold_loops(&program, nest, level));
        let folds = folds.collect::<Result<Vec<_>, _>>()?;
        let listener = listener.map(|listener| (kernel.to_string(), listener.clone()));
        Ok(Codes::of(program, folds, level, target, native, listener))
    }

    /// The kernel with nests that nothing of holds for being by rows: each is scheduled as is best for it.
    pub fn apart(&self) -> Codes {
        let program = Program { by_rows: false, ..self.program.clone() };
        let folds = self.nests.iter().map(|nest| nest.folds.clone()).collect();
        let (native, listener) = (self.native.clone(), self.listener.clone());
        Codes::of(program, folds, self.level, self.target, native, listener)
    }

    fn of(
        program: Program,
        folds: Vec<Arc<[FoldLoops]>>,
        level: Level,
        target: Option<Target>,
        native: Arc<Mutex<NativeStats>>,
        listener: Option<(String, Listener)>,
    ) -> Codes {
        let nests = program.nests.iter().zip(folds).map(|(nest, folds)| NestCodes {
            summary: NestSummary::new(&program, nest, level, target),
            folds,
            codes: RwLock::default(),
        });
        Codes { nests: nests.collect(), program, level, target, native, listener }
    }

    /// Tells whoever wants to know how a nest goes through memory.
    pub fn tell(&self, nest: usize, schedule: &Schedule) {
        if let Some((kernel, listener)) = &self.listener {
            listener.tell_schedule(kernel, nest, schedule);
        }
    }

    /// The code of a nest for a layout and for the traffic that machine code makes where it can, made at the first
    /// call.
    pub fn specialised(
        &self,
        nest: usize,
        layout: &Layout,
        traffic: Traffic,
    ) -> Result<Arc<Specialised>, Fault> {
        let is_it = |s: &&Arc<Specialised>| s.traffic == traffic && s.layout == *layout;
        let known = self.nests[nest].codes.read().unwrap_or_else(|e| e.into_inner());
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
        let mut known = self.nests[nest].codes.write().unwrap_or_else(|e| e.into_inner());
        if let Some(found) = known.iter().find(is_it) {
            return Ok(found.clone());
        }
        let list = self.listener.is_some();
        let mut machine = Machine::new(&code, body, layout, self.target, traffic, list)?;
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

impl Specialised {
    /// What schedules depend on of it.
    pub fn summary(&self) -> CodeSummary {
        let Specialised { code, machine, layout, .. } = self;
        CodeSummary {
            registers: machine.registers.into(),
            element: code.element,
            before: machine.before.len(),
            has_rows: machine.before_alone.is_some(),
            indexed: machine.indexed,
            non_temporal: machine.non_temporal,
            copied: machine.copied(),
            copy: machine.copy(layout.classes.len()),
            points: machine.points.map(|points| PointsSummary {
                is_one_element: points.elements == 1,
                stores: points.stores,
                is_across: machine.points_across().is_some(),
            }),
            has_fold: machine.fold_function.is_some(),
            computes: !machine.fold.is_empty(),
            taken: code.sources.iter().map(taken).collect(),
            kept: code.kept.len(),
        }
    }
}

/// The access that a fold takes elements of as they are.
pub(super) fn taken(source: &FoldSource) -> Option<u16> {
    match source.value {
        Slot::Access(access) => Some(access),
        _ => None,
    }
}

impl FoldLoops {
    /// Whether values come with their index.
    pub fn indexed(&self) -> bool {
        self.search.is_some()
    }
}

/// Codes of a layout of a nest, at most, that are made for how far its accesses are apart in their rows.
pub(super) const MOST_PATTERNS: usize = 8;

fn fold_loops(program: &Program, nest: &Nest, level: Level) -> Result<Arc<[FoldLoops]>, Fault> {
    let items = nest.fold.iter().flat_map(|fold| &fold.items);
    let loops = items.map(|item| {
        let dtype = program.dtypes[item.value.0 as usize];
        let undefined = || Fault::Compile(format!("{} of {dtype}", item.reducer));
        let folding = find_folding(item.reducer, dtype).ok_or_else(undefined)?;
        let bits = |empty: bool| {
            let (value, _) = item.reducer.start(dtype, empty);
            value.bits()
        };
        let (start, empty) = (bits(false), bits(true));
        let search = match item.index {
            Some(_) => {
                let loops = find_any_order(item.reducer, dtype, level);
                let search = loops.and_then(|loops| Some((loops.row, loops.columns?)));
                Some(search.ok_or_else(undefined)?)
            }
            None => None,
        };
        Ok(FoldLoops { folding, search, size: dtype.size(), start, empty })
    });
    loops.collect()
}
