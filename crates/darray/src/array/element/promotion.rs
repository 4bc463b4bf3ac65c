//! NumPy's promotion between element types, at compile time.

use super::{c64, c128};
use crate::{Element, Number};
use darray_core::{bf16, f16};

/// NumPy's promotion of arrays of two element types.
///
/// ```
/// use darray::DArray;
/// let sum: DArray<f64> = DArray::<i64>::ones(2) + DArray::<f32>::ones(2);
/// assert_eq!(sum.to_vec(), [2.0, 2.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "no promotion between element types `{Self}` and `{U}`",
    note = "cast one side: `.cast::<f64>()`"
)]
pub trait Promote<U: ?Sized> {
    /// The element type in which the two are combined.
    type Output: Element;
    /// The element type that functions such as `hypot` give for the two.
    type FunctionOutput: Number;
}

/// One row per pair of element types, as `numpy.result_type` has it; functions of floats give the same, and of integers what their own
/// floats promote to.
macro_rules! promotions {
    (integers $($a:ident $b:ident => $output:ident;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Promote<$b> for $a {
            type Output = $output;
            type FunctionOutput =
                <<$a as Element>::Function as Promote<<$b as Element>::Function>>::Output;
        }
    )* };
    (floats $($a:ident $b:ident => $output:ident;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Promote<$b> for $a {
            type Output = $output;
            type FunctionOutput = $output;
        }
    )* };
}

promotions! {
    integers
    bool bool => bool; bool i8 => i8; bool u8 => u8; bool i16 => i16; bool u16 => u16;
    bool i32 => i32; bool u32 => u32; bool i64 => i64; bool u64 => u64; i8 bool => i8; i8 i8 => i8;
    i8 u8 => i16; i8 i16 => i16; i8 u16 => i32; i8 i32 => i32; i8 u32 => i64; i8 i64 => i64;
    i8 u64 => f64; u8 bool => u8; u8 i8 => i16; u8 u8 => u8; u8 i16 => i16; u8 u16 => u16;
    u8 i32 => i32; u8 u32 => u32; u8 i64 => i64; u8 u64 => u64; i16 bool => i16; i16 i8 => i16;
    i16 u8 => i16; i16 i16 => i16; i16 u16 => i32; i16 i32 => i32; i16 u32 => i64; i16 i64 => i64;
    i16 u64 => f64; u16 bool => u16; u16 i8 => i32; u16 u8 => u16; u16 i16 => i32; u16 u16 => u16;
    u16 i32 => i32; u16 u32 => u32; u16 i64 => i64; u16 u64 => u64; i32 bool => i32; i32 i8 => i32;
    i32 u8 => i32; i32 i16 => i32; i32 u16 => i32; i32 i32 => i32; i32 u32 => i64; i32 i64 => i64;
    i32 u64 => f64; u32 bool => u32; u32 i8 => i64; u32 u8 => u32; u32 i16 => i64; u32 u16 => u32;
    u32 i32 => i64; u32 u32 => u32; u32 i64 => i64; u32 u64 => u64; i64 bool => i64; i64 i8 => i64;
    i64 u8 => i64; i64 i16 => i64; i64 u16 => i64; i64 i32 => i64; i64 u32 => i64; i64 i64 => i64;
    i64 u64 => f64; u64 bool => u64; u64 i8 => f64; u64 u8 => u64; u64 i16 => f64; u64 u16 => u64;
    u64 i32 => f64; u64 u32 => u64; u64 i64 => f64; u64 u64 => u64;
}

promotions! {
    floats
    bool f16 => f16; bool f32 => f32; bool f64 => f64; i8 f16 => f16; i8 f32 => f32; i8 f64 => f64;
    u8 f16 => f16; u8 f32 => f32; u8 f64 => f64; i16 f16 => f32; i16 f32 => f32; i16 f64 => f64;
    u16 f16 => f32; u16 f32 => f32; u16 f64 => f64; i32 f16 => f64; i32 f32 => f64; i32 f64 => f64;
    u32 f16 => f64; u32 f32 => f64; u32 f64 => f64; i64 f16 => f64; i64 f32 => f64; i64 f64 => f64;
    u64 f16 => f64; u64 f32 => f64; u64 f64 => f64; f16 bool => f16; f16 i8 => f16; f16 u8 => f16;
    f16 i16 => f32; f16 u16 => f32; f16 i32 => f64; f16 u32 => f64; f16 i64 => f64; f16 u64 => f64;
    f16 f16 => f16; f16 f32 => f32; f16 f64 => f64; f32 bool => f32; f32 i8 => f32; f32 u8 => f32;
    f32 i16 => f32; f32 u16 => f32; f32 i32 => f64; f32 u32 => f64; f32 i64 => f64; f32 u64 => f64;
    f32 f16 => f32; f32 f32 => f32; f32 f64 => f64; f64 bool => f64; f64 i8 => f64; f64 u8 => f64;
    f64 i16 => f64; f64 u16 => f64; f64 i32 => f64; f64 u32 => f64; f64 i64 => f64; f64 u64 => f64;
    f64 f16 => f64; f64 f32 => f64; f64 f64 => f64; bool c64 => c64; bool c128 => c128;
    c64 bool => c64; c128 bool => c128; i8 c64 => c64; i8 c128 => c128; c64 i8 => c64;
    c128 i8 => c128; u8 c64 => c64; u8 c128 => c128; c64 u8 => c64; c128 u8 => c128;
    i16 c64 => c64; i16 c128 => c128; c64 i16 => c64; c128 i16 => c128; u16 c64 => c64;
    u16 c128 => c128; c64 u16 => c64; c128 u16 => c128; f16 c64 => c64; f16 c128 => c128;
    c64 f16 => c64; c128 f16 => c128; f32 c64 => c64; f32 c128 => c128; c64 f32 => c64;
    c128 f32 => c128; i32 c64 => c128; i32 c128 => c128; c64 i32 => c128; c128 i32 => c128;
    u32 c64 => c128; u32 c128 => c128; c64 u32 => c128; c128 u32 => c128; i64 c64 => c128;
    i64 c128 => c128; c64 i64 => c128; c128 i64 => c128; u64 c64 => c128; u64 c128 => c128;
    c64 u64 => c128; c128 u64 => c128; f64 c64 => c128; f64 c128 => c128; c64 f64 => c128;
    c128 f64 => c128; bf16 bf16 => bf16; bool bf16 => bf16; bf16 bool => bf16; i8 bf16 => bf16;
    bf16 i8 => bf16; u8 bf16 => bf16; bf16 u8 => bf16; i16 bf16 => f32; bf16 i16 => f32;
    u16 bf16 => f32; bf16 u16 => f32; i32 bf16 => f64; bf16 i32 => f64; u32 bf16 => f64;
    bf16 u32 => f64; i64 bf16 => f64; bf16 i64 => f64; u64 bf16 => f64; bf16 u64 => f64;
    f16 bf16 => f32; bf16 f16 => f32; f32 bf16 => f32; bf16 f32 => f32; f64 bf16 => f64;
    bf16 f64 => f64; c64 bf16 => c64; bf16 c64 => c64; c128 bf16 => c128; bf16 c128 => c128;
    c64 c64 => c64; c64 c128 => c128; c128 c64 => c128; c128 c128 => c128;
}
