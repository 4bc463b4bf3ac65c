//! An array with a second buffer that is written before it is read is not copied, but was counted as if.

use darray::{DArray, Runtime, s};

#[test]
fn copies_that_nobody_needs_are_not_counted() {
    let runtime = Runtime::builder().threads(1).window(600).build().unwrap();
    let values = runtime.scope(|| {
        let (x, u) = (DArray::<f64>::arange(5000) + 0.0, DArray::<f64>::arange(5000) * 1.0);
        runtime.sync();
        runtime.reset_stats();
        for array in [&x, &x, &x, &x, &u] {
            let neighbours = array.slice(s![..-2]) + array.slice(s![2..]);
            array.slice(s![1..-1]).assign(neighbours * 0.5);
        }
        let mut inner = u.slice(s![1..-1]);
        inner *= 0.5;
        runtime.sync();
        [x.sum(..).item(), u.sum(..).item()]
    });
    let stats = runtime.stats();
    assert!(stats.tasks_replicated == 0 && (1..=2).contains(&stats.twins), "{stats:?}");
    assert_eq!(values, [12497500.0, 6251249.5]);
}
