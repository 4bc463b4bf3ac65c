//! Work that ended between two looks of a round was taken to have ended well, though what it depends on failed: the
//! GPU had come further when the later of both was looked at.

use darray::task::Task;
use darray::{CudaLaunch, DArray, Fallible, Runtime};
use darray_suite::fake_or_skip;

#[test]
fn what_depends_on_a_failure_fails_in_every_schedule() {
    let Some(fake) = fake_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    for launch in [CudaLaunch::Streams, CudaLaunch::Graphs] {
        for seed in 0..40 {
            fake.start(&format!("devices=1 sched=random:{seed}"));
            let builder = fake.devices(Runtime::builder(), &[0]).cuda_launch(launch).window(64);
            builder.build().expect("a runtime").scope(|| {
                let broken = Task::new("broken", |_| Ok(()));
                for _ in 0..3 {
                    let x = DArray::<f64>::ones(8);
                    broken.launch().update(&x).submit();
                    let later = (0..4).fold(x, |x, _| (x + 1.0).cumsum(..));
                    assert!(later.try_to_vec().is_err(), "{launch:?}, {seed}");
                }
            });
        }
    }
}
