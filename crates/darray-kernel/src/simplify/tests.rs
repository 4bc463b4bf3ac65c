use super::*;
use expect_test::expect;

/// The operations of a body over two f64 arrays, a bool array and an argument, simplified.
fn check(body: &str, expected: expect_test::Expect) {
    check_of("f64", body, expected);
}

/// The same with arrays of another type instead of f64.
fn check_of(dtype: &str, body: &str, expected: expect_test::Expect) {
    let text = format!(
        "kernel params=3 scalars=[f64]
           b0: {dtype} rank 1 read noalias b1: {dtype} rank 1 readwrite noalias
           b2: bool rank 1 read noalias {{
           for (i0: extent=p0 origin=p1 global=p0 logical=0) {{ {body} }}
         }}"
    );
    let mut kernel = Kernel::parse(&text).unwrap();
    kernel.renumber();
    let text = simplify(&kernel).to_string();
    expected.assert_eq(&text[text.find("{\n").unwrap()..]);
}

#[test]
fn the_example_of_the_doc() {
    check(
        "%0 = scalar 0
         %1 = exp.f64 %0
         %2 = load b0[p1 + 1*i0]
         %3 = load b0[p1 + 1*i0]
         %4 = const.f64 1.0
         %5 = mul.f64 %3 %4
         %6 = add.f64 %2 %1
         %7 = add.f64 %1 %5
         %8 = mul.f64 %6 %7
         %9 = neg.f64 %8
         store b1[p1 + 1*i0] %8",
        expect![[r#"
            {
              %0 = scalar 0
              %1 = exp.f64 %0
              for (i0: extent=p0 origin=p1 global=p0 logical=0) {
                %2 = load b0[p1 + 1*i0]
                %3 = add.f64 %1 %2
                %4 = mul.f64 %3 %3
                store b1[p1 + 1*i0] %4
              }
            }
        "#]],
    );
}

#[test]
fn loads_are_shared_up_to_a_store_of_their_buffer() {
    check(
        "%0 = load b1[p1 + 1*i0]
         %1 = load b0[p1 + 1*i0]
         %2 = add.f64 %0 %1
         store b1[p1 + 1*i0] %2
         %3 = load b1[p1 + 1*i0]
         %4 = load b0[p1 + 1*i0]
         %5 = sub.f64 %3 %4
         store b1[p1 + 1*i0] %5",
        expect![[r#"
            {
              for (i0: extent=p0 origin=p1 global=p0 logical=0) {
                %0 = load b1[p1 + 1*i0]
                %1 = load b0[p1 + 1*i0]
                %2 = add.f64 %0 %1
                store b1[p1 + 1*i0] %2
                %3 = load b1[p1 + 1*i0]
                %4 = sub.f64 %3 %1
                store b1[p1 + 1*i0] %4
              }
            }
        "#]],
    );
}

#[test]
fn identities_that_keep_the_bits() {
    check(
        "%0 = load b0[p1 + 1*i0]
         %1 = load b2[p1 + 1*i0]
         %2 = const.f64 8.0
         %3 = div.f64 %0 %2
         %4 = not %1
         %5 = const.f64 -0.0
         %6 = add.f64 %5 %3
         %7 = const.f64 0.0
         %8 = add.f64 %6 %7
         %9 = sub.f64 %8 %7
         %10 = select.f64 %4 %9 %0
         %11 = neg.f64 %10
         %12 = abs.f64 %11
         store b1[p1 + 1*i0] %12",
        expect![[r#"
            {
              %0 = const.f64 0.125
              %1 = const.f64 0.0
              for (i0: extent=p0 origin=p1 global=p0 logical=0) {
                %2 = load b0[p1 + 1*i0]
                %3 = load b2[p1 + 1*i0]
                %4 = mul.f64 %0 %2
                %5 = add.f64 %1 %4
                %6 = select.f64 %3 %2 %5
                %7 = abs.f64 %6
                store b1[p1 + 1*i0] %7
              }
            }
        "#]],
    );
}

/// Of what is forwarded in a narrow type: `max(x, 100) + 1` wraps, the maximum does not.
#[test]
fn conversions_stay_where_they_wrap() {
    check_of(
        "u8",
        "%0 = load b0[p1 + 1*i0]
         %1 = to_i32 %0
         %2 = const.i32 100
         %3 = maximum.i32 %1 %2
         %4 = to_u8 %3
         %5 = to_i32 %4
         %6 = const.i32 1
         %7 = add.i32 %5 %6
         %8 = to_u8 %7
         %9 = to_i32 %8
         %10 = minimum.i32 %9 %1
         %11 = to_u8 %10
         store b1[p1 + 1*i0] %11",
        expect![[r#"
            {
              %0 = const.i32 100
              %1 = const.i32 1
              for (i0: extent=p0 origin=p1 global=p0 logical=0) {
                %2 = load b0[p1 + 1*i0]
                %3 = to_i32.u8 %2
                %4 = maximum.i32 %0 %3
                %5 = add.i32 %1 %4
                %6 = to_u8.i32 %5
                %7 = to_i32.u8 %6
                %8 = minimum.i32 %3 %7
                %9 = to_u8.i32 %8
                store b1[p1 + 1*i0] %9
              }
            }
        "#]],
    );
    check_of(
        "f16",
        "%0 = load b0[p1 + 1*i0]
         %1 = to_f32 %0
         %2 = abs.f32 %1
         %3 = to_f16 %2
         %4 = to_f32 %3
         %5 = sqrt.f32 %4
         %6 = to_f16 %5
         %7 = to_f32 %6
         %8 = neg.f32 %7
         %9 = to_f16 %8
         %10 = to_f32 %9
         %11 = floor.f32 %10
         %12 = to_f16 %11
         store b1[p1 + 1*i0] %12",
        expect![[r#"
            {
              for (i0: extent=p0 origin=p1 global=p0 logical=0) {
                %0 = load b0[p1 + 1*i0]
                %1 = to_f32.f16 %0
                %2 = abs.f32 %1
                %3 = sqrt.f32 %2
                %4 = to_f16.f32 %3
                %5 = to_f32.f16 %4
                %6 = neg.f32 %5
                %7 = floor.f32 %6
                %8 = to_f16.f32 %7
                store b1[p1 + 1*i0] %8
              }
            }
        "#]],
    );
}

#[test]
fn buffers_that_may_overlap_are_loaded_again() {
    let text = "\
kernel params=3 scalars=[]
  b0: f64 rank 1 read
  b1: f64 rank 1 write
{
  for (i0: extent=p0 origin=p1 global=p0 logical=0) {
    %0 = load b0[p1 + 1*i0]
    store b1[p1 + 1*i0] %0
    %1 = load b0[p1 + 1*i0]
    store b1[p1 + 1*i0] %1
  }
}
";
    let kernel = Kernel::parse(text).unwrap();
    assert_eq!(simplify(&kernel).to_string(), text);
}
