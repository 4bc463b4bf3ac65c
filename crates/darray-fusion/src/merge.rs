//! Merging the loop nests of tasks into one kernel.
//!
//! The tasks of a nest have equivalent domains and keep the constraints over elements, so one loop may run
//! them in program order at each element. While they are composed:
//! - a load of what the nest stored through the same map is forwarded (the value already has the
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

mod buffers;
mod composer;
mod nest;

use crate::plan::{KernelStep, ParamSource, PlanOptions, Reduction};
use buffers::Buffers;
use composer::Composer;
use darray_core::RealType;
use darray_ir::{DomainId, MapId, Privilege, StoreId, Window};
use darray_kernel::ir::{
    Access, AccessDim, Axis, FoldItem, Kernel, Op, Param, Region, Step, Value,
};
use hashbrown::HashSet;
use std::sync::Arc;

/// What the composer must know of the rest of the window.
pub trait Uses {
    /// Whether nothing after this kernel sees the store's data.
    fn dead_after(&self, store: StoreId) -> bool;
}

/// How the nests of a kernel stand to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Together {
    /// There is one.
    #[default]
    One,
    /// They keep the constraints over rows.
    ByRows,
    /// They run one behind the other, each over all of its domain.
    InTurn,
}

/// Composes nests of tasks, each of equivalent element domains, into one kernel. `uses` gives what is known of the window after
/// each nest. `None` when nothing that it computes is ever seen.
pub fn merge<U: Uses>(
    window: &Window,
    nests: &[Vec<u32>],
    together: Together,
    uses: &dyn Fn(usize) -> U,
    options: &PlanOptions,
) -> Option<KernelStep> {
    let mut parts = Parts { together, ..Parts::default() };
    for (number, tasks) in nests.iter().enumerate() {
        parts.add(window, tasks, &uses(number), options);
    }
    parts.finish(window, nests.to_vec())
}

/// A kernel under construction, nest by nest.
#[derive(Default)]
struct Parts {
    together: Together,
    params: Vec<ParamSource>,
    buffers: Buffers,
    scalars: Vec<((u32, u32), RealType)>,
    prologue: Vec<Op>,
    nests: Vec<Op>,
    reductions: Vec<Reduction>,
    /// Domains of the nests.
    domains: Vec<DomainId>,
    next_value: u32,
}

impl Parts {
    /// Adds the nest of some tasks.
    fn add(&mut self, window: &Window, tasks: &[u32], uses: &dyn Uses, options: &PlanOptions) {
        let mut composer = Composer::new(window, tasks, options, self.next_value);
        composer.together = self.together;
        composer.params = std::mem::take(&mut self.params);
        for &task in tasks {
            nest::compose(&mut composer, task);
        }
        composer.finish(uses, self);
        self.next_value = composer.next_value;
        self.params = composer.params;
    }

    fn finish(mut self, window: &Window, nests: Vec<Vec<u32>>) -> Option<KernelStep> {
        let rank = |domain: &DomainId| window.domain(*domain).rank();
        let most = self.domains.iter().map(rank).max()?;
        let domain = *self.domains.iter().find(|domain| rank(domain) == most)?;
        self.prologue.append(&mut self.nests);
        let body = Region { axes: Vec::new(), ops: self.prologue };
        let kernel = Kernel {
            params: self.params.len() as u16,
            scalars: self.scalars.iter().map(|&(_, dtype)| dtype).collect(),
            buffers: self.buffers.buffers,
            body,
            by_rows: self.together == Together::ByRows,
        };
        Some(KernelStep {
            tasks: nests.concat(),
            nests,
            kernel: Arc::new(kernel),
            domain,
            buffers: self.buffers.sources,
            params: self.params,
            scalars: self.scalars.iter().map(|&(source, _)| source).collect(),
            reductions: self.reductions,
            in_place: Vec::new(),
        })
    }
}

impl Composer<'_> {
    /// Adds the nest to the kernel, unless nothing that it computes is ever seen.
    fn finish(&mut self, uses: &dyn Uses, parts: &mut Parts) {
        let mut last = HashSet::new();
        self.stores.reverse();
        self.stores.retain(|&(store, map, _)| !uses.dead_after(store) && last.insert((store, map)));
        self.stores.reverse();
        let folds = std::mem::take(&mut self.folds);
        let seen = |r: &Reduction| r.outputs.iter().any(|&(store, _)| !uses.dead_after(store));
        let folds: Vec<_> = folds.into_iter().filter(|(_, r)| seen(r)).collect();
        if self.stores.is_empty() && folds.is_empty() {
            return;
        }
        if folds.is_empty() {
            self.axes = 0;
        }
        self.drop_unused(&folds);
        self.rename_indices();

        let buffers = &mut parts.buffers;
        let mut inner = Vec::new();
        for (result, store, map) in std::mem::take(&mut self.loads) {
            let buffer = buffers.store(self.window, store, (self.domain, map), Privilege::Read);
            let from = self.access(buffer, map);
            let depth0 = from.dims.iter().all(|d| d.axis.is_none());
            let list = if depth0 { &mut self.prologue } else { &mut inner };
            list.push(Op::Load { result, from });
        }
        self.hoist();
        inner.append(&mut self.body);
        for (store, map, value) in std::mem::take(&mut self.stores) {
            let buffer = buffers.store(self.window, store, (self.domain, map), Privilege::Write);
            let to = self.access(buffer, map);
            inner.push(Op::Store { to, value, mask: None });
        }
        let mut nest = self.nest(inner, folds, parts);
        let first = parts.scalars.len() as u16;
        for op in &mut self.prologue {
            if let Op::Scalar { index, .. } = op {
                *index += first;
            }
        }
        // What one of the nests before gives is not read before it.
        let before = match self.together {
            Together::InTurn => &mut parts.nests,
            _ => &mut parts.prologue,
        };
        before.append(&mut self.prologue);
        parts.nests.append(&mut nest);
        parts.scalars.append(&mut self.scalars);
        parts.domains.push(self.domain);
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

    /// Computes before the loops what is the same at each element.
    fn hoist(&mut self) {
        let mut is_same = vec![false; self.next_value as usize];
        for op in &self.prologue {
            if let Op::Const { result, .. } | Op::Scalar { result, .. } | Op::Load { result, .. } =
                op
            {
                is_same[result.0 as usize] = true;
            }
        }
        for op in std::mem::take(&mut self.body) {
            match &op {
                Op::Apply { result, args, .. } if args.iter().all(|a| is_same[a.0 as usize]) => {
                    is_same[result.0 as usize] = true;
                    self.prologue.push(op);
                }
                _ => self.body.push(op),
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

    /// Wraps the operations of one element in the nest's loops.
    fn nest(
        &mut self,
        inner: Vec<Op>,
        folds: Vec<(FoldItem, Reduction)>,
        parts: &mut Parts,
    ) -> Vec<Op> {
        let order = self.loop_order();
        if order.is_empty() {
            return inner;
        }
        let (parallel, reduced): (Vec<u8>, Vec<u8>) =
            order.iter().partition(|&&a| self.axes >> a & 1 == 0);
        let region = |composer: &mut Self, axes: &[u8], ops| Region {
            axes: axes.iter().map(|&a| composer.axis(a)).collect(),
            ops,
        };
        if reduced.is_empty() {
            return vec![Op::For { body: region(self, &parallel, inner) }];
        }
        let fold = Op::Fold {
            body: region(self, &reduced, inner),
            folds: folds.iter().map(|(item, _)| item.clone()).collect(),
            tree: self.options.tree_rule,
        };
        let mut ops = vec![fold];
        // Tiles have whole rows, or are all there is, so that what is reduced along them is there for the next nests.
        let whole = match self.together {
            Together::One => false,
            Together::ByRows => self.axes & 1 == 0,
            Together::InTurn => true,
        };
        for (item, reduction) in folds {
            let results = [Some(item.result), item.index].into_iter().flatten();
            for (output, value) in results.enumerate() {
                let (store, map) = reduction.outputs[output];
                ops.push(match whole {
                    true => self.store_result(store, map, value, &mut parts.buffers),
                    false => {
                        let number = parts.reductions.len() as u32;
                        self.yield_result(store, value, (number, output as u32), parts)
                    }
                });
            }
            if !whole {
                parts.reductions.push(reduction);
            }
        }
        if parallel.is_empty() { ops } else { vec![Op::For { body: region(self, &parallel, ops) }] }
    }

    fn store_result(
        &mut self,
        store: StoreId,
        map: MapId,
        value: Value,
        buffers: &mut Buffers,
    ) -> Op {
        let buffer = buffers.store(self.window, store, (self.domain, map), Privilege::Write);
        Op::Store { to: self.access(buffer, map), value, mask: None }
    }

    fn yield_result(
        &mut self,
        store: StoreId,
        value: Value,
        (reduction, output): (u32, u32),
        parts: &mut Parts,
    ) -> Op {
        let dtype = self.window.store(store).dtype;
        let parallel = self.parallel();
        let buffer = parts.buffers.partial(dtype, parallel.len() + 1, reduction, output);
        let zero = self.param(ParamSource::Zero);
        let slot = AccessDim { axis: None, start: zero, step: Step::Zero, shift: 0 };
        let along = (0..parallel.len() as u8).map(|axis| AccessDim {
            axis: Some(axis),
            start: zero,
            step: Step::One,
            shift: 0,
        });
        let dims = std::iter::once(slot).chain(along).collect();
        Op::Yield { to: Access { buffer, dims }, value }
    }

    /// Logical axes in loop order: parallel axes, then reduced ones.
    fn loop_order(&self) -> Vec<u8> {
        let rank = self.window.domain(self.domain).rank() as u8;
        let reduced = |a: &u8| self.axes >> a & 1 == 1;
        (0..rank).filter(|a| !reduced(a)).chain((0..rank).filter(reduced)).collect()
    }

    /// Parallel axes of the domain in loop order.
    fn parallel(&self) -> Vec<u8> {
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
        let is_whole = match self.together {
            Together::One => false,
            Together::ByRows => logical > 0,
            Together::InTurn => true,
        };
        if is_whole {
            let extent = self.param(ParamSource::Extent(self.domain, logical));
            return Axis { extent, origin: self.param(ParamSource::Zero), global: extent, logical };
        }
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
