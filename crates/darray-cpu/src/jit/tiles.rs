//! Functions of leaves that lie across memory: each point is a row of memory, and its leaves lie one behind the other there.
//!
//! The elements of some points are loaded as they lie, transposed in registers, and folded at once:
//!
//! ```text
//! memory   point 0: leaf 0: 0..8 | leaf 1: 0..8 | ..     registers   index 0 of leaf 0: points 0..8
//!          point 1: ..                                               index 1 of leaf 0: points 0..8
//!          ..                                                        ..
//! ```

use super::allocate::{self, Accumulators};
use super::emit::{self, Emitted, Tiles};
use super::lane::{self, Chunk, Form, Half, Held, Lane, Node, Op, Relation, Value};
use super::run::{Folded, Place, Run};
use super::target::Target;
use super::{lower, nodes, pointers};
use darray_codegen::FoldMode;
use darray_core::DType;
use hashbrown::HashMap;

/// Indices that are transposed at once; leaves have a multiple of so many.
pub(crate) const COLUMNS: usize = 8;

/// Points at least: as many streams as are read well side by side.
const POINTS: usize = 8;

/// Operations of the body, at most: there is code of it for every index of a tile.
const MOST: usize = 48;

/// The body of one group of points, and how it is taken.
struct Body {
    one: Vec<Node>,
    width: usize,
    groups: u8,
    /// The bits of what accumulators begin with, by the numbers of their pointers.
    starts: Vec<(u16, u64)>,
}

impl Body {
    /// Of a run of folds in this mode, if it is short enough, without indices, and its accumulators stay in registers.
    fn of(run: &Run<'_>, mode: FoldMode, target: Target) -> Option<Body> {
        let plain = |fold: &Folded| fold.mode == mode && fold.reducer.operator().is_some();
        if run.folds.is_empty() || !run.folds.iter().all(plain) {
            return None;
        }
        let one = nodes(lower::lower_short(run, target), target);
        let operations = one.iter().filter(|node| !node.op.is_remade()).count();
        if operations > MOST * run.folds.len() || !one.iter().all(|node| suits(node, run)) {
            return None;
        }
        let width = lane::width(&one, target.bytes());
        let groups = POINTS.div_ceil(width) as u8;
        let held = one.iter().filter(|node| matches!(node.op, Op::Held(_))).count();
        let starts = run.folds.iter().map(|fold| (accumulators(run, fold), fold.start()));
        let starts = starts.collect();
        let fit = held * usize::from(groups) <= target.held();
        fit.then_some(Body { one, width, groups, starts })
    }

    /// Points, or leaves, that are taken at once.
    fn points(&self) -> usize {
        usize::from(self.groups) * self.width
    }
}

/// The pointer to the accumulators of a fold.
fn accumulators(run: &Run<'_>, fold: &Folded) -> u16 {
    (run.pointer)(Place::Accumulators(fold.item))
}

/// Points that a function takes at least, the longest elements of its body having so many bytes.
pub(crate) fn least_points(target: Target, longest: usize) -> usize {
    POINTS.max(target.bytes() / longest.max(4))
}

/// The function and the points that it takes, if it is wanted and the run can have one: folds along kept points, without
/// indices, of a short body.
pub(super) fn compile(run: &Run<'_>, target: Target) -> Option<(usize, Emitted)> {
    if !run.traffic.tiles {
        return None;
    }
    let body = Body::of(run, FoldMode::Kept, target)?;
    let (width, groups) = (body.width, body.groups);
    let main = Tiling::of(&body.one, groups, width);
    let main = allocate::allocate(&main, width, target, Accumulators::InRegisters);
    let combine = lower::lower_combine(run.folds, |fold| accumulators(run, fold));
    let combine = lane::abreast(&nodes(combine, target), None, groups, groups);
    let combine = allocate::allocate(&combine, width, target, Accumulators::InRegisters);
    let tiles = Tiles { main: &main, combine: &combine, starts: &body.starts };
    let emitted = emit::emit_tiles(&tiles, groups, width, target, pointers(run))?;
    Some((body.points(), emitted))
}

/// Whether an operation can be part of the body.
fn suits(node: &Node, run: &Run<'_>) -> bool {
    match node.op {
        Op::Load(pointer, ..) if !run.accesses.contains(&pointer) => false,
        // Masks of lanes of 8 bytes are not made of bytes.
        Op::Load(_, dtype, _) if Form::of(dtype) == Form::Truth => {
            matches!(node.lane, Lane::Mask | Lane::I32)
        }
        Op::Patch(..) | Op::Position(_) | Op::Store(..) | Op::Carried(_) | Op::Carry(_) => false,
        _ => true,
    }
}

/// Elements of a chunk: as many as 16 bytes have, where those of one or two bytes have become four.
pub(super) fn chunk_of(dtype: DType) -> usize {
    16 / lane_of(dtype).size()
}

/// The lanes that elements are transposed in: bools are integers.
fn lane_of(dtype: DType) -> Lane {
    match Lane::of(dtype) {
        Lane::Mask => Lane::I32,
        lane => lane,
    }
}

/// The code of a tile from that of one group of elements: what it loads are the columns of the tile, one after the other.
struct Tiling<'n> {
    one: &'n [Node],
    nodes: Vec<Node>,
    /// What the accumulators of a pointer and a group hold.
    held: HashMap<(u16, u8), Value>,
    /// Columns of an operand, of the chunk and the group at hand.
    columns: HashMap<u16, [Value; 4]>,
    /// Values that serve for all, by those of one group.
    remade: HashMap<usize, Value>,
}

impl Tiling<'_> {
    fn of(one: &[Node], groups: u8, width: usize) -> Vec<Node> {
        let (nodes, columns) = (Vec::with_capacity(COLUMNS * one.len() + 32), HashMap::new());
        let (held, remade) = (HashMap::new(), HashMap::new());
        let mut tiling = Tiling { one, nodes, held, columns, remade };
        // In the order of those that are combined.
        for node in one {
            if let Op::Held(held) = node.op {
                for group in 0..groups {
                    let value = tiling.push(Node { op: Op::Held(Held { group, ..held }), ..*node });
                    tiling.held.insert((held.pointer, group), value);
                }
            }
        }
        for group in 0..groups {
            (0..COLUMNS).for_each(|column| tiling.column(group, column, width));
        }
        tiling.nodes
    }

    fn push(&mut self, node: Node) -> Value {
        push(&mut self.nodes, node)
    }

    /// Folds a column of a group of rows.
    fn column(&mut self, group: u8, column: usize, width: usize) {
        let mut numbers: Vec<Value> = Vec::with_capacity(self.one.len());
        for (at, node) in self.one.iter().enumerate() {
            let args = node.args.map(|arg| numbers[arg as usize]);
            let value = match node.op {
                Op::Load(pointer, dtype, _) => {
                    let of_chunk = chunk_of(dtype);
                    if column.is_multiple_of(of_chunk) {
                        let row = group * width as u8;
                        self.chunk(node, Chunk { pointer, dtype, row, first: column as u8 });
                    }
                    self.columns[&pointer][column % of_chunk]
                }
                Op::Held(held) => self.held[&(held.pointer, group)],
                Op::Hold(held) => {
                    self.held.insert((held.pointer, group), args[0]);
                    if column + 1 == COLUMNS {
                        self.push(Node { op: Op::Hold(Held { group, ..held }), args, ..*node });
                    }
                    args[0]
                }
                _ if node.op.is_remade() => match self.remade.get(&at) {
                    Some(&value) => value,
                    None => {
                        let value = self.push(*node);
                        self.remade.insert(at, value);
                        value
                    }
                },
                _ => self.push(Node { args, ..*node }),
            };
            numbers.push(value);
        }
    }

    /// Transposes a chunk of an operand, the load of which is `node`.
    fn chunk(&mut self, node: &Node, chunk: Chunk) {
        let columns = transposed(&mut self.nodes, node, chunk);
        self.columns.insert(chunk.pointer, columns);
    }
}

/// Adds what transposes a chunk of an operand, the load of which is `node`: its columns.
pub(super) fn transposed(nodes: &mut Vec<Node>, node: &Node, chunk: Chunk) -> [Value; 4] {
    let lane = lane_of(chunk.dtype);
    let count = chunk_of(chunk.dtype) as u8;
    let mut rows = [0; 4];
    for (row, value) in (0..count).zip(&mut rows) {
        let chunk = Chunk { row: chunk.row + row, ..chunk };
        let op = Op::Rows(chunk);
        *value = push(nodes, Node { op, lane, args: lane::Args::new(&[]), ..*node });
    }
    let mut turns = |bytes: u8, half: Half, pair: [Value; 2]| {
        let args = lane::Args::new(&pair);
        push(nodes, Node { op: Op::Interleave(bytes, half), lane, args, ..*node })
    };
    let mut both = |bytes: u8, pair: [Value; 2]| {
        [turns(bytes, Half::Lower, pair), turns(bytes, Half::Upper, pair)]
    };
    let columns = if count == 2 {
        let [first, second] = both(8, [rows[0], rows[1]]);
        [first, second, 0, 0]
    } else {
        let pairs = [both(4, [rows[0], rows[1]]), both(4, [rows[2], rows[3]])];
        let [a, b] = both(8, [pairs[0][0], pairs[1][0]]);
        let [c, d] = both(8, [pairs[0][1], pairs[1][1]]);
        [a, b, c, d]
    };
    match Lane::of(chunk.dtype) {
        Lane::Mask => columns.map(|column| mask(nodes, node, column)),
        _ => columns,
    }
}

/// Integers 0 and 1 as the mask that the load of bools gives.
fn mask(nodes: &mut Vec<Node>, node: &Node, column: Value) -> Value {
    let op = Op::Constant(0);
    let zero = push(nodes, Node { op, lane: Lane::I32, args: lane::Args::new(&[]), ..*node });
    let (op, args) = match node.lane {
        Lane::Mask => (Op::Compare(Relation::Greater, Lane::I32), [column, zero]),
        _ => (Op::Sub, [zero, column]),
    };
    push(nodes, Node { op, args: lane::Args::new(&args), ..*node })
}

fn push(nodes: &mut Vec<Node>, node: Node) -> Value {
    nodes.push(node);
    (nodes.len() - 1) as Value
}
