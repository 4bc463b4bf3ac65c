//! The four constraints of fusion, over a small trait.
//!
//! Diffuse (paper 002, figure 7) fuses index tasks when every dependence between them is
//! point-wise: `D(T1, T2)[p]` is a subset of `{p}`. For an earlier node `e` of the group and a
//! candidate `c`, and every store that both use:
//!
//! | constraint | stops when |
//! |---|---|
//! | launch domain | their domains differ |
//! | true dependence | `e` writes, `c` reads or writes through another partition |
//! | anti-dependence | `e` reads, `c` writes through another partition |
//! | reduction | one of them reduces and the other uses the store in any way |
//!
//! "Another partition" means neither equal nor proven disjoint; a use that is proven disjoint from a
//! reduction may join it, a second reduction of the store never does (P3). The constraints are sound under the
//! preconditions of [`crate::precondition`]. They hold word for word at every granularity: over
//! points (domain = launch domain, partition = tiling), over rows (domain = indices along axis 0,
//! partition = what of the access map moves with them) and over elements (domain = iteration domain,
//! partition = access map).

pub(crate) mod replicable;
mod rule;
pub mod use_index;

pub use rule::{Access, Rule, Rules, dependence};

use darray_ir::StoreId;
use use_index::UseIndex;

/// What the analyser needs to know of its nodes; see [`crate::granularity`] for the two views.
pub trait Granularity {
    /// A number for the domain: nodes of one class are equivalent to the same nodes.
    fn class(&self, node: u32) -> (u32, u32);
    /// Whether the domains of two nodes are equivalent.
    fn equivalent(&self, earlier: u32, candidate: u32) -> bool;
    /// The uses of stores by a node.
    fn accesses(&self, node: u32) -> &[Access];
    /// Whether two different partitions of one store are proven disjoint.
    fn disjoint(&self, a: &Access, b: &Access) -> bool;
    /// An empty index, for the uses of a store that a group uses in many ways; none where partitions are
    /// not what a index takes them for.
    fn index(&self) -> Option<UseIndex<'_>>;
    /// Whether none of these uses of one store conflicts with an earlier one.
    fn are_apart(&self, uses: Vec<Access>) -> bool;
}

/// Why a candidate cannot join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The constraint.
    pub rule: Rule,
    /// The node of the group.
    pub earlier: u32,
    /// The store, where the constraint is about one.
    pub store: Option<StoreId>,
}

/// Checks the launch domains of two nodes.
pub fn launch_domain(g: &dyn Granularity, earlier: u32, candidate: u32) -> Option<Violation> {
    let rule = Rule::LaunchDomain;
    (!g.equivalent(earlier, candidate)).then_some(Violation { rule, earlier, store: None })
}
