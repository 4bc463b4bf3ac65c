//! What became of a run, for people and tools.

use super::super::Native;
use super::super::emit::Note;
use super::super::run::Run;
use super::super::target::Target;
use crate::listing::Function;

impl Native {
    /// What became of the run that it was made of: the function, and those for short rows.
    pub fn listings(&self, run: &Run<'_>, target: Target) -> Vec<Function> {
        let across = self.across.iter().map(|(_, native)| (0, &**native));
        let folds = self.folds.iter().flat_map(|folds| &folds.others);
        let others = across.chain(folds.map(|(first, native)| (*first, native)));
        let all = [(0, self)].into_iter().chain(others);
        all.map(|(first, native)| native.listing(run, first, target)).collect()
    }

    /// What it is, with the number of the first item that it folds.
    fn listing(&self, run: &Run<'_>, first: u16, target: Target) -> Function {
        let text = |note: Note| match note {
            Note::Entry => {
                "entry: uniform elements to the stack, pointers to registers".to_string()
            }
            Note::First(elements) => {
                format!("the first part of the first {elements} elements")
            }
            Note::Round(elements) => format!("{elements} elements a round"),
            Note::Tail(elements) => format!("what remains, up to {elements} elements at a time"),
            Note::Origin(number) => run.origin(number, first),
            Note::RowsOfPoints(points) => format!("{points} points, each a row of memory"),
            Note::Leaf => "a leaf".to_string(),
            Note::Rounds(rounds) => format!("{rounds} rounds in pairs"),
            Note::Combine => "values that wait are combined".to_string(),
            Note::Lanes => "lanes become one value".to_string(),
            Note::Row => "the next row".to_string(),
            Note::Exit => "exit".to_string(),
            Note::Calls => "calls of the operator table".to_string(),
        };
        Function {
            level: target.level(),
            bytes: self.memory.code().to_vec(),
            start: self.start,
            notes: self.notes.iter().map(|&(at, note)| (at as usize, text(note))).collect(),
        }
    }
}
