//! Kernels through the device trait: bit-equal to the reference interpreter.

mod support;

use darray_core::DType;
use darray_device::differential::run;
use darray_device::{Arg, Command, Fault};
use darray_kernel::interpret::interpret;
use darray_kernel::ir::Kernel;
use darray_kernel::random_kernel::{Options, first_difference, random_kernel};
use smallvec::smallvec;
use support::{COMPUTE, COPY, download, machine_or_skip, rect, upload};

const ADD: &str = "kernel params=2 scalars=[]
  b0: f64 rank 1 read noalias b1: f64 rank 1 read noalias b2: f64 rank 1 write noalias {
    for (i0: extent=p0 origin=p1 global=p0 logical=0) {
      %0 = load b0[p1 + 1*i0]
      %1 = load b1[p1 + 1*i0]
      %2 = add.f64 %0 %1
      store b2[p1 + 1*i0] %2
    }
  }";

fn bytes(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn vectors_are_added_behind_their_uploads() {
    let Some(machine) = machine_or_skip("devices=2") else { return };
    let devices = machine.devices(&[0]);
    let device = &*devices[0];
    let kernel = Kernel::parse(ADD).unwrap();
    let code = device.compile(&kernel).unwrap();
    assert_eq!(device.compile(&kernel).unwrap(), code, "a kernel is compiled once");
    for n in [1usize, 31, 1000] {
        let values = |factor: f64| (0..n).map(|i| i as f64 * factor).collect::<Vec<f64>>();
        let (a, first) = upload(device, COPY, &bytes(&values(0.1)));
        let (b, second) = upload(device, COPY, &bytes(&values(1.7)));
        let out = device.allocate(COMPUTE, 8 * n as u64).unwrap();
        let buffer = |block| Arg::Buffer { block, offset: 0, strides: smallvec![1] };
        let args = vec![buffer(a), buffer(b), buffer(out), Arg::Bits(n as u64), Arg::Bits(0)];
        let work = vec![Command::Launch { code, args }];
        let added = device.submit(COMPUTE, &[first, second], &work).unwrap();
        let found = download(device, COPY, &[added], rect(out, DType::F64, 0, &[n], &[1]));
        let expected: Vec<f64> = values(0.1).iter().zip(values(1.7)).map(|(a, b)| a + b).collect();
        assert_eq!(found, bytes(&expected));
        [a, b, out].iter().for_each(|block| device.release(COMPUTE, *block, &[added]));
    }
    let stats = device.stats();
    assert_eq!((stats.compiled, stats.launches, stats.bytes_in_use), (1, 3, 0));
}

#[test]
fn forgotten_code_is_unloaded_after_what_is_queued() {
    for settings in support::schedules(0..6) {
        let Some(machine) = machine_or_skip(&settings) else { return };
        let devices = machine.devices(&[0]);
        let device = &*devices[0];
        let modules = || machine.fake.as_ref().map_or(0, |fake| fake.count("modules"));
        let kernel = Kernel::parse(ADD).unwrap();
        let (a, first) = upload(device, COPY, &bytes(&[1.5, 2.5]));
        let out = device.allocate(COMPUTE, 16).unwrap();
        let buffer = |block| Arg::Buffer { block, offset: 0, strides: smallvec![1] };
        for round in 1..=2 {
            let before = modules();
            let code = device.compile(&kernel).unwrap();
            let args = vec![buffer(a), buffer(a), buffer(out), Arg::Bits(2), Arg::Bits(0)];
            let work = vec![Command::Launch { code, args }];
            let added = device.submit(COMPUTE, &[first], &work).unwrap();
            device.forget(code);
            assert_eq!((device.stats().compiled, device.stats().codes), (round, 0));
            device.wait(added).unwrap();
            assert_eq!(modules(), before, "{settings}");
            let found = download(device, COPY, &[added], rect(out, DType::F64, 0, &[2], &[1]));
            assert_eq!(found, bytes(&[3.0, 5.0]), "{settings}");
        }
        [a, out].iter().for_each(|block| device.release(COMPUTE, *block, &[]));
        drop(devices);
        machine.check_returned();
    }
}

#[test]
fn an_access_outside_its_block_fails_before_it_runs() {
    let Some(machine) = machine_or_skip("devices=2") else { return };
    let devices = machine.devices(&[0]);
    let device = &*devices[0];
    let code = device.compile(&Kernel::parse(ADD).unwrap()).unwrap();
    let (block, event) = upload(device, COMPUTE, &[0; 80]);
    let buffer = |offset| Arg::Buffer { block, offset, strides: smallvec![1] };
    let out = device.allocate(COMPUTE, 80).unwrap();
    let result = Arg::Buffer { block: out, offset: 0, strides: smallvec![1] };
    for offset in [-1, 1] {
        let args = vec![buffer(0), buffer(offset), result.clone(), Arg::Bits(10), Arg::Bits(0)];
        let work = vec![Command::Launch { code, args }];
        let failed = device.submit(COMPUTE, &[event], &work).unwrap();
        assert!(matches!(device.wait(failed).unwrap_err().fault, Fault::Execution(_)));
    }
    let missing = vec![Command::Launch { code, args: vec![buffer(0)] }];
    let failed = device.submit(COMPUTE, &[], &missing).unwrap();
    let fault = device.wait(failed).unwrap_err().fault.to_string();
    assert_eq!(fault, "1 arguments, 5 expected");
    [block, out].iter().for_each(|block| device.release(COMPUTE, *block, &[]));
}

#[test]
fn random_kernels_equal_the_reference() {
    let Some(machine) = machine_or_skip("devices=2") else { return };
    let devices = machine.devices(&[0]);
    let device = &*devices[0];
    for seed in 0..60 {
        let case = random_kernel(seed, &Options::default());
        let mut expected = case.memory.clone();
        interpret(&case.kernel, &case.launch, &mut expected).unwrap();
        let found = run(device, &case)
            .unwrap_or_else(|fault| panic!("seed {seed}: {fault}\n{}", case.kernel));
        if let Some(difference) = first_difference(&expected, &found) {
            panic!("seed {seed}: {difference:?}\n{}\n{:?}", case.kernel, case.launch);
        }
    }
    assert_eq!(device.stats().bytes_in_use, 0);
}
