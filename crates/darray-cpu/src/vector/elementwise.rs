//! The loops of the operator table: portable, one an operator and element type. Processors for which machine code is made
//! run them where a single element is computed, and for what is rare and long; the others, and whoever compares with machine
//! code, run them throughout.

use super::element::{InMemory, Run, one_by_one};
use darray_codegen::Primitive;
use darray_core::RealType;
use darray_kernel::element::{Element, bf16, f16};
use darray_kernel::for_each_primitive;
use darray_kernel::operator::Operator;
use std::mem::MaybeUninit;

/// Applies a primitive to `n` elements: the operands (those that it does not have are not read), which of them are one
/// element for all as bits, the result, `n`.
///
/// # Safety
/// Every operand has `n` elements (one where it serves for all) and the result has room for `n`, aligned to their types. The
/// result is disjoint from every operand, or the same address as one whose elements are not smaller.
pub(crate) type Compute = unsafe fn([*const u8; 4], u8, *mut u8, usize);

/// The loop for a primitive whose last operand is of `dtype`; none where the operator is not defined.
pub(crate) fn find_compute(primitive: Primitive, dtype: RealType) -> Option<Compute> {
    match primitive {
        Primitive::Apply(operator) => find_apply(operator, dtype),
    }
}

/// Elements computed at once: so few that the code is a few vectors long. Within a chunk everything is read before
/// anything is written, so that the compiler need not ask whether addresses overlap.
const CHUNK: usize = 16;

/// Elements of an operand.
type Chunk<T> = [T; CHUNK];

/// Elements `at..at + count` of an operand, the first of them again in the places behind; or one element for all.
///
/// # Safety
/// The elements are readable, `count` is not 0.
#[inline(always)]
unsafe fn read<T: InMemory>(from: *const u8, one: bool, at: usize, count: usize) -> Chunk<T> {
    let from = Run::<T>::new(from);
    // SAFETY: the caller's contract.
    unsafe {
        if one {
            return [from.get(0); CHUNK];
        }
        if count == CHUNK {
            return array_of!(CHUNK, |k| from.get(at + k));
        }
        let mut all = [from.get(at); CHUNK];
        for (k, element) in all.iter_mut().enumerate().take(count) {
            *element = from.get(at + k);
        }
        all
    }
}

/// Writes `n` elements that `make(at, count)` makes of the operands' elements `at..at + count`. What makes them stands in the
/// code once: of the last chunk as many are written as there are.
///
/// # Safety
/// `out` has room for `n` elements; what `make` does with parts of `0..n` is safe.
#[inline(always)]
unsafe fn write_all<O: InMemory>(out: *mut u8, n: usize, make: impl Fn(usize, usize) -> Chunk<O>) {
    let out = Run::<O>::new(out);
    let mut at = 0;
    while at < n {
        let count = CHUNK.min(n - at);
        let made = make(at, count);
        let mut raw = [MaybeUninit::<O::Raw>::uninit(); CHUNK];
        for (raw, made) in raw.iter_mut().zip(made) {
            raw.write(made.into_raw());
        }
        // SAFETY: `at + count <= n`; every element of the chunk was written.
        unsafe {
            let to = out.0.add(at).cast::<MaybeUninit<O::Raw>>();
            if count == CHUNK {
                to.cast::<[MaybeUninit<O::Raw>; CHUNK]>().write(raw);
            } else {
                to.copy_from_nonoverlapping(raw.as_ptr(), count);
            }
        }
        at = one_by_one(at + CHUNK);
    }
}

/// Whether an operand is one element for all.
#[inline(always)]
fn is_one(uniform: u8, operand: usize) -> bool {
    uniform >> operand & 1 == 1
}

/// The loop of a row of the table.
macro_rules! instance {
    ($function:path, ($a:ident) -> $o:ident) => {
        instance!(@ $function, $o: 0 a $a)
    };
    ($function:path, ($a:ident, $b:ident) -> $o:ident) => {
        instance!(@ $function, $o: 0 a $a, 1 b $b)
    };
    ($function:path, ($a:ident, $b:ident, $c:ident) -> $o:ident) => {
        instance!(@ $function, $o: 0 a $a, 1 b $b, 2 c $c)
    };
    (@ $function:path, $o:ident: $($number:literal $operand:ident $type:ident),+) => {{
        unsafe fn run(from: [*const u8; 4], uniform: u8, out: *mut u8, n: usize) {
            // SAFETY: the contract of `Compute`.
            unsafe {
                write_all::<$o>(out, n, |at, count| {
                    $(let $operand: Chunk<$type> =
                        read(from[$number], is_one(uniform, $number), at, count);)+
                    array_of!(CHUNK, |k| $function($($operand[k]),+))
                })
            }
        }
        run
    }};
}

macro_rules! define_find_apply {
    ($(($operator:ident, ($($input:ident),+) -> $output:ident, $function:path))*) => {
        fn find_apply(operator: Operator, dtype: RealType) -> Option<Compute> {
            $(
                let last = [$(<$input as Element>::DTYPE),+].last().copied();
                if operator == Operator::$operator && last == Some(dtype) {
                    return Some(instance!($function, ($($input),+) -> $output));
                }
            )*
            None
        }
    };
}

for_each_primitive!(define_find_apply);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_has_a_loop() {
        for &operator in Operator::ALL {
            for signature in operator.row().signatures {
                let last = signature.inputs.last().copied();
                let run = last.and_then(|d| find_compute(Primitive::Apply(operator), d));
                assert!(run.is_some(), "{operator} {last:?}");
            }
        }
        assert!(find_compute(Primitive::Apply(Operator::Sin), RealType::I64).is_none());
    }

    #[test]
    fn tails_of_blocks_equal_their_heads() {
        let run = find_apply(Operator::Atan2, RealType::F64).unwrap();
        let from: Vec<f64> = (0..100).map(|k| k as f64 * 0.37 - 20.0).collect();
        let apply = |n: usize, uniform: u8| {
            let (mut out, a) = (vec![0.0f64; 100], from.as_ptr().cast());
            // SAFETY: both vectors have at least `n` elements.
            unsafe { run([a; 4], uniform, out.as_mut_ptr().cast(), n) };
            out
        };
        for uniform in 0..4 {
            let all = apply(100, uniform);
            let operand = |k: usize, j: usize| from[if uniform >> j & 1 == 1 { 0 } else { k }];
            for (k, &value) in all.iter().enumerate() {
                let args = [operand(k, 0).into(), operand(k, 1).into()];
                assert_eq!(Operator::Atan2.apply(&args), value.into(), "{uniform} {k}");
            }
            for n in 0..100 {
                let part = apply(n, uniform);
                assert_eq!(part[..n], all[..n]);
                assert!(part[n..].iter().all(|&v| v == 0.0), "nothing beyond {n} is written");
            }
        }
    }
}
