//! Independence of loop iterations.

use std::collections::HashMap;

/// Where the interpreter is: the iteration of the `for`, and that of the fold inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Iteration {
    pub kept: u64,
    /// None outside a fold.
    pub folded: Option<u64>,
}

impl Iteration {
    /// Whether the two may run at the same time or in either order.
    fn unordered(self, other: Iteration) -> bool {
        let folds = matches!((self.folded, other.folded), (Some(a), Some(b)) if a != b);
        self.kept != other.kept || folds
    }
}

/// Which iterations of one top-level operation touched which elements.
#[derive(Default)]
pub(super) struct Conflicts {
    touched: HashMap<(usize, usize), Touched>,
}

#[derive(Default)]
struct Touched {
    writer: Option<Iteration>,
    /// The first reader, and one unordered to it.
    readers: [Option<Iteration>; 2],
}

impl Conflicts {
    /// Forgets everything: a new top-level operation begins.
    pub fn clear(&mut self) {
        self.touched.clear();
    }

    /// Notes a read; false if another iteration wrote the element.
    pub fn read(&mut self, array: usize, element: usize, at: Iteration) -> bool {
        let touched = self.touched.entry((array, element)).or_default();
        match touched.readers {
            [None, _] => touched.readers[0] = Some(at),
            [Some(first), None] if first.unordered(at) => touched.readers[1] = Some(at),
            _ => {}
        }
        touched.writer.is_none_or(|writer| !writer.unordered(at))
    }

    /// Notes a write; false if another iteration wrote or read the element.
    pub fn write(&mut self, array: usize, element: usize, at: Iteration) -> bool {
        let touched = self.touched.entry((array, element)).or_default();
        let before = touched.writer.replace(at);
        let mut others = touched.readers.iter().chain([&before]).flatten();
        !others.any(|other| other.unordered(at))
    }
}
