//! Values that come one after another and combine in pairs, pairs of pairs and so on.

use super::leaves::Leaf;
use super::nodes::Emitter;

/// Arrays of values that wait for their right siblings, one for each level of the tree.
///
/// ```text
/// value number n      0     1      2      3          bit k of n set: what waits at level k is its left sibling
/// p[0], p[1], p[2]    0     01     2 01   0123
/// ```
pub(crate) struct Pairs {
    /// What the arrays' names begin with.
    pub prefix: &'static str,
    /// The axis that they belong to, at the end of the prefix; empty where none.
    pub axis: String,
    /// The binary logarithm of how many values there are, at most.
    pub levels: u32,
}

impl Pairs {
    fn array(&self, item: usize) -> String {
        let apart = if self.axis.is_empty() { "" } else { "_" };
        format!("{}{}{apart}{item}", self.prefix, self.axis)
    }
}

impl Leaf<'_> {
    /// No value waits.
    pub fn declare(&self, emitter: &mut Emitter<'_>, pairs: &Pairs) {
        for (number, item) in self.items.iter().enumerate() {
            let array = pairs.array(number);
            emitter.text.line(format!("{} {array}[{}];", item.ty, pairs.levels + 1));
        }
    }

    /// Takes the values `t0`, `t1`, .. as those of this number.
    pub fn push(&self, emitter: &mut Emitter<'_>, pairs: &Pairs, number: &str) {
        // The level where it waits is the lowest bit that is not set. Selections keep arrays in registers.
        emitter.text.line(format!("const int level = ~{number} & ({number} + 1);"));
        self.each_level(emitter, pairs);
        emitter.text.open("if (1 << k < level)");
        self.take_left(emitter, pairs);
        emitter.text.close();
        for item in 0..self.items.len() {
            let array = pairs.array(item);
            emitter.text.line(format!("{array}[k] = 1 << k == level ? t{item} : {array}[k];"));
        }
        emitter.text.close();
    }

    /// The values `t0`, `t1`, .. are those of all so many.
    pub fn pop(&self, emitter: &mut Emitter<'_>, pairs: &Pairs, count: &str) {
        self.start(emitter);
        self.each_level(emitter, pairs);
        emitter.text.open(format!("if ({count} >> k & 1)"));
        self.take_left(emitter, pairs);
        emitter.text.close();
        emitter.text.close();
    }

    fn each_level(&self, emitter: &mut Emitter<'_>, pairs: &Pairs) {
        emitter.text.line("#pragma unroll");
        emitter.text.open(format!("for (int k = 0; k <= {}; ++k)", pairs.levels));
    }

    fn take_left(&self, emitter: &mut Emitter<'_>, pairs: &Pairs) {
        for (number, item) in self.items.iter().enumerate() {
            let (left, right) = (format!("{}[k]", pairs.array(number)), format!("t{number}"));
            let sum = emitter.functions.combine(item.reducer(), item.dtype, &left, &right);
            emitter.text.line(format!("{right} = {sum};"));
        }
    }

    /// The values of no element.
    pub fn start(&self, emitter: &mut Emitter<'_>) {
        for (number, item) in self.items.iter().enumerate() {
            let start = item.start(self.fold.empty);
            emitter.text.line(format!("{} t{number} = {start};", item.ty));
        }
    }
}
