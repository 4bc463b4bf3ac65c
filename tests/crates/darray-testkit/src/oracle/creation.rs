//! Computed numbers and host data, element by element.

use super::cell::{Cell, Value};
use crate::program::{Binary, Creation, Span};
use crate::random::Random;
use darray_core::RealType;
use ndarray::{ArrayD, IxDyn};

/// The elements of a creation, of type `dtype`.
///
/// # Errors
/// A text when there is no such array of this type.
pub fn create(what: &Creation, dtype: RealType) -> Result<ArrayD<Cell>, String> {
    let refused = || Err(format!("{what} as {dtype}"));
    match what {
        Creation::Arange { .. } | Creation::Range { .. } if dtype == RealType::Bool => refused(),
        Creation::Linspace(_) | Creation::Logspace { .. } if !dtype.is_float() => refused(),
        Creation::Range { step, .. } if Value::F64(*step).cast(dtype).float() == 0.0 => refused(),
        Creation::Arange { count } => {
            Ok(line((0..*count as i64).map(|k| Value::whole(k).cast(dtype))))
        }
        Creation::Range { start, stop, step } => {
            let [start, stop, step] = [start, stop, step].map(|v| Value::F64(*v).cast(dtype));
            Ok(line(range(start, stop, step)))
        }
        Creation::Linspace(span) => Ok(line(spread(*span).map(|v| Value::F64(v).cast(dtype)))),
        Creation::Logspace { exponents, base } => {
            let (power, base) = (Binary::Apply(darray::Binary::Power), exact(*base));
            let powers = spread(*exponents).map(|v| base.binary(power, exact(v)).cast(dtype));
            Ok(ArrayD::from_shape_vec(IxDyn(&[exponents.count]), powers.collect())
                .expect("one axis"))
        }
        Creation::Eye { rows, columns, offset } => {
            Ok(matrix([*rows, *columns], dtype, |i, j| j == i + offset))
        }
        Creation::Identity { count } => Ok(matrix([*count, *count], dtype, |i, j| i == j)),
        Creation::Tri { rows, columns, offset } => {
            Ok(matrix([*rows, *columns], dtype, |i, j| j <= i + offset))
        }
        Creation::Empty { shape } => Ok(full(shape, dtype, 0.0)),
    }
}

/// Equal elements.
pub fn full(shape: &[usize], dtype: RealType, value: f64) -> ArrayD<Cell> {
    ArrayD::from_elem(IxDyn(shape), Cell::exact(Value::F64(value).cast(dtype)))
}

/// Python's range of integers; of floats NumPy's, whose step is the difference of the first two.
fn range(start: Value, stop: Value, step: Value) -> Box<dyn Iterator<Item = Value>> {
    if let (Some(first), Some(end), Some(by)) = (start.integer(), stop.integer(), step.integer()) {
        let within = move |at: &i128| if by > 0 { *at < end } else { *at > end };
        let numbers = std::iter::successors(Some(first), move |at| Some(at + by));
        return Box::new(
            numbers.take_while(within).map(move |v| Value::whole(v).cast(start.dtype())),
        );
    }
    let rounded = |value: f64| Value::F64(value).cast(start.dtype()).float();
    let span = rounded(stop.float() - start.float());
    let count = rounded(span / step.float()).ceil().max(0.0) as u32;
    match (start, step) {
        (Value::Narrow(first, dtype), Value::Narrow(..)) => {
            let by = (rounded(start.float() + step.float()) - start.float()) as f32;
            Box::new((0..count).map(move |k| Value::F32(first + k as f32 * by).cast(dtype)))
        }
        (Value::F32(first), Value::F32(by)) => {
            let by = (first + by) - first;
            Box::new((0..count).map(move |k| Value::F32(first + k as f32 * by)))
        }
        _ => {
            let (first, by) = (start.float(), step.float());
            let by = (first + by) - first;
            Box::new((0..count).map(move |k| Value::F64(first + f64::from(k) * by)))
        }
    }
}

/// Numbers in equal steps, as NumPy's `linspace` computes them.
fn spread(span: Span) -> impl Iterator<Item = f64> {
    let Span { start, stop, count, endpoint } = span;
    let parts = if endpoint { count.saturating_sub(1) } else { count } as f64;
    let step = (stop - start) / parts;
    (0..count).map(move |k| match k {
        0 if count == 1 => start,
        k if endpoint && k + 1 == count => stop,
        k if step == 0.0 => (k as f64 / parts) * (stop - start) + start,
        k => k as f64 * step + start,
    })
}

/// Ones where the row and the column say so.
fn matrix(shape: [usize; 2], dtype: RealType, one: impl Fn(isize, isize) -> bool) -> ArrayD<Cell> {
    ArrayD::from_shape_fn(IxDyn(&shape), |at| {
        let bit = one(at[0] as isize, at[1] as isize);
        Cell::exact(Value::Bool(bit).cast(dtype))
    })
}

fn line(values: impl Iterator<Item = Value>) -> ArrayD<Cell> {
    let cells: Vec<Cell> = values.map(Cell::exact).collect();
    ArrayD::from_shape_vec(IxDyn(&[cells.len()]), cells).expect("one axis")
}

fn exact(value: f64) -> Cell {
    Cell::exact(Value::F64(value))
}

/// Host data: small integers and fractions, now and then a special value.
pub fn data(dtype: RealType, seed: u64, count: usize) -> Vec<Value> {
    const SPECIAL: [f64; 8] =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 1e-310, 3e9, -1e19];
    let mut random = Random::new(seed);
    let special = random.chance(15);
    let element = |random: &mut Random| {
        if dtype == RealType::Bool {
            return Value::Bool(random.chance(50));
        }
        if special && random.chance(20) {
            return Value::F64(random.pick(&SPECIAL)).cast(dtype);
        }
        let whole = random.between(-9, 9) as f64;
        let part = random.below(16) as f64 / 16.0;
        if dtype.is_integer() {
            // Below zero, unsigned ones wrap.
            return Value::whole(whole as i64).cast(dtype);
        }
        // Thirds do not fit into a float, so every rounding shows.
        let value = if random.chance(30) { (whole + part) / 3.0 } else { whole + part };
        Value::F64(value).cast(dtype)
    };
    (0..count).map(|_| element(&mut random)).collect()
}
