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

/// Which iterations of one top-level operation touched which elements; of a kernel by rows also, which rows
/// of the operations before did.
#[derive(Default)]
pub(super) struct Conflicts {
    touched: HashMap<(usize, usize), Touched>,
    /// The row of every iteration that touched an element, in kernels by rows.
    rows: Option<HashMap<(usize, usize), Rows>>,
}

/// What rows did to an element.
#[derive(Default)]
struct Rows {
    writer: Option<i64>,
    /// The first row that read, and one other than it.
    readers: [Option<i64>; 2],
}

#[derive(Default)]
struct Touched {
    writer: Option<Iteration>,
    /// The first reader, and one unordered to it.
    readers: [Option<Iteration>; 2],
}

impl Conflicts {
    /// Those of a kernel.
    pub fn new(by_rows: bool) -> Conflicts {
        Conflicts { rows: by_rows.then(HashMap::new), ..Conflicts::default() }
    }

    /// Notes what a row does to an element of a kernel by rows; false if another row of this or another
    /// nest is in its way.
    pub fn row(&mut self, array: usize, element: usize, row: i64, writes: bool) -> bool {
        let Some(rows) = &mut self.rows else { return true };
        let known = rows.entry((array, element)).or_default();
        let others = known.writer.iter().chain(known.readers.iter().flatten().filter(|_| writes));
        let free = others.copied().all(|other| other == row);
        match known.readers {
            _ if writes => known.writer = Some(row),
            [None, _] => known.readers[0] = Some(row),
            [Some(first), None] if first != row => known.readers[1] = Some(row),
            _ => {}
        }
        free
    }

    /// Forgets what iterations did: a new top-level operation begins.
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
