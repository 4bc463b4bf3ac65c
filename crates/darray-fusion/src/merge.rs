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

use crate::buffers::Buffers;
use crate::composer::Composer;
use crate::nest;
use crate::plan::{KernelStep, ParamSource, PlanOptions, Reduction};
use darray_ir::{MapId, Privilege, StoreId, Window};
use darray_kernel::ir::{
    Access, AccessDim, Axis, FoldItem, Kernel, Op, Param, Region, Step, Tree, Value,
};
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
        let kernel =
            Kernel { params: self.params.len() as u16, scalars, buffers: buffers.buffers, body };
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
                Op::Random { result, key, counter, .. } => {
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
