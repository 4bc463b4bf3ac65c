use super::*;
use darray_core::RealType;
use darray_kernel::random::Pcg64;

fn f64s(values: impl IntoIterator<Item = f64>) -> Vec<Scalar> {
    values.into_iter().map(Scalar::from).collect()
}

fn i64s(values: impl IntoIterator<Item = i64>) -> Vec<Scalar> {
    values.into_iter().map(Scalar::from).collect()
}

fn zeros(dtype: RealType, count: usize) -> Vec<Scalar> {
    vec![Scalar::zero(dtype); count]
}

fn kernel(text: &str) -> Kernel {
    Kernel::parse(text).unwrap()
}

const TREE: &str = "lanes=2 width=4 rounds=2 alone=2";

/// Row sums: kept axis 0, reduced axis 1 in tiles.
fn row_sums() -> Kernel {
    kernel(&format!(
        "kernel params=7 scalars=[] b0: f64 rank 2 read b1: f64 rank 2 partial {{
           for (i0: extent=p0 origin=p6 global=p0 logical=0) {{
             fold (i1: extent=p1 origin=p2 global=p3 logical=1) {TREE} {{
               %0 = load b0[p6 + 1*i0, p6 + 1*i1]
             }} %1 = sum %0
             yield b1[p6, p6 + 1*i0] %1
           }}
         }}"
    ))
}

#[test]
fn a_tile_yields_its_subtrees_and_the_finish_step_gives_the_root() {
    let value = |row: usize, column: usize| 0.1 * (row + 1) as f64 + 1e15 / (column + 3) as f64;
    let data = f64s((0..26).map(|i| value(i / 13, i % 13)));
    let run = |origin: i64, extent: i64, slots: usize| {
        let mut memory = [data.clone(), zeros(RealType::F64, 2 * slots)];
        let launch = Launch {
            buffers: vec![BufferArg::new(0, 0, [13, 1]), BufferArg::new(1, 0, [1, slots as i64])],
            params: vec![2, extent, origin, 13, 0, 0, 0],
            scalars: vec![],
        };
        interpret(&row_sums(), &launch, &mut memory).unwrap();
        memory[1].iter().map(|s| s.to_f64()).collect::<Vec<f64>>()
    };
    let leaf = |row: usize, columns: std::ops::Range<usize>| {
        let mut lanes = [-0.0, -0.0];
        columns.for_each(|c| lanes[c % 2] += value(row, c));
        lanes[0] + lanes[1]
    };
    let leaves = |row| [leaf(row, 0..4), leaf(row, 4..8), leaf(row, 8..12), leaf(row, 12..13)];
    for row in 0..2 {
        let [a, b, c, d] = leaves(row);
        assert_eq!(run(0, 13, 1)[row], (a + b) + (c + d));
        assert_eq!(run(0, 12, 2)[2 * row..2 * row + 2], [a + b, c]);
        assert_eq!(run(4, 9, 2)[2 * row..2 * row + 2], [b, c + d]);
    }
}

#[test]
fn arg_reducers_count_row_major_over_global_logical_axes() {
    // The fold's axes stand in reverse: positions follow the logical numbers.
    let kernel = kernel(&format!(
        "kernel params=6 scalars=[] b0: f64 rank 2 read b1: f64 rank 1 partial
           b2: i64 rank 1 partial b3: i64 rank 0 write {{
           fold (i0: extent=p0 origin=p1 global=p0 logical=1,
                 i1: extent=p2 origin=p1 global=p2 logical=0) {TREE} {{
             %0 = load b0[p1 + 1*i1, p1 + 1*i0]
           }} %1 %2 = argmax %0
           yield b1[p1] %1
           yield b2[p1] %2
           %3 = add.i64 %2 %2
           store b3[] %3
         }}"
    ));
    for (at, value) in [(7, 9.0), (3, f64::NAN), (0, 5.0)] {
        let mut data = vec![1.0; 15];
        data[at] = value;
        data[12] = 5.0;
        let mut memory =
            [f64s(data), zeros(RealType::F64, 1), zeros(RealType::I64, 1), zeros(RealType::I64, 1)];
        let launch = Launch {
            buffers: vec![
                BufferArg::new(0, 0, [5, 1]),
                BufferArg::new(1, 0, [1]),
                BufferArg::new(2, 0, [1]),
                BufferArg::new(3, 0, []),
            ],
            params: vec![5, 0, 3, 0, 0, 0],
            scalars: vec![],
        };
        interpret(&kernel, &launch, &mut memory).unwrap();
        assert_eq!(memory[2], i64s([at as i64]));
        assert_eq!(memory[3], i64s([2 * at as i64]));
        assert!(memory[1][0].to_f64() == value || value.is_nan() && memory[1][0].to_f64().is_nan());
    }
}

#[test]
fn empty_folds_have_the_empty_value() {
    for (reducer, want) in [("sum", 0.0), ("prod", 1.0)] {
        let kernel = kernel(&format!(
            "kernel params=2 scalars=[] b0: f64 rank 1 read b1: f64 rank 1 partial {{
               fold (i0: extent=p0 origin=p0 global=p0 logical=0) {TREE} {{
                 %0 = load b0[p0 + 1*i0]
               }} %1 = {reducer} %0
               yield b1[p0] %1
             }}"
        ));
        let mut memory = [vec![], f64s([7.0])];
        let buffers = vec![BufferArg::new(0, 0, [1]), BufferArg::new(1, 0, [1])];
        let launch = Launch { buffers, params: vec![0, 0], scalars: vec![] };
        interpret(&kernel, &launch, &mut memory).unwrap();
        assert_eq!(memory[1], f64s([want]));
        // A sum of negative zeros is one.
        let mut memory = [f64s([-0.0, -0.0]), f64s([7.0])];
        let kernel = Kernel::parse(&kernel.to_string().replace("extent=p0", "extent=p1")).unwrap();
        let kernel = Kernel::parse(&kernel.to_string().replace("global=p0", "global=p1")).unwrap();
        let launch = Launch { params: vec![0, 2], ..launch };
        interpret(&kernel, &launch, &mut memory).unwrap();
        assert_eq!(memory[1], f64s([if reducer == "sum" { -0.0 } else { 0.0 }]));
    }
}

#[test]
fn random_numbers_masks_and_scalars() {
    let kernel = kernel(
        "kernel params=3 scalars=[i64, i64, i64, i64, f64]
           b0: f64 rank 1 write b1: f64 rank 1 readwrite {
           %0 = scalar 0  %1 = scalar 1  %2 = scalar 2  %3 = scalar 3  %4 = scalar 4
           for (i0: extent=p0 origin=p1 global=p2 logical=0) {
             %5 = index i0
             %6 = random.pcg64.f64 %0 %1 %2 %3 at %5
             store b0[p1 + 1*(i0-4)] %6
             %7 = gt.f64 %6 %4
             store b1[p1 + 1*(i0-4)] %4 if %7
           }
         }",
    );
    let mut memory = [zeros(RealType::F64, 6), f64s([9.0; 6])];
    let mut scalars = i64s(Pcg64::from_seed(42).key());
    scalars.push(0.5.into());
    let buffers = vec![BufferArg::new(0, -4, [1]), BufferArg::new(1, 7, [-1])];
    let launch = Launch { buffers, params: vec![4, 4, 10], scalars };
    interpret(&kernel, &launch, &mut memory).unwrap();
    let numbers: Vec<f64> = (4..8).map(|n| Pcg64::from_seed(42).at(n).next_f64()).collect();
    let mut want = numbers.clone();
    want.extend([0.0; 2]);
    assert_eq!(memory[0], f64s(want));
    let masked = numbers.iter().rev().map(|&n| if n > 0.5 { 0.5 } else { 9.0 });
    let want: Vec<f64> = masked.chain([9.0; 2]).collect();
    assert!(want.contains(&0.5) && want[..4].contains(&9.0));
    assert_eq!(memory[1], f64s(want));
}

#[test]
fn what_cannot_run() {
    let copy = "kernel params=4 scalars=[] b0: f64 rank 1 read b1: f64 rank 1 write {
           for (i0: extent=p0 origin=p1 global=p2 logical=0) {
             %0 = load b0[p3 + 1*i0]
             store b1[p1 + 1*i0] %0
           }
         }";
    let buffers = |second: usize| vec![BufferArg::new(0, 0, [1]), BufferArg::new(second, 0, [1])];
    let run = |text: &str, second: usize, params: [i64; 4]| {
        let launch = Launch { buffers: buffers(second), params: params.to_vec(), scalars: vec![] };
        let mut memory = [f64s([1.0; 6]), f64s([2.0; 6]), i64s([3; 6])];
        interpret(&kernel(text), &launch, &mut memory).map(|_| ()).map_err(|e| e.to_string())
    };
    let failed = |message: &str| Err(message.to_string());
    assert_eq!(run(copy, 1, [4, 0, 4, 2]), Ok(()));
    assert_eq!(run(copy, 1, [4, 0, 4, 3]), failed("b0 reaches element 6 of 6"));
    assert_eq!(run(copy, 1, [4, 1, 4, 0]), failed("i0 runs over 4 from 1 of 4"));
    assert_eq!(run(copy, 2, [4, 0, 4, 2]), failed("buffer 1 is not f64"));
    assert_eq!(run(copy, 3, [4, 0, 4, 2]), failed("b1 lies in no array"));
    // In place is fine, shifted in place is not, nor is one element for all iterations.
    assert_eq!(run(copy, 0, [4, 0, 4, 0]), Ok(()));
    assert_eq!(run(copy, 0, [4, 0, 4, 1]), failed("iterations conflict at b1, element 1"));
    let all_to_one = copy.replace("b1[p1 + 1*i0]", "b1[p1]");
    assert_eq!(run(&all_to_one, 1, [4, 0, 4, 0]), failed("iterations conflict at b1, element 0"));
    assert_eq!(run(&all_to_one, 1, [1, 0, 1, 0]), Ok(()));
    assert_eq!(
        run(&copy.replace("%0\n", "%1\n"), 1, [4, 0, 4, 0]),
        failed("operation 0.1: %1 is not defined here")
    );
}

#[test]
fn parts_of_a_result_are_not_a_result() {
    let mut text = row_sums().to_string();
    text = text.replace("    yield", "    %2 = neg.f64 %1\n    yield");
    let kernel = kernel(&text);
    for (extent, fails) in [(13, false), (4, true)] {
        let mut memory = [zeros(RealType::F64, 26), zeros(RealType::F64, 2)];
        let launch = Launch {
            buffers: vec![BufferArg::new(0, 0, [13, 1]), BufferArg::new(1, 0, [1, 1])],
            params: vec![2, extent, 0, 13, 0, 0, 0],
            scalars: vec![],
        };
        let error = interpret(&kernel, &launch, &mut memory).err();
        assert_eq!(error, fails.then_some(InterpretError::PartialResult { value: 1 }));
    }
    let launch = Launch {
        buffers: vec![BufferArg::new(0, 0, [13, 1]), BufferArg::new(1, 0, [1, 1])],
        params: vec![2, 3, 0, 13, 0, 0, 0],
        scalars: vec![],
    };
    let mut memory = [zeros(RealType::F64, 26), zeros(RealType::F64, 2)];
    let error = interpret(&row_sums(), &launch, &mut memory).unwrap_err();
    assert_eq!(error, InterpretError::Blocks { axis: 1, block: 4 });
}

/// Two nests over eight rows: what the first stores, the second loads at a place that moves with the row.
fn by_rows(start: &str) -> Kernel {
    kernel(&format!(
        "kernel params=4 scalars=[] by rows
           b0: i64 rank 1 readwrite
           b1: i64 rank 1 write
         {{
           for (i0: extent=p0 origin=p1 global=p0 logical=0) {{
             %0 = index i0
             store b0[p1 + 1*i0] %0
           }}
           for (i0: extent=p0 origin=p1 global=p0 logical=0) {{
             %1 = load b0[{start}]
             store b1[p1 + 1*i0] %1
           }}
         }}"
    ))
}

#[test]
fn a_row_that_needs_another_one_is_a_conflict() {
    let run = |start: &str| {
        let mut memory = [zeros(RealType::I64, 9), zeros(RealType::I64, 9)];
        let buffers = vec![BufferArg::new(0, 0, [1]), BufferArg::new(1, 0, [1])];
        let launch = Launch { buffers, params: vec![8, 0, 7, 3], scalars: vec![] };
        interpret(&by_rows(start), &launch, &mut memory).map(|_| memory[1][3])
    };
    assert_eq!(run("p1 + 1*i0"), Ok(Scalar::from(3i64)));
    // The row before, the last row first, one row of all.
    for start in ["p1 + 1*(i0+1)", "p2 - 1*i0", "p3"] {
        assert!(matches!(run(start), Err(InterpretError::Conflict { buffer: 0, .. })), "{start}");
    }
}
