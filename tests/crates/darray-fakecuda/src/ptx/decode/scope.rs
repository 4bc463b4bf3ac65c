//! Names of a function and what they stand for.

use crate::ptx::code::{Predicate, Register, Special};
use crate::ptx::types::{Type, Width};
use std::collections::HashMap;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Named {
    /// A register and its bits.
    Register(Register, Width),
    /// A predicate.
    Predicate(Predicate),
    /// A variable in memory that all reach: its address.
    Global(u64),
    /// A variable of the block's memory: its offset.
    Shared(u64),
    /// A variable of the block's memory behind all others.
    DynamicShared,
    /// A variable of the function's own memory: its offset.
    Local(u32),
    /// A parameter of the kernel: its offset.
    Parameter(u64),
}

/// Registers that are declared together: `%r<9>`.
#[derive(Clone, Copy)]
struct Family {
    first: u16,
    count: u32,
    kind: Type,
}

#[derive(Default)]
struct Level {
    names: HashMap<String, Named>,
    families: HashMap<String, Family>,
    /// Where the function's memory ended when the scope began.
    local: u32,
}

/// The names that are visible, and the registers, constants and memory handed out so far.
pub(super) struct Scope {
    levels: Vec<Level>,
    pub registers: usize,
    pub predicates: usize,
    pub constants: Vec<(Register, u64)>,
    known_constants: HashMap<u64, Register>,
    pub specials: Vec<(Register, Special)>,
    local: u32,
    pub most_local: u32,
}

impl Scope {
    pub fn new() -> Scope {
        Scope {
            levels: vec![Level::default()],
            registers: 0,
            predicates: 0,
            constants: Vec::new(),
            known_constants: HashMap::new(),
            specials: Vec::new(),
            local: 0,
            most_local: 0,
        }
    }

    pub fn open(&mut self) {
        self.levels.push(Level { local: self.local, ..Level::default() });
    }

    pub fn close(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.local = level.local;
        }
    }

    pub fn name(&mut self, name: &str, named: Named) {
        let level = self.levels.last_mut().expect("the outermost level stays");
        level.names.insert(name.to_string(), named);
    }

    /// Registers or predicates, as one name or as a family.
    pub fn declare(&mut self, name: &str, count: Option<u32>, kind: Type) -> Result<(), String> {
        let wanted = count.unwrap_or(1) as usize;
        let used = if kind == Type::Pred { &mut self.predicates } else { &mut self.registers };
        let first = *used;
        *used += wanted;
        if *used > usize::from(u16::MAX) {
            return Err("more than 65535 registers".to_string());
        }
        let family = Family { first: first as u16, count: wanted as u32, kind };
        let level = self.levels.last_mut().expect("the outermost level stays");
        match count {
            Some(_) => {
                level.families.insert(name.to_string(), family);
            }
            None => {
                level.names.insert(name.to_string(), family.member(0));
            }
        }
        Ok(())
    }

    /// What a name stands for.
    pub fn look_up(&self, name: &str) -> Option<Named> {
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (prefix, index) = name.split_at(name.len() - digits);
        let index: Option<u32> = index.parse().ok();
        self.levels.iter().rev().find_map(|level| {
            level.names.get(name).copied().or_else(|| {
                let family = level.families.get(prefix)?;
                index.filter(|index| *index < family.count).map(|index| family.member(index))
            })
        })
    }

    /// A register that holds these bits.
    pub fn constant(&mut self, bits: u64) -> Result<Register, String> {
        if let Some(register) = self.known_constants.get(&bits) {
            return Ok(*register);
        }
        let register = self.register()?;
        self.known_constants.insert(bits, register);
        self.constants.push((register, bits));
        Ok(register)
    }

    /// A register that the launch or the warp fills.
    pub fn special(&mut self, special: Special) -> Result<Register, String> {
        if let Some((register, _)) = self.specials.iter().find(|(_, s)| *s == special) {
            return Ok(*register);
        }
        let register = self.register()?;
        self.specials.push((register, special));
        Ok(register)
    }

    /// A register without name.
    pub fn register(&mut self) -> Result<Register, String> {
        let register = self.registers;
        self.registers += 1;
        Register::try_from(register).map_err(|_| "more than 65535 registers".to_string())
    }

    /// A predicate without name.
    pub fn predicate(&mut self) -> Predicate {
        self.predicates += 1;
        (self.predicates - 1) as Predicate
    }

    /// A place in the function's own memory.
    pub fn place(&mut self, bytes: usize, align: usize) -> u32 {
        let offset = (self.local as usize).next_multiple_of(align.max(1));
        self.local = (offset + bytes) as u32;
        self.most_local = self.most_local.max(self.local);
        offset as u32
    }
}

impl Family {
    fn member(&self, index: u32) -> Named {
        let index = self.first + index as u16;
        match self.kind {
            Type::Pred => Named::Predicate(index),
            kind => Named::Register(index, width(kind)),
        }
    }
}

fn width(kind: Type) -> Width {
    match kind.bytes() {
        1 => Width::W8,
        2 => Width::W16,
        4 => Width::W32,
        _ => Width::W64,
    }
}
