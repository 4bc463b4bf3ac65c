//! What a launch says about a nest, as far as code depends on it.

use smallvec::SmallVec;

/// How an access moves along the vector axis of the phase it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum StrideClass {
    /// It does not.
    Still,
    /// By one element.
    Unit,
    /// By one element, towards lower addresses, where code is made for that; else such an access is strided.
    Backward,
    /// By anything else.
    Strided,
}

/// Which axis a fold's body is vectorised over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldMode {
    /// The reduced axes, whose elements are dealt to the lanes of the tree: one parallel point after another.
    Lanes,
    /// The kept vector axis: a block of parallel points is folded at once, lane by lane.
    Kept,
}

/// What specialised code depends on.
///
/// Rules:
/// - `vector` is the loop axis that the outer phases (and the fold, in [`FoldMode::Kept`]) are
///   vectorised over, or none when there is no parallel axis; where axes were collapsed into one, any of
///   them that no `Index` names.
/// - `classes` has one entry per access of the nest, in the order of
///   [`Nest::accesses`](crate::Nest::accesses), along the vector axis of its phase.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// See above.
    pub vector: Option<u8>,
    /// See above.
    pub classes: SmallVec<[StrideClass; 12]>,
    /// Ignored when the nest has no fold.
    pub mode: FoldMode,
}
