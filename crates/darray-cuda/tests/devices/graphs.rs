//! Work that is held back and launched as graphs: order, waits, failures, memory.

use crate::support::{
    COMPUTE, COPY, Machine, bytes_of, download, machine_or_skip, rect, schedules, through_host,
    upload,
};
use darray_core::RealType;
use darray_core::settings::CudaLaunch;
use darray_cuda::{CudaDevices, CudaOptions};
use darray_device::builtin::{Gather, View};
use darray_device::{Block, Command, Device, Event, Fault, GraphStats};
use std::sync::{Arc, Mutex};
use std::task::Poll;

fn graph_devices(machine: &Machine, gpus: &[usize], staged: bool) -> Vec<Arc<dyn Device>> {
    let launch = CudaLaunch::Graphs;
    let options = CudaOptions { launch, testing: through_host(staged), ..machine.options(gpus) };
    CudaDevices::new(options).expect("devices")
}

fn graphs(devices: &[Arc<dyn Device>]) -> GraphStats {
    devices.iter().fold(GraphStats::default(), |sum, d| sum.plus(&d.stats().graphs))
}

/// A copy of 64 bytes, transposed as 8 by 8, so that a kernel does it.
fn transpose(from: Block, to: Block) -> Command {
    Command::Copy {
        from: rect(from, RealType::U8, 0, &[8, 8], &[1, 8]),
        to: rect(to, RealType::U8, 0, &[8, 8], &[8, 1]),
    }
}

fn copy(from: Block, to: Block) -> Command {
    Command::Copy { from: bytes_of(from, 64), to: bytes_of(to, 64) }
}

fn sample() -> Vec<u8> {
    (0..64).collect()
}

fn transposed() -> Vec<u8> {
    (0..64).map(|i| (i % 8) * 8 + i / 8).collect()
}

/// An upload to device 0, a kernel there, a copy to the last device, a kernel and a download there, all of
/// it between `begin` and `end`; the blocks are released before that.
fn round(devices: &[Arc<dyn Device>], plan: u64) -> Vec<u8> {
    let (near, far) = (&*devices[0], &*devices[devices.len() - 1]);
    for device in devices {
        assert!(device.begin(plan), "graphs are chosen");
    }
    let (first, uploaded) = upload(near, COPY, &sample());
    let second = near.allocate(COMPUTE, 64).unwrap();
    let turned = near.submit(COMPUTE, &[uploaded], &[transpose(first, second)]).unwrap();
    let third = far.allocate(COPY, 64).unwrap();
    let over = far.submit(COPY, &[turned], &[copy(second, third)]).unwrap();
    let fourth = far.allocate(COMPUTE, 64).unwrap();
    let allocated = far.submit(COPY, &[], &[]).unwrap();
    let again = vec![transpose(third, fourth)];
    let back = far.submit(COMPUTE, &[over, allocated], &again).unwrap();
    let host: Arc<Mutex<Vec<u8>>> = Arc::new(Mutex::new(vec![0; 64]));
    let work = vec![Command::Download { from: bytes_of(fourth, 64), to: host.clone(), at: 0 }];
    let landed = far.submit(COPY, &[back], &work).unwrap();
    for ticket in [uploaded, turned, over, back, landed] {
        assert_eq!(near.poll(ticket), Poll::Pending, "held back");
    }
    near.release(COPY, first, &[turned]);
    near.release(COMPUTE, second, &[over]);
    far.release(COMPUTE, third, &[over]);
    far.release(COMPUTE, fourth, &[landed]);
    devices.iter().for_each(|device| device.end());
    far.wait(landed).expect("all of it runs");
    for ticket in [uploaded, turned, over, back] {
        assert_eq!(near.poll(ticket), Poll::Ready(Ok(())), "tickets of a batch come together");
    }
    let bytes = host.lock().unwrap();
    bytes.clone()
}

#[test]
fn all_commands_of_a_plan_become_one_graph() {
    for (number, schedule) in schedules(0..6).enumerate() {
        let Some(machine) = machine_or_skip(&format!("{schedule} races=on")) else { return };
        let gpus = [&[0][..], &[0, 1], &[0, 0]][number % 3];
        for staged in [false, true] {
            let devices = graph_devices(&machine, gpus, staged);
            for _ in 0..6 {
                assert_eq!(round(&devices, 1), sample(), "{schedule}, {gpus:?}, staged {staged}");
            }
            let stats = graphs(&devices);
            assert_eq!((stats.launches(), stats.single), (6, 0), "{stats:?}");
            assert!(stats.recorded == 1 && stats.replayed >= 3, "{stats:?}");
            drop(devices);
            machine.check_returned();
        }
    }
}

#[test]
fn who_waits_for_a_part_of_a_batch_gets_it() {
    let Some(machine) = machine_or_skip("devices=1 sched=random:3") else { return };
    let devices = graph_devices(&machine, &[0], false);
    let device = &*devices[0];
    let (from, first) = upload(device, COMPUTE, &sample());
    let to = device.allocate(COMPUTE, 64).unwrap();
    for _ in 0..3 {
        assert!(device.begin(5) && device.begin(5), "begun once more is begun");
        let turned = device.submit(COMPUTE, &[first], &[transpose(from, to)]).unwrap();
        assert_eq!(device.wait(turned), Ok(()));
        // What follows makes another batch of the plan, behind the first.
        let back = device.submit(COMPUTE, &[], &[transpose(to, from)]).unwrap();
        assert_eq!(device.poll(back), Poll::Pending);
        device.end();
        device.end();
        assert_eq!(device.wait(back), Ok(()));
    }
    assert_eq!(download(device, COPY, &[], bytes_of(from, 64)), sample());
    let expected = GraphStats { recorded: 2, replayed: 4, ..GraphStats::default() };
    assert_eq!(graphs(&devices), expected);
    // Nothing is held back outside of a plan.
    let turned = device.submit(COMPUTE, &[], &[transpose(from, to)]).unwrap();
    assert_eq!(download(device, COPY, &[turned], bytes_of(to, 64)), transposed());
    assert_eq!(graphs(&devices), expected);
    drop(devices);
    machine.check_returned();
}

#[test]
fn what_the_host_finds_wrong_fails_its_submission_only() {
    let Some(machine) = machine_or_skip("devices=1") else { return };
    let devices = graph_devices(&machine, &[0], false);
    let device = &*devices[0];
    let (from, first) = upload(device, COMPUTE, &sample());
    let to = device.allocate(COMPUTE, 64).unwrap();
    device.begin(1);
    let good = device.submit(COMPUTE, &[first], &[copy(from, to)]).unwrap();
    let gone = Block { handle: 999, ..from };
    let commands = vec![copy(to, from), copy(gone, to), copy(from, to)];
    let bad = device.submit(COMPUTE, &[], &commands).unwrap();
    let late = device.submit(COMPUTE, &[], &[transpose(from, to)]).unwrap();
    let never = Event { ticket: late.ticket + 1, ..late };
    assert!(device.submit(COPY, &[never], &[]).is_err(), "the ticket was never given");
    device.end();
    assert_eq!((device.wait(good), device.wait(late)), (Ok(()), Ok(())));
    let fault = device.wait(bad).unwrap_err();
    assert_eq!(fault.command, 1);
    assert!(fault.fault.to_string().contains("given back"), "{fault:?}");
    assert_eq!(download(device, COMPUTE, &[], bytes_of(to, 64)), transposed());
}

#[test]
fn a_launch_that_fails_names_what_was_to_run() {
    let Some(machine) = machine_or_skip("devices=2 quiet=on") else { return };
    let Some(fake) = machine.fake_or_skip() else { return };
    let devices = graph_devices(&machine, &[0, 1], false);
    assert_eq!(round(&devices, 1), sample());
    fake.reset_counts();
    assert_eq!(round(&devices, 1), sample());
    // The call that launches is the last but the one that records the event and those of `wait`.
    let mut named = 0;
    for number in 1..=fake.count("calls") {
        fake.reset_counts();
        fake.set(&format!("fail={number}")).unwrap();
        let device = &*devices[0];
        device.begin(1);
        let (block, uploaded) = upload(device, COPY, &sample());
        device.release(COPY, block, &[]);
        device.end();
        let result = device.wait(uploaded);
        fake.set("fail=0").unwrap();
        if let Err(fault) = result {
            let text = fault.fault.to_string();
            assert!(text.contains("(999)"), "{text}");
            named += text.contains("cuGraphLaunch") as u32;
            assert!(text.ends_with("while this ran: upload of [64] u8"), "{text}");
        }
    }
    assert!(named > 0, "no launch failed");
    assert_eq!(round(&devices, 1), sample());
    drop(devices);
    machine.check_returned();
}

#[test]
fn graphs_of_many_plans_are_not_all_kept() {
    let Some(machine) = machine_or_skip("devices=1") else { return };
    let Some(fake) = machine.fake_or_skip() else { return };
    let devices = graph_devices(&machine, &[0], false);
    let (from, first) = upload(&*devices[0], COMPUTE, &sample());
    let to = devices[0].allocate(COMPUTE, 64).unwrap();
    devices[0].wait(first).unwrap();
    for plan in 0..600 {
        devices[0].begin(plan);
        devices[0].submit(COMPUTE, &[], &[transpose(from, to)]).unwrap();
        devices[0].end();
    }
    assert_eq!(graphs(&devices).recorded, 600);
    // A graph and what is launched of it.
    assert_eq!(fake.count("graphs"), 2 * 512);
    devices[0].begin(599);
    devices[0].submit(COMPUTE, &[], &[transpose(from, to)]).unwrap();
    devices[0].end();
    assert_eq!(graphs(&devices).replayed, 1);
    drop(devices);
    machine.check_returned();
}

#[test]
fn memory_that_was_given_back_is_used_again_in_order() {
    for schedule in schedules(0..8) {
        let Some(machine) = machine_or_skip(&format!("{schedule} races=on")) else { return };
        let devices = graph_devices(&machine, &[0], false);
        let device = &*devices[0];
        let (source, first) = upload(device, COMPUTE, &sample());
        device.wait(first).unwrap();
        for round in 0..4 {
            let repeats = round > 0;
            if repeats {
                device.begin(1);
            }
            // Both queues take what the other one gave back; nobody waits for more than that.
            let mut kept = Vec::new();
            for queue in [COMPUTE, COPY, COMPUTE, COPY] {
                let block = device.allocate(queue, 64).unwrap();
                let event = device.submit(queue, &[], &[transpose(source, block)]).unwrap();
                let copied = device.allocate(queue, 64).unwrap();
                let next = device.submit(queue, &[], &[transpose(block, copied)]).unwrap();
                assert!(event.ticket < next.ticket);
                device.release(queue, block, &[]);
                kept.push((queue, copied));
            }
            if repeats {
                device.end();
            }
            for (queue, block) in kept {
                let found = download(device, queue, &[], bytes_of(block, 64));
                assert_eq!(found, sample(), "{schedule}, round {round}");
                device.release(queue, block, &[]);
            }
        }
        let pooled = device.stats();
        assert!(pooled.bytes_in_use == 64, "{pooled:?}");
        drop(devices);
        machine.check_returned();
    }
}

#[test]
fn a_batch_comes_behind_tickets_from_before_it() {
    for schedule in schedules(0..8) {
        let Some(machine) = machine_or_skip(&format!("{schedule} races=on")) else { return };
        let devices = graph_devices(&machine, &[0, 1], false);
        let (near, far) = (&*devices[0], &*devices[1]);
        // Queues that take no part in the batch.
        let (from, uploaded) = upload(near, COPY, &sample());
        let (other, also) = upload(far, COPY, &sample());
        let to = near.allocate(COMPUTE, 64).unwrap();
        near.begin(1);
        let work = vec![transpose(from, to), copy(other, to)];
        let done = near.submit(COMPUTE, &[uploaded, also], &work).unwrap();
        near.end();
        assert_eq!(near.wait(done), Ok(()), "{schedule}");
        assert_eq!(download(near, COMPUTE, &[], bytes_of(to, 64)), sample(), "{schedule}");
        drop(devices);
        machine.check_returned();
    }
}

#[test]
fn what_the_gpu_finds_wrong_is_a_fault_of_the_whole_batch() {
    let Some(machine) = machine_or_skip("devices=2 races=on quiet=on") else { return };
    let Some(_) = machine.fake_or_skip() else { return };
    let devices = graph_devices(&machine, &[0, 1], false);
    let (near, far) = (&*devices[0], &*devices[1]);
    let (from, uploaded) = upload(near, COMPUTE, &sample());
    let to = near.allocate(COMPUTE, 64).unwrap();
    let (elsewhere, allocated) = upload(far, COMPUTE, &sample());
    near.begin(1);
    let first = near.submit(COMPUTE, &[uploaded], &[transpose(from, to)]).unwrap();
    let far_one = far.submit(COMPUTE, &[allocated], &[transpose(elsewhere, elsewhere)]).unwrap();
    // Nothing orders the two queues.
    let second = near.submit(COPY, &[uploaded], &[copy(from, to)]).unwrap();
    near.end();
    for (ticket, ran) in [(first, "copy of [8, 8] u8"), (second, "copy of [64] u8")] {
        let fault = near.wait(ticket).unwrap_err().fault.to_string();
        assert!(fault.ends_with(&format!("while this ran: {ran}")), "{fault}");
    }
    assert!(far.wait(far_one).is_err(), "the batch failed as a whole");
}

#[test]
fn an_index_out_of_range_is_a_fault_of_its_own_submission() {
    for schedule in schedules(0..4) {
        let Some(machine) = machine_or_skip(&format!("{schedule} races=on")) else { return };
        let devices = graph_devices(&machine, &[0], false);
        let device = &*devices[0];
        let words =
            |values: &[i64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
        let block = |values: &[i64]| upload(device, COMPUTE, &words(values)).0;
        let (out, source) = (block(&[0; 3]), block(&[4, 5, 6]));
        let gather = |index: Block| {
            let view = |block| View { block, offset: 0, strides: [1].into_iter().collect() };
            let gather = Gather {
                dtype: RealType::I64,
                extents: [3].into_iter().collect(),
                origin: [0].into_iter().collect(),
                positions: (0, 1),
                axis: 0,
                bound: 3,
                out: view(out),
                index: view(index),
                source: View { strides: [0, 1].into_iter().collect(), ..view(source) },
            };
            Command::Builtin { name: Gather::NAME, args: gather.encode() }
        };
        let (good, bad) = (block(&[2, -3, 1]), block(&[0, 7, 1]));
        let same = || Command::Copy { from: bytes_of(good, 24), to: bytes_of(good, 24) };
        for _ in 0..3 {
            device.begin(1);
            let before = device.submit(COMPUTE, &[], &[gather(good)]).unwrap();
            let wrong = device.submit(COMPUTE, &[], &[same(), gather(bad)]).unwrap();
            let after = device.submit(COMPUTE, &[], &[gather(good)]).unwrap();
            device.end();
            assert_eq!(device.wait(after), Ok(()), "{schedule}");
            assert_eq!(device.wait(before), Ok(()), "{schedule}");
            let fault = device.wait(wrong).expect_err("an index out of range");
            let text = "index 7 at [1] is out of range for axis 0 of extent 3";
            assert_eq!((fault.command, fault.fault.to_string().as_str()), (1, text), "{schedule}");
            let found = download(device, COMPUTE, &[], bytes_of(out, 24));
            assert_eq!(found, words(&[6, 4, 5]), "{schedule}");
        }
        assert_eq!(graphs(&devices).launches(), 3);
        drop(devices);
        machine.check_returned();
    }
}

#[test]
fn a_device_that_settles_ends_what_was_held_back_and_gives_its_memory_back() {
    for schedule in schedules(0..8) {
        let Some(machine) = machine_or_skip(&format!("{schedule} races=on")) else { return };
        let devices = graph_devices(&machine, &[0, 1], false);
        let (near, far) = (&*devices[0], &*devices[1]);
        let (from, uploaded) = upload(near, COPY, &sample());
        near.begin(1);
        let to = near.allocate(COMPUTE, 64).unwrap();
        let turned = near.submit(COMPUTE, &[uploaded], &[transpose(from, to)]).unwrap();
        let over = far.allocate(COPY, 64).unwrap();
        let moved = far.submit(COPY, &[turned], &[copy(to, over)]).unwrap();
        near.release(COMPUTE, to, &[moved]);
        near.release(COPY, from, &[turned]);
        assert!(near.poll(turned) == Poll::Pending && near.stats().bytes_pooled > 0);
        near.settle();
        assert_eq!(near.poll(turned), Poll::Ready(Ok(())), "{schedule}");
        assert_eq!(near.poll(moved), Poll::Ready(Ok(())), "{schedule}");
        let stats = near.stats();
        assert_eq!((stats.bytes_in_use, stats.bytes_pooled), (0, 0), "{schedule}");
        // What follows is held back as before.
        let later = far.submit(COMPUTE, &[moved], &[]).unwrap();
        assert_eq!(far.poll(later), Poll::Pending, "{schedule}");
        near.end();
        let found = download(far, COMPUTE, &[later], bytes_of(over, 64));
        assert_eq!(found, transposed(), "{schedule}");
        drop(devices);
        machine.check_returned();
    }
}

/// The transpose of a matrix of `N` rows from device 0 into wider rows of the last one, through the host, and from there to the host:
/// both devices need memory to put together and take apart. All of it is between `begin` and `end`, and so are
/// blocks given back.
fn exchange(devices: &[Arc<dyn Device>], source: Block) -> Result<Vec<u8>, String> {
    const WIDE: usize = N + 8;
    let far = &*devices[devices.len() - 1];
    let text = |fault: Fault| fault.to_string();
    let blocks: Vec<Block> = (0..4).map_while(|_| far.allocate(COMPUTE, 2048).ok()).collect();
    blocks.into_iter().for_each(|block| far.release(COMPUTE, block, &[]));
    let target = far.allocate(COMPUTE, (N * WIDE) as u64).map_err(text)?;
    let (rows, wide) = ([N; 2], [WIDE as i64, 1]);
    let target_rows = rect(target, RealType::U8, 0, &rows, &wide);
    let from = rect(source, RealType::U8, 0, &rows, &[1, N as i64]);
    let work = [Command::Copy { from, to: target_rows.clone() }];
    let copied = far.submit(COMPUTE, &[], &work).map_err(text);
    let host = Arc::new(Mutex::new(vec![0u8; N * N]));
    let work = [Command::Download { from: target_rows, to: host.clone(), at: 0 }];
    let landed = far.submit(COMPUTE, &[], &work).map_err(text);
    devices.iter().for_each(|device| device.end());
    let waited = [copied, landed].map(|event| match event {
        Ok(event) => far.wait(event).map_err(|fault| text(fault.fault)),
        Err(error) => Err(error),
    });
    far.release(COMPUTE, target, &[]);
    waited.into_iter().collect::<Result<Vec<()>, String>>()?;
    let bytes = host.lock().unwrap();
    Ok(bytes.clone())
}

const N: usize = 64;

/// A matrix of `N` rows and its transpose.
fn matrices() -> (Vec<u8>, Vec<u8>) {
    let sample: Vec<u8> = (0..N * N).map(|i| (i * 7 % 251) as u8).collect();
    let turned = (0..N * N).map(|i| sample[i % N * N + i / N]).collect();
    (sample, turned)
}

/// Where memory is short, a part of a submission is launched before the rest is known: if that fails, so does the submission.
#[test]
fn what_was_launched_of_a_submission_and_failed_fails_it() {
    let Some(machine) = machine_or_skip("devices=2 quiet=on") else { return };
    let Some(fake) = machine.fake_or_skip() else { return };
    let (mut failed, mut early) = (0, 0);
    let (sample, turned) = matrices();
    for memory in (6..20).map(|blocks| blocks * 1024) {
        for number in 0.. {
            fake.configure(&format!("devices=2 quiet=on memory={memory}")).unwrap();
            let devices = graph_devices(&machine, &[0, 1], true);
            let (source, uploaded) = upload(&*devices[0], COMPUTE, &sample);
            devices[0].wait(uploaded).unwrap();
            fake.reset_counts();
            fake.set(&format!("fail={number}:2")).unwrap();
            assert!(devices[0].begin(1), "graphs are chosen");
            let found = exchange(&devices, source);
            devices.iter().for_each(|device| device.end());
            let (calls, launches) = (fake.count("calls"), fake.count("cuGraphLaunch"));
            fake.set("fail=0").unwrap();
            if let Ok(bytes) = &found {
                assert!(bytes == &turned, "{memory} bytes, call {number} of {calls}");
            }
            failed += found.is_err() as usize;
            early += (launches > 1) as usize;
            devices[0].release(COMPUTE, source, &[]);
            drop(devices);
            machine.check_returned();
            if number > calls {
                break;
            }
        }
    }
    assert!(failed > 20 && early > 20, "{failed} failed, {early} were launched in parts");
}

#[test]
fn a_graph_that_finds_no_memory_is_launched_once_there_is_some_or_goes_one_by_one() {
    for schedule in schedules(0..6) {
        let schedule = format!("{schedule} races=on memory=65536");
        let Some(machine) = machine_or_skip(&schedule) else { return };
        let Some(fake) = machine.fake_or_skip() else { return };
        let devices = graph_devices(&machine, &[0, 1], false);
        // Memory that is kept for reuse.
        let (block, _) = upload(&*devices[0], COMPUTE, &[1; 32 << 10]);
        devices[0].release(COMPUTE, block, &[]);
        for (bytes, expected) in [(48 << 10, (1, 0)), (1 << 20, (1, 1)), (0, (2, 1))] {
            fake.set(&format!("graph_memory={bytes}")).unwrap();
            assert_eq!(round(&devices, 1), sample(), "{schedule}, {bytes} bytes");
            let stats = graphs(&devices);
            assert_eq!((stats.launches(), stats.single), expected, "{schedule}, {bytes} bytes");
        }
        assert_eq!(fake.count("cuGraphLaunch"), 2 + 2 + 1, "{schedule}");
        drop(devices);
        machine.check_returned();
    }
}

#[test]
fn code_that_finds_no_memory_is_loaded_once_more() {
    let Some(machine) = machine_or_skip("devices=2 quiet=on") else { return };
    let Some(fake) = machine.fake_or_skip() else { return };
    let (sample, turned) = matrices();
    let launches =
        [CudaLaunch::Graphs, CudaLaunch::Streams].map(|launch| [(launch, true), (launch, false)]);
    for (launch, staged) in launches.into_iter().flatten() {
        let mut failed = 0;
        for number in 1.. {
            let schedule = format!("devices=2 quiet=on races=on sched=random:{number}");
            fake.configure(&schedule).unwrap();
            let options =
                CudaOptions { launch, testing: through_host(staged), ..machine.options(&[0, 1]) };
            let devices = CudaDevices::new(options).unwrap();
            let (source, uploaded) = upload(&*devices[0], COMPUTE, &sample);
            devices[0].wait(uploaded).unwrap();
            fake.reset_counts();
            fake.set(&format!("fail={number}:2")).unwrap();
            devices[0].begin(1);
            let (found, calls) = (exchange(&devices, source), fake.count("calls"));
            if fake.error().contains("cuModuleLoadData") {
                failed += 1;
                assert!(found == Ok(turned.clone()), "{launch:?}, {staged}: {:?}", found.err());
            }
            fake.set("fail=0").unwrap();
            devices[0].release(COMPUTE, source, &[]);
            drop(devices);
            machine.check_returned();
            if number > calls {
                break;
            }
        }
        assert!(failed > 0, "{launch:?}, {staged}: nothing failed");
    }
}
