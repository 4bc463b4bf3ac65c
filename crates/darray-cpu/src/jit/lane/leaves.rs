//! Code for several leaves of a fold.

use super::{Node, Op, Value};

/// The code of several leaves of a fold side by side: what `vary` gives another operation for, and what needs that, is
/// there once for each of them.
pub(in super::super) fn leaves(
    nodes: &[Node],
    count: u8,
    vary: impl Fn(Op, u8) -> Option<Op>,
) -> Vec<Node> {
    let mut all: Vec<Node> = Vec::with_capacity(nodes.len() * usize::from(count));
    // The number of a value in the first leaf, and by how much it grows from leaf to leaf.
    let mut numbers: Vec<(Value, Value)> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let shared = node.args.iter().all(|&arg| numbers[arg as usize].1 == 0);
        let once = shared && vary(node.op, 0).is_none();
        numbers.push((all.len() as Value, u32::from(!once)));
        for leaf in 0..if once { 1 } else { count } {
            let args = node.args.map(|arg| {
                let (first, step) = numbers[arg as usize];
                first + step * u32::from(leaf)
            });
            all.push(Node { op: vary(node.op, leaf).unwrap_or(node.op), args, ..*node });
        }
    }
    all
}
