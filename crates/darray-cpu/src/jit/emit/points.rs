//! Functions of points that are short rows of memory.
//!
//! ```text
//! fn(rdi: pointer table, rsi: points, rcx: steps)
//!     pointers to registers; uniform elements to the stack
//!     rounds: {
//!         lines ahead are asked for
//!         rows to registers, transposed; code of all lanes; results to memory
//!         pointers of rows += steps
//!     }
//! ```

use super::super::allocate::Allocated;
use super::super::encode::{Cache, Memory, general};
use super::super::instruction::Instruction;
use super::super::target::Target;
use super::{AHEAD_OF_SHORT_ROWS, Code, Emitted, Emitter, LINE, Note, POINTERS, Part, Pointers};

/// The function, of rounds of `width` points of so many lanes; none where there are too many pointers to keep.
pub(in super::super) fn emit_points(
    main: &Allocated,
    (width, lanes): (usize, u8),
    target: Target,
    kinds: Pointers,
) -> Option<Emitted> {
    if main.pointers.len() > POINTERS.len() {
        return None;
    }
    let none = Allocated::default();
    let code = Code { main, rest: &none, first: &none };
    let mut emitter = Emitter::new(&code, width, width, target, kinds);
    let start = emitter.assembler.code.len();
    emitter.rows_of_points(main, usize::from(lanes));
    Some(emitter.finish(start))
}

impl Emitter {
    fn rows_of_points(&mut self, main: &Allocated, lanes: usize) {
        let is_row = |pointer: &u16| {
            let of = |code: &Instruction| matches!(code, Instruction::Rows { chunk, .. } if chunk.pointer == *pointer);
            main.code.iter().any(of)
        };
        let rows: Vec<u16> = main.pointers.iter().copied().filter(is_row).collect();
        self.enter();
        self.assembler.store_stack(self.frame.rows + 8, general::RCX);
        self.keep_pointers(&main.pointers);
        self.uniforms(0, main.uniforms.iter());
        // xor eax, eax
        self.assembler.raw(&[0x31, 0xc0]);
        if let [one] = rows[..] {
            self.step_of_rows(one);
        }
        let begin = self.assembler.code.len();
        self.note(Note::RowsOfPoints(self.width as u8));
        // All lines of a round are asked for here, not those of each row.
        self.at_rows.asking = 0;
        self.next_rows(rows.len());
        for &pointer in
            rows.iter().filter(|row| self.kinds.prefetched.contains(row)).collect::<Vec<_>>()
        {
            let bytes = (self.width * lanes * self.size_of(main, pointer)) as i32;
            let base = self.register_of(pointer);
            for line in (0..bytes).step_by(LINE as usize) {
                self.assembler.fetch(
                    Memory::At { base, offset: AHEAD_OF_SHORT_ROWS + line },
                    Cache::SecondLevel,
                );
            }
        }
        self.body(main, Part::Groups);
        self.note(Note::Row);
        for &pointer in &rows {
            if rows.len() > 1 {
                self.step_of_rows(pointer);
            }
            let base = self.register_of(pointer);
            let scale = self.width.min(8) as u8;
            for _ in 0..self.width / usize::from(scale) {
                let next = Memory::Indexed { base, index: general::R12, scale, offset: 0 };
                self.assembler.address(base, next);
            }
        }
        // add rax, width; cmp rax, rsi; jl begin
        self.assembler.raw(&[0x48, 0x83, 0xc0, self.width as u8, 0x48, 0x39, 0xf0]);
        let again = self.assembler.jump(&[0x0f, 0x8c]);
        self.assembler.land(again, begin);
        self.leave();
    }

    /// The register that keeps a pointer.
    fn register_of(&self, pointer: u16) -> u8 {
        let number = self.pointers.iter().position(|&kept| kept == pointer);
        POINTERS[number.expect("all pointers are kept")]
    }
}
