//! Functions of columns: all rows of a line of kept points before the next line, with the accumulators in registers.
//!
//! ```text
//! row by row      row 0: points 0 1 2 3 ..   row 1: points 0 1 2 3 ..    accumulators through memory in each row
//! columns         points 0: rows 0 1 2 ..    points 1: rows 0 1 2 ..     each row a stream that goes on
//! ```

use super::allocate::{self, Accumulators, Allocated};
use super::emit::{self, Code, Emitted, repeated};
use super::lane::{self, Node, Op};
use super::run::{Place, RowsOf, Run};
use super::target::Target;
use super::{lower, nodes, pointers};
use crate::processor;
use crate::vector::LINE;
use darray_codegen::FoldMode;

/// Operations of the body, at most.
const MOST: usize = 16;

/// The function, if it is wanted and the run can have one: a single fold, without indices, of a short body that stores nothing. Behind
/// it that of several leaves, if there can be one.
pub(super) fn compile(run: &Run<'_>, target: Target) -> Option<(Emitted, Option<Emitted>)> {
    let &[fold] = run.folds else { return None };
    let rows = run.traffic.columns?;
    if fold.mode != FoldMode::Kept || fold.reducer.has_index() {
        return None;
    }
    let one = nodes(lower::lower_short(run, target), target);
    // A uniform element that moves would be another one in each row.
    let suits = |node: &Node| match node.op {
        Op::Patch(..) | Op::Position(_) | Op::Store(..) => false,
        Op::Uniform(pointer, _) | Op::Divisor(pointer, ..) => !run.accesses.contains(&pointer),
        _ => true,
    };
    let is_short = one.iter().filter(|node| !node.op.is_remade()).count() <= MOST;
    let groups = LINE / target.bytes();
    if !is_short || !one.iter().all(suits) {
        return None;
    }
    let width = lane::width(&one, target.bytes());
    let all = lane::abreast(&one, None, groups as u8, groups as u8);
    let allocate =
        |nodes: &[Node]| allocate::allocate(nodes, width, target, Accumulators::InRegisters);
    let [mut main, mut rest] = [&all, &one].map(|nodes| allocate(nodes));
    main.load_by_operations();
    let kinds = || {
        let mut kinds = pointers(run);
        // Few rows that follow one another are fetched in time by themselves.
        if processor::is_zen_5() && rows != RowsOf::Lane {
            kinds.ahead.clear();
        }
        kinds
    };
    let start = repeated(fold.start(), main.held.first()?.accumulators.dtype);
    let leaves = || {
        fold.reducer.operator().filter(|_| rows == RowsOf::ShortLeaf && groups == 1)?;
        let pointer = (run.pointer)(Place::Accumulators(fold.item));
        let combine = nodes(lower::lower_combine(run.folds, |_| pointer), target);
        let mut combine = allocate(&combine);
        combine.constants.push(start);
        let code = Code { main: &main, rest: &rest, first: &combine };
        emit::emit_column_leaves(&code, pointer, width, target, kinds())
    };
    let leaves = leaves();
    rest.constants.push(start);
    let code = Code { main: &main, rest: &rest, first: &Allocated::default() };
    Some((emit::emit_columns(&code, (groups * width, width), target, kinds())?, leaves))
}
