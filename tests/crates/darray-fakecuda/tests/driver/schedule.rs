//! Schedules: what is not waited for is found, and what is waited for is right under all of them.

use super::gpu::{Gpu, download, number, turn, upload};
use cudarc::driver::{result, sys};

const COUNT: usize = 300;

/// One stream writes `2 x`, another makes `3 (2 x) + 1` of it, and waits for the first; both parts
/// are repeated, so that there are waits in both directions.
fn two_streams(gpu: &Gpu) -> Vec<f32> {
    let (first, second) = (gpu.stream(), gpu.stream());
    let [x, y, z] = [0; 3].map(|_| gpu.allocate(4 * COUNT).unwrap());
    upload(x, &[1.0; COUNT]);
    for step in [y, z] {
        upload(step, &[-1.0; COUNT]);
    }
    let count = COUNT as i32;
    for _ in 0..3 {
        gpu.affine(&first, [x, y], [2.0, 0.0], count).unwrap();
        second.wait(&first.record_event(None).unwrap()).unwrap();
        gpu.affine(&second, [y, z], [3.0, 1.0], count).unwrap();
        first.wait(&second.record_event(None).unwrap()).unwrap();
        gpu.affine(&first, [z, x], [1.0, 0.0], count).unwrap();
    }
    first.synchronize().unwrap();
    download(x, COUNT).unwrap()
}

fn three_rounds() -> f32 {
    (0..3).fold(1.0, |x, _| 3.0 * (2.0 * x) + 1.0)
}

#[test]
fn streams_that_wait_are_right_under_twenty_schedules() {
    for seed in 1..=20 {
        let turn = turn(&format!("devices=1 sched=random:{seed}"));
        assert_eq!(two_streams(&Gpu::new(0).unwrap()), [three_rounds(); COUNT], "seed {seed}");
        assert_eq!(turn.fake.count("waits"), 6);
    }
}

#[test]
fn every_wait_that_is_left_out_is_found_under_some_schedule() {
    for wait in 1..=6 {
        let wrong = (1..=20).filter(|seed| {
            let _turn = turn(&format!("devices=1 sched=random:{seed} skip_wait={wait}"));
            two_streams(&Gpu::new(0).unwrap()) != [three_rounds(); COUNT]
        });
        let wrong = wrong.count();
        assert!(wrong >= 3, "wait {wait} left out is wrong under {wrong} of 20 schedules");
    }
    let _turn = turn("devices=1 sched=eager skip_wait=1");
    assert_eq!(two_streams(&Gpu::new(0).unwrap()), [three_rounds(); COUNT], "eager hides it");
}

#[test]
fn a_seed_stands_for_one_order() {
    let result = |seed: u64| {
        let _turn = turn(&format!("devices=1 sched=random:{seed} skip_wait=2"));
        two_streams(&Gpu::new(0).unwrap())[0]
    };
    let [first, second] = [(); 2].map(|()| (1..=20).map(result).collect::<Vec<f32>>());
    assert_eq!(first, second);
    assert!(first.iter().any(|found| *found != first[0]), "one order: {first:?}");
}

#[test]
fn threads_share_the_driver() {
    for seed in 1..=5 {
        let turn = turn(&format!("devices=4 sched=random:{seed} races=on"));
        std::thread::scope(|scope| {
            let run = |device| {
                let gpu = Gpu::new(device).unwrap();
                (0..5).all(|_| two_streams(&gpu) == [three_rounds(); COUNT])
            };
            let threads: Vec<_> = (0..4).map(|device| scope.spawn(move || run(device))).collect();
            assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
        });
        assert_eq!(turn.fake.count("launches"), 4 * 5 * 9);
        assert_eq!(turn.fake.error(), "");
    }
}

#[test]
fn races_are_found_under_every_schedule() {
    for schedule in ["eager", "random:1", "random:2", "random:3"] {
        let right = turn(&format!("devices=1 sched={schedule} races=on"));
        assert_eq!(two_streams(&Gpu::new(0).unwrap()), [three_rounds(); COUNT]);
        assert_eq!(right.fake.error(), "");
        drop(right);
        for wait in 1..=6 {
            let wrong = turn(&format!("devices=1 sched={schedule} races=on skip_wait={wait}"));
            let gpu = Gpu::new(0).unwrap();
            // Where the work that races has run is not said: at the latest with the context.
            let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| two_streams(&gpu)));
            drop((ran, gpu));
            let error = wrong.fake.error();
            let place = format!("wait {wait} left out, {schedule}: {error}");
            assert!(error.starts_with("race: kernel affine of stream"), "{place}");
        }
    }
}

#[test]
fn memory_used_before_its_allocation_has_run_is_reported() {
    let mut reported = 0;
    for seed in 1..=20 {
        let turn = turn(&format!("devices=1 sched=random:{seed}"));
        let gpu = Gpu::new(0).unwrap();
        let (first, second) = (gpu.stream(), gpu.stream());
        // SAFETY: whether the memory is used too early is what the test asks.
        let x = unsafe { result::malloc_async(first.cu_stream(), 4 * COUNT) }.unwrap();
        gpu.affine(&second, [x, x], [1.0, 0.0], COUNT as i32).unwrap();
        if number(gpu.context.synchronize()) == 700 {
            assert!(turn.fake.error().contains("use before allocation"), "{}", turn.fake.error());
            reported += 1;
        }
    }
    assert!((3..=17).contains(&reported), "{reported} of 20");
}

#[test]
fn work_waits_until_someone_waits_for_it() {
    let turn = turn("devices=1 sched=random:5");
    let gpu = Gpu::new(0).unwrap();
    let (x, stream) = (gpu.allocate(4 * COUNT).unwrap(), gpu.stream());
    gpu.affine(&stream, [x, x], [1.0, 0.0], COUNT as i32).unwrap();
    let event = stream.record_event(None).unwrap();
    assert_eq!(turn.fake.count("launches"), 0);
    assert_eq!(turn.fake.count("queued"), 2);
    gpu.affine(&stream, [x, x], [1.0, 0.0], COUNT as i32).unwrap();
    event.synchronize().unwrap();
    assert_eq!(turn.fake.count("launches"), 1, "what comes behind the event is not waited for");
    // Whoever asks often enough sees it done.
    let last = stream.record_event(None).unwrap();
    let mut questions = 0;
    while !last.is_complete() {
        questions += 1;
        assert!(questions < 100);
    }
    assert_eq!(turn.fake.count("launches"), 2);
}

#[test]
fn pinned_memory_is_written_when_the_copy_runs_and_pageable_memory_at_once() {
    let _turn = turn("devices=1 sched=random:5");
    let gpu = Gpu::new(0).unwrap();
    let (x, stream) = (gpu.allocate(16).unwrap(), gpu.stream());
    upload(x, &[1.0, 2.0, 3.0, 4.0]);
    // SAFETY: plain memory.
    let mut pinned = unsafe { gpu.context.alloc_pinned_with_flags::<f32>(4, 0) }.unwrap();
    pinned.as_mut_slice().unwrap().fill(0.0);
    let host = pinned.as_mut_ptr().unwrap();
    // SAFETY: the copy is waited for before the memory goes; reading it early is what is tested.
    unsafe {
        let slice = std::slice::from_raw_parts_mut(host, 4);
        result::memcpy_dtoh_async(slice, x, stream.cu_stream()).unwrap();
        assert_eq!(host.read(), 0.0);
        stream.synchronize().unwrap();
        assert_eq!(host.read(), 1.0);
        let mut pageable = [0f32; 4];
        result::memcpy_dtoh_async(&mut pageable, x, stream.cu_stream()).unwrap();
        assert_eq!(pageable, [1.0, 2.0, 3.0, 4.0]);
        // A pageable source may change as soon as the call returns, a pinned one may not.
        let mut source = [9f32; 4];
        result::memcpy_htod_async(x, &source, stream.cu_stream()).unwrap();
        source.fill(8.0);
        stream.synchronize().unwrap();
        assert_eq!(download(x, 1).unwrap(), [9.0]);
        let slice = std::slice::from_raw_parts(host, 4);
        result::memcpy_htod_async(x, slice, stream.cu_stream()).unwrap();
        host.write(5.0);
        stream.synchronize().unwrap();
        assert_eq!(download(x, 1).unwrap(), [5.0]);
    }
}

#[test]
fn the_legacy_stream_orders_itself_with_blocking_streams_only() {
    let mut free_ran_early = false;
    for seed in 1..=20 {
        let _turn = turn(&format!("devices=1 sched=random:{seed}"));
        let gpu = Gpu::new(0).unwrap();
        let [x, y] = [0; 2].map(|_| gpu.allocate(4).unwrap());
        gpu.context.bind_to_thread().unwrap();
        let blocking = result::stream::create(result::stream::StreamKind::Default).unwrap();
        // SAFETY: the stream lives to the end of the test.
        let blocking = unsafe { gpu.context.wrap_borrowed_stream(blocking) };
        let (free, legacy) = (gpu.stream(), gpu.context.default_stream());
        upload(x, &[1.0]);
        upload(y, &[1.0]);
        gpu.affine(&blocking, [x, x], [1.0, 1.0], 1).unwrap();
        gpu.affine(&free, [y, y], [2.0, 0.0], 1).unwrap();
        gpu.affine(&legacy, [x, x], [10.0, 0.0], 1).unwrap();
        gpu.affine(&legacy, [y, y], [1.0, 5.0], 1).unwrap();
        gpu.affine(&blocking, [x, x], [1.0, 3.0], 1).unwrap();
        gpu.context.synchronize().unwrap();
        assert_eq!(download(x, 1).unwrap(), [23.0], "seed {seed}");
        free_ran_early |= download(y, 1).unwrap() == [7.0];
    }
    assert!(free_ran_early);
}

#[test]
fn events_note_the_time() {
    let _turn = turn("devices=1 sched=random:1");
    let gpu = Gpu::new(0).unwrap();
    let stream = gpu.stream();
    let timed = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
    let start = stream.record_event(timed).unwrap();
    let x = gpu.allocate(4 * COUNT).unwrap();
    gpu.affine(&stream, [x, x], [1.0, 0.0], COUNT as i32).unwrap();
    let end = stream.record_event(timed).unwrap();
    assert!(start.elapsed_ms(&end).unwrap() > 0.0);
    let untimed = stream.record_event(None).unwrap();
    assert_eq!(number(start.elapsed_ms(&untimed)), 400);
}
