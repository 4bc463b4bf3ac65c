//! What a steady loop allocates on the host: a variable for each array that the program makes, and what a flush
//! takes; nothing else per operation or task.

use allocation_counter::measure;
use darray::task::Task;
use darray::{DArray, Runtime, s};

/// Allocations of a call, after some that warm up.
fn allocations(mut call: impl FnMut()) -> u64 {
    (0..10).for_each(|_| call());
    measure(call).count_total
}

#[test]
fn an_operation_allocates_its_variable_and_nothing_else() {
    let rt = Runtime::builder().threads(1).window(256).build().unwrap();
    rt.scope(|| {
        let (a, b) = (DArray::<f64>::ones(1000), DArray::<f64>::ones(1000));
        let chain = |operations: usize| {
            allocations(|| {
                let mut c = &a + &b;
                for _ in 1..operations {
                    c = &c * &b;
                }
                rt.flush();
            })
        };
        let (short, long) = (chain(50), chain(150));
        assert_eq!(long - short, 100, "one for each operation more");
        assert!(short - 50 <= 8, "{} for a flush with one kernel", short - 50);
    });
}

#[test]
fn an_opaque_task_allocates_its_variable_and_nothing_else() {
    for devices in [1, 2] {
        let rt = Runtime::builder().cpu_devices(devices).threads(1).window(256).build().unwrap();
        rt.scope(|| {
            let nothing = Task::new("nothing", |_| Ok(()));
            let x = DArray::<f64>::ones(1 << 17);
            let tasks = |count: usize| {
                allocations(|| {
                    for _ in 0..count {
                        let _: DArray<f64> = nothing.launch().read(&x).create(1 << 17);
                    }
                    rt.flush();
                })
            };
            assert_eq!(tasks(150) - tasks(50), 100, "one for each task more, {devices} devices");
        });
    }
}

#[test]
fn a_task_of_many_arrays_allocates_no_more() {
    let rt = Runtime::builder().threads(1).window(256).build().unwrap();
    rt.scope(|| {
        let nothing = Task::new("nothing", |_| Ok(()));
        let arrays: Vec<DArray<f64>> = (0..6).map(|_| DArray::ones(1)).collect();
        let tasks = |count: usize| {
            allocations(|| {
                for _ in 0..count {
                    let launch = nothing.launch();
                    let launch = arrays.iter().fold(launch, |launch, array| launch.read(array));
                    let _: DArray<f64> = launch.create(1);
                }
                rt.flush();
            })
        };
        assert_eq!(tasks(150) - tasks(50), 100, "one for each task more");
    });
}

#[test]
fn elements_of_the_host_are_copied_once() {
    const BYTES: u64 = 8 * 100_000;
    let rt = Runtime::builder().threads(1).build().unwrap();
    rt.scope(|| {
        let x = DArray::<f64>::ones(100_000);
        rt.flush();
        let read = measure(|| assert_eq!(x.to_vec().len(), 100_000)).bytes_total;
        assert!((BYTES..BYTES + 4096).contains(&read), "to_vec: {read} bytes");
        let (elements, flags) = (vec![1.0f64; 100_000], vec![true; 100_000]);
        let given = measure(|| {
            drop(DArray::from_vec(elements));
            drop(DArray::from_vec(flags));
        });
        assert!(given.bytes_total < 4096, "from_vec: {} bytes", given.bytes_total);
    });
}

/// Arrays that are alive at once.
const MANY: usize = 100_000;

/// What each of many arrays of 32 elements takes of the host's memory, beside its handle and its elements, which lie in a
/// device's memory.
fn bookkeeping(make: impl Fn() -> DArray<f64>) -> u64 {
    let rt = Runtime::builder().threads(1).build().unwrap();
    rt.scope(|| {
        drop(make());
        rt.sync();
        let mut arrays = Vec::with_capacity(MANY);
        let taken = measure(|| {
            arrays.extend((0..MANY).map(|_| make()));
            rt.sync();
        });
        assert_eq!(rt.stats().bytes_in_use, 256 * MANY as u64, "nothing else is alive");
        taken.bytes_current as u64 / MANY as u64
    })
}

#[test]
fn a_small_array_takes_little_beside_its_elements() {
    let made = bookkeeping(|| DArray::<f64>::ones(32) + 1.0);
    let given = bookkeeping(|| DArray::from_vec(vec![1.0; 32]));
    let read = bookkeeping(|| {
        let array = DArray::<f64>::ones(32);
        assert_eq!(array.to_vec(), [1.0; 32]);
        array
    });
    let by_builtin = bookkeeping(|| DArray::<f64>::ones(32).cumsum(..));
    let partly_written = bookkeeping(|| {
        let array = DArray::<f64>::ones(32);
        array.slice(s![3..7]).assign(2.0);
        array
    });
    let each = [made, given, read, by_builtin, partly_written];
    assert!(each.iter().all(|&bytes| bytes <= 520), "{each:?} bytes");
}
