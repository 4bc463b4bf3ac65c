//! Tasks on one device: values, what ran, memory.

mod support;

use darray_core::{Compute, Place, RealType};
use darray_fusion::plan::Mode;
use darray_ir::{Privilege, TaskOp};
use darray_kernel::operator::Operator;
use darray_runtime::{RuntimeOptions, WindowSize};
use support::*;

#[test]
fn a_chain_is_one_kernel_and_its_temporaries_need_no_memory() {
    let p = Program::new(reference(1, options()));
    let x = p.from(&[10], &(0..10).map(f64::from).collect::<Vec<_>>());
    let y = {
        let square = p.binary(Operator::Mul, &x, &x);
        let more = p.mul_scalar(&square, 0.5);
        p.add(&more, &x)
    };
    assert_eq!(
        p.read(&y),
        (0..10).map(|i| 0.5 * f64::from(i * i) + f64::from(i)).collect::<Vec<_>>()
    );
    let stats = p.rt.stats();
    assert_eq!((stats.tasks, stats.fused_tasks, stats.kernels, stats.compiled), (3, 1, 1, 1));
    assert_eq!((stats.bytes_in_use, stats.bytes_peak), (160, 160));
    drop((x, y));
    assert_eq!(p.rt.stats().bytes_in_use, 0);
}

#[test]
fn modes_give_the_same_values_with_other_counts() {
    let run = |mode| {
        let p = Program::new(reference(1, RuntimeOptions { mode, ..options() }));
        let x = p.from(&[4, 6], &noise(24));
        let y = p.add(&p.mul_scalar(&x, 3.0), &x);
        let s = p.sum(&y, 0b10);
        (p.read(&s), p.rt.stats().fused_tasks, p.rt.stats().kernels)
    };
    let (fused, task, unfused) = (run(Mode::Fused), run(Mode::Task), run(Mode::Unfused));
    assert_eq!(fused.0, task.0);
    assert_eq!(fused.0, unfused.0);
    assert_eq!((fused.1, fused.2), (1, 1));
    assert_eq!((task.1, task.2), (1, 3));
    assert_eq!((unfused.1, unfused.2), (3, 3));
}

#[test]
fn an_output_takes_the_place_of_a_dead_input() {
    let p =
        Program::new(reference(1, RuntimeOptions { window: WindowSize::Fixed(1), ..options() }));
    let n = 100;
    let mut x = p.full(&[n], 1.0);
    let one = p.full(&[n], 1.0);
    p.rt.flush();
    for _ in 0..5 {
        let old = x;
        let out = p.empty(RealType::F64, &[n]);
        let op = TaskOp::Apply { operator: Operator::Add, compute: Compute::F64, scalars: 0 };
        let (store, map) = (old.store.store().clone(), old.map.clone());
        p.rt.emit(darray_runtime::Emission {
            op,
            name: "add",
            domain: &out.domain,
            args: &[
                (out.store.store().into(), &out.map, Privilege::Write),
                ((&store).into(), &map, Privilege::Read),
                (one.store.store().into(), &one.map, Privilege::Read),
            ],
            scalars: &[],
            place: Place::caller(),
        });
        // The variable is assigned anew: nobody keeps the old version when the next operation comes.
        drop(old);
        x = out;
    }
    assert_eq!(p.read(&x), vec![6.0; n]);
    assert_eq!(p.rt.stats().bytes_peak, 2 * 8 * n as u64);
}

#[test]
fn what_was_never_written_is_zero() {
    let p = Program::new(reference(1, options()));
    let x = p.empty(RealType::F64, &[4, 4]);
    p.fill(&x.slice(&[(1, 1, 2), (1, 2, 2)]), 7.0);
    let y = p.mul_scalar(&x, 2.0);
    let mut expected = vec![0.0; 16];
    for i in [5, 7, 9, 11] {
        expected[i] = 7.0;
    }
    assert_eq!(p.read(&x), expected);
    expected.iter_mut().for_each(|v| *v *= 2.0);
    assert_eq!(p.read(&y), expected);
    assert_eq!(p.read(&p.empty(RealType::F64, &[3])), [0.0; 3]);
    assert_eq!(p.read(&p.empty(RealType::F64, &[0, 3])), [0.0; 0]);
}

#[test]
fn elements_of_another_size_are_refused() {
    let p = Program::new(reference(1, options()));
    let x = p.empty(RealType::I32, &[3]);
    let View { store, map, domain } = &x;
    let read = p.rt.read::<f64>(store.store(), map, domain, "to_vec", Place::caller());
    let message = read.unwrap_err().to_string();
    assert!(message.contains("i32 is read as elements of 8 bytes"), "{message}");
    assert!(message.contains("one_device.rs"), "{message}");
    assert_eq!(
        p.rt.read::<i32>(store.store(), map, domain, "to_vec", Place::caller()).unwrap(),
        [0; 3]
    );
}

#[test]
fn views_are_read_in_their_own_order() {
    let p = Program::new(reference(1, options()));
    let x = p.from(&[2, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(p.read(&x.t()), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    assert_eq!(p.read(&x.slice(&[(1, -1, 2), (0, 2, 2)])), [3.0, 5.0, 0.0, 2.0]);
    assert_eq!(p.read(&x.reshape(&[3, 2]).t()), [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    let row = x.slice(&[(1, 1, 1), (0, 1, 3)]).broadcast(&[2, 3]);
    assert_eq!(p.read(&row), [3.0, 4.0, 5.0, 3.0, 4.0, 5.0]);
    assert_eq!(p.rt.stats().kernels, 0);
}

#[test]
fn a_loop_reaches_a_steady_state() {
    let p =
        Program::new(reference(1, RuntimeOptions { window: WindowSize::Fixed(7), ..options() }));
    let mut x = p.full(&[12], 1.0);
    let step = |x: &View| p.mul_scalar(&p.add(x, x), 0.5);
    for _ in 0..100 {
        x = step(&x);
    }
    p.rt.sync().unwrap();
    let before = p.rt.stats();
    for _ in 0..1000 {
        x = step(&x);
    }
    p.rt.sync().unwrap();
    let after = p.rt.stats();
    assert_eq!(after.memo_misses, before.memo_misses);
    assert_eq!(after.memo_entries, before.memo_entries);
    assert_eq!(after.compiled, before.compiled);
    assert_eq!(after.bytes_in_use, before.bytes_in_use);
    assert_eq!(after.bytes_peak, before.bytes_peak);
    assert_eq!(p.read(&x), [1.0; 12]);
}

#[test]
fn several_threads_emit_into_one_runtime() {
    let rt = reference(1, RuntimeOptions { window: WindowSize::Fixed(5), ..options() });
    let sums: Vec<f64> = std::thread::scope(|scope| {
        let work = |k: usize| {
            let p = Program::new(rt.clone());
            move || {
                let mut x = p.full(&[9], k as f64);
                for _ in 0..50 {
                    x = p.mul_scalar(&p.add(&x, &x), 0.5);
                }
                p.read(&p.sum(&x, 1))[0]
            }
        };
        let threads: Vec<_> = (0..4).map(|k| scope.spawn(work(k))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(sums, [0.0, 9.0, 18.0, 27.0]);
    assert_eq!(rt.stats().bytes_in_use, 0);
}

#[test]
fn flushed_windows_can_be_kept() {
    let p = Program::new(reference(1, RuntimeOptions { capture: 1, ..options() }));
    let x = p.full(&[4], 1.0);
    p.rt.flush();
    let _y = p.add(&x, &x);
    p.rt.flush();
    let windows = p.rt.last_windows();
    assert_eq!(windows.len(), 1);
    assert_eq!(windows[0].window.tasks()[0].name, "add");
    assert_eq!(windows[0].plan.groups.len(), 1);
    assert!(!windows[0].memo_hit);
    p.rt.reset_stats();
    assert_eq!((p.rt.stats().tasks, p.rt.stats().memo_misses), (0, 0));
}

#[test]
fn a_store_without_owner_cannot_be_read_later() {
    let p = Program::new(reference(1, options()));
    let x = p.full(&[4], 1.0);
    let y = p.mul_scalar(&x, 2.0);
    let (store, map, domain) = (x.store.store().clone(), x.map.clone(), x.domain.clone());
    // A pending read keeps it.
    drop(x);
    let read = || p.rt.read::<u8>(&store, &map, &domain, "to_vec", Place::caller());
    assert_eq!(read().unwrap(), [1.0f64; 4].map(f64::to_le_bytes).concat());
    assert_eq!(p.read(&y), [2.0; 4]);
    let late = p.empty(RealType::F64, &[4]);
    let args = [
        (late.store.store().into(), &late.map, Privilege::Write),
        ((&store).into(), &map, Privilege::Read),
    ];
    p.rt.emit(darray_runtime::Emission {
        op: TaskOp::Copy,
        name: "copy",
        domain: &domain,
        args: &args,
        scalars: &[],
        place: Place::caller(),
    });
    p.rt.flush();
    assert!(read().unwrap_err().to_string().contains("ended with its last owner"));
}
