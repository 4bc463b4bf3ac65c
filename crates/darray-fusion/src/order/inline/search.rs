//! Which arrays of a window are computed where they are read.
//!
//! Tasks are looked at from the last one to the first, so that all who read what one gives are known, copies of later ones among them.

use crate::order::graph::needed;
use crate::order::inline::{Copied, Inlined, Made, Price};
use crate::order::partitions::Partitions;
use darray_core::{Chart, Map};
use darray_ir::window::structure;
use darray_ir::{
    Distribution, DomainId, IndexTask, MapId, Privilege, StoreId, TaskArg, TaskOp, Window,
};
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

/// Quarters of bytes that could be moved while an element of an array of so many bytes is added to another one in passing: caches that are near move
/// more.
fn addition(bytes: usize) -> i64 {
    match bytes {
        ..0x4_0000 => 16,
        0x4_0000..0x80_0000 => 4,
        _ => 2,
    }
}

/// Most additions for each byte of an element that it takes to compute it: what takes longer is not waited for if it is stored.
const MOST_COMPUTING: i64 = 4;

/// Most tasks of what is computed again as a whole, and most tasks that windows are given for one of their own.
const MOST_TOGETHER: usize = 64;
const MOST_FOR_ONE: usize = 4;

/// Who makes a store of elements of others, and how it is used.
#[derive(Clone, Copy, Default)]
struct Seen {
    writer: Option<u32>,
    /// Something else writes it, or reads it in another way.
    never: bool,
    is_read_otherwise: bool,
}

/// A read of a store.
#[derive(Clone, Copy)]
struct Reader {
    /// With the copies' numbers behind the program's.
    task: u32,
    argument: u32,
    partition: (DomainId, MapId),
    /// The task of the program that reads it, or before which the copy stands that does.
    before: u32,
}

/// Finds out what of a window, whose live bits are set, may be inlined so that less is moved.
pub(crate) fn of(window: &Window) -> (Inlined, Price) {
    let seen = uses(window);
    if !seen.iter().any(|seen| !seen.never && seen.is_read_otherwise) {
        return Default::default();
    }
    let mut search = Search::new(window, seen);
    for number in (0..window.tasks().len() as u32).rev() {
        if !search.is_needed[number as usize] {
            continue;
        }
        search.look(number);
        if search.is_needed[number as usize] {
            let task = &window.tasks()[number as usize];
            let maps: SmallVec<[MapId; 8]> = task.args.iter().map(|arg| arg.map).collect();
            search.reads(number, (task, task.domain), &maps, number);
        }
    }
    search.finish()
}

fn uses(window: &Window) -> Vec<Seen> {
    let mut all = vec![Seen::default(); window.stores().len()];
    for (number, task) in (0..).zip(window.tasks()) {
        for arg in &task.args {
            let seen = &mut all[arg.store.0 as usize];
            if arg.privilege != Privilege::Read {
                seen.never |= seen.writer.is_some() || !may_be_inlined(window, task);
                seen.writer = Some(number);
                continue;
            }
            let is_native = window.map(arg.map).chart == Chart::Native;
            let is_made = seen.writer.is_some_and(|writer| writer < number);
            seen.never |= !task.is_nest() || !is_native || !is_made;
            if let Some(writer) = seen.writer {
                let writer = &window.tasks()[writer as usize];
                seen.is_read_otherwise |= (task.domain, arg.map) != own(writer);
            }
        }
    }
    all
}

/// The partition through which a task writes.
fn own(task: &IndexTask) -> (DomainId, MapId) {
    (task.domain, task.args[0].map)
}

/// Whether a task makes all of a store that ends with the window, of elements of others, and that no variable holds again if a later task fails.
fn may_be_inlined(window: &Window, task: &IndexTask) -> bool {
    let is_elementwise = match task.op {
        TaskOp::Apply { .. } | TaskOp::Copy | TaskOp::Fill | TaskOp::Random { .. } => true,
        TaskOp::Composite { .. } => task.outputs() == 1,
        TaskOp::Arange { .. } | TaskOp::BelowDiagonal => false,
        TaskOp::Reduce { .. } | TaskOp::InnerProduct { .. } => false,
        TaskOp::Builtin(_) | TaskOp::Opaque(_) => false,
    };
    let (output, inputs) = (&task.args[0], &task.args[1..]);
    let store = window.store(output.store);
    is_elementwise
        && output.privilege == Privilege::Write
        && !(store.live || store.initialised || store.is_replaced)
        && store.shape.rank() > 0
        && window.map(output.map).is_identity(&store.shape, window.domain(task.domain))
        && inputs.iter().all(|arg| arg.privilege == Privilege::Read)
}

/// Additions that an operation takes which takes long: the kernel of it waits for no memory, so that nothing is saved by reading less there. What is
/// inlined all the same takes at most so many.
const LONG: u32 = 12;
const SHORT: i64 = 2;

/// What an element takes to compute, in additions.
fn computing(task: &IndexTask) -> u32 {
    match task.op {
        TaskOp::Apply { operator, .. } => operator.cost(),
        TaskOp::Composite { composite, compute, .. } => composite.cost(compute),
        TaskOp::Random { distribution, .. } => match distribution {
            Distribution::Bits | Distribution::Uniform => 30,
            Distribution::Normal | Distribution::Exponential => 100,
        },
        _ => 0,
    }
}

/// What an element of a task takes, in halves of additions: a load is one.
fn weight(task: &IndexTask) -> i64 {
    2 * i64::from(computing(task)) + task.args.len() as i64 - 1
}

struct Search<'w> {
    window: &'w Window,
    seen: Vec<Seen>,
    /// Per task, whether it is run.
    is_needed: Vec<bool>,
    /// Per task, whether what it gives is inlined with something that is made of it.
    is_part: Vec<bool>,
    /// Per store, who reads it.
    readers: Vec<Vec<Reader>>,
    /// Per store, the tasks that change it, in order.
    changes: Vec<SmallVec<[u32; 2]>>,
    /// The stores that are read over a domain.
    read: HashSet<(DomainId, StoreId)>,
    /// The domains over which something takes long.
    long: HashSet<DomainId>,
    /// The numbers of maps; of none as long as nothing is inlined.
    known: HashMap<Map, MapId>,
    further: Vec<Map>,
    found: Inlined,
    computing: i64,
    saved: i64,
}

impl<'w> Search<'w> {
    fn new(window: &'w Window, seen: Vec<Seen>) -> Search<'w> {
        let stores = window.stores().len();
        let mut changes = vec![SmallVec::new(); stores];
        let mut read = HashSet::new();
        for (number, task) in (0..).zip(window.tasks()) {
            for arg in &task.args {
                match arg.privilege {
                    Privilege::Read => _ = read.insert((task.domain, arg.store)),
                    _ => changes[arg.store.0 as usize].push(number),
                }
            }
        }
        let takes_long = |task: &&IndexTask| computing(task) > LONG;
        let long = window.tasks().iter().filter(takes_long).map(|task| task.domain).collect();
        Search {
            window,
            seen,
            is_needed: needed(window, &mut Partitions::new(window)),
            is_part: vec![false; window.tasks().len()],
            readers: vec![Vec::new(); stores],
            changes,
            read,
            long,
            known: HashMap::new(),
            further: Vec::new(),
            found: Inlined::default(),
            computing: 0,
            saved: 0,
        }
    }

    /// Notes what a task, or a copy of one over this domain, reads through these maps.
    fn reads(
        &mut self,
        number: u32,
        (task, domain): (&IndexTask, DomainId),
        maps: &[MapId],
        before: u32,
    ) {
        for (argument, (arg, &map)) in (0..).zip(task.args.iter().zip(maps)) {
            if arg.privilege == Privilege::Read && !self.seen[arg.store.0 as usize].never {
                let partition = (domain, map);
                let reader = Reader { task: number, argument, partition, before };
                self.readers[arg.store.0 as usize].push(reader);
            }
        }
    }

    /// Looks whether what a task gives is inlined. All who read it are known.
    fn look(&mut self, number: u32) {
        let window = self.window;
        let task = &window.tasks()[number as usize];
        let store = task.args[0].store.0 as usize;
        if self.seen[store].never || self.seen[store].writer != Some(number) {
            return;
        }
        let mut readers = std::mem::take(&mut self.readers[store]);
        let is_own = |reader: &Reader| reader.partition == own(task);
        let kept = readers.iter().any(is_own);
        readers.retain(|reader| !is_own(reader));
        if readers.is_empty() || !self.finds_the_same(number, &readers) {
            return;
        }
        readers.sort_by_key(|reader| reader.partition);
        let same = readers.chunk_by(|a, b| a.partition == b.partition);
        let partitions: Vec<(DomainId, MapId)> = same.map(|same| same[0].partition).collect();
        if self.found.len() + partitions.len() > MOST_FOR_ONE * window.tasks().len() {
            return;
        }
        if !self.is_part[number as usize] && !self.pays(number, &readers, (&partitions, kept)) {
            return;
        }
        let price = self.computing(task, weight(task), (&partitions, kept));
        self.computing = self.computing.saturating_add(price);
        for same in readers.chunk_by(|a, b| a.partition == b.partition) {
            let before = same.iter().map(|reader| reader.before).min().expect("not empty");
            let copy = self.copy(number, same[0].partition, before);
            let redirected = same.iter().map(|reader| (reader.task, reader.argument, copy));
            self.found.redirected.extend(redirected);
        }
        self.is_needed[number as usize] = kept;
    }

    /// Whether nothing that a task reads is changed between it and its readers.
    fn finds_the_same(&self, number: u32, readers: &[Reader]) -> bool {
        let last = readers.iter().map(|reader| reader.before).max().unwrap_or(0);
        self.window.tasks()[number as usize].args[1..].iter().all(|arg| {
            let changes = &self.changes[arg.store.0 as usize];
            let first = changes.partition_point(|&change| change <= number);
            changes.get(first).is_none_or(|&change| change >= last)
        })
    }

    /// Whether an element that a task reads is one that its own kernel may have made, and that nobody else sees.
    fn is_forwarded(&self, task: &IndexTask, arg: &TaskArg) -> bool {
        let store = self.window.store(arg.store);
        let writer = self.seen[arg.store.0 as usize].writer;
        !(store.live || store.initialised)
            && writer.is_some_and(|writer| {
                let writer = &self.window.tasks()[writer as usize];
                writer.is_nest()
                    && writer.reduced_axes() == 0
                    && (task.domain, arg.map) == own(writer)
            })
    }

    /// What computing costs that takes so many halves of additions an element of what a task gives, for these partitions, more often than once, in bytes.
    fn computing(
        &self,
        task: &IndexTask,
        weight: i64,
        (partitions, kept): (&[(DomainId, MapId)], bool),
    ) -> i64 {
        let elements = |domain: DomainId| self.window.domain(domain).size() as i64;
        let again = partitions.iter().map(|partition| elements(partition.0));
        let again = again.fold(0, i64::saturating_add);
        let more = again.saturating_sub(if kept { 0 } else { elements(task.domain) }).max(0);
        let store = self.window.store(task.args[0].store);
        let addition = addition(store.shape.size().saturating_mul(store.dtype.size()));
        addition.saturating_mul(weight).saturating_mul(more) / 8
    }

    /// Whether computing again what a task gives, with all that it is made of through its own partition, costs less than to store it and read it; if so
    /// that is inlined with it. It is run for others, too, if it is `kept`.
    fn pays(
        &mut self,
        number: u32,
        readers: &[Reader],
        (partitions, kept): (&[(DomainId, MapId)], bool),
    ) -> bool {
        let window = self.window;
        let (mut parts, mut leaves, mut loads) = (vec![number], Vec::new(), 0);
        let mut at = 0;
        while let Some(&part) = parts.get(at) {
            at += 1;
            let task = &window.tasks()[part as usize];
            if !self.finds_the_same(part, readers) {
                return false;
            }
            for arg in &task.args[1..] {
                let seen = self.seen[arg.store.0 as usize];
                let made = seen.writer.filter(|&writer| {
                    !seen.never && (task.domain, arg.map) == own(&window.tasks()[writer as usize])
                });
                match made {
                    Some(writer) if !parts.contains(&writer) => parts.push(writer),
                    Some(_) => {}
                    // It is none of the stores as yet.
                    None if self.is_forwarded(task, arg) => return false,
                    None => {
                        leaves.push(arg.store);
                        loads += 1;
                    }
                }
            }
            if parts.len() > MOST_TOGETHER {
                return false;
            }
        }
        leaves.sort_unstable();
        leaves.dedup();
        let task = &window.tasks()[number as usize];
        let of = |store: StoreId, domain: DomainId| {
            let store = window.store(store);
            let elements = window.domain(domain).size().min(store.shape.size());
            elements.saturating_mul(store.dtype.size()) as i64
        };
        let made = task.args[0].store;
        let size = window.store(made).dtype.size() as i64;
        // What is forwarded from one part to another is not loaded.
        let of_part = |&part: &u32| 2 * i64::from(computing(&window.tasks()[part as usize]));
        let weight = parts.iter().map(of_part).sum::<i64>() + loads;
        let is_long = partitions.iter().any(|(domain, _)| self.long.contains(domain));
        if weight > 2 * if is_long { SHORT } else { MOST_COMPUTING * size } {
            return false;
        }
        let own = of(made, task.domain);
        let computing = self.computing(task, weight, (partitions, kept));
        // It is written, and read by each kernel.
        let mut saved = own;
        for domains in partitions.chunk_by(|a, b| a.0 == b.0) {
            let domain = domains[0].0;
            saved = saved.saturating_add(of(made, domain));
            let read = |store: &&StoreId| !self.read.contains(&(domain, **store));
            let read = leaves.iter().filter(read).map(|&store| of(store, domain));
            saved = read.fold(saved, i64::saturating_sub);
        }
        if !kept {
            let read = leaves.iter().map(|&store| of(store, task.domain));
            saved = read.fold(saved, i64::saturating_add);
        }
        if saved <= computing {
            return false;
        }
        self.saved = self.saved.saturating_add(saved);
        for part in parts {
            self.is_part[part as usize] = true;
        }
        for &(domain, _) in partitions {
            self.read.extend(leaves.iter().map(|&store| (domain, store)));
        }
        true
    }

    /// Has a task there again for who reads it through a partition.
    fn copy(&mut self, number: u32, (domain, through): (DomainId, MapId), before: u32) -> u32 {
        let task = &self.window.tasks()[number as usize];
        let output = self.made(Made::Identity(domain));
        let inputs = task.args[1..].iter();
        let inputs: SmallVec<[MapId; 3]> =
            inputs.map(|arg| self.made(Made::Composed(arg.map, through, domain))).collect();
        let copy = self.found.len() as u32;
        let maps: SmallVec<[MapId; 8]> = std::iter::once(output).chain(inputs.clone()).collect();
        let own = self.window.tasks().len() as u32 + copy;
        self.reads(own, (task, domain), &maps, before);
        self.found.copies.push(Copied { task: number, before, domain, through, output, inputs });
        copy
    }

    /// The number of a map.
    fn made(&mut self, made: Made) -> MapId {
        let (window, count) = (self.window, self.window.map_count());
        if self.known.is_empty() {
            let maps = (0..count as u32).map(MapId).rev();
            self.known = maps.map(|map| (window.map(map).clone(), map)).collect();
        }
        let map = made.map(window, |map| match (map.0 as usize).checked_sub(count) {
            None => window.map(map),
            Some(further) => &self.further[further],
        });
        let next = MapId((count + self.further.len()) as u32);
        *self.known.entry(map).or_insert_with_key(|map| {
            self.further.push(map.clone());
            self.found.maps.push((made, structure(map)));
            next
        })
    }

    /// What was found. Copies that stand together stand as the tasks do.
    fn finish(mut self) -> (Inlined, Price) {
        let mut order: Vec<u32> = (0..self.found.len() as u32).collect();
        let copies = &self.found.copies;
        let place = |copy: &u32| (copies[*copy as usize].before, copies[*copy as usize].task);
        order.sort_by_key(place);
        let mut places = vec![0; order.len()];
        (0..).zip(&order).for_each(|(place, &copy)| places[copy as usize] = place);
        self.found.copies = order.iter().map(|&copy| copies[copy as usize].clone()).collect();
        let program = self.window.tasks().len() as u32;
        for (task, _, copy) in &mut self.found.redirected {
            *copy = places[*copy as usize];
            if let Some(own) = task.checked_sub(program) {
                *task = program + places[own as usize];
            }
        }
        self.found.redirected.sort_unstable();
        let bytes = |number: i64| u64::try_from(number).unwrap_or(0);
        (self.found, Price { computing: bytes(self.computing), saved: bytes(self.saved) })
    }
}
