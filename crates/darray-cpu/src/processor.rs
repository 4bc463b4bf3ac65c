//! What is faster on some processors than on others with the same instructions. Results do not depend on it.

/// Whether AMD made it. On Zen 4 lines that are asked for into the second-level cache come later than on an Intel Xeon, see
/// docs/decisions/0029-rows-that-are-read-again.md and 0030-lines-asked-for-ahead.md.
pub(crate) fn is_amd() -> bool {
    // AMD's processors alone have these instructions, which nothing here uses.
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("sse4a");
    #[cfg(not(target_arch = "x86_64"))]
    false
}
