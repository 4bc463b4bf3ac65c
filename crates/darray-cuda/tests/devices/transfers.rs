//! Memory and copies of CUDA devices, over whatever driver the settings name.

use crate::support::{COMPUTE, COPY, bytes_of, download, machine_or_skip, rect, schedules, upload};
use darray_core::RealType;
use darray_cuda::{CudaDevices, CudaOptions, CudaTesting};
use darray_device::{Block, Command, Device, Event, Fault, Queue};
use darray_testdevices::ReferenceDevice;
use std::sync::{Arc, Mutex};
use std::task::Poll;

fn sample(count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 37 + i / 256) as u8).collect()
}

/// Rectangles of 24 elements in blocks of 64, of one shape: dense, rows of a wider array, transposed,
/// backwards, broadcast; some only to copy from.
const DENSE: (i64, [i64; 3]) = (0, [12, 4, 1]);
const FORMS: [(i64, [i64; 3]); 4] = [DENSE, (5, [20, 5, 1]), (1, [1, 2, 6]), (40, [-12, -4, -1])];
const SOURCES: [(i64, [i64; 3]); 2] = [(3, [0, 4, 1]), (7, [0, 0, 0])];
const EXTENTS: [usize; 3] = [2, 3, 4];

/// The bytes of `to` after what `run` does on both kinds of device.
fn same_on_both(
    devices: &[Arc<dyn Device>],
    run: impl Fn(&[Arc<dyn Device>]) -> Vec<u8>,
    what: &str,
) {
    let reference = ReferenceDevice::set(devices.len(), 1 << 20);
    assert_eq!(run(devices), run(&reference), "{what}");
}

#[test]
fn rectangles_are_copied_uploaded_and_downloaded_as_the_reference_does() {
    let Some(machine) = machine_or_skip("devices=2 sched=random:1") else { return };
    for piece in [None, Some(100), Some(24), Some(1)] {
        let testing = CudaTesting { piece, ..CudaTesting::default() };
        let options = CudaOptions { testing, ..machine.options(&[0]) };
        uploads_and_downloads(&CudaDevices::new(options).unwrap());
        machine.check_returned();
    }
}

/// Every form from the host and to it.
fn uploads_and_downloads(devices: &[Arc<dyn Device>]) {
    for dtype in [RealType::U8, RealType::I32, RealType::F64] {
        let bytes = 64 * dtype.size();
        for (offset, strides) in FORMS {
            let run = |devices: &[Arc<dyn Device>]| {
                let device = &*devices[0];
                let (block, event) = upload(device, COPY, &sample(bytes));
                let to = rect(block, dtype, offset, &EXTENTS, &strides);
                let from = Arc::new(sample(24 * dtype.size() + 3)[3..].to_vec());
                let work = vec![Command::Upload { from, to }];
                let event = device.submit(COPY, &[event], &work).unwrap();
                let found = download(device, COPY, &[event], bytes_of(block, bytes));
                device.release(COPY, block, &[]);
                found
            };
            same_on_both(devices, run, &format!("upload {dtype} {offset} {strides:?}"));
        }
        for (offset, strides) in FORMS.iter().chain(&SOURCES).copied() {
            let run = |devices: &[Arc<dyn Device>]| {
                let device = &*devices[0];
                let (block, event) = upload(device, COPY, &sample(bytes));
                let from = rect(block, dtype, offset, &EXTENTS, &strides);
                let found = download(device, COMPUTE, &[event], from);
                device.release(COMPUTE, block, &[]);
                found
            };
            same_on_both(devices, run, &format!("download {dtype} {offset} {strides:?}"));
        }
    }
    assert_eq!(devices[0].stats().bytes_in_use, 0);
}

/// Every form from one device to another.
fn copies_between(devices: &[Arc<dyn Device>]) {
    for dtype in [RealType::Bool, RealType::F32, RealType::I64] {
        let bytes = 64 * dtype.size();
        for (to_offset, to_strides) in FORMS {
            for (offset, strides) in FORMS.iter().chain(&SOURCES).copied() {
                let run = |devices: &[Arc<dyn Device>]| {
                    let (near, far) = (&*devices[0], &*devices[devices.len() - 1]);
                    let (source, first) = upload(far, COMPUTE, &sample(bytes));
                    let (target, second) = upload(near, COMPUTE, &vec![0xEE; bytes]);
                    let from = rect(source, dtype, offset, &EXTENTS, &strides);
                    let to = rect(target, dtype, to_offset, &EXTENTS, &to_strides);
                    let work = vec![Command::Copy { from, to }];
                    let copied = near.submit(COPY, &[first, second], &work).unwrap();
                    far.release(COMPUTE, source, &[copied]);
                    let found = download(near, COMPUTE, &[copied], bytes_of(target, bytes));
                    near.wait(copied).unwrap();
                    near.release(COMPUTE, target, &[]);
                    found
                };
                let what = format!("{dtype} {offset} {strides:?} to {to_offset} {to_strides:?}");
                same_on_both(devices, run, &what);
            }
        }
    }
    for device in devices {
        assert_eq!(device.stats().bytes_in_use, 0);
    }
}

#[test]
fn copies_within_a_device_between_devices_and_through_the_host() {
    for schedule in schedules(0..6) {
        let Some(machine) = machine_or_skip(&schedule) else { return };
        for gpus in [&[0][..], &[0, 0], &[0, 1]] {
            copies_between(&machine.devices(gpus));
            machine.check_returned();
        }
        for piece in [None, Some(24)] {
            let testing = CudaTesting { staged: true, piece, ..CudaTesting::default() };
            let staged = CudaOptions { testing, ..machine.options(&[0, 1]) };
            copies_between(&CudaDevices::new(staged).unwrap());
            machine.check_returned();
        }
    }
}

/// Rows of a wider array, and a transposed matrix, of more elements than two blocks have threads.
#[test]
fn copies_go_round_where_there_are_fewer_blocks() {
    copies_of_two_blocks(None, "32");
}

#[test]
fn copies_that_count_by_64_bits_are_copies() {
    copies_of_two_blocks(Some(0), "64");
}

fn copies_of_two_blocks(most_narrow: Option<u32>, width: &str) {
    let Some(machine) = machine_or_skip("devices=1 sched=random:1") else { return };
    let testing = CudaTesting { most_blocks: Some(2), most_narrow, ..CudaTesting::default() };
    let options = CudaOptions { testing, ..machine.options(&[0]) };
    let devices = CudaDevices::new(options).unwrap();
    for (extents, strides) in [
        (&[5, 20, 70][..], &[2000, 100, 1][..]),
        (&[130, 70], &[1, 130]),
        (&[3, 40, 40], &[1600, 1, 40]),
    ] {
        for dtype in [RealType::U8, RealType::F16, RealType::BF16, RealType::F32, RealType::F64] {
            let bytes = 10_000 * dtype.size();
            let run = |devices: &[Arc<dyn Device>]| {
                let device = &*devices[0];
                let (from, event) = upload(device, COPY, &sample(bytes));
                let (to, cleared) = upload(device, COPY, &vec![0; bytes]);
                let mut dense = vec![1; extents.len()];
                for axis in (1..extents.len()).rev() {
                    dense[axis - 1] = dense[axis] * extents[axis] as i64;
                }
                let from_rect = rect(from, dtype, 0, extents, strides);
                let copy =
                    Command::Copy { from: from_rect, to: rect(to, dtype, 1, extents, &dense) };
                let event = device.submit(COMPUTE, &[event, cleared], &[copy]).unwrap();
                let found = download(device, COPY, &[event], bytes_of(to, bytes));
                [from, to].into_iter().for_each(|block| device.release(COMPUTE, block, &[event]));
                found
            };
            same_on_both(&devices, run, &format!("{dtype} {extents:?} {strides:?}"));
        }
    }
    let Some(fake) = &machine.fake else { return };
    for size in [1, 2, 4, 8] {
        let entry = format!("copy_{size}_{width}");
        assert!(fake.count(&format!("kernel:{entry}")) > 0, "{entry} has not run");
    }
}

#[test]
fn gpus_that_cannot_reach_each_other_copy_through_the_host() {
    let Some(machine) = machine_or_skip("devices=2 sched=random:1 peers=off") else { return };
    copies_between(&machine.devices(&[0, 1]));
    machine.check_returned();
}

/// The stream that fetches waits for what the copy needs, not for all that the queue knows of the other device; and the queue waits
/// for that stream, not for what that is behind already.
#[test]
fn copies_through_the_host_wait_for_what_they_need_alone() {
    let Some(machine) = machine_or_skip("devices=2 sched=random:1 peers=off races=on") else {
        return;
    };
    let Some(fake) = machine.fake_or_skip() else { return };
    let devices = machine.devices(&[0, 1, 1, 0]);
    let [near, far, other, sibling] = [0, 1, 2, 3].map(|at| &*devices[at]);
    let copy = |to: &dyn Device, after: &[Event], from: Block| {
        let target = to.allocate(COPY, 8).unwrap();
        let work = [Command::Copy { from: bytes_of(from, 8), to: bytes_of(target, 8) }];
        (target, to.submit(COPY, after, &work).unwrap())
    };
    let waits_of = |work: &dyn Fn() -> (Block, Event)| {
        let before = fake.count("waits");
        (work(), fake.count("waits") - before)
    };
    let (block, first) = upload(far, COPY, &[1; 8]);
    let ((_, copied), waits) = waits_of(&|| copy(near, &[first], block));
    assert_eq!(waits, 2, "the stream that fetches for the upload, the queue for that stream");
    // The queue learns of more that happens on the device that it fetched from, by way of another one.
    let (_, later) = upload(far, COMPUTE, &[2; 8]);
    other.submit(COPY, &[later], &[]).unwrap();
    let (between, filled) = upload(other, COPY, &[3; 8]);
    let ((_, learned), waits) = waits_of(&|| copy(near, &[filled], between));
    assert_eq!((waits, learned.ticket > copied.ticket), (2, true));
    let (_, waits) = waits_of(&|| copy(near, &[first], block));
    assert_eq!(waits, 1, "the queue for the stream that fetches");
    // What that stream is behind already, because a device beside this one had it fetch.
    let before = other.submit(COMPUTE, &[], &[]).unwrap();
    let last = far.submit(COMPUTE, &[before], &[]).unwrap();
    let (_, waits) = waits_of(&|| copy(sibling, &[first, last], block));
    assert_eq!(waits, 2);
    let ((target, end), waits) = waits_of(&|| copy(near, &[first, before], block));
    assert_eq!(waits, 1, "the queue for the stream that fetches");
    assert_eq!(download(near, COPY, &[end], bytes_of(target, 8)), [1; 8]);
    assert_eq!(fake.error(), "");
    drop(devices);
    machine.check_returned();
}

#[test]
fn gpus_that_reach_as_many_as_they_can_copy_through_the_host_from_others() {
    for schedule in ["eager", "random:1"] {
        let settings = format!("devices=3 sched={schedule} most_peers=1");
        let Some(machine) = machine_or_skip(&settings) else { return };
        let Some(fake) = machine.fake_or_skip() else { return };
        let devices = machine.devices(&[0, 1, 2]);
        let mut reaches = Vec::new();
        for (near, far) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
            fake.reset_counts();
            copies_between(&[devices[near].clone(), devices[far].clone()]);
            reaches.extend((fake.count("bytes_between") > 0).then_some((near, far)));
        }
        assert_eq!(reaches, [(0, 1), (1, 0), (2, 0)]);
        drop(devices);
        machine.check_returned();
    }
}

#[test]
fn long_transfers_go_through_four_pieces_of_pinned_memory() {
    let Some(machine) = machine_or_skip("devices=2 sched=random:1") else { return };
    let Some(fake) = machine.fake_or_skip() else { return };
    let testing = CudaTesting { piece: Some(64 << 10), staged: true, ..CudaTesting::default() };
    let options = CudaOptions { testing, ..machine.options(&[0, 1]) };
    let devices = CudaDevices::new(options).unwrap();
    fake.reset_counts();
    let bytes = sample((1 << 20) + 5);
    let (far, first) = upload(&*devices[1], COPY, &bytes);
    let near = devices[0].allocate(COPY, bytes.len() as u64).unwrap();
    let (from, to) = (bytes_of(far, bytes.len()), bytes_of(near, bytes.len()));
    let copied = devices[0].submit(COPY, &[first], &[Command::Copy { from, to }]).unwrap();
    let found = download(&*devices[0], COPY, &[copied], bytes_of(near, bytes.len()));
    assert!(found == bytes);
    let moved = bytes.len() as u64;
    assert_eq!(
        (fake.count("bytes_to_device"), fake.count("bytes_to_host")),
        (2 * moved, 2 * moved)
    );
    // The last pieces of a transfer are in use when the next one begins.
    let (pieces, pinned) = (fake.count("cuMemHostAlloc"), fake.count("pinned"));
    assert!((4..=12).contains(&pieces), "{pieces} pieces");
    assert_eq!(pinned, pieces * (64 << 10), "bytes");
    devices[1].release(COPY, far, &[copied]);
    devices[0].release(COPY, near, &[]);
    drop(devices);
    machine.check_returned();
}

#[test]
fn nothing_but_a_wait_blocks_and_events_are_points_in_order() {
    let Some(machine) = machine_or_skip("devices=2") else { return };
    let devices = machine.devices(&[0]);
    let device = &*devices[0];
    let mut last: Option<Event> = None;
    let (block, first) = upload(device, COMPUTE, &[0; 8]);
    for value in 1..100u64 {
        let to = bytes_of(block, 8);
        let from = Arc::new(value.to_le_bytes().to_vec());
        let after: Vec<Event> = last.into_iter().collect();
        // Every second submission is on the other queue, behind the one before.
        let queue = Queue((value % 2) as u16);
        let after = if value == 1 { vec![first] } else { after };
        last = Some(device.submit(queue, &after, &[Command::Upload { from, to }]).unwrap());
    }
    let last = last.unwrap();
    assert_eq!((last.queue, last.ticket), (COPY, 50));
    device.wait(last).unwrap();
    assert_eq!(device.poll(first), Poll::Ready(Ok(())));
    let found = download(device, COMPUTE, &[last], bytes_of(block, 8));
    assert_eq!(u64::from_le_bytes(found.try_into().unwrap()), 99);
    let never = Event { ticket: 1000, ..last };
    assert!(device.wait(never).unwrap_err().fault.to_string().contains("never given"));
    device.release(COMPUTE, block, &[last]);
}

#[test]
fn memory_ends_at_the_limit_and_comes_back() {
    let Some(machine) = machine_or_skip("devices=1") else { return };
    let limited = CudaOptions { memory_limit: Some(1 << 20), ..machine.options(&[0]) };
    let devices = CudaDevices::new(limited).unwrap();
    let device = &*devices[0];
    let blocks: Vec<Block> = (0..4).map(|_| device.allocate(COMPUTE, 1 << 18).unwrap()).collect();
    let full = device.allocate(COMPUTE, 1).unwrap_err();
    let expected = Fault::OutOfMemory { requested: 1, in_use: 1 << 20, limit: 1 << 20 };
    assert_eq!(full, expected);
    blocks.iter().for_each(|block| device.release(COMPUTE, *block, &[]));
    let again = device.allocate(COPY, 1 << 20).unwrap();
    let stats = device.stats();
    assert_eq!((stats.bytes_in_use, stats.bytes_peak), (1 << 20, 1 << 20));
    device.release(COPY, again, &[]);
    // Twice is once.
    device.release(COPY, again, &[]);
    assert_eq!(device.stats().bytes_in_use, 0);
}

#[test]
fn a_wrong_command_fails_its_submission_there_and_no_other() {
    let Some(machine) = machine_or_skip("devices=2") else { return };
    let devices = machine.devices(&[0]);
    let device = &*devices[0];
    let (block, event) = upload(device, COMPUTE, &sample(16));
    let gone = device.allocate(COMPUTE, 16).unwrap();
    device.release(COMPUTE, gone, &[]);
    let put = |block, offset, value: u8| Command::Upload {
        from: Arc::new(vec![value]),
        to: rect(block, RealType::U8, offset, &[1], &[1]),
    };
    for (wrong, reason) in [
        (put(gone, 0, 1), "given back"),
        (put(block, 16, 1), "in a block of 16 bytes"),
        (Command::Builtin { name: "no_such", args: vec![] }, "no builtin `no_such`"),
    ] {
        let work = vec![put(block, 0, 7), wrong, put(block, 1, 7)];
        let failed = device.submit(COMPUTE, &[event], &work).unwrap();
        let fault = device.wait(failed).unwrap_err();
        assert_eq!(fault.command, 1);
        assert!(fault.fault.to_string().contains(reason), "{fault:?}");
        assert_eq!(device.poll(failed), Poll::Ready(Ok(())), "it was handed on");
        assert_eq!(device.stats().faults, 0);
    }
    let found = download(device, COMPUTE, &[], bytes_of(block, 2));
    assert_eq!(found, [7, sample(2)[1]], "what was before the wrong command ran, and no more");
    device.release(COMPUTE, block, &[]);
}

#[test]
fn bytes_of_a_download_arrive_with_its_event() {
    let Some(machine) = machine_or_skip("devices=2") else { return };
    let devices = machine.devices(&[0]);
    let device = &*devices[0];
    let (block, event) = upload(device, COPY, &sample(1000));
    let host: Arc<Mutex<Vec<u8>>> = Arc::new(Mutex::new(vec![0xCC; 1004]));
    let work = vec![
        Command::Download { from: bytes_of(block, 600), to: host.clone(), at: 2 },
        Command::Download {
            from: rect(block, RealType::U8, 600, &[400], &[1]),
            to: host.clone(),
            at: 602,
        },
    ];
    let done = device.submit(COPY, &[event], &work).unwrap();
    while device.poll(done) == Poll::Pending {
        std::thread::yield_now();
    }
    let bytes = host.lock().unwrap().clone();
    assert_eq!(bytes[2..1002], sample(1000));
    assert_eq!((&bytes[..2], &bytes[1002..]), (&[0xCC; 2][..], &[0xCC; 2][..]));
    let short = Command::Download { from: bytes_of(block, 600), to: host.clone(), at: 500 };
    let failed = device.submit(COPY, &[], &[short]).unwrap();
    let fault = device.wait(failed).unwrap_err().fault.to_string();
    assert_eq!(fault, "download to 500..1100 of 1004 bytes");
    device.release(COPY, block, &[]);
}
