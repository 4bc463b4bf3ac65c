//! How much there is to do in a nest, by which threads are asked to share it.

use darray_codegen::bind::Axes;
use darray_codegen::{Nest, Node, Phase, Program};
use darray_kernel::operator::Operator;

/// The nest in simple operations, of some 0.1 ns: elements of eight bytes are read or written at two a time, and an
/// [operator](Operator::cost) takes an eighth of its cost and as much less as its elements are narrower.
pub(in super::super) fn work(program: &Program, nest: &Nest, axes: &Axes) -> usize {
    let points = |axes: &[usize]| axes.iter().fold(1, |all, extent| all * *extent as u128);
    let kept = points(&axes.extents[..nest.kept]);
    let folded = points(&axes.extents[nest.kept..]);
    let (before, after) = (of_point(program, &nest.before), of_point(program, &nest.after));
    let moved = |of_fold: bool| -> u128 {
        let own = nest.accesses.iter().filter(|(_, phase)| (*phase == Phase::Fold) == of_fold);
        own.map(|&(access, _)| element(program, access)).sum()
    };
    let each_kept = moved(false) + before + after;
    let each_folded = nest.fold.as_ref().map_or(0, |fold| {
        let folds = fold.items.iter().map(|item| if item.index.is_some() { INDEXED } else { FOLD });
        moved(true) + of_point(program, &fold.nodes) + folds.sum::<u128>()
    });
    let all = kept.saturating_mul(each_kept.saturating_add(folded.saturating_mul(each_folded)));
    usize::try_from(all.div_ceil(SIMPLE)).unwrap_or(usize::MAX)
}

/// A simple operation, in those that are counted: bytes.
const SIMPLE: u128 = 16;

/// What folding an element is, in those; with an index.
const FOLD: u128 = 2;
const INDEXED: u128 = 8;

/// What the operators of some nodes are for a point.
fn of_point(program: &Program, nodes: &[Node]) -> u128 {
    let cost = |node: &Node| match node {
        Node::Apply { result, operator, .. } => {
            u128::from(operator.cost()) * program.dtypes[result.0 as usize].size() as u128 / 4
        }
        Node::Random { .. } => RANDOM,
        _ => 0,
    };
    nodes.iter().map(cost).sum()
}

/// What a random number is, as above.
const RANDOM: u128 = 2 * Operator::Exp.cost() as u128;

/// Bytes of an element.
fn element(program: &Program, access: u16) -> u128 {
    program.buffers[program.accesses[access as usize].buffer as usize].dtype.size() as u128
}
