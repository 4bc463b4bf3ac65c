//! Settings that are one of a few words.

use std::fmt;

/// What is fused. All modes give the same bits and use the same executors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Tasks into fused tasks, and inside them loop nests into kernels.
    #[default]
    Fused,
    /// Tasks into fused tasks only.
    Task,
    /// Nothing: one kernel per task.
    Unfused,
}

/// Which tasks of a window stand together when fused tasks and kernels are cut from it. Both give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Grouping {
    /// By their dependences: what uses the same data, wherever the program has it; and only what somebody needs.
    #[default]
    Graph,
    /// In program order: the longest prefix that fuses, then the next, as in Diffuse.
    Prefix,
}

/// Whose elementary functions (`exp`, `sin` and so on) the kernels of GPUs call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CudaMath {
    /// darray's: the bits of CPU devices.
    #[default]
    Darray,
    /// CUDA's own: faster, and other bits.
    Libdevice,
}

/// Who multiplies matrices of floats on GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CudaProducts {
    /// darray's kernels: the bits of CPU devices.
    #[default]
    Darray,
    /// cuBLAS, which is faster and sums in an order of its own.
    Cublas,
}

/// How CUDA devices launch the work of plans that repeat. Both give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CudaLaunch {
    /// Graphs, but streams where a library multiplies matrices, whose calls graphs cannot hold here.
    #[default]
    Auto,
    /// Every kernel and every copy by itself.
    Streams,
    /// A plan's kernels and copies together, as a CUDA graph that is kept from flush to flush.
    Graphs,
}

/// An instruction set of x86-64 CPU devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CpuLevel {
    /// What every machine of the architecture has.
    Baseline,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
}

/// What CPU devices compile kernels to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CpuJit {
    /// Machine code for the best instruction set of the machine that there is a compiler for.
    #[default]
    Auto,
    /// Nothing: blocks of elements go through loops that are compiled already.
    Off,
    /// Machine code of AVX2 and FMA.
    Avx2,
    /// Machine code of AVX-512 F, BW, DQ and VL.
    Avx512,
}

impl Mode {
    /// All modes, the default first.
    pub const ALL: [Mode; 3] = [Mode::Fused, Mode::Task, Mode::Unfused];

    /// `fused`, `task` or `unfused`.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Fused => "fused",
            Mode::Task => "task",
            Mode::Unfused => "unfused",
        }
    }

    /// The mode with this name.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|m| m.name() == name)
    }
}

impl Grouping {
    /// Both, the default first.
    pub const ALL: [Grouping; 2] = [Grouping::Graph, Grouping::Prefix];

    /// `graph` or `prefix`.
    pub const fn name(self) -> &'static str {
        match self {
            Grouping::Graph => "graph",
            Grouping::Prefix => "prefix",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Grouping> {
        Grouping::ALL.into_iter().find(|grouping| grouping.name() == name)
    }
}

impl CudaProducts {
    /// Both, the default first.
    pub const ALL: [CudaProducts; 2] = [CudaProducts::Darray, CudaProducts::Cublas];

    /// `darray` or `cublas`.
    pub const fn name(self) -> &'static str {
        match self {
            CudaProducts::Darray => "darray",
            CudaProducts::Cublas => "cublas",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<CudaProducts> {
        CudaProducts::ALL.into_iter().find(|p| p.name() == name)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl CudaLaunch {
    /// All of them, the default first.
    pub const ALL: [CudaLaunch; 3] = [CudaLaunch::Auto, CudaLaunch::Streams, CudaLaunch::Graphs];

    /// `auto`, `streams` or `graphs`.
    pub const fn name(self) -> &'static str {
        match self {
            CudaLaunch::Auto => "auto",
            CudaLaunch::Streams => "streams",
            CudaLaunch::Graphs => "graphs",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<CudaLaunch> {
        CudaLaunch::ALL.into_iter().find(|l| l.name() == name)
    }
}

impl CpuJit {
    /// All of them, the default first.
    pub const ALL: [CpuJit; 4] = [CpuJit::Auto, CpuJit::Off, CpuJit::Avx2, CpuJit::Avx512];

    /// `auto`, `off`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            CpuJit::Auto => "auto",
            CpuJit::Off => "off",
            CpuJit::Avx2 => "avx2",
            CpuJit::Avx512 => "avx512",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<CpuJit> {
        CpuJit::ALL.into_iter().find(|jit| jit.name() == name)
    }
}

impl CpuLevel {
    /// All levels, the lowest first.
    pub const ALL: [CpuLevel; 3] = [CpuLevel::Baseline, CpuLevel::Avx2, CpuLevel::Avx512];

    /// `baseline`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            CpuLevel::Baseline => "baseline",
            CpuLevel::Avx2 => "avx2",
            CpuLevel::Avx512 => "avx512",
        }
    }

    /// The level with this name.
    pub fn from_name(name: &str) -> Option<CpuLevel> {
        CpuLevel::ALL.into_iter().find(|l| l.name() == name)
    }
}
