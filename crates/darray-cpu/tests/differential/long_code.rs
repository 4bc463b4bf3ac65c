//! A kernel whose code is so long that rounds overlap.

use darray_core::{RealType, Scalar};
use darray_differential::Case;
use darray_interpreter::{BufferArg, Launch};
use darray_kernel::ir::Kernel;

/// A quotient, a root and a logarithm of it, an exponential of these, and a polynomial; one result goes where an
/// operand was.
pub fn long_code(dtype: RealType, [rows, columns]: [usize; 2], offset: i64) -> Case {
    let mut text = format!(
        "kernel params=3 scalars=[] b0: {dtype} rank 2 readwrite noalias b1: {dtype} rank 2 read noalias
         b2: {dtype} rank 2 write noalias
         {{ %0 = const.{dtype} 1.5 for (i0: extent=p0 origin=p2 global=p0 logical=0,
                 i1: extent=p1 origin=p2 global=p1 logical=1) {{
            %1 = load b0[p2 + 1*i0, p2 + 1*i1] %2 = load b1[p2 + 1*i0, p2 + 1*i1]
            %3 = div.{dtype} %1 %2 %4 = sqrt.{dtype} %2 %5 = ln.{dtype} %3 %6 = mul.{dtype} %4 %0
            %7 = sub.{dtype} %5 %6 %8 = exp.{dtype} %7 %9 = add.{dtype} %8 %0 %10 = div.{dtype} %0 %9
            %11 = mul.{dtype} %10 %6 "
    );
    for k in 12..40 {
        let op = if k % 2 == 0 { "mul" } else { "add" };
        text += &format!("%{k} = {op}.{dtype} %{} %{} ", k - 1, [10, 0][k % 2]);
    }
    text += &format!(
        "%40 = gt.{dtype} %8 %2 %41 = select.{dtype} %40 %39 %1
         store b0[p2 + 1*i0, p2 + 1*i1] %41 store b2[p2 + 1*i0, p2 + 1*i1] %39 }} }}"
    );
    let wide = columns as i64;
    let elements = |count: usize, first: usize| {
        (0..count)
            .map(|k| Scalar::from(((first + k) % 1013) as f64 / 70.0 + 0.01).cast(dtype))
            .collect::<Vec<_>>()
    };
    let buffers = vec![
        BufferArg::new(0, offset, [wide + 4, 1]),
        BufferArg::new(1, 0, [wide, 1]),
        BufferArg::new(2, 5, [wide + 1, 1]),
    ];
    Case {
        kernel: Kernel::parse(&text).unwrap(),
        launch: Launch { buffers, params: vec![rows as i64, wide, 0], scalars: Vec::new() },
        memory: [4, 0, 6].map(|more| elements(rows * (columns + more) + 8, more)).to_vec(),
    }
}
