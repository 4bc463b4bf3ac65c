//! Which functions of darray a statement calls, for the tests that none is left out.

use super::{
    Arrangement, Binary, Carrier, Comparison, Creation, Draw, Expression, Finding, Joint, Product,
    Reduction, Statement, Unary, View,
};
use darray::{ContractionAxes, Norm, Sections};

/// A function, and the kind of call where there are several: `pad` and `pad: edge`.
type Call = (&'static str, Option<&'static str>);

impl Statement {
    /// The functions that the statement calls, by the names of [`darray::DynArray`]'s methods or, for
    /// operations and reductions, NumPy's; each again with the kind of the call where there are several.
    pub fn functions(&self) -> Vec<String> {
        let text = |(name, kind): Call| {
            let kind = kind.map(|kind| format!("{name}: {kind}"));
            std::iter::once(name.to_string()).chain(kind)
        };
        self.calls().into_iter().flat_map(text).collect()
    }

    fn calls(&self) -> Vec<Call> {
        match self {
            Statement::Let { value, .. } => value.calls(),
            Statement::Assign { .. } => vec![plain("assign")],
            Statement::Refused { .. } => vec![("assign", Some("refused"))],
            Statement::Update { operator, .. } => {
                vec![plain("update"), plain(operator.operation().name())]
            }
            Statement::AssignWhere { .. } => vec![plain("assign_where")],
            Statement::Put { add: true, .. } => vec![plain("add_at")],
            Statement::Put { axis, .. } => {
                vec![plain(if axis.is_some() { "put_along_axis" } else { "put" })]
            }
            Statement::ReduceInto { reduction, .. } => {
                vec![plain("reduce_into"), reduced(*reduction)]
            }
            Statement::Drop(_) => Vec::new(),
            Statement::Read(_) => vec![plain("to_vec")],
        }
    }
}

impl Expression {
    fn calls(&self) -> Vec<Call> {
        let call = match self {
            Expression::Full { .. } => plain("full"),
            Expression::Data { .. } => plain("from_bytes"),
            Expression::Random { draw, stream, .. } => {
                let generator = if stream.philox { "philox" } else { "default_rng" };
                let advance = (!stream.drawn).then_some("advance");
                let calls = [Some(generator), advance, Some(drawn(*draw))];
                return calls.into_iter().flatten().map(plain).collect();
            }
            Expression::Create { what, .. } => created(what),
            Expression::Like { value: Some(_), .. } => plain("full_like"),
            Expression::Like { value: None, .. } => plain("empty_like"),
            Expression::View { view, .. } => seen(view),
            Expression::Arrange { how, .. } => arranged(how),
            Expression::OneOf { how: Joint::Broadcast, .. } => plain("broadcast_arrays"),
            Expression::OneOf { how: Joint::Grid(indexing), .. } => {
                let kind = if *indexing == darray::Indexing::Xy { "xy" } else { "ij" };
                ("meshgrid", Some(kind))
            }
            Expression::Clone(_) => plain("clone"),
            Expression::Carry { by, .. } => return carried(*by).map(plain).to_vec(),
            Expression::Unary { operator, .. } => plain(match operator {
                Unary::Apply(operation) => operation.name(),
                Unary::Power(_) => "powi",
                Unary::Round(0) => "round",
                Unary::Round(_) => "round_to",
            }),
            Expression::Binary { operator, .. } => plain(Binary::operation(*operator).name()),
            Expression::Compare { comparison, .. } => {
                plain(Comparison::operation(*comparison).name())
            }
            Expression::Select { .. } => plain("select"),
            Expression::MulAdd { .. } => plain("mul_add"),
            Expression::Clip { low, high, .. } => {
                let kind = match (low, high) {
                    (Some(_), Some(_)) => "both",
                    (Some(_), None) => "low",
                    (None, Some(_)) => "high",
                    (None, None) => "none",
                };
                ("clip", Some(kind))
            }
            Expression::NanToNum { .. } => plain("nan_to_num"),
            Expression::Cast { .. } => plain("cast"),
            Expression::Reduce { reduction, keepdims, mask, .. } => {
                let kept = keepdims.then_some(plain("keepdims"));
                let reduce = plain(if mask.is_some() { "reduce_with" } else { "reduce" });
                return [reduce, reduced(*reduction)].into_iter().chain(kept).collect();
            }
            Expression::Product { product, .. } => {
                let kind = match product {
                    Product::Tensordot(ContractionAxes::Count(_)) => Some("count"),
                    Product::Tensordot(ContractionAxes::Pairs(..)) => Some("pairs"),
                    _ => None,
                };
                (product.method(), kind)
            }
            Expression::Trace { .. } => plain("trace"),
            Expression::Scan { reduction, axis, .. } => {
                let name = match reduction {
                    Reduction::Prod => "cumprod",
                    Reduction::Max => "cummax",
                    Reduction::Min => "cummin",
                    _ => "cumsum",
                };
                (name, Some(along(axis.is_some())))
            }
            Expression::Sort { axis, indices, .. } => {
                (if *indices { "argsort" } else { "sort" }, Some(along(axis.is_some())))
            }
            Expression::Find { finding, axis, by, .. } => {
                let kind = match finding {
                    Finding::Compress => Some(along(axis.is_some())),
                    Finding::BinCount => Some(if by.is_some() { "weighted" } else { "plain" }),
                    Finding::SearchSorted { right } => Some(if *right { "right" } else { "left" }),
                    _ => None,
                };
                (finding.method(), kind)
            }
            Expression::Take { axis, own, .. } => {
                (if *own { "take_along_axis" } else { "take" }, Some(along(axis.is_some())))
            }
        };
        vec![call]
    }
}

impl Finding {
    /// The method of [`darray::DynArray`].
    pub fn method(self) -> &'static str {
        match self {
            Finding::Compress => "compress",
            Finding::Extract => "extract",
            Finding::FlatNonzero => "flatnonzero",
            Finding::Nonzero(_) => "nonzero",
            Finding::ArgWhere => "argwhere",
            Finding::BinCount => "bincount",
            Finding::SearchSorted { .. } => "searchsorted",
            Finding::Unique => "unique",
            Finding::UniqueInverse => "unique_inverse",
            Finding::TopK(_) => "topk",
        }
    }
}

fn plain(name: &'static str) -> Call {
    (name, None)
}

/// Whether a function goes along axes or over all elements as one.
fn along(axes: bool) -> &'static str {
    if axes { "axes" } else { "flat" }
}

fn created(what: &Creation) -> Call {
    let end = |endpoint: bool| Some(if endpoint { "closed" } else { "open" });
    match what {
        Creation::Arange { .. } => plain("arange"),
        Creation::Range { .. } => plain("range"),
        Creation::Linspace(span) => ("linspace", end(span.endpoint)),
        Creation::Logspace { exponents, .. } => ("logspace", end(exponents.endpoint)),
        Creation::Eye { .. } => plain("eye"),
        Creation::Identity { .. } => plain("identity"),
        Creation::Tri { .. } => plain("tri"),
        Creation::Empty { .. } => plain("empty"),
    }
}

fn drawn(draw: Draw) -> &'static str {
    match draw {
        Draw::Random => "random",
        Draw::Uniform { .. } => "uniform",
        Draw::Integers { .. } => "integers",
        Draw::StandardNormal => "standard_normal",
        Draw::Normal { .. } => "normal",
        Draw::StandardExponential => "standard_exponential",
        Draw::Exponential { .. } => "exponential",
    }
}

fn seen(view: &View) -> Call {
    let all = |axes: &Option<Vec<isize>>| Some(if axes.is_some() { "axes" } else { "all" });
    match view {
        View::Slice(_) => plain("slice"),
        View::Transpose => plain("t"),
        View::Permute(_) => plain("permute"),
        View::Reshape(_) => plain("reshape"),
        View::Broadcast(_) => plain("broadcast_to"),
        View::Diagonal { .. } => plain("diagonal"),
        View::Alias => plain("alias"),
        View::Ravel => plain("ravel"),
        View::ExpandDims(_) => plain("expand_dims"),
        View::Squeeze(axes) => ("squeeze", all(axes)),
        View::SwapAxes(..) => plain("swap_axes"),
        View::MoveAxis(..) => plain("moveaxis"),
        View::Reorder(axes) => ("transpose", all(axes)),
        View::Flip(axes) => ("flip", all(axes)),
        View::Diag(_) => ("diag", Some("view")),
        View::Part { sections, unequal, .. } => {
            let name = if *unequal { "array_split" } else { "split" };
            let kind = if matches!(sections, Sections::Count(_)) { "parts" } else { "indices" };
            (name, Some(kind))
        }
    }
}

fn arranged(how: &Arrangement) -> Call {
    match how {
        Arrangement::Concatenate(axis) => ("concatenate", Some(along(axis.is_some()))),
        Arrangement::Vstack => plain("vstack"),
        Arrangement::Hstack => plain("hstack"),
        Arrangement::Stack(_) => plain("stack"),
        Arrangement::Repeat { axes, .. } => ("repeat", Some(along(axes.is_some()))),
        Arrangement::Tile(_) => plain("tile"),
        Arrangement::Roll { axes, .. } => ("roll", Some(along(axes.is_some()))),
        Arrangement::Pad { border, .. } => ("pad", Some(border.mode())),
        Arrangement::Triangle { lower, .. } => plain(if *lower { "tril" } else { "triu" }),
        Arrangement::Diag(_) => ("diag", Some("matrix")),
        Arrangement::Flatten => plain("flatten"),
        Arrangement::Copy => plain("copy"),
    }
}

fn carried(by: Carrier) -> [&'static str; 2] {
    match by {
        Carrier::Bytes => ["to_bytes", "from_bytes"],
        Carrier::Vector => ["to_vec", "from_shape_vec"],
        Carrier::Function => ["to_vec", "from_fn"],
        Carrier::Ndarray => ["to_ndarray", "from_ndarray"],
        Carrier::Npy => ["save", "load"],
        Carrier::Npz { compressed: false } => ["savez", "load_npz"],
        Carrier::Npz { compressed: true } => ["savez_compressed", "load_npz"],
    }
}

fn reduced(reduction: Reduction) -> Call {
    let kind = match reduction {
        Reduction::Norm(norm) => Some(match norm {
            Norm::Zero => "zero",
            Norm::One => "one",
            Norm::Two => "two",
            Norm::Inf => "inf",
            Norm::NegInf => "neg_inf",
            Norm::P(_) => "p",
            Norm::Frobenius => "frobenius",
        }),
        _ => None,
    };
    (reduction.name(), kind)
}
