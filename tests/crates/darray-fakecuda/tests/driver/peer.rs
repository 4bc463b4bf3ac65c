//! Several devices: each has its memory, and reaches others' only where that is enabled.

use super::gpu::{Gpu, code, download, number, turn, upload};
use cudarc::driver::{CudaContext, result, sys};
use std::sync::Arc;

fn enable(from: &Arc<CudaContext>, to: &Arc<CudaContext>) -> u32 {
    from.bind_to_thread().unwrap();
    // SAFETY: both contexts live.
    code(unsafe { sys::cuCtxEnablePeerAccess(to.cu_ctx(), 0) })
}

#[test]
fn kernels_reach_peers_once_that_is_enabled() {
    let turn = turn("devices=2");
    let (gpu, other) = (Gpu::new(0).unwrap(), Gpu::new(1).unwrap());
    let (x, y) = (gpu.allocate(40).unwrap(), other.allocate(40).unwrap());
    upload(y, &[3.0; 10]);
    let mut can = 0;
    // SAFETY: plain numbers.
    unsafe { sys::cuDeviceCanAccessPeer(&mut can, 0, 1).result().unwrap() };
    assert_eq!(can, 1);
    assert_eq!(enable(&gpu.context, &other.context), 0);
    assert_eq!(enable(&gpu.context, &other.context), 704);
    let (stream, there) = (gpu.stream(), other.stream());
    gpu.affine(&stream, [y, x], [2.0, 0.0], 10).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(download(x, 10).unwrap(), [6.0; 10]);
    // Access goes one way.
    assert_eq!(number(other.affine(&there, [x, y], [1.0, 0.0], 10)), 700);
    let error = turn.fake.error();
    assert!(error.contains("no peer access: device 1 reaches"), "{error}");
}

#[test]
fn a_device_reaches_so_many_peers_at_most() {
    let _turn = turn("devices=3 most_peers=1");
    let gpus = [0, 1, 2].map(|device| Gpu::new(device).unwrap().context);
    assert_eq!(enable(&gpus[0], &gpus[1]), 0);
    assert_eq!(enable(&gpus[0], &gpus[2]), 711);
    assert_eq!(enable(&gpus[0], &gpus[1]), 704);
    assert_eq!(enable(&gpus[2], &gpus[0]), 0);
}

#[test]
fn peer_copies_need_no_access_and_are_counted() {
    for peers in ["on", "off"] {
        let turn = turn(&format!("devices=2 sched=random:1 peers={peers}"));
        let (gpu, other) = (Gpu::new(0).unwrap(), Gpu::new(1).unwrap());
        let (x, y) = (gpu.allocate(40).unwrap(), other.allocate(40).unwrap());
        upload(x, &[5.0; 10]);
        let stream = gpu.stream();
        // SAFETY: memory and contexts live.
        unsafe {
            result::memcpy_peer_async(
                other.context.cu_ctx(),
                y,
                gpu.context.cu_ctx(),
                x,
                40,
                stream.cu_stream(),
            )
        }
        .unwrap();
        stream.synchronize().unwrap();
        assert_eq!(download(y, 10).unwrap(), [5.0; 10]);
        assert_eq!(turn.fake.count("bytes_between"), 40);
        if peers == "off" {
            assert_eq!(enable(&gpu.context, &other.context), 101);
        }
    }
}

#[test]
fn streams_of_two_devices_wait_for_each_other() {
    for seed in 1..=20 {
        let _turn = turn(&format!("devices=2 sched=random:{seed}"));
        let (gpu, other) = (Gpu::new(0).unwrap(), Gpu::new(1).unwrap());
        let (x, y) = (gpu.allocate(40).unwrap(), other.allocate(40).unwrap());
        upload(x, &[1.0; 10]);
        let (here, there) = (gpu.stream(), other.stream());
        enable(&other.context, &gpu.context);
        gpu.affine(&here, [x, x], [2.0, 0.0], 10).unwrap();
        let done = here.record_event(None).unwrap();
        // The event is of the other device: it may be waited for, but not recorded there.
        there.wait(&done).unwrap();
        // SAFETY: both live.
        let recorded = unsafe { result::event::record(done.cu_event(), there.cu_stream()) };
        assert_eq!(number(recorded), 400);
        other.affine(&there, [x, y], [1.0, 0.5], 10).unwrap();
        there.synchronize().unwrap();
        assert_eq!(download(y, 10).unwrap(), [2.5; 10], "seed {seed}");
    }
}

#[test]
fn a_kernel_belongs_to_its_device() {
    let _turn = turn("devices=2");
    let (gpu, other) = (Gpu::new(0).unwrap(), Gpu::new(1).unwrap());
    let x = other.allocate(40).unwrap();
    let there = other.stream();
    assert_eq!(number(gpu.affine(&there, [x, x], [1.0, 0.0], 10)), 400);
}
