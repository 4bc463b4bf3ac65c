//! Random programs give the same bits fused, task-fused and unfused, with any window, on any number
//! of devices; and they give what an independent evaluation over ndarray admits.
//!
//! A longer run: `cargo run --release -p darray-suite -- 100000`, with more to choose in its source.

use darray_core::settings::{CpuLevel, Mode};
use darray_fusion::plan::Rule;
use darray_kernel::tree::TreeRule;
use darray_suite::{campaign, front_end};
use darray_testkit::{Coverage, Options, Scale, Trial};
use std::collections::BTreeMap;

/// Programs in `cargo test`.
const PROGRAMS: u64 = 3200;

#[test]
fn every_mode_window_and_device_count_gives_the_reference_bits() {
    let coverage = campaign(0..PROGRAMS, Options::default()).unwrap_or_else(|f| panic!("\n{f}"));
    println!("{coverage:#?}");
    assert_eq!(coverage.programs as u64, PROGRAMS);
    covers_configurations(&coverage);
    covers_stops(&coverage);
    covers_functions(&coverage);
    assert!(
        2 * coverage.fused >= coverage.programs,
        "{} of {} programs had a fused task of three or more",
        coverage.fused,
        coverage.programs
    );
    assert!(coverage.exact > 4 * coverage.near, "the oracle mostly compares bits");
}

/// Each mode on each number of devices.
fn covers_configurations(coverage: &Coverage) {
    for mode in 0..Mode::ALL.len() {
        for devices in 1..=4 {
            let runs = coverage.runs.get(&(mode, devices)).copied().unwrap_or(0);
            assert!(runs >= 200, "{} on {devices} devices: {runs} runs", Mode::ALL[mode]);
        }
    }
}

/// Each constraint and precondition. What two nests of one fused task share, they share through equal
/// partitions, so over elements only launch domains and reductions are left to stop at.
fn covers_stops(coverage: &Coverage) {
    for name in [
        "Points LaunchDomain",
        "Points TrueDependence",
        "Points AntiDependence",
        "Points Reduction",
        "Points SingleReduction",
        "Elements LaunchDomain",
        "Elements Reduction",
        // Operations that the emitter split or refused.
        "Points SelfAlias",
        "Points InjectiveWrite",
    ] {
        let seen = coverage.stops.get(name).is_some_and(|count| *count > 0);
        assert!(seen, "{name} stopped no group: {:?}", coverage.stops);
    }
}

/// Programs of a campaign that call a function, at least.
const LEAST: usize = 10;

/// Names under which programs call a function that has another: first that of the front end, then that
/// of [`Statement::functions`](darray_testkit::program::Statement::functions).
const SAME: [(&str, &str); 48] = [
    ("array", "from_shape_vec"),
    ("zeros", "full"),
    ("ones", "full"),
    ("zeros_like", "full_like"),
    ("ones_like", "full_like"),
    ("linspace_open", "linspace: open"),
    ("from_vec", "from_shape_vec"),
    ("item", "to_vec"),
    ("at", "slice"),
    ("set", "assign"),
    ("astype", "cast"),
    ("swapaxes", "swap_axes"),
    ("where_", "select"),
    ("copyto", "assign_where"),
    ("pcg64", "default_rng"),
    ("percentile", "quantile"),
    ("matrix_norm", "norm: frobenius"),
    ("accumulate", "cummax"),
    ("bincount_weighted", "bincount: weighted"),
    ("searchsorted_right", "searchsorted: right"),
    ("open", "load_npz"),
    ("get", "load_npz"),
    ("get_as", "load_npz"),
    ("save_compressed", "savez_compressed"),
    ("unary", "negative"),
    ("binary", "add"),
    ("binary_reversed", "add"),
    ("sub", "subtract"),
    ("mul", "multiply"),
    ("div", "divide"),
    ("rem", "remainder"),
    ("add_assign", "update"),
    ("sub_assign", "update"),
    ("mul_assign", "update"),
    ("div_assign", "update"),
    ("rem_assign", "update"),
    ("bitand", "bitwise_and"),
    ("bitor", "bitwise_or"),
    ("bitxor", "bitwise_xor"),
    ("bitand_assign", "update"),
    ("bitor_assign", "update"),
    ("bitxor_assign", "update"),
    ("lt", "less"),
    ("le", "less_equal"),
    ("gt", "greater"),
    ("ge", "greater_equal"),
    ("eq", "equal"),
    ("ne", "not_equal"),
];

/// What programs do not call: it says something about an array or a file and records nothing, or is of complex
/// arrays or of pictures, which have tests of their own.
const ABSENT: [&str; 37] = [
    "angle",
    "arg",
    "as_dyn",
    "broadcast_shapes",
    "can_cast",
    "conj",
    "conjugate",
    "dims",
    "dtype",
    "finfo",
    "from_parts",
    "from_polar",
    "iinfo",
    "imag",
    "is_empty",
    "iscomplexobj",
    "isdtype",
    "isrealobj",
    "iter",
    "len",
    "names",
    "ndim",
    "norm_sqr",
    "promote_types",
    "real",
    "result_type",
    "runtime",
    "save_png",
    "save_rgb_png",
    "shape",
    "size",
    "to_complex",
    "try_broadcast_shapes",
    "try_finfo",
    "try_iinfo",
    "try_result_type",
    "try_to_string",
];

/// Functions that are made of others, which programs call; their results are NumPy's in the cases of `tests/cases`, in every mode and
/// on several devices.
const COMPOSED: [&str; 60] = [
    "accumulate",
    "allclose",
    "allclose_within",
    "append",
    "argpartition",
    "array_equal",
    "average",
    "choice",
    "choose",
    "convolve",
    "corrcoef",
    "correlate",
    "cov",
    "delete",
    "diff",
    "digitize",
    "digitize_right",
    "divmod",
    "dsplit",
    "fill_diagonal",
    "first_of",
    "float_power",
    "geomspace",
    "gradient",
    "gradients",
    "histogram",
    "histogram_bin_edges",
    "histogram_density",
    "histogram_weighted",
    "hsplit",
    "indices",
    "insert",
    "interp",
    "isclose",
    "isclose_within",
    "lexsort",
    "loadtxt",
    "mgrid",
    "modf",
    "nanpercentile",
    "nanquantile",
    "ogrid",
    "partition",
    "permutation",
    "polyint",
    "quantiles",
    "ravel_multi_index",
    "resize",
    "rollaxis",
    "savetxt",
    "shuffle",
    "trapezoid",
    "unique_all",
    "unique_counts",
    "unique_values",
    "unravel_index",
    "unstack",
    "vander",
    "vsplit",
    "window",
];

/// Functions that are no methods declared in the sources, and kinds of calls that are code of their own.
const KINDS: [&str; 70] = [
    "keepdims",
    "clone",
    "assign: refused",
    "array_split: indices",
    "array_split: parts",
    "clip: both",
    "clip: high",
    "clip: low",
    "clip: none",
    "concatenate: axes",
    "argsort: axes",
    "bincount: plain",
    "bincount: weighted",
    "searchsorted: left",
    "searchsorted: right",
    "argsort: flat",
    "concatenate: flat",
    "compress: axes",
    "compress: flat",
    "cummax: axes",
    "cummax: flat",
    "cummin: axes",
    "cummin: flat",
    "cumprod: axes",
    "cumprod: flat",
    "cumsum: axes",
    "cumsum: flat",
    "diag: matrix",
    "diag: view",
    "flip: all",
    "flip: axes",
    "linspace: closed",
    "linspace: open",
    "logspace: closed",
    "logspace: open",
    "meshgrid: ij",
    "meshgrid: xy",
    "norm: frobenius",
    "norm: inf",
    "norm: neg_inf",
    "norm: one",
    "norm: p",
    "norm: two",
    "norm: zero",
    "pad: constant",
    "pad: edge",
    "pad: reflect",
    "pad: symmetric",
    "pad: wrap",
    "repeat: axes",
    "repeat: flat",
    "roll: axes",
    "roll: flat",
    "sort: axes",
    "sort: flat",
    "split: indices",
    "split: parts",
    "squeeze: all",
    "squeeze: axes",
    "take: axes",
    "take: flat",
    "take_along_axis: axes",
    "take_along_axis: flat",
    "tensordot: count",
    "tensordot: pairs",
    "transpose: all",
    "transpose: axes",
    // Runs of powers, which are a kernel operation of their own.
    "powi",
    "default_rng",
    "philox",
];

/// Each function of the front end, so that none that is added is left out of the random programs.
fn covers_functions(coverage: &Coverage) {
    let declared = front_end::functions();
    assert!(declared.len() > 200, "{} functions found", declared.len());
    for name in ABSENT {
        assert!(declared.contains(name), "{name} is not there any more");
    }
    let operations = darray::Unary::ALL.iter().map(|operation| operation.name());
    let operations = operations.chain(darray::Binary::ALL.iter().map(|operation| operation.name()));
    let mut wanted: BTreeMap<String, String> = BTreeMap::new();
    for name in operations.chain(KINDS) {
        wanted.insert(name.to_string(), name.to_string());
    }
    let composed = |name: &str| {
        let name = name.strip_prefix("try_").unwrap_or(name);
        COMPOSED.contains(&name)
    };
    for name in COMPOSED {
        assert!(declared.contains(name), "{name} is not there any more");
    }
    let others = |name: &&String| !ABSENT.contains(&&name[..]) && !composed(name);
    for name in declared.iter().filter(others) {
        wanted.insert(name.clone(), called(name, coverage));
    }
    let count = |called: &str| coverage.functions.get(called).copied().unwrap_or(0);
    let rare: Vec<String> = wanted
        .iter()
        .filter(|(_, called)| count(called) < LEAST)
        .map(|(name, called)| format!("{name}: {} programs call {called}", count(called)))
        .collect();
    assert!(rare.is_empty(), "{}", rare.join("\n"));
}

/// How programs name a function: the methods of typed arrays differ from those of [`darray::DynArray`] by
/// what they do with errors and by the arguments that they take.
fn called(name: &str, coverage: &Coverage) -> String {
    let same = |name: &str| SAME.iter().find(|(other, _)| *other == name).map(|(_, same)| *same);
    let name = name.strip_prefix("try_").unwrap_or(name);
    if coverage.functions.contains_key(name) {
        return name.to_string();
    }
    let endings = ["_axis", "_axes", "_ddof", "_ord", "_as", "_of"];
    let short = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    same(name).or(same(short)).unwrap_or(short).to_string()
}

#[test]
fn the_block_sizes_of_real_runs_give_the_same_bits_too() {
    for (scale, count) in [(Scale::Small, 200), (Scale::Large, 200)] {
        let options = Options { scale, tree_rule: TreeRule::STANDARD, ..Options::default() };
        let seeds = 10_000..10_000 + count;
        let coverage = campaign(seeds, options).unwrap_or_else(|f| panic!("\n{f}"));
        assert_eq!(coverage.programs as u64, count);
    }
}

#[test]
fn without_any_one_rule_some_program_of_2000_goes_wrong() {
    for rule in [
        Rule::LaunchDomain,
        Rule::TrueDependence,
        Rule::AntiDependence,
        Rule::Reduction,
        Rule::SingleReduction,
        Rule::SelfAlias,
        Rule::InjectiveWrite,
    ] {
        let options = Options { trial: Trial::WithoutRule(rule), ..Options::default() };
        match campaign(0..2000, options) {
            Ok(_) => panic!("nothing went wrong without {rule:?}"),
            Err(failure) => println!("without {rule:?}: {failure}"),
        }
    }
}

#[test]
fn other_instruction_sets_and_threads_give_the_same_bits() {
    for (first, level) in [(40_000, CpuLevel::Baseline), (50_000, CpuLevel::Avx2)] {
        let trial = Trial::Level(level);
        let options = Options { trial, scale: Scale::Large, oracle: false, ..Options::default() };
        let coverage = campaign(first..first + 150, options).unwrap_or_else(|f| panic!("\n{f}"));
        assert_eq!(coverage.programs, 150);
        let rows = coverage.rows;
        assert!(rows.shared > 5, "kernels by rows ran like this: {rows:?}");
    }
}

#[test]
fn no_device_touches_the_memory_of_another_or_what_surrounds_its_blocks() {
    let options = Options { trial: Trial::Isolated, ..Options::default() };
    let coverage = campaign(20_000..20_300, options).unwrap_or_else(|f| panic!("\n{f}"));
    assert_eq!(coverage.programs, 300);
}
