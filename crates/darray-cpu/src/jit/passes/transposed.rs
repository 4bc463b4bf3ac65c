//! Elements of rows of memory, transposed in registers: 16 bytes of each row are loaded, and interleaved.

use super::super::lane::{self, Chunk, Half, Lane, Node, Op, Relation, Value};
use darray_core::RealType;

/// Elements of a chunk: as many as 16 bytes have, where those of one or two bytes have become four.
pub(in super::super) fn chunk_of(dtype: RealType) -> usize {
    16 / lane_of(dtype).size()
}

/// The lanes that elements are transposed in: bools are integers.
fn lane_of(dtype: RealType) -> Lane {
    match Lane::of(dtype) {
        Lane::Mask => Lane::I32,
        lane => lane,
    }
}

/// Adds what transposes a chunk of an operand, the load of which is `node`: its columns.
pub(in super::super) fn transposed(nodes: &mut Vec<Node>, node: &Node, chunk: Chunk) -> [Value; 4] {
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
