//! Which tasks compute for themselves what a replicable task gives.
//!
//! A reader of what a [replicable](crate::constraint::replicable) task writes computes that for itself if it finds what the task found: nothing that
//! the task reads is changed between the two, nor by the reader. It then reads what the task reads. A replicable task is *kept* as a
//! task of its own if anybody else reads what it writes, or the program does behind the window.

use crate::constraint::replicable::Replicable;
use crate::order::partitions::{PartitionId, Partitions};
use darray_ir::{IndexTask, Privilege, StoreId, Window};
use smallvec::SmallVec;

/// Who computes what for itself.
pub(crate) struct Replicas {
    replicable: Replicable,
    /// Per task, the replicable tasks whose results it reads and computes for itself.
    own: Vec<SmallVec<[u32; 2]>>,
    /// Per replicable task, what it reads in the end, by way of others that it computes for itself.
    leaves: Vec<Leaves>,
    /// Per task, whether it is kept.
    kept: Vec<bool>,
}

/// Stores and the parts of them that are read.
pub(crate) type Leaves = SmallVec<[(StoreId, PartitionId); 4]>;

/// Most that a replicable task reads in the end.
const MOST_LEAVES: usize = 8;

/// Changes of a store that are looked at between a task and who reads what it gives.
const MOST_CHANGES: usize = 16;

impl Replicas {
    /// Of a window whose tasks are needed or not.
    pub(crate) fn new(
        window: &Window,
        needed: &[bool],
        partitions: &mut Partitions<'_>,
    ) -> Replicas {
        let replicable = Replicable::new(window);
        let (own, leaves, kept) = Default::default();
        let mut found = Replicas { replicable, own, leaves, kept };
        if found.replicable.is_empty() {
            return found;
        }
        let tasks = window.tasks().len();
        found.own = vec![SmallVec::new(); tasks];
        found.leaves = vec![Leaves::new(); tasks];
        found.kept = vec![false; tasks];
        let mut changes: Vec<SmallVec<[(u32, PartitionId); 2]>> =
            vec![SmallVec::new(); window.stores().len()];
        for (number, task) in window.tasks().iter().enumerate() {
            if !needed[number] {
                continue;
            }
            for arg in task.args.iter().filter(|arg| arg.privilege != Privilege::Read) {
                changes[arg.store.0 as usize].push((number as u32, partitions.of(task, arg)));
            }
            for arg in task.args.iter().filter(|arg| arg.privilege == Privilege::Read) {
                let Some(writer) = found.replicable.writer(arg.store) else { continue };
                let finds_the_same = task.is_nest()
                    && window.map(arg.map).dims.is_empty()
                    && found.leaves[writer as usize].iter().all(|&(store, part)| {
                        let mut later = changes[store.0 as usize].iter().rev();
                        let mut later = later.by_ref().take_while(|(by, _)| *by > writer);
                        let mut few = later.by_ref().take(MOST_CHANGES);
                        few.all(|&(_, changed)| !partitions.may_share(changed, part))
                            && later.next().is_none()
                    });
                match finds_the_same {
                    false => found.kept[writer as usize] = true,
                    true if found.own[number].contains(&writer) => {}
                    true => found.own[number].push(writer),
                }
            }
            if found.replicable.is(number as u32) {
                found.look_at(window, number, task, partitions);
            }
        }
        found
    }

    /// What a replicable task reads in the end; one that reads much is none.
    fn look_at(
        &mut self,
        window: &Window,
        number: usize,
        task: &IndexTask,
        partitions: &mut Partitions<'_>,
    ) {
        let mut leaves = Leaves::new();
        let mut add = |leaf| {
            if !leaves.contains(&leaf) {
                leaves.push(leaf);
            }
        };
        for arg in task.args.iter().filter(|arg| arg.privilege == Privilege::Read) {
            match self.replicable.writer(arg.store) {
                Some(writer) if self.own[number].contains(&writer) => {
                    self.leaves[writer as usize].iter().copied().for_each(&mut add);
                }
                _ => add((arg.store, partitions.of(task, arg))),
            }
        }
        let is_seen = |store: StoreId| window.store(store).live;
        self.kept[number] |= task.args[..task.outputs()].iter().any(|arg| is_seen(arg.store));
        match leaves.len() <= MOST_LEAVES {
            true => self.leaves[number] = leaves,
            false => self.replicable.remove(number as u32),
        }
    }

    /// Whether nobody computes anything for itself.
    pub(crate) fn is_empty(&self) -> bool {
        self.own.iter().all(|own| own.is_empty())
    }

    /// Whether a task may be computed again.
    pub(crate) fn is_replicable(&self, task: u32) -> bool {
        self.replicable.is(task)
    }

    /// Whether a task is run on its own.
    pub(crate) fn is_kept(&self, task: u32) -> bool {
        !self.replicable.is(task) || self.kept[task as usize]
    }

    /// The replicable tasks whose results a task computes for itself.
    pub(crate) fn of(&self, task: u32) -> &[u32] {
        self.own.get(task as usize).map_or(&[], |own| own)
    }

    /// What a task reads of a store's writer, if it computes for itself what that gives.
    pub(crate) fn leaves(&self, task: u32, store: StoreId) -> Option<&Leaves> {
        let writer = self.replicable.writer(store)?;
        self.of(task).contains(&writer).then(|| &self.leaves[writer as usize])
    }

    /// What a replicable task reads in the end.
    pub(crate) fn leaves_of(&self, task: u32) -> &Leaves {
        &self.leaves[task as usize]
    }
}
