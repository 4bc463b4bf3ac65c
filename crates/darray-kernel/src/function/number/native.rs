//! Rust's own numbers.

use crate::function::number::real::{Bits, Real, Single};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Sub};

/// A number of Rust: `Native<f64>` or `Native<f32>`. Everything is inlined, so loops over functions
/// of native numbers become vector code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Native<F>(pub F);

/// The bits of a [`Native`] number: `NativeBits<u64>` or `NativeBits<u32>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NativeBits<U>(pub U);

macro_rules! native {
    ($($float:ident $bits:ident $signed:ident;)*) => { $(
        native! { @operators $float: Add add, Sub sub, Mul mul, Div div }
        native! { @literals $float: Add add, Sub sub, Mul mul }
        native! { @bits $bits: Add add wrapping_add, Sub sub wrapping_sub }
        native! { @bits $bits: BitAnd bitand bitand, BitOr bitor bitor, BitXor bitxor bitxor }

        impl Neg for Native<$float> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Native(-self.0)
            }
        }

        impl Real for Native<$float> {
            type Bits = NativeBits<$bits>;
            type Mask = bool;

            #[inline(always)]
            fn literal(value: f64) -> Self {
                Native((value as $float).copysign(1f64.copysign(value) as $float))
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, addend: Self) -> Self {
                Native(self.0.mul_add(factor.0, addend.0))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Native(self.0.sqrt())
            }
            #[inline(always)]
            fn rem(self, divisor: Self) -> Self {
                Native(self.0 % divisor.0)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                Native(self.0.abs())
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                Native(self.0.copysign(sign.0))
            }
            #[inline(always)]
            fn round(self) -> Self {
                Native(self.0.round_ties_even())
            }
            #[inline(always)]
            fn to_bits(self) -> NativeBits<$bits> {
                NativeBits(self.0.to_bits())
            }
            #[inline(always)]
            fn from_bits(bits: NativeBits<$bits>) -> Self {
                Native($float::from_bits(bits.0))
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self.0 < other.0
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                self.0 <= other.0
            }
            #[inline(always)]
            fn eq(self, other: Self) -> bool {
                self.0 == other.0
            }
            #[inline(always)]
            fn select(mask: bool, then: Self, otherwise: Self) -> Self {
                if mask { then } else { otherwise }
            }
            #[inline(always)]
            fn lookup<const N: usize>(table: &'static [f64; N], index: Self::Bits) -> Self {
                const { assert!(N.is_power_of_two()) };
                Native(table[index.0 as usize & (N - 1)] as $float)
            }
        }

        impl Bits for NativeBits<$bits> {
            type Mask = bool;

            #[inline(always)]
            fn literal(value: i64) -> Self {
                NativeBits(value as $bits)
            }
            #[inline(always)]
            fn shl(self, count: u32) -> Self {
                NativeBits(self.0 << count)
            }
            #[inline(always)]
            fn shr(self, count: u32) -> Self {
                NativeBits(self.0 >> count)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                (self.0 as $signed) < other.0 as $signed
            }
            #[inline(always)]
            fn eq(self, other: Self) -> bool {
                self.0 == other.0
            }
            #[inline(always)]
            fn select(mask: bool, then: Self, otherwise: Self) -> Self {
                if mask { then } else { otherwise }
            }
        }
    )* };
    (@operators $float:ident: $($trait:ident $method:ident),*) => { $(
        impl $trait for Native<$float> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Native(self.0.$method(other.0))
            }
        }
    )* };
    (@literals $float:ident: $($trait:ident $method:ident),*) => { $(
        impl $trait<f64> for Native<$float> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, literal: f64) -> Self {
                Native(self.0.$method(literal as $float))
            }
        }
    )* };
    (@bits $bits:ident: $($trait:ident $method:ident $function:ident),*) => { $(
        impl $trait for NativeBits<$bits> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                NativeBits(self.0.$function(other.0))
            }
        }

        impl $trait<i64> for NativeBits<$bits> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, literal: i64) -> Self {
                NativeBits(self.0.$function(literal as $bits))
            }
        }
    )* };
}

impl Single for Native<f32> {
    type Double = Native<f64>;

    #[inline(always)]
    fn widen(self) -> Native<f64> {
        Native(self.0 as f64)
    }
    #[inline(always)]
    fn narrow(number: Native<f64>) -> Self {
        Native(number.0 as f32)
    }
}

native! {
    f64 u64 i64;
    f32 u32 i32;
}
