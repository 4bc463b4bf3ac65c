//! Functions of columns: all rows of a line of kept points before the next line, with the accumulators in registers.
//!
//! ```text
//! row by row      row 0: points 0 1 2 3 ..   row 1: points 0 1 2 3 ..    accumulators through memory in each row
//! columns         points 0: rows 0 1 2 ..    points 1: rows 0 1 2 ..     each row a stream that goes on
//! ```

use super::allocate::{self, Accumulators};
use super::emit::{self, Emitted};
use super::lane::{self, Node, Op};
use super::run::{RowsOf, Run};
use super::target::Target;
use super::{lower, nodes, pointers};
use crate::processor;
use crate::vector::LINE;
use darray_codegen::FoldMode;

/// Operations of the body, at most.
const MOST: usize = 16;

/// The function, if it is wanted and the run can have one: a single fold, without indices, of a short body that stores nothing.
pub(super) fn compile(run: &Run<'_>, target: Target) -> Option<Emitted> {
    let &[fold] = run.folds else { return None };
    let rows = run.traffic.columns?;
    if fold.mode != FoldMode::Kept || fold.reducer.has_index() {
        return None;
    }
    let one = nodes(lower::lower_short(run, target), target);
    // A uniform element that moves would be another one in each row.
    let suits = |node: &Node| match node.op {
        Op::Patch(..) | Op::Position(_) | Op::Store(..) => false,
        Op::Uniform(pointer, _) | Op::Inverse(pointer, _) => !run.accesses.contains(&pointer),
        _ => true,
    };
    let is_short = one.iter().filter(|node| !node.op.is_remade()).count() <= MOST;
    let groups = LINE / target.bytes();
    if !is_short || !one.iter().all(suits) {
        return None;
    }
    let width = lane::width(&one, target.bytes());
    let all = lane::abreast(&one, None, groups as u8, groups as u8);
    let [mut main, rest] = [&all, &one]
        .map(|nodes| allocate::allocate(nodes, width, target, Accumulators::InRegisters));
    main.load_by_operations();
    let mut kinds = pointers(run);
    // Few rows that follow one another are fetched in time by themselves.
    if processor::is_zen_5() && rows == RowsOf::Leaf && !kinds.in_order {
        kinds.ahead.clear();
    }
    emit::emit_columns((&main, rest), fold.start(), (groups * width, width), target, kinds)
}
