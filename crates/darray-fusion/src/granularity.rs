//! The two views of a window that the analyser works on.

pub mod rows;

use crate::constraint::replicable::Replicable;
use crate::constraint::use_index::UseIndex;
use crate::constraint::{Access, Granularity};
use crate::facts::{Facts, Question};
use darray_ir::{IndexTask, Privilege, Window};

/// Index tasks over the points of their launch domains.
///
/// A launch domain is given by the rank of the iteration domain and the grid policy, so tasks over
/// domains of one rank have equal launch domains whatever the extents. A reduction is `Reduce` when a
/// launch domain cuts a reduced axis, else `Write`: each point then owns what it writes.
pub struct Points<'w> {
    view: View<'w>,
}

/// Loop nests over the elements of their iteration domains.
///
/// Domains are equivalent when they have the same extents and reduce the same axes in the same order; a
/// nest that reduces nothing takes on the other's nesting.
pub struct Elements<'w> {
    view: View<'w>,
}

struct View<'w> {
    window: &'w Window,
    facts: &'w dyn Facts,
    replicable: Replicable,
    accesses: Vec<Vec<Access>>,
}

/// The class of a replicable task, whose domain is equivalent to every other.
pub(crate) const REPLICABLE: (u32, u32) = (u32::MAX, 0);

impl<'w> Points<'w> {
    /// The view of a window whose launch domains cut this many leading axes.
    pub fn new(window: &'w Window, facts: &'w dyn Facts, distributed_axes: usize) -> Points<'w> {
        let privilege = |task: &IndexTask, element: Privilege| match element {
            Privilege::Reduce(_) if !over_points(task.reduced_axes(), distributed_axes) => {
                Privilege::Write
            }
            other => other,
        };
        Points { view: View::new(window, facts, privilege) }
    }
}

impl<'w> Elements<'w> {
    /// The view of a window.
    pub fn new(window: &'w Window, facts: &'w dyn Facts) -> Elements<'w> {
        Elements { view: View::new(window, facts, |_, element| element) }
    }
}

/// Whether launch domains that cut `distributed_axes` leading axes cut one of the reduced `axes`.
pub fn over_points(axes: u32, distributed_axes: usize) -> bool {
    axes & ((1u32 << distributed_axes.min(31)) - 1) != 0
}

impl<'w> View<'w> {
    fn new(
        window: &'w Window,
        facts: &'w dyn Facts,
        privilege: impl Fn(&IndexTask, Privilege) -> Privilege,
    ) -> View<'w> {
        let replicable = Replicable::new(window);
        let access = |task: &IndexTask| {
            let uses = task.args.iter().map(|arg| Access {
                store: arg.store,
                partition: replicable.partition(window, arg).unwrap_or((task.domain, arg.map)),
                privilege: privilege(task, arg.privilege),
            });
            uses.collect()
        };
        let accesses = window.tasks().iter().map(access).collect();
        View { window, facts, replicable, accesses }
    }

    fn task(&self, node: u32) -> &IndexTask {
        &self.window.tasks()[node as usize]
    }

    fn disjoint(&self, a: &Access, b: &Access) -> bool {
        self.facts.ask(Question::Disjoint(a.partition, b.partition))
    }

    fn are_apart(&self, uses: Vec<Access>) -> bool {
        self.facts.ask(Question::Apart(uses.into()))
    }
}

impl Granularity for Points<'_> {
    fn class(&self, node: u32) -> (u32, u32) {
        match self.view.replicable.is(node) {
            true => REPLICABLE,
            false => (self.view.window.domain(self.view.task(node).domain).rank() as u32, 0),
        }
    }

    fn equivalent(&self, earlier: u32, candidate: u32) -> bool {
        self.view.replicable.is_any([earlier, candidate])
            || self.class(earlier) == self.class(candidate)
    }

    fn accesses(&self, node: u32) -> &[Access] {
        &self.view.accesses[node as usize]
    }

    fn disjoint(&self, a: &Access, b: &Access) -> bool {
        self.view.disjoint(a, b)
    }

    fn index(&self) -> Option<UseIndex<'_>> {
        Some(UseIndex::new(self.view.window))
    }

    fn are_apart(&self, uses: Vec<Access>) -> bool {
        self.view.are_apart(uses)
    }
}

impl Granularity for Elements<'_> {
    fn class(&self, node: u32) -> (u32, u32) {
        let task = self.view.task(node);
        match self.view.replicable.is(node) {
            true => REPLICABLE,
            false => (task.domain.0, task.reduced_axes()),
        }
    }

    fn equivalent(&self, earlier: u32, candidate: u32) -> bool {
        let ((e, e_axes), (c, c_axes)) = (self.class(earlier), self.class(candidate));
        self.view.replicable.is_any([earlier, candidate])
            || e == c && ((e, e_axes) == (c, c_axes) || e_axes == 0 || c_axes == 0)
    }

    fn accesses(&self, node: u32) -> &[Access] {
        &self.view.accesses[node as usize]
    }

    fn disjoint(&self, a: &Access, b: &Access) -> bool {
        self.view.disjoint(a, b)
    }

    fn index(&self) -> Option<UseIndex<'_>> {
        Some(UseIndex::new(self.view.window))
    }

    fn are_apart(&self, uses: Vec<Access>) -> bool {
        self.view.are_apart(uses)
    }
}
