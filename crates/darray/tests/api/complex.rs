//! Complex arrays.

use crate::devices::everywhere;
use darray::{Complex, DArray, Fallible, Mode, Norm, Runtime, axes, s};

pub type C = Complex<f64>;

pub fn c(re: f64, im: f64) -> C {
    Complex::new(re, im)
}

/// Numbers of all magnitudes and signs, and special ones.
fn numbers() -> Vec<C> {
    let parts = [0.0, -0.0, 1.0, -1.5, 3e-7, 2.5e160, -4e-170, f64::INFINITY, f64::NAN];
    parts.iter().flat_map(|&re| parts.iter().map(move |&im| c(re, im))).collect()
}

/// Equal to the bit, NaN being one.
#[track_caller]
pub fn assert_same(found: &[C], expected: &[C]) {
    assert_eq!(found.len(), expected.len());
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    for (index, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!(same(a.re, b.re) && same(a.im, b.im), "{a} is not {b} at {index}");
    }
}

/// NumPy's quotient: Smith's, and by 0 part by part.
fn quotient(a: C, b: C) -> C {
    let (large, small, wide) = match b.re.abs() >= b.im.abs() {
        true => (b.re, b.im, true),
        false => (b.im, b.re, false),
    };
    if b.re == 0.0 && b.im == 0.0 {
        return c(a.re / 0.0, a.im / 0.0);
    }
    let ratio = small / large;
    let scale = 1.0 / (large + small * ratio);
    match wide {
        true => c((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale),
        false => c((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale),
    }
}

#[test]
fn operators_are_numpys() {
    everywhere(|_| {
        let (n, count) = (numbers(), numbers().len());
        let column = DArray::from_shape_vec((count, 1), n.clone());
        let row = DArray::from_vec(n.clone());
        let each = |f: fn(C, C) -> C| -> Vec<C> {
            n.iter().flat_map(|&a| n.iter().map(move |&b| f(a, b))).collect()
        };
        assert_same(&(&column + &row).to_vec(), &each(|a, b| c(a.re + b.re, a.im + b.im)));
        assert_same(&(&column - &row).to_vec(), &each(|a, b| c(a.re - b.re, a.im - b.im)));
        let product = |a: C, b: C| c(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
        assert_same(&(&column * &row).to_vec(), &each(product));
        assert_same(&(&column / &row).to_vec(), &each(quotient));
        for &b in &n {
            let expected: Vec<C> = n.iter().map(|&a| quotient(a, b)).collect();
            assert_same(&(&row / b).to_vec(), &expected);
            let expected: Vec<C> = n.iter().map(|&a| quotient(b, a)).collect();
            assert_same(&(b / &row).to_vec(), &expected);
        }
        assert_same(&(-&row).to_vec(), &n.iter().map(|&a| -a).collect::<Vec<C>>());
    });
}

#[test]
fn real_operands_act_on_the_parts() {
    everywhere(|_| {
        let n = numbers();
        let z = DArray::from_vec(n.clone());
        let each = |f: &dyn Fn(C) -> C| -> Vec<C> { n.iter().map(|&a| f(a)).collect() };
        let x: DArray = DArray::full(n.len(), -2.5);
        for (found, expected) in [
            (&z + 1.5, each(&|a| c(a.re + 1.5, a.im))),
            (1.5 + &z, each(&|a| c(1.5 + a.re, a.im))),
            (&z - 2, each(&|a| c(a.re - 2.0, a.im))),
            (2 - &z, each(&|a| c(2.0 - a.re, -a.im))),
            (&z * -2.5, each(&|a| c(a.re * -2.5, a.im * -2.5))),
            (-2.5 * &z, each(&|a| c(-2.5 * a.re, -2.5 * a.im))),
            (&z / -2.5, each(&|a| c(a.re / -2.5, a.im / -2.5))),
            (&z * &x, each(&|a| c(a.re * -2.5, a.im * -2.5))),
            (&x * &z, each(&|a| c(a.re * -2.5, a.im * -2.5))),
            (&x - &z, each(&|a| c(-2.5 - a.re, -a.im))),
            (&z / &x, each(&|a| c(a.re / -2.5, a.im / -2.5))),
        ] {
            assert_same(&found.to_vec(), &expected);
        }
        // A quotient of finite numbers is the same with an imaginary part 0.
        let finite: Vec<C> = vec![c(1.5, -2.0), c(-3.0, 0.5), c(0.25, 8.0)];
        let z = DArray::from_vec(finite.clone());
        let expected: Vec<C> = finite.iter().map(|&a| quotient(c(-2.5, 0.0), a)).collect();
        assert_same(&(-2.5 / &z).to_vec(), &expected);
        assert_same(&(DArray::<f64>::full(3, -2.5) / &z).to_vec(), &expected);
        assert_same(&z.reciprocal().to_vec(), &(1 / &z).to_vec());
        // A real array and a complex scalar.
        let x: DArray = DArray::from_vec(vec![2.0, -0.5]);
        let w = c(1.0, -3.0);
        assert_same(&(&x * w).to_vec(), &[c(2.0, -6.0), c(-0.5, 1.5)]);
        assert_same(&(w * &x).to_vec(), &[c(2.0, -6.0), c(-0.5, 1.5)]);
        assert_same(&(&x + w).to_vec(), &[c(3.0, -3.0), c(0.5, -3.0)]);
        assert_same(&(w - &x).to_vec(), &[c(-1.0, -3.0), c(1.5, -3.0)]);
        assert_same(&(w / &x).to_vec(), &[c(0.5, -1.5), c(-2.0, 6.0)]);
        assert_same(&(&x / c(0.0, 2.0)).to_vec(), &[c(0.0, -1.0), c(-0.0, 0.25)]);
        assert_same(&(DArray::<i64>::arange(2) * c(0.0, 1.0)).to_vec(), &[c(0., 0.), c(0., 1.)]);
    });
}

#[test]
fn types_promote_as_numpys() {
    let narrow = DArray::<Complex<f32>>::full(2, Complex::new(1.0, 2.0));
    let wide: DArray<Complex<f64>> = &narrow + DArray::<Complex<f64>>::zeros(2);
    assert_eq!(wide.to_vec(), [c(1.0, 2.0); 2]);
    let wide: DArray<Complex<f64>> = &narrow + DArray::<i64>::ones(2);
    assert_eq!(wide.to_vec(), [c(2.0, 2.0); 2], "the imaginary parts become wide as well");
    let same: DArray<Complex<f32>> =
        0.1 * &narrow + Complex::new(0.5, 0.0) - DArray::<bool>::ones(2);
    assert_eq!(same.to_vec()[0], Complex::new(0.1f32 + 0.5 - 1.0, 0.2f32));
    let real: DArray<f32> = same.abs();
    assert_eq!(real.shape(), [2]);
    assert_eq!(narrow.cast::<Complex<f64>>().to_vec(), [c(1.0, 2.0); 2]);
    // Scalars alone are computed in the type of the array.
    let third = DArray::<Complex<f32>>::full(1, 1) / Complex::new(3.0, 0.1);
    let expected = {
        let ratio = 0.1f32 / 3.0;
        let scale = 1.0 / (3.0 + 0.1f32 * ratio);
        Complex::new((1.0 + 0.0 * ratio) * scale, (0.0 - 1.0 * ratio) * scale)
    };
    assert_eq!(third.to_vec(), [expected]);
    // A whole number is rounded once.
    let large = (1i64 << 60) + (1 << 36) + 1;
    let sum = DArray::<Complex<f32>>::zeros(1) + large;
    assert_eq!(sum.to_vec(), [Complex::new(large as f32, 0.0)]);
}

/// Operands of two types give the bits of operands that were cast first.
#[test]
fn operands_are_cast_before_anything_is_computed() {
    everywhere(|_| {
        let narrow = DArray::from_vec(vec![Complex::new(0.1f32, -0.7), Complex::new(3.3, 0.3)]);
        let cast = narrow.cast::<Complex<f64>>();
        let wide = DArray::from_vec(vec![c(0.3, 0.1), c(-0.7, 1.9)]);
        let whole = DArray::<i64>::from_vec(vec![1, 3]);
        let real = DArray::<f64>::from_vec(vec![0.3, -1.7]);
        let small = DArray::<f32>::from_vec(vec![0.3, -1.7]);
        let mask = DArray::from_vec(vec![true, false]);
        for (name, found, expected) in [
            ("z32 / z64", &narrow / &wide, &cast / &wide),
            ("z64 / z32", &wide / &narrow, &wide / &cast),
            ("z32 * z64", &narrow * &wide, &cast * &wide),
            ("z32 / x64", &narrow / &real, &cast / &real),
            ("x64 / z32", &real / &narrow, &real / &cast),
            ("x32 / z64", &small / &wide, small.cast::<f64>() / &wide),
            ("i64 / z64", &whole / &wide, whole.cast::<f64>() / &wide),
            ("i64 / z32", &whole / &narrow, whole.cast::<f64>() / &cast),
            ("i64 / scalar", &whole / c(1.0, 2.0), whole.cast::<f64>() / c(1.0, 2.0)),
            ("z32 ** x64", narrow.pow(&real), cast.pow(&real)),
            ("z64 ** x32", wide.pow(&small), wide.pow(small.cast::<f64>())),
            ("z32 ** i64", narrow.pow(&whole), cast.pow(whole.cast::<f64>())),
            ("z32 ** z64", narrow.pow(&wide), cast.pow(&wide)),
            ("z64 ** z32", wide.pow(&narrow), wide.pow(&cast)),
            ("where z32", mask.select(&narrow, &wide), mask.select(&cast, &wide)),
            ("where z64", mask.select(&wide, &narrow), mask.select(&wide, &cast)),
            ("where x64", mask.select(&narrow, &real), mask.select(&cast, &real)),
        ] {
            println!("{name}");
            assert_same(&found.to_vec(), &expected.to_vec());
        }
        let integers = DArray::<i32>::ones(1) / DArray::<Complex<f64>>::full(1, c(1.0, 2.0));
        assert_same(&integers.to_vec(), &[quotient(c(1.0, 0.0), c(1.0, 2.0))]);
        assert_same(&mask.select(&narrow, &wide).to_vec()[1..], &[c(-0.7, 1.9)]);
        let mut quotients = wide.copy();
        quotients /= &narrow;
        assert_same(&quotients.to_vec(), &(&wide / &cast).to_vec());
        assert_eq!(narrow.eq(&wide).to_vec(), cast.eq(&wide).to_vec());
    });
}

/// Outside of its scope, what scalars become is made in the runtime of the arrays.
#[test]
fn scalars_become_parts_in_the_runtime_of_the_arrays() {
    let small = Runtime::builder().threads(1).memory_limit(1 << 10).build().unwrap();
    let (x, none) =
        small.scope(|| (DArray::<f64>::arange(2), DArray::<Complex<f64>>::zeros((0, 2))));
    for z in [&x + c(1.0, 2.0), c(1.0, 2.0) - &x, x.to_complex(), none.prod(0)] {
        assert!(z.real().runtime() == &small && z.imag().runtime() == &small);
        z.to_vec();
    }
    assert_same(&(&x + c(1.0, 2.0)).to_vec(), &[c(1.0, 2.0), c(2.0, 2.0)]);
    assert_same(&none.prod(0).to_vec(), &[c(1.0, 0.0); 2]);
    let (line, none) = small.scope(|| {
        (DArray::<f64>::zeros(1).broadcast_to(1000), DArray::<Complex<f64>>::zeros((0, 1000)))
    });
    let sum = &line + c(1.0, 2.0);
    let product = none.prod(0);
    for (part, name) in [(sum.imag(), "add: "), (product.imag(), "prod: ")] {
        let error = part.try_to_vec().unwrap_err().to_string();
        assert!(error.starts_with(name) && error.contains("tests/api/complex.rs:"), "{error}");
    }
}

#[test]
fn shapes_broadcast() {
    everywhere(|_| {
        let z = DArray::from_vec(vec![c(1.0, 2.0), c(3.0, 4.0)]);
        let column = DArray::<f64>::arange(2).reshape((2, 1));
        let expected = [c(1.0, 2.0), c(3.0, 4.0), c(2.0, 2.0), c(4.0, 4.0)];
        assert_same(&(&z + &column).to_vec(), &expected);
        assert_same(&(&column + &z).to_vec(), &expected);
        assert_eq!((&z + DArray::<f64>::zeros((0, 2))).shape(), [0, 2]);
        let point = DArray::<Complex<f64>>::full((), c(0.0, 1.0));
        assert_same(&(&point * &z).to_vec(), &[c(-2.0, 1.0), c(-4.0, 3.0)]);
        assert_eq!(&z.eq(point).to_vec(), &[false, false]);
        assert_eq!((&column * c(1.0, 1.0)).shape(), [2, 1]);
    });
}

#[test]
fn a_refused_operation_records_nothing() {
    let runtime = Runtime::builder().threads(1).build().unwrap();
    runtime.scope(|| {
        let (z, w) = (DArray::<Complex<f64>>::zeros(3), DArray::<Complex<f64>>::zeros(4));
        runtime.sync();
        let before = runtime.stats().tasks;
        let line = line!() + 1;
        let error = z.try_div(&w).unwrap_err().to_string();
        assert!(error.starts_with("divide: shapes [3] and [4] do not broadcast"), "{error}");
        assert!(error.contains(&format!("tests/api/complex.rs:{line}:")), "{error}");
        assert!(z.try_pow(&w).is_err() && z.try_eq(&w).is_err());
        let other = Runtime::builder().threads(1).build().unwrap();
        let w = other.scope(|| DArray::<Complex<f64>>::zeros(3));
        let error = z.try_mul(&w).unwrap_err().to_string();
        assert!(error.starts_with("multiply: the operands belong to two runtimes"), "{error}");
        assert!(DArray::try_from_parts(z.real(), w.imag()).is_err());
        for (norm, axis) in [(Norm::One, 1), (Norm::Frobenius, 0)] {
            assert!(z.try_norm(axes(axis).ord(norm)).is_err());
        }
        let none = z.slice(s![..0]);
        for norm in [Norm::NegInf, Norm::P(f64::NEG_INFINITY)] {
            assert!(none.try_norm(axes(..).ord(norm)).is_err());
        }
        runtime.sync();
        assert_eq!(runtime.stats().tasks, before);
    });
}

/// A failure while it runs names the complex operation and its line.
#[test]
fn failures_name_the_complex_operation() {
    let small = Runtime::builder().threads(1).memory_limit(1 << 10).build().unwrap();
    small.scope(|| {
        let line = DArray::<Complex<f64>>::zeros(1).broadcast_to(1000);
        let at = line!() + 1;
        let (wide, odd) = (line.exp(), line.slice(s![..999]).prod(..));
        for (result, name) in [(wide, "exp: "), (odd, "prod: ")] {
            let error = result.try_to_vec().unwrap_err().to_string();
            assert!(error.starts_with(name), "{error}");
            assert!(error.contains(&format!("tests/api/complex.rs:{at}:")), "{error}");
        }
    });
}

#[test]
fn one_expression_is_one_kernel_without_temporaries() {
    let n = 1 << 14;
    let runtime = Runtime::builder().threads(1).build().unwrap();
    runtime.scope(|| {
        let part = |seed| darray::default_rng(seed).random(n);
        let array = |seed| DArray::from_parts(part(seed), part(seed + 1));
        let (z, w, c0) = (array(1), array(3), array(5));
        runtime.sync();
        let kernels = |expression: &dyn Fn() -> (DArray<Complex<f64>>, DArray)| {
            let before = runtime.stats();
            let result = expression();
            runtime.sync();
            let after = runtime.stats();
            drop(result);
            (after.kernels - before.kernels, after.bytes_in_use - before.bytes_in_use)
        };
        let complex = |z: DArray<Complex<f64>>| {
            let re = z.real();
            (z, re)
        };
        let two = (2 * n * size_of::<f64>()) as u64;
        let close = |found: u64, wanted: u64| found >= wanted && found < wanted + wanted / 4;
        for expression in [
            &(|| complex(&z * &w + &c0)) as &dyn Fn() -> (DArray<Complex<f64>>, DArray),
            &|| complex(&z / &w - 2.0 * &c0),
            &|| complex((&z * c(0.0, 1.0)).exp()),
            &|| complex(z.sqrt().conj()),
            &|| complex(z.powi(5)),
        ] {
            let (count, bytes) = kernels(expression);
            assert_eq!(count, 1);
            assert!(close(bytes, two), "{bytes} bytes for {two}");
        }
        let (count, bytes) = kernels(&|| (DArray::zeros(0), (&z * &w).abs()));
        assert_eq!(count, 1);
        assert!(close(bytes, two / 2), "{bytes} bytes");
    });
}

#[test]
fn values_go_in_and_out() {
    everywhere(|_| {
        let n = numbers();
        let z = DArray::from_shape_vec((3, 27), n.clone());
        assert_same(&z.to_vec(), &n);
        let nd = z.t().to_ndarray();
        assert_eq!(nd.shape(), [27, 3]);
        assert_same(&DArray::from_ndarray(&nd.t()).to_vec(), &n);
        let polar = DArray::from_polar(&z.abs(), &z.arg());
        let w = polar.slice(s![0, 3]).item() - z.slice(s![0, 3]).item();
        assert!(w.norm() < 1e-15);
        assert_eq!(z.real().len() + z.imag().len(), 162);
    });
}

#[test]
fn masks_choose_complex_numbers() {
    everywhere(|_| {
        let z = DArray::from_vec(vec![c(1.0, 2.0), c(3.0, 4.0)]);
        let mask = z.eq(c(1.0, 2.0));
        assert_eq!(mask.to_vec(), [true, false]);
        assert_eq!(z.ne(z.conj()).to_vec(), [true, true]);
        assert_eq!(z.ne(z.real()).to_vec(), [true, true]);
        assert_same(&mask.select(&z, z.conj()).to_vec(), &[c(1.0, 2.0), c(3.0, -4.0)]);
        assert_same(&mask.select(&z, 7).to_vec(), &[c(1.0, 2.0), c(7.0, 0.0)]);
        let special = DArray::from_vec(numbers());
        let each = |f: fn(f64) -> bool, any: bool| -> Vec<bool> {
            let test = |z: &C| if any { f(z.re) || f(z.im) } else { f(z.re) && f(z.im) };
            numbers().iter().map(test).collect()
        };
        assert_eq!(special.is_nan().to_vec(), each(f64::is_nan, true));
        assert_eq!(special.is_infinite().to_vec(), each(f64::is_infinite, true));
        assert_eq!(special.is_finite().to_vec(), each(f64::is_finite, false));
    });
}

#[test]
fn complex_numbers_are_printed_as_numpys() {
    let print = |values: &[(f64, f64)]| {
        let values = values.iter().map(|&(re, im)| c(re, im)).collect();
        DArray::from_vec(values).to_string()
    };
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    assert_eq!(
        print(&[(1.0, nan), (-inf, 2.0), (1e10, -1.0), (3.0, inf)]),
        "[1.e+00+nanj   -inf +2.j 1.e+10 -1.j 3.e+00+infj]"
    );
    assert_eq!(print(&[(1.0, nan), (3.0, inf), (1.0, -0.0)]), "[1.+nanj 3.+infj 1. -0.j]");
    let long = (DArray::<f64>::arange(2000).to_complex() * c(1.0, 1.0)).to_string();
    assert_eq!(
        long,
        "[0.000e+00+0.000e+00j 1.000e+00+1.000e+00j 2.000e+00+2.000e+00j ...\n \
         1.997e+03+1.997e+03j 1.998e+03+1.998e+03j 1.999e+03+1.999e+03j]"
    );
    for ((re, im), text) in [
        ((1.0, 2.0), "(1+2j)"),
        ((0.0, 2.0), "2j"),
        ((nan, nan), "(nan+nanj)"),
        ((1e20, -1e-7), "(1e+20-1e-07j)"),
        ((1.0, -inf), "(1-infj)"),
        ((0.0, -0.0), "-0j"),
        ((-0.0, 1.5), "(-0+1.5j)"),
        ((nan, 1.0), "(nan+1j)"),
    ] {
        assert_eq!(DArray::<Complex<f64>>::full((), c(re, im)).to_string(), text);
    }
    let narrow = DArray::from_vec(vec![Complex::new(1e-7f32, 1.0), Complex::new(3.0, 0.0)]);
    assert_eq!(narrow.to_string(), "[1.e-07+1.j 3.e+00+0.j]");
    assert_eq!(format!("{narrow:?}"), "DArray<complex64>[2] [1.e-07+1.j 3.e+00+0.j]");
}

/// Random expressions have the same bits in every mode.
#[test]
fn expressions_have_the_same_bits_fused_and_not() {
    let run = |mode, devices| {
        let builder = Runtime::builder().mode(mode).threads(1).cpu_devices(devices);
        let runtime = builder.build().unwrap();
        runtime.scope(|| (0..20).map(expression).collect::<Vec<_>>())
    };
    let expected = run(Mode::Unfused, 1);
    for (mode, devices) in [(Mode::Fused, 1), (Mode::Task, 1), (Mode::Fused, 2), (Mode::Fused, 4)] {
        for (found, expected) in run(mode, devices).iter().zip(&expected) {
            assert_same(found, expected);
        }
    }
}

/// What some random steps make of random numbers.
fn expression(seed: u64) -> Vec<C> {
    let mut random = darray::default_rng(seed);
    let mut part = |n: usize| 4.0 * random.random(n) - 2.0;
    let mut stack: Vec<DArray<Complex<f64>>> =
        (0..3).map(|_| DArray::from_parts(part(97), part(97))).collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    for _ in 0..12 {
        let (a, b) = (next(3) as usize, next(3) as usize);
        let (z, w) = (stack[a].alias(), stack[b].alias());
        let result = match next(14) {
            0 => &z + &w,
            1 => &z - &w,
            2 => &z * &w,
            3 => &z / &w,
            4 => z.sqrt(),
            5 => z.ln() * c(0.5, 0.5),
            6 => (z / 8.0).exp(),
            7 => z.sin().tanh(),
            8 => z.asin(),
            9 => z.atanh() * w.real(),
            10 => z.conj().powi(3) + 1.5,
            11 => z.abs().lt(1.0).select(&z, &w),
            12 => z.pow(0.5) - w.acosh(),
            _ => z.flip(..) * w.imag(),
        };
        if next(4) == 0 {
            stack[b].slice(s![10..50]).assign(result.slice(s![..40]));
        } else {
            stack[a] = result;
        }
    }
    stack.iter().flat_map(DArray::to_vec).collect()
}

/// What `numpy.save` writes of `np.array([[1-2j, 3.5+0.5j]], np.complex64)`.
const NUMPYS: &[u8] =
    b"\x93NUMPY\x01\x00v\x00{'descr': '<c8', 'fortran_order': False, 'shape': (1, 2), }\
    \x20                                                         \n\
    \x00\x00\x80?\x00\x00\x00\xc0\x00\x00`@\x00\x00\x00?";

#[test]
fn files_have_pairs_as_numpys() {
    let path = std::env::temp_dir().join(format!("darray-complex-{}.npy", std::process::id()));
    let z =
        DArray::from_shape_vec((1, 2), vec![Complex::new(1.0f32, -2.0), Complex::new(3.5, 0.5)]);
    z.save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), NUMPYS);
    everywhere(|_| {
        assert_eq!(DArray::<Complex<f32>>::load(&path).unwrap().to_vec(), z.to_vec());
    });
    // The other byte order, and the other order of axes.
    let mut other = NUMPYS.to_vec();
    let code = other.windows(4).position(|w| w == b"'<c8").unwrap();
    other[code + 1] = b'>';
    other[128..].chunks_exact_mut(4).for_each(<[u8]>::reverse);
    std::fs::write(&path, &other).unwrap();
    assert_eq!(DArray::<Complex<f32>>::load(&path).unwrap().to_vec(), z.to_vec());
    let text = String::from_utf8_lossy(&NUMPYS[10..127]).replace("False", "True ");
    let text = text.replace("(1, 2)", "(2, 3)");
    let columns = [[0.0f32, 1.0], [10.0, 11.0], [1.0, 2.0], [11.0, 12.0], [2.0, 3.0], [12.0, 13.0]];
    let columns: Vec<u8> = columns.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(&path, [&NUMPYS[..10], text.as_bytes(), b"\n", &columns].concat()).unwrap();
    let fortran = DArray::<Complex<f32>>::load(&path).unwrap();
    assert_eq!(fortran.shape(), [2, 3]);
    let rows = [0.0f32, 1.0, 2.0, 10.0, 11.0, 12.0].map(|re| Complex::new(re, re + 1.0));
    assert_eq!(fortran.to_vec(), rows);
    let error = DArray::<f32>::load(&path).unwrap_err().to_string();
    assert!(error.contains("elements of type complex64, expected f32"), "{error}");
    DArray::<f64>::ones(2).save(&path).unwrap();
    let error = DArray::<Complex<f64>>::load(&path).unwrap_err().to_string();
    assert!(error.contains("elements of type f64, expected complex128"), "{error}");
    std::fs::remove_file(path).unwrap();
}
