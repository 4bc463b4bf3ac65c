//! The rules of legality by name, and which of them two uses of one store break.

use darray_ir::{DomainId, MapId, Privilege, StoreId};

/// One use of a store by a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The store.
    pub store: StoreId,
    /// The partition: a map over a domain.
    pub partition: (DomainId, MapId),
    /// At the granularity in question.
    pub privilege: Privilege,
}

/// A rule of legality, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// Launch-domain equivalence.
    LaunchDomain,
    /// True dependence: a write, then a read or write through another partition.
    TrueDependence,
    /// Anti-dependence: a read, then a write through another partition.
    AntiDependence,
    /// Reduction: a reduction, then any other access, or the reverse.
    Reduction,
    /// P1: a task does not alias itself.
    SelfAlias,
    /// P2: writes are injective.
    InjectiveWrite,
    /// P3: one reduction per store and group.
    SingleReduction,
}

/// Which rules hold: all of them. Only with the feature `testing` one can be left out, to show that it is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    #[cfg(feature = "testing")]
    left_out: Option<Rule>,
}

impl Rules {
    /// Whether this one holds.
    pub fn hold(self, rule: Rule) -> bool {
        self.left_out() != Some(rule)
    }

    /// Whether all hold.
    pub fn all_hold(self) -> bool {
        self.left_out().is_none()
    }

    /// All but this one. Results are then wrong.
    #[cfg(feature = "testing")]
    pub fn without(rule: Rule) -> Rules {
        Rules { left_out: Some(rule) }
    }

    #[cfg(feature = "testing")]
    fn left_out(self) -> Option<Rule> {
        self.left_out
    }

    #[cfg(not(feature = "testing"))]
    fn left_out(self) -> Option<Rule> {
        None
    }
}

/// Names the constraint that two uses of one store break, if any; `disjoint` says whether two
/// different partitions are proven disjoint.
pub fn dependence(
    earlier: &Access,
    candidate: &Access,
    disjoint: impl FnOnce(&Access, &Access) -> bool,
) -> Option<Rule> {
    let (e, c) = (earlier.privilege, candidate.privilege);
    let rule = if e == Privilege::Read && c == Privilege::Read {
        return None;
    } else if e.reduces() && c.reduces() {
        Rule::SingleReduction
    } else if e.reduces() || c.reduces() {
        Rule::Reduction
    } else if e.writes() {
        Rule::TrueDependence
    } else {
        Rule::AntiDependence
    };
    let equal = earlier.partition == candidate.partition;
    let may_join = match rule {
        Rule::SingleReduction => false,
        Rule::Reduction => !equal && disjoint(earlier, candidate),
        _ => equal || disjoint(earlier, candidate),
    };
    (!may_join).then_some(rule)
}
