//! Bytes of x86-64 instructions: vector instructions in EVEX and VEX encoding and a few of the base set.

/// An opcode of the vector instructions: what stands behind the first byte of its EVEX encoding, for no vectors but of
/// number 0, 16 bytes long; the first one lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opcode(u32);

impl Opcode {
    /// Opcode map: 1 is `0F`, 2 is `0F 38`, 3 is `0F 3A`.
    #[inline]
    fn map(self) -> u8 {
        self.0 as u8 & 3
    }

    /// Mandatory prefix: 0 none, 1 is `66`, 2 is `F3`, 3 is `F2`.
    #[inline]
    fn prefix(self) -> u8 {
        (self.0 >> 8) as u8 & 3
    }

    #[inline]
    fn byte(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The W bit of the VEX encoding. Of the instructions of the first map that are used, only
    /// moves from and to general registers and instructions on masks look at it; without it an instruction may be a
    /// byte shorter, and valgrind refuses some that have it.
    #[inline]
    fn vex_width(self) -> u8 {
        let has_width = self.map() != 1 || HAS_WIDTH[usize::from(self.byte())];
        (self.0 >> 8) as u8 & u8::from(has_width) << 7
    }
}

/// By byte, see [`Opcode::vex_width`].
const HAS_WIDTH: [bool; 256] = {
    let (mut has_width, mut byte) = ([false; 256], 0);
    while byte < 256 {
        let general = matches!(byte, 0x2a | 0x6e | 0x7e);
        let mask = matches!(byte, 0x41..=0x4b | 0x90..=0x99);
        has_width[byte] = general || mask;
        byte += 1;
    }
    has_width
};

/// An opcode in the order in which manuals write it: `66 0F38 W1 98`.
pub(super) const fn opcode(prefix: u8, map: u8, wide: bool, byte: u8) -> Opcode {
    Opcode(u32::from_le_bytes([0xf0 | map, (wide as u8) << 7 | 0x7c | prefix, 0x08, byte]))
}

/// General registers by number.
pub(super) mod general {
    pub const RAX: u8 = 0;
    pub const RCX: u8 = 1;
    pub const RDX: u8 = 2;
    pub const RSP: u8 = 4;
    pub const RSI: u8 = 6;
    pub const RDI: u8 = 7;
    pub const R10: u8 = 10;
    pub const R12: u8 = 12;
    pub const R13: u8 = 13;
}

/// A cache, by the number that instructions which ask for its lines have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cache {
    FirstLevel = 1,
    SecondLevel = 2,
}

/// The last operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// A register.
    Register(u8),
    /// Memory.
    Memory(Memory),
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// `[base + rax * scale + offset]`.
    Element { base: u8, scale: u8, offset: i32 },
    /// `[base + index * scale + offset]`.
    Indexed { base: u8, index: u8, scale: u8, offset: i32 },
    /// `[base + offset]`; a base whose low three bits are 4 is not one.
    At { base: u8, offset: i32 },
    /// `[rsp + offset]`.
    Stack(i32),
    /// At this offset from the start of the constants.
    Constant(u32),
}

impl Memory {
    /// Bytes behind what registers point to, of elements.
    pub fn offset(&mut self) -> &mut i32 {
        match self {
            Memory::Element { offset, .. }
            | Memory::Indexed { offset, .. }
            | Memory::At { offset, .. } => offset,
            Memory::Stack(_) | Memory::Constant(_) => unreachable!("elements lie elsewhere"),
        }
    }
}

/// What an EVEX instruction has beside opcode and registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Decoration {
    /// Bytes of the vector: 16, 32 or 64.
    pub length: u8,
    /// Mask register; 0 for none.
    pub mask: u8,
    /// Whether lanes without mask become zero.
    pub zero: bool,
    /// Whether the memory operand is one element for all lanes.
    pub broadcast: bool,
    /// Bytes of the memory operand, which short offsets are multiples of; 0: they are long.
    pub unit: u8,
    /// The last byte of the instruction.
    pub immediate: Option<u8>,
}

/// Code under construction, behind its constants.
pub(super) struct Assembler {
    pub code: Vec<u8>,
}

impl Assembler {
    /// Constants, padded to 64 bytes; about so many instructions will be added.
    pub fn new(constants: &[u64], about: usize) -> Assembler {
        let start = (8 * constants.len()).next_multiple_of(64);
        let mut code: Vec<u8> = Vec::with_capacity(start + 10 * about);
        code.extend(constants.iter().flat_map(|constant| constant.to_le_bytes()));
        code.resize(start, 0);
        Assembler { code }
    }

    /// `opcode first, second, last`; `second` is 0 for instructions with two operands.
    pub fn vector(&mut self, op: Opcode, first: u8, second: u8, last: Last, more: Decoration) {
        self.vector_inline(op, first, second, last, more);
    }

    /// [`vector`](Self::vector), for where most instructions come from.
    #[inline(always)]
    pub fn vector_inline(
        &mut self,
        op: Opcode,
        first: u8,
        second: u8,
        last: Last,
        more: Decoration,
    ) {
        debug_assert!(matches!(more.length, 16 | 32 | 64));
        // Bits of the last operand's registers, beyond the three of ModRM.
        let beyond = match last {
            Last::Register(register) => register & 0x18,
            Last::Memory(Memory::Element { base, .. } | Memory::At { base, .. }) => base & 8,
            Last::Memory(Memory::Indexed { base, index, .. }) => base & 8 | (index & 8) << 1,
            Last::Memory(_) => 0,
        };
        let [first_bits, second_bits, beyond] = [first, second, beyond].map(u32::from);
        // What registers are is inverted.
        let registers = (first_bits & 8) << 4
            | first_bits & 0x10
            | beyond << 2
            | (second_bits & 15) << 11
            | (second_bits & 16) << 15;
        let decoration =
            (more.zero as u8) << 7 | more.length & 0x60 | (more.broadcast as u8) << 4 | more.mask;
        let code = op.0 ^ registers | u32::from(decoration) << 16;
        let start = Encoded::new(0x62 | u64::from(code) << 8, 5);
        self.last(start, first, last, more.immediate, more.unit);
    }

    /// `opcode first, second, last`, VEX-encoded: of mask registers, or of vectors of 16 bytes, 32 where
    /// `long`; `second` is 0 for instructions with two operands.
    pub fn vex(
        &mut self,
        op: Opcode,
        long: bool,
        first: u8,
        second: u8,
        last: Last,
        immediate: Option<u8>,
    ) {
        self.vex_inline(op, long, first, second, last, immediate);
    }

    /// [`vex`](Self::vex), for where most instructions come from.
    #[inline(always)]
    pub fn vex_inline(
        &mut self,
        op: Opcode,
        long: bool,
        first: u8,
        second: u8,
        last: Last,
        immediate: Option<u8>,
    ) {
        let (b, x) = match last {
            Last::Register(r) => (r >> 3 & 1, 0),
            Last::Memory(Memory::Element { base, .. } | Memory::At { base, .. }) => {
                (base >> 3 & 1, 0)
            }
            Last::Memory(Memory::Indexed { base, index, .. }) => (base >> 3 & 1, index >> 3 & 1),
            Last::Memory(_) => (0, 0),
        };
        let r = (1 - (first >> 3 & 1)) << 7;
        let rest = (!second & 15) << 3 | (long as u8) << 2 | op.prefix();
        let wide = op.vex_width();
        let start = if b == 0 && x == 0 && op.map() == 1 && wide == 0 {
            Encoded::of([0xc5, r | rest, op.byte()])
        } else {
            let beyond = (1 - x) << 6 | (1 - b) << 5;
            Encoded::of([0xc4, r | beyond | op.map(), wide | rest, op.byte()])
        };
        self.last(start, first, last, immediate, 1);
    }

    /// `mov to, [base + 8 * index]`.
    pub fn load_pointer(&mut self, to: u8, base: u8, index: u16) {
        self.code.extend([
            0x48 | (to >> 3) << 2 | base >> 3,
            0x8b,
            0x80 | (to & 7) << 3 | base & 7,
        ]);
        self.offset(8 * i32::from(index));
    }

    /// `add to, from`.
    pub fn add(&mut self, to: u8, from: u8) {
        let wide = 0x48 | from >> 3 << 2 | to >> 3;
        self.code.extend([wide, 0x01, 0xc0 | (from & 7) << 3 | to & 7]);
    }

    /// `mov [rdi + 8 * index], from`.
    pub fn store_pointer(&mut self, from: u8, index: u16) {
        self.code.extend([0x48 | from >> 3 << 2, 0x89, 0x87 | (from & 7) << 3]);
        self.offset(8 * i32::from(index));
    }

    /// `mov to, [from]`, of 64 bits.
    pub fn load(&mut self, to: u8, from: u8) {
        self.code.extend([0x48 | (to >> 3) << 2 | from >> 3, 0x8b, (to & 7) << 3 | from & 7]);
    }

    /// `mov [rsp + offset], from`, of 64 bits.
    pub fn store_stack(&mut self, offset: i32, from: u8) {
        self.code.extend([0x48 | (from >> 3) << 2, 0x89, 0x84 | (from & 7) << 3, 0x24]);
        self.offset(offset);
    }

    /// `mov to, [rsp + offset]`, of 64 bits.
    pub fn load_stack(&mut self, to: u8, offset: i32) {
        self.code.extend([0x48 | (to >> 3) << 2, 0x8b, 0x84 | (to & 7) << 3, 0x24]);
        self.offset(offset);
    }

    /// `lea to, [base + index * scale]`.
    pub fn address(&mut self, to: u8, place: Memory) {
        let Memory::Indexed { base, index, .. } = place else {
            unreachable!("other addresses are in registers")
        };
        let rex = 0x48 | to >> 3 << 2 | index >> 3 << 1 | base >> 3;
        self.last(Encoded::of([rex, 0x8d]), to, Last::Memory(place), None, 1);
    }

    /// Asks for a line, into the cache of a level: `prefetcht0 [place]` or `prefetcht1 [place]`.
    pub fn fetch(&mut self, place: Memory, into: Cache) {
        let start = match place {
            Memory::Element { base: 8.., .. } | Memory::At { base: 8.., .. } => {
                Encoded::of([0x41, 0x0f, 0x18])
            }
            Memory::Indexed { base, index, .. } => {
                Encoded::of([0x40 | index >> 3 << 1 | base >> 3, 0x0f, 0x18])
            }
            _ => Encoded::of([0x0f, 0x18]),
        };
        self.last(start, into as u8, Last::Memory(place), None, 1);
    }

    /// Bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }

    /// A jump (its opcode bytes) whose target is not known yet; gives where the offset stands.
    pub fn jump(&mut self, opcode: &[u8]) -> usize {
        self.raw(opcode);
        self.offset(0);
        self.code.len() - 4
    }

    /// Lets a jump go to a position of the code.
    pub fn land(&mut self, jump: usize, target: usize) {
        let offset = target as i32 - (jump as i32 + 4);
        self.code[jump..jump + 4].copy_from_slice(&offset.to_le_bytes());
    }

    /// ModRM and what follows it; offsets that are a few of so many bytes take one byte.
    #[inline(always)]
    fn last(&mut self, mut code: Encoded, first: u8, last: Last, immediate: Option<u8>, unit: u8) {
        let register = (first & 7) << 3;
        match last {
            Last::Register(r) => code.start.push((0xc0 | register | r & 7).into(), 1),
            Last::Memory(Memory::Element { base, scale, offset }) => {
                let index = (scale.trailing_zeros() as u8) << 6 | base & 7;
                code.place(register | 4, Some(index), offset, unit);
            }
            Last::Memory(Memory::Indexed { base, index, scale, offset }) => {
                let index = (scale.trailing_zeros() as u8) << 6 | (index & 7) << 3 | base & 7;
                code.place(register | 4, Some(index), offset, unit);
            }
            Last::Memory(Memory::At { base, offset }) => {
                code.place(register | base & 7, None, offset, unit);
            }
            Last::Memory(Memory::Stack(offset)) => {
                code.place(register | general::RSP, Some(0x24), offset, unit);
            }
            Last::Memory(Memory::Constant(constant)) => {
                code.start.push((register | 5).into(), 1);
                // From behind the instruction.
                let length = code.start.count + 4 + u8::from(immediate.is_some());
                let offset = constant as i32 - (self.code.len() + usize::from(length)) as i32;
                code.end.push(offset as u32, 4);
            }
        }
        if let Some(immediate) = immediate {
            code.end.push(immediate.into(), 1);
        }
        self.bytes(code.start);
        if code.end.count > 0 {
            self.bytes(code.end);
        }
    }

    /// All of them and back is quicker than as many as there are.
    #[inline(always)]
    fn bytes(&mut self, Bytes { bytes, count }: Bytes) {
        let length = self.code.len() + usize::from(count);
        self.code.extend_from_slice(&bytes.to_le_bytes());
        self.code.truncate(length);
    }

    fn offset(&mut self, offset: i32) {
        self.code.extend_from_slice(&offset.to_le_bytes());
    }
}

/// An instruction under construction: its bytes up to the offset or the immediate and those from there on, each the
/// first one lowest.
#[derive(Clone, Copy)]
struct Encoded {
    start: Bytes,
    end: Bytes,
}

/// At most 8 bytes.
#[derive(Clone, Copy, Default)]
struct Bytes {
    bytes: u64,
    count: u8,
}

impl Bytes {
    #[inline]
    fn push(&mut self, bytes: u32, count: u8) {
        self.bytes |= u64::from(bytes) << (8 * self.count);
        self.count += count;
    }
}

impl Encoded {
    #[inline]
    fn new(bytes: u64, count: u8) -> Encoded {
        Encoded { start: Bytes { bytes, count }, end: Bytes::default() }
    }

    #[inline]
    fn of<const N: usize>(start: [u8; N]) -> Encoded {
        let bytes = start.iter().rev().fold(0, |bytes, &byte| bytes << 8 | u64::from(byte));
        Encoded::new(bytes, N as u8)
    }

    /// ModRM without its mode, the byte behind it, and an offset.
    #[inline]
    fn place(&mut self, modrm: u8, index: Option<u8>, offset: i32, unit: u8) {
        let unit = i32::from(unit);
        let units = (unit != 0 && offset % unit == 0).then(|| i8::try_from(offset / unit).ok());
        let short = units.flatten();
        self.start.push((if short.is_some() { 0x40 } else { 0x80 } | modrm).into(), 1);
        if let Some(index) = index {
            self.start.push(index.into(), 1);
        }
        match short {
            Some(units) => self.end.push((units as u8).into(), 1),
            None => self.end.push(offset as u32, 4),
        }
    }
}
