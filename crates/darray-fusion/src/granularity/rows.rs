//! Kernels by rows: nests of different domains that go through the same rows together.
//!
//! A matrix-vector product runs over `[n, k]`, what is done with its result over `[n]`, the transposed
//! product of the same matrix over `[n, k]` again. Over elements the domains differ, or a value is used
//! at other elements than it was written at; over *rows*, the indices along axis 0, every dependence
//! may still be point-wise. Then a kernel has all these nests, and an executor may run them a block of
//! rows at a time: the matrix is read once.
//!
//! ```text
//! t0  inner_product{1}  over [n, k]:  s0[i0] = s1[i0, i1], s2[i1]
//! t1  exp               over [n]:     s3[i0] = s0[i0]
//! t2  inner_product{0}  over [n, k]:  s4[i1] = s1[i0, i1], s3[i0]
//!
//! rows  s1 {row i0}  s0 {row i0}  s3 {row i0}   point-wise          kernel K0: t0..t2, by rows
//!       s2 {every row} read only  s4 reduced, used once
//! ```
//!
//! The constraints are those of [`crate::constraint`], word for word: the domain is the number of rows,
//! the partition of a store is what of a map moves with the row. Two maps are equal as partitions if the
//! same dimensions move in the same way (then different rows reach disjoint slabs); a map that does not
//! move with the row is like no other. A reduction is `Write` where it keeps the rows. Domains without
//! elements are left to kernels of one nest.

use crate::constraint::replicable::Replicable;
use crate::constraint::use_index::UseIndex;
use crate::constraint::{Access, Granularity};
use crate::facts::{Facts, Question};
use crate::granularity::REPLICABLE;
use darray_core::Chart;
use darray_ir::{DomainId, IndexTask, MapId, Privilege, StoreId, TaskArg, Window};
use hashbrown::HashMap;

/// Most ways in which rows of one store are told apart; further ones are like no other.
const MOST_WAYS: usize = 8;

/// Loop nests over the rows of their iteration domains.
pub struct Rows<'w> {
    window: &'w Window,
    facts: &'w dyn Facts,
    replicable: Replicable,
    accesses: Vec<Vec<Access>>,
}

impl<'w> Rows<'w> {
    /// The view of a window.
    pub fn new(window: &'w Window, facts: &'w dyn Facts) -> Rows<'w> {
        let mut ways = Ways { window, facts, known: HashMap::new(), strange: 0 };
        let replicable = Replicable::new(window);
        let mut access = |task: &IndexTask| -> Vec<Access> {
            let keeps_rows = task.reduced_axes() & 1 == 0;
            let of = |arg: &TaskArg| Access {
                store: arg.store,
                partition: replicable
                    .partition(window, arg)
                    .unwrap_or_else(|| ways.partition(arg.store, (task.domain, arg.map))),
                privilege: match arg.privilege {
                    Privilege::Reduce(_) if keeps_rows => Privilege::Write,
                    other => other,
                },
            };
            task.args.iter().map(of).collect()
        };
        let accesses = window.tasks().iter().map(|task| match task.is_nest() {
            true => access(task),
            false => Vec::new(),
        });
        let accesses = accesses.collect();
        Rows { window, facts, replicable, accesses }
    }

    fn domain(&self, node: u32) -> DomainId {
        self.window.tasks()[node as usize].domain
    }
}

/// The ways in which a window reaches rows of its stores.
struct Ways<'w> {
    window: &'w Window,
    facts: &'w dyn Facts,
    known: HashMap<StoreId, Vec<(DomainId, MapId)>>,
    /// Accesses so far that are like no other.
    strange: u32,
}

impl Ways<'_> {
    /// The first way in which the window reaches the rows of the store that this one equals.
    fn partition(&mut self, store: StoreId, own: (DomainId, MapId)) -> (DomainId, MapId) {
        let map = self.window.map(own.1);
        let moves = map.dims.iter().any(|dim| dim.axis == Some(0));
        let known = self.known.entry(store).or_default();
        if map.chart == Chart::Native && moves {
            let equal = |&&(_, other): &&(DomainId, MapId)| {
                other == own.1 || self.facts.ask(Question::SameSlabs(own.1, other))
            };
            if let Some(&first) = known.iter().find(equal) {
                return first;
            }
            if known.len() < MOST_WAYS {
                known.push(own);
                return own;
            }
        }
        // No map of the window has such a number.
        self.strange += 1;
        (own.0, MapId(u32::MAX - self.strange))
    }
}

impl Granularity for Rows<'_> {
    fn class(&self, node: u32) -> (u32, u32) {
        match self.replicable.is(node) {
            true => REPLICABLE,
            false => (self.domain(node).0, 0),
        }
    }

    fn equivalent(&self, earlier: u32, candidate: u32) -> bool {
        let domains = (self.domain(earlier), self.domain(candidate));
        self.replicable.is_any([earlier, candidate])
            || self.facts.ask(Question::SameRows(domains.0, domains.1))
    }

    fn accesses(&self, node: u32) -> &[Access] {
        &self.accesses[node as usize]
    }

    /// Representatives of partitions say nothing of the elements that a nest reaches.
    fn disjoint(&self, _: &Access, _: &Access) -> bool {
        false
    }

    fn index(&self) -> Option<UseIndex<'_>> {
        None
    }

    fn are_apart(&self, _: Vec<Access>) -> bool {
        false
    }
}

/// Whether a task reduces other axes than the rows: what a kernel by rows is made for.
pub fn reduces_rows_to_elements(task: &IndexTask) -> bool {
    task.reduced_axes() != 0 && task.reduced_axes() & 1 == 0 && task.is_nest()
}

/// Whether nests by rows read or write one store together, and some reduce rows to elements.
pub fn pays(window: &Window, nests: &[Vec<u32>]) -> bool {
    let task = |t: &u32| &window.tasks()[*t as usize];
    if nests.len() < 2 || !nests.iter().flatten().map(task).any(reduces_rows_to_elements) {
        return false;
    }
    let mut first: HashMap<StoreId, usize> = HashMap::new();
    nests.iter().enumerate().any(|(number, nest)| {
        let mut args = nest.iter().map(task).flat_map(|t| &t.args);
        args.any(|arg| *first.entry(arg.store).or_insert(number) != number)
    })
}
