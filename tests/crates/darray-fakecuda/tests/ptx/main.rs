//! The interpreter: arithmetic bit by bit, warps, blocks, faults. Each `.ptx` was made by NVRTC 13.0
//! from the `.cu` beside it (`--gpu-architecture=compute_90 --fmad=false --device-int128`).

mod arithmetic;
mod bench;
mod fault;
mod matrices;
mod speed;
mod warp;
mod whole;
