//! Contraction of products and sums: what it changes, and that devices agree on it all the same.

use darray::{CpuJit, CpuLevel, DArray, Mode, Runtime, RuntimeBuilder};
use darray_programs::black_scholes::{black_scholes, options};
use darray_suite::fake_or_skip;

fn prices(builder: RuntimeBuilder) -> Vec<u64> {
    let runtime = builder.threads(1).build().expect("a runtime");
    runtime.scope(|| {
        let (s, x, t) = options::<f64>(1000);
        let (call, put) = black_scholes(&s, &x, &t, 0.02, 0.3);
        let prices = [call.to_vec(), put.to_vec()].concat();
        prices.into_iter().map(f64::to_bits).collect()
    })
}

#[test]
fn contracted_prices_are_other_bits_near_the_same_numbers() {
    let plain = prices(Runtime::builder());
    let contracted = prices(Runtime::builder().contract(true));
    let changed = plain.iter().zip(&contracted).filter(|(a, b)| a != b).count();
    assert!(changed > plain.len() / 10, "{changed} of {} differ", plain.len());
    for (a, b) in plain.into_iter().zip(contracted) {
        let (a, b) = (f64::from_bits(a), f64::from_bits(b));
        assert!((a - b).abs() <= 1e-13 * a.abs().max(10.0), "{a} {b}");
    }
}

#[test]
fn every_cpu_device_gives_the_same_bits_of_contracted_kernels() {
    let builder = || Runtime::builder().contract(true);
    let expected = prices(builder());
    assert_eq!(prices(builder().cpu_jit(CpuJit::Off)), expected);
    assert_eq!(prices(builder().cpu_level(CpuLevel::Avx2)), expected);
    assert_eq!(prices(builder().cpu_level(CpuLevel::Baseline)), expected);
    assert_eq!(prices(builder().cpu_devices(3)), expected);
}

#[test]
fn cuda_devices_give_the_bits_of_the_cpus_contracted_kernels() {
    let Some(fake) = fake_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    let expected = prices(Runtime::builder().contract(true));
    for gpus in [&[0][..], &[0, 1]] {
        fake.start("devices=2 sched=random:1 races=on");
        fake.reset_counts();
        let found = prices(fake.devices(Runtime::builder(), gpus).contract(true));
        assert!(found == expected, "GPUs {gpus:?}");
        assert!(fake.count("launches") >= gpus.len() as u64);
        assert_eq!((fake.returned(), fake.error()), (Ok(()), String::new()));
    }
}

#[test]
fn kernels_of_one_operation_have_nothing_to_contract() {
    let builder = || Runtime::builder().mode(Mode::Unfused);
    assert_eq!(prices(builder().contract(true)), prices(builder()));
}

#[test]
fn a_square_less_its_rounded_value_is_the_rounding_error() {
    let x = 1.0 + f64::EPSILON;
    let residue = |contract: bool| {
        let runtime = Runtime::builder().contract(contract).build().expect("a runtime");
        runtime.scope(|| {
            let a = DArray::from_vec(vec![x; 100]);
            (&a * &a - x * x).to_vec()
        })
    };
    assert_eq!(residue(false), [0.0; 100]);
    assert_eq!(residue(true), [f64::EPSILON * f64::EPSILON; 100]);
}
