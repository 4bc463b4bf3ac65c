//! Calls of the driver that fail, in turn.

use crate::support::{
    COMPUTE, COPY, bytes_of, download, machine_or_skip, nvrtc_or_skip, rect, upload,
};
use darray_core::RealType;
use darray_cuda::{CudaDevices, CudaOptions, CudaTesting};
use darray_device::{Command, Device};
use std::sync::Arc;

#[test]
fn devices_are_made_or_an_error_names_the_call() {
    let Some(machine) = machine_or_skip("devices=2 quiet=on") else { return };
    let Some(fake) = machine.fake_or_skip() else { return };
    fake.reset_counts();
    drop(machine.devices(&[0, 1, 0]));
    let calls = fake.count("calls");
    let mut failed = 0;
    for number in 1..=calls {
        fake.reset_counts();
        fake.set(&format!("fail={number}")).unwrap();
        match CudaDevices::new(machine.options(&[0, 1, 0])) {
            Ok(devices) => drop(devices),
            Err(error) => {
                failed += 1;
                let text = error.to_string();
                let named = text.starts_with("cu") && text.contains("CUDA_ERROR_UNKNOWN (999)");
                assert!(named, "call {number}: {text}");
            }
        }
        machine.check_returned();
    }
    assert!(failed > calls / 3, "{failed} of {calls}");
}

#[test]
fn a_driver_that_is_older_than_nvrtc_is_named_with_it() {
    let Some(nvrtc) = nvrtc_or_skip() else { return };
    let (major, minor) = nvrtc.version();
    let settings = format!("devices=2 quiet=on version={}", 1000 * (major - 1) + 40);
    let Some(machine) = machine_or_skip(&settings) else { return };
    let Some(_) = machine.fake_or_skip() else { return };
    let text = round_trip(&machine.devices(&[0, 1])).unwrap_err();
    let driver = major - 1;
    for part in [
        format!("the CUDA driver, for CUDA {driver}.4, refuses the code of NVRTC {major}.{minor}"),
        format!("an NVRTC of version {driver}.4 at most"),
        "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)".to_string(),
        "DARRAY_NVRTC".to_string(),
    ] {
        assert!(text.contains(&part), "{part} is not in: {text}");
    }
    machine.check_returned();
}

/// Uploads, a copy of a transposed rectangle across, and a download; the bytes if nothing failed.
fn round_trip(devices: &[Arc<dyn Device>]) -> Result<Vec<u8>, String> {
    let (near, far) = (&*devices[0], &*devices[1]);
    let text = |fault: darray_device::Fault| fault.to_string();
    let source = near.allocate(COPY, 64).map_err(text)?;
    let target = match far.allocate(COMPUTE, 64) {
        Ok(target) => target,
        Err(fault) => {
            near.release(COPY, source, &[]);
            return Err(text(fault));
        }
    };
    let mut events = Vec::new();
    let mut run = || {
        let from = Arc::new((0..64).collect::<Vec<u8>>());
        let work = vec![Command::Upload { from, to: bytes_of(source, 64) }];
        let first = near.submit(COPY, &[], &work).map_err(text)?;
        events.push(first);
        let work = vec![Command::Copy {
            from: rect(source, RealType::U8, 0, &[8, 8], &[1, 8]),
            to: rect(target, RealType::U8, 0, &[8, 8], &[8, 1]),
        }];
        let second = far.submit(COMPUTE, &[first], &work).map_err(text)?;
        events.push(second);
        let host = Arc::new(std::sync::Mutex::new(vec![0u8; 64]));
        let work = vec![Command::Download { from: bytes_of(target, 64), to: host.clone(), at: 0 }];
        let third = far.submit(COPY, &[second], &work).map_err(text)?;
        events.push(third);
        for (device, event) in [(near, first), (far, second), (far, third)] {
            device.wait(event).map_err(|fault| text(fault.fault))?;
        }
        let bytes = host.lock().unwrap();
        Ok(bytes.clone())
    };
    let result = run();
    near.release(COPY, source, &events);
    far.release(COMPUTE, target, &events);
    result
}

#[test]
fn transfers_give_the_right_bytes_or_an_error_and_all_memory_back() {
    let expected: Vec<u8> = (0..64).map(|i| (i % 8) * 8 + i / 8).collect();
    for (setting, staged, piece) in [
        ("devices=2", false, None),
        ("devices=2 sched=random:3", false, Some(5)),
        ("devices=2", true, None),
        ("devices=2 sched=random:3", true, Some(5)),
    ] {
        let Some(machine) = machine_or_skip(&format!("{setting} quiet=on")) else { return };
        let Some(fake) = machine.fake_or_skip() else { return };
        let testing = CudaTesting { staged, piece, ..CudaTesting::default() };
        let options = || CudaOptions { testing, ..machine.options(&[0, 1]) };
        let devices = CudaDevices::new(options()).unwrap();
        fake.reset_counts();
        assert_eq!(round_trip(&devices), Ok(expected.clone()));
        let calls = fake.count("calls");
        drop(devices);
        for number in 1..=calls {
            let devices = CudaDevices::new(options()).unwrap();
            fake.reset_counts();
            fake.set(&format!("fail={number}")).unwrap();
            match round_trip(&devices) {
                Ok(bytes) => assert_eq!(bytes, expected, "{setting}, call {number}"),
                Err(text) => assert!(
                    text.contains("CUDA_ERROR_UNKNOWN (999)"),
                    "{setting}, call {number}: {text}"
                ),
            }
            // How often devices look whether events have happened is a matter of time, so the call may
            // not have come yet: it no longer fails.
            fake.set("fail=0").unwrap();
            assert_eq!(round_trip(&devices), Ok(expected.clone()), "after call {number}");
            assert_eq!(devices[0].stats().bytes_in_use + devices[1].stats().bytes_in_use, 0);
            drop(devices);
            machine.check_returned();
        }
    }
}

/// A copy through the host that comes to nothing still orders what waits for it behind what it waited for itself.
#[test]
fn what_waits_for_a_copy_that_fails_is_behind_what_that_copy_waited_for() {
    for seed in 0..10 {
        let settings = format!("devices=2 sched=random:{seed} peers=off races=on quiet=on");
        let Some(machine) = machine_or_skip(&settings) else { return };
        let Some(fake) = machine.fake_or_skip() else { return };
        let devices = machine.devices(&[0, 1]);
        let (near, far) = (&*devices[0], &*devices[1]);
        let (block, first) = upload(far, COPY, &[1; 64]);
        let target = near.allocate(COMPUTE, 16).unwrap();
        // More than the target holds.
        let work = [Command::Copy { from: bytes_of(block, 64), to: bytes_of(target, 64) }];
        let copied = near.submit(COMPUTE, &[first], &work).unwrap();
        let work = [Command::Upload { from: Arc::new(vec![2u8; 64]), to: bytes_of(block, 64) }];
        let second = far.submit(COMPUTE, &[copied], &work).unwrap();
        far.wait(second).unwrap();
        assert_eq!(download(far, COMPUTE, &[second], bytes_of(block, 64)), [2; 64], "{settings}");
        let text = near.wait(copied).unwrap_err().fault.to_string();
        assert!(text.contains("in a block of 16 bytes"), "{settings}: {text}");
        assert_eq!(fake.error(), "", "{settings}");
        far.release(COMPUTE, block, &[second]);
        near.release(COMPUTE, target, &[copied]);
        drop(devices);
        machine.check_returned();
    }
}

#[test]
fn what_the_gpu_finds_wrong_is_a_fault_that_names_the_work() {
    let mut found = 0;
    for seed in 0..20 {
        let settings = format!("devices=1 sched=random:{seed} quiet=on");
        let Some(machine) = machine_or_skip(&settings) else { return };
        let devices = machine.devices(&[0]);
        let device = &*devices[0];
        let block = device.allocate(COMPUTE, 16).unwrap();
        // Without a wait for the allocation the copy queue may come first.
        let (from, to) = (Arc::new(vec![1u8; 16]), bytes_of(block, 16));
        let event = device.submit(COPY, &[], &[Command::Upload { from, to }]).unwrap();
        match device.wait(event) {
            Err(fault) => {
                found += 1;
                let text = fault.fault.to_string();
                assert!(text.contains("while this ran: upload of [16] u8"), "{text}");
                assert!(device.allocate(COMPUTE, 16).is_err(), "the GPU is lost");
            }
            Ok(()) => {
                assert_eq!(download(device, COPY, &[event], bytes_of(block, 16)), [1; 16]);
            }
        }
    }
    assert!(found > 0, "no schedule of 20 shows the missing wait");
}
