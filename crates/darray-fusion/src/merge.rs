//! Merging the loop nests of tasks into one kernel.
//!
//! The nests have equivalent domains and keep the constraints over elements, so one loop may run
//! them in program order at each element. While they are composed:
//! - a load of what the kernel stored through the same map is forwarded (the value already has the
//!   store's type, so it is rounded as memory would round it);
//! - a load of what was loaded through the same map is the same value;
//! - a store overwritten through the same map is dropped, and so is a store that nothing reads
//!   after this kernel ([`Uses::dead_after`]);
//! - stores stand last, so every load of an element precedes its stores.
//!
//! ```text
//! t0  mul  s2[i0] <- s0[i0], s1[i0]     |  for i0 { %0 = load s0; %1 = load s1; %2 = mul %0 %1
//! t1  add  s3[i0] <- s2[i0], s0[i0]     |           %3 = add %2 %0; store s3 %3 }
//! ```

use crate::plan::{BufferSource, KernelStep, ParamSource, PlanOptions, Reduction};
use crate::{granularity, nest};
use darray_core::{Chart, DType, Scalar};
use darray_ir::{DomainId, MapId, Privilege, StoreId, Window};
use darray_kernel::ir::{
    Access, AccessDim, Axis, Buffer, FoldItem, Kernel, Op, Param, Reducer, Region, Role, Step,
    Tree, Value,
};
use darray_kernel::operator::Operator;
use hashbrown::HashMap;
use std::sync::Arc;

/// What the composer must know of the rest of the window.
pub trait Uses {
    /// Whether nothing after this kernel sees the store's data.
    fn dead_after(&self, store: StoreId) -> bool;
}

/// Composes the tasks with these numbers, of equivalent element domains, into one kernel. `None`
/// when nothing that it computes is ever seen.
pub fn merge(
    window: &Window,
    tasks: &[u32],
    uses: &dyn Uses,
    options: &PlanOptions,
) -> Option<KernelStep> {
    let mut composer = Composer::new(window, tasks, options);
    for &task in tasks {
        nest::compose(&mut composer, task);
    }
    composer.finish(tasks, uses)
}

/// A kernel under construction.
pub(crate) struct Composer<'w> {
    /// The window of the tasks.
    pub(crate) window: &'w Window,
    options: &'w PlanOptions,
    domain: DomainId,
    /// Reduced logical axes, as a bit set.
    axes: u32,
    next_value: u32,
    prologue: Vec<Op>,
    body: Vec<Op>,
    values: HashMap<(StoreId, MapId), Value>,
    dtypes: Vec<DType>,
    stores: Vec<(StoreId, MapId, Value)>,
    loads: Vec<(Value, StoreId, MapId)>,
    folds: Vec<(FoldItem, Reduction)>,
    params: Vec<ParamSource>,
    scalars: Vec<((u32, u32), DType)>,
    constants: Vec<(Scalar, Value)>,
}

impl<'w> Composer<'w> {
    fn new(window: &'w Window, tasks: &[u32], options: &'w PlanOptions) -> Composer<'w> {
        let task = |t: &u32| &window.tasks()[*t as usize];
        Composer {
            window,
            options,
            domain: task(&tasks[0]).domain,
            axes: tasks.iter().map(task).fold(0, |axes, t| axes | t.reduced_axes()),
            next_value: 0,
            prologue: Vec::new(),
            body: Vec::new(),
            values: HashMap::new(),
            dtypes: Vec::new(),
            stores: Vec::new(),
            loads: Vec::new(),
            folds: Vec::new(),
            params: Vec::new(),
            scalars: Vec::new(),
            constants: Vec::new(),
        }
    }

    fn value(&mut self, dtype: DType) -> Value {
        let value = Value(self.next_value);
        self.next_value += 1;
        self.dtypes.push(dtype);
        value
    }

    fn dtype(&self, value: Value) -> DType {
        self.dtypes[value.0 as usize]
    }

    /// The value of a store at the current element.
    pub(crate) fn load(&mut self, store: StoreId, map: MapId) -> Value {
        if let Some(&value) = self.values.get(&(store, map)) {
            return value;
        }
        let value = self.value(self.window.store(store).dtype);
        self.loads.push((value, store, map));
        self.values.insert((store, map), value);
        value
    }

    /// Sets the store at the current element, rounding to its type.
    pub(crate) fn store(&mut self, store: StoreId, map: MapId, value: Value) {
        let value = self.cast(value, self.window.store(store).dtype);
        self.values.insert((store, map), value);
        self.stores.retain(|&(s, m, _)| (s, m) != (store, map));
        self.stores.push((store, map, value));
    }

    /// Applies a row of the operator table.
    pub(crate) fn apply(&mut self, operator: Operator, args: &[Value]) -> Value {
        let types: Vec<DType> = args.iter().map(|&a| self.dtype(a)).collect();
        let dtype = operator.result(&types).expect("the emitter checks operand types");
        let result = self.value(dtype);
        self.body.push(Op::Apply { result, operator, args: args.to_vec() });
        result
    }

    /// Converts a value; the value itself where it has the type.
    pub(crate) fn cast(&mut self, value: Value, to: DType) -> Value {
        if self.dtype(value) == to {
            return value;
        }
        let operator = match to {
            DType::Bool => Operator::ToBool,
            DType::I64 => Operator::ToI64,
            DType::F32 => Operator::ToF32,
            DType::F64 => Operator::ToF64,
        };
        self.apply(operator, &[value])
    }

    /// A task's scalar argument, in the prologue.
    pub(crate) fn scalar(&mut self, task: u32, index: u32) -> Value {
        let dtype = self.window.tasks()[task as usize].scalars[index as usize].dtype();
        let result = self.value(dtype);
        self.prologue.push(Op::Scalar { result, index: self.scalars.len() as u16 });
        self.scalars.push(((task, index), dtype));
        result
    }

    /// A constant, in the prologue.
    pub(crate) fn constant(&mut self, scalar: Scalar) -> Value {
        if let Some(&(_, value)) = self.constants.iter().find(|(s, _)| *s == scalar) {
            return value;
        }
        let result = self.value(scalar.dtype());
        self.prologue.push(Op::Const { result, scalar });
        self.constants.push((scalar, result));
        result
    }

    /// The global index along a logical axis (renamed to its loop axis once the loops are known).
    pub(crate) fn index(&mut self, axis: u8) -> Value {
        let result = self.value(DType::I64);
        self.body.push(Op::Index { result, axis });
        result
    }

    /// A random double of a stream.
    pub(crate) fn random(&mut self, key: [Value; 4], counter: Value) -> Value {
        let result = self.value(DType::F64);
        self.body.push(Op::Random { result, key, counter });
        result
    }

    /// Folds a value over the reduced axes into output stores: value, then index.
    pub(crate) fn fold(
        &mut self,
        value: Value,
        reducer: Reducer,
        axes: u32,
        outputs: Vec<(StoreId, MapId)>,
    ) {
        let result = self.value(self.dtype(value));
        let index = (outputs.len() > 1).then(|| self.value(DType::I64));
        let over_points = granularity::over_points(axes, self.options.distributed_axes);
        let reduction = Reduction { reducer, axes, outputs, over_points };
        self.folds.push((FoldItem { reducer, value, result, index }, reduction));
    }

    /// Logical axes in loop order: kept axes, then reduced ones.
    fn loop_order(&self) -> Vec<u8> {
        let rank = self.window.domain(self.domain).rank() as u8;
        let reduced = |a: &u8| self.axes >> a & 1 == 1;
        (0..rank).filter(|a| !reduced(a)).chain((0..rank).filter(reduced)).collect()
    }

    /// Kept axes of the domain in loop order.
    fn kept(&self) -> Vec<u8> {
        self.loop_order().into_iter().filter(|&a| self.axes >> a & 1 == 0).collect()
    }

    fn param(&mut self, source: ParamSource) -> Param {
        let found = self.params.iter().position(|&p| p == source);
        let index = found.unwrap_or_else(|| {
            self.params.push(source);
            self.params.len() - 1
        });
        Param(index as u16)
    }

    fn axis(&mut self, logical: u8) -> Axis {
        Axis {
            extent: self.param(ParamSource::TileExtent(logical)),
            origin: self.param(ParamSource::TileOrigin(logical)),
            global: self.param(ParamSource::GlobalExtent(logical)),
            logical,
        }
    }

    fn access(&mut self, buffer: u16, map: MapId) -> Access {
        let (window, order) = (self.window, self.loop_order());
        let loop_axis = |a| order.iter().position(|&o| o == a).map(|at| at as u8);
        let dims = window.map(map).dims.iter().enumerate().map(|(d, dim)| AccessDim {
            axis: dim.axis.and_then(loop_axis),
            start: self.param(ParamSource::Start(map, d as u8)),
            step: match (dim.axis, dim.step) {
                (None, _) => Step::Zero,
                (_, 1) => Step::One,
                (_, -1) => Step::MinusOne,
                _ => Step::Any(self.param(ParamSource::Step(map, d as u8))),
            },
            shift: 0,
        });
        Access { buffer, dims: dims.collect() }
    }
}

/// The buffers of a kernel, one per store and chart.
#[derive(Default)]
struct Buffers {
    buffers: Vec<Buffer>,
    sources: Vec<BufferSource>,
    known: HashMap<(StoreId, Chart, usize), u16>,
}

impl Buffers {
    fn store(&mut self, window: &Window, store: StoreId, map: MapId, by: Privilege) -> u16 {
        let geometry = window.map(map);
        let rank = geometry.dims.len();
        let index = *self.known.entry((store, geometry.chart, rank)).or_insert_with(|| {
            let role = if by.writes() { Role::Write } else { Role::Read };
            let dtype = window.store(store).dtype;
            self.buffers.push(Buffer { dtype, rank: rank as u8, role, no_alias: true });
            self.sources.push(BufferSource::Store { store, accesses: Vec::new() });
            self.buffers.len() as u16 - 1
        });
        let role = &mut self.buffers[index as usize].role;
        *role = match (*role, by.writes()) {
            (Role::Read, true) | (Role::Write, false) => Role::ReadWrite,
            (role, _) => role,
        };
        if let BufferSource::Store { accesses, .. } = &mut self.sources[index as usize] {
            match accesses.iter_mut().find(|(m, _)| *m == map) {
                Some((_, known)) => *known = known.promote(by),
                None => accesses.push((map, by)),
            }
        }
        index
    }

    fn partial(&mut self, dtype: DType, rank: usize, reduction: u32, output: u32) -> u16 {
        self.buffers.push(Buffer { dtype, rank: rank as u8, role: Role::Partial, no_alias: true });
        self.sources.push(BufferSource::Partial { reduction, output });
        self.buffers.len() as u16 - 1
    }
}

impl Composer<'_> {
    fn finish(mut self, tasks: &[u32], uses: &dyn Uses) -> Option<KernelStep> {
        self.stores.retain(|&(store, _, _)| !uses.dead_after(store));
        let folds = std::mem::take(&mut self.folds);
        let seen = |r: &Reduction| r.outputs.iter().any(|&(store, _)| !uses.dead_after(store));
        let folds: Vec<_> = folds.into_iter().filter(|(_, r)| seen(r)).collect();
        if self.stores.is_empty() && folds.is_empty() {
            return None;
        }
        if folds.is_empty() {
            self.axes = 0;
        }
        self.drop_unused(&folds);
        self.rename_indices();

        let mut buffers = Buffers::default();
        let mut inner = Vec::new();
        for (result, store, map) in std::mem::take(&mut self.loads) {
            let buffer = buffers.store(self.window, store, map, Privilege::Read);
            let from = self.access(buffer, map);
            let depth0 = from.dims.iter().all(|d| d.axis.is_none());
            let list = if depth0 { &mut self.prologue } else { &mut inner };
            list.push(Op::Load { result, from });
        }
        inner.append(&mut self.body);
        for (store, map, value) in std::mem::take(&mut self.stores) {
            let buffer = buffers.store(self.window, store, map, Privilege::Write);
            let to = self.access(buffer, map);
            inner.push(Op::Store { to, value, mask: None });
        }
        let mut body = Region { axes: Vec::new(), ops: std::mem::take(&mut self.prologue) };
        let nest = self.nest(inner, &folds, &mut buffers);
        body.ops.extend(nest);

        let scalars = self.scalars.iter().map(|&(_, dtype)| dtype).collect();
        let kernel = Kernel {
            params: self.params.len() as u16,
            scalars,
            buffers: buffers.buffers,
            body,
            contract: self.options.contract,
        };
        Some(KernelStep {
            tasks: tasks.to_vec(),
            kernel: Arc::new(kernel),
            domain: self.domain,
            buffers: buffers.sources,
            params: self.params,
            scalars: self.scalars.iter().map(|&(source, _)| source).collect(),
            reductions: folds.into_iter().map(|(_, r)| r).collect(),
            in_place: Vec::new(),
        })
    }

    /// Drops operations whose values reach no store and no fold.
    fn drop_unused(&mut self, folds: &[(FoldItem, Reduction)]) {
        let mut used = vec![false; self.next_value as usize];
        let mut mark = |v: Value| used[v.0 as usize] = true;
        self.stores.iter().for_each(|&(_, _, v)| mark(v));
        folds.iter().for_each(|(f, _)| mark(f.value));
        let mut keep = |op: &Op| {
            let (result, args): (Value, &[Value]) = match op {
                Op::Apply { result, args, .. } => (*result, args),
                Op::Random { result, key, counter } => {
                    if used[result.0 as usize] {
                        used[counter.0 as usize] = true;
                    }
                    (*result, key)
                }
                Op::Const { result, .. } | Op::Scalar { result, .. } | Op::Index { result, .. } => {
                    (*result, &[])
                }
                _ => unreachable!("the composer makes no other operation"),
            };
            let kept = used[result.0 as usize];
            if kept {
                args.iter().for_each(|a| used[a.0 as usize] = true);
            }
            kept
        };
        let mut backwards = |ops: &mut Vec<Op>| {
            ops.reverse();
            ops.retain(&mut keep);
            ops.reverse();
        };
        backwards(&mut self.body);
        backwards(&mut self.prologue);
        self.loads.retain(|(v, _, _)| used[v.0 as usize]);
        // Scalars are numbered by position in the list of those that are left.
        let scalars = std::mem::take(&mut self.scalars);
        for op in &mut self.prologue {
            if let Op::Scalar { index, .. } = op {
                let source = scalars[*index as usize];
                *index = self.scalars.len() as u16;
                self.scalars.push(source);
            }
        }
    }

    fn rename_indices(&mut self) {
        let order = self.loop_order();
        for op in &mut self.body {
            if let Op::Index { axis, .. } = op {
                *axis = order.iter().position(|a| a == axis).expect("an axis of the domain") as u8;
            }
        }
    }

    /// Wraps the operations of one element in the kernel's loops.
    fn nest(
        &mut self,
        inner: Vec<Op>,
        folds: &[(FoldItem, Reduction)],
        buffers: &mut Buffers,
    ) -> Vec<Op> {
        let order = self.loop_order();
        if order.is_empty() {
            return inner;
        }
        let (kept, reduced): (Vec<u8>, Vec<u8>) =
            order.iter().partition(|&&a| self.axes >> a & 1 == 0);
        let region = |composer: &mut Self, axes: &[u8], ops| Region {
            axes: axes.iter().map(|&a| composer.axis(a)).collect(),
            ops,
        };
        if reduced.is_empty() {
            return vec![Op::For { body: region(self, &kept, inner) }];
        }
        let innermost = reduced.last().is_some_and(|&a| a as usize + 1 == order.len());
        let fold = Op::Fold {
            body: region(self, &reduced, inner),
            folds: folds.iter().map(|(item, _)| item.clone()).collect(),
            tree: Tree { innermost, rule: self.options.tree_rule },
        };
        let mut ops = vec![fold];
        for (number, (item, reduction)) in folds.iter().enumerate() {
            let results = [Some(item.result), item.index];
            for (output, value) in results.into_iter().flatten().enumerate() {
                let dtype = self.window.store(reduction.outputs[output].0).dtype;
                let kept = self.kept();
                let buffer = buffers.partial(dtype, kept.len() + 1, number as u32, output as u32);
                let zero = self.param(ParamSource::Zero);
                let slot = AccessDim { axis: None, start: zero, step: Step::Zero, shift: 0 };
                let along = (0..kept.len() as u8).map(|axis| AccessDim {
                    axis: Some(axis),
                    start: zero,
                    step: Step::One,
                    shift: 0,
                });
                let dims = std::iter::once(slot).chain(along).collect();
                ops.push(Op::Yield { to: Access { buffer, dims }, value });
            }
        }
        if kept.is_empty() { ops } else { vec![Op::For { body: region(self, &kept, ops) }] }
    }
}
