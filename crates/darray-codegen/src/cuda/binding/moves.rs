//! Which accesses go by vectors: where alignment and strides allow for it.

use crate::bind::Loop;
use crate::cuda::plan::patterns::Patterns;
use crate::program::{FoldBody, Nest, Node, Program};
use smallvec::SmallVec;

/// How the accesses of a nest move through memory, and from where.
pub(crate) struct Moves<'b> {
    pub program: &'b Program,
    pub nest: &'b Nest,
    pub patterns: &'b Patterns<i64>,
    /// Address of local index 0, per access of the nest.
    pub bases: &'b [u64],
}

/// How a row of the last parallel loop is cut: elements one by one, vectors, elements one by one.
///
/// ```text
/// row      x x x x x x x x x x x        head 1, width 2, count 4
/// store    . [ ] [ ] [ ] [ ] . .        vectors are aligned where they are stored
/// load   [ . x] [ ] [ ] ..              one that begins an element later is made of two aligned ones
/// ```
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Elements of a vector; 1 where there are none.
    pub width: u8,
    /// Elements before the first vector.
    pub head: usize,
    /// Vectors.
    pub count: usize,
    /// Per access of the nest: elements from the aligned vector's begin to its first element. Empty where all
    /// are 0.
    pub shifts: SmallVec<[u8; 8]>,
    /// Whether elements may be left, before and after the vectors.
    pub rest: bool,
}

/// Registers of 32 bits that hold the vectors of a thread, at most, where they are not all aligned.
const REGISTERS: usize = 96;

impl Moves<'_> {
    /// How the rows of an element-wise nest are cut.
    pub fn of_points(&self, loops: &[Loop]) -> Row {
        let single = Row { width: 1, head: 0, count: 0, shifts: SmallVec::new(), rest: false };
        let Some(last) = loops.last() else { return single };
        if !loads_come_first(self.program, &self.nest.before) {
            return single;
        }
        let inner = loops.len() - 1;
        let Some(widest) = self.side_by_side(inner) else { return single };
        let widths = std::iter::successors(Some(widest), |width| Some(width / 2));
        let rows = widths.take_while(|&width| width > 1);
        rows.filter_map(|width| self.row(inner, last.extent, width)).next().unwrap_or(single)
    }

    /// A row of such vectors, if they can be had.
    fn row(&self, inner: usize, extent: usize, width: usize) -> Option<Row> {
        if !self.have_rows_equal_alignment(inner, width) {
            return None;
        }
        let moves = |access: &usize| self.patterns.of(*access)[inner] != 0;
        let moving: SmallVec<[usize; 8]> = (0..self.nest.accesses.len()).filter(moves).collect();
        let misaligned =
            |access: usize| (self.bases[access] / self.size(access) as u64) as usize % width;
        let store = moving.iter().find(|&&access| self.is_stored(access));
        let mut head = store.map_or(0, |&access| (width - misaligned(access)) % width);
        let shift = |access: usize| (misaligned(access) + head) % width;
        let mut shifts = SmallVec::from_elem(0, self.nest.accesses.len());
        moving.iter().for_each(|&access| shifts[access] = shift(access) as u8);
        let most = shifts.iter().copied().max().unwrap_or(0) as usize;
        if most == 0 {
            let count = extent.saturating_sub(head) / width;
            let rest = inner == 0 || head > 0 || !extent.is_multiple_of(width);
            let row = Row { width: width as u8, head, count, shifts: SmallVec::new(), rest };
            return (count > 0).then_some(row);
        }
        let shifted = || moving.iter().copied().filter(|&access| shifts[access] > 0);
        let bytes: usize = moving.iter().map(|&access| width * self.size(access)).sum::<usize>()
            + shifted().map(|access| width * self.size(access)).sum::<usize>();
        if shifted().any(|access| self.is_stored(access) || width * self.size(access) < 4)
            || bytes > 4 * REGISTERS
            || width > 4
        {
            return None;
        }
        // The aligned vectors lie within the row.
        head += if most > head { width } else { 0 };
        let least = shifted().map(|access| shifts[access]).min().unwrap_or(0) as usize;
        let count = extent.checked_sub(head + width - least)? / width;
        let row = Row { width: width as u8, head, count, shifts, rest: true };
        (count > 0).then_some(row)
    }

    /// Bytes that an element of the fold's body loads where it moves along a reduced axis; none where the
    /// loads of several elements may not all come before their stores.
    pub fn of_folded(&self, fold: &FoldBody, loops: usize) -> Option<usize> {
        let loads = |node: &Node| matches!(node, Node::Load { .. }).then(|| node.access());
        let loads: SmallVec<[u16; 8]> = fold.nodes.iter().filter_map(loads).flatten().collect();
        let moving = (0..self.nest.accesses.len()).filter(|&access| {
            loads.contains(&self.nest.accesses[access].0)
                && self.patterns.of(access)[loops..].iter().any(|&stride| stride != 0)
        });
        let bytes = moving.map(|access| self.size(access)).sum();
        no_load_of_stored(self.program, &fold.nodes).then_some(bytes)
    }

    /// Elements that fill 16 bytes of the largest type that moves along a dimension, if each access stays there or finds
    /// its elements side by side; none otherwise.
    fn side_by_side(&self, inner: usize) -> Option<usize> {
        let along = |access: usize| self.patterns.of(access)[inner];
        let moving = || (0..self.nest.accesses.len()).filter(|&access| along(access) != 0);
        let width = 16 / moving().map(|access| self.size(access)).max()?;
        moving().all(|access| along(access) == 1).then_some(width)
    }

    /// Whether every row begins as many elements after an aligned one as the first does.
    fn have_rows_equal_alignment(&self, inner: usize, width: usize) -> bool {
        (0..self.nest.accesses.len()).all(|access| {
            let strides = self.patterns.of(access);
            let others = strides.iter().enumerate().filter(|(dim, _)| *dim != inner);
            let even =
                |(_, stride): (usize, &i64)| stride.unsigned_abs().is_multiple_of(width as u64);
            strides[inner] == 0 || others.into_iter().all(even)
        })
    }

    /// Bytes of an element.
    fn size(&self, access: usize) -> usize {
        let buffer = self.program.accesses[self.nest.accesses[access].0 as usize].buffer;
        self.program.buffers[buffer as usize].dtype.size()
    }

    fn is_stored(&self, access: usize) -> bool {
        let number = self.nest.accesses[access].0;
        let stores =
            |node: &Node| !matches!(node, Node::Load { .. }) && node.access() == Some(number);
        self.nest.before.iter().any(stores)
    }
}

/// Whether the loads of several points may all come before their stores, and the stores after
/// everything else.
fn loads_come_first(program: &Program, nodes: &[Node]) -> bool {
    nothing_is_stored_before(program, nodes, |_| true)
}

/// Whether the loads of several elements may all come before their stores.
fn no_load_of_stored(program: &Program, nodes: &[Node]) -> bool {
    nothing_is_stored_before(program, nodes, |node| matches!(node, Node::Load { .. }))
}

/// Whether none of these nodes touches what one before it may have stored.
fn nothing_is_stored_before(
    program: &Program,
    nodes: &[Node],
    these: impl Fn(&Node) -> bool,
) -> bool {
    let mut stored: SmallVec<[u16; 4]> = SmallVec::new();
    for node in nodes {
        let Some(access) = node.access() else { continue };
        let buffer = program.accesses[access as usize].buffer;
        if these(node) && stored.iter().any(|&other| program.overlap(other, buffer)) {
            return false;
        }
        if !matches!(node, Node::Load { .. }) {
            stored.push(buffer);
        }
    }
    true
}
