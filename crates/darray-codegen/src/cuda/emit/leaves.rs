//! Entries that fold the leaves of the reduction tree.

use super::nodes::{At, Emitter, Unit, from_memory};
use crate::cuda::language::literal::{c_type, literal};
use crate::cuda::plan::entries::is_store;
use crate::cuda::plan::fields::{Field, memory_type};
use crate::cuda::plan::variant::{BLOCK, FoldVariant, PieceCount, WARP};
use crate::layout::FoldMode;
use crate::program::{FoldBody, Node};
use darray_core::RealType;
use darray_kernel::ir::{FoldItem, Reducer};

/// Folds the pieces of all parallel points, a thread for each lane.
///
/// ```text
/// for (int u ..) {                                   pieces of all parallel points
///     for (int n0 = 0; n0 < a.inside0; ++n0) {       leaves of the piece
///         for (int base = 0; ..)                     rounds of the leaf, several at once: see `rounds`
///             x0[0] = lane + .., x0[1] = ..
///         for (int w = 16; w > 0; w /= 2)            lane l with lane l + w
///             t0 = t0 + __shfl_down_sync(0xffffffff, t0, w, 32);
///         ..                                         leaves combine in pairs: see `pairs`
///     }
///     if (lane == 0) a.w0[u] = t0;                   or the result
/// }
/// ```
///
/// Elements that a leaf lacks count as the reducer's identity, and so do leaves that a piece lacks: to combine with it on the right
/// changes nothing.
pub(crate) fn leaves_body(emitter: &mut Emitter<'_>, finish: bool) {
    let nest = emitter.nest;
    let body = nest.fold.as_ref().expect("an entry of a fold");
    let fold = emitter.variant.fold.as_ref().expect("an entry of a fold");
    let leaf = Leaf { body, fold, lanes: fold.lanes.into(), items: items(emitter, body) };
    match fold.mode {
        FoldMode::Lanes => leaf.by_lanes(emitter, finish),
        FoldMode::Kept if fold.threads() > 1 => leaf.by_columns(emitter, finish),
        FoldMode::Kept => leaf.by_points(emitter, finish),
    }
}

/// An item of a fold as text.
pub(crate) struct Item<'n> {
    pub item: &'n FoldItem,
    pub dtype: RealType,
    /// The type of accumulators.
    pub ty: String,
}

/// The items of a fold.
pub(crate) fn items<'n>(emitter: &mut Emitter<'_>, body: &'n FoldBody) -> Vec<Item<'n>> {
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
pub(crate) struct Leaf<'n> {
    pub body: &'n FoldBody,
    pub fold: &'n FoldVariant,
    /// Lanes, a thread each.
    pub lanes: u32,
    pub items: Vec<Item<'n>>,
}

impl Leaf<'_> {
    /// Lanes are neighbouring threads of a warp.
    fn by_lanes(&self, emitter: &mut Emitter<'_>, finish: bool) {
        let (index, lanes) = (emitter.variant.index(), self.lanes);
        let groups = WARP / lanes;
        emitter.text.line(format!("const int lane = threadIdx.x % {lanes};"));
        emitter
            .text
            .line(format!("const {index} step = ({index})gridDim.x * blockDim.x / {lanes};"));
        // All lanes of a warp go round together; those beyond the last piece have nothing to fold.
        let each = if groups > 1 { format!(" * {groups}") } else { String::new() };
        let warp = format!("(({index})blockIdx.x * blockDim.x + threadIdx.x) / 32{each}");
        emitter.text.open(format!("for ({index} g = {warp}; g < a.n; g += step)"));
        let own = if groups > 1 { format!("g + threadIdx.x % 32 / {lanes}") } else { "g".into() };
        emitter.text.line(format!("const bool active = {own} < a.n;"));
        emitter.text.line(format!("const {index} u = active ? {own} : a.n - 1;"));
        let at = self.point(emitter, "u % a.pieces", "u / a.pieces");
        self.piece(emitter, &at, true, |emitter| self.shuffle(emitter));
        if finish && self.after_touches_loads(emitter) {
            emitter.text.line("__syncwarp();");
        }
        emitter.text.open("if (active && lane == 0)");
        self.end(emitter, &at, finish);
        emitter.text.close();
        emitter.text.close();
    }

    /// Neighbouring threads are parallel points, a lane of each; the next lanes are further threads of the block, and so are the next
    /// parts, in an order in which those that combine first are farthest apart.
    ///
    /// ```text
    /// threads 0 .. 4      points 0 .. 4    row 0: lane 0 of part 0       h0[row][point]
    /// threads 5 .. 9      points 0 .. 4    row 1: lane 1
    /// ..                                   of two lanes and four parts: rows 2, 3 are part 2, rows 4, 5 part 1
    /// ```
    fn by_columns(&self, emitter: &mut Emitter<'_>, finish: bool) {
        let (index, lanes, threads) = (emitter.variant.index(), self.lanes, self.fold.threads());
        let columns = Field::Columns.path();
        for (number, item) in self.items.iter().enumerate() {
            let ty = memory_type(item.dtype);
            emitter.text.line(format!("__shared__ {ty} h{number}[{BLOCK}];"));
            if item.has_index() {
                emitter.text.line(format!("__shared__ long long hi{number}[{BLOCK}];"));
            }
        }
        emitter
            .text
            .line(format!("const int columns = {columns}, points = blockDim.x / {threads};"));
        emitter.text.line(format!("const int row = threadIdx.x / columns % {threads};"));
        if lanes > 1 {
            emitter.text.line(format!("const int lane = row % {lanes};"));
        }
        if threads > lanes {
            let unused = 32 - (threads / lanes).trailing_zeros();
            let rounds = u32::from(self.fold.rounds) << self.fold.levels;
            let part = format!("(int)(__brev(row / {lanes}) >> {unused})");
            emitter.text.line(format!("const int begin = {part} * {};", rounds * lanes));
        }
        emitter.text.line(format!(
            "const int own = threadIdx.x / (columns * {threads}) * columns + threadIdx.x % columns;"
        ));
        let first = format!("({index})blockIdx.x * points");
        emitter.text.open(format!("for ({index} b = {first}; b < a.n; b += gridDim.x * points)"));
        emitter.text.line("const bool active = b + own < a.n;");
        emitter.text.line(format!("const {index} u = active ? b + own : a.n - 1;"));
        let at = self.point(emitter, "u / a.points", "u % a.points");
        self.piece(emitter, &at, true, |emitter| self.combine_shared(emitter));
        emitter.text.open("if (active && row == 0)");
        self.end(emitter, &at, finish);
        emitter.text.close();
        emitter.text.close();
    }

    /// Every thread has a parallel point: a leaf has one lane.
    fn by_points(&self, emitter: &mut Emitter<'_>, finish: bool) {
        let index = emitter.variant.index();
        emitter.thread_loop();
        emitter.text.open(format!("for ({index} u = first; u < a.n; u += step)"));
        let at = self.point(emitter, "u / a.points", "u % a.points");
        self.piece(emitter, &at, false, |_| {});
        self.end(emitter, &at, finish);
        emitter.text.close();
    }

    /// Coordinates, the outer level before the fold, and the ranges of a piece, whose number and parallel point these are where there are
    /// several pieces.
    fn point(&self, emitter: &mut Emitter<'_>, piece: &str, point: &str) -> At {
        let (index, plan) = (emitter.variant.index(), emitter.plan);
        let many = self.fold.pieces == PieceCount::Many;
        let point = if many { point } else { "u" };
        emitter.text.line(format!("const {index} point = {point};"));
        let coordinates = emitter.decompose("point", Unit::Element);
        let lists = [&plan.before, &plan.fold, &plan.deferred, &plan.after];
        let used: Vec<u16> = lists.into_iter().flatten().filter_map(Node::access).collect();
        let at = emitter.kept_place(&coordinates, &used);
        emitter.spilled("point");
        emitter.nodes(&plan.before, &at);
        let mut rest = piece.to_string();
        for k in (0..self.body.order.len()).rev() {
            let extent = Field::Reduced(k as u8).path();
            if many {
                let pieces = Field::Pieces(k as u8).path();
                let of = if k == 0 { rest.clone() } else { format!("({rest}) % {pieces}") };
                let size = Field::Piece(k as u8).path();
                emitter.text.line(format!("const {index} f{k} = ({of}) * {size};"));
                let end = format!("f{k} + {size} < {extent} ? f{k} + {size} : {extent}");
                emitter.text.line(format!("const {index} e{k} = {end};"));
                rest = format!("({rest}) / {pieces}");
            } else {
                emitter.text.line(format!("const {index} f{k} = 0, e{k} = {extent};"));
            }
        }
        at
    }

    /// Lane `l` takes lane `l + w` for `w = lanes / 2, .., 2, 1`.
    pub(crate) fn shuffle(&self, emitter: &mut Emitter<'_>) {
        let lanes = self.lanes;
        emitter.text.line("#pragma unroll");
        emitter.text.open(format!("for (int w = {}; w > 0; w /= 2)", lanes / 2));
        for (number, item) in self.items.iter().enumerate() {
            self.take(emitter, number, item, &format!("t{number}"), lanes);
        }
        emitter.text.close();
    }

    /// Combines an accumulator with that of the thread `w` further, of `threads` that share a leaf.
    pub(crate) fn take(
        &self,
        emitter: &mut Emitter<'_>,
        number: usize,
        item: &Item<'_>,
        name: &str,
        threads: u32,
    ) {
        let down = |part: &str, dtype: RealType| {
            let from = match dtype.size() {
                1 => format!("(int){part}"),
                _ => part.to_string(),
            };
            let ty = c_type(dtype);
            format!("({ty})__shfl_down_sync(0xffffffffu, {from}, w, {threads})")
        };
        let value = down(&item.value(name), item.dtype);
        let other = match item.has_index() {
            true => item.of(&value, &down(&format!("{name}.index"), RealType::INDEX)),
            false => value,
        };
        emitter.text.line(format!("const {} o{number} = {other};", item.ty));
        let later = format!("o{number}");
        let sum = emitter.functions.combine(item.reducer(), item.dtype, name, &later);
        emitter.text.line(format!("{name} = {sum};"));
    }

    /// As [`shuffle`](Self::shuffle), through memory that the block shares; parts come before lanes.
    fn combine_shared(&self, emitter: &mut Emitter<'_>) {
        let keep = |emitter: &mut Emitter<'_>| {
            for (number, item) in self.items.iter().enumerate() {
                let accumulator = format!("t{number}");
                let value = item.value(&accumulator);
                emitter.text.line(format!("h{number}[threadIdx.x] = {value};"));
                if item.has_index() {
                    emitter.text.line(format!("hi{number}[threadIdx.x] = {accumulator}.index;"));
                }
            }
        };
        keep(emitter);
        emitter.text.line("__syncthreads();");
        let half = self.fold.threads() / 2;
        emitter.text.open(format!("for (int w = {half}; w > 0; w /= 2)"));
        emitter.text.open("if (row < w)");
        for (number, item) in self.items.iter().enumerate() {
            let place = "[threadIdx.x + w * columns]";
            let value = from_memory(item.dtype, &format!("h{number}{place}"));
            let right = item.of(&format!("({value})"), &format!("hi{number}{place}"));
            let name = format!("t{number}");
            let sum = emitter.functions.combine(item.reducer(), item.dtype, &name, &right);
            emitter.text.line(format!("{name} = {sum};"));
        }
        keep(emitter);
        emitter.text.close();
        emitter.text.line("__syncthreads();");
        emitter.text.close();
    }

    /// Keeps the value of the piece, or goes on with it as the result.
    pub(crate) fn end(&self, emitter: &mut Emitter<'_>, at: &At, finish: bool) {
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
    /// Values of the outer level that an entry before has left.
    pub fn spilled(&mut self, point: &str) {
        for &value in &self.plan.spilled {
            let place = format!("{}[{point}]", Field::Spill(value).path());
            let expression = from_memory(self.dtype(value), &place);
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
