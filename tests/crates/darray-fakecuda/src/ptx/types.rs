//! The types of PTX registers and memory.

/// A fundamental type of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A predicate: one bit, which has no place in memory.
    Pred,
    /// Untyped bits.
    Bits(Width),
    /// A whole number without sign.
    Unsigned(Width),
    /// A whole number in two's complement.
    Signed(Width),
    /// A half-precision number.
    F16,
    /// A single-precision number.
    F32,
    /// A double-precision number.
    F64,
}

/// How many bits a whole number has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 8 bits.
    W8,
    /// 16 bits.
    W16,
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

impl Width {
    /// The width in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Width::W8 => 1,
            Width::W16 => 2,
            Width::W32 => 4,
            Width::W64 => 8,
        }
    }

    /// The width in bits.
    pub fn bits(self) -> u32 {
        8 * self.bytes() as u32
    }
}

impl Type {
    /// The type that a modifier names, written without its point: `u32`, `f64`, `pred`.
    pub fn parse(name: &str) -> Option<Type> {
        match name {
            "pred" => return Some(Type::Pred),
            "f16" => return Some(Type::F16),
            "f32" => return Some(Type::F32),
            "f64" => return Some(Type::F64),
            _ => {}
        }
        let width = match name.get(1..)? {
            "8" => Width::W8,
            "16" => Width::W16,
            "32" => Width::W32,
            "64" => Width::W64,
            _ => return None,
        };
        match name.as_bytes()[0] {
            b'b' => Some(Type::Bits(width)),
            b'u' => Some(Type::Unsigned(width)),
            b's' => Some(Type::Signed(width)),
            _ => None,
        }
    }

    /// Bytes of a value in memory; a predicate counts as one.
    pub fn bytes(self) -> usize {
        match self {
            Type::Pred => 1,
            Type::Bits(width) | Type::Unsigned(width) | Type::Signed(width) => width.bytes(),
            Type::F16 => 2,
            Type::F32 => 4,
            Type::F64 => 8,
        }
    }

    /// Whether loads of the type extend its sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::Signed(_))
    }

    /// Whether the type is a floating-point number.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::F32 | Type::F64)
    }
}
