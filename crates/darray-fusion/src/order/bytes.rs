//! What kernels move: bytes of stores that groups of tasks read and write.

use crate::order::graph::{Graph, Lists};
use darray_ir::window::WindowStore;
use darray_ir::{IndexTask, Privilege, TaskArg, Window};
use smallvec::SmallVec;

/// Who uses the stores of a window, in program order.
pub(crate) struct StoreUsers {
    users: Lists<User>,
    /// Per node, its stores, each once.
    stores: Lists<u32>,
    /// Per store, whether it is seen behind the window.
    live: Vec<bool>,
    /// Bytes that could be moved while a kernel is launched.
    pub(crate) launch: u64,
}

/// A use of a store by a node.
#[derive(Clone, Copy, Debug)]
struct User {
    node: u32,
    used: Use,
}

/// What a task does with a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    reads: bool,
    changes: bool,
    bytes: u64,
}

impl Use {
    pub(crate) fn new(window: &Window, task: &IndexTask, arg: &TaskArg) -> Use {
        let store = window.store(arg.store);
        let elements = window.domain(task.domain).size().min(store.shape.size()) as u64;
        Use {
            reads: matches!(arg.privilege, Privilege::Read | Privilege::ReadWrite),
            changes: arg.privilege != Privilege::Read,
            bytes: elements.saturating_mul(store.dtype.size() as u64),
        }
    }
}

/// Bytes of a store that kernels read and write: what a kernel reads before it changes it, and what it changes, unless nothing
/// outside sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moved {
    /// Per kernel: its number, bytes read and bytes changed.
    kernels: SmallVec<[(u32, u64, u64); 8]>,
}

impl Moved {
    /// A further use, in the order of the program.
    pub(crate) fn add(&mut self, kernel: u32, used: &Use) {
        let at = self.kernels.iter().rposition(|found| found.0 == kernel);
        let at = at.unwrap_or_else(|| {
            self.kernels.push((kernel, 0, 0));
            self.kernels.len() - 1
        });
        let (_, read, changed) = &mut self.kernels[at];
        if used.reads && *changed == 0 {
            *read = used.bytes.max(*read);
        }
        if used.changes {
            *changed += used.bytes;
        }
    }

    /// All of it, of a store that is seen behind the window or not.
    pub(crate) fn bytes(&self, live: bool) -> u64 {
        self.by_kernel(live).map(|(_, bytes)| bytes).sum()
    }

    /// The same by kernel.
    fn by_kernel(&self, live: bool) -> impl Iterator<Item = (u32, u64)> {
        let is_seen = live || self.kernels.len() > 1;
        self.kernels
            .iter()
            .map(move |&(kernel, read, changed)| (kernel, read + if is_seen { changed } else { 0 }))
    }
}

/// Bytes that kernels read and write: pairs of a kernel's number and a task of it, in the order in which they run.
pub(crate) fn moved(window: &Window, tasks: impl Iterator<Item = (u32, u32)>) -> u64 {
    let moved = by_store(window, tasks);
    let stores = moved.iter().zip(window.stores());
    stores.map(|(moved, store)| moved.bytes(store.live)).sum()
}

/// The same by kernel, of so many.
pub(crate) fn moved_by_kernel(
    window: &Window,
    tasks: impl Iterator<Item = (u32, u32)>,
    kernels: usize,
) -> Vec<u64> {
    let mut bytes = vec![0; kernels];
    for (moved, store) in by_store(window, tasks).iter().zip(window.stores()) {
        moved.by_kernel(store.live).for_each(|(kernel, moved)| bytes[kernel as usize] += moved);
    }
    bytes
}

/// Per store of a window, what kernels move of it.
fn by_store(window: &Window, tasks: impl Iterator<Item = (u32, u32)>) -> Vec<Moved> {
    let mut moved = vec![Moved::default(); window.stores().len()];
    for (kernel, task) in tasks {
        let task = &window.tasks()[task as usize];
        for arg in &task.args {
            moved[arg.store.0 as usize].add(kernel, &Use::new(window, task, arg));
        }
    }
    moved
}

/// Bytes that the tasks of a window, whose live bits are set, read and write at least, whatever is one kernel: what was there
/// before is read once, what is seen behind it written once.
pub fn least(window: &Window) -> u64 {
    let tasks = (0..window.tasks().len() as u32).map(|task| (0, task));
    let moved = by_store(window, tasks);
    let of = |(moved, store): (&Moved, &WindowStore)| {
        let all = (store.shape.size() as u64).saturating_mul(store.dtype.size() as u64);
        let once = |&(_, read, changed): &(u32, u64, u64)| {
            let read = if store.initialised { read } else { 0 };
            read + if store.live { changed.min(all) } else { 0 }
        };
        moved.kernels.iter().map(once).sum::<u64>()
    };
    moved.iter().zip(window.stores()).map(of).sum()
}

/// Uses of a store beyond which its bytes are not looked at: they are the uses of parts, one by one.
const MOST_USERS: usize = 48;

impl StoreUsers {
    pub(crate) fn new(window: &Window, graph: &Graph, launch: u64) -> StoreUsers {
        let (mut users, mut stores) = (Vec::new(), Vec::new());
        for (number, node) in graph.nodes.iter().enumerate() {
            let task = &window.tasks()[node.task as usize];
            for (at, arg) in task.args.iter().enumerate() {
                // A value that many kernels read, or compute for themselves, is no reason to make them one.
                if window.store(arg.store).shape.rank() == 0
                    && window.domain(task.domain).rank() > 0
                {
                    continue;
                }
                let user = User { node: number as u32, used: Use::new(window, task, arg) };
                users.push((arg.store.0, user));
                if task.args[..at].iter().all(|other| other.store != arg.store) {
                    stores.push((number as u32, arg.store.0));
                }
            }
        }
        StoreUsers {
            users: Lists::new(window.stores().len(), &users),
            stores: Lists::new(graph.len(), &stores),
            live: window.stores().iter().map(|store| store.live).collect(),
            launch,
        }
    }

    /// The stores that a node uses.
    pub(crate) fn stores(&self, node: usize) -> &[u32] {
        self.stores.of(node)
    }

    /// The nodes that use a store, if they are not very many.
    pub(crate) fn nodes(&self, store: u32) -> impl Iterator<Item = u32> + '_ {
        let users = self.users.of(store as usize);
        let few = if users.len() > MOST_USERS { &[] } else { users };
        few.iter().map(|user| user.node)
    }

    /// Bytes of a store that kernels move if they are these groups.
    pub(crate) fn moved(&self, store: u32, group: impl Fn(u32) -> u32) -> u64 {
        let users = self.users.of(store as usize);
        if users.len() > MOST_USERS {
            return 0;
        }
        let mut moved = Moved::default();
        users.iter().for_each(|user| moved.add(group(user.node), &user.used));
        moved.bytes(self.live[store as usize])
    }
}
