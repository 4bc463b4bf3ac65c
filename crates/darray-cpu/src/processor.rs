//! What is faster on some processors than on others with the same instructions. Results do not depend on it.

/// Whether AMD made it. On Zen 4 lines that are asked for into the second-level cache come later than on an Intel Xeon, see
/// docs/notes/0029-rows-that-are-read-again.md and docs/decisions/0030-lines-asked-for-ahead.md.
pub(crate) fn is_amd() -> bool {
    // AMD's processors alone have these instructions, which nothing here uses.
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("sse4a");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Whether it is AMD's Zen 5 or a later one. It keeps more instructions at hand that wait for operands, and fetches in time what
/// goes on, see docs/decisions/0034-the-order-of-long-code.md, 0030-lines-asked-for-ahead.md, 0033-folds-in-every-direction.md
/// and docs/notes/0029-rows-that-are-read-again.md.
pub(crate) fn is_zen_5() -> bool {
    // Of AMD's processors those have them.
    #[cfg(target_arch = "x86_64")]
    return is_amd() && is_x86_feature_detected!("avx512vp2intersect");
    #[cfg(not(target_arch = "x86_64"))]
    false
}
