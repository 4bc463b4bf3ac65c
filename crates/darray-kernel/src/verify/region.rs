//! The checks, in one walk over the regions.

use super::{VerifyError, Violation};
use crate::ir::{Access, FoldItem, Kernel, Op, Param, Region, Role, Step, Value};
use crate::random;
use crate::tree::TreeRule;
use darray_core::RealType;

type Checked = Result<(), Violation>;

/// The state of the walk.
pub(super) struct Verifier<'k> {
    kernel: &'k Kernel,
    /// Types of all values defined so far.
    types: Vec<RealType>,
    /// Whether each of them is visible.
    visible: Vec<bool>,
    /// Whether each of them was defined in the outermost region.
    outermost: Vec<bool>,
    /// Logical numbers of the enclosing axes.
    logical: Vec<u8>,
    /// The operation looked at.
    path: Vec<usize>,
}

/// What an operation stands in.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Kernel,
    For,
    Fold,
}

impl Inside {
    fn name(self) -> &'static str {
        match self {
            Inside::Kernel => "the outermost region",
            Inside::For => "a for",
            Inside::Fold => "a fold",
        }
    }
}

impl<'k> Verifier<'k> {
    pub fn new(kernel: &'k Kernel) -> Verifier<'k> {
        Verifier {
            kernel,
            types: Vec::new(),
            visible: Vec::new(),
            outermost: Vec::new(),
            logical: Vec::new(),
            path: Vec::new(),
        }
    }

    /// The violation with the place where the walk stopped.
    pub fn at(&self, violation: Violation) -> VerifyError {
        VerifyError { violation, operation: self.path.clone() }
    }

    pub fn into_types(self) -> Vec<RealType> {
        self.types
    }

    pub fn kernel(&mut self) -> Checked {
        let body = &self.kernel.body;
        if !body.axes.is_empty() {
            return Err(Violation::Axes { found: body.axes.len() });
        }
        self.ops(body, Inside::Kernel)
    }

    fn ops(&mut self, region: &Region, inside: Inside) -> Checked {
        let mut fold_results = Vec::new();
        for (number, op) in region.ops.iter().enumerate() {
            self.path.push(number);
            self.op(op, inside, &mut fold_results)?;
            self.path.pop();
        }
        Ok(())
    }

    fn op(&mut self, op: &Op, inside: Inside, fold_results: &mut Vec<Value>) -> Checked {
        match op {
            Op::Const { .. } => {}
            Op::Scalar { index, .. } => {
                if *index as usize >= self.kernel.scalars.len() {
                    return Err(Violation::Scalar { index: *index });
                }
            }
            Op::Index { axis, .. } => self.axis(*axis)?,
            Op::Random { dtype, key, counter, .. } => {
                if !random::is_drawn(*dtype) {
                    return Err(Violation::RandomType { dtype: *dtype });
                }
                for &value in key {
                    self.typed(value, RealType::INDEX)?;
                    if !self.outermost[value.0 as usize] {
                        return Err(Violation::RandomKey { value });
                    }
                }
                self.typed(*counter, RealType::INDEX)?;
            }
            Op::Load { from, .. } => {
                self.access(from, "load", &[Role::Read, Role::ReadWrite])?;
            }
            Op::Apply { operator, args, .. } => {
                let operands = args.iter().map(|a| self.of(*a)).collect::<Result<Vec<_>, _>>()?;
                if operator.result(&operands).is_none() {
                    return Err(Violation::Operands { operator: *operator, operands });
                }
            }
            Op::Store { to, value, mask } => {
                match mask {
                    None => self.access(to, "store", &[Role::Write, Role::ReadWrite])?,
                    Some(mask) => {
                        self.access(to, "masked store", &[Role::ReadWrite])?;
                        self.typed(*mask, RealType::MASK)?;
                    }
                }
                self.typed(*value, self.kernel.buffers[to.buffer as usize].dtype)?;
            }
            Op::For { body } => {
                if inside != Inside::Kernel {
                    return Err(Violation::Nesting { operation: "for", inside: inside.name() });
                }
                self.rows(op)?;
                self.nested(body, Inside::For, &[])?;
            }
            Op::Fold { body, folds, tree } => {
                if inside == Inside::Fold {
                    return Err(Violation::Nesting { operation: "fold", inside: inside.name() });
                }
                if inside == Inside::For && !fold_results.is_empty() {
                    return Err(Violation::SecondFold);
                }
                if folds.is_empty() {
                    return Err(Violation::EmptyFold);
                }
                if inside == Inside::Kernel {
                    self.rows(op)?;
                }
                check_tree(*tree)?;
                self.nested(body, Inside::Fold, folds)?;
                fold_results.extend(op.results());
            }
            Op::Yield { to, value } => {
                if inside == Inside::Fold {
                    return Err(Violation::Nesting { operation: "yield", inside: inside.name() });
                }
                self.of(*value)?;
                if !fold_results.contains(value) {
                    return Err(Violation::NoFoldResult { value: *value });
                }
                self.access(to, "yield", &[Role::Partial])?;
                self.yield_coordinates(to)?;
                self.typed(*value, self.kernel.buffers[to.buffer as usize].dtype)?;
            }
        }
        if !matches!(op, Op::Fold { .. }) {
            let types = op.result_types(self.kernel, |v| self.of(v).ok());
            for (result, dtype) in op.results().into_iter().zip(types) {
                let dtype = dtype.expect("checked above");
                self.define(result, dtype, inside == Inside::Kernel)?;
            }
        } else {
            self.fold_results(op, inside)?;
        }
        Ok(())
    }

    /// A nest of a kernel by rows has an axis that is the rows.
    fn rows(&self, nest: &Op) -> Checked {
        fn has_rows(op: &Op) -> bool {
            let (Op::For { body } | Op::Fold { body, .. }) = op else { return false };
            body.axes.iter().any(|axis| axis.logical == 0) || body.ops.iter().any(has_rows)
        }
        if self.kernel.by_rows && !has_rows(nest) { Err(Violation::NoRows) } else { Ok(()) }
    }

    /// A loop's axes and operations. Its values go out of sight at its end, folded values are
    /// checked before that.
    fn nested(&mut self, body: &Region, inside: Inside, folds: &[FoldItem]) -> Checked {
        if body.axes.is_empty() {
            return Err(Violation::Axes { found: 0 });
        }
        let (axes, first) = (self.logical.len(), self.types.len());
        for axis in &body.axes {
            for param in [axis.extent, axis.origin, axis.global] {
                self.param(param)?;
            }
            if self.logical.contains(&axis.logical) {
                return Err(Violation::LogicalAxis { logical: axis.logical });
            }
            self.logical.push(axis.logical);
        }
        self.ops(body, inside)?;
        for FoldItem { reducer, value, index, .. } in folds {
            let dtype = self.of(*value)?;
            if reducer.result(dtype).is_none() {
                return Err(Violation::Reducer { reducer: *reducer, dtype });
            }
            if index.is_some() != reducer.has_index() {
                return Err(Violation::IndexResult { reducer: *reducer });
            }
        }
        self.logical.truncate(axes);
        self.visible[first..].fill(false);
        Ok(())
    }

    fn fold_results(&mut self, op: &Op, inside: Inside) -> Checked {
        // The folded values are out of sight by now, their types are still known.
        let types = op.result_types(self.kernel, |v| self.types.get(v.0 as usize).copied());
        for (result, dtype) in op.results().into_iter().zip(types) {
            let dtype = dtype.expect("checked in the fold");
            self.define(result, dtype, inside == Inside::Kernel)?;
        }
        Ok(())
    }

    fn define(&mut self, found: Value, dtype: RealType, outermost: bool) -> Checked {
        let expected = Value(self.types.len() as u32);
        if found != expected {
            return Err(Violation::Numbering { found, expected });
        }
        self.types.push(dtype);
        self.visible.push(true);
        self.outermost.push(outermost);
        Ok(())
    }

    /// The type of a visible value.
    fn of(&self, value: Value) -> Result<RealType, Violation> {
        match self.visible.get(value.0 as usize) {
            Some(true) => Ok(self.types[value.0 as usize]),
            _ => Err(Violation::Scope { value }),
        }
    }

    fn typed(&self, value: Value, expected: RealType) -> Checked {
        let found = self.of(value)?;
        if found == expected { Ok(()) } else { Err(Violation::Type { value, found, expected }) }
    }

    fn param(&self, param: Param) -> Checked {
        if param.0 < self.kernel.params { Ok(()) } else { Err(Violation::Param { param }) }
    }

    fn axis(&self, axis: u8) -> Checked {
        if (axis as usize) < self.logical.len() { Ok(()) } else { Err(Violation::Axis { axis }) }
    }

    fn access(&self, to: &Access, access: &'static str, roles: &[Role]) -> Checked {
        let Access { buffer, ref dims } = *to;
        let Some(declared) = self.kernel.buffers.get(buffer as usize) else {
            return Err(Violation::Buffer { buffer });
        };
        if dims.len() != declared.rank as usize {
            let (found, expected) = (dims.len(), declared.rank);
            return Err(Violation::Rank { buffer, found, expected });
        }
        if !roles.contains(&declared.role) {
            return Err(Violation::Role { buffer, role: declared.role, access });
        }
        for (number, dim) in dims.iter().enumerate() {
            self.param(dim.start)?;
            match (dim.axis, dim.step) {
                (Some(axis), Step::Any(step)) => {
                    self.axis(axis)?;
                    self.param(step)?;
                }
                (Some(axis), Step::One | Step::MinusOne) => self.axis(axis)?,
                (None, Step::Zero) if dim.shift == 0 => {}
                _ => return Err(Violation::Step { buffer, dim: number }),
            }
        }
        Ok(())
    }

    fn yield_coordinates(&self, to: &Access) -> Checked {
        let wrong = Violation::YieldCoordinates { buffer: to.buffer };
        let Some((slot, kept)) = to.dims.split_first() else { return Err(wrong) };
        let mut axes: Vec<u8> = kept.iter().filter_map(|d| d.axis).collect();
        axes.sort_unstable();
        let all = axes.iter().copied().eq(0..self.logical.len() as u8);
        if slot.axis.is_none() && kept.len() == axes.len() && all { Ok(()) } else { Err(wrong) }
    }
}

fn check_tree(rule: TreeRule) -> Checked {
    let TreeRule { lanes, width, rounds, alone } = rule;
    match [lanes, width, rounds, alone].iter().all(|n| n.is_power_of_two()) {
        true => Ok(()),
        false => Err(Violation::TreeRule),
    }
}
