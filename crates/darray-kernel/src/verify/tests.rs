use super::*;

/// A kernel with one of everything, as text.
const WHOLE: &str = "\
kernel params=6 scalars=[f64, i64]
  b0: f64 rank 2 read noalias
  b1: f64 rank 2 readwrite
  b2: f64 rank 2 partial noalias
  b3: i64 rank 2 partial noalias
{
  %0 = scalar 0
  %1 = const.f64 -0.0
  %2 = scalar 1
  %3 = lt.f64 %0 %1
  for (i0: extent=p0 origin=p1 global=p2 logical=0) {
    %4 = index i0
    %5 = random.pcg64.f64 %2 %2 %2 %2 at %4
    fold (i1: extent=p0 origin=p1 global=p2 logical=1) lanes=2 width=4 rounds=2 alone=2 {
      %6 = load b0[p3 + p4*i1, p3 - 1*(i0-2)]
      %7 = fma.f64 %6 %5 %0
      store b1[p3 + 1*i0, p3 + 1*(i1+1)] %7 if %3
    } %8 = sum %7, %9 %10 = argmin %6
    yield b2[p5, p5 + 1*i0] %8
    yield b3[p5, p5 + 1*i0] %10
  }
  store b1[p3, p4] %0
}
";

fn message(text: &str) -> String {
    match verify(&Kernel::parse(text).unwrap()) {
        Ok(types) => format!("{types:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_kernel_with_one_of_everything_passes_and_prints_as_it_was_read() {
    let kernel = Kernel::parse(WHOLE).unwrap();
    assert_eq!(
        format!("{:?}", verify(&kernel)),
        "Ok([F64, F64, I64, Bool, I64, F64, F64, F64, F64, F64, I64])"
    );
    assert_eq!(kernel.to_string(), WHOLE);
}

/// Replacing the first text by the second breaks one invariant.
#[test]
fn every_invariant_is_checked() {
    for (from, to, want) in [
        ("logical=1)", "logical=0)", "operation 4.2: logical axis 0 twice"),
        (
            "extent=p0 origin=p1 global=p2 logical=1",
            "extent=p0 origin=p1 global=p6 logical=1",
            "operation 4.2: no param p6",
        ),
        ("%2 = scalar 1", "%2 = scalar 2", "operation 2: no scalar 2"),
        ("load b0[", "load b7[", "operation 4.2.0: no buffer b7"),
        ("%5 = random", "%6 = random", "operation 4.1: %6 is defined where %5 comes next"),
        ("store b1[p3, p4] %0", "store b1[p3, p4] %4", "operation 5: %4 is not defined here"),
        ("fma.f64 %6 %5 %0", "fma.f64 %6 %8 %0", "operation 4.2.1: %8 is not defined here"),
        (
            "fma.f64 %6 %5 %0",
            "fma.f64 %6 %5 %4",
            "operation 4.2.1: fma is not defined for [f64, f64, i64]",
        ),
        ("%7 if %3", "%7 if %4", "operation 4.2.2: %4 is i64, not bool"),
        ("store b1[p3, p4] %0", "store b1[p3, p4] %2", "operation 5: %2 is i64, not f64"),
        ("at %4", "at %0", "operation 4.1: %0 is f64, not i64"),
        (
            "random.pcg64.f64 %2 %2 %2 %2",
            "random.pcg64.f64 %2 %2 %2 %4",
            "operation 4.1: the random key %4 is no value of the outermost region",
        ),
        ("sum %7", "all %7", "operation 4.2: all is not defined for f64"),
        ("%8 = sum %7", "%8 = argmax %7", "operation 4.2: argmax has an index result"),
        (
            "%8 = sum %7, %9 %10 = argmin",
            "%8 = sum %7, %9 %10 = min",
            "operation 4.2: min has no index result",
        ),
        ("store b1[p3, p4]", "store b1[p3]", "operation 5: 1 coordinates for b1 of rank 2"),
        (
            "p3 - 1*(i0-2)",
            "p3 - 1*(i2-2)",
            "operation 4.2.0: axis i2 does not enclose the operation",
        ),
        ("%4 = index i0", "%4 = index i1", "operation 4.0: axis i1 does not enclose the operation"),
        (
            "p4*i1",
            "0*i1",
            "operation 4.2.0: coordinate 0 of b0 needs both an axis and a step, or neither",
        ),
        (
            "b0: f64 rank 2 read",
            "b0: f64 rank 2 write",
            "operation 4.2.0: load on b0, which is write",
        ),
        (
            "b1: f64 rank 2 readwrite",
            "b1: f64 rank 2 write",
            "operation 4.2.2: masked store on b1, which is write",
        ),
        ("store b1[p3, p4]", "store b0[p3, p4]", "operation 5: store on b0, which is read"),
        ("yield b2", "yield b1", "operation 4.3: yield on b1, which is readwrite"),
        ("1*i0] %8", "1*i0] %5", "operation 4.3: %5 is no result of a fold of this region"),
        (
            "yield b2[p5, p5 + 1*i0]",
            "yield b2[p5 + 1*i0, p5]",
            "operation 4.3: a yield to b2 takes the slot, then each enclosing axis once",
        ),
        (
            "yield b2[p5, p5 + 1*i0]",
            "yield b2[p5, p5]",
            "operation 4.3: a yield to b2 takes the slot, then each enclosing axis once",
        ),
        (
            "yield b2[p5, p5 + 1*i0] %8",
            "yield b3[p5, p5 + 1*i0] %8",
            "operation 4.3: %8 is f64, not i64",
        ),
        ("random.pcg64.f64", "random.philox.bool", "operation 4.1: no random numbers of type bool"),
        ("lanes=2 ", "lanes=3 ", "operation 4.2: lanes and rounds of a tree must be powers of two"),
        ("rounds=2", "rounds=0", "operation 4.2: lanes and rounds of a tree must be powers of two"),
        (
            "    yield b2[p5, p5 + 1*i0] %8\n",
            "    fold (i1: extent=p0 origin=p1 global=p2 logical=1) lanes=1 width=4 rounds=2 \
             alone=2 { } %11 = sum %5\n",
            "operation 4.3: a second fold in one for",
        ),
        (
            "      store b1",
            "      for (i2: extent=p0 origin=p1 global=p2 logical=2) { }\n store b1",
            "operation 4.2.2: for cannot stand in a fold",
        ),
        (
            "      store b1",
            "      fold (i2: extent=p0 origin=p1 global=p2 logical=2) lanes=1 width=4 rounds=2 \
             alone=2 { } %8 = sum %7\n store b1",
            "operation 4.2.2: fold cannot stand in a fold",
        ),
        (
            "      store b1",
            "      yield b2[p5, p5 + 1*i0] %7\n store b1",
            "operation 4.2.2: yield cannot stand in a fold",
        ),
    ] {
        assert!(WHOLE.contains(from), "{from}");
        assert_eq!(message(&WHOLE.replacen(from, to, 1)), want, "{from} -> {to}");
    }
    let mut kernel = Kernel::parse(WHOLE).unwrap();
    let body = kernel.body.ops[4].body_mut().unwrap();
    let axes = std::mem::take(&mut body.axes);
    assert_eq!(verify(&kernel).unwrap_err().to_string(), "operation 4: a loop without axes");
    kernel.body.axes = axes;
    assert_eq!(verify(&kernel).unwrap_err().to_string(), "1 axes on the outermost region");
}

#[test]
fn renumbering_follows_the_text() {
    let text = "\
kernel params=3 scalars=[f64]
  b0: f64 rank 1 write
{
  %9 = scalar 0
  for (i0: extent=p0 origin=p1 global=p2 logical=0) {
    %4 = index i0
    %0 = to_f64.i64 %4
    %7 = add.f64 %0 %9
    store b0[p1 + 1*i0] %7
  }
}
";
    let mut kernel = Kernel::parse(text).unwrap();
    assert_eq!(message(text), "operation 0: %9 is defined where %0 comes next");
    kernel.renumber();
    let text = kernel.to_string();
    assert!(
        text.contains("%1 = index i0\n    %2 = to_f64.i64 %1\n    %3 = add.f64 %2 %0\n"),
        "{text}"
    );
    assert!(verify(&kernel).is_ok());
    let mut unchanged = Kernel::parse(WHOLE).unwrap();
    unchanged.renumber();
    assert_eq!(unchanged.to_string(), WHOLE);
}

#[test]
fn texts_that_are_no_kernels() {
    let header = "kernel params=1 scalars=[] { ";
    for (rest, want) in [
        ("", "line 1, column 30: expected `%`, found the end of the text"),
        ("} x", "line 1, column 32: expected the end of the text, found `x`"),
        ("%0 = nothing", "line 1, column 35: expected an operation, found `nothing`"),
        ("%0 = load b0[q1]", "line 1, column 43: expected `p` and a number, found `q1`"),
        ("\n%0 = const.i64 2.5", "line 2, column 16: expected a constant, found `2`"),
        (
            "%99999999999 = scalar 0",
            "line 1, column 31: expected an integer in range, found `99999999999`",
        ),
        ("for (i1: extent=p0", "line 1, column 35: expected `i0`, found `i1`"),
    ] {
        assert_eq!(Kernel::parse(&format!("{header}{rest}")).unwrap_err().to_string(), want);
    }
}

#[test]
fn constants_keep_their_bits() {
    use crate::ir::{Op, Value};
    use darray_core::Scalar;
    let scalars = [
        Scalar::from_bits(RealType::F64, 0x7ff8_dead_beef_0001),
        Scalar::from_bits(RealType::F32, 0xffc0_0001),
        (-0.0).into(),
        5e-324.into(),
        f64::INFINITY.into(),
        f64::NEG_INFINITY.into(),
        0.1f32.into(),
        1e300.into(),
        f64::MAX.into(),
        i64::MIN.into(),
        true.into(),
    ];
    let mut kernel = Kernel::parse("kernel params=0 scalars=[] { }").unwrap();
    for (number, &scalar) in scalars.iter().enumerate() {
        kernel.body.ops.push(Op::Const { result: Value(number as u32), scalar });
    }
    assert_eq!(Kernel::parse(&kernel.to_string()).unwrap(), kernel, "{kernel}");
}

#[test]
fn nests_of_a_kernel_by_rows_have_rows() {
    let text = |logical: u8| {
        format!(
            "kernel params=2 scalars=[] by rows b0: f64 rank 1 write {{
               %0 = const.f64 1.0
               for (i0: extent=p0 origin=p1 global=p0 logical={logical}) {{
                 store b0[p1 + 1*i0] %0
               }}
             }}"
        )
    };
    let kernel = |logical| Kernel::parse(&text(logical)).expect("a kernel");
    assert!(verify(&kernel(0)).is_ok());
    let error = verify(&kernel(1)).expect_err("no rows");
    assert_eq!(error.violation, Violation::NoRows);
    assert_eq!(Kernel::parse(&kernel(0).to_string()), Ok(kernel(0)));
}
