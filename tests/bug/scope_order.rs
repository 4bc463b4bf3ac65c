//! Leaving a scope left the innermost one, whichever was meant; and a program that panicked inside
//! `explain` left every later window recorded.

use darray::{DArray, Runtime};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn scopes_may_end_in_any_order() {
    let [outer, middle, inner] = [(); 3].map(|()| Runtime::builder().build().expect("a runtime"));
    let before = Runtime::current();
    let first = outer.enter();
    let second = middle.enter();
    let third = inner.enter();
    drop(second);
    assert!(Runtime::current() == inner);
    drop(first);
    assert!(Runtime::current() == inner);
    drop(third);
    assert!(Runtime::current() == before);
    let again = outer.enter();
    assert!(Runtime::current() == outer);
    drop(again);
    assert!(Runtime::current() == before);
}

#[test]
fn a_panic_leaves_the_scope_and_ends_the_capture() {
    let runtime = Runtime::builder().build().expect("a runtime");
    let before = Runtime::current();
    let program = || -> f64 { panic!("{}", DArray::<f64>::ones(3).sum(..).item()) };
    assert!(catch_unwind(AssertUnwindSafe(|| runtime.explain(program))).is_err());
    assert!(Runtime::current() == before);
    assert_eq!(runtime.scope(|| DArray::<f64>::ones(3).sum(..).item()), 3.0);
    assert_eq!(runtime.engine().last_windows().len(), 0);
}
