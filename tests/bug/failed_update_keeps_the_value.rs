//! An update that could not have memory lost the array for good, where the old value was still there.

use crate::little_room::{assert_out_of_memory, in_every_mode};
use darray::{DArray, Fallible, Runtime, s};
use darray_testkit::faulty_cpus;

const ROWS: usize = 1000;
const COLUMNS: usize = 800;

fn numbers() -> Vec<f64> {
    (0..ROWS * COLUMNS).map(|k| k as f64).collect()
}

/// Runs a program on an array of 6.4 MB with room for 10, in each mode, in windows of one task and in large ones.
fn with_little_room(program: impl Fn(&Runtime, DArray<f64>)) {
    in_every_mode(10_000_000, |runtime| {
        let x = DArray::from_shape_vec((ROWS, COLUMNS), numbers());
        runtime.sync();
        program(runtime, x);
    });
}

/// What needs more than there is room for.
fn too_much() -> DArray<f64> {
    DArray::<f64>::arange(2 * ROWS * COLUMNS)
        .sort(-1)
        .slice(s![..ROWS * COLUMNS])
        .reshape((ROWS, COLUMNS))
}

#[test]
fn an_update_beside_a_clone_gives_its_error_and_leaves_the_value() {
    let updates: [fn(&mut DArray<f64>); 6] = [
        |x| x.slice(s![1..]).assign(1.0),
        |x| *x += 1.0,
        |x| x.t().slice(s![..;2]).assign(x.t().slice(s![1..;2]).sqrt()),
        |x| {
            let mut view = x.reshape(-1);
            view += 1.0;
        },
        |x| x.put_along_axis(&DArray::<i64>::zeros((1, COLUMNS)), 5.0, 0),
        |x| x.assign_where(&x.slice(s![..1]).gt(1.0), 0.0),
    ];
    for update in updates {
        with_little_room(|runtime, mut x| {
            let clone = x.clone();
            update(&mut x);
            let dependent = x.sum(..);
            assert_out_of_memory(&x.try_to_vec().unwrap_err());
            assert_out_of_memory(&dependent.try_item().unwrap_err());
            assert!(x.to_vec() == numbers(), "it has the value from before");
            assert!(clone.to_vec() == numbers());
            let _ = runtime.try_sync();
            // Without the clone there is room.
            drop(clone);
            update(&mut x);
            assert!(x.to_vec() != numbers());
        });
    }
}

#[test]
fn sync_hands_the_error_on_as_well() {
    with_little_room(|runtime, mut x| {
        let clone = x.clone();
        x += 1.0;
        assert_out_of_memory(&runtime.try_sync().unwrap_err());
        assert!(x.to_vec() == numbers());
        x.slice(s![2..]).assign(1.0);
        x += 1.0;
        assert_out_of_memory(&runtime.try_sync().unwrap_err());
        assert!(x.to_vec() == numbers());
        assert_eq!(clone.slice(s![0, 3]).item(), 3.0);
    });
}

#[test]
fn an_update_with_what_could_not_be_computed_leaves_the_value() {
    type Update = fn(&mut DArray<f64>, &DArray<f64>);
    let updates: [Update; 6] = [
        |x, y| *x += y,
        |x, y| x.assign(y),
        |x, y| x.slice(s![1..]).assign(y.slice(s![1..])),
        |x, y| x.t().assign(y.t()),
        |x, y| x.assign_where(&y.gt(0.0), 1.0),
        |x, y| y.reduce_into(darray::Reduction::Sum, 0, &x.slice(s![5])),
    ];
    for update in updates {
        with_little_room(|_, mut x| {
            update(&mut x, &too_much());
            // What follows depends on it.
            x += 1.0;
            x.slice(s![2..]).assign(3.0);
            assert_out_of_memory(&x.try_to_vec().unwrap_err());
            assert!(x.to_vec() == numbers());
            x += 1.0;
            assert_eq!(x.slice(s![0, 1]).item(), 2.0);
        });
    }
}

#[test]
fn updates_before_the_one_that_failed_count() {
    with_little_room(|_, mut x| {
        x += 1.0;
        x.slice(s![1..]).assign(0.0);
        let clone = x.clone();
        x += 1.0;
        x += 1.0;
        assert_out_of_memory(&x.try_to_vec().unwrap_err());
        assert_eq!(x.slice(s![..2, ..3]).to_vec(), [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
        assert_eq!(clone.slice(s![..2, ..3]).to_vec(), [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
    });
}

#[test]
fn writes_into_the_copy_that_a_clone_made_necessary_count() {
    with_little_room(|_, _x| {
        let y = DArray::<f64>::arange(6);
        let clone = y.clone();
        y.slice(s![1..]).assign(5.0);
        y.slice(s![2..]).assign(too_much().slice(s![0, ..4]));
        assert_out_of_memory(&y.try_to_vec().unwrap_err());
        assert_eq!(y.to_vec(), [0.0, 5.0, 5.0, 5.0, 5.0, 5.0]);
        assert_eq!(clone.to_vec(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    });
}

#[test]
fn a_value_that_is_written_anew_is_that() {
    with_little_room(|_, mut x| {
        let clone = x.clone();
        x += 1.0;
        Runtime::current().flush();
        drop(clone);
        x.assign(7.0);
        assert_eq!((x.slice(s![0, 0]).item(), x.slice(s![-1, -1]).item()), (7.0, 7.0));
    });
}

#[test]
fn synchronous_operation_gives_the_error_at_its_line() {
    let runtime = Runtime::builder().synchronous(true).memory_limit(10_000_000).build().unwrap();
    runtime.scope(|| {
        let mut x = DArray::from_shape_vec((ROWS, COLUMNS), numbers());
        let clone = x.clone();
        assert_out_of_memory(&x.slice(s![1..]).try_assign(1.0).unwrap_err());
        assert!(x.to_vec() == numbers());
        drop(clone);
        x += 1.0;
        assert_eq!(x.slice(s![0, 1]).item(), 2.0);
    });
}

#[test]
fn a_task_that_fails_where_it_wrote_loses_the_value_and_one_beside_it_does_not() {
    let faulty = faulty_cpus(1);
    let runtime = Runtime::builder().devices(faulty.devices()).build().unwrap();
    runtime.scope(|| {
        let x = DArray::<f64>::arange(4).reshape((2, 2)).copy();
        let y = x.copy();
        runtime.sync();
        faulty.fail("matmul", "the pivot is zero");
        x.assign(x.dot(&x));
        y.slice(s![1..]).assign(y.dot(&y).slice(s![1..]));
        assert!(x.try_to_vec().is_err() && y.try_to_vec().is_err());
        faulty.repair();
        assert_eq!((x.to_vec(), y.to_vec()), (vec![0.0, 1.0, 2.0, 3.0], vec![0.0, 1.0, 2.0, 3.0]));
        let new = x.dot(&x);
        assert_eq!(new.to_vec(), [2.0, 3.0, 6.0, 11.0]);
    });
}

#[test]
fn an_array_that_was_never_made_stays_without_value() {
    with_little_room(|_, x| {
        let y = too_much();
        let z = &x + &y;
        for _ in 0..2 {
            assert_out_of_memory(&y.try_to_vec().unwrap_err());
            assert_out_of_memory(&z.try_to_vec().unwrap_err());
        }
    });
}
