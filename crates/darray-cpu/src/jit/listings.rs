//! What became of a run, for people and tools.

use super::Native;
use super::emit::Note;
use super::run::Run;
use super::target::Target;
use crate::listing::Function;

impl Native {
    /// What became of the run that it was made of: the function, and those for short rows.
    pub fn listings(&self, run: &Run<'_>, target: Target) -> Vec<Function> {
        let short = [&self.short, &self.wide].into_iter().flatten().map(|(_, native)| &**native);
        let tiles = self.tiles.as_ref().map(|(_, native)| &**native);
        let across = self.across.as_ref().map(|(_, native)| &**native);
        let others = short.chain(&self.whole).chain(tiles);
        let others = others.chain(self.columns.as_deref()).chain(self.column_leaves.as_deref());
        let others = others.chain(across);
        [self].into_iter().chain(others).map(|native| native.listing(run, target)).collect()
    }

    fn listing(&self, run: &Run<'_>, target: Target) -> Function {
        let text = |note: Note| match note {
            Note::Entry => {
                "entry: uniform elements to the stack, pointers to registers".to_string()
            }
            Note::First(elements) => {
                format!("the first part of the first {elements} elements")
            }
            Note::Round(elements) => format!("{elements} elements a round"),
            Note::Tail(elements) => format!("what remains, up to {elements} elements at a time"),
            Note::Origin(number) => run.origin(number),
            Note::ShortRow(elements, 1) => format!("a row of {elements} elements"),
            Note::ShortRow(elements, leaves) => {
                format!("a row of {elements} elements of each of {leaves} leaves")
            }
            Note::Leaf => "a leaf of whole rows".to_string(),
            Note::ColumnLeaf => "a leaf of eight rows of points".to_string(),
            Note::Tile(points) => format!("a leaf of {points} points, transposed"),
            Note::RowsOfPoints(points) => format!("{points} points, each a row of memory"),
            Note::Combine => "values of leaves that are combined".to_string(),
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
