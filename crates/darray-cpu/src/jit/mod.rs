//! Machine code for runs of instructions, x86-64 with AVX2 or AVX-512.
//!
//! ```text
//! [Instruction] --lower--> Body --legalise--> Body --schedule--> Body --allocate--> Allocated --emit--> bytes --> Native
//! ```
//!
//! What stands in block-sized registers between instructions stays in the processor's registers; only
//! memory operands and registers that others read are loaded and stored. Operators and functions are
//! those of the operator table, step by step but for operations that are known to give the same bits, so the bits are
//! those of the vector loops.

mod allocate;
mod call;
mod emit;
mod encode;
mod fold;
mod instruction;
mod lane;
mod lower;
mod native;
mod passes;
mod points;
mod run;
mod target;
#[cfg(test)]
mod tests;

use allocate::{Accumulators, Allocated};
use darray_codegen::{FoldMode, Instruction, Slot, StrideClass};
use emit::{Code, Emitted, Note, Pointers};
use native::memory::Executable;
#[cfg(test)]
pub(crate) use native::path_counters::PathCounter;
use passes::legalise;
pub(crate) use passes::neighbours::{Neighbour, Neighbours};
use passes::schedule::{self, Overlapped};
pub(crate) use points::Across;
pub(crate) use run::{Course, Folded, Place, Run, Traffic, is_in, written_access};
use smallvec::SmallVec;
use std::ops::Range;
pub(crate) use target::Target;

/// A compiled run of instructions.
pub(crate) struct Native {
    memory: Executable,
    start: usize,
    notes: Box<[(u32, Note)]>,
    /// The function for points that are rows of memory, see [`Traffic::across`], and what it reads at once.
    across: Option<(Across, Box<Native>)>,
    /// Of a fold, the functions for items that this one does not fold.
    folds: Option<Box<Folds>>,
}

/// Functions that fold other items of the same elements.
struct Folds {
    /// With the number of the first item of each.
    others: Vec<(u16, Native)>,
    /// Where accesses stand in the pointer table.
    accesses: Range<u16>,
}

/// The pointer table, elements, rows, and bytes from row to row; see [`Native::run_rows`].
#[cfg(target_arch = "x86_64")]
type Entry = unsafe extern "sysv64" fn(*mut *mut u8, usize, usize, *const isize);
/// No code is made for other processors.
#[cfg(not(target_arch = "x86_64"))]
type Entry = unsafe extern "C" fn(*mut *mut u8, usize, usize, *const isize);

impl Native {
    /// Compiles a run; none where the system gives no memory for code.
    pub fn new(run: &Run<'_>, target: Target) -> Option<Native> {
        let mut native = Native::of(compile(run, target))?;
        if let Some((reads, across)) = points::compile(run, target) {
            native.across = Some((reads, Box::new(Native::of(across)?)));
        }
        Some(native)
    }

    /// A function from its bytes.
    fn of(Emitted { bytes, start, notes }: Emitted) -> Option<Native> {
        let memory = Executable::new(&bytes)?;
        Some(Native { memory, start, notes: notes.into(), across: None, folds: None })
    }

    /// What the function for points that are rows of memory reads at once, if there is one, see [`Traffic::across`].
    pub fn across(&self) -> Option<Across> {
        self.across.as_ref().map(|&(reads, _)| reads)
    }

    /// Folds `n` points, a multiple of [those of a round](Across::points), of which the accesses that are rows of memory
    /// lie so many `steps` apart.
    ///
    /// # Safety
    /// As for [`run`](Self::run), of all elements of a point, and [so many bytes](Across::beyond) behind each point can be
    /// read, whatever they are. What is written by non-temporal stores begins a cache line.
    pub unsafe fn run_across(&self, pointers: &mut [*mut u8], n: usize, steps: &[isize]) {
        let (reads, across) = self.across.as_ref().expect("`across` found it");
        debug_assert!(n > 0 && n.is_multiple_of(reads.points));
        #[cfg(test)]
        PathCounter::PointsAcross.add(n);
        // SAFETY: the caller's contract.
        unsafe { across.call(pointers, n, 1, steps) };
    }

    /// Runs on `rows` rows, one at least, of `n` elements each. Behind every row but the last it moves the accesses in
    /// the table by their `steps`. Cells that are [counted](Traffic::counted) grow.
    ///
    /// # Safety
    /// As for [`run`](Self::run), of every row; there is a step for each access.
    pub unsafe fn run_rows(
        &self,
        pointers: &mut [*mut u8],
        n: usize,
        rows: usize,
        steps: &[isize],
    ) {
        debug_assert!(rows > 0);
        // SAFETY: the caller's contract.
        unsafe { self.call(pointers, n, rows, steps) };
    }

    /// Calls the function.
    ///
    /// # Safety
    /// As for the one it is called for.
    unsafe fn call(&self, pointers: &mut [*mut u8], n: usize, rows: usize, steps: &[isize]) {
        // SAFETY: the bytes at `start` are a function of this type; the rest is the caller's contract.
        unsafe {
            let code: Entry = std::mem::transmute(self.memory.at(self.start));
            code(pointers.as_mut_ptr(), n, rows, steps.as_ptr());
        }
    }

    /// A function that folds, if the run can have one: see [`run_fold`](Self::run_fold). Where registers do not have the accumulators
    /// of all items, it is one for each of some of them, if what they take is cheap.
    pub fn of_fold(
        run: &Run<'_>,
        items: &[Folded],
        mode: FoldMode,
        target: Target,
    ) -> Option<Native> {
        let mut all = Vec::new();
        Native::add_folds(&mut all, run, items, (mode, target))?;
        let mut all = all.into_iter();
        let (_, mut first) = all.next()?;
        first.folds = (all.len() > 0)
            .then(|| Folds { others: all.collect(), accesses: run.accesses.clone() })
            .map(Box::new);
        Some(first)
    }

    /// Adds functions for some items of a fold, that have numbers one behind the other, with the number of the first item of each.
    fn add_folds(
        all: &mut Vec<(u16, Native)>,
        run: &Run<'_>,
        items: &[Folded],
        (mode, target): (FoldMode, Target),
    ) -> Option<()> {
        let first = items.first()?.item;
        let numbered = items.iter().map(|fold| Folded { item: fold.item - first, ..*fold });
        let pointer = |place| match place {
            Place::Folded(item) => (run.pointer)(Place::Folded(first + item)),
            other => (run.pointer)(other),
        };
        let of_items = Run { accesses: run.accesses.clone(), pointer: &pointer, ..*run };
        let numbered: Vec<Folded> = numbered.collect();
        if let Some(code) = fold::compile(&of_items, &numbered, mode, target) {
            all.push((first, Native::of(code)?));
            return Some(());
        }
        let is_simple = |one: &Instruction| match one {
            Instruction::Compute { primitive, .. } => {
                !primitive.is_costly() && written_access(one).is_none()
            }
            Instruction::Gather { .. } | Instruction::Fill { .. } | Instruction::Iota { .. } => {
                true
            }
            _ => false,
        };
        if items.len() == 1 || !run.instructions.iter().all(is_simple) {
            return None;
        }
        let (front, back) = items.split_at(items.len().div_ceil(2));
        Native::add_folds(all, run, front, (mode, target))?;
        Native::add_folds(all, run, back, (mode, target))
    }

    /// Folds `n` elements of each of so many leaves, one behind the other at each place that values are said to be at, which moves; or
    /// by kept points, so many rows, one at least, of `n` points each. In `steps` stand the bytes of each access from leaf to leaf, or
    /// from row to row. Accesses in the table may move.
    ///
    /// # Safety
    /// As for [`run`](Self::run), of all elements; there is room for the values.
    pub unsafe fn run_fold(
        &self,
        pointers: &mut [*mut u8],
        n: usize,
        times: usize,
        steps: &[isize],
    ) {
        debug_assert!(n > 0 && times > 0);
        // SAFETY: the caller's contract; each function has the accesses where the first one had them.
        unsafe {
            let Some(folds) = &self.folds else { return self.call(pointers, n, times, steps) };
            let accesses = usize::from(folds.accesses.start)..usize::from(folds.accesses.end);
            let places: SmallVec<[*mut u8; 8]> = pointers[accesses.clone()].into();
            self.call(pointers, n, times, steps);
            for (_, other) in &folds.others {
                pointers[accesses.clone()].copy_from_slice(&places);
                other.call(pointers, n, times, steps);
            }
        }
    }

    /// Runs on `n` elements.
    ///
    /// # Safety
    /// This machine has the instructions of the target. `pointers` has an entry for every place of the run: uniform
    /// operands, accumulators and `n` elements of the others can be read there, results written. What is written past
    /// the caches begins a cache line, or there are less than 16 elements.
    #[inline]
    pub unsafe fn run(&self, pointers: *const *mut u8, n: usize) {
        // SAFETY: the bytes at `start` are a function of this type.
        unsafe {
            let function: Entry = std::mem::transmute(self.memory.at(self.start));
            // With one row nothing is moved.
            function(pointers.cast_mut(), n, 1, std::ptr::null());
        }
    }
}

/// A run as bytes.
fn compile(run: &Run<'_>, target: Target) -> Emitted {
    let nodes = nodes(lower::lower(run, target), target);
    let width = lane::width(&nodes, target.bytes());
    let mut groups = target.groups(&nodes);
    let mut jam = groups;
    if run.traffic.prefetched.is_power_of_two() {
        (groups, jam) = target.groups_of_lines(&nodes, groups);
    }
    let mut jam = jam.min(groups);
    let free = target.vectors().len();
    // It costs a seventh of the time to compile: where a launch takes a millisecond.
    let is_large = run.traffic.prefetched != 0;
    let overlapped = if is_large { schedule::overlap(&nodes, target) } else { None };
    if overlapped.is_some() {
        (groups, jam) = (target.groups_of_overlapping(), target.groups_of_overlapping());
    }
    let is_overlapped = overlapped.is_some();
    let code = |nodes: &[lane::Node], order: Option<&[lane::Value]>| {
        let mut all = lane::jammed(nodes, order, groups, jam);
        if target.shares_loads() && !is_overlapped {
            let place = |access| (run.pointer)(Place::Slot(Slot::Access(access)));
            all = run.traffic.neighbours.share(all, width, place);
        }
        allocate::allocate(&all, width, target, Accumulators::None)
    };
    let order = |nodes: &[lane::Node]| schedule::order(nodes, target, jam, free);
    let alone = |nodes: &[lane::Node]| allocate::allocate(nodes, width, target, Accumulators::None);
    let (first, main, rest) = match overlapped {
        Some(Overlapped { first, round }) => {
            let main = code(&round, order(&round).as_deref());
            (code(&first, None), main, alone(&nodes))
        }
        None => {
            let order = order(&nodes);
            let rest = match &order {
                Some(order) => alone(&lane::jammed(&nodes, Some(order), 1, 1)),
                None => alone(&nodes),
            };
            (Allocated::default(), code(&nodes, order.as_deref()), rest)
        }
    };
    emit::emit(
        &Code { main: &main, rest: &rest, first: &first },
        groups,
        width,
        target,
        pointers(run),
    )
}

/// What is needed of lowered code, in operations that the target has.
fn nodes(body: lane::Body, target: Target) -> Vec<lane::Node> {
    legal(body.used(), target)
}

/// Operations that the target has.
fn legal(nodes: Vec<lane::Node>, target: Target) -> Vec<lane::Node> {
    if target == Target::Avx2 { legalise::legalise(&nodes) } else { nodes }
}

/// What kinds there are of the pointers of a run.
fn pointers(run: &Run<'_>) -> Pointers {
    let place = |access| (run.pointer)(Place::Slot(Slot::Access(access)));
    let cell = |cell| (run.pointer)(Place::Slot(Slot::Cell(cell)));
    Pointers {
        accesses: run.accesses.clone(),
        non_temporal: run.written_non_temporal().map(place).collect(),
        prefetched: run.prefetched().map(place).collect(),
        backward: (0..64).filter(|&k| is_in(run.traffic.backward, k)).map(place).collect(),
        counted: (0..64).filter(|&k| is_in(run.traffic.counted, k)).map(cell).collect(),
        short_rows: run.traffic.short_rows,
        tiles: run.traffic.course == Course::Tiles,
    }
}

/// Whether an instruction can be part of a run, behind those that write the slots `computed`. `classes` says how accesses move.
pub(crate) fn can_compile(
    instruction: &Instruction,
    classes: &[StrideClass],
    computed: &[Slot],
) -> bool {
    lower::can_lower(instruction, classes, computed)
}

/// Bytes of an element of everything that an instruction reads, in the order of [`Instruction::reads`], and of
/// what it writes.
pub(crate) fn element_sizes(instruction: &Instruction) -> (SmallVec<[usize; 5]>, usize) {
    lower::element_sizes(instruction)
}
