//! Windows as text: `parse` and `print` are inverse, `verify` names what is wrong.

use darray_ir::{Window, verify::verify};

const PRINTED: &str = "\
s0: f64 [4, 6] live
s1: bool [6] initialised live
s2: f64 [6, 4] initialised
s3: f64 [24] initialised
s4: f64 []
s5: i64 [2] live
s6: f64 [4, 6] live
s7: f64 [4, 2] live
s8: f32 [2] live
s9: f32 [2] live
s10: i64 [4] live
t0: select.f64 over [4, 6]: s0[i0, i1] = s1[5 + -1*i1], s2[i1, i0], -1.5:f64
t1: copy over [2, 6]: s0[1 + 2*i0, i1] = s3{12*i0, i1}
t2: sum{0, 1} over [4, 6]: s4[] = s0[i0, i1]
t3: powi{-3}.f64 over []: s4[] = s4[]
t4: arange{0} over [2]: s5[i0] = 7:i64, -2:i64
t5: fill over []: s4[] = NaN:f64
t6: random{philox, bits} over [2]: s5[i0] = 1:i64, 2:i64, 0:i64, 0:i64, 7:i64, 1:i64
t7: scan prod{1} over [4, 6]: s6[i0, i1] = s0[i0, i1]
t8: gather{1, 1, 1} over [4, 2]: s7[i0, i1] = s5[i1], s0[i0, i2], 6:i64
t9: scatter{1} over [4, 6]: s6[i0, i1] = s5[i1], s7[i0, i1], 2:i64
t10: argsort{0} over [2]: s5[i0] = s5[i0]
t11: sort{1} over [4, 6]: s6[i0, i1] = s0[i0, i1]
t12: below_diagonal over [4, 2]: s7[i0, i1] =
t13: complex_multiply.f32 over [2]: s8[i0], s9[i0] = s8[i0], 0.5:f32, s5[i0], -1.0:f32
t14: complex_powi{-2}.f32 over [2]: s9[i0], s8[i0] = s9[i0], s8[i0]
t15: compress over [2]: s5[i0] = s1[1 + i0], s10[i0], 4:i64
t16: nonzero over [4]: s10[i0] = s1[i0], 6:i64
t17: search over [2]: s5[i0] = s5[i0], s10[i1], 4:i64
t18: search_right over [2]: s5[i0] = s5[i0], s10[3 + -1*i1], 4:i64
t19: scatter_add{0} over [4]: s10[i0] = s5[i0], s5[0], 2:i64
";

#[test]
fn printing_is_the_inverse_of_parsing() {
    let window = Window::parse(PRINTED).unwrap();
    assert_eq!(window.to_string(), PRINTED);
    let again = Window::parse(&window.to_string()).unwrap();
    assert_eq!(again.tasks().len(), 20);
    assert!(again.matches(&window.canonical_form()));
    assert_eq!(again.canonical_hash(), window.canonical_hash());
}

#[test]
fn errors_name_the_line() {
    let error = |text: &str| Window::parse(text).unwrap_err().to_string();
    assert_eq!(error("s0: f65 [1]"), "line 1: no element type `f65`");
    assert_eq!(error("\n\nt0: copy over [2]: s0[i0] = s1[i0]"), "line 3: s0 is not declared");
    assert_eq!(error("t0: what over [2]: s0[i0] = s1[i0]"), "line 1: no operation `what`");
}

#[test]
fn a_valid_window_verifies() {
    assert_eq!(verify(&Window::parse(PRINTED).unwrap()), Ok(()));
}

#[test]
fn broken_invariants_are_named() {
    let cases = [
        (2, "s2[i1, i0]", "s2[i1]"),
        (2, "s1[5 + -1*i1]", "s1[5 + -1*i2]"),
        (3, "s0[1 + 2*i0, i1]", "s0[2 + 2*i0, i1]"),
        (3, "s3{12*i0, i1}", "s3{12*i0, 7 + i1}"),
        (4, "s2[i1, i0], -1.5:f64", "s2[i1, i0]"),
        (4, "7:i64, -2:i64", "7:i64"),
        (4, "0.5:f32, s5[i0], -1.0:f32", "0.5:f32, s5[i0]"),
        (4, "s9[i0], s8[i0] = s9[i0], s8[i0]", "s9[i0] = s9[i0], s8[i0]"),
        (5, "complex_powi{-2}.f32", "complex_powi{-2}.i64"),
        (5, "s1: bool", "s1: f64"),
        (5, "scan prod{1}", "scan prod{2}"),
        (5, "scan prod{1}", "scan any{1}"),
        (5, "s6: f64", "s6: f32"),
        (3, "s0[i0, i2], 6:i64", "s0[i0, i2], 7:i64"),
        (3, "s7[i0, i1], 2:i64", "s7[i0, i1], 3:i64"),
        (4, "s0[i0, i2], 6:i64", "s0[i0, i2]"),
        (5, "gather{1, 1, 1}", "gather{1, 1, 2}"),
        (5, "s6[i0, i1] = s5[i1], s7", "s6[i0, i1] = s1[i1], s7"),
        (5, "compress over [2]: s5[i0] = s1", "compress over [2]: s8[i0] = s1"),
        (4, "s1[1 + i0], s10[i0], 4:i64", "s1[1 + i0], 4:i64"),
        (3, "s1[1 + i0], s10[i0], 4:i64", "s1[1 + i0], s10[i0], 5:i64"),
        (5, "nonzero over [4]: s10[i0]", "nonzero over [2]: s8[i0]"),
        (3, "s10[3 + -1*i1], 4:i64", "s10[3 + -1*i1], 5:i64"),
        (5, "search over [2]: s5[i0] = s5", "search over [2]: s5[i0] = s8"),
        (
            5,
            "scatter_add{0} over [4]: s10[i0] = s5[i0], s5[0]",
            "scatter_add{0} over [2]: s5[i0] = s5[i0], s8[0]",
        ),
        (5, "argsort{0}", "argsort{1}"),
        (5, "sort{1} over [4, 6]: s6", "argsort{1} over [4, 6]: s6"),
        (5, "below_diagonal over [4, 2]: s7[i0, i1] =", "below_diagonal over [2]: s5[i0] ="),
        (
            4,
            "below_diagonal over [4, 2]: s7[i0, i1] =",
            "below_diagonal over [4, 2]: s7[i0, i1] = 1:f64",
        ),
        (
            5,
            "fill over []: s4[] = NaN:f64",
            "random{pcg64, uniform} over []: s5[0] = 1:i64, 1:i64, 1:i64, 1:i64, 1:i64",
        ),
    ];
    for (invariant, from, to) in cases {
        assert!(PRINTED.contains(from));
        let window = Window::parse(&PRINTED.replace(from, to)).unwrap();
        let found = verify(&window).map_err(|e| e.invariant);
        assert_eq!(found, Err(invariant), "{from} -> {to}");
    }
}
