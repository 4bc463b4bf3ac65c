//! The leaves of a piece, and the rounds of a leaf.

use super::leaves::Leaf;
use super::nodes::{At, Emitter};
use super::pairs::Pairs;
use crate::cuda::binding::folds::MOST_LEVELS;
use crate::cuda::language::literal::c_type;
use crate::cuda::plan::fields::Field;
use crate::layout::StrideClass;
use crate::program::Node;

impl Leaf<'_> {
    /// Folds a piece: `t0`, `t1`, .. are its values then, where lanes combine in their first thread. `lanes` combines those of a
    /// leaf. All threads of the block go through as many leaves. `idle`: some may have nothing to fold.
    pub fn piece(
        &self,
        emitter: &mut Emitter<'_>,
        at: &At,
        idle: bool,
        lanes: impl FnOnce(&mut Emitter<'_>),
    ) {
        if self.fold.empty {
            return self.start(emitter);
        }
        let index = emitter.variant.index();
        let several: Vec<usize> =
            (0..self.body.order.len()).filter(|&k| self.has_several(k)).collect();
        let pairs: Vec<Pairs> = several
            .iter()
            .map(|k| Pairs { prefix: "p", axis: k.to_string(), levels: MOST_LEVELS })
            .collect();
        for (&k, pairs) in several.iter().zip(&pairs) {
            let [leaf, inside] = [Field::Leaf(k as u8), Field::Inside(k as u8)].map(Field::path);
            self.declare(emitter, pairs);
            emitter.text.line("#pragma unroll 1");
            emitter.text.open(format!("for (int n{k} = 0; n{k} < {inside}; ++n{k})"));
            emitter.text.line(format!("const {index} b{k} = f{k} + n{k} * {leaf};"));
            emitter.text.line(format!(
                "const int s{k} = b{k} >= e{k} ? 0 : e{k} - b{k} < {leaf} ? e{k} - b{k} : {leaf};"
            ));
            // A leaf that the piece lacks has no elements, but a place in memory.
            emitter.text.line(format!("const {index} g{k} = s{k} > 0 ? b{k} : e{k} - 1;"));
        }
        self.leaf(emitter, at, idle);
        if self.fold.threads() > 1 {
            lanes(emitter);
        }
        for (&k, pairs) in several.iter().zip(&pairs).rev() {
            self.push(emitter, pairs, &format!("n{k}"));
            emitter.text.close();
            self.pop(emitter, pairs, &Field::Inside(k as u8).path());
        }
    }

    /// Whether a piece has several leaves along a reduced axis.
    fn has_several(&self, k: usize) -> bool {
        self.fold.several >> k & 1 != 0
    }

    /// Where a leaf begins along a reduced axis.
    fn begin(&self, k: usize) -> String {
        format!("{}{k}", if self.has_several(k) { 'g' } else { 'f' })
    }

    /// Folds a thread's lane of a leaf.
    ///
    /// ```text
    /// const int count = s0;                                          elements
    /// for (int base = 0; base < count; base += 256) {                8 rounds of 32 lanes
    ///     for (int e = 0; e < 8; ++e) q0[e] = ..                     their loads
    ///     for (int e = 0; e < 8; ++e) x0[e] = ..                     their values
    ///     for (int e = 0; e < 8; e += 2) x0[e] = x0[e] + x0[e + 1];  pairs, and pairs of them
    ///     ..
    /// ```
    fn leaf(&self, emitter: &mut Emitter<'_>, at: &At, idle: bool) {
        let (axes, boxed) = (self.body.order.len(), self.fold.boxed as usize);
        let counted = (0..axes).filter(|&k| k >= boxed || self.has_several(k));
        let mut count = String::new();
        for k in counted {
            if !self.has_several(k) {
                emitter.text.line(format!("const int s{k} = e{k} - f{k};"));
            }
            if k > boxed {
                emitter.text.line(format!("const unsigned m{k} = 0x80000000u / s{k} + 1;"));
            }
            count += &format!("{}s{k}", if count.is_empty() { "" } else { " * " });
        }
        let count = if count.is_empty() { "1".to_string() } else { count };
        let count = if idle { format!("active ? {count} : 0") } else { count };
        emitter.text.line(format!("const int count = {count};"));
        let loops = emitter.variant.loops.len();
        let outer: Vec<(usize, String)> =
            (0..boxed.min(axes)).map(|k| (loops + k, self.begin(k))).collect();
        let mut at = at.clone();
        self.move_by(emitter, &mut at, &outer, "l");
        let (rounds, levels) = (u32::from(self.fold.rounds), u32::from(self.fold.levels));
        let at_once = rounds * self.lanes;
        let sum = |terms: &[(bool, &str)]| {
            let terms: Vec<&str> = terms.iter().filter(|(is, _)| *is).map(|(_, t)| *t).collect();
            if terms.is_empty() { "0".to_string() } else { terms.join(" + ") }
        };
        let (begin, lane) = ((self.fold.parts > 1, "begin"), (self.lanes > 1, "lane"));
        if levels == 0 {
            self.rounds(emitter, &at, &sum(&[begin, lane]));
            return;
        }
        let pairs = Pairs { prefix: "r", axis: String::new(), levels };
        self.declare(emitter, &pairs);
        let mine = if begin.0 { "mine" } else { "count" };
        if begin.0 {
            let most = at_once << levels;
            emitter.text.line("const int rest = count < begin ? 0 : count - begin;");
            emitter.text.line(format!("const int mine = rest < {most} ? rest : {most};"));
        }
        emitter.text.line("#pragma unroll 1");
        emitter.text.open(format!("for (int base = 0; base < {mine}; base += {at_once})"));
        self.rounds(emitter, &at, &sum(&[begin, (true, "base"), lane]));
        self.push(emitter, &pairs, &format!("(base / {at_once})"));
        emitter.text.close();
        self.pop(emitter, &pairs, &format!("(({mine} + {}) / {at_once})", at_once - 1));
    }

    /// Folds as many rounds as are folded at once into `t0`, `t1`, ..; `first` is the thread's first element.
    fn rounds(&self, emitter: &mut Emitter<'_>, at: &At, first: &str) {
        if self.fold.rounds == 1 {
            return self.one_round(emitter, at, first);
        }
        let (plan, rounds) = (emitter.plan, self.fold.rounds);
        let mut moving = Vec::new();
        for node in &plan.fold {
            let Node::Load { access, result } = node else { continue };
            if self.moves(emitter, *access) {
                let ty = c_type(emitter.dtype(*result));
                emitter.text.line(format!("{ty} q{access}[{rounds}];"));
                moving.push((*access, *result));
            } else {
                let value = emitter.load(*access, &emitter.offset(*access, at));
                emitter.define(*result, &value);
            }
        }
        for (number, item) in self.items.iter().enumerate() {
            emitter.text.line(format!("{} x{number}[{rounds}];", item.ty));
        }
        self.each_round(emitter, 1);
        let (there, _) = self.element(emitter, at, first);
        for (access, _) in &moving {
            let value = emitter.load(*access, &emitter.offset(*access, &there));
            emitter.text.line(format!("q{access}[e] = {value};"));
        }
        emitter.text.close();
        self.each_round(emitter, 1);
        let (there, indices) = self.element(emitter, at, first);
        for (access, result) in &moving {
            emitter.define(*result, &format!("q{access}[e]"));
        }
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
        let position = self.position(&indices);
        for (number, item) in self.items.iter().enumerate() {
            let value = item.of(&emitter.value(item.item.value), &position);
            let start = item.start(false);
            emitter.text.line(format!("x{number}[e] = inside ? {value} : {start};"));
        }
        emitter.text.close();
        let mut apart = 1;
        while apart < rounds {
            self.each_round(emitter, 2 * apart);
            for (number, item) in self.items.iter().enumerate() {
                let [left, right] =
                    ["e".to_string(), format!("e + {apart}")].map(|e| format!("x{number}[{e}]"));
                let sum = emitter.functions.combine(item.reducer(), item.dtype, &left, &right);
                emitter.text.line(format!("{left} = {sum};"));
            }
            emitter.text.close();
            apart *= 2;
        }
        for (number, item) in self.items.iter().enumerate() {
            emitter.text.line(format!("{} t{number} = x{number}[0];", item.ty));
        }
    }

    fn each_round(&self, emitter: &mut Emitter<'_>, step: u8) {
        emitter.text.line("#pragma unroll");
        let next = if step == 1 { "++e".to_string() } else { format!("e += {step}") };
        emitter.text.open(format!("for (int e = 0; e < {}; {next})", self.fold.rounds));
    }

    /// An element by itself: operations come in their order.
    fn one_round(&self, emitter: &mut Emitter<'_>, at: &At, first: &str) {
        self.start(emitter);
        emitter.text.open(format!("if ({first} < count)"));
        let (there, indices) = self.element(emitter, at, first);
        let plan = emitter.plan;
        emitter.nodes(&plan.fold, &there);
        let position = self.position(&indices);
        for (number, item) in self.items.iter().enumerate() {
            let value = item.of(&emitter.value(item.item.value), &position);
            emitter.text.line(format!("t{number} = {value};"));
        }
        emitter.text.close();
    }

    /// Where element `i` of the leaf is, of round `e`, and its coordinates along the reduced axes; `inside`: whether it is.
    fn element(&self, emitter: &mut Emitter<'_>, at: &At, first: &str) -> (At, Vec<String>) {
        let (index, lanes) = (emitter.variant.index(), self.lanes);
        let (axes, boxed) = (self.body.order.len(), self.fold.boxed as usize);
        if self.fold.rounds > 1 {
            // Loads without conditions come one after another: there is always a first element.
            emitter.text.line(format!("const bool inside = {first} + e * {lanes} < count;"));
            emitter.text.line(format!("const int i = inside ? {first} + e * {lanes} : 0;"));
        } else {
            emitter.text.line(format!("const int i = {first};"));
        }
        let mut indices: Vec<String> = (0..axes).map(|k| self.begin(k)).collect();
        let mut rest = "i".to_string();
        for k in (boxed..axes).rev() {
            let mut here = rest.clone();
            if k > boxed {
                // As a quotient: leaves are small.
                emitter.text.line(format!("const int y{k} = __umulhi(2 * {rest}, m{k});"));
                here = format!("{rest} - y{k} * s{k}");
                rest = format!("y{k}");
            }
            emitter.text.line(format!("const {index} i{k} = {} + {here};", self.begin(k)));
            indices[k] = format!("i{k}");
        }
        let loops = emitter.variant.loops.len();
        let coordinates: Vec<(usize, String)> =
            (boxed..axes).map(|k| (loops + k, indices[k].clone())).collect();
        let mut there = at.clone();
        self.move_by(emitter, &mut there, &coordinates, "j");
        for (&axis, index) in self.body.order.iter().zip(&indices) {
            there.indices[axis as usize].clone_from(index);
        }
        (there, indices)
    }

    /// Whether an access moves over a leaf.
    fn moves(&self, emitter: &Emitter<'_>, access: u16) -> bool {
        let boxed = self.fold.boxed as usize..self.body.order.len();
        let moves = |at: usize, k: usize| {
            emitter.variant.class(at, emitter.variant.loops.len() + k) != StrideClass::Still
        };
        emitter.position(access).is_some_and(|at| boxed.into_iter().any(|k| moves(at, k)))
    }

    /// Row-major position of an element over the global reduced axes.
    fn position(&self, indices: &[String]) -> String {
        let mut position = Field::Position.path();
        for (k, index) in indices.iter().enumerate() {
            let step = Field::PositionStep(k as u8).path();
            let times = if k + 1 == indices.len() { String::new() } else { format!(" * {step}") };
            position += &format!(" + {index}{times}");
        }
        position
    }

    /// Adds coordinates to the offsets of the body's accesses; new names begin with `prefix`.
    fn move_by(
        &self,
        emitter: &mut Emitter<'_>,
        at: &mut At,
        coordinates: &[(usize, String)],
        prefix: &str,
    ) {
        let index = emitter.variant.index();
        let accesses = emitter.plan.fold.iter().filter_map(Node::access);
        let used: Vec<usize> = accesses.filter_map(|access| emitter.position(access)).collect();
        for pattern in 0..emitter.variant.patterns.count() {
            let of = |&&at: &&usize| emitter.variant.patterns.number(at) == pattern;
            let users: Vec<usize> = used.iter().filter(of).copied().collect();
            let mut terms = emitter.moved(pattern, coordinates);
            let (Some(&one), false) = (users.first(), terms.is_empty()) else { continue };
            if !at.offsets[one].is_empty() {
                terms.insert(0, at.offsets[one].clone());
            }
            let name = format!("{prefix}{pattern}");
            emitter.text.line(format!("const {index} {name} = {};", terms.join(" + ")));
            users.into_iter().for_each(|access| at.offsets[access].clone_from(&name));
        }
    }
}
