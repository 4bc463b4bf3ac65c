//! What ends groups beside constraints: builtins, and how large, how much in memory and how slow a kernel would be.

pub(crate) mod kernels;
mod slow_folds;

use crate::constraint::Violation;
use crate::facts::Question;
use crate::footprint::{Footprint, Looked};
use crate::granularity::Elements;
use crate::group::{Growing, Limits};
use crate::limits::kernels::Kernels;
use crate::limits::slow_folds::SlowFolds;
use crate::plan::{Boundary, Level, Mode, Reason, Rule, Rules};
use darray_ir::{MapId, StoreId, TaskOp, Window};
use hashbrown::HashSet;

/// Most operations of the tasks that one kernel merges: those of a full window, if each is one.
pub(crate) const MAX_OPERATIONS_PER_KERNEL: usize = 1024;
/// Most distinct accesses (store and map) of one kernel, temporaries not counted.
pub(crate) const MAX_ACCESSES_PER_KERNEL: usize = 48;

/// Why a group ends, and the node of it that says so.
pub(crate) type Stop = (Reason, u32);

impl<'w> Kernels<'w> {
    /// Notes that of a group's nodes, whose nests by rows end there, a kernel has memory for so many.
    fn ask_kept(&self, group: &[u32], ends: Box<[u32]>, kept: u32) {
        let nodes = group[0]..group[group.len() - 1] + 1;
        self.facts.ask(Question::Kept(Looked { nodes, ends }, kept));
    }

    /// A builtin is a group of its own, and so is an opaque task.
    fn beside_builtin(&self, group: &[u32], next: u32) -> Option<Reason> {
        [next, group[0]].into_iter().find_map(|node| match self.task(node).op {
            TaskOp::Builtin(_) => Some(Reason::Builtin),
            TaskOp::Opaque(_) => Some(Reason::Opaque),
            _ => None,
        })
    }

    /// Where kernels compute no 0-d values for themselves, tasks over no axes are groups of their own.
    fn beside_0d(&self, group: &[u32], next: u32) -> Option<Reason> {
        let differ = !self.replicas_inside && self.is_0d(next) != self.is_0d(group[0]);
        differ.then_some(Reason::Rule(Rule::LaunchDomain, None))
    }
}

/// The last of a group says why it ends.
fn because(reason: Reason, group: &[u32]) -> Stop {
    (reason, group[group.len() - 1])
}

/// Limits of groups over points.
pub(crate) struct PointLimits<'w> {
    pub(crate) kernels: Kernels<'w>,
    pub(crate) mode: Mode,
}

impl Limits<Stop> for PointLimits<'_> {
    fn stop(&mut self, group: &[u32], next: u32) -> Option<Stop> {
        let reason = match self.mode {
            Mode::Unfused => Some(Reason::Mode),
            _ => {
                let reason = self.kernels.beside_builtin(group, next);
                reason.or_else(|| self.kernels.beside_0d(group, next))
            }
        };
        reason.map(|reason| because(reason, group))
    }

    /// A kernel that the order has is not cut in two.
    fn shorten(&mut self, group: &[u32]) -> Option<(usize, Stop)> {
        let next = group[group.len() - 1] + 1;
        if self.kernels.order.is_none()
            || next as usize == self.kernels.window.tasks().len()
            || self.kernels.begins(next)
        {
            return None;
        }
        let kept =
            group.iter().rposition(|&task| self.kernels.begins(task)).filter(|&at| at > 0)?;
        Some((kept, because(Reason::Order, &group[..kept])))
    }
}

/// Limits of the kernel that one nest becomes.
pub(crate) struct NestLimits<'w> {
    kernels: Kernels<'w>,
    size: KernelSize<'w>,
    folds: SlowFolds<'w>,
    footprint: Option<Footprint<'w>>,
    /// Nodes whose memory is counted.
    counted: usize,
}

impl<'w> NestLimits<'w> {
    pub(crate) fn new(kernels: Kernels<'w>) -> NestLimits<'w> {
        let (size, folds) = (KernelSize::new(kernels.window), SlowFolds::new(kernels));
        NestLimits { kernels, size, folds, footprint: None, counted: 0 }
    }

    /// Of a nest of a kernel by rows, which is not what holds memory.
    fn by_rows(kernels: Kernels<'w>) -> NestLimits<'w> {
        NestLimits::new(Kernels { lifetimes: None, ..kernels })
    }

    /// The memory of the group's kernel.
    fn footprint(&mut self, group: &[u32]) -> Option<&Footprint<'w>> {
        let lifetimes = self.kernels.lifetimes?;
        if group.len() == 1 {
            self.footprint = None;
        }
        let begin = || Footprint::new(self.kernels.window, lifetimes, group[0], false);
        if self.footprint.is_none() {
            (self.footprint, self.counted) = (Some(begin()), 0);
        }
        let footprint = self.footprint.as_mut()?;
        group[self.counted..].iter().for_each(|&node| footprint.add(node));
        self.counted = group.len();
        Some(footprint)
    }
}

impl Limits<Stop> for NestLimits<'_> {
    fn stop(&mut self, group: &[u32], next: u32) -> Option<Stop> {
        self.size.reached(group, next).map(|reason| because(reason, group))
    }

    fn decline(&mut self, group: &[u32], next: u32) -> Option<Stop> {
        let hopeless = self.footprint(group).is_some_and(Footprint::is_hopeless);
        let memory = hopeless.then_some(Reason::Memory);
        let slow = memory.or_else(|| self.folds.are_slow(group, next));
        let order = || self.kernels.begins(next).then_some(Reason::Order);
        slow.or_else(order).map(|reason| because(reason, group))
    }

    fn shorten(&mut self, group: &[u32]) -> Option<(usize, Stop)> {
        // A kernel of one task holds what the task holds.
        if group.len() == 1 {
            return None;
        }
        let few = self.footprint(group).map(Footprint::kept).and_then(|kept| {
            self.kernels.ask_kept(group, Box::default(), kept);
            shortened(group, kept)
        });
        let all = few.map_or(group, |(kept, _)| &group[..kept]);
        without_seen(&self.kernels, all).or(few)
    }
}

/// What a group keeps so that nothing behind it sees 0-d values that it computes for itself, if it does not keep all.
fn without_seen(kernels: &Kernels<'_>, group: &[u32]) -> Option<(usize, Stop)> {
    let kept = kernels.kept_with_replicas(group)?;
    let reason = Reason::Rule(Rule::LaunchDomain, None);
    Some((kept, because(reason, &group[..kept])))
}

/// What a group keeps for want of memory, if it does not keep all.
fn shortened(group: &[u32], kept: u32) -> Option<(usize, Stop)> {
    let kept = kept as usize;
    (kept < group.len()).then(|| (kept, because(Reason::Memory, &group[..kept])))
}

/// Limits of a kernel by rows. Its nests are cut on the way.
pub(crate) struct RowLimits<'w> {
    kernels: Kernels<'w>,
    elements: &'w Elements<'w>,
    size: KernelSize<'w>,
    nest: Growing<'w>,
    limits: NestLimits<'w>,
    /// The nests that have ended, and where each ends.
    nests: Vec<Vec<u32>>,
    boundaries: Vec<Boundary>,
    footprint: Option<Footprint<'w>>,
    /// Why the next node, which has not come to a nest, does not come to the last one.
    next: Option<Stop>,
    /// Nodes that have come to a nest.
    seen: usize,
    /// Groups that have ended, with the boundaries between their nests.
    pub(crate) done: Vec<(Vec<Vec<u32>>, Vec<Boundary>)>,
}

impl<'w> RowLimits<'w> {
    pub(crate) fn new(kernels: Kernels<'w>, elements: &'w Elements<'w>) -> RowLimits<'w> {
        RowLimits {
            kernels,
            elements,
            size: KernelSize::new(kernels.window),
            nest: Growing::new(elements, Rules::default()),
            limits: NestLimits::by_rows(kernels),
            nests: Vec::new(),
            boundaries: Vec::new(),
            footprint: None,
            next: None,
            seen: 0,
            done: Vec::new(),
        }
    }

    /// Takes the nodes of the group into nests.
    fn catch_up(&mut self, group: &[u32]) {
        if self.seen == 0 {
            let begin = |lifetimes| Footprint::new(self.kernels.window, lifetimes, group[0], true);
            self.footprint = self.kernels.lifetimes.map(begin);
        }
        for &node in &group[self.seen..] {
            if let Some((reason, earlier)) = self.next.take() {
                self.end_nest();
                let level = Level::Elements;
                self.boundaries.push(Boundary { level, task: node, earlier, reason });
            }
            self.nest.add(node);
            self.footprint.iter_mut().for_each(|footprint| footprint.add(node));
        }
        self.seen = group.len();
    }

    /// Looks whether the next node comes to the last nest.
    fn look(&mut self, next: u32) {
        let violated = |v: Violation| (Reason::Rule(v.rule, v.store), v.earlier);
        let stop = self.limits.stop(&self.nest.nodes, next);
        let stop = stop.or_else(|| self.nest.check(next).map(violated));
        self.next = stop.or_else(|| self.limits.decline(&self.nest.nodes, next));
    }

    fn end_nest(&mut self) {
        let nest = std::mem::replace(&mut self.nest, Growing::new(self.elements, Rules::default()));
        self.nests.push(nest.finish());
        self.footprint.iter_mut().for_each(Footprint::end_nest);
    }
}

impl Limits<Stop> for RowLimits<'_> {
    fn stop(&mut self, group: &[u32], next: u32) -> Option<Stop> {
        // A builtin has no rows, and is no nest.
        let reason = self.kernels.beside_builtin(group, next);
        if let Some(reason) = reason.or_else(|| self.kernels.beside_0d(group, next)) {
            return Some(because(reason, group));
        }
        self.catch_up(group);
        self.look(next);
        let hopeless = self.footprint.as_ref().is_some_and(Footprint::is_hopeless);
        let memory = hopeless.then_some(Reason::Memory);
        let reason = memory.or_else(|| self.size.reached(group, next));
        reason.map(|reason| because(reason, group))
    }

    fn decline(&mut self, group: &[u32], next: u32) -> Option<Stop> {
        let (reason, _) = self.next?;
        // Where a nest ends for that reason, a kernel by rows of both is slow, too.
        let slow = |node: u32| self.kernels.places_in_middle_rows(node);
        let short = reason == Reason::ShortRows || slow(next) || slow(group[group.len() - 1]);
        let reason = if short { Reason::ShortRows } else { reason };
        (short || reason == Reason::Across).then(|| because(reason, group))
    }

    fn shorten(&mut self, group: &[u32]) -> Option<(usize, Stop)> {
        self.catch_up(group);
        self.next = None;
        self.end_nest();
        let (mut nests, mut boundaries) = Default::default();
        std::mem::swap(&mut self.nests, &mut nests);
        std::mem::swap(&mut self.boundaries, &mut boundaries);
        self.seen = 0;
        let ends: Box<[u32]> = nests.iter().map(|nest| nest[nest.len() - 1] + 1).collect();
        let footprint = self.footprint.take();
        let few = footprint.filter(|_| nests.len() > 1).and_then(|footprint| {
            self.kernels.ask_kept(group, ends, footprint.kept());
            // The first nest is kept whole in any case.
            shortened(group, footprint.kept().max(nests[0].len() as u32))
        });
        if let Some((kept, _)) = few {
            let mut nodes = 0;
            nests.retain(|nest| {
                nodes += nest.len();
                nodes <= kept
            });
            boundaries.truncate(nests.len() - 1);
        }
        // It ends with the last nest that keeps all of its tasks, and goes over rows.
        let (all, kernels) = (nests.len(), &self.kernels);
        let whole = |nest: &Vec<u32>| {
            let stop = || because(Reason::Rule(Rule::LaunchDomain, None), nest);
            let is_0d = all > 1 && nest.iter().all(|&task| kernels.is_0d(task));
            without_seen(kernels, nest).or_else(|| is_0d.then(|| (nest.len(), stop())))
        };
        let seen = nests.iter().enumerate().find_map(|(at, nest)| Some((at, whole(nest)?)));
        let few = match seen {
            None => few,
            Some((0, (kept, stop))) => {
                nests.truncate(1);
                nests[0].truncate(kept);
                boundaries.clear();
                Some((kept, stop))
            }
            Some((at, (_, (reason, _)))) => {
                nests.truncate(at);
                boundaries.truncate(at - 1);
                let kept = nests.iter().map(Vec::len).sum();
                Some((kept, because(reason, &group[..kept])))
            }
        };
        self.done.push((nests, boundaries));
        few
    }
}

/// What a growing group would have as a kernel.
struct KernelSize<'w> {
    window: &'w Window,
    accesses: HashSet<(StoreId, MapId)>,
    operations: usize,
    /// Tasks whose accesses and operations are counted.
    seen: usize,
}

impl KernelSize<'_> {
    fn new(window: &Window) -> KernelSize<'_> {
        KernelSize { window, accesses: HashSet::new(), operations: 0, seen: 0 }
    }

    /// Whether the kernel is as large as a kernel may be without the next task.
    fn reached(&mut self, group: &[u32], next: u32) -> Option<Reason> {
        if group.len() == 1 {
            self.accesses.clear();
            (self.operations, self.seen) = (0, 0);
        }
        let operations = |task: u32| self.window.tasks()[task as usize].op.operations();
        self.operations += group[self.seen..].iter().map(|&task| operations(task)).sum::<usize>();
        let all = self.operations + operations(next);
        for &task in group[self.seen..].iter().chain([&next]) {
            // What nobody sees outside is forwarded, not accessed.
            let args = self.window.tasks()[task as usize].args.iter();
            let seen = args.filter(|a| {
                let store = self.window.store(a.store);
                store.live || store.initialised
            });
            self.accesses.extend(seen.map(|a| (a.store, a.map)));
        }
        self.seen = group.len();
        let large =
            all > MAX_OPERATIONS_PER_KERNEL || self.accesses.len() > MAX_ACCESSES_PER_KERNEL;
        large.then_some(Reason::Size)
    }
}
