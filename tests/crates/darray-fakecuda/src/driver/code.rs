//! Results of calls, by the numbers of the driver's interface.

use std::ffi::CStr;

/// Why a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub u32);

/// What a call yields.
pub type Answer<T = ()> = Result<T, Code>;

impl Code {
    /// An argument is out of its range.
    pub const INVALID_VALUE: Code = Code(1);
    /// The device has no memory left.
    pub const OUT_OF_MEMORY: Code = Code(2);
    /// `cuInit` has not been called.
    pub const NOT_INITIALIZED: Code = Code(3);
    /// There is no device.
    pub const NO_DEVICE: Code = Code(100);
    /// There is no such device.
    pub const INVALID_DEVICE: Code = Code(101);
    /// The text of a module is neither PTX nor anything that can be read.
    pub const INVALID_IMAGE: Code = Code(200);
    /// No context is current, or not the right one.
    pub const INVALID_CONTEXT: Code = Code(201);
    /// A module holds code for processors only.
    pub const NO_BINARY_FOR_GPU: Code = Code(209);
    /// The PTX cannot be executed.
    pub const INVALID_PTX: Code = Code(218);
    /// The PTX is of a version that the driver does not know.
    pub const UNSUPPORTED_PTX_VERSION: Code = Code(222);
    /// A file cannot be read.
    pub const FILE_NOT_FOUND: Code = Code(301);
    /// A handle is unknown.
    pub const INVALID_HANDLE: Code = Code(400);
    /// A name is unknown.
    pub const NOT_FOUND: Code = Code(500);
    /// Work has not been completed yet.
    pub const NOT_READY: Code = Code(600);
    /// A kernel reached memory that it must not.
    pub const ILLEGAL_ADDRESS: Code = Code(700);
    /// A launch asks for more than the device or the kernel has.
    pub const LAUNCH_OUT_OF_RESOURCES: Code = Code(701);
    /// A kernel runs without end.
    pub const LAUNCH_TIMEOUT: Code = Code(702);
    /// Peer access is enabled already.
    pub const PEER_ACCESS_ALREADY_ENABLED: Code = Code(704);
    /// Peer access is not enabled.
    pub const PEER_ACCESS_NOT_ENABLED: Code = Code(705);
    /// The device reaches as many others as it can.
    pub const TOO_MANY_PEERS: Code = Code(711);
    /// Memory is registered already.
    pub const HOST_MEMORY_ALREADY_REGISTERED: Code = Code(712);
    /// Memory is not registered.
    pub const HOST_MEMORY_NOT_REGISTERED: Code = Code(713);
    /// A kernel reached an address that its size does not divide.
    pub const MISALIGNED_ADDRESS: Code = Code(716);
    /// A kernel gave up.
    pub const LAUNCH_FAILED: Code = Code(719);
    /// The call is not supported.
    pub const NOT_SUPPORTED: Code = Code(801);
    /// The call is not allowed while a stream captures.
    pub const CAPTURE_UNSUPPORTED: Code = Code(900);
    /// The capture has been spoilt by an earlier error.
    pub const CAPTURE_INVALIDATED: Code = Code(901);
    /// The stream's capture was begun in another stream.
    pub const CAPTURE_UNMATCHED: Code = Code(903);
    /// Streams that joined the capture did not come back to the first.
    pub const CAPTURE_UNJOINED: Code = Code(904);
    /// Two captures, or a capture and work outside of it, depend on each other.
    pub const CAPTURE_ISOLATION: Code = Code(905);
    /// The legacy stream would wait for a stream that captures.
    pub const CAPTURE_IMPLICIT: Code = Code(906);
    /// An event of a capture cannot be waited for by the host.
    pub const CAPTURED_EVENT: Code = Code(907);
    /// A graph differs too much from the one that was instantiated.
    pub const GRAPH_EXEC_UPDATE_FAILURE: Code = Code(910);
    /// Anything else.
    pub const UNKNOWN: Code = Code(999);

    /// The name and the description of a result.
    pub fn text(self) -> Option<(&'static CStr, &'static CStr)> {
        let row = TEXTS.iter().find(|(code, ..)| *code == self.0)?;
        Some((row.1, row.2))
    }
}

const TEXTS: [(u32, &CStr, &CStr); 39] = [
    (0, c"CUDA_SUCCESS", c"no error"),
    (1, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (3, c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error"),
    (4, c"CUDA_ERROR_DEINITIALIZED", c"driver shutting down"),
    (100, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
    (101, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
    (200, c"CUDA_ERROR_INVALID_IMAGE", c"device kernel image is invalid"),
    (201, c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
    (209, c"CUDA_ERROR_NO_BINARY_FOR_GPU", c"no kernel image is available for the device"),
    (218, c"CUDA_ERROR_INVALID_PTX", c"a PTX compilation failed"),
    (222, c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", c"the PTX was made by a newer toolchain"),
    (301, c"CUDA_ERROR_FILE_NOT_FOUND", c"file not found"),
    (304, c"CUDA_ERROR_OPERATING_SYSTEM", c"OS call failed or is not supported"),
    (400, c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
    (500, c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
    (600, c"CUDA_ERROR_NOT_READY", c"device not ready"),
    (700, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
    (701, c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"too many resources requested for launch"),
    (702, c"CUDA_ERROR_LAUNCH_TIMEOUT", c"the launch timed out and was terminated"),
    (704, c"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", c"peer access is already enabled"),
    (705, c"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", c"peer access has not been enabled"),
    (711, c"CUDA_ERROR_TOO_MANY_PEERS", c"peer mapping resources exhausted"),
    (712, c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", c"memory is already registered"),
    (713, c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", c"memory is not registered"),
    (716, c"CUDA_ERROR_MISALIGNED_ADDRESS", c"misaligned address"),
    (719, c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
    (801, c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported"),
    (900, c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", c"not permitted while a stream captures"),
    (901, c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", c"failed due to a previous error in capture"),
    (902, c"CUDA_ERROR_STREAM_CAPTURE_MERGE", c"operation would merge two captures"),
    (903, c"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", c"capture was not initiated in this stream"),
    (904, c"CUDA_ERROR_STREAM_CAPTURE_UNJOINED", c"capture has work not joined to its stream"),
    (905, c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION", c"dependency crosses the border of a capture"),
    (906, c"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", c"the legacy stream depends on a capture"),
    (907, c"CUDA_ERROR_CAPTURED_EVENT", c"operation not permitted on an event of a capture"),
    (908, c"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", c"capture was begun in another thread"),
    (910, c"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", c"the graph update was not performed"),
    (999, c"CUDA_ERROR_UNKNOWN", c"unknown error"),
];
