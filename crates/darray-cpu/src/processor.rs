//! What is faster on some processors than on others with the same instructions. Results do not depend on it.

/// Processors that differ so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(crate) enum Processor {
    /// None of those below.
    Other,
    /// AMD made it. On Zen 4 lines that are asked for into the second-level cache come later than on an Intel Xeon, see
    /// docs/notes/0029-rows-that-are-read-again.md and docs/decisions/0030-lines-asked-for-ahead.md.
    Amd,
    /// AMD's Zen 5 or a later one. It keeps more instructions at hand that wait for operands, and fetches in time what
    /// goes on, see docs/decisions/0034-the-order-of-long-code.md, 0030-lines-asked-for-ahead.md, 0033-folds-in-every-direction.md
    /// and docs/notes/0029-rows-that-are-read-again.md.
    Zen5,
}

impl Processor {
    /// That of this machine.
    pub fn detect() -> Processor {
        // AMD's processors alone have the first instructions, which nothing here uses, and of those the latest have the others.
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("sse4a") {
            let is_zen_5 = is_x86_feature_detected!("avx512vp2intersect");
            return if is_zen_5 { Processor::Zen5 } else { Processor::Amd };
        }
        Processor::Other
    }
}

/// Whether AMD made it.
pub(crate) fn is_amd() -> bool {
    Processor::detect() != Processor::Other
}

/// Whether it is AMD's Zen 5 or a later one.
pub(crate) fn is_zen_5() -> bool {
    Processor::detect() == Processor::Zen5
}
