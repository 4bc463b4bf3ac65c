//! Folds of kept points whose leaves have one element each: one call folds several, and has to know where the next one is.

use darray_core::{RealType, Scalar};
use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_differential::{Case, run};
use darray_interpreter::{BufferArg, Launch};
use darray_kernel::ir::Kernel;

#[test]
fn leaves_of_one_element_are_all_folded() {
    const ROWS: i64 = 5;
    const COLUMNS: i64 = 9;
    for (level, dtype) in Level::ALL
        .into_iter()
        .filter(|&level| level <= Level::detect())
        .flat_map(|level| [RealType::F64, RealType::I64].map(|dtype| (level, dtype)))
    {
        let text = format!(
            "kernel params=3 scalars=[] b0: {dtype} rank 2 read noalias b1: {dtype} rank 1 write noalias
             {{ for (i0: extent=p0 origin=p2 global=p0 logical=1) {{
                fold (i1: extent=p1 origin=p2 global=p1 logical=0) lanes=4 width=8 rounds=4 alone=1 {{
                    %0 = load b0[p2 + 1*i1, p2 + 1*i0] %1 = square.{dtype} %0
                }} %2 = sum %1 store b1[p2 + 1*i0] %2 }} }}"
        );
        let of = |value: i64| Scalar::from(value).cast(dtype);
        let case = Case {
            kernel: Kernel::parse(&text).unwrap(),
            launch: Launch {
                buffers: vec![BufferArg::new(0, 0, [COLUMNS, 1]), BufferArg::new(1, 0, [1])],
                params: vec![COLUMNS, ROWS, 0],
                scalars: Vec::new(),
            },
            memory: vec![(0..ROWS * COLUMNS).map(of).collect(), vec![of(0); COLUMNS as usize]],
        };
        let options = CpuOptions { level: Some(level), jit: Some(level), ..CpuOptions::default() };
        let device = CpuDevices::new(1, options).remove(0);
        let memory = run(&*device, &case).unwrap();
        let square = |row: i64, column: i64| (row * COLUMNS + column).pow(2);
        let sum = |column| of((0..ROWS).map(|row| square(row, column)).sum());
        assert_eq!(memory[1], (0..COLUMNS).map(sum).collect::<Vec<_>>(), "{level:?} {dtype}");
    }
}
