//! Integers of every width: NumPy's results, wrap-around, scalars that do not fit.

use crate::devices::everywhere;
use darray::{
    Axes, Binary, CpuJit, DArray, DType, DynArray, ErrorKind, Fallible, Mode, RealType, Reduction,
    Runtime, Scalar, Unary, np, s,
};
use std::collections::BTreeMap;

const BINARY: [Binary; 16] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::Minimum,
    Binary::Maximum,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Lt,
    Binary::Le,
    Binary::Gt,
    Binary::Ge,
    Binary::Eq,
    Binary::Ne,
];
const UNARY: [Unary; 3] = [Unary::Neg, Unary::Abs, Unary::Not];
const REDUCTIONS: [Reduction; 7] = [
    Reduction::Sum,
    Reduction::Prod,
    Reduction::Min,
    Reduction::Max,
    Reduction::ArgMin,
    Reduction::ArgMax,
    Reduction::Mean,
];

fn named<T: Copy>(all: &[T], name: fn(T) -> &'static str, wanted: &str) -> Option<T> {
    all.iter().copied().find(|&one| name(one) == wanted)
}

fn scalars(dtype: RealType, words: &[&str]) -> Vec<Scalar> {
    words.iter().map(|w| Scalar::parse(dtype, w).unwrap()).collect()
}

fn upload(dtype: RealType, scalars: &[Scalar]) -> DynArray {
    let bytes = scalars.iter().flat_map(|s| s.bits().to_le_bytes()[..dtype.size()].to_vec());
    DynArray::from_bytes(scalars.len(), dtype.into(), bytes.collect()).unwrap()
}

fn download(array: &DynArray) -> Vec<Scalar> {
    let (dtype, bytes) = (array.dtype().part(), array.to_bytes().unwrap());
    let scalar = |chunk: &[u8]| {
        let mut bits = [0; 8];
        bits[..chunk.len()].copy_from_slice(chunk);
        Scalar::from_bits(dtype, u64::from_le_bytes(bits))
    };
    bytes.chunks(dtype.size()).map(scalar).collect()
}

/// Types and elements, all NaNs being one.
fn text(scalars: &[Scalar]) -> Vec<String> {
    scalars.iter().map(|s| format!("{s:?}")).collect()
}

/// Every line of the file that `tests/numpy/generate.py` writes with NumPy.
#[test]
fn results_are_numpys() {
    everywhere(|_| {
        let mut values: BTreeMap<RealType, Vec<Scalar>> = BTreeMap::new();
        let mut lines = 0;
        for line in include_str!("../numpy/integers.txt").lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let dtype = |at: usize| RealType::from_name(words[at]).unwrap();
            let (x, from) = (dtype(1), values.get(&dtype(1)).cloned().unwrap_or_default());
            if words[0] == "values" {
                values.insert(x, scalars(x, &words[2..]));
                continue;
            }
            lines += 1;
            let (got, wanted) = if words[0] == "cast" {
                let to = dtype(2);
                let wanted = scalars(to, &words[3..]);
                let got = upload(x, &from).cast(to.into()).unwrap();
                assert_eq!(got.dtype(), to);
                (kept(&from, to, download(&got)), wanted)
            } else if let Some(operation) = named(&BINARY, Binary::name, words[0]) {
                let (right, result) = (&values[&dtype(2)], RealType::from_name(words[3]));
                let (n, m) = (from.len(), right.len());
                let left: Vec<Scalar> = (0..n * m).map(|k| from[k / m]).collect();
                let right: Vec<Scalar> = (0..n * m).map(|k| right[k % m]).collect();
                let right = upload(dtype(2), &right);
                let got = upload(x, &left).binary(operation, &right);
                let Some(result) = result else {
                    assert!(got.is_err(), "{line}");
                    continue;
                };
                let got = got.unwrap();
                assert_eq!(got.dtype(), result, "{line}");
                (download(&got), scalars(result, &words[4..]))
            } else {
                let array = upload(x, &from);
                let got = match named(&UNARY, Unary::name, words[0]) {
                    Some(operation) => array.unary(operation),
                    None => {
                        let reduction = named(&REDUCTIONS, Reduction::name, words[0]).unwrap();
                        array.reduce(reduction, Axes::all())
                    }
                };
                let got = got.unwrap();
                assert_eq!(got.dtype(), dtype(2), "{line}");
                (download(&got), scalars(dtype(2), &words[3..]))
            };
            assert_eq!(text(&got), text(&wanted), "{line}");
        }
        assert_eq!(lines, 144 + (81 * 16 - 2) + (9 * 10 - 1));
    });
}

/// The results of those elements that an integer type can hold; the others saturate here, and are
/// left open by NumPy.
fn kept(from: &[Scalar], to: RealType, results: Vec<Scalar>) -> Vec<Scalar> {
    let open = |value: Scalar| {
        let v = value.to_f64();
        let low = Scalar::from(f64::NEG_INFINITY).cast(to).to_f64();
        let high = Scalar::from(f64::INFINITY).cast(to).to_f64();
        let inside = v.trunc() >= low && v.trunc() < high + 1.0;
        value.dtype().is_float() && to.is_integer() && !(inside && (low < 0.0 || v >= 0.0))
    };
    let saturated = |value: Scalar| match value.to_f64() {
        v if v.is_nan() => Scalar::zero(to),
        v if v < 0.0 => Scalar::from(f64::NEG_INFINITY).cast(to),
        _ => Scalar::from(f64::INFINITY).cast(to),
    };
    let mut left = Vec::new();
    for (&value, result) in from.iter().zip(results) {
        if open(value) {
            let truncated = value.to_f64() > -1.0 && value.to_f64() < 0.0;
            assert_eq!(result, if truncated { Scalar::zero(to) } else { saturated(value) });
        } else {
            left.push(result);
        }
    }
    left
}

#[test]
fn scalars_take_the_type_or_are_refused() {
    everywhere(|_| {
        let x = DArray::<u8>::from_vec(vec![0, 1, 200, 255]);
        assert_eq!((&x + 255).to_vec(), [255u8, 0, 199, 254]);
        assert_eq!((1 - &x).to_vec(), [1u8, 0, 57, 2]);
        assert_eq!((&x / 300).to_vec()[3], 255.0 / 300.0);
        assert_eq!((&x * 0.5).to_vec(), [0.0, 0.5, 100.0, 127.5]);
        for (value, error) in [
            (300, "add: the integer 300 is out of bounds for u8 (at "),
            (-1, "add: the integer -1 is out of bounds for u8 (at "),
        ] {
            let refused = x.try_add(value).unwrap_err();
            let kind = ErrorKind::Value { value: i64::from(value).into(), dtype: DType::U8 };
            assert_eq!(refused.kind(), &kind);
            assert!(refused.to_string().starts_with(error), "{refused}");
        }
        let n = DArray::<i32>::ones(2);
        assert_eq!((&n + i64::from(i32::MAX)).to_vec(), [i32::MIN; 2]);
        assert!(n.try_mul(1i64 << 31).is_err());
        assert!(x.as_dyn().assign(256).is_err());
        assert!(x.as_dyn().update(Binary::Sub, -5).is_err());
        assert!(np::where_(x.gt(5), &x, 7).to_vec() == [7, 7, 200, 255]);
        assert!(x.gt(5).try_select(&x, 1000).is_err());
        assert!(DynArray::full(2, DType::I32, 1i64 << 31).is_err());
        assert_eq!(x.to_vec(), [0, 1, 200, 255], "what is refused changes nothing");
    });
}

#[test]
fn comparisons_answer_for_integers_that_do_not_fit() {
    everywhere(|_| {
        let x = DArray::<u8>::from_vec(vec![0, 200, 255]);
        assert_eq!(x.lt(300).to_vec(), [true; 3]);
        assert_eq!(x.gt(-1).to_vec(), [true; 3]);
        assert_eq!(x.eq(256).to_vec(), [false; 3]);
        assert_eq!(x.ne(-56).to_vec(), [true; 3], "200 is not -56, whose low bits it has");
        assert_eq!(x.ge(255).to_vec(), [false, false, true]);
        let n = DArray::<i32>::from_vec(vec![i32::MIN, -1, i32::MAX]);
        assert_eq!(n.le(1i64 << 31).to_vec(), [true; 3]);
        assert_eq!(n.eq(u32::MAX as i64).to_vec(), [false; 3]);
        assert_eq!(n.lt(i64::MIN).to_vec(), [false; 3]);
    });
}

#[test]
fn numbers_beyond_those_of_i64_are_whole() {
    everywhere(|_| {
        let most = u64::MAX;
        let x = DArray::from_vec(vec![0, 5, 1 << 63, most - 1, most]);
        assert_eq!((&x + 1).to_vec(), [1, 6, (1 << 63) + 1, most, 0]);
        assert_eq!((1 - &x).to_vec(), [1, most - 3, 1 + (1 << 63), 3, 2]);
        assert_eq!(x.floor_divide(7).to_vec(), [0, 0, (1 << 63) / 7, (most - 1) / 7, most / 7]);
        assert_eq!((&x % 1000).to_vec(), [0, 5, 808, 614, 615]);
        assert_eq!((&x / 0.5).to_vec()[4], 2f64.powi(65));
        assert_eq!((x.max(..).item(), x.argmax(..).item(), x.ptp(..).item()), (most, 4, most));
        assert_eq!(x.sum(..).item(), (1u64 << 63).wrapping_add(2));
        assert_eq!(x.mean(..).item(), 2f64.powi(63));
        assert_eq!(x.slice(s![..;-1]).sort(-1).to_vec(), x.to_vec());
        assert_eq!(x.right_shift(60).to_vec(), [0, 0, 8, 15, 15]);
        let full = DynArray::full(2, DType::U64, Scalar::from(most)).unwrap();
        assert_eq!(DArray::<u64>::try_from(full).unwrap().to_vec(), [most; 2]);
        assert_eq!(DArray::<u64>::range(most - 3, most, 2).to_vec(), [most - 3, most - 1]);
        assert_eq!(
            x.to_string(),
            "[                   0                    5  9223372036854775808\n 18446744073709551614 18446744073709551615]"
        );
        let floats = DArray::from_vec(vec![f64::NAN, -1.0, 1e19, 2f64.powi(64), f64::INFINITY]);
        assert_eq!(floats.cast::<u64>().to_vec(), [0, 0, 10_000_000_000_000_000_000, most, most]);
        assert_eq!(x.cast::<f32>().to_vec()[3], 2f32.powi(64));
        assert_eq!(x.cast::<i64>().to_vec(), [0, 5, i64::MIN, -2, -1]);
        let refused = DynArray::full(1, DType::I64, Scalar::from(most)).unwrap_err().to_string();
        assert!(
            refused.starts_with("full: the integer 18446744073709551615 is out of bounds for i64")
        );
        // What does not fit is refused, or compared as the number that it is.
        let refused = x.try_add(-1).unwrap_err();
        assert_eq!(refused.kind(), &ErrorKind::Value { value: (-1i64).into(), dtype: DType::U64 });
        assert_eq!(x.gt(-1).to_vec(), [true; 5]);
        assert_eq!(x.le(-1).to_vec(), [false; 5]);
        let signed = DArray::from_vec(vec![0, -5, i64::MIN, i64::MAX, -1]);
        assert_eq!(x.gt(&signed).to_vec(), [false, true, true, true, true]);
        assert_eq!(signed.le(&x).to_vec(), [true; 5]);
        assert_eq!(x.eq(&signed).to_vec(), [true, false, false, false, false]);
        assert!(x.as_dyn().binary(Binary::And, signed.as_dyn()).is_err());
        let near = DArray::from_vec(vec![i64::MAX]);
        assert_eq!(DArray::from_vec(vec![1u64 << 63]).gt(&near).to_vec(), [true], "not as f64");
    });
}

/// One-byte and four-byte elements through strided reads, masked writes, chains, folds and halos.
#[test]
fn narrow_elements_go_through_views_masks_and_folds() {
    everywhere(|_| {
        let n = 1000usize;
        let bytes: Vec<u8> = (0..n * 3).map(|k| (k * 7 % 251) as u8).collect();
        let image = DArray::from_shape_vec((n, 3), bytes.clone());
        let (red, blue) = (image.slice(s![.., 0]), image.slice(s![..;-1, 2]));
        let mixed: Vec<u8> = (0..n)
            .map(|i| bytes[3 * i].wrapping_mul(3).wrapping_add(bytes[3 * (n - 1 - i) + 2]) ^ 0x55)
            .collect();
        assert_eq!(((&red * 3 + &blue) ^ 0x55).to_vec(), mixed);
        let gray = (0.3 * &red + 0.7 * &blue).cast::<u8>();
        let wanted = |i: usize| 0.3 * bytes[3 * i] as f64 + 0.7 * bytes[3 * (n - 1 - i) + 2] as f64;
        assert_eq!(gray.to_vec(), (0..n).map(|i| wanted(i) as u8).collect::<Vec<_>>());
        let sums: Vec<u64> =
            (0..3).map(|c| (0..n).map(|i| bytes[3 * i + c] as u64).sum()).collect();
        assert_eq!(image.sum(0).to_vec(), sums);
        assert_eq!(image.max(..).item(), 250);
        assert_eq!(image.argmax(..).item(), bytes.iter().position(|&b| b == 250).unwrap() as i64);
        let green = image.slice(s![.., 1]);
        green.assign(green.gt(100).select(&green, 0));
        let masked: Vec<u8> =
            (0..n).map(|i| bytes[3 * i + 1]).map(|b| if b > 100 { b } else { 0 }).collect();
        assert_eq!(image.slice(s![.., 1]).to_vec(), masked);

        let line = DArray::<i32>::arange(n);
        let inner = line.slice(s![1..-1]);
        for _ in 0..3 {
            inner.assign(line.slice(s![..-2]) + line.slice(s![2..]));
        }
        let mut plain: Vec<i32> = (0..n as i32).collect();
        for _ in 0..3 {
            let old = plain.clone();
            (1..n - 1).for_each(|i| plain[i] = old[i - 1].wrapping_add(old[i + 1]));
        }
        assert_eq!(line.to_vec(), plain);
        assert_eq!(line.min(0).item(), *plain.iter().min().unwrap());
    });
}

#[test]
fn products_of_integers_keep_their_type_and_wrap() {
    everywhere(|_| {
        let x = DArray::<u8>::from_vec(vec![200, 100, 3]);
        assert_eq!(x.dot(&x).item(), (200u32 * 200 + 100 * 100 + 9) as u8);
        let a = DArray::<i32>::from_shape_vec((2, 2), vec![1 << 20, 2, 3, -4]);
        let b = DArray::<u8>::from_shape_vec((2, 2), vec![255, 1, 16, 0]);
        assert_eq!(a.dot(&b).to_vec(), [(255 << 20) + 32, 1 << 20, 3 * 255 - 64, 3]);
        let m = DArray::<i32>::from_vec(vec![1 << 20, 1 << 20]);
        assert_eq!(m.dot(&m).item(), 0);
    });
}

/// One kernel in lanes of i32, which wraps where the arrays in between would, and divides as bytes do.
#[test]
fn a_chain_of_bytes_is_one_kernel_with_the_bits_of_its_parts() {
    let values = |k: usize| ((k * 7919) >> 3) as u8;
    let (a, b): (Vec<u8>, Vec<u8>) = (0..3000).map(|k| (values(k), values(k + 41))).unzip();
    let expected: Vec<u8> = a
        .iter()
        .zip(&b)
        .map(|(&a, &b)| {
            let sum = a.wrapping_mul(2).wrapping_add(b).max(100);
            (sum / 3).wrapping_sub(b.wrapping_neg() % 7) >> 1
        })
        .collect();
    for (mode, kernels) in [(Mode::Fused, 1), (Mode::Unfused, 8)] {
        for jit in [CpuJit::Off, CpuJit::Avx2, CpuJit::Avx512, CpuJit::Auto] {
            // The machine may have less.
            let builder = Runtime::builder().threads(1).mode(mode).cpu_jit(jit);
            let Ok(runtime) = builder.build() else { continue };
            runtime.scope(|| {
                let [a, b] = [&a, &b].map(|values| DArray::from_vec(values.clone()));
                runtime.sync();
                let before = runtime.stats();
                let sum = (&a * 2 + &b).maximum(100);
                let y = (sum.floor_divide(3) - (-&b) % 7).right_shift(1);
                assert_eq!(y.to_vec(), expected, "{mode:?} {jit:?}");
                let after = runtime.stats();
                assert_eq!(after.kernels - before.kernels, kernels, "{mode:?} {jit:?}");
                let native = after.native;
                if jit == CpuJit::Avx2 || jit == CpuJit::Avx512 {
                    assert!(native.whole > 0 && native.part + native.none == 0, "{native:?}");
                }
                // The first of the best, of rows, of columns and of all.
                let m = a.reshape((50, 60));
                let best = |of: &mut dyn Iterator<Item = (usize, u8)>| {
                    let first = of.reduce(|x, y| if y.1 > x.1 { y } else { x });
                    first.expect("an element").0 as i64
                };
                let at = |row: usize, column: usize| values(60 * row + column);
                let rows = (0..50).map(|i| best(&mut (0..60).map(|j| (j, at(i, j)))));
                let columns = (0..60).map(|j| best(&mut (0..50).map(|i| (i, at(i, j)))));
                assert_eq!(m.argmax(1).to_vec(), rows.collect::<Vec<_>>());
                assert_eq!(m.argmax(0).to_vec(), columns.collect::<Vec<_>>());
                assert_eq!(a.argmax(..).item(), best(&mut (0..3000).map(|k| (k, values(k)))));
            });
        }
    }
}

/// Copies of a sign are no zeros: what `&` leaves of a wide integer is divided as one.
#[test]
fn signed_bytes_do_not_make_wide_integers_small() {
    for jit in [CpuJit::Off, CpuJit::Avx2, CpuJit::Avx512, CpuJit::Auto] {
        // The machine may have less.
        let Ok(runtime) = Runtime::builder().threads(1).cpu_jit(jit).build() else { continue };
        runtime.scope(|| {
            let wide = DArray::<i32>::from_vec(vec![i32::MAX; 100]);
            let byte = DArray::<i8>::from_vec(vec![-1; 100]);
            let word = DArray::<i16>::from_vec(vec![-1; 100]);
            let tens = DArray::<i32>::from_vec(vec![10; 100]);
            // Each by a kernel of its own operands alone.
            for k in 0..6 {
                let left = if k % 2 == 0 { &byte & &wide } else { &word & &wide };
                let (found, expected) = match k / 2 {
                    0 => (&left % 10, 7),
                    1 => (&left % &tens, 7),
                    _ => (left.floor_divide(10), i32::MAX / 10),
                };
                assert_eq!(found.to_vec(), [expected; 100], "{jit:?} {k}");
            }
        });
    }
}
