//! The pushing combiner: nested aligned trees, innermost axis first.

use super::node::Node;
use smallvec::SmallVec;

/// Finished nodes that wait for their right siblings, outer axes below inner ones.
///
/// The value of entry `i` lies at position `i` with the caller. Pushing the value of a node puts it
/// at position `len()`; then, while it can,
///
/// - a right child combines with its left sibling, which is the entry below;
/// - a left child without right sibling becomes its parent;
/// - the root of an axis becomes a leaf of the axis around it.
///
/// ```text
/// push leaf 0      [0]
/// push leaf 1      [0 1] -> [01]
/// push leaf 2      [01 2]
/// push leaf 3      [01 2 3] -> [01 23] -> [0123]
/// ```
#[derive(Clone, Debug)]
pub(super) struct Stack {
    /// Leaves of each axis, outermost first.
    leaves: SmallVec<[usize; 4]>,
    entries: SmallVec<[(usize, Node); 16]>,
}

impl Stack {
    pub fn new(leaves: impl Iterator<Item = usize>) -> Stack {
        Stack { leaves: leaves.collect(), entries: SmallVec::new() }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Pushes the value of `node` of `axis`, which stands in the leaves `outer` of the axes around.
    /// Calls `combine(i)` where value `i` becomes value `i` combined with value `i + 1`.
    pub fn push(
        &mut self,
        axis: usize,
        node: Node,
        outer: &[usize],
        mut combine: impl FnMut(usize),
    ) {
        let (mut axis, mut node) = (axis, node);
        loop {
            if node.is_root(self.leaves[axis]) {
                if axis == 0 {
                    break;
                }
                axis -= 1;
                node = Node { level: 0, index: outer[axis] };
            } else if node.index % 2 == 0 {
                let right = Node { level: node.level, index: node.index + 1 };
                if right.start() < self.leaves[axis] {
                    break;
                }
                node = node.parent();
            } else {
                let left = Node { level: node.level, index: node.index - 1 };
                if self.entries.last() != Some(&(axis, left)) {
                    break;
                }
                self.entries.pop();
                combine(self.entries.len());
                node = node.parent();
            }
        }
        self.entries.push((axis, node));
    }
}

/// Entries of a stack that can be there at once, per axis one for each level, and the one being pushed: of
/// axes with so many leaves each, which come from the first or a later one on.
pub(super) fn depth(axes: impl Iterator<Item = (usize, usize)>) -> usize {
    let levels = |n: usize| n.next_power_of_two().trailing_zeros() as usize;
    // A range inside a tree has up to two maximal nodes per level, one that begins the tree has one.
    1 + axes.map(|(leaves, first)| levels(leaves) * (1 + usize::from(first > 0))).sum::<usize>()
}
