//! Stores that are updated in place, in two buffers.
//!
//! `u[1:-1] = f(u)` reads neighbours that it overwrites: the new values are stored elsewhere first and copied then, two kernels
//! that move four arrays. Where a window updates a store several times through one partition, it has a *twin*: a further store. The updates
//! go to the twin and to the store in turn: each reads one and writes the other, which one kernel does.
//!
//! ```text
//! program                          with a twin s4 of s0
//!                                  t6  s4 = s0
//! t0  s1[i0] = f s0[i0], s0[2 + i0]    t0  s1[i0] = f s0[i0], s0[2 + i0]     one kernel with t1
//! t1  s0[1 + i0] = s1[i0]          t1  s4[1 + i0] = s1[i0]
//! t2  s2[i0] = f s0[i0], s0[2 + i0]    t2  s2[i0] = f s4[i0], s4[2 + i0]     one kernel with t3
//! t3  s0[1 + i0] = s2[i0]          t3  s0[1 + i0] = s2[i0]
//! ```
//!
//! What the updates do not reach is the same in both if nothing else writes the store: all of it is copied once, before the first one. If others
//! write there, the edges of a field, *strips* around what an update reaches are copied behind each, and the others write the buffer that is new.
//!
//! Programs that keep the old values say so, `pn = p.copy(); p[1:-1] = f(pn)`. Who reads such a copy reads the old buffer instead, as long
//! as that holds what was copied.
//!
//! The last of an odd number of updates goes to the store that it reads, so that behind the window the store itself holds what was written last;
//! its memory stays where it is.

use darray_core::{Chart, Dim, Map, Shape};
use darray_ir::{DomainId, IndexTask, MapId, Privilege, StoreId, TaskArg, TaskOp, Window};
use smallvec::SmallVec;

/// A store that is updated in two buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    /// The store.
    pub store: StoreId,
    /// Through what it is updated.
    partition: (DomainId, MapId),
    /// Updates that do not go to the buffer that they read: the first ones, an even number. The odd ones of them, counted from one, go to
    /// the second buffer.
    turns: Vec<u32>,
    /// What is copied behind each: around what it reaches. None where all is copied first.
    strips: Option<Vec<Strip>>,
    /// The dimensions of the store that have one index, as a bit set: maps do not say them.
    lines: u32,
    /// Tasks that copy all of it to stores whose readers read a buffer instead.
    pub copies: Vec<u32>,
    /// Arguments that are the second buffer, or the store itself in place of a copy: task, argument, whether the second.
    renamed: Vec<(u32, u32, bool)>,
}

/// A side of what updates reach: along a dimension, before or behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Strip {
    dimension: u8,
    is_behind: bool,
    /// Whether it is as wide as one element.
    is_line: bool,
}

/// What a window does with a store.
#[derive(Clone, Default)]
struct Seen {
    /// The partitions through which it is written.
    written: SmallVec<[Written; 2]>,
    is_read_otherwise: bool,
    is_read_before_update: bool,
    never: bool,
    /// The last task that uses it.
    last: u32,
}

/// A partition through which a store is written: how often, and how many elements it reaches.
#[derive(Clone, Copy)]
struct Written {
    partition: (DomainId, MapId),
    times: u32,
    elements: usize,
}

impl Seen {
    /// The partition of its updates: that of the most elements.
    fn update(&self) -> Option<((DomainId, MapId), u32)> {
        // The first of equal ones.
        let most = self.written.iter().rev().max_by_key(|written| written.elements)?;
        Some((most.partition, most.times))
    }
}

/// The stores of a window that may have twins: updated by loops, at least twice through one partition, and read through
/// another one before an update.
pub(crate) fn of(window: &Window) -> Vec<Twin> {
    let mut seen = vec![Seen::default(); window.stores().len()];
    for (number, task) in (0..).zip(window.tasks()) {
        for arg in &task.args {
            let seen = &mut seen[arg.store.0 as usize];
            seen.last = number;
            match arg.privilege {
                _ if !task.is_nest() => seen.never = true,
                Privilege::Write => {
                    let partition = (task.domain, arg.map);
                    match seen.written.iter_mut().find(|known| known.partition == partition) {
                        Some(written) => written.times += 1,
                        None => {
                            let elements = window.domain(task.domain).size();
                            seen.written.push(Written { partition, times: 1, elements });
                        }
                    }
                }
                Privilege::Read => {}
                Privilege::ReadWrite | Privilege::Reduce(_) => seen.never = true,
            }
        }
    }
    let is_candidate = |(seen, store): (&Seen, bool)| {
        store && !seen.never && seen.update().is_some_and(|(_, times)| times >= 2)
    };
    let stores = || window.stores().iter().map(|store| store.initialised);
    if !seen.iter().zip(stores()).any(is_candidate) {
        return Vec::new();
    }
    for task in window.tasks() {
        for arg in &task.args {
            let seen = &mut seen[arg.store.0 as usize];
            let partition = seen.update().map(|(partition, _)| partition);
            let through = Some((task.domain, arg.map));
            match arg.privilege {
                Privilege::Read => seen.is_read_otherwise |= partition != through,
                _ => {
                    let is_update = partition == through;
                    seen.is_read_before_update |= is_update && seen.is_read_otherwise;
                }
            }
        }
    }
    let found =
        seen.iter().zip(stores()).enumerate().filter(|(_, (seen, store))| {
            is_candidate((seen, *store)) && seen.is_read_before_update
        });
    let store = |number: usize| StoreId(number as u32);
    found.filter_map(|(number, _)| twin(window, store(number), &seen)).collect()
}

fn twin(window: &Window, store: StoreId, all: &[Seen]) -> Option<Twin> {
    let seen = &all[store.0 as usize];
    let (partition, _) = seen.update()?;
    let strips = match seen.written.len() {
        1 => None,
        _ => Some(strips(window, store, partition)?),
    };
    let (copies, renamed) = Default::default();
    let extents = window.store(store).shape.iter().enumerate();
    let lines = extents.filter(|(_, extent)| **extent == 1).fold(0, |bits, (at, _)| bits | 1 << at);
    let mut twin = Twin { store, partition, turns: Vec::new(), strips, lines, copies, renamed };
    let tasks = || (0..window.tasks().len() as u32).zip(window.tasks());
    let updates = tasks().filter(|(_, task)| twin.is_update(task));
    twin.turns = updates.map(|(number, _)| number).collect();
    twin.turns.truncate(twin.turns.len() / 2 * 2);
    if twin.turns.is_empty() {
        return None;
    }
    let copies = tasks().map(|(number, _)| number);
    twin.copies = copies.filter(|&task| twin.is_forwarded(window, task, all)).collect();
    twin.rename(window);
    Some(twin)
}

/// Sides that cover, with what a partition reaches, all of a store; none if it does not reach a box.
fn strips(window: &Window, store: StoreId, (domain, map): (DomainId, MapId)) -> Option<Vec<Strip>> {
    let (domain, map, shape) = (window.domain(domain), window.map(map), &window.store(store).shape);
    let mut axes = 0u32;
    let mut is_box = |dim: &Dim| match dim.axis {
        Some(axis) => {
            let is_new = axes >> axis & 1 == 0;
            axes |= 1 << axis;
            is_new && dim.step == 1
        }
        None => true,
    };
    if map.chart != Chart::Native || domain.size() == 0 || !map.dims.iter().all(&mut is_box) {
        return None;
    }
    let mut strips = Vec::new();
    for dimension in 0..shape.rank() as u8 {
        for is_behind in [false, true] {
            let (from, to) = side((domain, map, shape), dimension, is_behind);
            if from < to {
                strips.push(Strip { dimension, is_behind, is_line: to - from == 1 });
            }
        }
    }
    Some(strips)
}

/// Along a dimension, the indices before or behind what a map over a domain reaches.
fn side(
    (domain, map, shape): (&Shape, &Map, &Shape),
    dimension: u8,
    is_behind: bool,
) -> (usize, usize) {
    let dim = &map.dims[dimension as usize];
    let first = dim.start as usize;
    match is_behind {
        false => (0, first),
        true => {
            let extent = dim.axis.map_or(1, |axis| domain[axis as usize]);
            (first + extent, shape[dimension as usize])
        }
    }
}

impl Twin {
    /// Whether all of it is copied to the second buffer before the first update.
    pub fn is_filled_first(&self) -> bool {
        self.strips.is_none()
    }

    fn is_update(&self, task: &IndexTask) -> bool {
        let mut args = task.args.iter().filter(|arg| arg.store == self.store);
        args.any(|arg| arg.privilege != Privilege::Read && (task.domain, arg.map) == self.partition)
    }

    fn writes(&self, task: &IndexTask) -> bool {
        writes(task, self.store)
    }

    /// Of what copies to the second buffer and back, the task behind which each stands; none before all of them.
    pub(crate) fn behind(&self) -> impl Iterator<Item = Option<u32>> {
        let strips = self.strips.as_ref().map(Vec::len);
        let turns =
            self.turns.iter().flat_map(move |&t| (0..strips.unwrap_or(0)).map(move |_| Some(t)));
        strips.is_none().then_some(None).into_iter().chain(turns)
    }

    /// Whether a task copies all of the store, and who reads the copy finds the same in the buffer that was copied: nothing writes
    /// that before the last of them has run.
    fn is_forwarded(&self, window: &Window, number: u32, all: &[Seen]) -> bool {
        let task = &window.tasks()[number as usize];
        let [to, from] = &task.args[..] else { return false };
        let (domain, shape) = (window.domain(task.domain), &window.store(self.store).shape);
        let is_whole = |arg: &TaskArg| {
            window.store(arg.store).shape == *shape
                && window.map(arg.map).is_identity(shape, domain)
        };
        let is_copy = task.op == TaskOp::Copy
            && (to.privilege, from.privilege) == (Privilege::Write, Privilege::Read)
            && from.store == self.store
            && to.store != self.store
            && window.store(to.store).dtype == window.store(from.store).dtype
            && [to, from].into_iter().all(is_whole);
        if !is_copy {
            return false;
        }
        // Whether the buffer that was copied is the one that is written, and the copy as yet what it was.
        let (mut turned, mut is_intact) = (0, true);
        let last = all[to.store.0 as usize].last;
        for number in number + 1..=last {
            let task = &window.tasks()[number as usize];
            let reads = |arg: &TaskArg| arg.store == to.store && arg.privilege == Privilege::Read;
            let is_read = task.args.iter().any(reads);
            if self.turns(number) {
                turned += 1;
                is_intact &= turned < 2;
            } else if self.writes(task) {
                is_intact &= turned % 2 == 1;
            }
            if is_read && (!is_intact || !task.is_nest()) {
                return false;
            }
            if writes(task, to.store) {
                break;
            }
        }
        true
    }

    /// Whether a task is an update that goes to another buffer than the one that it reads.
    fn turns(&self, task: u32) -> bool {
        self.turns.binary_search(&task).is_ok()
    }

    /// Finds the arguments that are another store.
    fn rename(&mut self, window: &Window) {
        // Copies that are buffers still.
        let mut forwarded: SmallVec<[(StoreId, bool); 2]> = SmallVec::new();
        let mut second = false;
        for (number, task) in (0..).zip(window.tasks()) {
            let turns = self.turns(number);
            for (argument, arg) in (0..).zip(&task.args) {
                let reads = arg.privilege == Privilege::Read;
                let copied = || forwarded.iter().find(|(copy, _)| *copy == arg.store);
                match arg.store == self.store {
                    true if second != (turns && !reads) => {
                        self.renamed.push((number, argument, true));
                    }
                    false if reads && let Some(&(_, second)) = copied() => {
                        self.renamed.push((number, argument, second));
                    }
                    _ => {}
                }
            }
            forwarded.retain(|(copy, _)| !writes(task, *copy));
            if self.copies.binary_search(&number).is_ok() {
                forwarded.push((task.args[0].store, second));
            }
            second ^= turns;
        }
    }
}

/// Whether a task changes a store.
fn writes(task: &IndexTask, store: StoreId) -> bool {
    task.args.iter().any(|arg| arg.store == store && arg.privilege != Privilege::Read)
}

/// Gives stores of a window twins, and has its tasks use them. What copies stands behind all other tasks.
pub(crate) fn give(window: &mut Window, twins: &[Twin]) {
    for twin in twins {
        let (first, second) = (twin.store, window.add_copy(twin.store));
        let renamed = twin.renamed.iter();
        renamed.for_each(|&(task, argument, is_second)| {
            window.rename(task, argument as usize, if is_second { second } else { first });
        });
        let shape = window.store(first).shape.clone();
        let Some(strips) = &twin.strips else {
            let identity = Map::identity(&shape);
            let all = window.add_partition(shape, identity);
            window.push_copy(first, second, all, twin.turns[0]);
            continue;
        };
        let (domain, map) = twin.partition;
        let reached = (window.domain(domain).clone(), window.map(map).clone());
        let partition = |strip: &Strip| {
            let (domain, map) = &reached;
            let (from, to) = side((domain, map, &shape), strip.dimension, strip.is_behind);
            let mut extents = shape.to_vec();
            extents[strip.dimension as usize] = to - from;
            let extents = Shape::new(&extents);
            let mut map = Map::identity(&shape);
            map.dims[strip.dimension as usize] = Dim::along(strip.dimension, from as i64, 1);
            map.normalise(&extents);
            window.add_partition(extents, map)
        };
        let strips: SmallVec<[(DomainId, MapId); 4]> = strips.iter().map(partition).collect();
        for (number, &update) in twin.turns.iter().enumerate() {
            let (from, to) = if number % 2 == 0 { (first, second) } else { (second, first) };
            strips.iter().for_each(|&strip| window.push_copy(from, to, strip, update));
        }
    }
}
