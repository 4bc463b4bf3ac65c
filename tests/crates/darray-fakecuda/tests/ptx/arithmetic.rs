//! Floats and conversions against Rust's own results, bit by bit.

use super::bench::{Bench, Bits, Random, argument};

const TEXT: &str = include_str!("arithmetic.ptx");

/// Kernels of the text, over tuples of inputs.
pub struct Checker {
    bench: Bench,
}

impl Checker {
    pub fn new() -> Checker {
        Checker { bench: Bench::new(TEXT) }
    }

    fn outputs<R: Bits>(&mut self, kernel: &str, columns: &[Vec<u8>], count: usize) -> Vec<R> {
        let zero = R::read(&[0; 8][..R::BYTES]);
        let out = self.bench.buffer(&vec![zero; count]);
        let size = argument(count as i64);
        let mut arguments: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
        arguments.extend([out.as_slice(), size.as_slice()]);
        self.bench.run(kernel, count.div_ceil(96) as u32, 96, &arguments).unwrap();
        self.bench.read(&out)
    }

    pub fn one<A: Bits, R: Bits>(&mut self, kernel: &str, values: &[A], f: impl Fn(A) -> R) {
        let column = self.bench.buffer(values);
        let outputs: Vec<R> = self.outputs(kernel, &[column], values.len());
        for (a, out) in values.iter().zip(outputs) {
            let expected = f(*a);
            assert_eq!(out.bits(), expected.bits(), "{kernel}({a:?}) = {out:?}, not {expected:?}");
        }
    }

    pub fn two<A: Bits, R: Bits>(&mut self, kernel: &str, values: &[A], f: impl Fn(A, A) -> R) {
        let pairs: Vec<(A, A)> =
            values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))).collect();
        let first: Vec<A> = pairs.iter().map(|pair| pair.0).collect();
        let second: Vec<A> = pairs.iter().map(|pair| pair.1).collect();
        let columns = [self.bench.buffer(&first), self.bench.buffer(&second)];
        let outputs: Vec<R> = self.outputs(kernel, &columns, pairs.len());
        for ((a, b), out) in pairs.iter().zip(outputs) {
            let expected = f(*a, *b);
            let (is, should) = (out.bits(), expected.bits());
            assert_eq!(is, should, "{kernel}({a:?}, {b:?}) = {out:?}, not {expected:?}");
        }
    }

    pub fn three<A: Bits, R: Bits>(
        &mut self,
        kernel: &str,
        values: &[[A; 3]],
        f: impl Fn(A, A, A) -> R,
    ) {
        let columns = [0, 1, 2].map(|at| {
            let column: Vec<A> = values.iter().map(|value| value[at]).collect();
            self.bench.buffer(&column)
        });
        let outputs: Vec<R> = self.outputs(kernel, &columns, values.len());
        for ([a, b, c], out) in values.iter().zip(outputs) {
            let expected = f(*a, *b, *c);
            let (is, should) = (out.bits(), expected.bits());
            assert_eq!(is, should, "{kernel}({a:?}, {b:?}, {c:?}) = {out:?}, not {expected:?}");
        }
    }

    /// Several results for each triple of inputs.
    pub fn rows<A: Bits>(
        &mut self,
        kernel: &str,
        values: &[[A; 3]],
        width: usize,
        f: impl Fn(A, A, A) -> Vec<A>,
    ) {
        let columns = [0, 1, 2].map(|at| {
            let column: Vec<A> = values.iter().map(|value| value[at]).collect();
            self.bench.buffer(&column)
        });
        let zero = A::read(&[0; 8][..A::BYTES]);
        let out = self.bench.buffer(&vec![zero; width * values.len()]);
        let size = argument(values.len() as i64);
        let mut arguments: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
        arguments.extend([out.as_slice(), size.as_slice()]);
        self.bench.run(kernel, values.len().div_ceil(64) as u32, 64, &arguments).unwrap();
        let outputs: Vec<A> = self.bench.read(&out);
        for ([a, b, c], out) in values.iter().zip(outputs.chunks(width)) {
            assert_eq!(out, f(*a, *b, *c), "{kernel}({a:?}, {b:?}, {c:?})");
        }
    }
}

/// NaN as the hardware yields it.
fn f(value: f32) -> f32 {
    // By its bits: the compiler may take one NaN for another.
    let bits = value.to_bits();
    f32::from_bits(if bits << 1 > 0xff00_0000 { 0x7fff_ffff } else { bits })
}

fn singles() -> Vec<f32> {
    let mut values = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        3.0,
        0.1,
        1e-45,
        -1e-45,
        1e-38,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        2147483648.0,
        -2147483648.0,
        4294967296.0,
        255.5,
        9.3e18,
        1.9e19,
        16777217.0,
        8388608.5,
    ];
    let mut random = Random(1);
    values.extend((0..30).map(|_| f32::from_bits(random.next() as u32)));
    values.extend((0..10).map(|_| (random.next() as i32) as f32 / 65536.0));
    values
}

fn doubles() -> Vec<f64> {
    let mut values = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        0.1,
        5e-324,
        -5e-324,
        1e-310,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        2147483647.5,
        -2147483648.5,
        4294967295.5,
        9.3e18,
        -9.3e18,
        1.9e19,
        3.4028236e38,
        1e-46,
        1.0 + f64::EPSILON,
    ];
    let mut random = Random(2);
    values.extend((0..30).map(|_| f64::from_bits(random.next())));
    values.extend((0..10).map(|_| random.next() as i64 as f64 / 4294967296.0));
    values
}

#[test]
fn single_precision() {
    let mut check = Checker::new();
    let values = singles();
    check.two("f32_add", &values, |a: f32, b| f(a + b));
    check.two("f32_sub", &values, |a: f32, b| f(a - b));
    check.two("f32_mul", &values, |a: f32, b| f(a * b));
    check.two("f32_div", &values, |a: f32, b| f(a / b));
    check.two("f32_lt", &values, |a: f32, b| a < b);
    check.two("f32_le", &values, |a: f32, b| a <= b);
    check.two("f32_eq", &values, |a: f32, b| a == b);
    check.two("f32_ne", &values, |a: f32, b| a != b);
    check.two("f32_nlt", &values, |a: f32, b| a.partial_cmp(&b) != Some(std::cmp::Ordering::Less));
    check.two("f32_select", &values, |a: f32, b| if a > b { a } else { b });
    check.two("f32_copysign", &values, |a: f32, b| a.copysign(b));
    check.two("f32_min", &values, |a: f32, b| {
        let zeros = a == 0.0 && b == 0.0;
        if zeros { f32::from_bits(a.to_bits() | b.to_bits()) } else { f(a.min(b)) }
    });
    check.two("f32_max", &values, |a: f32, b| {
        let zeros = a == 0.0 && b == 0.0;
        if zeros { f32::from_bits(a.to_bits() & b.to_bits()) } else { f(a.max(b)) }
    });
    check.one("f32_neg", &values, |a: f32| -a);
    check.one("f32_abs", &values, |a: f32| a.abs());
    check.one("f32_sqrt", &values, |a: f32| f(a.sqrt()));
    check.one("f32_rcp", &values, |a: f32| f(1.0 / a));
    check.one("f32_rint", &values, |a: f32| f(a.round_ties_even()));
    check.one("f32_floor", &values, |a: f32| f(a.floor()));
    check.one("f32_ceil", &values, |a: f32| f(a.ceil()));
    check.one("f32_trunc", &values, |a: f32| f(a.trunc()));
    check.one("f32_saturate", &values, |a: f32| if a > 0.0 { a.min(1.0) } else { 0.0 });
    let mut random = Random(3);
    let mut pick = || values[random.next() as usize % values.len()];
    let triples: Vec<[f32; 3]> = (0..3000).map(|_| [pick(), pick(), pick()]).collect();
    check.three("f32_fma", &triples, |a: f32, b, c| f(a.mul_add(b, c)));
}

#[test]
fn double_precision() {
    let mut check = Checker::new();
    let values: Vec<f64> = doubles().into_iter().filter(|value| !value.is_nan()).collect();
    check.two("f64_mul", &values, |a: f64, b| a * b);
    check.two("f64_add", &values, |a: f64, b| a + b);
    check.two("f64_sub", &values, |a: f64, b| a - b);
    check.two("f64_div", &values, |a: f64, b| a / b);
    check.two("f64_lt", &doubles(), |a: f64, b| a < b);
    check.two("f64_le", &doubles(), |a: f64, b| a <= b);
    check.two("f64_eq", &doubles(), |a: f64, b| a == b);
    check.two("f64_ne", &doubles(), |a: f64, b| a != b);
    check.two("f64_select", &doubles(), |a: f64, b| if a > b { a } else { b });
    check.two("f64_copysign", &doubles(), |a: f64, b| a.copysign(b));
    check.two("f64_min", &values, |a: f64, b| {
        let zeros = a == 0.0 && b == 0.0;
        if zeros { f64::from_bits(a.to_bits() | b.to_bits()) } else { a.min(b) }
    });
    check.two("f64_max", &values, |a: f64, b| {
        let zeros = a == 0.0 && b == 0.0;
        if zeros { f64::from_bits(a.to_bits() & b.to_bits()) } else { a.max(b) }
    });
    check.one("f64_neg", &doubles(), |a: f64| -a);
    check.one("f64_abs", &doubles(), |a: f64| a.abs());
    check.one("f64_sqrt", &values, |a: f64| a.sqrt());
    check.one("f64_rcp", &values, |a: f64| 1.0 / a);
    check.one("f64_rint", &values, |a: f64| a.round_ties_even());
    check.one("f64_floor", &values, |a: f64| a.floor());
    check.one("f64_ceil", &values, |a: f64| a.ceil());
    check.one("f64_trunc", &values, |a: f64| a.trunc());
    let mut random = Random(4);
    let mut pick = || values[random.next() as usize % values.len()];
    let triples: Vec<[f64; 3]> = (0..3000).map(|_| [pick(), pick(), pick()]).collect();
    let triples: Vec<[f64; 3]> =
        triples.into_iter().filter(|[a, b, c]| !a.mul_add(*b, *c).is_nan()).collect();
    check.three("f64_fma", &triples, |a: f64, b, c| a.mul_add(b, c));
}

/// A float as a whole number between bounds; NaN as the manual of PTX has it.
fn whole(value: f64, low: i128, high: i128, nan: i128) -> i128 {
    if value.is_nan() { nan } else { (value as i128).clamp(low, high) }
}

#[test]
fn floats_to_whole_numbers() {
    let mut check = Checker::new();
    let (i32s, i64s) = (
        (i128::from(i32::MIN), i128::from(i32::MAX)),
        (i128::from(i64::MIN), i128::from(i64::MAX)),
    );
    let (s, d) = (singles(), doubles());
    check.one("f32_to_i32", &s, |a: f32| whole(a.into(), i32s.0, i32s.1, 0) as i32);
    check.one("f64_to_i32", &d, |a: f64| whole(a, i32s.0, i32s.1, i32s.0) as i32);
    check.one("f32_to_i64", &s, |a: f32| whole(a.into(), i64s.0, i64s.1, i64s.0) as i64);
    check.one("f64_to_i64", &d, |a: f64| whole(a, i64s.0, i64s.1, i64s.0) as i64);
    check.one("f32_to_u32", &s, |a: f32| whole(a.into(), 0, u32::MAX.into(), 0) as u32);
    check.one("f64_to_u32", &d, |a: f64| whole(a, 0, u32::MAX.into(), 1 << 31) as u32);
    check.one("f32_to_u64", &s, |a: f32| whole(a.into(), 0, u64::MAX.into(), 1 << 63) as u64);
    check.one("f64_to_u64", &d, |a: f64| whole(a, 0, u64::MAX.into(), 1 << 63) as u64);
    check.one("f32_to_u8", &s, |a: f32| whole(a.into(), i32s.0, i32s.1, 0) as u8);
    check.one("f32_to_bool", &s, |a: f32| a != 0.0);
    check.one("f64_to_bool", &d, |a: f64| a != 0.0);
    check.one("f64_to_i32_nearest", &d, |a: f64| {
        whole(a.round_ties_even(), i32s.0, i32s.1, i32s.0) as i32
    });
    check.one("f64_to_i32_down", &d, |a: f64| whole(a.floor(), i32s.0, i32s.1, i32s.0) as i32);
    check.one("f32_to_i32_up", &s, |a: f32| whole(f64::from(a).ceil(), i32s.0, i32s.1, 0) as i32);
    check.one("f32_to_i64_nearest", &s, |a: f32| {
        whole(f64::from(a).round_ties_even(), i64s.0, i64s.1, i64s.0) as i64
    });
}

#[test]
fn floats_to_floats() {
    let mut check = Checker::new();
    check.one("f64_to_f32", &doubles(), |a: f64| f(a as f32));
    let numbers: Vec<f32> = singles().into_iter().filter(|value| !value.is_nan()).collect();
    check.one("f32_to_f64", &numbers, |a: f32| f64::from(a));
    let directed = |a: f64, up: bool| {
        let nearest = a as f32;
        let (below, above) = (f64::from(nearest) < a, f64::from(nearest) > a);
        f(match up {
            true if below => nearest.next_up(),
            false if above => nearest.next_down(),
            _ => nearest,
        })
    };
    check.one("f64_to_f32_up", &doubles(), |a: f64| directed(a, true));
    check.one("f64_to_f32_down", &doubles(), |a: f64| directed(a, false));
}

/// The inputs lie so close together that sums and products are exact in double precision.
#[test]
fn directed_rounding() {
    let mut check = Checker::new();
    let numbers: Vec<f32> =
        singles().into_iter().filter(|v| (1e-3..1e4).contains(&v.abs())).collect();
    check.two("f32_add_down", &numbers, |a: f32, b| {
        let (exact, nearest) = (f64::from(a) + f64::from(b), a + b);
        if f64::from(nearest) > exact {
            nearest.next_down()
        } else if exact == 0.0 {
            -0.0
        } else {
            nearest
        }
    });
    check.two("f32_mul_up", &numbers, |a: f32, b| {
        let (exact, nearest) = (f64::from(a) * f64::from(b), a * b);
        if f64::from(nearest) < exact { nearest.next_up() } else { nearest }
    });
    check.two("f32_div_zero", &numbers, |a: f32, b| {
        let nearest = a / b;
        // The double quotient is close enough to tell on which side the exact one lies.
        let exact = f64::from(a) / f64::from(b);
        if f64::from(nearest).abs() > exact.abs() {
            f32::from_bits(nearest.to_bits() - 1)
        } else {
            nearest
        }
    });
    let wide: Vec<f64> = doubles().into_iter().filter(|v| v.is_finite()).collect();
    let moderate: Vec<f64> =
        wide.into_iter().filter(|v| (1e-60..1e60).contains(&v.abs())).collect();
    check.two("f64_mul_down", &moderate, |a: f64, b| {
        let nearest = a * b;
        if a.mul_add(b, -nearest) < 0.0 { nearest.next_down() } else { nearest }
    });
    check.two("f64_div_zero", &moderate, |a: f64, b| {
        let nearest = a / b;
        let rest = (-nearest).mul_add(b, a);
        let beyond = rest != 0.0 && (rest < 0.0) == (a > 0.0);
        if beyond { f64::from_bits(nearest.to_bits() - 1) } else { nearest }
    });
    check.two("f64_add_up", &moderate, |a: f64, b| {
        let sum = a + b;
        let part = sum - a;
        let rest = (a - (sum - part)) + (b - part);
        if rest > 0.0 { sum.next_up() } else { sum }
    });
}
