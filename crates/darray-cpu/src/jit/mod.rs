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
mod columns;
mod emit;
mod encode;
mod instruction;
mod lane;
mod legalise;
mod listings;
mod lower;
mod memory;
mod neighbours;
#[cfg(test)]
mod path_counters;
mod points;
mod run;
mod schedule;
mod target;
#[cfg(test)]
mod tests;
mod tiles;
mod whole_leaves;
mod whole_rows;

use allocate::{Accumulators, Allocated};
use darray_codegen::{FoldMode, Instruction, Slot, StrideClass};
use emit::{Code, Emitted, Note, Pointers};
use memory::Executable;
pub(crate) use neighbours::{Neighbour, Neighbours};
#[cfg(test)]
pub(crate) use path_counters::PathCounter;
pub(crate) use points::Across;
pub(crate) use run::{Course, Folded, Place, RowsOf, Run, Traffic, is_in, written_access};
use schedule::Overlapped;
use smallvec::SmallVec;
pub(crate) use target::Target;
pub(crate) use tiles::{COLUMNS, least_points};

/// A compiled run of instructions.
pub(crate) struct Native {
    memory: Executable,
    start: usize,
    notes: Box<[(u32, Note)]>,
    /// The function for rows of so many elements, see [`Traffic::short`].
    short: Option<(usize, Box<Native>)>,
    /// The same for so many leaves side by side.
    wide: Option<(usize, Box<Native>)>,
    /// The functions for whole leaves, see [`Traffic::whole`]: each for some of the folds.
    whole: Box<[Native]>,
    /// Of a function for whole leaves that is one of several and takes one fold: the pointer of its values, and the one that nothing
    /// changes any more.
    decides: Option<(u16, bool)>,
    /// The function for leaves of so many points, see [`Traffic::tiles`].
    tiles: Option<(usize, Box<Native>)>,
    /// The function for rows of many kept points, see [`Traffic::columns`].
    columns: Option<Box<Native>>,
    /// The function for several leaves of eight such rows.
    column_leaves: Option<Box<Native>>,
    /// The function for points that are rows of memory, see [`Traffic::across`], and what it reads at once.
    across: Option<(Across, Box<Native>)>,
}

/// Points that functions of [several leaves](Native::run_column_leaves) of columns take at least: no round is longer.
pub(crate) const LEAST_POINTS: usize = 64;

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
        if let Some((points, tiles)) = tiles::compile(run, target) {
            native.tiles = Some((points, Box::new(Native::of(tiles)?)));
        } else if let Some(short) = compile_short(run, target, 1) {
            let row = usize::from(run.traffic.short);
            native.short = Some((row, Box::new(Native::of(short)?)));
            for leaves in (2..=run.traffic.leaves).rev() {
                if let Some(wide) = compile_short(run, target, leaves) {
                    native.wide = Some((usize::from(leaves), Box::new(Native::of(wide)?)));
                    break;
                }
            }
        }
        let whole = whole_rows::compile(run, target).into_iter();
        let whole = whole.map(|(code, decides)| Some(Native { decides, ..Native::of(code)? }));
        native.whole = whole.collect::<Option<_>>()?;
        if let Some((columns, leaves)) = columns::compile(run, target) {
            native.columns = Some(Box::new(Native::of(columns)?));
            if let Some(leaves) = leaves {
                native.column_leaves = Some(Box::new(Native::of(leaves)?));
            }
        }
        if let Some((reads, across)) = points::compile(run, target) {
            native.across = Some((reads, Box::new(Native::of(across)?)));
        }
        Some(native)
    }

    /// A function from its bytes.
    fn of(Emitted { bytes, start, notes }: Emitted) -> Option<Native> {
        let memory = Executable::new(&bytes)?;
        Some(Native {
            memory,
            start,
            notes: notes.into(),
            short: None,
            wide: None,
            whole: Box::default(),
            decides: None,
            tiles: None,
            columns: None,
            column_leaves: None,
            across: None,
        })
    }

    /// Points of the function for leaves that are transposed in registers, see [`Traffic::tiles`], if there is one.
    pub fn points_of_tiles(&self) -> Option<usize> {
        self.tiles.as_ref().map(|&(points, _)| points)
    }

    /// Folds so many leaves, one at least, of [so many](Self::points_of_tiles) points to values behind one another where the
    /// accumulators are said to be. In `steps` stand bytes from point to point of the accesses, one more, tiles of a leaf, and
    /// the bits of the number of a leaf, 0 being that of the first, that count: if the lowest ones are set, its value is
    /// combined with the one before, once for each.
    ///
    /// # Safety
    /// As for [`run`](Self::run), of all points; there is room for the values.
    pub unsafe fn run_tiles(&self, pointers: &mut [*mut u8], leaves: usize, steps: &[isize]) {
        debug_assert!(leaves > 0 && steps[steps.len() - 2] > 0);
        let (points, tiles) = self.tiles.as_ref().expect("`points_of_tiles` found it");
        #[cfg(test)]
        PathCounter::TiledLeaves.add(leaves);
        // SAFETY: the caller's contract.
        unsafe { tiles.call(pointers, *points, leaves, steps) };
    }

    /// Runs on `rows` [short](Self::short) rows of each of so many leaves, one at least, one leaf after the other, whose rows
    /// follow one another; `steps` as for [`run_leaves`](Self::run_leaves).
    ///
    /// # Safety
    /// As for [`run_rows`](Self::run_rows), of every leaf.
    pub unsafe fn run_in_turn(
        &self,
        pointers: &mut [*mut u8],
        rows: usize,
        leaves: usize,
        steps: &[isize],
    ) {
        debug_assert!(rows > 0 && leaves > 0);
        let (_, short) = self.short.as_ref().expect("`short` found it");
        #[cfg(test)]
        PathCounter::LeavesInTurn.add(leaves);
        // SAFETY: the caller's contract.
        unsafe { short.call(pointers, leaves, rows, steps) };
    }

    /// Leaves that [`run_leaves`](Self::run_leaves) takes; 1 where there is no such function.
    pub fn leaves(&self) -> usize {
        self.wide.as_ref().map_or(1, |&(leaves, _)| leaves)
    }

    /// Runs on `rows` [short](Self::short) rows of each of so many [leaves](Self::leaves). Behind the steps of the rows,
    /// those of the accesses, of the first index and of the accumulators from leaf to leaf stand in `steps`.
    ///
    /// # Safety
    /// As for [`run_rows`](Self::run_rows), of every leaf.
    pub unsafe fn run_leaves(&self, pointers: &mut [*mut u8], rows: usize, steps: &[isize]) {
        debug_assert!(rows > 0);
        let (_, wide) = self.wide.as_ref().expect("`short` found it");
        // SAFETY: the caller's contract.
        unsafe { wide.call(pointers, self.short(), rows, steps) };
    }

    /// Whether it has a function of columns, see [`Traffic::columns`].
    pub fn has_columns(&self) -> bool {
        self.columns.is_some()
    }

    /// Runs on `rows` rows, one at least, of `n` elements each, all rows of a line of elements before the next line; the rows
    /// lie so many `steps` apart. Behind the steps of the accesses and of a first index stands 1 where the rows are the first
    /// ones, so that accumulators begin with the identity, else 0. The table remains as it is.
    ///
    /// # Safety
    /// As for [`run_rows`](Self::run_rows).
    pub unsafe fn run_columns(
        &self,
        pointers: &mut [*mut u8],
        n: usize,
        rows: usize,
        steps: &[isize],
    ) {
        debug_assert!(rows > 0);
        let columns = self.columns.as_ref().expect("`has_columns` found it");
        #[cfg(test)]
        PathCounter::RowsOfColumns.add(rows);
        // SAFETY: the caller's contract.
        unsafe { columns.call(pointers, n, rows, steps) };
    }

    /// Whether there is a function of [several leaves](Self::run_column_leaves) of columns.
    pub fn has_column_leaves(&self) -> bool {
        self.column_leaves.is_some()
    }

    /// Folds so many leaves of [eight rows](Self::run_columns) that follow one another for `n` points to the accumulators: they
    /// are a whole subtree. What waits on the way is in vectors behind the accumulators. Accesses of the table move to the leaf
    /// behind these.
    ///
    /// # Safety
    /// As for [`run`](Self::run), of every row, and there is a vector for each level of the subtree. There are
    /// [so many](LEAST_POINTS) points at least and a power of two of leaves. In `steps` stand those of each access and of positions,
    /// anything, and the bytes from a vector to the next.
    pub unsafe fn run_column_leaves(
        &self,
        pointers: &mut [*mut u8],
        n: usize,
        leaves: usize,
        steps: &[isize],
    ) {
        debug_assert!(leaves.is_power_of_two() && n >= LEAST_POINTS);
        let function = self.column_leaves.as_ref().expect("`has_column_leaves` found it");
        #[cfg(test)]
        PathCounter::RowsOfColumns.add(8 * leaves);
        #[cfg(test)]
        PathCounter::SubtreesOfColumns.add(1);
        // SAFETY: the caller's contract.
        unsafe { function.call(pointers, n, leaves, steps) };
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
    /// read, whatever they are. What is written past the caches begins a cache line.
    pub unsafe fn run_across(&self, pointers: &mut [*mut u8], n: usize, steps: &[isize]) {
        let (reads, across) = self.across.as_ref().expect("`across` found it");
        debug_assert!(n > 0 && n.is_multiple_of(reads.points));
        #[cfg(test)]
        PathCounter::PointsAcross.add(n);
        // SAFETY: the caller's contract.
        unsafe { across.call(pointers, n, 1, steps) };
    }

    /// Elements of a row that there is a function of its own for, see [`Traffic::short`]; 0 without one.
    pub fn short(&self) -> usize {
        self.short.as_ref().map_or(0, |&(row, _)| row)
    }

    /// Runs on `rows` rows, one at least, of `n` elements each. Behind every row but the last it moves the accesses in
    /// the table by their `steps`, but for those of [short](Self::short) rows, whose steps have that of the first
    /// index behind them where a fold keeps one. Cells that are [counted](Traffic::counted) grow.
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
        // A function for short rows is told of leaves, not of elements.
        let (function, n) = match &self.short {
            Some((row, short)) if *row == n => (&**short, 1),
            _ => (self, n),
        };
        // SAFETY: the caller's contract.
        unsafe { function.call(pointers, n, rows, steps) };
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
    let mut abreast = groups;
    if run.traffic.ahead.is_power_of_two() {
        let along_points = run.folds.iter().any(|fold| fold.mode == FoldMode::Kept);
        (groups, abreast) = target.groups_of_lines(&nodes, groups, along_points);
    }
    if nodes.iter().any(|node| matches!(node.op, lane::Op::Held(_))) {
        // A round of the loop takes an element for each accumulator.
        groups = (Folded::LANES / width) as u8;
        abreast = target.groups_of_round(&nodes, groups);
    }
    let mut abreast = abreast.min(groups);
    let held: usize = run.folds.iter().map(|fold| fold.registers(target)).sum();
    let (accumulators, free) = match (1..=target.held()).contains(&held) {
        true => (Accumulators::InRegisters, target.vectors().len() - held),
        false => (Accumulators::InMemory, target.vectors().len()),
    };
    // It costs a seventh of the time to compile: where a launch takes a millisecond.
    let is_large = run.traffic.ahead != 0;
    let overlapped = if is_large { schedule::overlap(&nodes, target) } else { None };
    if overlapped.is_some() {
        (groups, abreast) = (target.groups_of_overlapping(), target.groups_of_overlapping());
    }
    let is_overlapped = overlapped.is_some();
    let code = |nodes: &[lane::Node], order: Option<&[lane::Value]>, accumulators| {
        let mut all = lane::abreast(nodes, order, groups, abreast);
        if target.shares_loads() && !is_overlapped {
            let place = |access| (run.pointer)(Place::Slot(Slot::Access(access)));
            all = run.traffic.neighbours.share(all, width, place);
        }
        allocate::allocate(&all, width, target, accumulators)
    };
    let order = |nodes: &[lane::Node]| schedule::order(nodes, target, abreast, free);
    let alone =
        |nodes: &[lane::Node]| allocate::allocate(nodes, width, target, Accumulators::InMemory);
    let (first, main, rest) = match overlapped {
        Some(Overlapped { first, round }) => {
            let main = code(&round, order(&round).as_deref(), accumulators);
            (code(&first, None, Accumulators::InMemory), main, alone(&nodes))
        }
        None => {
            let order = order(&nodes);
            let rest = match &order {
                Some(order) => alone(&lane::abreast(&nodes, Some(order), 1, 1)),
                None => alone(&nodes),
            };
            (Allocated::default(), code(&nodes, order.as_deref(), accumulators), rest)
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

/// The function for short rows of so many leaves, if the run folds and there are to be any: with all accumulators in
/// registers.
fn compile_short(run: &Run<'_>, target: Target, leaves: u8) -> Option<Emitted> {
    let row = usize::from(run.traffic.short);
    if row == 0 || run.folds.is_empty() {
        return None;
    }
    let nodes = nodes(lower::lower_short(run, target), target);
    let width = lane::width(&nodes, target.bytes());
    let groups = row.div_ceil(width) as u8;
    let held = nodes.iter().filter(|node| matches!(node.op, lane::Op::Held(_))).count();
    if held * usize::from(groups) * usize::from(leaves) > target.held() {
        return None;
    }
    let abreast = target.groups_of_round(&nodes, groups);
    let mut all = lane::abreast(&nodes, None, groups, abreast.min(groups));
    let kinds = pointers(run);
    if leaves > 1 {
        if !emit::may_have_leaves(&kinds) {
            return None;
        }
        all = lane::leaves(&all, leaves, |op, leaf| emit::of_leaf(op, leaf, &kinds));
    }
    let main = allocate::allocate(&all, width, target, Accumulators::InRegisters);
    emit::emit_short(&main, (row, leaves), width, target, kinds)
}

/// What is needed of lowered code, in operations that the target has.
fn nodes(body: lane::Body, target: Target) -> Vec<lane::Node> {
    let nodes = body.used();
    if target == Target::Avx2 { legalise::legalise(&nodes) } else { nodes }
}

/// What kinds there are of the pointers of a run.
fn pointers(run: &Run<'_>) -> Pointers {
    let place = |access| (run.pointer)(Place::Slot(Slot::Access(access)));
    let cell = |cell| (run.pointer)(Place::Slot(Slot::Cell(cell)));
    Pointers {
        accesses: run.accesses.clone(),
        past: run.written_past().map(place).collect(),
        ahead: run.asked_for_ahead().map(place).collect(),
        backward: (0..64).filter(|&k| is_in(run.traffic.backward, k)).map(place).collect(),
        counted: (0..64).filter(|&k| is_in(run.traffic.counted, k)).map(cell).collect(),
        short_rows: run.traffic.short_rows,
        tiles: run.traffic.course == Course::Tiles,
        back: run.traffic.back,
        long: run.traffic.long,
        in_order: run.traffic.in_order,
        position: run
            .folds
            .iter()
            .any(|fold| fold.reducer.has_index())
            .then(|| (run.pointer)(Place::Position)),
        by_rounds: run.folds.iter().any(|fold| fold.mode == FoldMode::Lanes),
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
