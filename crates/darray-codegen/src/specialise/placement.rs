//! Which values live in memory rather than in registers.

use super::steps::{Kind, Step, Steps};
use crate::layout::{Layout, StrideClass};
use crate::program::{Nest, Program};
use darray_kernel::ir::Value;

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Placement {
    /// Not yet decided: a cell or a register at its definition.
    None,
    Cell(u16),
    Register(u16),
    /// Memory of an access of the nest.
    Access(u16),
    Result(u16),
    ResultIndex(u16),
}

/// Decides what is read and written in place.
///
/// - A contiguous load is a memory operand of its users, unless a store that may overlap comes
///   before the last of them.
/// - A contiguous store is the result operand of what computes its value: it moves up to there, so
///   nothing in between may touch what it writes.
///
/// ```text
/// %1 = load a[i]                 c0 <- cell
/// %2 = mul %1 c0        =>       mul b[i] <- a[i] c0
/// store b[i] %2
/// ```
pub(super) fn find_placements(
    program: &Program,
    nest: &Nest,
    layout: &Layout,
    steps: &Steps,
) -> Vec<Placement> {
    let cells = &program.cells.of_value;
    let mut placements: Vec<Placement> =
        cells.iter().map(|cell| cell.map_or(Placement::None, Placement::Cell)).collect();
    if layout.vector.is_some() {
        for (k, item) in nest.fold.iter().flat_map(|fold| &fold.items).enumerate() {
            placements[item.result.0 as usize] = Placement::Result(k as u16);
            if let Some(index) = item.index {
                placements[index.0 as usize] = Placement::ResultIndex(k as u16);
            }
        }
    }
    let overlap = Overlap { program, steps };
    // (position where it takes effect, buffer)
    let mut stores: Vec<(usize, u16)> = Vec::new();
    for (position, step) in steps.list.iter().enumerate() {
        let Some(access) = step.access.filter(|_| step.kind == Kind::Store) else { continue };
        let contiguous = layout.classes[access as usize] == StrideClass::Unit;
        let value = step.args[0];
        let mut effect = position;
        if contiguous
            && step.args.len() == 1
            && placements[value.0 as usize] == Placement::None
            && let Some(defined) = movable(&overlap, value, position, access)
        {
            placements[value.0 as usize] = Placement::Access(access);
            effect = defined;
        }
        stores.push((effect, steps.buffers[access as usize]));
    }
    for (position, step) in steps.list.iter().enumerate() {
        let (Kind::Load, Some(access), Some(result)) = (&step.kind, step.access, step.result)
        else {
            continue;
        };
        let at = result.0 as usize;
        let contiguous = layout.classes[access as usize] == StrideClass::Unit;
        if step.uniform || !step.needed || !contiguous || steps.crosses[at] {
            continue;
        }
        let buffer = steps.buffers[access as usize];
        let live = position + 1..steps.last_use[at];
        if !stores.iter().any(|&(p, b)| live.contains(&p) && overlap.buffers(b, buffer)) {
            placements[at] = Placement::Access(access);
        }
    }
    placements
}

/// The position of the definition of a stored value, when the store can move there.
fn movable(overlap: &Overlap, value: Value, store: usize, access: u16) -> Option<usize> {
    let steps = overlap.steps;
    let at = value.0 as usize;
    let phase = steps.list[store].phase;
    let defined = steps.list[..store].iter().position(|step| step.result == Some(value))?;
    let definition = &steps.list[defined];
    let computed = matches!(definition.kind, Kind::Apply(_) | Kind::Index(_) | Kind::Random(_));
    if definition.uniform || !computed || definition.phase != phase || steps.crosses[at] {
        return None;
    }
    let buffer = steps.buffers[access as usize];
    let touches = |step: &Step| {
        step.access.is_some_and(|other| overlap.buffers(steps.buffers[other as usize], buffer))
    };
    let writes = |step: &Step| touches(step) && step.kind != Kind::Load;
    let between = steps.list[defined + 1..store].iter().any(touches);
    let later = store + 1..(steps.last_use[at] + 1).clamp(store + 1, steps.list.len());
    let overwritten = steps.list[later].iter().any(writes);
    (!between && !overwritten).then_some(defined)
}

struct Overlap<'p> {
    program: &'p Program,
    steps: &'p Steps,
}

impl Overlap<'_> {
    /// Whether two buffers may share elements.
    fn buffers(&self, a: u16, b: u16) -> bool {
        self.program.overlap(a, b)
    }
}
