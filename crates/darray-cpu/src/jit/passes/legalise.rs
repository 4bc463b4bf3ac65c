//! Straight-line code in operations that AVX2 has.
//!
//! Masks become integers, all ones or zeros, as wide as the lanes that they select; conversions,
//! products and comparisons without an instruction become several operations that give the same bits.
//!
//! ```text
//! %2 = Compare(Less, I64) %0 %1   : Mask        %2 = Compare(Greater, I64) %1 %0 : I64
//! %3 = Not %2                     : Mask   ->
//! %4 = Select %3 %0 %1            : F64         %4 = Select %2 %1 %0             : F64
//! ```

use super::super::lane::{Body, Lane, Node, Op, Relation, Rounding, Value};

/// The same code, in operations that AVX2 has.
pub(in super::super) fn legalise(nodes: &[Node]) -> Vec<Node> {
    let wanted = wanted(nodes);
    let about = nodes.len() + nodes.len() / 4;
    let mut legaliser = Legaliser { body: Body::new(about), values: Vec::with_capacity(about) };
    for (node, wanted) in nodes.iter().zip(wanted) {
        legaliser.body.origin = node.origin;
        let held = legaliser.node(node, wanted);
        legaliser.values.push(held);
    }
    legaliser.body.used()
}

/// For every mask, the integers that the last of its uses has it as.
fn wanted(nodes: &[Node]) -> Vec<Option<Lane>> {
    let mut wanted: Vec<Option<Lane>> = vec![None; nodes.len()];
    for (at, node) in nodes.iter().enumerate().rev() {
        let masks = match node.op {
            _ if node.lane == Lane::Mask => &node.args[..],
            Op::Select | Op::Patch(..) => &node.args[..1],
            _ => &[],
        };
        let lane = if node.lane == Lane::Mask { wanted[at] } else { Some(node.lane.bits()) };
        for &mask in masks {
            let wanted = &mut wanted[mask as usize];
            *wanted = wanted.or(lane);
        }
    }
    wanted
}

/// What a value has become.
#[derive(Clone, Copy)]
enum Held {
    Value(Value),
    /// A mask: these integers, or their complement.
    Mask {
        value: Value,
        inverted: bool,
    },
    /// A mask that is the same in all lanes.
    Same(Op),
}

struct Legaliser {
    body: Body,
    values: Vec<Held>,
}

impl Legaliser {
    fn node(&mut self, node: &Node, wanted: Option<Lane>) -> Held {
        if node.lane == Lane::Mask {
            return self.mask_node(node, wanted.unwrap_or(Lane::I32));
        }
        let &Node { op, lane, .. } = node;
        if op == Op::Select {
            return Held::Value(self.select(lane, node));
        }
        let mut args = node.args;
        for (k, arg) in args.iter_mut().enumerate() {
            *arg = match op {
                Op::Patch(..) if k == 0 => self.exact(*arg, lane.bits()),
                _ => self.value(*arg),
            };
        }
        Held::Value(match op {
            Op::ShiftRightBy if lane == Lane::I64 => self.signed_shift(args[0], args[1]),
            Op::Mul if matches!(lane, Lane::I64 | Lane::U64) => self.product(args[0], args[1]),
            Op::Convert(from) => self.convert(from, lane, args[0]),
            _ => self.body.put(op, lane, args),
        })
    }

    /// A node whose result is a mask, and stores of masks.
    fn mask_node(&mut self, node: &Node, wanted: Lane) -> Held {
        let arg = |k: usize| node.args[k];
        match node.op {
            Op::Constant(_) | Op::Uniform(..) => Held::Same(node.op),
            Op::Load(..) => {
                Held::Mask { value: self.body.add(node.op, wanted, &[]), inverted: false }
            }
            Op::Store(..) => {
                let lane = self.lane_of(arg(0)).unwrap_or(Lane::I32);
                let value = self.exact(arg(0), lane);
                Held::Value(self.body.add(node.op, lane, &[value]))
            }
            Op::Compare(relation, of) => {
                let (a, b) = (self.value(arg(0)), self.value(arg(1)));
                self.compare(relation, of, a, b)
            }
            Op::Not => match self.values[arg(0) as usize] {
                Held::Mask { value, inverted } => Held::Mask { value, inverted: !inverted },
                _ => {
                    let (value, inverted) = self.mask(arg(0), wanted);
                    Held::Mask { value, inverted: !inverted }
                }
            },
            Op::And | Op::Or | Op::Xor => {
                let lane = match (self.lane_of(arg(0)), self.lane_of(arg(1))) {
                    (Some(a), Some(b)) if a != b => wanted,
                    (a, b) => a.or(b).unwrap_or(wanted),
                };
                let (a, b) = (self.mask(arg(0), lane), self.mask(arg(1), lane));
                self.logic(node.op, lane, a, b)
            }
            Op::Select => {
                let lane = self.lane_of(arg(0)).unwrap_or(wanted);
                let value = self.select(lane, node);
                Held::Mask { value, inverted: false }
            }
            other => unreachable!("{other:?} gives no mask"),
        }
    }

    /// What a number has become.
    fn value(&self, old: Value) -> Value {
        match self.values[old as usize] {
            Held::Value(value) => value,
            _ => unreachable!("a mask is no operand of arithmetic"),
        }
    }

    /// The integers that a mask has become; none where any will do.
    fn lane_of(&self, old: Value) -> Option<Lane> {
        match self.values[old as usize] {
            Held::Mask { value, .. } => Some(self.body.nodes[value as usize].lane),
            _ => None,
        }
    }

    /// A mask as integers of this kind, and whether they are to be inverted.
    fn mask(&mut self, old: Value, lane: Lane) -> (Value, bool) {
        match self.values[old as usize] {
            Held::Mask { value, inverted } => {
                let from = self.body.nodes[value as usize].lane;
                // Signs come in, or the upper half goes: of all ones, all ones.
                let convert = |body: &mut Body| body.add(Op::Convert(from), lane, &[value]);
                (if from == lane { value } else { convert(&mut self.body) }, inverted)
            }
            Held::Same(Op::Constant(bits)) => {
                (self.body.constant(if bits == 0 { 0 } else { ones(lane) }, lane), false)
            }
            Held::Same(op) => (self.body.add(op, lane, &[]), false),
            Held::Value(_) => unreachable!("a number is no mask"),
        }
    }

    /// A mask as integers of this kind.
    fn exact(&mut self, old: Value, lane: Lane) -> Value {
        let (value, inverted) = self.mask(old, lane);
        if !inverted {
            return value;
        }
        let ones = self.body.constant(ones(lane), lane);
        self.body.add(Op::Xor, lane, &[value, ones])
    }

    /// `then` where the mask holds, else `otherwise`.
    fn select(&mut self, lane: Lane, node: &Node) -> Value {
        let (mask, inverted) = self.mask(node.args[0], lane.bits());
        let [mut then, mut otherwise] = [1, 2].map(|k| match node.lane {
            Lane::Mask => self.exact(node.args[k], lane),
            _ => self.value(node.args[k]),
        });
        if inverted {
            (then, otherwise) = (otherwise, then);
        }
        let zero = |body: &Body, value: Value| body.nodes[value as usize].op == Op::Constant(0);
        if zero(&self.body, otherwise) {
            return self.body.add(Op::And, lane.bits(), &[mask, then]);
        }
        if zero(&self.body, then) {
            return self.body.add(Op::AndNot, lane.bits(), &[mask, otherwise]);
        }
        self.body.add(Op::Select, lane, &[mask, then, otherwise])
    }

    /// Integers are compared by greater and equal alone, with signs: the others become these where the sign is turned.
    fn compare(&mut self, relation: Relation, of: Lane, a: Value, b: Value) -> Held {
        let (of, a, b) = match of {
            Lane::U64 if relation == Relation::Equal => (of.bits(), a, b),
            Lane::U64 => (of.bits(), self.turned(a), self.turned(b)),
            _ => (of, a, b),
        };
        let (relation, [a, b], inverted) = match relation {
            _ if of.is_float() => (relation, [a, b], false),
            Relation::Equal => (Relation::Equal, [a, b], false),
            Relation::Greater => (Relation::Greater, [a, b], false),
            Relation::Less => (Relation::Greater, [b, a], false),
            Relation::LessEqual => (Relation::Greater, [a, b], true),
            Relation::GreaterEqual => (Relation::Greater, [b, a], true),
        };
        let value = self.body.add(Op::Compare(relation, of), of.bits(), &[a, b]);
        Held::Mask { value, inverted }
    }

    fn logic(&mut self, op: Op, lane: Lane, a: (Value, bool), b: (Value, bool)) -> Held {
        // `a or b` is `not (not a and not b)`.
        let either = op == Op::Or;
        let (op, args, inverted) = match (op, a.1 != either, b.1 != either) {
            (Op::Xor, ..) => (Op::Xor, [a.0, b.0], a.1 != b.1),
            (_, false, false) => (Op::And, [a.0, b.0], either),
            (_, true, false) => (Op::AndNot, [a.0, b.0], either),
            (_, false, true) => (Op::AndNot, [b.0, a.0], either),
            (_, true, true) => (Op::Or, [a.0, b.0], !either),
        };
        Held::Mask { value: self.body.add(op, lane, &args), inverted }
    }

    /// The lower 64 bits of a product, of the products of halves.
    fn product(&mut self, a: Value, b: Value) -> Value {
        let mut sum = None;
        for (half, whole) in [(a, b), (b, a)] {
            let Some(upper) = self.upper_half(half) else { continue };
            let part = self.body.add(Op::MulHalves, Lane::I64, &[upper, whole]);
            sum = Some(match sum {
                None => part,
                Some(other) => self.body.add(Op::Add, Lane::I64, &[other, part]),
            });
        }
        let low = self.body.add(Op::MulHalves, Lane::I64, &[a, b]);
        let Some(sum) = sum else { return low };
        let high = self.body.add(Op::ShiftLeft(32), Lane::I64, &[sum]);
        self.body.add(Op::Add, Lane::I64, &[low, high])
    }

    /// The upper half of integers of 64 bits; none where it is known to be zero.
    fn upper_half(&mut self, value: Value) -> Option<Value> {
        match self.body.nodes[value as usize].op {
            Op::Constant(bits) if bits >> 32 == 0 => None,
            Op::Constant(bits) => Some(self.body.constant(bits >> 32, Lane::I64)),
            _ => Some(self.body.add(Op::ShiftRight(32), Lane::I64, &[value])),
        }
    }

    /// Integers of 64 bits shifted down with signs coming in: of negative ones, the complement with zeros.
    fn signed_shift(&mut self, a: Value, count: Value) -> Value {
        let zero = self.body.constant(0, Lane::I64);
        let greater = Op::Compare(Relation::Greater, Lane::I64);
        let sign = self.body.add(greater, Lane::I64, &[zero, a]);
        let size = self.body.add(Op::Xor, Lane::I64, &[a, sign]);
        let shifted = self.body.add(Op::ShiftDownBy, Lane::I64, &[size, count]);
        self.body.add(Op::Xor, Lane::I64, &[shifted, sign])
    }

    fn convert(&mut self, from: Lane, to: Lane, a: Value) -> Value {
        match (from, to) {
            (Lane::I64 | Lane::U64, Lane::F64) => self.float(from, a),
            (Lane::I64 | Lane::U64, Lane::F32) => {
                let narrowed = self.rounded_to_odd(from, a);
                let float = self.float(from, narrowed);
                self.body.add(Op::Convert(Lane::F64), Lane::F32, &[float])
            }
            (Lane::F64, Lane::I64 | Lane::U64) => self.integer(to, a),
            (Lane::F32, Lane::I64 | Lane::U64) => {
                let wide = self.body.add(Op::Convert(Lane::F32), Lane::F64, &[a]);
                self.integer(to, wide)
            }
            _ => self.body.add(Op::Convert(from), to, &[a]),
        }
    }

    /// Integers of 64 bits as F64, rounded once: the halves become the lower bits of 2^84 and of 2^52, which
    /// is exact, and then are added.
    fn float(&mut self, from: Lane, a: Value) -> Value {
        let upper = self.body.add(Op::ShiftRight(32), Lane::I64, &[a]);
        // 2^84, and where there is a sign it is turned: the upper half goes from 2^63 below to 2^63 above.
        let sign = if from == Lane::U64 { 0 } else { 0x8000_0000 };
        let turned = self.bits(Op::Xor, upper, 0x4530_0000_0000_0000 | sign);
        let both = self.body.constant(0x4530_0000_0010_0000 | sign, Lane::F64);
        let upper = self.body.add(Op::Sub, Lane::F64, &[turned, both]);
        let lower = self.bits(Op::And, a, 0xffff_ffff);
        let lower = self.bits(Op::Or, lower, 2f64.powi(52).to_bits());
        self.body.add(Op::Add, Lane::F64, &[upper, lower])
    }

    /// Integers of 64 bits that F64 holds and that round to the F32 to which `a` does: beyond 53 bits, the
    /// lower eleven are gone and the one above says whether any of them was set.
    fn rounded_to_odd(&mut self, from: Lane, a: Value) -> Value {
        let low = self.bits(Op::And, a, 0x7ff);
        let carried = self.bits(Op::Add, low, 0x7ff);
        let joined = self.body.add(Op::Or, Lane::I64, &[carried, a]);
        let odd = self.bits(Op::And, joined, !0x7ff);
        let beyond = match from {
            Lane::U64 => self.body.add(Op::ShiftRight(53), Lane::I64, &[a]),
            _ => {
                let raised = self.bits(Op::Add, a, 1 << 53);
                self.body.add(Op::ShiftRight(54), Lane::I64, &[raised])
            }
        };
        let zero = self.body.constant(0, Lane::I64);
        let equal = Op::Compare(Relation::Equal, Lane::I64);
        let small = self.body.add(equal, Lane::I64, &[beyond, zero]);
        self.body.add(Op::Select, Lane::I64, &[small, a, odd])
    }

    /// F64 as integers of 64 bits, see [`Op::Convert`]: the halves as the lower bits of 2^52.
    fn integer(&mut self, to: Lane, a: Value) -> Value {
        let whole = self.body.add(Op::Round(Rounding::Zero), Lane::F64, &[a]);
        let scaled = self.float_by(Op::Mul, whole, 2f64.powi(-32));
        let upper = self.body.add(Op::Round(Rounding::Down), Lane::F64, &[scaled]);
        let step = self.body.constant((-2f64.powi(32)).to_bits(), Lane::F64);
        let lower = self.body.add(Op::MulAdd, Lane::F64, &[upper, step, whole]);
        let upper = self.float_by(Op::Add, upper, 1.5 * 2f64.powi(52));
        let upper = self.body.add(Op::ShiftLeft(32), Lane::I64, &[upper]);
        let lower = self.float_by(Op::Add, lower, 2f64.powi(52));
        let lower = self.bits(Op::Xor, lower, 2f64.powi(52).to_bits());
        let integer = self.body.add(Op::Or, Lane::I64, &[upper, lower]);
        let size = self.bits(Op::And, a, i64::MAX as u64);
        let (bound, outside) = match to {
            Lane::U64 => (2f64.powi(64), u64::MAX),
            _ => (2f64.powi(63), i64::MIN as u64),
        };
        let bound = self.body.constant(bound.to_bits(), Lane::F64);
        let less = Op::Compare(Relation::Less, Lane::F64);
        let inside = self.body.add(less, Lane::I64, &[size, bound]);
        let outside = self.body.constant(outside, Lane::I64);
        self.body.add(Op::Select, Lane::I64, &[inside, integer, outside])
    }

    /// Integers of 64 bits with the other sign.
    fn turned(&mut self, a: Value) -> Value {
        const SIGN: u64 = 1 << 63;
        match self.body.nodes[a as usize].op {
            Op::Constant(bits) => self.body.constant(bits ^ SIGN, Lane::I64),
            _ => self.bits(Op::Xor, a, SIGN),
        }
    }

    /// An operation of integers of 64 bits with a constant.
    fn bits(&mut self, op: Op, a: Value, constant: u64) -> Value {
        let constant = self.body.constant(constant, Lane::I64);
        self.body.add(op, Lane::I64, &[a, constant])
    }

    /// An operation of F64 with a constant.
    fn float_by(&mut self, op: Op, a: Value, constant: f64) -> Value {
        let constant = self.body.constant(constant.to_bits(), Lane::F64);
        self.body.add(op, Lane::F64, &[a, constant])
    }
}

/// The bits of a lane, all set.
fn ones(lane: Lane) -> u64 {
    u64::MAX >> (64 - 8 * lane.size())
}
