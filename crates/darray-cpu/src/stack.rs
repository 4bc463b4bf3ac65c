//! Where frames lie on the stack.

use std::hint::black_box;
use std::mem::MaybeUninit;

/// A page of the stack.
#[repr(align(4096))]
struct Page(#[allow(dead_code)] MaybeUninit<[u8; 4096]>);

/// Calls `work` with the frames that it makes at the top of a page.
///
/// Vectors that loops keep on the stack are aligned to 16 bytes only. One that lies on two pages is read some thirty
/// cycles later, with every round of the loop: sines took 2.6 times as long on a thread whose stack happened to begin
/// so. With the frames of `work` from the top of a page down, the first 4096 bytes have no such place.
#[inline(never)]
pub(crate) fn on_page<R>(work: impl FnOnce() -> R) -> R {
    let page = Page(MaybeUninit::uninit());
    black_box(&page);
    let result = work();
    black_box(&page);
    result
}
