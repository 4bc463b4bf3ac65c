//! Functions of a lane of leaves that lie beside one another and whose rows go across memory.
//!
//! ```text
//! fn(rdi: pointer table, rdx: sets of leaves, rcx: steps)
//!     uniform elements to the stack
//!     sets: {
//!         accumulators = identity
//!         elements of the lane: { tiles: { rows to registers, transposed, to the buffer }; pointers += step }
//!         pairs of columns: {
//!             elements of the lane: { code of a vector from the buffer }
//!             elements of the lane: { the same; a line is asked for }
//!         }
//!         accumulators to where they are said to be; that += their bytes
//!         pointers of the table += steps to the next set
//!     }
//! ```
//!
//! The order of a lane is column by column, so that all tiles have to be there before the first element is folded. Half of the
//! lines of a set to come are asked for by what transposes, the others by what folds: else nothing would be asked of memory
//! meanwhile.

use super::super::allocate::Allocated;
use super::super::encode::{Cache, Memory, general};
use super::super::lane::Lane;
use super::super::target::Target;
use super::super::tiles::{BUFFER, COLUMNS};
use super::accumulators::identities;
use super::tiles::AHEAD;
use super::{Code, Emitted, Emitter, Note, POINTERS, Part, Pointers};

/// The code of a lane.
pub(in super::super) struct LaneTiles<'a> {
    /// Of a tile, to the buffer.
    pub tile: &'a Allocated,
    /// Of a vector from the buffer.
    pub fold: &'a Allocated,
    /// The bits of what accumulators begin with, by the numbers of their pointers.
    pub starts: &'a [(u16, u64)],
}

/// Which of the steps of an access: see [`Native::run_lane_tiles`](super::super::Native::run_lane_tiles).
#[derive(Clone, Copy)]
enum Step {
    Element = 1,
    Set,
    InBuffer,
    NextColumn,
    Buffer,
    Across,
    Half,
    /// Behind those of the accesses: tiles, elements, pairs of columns.
    Counts,
}

/// The function; none where there are too many pointers to keep.
pub(in super::super) fn emit_lane_tiles(
    code: &LaneTiles<'_>,
    groups: u8,
    width: usize,
    target: Target,
    kinds: Pointers,
) -> Option<Emitted> {
    let LaneTiles { tile, fold, starts } = code;
    let operands = fold.pointers.len();
    if 2 * operands + starts.len() > POINTERS.len() || tile.pointers.len() != 2 * operands {
        return None;
    }
    let mut rest =
        Allocated { slots: tile.slots, mask_slots: tile.mask_slots, ..Allocated::default() };
    rest.constants.extend(identities(fold, starts)?);
    let all = Code { main: fold, rest: &rest, first: &Allocated::default() };
    let mut emitter = Emitter::new(&all, usize::from(groups) * width, width, target, kinds);
    let start = emitter.assembler.code.len();
    emitter.lane_tiles(code, usize::from(groups) * width);
    Some(emitter.finish(start))
}

impl Emitter {
    fn lane_tiles(&mut self, code: &LaneTiles<'_>, leaves: usize) {
        let LaneTiles { tile, fold, starts } = code;
        let buffers = &fold.pointers[..];
        self.enter();
        self.assembler.store_stack(self.frame.rows, general::RDX);
        self.assembler.store_stack(self.frame.rows + 8, general::RCX);
        for &buffer in buffers {
            self.pointers.extend([buffer - BUFFER, buffer]);
        }
        self.pointers.extend(starts.iter().map(|(pointer, _)| pointer));
        for &(pointer, _) in *starts {
            let register = self.register_of(pointer);
            self.assembler.load_pointer(register, general::RDI, pointer);
        }
        self.uniforms(0, fold.uniforms.iter());
        // xor eax, eax
        self.assembler.raw(&[0x31, 0xc0]);
        let set = self.assembler.code.len();
        self.note(Note::LaneTile(leaves as u8));
        for &buffer in buffers {
            let register = self.register_of(buffer - BUFFER);
            self.assembler.load_pointer(register, general::RDI, buffer - BUFFER);
        }
        if let [one] = buffers {
            self.step_of_rows(one - BUFFER);
        }
        self.begin_accumulators(fold, fold.constants.len() as u32..);
        self.tiles_to_buffer(tile, buffers, leaves);
        self.note(Note::Buffered);
        self.fold_buffer(tile, fold, leaves);
        self.note(Note::Row);
        for stay in &fold.held {
            let held = stay.accumulators;
            let to = self.element(held.pointer, held.dtype, held.group);
            self.store(stay.register, Lane::of(held.dtype), to, held.dtype, Part::Groups);
        }
        self.move_waiting(fold, leaves as i32);
        self.load_steps(general::R10);
        for &buffer in buffers {
            let pointer = buffer - BUFFER;
            let step = self.step_number(Step::Set, pointer);
            self.assembler.load_pointer(general::R12, general::R10, step);
            // add [rdi + 8 * pointer], r12
            self.assembler.raw(&[0x4c, 0x01, 0xa7]);
            self.assembler.raw(&(8 * i32::from(pointer)).to_le_bytes());
        }
        self.again_while(self.frame.rows, set);
        self.leave();
    }

    /// All tiles of the elements of the lane. Changes rsi.
    fn tiles_to_buffer(&mut self, tile: &Allocated, buffers: &[u16], leaves: usize) {
        self.at_rows.asking = leaves as u8 / 2;
        self.begin_buffers(buffers);
        self.load_count(general::R10, 1);
        self.assembler.store_stack(self.frame.rows + 16, general::R10);
        let element = self.assembler.code.len();
        self.load_count(general::RSI, 0);
        let begin = self.assembler.code.len();
        self.next_rows(buffers.len());
        self.body(tile, Part::Groups);
        for &buffer in buffers {
            let (elements, lanes) = self.sizes_of(tile, buffer);
            self.move_kept(buffer, (COLUMNS * leaves * lanes) as i32);
            self.move_kept(buffer - BUFFER, (COLUMNS * elements) as i32);
        }
        self.again_while_rsi(begin);
        self.load_steps(general::R10);
        for &buffer in buffers {
            let register = self.register_of(buffer - BUFFER);
            let step = self.step_number(Step::Element, buffer - BUFFER);
            self.add_step(register, general::R10, step);
        }
        self.again_while(self.frame.rows + 16, element);
    }

    /// All that was transposed, column by column. Changes rsi, rcx and r12.
    fn fold_buffer(&mut self, tile: &Allocated, fold: &Allocated, leaves: usize) {
        let buffers = &fold.pointers[..];
        self.begin_buffers(buffers);
        self.load_count(general::RSI, 2);
        let pair = self.assembler.code.len();
        self.load_steps(general::R10);
        self.fold_column(fold, false);
        for &buffer in buffers {
            let pointer = buffer - BUFFER;
            let register = self.register_of(pointer);
            self.assembler.load_pointer(register, general::RDI, pointer);
            // imul r12, rsi, bytes; add register, r12
            self.assembler.raw(&[0x4c, 0x69, 0xe6]);
            self.assembler.raw(&((leaves * self.size_of(tile, pointer)) as i32).to_le_bytes());
            self.assembler.raw(&[0x4c | register >> 3, 0x01, 0xe0 | register & 7]);
            let step = self.step_number(Step::Half, pointer);
            self.add_step(register, general::R10, step);
        }
        self.fold_column(fold, true);
        self.again_while_rsi(pair);
    }

    /// A column, all of whose elements ask for a line or not; r10 points to the steps.
    fn fold_column(&mut self, fold: &Allocated, asks: bool) {
        let buffers = &fold.pointers[..];
        self.load_count(general::RCX, 1);
        let element = self.assembler.code.len();
        for &buffer in buffers.iter().filter(|_| asks) {
            let base = self.register_of(buffer - BUFFER);
            self.assembler.fetch(Memory::At { base, offset: AHEAD }, Cache::SecondLevel);
            let step = self.step_number(Step::Across, buffer - BUFFER);
            self.add_step(base, general::R10, step);
        }
        self.body(fold, Part::Groups);
        let go = |this: &mut Self, step: Step| {
            for &buffer in buffers {
                let register = this.register_of(buffer);
                let step = this.step_number(step, buffer - BUFFER);
                this.add_step(register, general::R10, step);
            }
        };
        go(self, Step::InBuffer);
        // dec rcx; jne element
        self.assembler.raw(&[0x48, 0xff, 0xc9]);
        let jump = self.assembler.jump(&[0x0f, 0x85]);
        self.assembler.land(jump, element);
        go(self, Step::NextColumn);
    }

    /// The pointers of buffers become where these begin. Changes r10.
    fn begin_buffers(&mut self, buffers: &[u16]) {
        self.load_steps(general::R10);
        for &buffer in buffers {
            let register = self.register_of(buffer);
            let step = self.step_number(Step::Buffer, buffer - BUFFER);
            self.assembler.load_pointer(register, general::R10, step);
        }
    }

    fn load_steps(&mut self, register: u8) {
        self.assembler.load_stack(register, self.frame.rows + 8);
    }

    /// One of the numbers behind the steps of accesses to a register. Changes r10.
    fn load_count(&mut self, register: u8, number: u16) {
        self.load_steps(general::R10);
        let place = Step::Counts as u16 * self.steps() + number;
        self.assembler.load_pointer(register, general::R10, place);
    }

    fn step_number(&self, step: Step, pointer: u16) -> u16 {
        step as u16 * self.steps() + pointer - self.kinds.accesses.start
    }

    /// The register that keeps a pointer.
    pub(super) fn register_of(&self, pointer: u16) -> u8 {
        let number = self.pointers.iter().position(|&kept| kept == pointer);
        POINTERS[number.expect("all pointers are kept")]
    }

    /// Bytes of an element in memory, and in the buffer.
    fn sizes_of(&self, tile: &Allocated, buffer: u16) -> (usize, usize) {
        let in_memory = self.size_of(tile, buffer - BUFFER);
        (in_memory, in_memory.max(4))
    }

    /// Counts rsi down, and goes on there unless that gives 0.
    fn again_while_rsi(&mut self, place: usize) {
        // dec rsi; jne place
        self.assembler.raw(&[0x48, 0xff, 0xce]);
        let jump = self.assembler.jump(&[0x0f, 0x85]);
        self.assembler.land(jump, place);
    }
}
