//! Where traced numbers record their steps.

use super::{Action, Kind, Step, Trace};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// A constant table of a function; a power of two long. Equal where it is the same one.
#[derive(Clone, Copy, Debug)]
pub struct Table(pub &'static [f64]);

impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Table {}

impl Hash for Table {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_ptr().hash(state);
    }
}

/// The steps of the function that is being recorded on this thread.
#[derive(Default)]
struct Recorder {
    steps: Vec<Step>,
    numbers: HashMap<Step, u32>,
}

thread_local! {
    static RECORDER: RefCell<Recorder> = RefCell::default();
}

/// Records a step, or finds it; gives its number.
pub(super) fn record(kind: Kind, action: Action, args: &[u32]) -> u32 {
    RECORDER.with_borrow_mut(|recorder| {
        let step = Step { kind, action, args: SmallVec::from_slice(args) };
        let next = recorder.steps.len() as u32;
        let number = *recorder.numbers.entry(step.clone()).or_insert(next);
        if number == next {
            recorder.steps.push(step);
        }
        number
    })
}

/// Begins with another function.
pub(super) fn begin() {
    RECORDER.with_borrow_mut(|recorder| *recorder = Recorder::default());
}

/// The function with this result that has been recorded.
pub(super) fn end(result: u32) -> Trace {
    let steps = RECORDER.with_borrow_mut(|recorder| std::mem::take(recorder).steps);
    used(steps, result)
}

/// Without the steps that the result does not need, but for inputs.
fn used(steps: Vec<Step>, result: u32) -> Trace {
    let mut needed = vec![false; steps.len()];
    needed[result as usize] = true;
    for (number, step) in steps.iter().enumerate().rev() {
        needed[number] |= matches!(step.action, Action::Input(_));
        if needed[number] {
            step.args.iter().for_each(|&arg| needed[arg as usize] = true);
        }
    }
    let mut renumbered = vec![0; steps.len()];
    let mut kept = Vec::new();
    for (number, mut step) in steps.into_iter().enumerate().filter(|(number, _)| needed[*number]) {
        step.args.iter_mut().for_each(|arg| *arg = renumbered[*arg as usize]);
        renumbered[number] = kept.len() as u32;
        kept.push(step);
    }
    Trace { steps: kept, result: renumbered[result as usize] }
}
