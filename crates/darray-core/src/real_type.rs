//! Types of numbers in memory: one table, and what follows from it. Element types of arrays are these and complex numbers of
//! two of them, `dtype.rs`.

use std::fmt;

/// Calls `callback! { prefix rows }` with THE table of element types. A row is
///
/// ```text
/// /// What it is.
/// Name = rust_type (kind, bytes, significand bits of a float, type of computation, type of a sum);
/// ```
///
/// The order is that of the promotion: bool, integers by size, floats by size. All that is said of a type elsewhere is a
/// function of its row, or a table of its own that a test compares with this one.
#[macro_export]
macro_rules! for_each_element {
    ([$($callback:tt)+] $($prefix:tt)*) => {
        $($callback)+! {
            $($prefix)*
            /// One byte, 0 or 1.
            Bool = bool (Bool, 1, 0, Bool, I64);
            /// 8-bit signed integer; arithmetic wraps. How elements lie in memory: kernels compute in i32, also of the next three.
            I8 = i8 (Signed, 1, 0, I32, I64);
            /// 8-bit unsigned integer; arithmetic wraps.
            U8 = u8 (Unsigned, 1, 0, I32, U64);
            /// 16-bit signed integer; arithmetic wraps.
            I16 = i16 (Signed, 2, 0, I32, I64);
            /// 16-bit unsigned integer; arithmetic wraps.
            U16 = u16 (Unsigned, 2, 0, I32, U64);
            /// 32-bit signed integer; arithmetic wraps.
            I32 = i32 (Signed, 4, 0, I32, I64);
            /// 32-bit unsigned integer; arithmetic wraps. How elements lie in memory: kernels compute in i64.
            U32 = u32 (Unsigned, 4, 0, I64, U64);
            /// 64-bit signed integer; arithmetic wraps.
            I64 = i64 (Signed, 8, 0, I64, I64);
            /// 64-bit unsigned integer; arithmetic wraps.
            U64 = u64 (Unsigned, 8, 0, U64, U64);
            /// IEEE 754 binary16: how elements lie in memory; kernels compute in f32, see [`RealType::compute`].
            F16 = f16 (Float, 2, 11, F32, F16);
            /// bfloat16, the upper half of an [`F32`](Self::F32): how elements lie in memory; kernels compute in f32.
            BF16 = bf16 (Brain, 2, 8, F32, BF16);
            /// IEEE 754 binary32.
            F32 = f32 (Float, 4, 24, F32, F32);
            /// IEEE 754 binary64.
            F64 = f64 (Float, 8, 53, F64, F64);
        }
    };
}

/// Calls `callback! { kind rust_type Name }` for every row of the table.
#[macro_export]
macro_rules! each_element {
    ($callback:ident) => {
        $crate::for_each_element! { [$crate::each_element] @rows $callback }
    };
    (@rows $callback:ident $($(#[$doc:meta])+ $name:ident = $rust:ident ($kind:ident, $($rest:tt)+);)+) => {
        $($callback! { $kind $rust $name })+
    };
}

/// What the bits of an element mean. With its size that is all that a device has to know of a type: no two types are
/// alike in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A truth value: a byte, false where it is 0.
    Bool,
    /// An integer in two's complement.
    Signed,
    /// An integer without a sign.
    Unsigned,
    /// A floating-point number of IEEE 754.
    Float,
    /// A floating-point number with the exponent of binary32 and a shorter significand: bfloat16.
    Brain,
}

/// The types in which operators and reducers work, and in which lanes hold values.
///
/// ```
/// use darray_core::{Compute, RealType};
/// assert_eq!(Compute::of(RealType::F16), Compute::F32);
/// assert_eq!(Compute::F32.dtype(), RealType::F32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Compute {
    /// Truth values.
    Bool,
    /// Signed integers of 32 bits.
    I32,
    /// Signed integers of 64 bits.
    I64,
    /// Unsigned integers of 64 bits.
    U64,
    /// Floats of 32 bits.
    F32,
    /// Floats of 64 bits.
    F64,
}

struct Row {
    name: &'static str,
    kind: Kind,
    bytes: usize,
    significand: u32,
    compute: Compute,
    sum: RealType,
}

/// Turns the rows into the enum and the table.
macro_rules! define_elements {
    ($($(#[$doc:meta])+ $name:ident = $rust:ident
        ($kind:ident, $bytes:literal, $significand:literal, $compute:ident, $sum:ident);)+) => {
        /// The type of a real number, or truth value, in memory: of the elements of a store, known at run time. (A complex
        /// array has two stores.) Names are for constants and for tests: what a type is to a device say
        /// [`kind`](RealType::kind) and [`size`](RealType::size), what it is to an operator says [`Compute`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum RealType {
            $($(#[$doc])+ $name,)+
        }

        const ROWS: &[Row] = &[$(Row {
            name: stringify!($rust),
            kind: Kind::$kind,
            bytes: $bytes,
            significand: $significand,
            compute: Compute::$compute,
            sum: RealType::$sum,
        }),+];

        impl RealType {
            /// Every element type, in the order of the table.
            pub const ALL: [RealType; ROWS.len()] = [$(RealType::$name),+];
        }
    };
}

for_each_element! { [define_elements] }

impl RealType {
    /// The type of indices: of what `argmin` gives and of what gathers and scatters take. Counters and keys of random
    /// streams have it, too.
    pub const INDEX: RealType = RealType::I64;

    /// The type of masks: of what comparisons give.
    pub const MASK: RealType = RealType::Bool;

    const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// What the bits mean.
    #[inline]
    pub const fn kind(self) -> Kind {
        self.row().kind
    }

    /// Bytes of one element.
    #[inline]
    pub const fn size(self) -> usize {
        self.row().bytes
    }

    /// The name used in texts: `bool`, `i8`, `u8`, `i16`, `u16`, `i32`, `u32`, `i64`, `u64`, `f16`, `bf16`, `f32`,
    /// `f64`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The type with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<RealType> {
        RealType::ALL.into_iter().find(|d| d.name() == name)
    }

    /// The type of this kind and size, if there is one.
    ///
    /// ```
    /// use darray_core::{RealType, Kind};
    /// assert_eq!(RealType::of(Kind::Float, 4), Some(RealType::F32));
    /// assert_eq!(RealType::of(Kind::Bool, 4), None);
    /// ```
    pub const fn of(kind: Kind, bytes: usize) -> Option<RealType> {
        let mut at = 0;
        while at < RealType::ALL.len() {
            let dtype = RealType::ALL[at];
            if dtype.kind() as u8 == kind as u8 && dtype.size() == bytes {
                return Some(dtype);
            }
            at += 1;
        }
        None
    }

    /// Whether this is an integer type; `bool` is none.
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Unsigned)
    }

    /// Whether this is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float | Kind::Brain)
    }

    /// Every whole number below two to this power is one of this type: the bits of an integer without its sign, the
    /// significand of a float.
    pub const fn digits(self) -> u32 {
        let bits = 8 * self.size() as u32;
        match self.kind() {
            Kind::Bool => 1,
            Kind::Signed => bits - 1,
            Kind::Unsigned => bits,
            Kind::Float | Kind::Brain => self.row().significand,
        }
    }

    /// Whether every number of type `other` is one of this type.
    ///
    /// ```
    /// use darray_core::RealType;
    /// assert!(RealType::F64.holds(RealType::I32) && !RealType::F64.holds(RealType::I64));
    /// assert!(RealType::I32.holds(RealType::U8) && !RealType::U8.holds(RealType::F16));
    /// ```
    pub const fn holds(self, other: RealType) -> bool {
        let signed = matches!(other.kind(), Kind::Signed);
        self.digits() >= other.digits()
            && (self.is_float() || !other.is_float())
            && !(signed && matches!(self.kind(), Kind::Unsigned))
            && !(other.is_float() && self.exponent_bits() < other.exponent_bits())
    }

    /// Bits of the exponent of a float: what is left beside its sign and the part of its significand that is stored.
    const fn exponent_bits(self) -> u32 {
        8 * self.size() as u32 - self.digits()
    }

    /// The largest finite number of a float.
    ///
    /// ```
    /// use darray_core::RealType;
    /// assert_eq!(RealType::F32.largest(), f64::from(f32::MAX));
    /// assert_eq!(RealType::F16.largest(), 65504.0);
    /// ```
    pub fn largest(self) -> f64 {
        let exponent = (1 << (self.exponent_bits() - 1)) - 1;
        (2.0 - 2f64.powi(1 - self.digits() as i32)) * 2f64.powi(exponent)
    }

    /// The type in which kernels compute with elements of this type: i32 for smaller integers, i64 for u32, f32 for f16 and bf16, else
    /// itself.
    /// What an operation on u8 gives are the low bits of the i32 result. What one on f16 or bf16 gives is the f32 result rounded to
    /// it; for `+ - * /` and `sqrt` that is the correctly rounded one, because f32 has more than twice the bits.
    pub const fn compute(self) -> RealType {
        Compute::of(self).dtype()
    }

    /// Whether elements of this type only lie in memory: kernels compute in another type.
    pub const fn is_narrow(self) -> bool {
        self.as_compute().is_none()
    }

    /// This type as one that kernels compute in; none if they compute in another.
    ///
    /// ```
    /// use darray_core::{Compute, RealType};
    /// assert_eq!(RealType::F32.as_compute(), Some(Compute::F32));
    /// assert_eq!(RealType::F16.as_compute(), None);
    /// ```
    pub const fn as_compute(self) -> Option<Compute> {
        let compute = Compute::of(self);
        if compute.dtype() as u8 == self as u8 { Some(compute) } else { None }
    }

    /// The type of a sum or product: itself for floats, u64 for unsigned integers, else i64.
    pub const fn accumulator(self) -> RealType {
        self.row().sum
    }
}

impl Compute {
    /// The type in which kernels compute with elements of type `dtype`.
    #[inline]
    pub const fn of(dtype: RealType) -> Compute {
        dtype.row().compute
    }

    /// The same type as an element type.
    #[inline]
    pub const fn dtype(self) -> RealType {
        match self {
            Compute::Bool => RealType::Bool,
            Compute::I32 => RealType::I32,
            Compute::I64 => RealType::I64,
            Compute::U64 => RealType::U64,
            Compute::F32 => RealType::F32,
            Compute::F64 => RealType::F64,
        }
    }
}

impl fmt::Display for RealType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Compute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.dtype().name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    /// Rust's type of each row has the row's size and alignment.
    #[test]
    fn sizes_are_those_of_the_rust_types() {
        macro_rules! check {
            ($kind:ident $rust:ident $name:ident) => {
                assert_eq!(size_of::<$rust>(), RealType::$name.size(), stringify!($rust));
                assert_eq!(align_of::<$rust>(), RealType::$name.size(), stringify!($rust));
            };
        }
        each_element! { check }
    }

    #[test]
    fn kind_and_size_are_a_key() {
        for dtype in RealType::ALL {
            assert_eq!(RealType::of(dtype.kind(), dtype.size()), Some(dtype));
            assert_eq!(RealType::from_name(dtype.name()), Some(dtype));
        }
        assert_eq!(RealType::of(Kind::Float, 1), None);
    }

    #[test]
    fn types_of_computation_compute_as_themselves() {
        for dtype in RealType::ALL {
            let compute = Compute::of(dtype).dtype();
            assert_eq!(compute.compute(), compute);
            assert_eq!(dtype.is_narrow(), compute != dtype);
            assert!(compute.holds(dtype), "{dtype}");
        }
    }

    #[test]
    fn a_type_holds_what_it_has_digits_for() {
        let held = |dtype: RealType| {
            RealType::ALL.map(|other| dtype.holds(other)).map(|holds| if holds { '1' } else { '.' })
        };
        let table: Vec<String> = RealType::ALL.iter().map(|&d| held(d).iter().collect()).collect();
        let expected = [
            "1............",
            "11...........",
            "1.1..........",
            "1111.........",
            "1.1.1........",
            "111111.......",
            "1.1.1.1......",
            "11111111.....",
            "1.1.1.1.1....",
            "111......1...",
            "111.......1..",
            "11111....111.",
            "1111111..1111",
        ];
        assert_eq!(table, expected);
    }
}
