//! Functions of points that are short rows of memory: lane k of all points is a column of what lies in order there.
//!
//! ```text
//! memory   point 0: 0 1 2 | point 1: 0 1 2 | point 2: ..     registers   element 0: points 0..8
//!                                                                        element 1: points 0..8
//! ```
//!
//! 16 bytes of each of some points are put together as they are loaded, and interleaved, as for [tiles](super::tiles). The last
//! 16 bytes of a row end with it; shorter rows are read beyond their end.

use super::allocate::{self, Accumulators};
use super::emit::{self, Emitted};
use super::lane::{self, Chunk, Form, Lane, Node, Op, Value};
use super::passes::transposed::{chunk_of, transposed};
use super::run::{Run, is_in};
use super::target::Target;
use super::{lower, nodes, pointers};
use darray_core::RealType;
use hashbrown::HashMap;

/// What such a function reads at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Across {
    /// Points of a round.
    pub points: usize,
    /// Bytes that it reads behind the last element of a point, at most.
    pub beyond: usize,
}

/// The function, if it is wanted and the run can have one. The accesses of lane after lane stand behind one another, those of
/// the first one being [`Run::accesses`].
pub(super) fn compile(run: &Run<'_>, target: Target) -> Option<(Across, Emitted)> {
    let traffic = &run.traffic;
    if traffic.across == 0 || run.accesses.is_empty() {
        return None;
    }
    let one = nodes(lower::lower(run, target), target);
    let width = lane::width(&one, target.bytes());
    let mut rows =
        Rows { run, nodes: Vec::with_capacity(2 * one.len()), columns: HashMap::new(), beyond: 0 };
    let mut numbers: Vec<Value> = Vec::with_capacity(one.len());
    for node in &one {
        let args = node.args.map(|arg| numbers[arg as usize]);
        let value = match node.op {
            Op::Patch(..) | Op::Position(_) => return None,
            Op::Load(pointer, dtype, _) => match rows.at(pointer) {
                // Masks of lanes of 8 bytes are not made of bytes.
                Some(_)
                    if Form::of(dtype) == Form::Truth
                        && !matches!(node.lane, Lane::Mask | Lane::I32) =>
                {
                    return None;
                }
                Some((access, lane)) => rows.column(node, access, lane, dtype),
                None => rows.push(*node),
            },
            _ => rows.push(Node { args, ..*node }),
        };
        numbers.push(value);
    }
    let main = allocate::allocate(&rows.nodes, width, target, Accumulators::None);
    let lanes = traffic.points;
    let emitted = emit::emit_points(&main, (width, lanes), target, pointers(run))?;
    Some((Across { points: width, beyond: rows.beyond }, emitted))
}

/// The code of a round, as it grows.
struct Rows<'r> {
    run: &'r Run<'r>,
    nodes: Vec<Node>,
    /// Columns by access and first element.
    columns: HashMap<(u16, u8), [Value; 4]>,
    beyond: usize,
}

impl Rows<'_> {
    /// The access and the lane that a pointer is for, if points are rows of memory there.
    fn at(&self, pointer: u16) -> Option<(u16, u8)> {
        let count = self.run.accesses.len() as u16;
        let behind = pointer.checked_sub(self.run.accesses.start)?;
        let (access, lane) = (behind % count, behind / count);
        let is_lane = lane < u16::from(self.run.traffic.points);
        (is_lane && is_in(self.run.traffic.across, access)).then_some((access, lane as u8))
    }

    /// Element `lane` of the points of a round.
    fn column(&mut self, node: &Node, access: u16, lane: u8, dtype: RealType) -> Value {
        let of_chunk = chunk_of(dtype) as u8;
        let last = self.run.traffic.points.checked_sub(of_chunk);
        if last.is_none() {
            let beyond = usize::from(of_chunk - self.run.traffic.points) * dtype.size();
            self.beyond = self.beyond.max(beyond);
        }
        let first = (lane / of_chunk * of_chunk).min(last.unwrap_or(0));
        let known = self.columns.get(&(access, first)).copied();
        let columns = known.unwrap_or_else(|| {
            let pointer = self.run.accesses.start + access;
            let columns =
                transposed(&mut self.nodes, node, Chunk { pointer, dtype, row: 0, first });
            self.columns.insert((access, first), columns);
            columns
        });
        columns[usize::from(lane - first)]
    }

    fn push(&mut self, node: Node) -> Value {
        self.nodes.push(node);
        (self.nodes.len() - 1) as Value
    }
}
