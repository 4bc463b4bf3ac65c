//! Entries that combine the values of pieces of a fold.

use super::leaves::{Item, items};
use super::nodes::{At, Emitter, Unit, from_memory};
use crate::cuda::binding::folds::arrays;
use crate::cuda::plan::fields::Field;
use crate::cuda::plan::variant::{Combiner, FoldVariant, PieceCount, WARP};
use crate::program::{FoldBody, Node};

/// Combines the pieces of every parallel point, level by level of the tree and in place, innermost
/// reduced axis first; then does what comes after the fold.
///
/// ```text
/// w  0   1   2   3   4   .      size 1: pairs (0 1) (2 3)
///    01      23      4          size 2: pair (01 23)
///    0123            4          size 4: pair (0123 4)
/// ```
///
/// A pair combines when both sides lie in the tile, so what is left are the tile's subtrees: the
/// slots. A [`Combiner`] works on a parallel point.
pub(crate) fn combine_body(emitter: &mut Emitter<'_>) {
    let (nest, plan, index) = (emitter.nest, emitter.plan, emitter.variant.index());
    let body = nest.fold.as_ref().expect("an entry of a fold");
    let fold = emitter.variant.fold.as_ref().expect("an entry of a fold");
    let combine = Combine { body, fold, items: items(emitter, body) };
    match fold.combiner {
        Combiner::Thread => {
            emitter.thread_loop();
            emitter.text.open(format!("for ({index} point = first; point < a.n; point += step)"));
        }
        Combiner::Warp => {
            let (warp, warps) = (format!("threadIdx.x / {WARP}"), fold.combiner.points());
            emitter.text.open(format!(
                "for ({index} point = ({index})blockIdx.x * {warps} + {warp}; point < a.n;\n        \
                 point += ({index})gridDim.x * {warps})"
            ));
        }
        Combiner::Block => {
            let loops =
                format!("for ({index} point = blockIdx.x; point < a.n; point += gridDim.x)");
            emitter.text.open(loops);
        }
    }
    let coordinates = emitter.decompose("point", Unit::Element);
    let lists = [&plan.before, &plan.deferred, &plan.after];
    let used: Vec<u16> = lists.into_iter().flatten().filter_map(Node::access).collect();
    let at = emitter.kept_place(&coordinates, &used);
    if fold.pieces == PieceCount::Many {
        combine.levels(emitter);
        combine.yields(emitter, &at);
    }
    if fold.combiner != Combiner::Thread {
        emitter.text.open(format!("if ({} == 0)", combine.share().0));
    }
    combine.after(emitter, &at);
    if fold.combiner != Combiner::Thread {
        emitter.text.close();
    }
    if fold.shared {
        // The next point's values take the place of these.
        combine.wait(emitter);
    }
    emitter.text.close();
}

struct Combine<'n> {
    body: &'n FoldBody,
    fold: &'n FoldVariant,
    items: Vec<Item<'n>>,
}

impl Combine<'_> {
    /// The first of the indices that a thread takes, and how many there are of it.
    fn share(&self) -> (String, u32) {
        let first = match self.fold.combiner {
            Combiner::Thread => "0".to_string(),
            Combiner::Warp => format!("threadIdx.x % {WARP}"),
            Combiner::Block => "threadIdx.x".to_string(),
        };
        (first, self.fold.combiner.threads())
    }

    /// The threads of a point wait for each other.
    fn wait(&self, emitter: &mut Emitter<'_>) {
        match self.fold.combiner {
            Combiner::Thread => {}
            Combiner::Warp => emitter.text.line("__syncwarp();"),
            Combiner::Block => emitter.text.line("__syncthreads();"),
        }
    }

    fn levels(&self, emitter: &mut Emitter<'_>) {
        let index = emitter.variant.index();
        if self.fold.shared {
            self.gather(emitter);
        }
        for (number, item) in self.items.iter().enumerate().filter(|_| !self.fold.shared) {
            let values = Field::Value(number as u16).path();
            let (ty, step) =
                (crate::cuda::plan::fields::memory_type(item.dtype), Field::PointStep.path());
            emitter.text.line(format!("{ty} *const w{number} = {values} + point * {step};"));
            if item.has_index() {
                let indices = Field::Index(number as u16).path();
                emitter
                    .text
                    .line(format!("long long *const i{number} = {indices} + point * {step};"));
            }
        }
        emitter.text.line(format!("{index} outer = a.pieces, inner = 1;"));
        for k in (self.fold.split as usize..self.body.order.len()).rev() {
            self.axis(emitter, k as u8);
        }
    }

    /// Copies the values of pieces of a point to the memory that its block shares.
    fn gather(&self, emitter: &mut Emitter<'_>) {
        let index = emitter.variant.index();
        let (start, by) = self.share();
        let mut copies = Vec::new();
        let mut array = 0;
        emitter.text.line("extern __shared__ unsigned long long shared[];");
        let arrays = arrays(self.body);
        let own = match self.fold.combiner {
            Combiner::Warp => format!(" + threadIdx.x / {WARP} * {arrays} * a.pieces"),
            _ => String::new(),
        };
        emitter.text.line(format!("unsigned long long *const space = shared{own};"));
        let mut place = |emitter: &mut Emitter<'_>, ty: &str, name: String, from: String| {
            let skip = if array == 0 { String::new() } else { format!(" + {array} * a.pieces") };
            emitter.text.line(format!("{ty} *const {name} = ({ty} *)(space{skip});"));
            copies.push(format!("{name}[p] = {from}[from];"));
            array += 1;
        };
        for (number, item) in self.items.iter().enumerate() {
            let ty = crate::cuda::plan::fields::memory_type(item.dtype);
            place(emitter, ty, format!("w{number}"), Field::Value(number as u16).path());
            if item.has_index() {
                let from = Field::Index(number as u16).path();
                place(emitter, "long long", format!("i{number}"), from);
            }
        }
        emitter.text.open(format!("for ({index} p = {start}; p < a.pieces; p += {by})"));
        let [point, leaf] = [Field::PointStep, Field::PieceStep].map(Field::path);
        emitter.text.line(format!("const {index} from = point * {point} + p * {leaf};"));
        copies.iter().for_each(|copy| emitter.text.line(copy));
        emitter.text.close();
        self.wait(emitter);
    }

    /// From one value to the next, as a factor.
    fn step(&self) -> String {
        let step = Field::PieceStep.path();
        if self.fold.shared { String::new() } else { format!(" * {step}") }
    }

    /// The levels of one axis; `inner` pieces of the axes inside it are one by then, `outer` counts
    /// those of the axes outside.
    fn axis(&self, emitter: &mut Emitter<'_>, k: u8) {
        let index = emitter.variant.index();
        let [pieces, first, whole] = [Field::Pieces(k), Field::First(k), Field::Whole(k)];
        let [pieces, first, whole] = [pieces, first, whole].map(Field::path);
        let (start, by) = self.share();
        emitter.text.line(format!("outer /= {pieces};"));
        emitter.text.open(format!("for ({index} size = 1; size < {pieces}; size *= 2)"));
        emitter.text.line(format!("const {index} low = {first} / (2 * size);"));
        emitter.text.line(format!(
            "const {index} pairs = ({first} + {pieces} - 1) / (2 * size) - low + 1;"
        ));
        emitter.text.open(format!("for ({index} p = {start}; p < outer * pairs; p += {by})"));
        // There is nothing outside the first axis.
        let (column, row) = match k {
            0 => ("p", format!("-{first}")),
            _ => ("p % pairs", format!("p / pairs * {pieces} - {first}")),
        };
        emitter.text.line(format!("const {index} left = (low + {column}) * 2 * size;"));
        emitter.text.line(format!("const {index} right = left + size, end = right + size;"));
        emitter.text.line(format!(
            "const bool inside = left >= {first} && right < {whole}\n            && \
             (end < {whole} ? end : {whole}) <= {first} + {pieces};"
        ));
        emitter.text.line("if (!inside) continue;");
        emitter.text.line(format!("const {index} row = {row};"));
        emitter.text.line(format!(
            "const {index} l = (row + left) * inner{0}, r = (row + right) * inner{0};",
            self.step()
        ));
        for (number, item) in self.items.iter().enumerate() {
            let at = |place: &str| {
                let value = from_memory(item.dtype, &format!("w{number}[{place}]"));
                item.of(&format!("({value})"), &format!("i{number}[{place}]"))
            };
            let (a, b) = (at("l"), at("r"));
            let sum = emitter.functions.combine(item.reducer(), item.dtype, &a, &b);
            emitter.text.line(format!("const {} t{number} = {sum};", item.ty));
            let value = item.value(&format!("t{number}"));
            emitter.text.line(format!("w{number}[l] = {value};"));
            if item.has_index() {
                emitter.text.line(format!("i{number}[l] = t{number}.index;"));
            }
        }
        emitter.text.close();
        self.wait(emitter);
        emitter.text.close();
        emitter.text.line(format!("inner *= {pieces};"));
    }

    /// Stores the subtrees: slots are row-major over the pieces of the axes before the one that the
    /// tile has a part of, then that axis' subtrees in order.
    fn yields(&self, emitter: &mut Emitter<'_>, at: &At) {
        let (plan, index) = (emitter.plan, emitter.variant.index());
        if !plan.after.iter().any(|node| matches!(node, Node::Yield { .. })) {
            return;
        }
        let k = self.fold.split;
        let [pieces, first, whole] = [Field::Pieces(k), Field::First(k), Field::Whole(k)];
        let [pieces, first, whole] = [pieces, first, whole].map(Field::path);
        let (start, by) = self.share();
        emitter.text.line(format!("{index} slots = 0, slot = 0;"));
        let next = |emitter: &mut Emitter<'_>| {
            emitter.text.line(format!("{index} size = 1;"));
            emitter.text.open(format!(
                "while (!(s == 0 && size >= {whole}) && s % (2 * size) == 0\n            && (s + 2 \
                 * size < {whole} ? s + 2 * size : {whole}) <= {first} + {pieces})"
            ));
            emitter.text.line("size *= 2;");
            emitter.text.close();
        };
        let subtrees = format!("for ({index} s = {first}; s < {first} + {pieces}; ++slots)");
        emitter.text.open(&subtrees);
        next(emitter);
        emitter.text.line("s += size;");
        emitter.text.close();
        emitter.text.open(subtrees.replace("++slots", "++slot"));
        next(emitter);
        emitter.text.open(format!("for ({index} row = {start}; row < outer; row += {by})"));
        emitter.text.line(format!(
            "const {index} l = (row * {pieces} + s - {first}) * inner / {pieces}{};",
            self.step()
        ));
        for node in &plan.after {
            let Node::Yield { access, item, index: of_index } = node else { continue };
            let Some(position) = emitter.position(*access) else { continue };
            let kept = &at.offsets[position];
            let plus = if kept.is_empty() { "" } else { " + " };
            let slot = Field::Slot(position as u16).path();
            let offset = format!("{kept}{plus}(row * slots + slot) * {slot}");
            let element = emitter.element(*access, &offset);
            let from = if *of_index { 'i' } else { 'w' };
            emitter.text.line(format!("{element} = {from}{item}[l];"));
        }
        emitter.text.close();
        emitter.text.line("s += size;");
        emitter.text.close();
    }

    fn after(&self, emitter: &mut Emitter<'_>, at: &At) {
        let plan = emitter.plan;
        emitter.spilled("point");
        emitter.nodes(&plan.before, at);
        if self.fold.pieces == PieceCount::Many {
            for (number, item) in self.items.iter().enumerate() {
                let place = format!("w{number}[0]");
                emitter.define(item.item.result, &from_memory(item.dtype, &place));
                if let Some(result) = item.item.index {
                    emitter.define(result, &format!("i{number}[0]"));
                }
            }
        }
        emitter.nodes(&plan.deferred, at);
        for node in plan.after.iter().filter(|node| !matches!(node, Node::Yield { .. })) {
            emitter.nodes(std::slice::from_ref(node), at);
        }
        if self.fold.pieces == PieceCount::Many {
            emitter.results();
        }
    }
}
