//! Graphs: captured, launched, updated, refused.

use super::gpu::{Gpu, code, download, number, turn, upload};
use cudarc::driver::{CudaStream, DriverError, result, sys};

const MODE: sys::CUstreamCaptureMode =
    sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;

/// `y = a x`, `z = a x + 1` side by side in two streams, then `x = y + ...` in the first.
fn capture(gpu: &Gpu, streams: [&CudaStream; 2], memory: [u64; 3], a: f32) -> sys::CUgraph {
    let ([first, second], [x, y, z]) = (streams, memory);
    first.begin_capture(MODE).unwrap();
    gpu.affine(first, [x, y], [a, 0.0], 100).unwrap();
    second.join(first).unwrap();
    gpu.affine(second, [x, z], [a, 1.0], 100).unwrap();
    gpu.affine(first, [y, y], [1.0, 0.5], 100).unwrap();
    first.join(second).unwrap();
    gpu.affine(first, [z, x], [1.0, 0.0], 100).unwrap();
    // SAFETY: the stream captures.
    unsafe { result::stream::end_capture(first.cu_stream()) }.unwrap()
}

fn instantiate(graph: sys::CUgraph) -> sys::CUgraphExec {
    // SAFETY: the graph lives.
    unsafe { result::graph::instantiate(graph, sys::CUgraphInstantiate_flags(0)) }.unwrap()
}

fn launch(graph: sys::CUgraphExec, stream: &CudaStream) -> Result<(), DriverError> {
    stream.context().bind_to_thread()?;
    // SAFETY: the graph lives.
    unsafe { result::graph::launch(graph, stream.cu_stream()) }
}

fn update(graph: sys::CUgraphExec, by: sys::CUgraph) -> (u32, u32) {
    let mut info = sys::CUgraphExecUpdateResultInfo {
        result: sys::CUgraphExecUpdateResult::CU_GRAPH_EXEC_UPDATE_ERROR,
        errorNode: std::ptr::null_mut(),
        errorFromNode: std::ptr::null_mut(),
    };
    // SAFETY: both graphs live.
    let updated = unsafe { sys::cuGraphExecUpdate_v2(graph, by, &mut info) };
    (code(updated), info.result as u32)
}

#[test]
fn a_captured_graph_runs_again_and_again_and_can_be_updated() {
    for schedule in ["eager", "random:1", "random:2", "random:3", "random:4"] {
        let turn = turn(&format!("devices=1 sched={schedule}"));
        let gpu = Gpu::new(0).unwrap();
        let (first, second) = (gpu.stream(), gpu.stream());
        let memory = [0; 3].map(|_| gpu.allocate(400).unwrap());
        let [x, y, _] = memory;
        upload(x, &[1.0; 100]);
        let graph = capture(&gpu, [&first, &second], memory, 2.0);
        assert_eq!(turn.fake.count("launches"), 0, "a capture runs nothing");
        let executable = instantiate(graph);
        for _ in 0..3 {
            launch(executable, &first).unwrap();
        }
        first.synchronize().unwrap();
        assert_eq!(turn.fake.count("launches"), 12);
        // x -> 2 x + 1, three times.
        assert_eq!(download(x, 100).unwrap(), [15.0; 100]);
        assert_eq!(download(y, 1).unwrap(), [14.5]);

        let other = capture(&gpu, [&first, &second], memory, -1.0);
        launch(executable, &first).unwrap();
        assert_eq!(update(executable, other), (0, 0));
        launch(executable, &first).unwrap();
        first.synchronize().unwrap();
        // The launch that was submitted before the update is as it was: 2 x + 1, then 1 - x.
        assert_eq!(download(x, 100).unwrap(), [-30.0; 100]);

        first.begin_capture(MODE).unwrap();
        gpu.affine(&first, [x, y], [1.0, 0.0], 100).unwrap();
        // SAFETY: the stream captures.
        let small = unsafe { result::stream::end_capture(first.cu_stream()) }.unwrap();
        assert_eq!(update(executable, small), (910, 2));
        // SAFETY: nobody uses them any more.
        unsafe {
            result::graph::exec_destroy(executable).unwrap();
            for graph in [graph, other, small] {
                result::graph::destroy(graph).unwrap();
            }
        }
        assert_eq!(turn.fake.count("graphs"), 0);
    }
}

#[test]
fn nodes_of_a_graph_can_be_listed_and_changed() {
    let _turn = turn("devices=1");
    let gpu = Gpu::new(0).unwrap();
    let (first, second) = (gpu.stream(), gpu.stream());
    let memory = [0; 3].map(|_| gpu.allocate(400).unwrap());
    let graph = capture(&gpu, [&first, &second], memory, 2.0);
    let (mut nodes, mut edges) = (0, 0);
    let none = std::ptr::null_mut;
    // SAFETY: the graph lives, and only the numbers are asked for.
    unsafe {
        assert_eq!(code(sys::cuGraphGetNodes(graph, none(), &mut nodes)), 0);
        assert_eq!(
            code(sys::cuGraphGetEdges_v2(graph, none(), none(), std::ptr::null_mut(), &mut edges)),
            0
        );
    }
    assert_eq!((nodes, edges), (4, 4), "the last one comes behind both branches");
}

#[test]
fn captures_that_go_wrong_are_refused() {
    let turn = turn("devices=1 sched=random:1");
    let gpu = Gpu::new(0).unwrap();
    let (first, second) = (gpu.stream(), gpu.stream());
    let x = gpu.allocate(400).unwrap();
    let end = |stream: &CudaStream| {
        // SAFETY: the stream captures, or the call says that it does not.
        number(unsafe { result::stream::end_capture(stream.cu_stream()) })
    };

    first.begin_capture(MODE).unwrap();
    gpu.affine(&first, [x, x], [1.0, 0.0], 100).unwrap();
    second.join(&first).unwrap();
    gpu.affine(&second, [x, x], [1.0, 0.0], 100).unwrap();
    assert_eq!(end(&second), 903, "it began in another stream");
    assert_eq!(end(&first), 904, "the second stream has not come back");

    first.begin_capture(MODE).unwrap();
    assert_eq!(number(first.synchronize()), 900);
    assert_eq!(number(gpu.affine(&first, [x, x], [1.0, 0.0], 100)), 901);
    assert_eq!(end(&first), 901);

    first.begin_capture(MODE).unwrap();
    // SAFETY: the call fails.
    assert_eq!(number(unsafe { result::malloc_async(first.cu_stream(), 64) }), 900);
    assert_eq!(end(&first), 901);

    first.begin_capture(MODE).unwrap();
    assert_eq!(number(gpu.allocate(64)), 900, "nor may the thread allocate");
    assert_eq!(end(&first), 901);

    let outside = second.record_event(None).unwrap();
    first.begin_capture(MODE).unwrap();
    assert_eq!(number(first.wait(&outside)), 905);
    assert_eq!(end(&first), 901);

    first.begin_capture(MODE).unwrap();
    let inside = first.record_event(None).unwrap();
    assert_eq!(number(inside.synchronize()), 907);
    assert_eq!(end(&first), 0);
    gpu.affine(&first, [x, x], [1.0, 0.0], 100).unwrap();
    first.synchronize().unwrap();
    assert_eq!(turn.fake.count("launches"), 1);
}
