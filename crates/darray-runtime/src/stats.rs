//! What a runtime counts.

use darray_device::{GraphStats, NativeStats, ProductStats, RowStats};
use darray_fusion::plan::{Boundary, Level, Reason, Rule};

/// Counts of a runtime since it was made or since they were reset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Index tasks flushed.
    pub tasks: u64,
    /// Of these, tasks that were not run since nobody needs what they give: no handle, no later task, or only such as compute it for themselves.
    pub tasks_unneeded: u64,
    /// Of these, tasks over no axes, how many more times they were computed than once: kernels computed for themselves what they give.
    pub tasks_replicated: u64,
    /// Tasks that were there again where what they give is read through other maps, instead of storing it.
    pub tasks_inlined: u64,
    /// Copies to second buffers of arrays that are updated in place: of all of one, or of an edge of it.
    pub twins: u64,
    /// Fused tasks that the others became.
    pub fused_tasks: u64,
    /// Kernels launched, one per point.
    pub kernels: u64,
    /// Builtins run: one per point; of a scan three (blocks, carry, add) where the axis is cut, of a
    /// sort two (sort, merge); finish steps of reductions are counted apart.
    pub builtins: u64,
    /// Finish steps of reductions over points.
    pub finishes: u64,
    /// Point tasks of opaque tasks run.
    pub opaque: u64,
    /// Calls of opaque tasks that were made, one a point task, and one more where all of an array was asked for and was
    /// not there; in windows that come again they are there already, unless they took too much memory.
    pub calls_made: u64,
    /// Of the kernels and point tasks, those for which no part of an array had to be looked at: one device uses
    /// all of each.
    pub whole: u64,
    /// Windows whose plan was known.
    pub memo_hits: u64,
    /// Windows that were planned.
    pub memo_misses: u64,
    /// Plans kept now.
    pub memo_entries: u64,
    /// Windows flushed, empty ones not counted.
    pub flushes: u64,
    /// Copies between devices.
    pub copies: u64,
    /// Bytes copied between devices.
    pub bytes_copied: u64,
    /// Bytes of arrays read by the host.
    pub bytes_read: u64,
    /// Times that an operation waited for data before it could be recorded, since the extent of its result depends on them.
    pub extents_read: u64,
    /// Bytes set to 0 because a step used elements that nobody had written.
    pub bytes_cleared: u64,
    /// Instances that moved to a larger block of their device.
    pub moves: u64,
    /// Arrays of which one device was given all, since their parts had become too many to tell apart.
    pub gathered: u64,
    /// Replicas dropped for want of memory.
    pub evictions: u64,
    /// Replicas whose data was moved to the host for want of memory.
    pub staged: u64,
    /// Submissions of which it is not known yet whether they failed; not reset.
    pub in_flight: u64,
    /// Bytes allocated now, over all devices.
    pub bytes_in_use: u64,
    /// Sum over the devices of the most bytes ever allocated at once; not reset.
    pub bytes_peak: u64,
    /// Groups cut in two for want of memory, halves that were cut again counted as well.
    pub fallbacks_memory: u64,
    /// Groups run task by task because a kernel could not be compiled.
    pub fallbacks_compile: u64,
    /// Groups run task by task because one of their inputs carried a failure.
    pub fallbacks_poison: u64,
    /// Tasks of the largest fused task.
    pub largest_group: u64,
    /// Kernels compiled.
    pub compiled: u64,
    /// Compiled kernels kept now, over all devices.
    pub codes: u64,
    /// Loops for which devices woke other threads; small ones run on the thread that submits them.
    pub shared_loops: u64,
    /// What devices recorded and replayed of plans that repeat.
    pub graphs: GraphStats,
    /// How much of the loops that CPU devices made ready is machine code.
    pub native: NativeStats,
    /// How CPU devices ran the nests of kernels by rows: together, which reads once what they share, or not.
    pub rows: RowStats,
    /// Products of matrices by a vendor's library, and those that it did not take.
    pub products: ProductStats,
    /// Why groups ended, over flushed windows.
    pub stops: Stops,
}

impl Stats {
    /// Launches, builtins, finish steps and opaque point tasks together.
    pub fn launches(&self) -> u64 {
        self.kernels + self.builtins + self.finishes + self.opaque
    }

    /// Counts a copy between devices.
    pub(crate) fn copied(&mut self, bytes: u64) {
        self.copies += 1;
        self.bytes_copied += bytes;
    }

    /// Counts a flush of this many tasks by this plan.
    pub(crate) fn flushed(&mut self, tasks: usize, plan: &PlanCounts) {
        self.flushes += 1;
        self.tasks += tasks as u64;
        self.tasks_unneeded += plan.unneeded;
        let given = plan.inlined + plan.twins;
        self.tasks_replicated += plan.tasks + plan.unneeded - given - tasks as u64;
        self.tasks_inlined += plan.inlined;
        self.twins += plan.twins;
        self.fused_tasks += plan.fused_tasks;
        self.largest_group = self.largest_group.max(plan.largest_group);
        self.stops.add(&plan.stops);
    }
}

/// How often each reason ended a group of tasks or of loop nests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stops {
    counts: [[u64; REASONS]; 3],
}

const RULES: [Rule; 7] = [
    Rule::LaunchDomain,
    Rule::TrueDependence,
    Rule::AntiDependence,
    Rule::Reduction,
    Rule::SelfAlias,
    Rule::InjectiveWrite,
    Rule::SingleReduction,
];
/// The rules, then builtin, mode, size, a kernel by rows, opaque, memory, short rows, what lies across and the order.
const REASONS: usize = RULES.len() + 9;

impl Stops {
    /// Of one plan.
    pub fn of(boundaries: &[Boundary]) -> Stops {
        let mut stops = Stops::default();
        for boundary in boundaries {
            let reason = match boundary.reason {
                Reason::Rule(rule, _) => rule as usize,
                Reason::Builtin => RULES.len(),
                Reason::Mode => RULES.len() + 1,
                Reason::Size => RULES.len() + 2,
                Reason::Rows => RULES.len() + 3,
                Reason::Opaque => RULES.len() + 4,
                Reason::Memory => RULES.len() + 5,
                Reason::ShortRows => RULES.len() + 6,
                Reason::Across => RULES.len() + 7,
                Reason::Order => RULES.len() + 8,
            };
            stops.counts[boundary.level as usize][reason] += 1;
        }
        stops
    }

    /// Counts one stop.
    pub(crate) fn count(&mut self, level: Level, rule: Rule) {
        self.counts[level as usize][rule as usize] += 1;
    }

    /// How often a rule ended a group at a level; for the preconditions P1 and P2, how often an
    /// emitter split or refused an operation.
    pub fn rule(&self, level: Level, rule: Rule) -> u64 {
        self.counts[level as usize][rule as usize]
    }

    /// Every rule that ended a group, with its level and count, in a fixed order.
    pub fn rules(&self) -> impl Iterator<Item = (Level, Rule, u64)> + '_ {
        [Level::Points, Level::Rows, Level::Elements]
            .into_iter()
            .flat_map(move |level| RULES.map(|rule| (level, rule, self.rule(level, rule))))
            .filter(|&(_, _, count)| count > 0)
    }

    /// How often a builtin ended a group.
    pub fn builtin(&self) -> u64 {
        self.counts.iter().map(|level| level[RULES.len()]).sum()
    }

    /// How often the mode ended a group.
    pub fn mode(&self) -> u64 {
        self.counts.iter().map(|level| level[RULES.len() + 1]).sum()
    }

    /// How often a group was as large as a group may be.
    pub fn size(&self) -> u64 {
        self.counts.iter().map(|level| level[RULES.len() + 2]).sum()
    }

    /// How often a group ended where a kernel by rows begins.
    pub fn rows(&self) -> u64 {
        self.counts.iter().map(|level| level[RULES.len() + 3]).sum()
    }

    /// How often an opaque task ended a group.
    pub fn opaque(&self) -> u64 {
        self.counts.iter().map(|level| level[RULES.len() + 4]).sum()
    }

    /// How often a kernel would have held more memory at once than its tasks do one by one.
    pub fn memory(&self) -> u64 {
        self.counts.iter().map(|level| level[RULES.len() + 5]).sum()
    }

    /// How often a kernel would have folded along short rows, with an operand that is the same all along each or with what it
    /// stores or takes long to compute, or given the places of elements in rows of middle length.
    pub fn short_rows(&self) -> u64 {
        self.counts.iter().map(|level| level[RULES.len() + 6]).sum()
    }

    /// How often a kernel would have folded where of what it loads and stores some lies across its rows, or in steps along them.
    pub fn across(&self) -> u64 {
        self.counts.iter().map(|level| level[RULES.len() + 7]).sum()
    }

    /// How often kernels were kept apart that would have moved no fewer bytes as one.
    pub fn order(&self) -> u64 {
        self.counts.iter().map(|level| level[RULES.len() + 8]).sum()
    }

    fn add(&mut self, other: &Stops) {
        for (counts, more) in
            self.counts.as_flattened_mut().iter_mut().zip(other.counts.as_flattened())
        {
            *counts += more;
        }
    }
}

/// What one plan adds to the counts at each flush.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanCounts {
    /// Those that are run.
    pub(crate) tasks: u64,
    pub(crate) unneeded: u64,
    pub(crate) inlined: u64,
    pub(crate) twins: u64,
    pub(crate) fused_tasks: u64,
    pub(crate) largest_group: u64,
    pub(crate) stops: Stops,
}
