//! A task that is brought behind an update of other elements, which fails, took the failure for its own.

use darray::{DArray, Grouping, Runtime, attempt, s};

#[test]
fn what_a_failed_update_does_not_reach_is_there_for_tasks_before_it() {
    for grouping in [Grouping::Prefix, Grouping::Graph] {
        let builder = Runtime::builder().threads(1).window(600).grouping(grouping);
        builder.build().unwrap().scope(|| {
            let u = DArray::<f64>::arange(12) + 0.5;
            let x = DArray::<f64>::arange(100) % 7.0;
            u.runtime().flush();
            let bad = u.take(&DArray::from([1_000_000]), 0).at(0);
            let product = u.slice(s![1..-1]) * 2.0;
            let sorted = x.sort(-1);
            let scaled = sorted * (u.at(0) * 0.5 + 1.0);
            u.slice(s![1..-1]).assign(product + &bad);
            let last = attempt(|| scaled.at(99).item());
            assert_eq!(last.ok(), Some(6.0 * 1.25), "{}", grouping.name());
            // What is read of the update is the failure.
            assert!(attempt(|| bad.item()).is_err());
        });
    }
}
