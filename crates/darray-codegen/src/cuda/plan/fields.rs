//! The argument structure of an entry: one list gives both its declaration and its bytes.

use super::entries::{Plan, Role};
use super::variant::{NestVariant, PieceCount};
use crate::cuda::language::literal::c_type;
use crate::layout::{FoldMode, StrideClass};
use crate::program::{Node, Program};
use darray_core::{Kind, RealType};
use darray_kernel::ir::Value;

/// A field of an argument structure; every one takes 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Field {
    /// Address of an access at local index 0.
    Base(u16),
    /// Address of the cells.
    Cells,
    /// A task argument.
    Scalar(u16),
    /// What the entry's loop counts: points, vectors, pieces of all points.
    Units,
    /// Parallel points.
    Points,
    /// Iterations of a parallel loop; of the last one in vectors.
    Extent(u8),
    /// Elements of a row before its vectors, those in its vectors, and those that are left beside them.
    Head,
    Covered,
    RestOfRow,
    /// Elements left of all rows.
    Rest,
    /// Elements per step of a pattern along a loop or reduced axis.
    Stride(u16, u8),
    /// Global index of local index 0 of an axis.
    Origin(u8),
    /// Extent of a reduced axis.
    Reduced(u8),
    /// Indices per leaf of a reduced axis.
    Leaf(u8),
    /// Leaves of a piece along a reduced axis.
    Inside(u8),
    /// Indices per piece of a reduced axis.
    Piece(u8),
    /// Pieces of the tile along a reduced axis.
    Pieces(u8),
    /// The first of them.
    First(u8),
    /// Pieces of the whole reduced axis.
    Whole(u8),
    /// Pieces of the tile.
    PieceCount,
    /// Parallel points whose threads are neighbours.
    Columns,
    /// Row-major position of local index 0 over the global reduced axes.
    Position,
    /// How far it moves along a reduced axis.
    PositionStep(u8),
    /// Address of an item's values of pieces.
    Value(u16),
    /// Address of an item's indices of pieces.
    Index(u16),
    /// Values from one parallel point to the next.
    PointStep,
    /// Values from one piece to the next.
    PieceStep,
    /// Elements from one slot of a yield to the next; by the nest's access.
    Slot(u16),
    /// Address of a value of the outer level, left by an entry before.
    Spill(Value),
}

impl Field {
    /// The stride of a pattern along a dimension, where code reads one for strides of this class.
    pub fn stride(class: StrideClass, pattern: u16, dim: u8) -> Option<Field> {
        match class {
            StrideClass::Still | StrideClass::Unit => None,
            StrideClass::Backward | StrideClass::Strided => Some(Field::Stride(pattern, dim)),
        }
    }

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Field::Base(access) => format!("p{access}"),
            Field::Cells => "cells".to_string(),
            Field::Scalar(index) => format!("x{index}"),
            Field::Units => "n".to_string(),
            Field::Points => "points".to_string(),
            Field::Extent(l) => format!("n{l}"),
            Field::Head => "head".to_string(),
            Field::Covered => "covered".to_string(),
            Field::RestOfRow => "rest_of_row".to_string(),
            Field::Rest => "rest".to_string(),
            Field::Stride(pattern, dim) => format!("s{pattern}_{dim}"),
            Field::Origin(axis) => format!("o{axis}"),
            Field::Reduced(k) => format!("r{k}"),
            Field::Leaf(k) => format!("leaf{k}"),
            Field::Inside(k) => format!("inside{k}"),
            Field::Piece(k) => format!("b{k}"),
            Field::Pieces(k) => format!("l{k}"),
            Field::First(k) => format!("m{k}"),
            Field::Whole(k) => format!("g{k}"),
            Field::PieceCount => "pieces".to_string(),
            Field::Columns => "columns".to_string(),
            Field::Position => "q".to_string(),
            Field::PositionStep(k) => format!("q{k}"),
            Field::Value(item) => format!("w{item}"),
            Field::Index(item) => format!("i{item}"),
            Field::PointStep => "point_step".to_string(),
            Field::PieceStep => "piece_step".to_string(),
            Field::Slot(access) => format!("slot{access}"),
            Field::Spill(value) => format!("z{}", value.0),
        }
    }

    /// Its name in an entry's text.
    pub fn path(self) -> String {
        format!("a.{}", self.name())
    }

    /// Its declaration.
    pub fn declaration(self, program: &Program, plan: &Plan, variant: &NestVariant) -> String {
        let pointer = |dtype, read: bool| {
            format!("{}{} *", if read { "const " } else { "" }, memory_type(dtype))
        };
        let item = |item: u16| {
            let fold = program.nests[plan.nest].fold.as_ref();
            let value = fold.map(|fold| fold.items[item as usize].value);
            program.dtypes[value.map_or(0, |value| value.0 as usize)]
        };
        let ty = match self {
            Field::Base(access) => {
                let buffer = program.accesses[access as usize].buffer as usize;
                let loads = [&plan.prologue, &plan.before, &plan.fold, &plan.after];
                let read = loads.into_iter().flatten().any(
                    |node| matches!(node, Node::Load { access: other, .. } if *other == access),
                );
                pointer(program.buffers[buffer].dtype, read)
            }
            Field::Cells => "unsigned long long *".to_string(),
            Field::Scalar(index) => format!("{} ", c_type(program.scalars[index as usize])),
            Field::Origin(_) | Field::Position | Field::PositionStep(_) => "long long ".to_string(),
            Field::Value(number) => pointer(item(number), false),
            Field::Index(_) => pointer(RealType::INDEX, false),
            Field::Spill(value) => {
                pointer(program.dtypes[value.0 as usize], plan.role != Role::Points)
            }
            _ => format!("{} ", variant.index()),
        };
        format!("alignas(8) {ty}{};", self.name())
    }
}

/// The type of an element in memory: bytes for bool.
pub(crate) fn memory_type(dtype: RealType) -> &'static str {
    if dtype.kind() == Kind::Bool { "unsigned char" } else { c_type(dtype) }
}

/// The fields of an entry, in order.
pub(crate) fn fields(program: &Program, plan: &Plan, variant: &NestVariant) -> Vec<Field> {
    let nest = &program.nests[plan.nest];
    let mut fields = Vec::with_capacity(32);
    let lists = [&plan.prologue, &plan.before, &plan.fold, &plan.deferred, &plan.after];
    let nodes = || lists.into_iter().flatten();
    for access in nodes().filter_map(Node::access) {
        fields.push(Field::Base(access));
    }
    if !(plan.cells.is_empty() && plan.results.is_empty()) {
        fields.push(Field::Cells);
    }
    fields.extend(plan.arguments.iter().map(|&index| Field::Scalar(index)));
    if plan.role == Role::Single {
        return fields;
    }
    fields.push(Field::Units);
    if plan.role == Role::Points && variant.rest {
        fields.extend([Field::Head, Field::Covered, Field::Rest]);
        if variant.loops.len() > 1 {
            fields.push(Field::RestOfRow);
        }
    }
    if variant.loops.len() > 1 {
        fields.extend((1..variant.loops.len()).map(|l| Field::Extent(l as u8)));
    }
    let mut strides = |access: u16| {
        let at = nest.accesses.iter().position(|&(a, _)| a == access)?;
        let pattern = variant.patterns.number(at) as u16;
        for (dim, class) in variant.patterns.of(at).iter().enumerate() {
            let field = Field::stride(*class, pattern, dim as u8);
            fields.extend(field.filter(|field| !fields.contains(field)));
        }
        Some(())
    };
    let own = || lists[1..].iter().copied().flatten();
    for access in own().filter_map(Node::access) {
        strides(access);
    }
    let mut origins: Vec<u8> = Vec::new();
    for node in own() {
        if let Node::Index { axis, .. } = node
            && !origins.contains(axis)
        {
            origins.push(*axis);
        }
    }
    fields.extend(origins.into_iter().map(Field::Origin));
    fields.extend(plan.spilled.iter().map(|&value| Field::Spill(value)));
    if let (Some(fold), true) = (&variant.fold, plan.role != Role::Points) {
        let reduced = nest.fold.as_ref().map_or(0, |fold| fold.order.len() as u8);
        let items = nest.fold.iter().flat_map(|fold| &fold.items);
        let indexed = items.clone().any(|item| item.index.is_some());
        if matches!(plan.role, Role::Leaves { .. }) {
            fields.extend((0..reduced).map(Field::Reduced));
            let several = (0..reduced).filter(|k| fold.several >> k & 1 != 0);
            fields.extend(several.flat_map(|k| [Field::Leaf(k), Field::Inside(k)]));
            if fold.mode == FoldMode::Kept && fold.threads() > 1 {
                fields.push(Field::Columns);
            }
            if indexed {
                fields.push(Field::Position);
                fields.extend((0..reduced).map(Field::PositionStep));
            }
        }
        if fold.pieces == PieceCount::Many {
            let leaves = plan.role == (Role::Leaves { finish: false });
            fields.push(if leaves { Field::Points } else { Field::PieceCount });
            for k in 0..reduced {
                fields.push(Field::Pieces(k));
                if leaves {
                    fields.push(Field::Piece(k));
                } else {
                    fields.extend([Field::First(k), Field::Whole(k)]);
                }
            }
            if leaves {
                fields.push(Field::PieceCount);
            } else {
                fields.extend([Field::PointStep, Field::PieceStep]);
                for (at, &(access, _)) in nest.accesses.iter().enumerate() {
                    let yields = |node: &Node| matches!(node, Node::Yield { access: other, .. } if *other == access);
                    if plan.after.iter().any(yields) {
                        fields.push(Field::Slot(at as u16));
                    }
                }
            }
            for (number, item) in items.enumerate() {
                fields.push(Field::Value(number as u16));
                if item.index.is_some() {
                    fields.push(Field::Index(number as u16));
                }
            }
        }
    }
    fields
}
