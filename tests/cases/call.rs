//! From the name of a function to a call of it.

use crate::functions;
use crate::input::Inputs;
use crate::table::Case;
use darray::{
    Argument, Axes, Binary, DArray, DType, DynArray, Error, Fallible, Ix, Norm, PadMode, PadWidths,
    Pick, ReduceOptions, Reduction, Tolerance, Unary, bf16, f16,
};

/// The call of a case; the error's text where it is refused.
pub fn call(case: &Case, inputs: &mut Inputs<'_>) -> Result<DynArray, String> {
    let operands: Vec<Operand> = case.operands.iter().map(|name| operand(name, inputs)).collect();
    evaluate(case, &operands).map_err(|error| error.to_string())
}

/// An array or a weak scalar.
enum Operand {
    Array(DynArray),
    Integer(i64),
    Float(f64),
}

fn operand(name: &str, inputs: &mut Inputs<'_>) -> Operand {
    let Some(scalar) = name.strip_prefix("scalar ").filter(|s| s.parse::<f64>().is_ok()) else {
        return Operand::Array(inputs.get(name));
    };
    match scalar.parse() {
        Ok(integer) => Operand::Integer(integer),
        Err(_) => Operand::Float(scalar.parse().expect("a float")),
    }
}

impl Operand {
    fn array(&self) -> &DynArray {
        self.as_array().expect("no scalar where an array stands")
    }

    fn as_array(&self) -> Option<&DynArray> {
        match self {
            Operand::Array(array) => Some(array),
            _ => None,
        }
    }

    fn argument(&self) -> Argument<'_> {
        match self {
            Operand::Array(array) => Argument::from(array),
            Operand::Integer(value) => Argument::from(*value),
            Operand::Float(value) => Argument::from(*value),
        }
    }
}

fn evaluate(case: &Case, operands: &[Operand]) -> Result<DynArray, Error> {
    let function = &case.function[..];
    if let Some(&unary) = Unary::ALL.iter().find(|unary| unary.name() == function) {
        return operands[0].array().unary(unary);
    }
    if let Some(&binary) = Binary::ALL.iter().find(|binary| binary.name() == function) {
        return operands[0].array().binary(binary, operands[1].argument());
    }
    if let Some(reduction) = Reduction::ALL.iter().find(|r| r.name() == function) {
        return reduce(case, operands, *reduction);
    }
    if operands.is_empty() {
        return create(case);
    }
    let arguments: Vec<Argument<'_>> = operands.iter().map(Operand::argument).collect();
    let arrays: Vec<&DynArray> = operands.iter().filter_map(Operand::as_array).collect();
    functions::call(case, &arrays, &arguments).unwrap_or_else(|| arrange(case, operands))
}

/// Everything else that takes arrays.
fn arrange(case: &Case, operands: &[Operand]) -> Result<DynArray, Error> {
    let x = operands[0].array();
    let y = || operands[1].array();
    let all = || operands.iter().map(Operand::array).collect::<Vec<_>>();
    let number = |name: &str| case.integer(name).unwrap_or_else(|| panic!("{case}: {name}"));
    let axis = || number("axis") as isize;
    match &case.function[..] {
        "real" => Ok(x.real()),
        "imag" => x.imag(),
        "conjugate" => x.conj(),
        "angle" => x.arg(),
        "vdot" => x.vdot(y()),
        "astype" => x.cast(case.to()),
        "where" => x.select(operands[1].argument(), operands[2].argument()),
        "clip" => x.clip(Some(operands[1].argument()), Some(operands[2].argument())),
        "nan_to_num" => x.nan_to_num(0.0, None, None),
        "round" => x.round_to(number("decimals") as i32),
        "norm" => x.reduce(Reduction::Norm(norm(case)), axes(case)),
        "quantile" => x.reduce(Reduction::Quantile { q: case.float("q") }, axes(case)),
        "cumsum" => x.cumsum(case.integer("axis").map(|axis| axis as isize)),
        "cumprod" => x.cumprod(case.integer("axis").map(|axis| axis as isize)),
        "sort" => x.sort(case.integer("axis").map(|axis| axis as isize)),
        "argsort" => x.argsort(case.integer("axis").map(|axis| axis as isize)),
        "take" => x.take(y(), case.integer("axis").map(|axis| axis as isize)),
        "compress" => x.compress(y(), case.integer("axis").map(|axis| axis as isize)),
        "extract" => x.extract(y()),
        "flatnonzero" => x.flatnonzero(),
        "nonzero" => Ok(x.nonzero()?.swap_remove(number("which") as usize)),
        "argwhere" => x.argwhere(),
        "add_at" => {
            let x = x.copy()?;
            x.add_at(y(), operands[2].argument()).map(|()| x)
        }
        "bincount" => x.bincount(operands.get(1).map(Operand::array), number("minlength") as isize),
        "searchsorted" => x.searchsorted(y(), number("right") == 1),
        "digitize" => x.digitize(y(), number("right") == 1),
        "cummax" => x.cummax(case.integer("axis").map(|axis| axis as isize)),
        "cummin" => x.cummin(case.integer("axis").map(|axis| axis as isize)),
        "diff" => x.diff(number("n") as usize, axis()),
        "isclose" => x.isclose(y(), tolerance(case)),
        "allclose" => x.allclose(y(), tolerance(case)),
        "array_equal" => x.array_equal(y()),
        "quantiles" => x.quantiles(&[0.1, 0.5, 0.9, 1.0], axes(case)),
        "unique" => x.unique(),
        "unique_all" => {
            let [values, indices, inverse, counts] = x.unique_all()?;
            Ok([values, indices, inverse, counts]
                .into_iter()
                .nth(number("part") as usize)
                .expect("a part"))
        }
        "unique_counts" => x.unique_counts().map(|(_, counts)| counts),
        "unique_inverse" => x.unique_inverse().map(|(_, inverse)| inverse),
        "topk" => {
            let (values, indices) = x.topk(number("k") as usize)?;
            Ok(if number("part") == 0 { values } else { indices })
        }
        "cov" => x.cov(number("ddof") as usize),
        "slice" => x.slice(index(case, &operands[1..]))?.array(),
        "slice_assign" | "slice_update" | "slice_add_at" => change_picked(case, operands),
        "take_along_axis" => x.take_along_axis(y(), case.integer("axis").map(|axis| axis as isize)),
        "put" => functions::changed(case, x, |x| x.put(y(), operands[2].argument())),
        "put_along_axis" => {
            functions::changed(case, x, |x| x.put_along_axis(y(), operands[2].argument(), axis()))
        }
        "matmul" => x.matmul(y()),
        "dot" => x.dot(y()),
        "inner" => x.inner(y()),
        "outer" => x.outer(y()),
        "tensordot" => x.tensordot(y(), number("axes") as usize),
        "trace" => x.trace(number("k") as isize, (0, 1)),
        "ravel" => x.ravel(),
        "squeeze" => x.squeeze(Axes::all()),
        "expand_dims" => x.expand_dims(axes(case)),
        "flip" => x.flip(axes(case)),
        "repeat" => x.repeat(number("count") as usize, axes(case)),
        "tile" => x.tile(&sizes(case, "reps")[..]),
        "roll" => x.roll(number("shift") as isize, axes(case)),
        "concatenate" => DynArray::concatenate(&all(), axis()),
        "stack" => DynArray::stack(&all(), axis()),
        "pad" => x.pad(widths(case), mode(case)),
        "swapaxes" => x.swap_axes(number("a") as isize, number("b") as isize),
        "moveaxis" => x.moveaxis(number("source") as isize, number("destination") as isize),
        "transpose" => x.transpose(Axes::all()),
        "tril" => x.tril(number("k") as isize),
        "triu" => x.triu(number("k") as isize),
        "diag" => x.diag(number("k") as isize),
        "diagonal" => x.diagonal(number("k") as isize, 0, 1),
        _ => panic!("{case}: no such function"),
    }
}

/// The index of a case, whose arrays are the operands from here on.
fn index(case: &Case, arrays: &[Operand]) -> Vec<Pick> {
    let items = case.options["index"].as_array().expect("a list").iter();
    let mut arrays = arrays.iter();
    let bound = |text: &str| text.parse::<isize>().ok();
    let item = |item: &str| match item {
        "A" => Pick::from(arrays.next().expect("an array").array()),
        "N" => Ix::NewAxis.into(),
        "E" => Ix::Ellipsis.into(),
        range if range.contains(':') => {
            let parts: Vec<&str> = range.split(':').collect();
            let step = parts.get(2).and_then(|step| bound(step)).unwrap_or(1);
            Ix::Range { start: bound(parts[0]), end: bound(parts[1]), step }.into()
        }
        at => Ix::At(at.parse().expect("an integer")).into(),
    };
    items.map(|text| text.as_str().expect("an item")).map(item).collect()
}

/// What is left of an array, or of the transpose of its transpose, when what an index chooses was written.
fn change_picked(case: &Case, operands: &[Operand]) -> Result<DynArray, Error> {
    let (x, value) = (operands[0].array(), operands[operands.len() - 1].argument());
    let view = if case.integer("turned") == Some(1) { x.t().copy()?.t() } else { x.copy()? };
    let picked = view.slice(index(case, &operands[1..operands.len() - 1]))?;
    match &case.function[..] {
        "slice_assign" => picked.assign(value)?,
        "slice_add_at" => picked.add_at(value)?,
        _ => {
            let name = case.options["operation"].as_str();
            let operation = Binary::ALL.iter().find(|operation| Some(operation.name()) == name);
            picked.update(*operation.expect("an operation"), value)?;
        }
    }
    Ok(view)
}

/// Arrays from nothing.
fn create(case: &Case) -> Result<DynArray, Error> {
    let size = |name: &str| case.integer(name).unwrap_or_else(|| panic!("{case}: {name}")) as usize;
    let offset = || case.integer("k").unwrap_or(0) as isize;
    match &case.function[..] {
        "linspace" => {
            let (start, stop) = (case.float("start"), case.float("stop"));
            let dtype = if case.options.contains_key("to") { case.to() } else { DType::F64 };
            DynArray::linspace(start, stop, size("count"), true, dtype)
        }
        "arange" => {
            let [start, stop, step] = ["start", "stop", "step"].map(|name| case.float(name));
            macro_rules! range {
                ($t:ty) => {
                    DArray::<$t>::try_range(start as _, stop as _, step as _).map(DynArray::from)
                };
            }
            match case.to() {
                DType::F64 => range!(f64),
                DType::F32 => range!(f32),
                DType::F16 => {
                    let [start, stop, step] = [start, stop, step].map(f16::from_f64);
                    DArray::try_range(start, stop, step).map(DynArray::from)
                }
                DType::BF16 => {
                    let [start, stop, step] = [start, stop, step].map(bf16::from_f64);
                    DArray::try_range(start, stop, step).map(DynArray::from)
                }
                DType::I8 => range!(i8),
                DType::I16 => range!(i16),
                DType::I32 => range!(i32),
                DType::I64 => range!(i64),
                DType::U8 => range!(u8),
                DType::U16 => range!(u16),
                DType::U32 => range!(u32),
                DType::U64 => range!(u64),
                other => {
                    assert!(start == 0.0 && step == 1.0, "{case}: only so many");
                    DynArray::arange(stop as usize, other)
                }
            }
        }
        "eye" => DynArray::eye(size("n"), size("m"), offset(), case.to()),
        "tri" => DynArray::tri(size("n"), size("m"), offset(), case.to()),
        _ => functions::create(case).unwrap_or_else(|| panic!("{case}: no such function")),
    }
}

fn sizes(case: &Case, name: &str) -> Vec<usize> {
    let sizes = case.integers(name).unwrap_or_else(|| panic!("{case}: {name}"));
    sizes.into_iter().map(|n| n as usize).collect()
}

fn tolerance(case: &Case) -> Tolerance {
    let equal_nan = case.integer("equal_nan") == Some(1);
    Tolerance { relative: case.float("rtol"), absolute: case.float("atol"), equal_nan }
}

fn widths(case: &Case) -> PadWidths {
    let pairs = case.options["width"].as_array().expect("a list").iter();
    let pairs: Vec<(usize, usize)> = pairs
        .map(|pair| {
            let pair = pair.as_array().expect("a pair");
            let width = |k: usize| pair[k].as_integer().expect("a width") as usize;
            (width(0), width(1))
        })
        .collect();
    PadWidths::from(&pairs[..])
}

fn mode(case: &Case) -> PadMode {
    match case.options["mode"].as_str() {
        Some("constant") => PadMode::constant(0),
        Some("edge") => PadMode::Edge,
        Some("reflect") => PadMode::Reflect,
        Some("wrap") => PadMode::Wrap,
        other => panic!("{case}: {other:?}"),
    }
}

fn norm(case: &Case) -> Norm {
    match case.options["ord"].as_str() {
        Some("fro") => Norm::Frobenius,
        _ => Norm::from(case.float("ord")),
    }
}

/// A reduction, of the elements where a mask holds if there is one.
fn reduce(case: &Case, operands: &[Operand], reduction: Reduction) -> Result<DynArray, Error> {
    let (x, axes) = (operands[0].array(), axes(case));
    let ddof = case.integer("ddof").unwrap_or(0) as usize;
    let reduction = match reduction {
        Reduction::Var { .. } => Reduction::Var { ddof },
        other => other,
    };
    let options = ReduceOptions {
        axes: axes.clone(),
        mask: operands.get(1).map(|mask| mask.array().alias()),
        initial: case.integer("initial").map(Into::into),
        dtype: case.options.contains_key("to").then(|| case.to()),
    };
    match options {
        ReduceOptions { mask: None, initial: None, dtype: None, .. } => x.reduce(reduction, axes),
        _ => x.reduce_with(reduction, options),
    }
}

fn axes(case: &Case) -> Axes {
    let axes = match case.integers("axis") {
        None => Axes::all(),
        Some(axes) => Axes::from(&axes.iter().map(|&a| a as isize).collect::<Vec<_>>()[..]),
    };
    let keep = case.options.get("keepdims").and_then(|k| k.as_bool()) == Some(true);
    if keep { axes.keepdims() } else { axes }
}
