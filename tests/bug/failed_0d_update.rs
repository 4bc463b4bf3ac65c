//! A 0-d value whose update failed, and that two kernels had computed for themselves, kept no value from before.

use darray::{DArray, Grouping, Runtime, attempt};

#[test]
fn a_0d_array_has_its_old_value_after_an_update_that_failed() {
    for grouping in [Grouping::Prefix, Grouping::Graph] {
        let builder = Runtime::builder().threads(1).window(600).grouping(grouping);
        builder.build().unwrap().scope(|| {
            let (x, y) = (DArray::<f64>::arange(30), DArray::<f64>::arange(50));
            let (alpha, c) = (DArray::<f64>::full((), 3.0), DArray::<f64>::full((), 2.0));
            x.runtime().sync();
            let bad = x.take(&DArray::from([1_000_000]), 0).at(0);
            let p = &x * 2.0;
            alpha.assign(&c * &bad);
            let q = &y * &alpha;
            let r = &x * &alpha;
            assert_eq!(p.at(7).item(), 14.0);
            assert!(attempt(|| q.at(1).item()).is_err() && attempt(|| r.at(1).item()).is_err());
            let _ = attempt(|| alpha.item());
            assert_eq!(attempt(|| alpha.item()).ok(), Some(3.0), "{}", grouping.name());
        });
    }
}
