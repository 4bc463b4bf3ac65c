//! Entries that fold the leaves of the reduction tree.

use super::fields::Field;
use super::kernel::BLOCK;
use super::literal::{c_type, literal};
use super::nodes::{At, Emitter, Unit};
use super::plan::is_store;
use super::rows::Share;
use super::team::WARP;
use super::variant::{FoldVariant, LeafCount};
use crate::layout::FoldMode;
use crate::program::{FoldBody, Node};
use darray_core::DType;
use darray_kernel::ir::{FoldItem, Reducer};

/// Folds a leaf of a kept point, by as many threads as the tree has lanes (neighbours in a warp), by
/// fewer that own several lanes each (see `wide`), or by one thread.
///
/// ```text
/// for (int u ..) {                       leaves of all kept points
///     double t0 = -0.0;
///     for (int i0 ..)                    rows of the leaf
///         for (int i1 = f1 + lane; i1 < e1; i1 += 32)
///             t0 = t0 + ..;
///     for (int w = 16; w > 0; w /= 2)    lane l with lane l + w
///         t0 = t0 + __shfl_down_sync(0xffffffff, t0, w, 32);
///     if (lane == 0) a.w0[u] = t0;       or the result
/// }
/// ```
///
/// The lanes of a kept point of its own are folded one after another, in the order in which they
/// combine.
pub(super) fn leaves_body(emitter: &mut Emitter<'_>, finish: bool) {
    let nest = emitter.nest;
    let body = nest.fold.as_ref().expect("an entry of a fold");
    let fold = emitter.variant.fold.as_ref().expect("an entry of a fold");
    let lanes = body.tree.lanes;
    let leaf = Leaf { body, fold, lanes, width: fold.width.into(), items: items(emitter, body) };
    match (fold.mode, fold.team) {
        (FoldMode::Lanes, 0) => leaf.by_lanes(emitter, finish),
        (FoldMode::Lanes, _) => leaf.by_block(emitter, finish),
        (FoldMode::Kept, 0) => leaf.by_points(emitter, finish),
        (FoldMode::Kept, _) => leaf.by_shared_lanes(emitter, finish),
    }
}

/// An item of a fold as text.
pub(super) struct Item<'n> {
    pub item: &'n FoldItem,
    pub dtype: DType,
    /// The type of accumulators.
    pub ty: String,
}

/// The items of a fold.
pub(super) fn items<'n>(emitter: &mut Emitter<'_>, body: &'n FoldBody) -> Vec<Item<'n>> {
    let of = |item: &'n FoldItem| {
        let dtype = emitter.dtype(item.value);
        Item { item, dtype, ty: emitter.functions.accumulator(item.reducer, dtype) }
    };
    body.items.iter().map(of).collect()
}

impl Item<'_> {
    /// What an accumulator starts from.
    pub fn start(&self, empty: bool) -> String {
        let (value, index) = self.item.reducer.start(self.dtype, empty);
        self.of(&literal(value), &literal(index.into()))
    }

    /// An accumulator of a value and, for arg-reducers, an index.
    pub fn of(&self, value: &str, index: &str) -> String {
        match self.has_index() {
            true => format!("darray_arg_of<{}>({value}, {index})", c_type(self.dtype)),
            false => value.to_string(),
        }
    }

    pub fn has_index(&self) -> bool {
        self.item.reducer.has_index()
    }

    /// The value in an accumulator.
    pub fn value(&self, accumulator: &str) -> String {
        if self.has_index() { format!("{accumulator}.value") } else { accumulator.to_string() }
    }

    pub fn reducer(&self) -> Reducer {
        self.item.reducer
    }
}

/// The fold of an entry.
pub(super) struct Leaf<'n> {
    pub body: &'n FoldBody,
    pub fold: &'n FoldVariant,
    /// Lanes of the tree.
    pub lanes: u32,
    /// Those of a thread.
    pub width: u32,
    pub items: Vec<Item<'n>>,
}

impl Leaf<'_> {
    fn by_lanes(&self, emitter: &mut Emitter<'_>, finish: bool) {
        let (index, threads) = (emitter.variant.index(), self.lanes / self.width);
        let groups = WARP / threads;
        let first = if self.width > 1 { format!(" * {}", self.width) } else { String::new() };
        emitter.text.line(format!("const int lane = threadIdx.x % {threads}{first};"));
        emitter
            .text
            .line(format!("const {index} step = ({index})gridDim.x * blockDim.x / {threads};"));
        // All lanes of a warp go round together; those beyond the last leaf have nothing to fold.
        let warp = format!("(({index})blockIdx.x * blockDim.x + threadIdx.x) / 32 * {groups}");
        emitter.text.open(format!("for ({index} g = {warp}; g < a.n; g += step)"));
        let own = if groups > 1 { format!("g + threadIdx.x % 32 / {threads}") } else { "g".into() };
        emitter.text.line(format!("const bool active = {own} < a.n;"));
        emitter.text.line(format!("const {index} u = active ? {own} : a.n - 1;"));
        let (leaf, point) = match self.fold.leaves {
            LeafCount::Many => ("u % a.leaves", "u / a.leaves"),
            _ => ("0", "u"),
        };
        let at = self.point(emitter, leaf, point);
        let share = Share::Lane { idle: threads < WARP };
        if self.width > 1 {
            self.wide(emitter, &at, share);
        } else {
            self.start(emitter);
            self.rows(emitter, &at, share);
            self.shuffle(emitter);
        }
        if finish && self.after_touches_loads(emitter) {
            emitter.text.line("__syncwarp();");
        }
        emitter.text.open("if (active && lane == 0)");
        self.end(emitter, &at, finish);
        emitter.text.close();
        emitter.text.close();
    }

    fn by_points(&self, emitter: &mut Emitter<'_>, finish: bool) {
        let index = emitter.variant.index();
        emitter.thread_loop();
        emitter.text.open(format!("for ({index} u = first; u < a.n; u += step)"));
        let (leaf, point) = match self.fold.leaves {
            LeafCount::Many => ("u / a.points", "u % a.points"),
            _ => ("0", "u"),
        };
        let at = self.point(emitter, leaf, point);
        if self.lanes == 1 {
            self.start(emitter);
            self.rows(emitter, &at, Share::All);
        } else {
            self.lane_by_lane(emitter, &at);
        }
        self.end(emitter, &at, finish);
        emitter.text.close();
    }

    /// Coordinates, the kept level before the fold, and the ranges of a leaf.
    pub(super) fn point(&self, emitter: &mut Emitter<'_>, leaf: &str, point: &str) -> At {
        let (index, plan) = (emitter.variant.index(), emitter.plan);
        emitter.text.line(format!("const {index} point = {point};"));
        let coordinates = emitter.decompose("point", Unit::Element);
        let lists = [&plan.before, &plan.fold, &plan.deferred, &plan.after];
        let used: Vec<u16> = lists.into_iter().flatten().filter_map(Node::access).collect();
        let at = emitter.kept_place(&coordinates, &used);
        emitter.spilled("point");
        emitter.nodes(&plan.before, &at);
        let reduced = self.body.order.len();
        let many = self.fold.leaves == LeafCount::Many;
        let mut rest = leaf.to_string();
        for k in (0..reduced).rev() {
            if many {
                let leaves = Field::Leaves(k as u8).path();
                let of = if k == 0 { rest.clone() } else { format!("({rest}) % {leaves}") };
                let block = Field::Block(k as u8).path();
                emitter.text.line(format!("const {index} f{k} = ({of}) * {block};"));
                let extent = Field::Reduced(k as u8).path();
                let end = format!("f{k} + {block} < {extent} ? f{k} + {block} : {extent}");
                emitter.text.line(format!("const {index} e{k} = {end};"));
                rest = format!("({rest}) / {leaves}");
            } else {
                let extent = Field::Reduced(k as u8).path();
                emitter.text.line(format!("const {index} f{k} = 0, e{k} = {extent};"));
            }
        }
        at
    }

    pub(super) fn start(&self, emitter: &mut Emitter<'_>) {
        for (number, item) in self.items.iter().enumerate() {
            let start = item.start(self.fold.empty);
            emitter.text.line(format!("{} t{number} = {start};", item.ty));
        }
    }

    /// Lane `l` takes lane `l + w` for `w = lanes / 2, .., 2, 1`.
    pub(super) fn shuffle(&self, emitter: &mut Emitter<'_>) {
        let lanes = self.lanes;
        emitter.text.line("#pragma unroll");
        emitter.text.open(format!("for (int w = {}; w > 0; w /= 2)", lanes / 2));
        for (number, item) in self.items.iter().enumerate() {
            self.take(emitter, number, item, &format!("t{number}"), lanes);
        }
        emitter.text.close();
    }

    /// Combines an accumulator with that of the thread `w` further, of `threads` that share a leaf.
    pub(super) fn take(
        &self,
        emitter: &mut Emitter<'_>,
        number: usize,
        item: &Item<'_>,
        name: &str,
        threads: u32,
    ) {
        let down = |part: &str, dtype: DType| {
            let from = match dtype.size() {
                1 => format!("(int){part}"),
                _ => part.to_string(),
            };
            let ty = c_type(dtype);
            format!("({ty})__shfl_down_sync(0xffffffffu, {from}, w, {threads})")
        };
        let value = down(&item.value(name), item.dtype);
        let other = match item.has_index() {
            true => item.of(&value, &down(&format!("{name}.index"), DType::INDEX)),
            false => value,
        };
        emitter.text.line(format!("const {} o{number} = {other};", item.ty));
        let later = format!("o{number}");
        let sum = emitter.functions.combine(item.reducer(), item.dtype, name, &later);
        emitter.text.line(format!("{name} = {sum};"));
    }

    /// Lanes one after another in one thread, in an order in which neighbours combine: with four
    /// lanes 0, 2, 1, 3.
    fn lane_by_lane(&self, emitter: &mut Emitter<'_>, at: &At) {
        let (index, lanes) = (emitter.variant.index(), self.lanes);
        let levels = lanes.trailing_zeros();
        for (number, item) in self.items.iter().enumerate() {
            emitter.text.line(format!("{} waiting{number}[{}];", item.ty, levels + 1));
        }
        emitter.text.line("int height = 0;");
        emitter.text.line("#pragma unroll 1");
        emitter.text.open(format!("for (int b = 0; b < {lanes}; ++b)"));
        emitter.text.line(format!("const {index} lane = __brev(b) >> {};", 32 - levels));
        self.start(emitter);
        self.rows(emitter, at, Share::Lane { idle: false });
        emitter.text.open("for (int m = b; m & 1; m >>= 1)");
        emitter.text.line("--height;");
        for (number, item) in self.items.iter().enumerate() {
            let (earlier, name) = (format!("waiting{number}[height]"), format!("t{number}"));
            let sum = emitter.functions.combine(item.reducer(), item.dtype, &earlier, &name);
            emitter.text.line(format!("{name} = {sum};"));
        }
        emitter.text.close();
        for number in 0..self.items.len() {
            emitter.text.line(format!("waiting{number}[height] = t{number};"));
        }
        emitter.text.line("++height;");
        emitter.text.close();
        for (number, item) in self.items.iter().enumerate() {
            emitter.text.line(format!("const {} t{number} = waiting{number}[0];", item.ty));
        }
    }

    /// Keeps the value of the leaf, or goes on with it as the result.
    pub(super) fn end(&self, emitter: &mut Emitter<'_>, at: &At, finish: bool) {
        for (number, item) in self.items.iter().enumerate() {
            let accumulator = format!("t{number}");
            let value = item.value(&accumulator);
            if finish {
                emitter.define(item.item.result, &value);
                if let Some(index) = item.item.index {
                    emitter.define(index, &format!("{accumulator}.index"));
                }
            } else {
                emitter.text.line(format!("{}[u] = {value};", Field::Value(number as u16).path()));
                if item.has_index() {
                    let place = Field::Index(number as u16).path();
                    emitter.text.line(format!("{place}[u] = {accumulator}.index;"));
                }
            }
        }
        if finish {
            emitter.finish(at, &self.items);
        }
    }

    /// Whether what comes after the fold stores into memory that other lanes may still read, or
    /// reads what they store.
    fn after_touches_loads(&self, emitter: &Emitter<'_>) -> bool {
        let plan = emitter.plan;
        let buffer = |node: &Node| {
            node.access().map(|access| emitter.program.accesses[access as usize].buffer)
        };
        let earlier = || plan.before.iter().chain(&plan.fold);
        let later = || plan.deferred.iter().chain(&plan.after);
        let overlap = |a: &Node, b: &Node| match (buffer(a), buffer(b)) {
            (Some(a), Some(b)) => emitter.program.overlap(a, b),
            _ => false,
        };
        earlier().any(|a| later().any(|b| (is_store(a) || is_store(b)) && overlap(a, b)))
    }
}

impl Emitter<'_> {
    /// Values of the kept level that an entry before has left.
    pub fn spilled(&mut self, point: &str) {
        for &value in &self.plan.spilled {
            let place = format!("{}[{point}]", Field::Spill(value).path());
            let expression = super::nodes::from_memory(self.dtype(value), &place);
            self.define(value, &expression);
        }
    }

    /// What comes after a fold with one slot: stores put off, yields, cells.
    pub fn finish(&mut self, at: &At, items: &[Item<'_>]) {
        let plan = self.plan;
        self.nodes(&plan.deferred, at);
        for node in &plan.after {
            if let Node::Yield { access, item, index } = node {
                let item = items[*item as usize].item;
                let value = if *index { item.index.unwrap_or(item.result) } else { item.result };
                let element = self.element(*access, &self.offset(*access, at));
                let value = self.value(value);
                self.text.line(format!("{element} = {value};"));
            } else {
                self.nodes(std::slice::from_ref(node), at);
            }
        }
        self.results();
    }
}

const _: () = assert!(BLOCK.is_multiple_of(WARP));
