//! Nodes of the aligned binary tree over the leaves of one axis.

/// The leaves `[index * 2^level, (index + 1) * 2^level)`, as far as they exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Height above the leaves.
    pub level: u32,
    /// Number among the nodes of this level.
    pub index: usize,
}

impl Node {
    /// The first leaf.
    pub fn start(self) -> usize {
        self.index << self.level
    }

    /// The leaf after the last one, in a tree of `leaves` leaves.
    pub fn end(self, leaves: usize) -> usize {
        ((self.index + 1) << self.level).min(leaves)
    }

    /// Whether this is the whole tree.
    pub fn is_root(self, leaves: usize) -> bool {
        self.index == 0 && self.end(leaves) == leaves
    }

    /// The node above.
    pub fn parent(self) -> Node {
        Node { level: self.level + 1, index: self.index / 2 }
    }
}

/// The maximal nodes inside the leaves `[first, last)` of a tree of `leaves` leaves, in order.
///
/// ```text
/// leaves  0   1   2   3   4         [1, 5) -> leaf 1, [2, 4), leaf 4 (as node [4, 8))
///          \ /     \ /    |
///           +       *     *
/// ```
///
/// ```
/// use darray_kernel::tree::subtrees;
/// let starts: Vec<usize> = subtrees(1, 5, 5).map(|node| node.start()).collect();
/// assert_eq!(starts, [1, 2, 4]);
/// ```
pub fn subtrees(first: usize, last: usize, leaves: usize) -> impl Iterator<Item = Node> {
    let mut start = first;
    std::iter::from_fn(move || {
        if start >= last {
            return None;
        }
        let mut node = Node { level: 0, index: start };
        loop {
            let parent = node.parent();
            let inside = parent.start() == start && parent.end(leaves) <= last;
            if node.is_root(leaves) || !inside {
                break;
            }
            node = parent;
        }
        start = node.end(leaves);
        Some(node)
    })
}

/// How many [`subtrees`] there are.
pub fn subtree_count(first: usize, last: usize, leaves: usize) -> usize {
    subtrees(first, last, leaves).count()
}
