//! Calls of functions that are made of others.

use crate::table::Case;
use crate::typed;
use darray::{
    Along, Argument, Axes, Binary, Bins, DType, DynArray, Error, Indexing, Overlap, Spacing,
    WindowFunction,
};

/// The call of a case with operands, if it is of one of these functions.
pub fn call(
    case: &Case,
    arrays: &[&DynArray],
    arguments: &[Argument<'_>],
) -> Option<Result<DynArray, Error>> {
    let x = arrays[0];
    let y = || arrays[1];
    let number =
        |name: &str| case.integer(name).unwrap_or_else(|| panic!("{case}: {name}")) as isize;
    let along = || Along::from(case.integer("axis").map(|axis| axis as isize));
    let part = |parts: (DynArray, DynArray)| if number("part") == 0 { parts.0 } else { parts.1 };
    let nth =
        |parts: Vec<DynArray>| parts.into_iter().nth(number("part") as usize).expect("a part");
    let dims = || -> Vec<i64> { case.integers("dims").expect("extents") };
    let one = |parts: Result<DynArray, Error>| Some(parts);
    match &case.function[..] {
        "fliplr" => one(x.fliplr()),
        "flipud" => one(x.flipud()),
        "matrix_transpose" => one(x.matrix_transpose()),
        "atleast_1d" => one(x.atleast_1d()),
        "atleast_2d" => one(x.atleast_2d()),
        "atleast_3d" => one(x.atleast_3d()),
        "ediff1d" => one(x.ediff1d()),
        "isposinf" => one(x.isposinf()),
        "isneginf" => one(x.isneginf()),
        "iscomplex" => one(x.iscomplex()),
        "isreal" => one(x.isreal()),
        "sinc" => one(x.sinc()),
        "positive" => one(x.positive()),
        "fabs" => one(x.fabs()),
        "spacing" => one(x.spacing()),
        "polyder" => one(x.polyder()),
        "heaviside" => one(x.heaviside(arguments[1])),
        "logaddexp" => one(x.logaddexp(arguments[1])),
        "logaddexp2" => one(x.logaddexp2(arguments[1])),
        "fmax" => one(x.fmax(arguments[1])),
        "fmin" => one(x.fmin(arguments[1])),
        "float_power" => one(x.float_power(arguments[1])),
        "divmod" => one(x.divmod(arguments[1]).map(part)),
        "modf" => one(x.modf().map(part)),
        "isin" => one(x.isin(y())),
        "union1d" => one(x.union1d(y())),
        "intersect1d" => one(x.intersect1d(y())),
        "setdiff1d" => one(x.setdiff1d(y())),
        "setxor1d" => one(x.setxor1d(y())),
        "unique_values" => one(x.unique_values()),
        "array_equiv" => one(x.array_equiv(y())),
        "kron" => one(x.kron(y())),
        "vecdot" => one(x.vecdot(y())),
        "matvec" => one(x.matvec(y())),
        "vecmat" => one(x.vecmat(y())),
        "polyval" => one(x.polyval(y())),
        "polyadd" => one(x.polyadd(y())),
        "polysub" => one(x.polysub(y())),
        "polymul" => one(x.polymul(y())),
        "polyint" => one(x.polyint(case.float("k"))),
        "convolve" => one(x.convolve(y(), overlap(case))),
        "correlate" => one(x.correlate(y(), overlap(case))),
        "nancumsum" => one(x.nancumsum(along())),
        "nancumprod" => one(x.nancumprod(along())),
        "nanargmax" => one(x.nanargmax(along())),
        "nanargmin" => one(x.nanargmin(along())),
        "nanmedian" => one(x.nanmedian(along())),
        "nanquantile" => one(x.nanquantile(case.float("q"), along())),
        "unwrap" => one(x.unwrap(along())),
        "average" => one(x.average(y(), axes(case))),
        "trapezoid" => one(x.trapezoid(case.float("spacing"), number("axis"))),
        "interp" => one(x.interp(y(), arrays[2])),
        "column_stack" => one(DynArray::column_stack(arrays)),
        "dstack" => one(DynArray::dstack(arrays)),
        "rot90" => one(x.rot90(number("k"))),
        "diagflat" => one(x.diagflat(number("k"))),
        "rollaxis" => one(x.rollaxis(number("axis"), number("start"))),
        "append" => one(x.append(y(), along())),
        "delete" => {
            let at = case.integers("at").unwrap_or_else(|| vec![0, -1, 0]);
            one(x.delete(&at.iter().map(|&k| k as isize).collect::<Vec<_>>(), along()))
        }
        "insert" => one(x.insert(number("at"), y(), along())),
        "resize" => one(x.resize(&dims()[..])),
        "vander" => one(x.vander(number("columns") as usize, number("increasing") == 1)),
        "unstack" => one(x.unstack(number("axis")).map(nth)),
        "hsplit" => one(x.hsplit([1]).map(nth)),
        "vsplit" => one(x.vsplit([1]).map(nth)),
        "dsplit" => one(x.dsplit([1]).map(nth)),
        "choose" => one(x.choose(&arrays[1..])),
        "select" => one(DynArray::first_of(&arrays[..2], &arrays[2..], arguments[4])),
        "ravel_multi_index" => one(DynArray::ravel_multi_index(arrays, &dims()[..])),
        "unravel_index" => one(x.unravel_index(&dims()[..]).map(nth)),
        "partition" => one(x.partition(number("kth"), along())),
        "argpartition" => one(x.argpartition(number("kth"), along())),
        "zeros_like" => one(x.full_like(0)),
        "ones_like" => one(x.full_like(1)),
        "full_like" => one(x.full_like(number("value") as i64)),
        "empty_like" => one({
            let like = x.empty_like();
            like.assign(x).map(|()| like)
        }),
        "broadcast_arrays" => one(DynArray::broadcast_arrays(arrays).map(nth)),
        "fill" => one(changed(case, x, |x| x.assign(arguments[1]))),
        "copy" => one(x.copy()),
        "reshape" => one(x.reshape(&dims()[..])),
        "flatten" => one(x.flatten()),
        "broadcast_to" => one(x.broadcast_to(&dims()[..])),
        "hstack" => one(DynArray::hstack(arrays)),
        "vstack" => one(DynArray::vstack(arrays)),
        "array_split" => one(x.array_split(2, 0).map(nth)),
        "split" => one(x.split([1], 0).map(nth)),
        "copyto" => one(changed(case, x, |x| x.assign_where(arrays[2], y()))),
        "fill_diagonal" => one(changed(case, x, |x| x.diagonal(0, 0, 1)?.assign(y()))),
        "meshgrid" => one(DynArray::meshgrid(arrays, Indexing::Ij).map(nth)),
        "lexsort" => one(DynArray::lexsort(arrays)),
        "corrcoef" => one(x.corrcoef()),
        "gradient" => {
            let spacing = match arrays.get(1) {
                Some(places) => Spacing::from(*places),
                None => Spacing::from(case.float("spacing")),
            };
            let order = case.integer("order").unwrap_or(1) as usize;
            one(x.gradient(spacing.edge_order(order), number("axis")))
        }
        "histogram" => {
            let density = case.integer("density") == Some(1);
            one(x.histogram(bins(case), arrays.get(1).copied(), density).map(part))
        }
        "histogram_bin_edges" => one(x.histogram_bin_edges(bins(case))),
        "histogram_edges" => one(x.histogram(y(), None, false).map(|(counts, _)| counts)),
        "accumulate" => {
            let name = case.options["of"].as_str().expect("a name");
            let binary = Binary::ALL.iter().find(|binary| binary.name() == name);
            let binary = *binary.expect("an operation");
            one(x.accumulate(along(), |a, b| a.binary(binary, b)))
        }
        _ => typed::call(case, x),
    }
}

/// What is left of a copy that was changed; of the transpose of one where the case says so.
pub fn changed(
    case: &Case,
    x: &DynArray,
    change: impl FnOnce(&DynArray) -> Result<(), Error>,
) -> Result<DynArray, Error> {
    let copy = if case.integer("turned") == Some(1) { x.t().copy()?.t() } else { x.copy()? };
    change(&copy)?;
    Ok(copy)
}

/// The call of a case without operands, if it is of one of these functions.
pub fn create(case: &Case) -> Option<Result<DynArray, Error>> {
    let count = || case.integer("count").expect("a count") as usize;
    let window = match &case.function[..] {
        "bartlett" => WindowFunction::Bartlett,
        "blackman" => WindowFunction::Blackman,
        "hamming" => WindowFunction::Hamming,
        "hanning" => WindowFunction::Hann,
        "geomspace" => {
            let (start, stop) = (case.float("start"), case.float("stop"));
            let dtype = if case.options.contains_key("to") { case.to() } else { DType::F64 };
            return Some(DynArray::geomspace(start, stop, count(), dtype));
        }
        "indices" => return Some(DynArray::indices(&case.integers("dims").expect("extents")[..])),
        "logspace" => {
            let (start, stop) = (case.float("start"), case.float("stop"));
            return Some(DynArray::logspace(start, stop, count(), true, 10.0, case.to()));
        }
        _ => return typed::create(case),
    };
    let made = DynArray::window(window, count());
    Some(match case.integer("inner") {
        Some(_) => made.and_then(|made| made.slice(darray::s![1..-1])),
        None => made,
    })
}

fn overlap(case: &Case) -> Overlap {
    match case.options["mode"].as_str() {
        Some("full") => Overlap::Full,
        Some("same") => Overlap::Same,
        _ => Overlap::Valid,
    }
}

fn bins(case: &Case) -> Bins {
    let bins = Bins::new(case.integer("bins").expect("a number") as usize);
    match case.options.get("low") {
        Some(_) => bins.range(case.float("low"), case.float("high")),
        None => bins,
    }
}

fn axes(case: &Case) -> Axes {
    match case.integers("axis") {
        None => Axes::all(),
        Some(axes) => Axes::from(&axes.iter().map(|&a| a as isize).collect::<Vec<_>>()[..]),
    }
}
