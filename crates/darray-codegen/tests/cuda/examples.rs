//! Kernels as the programs of the papers make them.

use crate::support::Example;

const AXIS: &str = "for (i0: extent=p0 origin=p1 global=p0 logical=0)";

/// `out = a * b + c` of f64, contiguous.
pub fn chain(extent: usize) -> Example {
    let text = format!(
        "kernel params=2 scalars=[]
           b0: f64 rank 1 read noalias b1: f64 rank 1 read noalias b2: f64 rank 1 read noalias
           b3: f64 rank 1 write noalias
         {{ {AXIS} {{
           %0 = load b0[p1 + 1*i0] %1 = load b1[p1 + 1*i0] %2 = load b2[p1 + 1*i0]
           %3 = mul.f64 %0 %1 %4 = add.f64 %3 %2
           store b3[p1 + 1*i0] %4
         }} }}"
    );
    let shape: &[usize] = &[extent];
    Example::new(&text, &[extent as i64, 0], &[], &[shape; 4])
}

/// `y = alpha * x + y` of f32 with `alpha = rr / pap` from memory, in place.
pub fn axpy(extent: usize) -> Example {
    let text = format!(
        "kernel params=2 scalars=[]
           b0: f32 rank 0 read noalias b1: f32 rank 0 read noalias
           b2: f32 rank 1 read noalias b3: f32 rank 1 readwrite noalias
         {{ %0 = load b0[] %1 = load b1[] %2 = div.f32 %0 %1
           {AXIS} {{
             %3 = load b2[p1 + 1*i0] %4 = load b3[p1 + 1*i0]
             %5 = mul.f32 %2 %3 %6 = add.f32 %5 %4
             store b3[p1 + 1*i0] %6
         }} }}"
    );
    Example::new(&text, &[extent as i64, 0], &[], &[&[], &[], &[extent], &[extent]])
}

/// One step of a five-point stencil on the inner points of a grid, with a coefficient as argument.
pub fn stencil(rows: usize, columns: usize) -> Example {
    let text = "kernel params=4 scalars=[f64]
        b0: f64 rank 2 read noalias b1: f64 rank 2 write noalias
        { %0 = scalar 0
          for (i0: extent=p0 origin=p2 global=p0 logical=0, i1: extent=p1 origin=p2 global=p1 logical=1) {
            %1 = load b0[p3 + 1*i0, p3 + 1*i1]
            %2 = load b0[p3 + 1*(i0-1), p3 + 1*i1] %3 = load b0[p3 + 1*(i0+1), p3 + 1*i1]
            %4 = load b0[p3 + 1*i0, p3 + 1*(i1-1)] %5 = load b0[p3 + 1*i0, p3 + 1*(i1+1)]
            %6 = add.f64 %2 %3 %7 = add.f64 %4 %5 %8 = add.f64 %6 %7 %9 = add.f64 %8 %1
            %10 = mul.f64 %0 %9
            store b1[p2 + 1*i0, p2 + 1*i1] %10
          } }";
    let params = [rows as i64 - 2, columns as i64 - 2, 0, 1];
    let shapes: [&[usize]; 2] = [&[rows, columns], &[rows - 2, columns - 2]];
    Example::new(text, &params, &[0.2.into()], &shapes)
}

/// The dot product of two vectors of f32.
pub fn dot(extent: usize) -> Example {
    let text = "kernel params=2 scalars=[]
        b0: f32 rank 1 read noalias b1: f32 rank 1 read noalias b2: f32 rank 1 partial noalias
        { fold (i0: extent=p0 origin=p1 global=p0 logical=0) innermost lanes=32 inner=1024 outer=8 max_leaves=1024 {
            %0 = load b0[p1 + 1*i0] %1 = load b1[p1 + 1*i0] %2 = mul.f32 %0 %1
          } %3 = sum %2
          yield b2[p1] %3 }";
    Example::new(text, &[extent as i64, 0], &[], &[&[extent], &[extent], &[1]])
}

/// The sums of the rows of a matrix of f64, scaled.
pub fn row_sum(rows: usize, columns: usize) -> Example {
    let text = "kernel params=3 scalars=[f64]
        b0: f64 rank 2 read noalias b1: f64 rank 1 write noalias
        { %0 = scalar 0
          for (i0: extent=p0 origin=p2 global=p0 logical=0) {
            fold (i1: extent=p1 origin=p2 global=p1 logical=1) innermost lanes=32 inner=1024 outer=8 max_leaves=1024 {
              %1 = load b0[p2 + 1*i0, p2 + 1*i1]
            } %2 = sum %1
            %3 = mul.f64 %0 %2
            store b1[p2 + 1*i0] %3
          } }";
    let shapes: [&[usize]; 2] = [&[rows, columns], &[rows]];
    Example::new(text, &[rows as i64, columns as i64, 0], &[0.5.into()], &shapes)
}
