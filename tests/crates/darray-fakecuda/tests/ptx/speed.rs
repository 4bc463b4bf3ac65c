//! How many instructions the interpreter executes in a second.

use super::bench::{Bench, Random, argument};
use std::time::Duration;

const TEXT: &str = include_str!("speed.ptx");

/// Far below what it does (some hundred millions).
const LEAST_PER_SECOND: f64 = 60e6;

/// Time that this thread has run, whatever else the machine does.
fn time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock is one that every thread has.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[test]
fn options_are_priced_fast_enough() {
    let count = 20_000;
    let mut random = Random(21);
    let mut column = |low: f64, high: f64| -> Vec<f64> {
        (0..count)
            .map(|_| low + (high - low) * (random.next() >> 11) as f64 / (1u64 << 53) as f64)
            .collect()
    };
    let (price, strike, years) = (column(5.0, 30.0), column(1.0, 100.0), column(0.25, 10.0));
    let mut bench = Bench::new(TEXT);
    let columns = [bench.buffer(&price), bench.buffer(&strike), bench.buffer(&years)];
    let (call, put) = (bench.buffer(&vec![0f64; count]), bench.buffer(&vec![0f64; count]));
    let size = argument(count as i64);
    let [a, b, c] = &columns;
    let start = time();
    let report = bench.run("black_scholes", 20, 256, &[a, b, c, &call, &put, &size]).unwrap();
    let rate = report.instructions as f64 / (time() - start).as_secs_f64();
    println!("{} instructions, {:.0} million per second", report.instructions, rate / 1e6);
    assert!(rate > LEAST_PER_SECOND, "{rate} instructions per second");
    // Calls and puts differ by the discounted strike (put-call parity), and are never negative.
    let (call, put) = (bench.read::<f64>(&call), bench.read::<f64>(&put));
    for i in 0..count {
        let parity = price[i] - strike[i] * (-0.02 * years[i]).exp();
        assert!((call[i] - put[i] - parity).abs() < 1e-12 * strike[i], "{i}");
        assert!(call[i] >= -1e-12 && put[i] >= -1e-12, "{i}: {} {}", call[i], put[i]);
    }
}

#[test]
fn axpy_is_fast_enough() {
    let count = 200_000;
    let mut bench = Bench::new(TEXT);
    let values: Vec<f32> = (0..count).map(|i| i as f32).collect();
    let (x, y) = (bench.buffer(&values), bench.buffer(&values));
    let start = time();
    let arguments = [&x[..], &y, &argument(2f32), &argument(count)];
    let report = bench.run("axpy", 100, 256, &arguments).unwrap();
    let rate = report.instructions as f64 / (time() - start).as_secs_f64();
    println!("{} instructions, {:.0} million per second", report.instructions, rate / 1e6);
    assert!(rate > LEAST_PER_SECOND, "{rate} instructions per second");
    assert_eq!(bench.read::<f32>(&y), values.iter().map(|v| 3.0 * v).collect::<Vec<f32>>());
}
