//! The loops of the operator table.

use super::element::{InMemory, Run, one_by_one};
use super::half::find_half;
use super::near::find_near;
use crate::level::Level;
use darray_codegen::Primitive;
use darray_core::DType;
use darray_kernel::element::{Element, f16};
use darray_kernel::for_each_primitive;
use darray_kernel::operator::Operator;
use std::mem::MaybeUninit;

/// Applies a primitive to `n` elements: four operands (those that it does not have are not read),
/// the result, `n`.
///
/// # Safety
/// Every operand has `n` elements (one where its form is uniform) and the result has room for `n`,
/// aligned to their types. The result is disjoint from every operand, or the same address as one
/// whose elements are not smaller.
pub(crate) type Compute = unsafe fn(*const u8, *const u8, *const u8, *const u8, *mut u8, usize);

/// The loop for a primitive whose last operand is of `dtype`, with the operands of the bits
/// `uniform` single elements. None where the operator is not defined or there is no such form, see
/// [`Primitive::takes_uniform`].
pub(crate) fn find_compute(
    primitive: Primitive,
    dtype: DType,
    uniform: u8,
    level: Level,
) -> Option<Compute> {
    match primitive {
        Primitive::Apply(operator) => find_near(operator, dtype, level)
            .or_else(|| find_half(operator, dtype, level))
            .filter(|_| uniform == 0)
            .or_else(|| find_apply(operator, dtype, uniform, level)),
    }
}

/// Elements computed at once: enough for four vectors of the widest registers.
const CHUNK: usize = 32;

trait Unary {
    /// [`Primitive::is_costly`]
    const COSTLY: bool;
    type A: InMemory;
    type O: InMemory;
    fn at(a: Self::A) -> Self::O;
}

trait Binary {
    /// [`Primitive::is_costly`]
    const COSTLY: bool;
    type A: InMemory;
    type O: InMemory;
    fn at(a: Self::A, b: Self::A) -> Self::O;
}

trait Ternary {
    type A: InMemory;
    type B: InMemory;
    type C: InMemory;
    type O: InMemory;
    fn at(a: Self::A, b: Self::B, c: Self::C) -> Self::O;
}

/// Writes `n` elements made by `make(k)`, a chunk at a time: within a chunk everything is read
/// before anything is written, so that the compiler need not ask whether addresses overlap.
///
/// # Safety
/// `out` has room for `n` elements; what `make` does with `0..n` is safe.
#[inline(always)]
unsafe fn write_all<O: InMemory>(out: Run<O>, n: usize, make: impl Fn(usize) -> O) {
    // SAFETY: the caller's contract.
    unsafe {
        let at = write_chunks::<O, CHUNK>(out, 0, n, &make);
        let at = write_chunks::<O, 8>(out, at, n, &make);
        write_chunks::<O, 1>(out, at, n, &make);
    }
}

/// As many whole chunks as fit into `at..n`; gives the end of the last.
///
/// # Safety
/// As for [`write_all`].
#[inline(always)]
unsafe fn write_chunks<O: InMemory, const N: usize>(
    out: Run<O>,
    from: usize,
    n: usize,
    make: &impl Fn(usize) -> O,
) -> usize {
    let mut at = from;
    while at + N <= n {
        let mut chunk = [MaybeUninit::<O::Raw>::uninit(); N];
        for (k, element) in chunk.iter_mut().enumerate() {
            element.write(make(at + k).into_raw());
        }
        // SAFETY: `at + N <= n`; every element of the chunk was written.
        unsafe { out.0.add(at).cast::<[MaybeUninit<O::Raw>; N]>().write(chunk) };
        at = one_by_one(at + N);
    }
    at
}

/// Elements of costly primitives computed at once: so few that the code is one or two vectors long.
/// Chunks do not depend on each other and overlap in the processor.
const COSTLY_CHUNK: usize = 16;

/// As [`write_all`] for costly primitives: `make` stands in the code once, not once per size of
/// chunk. `make(operands, k)` gives element `k` of a chunk whose operands begin at these addresses;
/// what is left over is computed in copies of whole chunks.
///
/// # Safety
/// Each of the `operands` has `n` elements, `out` room for `n`; `make` reads what it may.
#[inline(always)]
pub(super) unsafe fn write_costly<A: InMemory, O: InMemory, const OPERANDS: usize>(
    operands: [Run<A>; OPERANDS],
    out: Run<O>,
    n: usize,
    make: impl Fn([Run<A>; OPERANDS], usize) -> O,
) {
    const N: usize = COSTLY_CHUNK;
    let mut at = 0;
    while at < n {
        let count = N.min(n - at);
        let mut copies = [[MaybeUninit::<A::Raw>::uninit(); N]; OPERANDS];
        let mut results = [MaybeUninit::<O::Raw>::uninit(); N];
        // SAFETY: whole chunks lie inside operands and result. Of the last one `count` elements are
        // copied, the first of them into the places beyond, so that all of the copy is initialised.
        unsafe {
            let mut sources = array_of!(OPERANDS, |of| Run::<A>(operands[of].0.add(at)));
            let mut target: *mut [MaybeUninit<O::Raw>; N] = out.0.add(at).cast();
            if count < N {
                for (of, copy) in copies.iter_mut().enumerate() {
                    for (k, element) in copy.iter_mut().enumerate() {
                        element.write(sources[of].0.add(if k < count { k } else { 0 }).read());
                    }
                    sources[of] = Run(copy.as_mut_ptr().cast());
                }
                target = &raw mut results;
            }
            let mut chunk = [MaybeUninit::<O::Raw>::uninit(); N];
            for (k, element) in chunk.iter_mut().enumerate() {
                element.write(make(sources, k).into_raw());
            }
            target.write(chunk);
            if count < N {
                out.0.add(at).copy_from_nonoverlapping(results.as_ptr().cast(), count);
            }
        }
        at = one_by_one(at + N);
    }
}

macro_rules! define_loops {
    ($(($level:ident, $unary:ident, $binary:ident, $ternary:ident $(, $features:literal)?))+) => {
        $(
            $(#[target_feature(enable = $features)])?
            unsafe fn $unary<F: Unary>(
                a: *const u8,
                _: *const u8,
                _: *const u8,
                _: *const u8,
                out: *mut u8,
                n: usize,
            ) {
                let (a, out) = (Run::<F::A>::new(a), Run::<F::O>::new(out));
                // SAFETY: the contract of `Compute`.
                unsafe {
                    if F::COSTLY {
                        write_costly([a], out, n, |[a], k| F::at(a.get(k)));
                    } else {
                        write_all(out, n, |k| F::at(a.get(k)));
                    }
                }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn $binary<F: Binary, const UNIFORM: u8>(
                a: *const u8,
                b: *const u8,
                _: *const u8,
                _: *const u8,
                out: *mut u8,
                n: usize,
            ) {
                let (a, b, out) =
                    (Run::<F::A>::new(a), Run::<F::A>::new(b), Run::<F::O>::new(out));
                // SAFETY: the contract of `Compute`; a uniform operand has one element.
                unsafe {
                    if F::COSTLY {
                        return write_costly([a, b], out, n, |[a, b], k| {
                            F::at(a.get(k), b.get(k))
                        });
                    }
                    let (first_a, first_b) = (a.get(0), b.get(0));
                    write_all(out, n, |k| {
                        let a = if UNIFORM & 1 == 0 { a.get(k) } else { first_a };
                        let b = if UNIFORM & 2 == 0 { b.get(k) } else { first_b };
                        F::at(a, b)
                    })
                }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn $ternary<F: Ternary, const UNIFORM: u8>(
                a: *const u8,
                b: *const u8,
                c: *const u8,
                _: *const u8,
                out: *mut u8,
                n: usize,
            ) {
                let (a, b, c) = (Run::<F::A>::new(a), Run::<F::B>::new(b), Run::<F::C>::new(c));
                // SAFETY: the contract of `Compute`; a uniform operand has one element.
                unsafe {
                    let (first_b, first_c) = (b.get(0), c.get(0));
                    write_all(Run::<F::O>::new(out), n, |k| {
                        let b = if UNIFORM & 2 == 0 { b.get(k) } else { first_b };
                        let c = if UNIFORM & 4 == 0 { c.get(k) } else { first_c };
                        F::at(a.get(k), b, c)
                    })
                }
            }
        )+

        fn find_unary<F: Unary>(uniform: u8, level: Level) -> Option<Compute> {
            match (level, uniform) {
                $((Level::$level, 0) => Some($unary::<F>),)+
                _ => None,
            }
        }

        fn find_binary<F: Binary>(uniform: u8, level: Level) -> Option<Compute> {
            match (level, uniform) {
                $((Level::$level, 0) => return Some($binary::<F, 0>),)+
                _ => {}
            }
            if F::COSTLY {
                return None;
            }
            match (level, uniform) {
                $((Level::$level, 1) => Some($binary::<F, 1>),)+
                $((Level::$level, 2) => Some($binary::<F, 2>),)+
                _ => None,
            }
        }

        fn find_ternary<F: Ternary>(uniform: u8, level: Level) -> Option<Compute> {
            match (level, uniform) {
                $((Level::$level, 0) => Some($ternary::<F, 0>),)+
                $((Level::$level, 2) => Some($ternary::<F, 2>),)+
                $((Level::$level, 4) => Some($ternary::<F, 4>),)+
                $((Level::$level, 6) => Some($ternary::<F, 6>),)+
                _ => None,
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
define_loops! {
    (Baseline, unary_baseline, binary_baseline, ternary_baseline)
    (Avx2, unary_avx2, binary_avx2, ternary_avx2, "avx2,fma")
    (Avx512, unary_avx512, binary_avx512, ternary_avx512,
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}

#[cfg(not(target_arch = "x86_64"))]
define_loops! { (Baseline, unary_baseline, binary_baseline, ternary_baseline) }

/// A primitive as a type, so that its loops are instances of one generic function.
macro_rules! instance {
    ($operator:ident, $uniform:ident, $level:ident, $function:path, ($a:ident) -> $o:ident) => {{
        struct Row;
        impl Unary for Row {
            const COSTLY: bool = Primitive::Apply(Operator::$operator).is_costly();
            type A = $a;
            type O = $o;
            #[inline(always)]
            fn at(a: $a) -> $o {
                $function(a)
            }
        }
        find_unary::<Row>($uniform, $level)
    }};
    ($operator:ident, $uniform:ident, $level:ident, $function:path, ($a:ident, $b:ident) -> $o:ident) => {{
        struct Row;
        impl Binary for Row {
            const COSTLY: bool = Primitive::Apply(Operator::$operator).is_costly();
            type A = $a;
            type O = $o;
            #[inline(always)]
            fn at(a: $a, b: $b) -> $o {
                $function(a, b)
            }
        }
        find_binary::<Row>($uniform, $level)
    }};
    ($operator:ident, $uniform:ident, $level:ident, $function:path, ($a:ident, $b:ident, $c:ident) -> $o:ident) => {{
        struct Row;
        impl Ternary for Row {
            type A = $a;
            type B = $b;
            type C = $c;
            type O = $o;
            #[inline(always)]
            fn at(a: $a, b: $b, c: $c) -> $o {
                $function(a, b, c)
            }
        }
        find_ternary::<Row>($uniform, $level)
    }};
}

macro_rules! define_find_apply {
    ($(($operator:ident, ($($input:ident),+) -> $output:ident, $function:path))*) => {
        pub(super) fn find_apply(
            operator: Operator,
            dtype: DType,
            uniform: u8,
            level: Level,
        ) -> Option<Compute> {
            $(
                let last = [$(<$input as Element>::DTYPE),+].last().copied();
                if operator == Operator::$operator && last == Some(dtype) {
                    return instance!($operator, uniform, level, $function, ($($input),+) -> $output);
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
    fn every_row_of_the_table_has_every_form_at_every_level() {
        let (mut found, mut absent) = (0, 0);
        for level in Level::ALL.into_iter().filter(|&level| level <= Level::detect()) {
            for &operator in Operator::ALL {
                let primitive = Primitive::Apply(operator);
                for signature in operator.row().signatures {
                    let (arity, last) = (signature.inputs.len(), signature.inputs.last().copied());
                    for uniform in 0..1 << arity {
                        let run = last.and_then(|d| find_compute(primitive, d, uniform, level));
                        let expected = primitive.takes_uniform(arity, uniform);
                        assert_eq!(run.is_some(), expected, "{operator} {last:?} {uniform:b}");
                        if expected { found += 1 } else { absent += 1 }
                    }
                }
            }
        }
        assert!(found > 200 && absent > 100, "{found} {absent}");
    }

    #[test]
    fn tails_of_blocks_equal_their_heads() {
        let run = find_apply(Operator::Exp, DType::F64, 0, Level::detect()).unwrap();
        let from: Vec<f64> = (0..100).map(|k| k as f64 * 0.37 - 20.0).collect();
        let apply = |n: usize| {
            let (mut out, a) = (vec![0.0f64; 100], from.as_ptr().cast());
            // SAFETY: both vectors have at least `n` elements.
            unsafe { run(a, a, a, a, out.as_mut_ptr().cast(), n) };
            out
        };
        let all = apply(100);
        for n in 1..100 {
            let part = apply(n);
            assert_eq!(part[..n], all[..n]);
            assert!(part[n..].iter().all(|&v| v == 0.0), "nothing beyond {n} is written");
        }
    }
}
