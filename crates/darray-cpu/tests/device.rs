//! Devices of a group: copies, isolation, faults, counters.

mod by_hand;

use by_hand::{Builder, bytes, f64s};
use darray_core::RealType;
use darray_cpu::{CpuDevices, CpuOptions};
use darray_device::{
    Arg, Block, Command, CommandFault, Device, DeviceId, Event, Fault, Queue, Rect,
};
use darray_kernel::operator::Operator::Add;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex};
use std::task::Poll;

const QUEUE: Queue = Queue(0);

fn rect(block: Block, offset: i64, extents: &[usize], strides: &[i64]) -> Rect {
    Rect {
        block,
        dtype: RealType::F64,
        offset,
        extents: SmallVec::from_slice(extents),
        strides: SmallVec::from_slice(strides),
    }
}

fn upload(device: &dyn Device, values: &[f64]) -> Block {
    let block = device.allocate(QUEUE, values.len() as u64 * 8).unwrap();
    let to = rect(block, 0, &[values.len()], &[1]);
    submit(device, &[Command::Upload { from: Arc::new(bytes(values)), to }]).unwrap();
    block
}

fn download(device: &dyn Device, from: Rect) -> Vec<f64> {
    let host: Arc<Mutex<Vec<u8>>> =
        Arc::new(Mutex::new(vec![0; from.extents.iter().product::<usize>() * 8]));
    submit(device, &[Command::Download { from, to: host.clone(), at: 0 }]).unwrap();
    f64s(&host.lock().unwrap())
}

fn submit(device: &dyn Device, work: &[Command]) -> Result<Event, CommandFault> {
    let event = device.submit(QUEUE, &[], work).unwrap();
    device.wait(event).map(|()| event)
}

#[test]
fn devices_copy_strided_rectangles_from_each_other() {
    for isolate in [false, true] {
        let devices = CpuDevices::new(3, CpuOptions { isolate, first: 5, ..CpuOptions::default() });
        let source = upload(&*devices[0], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(source.device, DeviceId(5));
        // The transpose of a (2, 3) array, then its second row reversed.
        let second = upload(&*devices[1], &[9.0; 6]);
        let from = rect(source, 0, &[3, 2], &[1, 3]);
        let to = rect(second, 0, &[3, 2], &[2, 1]);
        submit(&*devices[1], &[Command::Copy { from, to }]).unwrap();
        let whole = rect(second, 0, &[6], &[1]);
        assert_eq!(download(&*devices[1], whole), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        let third = upload(&*devices[2], &[9.0; 4]);
        let from = rect(second, 3, &[2], &[-1]);
        let to = rect(third, 1, &[2], &[2]);
        submit(&*devices[2], &[Command::Copy { from, to }]).unwrap();
        let whole = rect(third, 0, &[4], &[1]);
        assert_eq!(download(&*devices[2], whole), [9.0, 4.0, 9.0, 1.0]);
    }
}

#[test]
fn isolated_devices_compute_in_turn() {
    let options = CpuOptions { isolate: true, ..CpuOptions::default() };
    let devices = CpuDevices::new(4, options);
    for round in 0..3 {
        for device in &devices {
            let mut b = Builder::new();
            let axis = b.axis(100);
            let (x, y) = (b.buffer(RealType::F64, 1), b.buffer(RealType::F64, 1));
            let load = b.load(x, &[axis]);
            let sum = b.apply(Add, &[load, load]);
            b.store(y, &[axis], sum);
            let input = vec![round as f64; 100];
            let host = by_hand::Host { device: device.clone() };
            let out = host.run(b, vec![bytes(&input), vec![0; 800]]);
            assert_eq!(f64s(&out[1]), vec![2.0 * round as f64; 100]);
        }
    }
    for device in &devices {
        let stats = device.stats();
        assert_eq!((stats.compiled, stats.launches, stats.builtins), (1, 3, 0));
        assert_eq!((stats.bytes_in_use, stats.bytes_peak), (0, 1600));
    }
}

#[test]
fn a_fault_names_its_command_and_stops_its_submission_only() {
    let device = CpuDevices::new(1, CpuOptions::default()).remove(0);
    let block = upload(&*device, &[1.0, 2.0]);
    let store = |value: f64, offset: i64| Command::Upload {
        from: Arc::new(bytes(&[value])),
        to: rect(block, offset, &[1], &[1]),
    };
    let fault = submit(&*device, &[store(7.0, 0), store(8.0, 2), store(9.0, 1)]).unwrap_err();
    assert_eq!(fault.command, 1);
    let expected = "rectangle [1] reaches elements 2..=2 of 2";
    assert_eq!(fault.fault, Fault::Execution(expected.to_string()));
    let after = submit(&*device, &[store(5.0, 1)]).unwrap();
    assert_eq!(device.poll(after), Poll::Ready(Ok(())));
    let faulty = Event { ticket: after.ticket - 1, ..after };
    assert_eq!(device.poll(faulty), Poll::Ready(Ok(())), "it was handed on");
    assert_eq!(device.stats().faults, 0);
    assert_eq!(download(&*device, rect(block, 0, &[2], &[1])), [7.0, 5.0]);
}

#[test]
fn released_blocks_and_foreign_blocks_are_faults() {
    let devices = CpuDevices::new(2, CpuOptions::default());
    let block = upload(&*devices[0], &[1.0]);
    let message = |device: &dyn Device, block: Block| {
        let host: Arc<Mutex<Vec<u8>>> = Arc::new(Mutex::new(vec![0; 8]));
        let from = rect(block, 0, &[1], &[1]);
        let fault = submit(device, &[Command::Download { from, to: host, at: 0 }]).unwrap_err();
        fault.fault.to_string()
    };
    let foreign = "block 0x0 of device 0 is not allocated";
    assert_eq!(message(&*devices[1], block), foreign);
    devices[0].release(QUEUE, block, &[]);
    assert_eq!(message(&*devices[0], block), foreign);
}

#[test]
fn a_memory_limit_is_an_early_fault() {
    let options = CpuOptions { memory_limit: Some(1 << 20), ..CpuOptions::default() };
    let device = CpuDevices::new(1, options).remove(0);
    let block = device.allocate(QUEUE, 600_000).unwrap();
    let expected = Fault::OutOfMemory { requested: 500_000, in_use: 600_000, limit: 1 << 20 };
    assert_eq!(device.allocate(QUEUE, 500_000), Err(expected));
    device.release(QUEUE, block, &[]);
    assert!(device.allocate(QUEUE, 500_000).is_ok());
}

#[test]
fn launches_check_their_arguments() {
    let device = CpuDevices::new(1, CpuOptions::default()).remove(0);
    let mut b = Builder::new();
    let axis = b.axis(4);
    let x = b.buffer(RealType::F64, 1);
    let load = b.load(x, &[axis]);
    b.store(x, &[axis], load);
    let code = device.compile(&b.finish()).unwrap();
    let block = upload(&*device, &[0.0; 4]);
    let buffer = |offset: i64, strides: &[i64]| Arg::Buffer {
        block,
        offset,
        strides: SmallVec::from_slice(strides),
    };
    let params = |b: &Builder| b.params.iter().map(|&p| Arg::Bits(p as u64)).collect::<Vec<_>>();
    let launch = |first: Option<Arg>| {
        let args = first.into_iter().chain(params(&b)).collect();
        submit(&*device, &[Command::Launch { code, args }]).map_err(|f| f.fault.to_string())
    };
    assert!(launch(Some(buffer(0, &[1]))).is_ok());
    assert!(launch(Some(buffer(3, &[-1]))).is_ok());
    let count = b.params.len();
    let error = |first| launch(first).unwrap_err();
    assert_eq!(error(None), format!("{count} arguments, expected {}", count + 1));
    assert_eq!(error(Some(Arg::Bits(0))), "argument 0 is of wrong kind");
    assert_eq!(error(Some(buffer(0, &[1, 1]))), "buffer 0 has 2 strides, expected 1");
    assert_eq!(error(Some(buffer(0, &[2]))), "buffer 0 is accessed at elements 0..=6 of 4");
    assert_eq!(error(Some(buffer(0, &[i64::MAX]))), "strides of buffer 0 overflow");
    assert_eq!(
        error(Some(buffer(0, &[1 << 59]))),
        "buffer 0 is accessed at elements 0..=1729382256910270464 of 4"
    );
}

#[test]
fn code_is_gone_when_it_is_forgotten_as_often_as_it_was_given() {
    let device = CpuDevices::new(1, CpuOptions::default()).remove(0);
    let mut b = Builder::new();
    let axis = b.axis(2);
    let (x, y) = (b.buffer(RealType::F64, 1), b.buffer(RealType::F64, 1));
    let load = b.load(x, &[axis]);
    let sum = b.apply(Add, &[load, load]);
    b.store(y, &[axis], sum);
    let kernel = b.finish();
    let codes = || (device.stats().compiled, device.stats().codes);
    let code = device.compile(&kernel).unwrap();
    assert_eq!(device.compile(&kernel), Ok(code));
    device.forget(code);
    assert_eq!(codes(), (1, 1));
    device.forget(code);
    assert_eq!(codes(), (1, 0));
    let launch = vec![Command::Launch { code, args: Vec::new() }];
    let fault = submit(&*device, &launch).unwrap_err().fault.to_string();
    assert_eq!(fault, format!("code {} is unknown", code.0));
    let again = device.compile(&kernel).unwrap();
    assert_ne!(again, code, "another compilation is another code");
    assert_eq!(codes(), (2, 1));
}
