//! Tasks of a program's own: what they see, in which order they run, what they may not do.

use darray::task::Task;
use darray::{DArray, DynArray, Fallible, Runtime, s};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn runtime(devices: usize) -> Runtime {
    Runtime::builder().cpu_devices(devices).threads(1).window(1000).build().unwrap()
}

/// `to = from + step` over the elements of a part, and its first global index in what is written first.
fn add_index() -> Task {
    Task::new("add_index", |point| {
        let (first, step) = (point.domain()[0].start, point.scalars()[0].to_f64());
        let (to, from) = point.one_to_one();
        for k in 0..from.shape()[0] {
            to.set(&[k], from.get::<f64>(&[k]) + step * (first + k) as f64);
        }
        Ok(())
    })
}

#[test]
fn tasks_are_ordered_with_kernels_and_are_never_merged() {
    for devices in [1, 2, 3] {
        let rt = runtime(devices);
        rt.scope(|| {
            let task = add_index();
            let n = 1 << 17;
            let x = DArray::<f64>::ones(n) * 2.0;
            let y: DArray<f64> = task.launch().read(&x).scalar(3.0).create(n);
            let z = &y + &x;
            task.launch().read(&z).scalar(1.0).write(&x).submit();
            let w = (&x - &z).to_vec();
            assert!(w.iter().enumerate().all(|(k, &w)| w == k as f64));
            assert_eq!(z.slice(s![n as isize - 1]).item(), 4.0 + 3.0 * (n - 1) as f64);
            let stats = rt.stats();
            assert_eq!(stats.opaque, 2 * devices as u64, "one for each point");
            assert!(stats.stops.opaque() >= 3);
        });
    }
}

#[test]
fn views_are_written_in_place_and_read_before_they_are_written() {
    for devices in [1, 2] {
        runtime(devices).scope(|| {
            let task = add_index();
            let x = DArray::<f64>::arange(8);
            let kept = x.clone();
            // Elements 1..8 from elements 0..7 of the same array.
            task.launch().read(&x.slice(s![..-1])).scalar(0.0).write(&x.slice(s![1..])).submit();
            assert_eq!(x.to_vec(), [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
            assert_eq!(kept.to_vec(), (0..8).map(f64::from).collect::<Vec<_>>());
            task.launch().read(&x).scalar(0.0).write(&x.slice(s![..;-1])).submit();
            assert_eq!(x.to_vec(), [6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0, 0.0]);
        });
    }
}

#[test]
fn an_update_of_what_is_read_reads_a_copy() {
    let rt = runtime(1);
    rt.scope(|| {
        let axpy = Task::new("axpy", |point| {
            let (to, from) = point.one_to_one();
            let from = from.as_slice::<f64>().ok_or("strided")?;
            let to = to.as_mut_slice::<f64>().ok_or("strided")?;
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
            Ok(())
        });
        let x = DArray::<f64>::arange(4);
        axpy.launch().update(&x).read(&x).submit();
        assert_eq!(x.to_vec(), [0.0, 2.0, 4.0, 6.0]);
        let other = x.clone();
        axpy.launch().update(&x).read_whole(&other).submit();
        assert_eq!(
            (x.to_vec(), other.to_vec()),
            (vec![0.0, 4.0, 8.0, 12.0], vec![0.0, 2.0, 4.0, 6.0])
        );
        axpy.launch().update(&x.slice(s![2..])).read(&x.slice(s![..2])).submit();
        assert_eq!(x.to_vec(), [0.0, 4.0, 8.0, 16.0]);
    });
}

#[test]
fn inputs_are_broadcast_or_whole() {
    for devices in [1, 2] {
        runtime(devices).scope(|| {
            let rows = 1 << 16;
            let shapes = Task::new("shapes", move |point| {
                let (first, rows_here) = (point.domain()[0].start, point.domain()[0].len());
                let (written, read) = point.split();
                let [row, table] = read else { return Err("two arrays".to_string()) };
                if row.shape() != [rows_here, 3] || table.shape() != [2, 2] {
                    return Err(format!("{:?} {:?}", row.shape(), table.shape()));
                }
                for i in 0..rows_here {
                    for j in 0..3 {
                        let value = row.get::<i64>(&[i, j]) + table.get::<i64>(&[j % 2, 1]);
                        written[0].set(&[i, j], value + (first + i) as i64);
                    }
                }
                Ok(())
            });
            let (row, table) = (DArray::<i64>::arange(3), DArray::<i64>::arange(6).reshape((2, 3)));
            // A part of a store is read whole, too.
            let part = table.slice(s![.., 1..]);
            let out: DArray<i64> = shapes.launch().read(&row).read_whole(&part).create((rows, 3));
            let [first, last] = [0, rows as isize - 1].map(|i| out.slice(s![i]).to_vec());
            assert_eq!(first, [2, 1 + 5, 2 + 2]);
            assert_eq!(last, first.iter().map(|v| v + rows as i64 - 1).collect::<Vec<_>>());
        });
    }
}

#[test]
fn failures_and_panics_are_those_of_what_is_written() {
    for devices in [1, 2] {
        runtime(devices).scope(|| {
            let broken = Task::new("broken", |_| panic!("no {}", 7));
            let (x, y) = (DArray::<f64>::ones(3), DArray::<f64>::ones(3));
            broken.launch().update(&x).read(&y).submit();
            let error = (&x + 1.0).try_to_vec().unwrap_err().to_string();
            assert!(error.starts_with("broken: panicked: no 7"), "{error}");
            assert!(error.contains("tasks.rs"), "{error}");
            assert_eq!(y.to_vec(), [1.0; 3]);
            let typed = Task::new("typed", |point| {
                point.split().0[0].set(&[0], 1i32);
                Ok(())
            });
            let z: DArray<f64> = typed.launch().create(1);
            let error = z.try_to_vec().unwrap_err().to_string();
            assert!(error.contains("an array of f64 is used as one of i32"), "{error}");
        });
    }
}

#[test]
fn launches_that_do_not_fit_are_refused() {
    let rt = runtime(1);
    rt.scope(|| {
        let task = Task::new("task", |_| Ok(()));
        let (x, y) = (DArray::<f64>::ones(3), DArray::<f64>::ones(4));
        let text = |result: darray::Result<()>| result.unwrap_err().to_string();
        assert!(text(task.launch().read(&x).try_submit()).contains("writes at least one array"));
        assert!(text(task.launch().write(&x).write(&y).try_submit()).contains("one shape"));
        assert!(text(task.launch().write(&x).read(&y).try_submit()).contains("[3] and [4]"));
        let again = text(task.launch().write(&x).update(&x.slice(s![..])).try_submit());
        assert!(again.contains("written twice"), "{again}");
        let repeated = x.slice(s![..1]).broadcast_to(3);
        assert!(text(task.launch().write(&repeated).try_submit()).contains("more than once"));
        let other = runtime(1).scope(|| DArray::<f64>::ones(3));
        assert!(text(task.launch().write(&x).read(&other).try_submit()).contains("two runtimes"));
        let many = (0..16).fold(task.launch().update(&y), |launch, _| launch.read(&y));
        assert!(text(many.try_submit()).contains("17 arrays"));
        rt.sync();
        assert_eq!(rt.stats().opaque, 0);
    });
}

#[test]
fn empty_domains_call_nothing() {
    let rt = runtime(2);
    rt.scope(|| {
        let task = Task::new("task", |_| Err("called".to_string()));
        let x: DArray<f64> = task.launch().create((0, 3));
        task.launch().update(&x).submit();
        assert_eq!(x.to_vec(), []);
    });
}

#[test]
fn bools_are_zero_and_one() {
    runtime(1).scope(|| {
        let not = Task::new("not", |point| {
            let (to, from) = point.one_to_one();
            assert!(from.as_slice::<bool>().is_none());
            for k in 0..from.shape()[0] {
                to.set(&[k], !from.get::<bool>(&[k]));
            }
            Ok(())
        });
        let x = DArray::from_vec(vec![true, false, true]);
        let y: DArray<bool> = not.launch().read(&x).create(3);
        assert_eq!(y.to_vec(), [false, true, false]);
    });
}

#[test]
fn a_window_of_many_definitions_is_cut() {
    let rt = runtime(1);
    rt.scope(|| {
        let x = DynArray::from(DArray::<i64>::zeros(1));
        for k in 0..600i64 {
            let step = Task::new("step", move |point| {
                let (written, _) = point.split();
                let before = written[0].get::<i64>(&[0]);
                written[0].set(&[0], if before == k { k + 1 } else { -1 });
                Ok(())
            });
            step.launch().update(&x).submit();
        }
        assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [600]);
        assert!(rt.stats().flushes >= 3);
    });
}

#[test]
fn what_is_read_whole_has_any_shape_beside_what_is_updated() {
    runtime(1).scope(|| {
        let add_all = Task::new("add_all", |point| {
            let (written, read) = point.split();
            let sum: f64 = read[0].as_slice::<f64>().ok_or("strided")?.iter().sum();
            let values = written[0].as_mut_slice::<f64>().ok_or("strided")?;
            values.iter_mut().for_each(|value| *value += sum);
            Ok(())
        });
        let (x, table) = (DArray::<f64>::ones(3), DArray::<f64>::ones((2, 5)));
        add_all.launch().update(&x).read_whole(&table).submit();
        assert_eq!(x.to_vec(), [11.0; 3]);
        // A part of a store that has no elements yet.
        let y = DArray::<f64>::empty(1_000);
        let part = y.slice(darray::s![10..13]);
        part.assign(1.0);
        add_all.launch().update(&part).read_whole(&table).submit();
        assert_eq!(part.to_vec(), [11.0; 3]);
    });
}

#[test]
fn a_task_that_uses_its_own_runtime_fails_instead_of_waiting_for_ever() {
    let rt = runtime(1);
    rt.scope(|| {
        let x = DArray::<f64>::ones(2);
        let selfish = Task::new("selfish", {
            let x = x.clone();
            move |_| {
                drop(&x + 1.0);
                Ok(())
            }
        });
        let y: DArray<f64> = selfish.launch().create(2);
        let error = y.try_to_vec().unwrap_err().to_string();
        assert!(error.contains("a task uses the runtime that carries it out"), "{error}");
        assert_eq!((&x + 1.0).to_vec(), [2.0, 2.0]);
    });
}

#[test]
fn windows_that_come_again_differ_in_arrays_scalars_sizes_and_functions() {
    for devices in [1, 2, 3] {
        let rt = runtime(devices);
        rt.scope(|| {
            let called = Arc::new(AtomicUsize::new(0));
            for round in 0..9 {
                // One plan: no size is part of it.
                let n = [1 << 17, 5, (1 << 17) + 9][round % 3];
                let counts = called.clone();
                let task = Task::new("count", move |point| {
                    counts.fetch_add(1, Ordering::Relaxed);
                    let (first, add) = (point.domain()[0].start, point.scalars()[0].to_f64());
                    let (to, from) = point.one_to_one();
                    for k in 0..from.shape()[0] {
                        to.set(&[k], from.get::<f64>(&[k]) + add + (round * (first + k)) as f64);
                    }
                    Ok(())
                });
                let x = DArray::from_vec((0..n).map(|k| k as f64).collect());
                rt.flush();
                let y: DArray<f64> = task.launch().read(&x).scalar(round as f64).create(n);
                let z: DArray<f64> = task.launch().read(&y).scalar(0.5).create(n);
                drop((task, y));
                let add = round as f64 + 0.5;
                let expected = (0..n).map(|k| k as f64 + add + 2.0 * (round * k) as f64);
                assert_eq!(z.to_vec(), expected.collect::<Vec<_>>(), "{devices} devices, {round}");
                assert_eq!(Arc::strong_count(&called), 1, "no plan keeps a function");
            }
            let stats = rt.stats();
            assert!(stats.memo_hits >= 6, "{stats:?}");
            assert_eq!(called.load(Ordering::Relaxed) as u64, stats.opaque);
        });
    }
}

#[test]
fn memory_that_goes_from_array_to_array_counts_as_before() {
    for devices in [1, 2] {
        let rt = Runtime::builder().cpu_devices(devices).threads(1).memory_limit(700 << 10);
        let rt = rt.build().unwrap();
        rt.scope(|| {
            let nothing = Task::new("nothing", |_| Ok(()));
            // Three of 400 KiB in turn, then one of 600 KiB, for which nothing else may be there.
            for n in [50, 50, 50, 75, 50] {
                let _: DArray<f64> = nothing.launch().create(n * 1024 * devices);
            }
            rt.sync();
            let stats = rt.stats();
            let peak = 600 * 1024 * devices as u64;
            assert_eq!((stats.bytes_in_use, stats.bytes_peak), (0, peak), "{devices} devices");
        });
    }
}
