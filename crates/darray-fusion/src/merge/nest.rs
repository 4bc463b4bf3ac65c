//! What each index task computes at one element, composed into a kernel.

use crate::merge::composer::Composer;
use darray_core::{Compute, Scalar};
use darray_ir::{Distribution, IndexTask, TaskOp};
use darray_kernel::composite::Step;
use darray_kernel::ir::{Reducer, Value};
use darray_kernel::operator::Operator;
use smallvec::SmallVec;

/// Adds the nest of a task to the kernel.
pub(crate) fn compose(k: &mut Composer<'_>, number: u32) {
    let task = &k.window.tasks()[number as usize];
    match task.op {
        TaskOp::Apply { operator, compute, scalars } => {
            let mask = (operator == Operator::Select).then_some(0);
            let operands = operands(k, number, (operator.arity(), mask), compute, scalars);
            let value = k.apply(operator, &operands);
            write(k, task, value);
        }
        TaskOp::Copy => {
            let value = input(k, task, 0);
            write(k, task, value);
        }
        TaskOp::Fill => {
            let value = k.scalar(number, 0);
            write(k, task, value);
        }
        TaskOp::Composite { composite, compute, scalars } => {
            let inputs = composite.formula.inputs();
            let mut values = operands(k, number, (inputs, None), compute, scalars);
            let body = composite.body(compute);
            for step in &body.steps {
                let value = match step {
                    Step::Constant(scalar) => k.constant(*scalar),
                    Step::Apply(operator, args) => {
                        let args: SmallVec<[Value; 3]> =
                            args.iter().map(|&arg| values[usize::from(arg)]).collect();
                        k.apply(*operator, &args)
                    }
                };
                values.push(value);
            }
            for (output, &(value, _)) in body.results.iter().enumerate() {
                let out = task.args[output];
                k.store(out.store, out.map, values[usize::from(value)]);
            }
        }
        TaskOp::Arange { axes } => {
            let out = k.window.store(task.args[0].store).dtype.compute();
            let mut value = k.scalar(number, 0);
            for (nth, axis) in (0..32u8).filter(|a| axes >> a & 1 == 1).enumerate() {
                let index = k.index(axis);
                let index = k.cast(index, out);
                let step = k.scalar(number, 1 + nth as u32);
                let offset = k.apply(Operator::Mul, &[index, step]);
                value = k.apply(Operator::Add, &[value, offset]);
            }
            write(k, task, value);
        }
        TaskOp::BelowDiagonal => {
            let out = k.window.store(task.args[0].store).dtype.compute();
            let column = k.window.domain(task.domain).rank() as u8 - 1;
            let [row, column] = [column - 1, column].map(|axis| {
                let index = k.index(axis);
                k.cast(index, out)
            });
            let value = k.apply(Operator::Sub, &[row, column]);
            write(k, task, value);
        }
        TaskOp::Random { generator, distribution } => {
            let key = std::array::from_fn(|word| k.scalar(number, word as u32));
            let counter = linear_index(k, task, number);
            let dtype = match distribution {
                Distribution::Uniform => k.window.store(task.args[0].store).dtype,
                _ => Compute::I64.dtype(),
            };
            let draw = k.random(generator, dtype, key, counter);
            let value = match distribution {
                Distribution::Bits | Distribution::Uniform => draw,
                Distribution::Normal => normal(k, draw),
                Distribution::Exponential => exponential(k, draw),
            };
            write(k, task, value);
        }
        TaskOp::Reduce { reducer, axes } => reduce(k, task, reducer, axes),
        TaskOp::InnerProduct { axis, .. } => {
            let dtype = k.window.store(task.args[0].store).dtype;
            let factors = [0, 1].map(|n| input(k, task, n)).map(|value| k.cast(value, dtype));
            let product = k.apply(Operator::Mul, &factors);
            let output = (task.args[0].store, task.args[0].map);
            k.fold(product, Reducer::Sum, 1 << axis, vec![output]);
        }
        TaskOp::Builtin(_) | TaskOp::Opaque(_) => unreachable!("never merged"),
    }
}

fn input(k: &mut Composer<'_>, task: &IndexTask, index: usize) -> Value {
    let arg = task.args[task.outputs() + index];
    k.load(arg.store, arg.map)
}

fn write(k: &mut Composer<'_>, task: &IndexTask, value: Value) {
    let out = task.args[0];
    k.store(out.store, out.map, value);
}

/// The operands of a task, of which one may be a mask; others are cast to the type of the computation.
fn operands(
    k: &mut Composer<'_>,
    number: u32,
    (count, mask): (usize, Option<usize>),
    compute: Compute,
    scalars: u8,
) -> Vec<Value> {
    let task = &k.window.tasks()[number as usize];
    let (mut next_input, mut next_scalar) = (0, 0);
    (0..count)
        .map(|position| {
            let value = if scalars >> position & 1 == 1 {
                next_scalar += 1;
                k.scalar(number, next_scalar - 1)
            } else {
                next_input += 1;
                input(k, task, next_input - 1)
            };
            if mask == Some(position) { value } else { k.cast(value, compute.dtype()) }
        })
        .collect()
}

/// Scalar 4 plus the row-major index in the domain. The strides are scalars 5 and up, one per axis.
fn linear_index(k: &mut Composer<'_>, task: &IndexTask, number: u32) -> Value {
    let rank = k.window.domain(task.domain).rank();
    let mut linear = k.scalar(number, 4);
    for axis in 0..rank {
        let index = k.index(axis as u8);
        let stride = k.scalar(number, 5 + axis as u32);
        let offset = k.apply(Operator::Mul, &[index, stride]);
        linear = k.apply(Operator::Add, &[linear, offset]);
    }
    linear
}

/// The normal number of a draw.
fn normal(k: &mut Composer<'_>, bits: Value) -> Value {
    let probability = probability(k, bits, -64);
    let lower = k.apply(Operator::NormalQuantile, &[probability]);
    let upper = k.apply(Operator::Neg, &[lower]);
    let zero = k.constant(Scalar::from(0i64));
    let negative = k.apply(Operator::Lt, &[bits, zero]);
    k.apply(Operator::Select, &[negative, lower, upper])
}

/// The exponential number of a draw.
fn exponential(k: &mut Composer<'_>, bits: Value) -> Value {
    let probability = probability(k, bits, -63);
    let logarithm = k.apply(Operator::Ln, &[probability]);
    // Not `neg`, which would make a zero negative.
    k.apply(Operator::Abs, &[logarithm])
}

/// `(m + 1/2) 2^exponent`, rounded once, where `m` is the lower 63 bits of a draw. Never 0.
fn probability(k: &mut Composer<'_>, bits: Value, exponent: i32) -> Value {
    let mask = k.constant(Scalar::from(i64::MAX));
    let lower = k.apply(Operator::And, &[bits, mask]);
    let lower = k.cast(lower, Compute::F64.dtype());
    let unit = k.constant(Scalar::from(2f64.powi(exponent)));
    let half = k.constant(Scalar::from(2f64.powi(exponent - 1)));
    let scaled = k.apply(Operator::Mul, &[lower, unit]);
    k.apply(Operator::Add, &[scaled, half])
}

fn reduce(k: &mut Composer<'_>, task: &IndexTask, reducer: Reducer, axes: u32) {
    let value = input(k, task, 0);
    let dtype = k.window.store(task.args[0].store).dtype;
    let value = k.cast(value, dtype);
    let outputs: Vec<_> = task.args[..task.outputs()].iter().map(|a| (a.store, a.map)).collect();
    if axes == 0 {
        // Nothing to fold: each output element is its one input element, at index 0.
        k.store(outputs[0].0, outputs[0].1, value);
        if let Some(&(store, map)) = outputs.get(1) {
            let zero = k.constant(Scalar::from(0i64));
            k.store(store, map, zero);
        }
        return;
    }
    k.fold(value, reducer, axes, outputs);
}
