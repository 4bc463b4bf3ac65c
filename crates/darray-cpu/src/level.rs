//! Instruction sets that the vector loops are compiled for.

use std::fmt;

/// An instruction set, from the least to the most capable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// What every machine of the target has. Fused multiply-add is done in software where the
    /// target lacks it: slow, the same bits.
    Baseline,
    /// AVX2, FMA and F16C.
    Avx2,
    /// AVX-512 F, BW, DQ, VL, and BMI2.
    Avx512,
}

impl Level {
    /// Every level, the least capable first.
    pub const ALL: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];

    /// The most capable level of this machine.
    pub fn detect() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            match (avx2, avx512) {
                (true, true) => return Level::Avx512,
                (true, false) => return Level::Avx2,
                _ => {}
            }
        }
        Level::Baseline
    }

    /// Runs a loop compiled for the level, which this machine must have.
    #[inline(always)]
    pub(crate) fn vectorized<L: Loop>(self, run: L) -> L::Result {
        match self {
            // SAFETY: a level is one of those that this machine has.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2(run) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512(run) },
            _ => run.run(),
        }
    }

    /// The name used in texts and settings: `baseline`, `avx2`, `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Baseline => "baseline",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// The level with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// A loop for [`Level::vectorized`]. It and what it calls are `#[inline(always)]`, without which they are compiled for
/// the least level: a closure is not enough.
pub(crate) trait Loop {
    /// What it gives.
    type Result;

    /// Runs it.
    fn run(self) -> Self::Result;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<L: Loop>(run: L) -> L::Result {
    run.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
fn avx512<L: Loop>(run: L) -> L::Result {
    run.run()
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
