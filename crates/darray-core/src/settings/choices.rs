//! Settings that are one of a few names.

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

/// Whose elementary functions (`exp`, `sin` and so on) the kernels of GPUs call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CudaMath {
    /// darray's: the bits of CPU devices.
    #[default]
    Darray,
    /// CUDA's own: faster, and other bits.
    Libdevice,
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

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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
