//! An update recorded behind one that failed, before anybody was told, lost the value that the failed one had left, or
//! found no memory beside that value though it needs nothing of it.

use crate::little_room::{assert_out_of_memory, in_every_mode};
use darray::{DArray, Fallible, Result, Runtime, s};

const BYTES: u64 = 32768;

fn numbers() -> Vec<f64> {
    (0..BYTES / 8).map(|k| k as f64).collect()
}

/// Runs a program on an array of 32 KiB with room for 1.6 of it, in each mode, in windows of one task and in large ones.
fn with_little_room(program: impl Fn(&Runtime, DArray<f64>)) {
    in_every_mode(52_428, |runtime| {
        let x = DArray::from_vec(numbers());
        runtime.sync();
        program(runtime, x);
    });
}

fn out_of_memory<T: std::fmt::Debug>(result: Result<T>) {
    assert_out_of_memory(&result.expect_err("an update failed"));
}

/// The first of these fails, and the others cannot do without it. They give the clones that they make.
type Updates = fn(&DArray<f64>) -> Option<DArray<f64>>;

fn turned(x: &DArray<f64>) {
    let mut y = x.alias();
    y += x.flip(0);
}

fn one_more(x: &DArray<f64>) {
    let mut y = x.alias();
    y += 1.0;
}

const UPDATES: [Updates; 7] = [
    |x| {
        turned(x);
        x.assign(-x);
        None
    },
    |x| {
        x.slice(s![1..]).assign(x.slice(s![..-1]) * 0.5);
        x.assign(x + 1.0);
        None
    },
    |x| {
        let c = x.clone();
        one_more(x);
        x.assign(x * 2.0);
        one_more(x);
        Some(c)
    },
    |x| {
        turned(x);
        turned(x);
        x.assign(x.flip(0) * x);
        x.slice(s![..;2]).assign(1.0);
        x.assign(x.sort(-1));
        None
    },
    |x| {
        x.assign(x.flip(0) * 2.0);
        x.assign(-x);
        one_more(x);
        None
    },
    |x| {
        let c = x.clone();
        x.slice(s![1..]).assign(1.0);
        x.assign(x + 1.0);
        x.assign_where(&x.gt(1.0), x.sqrt());
        Some(c)
    },
    |x| {
        x.slice(s![1..]).assign(x.slice(s![..-1]).sort(-1));
        x.slice(s![..-1]).assign(x.slice(s![1..]).sort(-1));
        x.assign(x * x);
        None
    },
];

#[test]
fn they_leave_the_value_from_before_the_first() {
    for updates in UPDATES {
        with_little_room(|runtime, x| {
            let clone = updates(&x);
            out_of_memory(x.try_to_vec());
            assert!(x.to_vec() == numbers());
            assert_eq!(runtime.stats().bytes_in_use, BYTES);
            let _ = runtime.try_sync();
            if let Some(clone) = clone {
                assert!(clone.to_vec() == numbers());
            }
            one_more(&x);
            assert_eq!(x.slice(s![..2]).to_vec(), [1.0, 2.0]);
        });
        with_little_room(|runtime, x| {
            let clone = updates(&x);
            out_of_memory(runtime.try_sync());
            assert!(x.to_vec() == numbers());
            assert!(clone.is_none_or(|clone| clone.to_vec() == numbers()));
        });
    }
}

#[test]
fn what_needs_nothing_of_it_is_written() {
    let updates: [fn(&DArray<f64>); 4] = [
        |x| x.assign(x.flip(0) + 0.25),
        turned,
        |x| {
            turned(x);
            turned(x);
        },
        |x| {
            x.slice(s![1..]).assign(x.slice(s![..-1]) * 0.5);
            one_more(x);
        },
    ];
    for update in updates {
        with_little_room(|runtime, x| {
            update(&x);
            x.assign(0.25);
            assert_eq!(x.to_vec(), [0.25; BYTES as usize / 8]);
            assert_eq!(runtime.stats().bytes_in_use, BYTES);
        });
    }
}

#[test]
fn what_needs_nothing_of_it_and_fails_too_leaves_the_value() {
    with_little_room(|runtime, x| {
        let clone = x.clone();
        turned(&x);
        runtime.flush();
        x.assign(DArray::<f64>::arange(x.len()));
        out_of_memory(x.try_to_vec());
        assert!(x.to_vec() == numbers() && clone.to_vec() == numbers());
    });
}

#[test]
fn a_clone_of_what_failed_has_the_value_as_well() {
    with_little_room(|_, x| {
        turned(&x);
        let clone = x.clone();
        x.assign(-&x);
        for array in [&clone, &x] {
            out_of_memory(array.try_to_vec());
            assert!(array.to_vec() == numbers());
        }
    });
}

#[test]
fn updates_before_the_one_that_failed_count() {
    with_little_room(|_, x| {
        one_more(&x);
        x.assign(x.flip(0) * 2.0);
        x.assign(-&x);
        out_of_memory(x.try_to_vec());
        assert_eq!(x.slice(s![..3]).to_vec(), [1.0, 2.0, 3.0]);
    });
}

/// The first value of a variable was computed where it was read, and so not there when its update failed.
#[test]
fn the_first_value_of_a_variable_counts() {
    with_little_room(|_, x| {
        let y = &x + 1.0;
        drop(x);
        y.assign(y.flip(0) * 2.0);
        y.assign(-&y);
        out_of_memory(y.try_to_vec());
        assert_eq!(y.slice(s![..3]).to_vec(), [1.0, 2.0, 3.0]);
    });
}

#[test]
fn what_ends_with_a_task_that_failed_makes_room() {
    with_little_room(|_, x| {
        let lost = x.flip(0) + 1.0;
        let dependent = &lost + &x;
        drop(x);
        let ones = DArray::<f64>::ones(numbers().len());
        assert_eq!(ones.to_vec(), [1.0; BYTES as usize / 8]);
        out_of_memory(lost.try_to_vec());
        out_of_memory(dependent.try_to_vec());
    });
}

#[test]
fn what_is_computed_on_the_way_takes_another_place() {
    let updates: [fn(&DArray<f64>); 3] = [
        |x| x.assign((-x).flip(0) + 0.25),
        |x| x.assign((-x).sort(-1).cumsum(..)),
        |x| x.assign((x * 2.0).flip(0) * x.slice(s![0]).exp()),
    ];
    for update in updates {
        with_little_room(|_, x| {
            update(&x);
            out_of_memory(x.try_to_vec());
            assert!(x.to_vec() == numbers());
        });
    }
}
