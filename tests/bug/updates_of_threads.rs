//! Two threads that updated one array could both read its old version, so that one update was lost.

use darray::prelude::*;

/// Adds of each thread.
const ADDS: usize = 5000;

#[test]
fn no_update_of_another_thread_is_lost() {
    let runtime = Runtime::builder().threads(1).build().unwrap();
    let total = runtime.scope(|| DArray::<f64>::zeros(4));
    let (left, right) = (total.slice(s![..2]), total.slice(s![2..]));
    std::thread::scope(|threads| {
        for view in [&total, &total, &left, &right] {
            threads.spawn(move || {
                let mut view = view.slice(s![..]);
                for _ in 0..ADDS {
                    view += 1.0;
                }
            });
        }
    });
    assert_eq!(total.to_vec(), [3.0 * ADDS as f64; 4]);
}
