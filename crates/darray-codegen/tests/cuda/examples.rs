//! Kernels as the programs of the papers make them.

use crate::support::Example;
use darray_core::Scalar;

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

/// Numbers of a stream, from number `origin` on.
pub fn draws(generator: &str, extent: usize, origin: i64) -> Example {
    let text = format!(
        "kernel params=2 scalars=[i64]
           b0: i64 rank 1 write noalias
         {{ %0 = const.i64 -3557000000000000000 %1 = const.i64 123456789 %2 = const.i64 77
           %3 = scalar 0
           {AXIS} {{
             %4 = index i0 %5 = add.i64 %4 %3
             %6 = random.{generator}.i64 %0 %1 %2 %1 at %5
             store b0[p1 + 1*i0] %6
         }} }}"
    );
    Example::new(&text, &[extent as i64, 0], &[Scalar::from(origin)], &[&[extent]])
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
        { fold (i0: extent=p0 origin=p1 global=p0 logical=0) lanes=32 width=64 rounds=32 alone=8 {
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
            fold (i1: extent=p1 origin=p2 global=p1 logical=1) lanes=32 width=64 rounds=32 alone=8 {
              %1 = load b0[p2 + 1*i0, p2 + 1*i1]
            } %2 = sum %1
            %3 = mul.f64 %0 %2
            store b1[p2 + 1*i0] %3
          } }";
    let shapes: [&[usize]; 2] = [&[rows, columns], &[rows]];
    Example::new(text, &[rows as i64, columns as i64, 0], &[0.5.into()], &shapes)
}

/// `out = index + draw where a < limit`, else unchanged: masks, indices and random numbers.
pub fn masked(extent: usize) -> Example {
    let text = format!(
        "kernel params=2 scalars=[f32, i64, i64, i64, i64]
           b0: f32 rank 1 read noalias b1: f32 rank 1 readwrite noalias
           b2: bool rank 1 write noalias
         {{ %0 = scalar 0 %1 = scalar 1 %2 = scalar 2 %3 = scalar 3 %4 = scalar 4
           {AXIS} {{
           %5 = load b0[p1 + 1*i0] %6 = lt.f32 %5 %0 %7 = index i0 %8 = to_f32.i64 %7
           %9 = random.philox.f32 %1 %2 %3 %4 at %7 %10 = add.f32 %8 %9
           store b1[p1 + 1*i0] %10 if %6
           store b2[p1 + 1*i0] %6
         }} }}"
    );
    let scalars = [0.5f32.into(), 1i64.into(), 2i64.into(), 3i64.into(), 4i64.into()];
    let shape: &[usize] = &[extent];
    Example::new(&text, &[extent as i64, 0], &scalars, &[shape; 3])
}

/// Arithmetic of bytes.
pub fn bytes(extent: usize) -> Example {
    let text = format!(
        "kernel params=2 scalars=[]
           b0: u8 rank 1 read noalias b1: bool rank 1 read noalias
           b2: u8 rank 1 write noalias b3: bool rank 1 write noalias
         {{ {AXIS} {{
           %0 = load b0[p1 + 1*i0] %1 = load b1[p1 + 1*i0] %2 = to_i32.bool %1
           %3 = to_i32 %0 %4 = add.i32 %3 %2 %5 = to_u8 %4 %6 = to_i32 %5 %7 = lt.i32 %6 %3
           store b2[p1 + 1*i0] %5
           store b3[p1 + 1*i0] %7
         }} }}"
    );
    let shape: &[usize] = &[extent];
    Example::new(&text, &[extent as i64, 0], &[], &[shape; 4])
}

/// A row added to every row of a matrix, whose rows lie apart.
pub fn rows_by_vectors(rows: usize, columns: usize) -> Example {
    let text = "kernel params=3 scalars=[]
        b0: f64 rank 2 read noalias b1: f64 rank 1 read noalias b2: f64 rank 2 write noalias
        { for (i0: extent=p0 origin=p2 global=p0 logical=0, i1: extent=p1 origin=p2 global=p1 logical=1) {
            %0 = load b0[p2 + 1*i0, p2 + 1*i1] %1 = load b1[p2 + 1*i1] %2 = sub.f64 %0 %1
            store b2[p2 + 1*i0, p2 + 1*i1] %2
          } }";
    let shapes: [&[usize]; 3] = [&[rows, columns], &[columns], &[rows, columns]];
    let apart = (columns + 2) as i64;
    Example::new(text, &[rows as i64, columns as i64, 0], &[], &shapes).strides(
        0,
        0,
        &[apart, 1],
        rows * apart as usize,
    )
}

/// Smallest and largest element of each column, and where they are.
pub fn column_extrema(rows: usize, columns: usize) -> Example {
    let text = "kernel params=3 scalars=[]
        b0: f32 rank 2 read noalias b1: i64 rank 1 write noalias b2: i64 rank 1 write noalias
        b3: f32 rank 1 write noalias
        { for (i0: extent=p1 origin=p2 global=p1 logical=1) {
            fold (i1: extent=p0 origin=p2 global=p0 logical=0) lanes=32 width=64 rounds=32 alone=8 {
              %0 = load b0[p2 + 1*i1, p2 + 1*i0]
            } %1 %2 = argmin %0, %3 %4 = argmax %0, %5 = max %0
            store b1[p2 + 1*i0] %2
            store b2[p2 + 1*i0] %4
            store b3[p2 + 1*i0] %5
          } }";
    let column: &[usize] = &[columns];
    let shapes = [&[rows, columns], column, column, column];
    Example::new(text, &[rows as i64, columns as i64, 0], &[], &shapes)
}

/// `x += a p`, `r -= a q`, and the sum of the squares of `r`: a fold that loads, stores twice and is stored over.
pub fn update_and_norm(rows: usize, columns: usize) -> Example {
    let text = "kernel params=3 scalars=[f64]
        b0: f64 rank 2 read noalias b1: f64 rank 2 readwrite b2: f64 rank 2 read noalias
        b3: f64 rank 2 readwrite b4: f64 rank 0 write noalias
        { %0 = scalar 0
          fold (i0: extent=p0 origin=p2 global=p0 logical=0, i1: extent=p1 origin=p2 global=p1 logical=1) lanes=32 width=64 rounds=32 alone=8 {
            %1 = load b0[p2 + 1*i0, p2 + 1*i1] %2 = load b1[p2 + 1*i0, p2 + 1*i1]
            %3 = load b2[p2 + 1*i0, p2 + 1*i1] %4 = load b3[p2 + 1*i0, p2 + 1*i1]
            %5 = mul.f64 %0 %1 %6 = add.f64 %2 %5 %7 = mul.f64 %0 %3 %8 = sub.f64 %4 %7
            %9 = mul.f64 %8 %8
            store b1[p2 + 1*i0, p2 + 1*i1] %6
            store b3[p2 + 1*i0, p2 + 1*i1] %8
          } %10 = sum %9
          store b4[] %10 }";
    let shape: &[usize] = &[rows, columns];
    let shapes = [shape, shape, shape, shape, &[]];
    Example::new(text, &[rows as i64, columns as i64, 0], &[0.25.into()], &shapes)
}

/// The product of a transposed matrix and a vector: the last logical axis is reduced, the kept one is contiguous.
pub fn transposed_product(rows: usize, columns: usize) -> Example {
    let text = "kernel params=3 scalars=[]
        b0: f64 rank 2 read noalias b1: f64 rank 1 read noalias b2: f64 rank 1 write noalias
        { for (i0: extent=p1 origin=p2 global=p1 logical=0) {
            fold (i1: extent=p0 origin=p2 global=p0 logical=1) lanes=32 width=64 rounds=32 alone=8 {
              %0 = load b0[p2 + 1*i1, p2 + 1*i0] %1 = load b1[p2 + 1*i1] %2 = mul.f64 %0 %1
            } %3 = sum %2
            store b2[p2 + 1*i0] %3
          } }";
    let shapes: [&[usize]; 3] = [&[rows, columns], &[rows], &[columns]];
    Example::new(text, &[rows as i64, columns as i64, 0], &[], &shapes)
}

/// Sums, and largest elements and where they are, of a middle axis.
pub fn middle(shape: [usize; 3]) -> Example {
    let text = "kernel params=4 scalars=[]
        b0: f32 rank 3 read noalias b1: f32 rank 2 write noalias b2: i64 rank 2 write noalias
        { for (i0: extent=p0 origin=p3 global=p0 logical=0, i1: extent=p2 origin=p3 global=p2 logical=2) {
            fold (i2: extent=p1 origin=p3 global=p1 logical=1) lanes=32 width=64 rounds=32 alone=8 {
              %0 = load b0[p3 + 1*i0, p3 + 1*i2, p3 + 1*i1]
            } %1 = sum %0, %2 %3 = argmax %0
            store b1[p3 + 1*i0, p3 + 1*i1] %1 store b2[p3 + 1*i0, p3 + 1*i1] %3
          } }";
    let params: Vec<i64> = shape.iter().map(|&n| n as i64).chain([0]).collect();
    let kept: &[usize] = &[shape[0], shape[2]];
    Example::new(text, &params, &[], &[&shape, kept, kept])
}

/// Sums over axes with a kept one between them: rows combine in the order of an axis, and then of the other.
pub fn around(shape: [usize; 3]) -> Example {
    let text = "kernel params=4 scalars=[]
        b0: f32 rank 3 read noalias b1: f32 rank 1 write noalias
        { for (i0: extent=p1 origin=p3 global=p1 logical=1) {
            fold (i1: extent=p0 origin=p3 global=p0 logical=0, i2: extent=p2 origin=p3 global=p2 logical=2) lanes=32 width=64 rounds=32 alone=8 {
              %0 = load b0[p3 + 1*i1, p3 + 1*i0, p3 + 1*i2]
            } %1 = sum %0
            store b1[p3 + 1*i0] %1
          } }";
    let params: Vec<i64> = shape.iter().map(|&n| n as i64).chain([0]).collect();
    Example::new(text, &params, &[], &[&shape, &[shape[1]]])
}

/// Where the smallest element of a block of 3 axes is, the largest one, and whether all are smaller than their
/// index.
pub fn extrema_of_block(shape: [usize; 3]) -> Example {
    let text = "kernel params=4 scalars=[]
        b0: f32 rank 3 read noalias b1: i64 rank 0 write noalias b2: f32 rank 0 write noalias
        b3: bool rank 0 write noalias
        { fold (i0: extent=p0 origin=p3 global=p0 logical=0, i1: extent=p1 origin=p3 global=p1 logical=1, i2: extent=p2 origin=p3 global=p2 logical=2) lanes=32 width=64 rounds=32 alone=8 {
            %0 = load b0[p3 + 1*i0, p3 + 1*i1, p3 + 1*i2] %1 = index i2 %2 = to_f32.i64 %1
            %3 = lt.f32 %0 %2
          } %4 %5 = argmin %0, %6 = max %0, %7 = all %3
          store b1[] %5 store b2[] %6 store b3[] %7 }";
    let params: Vec<i64> = shape.iter().map(|&n| n as i64).chain([0]).collect();
    Example::new(text, &params, &[], &[&shape, &[], &[], &[]])
}

/// The sum of a matrix over its largest element, by which a second nest multiplies.
pub fn total(rows: usize, columns: usize) -> Example {
    let text = "kernel params=3 scalars=[]
        b0: f64 rank 2 read noalias b1: f64 rank 2 write noalias
        { fold (i0: extent=p0 origin=p2 global=p0 logical=0, i1: extent=p1 origin=p2 global=p1 logical=1) lanes=2 width=4 rounds=2 alone=2 {
            %0 = load b0[p2 + 1*i0, p2 + 1*i1]
          } %1 = sum %0, %2 = max %0
          %3 = div.f64 %1 %2
          for (i0: extent=p0 origin=p2 global=p0 logical=0, i1: extent=p1 origin=p2 global=p1 logical=1) {
            %4 = load b0[p2 + 1*i0, p2 + 1*i1] %5 = mul.f64 %4 %3
            store b1[p2 + 1*i0, p2 + 1*i1] %5
          } }";
    let shape: &[usize] = &[rows, columns];
    Example::new(text, &[rows as i64, columns as i64, 0], &[], &[shape; 2])
}

/// A row's factor is doubled in place, then used by the fold of the row: what stands before the
/// fold can be computed only once.
pub fn factor_in_place(rows: usize, columns: usize) -> Example {
    let text = "kernel params=3 scalars=[]
        b0: f64 rank 1 readwrite noalias b1: f64 rank 2 read noalias b2: f64 rank 1 write noalias
        b3: bool rank 1 write noalias
        { for (i0: extent=p0 origin=p2 global=p0 logical=0) {
            %0 = load b0[p2 + 1*i0] %1 = add.f64 %0 %0 %2 = lt.f64 %0 %1
            store b0[p2 + 1*i0] %1
            fold (i1: extent=p1 origin=p2 global=p1 logical=1) lanes=2 width=4 rounds=2 alone=2 {
              %3 = load b1[p2 + 1*i0, p2 + 1*i1] %4 = load b0[p2 + 1*i0]
              %5 = mul.f64 %3 %1 %6 = add.f64 %5 %4
            } %7 = sum %6
            %8 = sub.f64 %7 %0
            store b2[p2 + 1*i0] %8
            store b3[p2 + 1*i0] %2
          } }";
    let shapes: [&[usize]; 4] = [&[rows], &[rows, columns], &[rows], &[rows]];
    Example::new(text, &[rows as i64, columns as i64, 0], &[], &shapes)
}

/// The centre of each row is subtracted in the fold, which keeps the difference: stores in a fold's
/// body, values of the kept level used before and after it, a store put off.
pub fn centred(rows: usize, columns: usize) -> Example {
    let text = "kernel params=3 scalars=[]
        b0: f32 rank 1 read noalias b1: f32 rank 2 readwrite noalias b2: f32 rank 1 write noalias
        b3: f32 rank 1 write noalias b4: f32 rank 2 partial noalias
        { for (i0: extent=p0 origin=p2 global=p0 logical=0) {
            %0 = load b0[p2 + 1*i0] %1 = neg.f32 %0
            store b2[p2 + 1*i0] %1
            fold (i1: extent=p1 origin=p2 global=p1 logical=1) lanes=32 width=64 rounds=32 alone=8 {
              %2 = load b1[p2 + 1*i0, p2 + 1*i1] %3 = sub.f32 %2 %0
              store b1[p2 + 1*i0, p2 + 1*i1] %3
            } %4 = sum %3
            %5 = mul.f32 %4 %1
            store b3[p2 + 1*i0] %5
            yield b4[p2, p2 + 1*i0] %4
          } }";
    let shapes: [&[usize]; 5] = [&[rows], &[rows, columns], &[rows], &[rows], &[1, rows]];
    Example::new(text, &[rows as i64, columns as i64, 0], &[], &shapes)
}

/// An old value is used after its place was overwritten: it goes through a cell.
pub fn old_value(extent: usize) -> Example {
    let text = format!(
        "kernel params=2 scalars=[]
           b0: f64 rank 0 readwrite noalias b1: f64 rank 1 read noalias b2: f64 rank 1 write noalias
         {{ %0 = load b0[] %1 = mul.f64 %0 %0
           store b0[] %1
           {AXIS} {{
             %2 = load b1[p1 + 1*i0] %3 = add.f64 %2 %0
             store b2[p1 + 1*i0] %3
           }}
           %4 = load b0[] %5 = neg.f64 %4
           store b0[] %5 }}"
    );
    Example::new(&text, &[extent as i64, 0], &[], &[&[], &[extent], &[extent]])
}

/// Nests each of which finds what those before it give, at other indices too.
pub fn nests_in_turn(extent: usize) -> Example {
    let text = format!(
        "kernel params=4 scalars=[f64]
           b0: f64 rank 1 readwrite noalias b1: f64 rank 1 readwrite noalias b2: f64 rank 0 readwrite noalias
         {{ %0 = scalar 0
           {AXIS} {{ %1 = load b0[p1 + 1*i0] %2 = mul.f64 %1 %0 store b1[p1 + 1*i0] %2 }}
           for (i0: extent=p2 origin=p1 global=p2 logical=0) {{
             %3 = load b1[p3 + 1*i0] %4 = load b1[p1 + 1*i0] %5 = add.f64 %3 %4
             store b0[p3 + 1*i0] %5
           }}
           %6 = load b0[p3] %7 = load b1[p1] %8 = sub.f64 %6 %7
           store b2[] %8
           {AXIS} {{ %9 = load b2[] %10 = load b0[p1 + 1*i0] %11 = mul.f64 %9 %10 store b1[p1 + 1*i0] %11 }} }}"
    );
    let params = [extent as i64, 0, extent as i64 - 1, 1];
    Example::new(&text, &params, &[Scalar::from(1.5)], &[&[extent], &[extent], &[]])
}

/// A tile of a matrix: the subtrees of its sum, and of its largest element and where that is.
/// Rows and columns are (first, count, of how many).
pub fn tile(rows: [usize; 3], columns: [usize; 3]) -> Example {
    let text = "kernel params=7 scalars=[]
        b0: f64 rank 2 read noalias b1: f64 rank 1 partial noalias
        b2: f64 rank 1 partial noalias b3: i64 rank 1 partial noalias
        { fold (i0: extent=p1 origin=p0 global=p2 logical=0, i1: extent=p4 origin=p3 global=p5 logical=1) lanes=2 width=4 rounds=2 alone=2 {
            %0 = load b0[p6 + 1*i0, p6 + 1*i1]
          } %1 = sum %0, %2 %3 = argmax %0
          yield b1[p6] %1
          yield b2[p6] %2
          yield b3[p6] %3 }";
    let params: Vec<i64> = rows.iter().chain(&columns).map(|&n| n as i64).chain([0]).collect();
    let slots: &[usize] = &[2000];
    Example::new(text, &params, &[], &[&[rows[2], columns[2]], slots, slots, slots])
}

/// Functions of f32 `%1` and `%2` that have rare cases, `%3` and so on, of which the last two are stored, and so much
/// beside them that they are computed with a guard.
pub fn guarded(functions: &str, rows: usize, columns: usize) -> Example {
    let next = 3 + functions.matches('=').count();
    let [erf, tanh, sin, product, sum] = [next, next + 1, next + 2, next + 3, next + 4];
    let (first, second) = (next - 2, next - 1);
    let text = format!(
        "kernel params=3 scalars=[f32]
        b0: f32 rank 2 read noalias b1: f32 rank 2 read noalias
        b2: f32 rank 2 write noalias b3: f32 rank 2 write noalias b4: f32 rank 2 write noalias
        {{ %0 = scalar 0
          for (i0: extent=p0 origin=p2 global=p0 logical=0, i1: extent=p1 origin=p2 global=p1 logical=1) {{
            %1 = load b0[p2 + 1*i0, p2 + 1*i1] %2 = load b1[p2 + 1*i0, p2 + 1*i1]
            {functions}
            store b2[p2 + 1*i0, p2 + 1*i1] %{first} store b3[p2 + 1*i0, p2 + 1*i1] %{second}
            %{erf} = erf.f32 %1 %{tanh} = tanh.f32 %2 %{sin} = sin.f32 %1
            %{product} = mul.f32 %{erf} %{tanh} %{sum} = add.f32 %{sin} %{product}
            store b4[p2 + 1*i0, p2 + 1*i1] %{sum}
          }} }}"
    );
    let shape: &[usize] = &[rows, columns];
    Example::new(&text, &[rows as i64, columns as i64, 0], &[3f32.into()], &[shape; 5])
}
