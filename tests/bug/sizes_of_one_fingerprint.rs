//! Plans and the calls of tasks were taken for those of other sizes, where a 64-bit fingerprint of all sizes was the same.

use darray::task::Task;
use darray::{DArray, Runtime, s};

/// Extents of three arrays of which a window uses eight elements, beside a part of a fourth from this element on. Multiplied
/// and rotated one after the other, the sizes of both windows came to the same 64 bits; a search for such takes seconds.
const APART: (usize, [usize; 3]) = (16, [654_370, 86_934, 524_365]);
const OVERLAPPING: (usize, [usize; 3]) = (4, [1_094, 519_087, 125_945]);

/// What a window reads of an array after it has written the first eight of its elements, by itself and by a task.
fn run(rt: &Runtime, copy: &Task, (start, others): (usize, [usize; 3])) -> [Vec<f64>; 2] {
    let (x, y) = (-DArray::<f64>::ones(8), DArray::<f64>::arange(64));
    let others = others.map(DArray::<bool>::zeros);
    rt.sync();
    y.slice(s![..8]).assign(&x);
    let part = y.slice(s![start..start + 8]);
    let more = &part + 1.0;
    let [a, b, c] = others.each_ref().map(|other| other.slice(s![..8]));
    let both = &a & &b;
    let _all = &both & &c;
    let copied: DArray<f64> = copy.launch().read(&part).create(8);
    [more.to_vec(), copied.to_vec()]
}

#[test]
fn windows_of_other_sizes_have_plans_and_calls_of_their_own() {
    let copy = Task::new("copy", |point| {
        let (to, from) = point.one_to_one();
        (0..from.shape()[0]).for_each(|i| to.set(&[i], from.get::<f64>(&[i])));
        Ok(())
    });
    let counted: Vec<f64> = (16..24).map(f64::from).collect();
    let mixed = vec![-1.0, -1.0, -1.0, -1.0, 8.0, 9.0, 10.0, 11.0];
    for devices in [1, 2, 3] {
        let rt = Runtime::builder().cpu_devices(devices).threads(1).build().expect("a runtime");
        rt.scope(|| {
            let sizes = [APART, APART, APART, OVERLAPPING, OVERLAPPING, APART];
            let expected = [&counted, &counted, &counted, &mixed, &mixed, &counted];
            for (sizes, copied) in sizes.into_iter().zip(expected) {
                let more: Vec<f64> = copied.iter().map(|value| value + 1.0).collect();
                assert_eq!(run(&rt, &copy, sizes), [more, copied.clone()], "{devices} devices");
            }
        });
    }
}
