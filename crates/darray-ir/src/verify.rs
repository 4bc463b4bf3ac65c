//! The invariants of a window.
//!
//! 1. Tasks name stores, domains and maps of the window.
//! 2. A native map has one dimension per store dimension; an axis that it names is an axis of its
//!    domain (for a builtin: of its operand) with extent above 1; a fixed dimension has step 0, a
//!    moving one another step.
//! 3. Over a non-empty domain every coordinate lies inside the store.
//! 4. Arguments are as many as the operation takes, outputs first, with the privilege that the
//!    operation implies. An opaque task has an output and at most 16 arguments, updates outputs only
//!    and reads whole inputs only.
//! 5. Element types fit: the operator is defined for the computation's type, conditions are bool,
//!    the distribution gives numbers of the output's type; a diagonal has two axes and a type with differences; an inner product sums its output's type
//!    along an axis of its domain; a builtin takes the types of its arguments over its domain.
//!
//! Preconditions P1 to P3 are the planner's: see `darray_fusion::precondition`.

use crate::{IndexTask, Opaque, Privilege, TaskArg, TaskOp, Window, geometry};
use darray_core::{Chart, RealType, Shape};
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use std::borrow::Cow;
use std::fmt;

/// An invariant that a window breaks.
#[derive(Clone, PartialEq, Eq)]
pub struct WindowError {
    /// The task's number.
    pub task: u32,
    /// The invariant's number in the module's list.
    pub invariant: u8,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for WindowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}: invariant {}: {}", self.task, self.invariant, self.message)
    }
}

impl fmt::Debug for WindowError {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for WindowError {}

/// Checks every invariant; the first that is broken.
pub fn verify(window: &Window) -> Result<(), WindowError> {
    for (number, task) in window.tasks().iter().enumerate() {
        let broken = |(invariant, message)| WindowError { task: number as u32, invariant, message };
        names(window, task).map_err(broken)?;
        for (position, arg) in task.args.iter().enumerate() {
            geometry_of(window, task, position, arg).map_err(broken)?;
        }
        arguments(task).map_err(broken)?;
        types(window, task).map_err(broken)?;
    }
    Ok(())
}

type Check = Result<(), (u8, String)>;

fn ensure(holds: bool, invariant: u8, message: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err((invariant, message())) }
}

fn names(window: &Window, task: &IndexTask) -> Check {
    let domain = (task.domain.0 as usize) < window.domain_count();
    ensure(domain, 1, || format!("no domain {}", task.domain.0))?;
    for arg in &task.args {
        let store = (arg.store.0 as usize) < window.stores().len();
        ensure(store, 1, || format!("no store {}", arg.store))?;
        let map = (arg.map.0 as usize) < window.map_count();
        ensure(map, 1, || format!("no map {}", arg.map.0))?;
    }
    Ok(())
}

/// The domain that an argument's map spans. Builtins may use a domain of their own for an argument, with an extent that is a
/// scalar.
fn span_of<'w>(window: &'w Window, task: &IndexTask, position: usize) -> Cow<'w, Shape> {
    let domain = window.domain(task.domain);
    match (task.op, position) {
        (TaskOp::Opaque(opaque), _) if opaque.is_whole(position) => {
            Cow::Borrowed(&window.store(task.args[position].store).shape)
        }
        (TaskOp::Builtin(builtin), _) => {
            let extent = task.scalars.first().map_or(0, |s| s.to_i64()).max(0) as usize;
            let mut tile = domain.iter().map(|&n| 0..n).collect();
            builtin.spec().part(position, &mut tile, extent);
            Cow::Owned(tile.into_iter().map(|range| range.len()).collect())
        }
        _ => Cow::Borrowed(domain),
    }
}

fn geometry_of(window: &Window, task: &IndexTask, position: usize, arg: &TaskArg) -> Check {
    let (store, map) = (window.store(arg.store), window.map(arg.map));
    let native = map.chart == Chart::Native;
    let rank = store.shape.rank();
    ensure(!native || map.dims.len() == rank, 2, || {
        format!("{} has {} dimensions", window.arg_text(arg), map.dims.len())
    })?;
    for dim in &map.dims {
        let fits = dim.axis.is_some() == (dim.step != 0);
        ensure(fits, 2, || format!("step of {}", window.arg_text(arg)))?;
    }
    let domain = span_of(window, task, position);
    for dim in &map.dims {
        let moving = dim.axis.is_none_or(|a| domain.get(a as usize).is_some_and(|&n| n != 1));
        ensure(moving, 2, || format!("an axis of {} over {domain}", window.arg_text(arg)))?;
    }
    if domain.size() == 0 {
        return Ok(());
    }
    let reach = |dim| geometry::reach(dim, &domain);
    let inside = if native {
        let mut dims = map.dims.iter().zip(store.shape.iter());
        dims.all(|(d, &n)| reach(d).start >= 0 && reach(d).end <= n as i64)
    } else {
        let low: i64 = map.dims.iter().map(|d| reach(d).start).sum();
        let high: i64 = map.dims.iter().map(|d| reach(d).end - 1).sum();
        low >= 0 && high < store.shape.size() as i64
    };
    ensure(inside, 3, || {
        format!("{} leaves the store {} over {domain}", window.arg_text(arg), store.shape)
    })
}

fn arguments(task: &IndexTask) -> Check {
    let (inputs, scalars) = match task.op {
        TaskOp::Apply { operator, scalars, .. } => {
            let scalars = scalars.count_ones() as usize;
            (operator.arity() - scalars, scalars)
        }
        TaskOp::Composite { composite, scalars, .. } => {
            let scalars = scalars.count_ones() as usize;
            (composite.formula.inputs().saturating_sub(scalars), scalars)
        }
        TaskOp::Copy | TaskOp::Reduce { .. } => (1, 0),
        TaskOp::InnerProduct { .. } => (2, 0),
        TaskOp::Fill => (0, 1),
        TaskOp::BelowDiagonal => (0, 0),
        TaskOp::Arange { axes } => (0, 1 + axes.count_ones() as usize),
        TaskOp::Random { .. } => (0, task.scalars.len().max(5)),
        TaskOp::Opaque(opaque) => {
            let (args, outputs) = (task.args.len(), opaque.outputs as usize);
            let outside = |bits: u16, from: usize, to: usize| {
                (0..16).any(|k| bits >> k & 1 == 1 && !(from..to).contains(&k))
            };
            let fit = (1..=args).contains(&outputs) && args <= Opaque::MOST_ARGS;
            let bits = outside(opaque.updated, 0, outputs) || outside(opaque.whole, outputs, args);
            ensure(fit && !bits, 4, || format!("{} of {args} arguments", task.op))?;
            (args - outputs, task.scalars.len())
        }
        TaskOp::Builtin(builtin) => builtin.spec().inputs(),
    };
    let outputs = task.outputs();
    ensure(task.args.len() == outputs + inputs && task.scalars.len() == scalars, 4, || {
        format!("{} arguments and {} scalars", task.args.len(), task.scalars.len())
    })?;
    let privileges = task.args.iter().enumerate();
    let mut fit = privileges.map(|(p, arg)| {
        let output = p < outputs;
        arg.privilege == if output { task.op.output_privilege(p) } else { Privilege::Read }
    });
    ensure(fit.all(|f| f), 4, || "privileges".to_string())
}

fn types(window: &Window, task: &IndexTask) -> Check {
    let dtype = |position: usize| window.store(task.args[position].store).dtype;
    match task.op {
        TaskOp::Apply { operator, compute, scalars } => {
            let mut operands = vec![compute.dtype(); operator.arity()];
            if operator == Operator::Select {
                operands[0] = RealType::MASK;
                let condition = scalars & 1 == 1 || dtype(1) == RealType::MASK;
                ensure(condition, 5, || "the condition of select is not bool".to_string())?;
            }
            let defined = operator.result(&operands).is_some();
            ensure(defined, 5, || format!("{} of {compute}", operator.name()))
        }
        TaskOp::Composite { composite, compute, .. } => {
            let defined = composite.is_defined(compute);
            ensure(defined, 5, || format!("{composite} of {compute}"))
        }
        TaskOp::BelowDiagonal => {
            let (rank, out) = (window.domain(task.domain).rank(), dtype(0).compute());
            let defined = rank >= 2 && Operator::Sub.result(&[out; 2]).is_some();
            ensure(defined, 5, || format!("diagonal of {rank} axes in {out}"))
        }
        TaskOp::Random { distribution, .. } => {
            let gives = distribution.gives(dtype(0));
            ensure(gives, 5, || format!("{} of {}", distribution.name(), dtype(0)))
        }
        TaskOp::Reduce { reducer, .. } => {
            let defined = reducer.result(dtype(0)).is_some();
            ensure(defined, 5, || format!("{} of {}", reducer.name(), dtype(0)))
        }
        TaskOp::InnerProduct { axis, .. } => {
            let defined = Reducer::Sum.result(dtype(0)).is_some()
                && (axis as usize) < window.domain(task.domain).rank();
            ensure(defined, 5, || format!("inner product of {} along axis {axis}", dtype(0)))
        }
        TaskOp::Builtin(builtin) => {
            let dtypes: Vec<RealType> = (0..task.args.len()).map(dtype).collect();
            let rank = window.domain(task.domain).rank();
            builtin.spec().check(&dtypes, rank).map_err(|message| (5, message))
        }
        _ => Ok(()),
    }
}
