//! f16 and bf16: computed with in f32, rounded by every operation, once by reductions and products.

use crate::devices::everywhere;
use darray::{
    Axes, Complex, CpuJit, CpuLevel, DArray, DType, DynArray, Float, Mode, Runtime, bf16,
    default_rng, f16, s,
};

/// Floats of two bytes by their bits.
trait Narrow: Float {
    /// The bit that makes a NaN quiet.
    const QUIET: u16;
    fn of_bits(bits: u16) -> Self;
    fn bits(self) -> u16;
    fn of_f32(value: f32) -> Self;
}

macro_rules! narrow {
    ($($t:ident $quiet:literal)+) => { $(
        impl Narrow for $t {
            const QUIET: u16 = $quiet;
            fn of_bits(bits: u16) -> $t {
                $t::from_bits(bits)
            }
            fn bits(self) -> u16 {
                self.to_bits()
            }
            fn of_f32(value: f32) -> $t {
                $t::from_f32(value)
            }
        }
    )+ };
}

narrow! { f16 0x200 bf16 0x40 }

fn brain(values: &[f32]) -> DArray<bf16> {
    DArray::from_vec(values.iter().map(|&v| bf16::from_f32(v)).collect())
}

fn half(values: &[f32]) -> DArray<f16> {
    DArray::from_vec(values.iter().map(|&v| f16::from_f32(v)).collect())
}

/// Whether the machine has the instructions that machine code for f16 needs.
fn has_machine_code() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// `np.arange(0.1, 900, step, dtype=float16)` at 3: the step is not rounded to f16.
#[test]
fn the_step_of_a_range_is_not_rounded() {
    everywhere(|_| {
        for (step, third) in [(1.0, 3.1), (100.0, 300.25)] {
            let [first, last, step, third] = [0.1, 900.0, step, third].map(f16::from_f32);
            assert_eq!(DArray::range(first, last, step).to_vec()[3], third);
        }
        // The number of steps is counted in f16, too.
        let [zero, one, tenth] = [0.0, 1.0, 0.1].map(f16::from_f32);
        assert_eq!(DArray::range(zero, one, tenth).len(), 10);
        assert_eq!(DArray::<f32>::range(0.0, 1.0, 0.01).len(), 100);
    });
}

fn floats(array: &DArray<f16>) -> Vec<f32> {
    array.to_vec().into_iter().map(f32::from).collect()
}

#[test]
fn every_operation_rounds_its_result() {
    everywhere(|_| {
        let x = half(&[1.0, 2048.0, 60000.0, 6e-8]);
        // 2049 is none, nor is 1 + 2^-11; what is too large is infinite, the least denormal halved is zero.
        assert_eq!(floats(&(&x + 1.0 / 2048.0)), [1.0, 2048.0, 60000.0, 0.00048828125]);
        assert_eq!(floats(&(&x + 1)), [2.0, 2048.0, 60000.0, 1.0]);
        assert_eq!(floats(&(&x * 2.0)), [2.0, 4096.0, f32::INFINITY, 1.1920929e-7]);
        assert_eq!(floats(&(&x * 0.5)), [0.5, 1024.0, 30000.0, 0.0]);
        // The first sum loses its one before the second is taken.
        assert_eq!(floats(&((&x + 1) - &x)), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(x.gt(2047.0).to_vec(), [false, true, true, false]);
        // A scalar is rounded to f16 before it is compared.
        assert_eq!(half(&[0.1]).eq(0.1).to_vec(), [true]);
    });
}

#[test]
fn scalars_and_arrays_of_other_types_promote_as_numpys() {
    let x = half(&[1.5, 2.5]);
    let doubles: DArray<f64> = &x + DArray::<i32>::ones(2);
    assert_eq!(doubles.to_vec(), [2.5, 3.5]);
    let singles: DArray<f32> = &x * DArray::<f32>::ones(2);
    assert_eq!(singles.to_vec(), [1.5, 2.5]);
    let halves: DArray<f16> = &x - DArray::<u8>::ones(2);
    assert_eq!(floats(&halves), [0.5, 1.5]);
    assert_eq!(floats(&x.sqrt()), [1.2246094, 1.5810547]);
    assert_eq!(floats(&x.powi(3)), [3.375, 15.625]);
}

#[test]
fn reductions_scans_and_products_round_once() {
    everywhere(|_| {
        // Step by step in f16 the sum would stop at 2048.
        let ones = DArray::<f16>::ones(5000);
        assert_eq!(f32::from(ones.sum(..).item()), 5000.0);
        assert_eq!(f32::from(ones.dot(&ones).item()), 5000.0);
        assert_eq!(floats(&ones.cumsum(..).slice(s![4998..])), [5000.0, 5000.0]);
        // Sum and squares pass the largest f16; mean and deviation do not.
        let large = DArray::<f16>::full(1000, 300);
        assert_eq!(f32::from(large.mean(..).item()), 300.0);
        assert_eq!(f32::from(large.std(..).item()), 0.0);
        assert!(large.sum(..).item().is_infinite());
        let matrix = DArray::<f16>::full((3, 700), 3);
        assert_eq!(floats(&matrix.matmul(&matrix.t()).ravel()), [6300.0; 9]);
        assert_eq!(floats(&matrix.sum(1)), [2100.0; 3]);
        assert_eq!(f32::from(half(&[3.0, f32::NAN, -1.0]).nanmin(..).item()), -1.0);
        assert_eq!(half(&[3.0, -7.5, 2.0]).argmin(..).item(), 1);
    });
}

#[test]
fn elements_are_sorted_moved_and_drawn() {
    everywhere(|_| {
        let x = half(&[2.5, f32::NAN, -0.0, f32::NEG_INFINITY, 0.5]);
        let sorted = floats(&x.sort(-1));
        assert_eq!(sorted[..4], [f32::NEG_INFINITY, 0.0, 0.5, 2.5]);
        assert!(sorted[4].is_nan());
        assert_eq!(x.argsort(-1).to_vec(), [3, 2, 4, 0, 1]);
        let taken = x.take(&DArray::from_vec(vec![4, -5]), ..);
        assert_eq!(floats(&taken), [0.5, 2.5]);
        let table = DArray::<f16>::arange(6).reshape((2, 3)).t();
        assert_eq!(floats(&table.flatten()), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        table.slice(s![1]).assign(7.0);
        assert_eq!(floats(&table.flatten()), [0.0, 3.0, 7.0, 7.0, 2.0, 5.0]);
        let drawn = floats(&default_rng(7).random_as::<f16>(1000));
        assert!(drawn.iter().all(|v| (0.0..1.0).contains(v) && (v * 2048.0).fract() == 0.0));
        let next = x.nextafter(f64::INFINITY);
        assert_eq!(next.to_vec()[0].to_bits(), f16::from_f32(2.5).to_bits() + 1);
    });
}

/// One kernel, all of it machine code, with half the traffic of f32, and the bits of its parts.
#[test]
fn a_chain_is_one_kernel_of_machine_code_with_the_bits_of_its_parts() {
    check_chain::<f16>();
    check_chain::<bf16>();
}

fn check_chain<T: Narrow>() {
    let run = |mode: Mode, jit: CpuJit| {
        let builder = Runtime::builder().threads(1).mode(mode).cpu_jit(jit);
        let runtime = builder.build().expect("a runtime");
        let bits = runtime.scope(|| {
            let x = DArray::<T>::linspace(T::of_f32(-4.0), T::of_f32(4.0), 3000);
            let other = x.slice(s![..;-1]).copy();
            runtime.sync();
            let before = runtime.stats();
            let [one, five] = [1.0, 5.0].map(T::of_f32);
            let y = ((&x * &other).exp() + one).sqrt() / (&x + five);
            let bits: Vec<u16> = y.to_vec().into_iter().map(T::bits).collect();
            (bits, runtime.stats().kernels - before.kernels)
        });
        (bits, runtime.stats())
    };
    let ((expected, kernels), _) = run(Mode::Unfused, CpuJit::Off);
    assert_eq!(kernels, 6);
    for jit in [CpuJit::Off, CpuJit::Auto] {
        let ((found, kernels), stats) = run(Mode::Fused, jit);
        assert_eq!(found, expected, "{} {jit:?}", T::DTYPE);
        assert_eq!(kernels, 1);
        let native = stats.native;
        if jit == CpuJit::Auto && has_machine_code() {
            assert!(native.whole > 0 && native.part + native.none == 0, "{native:?}");
        }
    }
}

/// Bits of a narrow float and of wider ones made of each other, NaN of every kind among them, with and without machine
/// code; `-x` beside the conversion, as alone it would be no machine code.
fn converted<T: Narrow>(level: CpuLevel, jit: CpuJit) -> [Vec<u64>; 4] {
    let runtime = Runtime::builder().threads(1).cpu_level(level).cpu_jit(jit).build().unwrap();
    runtime.scope(|| {
        let narrow = DArray::<T>::from_vec((0..=u16::MAX).map(T::of_bits).collect());
        let singles = (0..1u32 << 16)
            .map(|k| k * 0x1_0001)
            .chain((0..1 << 14).map(|k| (k * 769) | 0x7f80_0000));
        let singles = DArray::from_vec(singles.map(f32::from_bits).collect::<Vec<_>>());
        let doubles = (0..1u64 << 16).map(|k| k * 0x1_0001_0001_0001);
        let doubles = doubles.chain((0..1 << 14).map(|k| (k * 0x0400_8000_1001) | (0x7ff << 52)));
        let doubles = DArray::from_vec(doubles.map(f64::from_bits).collect::<Vec<_>>());
        let bits = |x: DArray<T>| x.to_vec().into_iter().map(|v| v.bits().into()).collect();
        [
            (-narrow.cast::<f32>()).to_vec().into_iter().map(|v| v.to_bits().into()).collect(),
            (-narrow.cast::<f64>()).to_vec().into_iter().map(f64::to_bits).collect(),
            bits((-singles).cast()),
            bits((-doubles).cast()),
        ]
    })
}

#[test]
fn nan_carries_the_same_on_every_level() {
    let halves = check_conversions::<f16>();
    // The sign turned and quiet, with the upper bits of what it carried.
    assert_eq!(halves[2][(1 << 16) + 1], 0xfe00);
    assert_eq!(halves[2][(1 << 16) + 32], 0xfe00 | (32 * 769) >> 13);
    let brains = check_conversions::<bf16>();
    assert_eq!(brains[2][(1 << 16) + 1], 0xffc0);
    assert_eq!(brains[2][(1 << 16) + 128], 0xffc0 | (128 * 769) >> 16);
}

fn check_conversions<T: Narrow>() -> [Vec<u64>; 4] {
    let expected = converted::<T>(CpuLevel::Baseline, CpuJit::Off);
    for level in [CpuLevel::Baseline, CpuLevel::Avx2, CpuLevel::Avx512] {
        for jit in [CpuJit::Off, CpuJit::Auto] {
            for (k, found) in converted::<T>(level, jit).into_iter().enumerate() {
                assert!(found == expected[k], "{} {level:?} {jit:?}, conversion {k}", T::DTYPE);
            }
        }
    }
    expected
}

#[test]
fn what_f16_does_not_have_is_refused_by_name() {
    let x = DynArray::from(half(&[1.0]));
    let error = x.unary(darray::Unary::Not).unwrap_err().to_string();
    assert!(error.starts_with("invert: element types f16"), "{error}");
    let sum = x.reduce(darray::Reduction::Sum, Axes::all()).unwrap();
    assert_eq!(sum.dtype(), DType::F16);
}

/// Moves keep all bits, those of signalling NaNs too; conversions make these quiet, also where no array lies in between.
#[test]
fn signalling_nans_are_moved_as_they_are_and_converted_to_quiet_ones() {
    check_moves::<f16>(0x7c01);
    check_moves::<bf16>(0x7f81);
}

fn check_moves<T: Narrow>(first: u16) {
    // All of them, over and over.
    let signalling = |k: u16| T::of_bits(first + k % (T::QUIET - 1));
    let bits =
        |array: &DArray<T>| -> Vec<u16> { array.to_vec().into_iter().map(T::bits).collect() };
    for mode in [Mode::Fused, Mode::Task, Mode::Unfused] {
        for jit in [CpuJit::Off, CpuJit::Avx2, CpuJit::Avx512, CpuJit::Auto] {
            // The machine may have less.
            let Ok(runtime) = Runtime::builder().threads(1).mode(mode).cpu_jit(jit).build() else {
                continue;
            };
            runtime.scope(|| {
                let case = format!("{mode:?} {jit:?}");
                let x = DArray::from_vec((0..400).map(signalling).collect::<Vec<_>>());
                let m = x.reshape((20, 20));
                let moved = [
                    x.tile(3),
                    x.repeat(3, ..),
                    m.repeat(2, 0),
                    m.slice(s![.., 1..]).copy(),
                    m.slice(s![..;-1, ..;2]).copy(),
                    m.t().copy(),
                    DArray::concatenate([&m, &m], 1),
                    DArray::stack([&x, &x], 1),
                    x.slice(s![7..8]).broadcast_to((3, 50)).copy(),
                ];
                for (number, moved) in moved.iter().enumerate() {
                    let kept =
                        bits(moved).iter().all(|bits| (first..first + T::QUIET - 1).contains(bits));
                    assert!(kept, "{number}, {case}");
                }
                let (y, single) = (x.copy(), x.copy().cast::<f32>());
                let (sum, back) = (&y + T::of_f32(0.0), single.cast::<T>());
                assert_eq!(bits(&y), bits(&x), "{case}");
                for quiet in [sum, back] {
                    let expected: Vec<u16> =
                        (0..400).map(|k| signalling(k).bits() | T::QUIET).collect();
                    assert_eq!(bits(&quiet), expected, "{case}");
                }
                let x = DArray::from_vec(vec![f32::from_bits(0x7f80_0001); 40]);
                let back = x.cast::<f64>().cast::<f32>().to_vec();
                assert_eq!(back[7].to_bits(), 0x7fc0_0001, "{case}");
            });
        }
    }
}

/// A copy between reversed views fuses with a sum of what it copies: all of the fold goes backwards, and so do the stores.
#[test]
fn reversed_stores_beside_reversed_folds_go_to_their_places() {
    for jit in [CpuJit::Off, CpuJit::Avx2, CpuJit::Avx512, CpuJit::Auto] {
        // The machine may have less.
        let builder = Runtime::builder().threads(1).window(1000).cpu_jit(jit);
        let Ok(runtime) = builder.build() else { continue };
        runtime.scope(|| {
            for n in [1usize, 7, 19, 40, 64, 100, 2000, 3000] {
                let values: Vec<f16> = (0..n).map(|k| f16::from_f32((k % 50) as f32)).collect();
                let (x, y) = (DArray::from_vec(values.clone()), DArray::<f16>::full(n + 40, 1.0));
                runtime.sync();
                let before = runtime.stats();
                let back = x.slice(s![..;-1]);
                y.slice(s![n + 19..19;-1]).assign(&back);
                let most = back.max(..);
                runtime.sync();
                let after = runtime.stats();
                // The result is rounded by itself, in the same launch if all is small.
                let kernels = 1 + u64::from(n > 2048);
                let counts = (after.tasks - before.tasks, after.kernels - before.kernels);
                assert_eq!(counts, (4, kernels), "{n}");
                assert_eq!(most.item(), f16::from_f32((n - 1).min(49) as f32), "{jit:?} {n}");
                let (found, around) = (y.to_vec(), [f16::ONE; 20]);
                assert_eq!(found[20..20 + n], values, "{jit:?} {n}");
                assert_eq!(
                    (&found[..20], &found[20 + n..]),
                    (&around[..], &around[..]),
                    "{jit:?} {n}"
                );
            }
        });
    }
}

/// Values of `ml_dtypes`, whose arithmetic is that of f32, rounded.
#[test]
fn operations_on_bf16_round_their_results() {
    let floats =
        |array: &DArray<bf16>| -> Vec<f32> { array.to_vec().into_iter().map(f32::from).collect() };
    everywhere(|_| {
        let x = brain(&[1.0, 256.0, 3e38, 1e-40]);
        // 257 is none; a tie goes to the even one; what is too large is infinite; denormals are numbers.
        assert_eq!(floats(&(&x + 1)), [2.0, 256.0, 3.0040553e38, 1.0]);
        assert_eq!(floats(&(&x + 3))[1], 260.0);
        assert_eq!(floats(&(&x * 2.0))[2..], [f32::INFINITY, f32::from_bits(2 << 16)]);
        assert_eq!(floats(&(&x * 0.5))[3], 0.0);
        assert_eq!(floats(&((&x + 1) - &x)), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(brain(&[0.1]).eq(0.1).to_vec(), [true]);
        assert_eq!(floats(&(brain(&[1.0, 2.0]) / 3.0)), [0.33398438, 0.66796875]);
        assert_eq!(floats(&brain(&[2.0, -2.0]).sqrt())[0], 1.4140625);
        let next = x.nextafter(f64::INFINITY);
        assert_eq!(floats(&next)[..2], [1.0078125, 258.0]);
        // Sums, scans and products round once.
        let ones = DArray::<bf16>::ones(5000);
        assert_eq!(f32::from(ones.sum(..).item()), 4992.0);
        assert_eq!(f32::from(ones.dot(&ones).item()), 4992.0);
        assert_eq!(floats(&ones.cumsum(..).slice(s![256..259])), [256.0, 258.0, 260.0]);
        assert_eq!(f32::from(DArray::<bf16>::full(1000, 300).mean(..).item()), 300.0);
        assert_eq!(f32::from(brain(&[3.0, f32::NAN, -1.0]).nanmin(..).item()), -1.0);
        assert_eq!(brain(&[3.0, -7.5, 2.0]).argmin(..).item(), 1);
        let x = brain(&[2.5, f32::NAN, -0.0, f32::NEG_INFINITY, 0.5, f32::INFINITY]);
        assert_eq!(x.argsort(-1).to_vec(), [3, 2, 4, 0, 5, 1]);
        assert_eq!(floats(&x.sort(-1))[1..5], [0.0, 0.5, 2.5, f32::INFINITY]);
        let drawn = floats(&default_rng(7).random_as::<bf16>(1000));
        assert!(drawn.iter().all(|v| (0.0..1.0).contains(v) && (v * 256.0).fract() == 0.0));
    });
}

#[test]
fn bf16_promotes_as_f16_does_and_both_together_to_f32() {
    let x = brain(&[1.5, 2.5]);
    let _: DArray<f32> = &x + half(&[1.0, 2.0]);
    let _: DArray<f32> = &x + DArray::<i16>::ones(2);
    let _: DArray<f64> = &x + DArray::<i32>::ones(2);
    let _: DArray<f32> = &x * DArray::<f32>::ones(2);
    let narrow: DArray<bf16> = &x - DArray::<u8>::ones(2);
    let scalar: DArray<bf16> = 1.5 + &x * 2;
    assert_eq!(narrow.to_string(), "[0.5 1.5]");
    assert_eq!(scalar.to_string(), "[4.5 6.5]");
    let _: DArray<Complex<f32>> = &x * Complex::new(0.0, 1.0);
}

/// Between f64 and bf16 there is one rounding, of which machine code makes two.
#[test]
fn doubles_become_bf16_by_one_rounding() {
    let above_a_tie = 1.0 + 2f64.powi(-8) + 2f64.powi(-40);
    let below_a_tie = 1.0 + 3.0 * 2f64.powi(-8) - 2f64.powi(-40);
    let least = 2f64.powi(-134);
    let values =
        [above_a_tie, below_a_tie, least, least.next_up(), -least.next_up(), 3.39e38, 1e300];
    everywhere(|_| {
        let x = DArray::from_vec(values.to_vec());
        let found = (&x * 1.0).cast::<bf16>().to_vec().into_iter().map(bf16::to_bits);
        assert_eq!(found.collect::<Vec<_>>(), [0x3f81, 0x3f81, 0, 1, 0x8001, 0x7f7f, 0x7f80]);
    });
}
