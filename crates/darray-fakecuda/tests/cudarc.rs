//! The shared library, driven by cudarc as it is.

use cudarc::driver::{CudaContext, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use darray_fakecuda::FakeCuda;

const ADD: &str = include_str!("ptx/add.ptx");

fn sum_of_vectors() -> Result<Vec<f32>, DriverError> {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let add = context.load_module(Ptx::from_src(ADD))?.load_function("add")?;
    let a: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..1000).map(|i| 0.5 * i as f32).collect();
    let (a, b) = (stream.clone_htod(&a)?, stream.clone_htod(&b)?);
    let mut c = stream.alloc_zeros::<f32>(1000)?;
    let mut launch = stream.launch_builder(&add);
    let count = 1000i64;
    launch.arg(&a).arg(&b).arg(&mut c).arg(&count);
    // SAFETY: the arguments are those of the kernel.
    unsafe { launch.launch(LaunchConfig::for_num_elems(1000)) }?;
    stream.clone_dtoh(&c)
}

#[test]
fn vectors_are_added_under_every_schedule() {
    let fake = FakeCuda::load().unwrap();
    for schedule in ["eager", "random:1", "random:2", "random:3"] {
        fake.configure(&format!("devices=1 sched={schedule}")).unwrap();
        let expected: Vec<f32> = (0..1000).map(|i| 1.5 * i as f32).collect();
        assert_eq!(sum_of_vectors().unwrap(), expected);
        assert_eq!(fake.count("launches"), 1);
        assert_eq!(fake.count("bytes_to_device"), 8000);
        assert_eq!(fake.count("bytes_to_host"), 4000);
        assert_eq!(fake.count("allocated:0"), 0);
    }
}
