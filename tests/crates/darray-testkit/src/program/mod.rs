//! Array programs as values: what a user could have written, small enough to print and to shrink.

mod arrangement;
mod creation;
mod functions;
mod operator;
mod print;
mod product;
mod view;

pub use arrangement::{Arrangement, Border};
pub use creation::{Creation, Draw, Span, Stream};
pub use darray::Reduction;
pub use operator::{Binary, Comparison, Unary};
pub use product::Product;
pub use view::{Index, View};

use darray::Indexing;
use darray_core::RealType;

/// The number of a variable; `a3` in the printed text.
pub type Name = usize;

/// Statements in order. Names are defined before use, once each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// What runs, in order.
    pub statements: Vec<Statement>,
}

/// One line of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `let aN = ...;`
    Let {
        /// The variable that is defined.
        name: Name,
        /// Its value.
        value: Expression,
    },
    /// `target.assign(value);` writes through views.
    Assign {
        /// The array or view that is written.
        target: Name,
        /// Broadcast and cast to the target.
        value: Operand,
    },
    /// `target += value;` writes through views.
    Update {
        /// The operator.
        operator: Binary,
        /// The array or view that is read and written.
        target: Name,
        /// Broadcast to the target; its type promotes to the target's.
        value: Operand,
    },
    /// `target.assign_where(mask, value);` writes through views.
    AssignWhere {
        /// The array or view that is written.
        target: Name,
        /// Of type bool, broadcast to the target.
        mask: Name,
        /// As in an assignment.
        value: Operand,
    },
    /// `target.put(indices, values);`, or `put_along_axis`; writes through views.
    Put {
        /// The array or view that is written.
        target: Name,
        /// In range, from either end.
        indices: Name,
        /// As in an assignment.
        values: Operand,
        /// `None`: `put`.
        axis: Option<isize>,
        /// Whether values are added: `add_at`, which has no axis.
        add: bool,
    },
    /// `of.reduce_into(reduction, axes, target);` writes through views.
    ReduceInto {
        /// The reduction.
        reduction: Reduction,
        /// The operand.
        of: Name,
        /// `None` for all; negative ones count from the end.
        axes: Option<Vec<isize>>,
        /// Of the shape of the result.
        target: Name,
    },
    /// `target.try_assign(value).unwrap_err();` where the target reaches an element twice.
    Refused {
        /// A view that cannot be written.
        target: Name,
        /// As in an assignment.
        value: Operand,
    },
    /// `drop(aN);`
    Drop(Name),
    /// Demands the value, which closes the window in the middle of the program.
    Read(Name),
}

/// An array or a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// An array.
    Name(Name),
    /// An integer literal: weak, takes the array's type, which has to hold it, except on bool.
    Integer(i64),
    /// A float literal: weak, takes the array's type where that is a float.
    Float(f64),
}

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// Every element the same.
    Full {
        /// Of the array.
        shape: Vec<usize>,
        /// Of the elements.
        dtype: RealType,
        /// Cast to `dtype`.
        value: f64,
    },
    /// Host data that [`Expression::data`] draws from `seed`.
    Data {
        /// Of the array.
        shape: Vec<usize>,
        /// Of the elements.
        dtype: RealType,
        /// What the elements are drawn from.
        seed: u64,
    },
    /// Random numbers, the first `skip` draws of the stream left out.
    Random {
        /// What they are.
        draw: Draw,
        /// Of the array.
        shape: Vec<usize>,
        /// Of the elements: what the draw can give.
        dtype: RealType,
        /// Where they come from.
        stream: Stream,
        /// Draws before them.
        skip: u64,
    },
    /// Computed numbers.
    Create {
        /// Which.
        what: Creation,
        /// Of the elements.
        dtype: RealType,
    },
    /// `full_like`, or `empty_like`.
    Like {
        /// Whose shape and element type the array has.
        of: Name,
        /// Cast to the element type; `None`: not written, so 0.
        value: Option<f64>,
    },
    /// A view that aliases its array (a reshape that no strides express is a copy).
    View {
        /// The array.
        of: Name,
        /// How it is seen.
        view: View,
    },
    /// A copy under another shape.
    Arrange {
        /// The arrays, in order.
        of: Vec<Name>,
        /// How they are copied.
        how: Arrangement,
    },
    /// One of the arrays that are made of several: `broadcast_arrays(..)[part]`.
    OneOf {
        /// The arrays, in order.
        of: Vec<Name>,
        /// What is made of them.
        how: Joint,
        /// Which one.
        part: usize,
    },
    /// `.clone()`: by value.
    Clone(Name),
    /// Through another form and back: demands the value, as a read does.
    Carry {
        /// The array.
        of: Name,
        /// What takes it out and back.
        by: Carrier,
    },
    /// Element-wise, one operand.
    Unary {
        /// The operator.
        operator: Unary,
        /// The operand.
        of: Name,
    },
    /// Element-wise, two operands that broadcast.
    Binary {
        /// The operator.
        operator: Binary,
        /// Left.
        left: Operand,
        /// Right.
        right: Operand,
    },
    /// Element-wise comparison to bool.
    Compare {
        /// The comparison.
        comparison: Comparison,
        /// Left.
        left: Operand,
        /// Right.
        right: Operand,
    },
    /// `mask.select(then, otherwise)`, NumPy's `where`.
    Select {
        /// Of type bool.
        mask: Name,
        /// Where true.
        then: Operand,
        /// Where false.
        otherwise: Operand,
    },
    /// `x * y + z`, rounded once.
    MulAdd {
        /// Multiplied.
        of: Name,
        /// By this.
        factor: Operand,
        /// And added to this.
        addend: Operand,
    },
    /// `.clip(low, high)`.
    Clip {
        /// The operand.
        of: Name,
        /// `None`: no bound.
        low: Option<Operand>,
        /// `None`: no bound.
        high: Option<Operand>,
    },
    /// `.nan_to_num(nan, high, low)`.
    NanToNum {
        /// The operand.
        of: Name,
        /// For NaN.
        nan: f64,
        /// For infinity; `None`: the greatest number.
        high: Option<f64>,
        /// For minus infinity; `None`: the least number.
        low: Option<f64>,
    },
    /// `.cast(dtype)`.
    Cast {
        /// The operand.
        of: Name,
        /// The type of the result.
        dtype: RealType,
    },
    /// A reduction over some or all axes.
    Reduce {
        /// The reduction.
        reduction: Reduction,
        /// The operand.
        of: Name,
        /// `None` for all; negative ones count from the end.
        axes: Option<Vec<isize>>,
        /// Whether reduced axes stay with extent 1.
        keepdims: bool,
        /// A mask of the operand's shape where elements count.
        mask: Option<Name>,
    },
    /// A product of two arrays.
    Product {
        /// Which.
        product: Product,
        /// Left.
        left: Name,
        /// Right.
        right: Name,
    },
    /// The sum of a diagonal of two axes.
    Trace {
        /// The operand.
        of: Name,
        /// Above the main diagonal where positive.
        offset: isize,
        /// An axis.
        rows: isize,
        /// Another.
        columns: isize,
    },
    /// `cumsum`, `cumprod`, `cummax` or `cummin`.
    Scan {
        /// [`Reduction::Sum`], [`Reduction::Prod`], [`Reduction::Max`] or [`Reduction::Min`].
        reduction: Reduction,
        /// The operand.
        of: Name,
        /// `None`: of all elements in row-major order.
        axis: Option<isize>,
    },
    /// `sort`, or `argsort`.
    Sort {
        /// The operand.
        of: Name,
        /// `None`: of all elements in row-major order.
        axis: Option<isize>,
        /// Whether the indices are wanted.
        indices: bool,
    },
    /// `take`, or `take_along_axis`.
    Take {
        /// The operand.
        of: Name,
        /// In range, from either end.
        indices: Name,
        /// `None`: of all elements in row-major order.
        axis: Option<isize>,
        /// Whether each line along the axis has indices of its own: `take_along_axis`.
        own: bool,
    },
    /// What is found in an array.
    Find {
        /// What.
        finding: Finding,
        /// The operand.
        of: Name,
        /// A mask, or what is looked for.
        by: Option<Name>,
        /// `None`: of all elements, or of the first axes.
        axis: Option<isize>,
    },
}

/// A function that looks for elements or places, or counts them; most have results whose extent depends on data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// `compress` by a mask.
    Compress,
    /// `extract` by a mask.
    Extract,
    /// `flatnonzero`.
    FlatNonzero,
    /// `nonzero`, of which a program takes the indices along one axis.
    Nonzero(usize),
    /// `argwhere`.
    ArgWhere,
    /// `bincount`, with weights where something is given to find by.
    BinCount,
    /// `searchsorted`, in a sorted array, of what is given to find by.
    SearchSorted {
        /// Whether equal elements stand before a value.
        right: bool,
    },
    /// `unique`.
    Unique,
    /// `unique_inverse`, of which a program takes the places.
    UniqueInverse,
    /// `topk`, of which a program takes the indices.
    TopK(usize),
}

/// Several arrays made of several, of which a program takes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// `broadcast_arrays`: views.
    Broadcast,
    /// `meshgrid`: copies.
    Grid(Indexing),
}

/// What takes the elements of an array out and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Memory: `to_bytes` and `from_bytes`.
    Bytes,
    /// `to_vec` and `from_shape_vec`.
    Vector,
    /// `to_vec` and `from_fn`.
    Function,
    /// `to_ndarray` and `from_ndarray`.
    Ndarray,
    /// A `.npy` file.
    Npy,
    /// A `.npz` file.
    Npz {
        /// By `savez_compressed`.
        compressed: bool,
    },
}

impl Operand {
    /// The array, if it is one.
    pub fn name(self) -> Option<Name> {
        match self {
            Operand::Name(name) => Some(name),
            _ => None,
        }
    }
}

impl Program {
    /// The names that are defined and not dropped at the end, in order of definition.
    pub fn live_names(&self) -> Vec<Name> {
        let mut live = Vec::new();
        for statement in &self.statements {
            match statement {
                Statement::Let { name, .. } => live.push(*name),
                Statement::Drop(name) => live.retain(|n| n != name),
                _ => {}
            }
        }
        live
    }
}

impl Statement {
    /// The names that the statement needs.
    pub fn uses(&self) -> Vec<Name> {
        let operands = |items: &[Operand]| items.iter().filter_map(|o| o.name()).collect();
        match self {
            Statement::Assign { target, value }
            | Statement::Update { target, value, .. }
            | Statement::Refused { target, value } => operands(&[Operand::Name(*target), *value]),
            Statement::ReduceInto { of, target, .. } => vec![*of, *target],
            Statement::AssignWhere { target, mask, value } => {
                operands(&[Operand::Name(*target), Operand::Name(*mask), *value])
            }
            Statement::Put { target, indices, values, .. } => {
                operands(&[Operand::Name(*target), Operand::Name(*indices), *values])
            }
            Statement::Drop(name) | Statement::Read(name) => vec![*name],
            Statement::Let { value, .. } => match value {
                Expression::Full { .. }
                | Expression::Data { .. }
                | Expression::Random { .. }
                | Expression::Create { .. } => Vec::new(),
                Expression::Arrange { of, .. } | Expression::OneOf { of, .. } => of.clone(),
                Expression::View { of, .. }
                | Expression::Clone(of)
                | Expression::Like { of, .. }
                | Expression::Carry { of, .. }
                | Expression::NanToNum { of, .. }
                | Expression::Trace { of, .. }
                | Expression::Unary { of, .. }
                | Expression::Cast { of, .. }
                | Expression::Sort { of, .. }
                | Expression::Scan { of, .. } => vec![*of],
                Expression::Take { of, indices, .. } => vec![*of, *indices],
                Expression::Reduce { of, mask, .. } => [*of].into_iter().chain(*mask).collect(),
                Expression::Find { of, by, .. } => std::iter::once(*of).chain(*by).collect(),
                Expression::Binary { left, right, .. }
                | Expression::Compare { left, right, .. } => operands(&[*left, *right]),
                Expression::Select { mask, then, otherwise } => {
                    operands(&[Operand::Name(*mask), *then, *otherwise])
                }
                Expression::MulAdd { of, factor, addend } => {
                    operands(&[Operand::Name(*of), *factor, *addend])
                }
                Expression::Clip { of, low, high } => {
                    let bounds = [*low, *high].into_iter().flatten().filter_map(Operand::name);
                    std::iter::once(*of).chain(bounds).collect()
                }
                Expression::Product { left, right, .. } => vec![*left, *right],
            },
        }
    }
}
