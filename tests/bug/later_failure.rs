//! What a kernel in flight wrote was lost with another of its arrays, when a later task that updates that one
//! failed at once.

use darray::task::{CudaSource, Grid, Task};
use darray::{CudaLaunch, DArray, Runtime};
use darray_suite::fake_or_skip;

#[test]
fn a_failure_is_not_inherited_by_what_came_before() {
    let Some(fake) = fake_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    for seed in 0..40 {
        fake.start(&format!("devices=1 sched=random:{seed}"));
        let builder = fake.devices(Runtime::builder(), &[0]).window(64);
        let builder = builder.cuda_launch(CudaLaunch::Streams);
        builder.build().expect("a runtime").scope(|| {
            let source = CudaSource::new("extern \"C\" __global__ void present() {}");
            let broken = Task::only_cuda("broken", move |point| {
                // SAFETY: nothing is launched.
                unsafe { point.launch(&source, "absent", Grid::new(1, 1), &[]) }
            });
            for _ in 0..3 {
                let (x, y) = (DArray::<f64>::ones(8), DArray::<f64>::ones(8));
                broken.launch().update(&x).read(&y).submit();
                assert!((&x + 1.0).try_to_vec().is_err());
                let read =
                    (&y + 1.0).try_to_vec().unwrap_or_else(|error| panic!("{seed}: {error}"));
                assert_eq!(read, [2.0; 8]);
            }
        });
    }
}
