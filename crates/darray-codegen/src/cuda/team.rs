//! Leaves that are too few for a thread, or a few, each: the threads of a block share them.

use super::fields::{Field, memory_type};
use super::kernel::BLOCK;
use super::leaves::Leaf;
use super::nodes::{At, Emitter, from_memory};
use super::plan::is_store;
use super::points::{Pack, vector_at};
use super::rows::{Load, Move, Share};
use super::variant::LeafCount;
use crate::program::Node;
use darray_core::DType;

/// Threads of a warp.
pub(super) const WARP: u32 = 32;

impl Leaf<'_> {
    /// Folds a leaf by a block: all threads compute elements, in chunks, and the first warp folds them in
    /// their order.
    ///
    /// ```text
    /// leaf       row 0  [lanes][lanes][la.]      columns = 3 groups in a row, the last may be short
    ///            row 1  [lanes][lanes][la.]      groups = 6
    /// chunk      thread 0 .. 255: groups g + slot, g + slot + 8, ..
    /// h0         what is to be folded, group by group, in memory that the block shares
    /// ```
    ///
    /// While the first warp folds a chunk, the others load the next.
    pub(super) fn by_block(&self, emitter: &mut Emitter<'_>, finish: bool) {
        let (index, lanes, width) = (emitter.variant.index(), self.lanes, self.width);
        let chunk = BLOCK * u32::from(self.fold.team);
        for (number, item) in self.items.iter().enumerate() {
            let ty = memory_type(item.dtype);
            emitter.text.line(format!("__shared__ {ty} h{number}[{chunk}];"));
        }
        let threads = lanes / width;
        let by = if width > 1 { format!(" * {width}") } else { String::new() };
        emitter.text.line(format!("const int lane = threadIdx.x % {threads}{by};"));
        emitter.text.line(format!("const int slot = threadIdx.x / {threads};"));
        emitter.text.open(format!("for ({index} u = blockIdx.x; u < a.n; u += gridDim.x)"));
        let (leaf, point) = self.unit("u % a.leaves", "u / a.leaves");
        let at = self.point(emitter, leaf, point);
        let last = self.last();
        let extent = format!("e{last} - f{last}");
        emitter.text.line(format!("const {index} columns = ({extent} + {}) / {lanes};", lanes - 1));
        let rows: String = (0..last).map(|k| format!(" * (e{k} - f{k})")).collect();
        emitter.text.line(format!("const {index} groups = columns{rows};"));
        self.start(emitter);
        let loads = self.loads(emitter);
        for load in loads.iter().filter(|load| load.moves == Move::Still) {
            let value = emitter.load(load.access, &emitter.offset(load.access, &at));
            emitter.define(load.result, &value);
        }
        emitter.text.open(format!("for ({index} g = 0; g < groups; g += {})", chunk / lanes));
        self.fetch(emitter, &at, &loads);
        // The chunk before is folded.
        emitter.text.line("__syncthreads();");
        self.compute(emitter, &at, &loads);
        emitter.text.line("__syncthreads();");
        emitter.text.open(format!("if (threadIdx.x < {WARP})"));
        self.fold_chunk(emitter, chunk / lanes);
        emitter.text.close();
        emitter.text.close();
        emitter.text.open(format!("if (threadIdx.x < {WARP})"));
        self.shuffle(emitter);
        emitter.text.open("if (threadIdx.x == 0)");
        self.end(emitter, &at, finish);
        (0..3).for_each(|_| emitter.text.close());
    }

    /// The leaf and the kept point of a unit, where there are several leaves.
    fn unit<'t>(&self, leaf: &'t str, point: &'t str) -> (&'t str, &'t str) {
        match self.fold.leaves {
            LeafCount::Many => (leaf, point),
            _ => ("0", "u"),
        }
    }

    /// Loads a thread's elements of a chunk.
    fn fetch(&self, emitter: &mut Emitter<'_>, at: &At, loads: &[Load]) {
        let (width, vectors) = (self.width, u32::from(self.fold.team) / self.width);
        for load in loads.iter().filter(|load| load.moves != Move::Still) {
            let ty = memory_type(emitter.access_dtype(load.access));
            let columns = if load.moves == Move::Along { width } else { 1 };
            emitter.text.line(format!("{ty} q{}[{vectors}][{columns}];", load.access));
        }
        emitter.text.line("#pragma unroll");
        emitter.text.open(format!("for (int e = 0; e < {vectors}; ++e)"));
        let there = self.element_place(emitter, at);
        let last = self.last();
        for load in loads.iter().filter(|load| load.moves != Move::Still) {
            let access = load.access;
            let base = emitter.offset(access, &there);
            let plain = |emitter: &Emitter<'_>, o: u32| {
                let offset = if o == 0 { base.clone() } else { format!("{base} + {o}") };
                emitter.stored(access, &offset)
            };
            let only = plain(emitter, 0);
            if width == 1 || load.moves == Move::Rows {
                emitter.text.line(format!("q{access}[e][0] = inside ? {only} : 0;"));
                continue;
            }
            let pack = Pack::of(emitter.access_dtype(access), width as u8);
            let vector = vector_at(emitter, access, &base, &pack);
            emitter.text.open(format!("if (i{last} + {} < e{last} && inside)", width - 1));
            emitter.text.line(format!("const {} x{access} = {vector};", pack.ty));
            for (o, part) in "xyzw".chars().take(width as usize).enumerate() {
                emitter.text.line(format!("q{access}[e][{o}] = x{access}.{part};"));
            }
            emitter.text.otherwise();
            for o in 0..width {
                let value = plain(emitter, o);
                let inside = format!("i{last} + {o} < e{last} && inside");
                emitter.text.line(format!("q{access}[e][{o}] = {inside} ? {value} : 0;"));
            }
            emitter.text.close();
        }
        emitter.text.close();
    }

    /// Where element `e` of a thread is: its coordinates, whether the leaf has it, and its offsets.
    fn element_place(&self, emitter: &mut Emitter<'_>, at: &At) -> At {
        let (index, last, lanes) = (emitter.variant.index(), self.last(), self.lanes);
        let apart = BLOCK * self.width / lanes;
        emitter.text.line(format!("const {index} group = g + slot + e * {apart};"));
        self.group_place(emitter, "group", "lane");
        emitter.text.line(format!("const bool inside = group < groups && i{last} < e{last};"));
        let mut there = at.clone();
        let loops = emitter.variant.loops.len();
        let coordinates: Vec<(usize, String)> =
            (0..=last).map(|k| (loops + k, format!("i{k}"))).collect();
        self.move_by(emitter, &mut there, &coordinates, "j");
        there
    }

    /// `i0, i1, ..`: the coordinates of a lane in a group.
    fn group_place(&self, emitter: &mut Emitter<'_>, group: &str, lane: &str) {
        let (index, last, lanes) = (emitter.variant.index(), self.last(), self.lanes);
        let column = match last {
            0 => group.to_string(),
            _ => format!("({group} % columns)"),
        };
        emitter
            .text
            .line(format!("const {index} i{last} = f{last} + {column} * {lanes} + {lane};"));
        let mut rest = format!("({group} / columns)");
        for k in (0..last).rev() {
            let here = match k {
                0 => rest.clone(),
                _ => format!("{rest} % (e{k} - f{k})"),
            };
            emitter.text.line(format!("const {index} i{k} = f{k} + {here};"));
            rest = format!("({rest} / (e{k} - f{k}))");
        }
    }

    /// Computes a thread's elements of a chunk and leaves them where the block finds them.
    fn compute(&self, emitter: &mut Emitter<'_>, at: &At, loads: &[Load]) {
        let (plan, width, lanes) = (emitter.plan, self.width, self.lanes);
        let vectors = u32::from(self.fold.team) / width;
        let stores = plan.fold.iter().any(is_store);
        let indexed = plan.fold.iter().any(|node| matches!(node, Node::Index { .. }));
        emitter.text.line("#pragma unroll");
        emitter.text.open(format!("for (int e = 0; e < {vectors}; ++e)"));
        let mut there = at.clone();
        if stores || indexed {
            there = self.element_place(emitter, at);
        }
        if width > 1 {
            emitter.text.line("#pragma unroll");
            emitter.text.open(format!("for (int o = 0; o < {width}; ++o)"));
        }
        let o = if width > 1 { "o" } else { "0" };
        for load in loads.iter().filter(|load| load.moves != Move::Still) {
            let column = if load.moves == Move::Along { o } else { "0" };
            let place = format!("q{}[e][{column}]", load.access);
            let value = from_memory(emitter.access_dtype(load.access), &place);
            emitter.define(load.result, &value);
        }
        let last = format!("i{}{}", self.last(), if width > 1 { " + o" } else { "" });
        self.set_indices(&mut there, &self.indices(&last));
        for node in plan.fold.iter().filter(|node| !matches!(node, Node::Load { .. })) {
            if let Node::Store { access, value, mask } = node {
                let element = emitter.element(*access, &emitter.offset(*access, &there));
                let mask = mask.map_or(String::new(), |m| format!(" && {}", emitter.value(m)));
                let value = emitter.value(*value);
                emitter.text.line(format!("if (inside{mask}) {element} = {value};"));
            } else {
                let (result, value) = emitter.computed(node, &there);
                emitter.define(result, &value);
            }
        }
        let apart = BLOCK * width / lanes;
        for (number, item) in self.items.iter().enumerate() {
            let value = emitter.value(item.item.value);
            let place = format!("h{number}[(slot + e * {apart}) * {lanes} + lane + {o}]");
            emitter.text.line(format!("{place} = {value};"));
        }
        if width > 1 {
            emitter.text.close();
        }
        emitter.text.close();
    }

    /// Folds the groups of a chunk, a lane per thread.
    fn fold_chunk(&self, emitter: &mut Emitter<'_>, most: u32) {
        let (index, last, lanes) = (emitter.variant.index(), self.last(), self.lanes);
        let indexed = self.items.iter().any(|item| item.has_index());
        emitter.text.line(format!("const int here = threadIdx.x % {lanes};"));
        let whole = format!("g + {most} <= groups && (e{last} - f{last}) % {lanes} == 0");
        if !indexed {
            emitter.text.open(format!("if ({whole})"));
            emitter.text.line("#pragma unroll 16");
            emitter.text.open(format!("for (int s = 0; s < {most}; ++s)"));
            self.fold_group(emitter);
            emitter.text.close();
            emitter.text.otherwise();
        }
        emitter.text.line(format!("const int some = groups - g < {most} ? groups - g : {most};"));
        if !indexed {
            emitter.text.line(format!("{index} column = g % columns;"));
        }
        emitter.text.line("#pragma unroll 4");
        emitter.text.open("for (int s = 0; s < some; ++s)");
        if indexed {
            emitter.text.line(format!("const {index} group = g + s;"));
            self.group_place(emitter, "group", "here");
            emitter.text.open(format!("if (i{last} < e{last})"));
        } else {
            emitter.text.open(format!("if (f{last} + column * {lanes} + here < e{last})"));
        }
        self.fold_group(emitter);
        emitter.text.close();
        if !indexed {
            emitter.text.line("if (++column == columns) column = 0;");
            emitter.text.close();
        }
        emitter.text.close();
    }

    /// Accumulates a lane's element of group `s` of a chunk.
    fn fold_group(&self, emitter: &mut Emitter<'_>) {
        let position = self.position(&self.indices(&format!("i{}", self.last())));
        for (number, item) in self.items.iter().enumerate() {
            let place = format!("h{number}[s * {} + here]", self.lanes);
            let value = from_memory(item.dtype, &place);
            self.fold_value(emitter, number, &value, &position, "");
        }
    }

    /// Folds the lanes of some kept points by a block, a lane of a point per thread.
    ///
    /// ```text
    /// threads 0 .. 7      points 0 .. 7    lane 0      h0[lane][point]
    /// threads 8 .. 15     points 0 .. 7    lane 1
    /// ```
    pub(super) fn by_shared_lanes(&self, emitter: &mut Emitter<'_>, finish: bool) {
        let (index, points) = (emitter.variant.index(), u32::from(self.fold.team));
        for (number, item) in self.items.iter().enumerate() {
            let ty = memory_type(item.dtype);
            emitter.text.line(format!("__shared__ {ty} h{number}[{BLOCK}];"));
            if item.has_index() {
                emitter.text.line(format!("__shared__ long long hi{number}[{BLOCK}];"));
            }
        }
        emitter.text.line(format!("const int column = threadIdx.x % {points};"));
        emitter.text.line(format!("const int lane = threadIdx.x / {points};"));
        let first = format!("({index})blockIdx.x * {points}");
        emitter.text.open(format!("for ({index} b = {first}; b < a.n; b += gridDim.x * {points})"));
        emitter.text.line("const bool active = b + column < a.n;");
        emitter.text.line(format!("const {index} u = active ? b + column : a.n - 1;"));
        let (leaf, point) = self.unit("u / a.points", "u % a.points");
        let at = self.point(emitter, leaf, point);
        self.start(emitter);
        self.rows(emitter, &at, Share::Lane { idle: true });
        for (number, item) in self.items.iter().enumerate() {
            let accumulator = format!("t{number}");
            emitter.text.line(format!("h{number}[threadIdx.x] = {};", item.value(&accumulator)));
            if item.has_index() {
                emitter.text.line(format!("hi{number}[threadIdx.x] = {accumulator}.index;"));
            }
        }
        emitter.text.line("__syncthreads();");
        self.combine_shared(emitter, points);
        emitter.text.open("if (lane == 0 && active)");
        self.end(emitter, &at, finish);
        emitter.text.close();
        emitter.text.close();
    }

    /// Lane `l` takes lane `l + w` for `w = lanes / 2, .., 2, 1`, for every point of the block; threads of
    /// lane 0 have the values then.
    fn combine_shared(&self, emitter: &mut Emitter<'_>, points: u32) {
        emitter.text.open(format!("for (int w = {}; w > 0; w /= 2)", self.lanes / 2));
        emitter.text.open("if (lane < w)");
        let right = format!("threadIdx.x + w * {points}");
        for (number, item) in self.items.iter().enumerate() {
            let right = self.shared(number, item.dtype, &right);
            let name = format!("t{number}");
            let sum = emitter.functions.combine(item.reducer(), item.dtype, &name, &right);
            emitter.text.line(format!("{name} = {sum};"));
            emitter.text.line(format!("h{number}[threadIdx.x] = {};", item.value(&name)));
            if item.has_index() {
                emitter.text.line(format!("hi{number}[threadIdx.x] = {name}.index;"));
            }
        }
        emitter.text.close();
        emitter.text.line("__syncthreads();");
        emitter.text.close();
    }

    /// An accumulator in the memory that a block shares.
    fn shared(&self, number: usize, dtype: DType, place: &str) -> String {
        let value = from_memory(dtype, &format!("h{number}[{place}]"));
        self.items[number].of(&format!("({value})"), &format!("hi{number}[{place}]"))
    }

    /// Row-major position of an element over the global reduced axes.
    pub(super) fn position(&self, indices: &[String]) -> String {
        let mut position = Field::Position.path();
        for (k, index) in indices.iter().enumerate() {
            let step = Field::PositionStep(k as u8).path();
            let times = if k == self.last() { String::new() } else { format!(" * {step}") };
            position += &format!(" + {index}{times}");
        }
        position
    }

    /// Folds a value into the accumulator of an item; `lane` names one of those of a thread that owns
    /// several.
    pub(super) fn fold_value(
        &self,
        emitter: &mut Emitter<'_>,
        number: usize,
        value: &str,
        position: &str,
        lane: &str,
    ) {
        let item = &self.items[number];
        let value = item.of(value, position);
        let name = if lane.is_empty() { format!("t{number}") } else { format!("s{number}{lane}") };
        let sum = emitter.functions.combine(item.reducer(), item.dtype, &name, &value);
        emitter.text.line(format!("{name} = {sum};"));
    }
}
