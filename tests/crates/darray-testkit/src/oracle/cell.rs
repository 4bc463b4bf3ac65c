//! One element with a bound on how far another correct evaluation may be from it.

use super::{functions, rounding};
use crate::program::{Binary, Comparison, Unary};
use darray_core::{Kind, RealType, Scalar};

/// A typed value.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// Of type bool.
    Bool(bool),
    /// Of an integer type.
    Integer(i128, RealType),
    /// Of a float that is narrower than f32, which has its number.
    Narrow(f32, RealType),
    /// Of type f32.
    F32(f32),
    /// Of type f64.
    F64(f64),
}

/// A value and its radius.
///
/// Rules:
/// - Radius 0: the value is determined to the bit (all NaNs count as one).
/// - Finite radius: elementary functions, sums and products of matrices may round differently; the bound is
///   propagated through everything computed from them.
/// - Infinite radius: nothing is known, for example after a comparison that the radii leave open.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// As this oracle computed it.
    pub value: Value,
    /// Absolute; see the rules.
    pub radius: f64,
}

impl Value {
    /// The element type.
    pub fn dtype(self) -> RealType {
        match self {
            Value::Bool(_) => RealType::Bool,
            Value::Integer(_, dtype) => dtype,
            Value::Narrow(_, dtype) => dtype,
            Value::F32(_) => RealType::F32,
            Value::F64(_) => RealType::F64,
        }
    }

    /// The nearest f64.
    pub fn float(self) -> f64 {
        match self {
            Value::Narrow(v, _) | Value::F32(v) => v as f64,
            Value::F64(v) => v,
            whole => whole.integer().expect("no float") as f64,
        }
    }

    /// The number, unless it is of a float type.
    pub fn integer(self) -> Option<i128> {
        match self {
            Value::Bool(v) => Some(v.into()),
            Value::Integer(v, _) => Some(v),
            Value::Narrow(..) | Value::F32(_) | Value::F64(_) => None,
        }
    }

    /// Converted as NumPy's `astype`, saturating where C leaves it open.
    pub fn cast(self, dtype: RealType) -> Value {
        let (whole, float) = (self.integer(), self.float());
        match (dtype, whole) {
            (RealType::Bool, Some(v)) => Value::Bool(v != 0),
            (RealType::Bool, None) => Value::Bool(float != 0.0),
            (_, Some(v)) if dtype.is_integer() => {
                let (least, largest) = range(dtype);
                let all = largest - least + 1;
                let inside = v.rem_euclid(all);
                Value::Integer(if inside > largest { inside - all } else { inside }, dtype)
            }
            (_, None) if dtype.is_integer() => {
                let (least, largest) = range(dtype);
                Value::Integer((float as i128).clamp(least, largest), dtype)
            }
            (_, Some(v)) if dtype.is_narrow() => Value::F32(v as f32).cast(dtype),
            (_, None) if dtype.is_narrow() => {
                Value::Narrow(Scalar::from(float).cast(dtype).to_f64() as f32, dtype)
            }
            (RealType::F32, Some(v)) => Value::F32(v as f32),
            (RealType::F32, None) => Value::F32(float as f32),
            _ => Value::F64(float),
        }
    }

    /// Of type i64, if it is one of it.
    pub fn whole(value: impl Into<i128>) -> Value {
        Value::Integer(value.into(), RealType::I64)
    }

    /// The value as it lies in memory, in the first bytes.
    pub fn memory(self) -> [u8; 8] {
        match self {
            Value::Narrow(v, dtype) => Scalar::from(v).cast(dtype).bits().to_le_bytes(),
            Value::F32(v) => (v.to_bits() as u64).to_le_bytes(),
            Value::F64(v) => v.to_le_bytes(),
            whole => whole.bits().to_le_bytes(),
        }
    }

    /// The bits, all NaNs being one.
    pub fn bits(self) -> u64 {
        match self {
            Value::Bool(v) => v as u64,
            Value::Integer(v, dtype) => v as u64 & (u64::MAX >> (64 - 8 * dtype.size())),
            Value::Narrow(v, dtype) if v.is_nan() => Scalar::from(f32::NAN).cast(dtype).bits(),
            Value::Narrow(v, dtype) => Scalar::from(v).cast(dtype).bits(),
            Value::F32(v) if v.is_nan() => f32::NAN.to_bits() as u64,
            Value::F32(v) => v.to_bits() as u64,
            Value::F64(v) if v.is_nan() => f64::NAN.to_bits(),
            Value::F64(v) => v.to_bits(),
        }
    }
}

/// The least and the largest value of an integer type.
pub fn range(dtype: RealType) -> (i128, i128) {
    let bits = 8 * dtype.size();
    match dtype.kind() {
        Kind::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (0, (1 << bits) - 1),
    }
}

impl Cell {
    /// A value known to the bit.
    pub fn exact(value: Value) -> Cell {
        Cell { value, radius: 0.0 }
    }

    /// Whether `other` is a correct result where this cell was computed.
    pub fn admits(self, other: Value) -> bool {
        if self.value.dtype() != other.dtype() {
            return false;
        }
        if self.radius == f64::INFINITY || self.value.bits() == other.bits() {
            return true;
        }
        self.radius > 0.0 && (self.value.float() - other.float()).abs() <= self.radius
    }

    /// Converted to another element type.
    pub fn cast(self, dtype: RealType) -> Cell {
        let value = self.value.cast(dtype);
        if self.radius == 0.0 || dtype == self.value.dtype() {
            return Cell { value, radius: self.radius };
        }
        let (x, r) = (self.value.float(), self.radius);
        match dtype {
            _ if dtype.is_float() => rounded(value, r),
            RealType::Bool if x.abs() > r => Cell::exact(value),
            RealType::Bool => unknown(value),
            _ if Value::F64(x - r).cast(dtype).bits() == Value::F64(x + r).cast(dtype).bits() => {
                Cell::exact(value)
            }
            _ => unknown(value),
        }
    }

    /// Cells of f16 and bf16 in f32, in which they are computed with.
    pub fn widened(self) -> Cell {
        self.cast(self.value.dtype().compute())
    }

    /// What was computed in f32 of cells of `dtype`, rounded to that where it is f16 or bf16.
    pub fn narrowed(self, dtype: RealType) -> Cell {
        let computed = dtype != dtype.compute() && self.value.dtype() == dtype.compute();
        if computed { self.cast(dtype) } else { self }
    }

    /// An element-wise operator. The operand has the type in which it is evaluated.
    pub fn unary(self, operator: Unary) -> Cell {
        let dtype = self.value.dtype();
        match operator {
            // Every step is an operation of its own.
            Unary::Round(decimals) => rounding::round(self, decimals),
            _ if dtype.is_float() && dtype.is_narrow() => {
                self.widened().unary(operator).narrowed(dtype)
            }
            Unary::Apply(operation) => functions::unary(operation, self),
            Unary::Power(exponent) => self.power(exponent),
        }
    }

    /// The power of a float with a scalar as exponent, of which some are products or a quotient.
    pub fn power_of_scalar(self, exponent: Cell) -> Cell {
        match exponent.value.float() {
            2.0 => self.unary(Unary::Power(2)),
            1.0 => self,
            -1.0 => self.unary(Unary::Power(-1)),
            _ => self.binary(Binary::Apply(darray::Binary::Power), exponent),
        }
    }

    /// `x * x`, `(x * x) * x`, `(x * x) * (x * x)`; 1 for exponent 0, else 1 divided by those.
    fn power(self, exponent: i32) -> Cell {
        let one = Cell::exact(Value::whole(1).cast(self.value.dtype()));
        let square = || self.binary(Binary::Multiply, self);
        match exponent {
            0 => one,
            1 => self,
            2 => square(),
            3 => square().binary(Binary::Multiply, self),
            4 => square().binary(Binary::Multiply, square()),
            -4..0 => one.binary(Binary::Divide, self.power(-exponent)),
            _ => unreachable!("programs use the exponents -4 to 4"),
        }
    }

    /// An element-wise operator. Both operands have the type in which it is evaluated.
    pub fn binary(self, operator: Binary, other: Cell) -> Cell {
        if let Binary::Apply(operation) = operator {
            return functions::binary(operation, self, other);
        }
        let dtype = self.value.dtype();
        if dtype.is_float() && dtype.is_narrow() {
            return self.widened().binary(operator, other.widened()).narrowed(dtype);
        }
        let (x, y) = (self.value.float(), other.value.float());
        let (r, s) = (self.radius, other.radius);
        let value = match (self.value, other.value) {
            (Value::Bool(a), Value::Bool(b)) => Value::Bool(match operator {
                Binary::And | Binary::Minimum => a & b,
                Binary::Or | Binary::Maximum => a | b,
                Binary::Xor => a ^ b,
                _ => unreachable!("arithmetic of bools"),
            }),
            (Value::F32(a), Value::F32(b)) => Value::F32(match operator {
                Binary::Add => a + b,
                Binary::Subtract => a - b,
                Binary::Multiply => a * b,
                Binary::Divide => a / b,
                // Exact in f64 but for the last addition, which rounds there as in f32.
                Binary::Remainder => remainder(x, y, |a, b| (a as f32 + b as f32) as f64) as f32,
                Binary::Minimum | Binary::Maximum => extreme(operator, x, y) as f32,
                _ => unreachable!("logic of floats"),
            }),
            (Value::F64(a), Value::F64(b)) => Value::F64(match operator {
                Binary::Add => a + b,
                Binary::Subtract => a - b,
                Binary::Multiply => a * b,
                Binary::Divide => a / b,
                Binary::Remainder => remainder(a, b, |a, b| a + b),
                Binary::Minimum | Binary::Maximum => extreme(operator, a, b),
                _ => unreachable!("logic of floats"),
            }),
            (a, b) => {
                assert_eq!(a.dtype(), b.dtype(), "operands of two types");
                let number = |v: Value| v.integer().expect("floats were handled");
                Value::whole(whole(operator, number(a), number(b))).cast(a.dtype())
            }
        };
        if r == 0.0 && s == 0.0 {
            return Cell::exact(value);
        }
        if !value.dtype().is_float() {
            return unknown(value);
        }
        match operator {
            Binary::Add | Binary::Subtract => rounded(value, r + s),
            Binary::Multiply => rounded(value, x.abs() * s + y.abs() * r + r * s),
            Binary::Divide if y.abs() <= s => unknown(value),
            // It jumps.
            Binary::Remainder => unknown(value),
            Binary::Divide => rounded(value, (r + (x / y).abs() * s) / (y.abs() - s)),
            _ => rounded(value, r.max(s)),
        }
    }

    /// `self * factor + addend`, rounded once; all have one float type.
    pub fn mul_add(self, factor: Cell, addend: Cell) -> Cell {
        let dtype = self.value.dtype();
        if dtype.is_narrow() {
            return self.widened().mul_add(factor.widened(), addend.widened()).narrowed(dtype);
        }
        let value = match (self.value, factor.value, addend.value) {
            (Value::F32(x), Value::F32(y), Value::F32(z)) => Value::F32(x.mul_add(y, z)),
            (x, y, z) => Value::F64(x.float().mul_add(y.float(), z.float())),
        };
        let (x, y) = (self.value.float().abs(), factor.value.float().abs());
        let (r, s, t) = (self.radius, factor.radius, addend.radius);
        if r == 0.0 && s == 0.0 && t == 0.0 {
            return Cell::exact(value);
        }
        rounded(value, x * s + y * r + r * s + t)
    }

    /// The number, or what stands for NaN and the infinities; integers are what they are.
    pub fn finite(self, nan: f64, high: f64, low: f64) -> Cell {
        let replaced = match self.value.float() {
            x if x.is_nan() => nan,
            f64::INFINITY => high,
            f64::NEG_INFINITY => low,
            _ => return self,
        };
        Cell { value: Value::F64(replaced).cast(self.value.dtype()), radius: self.radius }
    }

    /// A comparison; the operands have one type, or are integers of any.
    pub fn compare(self, comparison: Comparison, other: Cell) -> Cell {
        fn holds<T: PartialOrd>(comparison: Comparison, a: T, b: T) -> bool {
            match comparison {
                Comparison::Less => a < b,
                Comparison::LessEqual => a <= b,
                Comparison::Greater => a > b,
                Comparison::GreaterEqual => a >= b,
                Comparison::Equal => a == b,
                Comparison::NotEqual => a != b,
            }
        }
        let value = Value::Bool(match (self.value.integer(), other.value.integer()) {
            (Some(a), Some(b)) => holds(comparison, a, b),
            _ => holds(comparison, self.value.float(), other.value.float()),
        });
        let radius = self.radius + other.radius;
        let clear = (self.value.float() - other.value.float()).abs() > radius;
        if radius == 0.0 || clear { Cell::exact(value) } else { unknown(value) }
    }

    /// `then` where this bool is true.
    pub fn select(self, then: Cell, otherwise: Cell) -> Cell {
        let Value::Bool(mask) = self.value else { unreachable!("the mask is bool") };
        let chosen = if mask { then } else { otherwise };
        if self.radius == 0.0 { chosen } else { unknown(chosen.value) }
    }
}

/// Nothing is known of the true value but its type.
pub fn unknown(value: Value) -> Cell {
    Cell { value, radius: f64::INFINITY }
}

/// A result of inexact operands: `spread` in real arithmetic, and both roundings.
pub fn rounded(value: Value, spread: f64) -> Cell {
    let size = value.float().abs();
    let radius = spread * 1.001 + ulps(value.dtype(), size, 2.0);
    // What is close to the largest number of a narrow float may be infinite.
    let narrow = value.dtype().is_narrow() && value.dtype().is_float();
    let most = if narrow { value.dtype().largest() } else { f64::INFINITY };
    if size + radius < most { Cell { value, radius } } else { unknown(value) }
}

/// `count` units in the last place of numbers of this size, and of the least denormals.
pub fn ulps(dtype: RealType, size: f64, count: f64) -> f64 {
    match dtype {
        RealType::F16 => count * (size * 2f64.powi(-10) + 6e-8),
        RealType::BF16 => count * (size * 2f64.powi(-7) + 1e-40),
        RealType::F32 => count * (size * f32::EPSILON as f64 + 1e-44),
        _ => count * (size * f64::EPSILON + 1e-322),
    }
}

/// NaN wins; -0.0 is less than 0.0.
pub fn extreme(operator: Binary, a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    let least = if a < b || (a == b && a.is_sign_negative()) { (a, b) } else { (b, a) };
    if operator == Binary::Minimum { least.0 } else { least.1 }
}

/// An operator of integers, of which the low bits are right in every narrower type.
fn whole(operator: Binary, a: i128, b: i128) -> i128 {
    match operator {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::Remainder => modulo(a, b),
        Binary::Minimum => a.min(b),
        Binary::Maximum => a.max(b),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Divide | Binary::Apply(_) => unreachable!("{operator:?} of integers"),
    }
}

/// With the sign of the divisor; 0 for the divisor 0.
fn modulo(a: i128, b: i128) -> i128 {
    let rest = a.checked_rem(b).unwrap_or(0);
    if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
}

/// With the sign of the divisor, as NumPy's.
fn remainder(a: f64, b: f64, add: fn(f64, f64) -> f64) -> f64 {
    let rest = a % b;
    if rest == 0.0 {
        0f64.copysign(b)
    } else if (rest < 0.0) != (b < 0.0) {
        add(rest, b)
    } else {
        rest
    }
}

/// Exact cells of these floats, for tests.
#[cfg(test)]
pub(super) fn array(shape: &[usize], values: &[f64]) -> ndarray::ArrayD<Cell> {
    let cells = values.iter().map(|&v| Cell::exact(Value::F64(v))).collect();
    ndarray::ArrayD::from_shape_vec(shape, cells).expect("as many as the shape holds")
}

/// The values of cells, for tests.
#[cfg(test)]
pub(super) fn floats(cells: &ndarray::ArrayD<Cell>) -> Vec<f64> {
    cells.iter().map(|c| c.value.float()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Cell, Value, extreme};
    use crate::program::{Binary, Comparison, Unary};
    use darray_core::RealType;

    fn cell(x: f64) -> Cell {
        Cell::exact(Value::F64(x))
    }

    #[test]
    fn exact_operators_admit_the_bits_and_nothing_else() {
        let third = cell(1.0).binary(Binary::Divide, cell(3.0));
        assert!(third.admits(Value::F64(1.0 / 3.0)));
        assert!(!third.admits(Value::F64((1.0f64 / 3.0).next_up())));
        assert!(!third.admits(Value::F32(1.0 / 3.0)));
        assert!(!cell(0.0).admits(Value::F64(-0.0)));
        assert!(cell(f64::NAN).admits(Value::F64(-f64::NAN)));
    }

    #[test]
    fn radii_grow_and_reach_what_depends_on_them() {
        let e = cell(1.0).unary(Unary::Apply(darray::Unary::Exp));
        assert!(e.admits(Value::F64(1f64.exp().next_up())));
        assert!(!e.admits(Value::F64(1f64.exp() * (1.0 + 1e-14))));
        let difference = e.binary(Binary::Subtract, e);
        assert!(difference.radius > e.radius);
        let open = difference.compare(Comparison::Less, cell(0.0));
        assert!(open.admits(Value::Bool(true)) && open.admits(Value::Bool(false)));
        let clear = e.compare(Comparison::Less, cell(3.0));
        assert!(clear.admits(Value::Bool(true)) && !clear.admits(Value::Bool(false)));
    }

    #[test]
    fn integers_wrap_to_their_type() {
        let cell = |v: i64, dtype| Cell::exact(Value::whole(v).cast(dtype));
        for (dtype, a, b, sum, difference) in [
            (RealType::U8, 200, 100, 44, 100),
            (RealType::U8, 3, 5, 8, 254),
            (RealType::I32, i32::MAX as i64, 1, i32::MIN as i64, i32::MAX as i64 - 1),
            (RealType::I64, i64::MIN, 1, i64::MIN + 1, i64::MAX),
            (RealType::U64, 7, 3, 10, 4),
        ] {
            let (a, b) = (cell(a, dtype), cell(b, dtype));
            assert_eq!(a.binary(Binary::Add, b).value.integer(), Some(sum.into()));
            assert_eq!(a.binary(Binary::Subtract, b).value.integer(), Some(difference.into()));
        }
        assert_eq!(
            cell(5, RealType::U8).unary(Unary::Apply(darray::Unary::Not)).value.integer(),
            Some(250)
        );
        assert_eq!(
            cell(1, RealType::U8).unary(Unary::Apply(darray::Unary::Neg)).value.integer(),
            Some(255)
        );
        let most = cell(-1, RealType::U64);
        assert_eq!(most.value.integer(), Some(u64::MAX.into()));
        assert_eq!(most.binary(Binary::Multiply, most).value.integer(), Some(1));
        assert_eq!(Value::F64(-7.5).cast(RealType::U8).integer(), Some(0));
        assert_eq!(Value::whole(-7).cast(RealType::U8).integer(), Some(249));
        assert_eq!(Value::whole(-7).cast(RealType::I32).bits(), 0xffff_fff9);
    }

    #[test]
    fn extremes_order_zeros_and_keep_nan() {
        assert!(extreme(Binary::Minimum, 0.0, -0.0).is_sign_negative());
        assert!(extreme(Binary::Maximum, -0.0, 0.0).is_sign_positive());
        assert!(extreme(Binary::Maximum, 1.0, f64::NAN).is_nan());
    }
}
