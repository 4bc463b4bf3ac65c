//! Rows that several accesses read a few elements apart, as those of a stencil.
//!
//! Most vectors that begin between lines lie in two of them, and loading one takes as long as loading two. What an access loads
//! for a group but the first is in registers where another access, a few elements further along, has loaded this group and
//! the one before:
//!
//! ```text
//! first   |...group 0..|...group 1..|     loads
//! access ..group 0..|...group 1..|..      group 0 is loaded, group 1 is the last lanes of one and the first of the other
//! ```

use super::super::lane::{Args, Node, Op, Value};
use darray_core::RealType;

/// Accesses that read elements which another one reads, too, so many later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Neighbours {
    all: [Neighbour; Neighbours::MOST],
    count: u8,
}

/// An access, that which comes to its elements first, and how many elements it is behind that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Neighbour {
    pub access: u8,
    pub first: u8,
    pub behind: u8,
}

impl Neighbours {
    /// At most: two of each row of a stencil of 27 points.
    pub const MOST: usize = 18;

    /// Adds one if there is room.
    pub fn add(&mut self, neighbour: Neighbour) {
        if let Some(free) = self.all.get_mut(usize::from(self.count)) {
            *free = neighbour;
            self.count += 1;
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Neighbour> {
        self.all[..usize::from(self.count)].iter()
    }

    /// The code of some groups of so many elements in which what neighbours load comes from registers where it is there.
    /// `pointer` gives the number of an access in loads.
    pub(in super::super) fn share(
        &self,
        nodes: Vec<Node>,
        width: usize,
        pointer: impl Fn(u16) -> u16,
    ) -> Vec<Node> {
        let loads = |access: u8| {
            let pointer = pointer(access.into());
            nodes.iter().any(|node| matches!(node.op, Op::Load(from, ..) if from == pointer))
        };
        let near = |one: &&Neighbour| usize::from(one.behind) < width && loads(one.first);
        let behind: Vec<_> = self
            .iter()
            .filter(near)
            .map(|one| (pointer(one.access.into()), (pointer(one.first.into()), one.behind)))
            .collect();
        if behind.is_empty() {
            return nodes;
        }
        let mut sharing = Sharing { nodes: Vec::with_capacity(nodes.len()), loaded: Vec::new() };
        let mut numbers: Vec<Value> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let neighbour = |from: u16| behind.iter().find(|&&(access, _)| access == from);
            let is_first = |from: u16| behind.iter().any(|&(_, (first, _))| first == from);
            let value = match node.op {
                Op::Load(from, dtype, group) if group > 0 && neighbour(from).is_some() => {
                    let &(_, (first, behind)) = neighbour(from).expect("it was found");
                    let both = [group - 1, group];
                    let args = both.map(|group| sharing.load(&node, (first, dtype, group)));
                    sharing.push(Node { op: Op::Window(behind), args: Args::new(&args), ..node })
                }
                Op::Load(from, dtype, group) if is_first(from) => {
                    sharing.load(&node, (from, dtype, group))
                }
                _ => {
                    sharing.push(Node { args: node.args.map(|arg| numbers[arg as usize]), ..node })
                }
            };
            numbers.push(value);
        }
        sharing.nodes
    }
}

/// Code in which what neighbours share is loaded once: nothing writes that.
struct Sharing {
    nodes: Vec<Node>,
    loaded: Vec<(Op, Value)>,
}

impl Sharing {
    fn push(&mut self, node: Node) -> Value {
        self.nodes.push(node);
        (self.nodes.len() - 1) as Value
    }

    /// Loads elements at a pointer, unless they have been, for what `node` is for.
    fn load(&mut self, node: &Node, (pointer, dtype, group): (u16, RealType, u8)) -> Value {
        let op = Op::Load(pointer, dtype, group);
        if let Some(&(_, value)) = self.loaded.iter().find(|loaded| loaded.0 == op) {
            return value;
        }
        let value = self.push(Node { op, args: Args::new(&[]), ..*node });
        self.loaded.push((op, value));
        value
    }
}
