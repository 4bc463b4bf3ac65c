//! Compiling is so quick that kernels are compiled when they are first launched.

#[path = "../benches/formula/compiling.rs"]
mod compiling;
#[path = "../benches/formula/mod.rs"]
mod formula;

use compiling::{Compiling, compile, kernel, launch};
use darray_core::RealType;
use darray_cpu::{CpuDevices, CpuOptions, Level, Listener};
use darray_device::NativeStats;
use formula::{black_scholes, multiply_add};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Microseconds, about twice what a machine at 2.5 GHz needs that others use, too, without optimization across crates: of so
/// many rounds, one is not disturbed.
const BOUNDS: [(u64, usize); 2] = [(60, 200), (600, 100)];

#[test]
fn machine_code_is_made_in_fractions_of_a_millisecond() {
    let mut levels = vec![Level::Avx2, Level::Avx512];
    levels.retain(|level| *level <= Level::detect());
    if levels.is_empty() {
        println!("SKIPPED: this processor has no AVX2");
    }
    let kernels = |level| kernels().into_iter().zip(BOUNDS).map(move |kernel| (level, kernel));
    for (level, (text, (bound, rounds))) in levels.into_iter().flat_map(kernels) {
        let Compiling { best, native, .. } = compile(&text, Some(level), false, rounds);
        let NativeStats { whole, ready, .. } = native;
        assert!(whole > rounds as u64, "{native:?}");
        assert_eq!(native, NativeStats { whole, ready, ..NativeStats::default() });
        println!("{level:?}: {best:?} of {bound} us");
        assert!(best < Duration::from_micros(bound), "{level:?}: {best:?} of {bound} us:\n{text}");
    }
}

/// A kernel of which there is nothing to compile, a copy, counts as ready, not as compiled.
#[test]
fn what_only_moves_elements_is_ready() {
    let text = "kernel params=2 scalars=[] b0: f64 rank 1 read noalias b1: f64 rank 1 write noalias
         { for (i0: extent=p0 origin=p1 global=p0 logical=0) { %0 = load b0[p1 + 1*i0] store b1[p1 + 1*i0] %0 } }";
    let device = CpuDevices::new(1, CpuOptions::default()).remove(0);
    let (kernel, args) = kernel(&device, text);
    let code = device.compile(&kernel).expect("code");
    launch(&device, code, &args);
    let native = device.stats().native;
    let expected = match Level::detect() > Level::Baseline {
        true => NativeStats { ready: 1, ..NativeStats::default() },
        false => NativeStats { none: 1, ..NativeStats::default() },
    };
    assert_eq!(native, expected);
}

#[test]
fn what_is_timed_makes_one_function() {
    for text in kernels() {
        let functions: Arc<Mutex<Vec<Level>>> = Arc::default();
        let told = functions.clone();
        let listener = Listener::new(move |listing| {
            let levels = listing.functions.iter().map(|function| function.level);
            told.lock().expect("no panic").extend(levels);
        });
        let options = CpuOptions { listener: Some(listener), ..CpuOptions::default() };
        let device = CpuDevices::new(1, options).remove(0);
        let (kernel, args) = kernel(&device, &text);
        let code = device.compile(&kernel).expect("code");
        launch(&device, code, &args);
        let made = functions.lock().expect("no panic");
        let expected = Some(Level::detect()).filter(|&level| level > Level::Baseline);
        assert_eq!(*made, Vec::from_iter(expected));
    }
}

/// Rounds of long code overlap where a launch is large, with AVX-512.
#[test]
fn rounds_of_long_code_overlap_in_large_launches() {
    let overlaps = |text: &str, stream_from: usize| {
        let notes: Arc<Mutex<Vec<String>>> = Arc::default();
        let told = notes.clone();
        let listener = Listener::new(move |listing| {
            let all = listing.functions.iter().flat_map(|function| function.notes.iter());
            told.lock().expect("no panic").extend(all.map(|(_, note)| note.clone()));
        });
        let options = CpuOptions { listener: Some(listener), stream_from, ..CpuOptions::default() };
        let device = CpuDevices::new(1, options).remove(0);
        let (kernel, args) = kernel(&device, text);
        let code = device.compile(&kernel).expect("code");
        launch(&device, code, &args);
        let notes = notes.lock().expect("no panic");
        notes.iter().any(|note| note.starts_with("the first part of the first"))
    };
    let [short, long] = kernels();
    assert_eq!(overlaps(&long, 0), Level::detect() == Level::Avx512);
    assert!(!overlaps(&long, usize::MAX) && !overlaps(&short, 0));
}

fn kernels() -> [String; 2] {
    [multiply_add(), black_scholes(RealType::F64)]
}
