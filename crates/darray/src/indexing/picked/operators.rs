//! Operators of what is chosen: those of the array that it is.

use crate::{
    Argument, AsArray, DArray, Element, MathArgument, Operand, Operands, Picked, Promote,
    ScalarLike, Unary,
};
use darray_core::{bf16, f16};
use num_complex::Complex;
use std::ops;

/// By value and by reference, on the left and on the right.
macro_rules! operators {
    ($($trait:ident $method:ident: $($number:ty)*;)*) => { $(
        #[doc(hidden)]
        impl<T: Element, R> ops::$trait<R> for Picked<T> where DArray<T>: ops::$trait<R> {
            type Output = <DArray<T> as ops::$trait<R>>::Output;

            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                self.array().$method(right)
            }
        }

        #[doc(hidden)]
        impl<T: Element, R> ops::$trait<R> for &Picked<T> where DArray<T>: ops::$trait<R> {
            type Output = <DArray<T> as ops::$trait<R>>::Output;

            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                self.array().$method(right)
            }
        }

        $(
            #[doc(hidden)]
            impl<T: Element> ops::$trait<Picked<T>> for $number where $number: ops::$trait<DArray<T>> {
                type Output = <$number as ops::$trait<DArray<T>>>::Output;

                #[track_caller]
                fn $method(self, right: Picked<T>) -> Self::Output {
                    self.$method(right.array())
                }
            }

            #[doc(hidden)]
            impl<T: Element> ops::$trait<&Picked<T>> for $number where $number: ops::$trait<DArray<T>> {
                type Output = <$number as ops::$trait<DArray<T>>>::Output;

                #[track_caller]
                fn $method(self, right: &Picked<T>) -> Self::Output {
                    self.$method(right.array())
                }
            }
        )*
    )* };
}

operators! {
    Add add: i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64 Complex<f32> Complex<f64>;
    Sub sub: i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64 Complex<f32> Complex<f64>;
    Mul mul: i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64 Complex<f32> Complex<f64>;
    Div div: i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64 Complex<f32> Complex<f64>;
    Rem rem: i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64;
    BitAnd bitand: ;
    BitOr bitor: ;
    BitXor bitxor: ;
}

macro_rules! signs {
    ($($trait:ident $method:ident;)*) => { $(
        #[doc(hidden)]
        impl<T: Element> ops::$trait for Picked<T> where DArray<T>: ops::$trait {
            type Output = <DArray<T> as ops::$trait>::Output;

            #[track_caller]
            fn $method(self) -> Self::Output {
                self.array().$method()
            }
        }

        #[doc(hidden)]
        impl<T: Element> ops::$trait for &Picked<T> where DArray<T>: ops::$trait {
            type Output = <DArray<T> as ops::$trait>::Output;

            #[track_caller]
            fn $method(self) -> Self::Output {
                self.array().$method()
            }
        }
    )* };
}

signs! {
    Neg neg;
    Not not;
}

#[diagnostic::do_not_recommend]
impl<T: Element + Promote<V>, V: Element> Operand<T> for Picked<V> {
    type Output = <T as Promote<V>>::Output;
    type FunctionOutput = <T as Promote<V>>::FunctionOutput;

    #[track_caller]
    fn argument(&self) -> Argument<'_> {
        Argument::Array(self.as_dyn())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element + Promote<V>, V: Element> Operand<T> for &Picked<V> {
    type Output = <T as Promote<V>>::Output;
    type FunctionOutput = <T as Promote<V>>::FunctionOutput;

    #[track_caller]
    fn argument(&self) -> Argument<'_> {
        Argument::Array(self.as_dyn())
    }
}

/// What functions of [`np`](crate::np) take, by value and by reference.
macro_rules! arguments {
    ($($picked:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element> AsArray<T> for $picked {
            #[track_caller]
            fn as_array(&self) -> &DArray<T> {
                self
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Element> MathArgument for $picked {
            type Element = T;
            type Of<U: Element> = DArray<U>;

            #[track_caller]
            fn apply<U: Element>(self, operation: Unary) -> DArray<U> {
                self.array().apply(operation)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Element, B: Operand<T>> Operands<B> for $picked {
            type Output = B::Output;
            type FunctionOutput = B::FunctionOutput;

            #[track_caller]
            fn arguments<'a>(&'a self, other: &'a B) -> (Argument<'a>, Argument<'a>) {
                (Argument::Array(self.as_dyn()), other.argument())
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Element, S: ScalarLike + Operand<T>> Operands<$picked> for S {
            type Output = <S as Operand<T>>::Output;
            type FunctionOutput = <S as Operand<T>>::FunctionOutput;

            #[track_caller]
            fn arguments<'a>(&'a self, other: &'a $picked) -> (Argument<'a>, Argument<'a>) {
                (self.argument(), Argument::Array(other.as_dyn()))
            }
        }
    )* };
}

arguments!(Picked<T> &Picked<T>);
