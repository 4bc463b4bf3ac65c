//! Elements that serve for all of a row.

use super::super::encode::general;
use super::super::target::Target;
use super::Emitter;
use darray_core::DType;

impl Emitter {
    /// Uniform elements to the stack. Changes rcx.
    pub(super) fn uniforms<'u>(&mut self, uniforms: impl Iterator<Item = &'u (u16, DType)>) {
        for (number, &(pointer, dtype)) in uniforms.enumerate() {
            self.point_at_uniform(pointer);
            match self.target {
                Target::Avx2 => self.avx2_uniform(number, dtype),
                Target::Avx512 => self.avx512_uniform(number, dtype),
            }
        }
    }

    /// `rcx` becomes the element of `dtype` that it points to; the upper bits are zero.
    pub(super) fn load_element(&mut self, dtype: DType) {
        match dtype.size() {
            // movzx ecx, byte [rcx]
            1 => self.assembler.raw(&[0x0f, 0xb6, 0x09]),
            // movzx ecx, word [rcx]
            2 => self.assembler.raw(&[0x0f, 0xb7, 0x09]),
            // mov ecx, [rcx]
            4 => self.assembler.raw(&[0x8b, 0x09]),
            _ => self.assembler.load(general::RCX, general::RCX),
        }
    }
}
