//! The nodes to come that use a value.

use super::super::lane::{Node, Value};

/// For every value, its uses in order, of which those that have passed are taken off.
pub(super) struct Uses {
    /// Of all values, one value after another.
    list: Vec<Value>,
    /// Where those of a value are that are to come.
    left: Vec<(u32, u32)>,
}

impl Uses {
    /// All uses.
    pub fn new(nodes: &[Node]) -> Uses {
        let mut left = vec![(0, 0); nodes.len()];
        let args = || nodes.iter().flat_map(|node| node.args.iter());
        args().for_each(|&arg| left[arg as usize].1 += 1);
        let mut begin = 0;
        for (first, count) in &mut left {
            (*first, begin) = (begin, begin + *count);
            *count = *first;
        }
        let mut list = vec![0; begin as usize];
        for (at, node) in nodes.iter().enumerate() {
            for &arg in node.args.iter() {
                let end = &mut left[arg as usize].1;
                list[*end as usize] = at as Value;
                *end += 1;
            }
        }
        Uses { list, left }
    }

    /// Takes the next use off.
    pub fn pass(&mut self, value: Value) {
        self.left[value as usize].0 += 1;
    }

    /// The next use.
    pub fn next(&self, value: Value) -> Option<Value> {
        self.left(value).first().copied()
    }

    /// Whether there is none.
    pub fn are_over(&self, value: Value) -> bool {
        self.left(value).is_empty()
    }

    /// The uses to come.
    pub fn left(&self, value: Value) -> &[Value] {
        let (first, end) = self.left[value as usize];
        &self.list[first as usize..end as usize]
    }
}
