//! What rows of the operator table are made of: operations on values of one type.

use super::super::lane::{Body, Form, Lane, Op, Relation, Value};
use super::signs::without_sign;
use darray_core::{Kind, RealType, Scalar};

/// Operations on values of one type.
pub(super) struct Operations<'b> {
    pub body: &'b mut Body,
    pub dtype: RealType,
    pub lane: Lane,
}

impl<'b> Operations<'b> {
    /// Operations on values of this type.
    pub fn new(body: &'b mut Body, dtype: RealType) -> Operations<'b> {
        Operations { body, dtype, lane: Lane::of(dtype) }
    }

    /// An operation whose result has the type of the values.
    pub fn add(&mut self, op: Op, args: &[Value]) -> Value {
        self.body.add(op, self.lane, args)
    }

    /// A number, as the type has it.
    pub fn number(&mut self, value: f64) -> Value {
        self.body.constant(Scalar::from(value).cast(self.dtype).bits(), self.lane)
    }

    /// What an integer that is narrower than a lane keeps: the low bits, and copies of its sign above them.
    fn low_bits(&mut self, value: Value) -> Value {
        if self.dtype.size() == self.lane.size() {
            return value;
        }
        let low = self.unsigned_bits(value);
        if self.dtype.kind() == Kind::Unsigned {
            return low;
        }
        // The sign is turned, and taken off.
        let sign = self.body.constant(1 << self.dtype.digits(), self.lane);
        let turned = self.add(Op::Xor, &[low, sign]);
        self.add(Op::Sub, &[turned, sign])
    }

    /// The bits that an element has, and zeros above them.
    fn unsigned_bits(&mut self, value: Value) -> Value {
        let low = self.body.constant((1 << (8 * self.dtype.size())) - 1, self.lane);
        self.add(Op::And, &[value, low])
    }

    /// The value whose [low bits](Self::low_bits) this is, if it is one; else itself.
    pub fn before_narrowing(&self, value: Value) -> Value {
        let node = |value: Value| &self.body.nodes[value as usize];
        let constant = |value: Value, bits: u64| node(value).op == Op::Constant(bits);
        let sign = 1u64 << self.dtype.digits();
        // Constants that are added are added together.
        let minus = sign.wrapping_neg() & u64::MAX >> (64 - 8 * self.lane.size());
        let low = match (node(value).op, &node(value).args[..]) {
            (Op::Add, &[turned, by]) if constant(by, minus) => match &node(turned).args[..] {
                &[low, by] if node(turned).op == Op::Xor && constant(by, sign) => low,
                _ => return value,
            },
            _ => value,
        };
        match (node(low).op, &node(low).args[..]) {
            (Op::And, &[all, by]) if constant(by, (1 << (8 * self.dtype.size())) - 1) => all,
            _ => value,
        }
    }

    /// The bits of a narrow integer with zeros above them.
    pub fn without_signs(&mut self, value: Value) -> Value {
        match self.dtype.kind() {
            Kind::Signed => {
                let all = self.before_narrowing(value);
                self.unsigned_bits(all)
            }
            _ => value,
        }
    }

    /// How many bits an integer has at most, its sign included, as far as is seen from how it is made.
    pub fn bits(&self, value: Value) -> u32 {
        let node = |value: Value| &self.body.nodes[value as usize];
        let own = |value: Value| match node(value).op {
            Op::Load(_, dtype, _) | Op::Uniform(_, dtype) | Op::Broadcast(_, dtype)
                if dtype.is_integer() =>
            {
                8 * dtype.size() as u32
            }
            Op::Constant(bits) => u64::BITS - bits.leading_zeros(),
            _ => u64::BITS,
        };
        // What has zeros above its bits keeps the others from having more; copies of a sign do not.
        let is_small = |&arg: &Value| match node(arg).op {
            Op::Load(_, dtype, _) | Op::Uniform(_, dtype) | Op::Broadcast(_, dtype) => {
                dtype.kind() == Kind::Unsigned
            }
            Op::Constant(bits) => bits >> (8 * node(arg).lane.size() - 1) == 0,
            _ => false,
        };
        match node(value).op {
            Op::And => {
                let small = node(value).args.iter().filter(|&arg| is_small(arg));
                small.map(|&arg| own(arg)).min().unwrap_or(u64::BITS)
            }
            _ => own(value),
        }
    }

    /// Whether an integer of 8 bytes has zeros in its upper half, as far as is seen from how it is made.
    pub fn is_half(&self, value: Value) -> bool {
        let op = self.body.nodes[value as usize].op;
        matches!(op, Op::And | Op::Constant(_)) && self.bits(value) <= u32::BITS
    }

    /// Of an integer.
    pub fn negated(&mut self, a: Value) -> Value {
        let zero = self.body.constant(0, self.lane);
        self.add(Op::Sub, &[zero, a])
    }

    /// A comparison; of bool, false comes before true.
    pub fn compare(&mut self, relation: Relation, a: Value, b: Value) -> Value {
        if self.lane != Lane::Mask {
            return self.body.add(Op::Compare(relation, self.lane), Lane::Mask, &[a, b]);
        }
        let (a, b) = match relation {
            Relation::Greater | Relation::GreaterEqual => (b, a),
            _ => (a, b),
        };
        match relation {
            Relation::Less | Relation::Greater => {
                let not = self.not(a);
                self.body.add(Op::And, Lane::Mask, &[not, b])
            }
            Relation::LessEqual | Relation::GreaterEqual => {
                let not = self.not(a);
                self.body.add(Op::Or, Lane::Mask, &[not, b])
            }
            Relation::Equal => {
                let differ = self.body.add(Op::Xor, Lane::Mask, &[a, b]);
                self.not(differ)
            }
        }
    }

    /// The opposite of a mask.
    pub fn not(&mut self, mask: Value) -> Value {
        self.body.add(Op::Not, Lane::Mask, &[mask])
    }

    /// False everywhere.
    pub fn never(&mut self, a: Value) -> Value {
        let bits = self.lane.bits();
        let mask = match bits {
            Lane::Mask => a,
            _ => self.body.add(Op::Compare(Relation::Equal, bits), Lane::Mask, &[a, a]),
        };
        self.body.add(Op::Xor, Lane::Mask, &[mask, mask])
    }

    /// Whether it is NaN.
    pub fn is_nan(&mut self, a: Value) -> Value {
        let number = self.compare(Relation::Equal, a, a);
        self.not(number)
    }

    /// Whether it differs from zero.
    pub fn truth(&mut self, a: Value) -> Value {
        if self.lane == Lane::Mask {
            return a;
        }
        let zero = self.number(0.0);
        let equal = self.compare(Relation::Equal, a, zero);
        self.not(equal)
    }

    /// The value as another type, by the rules of the operator table.
    pub fn cast(&mut self, a: Value, to: RealType) -> Value {
        if self.dtype.kind() == Kind::Brain && to != self.dtype {
            let single = self.single(a);
            return Operations::new(self.body, self.dtype.compute()).cast(single, to);
        }
        if to.kind() == Kind::Brain && to != self.dtype {
            return self.brain(a, to);
        }
        if Form::of(to) == Form::Half {
            return self.half(a, to);
        }
        let (from, target) = (self.lane, Lane::of(to));
        let mut wanted = Operations { body: self.body, dtype: to, lane: target };
        match (from, target) {
            (Lane::Mask, _) => {
                let (one, zero) = (wanted.number(1.0), wanted.number(0.0));
                wanted.add(Op::Select, &[a, one, zero])
            }
            _ if from.is_float() && target.is_float() => {
                if from == target {
                    a
                } else {
                    wanted.add(Op::Convert(from), &[a])
                }
            }
            _ if target.is_float() => wanted.add(Op::Convert(from), &[a]),
            _ if from.is_float() => self.saturated(a, to),
            _ if from == target => {
                if self.dtype == to {
                    a
                } else {
                    wanted.low_bits(a)
                }
            }
            // Of 64 bits, with a sign and without.
            _ if from.bits() == target.bits() => a,
            _ => {
                let resized = wanted.body.add(Op::Convert(from.bits()), target.bits(), &[a]);
                // An unsigned integer that fills its lane has no copies of a sign above it.
                if self.dtype.kind() == Kind::Unsigned && self.dtype.size() == target.size() / 2 {
                    let low = wanted.body.constant(u64::from(u32::MAX), target);
                    return wanted.add(Op::And, &[resized, low]);
                }
                wanted.low_bits(resized)
            }
        }
    }

    /// The value as f16, in lanes of F32.
    fn half(&mut self, a: Value, half: RealType) -> Value {
        let single = self.cast(a, half.compute());
        let odd = if self.lane == Lane::F64 { self.rounded_to_odd(a, single) } else { single };
        match half.holds(self.dtype) {
            true => odd,
            false => self.body.add(Op::RoundHalf, Lane::F32, &[odd]),
        }
    }

    /// The bits of a bf16 in lanes of F32: its upper half. What it makes quiet of NaN is the difference from zero.
    fn single(&mut self, brain: Value) -> Value {
        let node = self.body.nodes[brain as usize];
        if node.op == Op::ShiftRight(16) {
            // Made of an f32 just now.
            let upper = self.body.constant(0xffff_0000, Lane::I32);
            return self.body.add(Op::And, Lane::I32, &[node.args[0], upper]);
        }
        let bits = self.body.add(Op::ShiftLeft(16), Lane::I32, &[brain]);
        let zero = self.body.constant(0, Lane::F32);
        self.body.add(Op::Sub, Lane::F32, &[bits, zero])
    }

    /// The value as the bits of a bf16: those of the nearest f32 and half a unit less one, and one more where the last bit that
    /// stays is odd; of NaN the upper ones, and the one that makes it quiet.
    fn brain(&mut self, a: Value, brain: RealType) -> Value {
        let nearest = self.cast(a, brain.compute());
        let single = match self.lane {
            Lane::F64 => self.rounded_to_odd(a, nearest),
            _ => nearest,
        };
        let mut singles = Operations::new(self.body, brain.compute());
        let is_number = singles.compare(Relation::Equal, single, single);
        let mut bits = Operations::new(self.body, Lane::I32.dtype());
        let [half, one, quiet] =
            [0x7fff, 1, 0x0040_0000].map(|number| bits.body.constant(number, Lane::I32));
        let last = bits.add(Op::ShiftRight(16), &[single]);
        let odd = bits.add(Op::And, &[last, one]);
        let up = bits.add(Op::Add, &[odd, half]);
        let rounded = bits.add(Op::Add, &[single, up]);
        let not_a_number = bits.add(Op::Or, &[single, quiet]);
        let upper = bits.add(Op::Select, &[is_number, rounded, not_a_number]);
        bits.add(Op::ShiftRight(16), &[upper])
    }

    /// F32 that round to the f16, or bf16, to which F64 do, made of the nearest ones: toward zero, and the last bit set where
    /// they are not exact.
    fn rounded_to_odd(&mut self, a: Value, nearest: Value) -> Value {
        let wide = self.body.add(Op::Convert(Lane::F32), Lane::F64, &[nearest]);
        let [size, other] = [a, wide].map(|value| without_sign(self.body, Lane::F64, value));
        let beyond = self.compare(Relation::Less, size, other);
        let exact = self.compare(Relation::Equal, a, wide);
        let one = self.body.constant(1, Lane::I32);
        let below = self.body.add(Op::Sub, Lane::I32, &[nearest, one]);
        let toward_zero = self.body.add(Op::Select, Lane::I32, &[beyond, below, nearest]);
        let odd = self.body.add(Op::Or, Lane::I32, &[toward_zero, one]);
        self.body.add(Op::Select, Lane::F32, &[exact, nearest, odd])
    }

    /// A float as an integer: toward zero, saturating, 0 for NaN.
    fn saturated(&mut self, a: Value, to: RealType) -> Value {
        let target = Lane::of(to);
        if target == Lane::U64 {
            let zero = self.number(0.0);
            // The second argument where the first is not the larger one.
            let positive = self.add(Op::Max, &[a, zero]);
            return self.body.add(Op::Convert(self.lane), target, &[positive]);
        }
        if to.kind() == Kind::Unsigned && to.size() == target.size() {
            return self.saturated_unsigned(a, to);
        }
        if self.dtype.holds(to) {
            let inside = self.within_bounds(a, to);
            return self.body.add(Op::Convert(self.lane), target, &[inside]);
        }
        let (highest, beyond) = ((1 << to.digits()) - 1, 2f64.powi(to.digits() as i32));
        let integer = self.body.add(Op::Convert(self.lane), target, &[a]);
        let beyond = self.number(beyond);
        let too_large = self.compare(Relation::GreaterEqual, a, beyond);
        let highest = self.body.constant(highest, target);
        let integer = self.body.add(Op::Select, target, &[too_large, highest, integer]);
        let zero = self.body.constant(0, target);
        let is_number = self.compare(Relation::Equal, a, a);
        self.body.add(Op::Select, target, &[is_number, integer, zero])
    }

    /// The same as an unsigned integer that fills its lane: by way of its type of computation, which has its bounds.
    fn saturated_unsigned(&mut self, a: Value, to: RealType) -> Value {
        let double = Lane::F64.dtype();
        let wide = if self.lane == Lane::F64 { a } else { self.cast(a, double) };
        let mut doubles = Operations::new(self.body, double);
        let inside = doubles.within_bounds(wide, to);
        let through = Lane::of(to.compute());
        let integer = self.body.add(Op::Convert(Lane::F64), through, &[inside]);
        self.body.add(Op::Convert(through), Lane::of(to), &[integer])
    }

    /// A float, or the nearest one that is an integer of this type where the bounds of that are floats; 0 for NaN. What is too small
    /// for a signed one becomes its least number by the conversion.
    fn within_bounds(&mut self, a: Value, to: RealType) -> Value {
        let zero = self.number(0.0);
        // Both give the second argument where the first is not the larger, or smaller, one.
        let least = match to.kind() {
            Kind::Unsigned => self.add(Op::Max, &[a, zero]),
            _ => {
                let is_number = self.compare(Relation::Equal, a, a);
                let number = self.add(Op::Select, &[is_number, a, zero]);
                match to.size() == Lane::of(to).size() {
                    true => number,
                    false => {
                        let least = self.number(-2f64.powi(to.digits() as i32));
                        self.add(Op::Max, &[number, least])
                    }
                }
            }
        };
        let highest = self.number(2f64.powi(to.digits() as i32) - 1.0);
        self.add(Op::Min, &[least, highest])
    }
}
