//! Kernel to program.

use crate::error::CodegenError;
use crate::program::{Cells, FoldBody, Nest, Node, Phase, Program};
use darray_core::RealType;
use darray_kernel::ir::{Access, FoldItem, Kernel, Op, Region, Value};
use smallvec::SmallVec;

/// Cuts a verified kernel into nests.
///
/// ```text
/// %0 = scalar 0                     cells     c0 = argument 0
/// for (i0) { load, mul, store }     nest      kept i0: before = load, mul, store
/// %3 = fold (i0) { load } sum       nest      kept none, fold i0
/// yield b2[..] %3                             after = yield
/// ```
pub fn lower(kernel: &Kernel) -> Result<Program, CodegenError> {
    let mut lowering = Lowering {
        kernel,
        program: Program {
            params: kernel.params,
            scalars: kernel.scalars.clone(),
            buffers: kernel.buffers.clone(),
            accesses: Vec::new(),
            dtypes: Vec::new(),
            cells: Cells::default(),
            nests: Vec::new(),
            by_rows: kernel.by_rows,
        },
        typed: Vec::new(),
    };
    lowering.reserve(operations(&kernel.body));
    lowering.top(&kernel.body)?;
    Ok(lowering.program)
}

struct Lowering<'k> {
    kernel: &'k Kernel,
    program: Program,
    /// Which values have been defined so far.
    typed: Vec<bool>,
}

/// All operations of a region.
fn operations(region: &Region) -> usize {
    let inside = |op: &Op| match op {
        Op::For { body } | Op::Fold { body, .. } => operations(body),
        _ => 0,
    };
    region.ops.iter().map(|op| 1 + inside(op)).sum()
}

impl Lowering<'_> {
    /// Makes space for about so many values.
    fn reserve(&mut self, values: usize) {
        self.typed.reserve(values);
        self.program.dtypes.reserve(values);
        self.program.cells.of_value.reserve(values);
    }

    fn top(&mut self, region: &Region) -> Result<(), CodegenError> {
        let mut scalars = empty_nest();
        for op in &region.ops {
            let nest = match op {
                Op::For { body } => self.nest(body)?,
                Op::Fold { body, folds, tree } => {
                    let mut nest = empty_nest();
                    self.fold(&mut nest, body, folds, *tree)?;
                    for item in folds {
                        self.cell(item.result);
                        item.index.map(|index| self.cell(index));
                    }
                    nest
                }
                Op::Yield { to, value } => {
                    self.top_yield(to, *value)?;
                    continue;
                }
                _ => {
                    if let Some(node) = self.node(op, "a loop")? {
                        node.result().map(|result| self.cell(result));
                        push(&mut scalars, Phase::Before, node);
                    }
                    continue;
                }
            };
            if !scalars.before.is_empty() {
                self.program.nests.push(std::mem::replace(&mut scalars, empty_nest()));
            }
            self.program.nests.push(nest);
        }
        if !scalars.before.is_empty() {
            self.program.nests.push(scalars);
        }
        Ok(())
    }

    fn nest(&mut self, body: &Region) -> Result<Nest, CodegenError> {
        let mut nest = empty_nest();
        nest.axes.clone_from(&body.axes);
        nest.before.reserve(body.ops.len());
        nest.kept = body.axes.len();
        for op in &body.ops {
            match op {
                Op::Fold { body, folds, tree } => {
                    if nest.fold.is_some() {
                        return Err(CodegenError::SecondFold);
                    }
                    self.fold(&mut nest, body, folds, *tree)?;
                }
                Op::Yield { to, value } => {
                    let fold = nest.fold.as_ref();
                    let (item, index) =
                        fold.and_then(|f| item_of(f, *value)).ok_or(yield_error(*value))?;
                    let node = Node::Yield { access: self.access(to), item, index };
                    push(&mut nest, Phase::After, node);
                }
                _ => {
                    if let Some(node) = self.node(op, "for")? {
                        let phase = if nest.fold.is_some() { Phase::After } else { Phase::Before };
                        push(&mut nest, phase, node);
                    }
                }
            }
        }
        Ok(nest)
    }

    fn fold(
        &mut self,
        nest: &mut Nest,
        body: &Region,
        folds: &[FoldItem],
        tree: darray_kernel::tree::TreeRule,
    ) -> Result<(), CodegenError> {
        let first = nest.axes.len();
        nest.axes.extend_from_slice(&body.axes);
        let mut order: Vec<u8> = (first as u8..nest.axes.len() as u8).collect();
        order.sort_by_key(|&axis| nest.axes[axis as usize].logical);
        nest.fold = Some(FoldBody { order, nodes: Vec::new(), items: folds.to_vec(), tree });
        for op in &body.ops {
            if let Some(node) = self.node(op, "fold")? {
                push(nest, Phase::Fold, node);
            }
        }
        for item in folds {
            let dtype = self.dtype(item.value)?;
            self.define(item.result, dtype);
            if let Some(index) = item.index {
                self.define(index, RealType::INDEX)
            }
        }
        Ok(())
    }

    /// A top-level yield goes to the nest of its fold.
    fn top_yield(&mut self, to: &Access, value: Value) -> Result<(), CodegenError> {
        let access = self.access(to);
        for nest in self.program.nests.iter_mut().rev() {
            let found = nest.fold.as_ref().filter(|_| nest.kept == 0);
            if let Some((item, index)) = found.and_then(|fold| item_of(fold, value)) {
                push(nest, Phase::After, Node::Yield { access, item, index });
                return Ok(());
            }
        }
        Err(yield_error(value))
    }

    /// The node of an operation without a region; none for constants and arguments.
    fn node(&mut self, op: &Op, inside: &'static str) -> Result<Option<Node>, CodegenError> {
        let node = match op {
            Op::Const { result, scalar } => {
                self.define(*result, scalar.dtype());
                let cell = self.cell(*result);
                self.program.cells.constants.push((cell, *scalar));
                return Ok(None);
            }
            Op::Scalar { result, index } => {
                self.define(*result, self.kernel.scalars[*index as usize]);
                let cell = self.cell(*result);
                self.program.cells.arguments.push((cell, *index));
                return Ok(None);
            }
            Op::Index { result, axis } => {
                self.define(*result, RealType::INDEX);
                Node::Index { result: *result, axis: *axis }
            }
            Op::Random { result, generator, dtype, key, counter } => {
                for value in key.iter().chain([counter]) {
                    self.dtype(*value)?;
                }
                self.define(*result, *dtype);
                let generator = *generator;
                Node::Random { result: *result, generator, key: *key, counter: *counter }
            }
            Op::Load { result, from } => {
                self.define(*result, self.kernel.buffers[from.buffer as usize].dtype);
                Node::Load { result: *result, access: self.access(from) }
            }
            Op::Apply { result, operator, args } => {
                let mut dtypes: SmallVec<[RealType; 4]> = SmallVec::new();
                for &arg in args {
                    dtypes.push(self.dtype(arg)?);
                }
                let dtype = operator
                    .result(&dtypes)
                    .ok_or(CodegenError::Operator { operator: operator.name() })?;
                self.define(*result, dtype);
                let args = SmallVec::from_slice(args);
                Node::Apply { result: *result, operator: *operator, args }
            }
            Op::Store { to, value, mask } => {
                self.dtype(*value)?;
                mask.map(|m| self.dtype(m)).transpose()?;
                Node::Store { access: self.access(to), value: *value, mask: *mask }
            }
            Op::For { .. } => return Err(CodegenError::Nesting { found: "for", inside }),
            Op::Fold { .. } => return Err(CodegenError::Nesting { found: "fold", inside }),
            Op::Yield { value, .. } => return Err(yield_error(*value)),
        };
        Ok(Some(node))
    }

    fn access(&mut self, access: &Access) -> u16 {
        self.program.accesses.push(access.clone());
        self.program.accesses.len() as u16 - 1
    }

    fn define(&mut self, value: Value, dtype: RealType) {
        let at = value.0 as usize;
        if self.typed.len() <= at {
            self.typed.resize(at + 1, false);
            self.program.dtypes.resize(at + 1, RealType::MASK);
            self.program.cells.of_value.resize(at + 1, None);
        }
        self.typed[at] = true;
        self.program.dtypes[at] = dtype;
    }

    fn dtype(&self, value: Value) -> Result<RealType, CodegenError> {
        match self.typed.get(value.0 as usize) {
            Some(true) => Ok(self.program.dtypes[value.0 as usize]),
            _ => Err(CodegenError::Undefined { value: value.0 }),
        }
    }

    fn cell(&mut self, value: Value) -> u16 {
        let cells = &mut self.program.cells;
        let cell = cells.count;
        cells.of_value[value.0 as usize] = Some(cell);
        cells.count += 1;
        cell
    }
}

fn empty_nest() -> Nest {
    Nest {
        axes: Vec::new(),
        kept: 0,
        before: Vec::new(),
        fold: None,
        after: Vec::new(),
        accesses: Vec::new(),
        indexed: Vec::new(),
    }
}

fn push(nest: &mut Nest, phase: Phase, node: Node) {
    if let Some(access) = node.access() {
        nest.accesses.push((access, phase));
    }
    if let Node::Index { axis, .. } = node
        && !nest.indexed.contains(&axis)
    {
        nest.indexed.push(axis);
    }
    match phase {
        Phase::Before => nest.before.push(node),
        Phase::Fold => nest.fold.as_mut().expect("in a fold").nodes.push(node),
        Phase::After => nest.after.push(node),
    }
}

fn item_of(fold: &FoldBody, value: Value) -> Option<(u16, bool)> {
    fold.items.iter().enumerate().find_map(|(k, item)| {
        let index = item.index == Some(value);
        (index || item.result == value).then_some((k as u16, index))
    })
}

fn yield_error(value: Value) -> CodegenError {
    CodegenError::Yield { value: value.0 }
}
