//! Where entries find the values of the outermost region.

use crate::program::{Node, Program};
use darray_core::Scalar;
use darray_kernel::ir::Value;

/// Where an entry finds a value of the outermost region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// In its text.
    Constant(Scalar),
    /// Among its arguments: a task argument.
    Argument(u16),
    /// It computes it again: operation `node` of the 0-d nest `nest`. So arithmetic between folds
    /// and loops costs no launch.
    Repeated { nest: usize, node: usize },
    /// In a cell of the workspace, which another entry has filled.
    Cell(u16),
}

/// The source of every value; none for those of loops.
///
/// A load may be repeated if no later operation of the kernel stores into memory that it may read.
pub(crate) fn find_sources(program: &Program) -> Vec<Option<Source>> {
    let cells = &program.cells;
    let mut sources: Vec<Option<Source>> =
        cells.of_value.iter().map(|cell| cell.map(Source::Cell)).collect();
    let source_of = |cell: u16| {
        let constant = cells.constants.iter().find(|(c, _)| *c == cell);
        let argument = cells.arguments.iter().find(|(c, _)| *c == cell);
        let constant = constant.map(|&(_, scalar)| Source::Constant(scalar));
        constant.or(argument.map(|&(_, index)| Source::Argument(index)))
    };
    for source in sources.iter_mut().flatten() {
        if let Source::Cell(cell) = *source {
            *source = source_of(cell).unwrap_or(*source);
        }
    }
    for (nest, list) in program.nests.iter().enumerate() {
        if !list.axes.is_empty() {
            continue;
        }
        for (node, operation) in list.before.iter().enumerate() {
            let repeatable = match operation {
                Node::Load { access, .. } => {
                    let buffer = program.accesses[*access as usize].buffer;
                    !stored_after(program, nest, node, buffer)
                }
                _ => true,
            };
            if let Some(Value(value)) = operation.result().filter(|_| repeatable) {
                sources[value as usize] = Some(Source::Repeated { nest, node });
            }
        }
    }
    let mut cells = 0;
    for source in sources.iter_mut().flatten() {
        if let Source::Cell(cell) = source {
            *cell = cells;
            cells += 1;
        }
    }
    sources
}

/// Whether anything after an operation of a 0-d nest stores into memory that may be the buffer's.
fn stored_after(program: &Program, nest: usize, node: usize, buffer: u16) -> bool {
    let rest = program.nests[nest].before[node + 1..].iter();
    let later = program.nests[nest + 1..].iter().flat_map(|nest| {
        let folded = nest.fold.iter().flat_map(|fold| &fold.nodes);
        nest.before.iter().chain(folded).chain(&nest.after)
    });
    rest.chain(later).any(|other| match other {
        Node::Store { access, .. } | Node::Yield { access, .. } => {
            program.overlap(program.accesses[*access as usize].buffer, buffer)
        }
        _ => false,
    })
}
