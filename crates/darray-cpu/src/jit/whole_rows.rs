//! Functions of whole leaves of a fold: from the identity to the value, accumulators stay in registers.
//!
//! ```text
//! body       of the elements of a round, for all accumulators
//! tails      of a group, for the accumulators of each group: they take only the elements that are there
//! lanes      accumulator l and l + w for w = 16, 8, .., 1: first whole vectors, then their halves
//! ```

use super::allocate::{self, Accumulators};
use super::emit::{self, Emitted, Whole};
use super::lane::{self, Held, Node, Op};
use super::run::{Folded, Place, Run, written_access};
use super::target::Target;
use super::{lower, nodes, pointers};
use darray_codegen::FoldMode;

/// Operations of the body, at most: there is code of it for every group.
const MOST: usize = 16;

/// The functions, if they are wanted and the run can have them: folds without indices, of a short body. Where the accumulators of all
/// take more than half of the registers, each function takes some of the folds, if what it computes for them is not dear; beside
/// each is what [decides](Native::decides) it.
pub(super) fn compile(run: &Run<'_>, target: Target) -> Vec<(Emitted, Option<(u16, bool)>)> {
    let is_plain =
        |fold: &Folded| fold.mode == FoldMode::Lanes && fold.reducer.operator().is_some();
    let plain = !run.folds.is_empty() && run.folds.iter().all(is_plain);
    let past = run.written_past().next().is_some();
    if !run.traffic.whole || !plain || past {
        return Vec::new();
    }
    let one = nodes(lower::lower_whole(run, target), target);
    if run.traffic.back && target == Target::Avx2 && !has_avx2_tails(run, &one) {
        return Vec::new();
    }
    let together = most_folds(lane::width(&one, target.bytes()), target);
    // What the first function stores would be what the next one reads.
    let stores = run.instructions.iter().any(|instruction| written_access(instruction).is_some());
    let is_dear = one.iter().any(|node| matches!(node.op, Op::Div | Op::Sqrt));
    if run.folds.len() <= together {
        return compile_all(run, one, target).map(|code| (code, None)).into_iter().collect();
    }
    if stores || is_dear {
        return Vec::new();
    }
    let some = run.folds.chunks(together).map(|folds| {
        let decides = match folds {
            [fold] => fold.reducer.decides().map(|value| (values_of(run, fold), value)),
            _ => None,
        };
        let run = Run { folds, accesses: run.accesses.clone(), ..*run };
        let code = compile_all(&run, nodes(lower::lower_whole(&run, target), target), target)?;
        Some((code, decides))
    });
    some.collect::<Option<_>>().unwrap_or_default()
}

/// The pointer of the values of a fold.
fn values_of(run: &Run<'_>, fold: &Folded) -> u16 {
    (run.pointer)(Place::Accumulators(fold.item))
}

/// Whether AVX2 has good tails for rows that go backwards: of elements of one or two bytes the first ones are loaded and stored one by
/// one, and never the last ones; rows that are a tail alone are better in lanes.
fn has_avx2_tails(run: &Run<'_>, nodes: &[Node]) -> bool {
    let is_short = |node: &Node| match node.op {
        Op::Load(_, dtype, _) | Op::Store(_, dtype, _) => dtype.size() < 4,
        _ => false,
    };
    let is_tail = (1..Folded::LANES).contains(&usize::from(run.traffic.short));
    !is_tail && !nodes.iter().any(is_short)
}

/// Folds whose accumulators, in groups of `width`, take half of the registers at most, counted with the one that holds no value.
fn most_folds(width: usize, target: Target) -> usize {
    target.vectors().len().div_ceil(2) / (Folded::LANES / width)
}

/// The function that takes all folds of a run, which was lowered.
fn compile_all(run: &Run<'_>, one: Vec<Node>, target: Target) -> Option<Emitted> {
    let suits = |node: &Node| !matches!(node.op, Op::Patch(..) | Op::Position(_));
    if one.iter().filter(|node| !node.op.is_remade()).count() > MOST || !one.iter().all(suits) {
        return None;
    }
    let width = lane::width(&one, target.bytes());
    let groups = (Folded::LANES / width) as u8;
    let abreast = target.groups_of_round(&one, groups).min(groups);
    let all = lane::abreast(&one, None, groups, abreast);
    let body = allocate::allocate(&all, width, target, Accumulators::InRegisters);
    let tail = |group: u8| {
        let nodes: Vec<Node> = one.iter().map(|node| of_group(*node, group)).collect();
        allocate::allocate(&nodes, width, target, Accumulators::Merged(&body.held))
    };
    let tails: Vec<_> = (0..groups).map(tail).collect();
    // Else uniform elements would be laid out for each of them.
    if tails.iter().any(|tail| tail.uniforms != body.uniforms) {
        return None;
    }
    let pointer = |fold: &Folded| values_of(run, fold);
    let held = body.held.iter().map(|held| held.accumulators);
    let lanes = nodes(lower::lower_lanes(run.folds, pointer, held, (width, target)), target);
    let lanes = allocate::allocate(&lanes, width, target, Accumulators::InRegisters);
    let start = |fold: &Folded| (pointer(fold), lower::start_of_whole(fold, target));
    let starts: Vec<_> = run.folds.iter().map(start).collect();
    let whole = Whole { body: &body, tails: &tails, lanes: &lanes, starts: &starts };
    emit::emit_whole(&whole, groups, width, target, pointers(run))
}

/// An operation whose accumulators are those of a group.
fn of_group(node: Node, group: u8) -> Node {
    let op = match node.op {
        Op::Held(held) => Op::Held(Held { group, ..held }),
        Op::Hold(held) => Op::Hold(Held { group, ..held }),
        other => other,
    };
    Node { op, ..node }
}
