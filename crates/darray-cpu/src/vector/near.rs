//! Loops of functions that have a shorter form for arguments near zero: blocks of such arguments take
//! it, all others the loop of the table. Both give the same bits.

use super::element::{InMemory, Run};
use super::elementwise::{Compute, find_apply, write_costly};
use crate::level::Level;
use darray_core::DType;
use darray_kernel::element::Element;
use darray_kernel::function::Native;
use darray_kernel::function::trace::Trace;
use darray_kernel::function::trigonometric::{self, reduction::NEAR};
use darray_kernel::operator::Operator;
use std::sync::OnceLock;

/// The functions that have a shorter form, which holds for arguments up to [`NEAR`] in size.
macro_rules! define_rows {
    ($(($operator:ident, $dtype:ident, $element:ident, $function:ident))*) => {
        /// The loop for an operator and the type of its operand, if it has a shorter form.
        pub(super) fn find_near(operator: Operator, dtype: DType, level: Level) -> Option<Compute> {
            match (operator, dtype) {
                $((Operator::$operator, DType::$dtype) => {
                    struct Row;
                    impl Near for Row {
                        type Element = $element;
                        const OPERATOR: Operator = Operator::$operator;
                        #[inline(always)]
                        fn is_near(a: $element) -> bool {
                            a.abs() <= NEAR as $element
                        }
                        #[inline(always)]
                        fn near(a: $element) -> $element {
                            trigonometric::$function::<_, true>(Native(a)).0
                        }
                    }
                    Some(find_loop::<Row>(level))
                })*
                _ => None,
            }
        }

        /// The steps of the shorter form, if there is one.
        pub(crate) fn near_trace(operator: Operator, dtype: DType) -> Option<&'static Trace> {
            match (operator, dtype) {
                $((Operator::$operator, DType::$dtype) => {
                    static TRACE: OnceLock<Trace> = OnceLock::new();
                    let record = || {
                        Trace::record::<$element>(1, |x| trigonometric::$function::<_, true>(x[0]))
                    };
                    Some(TRACE.get_or_init(record))
                })*
                _ => None,
            }
        }
    };
}

define_rows! {
    (Sin, F64, f64, sin_f64)
    (Cos, F64, f64, cos_f64)
    (Tan, F64, f64, tan_f64)
    (Sin, F32, f32, sin_f32)
    (Cos, F32, f32, cos_f32)
    (Tan, F32, f32, tan_f32)
}

/// Elements that take the same form.
const BLOCK: usize = 256;

trait Near {
    type Element: InMemory;
    const OPERATOR: Operator;
    fn is_near(a: Self::Element) -> bool;
    /// The result for an argument that is near.
    fn near(a: Self::Element) -> Self::Element;
}

macro_rules! define_loops {
    ($(($level:ident, $name:ident $(, $features:literal)?))+) => {
        $(
            $(#[target_feature(enable = $features)])?
            unsafe fn $name<F: Near>(
                a: *const u8,
                _: *const u8,
                _: *const u8,
                _: *const u8,
                out: *mut u8,
                n: usize,
            ) {
                let (a, out) = (Run::<F::Element>::new(a), Run::<F::Element>::new(out));
                for at in (0..n).step_by(BLOCK) {
                    let count = BLOCK.min(n - at);
                    // SAFETY: the contract of `Compute`, and `at + count <= n`.
                    unsafe {
                        let (a, out) = (Run::<F::Element>(a.0.add(at)), Run(out.0.add(at)));
                        let mut near = true;
                        for k in 0..count {
                            near &= F::is_near(a.get(k));
                        }
                        if near {
                            write_costly([a], out, count, |[a], k| F::near(a.get(k)));
                        } else {
                            far::<F>(a, out, count, Level::$level);
                        }
                    }
                }
            }
        )+

        fn find_loop<F: Near>(level: Level) -> Compute {
            match level {
                $(Level::$level => $name::<F>,)+
                #[allow(unreachable_patterns)]
                _ => baseline::<F>,
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
define_loops! {
    (Baseline, baseline)
    (Avx2, avx2, "avx2,fma")
    (Avx512, avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}

#[cfg(not(target_arch = "x86_64"))]
define_loops! { (Baseline, baseline) }

/// The loop of the table.
///
/// # Safety
/// As for [`Compute`]; the processor has the level's instructions.
#[cold]
unsafe fn far<F: Near>(a: Run<F::Element>, out: Run<F::Element>, n: usize, level: Level) {
    let run = find_apply(F::OPERATOR, F::Element::DTYPE, 0, level);
    let run = run.unwrap_or_else(|| unreachable!("{} is in the table", F::OPERATOR));
    let (a, out) = (a.0.cast::<u8>().cast_const(), out.0.cast());
    // SAFETY: the caller's contract; the loop has one operand.
    unsafe { run(a, a, a, a, out, n) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_core::Scalar;

    /// Arguments near and far, alone and among others of a chunk.
    #[test]
    fn both_forms_give_the_bits_of_the_operator() {
        let edge = [NEAR, NEAR.next_up(), NEAR.next_down(), f64::INFINITY, f64::NAN, 1e300, 1e22];
        let from: Vec<f64> = (0..1000)
            .map(|k| match k {
                200..400 if k % 50 == 0 => -edge[k / 50 % edge.len()],
                400.. if k % 7 == 3 => edge[k % edge.len()],
                _ => (k as f64 - 500.0) * 0.377,
            })
            .collect();
        let narrow: Vec<f32> = from.iter().map(|&v| v as f32).collect();
        for level in Level::ALL.into_iter().filter(|&level| level <= Level::detect()) {
            for operator in [Operator::Sin, Operator::Cos, Operator::Tan] {
                for n in [0, 1, 7, 8, 33, 999, 1000] {
                    let mut out = vec![0f64; 1000];
                    let a = from.as_ptr().cast();
                    let run = find_near(operator, DType::F64, level).unwrap();
                    // SAFETY: both vectors have at least `n` elements.
                    unsafe { run(a, a, a, a, out.as_mut_ptr().cast(), n) };
                    for (k, &got) in out.iter().enumerate() {
                        let want = operator.apply(&[from[k].into()]);
                        let want = if k < n { want } else { Scalar::from(0f64) };
                        assert!(same(got.into(), want), "{operator} {} {got}", from[k]);
                    }
                    let mut out = vec![0f32; 1000];
                    let a = narrow.as_ptr().cast();
                    let run = find_near(operator, DType::F32, level).unwrap();
                    // SAFETY: both vectors have at least `n` elements.
                    unsafe { run(a, a, a, a, out.as_mut_ptr().cast(), n) };
                    for (k, &got) in out.iter().enumerate() {
                        let want = operator.apply(&[narrow[k].into()]);
                        let want = if k < n { want } else { Scalar::from(0f32) };
                        assert!(same(got.into(), want), "{operator} {} {got}", narrow[k]);
                    }
                }
            }
        }
        assert!(find_near(Operator::Add, DType::F64, Level::Baseline).is_none());
        assert!(find_near(Operator::Sin, DType::I64, Level::Baseline).is_none());
    }

    /// The same bits; all NaNs count as equal.
    fn same(a: Scalar, b: Scalar) -> bool {
        a == b || (a.to_f64().is_nan() && b.to_f64().is_nan())
    }
}
