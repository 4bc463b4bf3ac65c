//! A program that adds vectors, by the safe calls of cudarc.

use super::gpu::{TEXT, turn};
use cudarc::driver::{CudaContext, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::{Ptx, compile_ptx_with_opts};

pub fn sum_of_vectors(text: Ptx) -> Result<Vec<f32>, DriverError> {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let add = context.load_module(text)?.load_function("add")?;
    let a: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..1000).map(|i| 0.5 * i as f32).collect();
    let (a, b) = (stream.clone_htod(&a)?, stream.clone_htod(&b)?);
    let mut c = stream.alloc_zeros::<f32>(1000)?;
    let mut launch = stream.launch_builder(&add);
    let count = 1000i32;
    launch.arg(&a).arg(&b).arg(&mut c).arg(&count);
    // SAFETY: the arguments are those of the kernel.
    unsafe { launch.launch(LaunchConfig::for_num_elems(1000)) }?;
    let sum = stream.clone_dtoh(&c)?;
    context.check_err()?;
    Ok(sum)
}

pub fn expected() -> Vec<f32> {
    (0..1000).map(|i| 1.5 * i as f32).collect()
}

#[test]
fn vectors_are_added_under_every_schedule() {
    for schedule in ["eager", "random:1", "random:2", "random:3"] {
        let turn = turn(&format!("devices=1 sched={schedule}"));
        assert_eq!(sum_of_vectors(Ptx::from_src(TEXT)).unwrap(), expected());
        assert_eq!(turn.fake.count("launches"), 1);
        assert_eq!(turn.fake.count("bytes_to_device"), 8000);
        assert_eq!(turn.fake.count("bytes_to_host"), 4000);
        for held in ["allocated:0", "streams", "events", "modules", "queued"] {
            assert_eq!(turn.fake.count(held), 0, "{held}");
        }
    }
}

#[test]
fn texts_compiled_here_run() {
    let _turn = turn("devices=1");
    // SAFETY: it only asks whether the library can be loaded.
    if !unsafe { cudarc::nvrtc::sys::is_culib_present() } {
        println!("skipped: libnvrtc is not on the path of the loader");
        return;
    }
    // NVRTC asks the driver, and finds this one.
    let source = include_str!("kernels.cu");
    let text = compile_ptx_with_opts(source, cudarc::nvrtc::CompileOptions::default()).unwrap();
    assert_eq!(sum_of_vectors(text).unwrap(), expected());
}

#[test]
fn devices_are_described() {
    let turn = turn("devices=3 memory=123456789");
    let context = CudaContext::new(2).unwrap();
    assert_eq!(CudaContext::device_count().unwrap(), 3);
    assert_eq!(context.name().unwrap(), "fake CUDA device 2");
    assert_eq!(context.compute_capability().unwrap(), (9, 0));
    assert_eq!(context.total_mem().unwrap(), 123456789);
    assert!(context.has_async_alloc());
    assert_ne!(context.uuid().unwrap().bytes, CudaContext::new(0).unwrap().uuid().unwrap().bytes);
    assert!(CudaContext::new(3).unwrap_err().to_string().contains("INVALID_DEVICE"));
    turn.fake.configure("quiet=on devices=0").unwrap();
    assert!(CudaContext::new(0).unwrap_err().to_string().contains("NO_DEVICE"));
}
