//! Leaves whose threads own several neighbouring lanes each, and load their elements as one vector.

use super::fields::memory_type;
use super::leaves::Leaf;
use super::nodes::{At, Emitter, from_memory};
use super::points::{Pack, vector_at};
use super::rows::{Load, Move, Share, TAIL};
use crate::program::Node;

/// Registers of 32 bits that hold what a thread has on its way.
const REGISTERS: u32 = 128;

impl Leaf<'_> {
    /// Folds a leaf by threads that own [`Leaf::width`] lanes each, and combines its lanes.
    ///
    /// ```text
    /// float s0[4] = {-0.0f, -0.0f, -0.0f, -0.0f};        lanes `lane` to `lane + 3`
    /// for (; i0 + 480 + 3 < e0; i0 += 512) ..            16 vectors loaded, then added
    /// for (; i0 + 3 < e0; i0 += 256) ..                  what is left of them
    /// if ((p0 - f0) % 32 == lane) ..                     elements of the last, not whole, vector
    /// for (int w = 4; w > 0; w /= 2) ..                  lane l with lane l + 4 * w
    /// s0[0] = s0[0] + s0[2], s0[1] = ..                  lane l with lanes l + 2, l + 1
    /// ```
    pub(super) fn wide(&self, emitter: &mut Emitter<'_>, at: &At, share: Share) {
        for (number, item) in self.items.iter().enumerate() {
            let start = vec![item.start(self.fold.empty); self.width as usize].join(", ");
            emitter.text.line(format!("{} s{number}[{}] = {{{start}}};", item.ty, self.width));
        }
        let end = self.row_end(emitter, share);
        let at = self.open_rows(emitter, at);
        self.vectors(emitter, &at, &end);
        self.close_rows(emitter);
        self.combine_owned(emitter);
    }

    fn vectors(&self, emitter: &mut Emitter<'_>, at: &At, end: &str) {
        let (index, last) = (emitter.variant.index(), self.last());
        let (width, lanes) = (self.width, self.lanes);
        let loads = self.loads(emitter);
        let vector: u32 = loads
            .iter()
            .filter(|load| load.moves == Move::Along)
            .map(|load| (width * emitter.access_dtype(load.access).size() as u32).div_ceil(4))
            .sum();
        let ahead = self.ahead(emitter, last).min(REGISTERS / vector.max(1)).max(1);
        emitter.text.line(format!("{index} i{last} = f{last} + lane;"));
        let reach = |count: u32| (count - 1) * lanes + width - 1;
        if ahead > 1 {
            let (reach, all) = (reach(ahead), ahead * lanes);
            emitter.text.open(format!("for (; i{last} + {reach} < {end}; i{last} += {all})"));
            self.whole(emitter, at, &loads, ahead, None);
            emitter.text.close();
        }
        let tail = ahead.min(TAIL);
        let guard = format!("i{last} + e * {lanes} + {} < {end}", width - 1);
        let all = tail * lanes;
        emitter.text.open(format!("for (; i{last} + {} < {end}; i{last} += {all})", width - 1));
        self.whole(emitter, at, &loads, tail, Some(&guard));
        emitter.text.close();
        self.broken(emitter, at, end);
    }

    /// Several whole vectors: all loads, then the operations of each element.
    fn whole(
        &self,
        emitter: &mut Emitter<'_>,
        at: &At,
        loads: &[Load],
        count: u32,
        guard: Option<&str>,
    ) {
        let (last, width, lanes) = (self.last(), self.width, self.lanes);
        for load in loads {
            if load.moves == Move::Along {
                let ty = memory_type(emitter.access_dtype(load.access));
                emitter.text.line(format!("{ty} q{}[{count}][{width}];", load.access));
            } else {
                let offset = emitter.offset(load.access, at);
                let value = emitter.load(load.access, &offset);
                emitter.define(load.result, &value);
            }
        }
        let condition = |emitter: &mut Emitter<'_>| {
            if let Some(guard) = guard {
                emitter.text.open(format!("if ({guard})"));
            }
        };
        emitter.text.line("#pragma unroll");
        emitter.text.open(format!("for (int e = 0; e < {count}; ++e)"));
        condition(emitter);
        let mut there = at.clone();
        let coordinate = (emitter.variant.loops.len() + last, format!("(i{last} + e * {lanes})"));
        self.move_by(emitter, &mut there, &[coordinate], "j");
        for load in loads.iter().filter(|load| load.moves == Move::Along) {
            let access = load.access;
            let pack = Pack::of(emitter.access_dtype(access), width as u8);
            let value = vector_at(emitter, access, &emitter.offset(access, &there), &pack);
            emitter.text.line(format!("const {} x{access} = {value};", pack.ty));
            for (w, part) in "xyzw".chars().take(width as usize).enumerate() {
                emitter.text.line(format!("q{access}[e][{w}] = x{access}.{part};"));
            }
        }
        if guard.is_some() {
            emitter.text.close();
        }
        emitter.text.close();
        emitter.text.line("#pragma unroll");
        emitter.text.open(format!("for (int e = 0; e < {count}; ++e)"));
        condition(emitter);
        emitter.text.line("#pragma unroll");
        emitter.text.open(format!("for (int o = 0; o < {width}; ++o)"));
        for load in loads.iter().filter(|load| load.moves == Move::Along) {
            let dtype = emitter.access_dtype(load.access);
            emitter.define(load.result, &from_memory(dtype, &format!("q{}[e][o]", load.access)));
        }
        let indices = self.indices(&format!("i{last} + e * {lanes} + o"));
        self.set_indices(&mut there, &indices);
        let rest = &emitter.plan.fold;
        for node in rest.iter().filter(|node| !matches!(node, Node::Load { .. })) {
            let (result, value) = emitter.computed(node, &there);
            emitter.define(result, &value);
        }
        self.accumulate(emitter, &indices, "[o]");
        emitter.text.close();
        if guard.is_some() {
            emitter.text.close();
        }
        emitter.text.close();
    }

    /// The elements of a row after its last whole vector: one thread's, the last of their lanes.
    fn broken(&self, emitter: &mut Emitter<'_>, at: &At, end: &str) {
        let (index, last) = (emitter.variant.index(), self.last());
        let (width, lanes) = (self.width, self.lanes);
        let place = format!("f{last} + ({end} - f{last}) / {width} * {width}");
        emitter.text.line(format!("const {index} p{last} = {place};"));
        emitter.text.open(format!("if ((p{last} - f{last}) % {lanes} == lane)"));
        emitter.text.line("#pragma unroll");
        emitter.text.open(format!("for (int o = 0; o < {}; ++o)", width - 1));
        emitter.text.open(format!("if (p{last} + o < {end})"));
        self.element(emitter, at, &format!("(p{last} + o)"), "[o]");
        (0..3).for_each(|_| emitter.text.close());
    }

    /// Combines the lanes of a leaf, between threads and then in each; `t0`, `t1`, .. of its first thread
    /// are the values.
    fn combine_owned(&self, emitter: &mut Emitter<'_>) {
        let (width, threads) = (self.width, self.lanes / self.width);
        if threads > 1 {
            emitter.text.line("#pragma unroll");
            emitter.text.open(format!("for (int w = {}; w > 0; w /= 2)", threads / 2));
            emitter.text.line("#pragma unroll");
            emitter.text.open(format!("for (int o = 0; o < {width}; ++o)"));
            for (number, item) in self.items.iter().enumerate() {
                self.take(emitter, number, item, &format!("s{number}[o]"), threads);
            }
            emitter.text.close();
            emitter.text.close();
        }
        for (number, item) in self.items.iter().enumerate() {
            let mut half = width / 2;
            while half > 0 {
                for o in 0..half {
                    let (left, right) = (format!("s{number}[{o}]"), o + half);
                    let right = format!("s{number}[{right}]");
                    let sum = emitter.functions.combine(item.reducer(), item.dtype, &left, &right);
                    emitter.text.line(format!("{left} = {sum};"));
                }
                half /= 2;
            }
            emitter.text.line(format!("const {} t{number} = s{number}[0];", item.ty));
        }
    }
}
