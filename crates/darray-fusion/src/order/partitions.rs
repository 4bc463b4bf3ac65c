//! The partitions of a window, and which of them may share elements.

use crate::constraint::Access;
use crate::constraint::use_index::UseIndex;
use darray_ir::{DomainId, IndexTask, MapId, StoreId, TaskArg, Window, geometry};
use hashbrown::HashMap;
use smallvec::SmallVec;

/// The number of a partition: a map over a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PartitionId(u32);

impl PartitionId {
    /// What a builtin, an opaque task or a fold of nothing reaches: it may be anything.
    const ANYWHERE: PartitionId = PartitionId(u32::MAX);
}

/// Numbers for the partitions of a window.
pub(crate) struct Partitions<'w> {
    window: &'w Window,
    numbers: HashMap<(DomainId, MapId), u32>,
    list: Vec<(DomainId, MapId)>,
    /// Pairs that were compared: whether they are disjoint.
    disjoint: HashMap<(u32, u32), bool>,
}

impl<'w> Partitions<'w> {
    pub(crate) fn new(window: &'w Window) -> Partitions<'w> {
        let (numbers, list, disjoint) = Default::default();
        Partitions { window, numbers, list, disjoint }
    }

    pub(crate) fn of(&mut self, task: &IndexTask, arg: &TaskArg) -> PartitionId {
        // Where nothing is folded the results are written all the same.
        let folds_nothing = || self.window.domain(task.domain).size() == 0;
        if !task.is_nest() || arg.privilege.reduces() && folds_nothing() {
            return PartitionId::ANYWHERE;
        }
        let partition = (task.domain, arg.map);
        let list = &mut self.list;
        PartitionId(*self.numbers.entry(partition).or_insert_with(|| {
            list.push(partition);
            list.len() as u32 - 1
        }))
    }

    /// Whether two partitions of one store may share elements.
    pub(crate) fn may_share(&mut self, a: PartitionId, b: PartitionId) -> bool {
        if a == b || a == PartitionId::ANYWHERE || b == PartitionId::ANYWHERE {
            return true;
        }
        let pair = (a.0.min(b.0), a.0.max(b.0));
        let (window, list) = (self.window, &self.list);
        let geometry = |number: u32| {
            let (domain, map) = list[number as usize];
            (window.map(map), window.domain(domain))
        };
        let compare = || geometry::disjoint(geometry(pair.0), geometry(pair.1));
        !*self.disjoint.entry(pair).or_insert_with(compare)
    }

    /// A use of a store through a partition.
    pub(crate) fn access(&self, partition: PartitionId) -> Access {
        let anywhere = (DomainId(u32::MAX), MapId(u32::MAX));
        let partition = self.list.get(partition.0 as usize).copied().unwrap_or(anywhere);
        // Of one store and one kind all: the index is to find what is near.
        Access { store: StoreId(0), partition, privilege: darray_ir::Privilege::Write }
    }
}

/// Partitions of one store from which on those that may share elements with another are looked up.
const MANY: usize = 24;

/// Partitions of one store, each with something; those that may share elements with another are found without looking at all.
pub(crate) struct Near<'w, T> {
    list: Vec<(PartitionId, T)>,
    /// Where in the list that is which may be anywhere.
    anywhere: Option<u32>,
    /// The others once they are many, in order, and where in the list each is.
    index: Option<(Box<UseIndex<'w>>, Vec<u32>)>,
}

impl<T> Default for Near<'_, T> {
    fn default() -> Self {
        Near { list: Vec::new(), anywhere: None, index: None }
    }
}

impl<'w, T: Default> Near<'w, T> {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        (self.anywhere, self.index) = (None, None);
    }

    pub(crate) fn get(&self, at: usize) -> (PartitionId, &T) {
        let (partition, value) = &self.list[at];
        (*partition, value)
    }

    /// What belongs to a partition.
    pub(crate) fn entry(&mut self, partitions: &Partitions<'w>, partition: PartitionId) -> &mut T {
        let known = match &self.index {
            Some((index, places)) if partition != PartitionId::ANYWHERE => {
                index.find(&partitions.access(partition)).map(|number| places[number] as usize)
            }
            _ => self.list.iter().position(|&(other, _)| other == partition),
        };
        let at = known.unwrap_or_else(|| self.add(partitions, partition));
        &mut self.list[at].1
    }

    fn add(&mut self, partitions: &Partitions<'w>, partition: PartitionId) -> usize {
        self.list.push((partition, T::default()));
        let at = self.list.len() - 1;
        if partition == PartitionId::ANYWHERE {
            self.anywhere = Some(at as u32);
        } else if let Some((index, places)) = &mut self.index {
            index.insert(partitions.access(partition));
            places.push(at as u32);
        } else if self.list.len() >= MANY {
            let (mut index, mut places) = (Box::new(UseIndex::new(partitions.window)), Vec::new());
            for (at, &(partition, _)) in self.list.iter().enumerate() {
                if partition != PartitionId::ANYWHERE {
                    index.insert(partitions.access(partition));
                    places.push(at as u32);
                }
            }
            self.index = Some((index, places));
        }
        at
    }

    /// Where those are that may share elements with a partition.
    pub(crate) fn near(
        &self,
        partitions: &mut Partitions<'w>,
        partition: PartitionId,
    ) -> SmallVec<[u32; 16]> {
        let candidates: SmallVec<[u32; 16]> = match &self.index {
            Some((index, places)) if partition != PartitionId::ANYWHERE => {
                let near = index.near(&partitions.access(partition));
                let near = near.into_iter().map(|number| places[number as usize]);
                near.chain(self.anywhere).collect()
            }
            _ => (0..self.list.len() as u32).collect(),
        };
        let shares = |at: &u32| partitions.may_share(self.list[*at as usize].0, partition);
        candidates.into_iter().filter(shares).collect()
    }
}
