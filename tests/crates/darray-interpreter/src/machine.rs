//! One run of a kernel.

use super::conflicts::{Conflicts, Iteration};
use super::launch::{InterpretError, Launch};
use darray_core::{RealType, Scalar};
use darray_kernel::ir::{
    Access, AccessDim, Axis, FoldItem, Kernel, Op, Param, Region, Step, Value,
};
use darray_kernel::random::{Stream, draw};
use darray_kernel::reducer::Accumulator;
use darray_kernel::tree::{Group, ReducedAxis, TileTree, TreeRule};
use std::collections::BTreeMap;

type Run = Result<(), InterpretError>;

/// The state of a run.
pub(super) struct Machine<'a> {
    kernel: &'a Kernel,
    launch: &'a Launch,
    memory: &'a mut [Vec<Scalar>],
    types: Vec<RealType>,
    values: Vec<Scalar>,
    /// Slots of fold results; a result with one slot of a whole domain is also in `values`.
    slots: BTreeMap<Value, Vec<Scalar>>,
    /// Fold results of which this tile has only parts.
    partial: BTreeMap<Value, bool>,
    /// Global indices of the enclosing axes.
    indices: Vec<i64>,
    /// Their logical numbers and global extents.
    kept: Vec<(u8, usize)>,
    iteration: Iteration,
    /// Number of the enclosing axis that is the rows.
    rows: Option<usize>,
    conflicts: Conflicts,
    /// Array and element of every write.
    written: Vec<(usize, usize)>,
}

/// A tile of an axis.
struct Tile {
    origin: i64,
    extent: i64,
    global: i64,
}

impl<'a> Machine<'a> {
    pub fn new(
        kernel: &'a Kernel,
        launch: &'a Launch,
        memory: &'a mut [Vec<Scalar>],
        types: Vec<RealType>,
    ) -> Machine<'a> {
        Machine {
            kernel,
            launch,
            memory,
            values: types.iter().map(|&dtype| Scalar::zero(dtype)).collect(),
            types,
            slots: BTreeMap::new(),
            partial: BTreeMap::new(),
            indices: Vec::new(),
            kept: Vec::new(),
            iteration: Iteration::default(),
            rows: None,
            conflicts: Conflicts::new(kernel.by_rows),
            written: Vec::new(),
        }
    }

    pub fn run(mut self) -> Result<Vec<(usize, usize)>, InterpretError> {
        let kernel = self.kernel;
        for op in &kernel.body.ops {
            self.conflicts.clear();
            self.rows = None;
            self.iteration = Iteration::default();
            self.op(op)?;
        }
        Ok(self.written)
    }

    fn op(&mut self, op: &Op) -> Run {
        match op {
            Op::Const { result, scalar } => self.set(*result, *scalar),
            Op::Scalar { result, index } => {
                self.set(*result, self.launch.scalars[*index as usize]);
            }
            Op::Index { result, axis } => self.set(*result, self.indices[*axis as usize].into()),
            Op::Random { result, generator, dtype, key, counter } => {
                let mut words = [0; 4];
                for (word, value) in words.iter_mut().zip(key) {
                    *word = self.get(*value)?.to_i64();
                }
                let counter = self.get(*counter)?.to_i64();
                let at = u64::try_from(counter).map_err(|_| InterpretError::Counter { counter })?;
                self.set(*result, draw(Stream::new(*generator, words), *dtype, at));
            }
            Op::Load { result, from } => {
                let element = self.element(from, 0)?;
                let array = self.launch.buffers[from.buffer as usize].array;
                let free = self.conflicts.read(array, element, self.iteration);
                if !free || !self.row_is_free(array, element, false) {
                    return Err(InterpretError::Conflict { buffer: from.buffer, element });
                }
                self.set(*result, self.memory[array][element]);
            }
            Op::Apply { result, operator, args } => {
                let args: Vec<Scalar> =
                    args.iter().map(|a| self.get(*a)).collect::<Result<_, _>>()?;
                self.set(*result, operator.apply(&args));
            }
            Op::Store { to, value, mask } => {
                let holds = match mask {
                    Some(mask) => self.get(*mask)?.to_bool(),
                    None => true,
                };
                if holds {
                    let value = self.get(*value)?;
                    self.write(to, 0, value)?;
                }
            }
            Op::Yield { to, value } => {
                for (slot, value) in self.slots[value].clone().into_iter().enumerate() {
                    self.write(to, slot as i64, value)?;
                }
            }
            Op::For { body } => self.for_each(body)?,
            Op::Fold { body, folds, tree } => self.fold(body, folds, *tree)?,
        }
        Ok(())
    }

    fn for_each(&mut self, body: &Region) -> Run {
        let tiles = self.tiles(body)?;
        let count: i64 = tiles.iter().map(|t| t.extent).product();
        self.kept =
            body.axes.iter().zip(&tiles).map(|(a, t)| (a.logical, t.global as usize)).collect();
        for flat in 0..count {
            let mut rest = flat;
            let mut indices = vec![0; tiles.len()];
            for (index, tile) in indices.iter_mut().zip(&tiles).rev() {
                *index = tile.origin + rest % tile.extent;
                rest /= tile.extent;
            }
            self.indices.extend(indices);
            self.iteration = Iteration { kept: flat as u64, folded: None };
            body.ops.iter().try_for_each(|op| self.op(op))?;
            self.indices.truncate(self.indices.len() - tiles.len());
        }
        self.kept.clear();
        Ok(())
    }

    fn fold(&mut self, body: &Region, folds: &[FoldItem], rule: TreeRule) -> Run {
        let tiles = self.tiles(body)?;
        // The tree goes by the logical order of the axes, however they are nested here.
        let mut order: Vec<usize> = (0..tiles.len()).collect();
        order.sort_by_key(|&axis| body.axes[axis].logical);
        let tile_tree = self.tile_tree(body, &tiles, &order, rule)?;
        let outer = self.indices.len();
        self.indices.resize(outer + tiles.len(), 0);
        let start =
            |f: &FoldItem| f.reducer.start(self.types[f.value.0 as usize], tile_tree.is_empty());
        let start: Vec<Accumulator> = folds.iter().map(start).collect();
        let mut failed = Ok(());
        let mut step = 0;
        let slots = tile_tree.fold(
            |ranges| {
                let element = |local: &[usize]| {
                    let mut position = 0;
                    for (&axis, &index) in order.iter().zip(local) {
                        let global = tiles[axis].origin + index as i64;
                        self.indices[outer + axis] = global;
                        position = position * tiles[axis].global + global;
                    }
                    self.iteration.folded = Some(step);
                    step += 1;
                    if failed.is_ok() {
                        failed = body.ops.iter().try_for_each(|op| self.op(op));
                    }
                    let at = |f: &FoldItem| if f.index.is_some() { position } else { 0 };
                    folds.iter().map(|f| (self.values[f.value.0 as usize], at(f))).collect()
                };
                tile_tree.fold_leaf(ranges, start.clone(), element, |a, b| combine(folds, a, b))
            },
            |a, b| combine(folds, a, b),
        );
        failed?;
        self.iteration.folded = None;
        self.indices.truncate(outer);
        let partial = !tile_tree.is_whole();
        for (number, fold) in folds.iter().enumerate() {
            let values = slots.iter().map(|s| s[number].0).collect();
            self.set_result(fold.result, values, partial);
            if let Some(index) = fold.index {
                let indices = slots.iter().map(|s| s[number].1.into()).collect();
                self.set_result(index, indices, partial);
            }
        }
        Ok(())
    }

    /// Tiles of a fold in logical order.
    fn tile_tree(
        &self,
        body: &Region,
        tiles: &[Tile],
        order: &[usize],
        rule: TreeRule,
    ) -> Result<TileTree, InterpretError> {
        let mut axes = Vec::new();
        let globals: Vec<usize> = order.iter().map(|&axis| tiles[axis].global as usize).collect();
        let reduced =
            body.axes.iter().zip(tiles).map(|(a, t)| (a.logical, t.global as usize, true));
        let group = Group::of(self.kept.iter().map(|&(l, n)| (l, n, false)).chain(reduced));
        for (&axis, block) in order.iter().zip(rule.blocks(&globals, group)) {
            let Tile { origin, extent, global } = tiles[axis];
            let cut = |at: i64| at % block as i64 == 0 || at == global;
            if !(cut(origin) && cut(origin + extent)) {
                return Err(InterpretError::Blocks { axis: self.indices.len() + axis, block });
            }
            axes.push(ReducedAxis {
                origin: origin as usize,
                extent: extent as usize,
                global: global as usize,
            });
        }
        Ok(TileTree::new(rule, group, &axes))
    }

    fn set_result(&mut self, value: Value, slots: Vec<Scalar>, partial: bool) {
        if let ([one], false) = (slots.as_slice(), partial) {
            self.set(value, *one);
        }
        self.partial.insert(value, partial);
        self.slots.insert(value, slots);
    }

    /// Whether the current row of a kernel by rows may touch an element.
    fn row_is_free(&mut self, array: usize, element: usize, writes: bool) -> bool {
        let row = self.rows.and_then(|axis| self.indices.get(axis));
        row.is_none_or(|&row| self.conflicts.row(array, element, row, writes))
    }

    fn tiles(&mut self, body: &Region) -> Result<Vec<Tile>, InterpretError> {
        if let Some(axis) = body.axes.iter().position(|axis| axis.logical == 0) {
            self.rows = Some(self.indices.len() + axis);
        }
        let first = self.indices.len();
        let tile = |(number, axis): (usize, &Axis)| {
            let (origin, extent) = (self.param(axis.origin), self.param(axis.extent));
            let global = self.param(axis.global);
            if origin < 0 || extent < 0 || origin.saturating_add(extent) > global {
                let axis = first + number;
                return Err(InterpretError::Axis { axis, origin, extent, global });
            }
            Ok(Tile { origin, extent, global })
        };
        body.axes.iter().enumerate().map(tile).collect()
    }

    fn write(&mut self, to: &Access, slot: i64, value: Scalar) -> Run {
        let element = self.element(to, slot)?;
        let array = self.launch.buffers[to.buffer as usize].array;
        let free = self.conflicts.write(array, element, self.iteration);
        if !free || !self.row_is_free(array, element, true) {
            return Err(InterpretError::Conflict { buffer: to.buffer, element });
        }
        self.memory[array][element] = value;
        self.written.push((array, element));
        Ok(())
    }

    /// The element of its array that an access reaches; `slot` is added to coordinate 0.
    fn element(&self, access: &Access, slot: i64) -> Result<usize, InterpretError> {
        let arg = &self.launch.buffers[access.buffer as usize];
        let mut element = arg.offset;
        for (number, (dim, stride)) in access.dims.iter().zip(&arg.strides).enumerate() {
            let slot = if number == 0 { slot } else { 0 };
            element += (self.coordinate(dim) + slot) * stride;
        }
        let len = self.memory[arg.array].len();
        match usize::try_from(element) {
            Ok(inside) if inside < len => Ok(inside),
            _ => Err(InterpretError::Bounds { buffer: access.buffer, element, len }),
        }
    }

    fn coordinate(&self, dim: &AccessDim) -> i64 {
        let step = match dim.step {
            Step::Zero => 0,
            Step::One => 1,
            Step::MinusOne => -1,
            Step::Any(step) => self.param(step),
        };
        let index = dim.axis.map_or(0, |axis| self.indices[axis as usize]);
        self.param(dim.start) + step * (index + dim.shift as i64)
    }

    fn param(&self, param: Param) -> i64 {
        self.launch.params[param.0 as usize]
    }

    fn set(&mut self, value: Value, scalar: Scalar) {
        self.values[value.0 as usize] = scalar;
    }

    fn get(&self, value: Value) -> Result<Scalar, InterpretError> {
        match self.partial.get(&value) {
            Some(true) => Err(InterpretError::PartialResult { value: value.0 }),
            _ => Ok(self.values[value.0 as usize]),
        }
    }
}

fn combine(folds: &[FoldItem], a: Vec<Accumulator>, b: Vec<Accumulator>) -> Vec<Accumulator> {
    folds.iter().zip(a).zip(b).map(|((f, a), b)| f.reducer.combine(a, b)).collect()
}
