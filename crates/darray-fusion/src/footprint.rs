//! Memory: what a kernel holds at once, beside what its tasks hold one by one.
//!
//! A kernel has memory for everything that it reads or writes while it runs. Its tasks one by one give back
//! what has ended before they ask for more. So a kernel may need more than they do: its inputs that end are there
//! until it ends, and one by rows also has all of what its nests hand to each other.
//!
//! ```text
//! y = x * 2, x ends      one by one: x, then y in its place      1 array
//! z = y.sum(1)
//! w = y / z              one by one: y, then w in its place      1 array
//!                        by rows:    x, y, w                     3 arrays: does not fit
//! ```
//!
//! Rules:
//! - only stores of the window count; what else is alive is there either way;
//! - what takes the place of an input that ends needs no memory of its own, where a plan lets it;
//! - a kernel fits if it holds at most [`MORE`] more than its tasks hold at their peak.

use darray_core::RealType;
use darray_ir::window::WindowStore;
use darray_ir::{Privilege, StoreId, TaskOp, Window};
use hashbrown::HashSet;
use std::ops::Range;

/// What a kernel may hold beyond its tasks: 1/20 of what they hold, or this many bytes.
pub(crate) const MORE: (u64, u64) = (20, 1 << 20);

/// Nodes that a kernel may grow by without fitting before its group ends.
const PATIENCE: u32 = 32;

/// Bytes that a store counts at most, so that sums of them are numbers.
const LARGEST: u64 = 1 << 44;

/// No task of the window: the store is live behind it.
const NEVER: u32 = u32::MAX;

/// When the stores of a window are there, and how much memory its tasks hold one by one.
#[derive(Debug)]
pub struct Lifetimes {
    stores: Vec<Lifetime>,
    /// Per task: bytes there before it.
    before: Vec<u64>,
    /// Per task: bytes there while it runs.
    during: Vec<u64>,
    /// Whether all stores together are so few bytes that no kernel holds too many.
    few: bool,
}

#[derive(Clone, Copy, Debug)]
struct Lifetime {
    bytes: u64,
    /// The first task that uses it, unless it was there before the window.
    first: Option<u32>,
    /// The last one; [`NEVER`] if it is seen behind the window.
    last: u32,
}

impl Lifetimes {
    /// Of the stores of a window whose live bits are set.
    pub fn new(window: &Window) -> Lifetimes {
        let stores = stores_of(window);
        let all: u64 = stores.iter().map(|store| store.bytes).sum();
        if all <= MORE.1 {
            let (before, during) = Default::default();
            return Lifetimes { stores, before, during, few: true };
        }
        Lifetimes::counted(window, stores)
    }

    /// However few bytes they are.
    fn counted(window: &Window, mut stores: Vec<Lifetime>) -> Lifetimes {
        let (before, during) = Default::default();
        for (number, task) in window.tasks().iter().enumerate() {
            for arg in &task.args {
                let lifetime = &mut stores[arg.store.0 as usize];
                lifetime.last = number as u32;
                if !window.store(arg.store).initialised {
                    lifetime.first.get_or_insert(number as u32);
                }
            }
        }
        for (store, lifetime) in window.stores().iter().zip(&mut stores) {
            if store.live {
                lifetime.last = NEVER;
            }
            // What was not there before and no task uses takes no memory.
            if !store.initialised && lifetime.first.is_none() {
                lifetime.bytes = 0;
            }
        }
        let mut lifetimes = Lifetimes { stores, before, during, few: false };
        let mut there =
            lifetimes.stores.iter().filter(|s| s.first.is_none()).map(|s| s.bytes).sum();
        for task in 0..window.tasks().len() as u32 {
            let mut held = Held::new(window, &lifetimes, task, there, false);
            held.add(task);
            let during = held.bytes();
            there = there + held.fresh - held.ended;
            lifetimes.before.push(held.before);
            lifetimes.during.push(during);
        }
        lifetimes
    }

    /// Whether all stores together are so few bytes that no kernel holds too many.
    pub fn are_few(&self) -> bool {
        self.few
    }

    /// How many of these nodes, from the first on, one kernel takes: those up to the last node at which it fits,
    /// and the first one in any case. A kernel by rows ends where a nest ends.
    pub fn kept(&self, window: &Window, looked: &Looked) -> u32 {
        let mut growing = Footprint::new(window, self, looked.nodes.start, looked.by_rows());
        let mut ends = looked.ends.iter().copied().peekable();
        for node in looked.nodes.clone() {
            growing.add(node);
            if growing.is_hopeless() {
                growing.end_nest();
                break;
            }
            if ends.next_if_eq(&(node + 1)).is_some() {
                growing.end_nest();
            }
        }
        growing.kept()
    }
}

/// The stores of a window, before its tasks are looked at.
fn stores_of(window: &Window) -> Vec<Lifetime> {
    let lifetime = |store: &WindowStore| {
        let bytes = (store.shape.size() as u64).saturating_mul(store.dtype.size() as u64);
        Lifetime { bytes: bytes.min(LARGEST), first: None, last: 0 }
    };
    window.stores().iter().map(lifetime).collect()
}

/// The most bytes that the tasks of a window whose live bits are set hold one by one, however few these are.
pub fn working_set(window: &Window) -> u64 {
    let Lifetimes { during, .. } = Lifetimes::counted(window, stores_of(window));
    during.iter().max().copied().unwrap_or(0)
}

/// Bytes of the stores that live on behind a window, whose live bits are set.
pub fn left(window: &Window) -> u64 {
    let lifetimes = stores_of(window).into_iter().zip(window.stores());
    lifetimes.filter(|(_, store)| store.live).map(|(lifetime, _)| lifetime.bytes).sum()
}

/// The most bytes that so many tasks, the last ones of a window whose live bits are set, hold one by one; 0 where all stores
/// together are so few bytes that it makes no difference.
pub fn peak(window: &Window, tasks: usize) -> u64 {
    let Lifetimes { during, .. } = Lifetimes::new(window);
    let from = during.len().saturating_sub(tasks);
    during[from..].iter().max().copied().unwrap_or(0)
}

/// Nodes that were looked at for one kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Looked {
    /// The nodes.
    pub nodes: Range<u32>,
    /// Of a kernel by rows, behind which of them a nest ends; else none.
    pub ends: Box<[u32]>,
}

impl Looked {
    fn by_rows(&self) -> bool {
        !self.ends.is_empty()
    }
}

/// A kernel that grows node by node: up to which it fits.
pub struct Footprint<'w> {
    held: Held<'w>,
    next: u32,
    /// The most that its tasks hold one by one.
    peak: u64,
    /// Nodes at which it fitted last.
    kept: u32,
}

impl<'w> Footprint<'w> {
    /// A kernel whose first node is this one; by rows if so.
    pub fn new(
        window: &'w Window,
        lifetimes: &'w Lifetimes,
        first: u32,
        by_rows: bool,
    ) -> Footprint<'w> {
        let before = lifetimes.before.get(first as usize).copied().unwrap_or(0);
        let held = Held::new(window, lifetimes, first, before, by_rows);
        Footprint { held, next: first, peak: 0, kept: 1 }
    }

    /// Adds the next node.
    pub fn add(&mut self, node: u32) {
        debug_assert_eq!(node, self.next, "nodes of a kernel follow each other");
        self.held.add(node);
        self.peak = self.peak.max(self.held.lifetimes.during[node as usize]);
        self.next = node + 1;
        if !self.held.by_rows {
            self.look();
        }
    }

    /// Of a kernel by rows, ends the nest behind the last node.
    pub fn end_nest(&mut self) {
        if self.held.by_rows {
            self.held.nest = self.next;
            self.look();
        }
    }

    /// Bytes while the kernel runs.
    pub fn bytes(&self) -> u64 {
        self.held.bytes()
    }

    fn look(&mut self) {
        let most = self.peak.saturating_add((self.peak / MORE.0).max(MORE.1));
        if self.held.bytes() <= most {
            self.kept = self.next - self.held.first;
        }
    }

    /// Whether it has not fitted for long.
    pub fn is_hopeless(&self) -> bool {
        self.next - self.held.first >= self.kept + PATIENCE
    }

    /// How many nodes it takes: those up to the last one at which it fitted.
    pub fn kept(&self) -> u32 {
        self.kept
    }
}

/// What a kernel holds.
struct Held<'w> {
    window: &'w Window,
    lifetimes: &'w Lifetimes,
    by_rows: bool,
    first: u32,
    /// The first node of the nest that grows.
    nest: u32,
    /// Bytes there before it.
    before: u64,
    /// Bytes of what it writes first and needs memory for.
    fresh: u64,
    /// Bytes of what ends in it and was there before.
    ended: u64,
    /// By element type: stores that are used by the identity alone and end as inputs, and those first written.
    places: [(u64, u64); RealType::ALL.len()],
    /// Stores that are used otherwise than by the identity, or read and written.
    others: HashSet<StoreId>,
}

impl<'w> Held<'w> {
    fn new(
        window: &'w Window,
        lifetimes: &'w Lifetimes,
        first: u32,
        before: u64,
        by_rows: bool,
    ) -> Held<'w> {
        let (fresh, ended, places, others) = Default::default();
        Held {
            window,
            lifetimes,
            by_rows,
            first,
            nest: first,
            before,
            fresh,
            ended,
            places,
            others,
        }
    }

    /// Bytes while the kernel runs.
    fn bytes(&self) -> u64 {
        let taken: u64 = self.places.iter().map(|&(ends, fresh)| ends.min(fresh)).sum();
        self.before + self.fresh - if self.by_rows { 0 } else { taken }
    }

    fn add(&mut self, node: u32) {
        let task = &self.window.tasks()[node as usize];
        let builtin = matches!(task.op, TaskOp::Builtin(_) | TaskOp::Opaque(_));
        for (number, arg) in task.args.iter().enumerate() {
            // A store counts once a task.
            if task.args[..number].iter().any(|earlier| earlier.store == arg.store) {
                continue;
            }
            let store = self.window.store(arg.store);
            let lifetime = self.lifetimes.stores[arg.store.0 as usize];
            let is_own = lifetime.first.is_some_and(|first| first >= self.first);
            let mut uses = task.args.iter().filter(|other| other.store == arg.store);
            let domain = self.window.domain(task.domain);
            let expected = if is_own { Privilege::Write } else { Privilege::Read };
            let plain = uses.all(|used| {
                (used.privilege == expected || is_own && used.privilege == Privilege::Read)
                    && self.window.map(used.map).is_identity(&store.shape, domain)
            }) && !builtin;
            let place = &mut self.places[store.dtype as usize];
            let was_plain = !self.others.contains(&arg.store);
            let begins = lifetime.first == Some(node);
            if is_own {
                // What nothing reads is not written, but by a builtin.
                let is_unread = begins && lifetime.last == node;
                if begins && (builtin || !is_unread) {
                    self.fresh += lifetime.bytes;
                    self.ended += if is_unread { lifetime.bytes } else { 0 };
                    place.1 += if plain { lifetime.bytes } else { 0 };
                } else if !begins && was_plain && !plain {
                    place.1 -= lifetime.bytes;
                }
                if lifetime.last == node && !begins && lifetime.first >= Some(self.nest) {
                    // Handed on inside of a nest.
                    self.fresh -= lifetime.bytes;
                    place.1 -= if plain && was_plain { lifetime.bytes } else { 0 };
                }
            } else if lifetime.last == node {
                self.ended += lifetime.bytes;
                place.0 += if plain && was_plain { lifetime.bytes } else { 0 };
            }
            if !plain {
                self.others.insert(arg.store);
            }
        }
    }
}
