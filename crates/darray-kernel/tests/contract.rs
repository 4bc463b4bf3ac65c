//! What a contracted kernel computes.

use darray_core::Scalar;
use darray_interpreter::{BufferArg, Launch, interpret};
use darray_kernel::contract::contract;
use darray_kernel::ir::Kernel;

#[test]
fn a_contracted_sum_is_rounded_once() {
    let kernel = Kernel::parse(
        "kernel params=3 scalars=[f64]
           b0: f64 rank 1 read noalias b1: f64 rank 1 write noalias {
           %0 = scalar 0
           for (i0: extent=p0 origin=p1 global=p0 logical=0) {
             %1 = load b0[p1 + 1*i0]
             %2 = mul.f64 %1 %1
             %3 = sub.f64 %2 %0
             store b1[p1 + 1*i0] %3
           }
         }",
    )
    .unwrap();
    let x = 1.0 + f64::EPSILON;
    let launch = Launch {
        buffers: (0..2).map(|n| BufferArg::new(n, 0, [1])).collect(),
        params: vec![1, 0, 0],
        scalars: vec![Scalar::from(x * x)],
    };
    let run = |kernel: &Kernel| {
        let mut memory = [vec![Scalar::from(x)], vec![Scalar::from(0.0)]];
        interpret(kernel, &launch, &mut memory).unwrap();
        memory[1][0]
    };
    assert_eq!(run(&kernel), Scalar::from(0.0));
    assert_eq!(run(&contract(&kernel)), Scalar::from(f64::EPSILON * f64::EPSILON));
}
