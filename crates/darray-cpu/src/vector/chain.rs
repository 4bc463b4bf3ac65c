//! Chains of arithmetic in one pass: intermediate values stay in vector registers.
//!
//! ```text
//! chain  ((a * b) + c) / d        load a; mul b; add c; div d; store
//! ```
//!
//! A pass per operator is bound by loads and stores; here every operator but the last saves both.
//! Each operator rounds as it does alone.

use super::register::FloatVector;
use crate::level::Level;
use darray_codegen::Link;
use darray_core::DType;

/// One operator of a chain: what it does to the value so far, and with which operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChainLink {
    /// Twice the [`Link`]'s number, plus 1 where the operand is one element for the whole block.
    code: u8,
    /// The operand's position in the pointer table; any where the operator has none.
    operand: u16,
}

impl ChainLink {
    /// A link with its operand.
    pub fn new(link: Link, uniform: bool, operand: u16) -> ChainLink {
        let uniform = uniform && link.has_operand();
        ChainLink { code: (link as u8) << 1 | uniform as u8, operand }
    }
}

/// Runs a chain: first operand, links, pointer table, result, `n`.
///
/// # Safety
/// The links' operands are positions in the table. Every operand has `n` elements (one where
/// uniform), and the result has room for `n`, aligned to their type. The result is disjoint from
/// every operand, or the same address.
pub(crate) type Chain = unsafe fn(*const u8, &[ChainLink], &[*mut u8], *mut u8, usize);

/// The loop for chains of `dtype`, which is a float.
pub(crate) fn find_chain(dtype: DType, level: Level) -> Option<Chain> {
    match dtype {
        DType::F64 => Some(find_f64(level)),
        DType::F32 => Some(find_f32(level)),
        _ => None,
    }
}

/// Vectors worked off together: enough to hide the latency of one operator.
const VECTORS: usize = 8;

/// Runs the chain on as many elements as fill `N` vectors, from `at`; gives the end of the last.
#[inline(always)]
unsafe fn pass<V: FloatVector, const N: usize>(
    first: *const u8,
    links: &[ChainLink],
    pointers: &[*mut u8],
    out: *mut u8,
    from: usize,
    n: usize,
) -> usize {
    let (first, out) = (first.cast::<V::Element>(), out.cast::<V::Element>());
    let mut at = from;
    while at + N * V::LANES <= n {
        // SAFETY: the contract of `Chain`; `N` vectors from `at` lie below `n`.
        unsafe {
            let mut acc: [V; N] = array_of!(N, |k| V::load(first.add(at + k * V::LANES)));
            for link in links {
                let operand = pointers.get_unchecked(link.operand as usize).cast::<V::Element>();
                macro_rules! each {
                    ($with:expr) => {{
                        let block = operand.add(at);
                        for k in 0..N {
                            acc[k] = $with(acc[k], V::load(block.add(k * V::LANES)));
                        }
                    }};
                    (uniform $with:expr) => {{
                        let x = V::splat(operand);
                        for k in 0..N {
                            acc[k] = $with(acc[k], x);
                        }
                    }};
                    (unary $with:expr) => {{
                        for k in 0..N {
                            acc[k] = $with(acc[k]);
                        }
                    }};
                }
                match link.code {
                    ADD => each!(|a: V, x: V| a.add(x)),
                    ADD_UNIFORM => each!(uniform |a: V, x: V| a.add(x)),
                    SUB => each!(|a: V, x: V| a.sub(x)),
                    SUB_UNIFORM => each!(uniform |a: V, x: V| a.sub(x)),
                    SUB_FROM => each!(|a: V, x: V| x.sub(a)),
                    SUB_FROM_UNIFORM => each!(uniform |a: V, x: V| x.sub(a)),
                    MUL => each!(|a: V, x: V| a.mul(x)),
                    MUL_UNIFORM => each!(uniform |a: V, x: V| a.mul(x)),
                    DIV => each!(|a: V, x: V| a.div(x)),
                    DIV_UNIFORM => each!(uniform |a: V, x: V| a.div(x)),
                    DIV_INTO => each!(|a: V, x: V| x.div(a)),
                    DIV_INTO_UNIFORM => each!(uniform |a: V, x: V| x.div(a)),
                    SQRT => each!(unary |a: V| a.sqrt()),
                    NEG => each!(unary |a: V| a.neg()),
                    _ => each!(unary |a: V| a.abs()),
                }
            }
            for (k, values) in acc.iter().enumerate() {
                values.store(out.add(at + k * V::LANES));
            }
        }
        at += N * V::LANES;
    }
    at
}

const ADD: u8 = (Link::Add as u8) << 1;
const ADD_UNIFORM: u8 = ADD + 1;
const SUB: u8 = (Link::Sub as u8) << 1;
const SUB_UNIFORM: u8 = SUB + 1;
const SUB_FROM: u8 = (Link::SubFrom as u8) << 1;
const SUB_FROM_UNIFORM: u8 = SUB_FROM + 1;
const MUL: u8 = (Link::Mul as u8) << 1;
const MUL_UNIFORM: u8 = MUL + 1;
const DIV: u8 = (Link::Div as u8) << 1;
const DIV_UNIFORM: u8 = DIV + 1;
const DIV_INTO: u8 = (Link::DivInto as u8) << 1;
const DIV_INTO_UNIFORM: u8 = DIV_INTO + 1;
const SQRT: u8 = (Link::Sqrt as u8) << 1;
const NEG: u8 = (Link::Neg as u8) << 1;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Chain, ChainLink, VECTORS, pass};
    use crate::level::Level;
    use std::arch::x86_64::*;

    macro_rules! chains {
        ($find:ident: $(($level:ident, $name:ident, $vector:ident, $half:ident,
            $element:ident $(, $features:literal)?))+) => {
            $(
                $(#[target_feature(enable = $features)])?
                unsafe fn $name(
                    first: *const u8,
                    links: &[ChainLink],
                    pointers: &[*mut u8],
                    out: *mut u8,
                    n: usize,
                ) {
                    // SAFETY: the contract of `Chain`.
                    unsafe {
                        let at = pass::<$vector, VECTORS>(first, links, pointers, out, 0, n);
                        let at = pass::<$vector, 3>(first, links, pointers, out, at, n);
                        let at = pass::<$vector, 1>(first, links, pointers, out, at, n);
                        let at = pass::<$half, 1>(first, links, pointers, out, at, n);
                        pass::<$element, 1>(first, links, pointers, out, at, n);
                    }
                }
            )+

            pub fn $find(level: Level) -> Chain {
                match level {
                    $(Level::$level => $name,)+
                }
            }
        };
    }

    chains! { find_f64:
        (Baseline, f64_baseline, __m128d, f64, f64)
        (Avx2, f64_avx2, __m256d, __m128d, f64, "avx2,fma")
        (Avx512, f64_avx512, __m512d, __m256d, f64, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
    }
    chains! { find_f32:
        (Baseline, f32_baseline, __m128, f32, f32)
        (Avx2, f32_avx2, __m256, __m128, f32, "avx2,fma")
        (Avx512, f32_avx512, __m512, __m256, f32, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
    }
}

#[cfg(target_arch = "x86_64")]
use x86::{find_f32, find_f64};

#[cfg(not(target_arch = "x86_64"))]
mod portable {
    use super::{Chain, ChainLink, FloatVector, VECTORS, pass};
    use crate::level::Level;

    unsafe fn chain<V: FloatVector>(
        first: *const u8,
        links: &[ChainLink],
        pointers: &[*mut u8],
        out: *mut u8,
        n: usize,
    ) {
        // SAFETY: the contract of `Chain`.
        unsafe {
            let at = pass::<V, VECTORS>(first, links, pointers, out, 0, n);
            pass::<V, 1>(first, links, pointers, out, at, n);
        }
    }

    pub fn find_f64(_: Level) -> Chain {
        chain::<f64>
    }

    pub fn find_f32(_: Level) -> Chain {
        chain::<f32>
    }
}

#[cfg(not(target_arch = "x86_64"))]
use portable::{find_f32, find_f64};

#[cfg(test)]
mod tests {
    use super::*;
    use darray_kernel::operator::scalar;

    #[test]
    fn every_link_equals_its_operator_at_every_level_and_length() {
        let apply = |link: Link, v: f64, x: f64| match link {
            Link::Add => scalar::add_f64(v, x),
            Link::Sub => scalar::sub_f64(v, x),
            Link::SubFrom => scalar::sub_f64(x, v),
            Link::Mul => scalar::mul_f64(v, x),
            Link::Div => scalar::div_f64(v, x),
            Link::DivInto => scalar::div_f64(x, v),
            Link::Sqrt => scalar::sqrt_f64(v),
            Link::Neg => scalar::neg_f64(v),
            Link::Abs => scalar::abs_f64(v),
        };
        let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, -1.5];
        let first: Vec<f64> = (0..150).map(|k| special[k % 7] + (k / 7) as f64).collect();
        let second: Vec<f64> = (0..150).map(|k| special[(k / 3) % 7] - (k % 5) as f64).collect();
        let bits = |v: f64| if v.is_nan() { f64::NAN.to_bits() } else { v.to_bits() };
        for level in Level::ALL.into_iter().filter(|&level| level <= Level::detect()) {
            let run = find_chain(DType::F64, level).unwrap();
            for link in Link::ALL {
                for uniform in [false, true] {
                    for n in [1, 3, 8, 64, 150] {
                        let links = [ChainLink::new(link, uniform, 0); 2];
                        let pointers = [second.as_ptr().cast_mut().cast::<u8>()];
                        let mut out = vec![7.0f64; 150];
                        let to = out.as_mut_ptr().cast();
                        // SAFETY: every vector has at least `n` elements.
                        unsafe { run(first.as_ptr().cast(), &links, &pointers, to, n) };
                        for k in 0..n {
                            let x = second[if uniform { 0 } else { k }];
                            let expected = apply(link, apply(link, first[k], x), x);
                            assert_eq!(bits(out[k]), bits(expected), "{link:?} {level} {k}");
                        }
                        assert!(out[n..].iter().all(|&v| v == 7.0));
                    }
                }
            }
        }
    }
}
