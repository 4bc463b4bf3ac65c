//! Windows as text. [`crate::parse`] reads the same form.
//!
//! ```text
//! s0: f64 [4, 6] initialised live
//! s1: f64 [4, 6] live
//! t0: mul.f64 over [4, 6]: s1[i0, i1] = s0[i0, i1], 2.0:f64
//! t1: sum{0, 1} over [4, 6]: s2[] = s1[i0, i1]
//! ```
//!
//! A map over its store is `s0[1 + 2*i1, 5]`; a linear one is `s0{4*i0 + i1}`.

use crate::{IndexTask, Opaque, StoreId, TaskArg, TaskOp, Window};
use darray_core::{Chart, Dim, Map};
use std::fmt;

impl fmt::Display for StoreId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}

impl fmt::Display for TaskOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskOp::Apply { operator, compute, .. } => write!(f, "{}.{compute}", operator.name()),
            TaskOp::Copy => f.write_str("copy"),
            TaskOp::Fill => f.write_str("fill"),
            TaskOp::Composite { composite, compute, .. } => write!(f, "{composite}.{compute}"),
            TaskOp::Arange { axes } => write!(f, "arange{{{}}}", axes_text(*axes)),
            TaskOp::BelowDiagonal => f.write_str("below_diagonal"),
            TaskOp::Random { generator, distribution } => {
                write!(f, "random{{{generator}, {}}}", distribution.name())
            }
            TaskOp::Reduce { reducer, axes } => {
                write!(f, "{}{{{}}}", reducer.name(), axes_text(*axes))
            }
            TaskOp::Opaque(opaque) => {
                let Opaque { definition, outputs, updated, whole } = opaque;
                write!(f, "opaque{{{definition}, {outputs}, {updated}, {whole}}}")
            }
            TaskOp::InnerProduct { axis } => {
                write!(f, "inner_product{{{axis}}}")
            }
            TaskOp::Builtin(builtin) => builtin.fmt(f),
        }
    }
}

fn axes_text(axes: u32) -> String {
    let list: Vec<String> = (0..32).filter(|a| axes >> a & 1 == 1).map(|a| a.to_string()).collect();
    list.join(", ")
}

/// A map as text, without its store.
pub fn map_text(map: &Map) -> String {
    let dims: Vec<String> = map.dims.iter().map(dim_text).collect();
    match map.chart {
        Chart::Native => format!("[{}]", dims.join(", ")),
        Chart::Linear => format!("{{{}}}", dims.join(", ")),
    }
}

fn dim_text(dim: &Dim) -> String {
    let Some(axis) = dim.axis else { return dim.start.to_string() };
    match (dim.start, dim.step) {
        (0, 1) => format!("i{axis}"),
        (0, step) => format!("{step}*i{axis}"),
        (start, 1) => format!("{start} + i{axis}"),
        (start, step) => format!("{start} + {step}*i{axis}"),
    }
}

impl Window {
    /// An argument as text: `s2[i0, 1 + i1]`.
    pub fn arg_text(&self, arg: &TaskArg) -> String {
        format!("{}{}", arg.store, map_text(self.map(arg.map)))
    }

    /// A task as text, without its number.
    pub fn task_text(&self, task: &IndexTask) -> String {
        let (outputs, inputs) = task.args.split_at(task.outputs());
        let outputs: Vec<String> = outputs.iter().map(|a| self.arg_text(a)).collect();
        let mut inputs = inputs.iter().map(|a| self.arg_text(a));
        let mut scalars = task.scalars.iter().map(|s| format!("{s:?}"));
        let mut operands: Vec<String> = Vec::new();
        let (count, mask) = match task.op {
            TaskOp::Apply { operator, scalars, .. } => (operator.arity(), scalars),
            TaskOp::Composite { composite, scalars, .. } => (composite.formula.inputs(), scalars),
            _ => (0, 0),
        };
        let operand = |position| {
            if mask >> position & 1 == 1 { scalars.next() } else { inputs.next() }
        };
        operands.extend((0..count).filter_map(operand));
        operands.extend(inputs.chain(scalars));
        let operands = operands.join(", ");
        let between = if operands.is_empty() { " =" } else { " = " };
        let (domain, outputs) = (self.domain(task.domain), outputs.join(", "));
        format!("{} over {domain}: {outputs}{between}{operands}", task.op)
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, store) in self.stores().iter().enumerate() {
            write!(f, "s{number}: {} {}", store.dtype, store.shape)?;
            let words = [
                (" initialised", store.initialised),
                (" live", store.live),
                (" replaced", store.is_replaced),
            ];
            for (word, set) in words {
                f.write_str(if set { word } else { "" })?;
            }
            writeln!(f)?;
        }
        for (number, task) in self.tasks().iter().enumerate() {
            writeln!(f, "t{number}: {}", self.task_text(task))?;
        }
        Ok(())
    }
}
