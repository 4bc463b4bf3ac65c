//! Code for several groups of elements.

use super::{Args, Node, Value};

/// The code of several groups, so many side by side: what stands in order, theirs or another one, becomes as many
/// operations that do not wait for each other.
pub(in super::super) fn jammed(
    nodes: &[Node],
    order: Option<&[Value]>,
    groups: u8,
    side: u8,
) -> Vec<Node> {
    match order {
        Some(order) => in_order(nodes, order.iter().copied(), groups, side),
        None => in_order(nodes, 0..nodes.len() as Value, groups, side),
    }
}

fn in_order(
    nodes: &[Node],
    order: impl Iterator<Item = Value> + Clone,
    groups: u8,
    side: u8,
) -> Vec<Node> {
    let mut all: Vec<Node> = Vec::with_capacity(nodes.len() * usize::from(groups));
    // The number of a value in the first of the groups at hand, and by how much it grows from group to group.
    let mut numbers: Vec<(Value, Value)> = vec![(0, 0); nodes.len()];
    for first in (0..groups).step_by(usize::from(side)) {
        for at in order.clone() {
            let (at, node) = (at as usize, &nodes[at as usize]);
            let here = all.len() as Value;
            if node.op.is_remade() {
                if first == 0 {
                    numbers[at] = (here, 0);
                    all.push(*node);
                }
                continue;
            }
            numbers[at] = (here, 1);
            // Also of operands that are not there.
            let values = node.args.values.map(|arg| numbers[arg as usize]);
            let of_group = |group: u8| {
                let values =
                    values.map(|(number, step)| number + step * Value::from(group - first));
                Node { args: Args { values, ..node.args }, ..*node }
            };
            let side = first..(first + side).min(groups);
            if node.op.is_grouped() {
                let op = |group: u8| node.op.of_group(group, groups);
                all.extend(side.map(|group| Node { op: op(group), ..of_group(group) }));
            } else {
                all.extend(side.map(of_group));
            }
        }
    }
    all
}

/// Elements per group: as many as the widest lanes let into a vector of so many bytes.
pub(in super::super) fn width(nodes: &[Node], bytes: usize) -> usize {
    bytes / nodes.iter().map(|node| node.lane.size()).max().unwrap_or(8).max(4)
}

/// Most groups that are worked on side by side.
pub(in super::super) const MOST_GROUPS: u8 = 4;
