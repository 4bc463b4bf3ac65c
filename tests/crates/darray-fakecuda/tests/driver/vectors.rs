//! A program that adds vectors, by the safe calls of cudarc.

use super::gpu::{TEXT, turn};
use cudarc::driver::{CudaContext, DriverError, LaunchConfig, PushKernelArg, sys};
use cudarc::nvrtc::Ptx;

pub fn sum_of_vectors() -> Result<Vec<f32>, DriverError> {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let add = context.load_module(Ptx::from_src(TEXT))?.load_function("add")?;
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
        assert_eq!(sum_of_vectors().unwrap(), expected());
        assert_eq!(turn.fake.count("launches"), 1);
        assert_eq!(turn.fake.count("bytes_to_device"), 8000);
        assert_eq!(turn.fake.count("bytes_to_host"), 4000);
        assert_eq!(turn.fake.returned(), Ok(()));
    }
}

#[test]
fn calls_are_found_by_name() {
    let _turn = turn("devices=1");
    let find = |name: &std::ffi::CStr| {
        let mut found = std::ptr::null_mut();
        let mut status =
            sys::CUdriverProcAddressQueryResult::CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
        // SAFETY: the name ends with a zero, the results may be written.
        let code =
            unsafe { sys::cuGetProcAddress_v2(name.as_ptr(), &mut found, 13000, 0, &mut status) };
        (code as u32, found.is_null(), status as u32)
    };
    assert_eq!(find(c"cuMemAlloc"), (0, false, 0));
    assert_eq!(find(c"cuInit"), (0, false, 0));
    assert_eq!(find(c"cuTexRefCreate"), (500, true, 1));
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
