//! What a kernel in flight wrote was lost with another of its arrays, when a later task that updates that one
//! failed at once.

use darray::task::Task;
use darray::{CudaLaunch, DArray, Fallible, Runtime};
use darray_suite::fake_or_skip;

#[test]
fn a_failure_is_not_inherited_by_what_came_before() {
    let Some(fake) = fake_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    for seed in 0..20 {
        fake.start(&format!("devices=1 sched=random:{seed}"));
        let builder = fake.devices(Runtime::builder(), &[0]).window(64);
        let builder = builder.cuda_launch(CudaLaunch::Streams);
        builder.build().expect("a runtime").scope(|| {
            let refuse = Task::new("refuse", |_| Err("never".to_string()));
            let lost: DArray<f64> = refuse.launch().create(8);
            assert!(lost.try_to_vec().is_err());
            let both = DArray::<f64>::ones(8);
            // The loss, which was expected.
            assert!(Runtime::current().try_sync().is_err());
            // One kernel writes both.
            let (x, y) = (&both + 1.0, &both + 2.0);
            Runtime::current().flush();
            // What was lost is known to be, so this fails before anything is submitted.
            refuse.launch().update(&x).read(&lost).submit();
            Runtime::current().flush();
            let read = y.try_to_vec().unwrap_or_else(|error| panic!("{seed}: {error}"));
            assert_eq!(read, [3.0; 8]);
            assert!(x.try_to_vec().is_err());
        });
    }
}
