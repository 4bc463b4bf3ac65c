//! Generated kernels do what the reference interpreter says, bit by bit (all NaNs are equal).

use crate::examples;
use crate::machine::Machine;
use crate::support::{Arguments, Example, compiler_or_skip, ptx};
use darray_codegen::cuda::{CudaKernel, CudaTesting};
use darray_core::{RealType, Scalar};
use darray_cuda::Compiler;
use darray_differential::{Case, Options, first_difference, random_kernel, to_bytes, to_scalars};
use darray_interpreter::interpret;
use std::ops::Range;

#[test]
fn random_kernels_equal_the_reference() {
    random_kernels(0..70, &Options::default(), false);
}

#[test]
fn long_axes_equal_the_reference() {
    random_kernels(0..12, &Options { longest: 20_000, iterations: 40_000, ..few() }, false);
}

#[test]
fn indices_of_64_bits_equal_the_reference() {
    random_kernels(1000..1030, &few(), true);
}

fn few() -> Options {
    Options { operations: 3, ..Options::default() }
}

fn random_kernels(seeds: Range<u64>, options: &Options, wide: bool) {
    let Some(compiler) = compiler_or_skip() else { return };
    for seed in seeds {
        check(compiler, &random_kernel(seed, options), wide, &format!("seed {seed}"));
    }
}

#[test]
fn element_wise_examples_equal_the_reference() {
    for extent in [0, 1, 2, 3, 1000, 1001] {
        example(examples::chain(extent), extent > 1);
        example(examples::axpy(extent), extent > 1);
    }
    // Offsets, gaps, backwards.
    example(examples::chain(100).offset(1, 1), true);
    example(examples::chain(100).offset(3, 2), true);
    for extent in 1..24 {
        for buffer in [0, 2] {
            for offset in 0..4 {
                equal(examples::chain(extent).offset(buffer, offset));
                equal(examples::axpy(extent).offset(buffer, offset));
            }
        }
    }
    example(examples::chain(100).strides(0, 99, &[-1], 100), false);
    example(examples::chain(100).strides(1, 2, &[3], 300), false);
    example(examples::chain(100).strides(2, 7, &[0], 8), true);
    // Rows of odd length begin in turn where vectors do and where they do not.
    example(examples::stencil(5, 7), false);
    for columns in (4..40).step_by(2) {
        equal(examples::stencil(5, columns));
    }
    example(examples::stencil(34, 66), true);
}

#[test]
fn bytes_masks_and_indices_go_by_vectors() {
    example(examples::masked(64), true);
    example(examples::masked(67), true);
    example(examples::bytes(256), true);
    example(examples::bytes(250), true);
    // Vectors of 2, 4, 8 and 16 bytes.
    (1..40).for_each(|extent| equal(examples::bytes(extent)));
    example(examples::rows_by_vectors(6, 8), true);
    example(examples::rows_by_vectors(6, 7), false);
}

/// Streams whose numbers take every digit of those by which generators go to their place.
#[test]
fn random_numbers_far_along_equal_the_reference() {
    for generator in ["pcg64", "philox"] {
        for origin in [0, (1 << 24) - 20, (1 << 40) + 12_345, i64::MAX - 50] {
            equal(examples::draws(generator, 40, origin));
        }
    }
}

#[test]
fn folds_equal_the_reference() {
    for extent in [0, 1, 31, 33, 1023, 1024, 1025, 5000, 70_000] {
        example(examples::dot(extent), false);
    }
    example(examples::dot(3000).strides(0, 2999, &[-1], 3000), false);
    for (rows, columns) in [(0, 5), (5, 0), (1, 4000), (40, 500), (70, 3), (3, 33)] {
        example(examples::row_sum(rows, columns), false);
    }
    // The kept axis is contiguous: neighbouring threads are neighbouring rows.
    example(examples::row_sum(100, 70).strides(0, 0, &[1, 100], 7000), false);
    example(examples::row_sum(64, 2500).strides(0, 64, &[1, 65], 65 * 2501), false);
    for (rows, columns) in [(9, 100), (2000, 3), (40, 40), (200, 210)] {
        example(examples::column_extrema(rows, columns), false);
        example(examples::total(rows, columns), true);
    }
}

#[test]
fn leaves_are_combined_by_threads_warps_and_blocks() {
    let combined = |rows: usize, columns: usize, by: &str, shared: bool| {
        let example = examples::column_extrema(rows, columns);
        let text = example.source().text;
        assert!(text.contains(by), "{text}");
        assert_eq!(text.contains("extern __shared__"), shared, "{text}");
        equal(example);
    };
    let [thread, warp, block] = [
        "point = first;",
        "point = (int)blockIdx.x * 8 + threadIdx.x / 32;",
        "point = blockIdx.x;",
    ];
    combined(60, 70, thread, false);
    combined(200, 70, warp, true);
    combined(203, 64, warp, true);
    combined(1240, 70, block, true);
    // More than fits the memory that a block shares.
    let text = examples::total(200, 210).source().text;
    assert!(text.contains(block) && !text.contains("extern __shared__"), "{text}");
    example(examples::total(200, 210), true);
}

/// Of several leaves along an axis, of those of several axes, of a part of a leaf.
#[test]
fn threads_of_several_leaves_and_of_parts_of_one_equal_the_reference() {
    let combined = |example: Example, has_parts: bool| {
        let Some(compiler) = compiler_or_skip() else { return };
        let text = run(compiler, &example.case(), false, true, "an example");
        assert!(text.contains("a.inside"), "{text}");
        let text = run(compiler, &example.case(), false, false, "an example");
        assert_eq!(text.contains("const int begin"), has_parts, "{text}");
    };
    let several = |example: Example| combined(example, true);
    for (rows, columns) in [(8, 316), (20, 130), (9, 1025), (2, 3000), (300, 5)] {
        several(examples::update_and_norm(rows, columns));
    }
    for (rows, columns) in [(1025, 3), (1100, 2), (2500, 4)] {
        several(examples::transposed_product(rows, columns));
    }
    // Kept points fill a block.
    equal(examples::transposed_product(2500, 40));
    // Rows of three rounds are leaves.
    combined(examples::extrema_of_block([3, 7, 70]), false);
    for shape in [[5, 9, 33], [17, 3, 1030]] {
        several(examples::extrema_of_block(shape));
    }
    for extent in [1025, 33_000, 1 << 18] {
        several(examples::dot(extent));
    }
}

/// Lanes by what is kept behind an axis: in a warp, in memory that a block shares, none.
#[test]
fn middle_axes_equal_the_reference() {
    for behind in [1, 2, 3, 5, 8, 12, 33, 63, 64, 70] {
        for extent in [1, 2, 7, 33, 300, 1100] {
            equal(examples::middle([3, extent, behind]));
        }
    }
    for shape in [[5, 3, 40], [9, 3, 1500], [3, 2, 2500], [70, 1, 33], [4, 5, 1]] {
        equal(examples::around(shape));
    }
}

#[test]
fn tiles_give_their_subtrees() {
    for rows in [[0, 31, 31], [2, 28, 31], [6, 25, 31], [0, 70, 70], [4, 0, 31]] {
        for columns in [[0, 30, 30], [4, 24, 30], [12, 18, 30], [8, 4, 30], [0, 0, 0]] {
            // Leaves of rows without elements have four.
            if columns[2] > 0 || rows[0] % 4 == 0 {
                example(examples::tile(rows, columns), false);
            }
        }
    }
}

#[test]
fn order_of_loads_and_stores_is_kept() {
    for (rows, columns) in [(5, 3), (5, 40), (40, 3), (1, 6)] {
        example(examples::factor_in_place(rows, columns), false);
    }
    for (rows, columns) in [(5, 3), (3, 2100), (40, 40)] {
        example(examples::centred(rows, columns), false);
    }
    example(examples::old_value(10), true);
    let entries = |example: Example| example.source().entries;
    assert_eq!(
        entries(examples::factor_in_place(5, 40)),
        ["darray_points_0", "darray_leaves_1", "darray_combine_2"]
    );
    assert_eq!(entries(examples::centred(5, 3)), ["darray_leaves_0"]);
    assert_eq!(
        entries(examples::old_value(10)),
        ["darray_single_0", "darray_points_1", "darray_single_2"]
    );
    // Arithmetic between nests costs no launch.
    assert_eq!(entries(examples::axpy(10)), ["darray_points_0"]);
    assert_eq!(
        entries(examples::total(40, 40)),
        ["darray_leaves_0", "darray_combine_1", "darray_points_2"]
    );
}

#[test]
fn one_block_runs_small_nests_in_turn() {
    for extent in [2, 3, 100, 1001, 2048, 3000] {
        equal(examples::nests_in_turn(extent));
    }
    let entries = |extent| examples::nests_in_turn(extent).source().entries;
    assert_eq!(entries(2048), ["darray_nests_0"]);
    assert_eq!(
        entries(3000),
        ["darray_points_0", "darray_points_1", "darray_single_2", "darray_points_3"]
    );
    let source = examples::nests_in_turn(100).source().text;
    assert_eq!(source.matches("__syncthreads();").count(), 3);
}

#[test]
fn rare_cases_beside_common_numbers_equal_the_reference() {
    // Both sides of where ranges end, and what is special.
    let ends = [-126, -102, -101, -65, -64, -52, -48, 0, 1, 6, 62, 64, 76, 80, 120, 126];
    let ends = ends.iter().map(|&k| 2f32.powi(k)).flat_map(|x| [x, x.next_down(), x.next_up()]);
    let numbers: Vec<f32> = [0.0, 1e-45, 1e-39, 3e-31, f32::MAX, f32::INFINITY, 88.7, 103.9, 0.1]
        .into_iter()
        .chain(ends)
        .flat_map(|x| [x, -x])
        .chain([f32::NAN])
        .collect();
    // Each number with every third one.
    let count = numbers.len();
    let third = (0..count * count).filter(|at| (at / count + at % count).is_multiple_of(3));
    let pairs: Vec<[f32; 2]> = third.map(|at| [numbers[at / count], numbers[at % count]]).collect();
    for functions in [
        "%3 = div.f32 %1 %2 %4 = sqrt.f32 %0",
        "%3 = div.f32 %0 %2 %4 = sqrt.f32 %0",
        "%3 = reciprocal.f32 %1 %4 = sqrt.f32 %0",
        "%3 = sqrt.f32 %1 %4 = sqrt.f32 %0",
        "%3 = exp.f32 %1 %4 = sqrt.f32 %0",
        "%3 = ln.f32 %1 %4 = sqrt.f32 %0",
        "%3 = div.f32 %1 %2 %4 = ln.f32 %3",
        // What is asked once, or follows from the argument.
        "%3 = sqrt.f32 %1 %4 = mul.f32 %0 %3 %5 = div.f32 %2 %4",
        "%3 = div.f32 %1 %2 %4 = mul.f32 %0 %3 %5 = mul.f32 %3 %4 %6 = exp.f32 %5",
        "%3 = div.f32 %1 %2 %4 = abs.f32 %3 %5 = add.f32 %0 %4 %6 = reciprocal.f32 %5 %7 = div.f32 %0 %5",
        "%3 = sqrt.f32 %1 %4 = mul.f32 %0 %1 %5 = exp.f32 %4 %6 = add.f32 %3 %5",
        // Of known size, which may be large or small.
        "%3 = div.f32 %1 %2 %4 = mul.f32 %3 %3 %5 = div.f32 %2 %4",
        "%3 = div.f32 %1 %2 %4 = mul.f32 %3 %3 %5 = reciprocal.f32 %4",
        "%3 = div.f32 %1 %2 %4 = mul.f32 %3 %3 %5 = sqrt.f32 %4",
        "%3 = div.f32 %1 %2 %4 = mul.f32 %3 %3 %5 = ln.f32 %4",
    ] {
        let mut guarded = examples::guarded(functions, 1, pairs.len() * 4);
        for (place, number) in (0..pairs.len() * 4).flat_map(|k| [(k, 0), (k, 1)]) {
            // One pair per vector: the others of the vector are common.
            let (vector, lane) = (place / 4, place % 4);
            let common = 0.5 + (place * [7919, 6133][number] % 10_007) as f32 / 301.0;
            let element = if vector % 4 == lane { pairs[vector][number] } else { common };
            guarded.memory[number][place] = element.into();
        }
        let argument = functions.split_whitespace().skip(1).any(|word| word == "%0");
        let others = if functions.contains("%5") { &[1f32, -2.0, 1e-9][..] } else { &[1.0] };
        for &other in others.iter().filter(|_| argument) {
            let mut changed = guarded.case();
            changed.launch.scalars = vec![other.into()];
            let Some(compiler) = compiler_or_skip() else { return };
            check(compiler, &changed, false, "another argument");
        }
        example(guarded, true);
    }
    // Rows that are not whole vectors, and begin elsewhere.
    let functions = "%3 = div.f32 %1 %2 %4 = ln.f32 %3";
    equal(examples::guarded(functions, 3, 23).offset(2, 1));
    equal(examples::guarded(functions, 5, 8));
    equal(examples::guarded(functions, 5, 8).strides(0, 1, &[11, 1], 60));
}

#[test]
fn guards_are_for_what_computes_more_than_it_moves() {
    let has_guard = |example: Example| example.source().text.contains("darray_common(guard)");
    let functions = "%3 = sqrt.f32 %1 %4 = sqrt.f32 %2";
    assert!(has_guard(examples::guarded(functions, 4, 8)));
    let apart = examples::guarded(functions, 4, 8).strides(0, 0, &[16, 2], 64);
    assert!(!has_guard(apart), "no vectors");
    assert!(!has_guard(examples::axpy(1000)), "no functions");
    let text = "kernel params=2 scalars=[]
        b0: f32 rank 1 read noalias b1: f32 rank 1 write noalias
        { for (i0: extent=p0 origin=p1 global=p0 logical=0) {
            %0 = load b0[p1 + 1*i0] %1 = exp.f32 %0 %2 = div.f32 %0 %1
            store b1[p1 + 1*i0] %2
          } }";
    assert!(!has_guard(Example::new(text, &[1000, 0], &[], &[&[1000], &[1000]])), "little work");
}

/// Runs an example; `vectors`: whether it moves several elements at once.
#[track_caller]
fn example(example: Example, vectors: bool) {
    let Some(compiler) = compiler_or_skip() else { return };
    let text = example.source().text;
    assert_eq!(text.contains("make_"), vectors, "{text}");
    check(compiler, &example.case(), false, "an example");
}

/// Runs an example, by vectors or not.
#[track_caller]
fn equal(example: Example) {
    let Some(compiler) = compiler_or_skip() else { return };
    check(compiler, &example.case(), false, "an example");
}

/// Runs a case, and its folds both by as few threads as can be and by as many.
#[track_caller]
fn check(compiler: &Compiler, case: &Case, wide: bool, name: &str) {
    if run(compiler, case, wide, true, name).contains("darray_leaves") {
        run(compiler, case, wide, false, name);
    }
}

/// Runs a case and compares all memory; gives the text. `few`: by few threads, which have several leaves each; else a leaf may have
/// several threads for each lane. What has more blocks runs with two as well, so that its loops go round.
#[track_caller]
fn run(compiler: &Compiler, case: &Case, wide: bool, few: bool, name: &str) -> String {
    let (text, blocks) = compare(compiler, case, wide, few, u32::MAX, name);
    if blocks > 2 {
        compare(compiler, case, wide, few, 2, name);
    }
    text
}

/// With at most so many blocks; gives the text, and how many blocks there would be.
#[track_caller]
fn compare(
    compiler: &Compiler,
    case: &Case,
    wide: bool,
    few: bool,
    most_blocks: u32,
    name: &str,
) -> (String, u32) {
    let mut expected = case.memory.clone();
    interpret(&case.kernel, &case.launch, &mut expected).unwrap();
    let mut machine = Machine::default();
    let dtypes: Vec<RealType> = case
        .memory
        .iter()
        .map(|array| array.first().map_or(RealType::F64, |element| element.dtype()))
        .collect();
    let store = |(array, dtype): (&Vec<Scalar>, &RealType)| {
        let address = machine.allocate(array.len() * dtype.size());
        machine.write(address, &to_bytes(*dtype, array.iter().copied()));
        address
    };
    let addresses: Vec<u64> = case.memory.iter().zip(&dtypes).map(store).collect();
    let arguments = Arguments::new(&case.launch, &case.memory, &addresses);
    let bindings = arguments.bindings();
    let busy_threads = Some(if few { 0 } else { usize::MAX });
    let testing = CudaTesting { wide_indices: wide, busy_threads };
    let kernel = CudaKernel::new(&case.kernel).unwrap().with_testing(testing);
    let prepared = kernel.prepare(&bindings).unwrap();
    let source = kernel.source(prepared.variant());
    assert!(!wide || !source.text.contains("const int c0"));
    let workspace = machine.allocate(prepared.workspace() as usize);
    let mut launches = prepared.launches(workspace);
    let blocks = launches.iter().map(|launch| launch.grid).max().unwrap_or(0);
    launches.iter_mut().for_each(|launch| launch.grid = launch.grid.min(most_blocks));
    if !source.entries.is_empty() {
        machine.run(&ptx(compiler, &source.text), &source.entries, &launches);
    }
    let load = |((array, dtype), &address): ((&Vec<Scalar>, &RealType), &u64)| {
        to_scalars(*dtype, &machine.read(address, array.len() * dtype.size()))
    };
    let found: Vec<Vec<Scalar>> =
        case.memory.iter().zip(&dtypes).zip(&addresses).map(load).collect();
    if let Some(difference) = first_difference(&expected, &found) {
        let (kernel, launch) = (&case.kernel, &case.launch);
        panic!(
            "{name}, {blocks} blocks or {most_blocks}: {difference:?}\n{kernel}\n{launch:?}\n{}",
            source.text
        );
    }
    (source.text, blocks)
}
