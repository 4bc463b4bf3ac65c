//! Functions of the host in streams.

use super::gpu::{Gpu, download, turn, upload};
use cudarc::driver::result;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// What a function of the host is given.
struct Message {
    sender: Sender<u32>,
    number: u32,
    /// A lock of the program, which the submitter may hold.
    lock: &'static Mutex<u32>,
}

unsafe extern "C" fn called(data: *mut c_void) {
    // SAFETY: made by `submit`, for one call.
    let message = unsafe { Box::from_raw(data.cast::<Message>()) };
    *message.lock.lock().unwrap() += 1;
    message.sender.send(message.number).unwrap();
}

static CALLS: Mutex<u32> = Mutex::new(0);

fn submit(stream: &cudarc::driver::CudaStream, sender: &Sender<u32>, number: u32) {
    let message = Box::new(Message { sender: sender.clone(), number, lock: &CALLS });
    stream.context().bind_to_thread().unwrap();
    // SAFETY: the function takes the message.
    unsafe {
        result::stream::launch_host_function(
            stream.cu_stream(),
            called,
            Box::into_raw(message).cast(),
        )
    }
    .unwrap();
}

#[test]
fn host_functions_are_called_in_order_and_waited_for() {
    for schedule in ["eager", "random:3", "random:4"] {
        let _turn = turn(&format!("devices=1 sched={schedule}"));
        let gpu = Gpu::new(0).unwrap();
        let stream = gpu.stream();
        let (sender, receiver) = channel();
        // Held while they are submitted: calling them at once would never end.
        let held = CALLS.lock().unwrap();
        for number in 0..5 {
            submit(&stream, &sender, number);
        }
        drop(held);
        stream.synchronize().unwrap();
        assert_eq!(receiver.try_iter().collect::<Vec<u32>>(), [0, 1, 2, 3, 4]);
    }
}

#[test]
fn host_functions_are_called_even_if_nobody_waits() {
    let _turn = turn("devices=1 sched=random:3");
    let gpu = Gpu::new(0).unwrap();
    let stream = gpu.stream();
    let x = gpu.allocate(4).unwrap();
    upload(x, &[4.0]);
    gpu.affine(&stream, [x, x], [2.0, 0.0], 1).unwrap();
    let (sender, receiver) = channel();
    submit(&stream, &sender, 7);
    assert_eq!(receiver.recv_timeout(Duration::from_secs(20)), Ok(7));
    assert_eq!(download(x, 1).unwrap(), [8.0]);
}
