//! Tasks that give what an earlier one of the window gives.
//!
//! `(x - x.mean()) / x.std()` sums `x` twice, and two quantiles sort it twice. Equal reductions, tasks over no axes and builtins are run once: who
//! reads what the later one gives reads the earlier one's result, and nobody needs the later one. Element-wise tasks are known to be equal, too, so
//! that what folds them is, but they are sooner computed again than kept.
//!
//! ```text
//! t0  sum{0}: s1[] = s0[i0]
//! t1  mul: s2[] = s1[], 0.1
//! t2  sum{0}: s3[] = s0[i0]         gives what t0 gives
//! t3  sub: s4[i0] = s0[i0], s3[]    reads s1
//! ```
//!
//! Tasks are equal if they do the same through the same maps with equal scalars to equal values, and give all there is of arrays of one shape and type that
//! nothing else writes. Scalars are no part of a window's form: a plan serves windows in which they are equal again.

use darray_core::{RealType, Scalar, Shape};
use darray_ir::{IndexTask, MapId, Privilege, StoreId, TaskOp, Window};
use hashbrown::{DefaultHashBuilder, HashTable};
use smallvec::SmallVec;
use std::hash::BuildHasher;

/// What of a window is computed once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Equals {
    /// Tasks that are not run, each with the one that gives the same.
    pub once: Vec<(u32, u32)>,
    /// Tasks whose scalars must be equal for that.
    scalars: Vec<(u32, u32)>,
    /// Arguments that are another store.
    renamed: Vec<(u32, u32, StoreId)>,
}

/// A value number: equal ones are equal values.
type Number = u32;

/// What a task gives, as far as it can be compared.
#[derive(PartialEq)]
struct Key<'w> {
    op: TaskOp,
    domain: u32,
    outputs: SmallVec<[(MapId, RealType, &'w Shape); 2]>,
    inputs: SmallVec<[(MapId, Number); 4]>,
    scalars: SmallVec<[(RealType, u64); 2]>,
}

/// Finds out what of a window, whose live bits are set, is computed once.
pub(crate) fn of(window: &Window) -> Equals {
    let mut equals = Equals::default();
    let may_be = |task: &IndexTask| is_worth_it(window, task);
    if window.tasks().iter().filter(|task| may_be(task)).count() < 2 {
        return equals;
    }
    let stores = window.stores().len();
    let mut writes = vec![0u32; stores];
    for arg in window.tasks().iter().flat_map(|task| &task.args) {
        writes[arg.store.0 as usize] += u32::from(arg.privilege != Privilege::Read);
    }
    let is_made_once =
        |store: StoreId| writes[store.0 as usize] == 1 && !window.store(store).initialised;
    let mut numbers: Vec<Number> = (0..stores as u32).collect();
    let mut next = stores as u32;
    // What is read in place of a store.
    let mut instead: Vec<Option<StoreId>> = vec![None; stores];
    let hasher = DefaultHashBuilder::default();
    let mut known: HashTable<(Key<'_>, u32)> = HashTable::new();
    for (number, task) in (0..).zip(window.tasks()) {
        for (argument, arg) in (0..).zip(&task.args) {
            if let Some(store) = instead[arg.store.0 as usize]
                && arg.privilege == Privilege::Read
            {
                equals.renamed.push((number, argument, store));
            }
        }
        let outputs = &task.args[..task.outputs()];
        let changes = task.args.iter().filter(|arg| arg.privilege != Privilege::Read).count();
        let is_comparable = !matches!(task.op, TaskOp::Opaque(_))
            && changes == outputs.len()
            && outputs
                .iter()
                .all(|arg| is_made_once(arg.store) && arg.privilege != Privilege::ReadWrite);
        if !is_comparable {
            for arg in task.args.iter().filter(|arg| arg.privilege != Privilege::Read) {
                numbers[arg.store.0 as usize] = next;
                next += 1;
            }
            continue;
        }
        let key = Key::new(window, task, &numbers);
        let hash = hasher.hash_one(key.hashed());
        match known.find(hash, |(other, _)| *other == key) {
            None => {
                for arg in outputs {
                    numbers[arg.store.0 as usize] = next;
                    next += 1;
                }
                let hash_of = |(key, _): &(Key<'_>, u32)| hasher.hash_one(key.hashed());
                known.insert_unique(hash, (key, number), hash_of);
            }
            Some(&(_, earlier)) => {
                if !task.scalars.is_empty() {
                    equals.scalars.push((number, earlier));
                }
                let theirs = &window.tasks()[earlier as usize].args;
                let is_dropped =
                    may_be(task) && !outputs.iter().any(|arg| window.store(arg.store).live);
                for (arg, other) in outputs.iter().zip(theirs) {
                    numbers[arg.store.0 as usize] = numbers[other.store.0 as usize];
                    if is_dropped {
                        let first = instead[other.store.0 as usize].unwrap_or(other.store);
                        instead[arg.store.0 as usize] = Some(first);
                    }
                }
                if is_dropped {
                    equals.once.push((number, earlier));
                }
            }
        }
    }
    if equals.once.is_empty() { Equals::default() } else { equals }
}

/// Whether a task that gives what another one gives is better not run.
fn is_worth_it(window: &Window, task: &IndexTask) -> bool {
    match task.op {
        TaskOp::Builtin(_) => true,
        TaskOp::Opaque(_) => false,
        _ => task.reduced_axes() != 0 || window.domain(task.domain).rank() == 0,
    }
}

fn bits(scalar: &Scalar) -> (RealType, u64) {
    (scalar.dtype(), scalar.bits())
}

impl<'w> Key<'w> {
    fn new(window: &'w Window, task: &IndexTask, numbers: &[Number]) -> Key<'w> {
        let (outputs, inputs) = task.args.split_at(task.outputs());
        let output = |store: StoreId| (window.store(store).dtype, &window.store(store).shape);
        Key {
            op: task.op,
            domain: task.domain.0,
            outputs: outputs
                .iter()
                .map(|arg| {
                    let (dtype, shape) = output(arg.store);
                    (arg.map, dtype, shape)
                })
                .collect(),
            inputs: inputs.iter().map(|arg| (arg.map, numbers[arg.store.0 as usize])).collect(),
            scalars: task.scalars.iter().map(bits).collect(),
        }
    }

    fn hashed(&self) -> (u64, u32, &[(MapId, Number)]) {
        (self.op.code(), self.domain, &self.inputs)
    }
}

impl Equals {
    /// Whether nothing is computed once that the program computes again.
    pub fn is_empty(&self) -> bool {
        self.once.is_empty()
    }

    /// Whether the scalars of a window are equal where that counts.
    pub(crate) fn hold(&self, window: &Window) -> bool {
        self.scalars.iter().all(|&(task, earlier)| {
            let scalars = |task: u32| window.tasks()[task as usize].scalars.iter().map(bits);
            scalars(task).eq(scalars(earlier))
        })
    }

    /// Has the tasks of a window read what is computed once.
    pub(crate) fn apply(&self, window: &mut Window) {
        let renamed = self.renamed.iter();
        renamed.for_each(|&(task, argument, store)| window.rename(task, argument as usize, store));
    }
}
