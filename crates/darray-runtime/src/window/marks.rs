//! Behind which tasks windows have ended.

use crate::window::end::{Kind, kind};
use darray_ir::task::IndexTask;

/// The last tasks of windows that were full since somebody waited, each a place where windows end again. So the same tasks
/// are cut into the same windows whenever they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    marks: Vec<Mark>,
}

#[derive(Clone, Debug)]
struct Mark {
    /// The line of the last task, which tells most places apart.
    line: u32,
    tasks: [Kind; BEHIND],
}

/// Tasks of a window that ends where one has ended, at least.
pub(super) const SHORTEST: usize = 32;

/// Tasks that make a place.
const BEHIND: usize = 16;

/// Most places; past it they begin afresh.
const MOST: usize = 64;

impl Marks {
    pub(crate) fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Whether windows have ended behind tasks like the last ones of these.
    pub(crate) fn has(&self, tasks: &[IndexTask]) -> bool {
        let Some(last) = tasks.last_chunk::<BEHIND>() else { return false };
        let line = last[BEHIND - 1].place.line();
        let is_it = |mark: &Mark| {
            mark.line == line && mark.tasks.iter().zip(last).all(|(mark, task)| *mark == kind(task))
        };
        tasks.len() >= SHORTEST && self.marks.iter().any(is_it)
    }

    /// A full window of these tasks has ended.
    pub(crate) fn ended(&mut self, tasks: &[IndexTask]) {
        let Some(last) = tasks.last_chunk::<BEHIND>().filter(|_| !self.has(tasks)) else { return };
        if self.marks.len() >= MOST {
            self.marks.clear();
        }
        self.marks
            .push(Mark { line: last[BEHIND - 1].place.line(), tasks: last.each_ref().map(kind) });
    }

    /// Somebody waits: what comes next begins with something else.
    pub(crate) fn begin_anew(&mut self) {
        self.marks.clear();
    }
}
