//! The task window and its canonical form.

use crate::hash::{hash_of, hash_of_words};
use crate::numbers::{DomainId, MapId, StoreId};
use crate::privilege::Privilege;
use crate::task::{IndexTask, TaskArg, TaskArgs, TaskOp};
use darray_core::{Chart, Map, Place, RealType, Scalar, Shape};
use hashbrown::HashTable;
use smallvec::SmallVec;

/// A store version as the window sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowStore {
    /// Element type.
    pub dtype: RealType,
    /// Extents.
    pub shape: Shape,
    /// Whether it held data before the window's first task.
    pub initialised: bool,
    /// Whether it can be read after the window: any handle, view, clone or pending read of the
    /// root store. Set at flush.
    pub live: bool,
    /// Whether a task makes the next version of its variable: should that fail, the variable holds this one again.
    pub is_replaced: bool,
}

/// Buffered index tasks, with the stores, domains and maps that they name.
///
/// The canonical form is built as tasks arrive: a word stream of operations, element types, ranks,
/// map structures, privileges, and the De Bruijn numbers of stores, domains and maps. It holds no
/// sizes and no scalar values. Live bits join it at flush. What a plan needs to know of the sizes
/// it asks, and each answer becomes a guard of the plan.
#[derive(Clone, Debug, Default)]
pub struct Window {
    tasks: Vec<IndexTask>,
    stores: Vec<WindowStore>,
    domains: Vec<Shape>,
    maps: Vec<Map>,
    domain_index: HashTable<u32>,
    map_index: HashTable<u32>,
    canonical: Vec<u64>,
    sizes: Vec<u64>,
}

impl Window {
    /// An empty window.
    pub fn new() -> Window {
        Window::default()
    }

    /// The tasks in program order.
    pub fn tasks(&self) -> &[IndexTask] {
        &self.tasks
    }

    /// The stores in De Bruijn order.
    pub fn stores(&self) -> &[WindowStore] {
        &self.stores
    }

    /// A store.
    pub fn store(&self, id: StoreId) -> &WindowStore {
        &self.stores[id.0 as usize]
    }

    /// An iteration domain.
    pub fn domain(&self, id: DomainId) -> &Shape {
        &self.domains[id.0 as usize]
    }

    /// A map.
    pub fn map(&self, id: MapId) -> &Map {
        &self.maps[id.0 as usize]
    }

    /// Number of domains.
    pub fn domain_count(&self) -> usize {
        self.domains.len()
    }

    /// Number of maps.
    pub fn map_count(&self) -> usize {
        self.maps.len()
    }

    /// Adds a store on its first use in the window.
    #[inline]
    pub fn add_store(&mut self, dtype: RealType, shape: &Shape, initialised: bool) -> StoreId {
        let id = StoreId(self.stores.len() as u32);
        let flags = dtype as u64 | (shape.rank() as u64) << 8 | (initialised as u64) << 16;
        self.canonical.push(TAG_STORE | flags);
        self.sizes.extend(shape.iter().map(|&n| n as u64));
        let (live, is_replaced, shape) = (true, false, shape.clone());
        self.stores.push(WindowStore { dtype, shape, initialised, live, is_replaced });
        id
    }

    /// Notes that the next task makes the next version of a store's variable.
    pub fn set_replaced(&mut self, id: StoreId) {
        self.canonical.push(TAG_REPLACED | id.0 as u64);
        self.stores[id.0 as usize].is_replaced = true;
    }

    /// The number of a domain, new or known.
    #[inline]
    pub fn intern_domain(&mut self, domain: &Shape) -> DomainId {
        match self.domains.last() {
            Some(last) if last == domain => DomainId(self.domains.len() as u32 - 1),
            _ => self.find_domain(domain),
        }
    }

    fn find_domain(&mut self, domain: &Shape) -> DomainId {
        let hash = hash_of(domain);
        let domains = &self.domains;
        if let Some(&i) = self.domain_index.find(hash, |&i| domains[i as usize] == *domain) {
            return DomainId(i);
        }
        let id = self.domains.len() as u32;
        self.canonical.push(TAG_DOMAIN | domain.rank() as u64);
        self.sizes.extend(domain.iter().map(|&n| n as u64));
        self.domains.push(domain.clone());
        let domains = &self.domains;
        self.domain_index.insert_unique(hash, id, |&i| hash_of(&domains[i as usize]));
        DomainId(id)
    }

    /// The number of a normalised map, new or known.
    #[inline]
    pub fn intern_map(&mut self, map: &Map) -> MapId {
        // Mostly one map after the other is the same.
        match self.maps.last() {
            Some(last) if last == map => MapId(self.maps.len() as u32 - 1),
            _ => self.find_map(map),
        }
    }

    fn find_map(&mut self, map: &Map) -> MapId {
        let hash = hash_of(map);
        let maps = &self.maps;
        if let Some(&i) = self.map_index.find(hash, |&i| maps[i as usize] == *map) {
            return MapId(i);
        }
        let id = self.maps.len() as u32;
        self.canonical.push(structure(map));
        self.sizes.extend(map.dims.iter().flat_map(|dim| [dim.start as u64, dim.step as u64]));
        self.maps.push(map.clone());
        let maps = &self.maps;
        self.map_index.insert_unique(hash, id, |&i| hash_of(&maps[i as usize]));
        MapId(id)
    }

    /// Appends a task.
    #[inline]
    pub fn push(
        &mut self,
        op: TaskOp,
        name: &'static str,
        domain: DomainId,
        args: TaskArgs,
        scalars: SmallVec<[Scalar; 2]>,
        place: Place,
    ) {
        let task = TAG_TASK | (domain.0 as u64) << 32 | args.len() as u64;
        self.canonical.extend([task, op.code()]);
        self.canonical.extend(args.iter().map(|arg| {
            let privilege = match arg.privilege {
                Privilege::Read => 0,
                Privilege::Write => 1,
                Privilege::ReadWrite => 2,
                Privilege::Reduce(r) => 3 + r as u64,
            };
            (arg.store.0 as u64) << 32 | (arg.map.0 as u64) << 8 | privilege
        }));
        self.tasks.push(IndexTask { op, name, domain, args, scalars, place });
    }

    /// Brings the tasks into another order; those that `order` does not name are dropped, those that it names again are run again. The
    /// canonical form stays what it is.
    ///
    /// # Panics
    ///
    /// If `order` names a task that is not there.
    pub fn reorder(&mut self, order: &[u32]) {
        const DROPPED: u32 = u32::MAX;
        // Where each task goes; what is dropped goes behind the others.
        let mut places = vec![DROPPED; self.tasks.len()];
        for (place, &task) in order.iter().enumerate() {
            if places[task as usize] == DROPPED {
                places[task as usize] = place as u32;
            } else {
                self.tasks.push(self.tasks[task as usize].clone());
                places.push(place as u32);
            }
        }
        let dropped = places.iter_mut().filter(|place| **place == DROPPED);
        dropped.zip(order.len() as u32..).for_each(|(place, behind)| *place = behind);
        for at in 0..self.tasks.len() {
            while places[at] as usize != at {
                let place = places[at] as usize;
                self.tasks.swap(at, place);
                places.swap(at, place);
            }
        }
        self.tasks.truncate(order.len());
    }

    /// The same with the tasks [in another order](Self::reorder).
    pub fn in_order(&self, order: &[u32]) -> Window {
        let mut window = self.clone();
        window.reorder(order);
        window
    }

    /// A further store, like this one but that nothing wrote before the window or reads behind it. The canonical form stays what it is.
    pub fn add_copy(&mut self, of: StoreId) -> StoreId {
        let WindowStore { dtype, shape, .. } = self.store(of).clone();
        self.add_temporary(dtype, shape)
    }

    /// A domain and a map with numbers of their own, whatever others are equal: which are depends on sizes. The canonical form stays what it is.
    pub fn add_partition(&mut self, domain: Shape, map: Map) -> (DomainId, MapId) {
        self.domains.push(domain);
        self.maps.push(map);
        (DomainId(self.domains.len() as u32 - 1), MapId(self.maps.len() as u32 - 1))
    }

    /// Appends a copy of a part of a store to another one like it, at the place of a task. The canonical form stays what it is.
    pub fn push_copy(
        &mut self,
        from: StoreId,
        to: StoreId,
        (domain, map): (DomainId, MapId),
        like: u32,
    ) {
        let both = [(to, Privilege::Write), (from, Privilege::Read)];
        let args = both.map(|(store, privilege)| TaskArg { store, map, privilege });
        let place = self.tasks[like as usize].place;
        let (args, scalars) = (args.into_iter().collect(), SmallVec::new());
        let (op, name) = (TaskOp::Copy, "copy");
        self.tasks.push(IndexTask { op, name, domain, args, scalars, place });
    }

    /// A further store, which nothing wrote before the window or reads behind it. The canonical form stays what it is.
    pub fn add_temporary(&mut self, dtype: RealType, shape: Shape) -> StoreId {
        let (initialised, live, is_replaced) = Default::default();
        self.stores.push(WindowStore { dtype, shape, initialised, live, is_replaced });
        StoreId(self.stores.len() as u32 - 1)
    }

    /// A map with a number of its own. The canonical form stays what it is.
    pub fn add_map(&mut self, map: Map) -> MapId {
        self.maps.push(map);
        MapId(self.maps.len() as u32 - 1)
    }

    /// Appends a task that does what another one does, over another domain. The canonical form stays what it is.
    pub fn push_like(
        &mut self,
        like: u32,
        domain: DomainId,
        args: TaskArgs,
        scalars: SmallVec<[Scalar; 2]>,
    ) {
        let IndexTask { op, name, place, .. } = self.tasks[like as usize];
        self.tasks.push(IndexTask { op, name, domain, args, scalars, place });
    }

    /// Has an argument of a task be another store, through another map. The canonical form stays what it is.
    pub fn redirect(&mut self, task: u32, argument: usize, (store, map): (StoreId, MapId)) {
        let arg = &mut self.tasks[task as usize].args[argument];
        (arg.store, arg.map) = (store, map);
    }

    /// Has an argument of a task name another store, of the same element type and shape. The canonical form stays what it is.
    pub fn rename(&mut self, task: u32, argument: usize, store: StoreId) {
        self.tasks[task as usize].args[argument].store = store;
    }

    /// Sets whether a store is live after the window.
    pub fn set_live(&mut self, id: StoreId, live: bool) {
        self.stores[id.0 as usize].live = live;
    }

    /// The canonical form: the word stream and then the live bits.
    pub fn canonical_form(&self) -> CanonicalForm {
        let mut words = self.canonical.clone();
        self.extend_live(&mut words);
        CanonicalForm { words: words.into_boxed_slice() }
    }

    /// A hash of [`canonical_form`](Self::canonical_form) without making it.
    pub fn canonical_hash(&self) -> u64 {
        let mut live: SmallVec<[u64; 8]> = SmallVec::new();
        self.extend_live(&mut live);
        hash_of_words(&self.canonical) ^ hash_of_words(&live).rotate_left(32)
    }

    /// Whether the window's canonical form is `form`.
    pub fn matches(&self, form: &CanonicalForm) -> bool {
        let n = self.canonical.len();
        if form.words.len() < n || form.words[..n] != self.canonical[..] {
            return false;
        }
        let mut live: SmallVec<[u64; 8]> = SmallVec::new();
        self.extend_live(&mut live);
        form.words[n..] == live[..]
    }

    /// Every size in the window, in order of first use: extents of stores and domains, starts and steps of maps. Of windows
    /// with one canonical form, those with equal sizes have equal stores, domains and maps: every guard keeps its answer.
    ///
    /// ```
    /// let text = "s0: f64 [8] initialised live\ns1: f64 [4] live\nt0: neg.f64 over [4]: s1[i0] = s0[1 + 2*i0]\n";
    /// let window = darray_ir::Window::parse(text)?;
    /// assert_eq!(window.sizes(), [4, 4, 0, 1, 8, 1, 2]);
    /// # Ok::<(), darray_ir::parse::ParseError>(())
    /// ```
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Empties the window, keeping its memory.
    pub fn clear(&mut self) {
        self.tasks.clear();
        self.stores.clear();
        self.domains.clear();
        self.maps.clear();
        self.domain_index.clear();
        self.map_index.clear();
        self.canonical.clear();
        self.sizes.clear();
    }

    fn extend_live(&self, words: &mut impl Extend<u64>) {
        words.extend(self.stores.chunks(64).map(|chunk| {
            chunk.iter().enumerate().fold(0u64, |bits, (i, s)| bits | (s.live as u64) << i)
        }));
    }
}

/// What two windows share exactly when one plan serves both, up to guards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CanonicalForm {
    words: Box<[u64]>,
}

impl CanonicalForm {
    /// Number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether this is the form of the empty window.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

const TAG_STORE: u64 = 1 << 60;
const TAG_DOMAIN: u64 = 2 << 60;
const TAG_MAP: u64 = 3 << 60;
const TAG_TASK: u64 = 4 << 60;
const TAG_REPLACED: u64 = 5 << 60;

/// A word for what generated code depends on of a map: chart, and per dimension the axis and the class of
/// its step. Six bits a dimension; arrays have at most eight, and nine fit.
pub fn structure(map: &Map) -> u64 {
    debug_assert!(map.dims.len() <= 9);
    let mut word = 0u64;
    for dim in &map.dims {
        let class = match dim.step {
            0 => 0,
            1 => 1,
            -1 => 2,
            _ => 3,
        };
        let axis = dim.axis.map_or(0, |a| a as u64 + 1);
        word = word << 6 | (axis & 15) << 2 | class;
    }
    let chart = match map.chart {
        Chart::Native => 0,
        Chart::Linear => 1u64 << 59,
    };
    let rank = (map.dims.len() as u64 & 15) << 54;
    TAG_MAP | chart | rank | (word & ((1 << 54) - 1))
}
