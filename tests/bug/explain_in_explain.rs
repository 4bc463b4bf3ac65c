//! The end of an inner `explain` threw away what the outer one had seen.

use darray::{DArray, Runtime};

#[test]
fn an_outer_explanation_has_the_inner_one_s_windows() {
    let runtime = Runtime::builder().threads(1).build().unwrap();
    let ((_kept, inner), outer) = runtime.explain(|| {
        let first = DArray::<f64>::ones(8).cos().sum(..);
        runtime.flush();
        let (second, inner) = runtime.explain(|| DArray::<f64>::ones(8).sin().sum(..));
        let third = DArray::<f64>::ones(8).tan().sum(..);
        ((first, second, third), inner)
    });
    assert!(inner.contains("sin.f64"), "{inner}");
    assert!(!inner.contains("cos.f64") && !inner.contains("tan.f64"), "{inner}");
    let at = |name: &str| outer.find(name).unwrap_or_else(|| panic!("no {name} in {outer}"));
    assert!(at("cos.f64") < at("sin.f64") && at("sin.f64") < at("tan.f64"), "{outer}");
}

#[test]
fn an_explanation_leaves_what_is_captured_for_tools() {
    let runtime = Runtime::builder().threads(1).capture(2).build().unwrap();
    let windows = || runtime.engine().last_windows().len();
    for _ in 0..3 {
        runtime.explain(|| DArray::<f64>::ones(8).to_vec());
        assert!(windows() <= 2);
    }
    runtime.scope(|| DArray::<f64>::ones(8).to_vec());
    assert!((1..=2).contains(&windows()));
}
