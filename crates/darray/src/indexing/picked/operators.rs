//! Operators of what is chosen: those of the array that it is.

use crate::{Argument, DArray, Element, Operand, Picked, Promote};
use num_complex::Complex;
use std::ops;

/// By value and by reference, on the left and on the right.
macro_rules! operators {
    ($($trait:ident $method:ident: $($number:ty)*;)*) => { $(
        impl<T: Element, R> ops::$trait<R> for Picked<T> where DArray<T>: ops::$trait<R> {
            type Output = <DArray<T> as ops::$trait<R>>::Output;

            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                self.array().$method(right)
            }
        }

        impl<T: Element, R> ops::$trait<R> for &Picked<T> where DArray<T>: ops::$trait<R> {
            type Output = <DArray<T> as ops::$trait<R>>::Output;

            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                self.array().$method(right)
            }
        }

        $(
            impl<T: Element> ops::$trait<Picked<T>> for $number where $number: ops::$trait<DArray<T>> {
                type Output = <$number as ops::$trait<DArray<T>>>::Output;

                #[track_caller]
                fn $method(self, right: Picked<T>) -> Self::Output {
                    self.$method(right.array())
                }
            }

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
    Add add: f64 i64 Complex<f64>;
    Sub sub: f64 i64 Complex<f64>;
    Mul mul: f64 i64 Complex<f64>;
    Div div: f64 i64 Complex<f64>;
    Rem rem: f64 i64;
    BitAnd bitand: ;
    BitOr bitor: ;
    BitXor bitxor: ;
}

macro_rules! signs {
    ($($trait:ident $method:ident;)*) => { $(
        impl<T: Element> ops::$trait for Picked<T> where DArray<T>: ops::$trait {
            type Output = <DArray<T> as ops::$trait>::Output;

            #[track_caller]
            fn $method(self) -> Self::Output {
                self.array().$method()
            }
        }

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

    #[track_caller]
    fn argument(&self) -> Argument<'_> {
        Argument::Array(self.as_dyn())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element + Promote<V>, V: Element> Operand<T> for &Picked<V> {
    type Output = <T as Promote<V>>::Output;

    #[track_caller]
    fn argument(&self) -> Argument<'_> {
        Argument::Array(self.as_dyn())
    }
}
