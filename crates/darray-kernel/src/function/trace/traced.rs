//! Numbers that record what is done with them.

use super::recorder::{self, Table, record};
use super::{Action, Kind, Trace};
use crate::function::number::Native;
use crate::function::number::real::{Bits, Real, Single};
use darray_core::Compute;
use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// A number of a [`Trace`]: `Traced<f64>` or `Traced<f32>`.
#[derive(Clone, Copy, Debug)]
pub struct Traced<F> {
    number: u32,
    format: PhantomData<F>,
}

/// The bits of a [`Traced`] number.
#[derive(Clone, Copy, Debug)]
pub struct TracedBits<F> {
    number: u32,
    format: PhantomData<F>,
}

/// The answer of a comparison of [`Traced`] numbers.
#[derive(Clone, Copy, Debug)]
pub struct TracedMask(u32);

/// A traced number of a known format.
pub trait Formatted {
    /// F32 or F64.
    const FORMAT: Compute;
}

impl Trace {
    /// The steps of a function of `arity` numbers of one format.
    pub fn record<F>(arity: usize, function: impl FnOnce(&[Traced<F>]) -> Traced<F>) -> Trace
    where
        Traced<F>: Formatted,
    {
        let kind = Kind::Number(Traced::<F>::FORMAT);
        recorder::begin();
        let operands: Vec<Traced<F>> =
            (0..arity).map(|k| Traced::new(record(kind, Action::Input(k as u8), &[]))).collect();
        recorder::end(function(&operands).number())
    }
}

impl<F> Traced<F> {
    pub(super) fn new(number: u32) -> Self {
        Traced { number, format: PhantomData }
    }

    pub(super) fn number(self) -> u32 {
        self.number
    }
}

impl<F> TracedBits<F> {
    fn new(number: u32) -> Self {
        TracedBits { number, format: PhantomData }
    }
}

fn mask(action: Action, args: &[u32]) -> TracedMask {
    TracedMask(record(Kind::Mask, action, args))
}

impl BitAnd for TracedMask {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        mask(Action::And, &[self.0, other.0])
    }
}

impl BitOr for TracedMask {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        mask(Action::Or, &[self.0, other.0])
    }
}

impl Not for TracedMask {
    type Output = Self;
    fn not(self) -> Self {
        mask(Action::Not, &[self.0])
    }
}

macro_rules! traced {
    ($($float:ident $dtype:ident $bits:ident;)*) => { $(
        traced! { @operators $float $dtype: Add add, Sub sub, Mul mul, Div div }
        traced! { @bits $float $dtype:
            Add add Add, Sub sub Sub, BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor }

        impl Formatted for Traced<$float> {
            const FORMAT: Compute = Compute::$dtype;
        }

        impl Traced<$float> {
            fn step(action: Action, args: &[u32]) -> Self {
                Self::new(record(Kind::Number(Compute::$dtype), action, args))
            }
        }

        impl TracedBits<$float> {
            fn step(action: Action, args: &[u32]) -> Self {
                Self::new(record(Kind::Bits(Compute::$dtype), action, args))
            }
        }

        impl Neg for Traced<$float> {
            type Output = Self;
            fn neg(self) -> Self {
                Self::step(Action::Neg, &[self.number])
            }
        }

        impl Real for Traced<$float> {
            type Bits = TracedBits<$float>;
            type Mask = TracedMask;

            fn literal(value: f64) -> Self {
                let Native(number) = Native::<$float>::literal(value);
                Self::step(Action::Constant(number.to_bits().into()), &[])
            }
            fn mul_add(self, factor: Self, addend: Self) -> Self {
                Self::step(Action::MulAdd, &[self.number, factor.number, addend.number])
            }
            fn sqrt(self) -> Self {
                Self::step(Action::Sqrt, &[self.number])
            }
            fn rem(self, divisor: Self) -> Self {
                Self::step(Action::Rem, &[self.number, divisor.number])
            }
            fn abs(self) -> Self {
                Self::step(Action::Abs, &[self.number])
            }
            fn copysign(self, sign: Self) -> Self {
                Self::step(Action::CopySign, &[self.number, sign.number])
            }
            fn round(self) -> Self {
                Self::step(Action::Round, &[self.number])
            }
            fn to_bits(self) -> TracedBits<$float> {
                TracedBits::<$float>::step(Action::ToBits, &[self.number])
            }
            fn from_bits(bits: TracedBits<$float>) -> Self {
                Self::step(Action::FromBits, &[bits.number])
            }
            fn lt(self, other: Self) -> TracedMask {
                mask(Action::Lt, &[self.number, other.number])
            }
            fn le(self, other: Self) -> TracedMask {
                mask(Action::Le, &[self.number, other.number])
            }
            fn eq(self, other: Self) -> TracedMask {
                mask(Action::Eq, &[self.number, other.number])
            }
            fn select(mask: TracedMask, then: Self, otherwise: Self) -> Self {
                Self::step(Action::Select, &[mask.0, then.number, otherwise.number])
            }
            fn lookup<const N: usize>(table: &'static [f64; N], index: Self::Bits) -> Self {
                const { assert!(N.is_power_of_two()) };
                Self::step(Action::Lookup(Table(table)), &[index.number])
            }
        }

        impl Bits for TracedBits<$float> {
            type Mask = TracedMask;

            fn literal(value: i64) -> Self {
                Self::step(Action::Constant((value as $bits).into()), &[])
            }
            fn shl(self, count: u32) -> Self {
                Self::step(Action::Shl(count), &[self.number])
            }
            fn shr(self, count: u32) -> Self {
                Self::step(Action::Shr(count), &[self.number])
            }
            fn lt(self, other: Self) -> TracedMask {
                mask(Action::Lt, &[self.number, other.number])
            }
            fn eq(self, other: Self) -> TracedMask {
                mask(Action::Eq, &[self.number, other.number])
            }
            fn select(mask: TracedMask, then: Self, otherwise: Self) -> Self {
                Self::step(Action::Select, &[mask.0, then.number, otherwise.number])
            }
        }
    )* };
    (@operators $float:ident $dtype:ident: $($trait:ident $method:ident),*) => { $(
        impl $trait for Traced<$float> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self::step(Action::$trait, &[self.number, other.number])
            }
        }
    )*
        traced! { @literals $float: Add add, Sub sub, Mul mul }
    };
    (@literals $float:ident: $($trait:ident $method:ident),*) => { $(
        impl $trait<f64> for Traced<$float> {
            type Output = Self;
            fn $method(self, literal: f64) -> Self {
                self.$method(Self::literal(literal))
            }
        }
    )* };
    (@bits $float:ident $dtype:ident: $($trait:ident $method:ident $action:ident),*) => { $(
        impl $trait for TracedBits<$float> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self::step(Action::$action, &[self.number, other.number])
            }
        }

        impl $trait<i64> for TracedBits<$float> {
            type Output = Self;
            fn $method(self, literal: i64) -> Self {
                self.$method(Self::literal(literal))
            }
        }
    )* };
}

traced! {
    f64 F64 u64;
    f32 F32 u32;
}

impl Single for Traced<f32> {
    type Double = Traced<f64>;

    fn widen(self) -> Traced<f64> {
        Traced::<f64>::step(Action::Convert, &[self.number])
    }
    fn narrow(number: Traced<f64>) -> Self {
        Self::step(Action::Convert, &[number.number])
    }
}
