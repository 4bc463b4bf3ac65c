use super::{LOOKING, Team};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Waits until something is so.
fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        thread::yield_now();
    }
}

/// A loop of which another thread has a part: who had each of the two.
fn by_two(team: &Team) -> [thread::ThreadId; 2] {
    let by = [(); 2].map(|()| std::sync::OnceLock::new());
    let note = |part: usize| {
        let _ = by[part].set(thread::current().id());
    };
    // Neither takes the other's.
    let work = |part: usize| {
        note(part);
        until(|| by[1 - part].get().is_some());
    };
    team.share(2, &work, &mut { work });
    by.map(|by| by.into_inner().expect("each part is done"))
}

#[test]
fn every_part_is_done_once() {
    for threads in 0..4 {
        let team = Team::new(threads);
        for parts in [2, 3, 4, 7, 100] {
            let done: Vec<AtomicUsize> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
            let caller = thread::current().id();
            let count = |part: usize| done[part].fetch_add(1, Ordering::Relaxed);
            let work = |part: usize| {
                assert_ne!(thread::current().id(), caller);
                count(part);
            };
            let mut own = 0;
            team.share(parts, &work, &mut |part| {
                assert_eq!(thread::current().id(), caller);
                own += 1;
                count(part);
            });
            assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1), "{done:?}");
            assert!(threads > 0 || own == parts);
        }
    }
}

#[test]
fn a_thread_takes_what_is_left_of_another_s_parts() {
    let team = Team::new(1);
    let (begun, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    // The other thread is held up by its first part.
    let work = |part: usize| {
        begun.store(true, Ordering::Relaxed);
        assert_eq!(part, 4);
        until(|| done.load(Ordering::Relaxed) == 7);
    };
    team.share(8, &work, &mut |_| {
        until(|| begun.load(Ordering::Relaxed));
        done.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(done.into_inner(), 7);
}

#[test]
fn threads_sleep_and_are_woken() {
    let team = Team::new(1);
    for _ in 0..5 {
        let [own, other] = by_two(&team);
        assert_eq!(own, thread::current().id());
        assert_ne!(own, other);
        thread::sleep(10 * LOOKING);
        until(|| team.awake() == 0 && team.board.state().sleeping == 1);
    }
}

#[test]
fn several_callers_share_threads() {
    let team = Team::new(2);
    let sum = |from: usize| {
        let sum = AtomicUsize::new(0);
        let add = |part: usize| {
            sum.fetch_add(from + part, Ordering::Relaxed);
        };
        team.share(10, &add, &mut { add });
        sum.into_inner()
    };
    thread::scope(|scope| {
        for from in 0..4 {
            let sum = &sum;
            scope.spawn(move || {
                for _ in 0..200 {
                    assert_eq!(sum(from), 10 * from + 45);
                }
            });
        }
    });
    assert!(team.board.state().loops.is_empty());
}

#[test]
fn a_part_may_be_a_loop() {
    let team = Team::new(2);
    let done = AtomicUsize::new(0);
    let inner = |_| {
        done.fetch_add(1, Ordering::Relaxed);
    };
    let outer = |_| team.share(5, &inner, &mut { inner });
    team.share(6, &outer, &mut { outer });
    assert_eq!(done.into_inner(), 30);
}

#[test]
fn a_panic_comes_when_all_parts_are_done() {
    let team = Team::new(1);
    let ended = AtomicBool::new(false);
    let message = |result: Result<(), Box<dyn std::any::Any + Send>>| {
        *result.expect_err("it panics").downcast::<&str>().expect("a message")
    };
    // On the other thread, of which this one takes what is left.
    let begun = AtomicBool::new(false);
    let work = |_| {
        begun.store(true, Ordering::Relaxed);
        panic!("of another")
    };
    let own = &mut |_| until(|| begun.load(Ordering::Relaxed));
    let shared = catch_unwind(AssertUnwindSafe(|| team.share(2, &work, own)));
    assert_eq!(message(shared), "of another");
    // On this thread, while another one works.
    begun.store(false, Ordering::Relaxed);
    let panics = AtomicBool::new(false);
    let work = |_| {
        begun.store(true, Ordering::Relaxed);
        until(|| panics.load(Ordering::Relaxed));
        thread::sleep(20 * LOOKING);
        ended.store(true, Ordering::Relaxed);
    };
    let own = &mut |_| {
        until(|| begun.load(Ordering::Relaxed));
        panics.store(true, Ordering::Relaxed);
        panic!("of this one")
    };
    let shared = catch_unwind(AssertUnwindSafe(|| team.share(2, &work, own)));
    assert_eq!(message(shared), "of this one");
    assert!(ended.load(Ordering::Relaxed));
    // The threads live on.
    by_two(&team);
}

#[test]
fn threads_end_with_the_team() {
    for rest in [Duration::ZERO, 3 * LOOKING] {
        let team = Team::new(3);
        team.share(4, &|_| {}, &mut |_| {});
        thread::sleep(rest);
        let board = team.board.clone();
        assert_eq!(Arc::strong_count(&board), 5);
        drop(team);
        until(|| Arc::strong_count(&board) == 1);
    }
}
