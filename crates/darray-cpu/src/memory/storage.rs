//! Working memory.

use super::advise;

/// Bytes aligned for any vector, which may become more.
#[derive(Debug, Default)]
pub(crate) struct Storage(Vec<Line>);

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([u8; 64]);

impl Storage {
    /// So many bytes, rounded up to lines: zeros.
    pub fn new(bytes: usize) -> Storage {
        let mut lines: Vec<Line> = Vec::with_capacity(bytes.div_ceil(64));
        advise(lines.as_mut_ptr().cast(), lines.capacity() * 64);
        lines.resize(bytes.div_ceil(64), Line([0; 64]));
        Storage(lines)
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> usize {
        self.0.len() * 64
    }

    /// The address of at least `bytes` bytes, contents undefined but initialised.
    pub fn reserve(&mut self, bytes: usize) -> *mut u8 {
        let lines = bytes.div_ceil(64);
        if self.0.len() < lines {
            self.0.resize(lines, Line([0; 64]));
        }
        self.0.as_mut_ptr().cast()
    }

    /// The address of what was reserved, for reading only.
    pub fn start(&self) -> *mut u8 {
        self.0.as_ptr().cast_mut().cast()
    }
}
