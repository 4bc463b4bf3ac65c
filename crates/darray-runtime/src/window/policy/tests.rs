//! What windows a stream of tasks is cut into.

use super::*;
use darray_core::Place;
use darray_ir::{DomainId, TaskOp};
use darray_kernel::operator::Operator;
use smallvec::SmallVec;

/// Tasks with these operations.
fn tasks(operators: impl IntoIterator<Item = Operator>) -> Vec<IndexTask> {
    let place = Place::caller();
    let task = |operator| IndexTask {
        op: TaskOp::Apply { operator, compute: darray_core::Compute::F64, scalars: 0 },
        name: "test",
        domain: DomainId(0),
        args: SmallVec::new(),
        scalars: SmallVec::new(),
        place,
    };
    operators.into_iter().map(task).collect()
}

/// Operations that do not repeat for long.
fn strange(count: usize) -> Vec<IndexTask> {
    let cube = |n: usize| Operator::ALL[n * n * n % 4099 % Operator::ALL.len()];
    tasks((0..count).map(cube))
}

fn iterations(period: usize, from: usize, count: usize) -> Vec<IndexTask> {
    tasks((from..from + count).map(|n| Operator::ALL[n % period]))
}

/// Windows that came again have run for long.
fn paid() -> WindowPolicy {
    let ahead = PAID * planning(LARGEST);
    WindowPolicy { ahead, ..WindowPolicy::new(WindowSize::Adaptive) }
}

/// A full window that had not come before, of tasks without elements.
fn flush(policy: &mut WindowPolicy, tasks: &[IndexTask], grows_to: usize) {
    policy.is_full = true;
    let (elements, parted, left, is_known) = (&|_: &IndexTask| 0, &|_| 1, &|| 5, false);
    policy.flushed(Flushed { tasks, elements, grows_to, parted, left, is_known });
}

/// As many bytes at once; as many are left behind every window.
fn held(peak: u64) -> Held {
    Held { peak, left: 5 }
}

/// The next window of a stream, of which `task` gives any task's operation: how many tasks it has. Such a window would
/// hold so many bytes, and fused tasks begin with those tasks.
fn next(
    policy: &mut WindowPolicy,
    task: &dyn Fn(usize) -> Operator,
    from: usize,
    bytes: &dyn Fn(usize) -> u64,
    begins: &dyn Fn(usize) -> bool,
    is_known: bool,
) -> usize {
    let all = tasks((from..from + 1000).map(task));
    let full = |&count: &usize| {
        count >= policy.limit() && policy.is_full(&all[..count], |_| held(bytes(from + count)))
    };
    let count = (1..=1000).find(full).expect("windows end");
    let parted = &|task| u32::from(!begins(from + task));
    let elements = &|_: &IndexTask| 0;
    let left = &|| 5;
    policy.flushed(Flushed { tasks: &all[..count], elements, grows_to: 0, parted, left, is_known });
    count
}

/// Windows of a loop of `period` tasks from task `from` on.
fn windows(
    policy: &mut WindowPolicy,
    (period, mut from, count): (usize, usize, usize),
    bytes: impl Fn(usize) -> u64,
    fused: &[usize],
) -> Vec<usize> {
    let window = |_| {
        let task = |at: usize| Operator::ALL[at % period];
        let (bytes, begins) = (|at| bytes(at % period), |at| fused.contains(&(at % period)));
        let tasks = next(policy, &task, from, &bytes, &begins, false);
        from += tasks;
        tasks
    };
    (0..count).map(window).collect()
}

/// A full window that fused whole, of tasks of so many elements.
fn fused(policy: &mut WindowPolicy, is_known: bool, elements: usize) {
    let tasks = &strange(policy.size)[..];
    let elements = &|_: &IndexTask| elements;
    let parted = &|_| 1;
    policy.is_full = true;
    policy.flushed(Flushed { tasks, elements, grows_to: LARGEST, parted, left: &|| 5, is_known });
}

#[test]
fn the_window_grows_while_whole_windows_of_many_elements_fuse_and_come_again() {
    let mut policy = WindowPolicy::new(WindowSize::Adaptive);
    let mut sizes = Vec::new();
    for is_known in [false, true, true, false, false, true, true, true, true] {
        fused(&mut policy, is_known, 10_000_000);
        sizes.push(policy.size);
    }
    assert_eq!(sizes, [64, 128, 256, 256, 256, 512, 1024, 1024, 1024]);
}

#[test]
fn what_was_planned_for_nothing_is_made_up_for_first() {
    let mut policy = WindowPolicy::new(WindowSize::Adaptive);
    (0..1000).for_each(|_| fused(&mut policy, false, 1000));
    let as_long_as_planning = (PLANNING * ELEMENTS) as usize;
    let mut windows = 0;
    while policy.size == FIRST {
        fused(&mut policy, true, as_long_as_planning);
        windows += 1;
    }
    assert!((48..64).contains(&windows), "{windows} windows");
}

#[test]
fn windows_that_fuse_in_parts_and_short_ones_do_not_let_it_grow() {
    let mut policy = WindowPolicy::new(WindowSize::Adaptive);
    for (count, grows_to, is_full) in [(64, 0, true), (10, LARGEST, false)] {
        let elements = &|_: &IndexTask| 10_000_000;
        let tasks = &strange(count)[..];
        let parted = &|_| 1;
        policy.is_full = is_full;
        policy.flushed(Flushed { tasks, elements, grows_to, parted, left: &|| 5, is_known: true });
        assert_eq!(policy.size, 64);
    }
}

#[test]
fn small_tasks_run_as_long_as_the_larger_window_is_planned() {
    let mut policy = WindowPolicy::new(WindowSize::Adaptive);
    let (mut ran, mut planned) = (0, 0);
    while policy.size < LARGEST {
        let size = policy.size;
        fused(&mut policy, true, 0);
        ran += size as i64 * TASK;
        if policy.size > size {
            (0..3).for_each(|_| fused(&mut policy, false, 0));
            planned += planning(policy.size);
            assert!(planned <= ran, "planned for {planned} ns after {ran}");
        }
    }
    // Windows grow all the same.
    assert!(ran < 2 * planned, "planned for {planned} ns after {ran}");
}

#[test]
fn a_fixed_window_stays() {
    let mut policy = WindowPolicy::new(WindowSize::Fixed(0));
    flush(&mut policy, &iterations(1, 0, 1), LARGEST);
    assert_eq!(policy.limit(), 1);
    assert!(policy.is_full(&iterations(1, 0, 1), |_| unreachable!()));
}

#[test]
fn windows_end_where_one_has_ended() {
    let mut policy = WindowPolicy::new(WindowSize::Adaptive);
    assert_eq!(windows(&mut policy, (18, 0, 4), |_| 5, &[]), [64, 36, 36, 36]);
    // Somebody waits, and the loop begins again.
    policy.begin_anew();
    assert_eq!(windows(&mut policy, (18, 0, 3), |_| 5, &[]), [64, 36, 36]);
    let mut policy = WindowPolicy::new(WindowSize::Adaptive);
    assert_eq!(windows(&mut policy, (40, 0, 4), |_| 5, &[]), [64, 40, 40, 40]);
}

/// The windows of a stream, and which of them had not come before.
fn all_windows(stream: &[usize], elements: usize) -> Vec<(usize, bool)> {
    let mut policy = WindowPolicy::new(WindowSize::Adaptive);
    let all = tasks(stream.iter().map(|&number| Operator::ALL[number]));
    let mut windows: Vec<(usize, bool)> = Vec::new();
    let mut known: Vec<&[usize]> = Vec::new();
    let mut from = 0;
    while from < stream.len() {
        let full = |&count: &usize| {
            count >= policy.limit() && policy.is_full(&all[from..from + count], |_| held(5))
        };
        let Some(count) = (1..=stream.len() - from).find(full) else { break };
        let window = &stream[from..from + count];
        let is_known = known.contains(&window);
        let (elements, left) = (&|_: &IndexTask| elements, &|| 5);
        let tasks = &all[from..from + count];
        let (grows_to, parted) = (0, &|_| 1);
        policy.flushed(Flushed { tasks, elements, grows_to, parted, left, is_known });
        windows.push((count, is_known));
        if !is_known {
            known.push(window);
        }
        from += count;
    }
    windows
}

/// Tasks of windows that had not come before.
fn planned(windows: &[(usize, bool)]) -> usize {
    windows.iter().filter(|(_, is_known)| !is_known).map(|(count, _)| count).sum()
}

/// Iterations longer than windows: what has come once is cut in the same way when it comes again.
#[test]
fn windows_of_the_second_long_iteration_are_those_of_the_first() {
    for period in [65, 100, 154, 190, 386, 437, 700] {
        let kind = |at: usize| at % period * (at % period) % 1009 % Operator::ALL.len();
        let stream: Vec<usize> = (0..20 * period).map(kind).collect();
        let windows = all_windows(&stream, 0);
        assert!(planned(&windows) <= period + 3 * FIRST, "{period}: {windows:?}");
    }
}

/// Once such windows have run for long, they are whole iterations.
#[test]
fn windows_are_long_iterations_when_that_pays() {
    for period in [100, 154, 386] {
        let kind = |at: usize| at % period * (at % period) % 1009 % Operator::ALL.len();
        let stream: Vec<usize> = (0..20 * period).map(kind).collect();
        let windows = all_windows(&stream, 1_000_000);
        let (last, is_known) = windows[windows.len() - 1];
        assert!(last == period && is_known, "{period}: {windows:?}");
        assert!(planned(&windows) <= 6 * period + 3 * FIRST, "{period}: {windows:?}");
    }
}

/// A program that begins with tasks of one kind, and then has steps of 7 tasks and of an inner loop of 10, whose length varies.
#[test]
fn windows_of_loops_whose_length_varies_are_steps() {
    for most in [3, 19] {
        let mut stream = vec![39; 3];
        for step in 0..300 {
            let sweeps = 1 + step * step * 7 % most;
            stream.extend((0..sweeps).flat_map(|_| 0..10));
            stream.extend(20..27);
        }
        let windows = all_windows(&stream, 100);
        assert!(planned(&windows) <= 2500, "{} of {}", planned(&windows), stream.len());
        let (_, later) = windows.split_at(windows.len() / 2);
        assert!(planned(later) == 0, "{most}: {later:?}");
    }
}

/// Where tasks run for long, longer windows are worth planning.
#[test]
fn windows_of_loops_with_many_elements_are_longer_than_steps() {
    let step = |step: usize| (0..6 * (1 + step * step * 7 % 3)).map(|at| at % 6).chain(10..19);
    let stream: Vec<usize> = (0..300).flat_map(step).collect();
    let windows = all_windows(&stream, 10_000_000);
    let longest = windows.iter().map(|(count, _)| *count).max();
    assert!(longest >= Some(FIRST / 2) && windows.len() < 260, "{windows:?}");
}

#[test]
fn windows_of_a_long_loop_are_whole_iterations_between_fused_tasks() {
    let mut policy = paid();
    // Where it makes no difference to memory windows begin with the 7th task, as a fused task does.
    let found = windows(&mut policy, (18, 0, 20), |_| 5, &[6]);
    let believed = found.iter().position(|&tasks| tasks > 64).expect("a loop");
    assert!(found[..believed].iter().sum::<usize>() >= BELIEVED);
    assert_eq!(found[..=believed].iter().sum::<usize>() % 18, 6, "{found:?}");
    assert!(found[believed + 1..].iter().all(|&tasks| tasks == 54), "{found:?}");
    // Somebody waits; the loop goes on from its beginning.
    policy.begin_anew();
    let again = windows(&mut policy, (18, 0, 3), |_| 5, &[6]);
    assert_eq!((again[0] % 18, &again[1..]), (6, &[54, 54][..]));
    // Something else.
    flush(&mut policy, &strange(54), 0);
    assert_eq!(policy.period, 0);
}

#[test]
fn windows_of_a_loop_end_where_little_is_held() {
    let bytes = |next| if [3, 11].contains(&next) { 100 } else { 200 };
    for (fused, places) in [(&[6, 11][..], &[11][..]), (&[6], &[3, 11])] {
        let mut policy = paid();
        let found = windows(&mut policy, (18, 0, 20), bytes, fused);
        let end = found.iter().sum::<usize>() % 18;
        assert!(places.contains(&end), "{found:?}");
        assert_eq!(found[18..], [54, 54]);
    }
}

#[test]
fn windows_that_do_not_repeat_after_all_end() {
    let mut policy = paid();
    windows(&mut policy, (18, 0, 20), |_| 5, &[6]);
    let stream = |at: usize| Operator::ALL[at * at * at % 4099 % Operator::ALL.len()];
    let first = next(&mut policy, &stream, 0, &|_| 5, &|_| false, false);
    assert!(first <= FIRST, "{first} tasks");
}

#[test]
fn windows_of_tasks_that_do_not_repeat_are_as_many() {
    let mut policy = WindowPolicy::new(WindowSize::Adaptive);
    let stream = |at: usize| Operator::ALL[at * at * at % 4099 % Operator::ALL.len()];
    let mut from = 0;
    let mut all = Vec::new();
    for _ in 0..100 {
        all.push(next(&mut policy, &stream, from, &|_| 5, &|_| false, false));
        from += all[all.len() - 1];
    }
    let whole = all.iter().filter(|&&tasks| tasks == FIRST).count();
    assert!(whole > 80, "{all:?}");
}

#[test]
fn long_iterations_are_seen_over_several_windows() {
    let mut policy = paid();
    let found = windows(&mut policy, (61, 0, 12), |_| 5, &[]);
    assert_eq!(found[1..3], [61, 61]);
    assert_eq!(policy.period, 61);
    assert_eq!(found[found.len() - 1] % 61, 0, "{found:?}");
}
