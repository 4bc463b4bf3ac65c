//! Black-Scholes by hand: what a programmer with vector instructions and time gets out of a core, in
//! several forms, of which the fastest is the limit of the library's fused kernel.
//!
//! The formula is that of crates/darray/examples/black_scholes.rs, operation by operation. Exponential and logarithm are
//! within 2 ulp for normal numbers.

use crate::memory::{Buffer, Number};
use crate::timing::{cut, cut_mut, median, seconds};
use std::fmt;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod double;
#[cfg(target_arch = "x86_64")]
mod kernel;
#[cfg(target_arch = "x86_64")]
mod single;

/// How the kernel is written. All forms use the [`instructions`] that the machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Products and sums of the formula contracted to fused multiply-adds.
    Contracted,
    /// Every operation of the formula rounded.
    Separate,
    /// Contracted, and divisions by Newton's method from an estimate, for processors whose division of
    /// whole vectors is slow. Quotients may be off by an ulp.
    Newton,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 3] = [Form::Contracted, Form::Separate, Form::Newton];

    /// Whether the form's operations are those of a library that contracts, or of one that does not.
    pub fn contracts(self) -> bool {
        self != Form::Separate
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Contracted => "contracted",
            Form::Separate => "not contracted",
            Form::Newton => "contracted, Newton division",
        })
    }
}

/// What the kernel is made of on this machine, if there is a kernel for it.
pub fn instructions() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        use kernel::Lanes;
        if double::Vector::available() {
            return Some("AVX-512");
        }
        if avx2::Double::available() {
            return Some("AVX2");
        }
    }
    None
}

/// The element types of the kernel.
pub trait Element: Number {
    /// An element near a number.
    fn from_f64(value: f64) -> Self;
    /// Prices options, see [`run`]; false where the machine lacks the instructions.
    #[doc(hidden)]
    fn price(form: Form, inputs: [&[Self]; 3], outputs: [&mut [Self]; 2]) -> bool {
        let _ = (form, inputs, outputs);
        false
    }
}

impl Element for f64 {
    fn from_f64(value: f64) -> f64 {
        value
    }

    #[cfg(target_arch = "x86_64")]
    fn price(form: Form, inputs: [&[f64]; 3], outputs: [&mut [f64]; 2]) -> bool {
        let [call, put] = outputs;
        kernel::price::<double::Vector>(form, inputs, [&mut *call, &mut *put])
            || kernel::price::<avx2::Double>(form, inputs, [call, put])
    }
}

impl Element for f32 {
    fn from_f64(value: f64) -> f32 {
        value as f32
    }

    #[cfg(target_arch = "x86_64")]
    fn price(form: Form, inputs: [&[f32]; 3], outputs: [&mut [f32]; 2]) -> bool {
        let [call, put] = outputs;
        kernel::price::<single::Vector>(form, inputs, [&mut *call, &mut *put])
            || kernel::price::<avx2::Single>(form, inputs, [call, put])
    }
}

/// Call and put prices, `[call, put]`, of options with `[spot price, strike, years]`; false where the
/// machine has no [`instructions`] for it, and nothing is written.
///
/// # Panics
/// If the slices have different lengths.
///
/// ```
/// use darray_benches::black_scholes::{Form, run};
/// let (s, x, t) = ([42.0], [40.0], [0.5]);
/// let (mut call, mut put) = ([0.0], [0.0]);
/// if run(Form::Contracted, [&s, &x, &t], [&mut call, &mut put]) {
///     assert!((call[0] - put[0] - (s[0] - x[0] * (-0.02f64 * t[0]).exp())).abs() < 1e-12);
/// }
/// ```
pub fn run<T: Element>(form: Form, inputs: [&[T]; 3], outputs: [&mut [T]; 2]) -> bool {
    let length = inputs[0].len();
    assert!(inputs.iter().all(|i| i.len() == length) && outputs.iter().all(|o| o.len() == length));
    T::price(form, inputs, outputs)
}

/// What a thread prices: inputs and outputs of [`run`].
type Part<'p, T> = ([&'p [T]; 3], [&'p mut [T]; 2]);

/// Options and their prices, in memory that is used again and again.
#[derive(Debug)]
pub struct Options<T> {
    inputs: [Buffer<T>; 3],
    outputs: [Buffer<T>; 2],
}

impl<T: Element> Options<T> {
    /// `n` options, spread over the ranges of crates/darray/examples/black_scholes.rs.
    pub fn new(n: usize) -> Options<T> {
        let mut inputs = [Buffer::new(n), Buffer::new(n), Buffer::new(n)];
        let ranges = [(5.0, 25.0, 0.618_033), (1.0, 99.0, 0.754_877), (0.25, 9.75, 0.569_840)];
        for (input, (least, width, step)) in inputs.iter_mut().zip(ranges) {
            for (k, element) in input.as_mut_slice().iter_mut().enumerate() {
                *element = T::from_f64(least + width * (k as f64 * step).fract());
            }
        }
        Options { inputs, outputs: [Buffer::new(n), Buffer::new(n)] }
    }

    /// Spot prices, strikes, years.
    pub fn inputs(&self) -> [&[T]; 3] {
        self.inputs.each_ref().map(Buffer::as_slice)
    }

    /// Prices all options `repeats` times on so many threads; seconds of one time, or none where the
    /// machine has no [`instructions`] for it.
    pub fn time(&mut self, form: Form, threads: usize, repeats: usize) -> Option<f64> {
        let [s, x, t] = self.inputs.each_ref().map(|input| cut(input.as_slice(), threads));
        let [call, put] = self.outputs.each_mut().map(|o| cut_mut(o.as_mut_slice(), threads));
        let inputs = s.into_iter().zip(x).zip(t).map(|((s, x), t)| [s, x, t]);
        let outputs = call.into_iter().zip(put).map(|(call, put)| [call, put]);
        let parts: Vec<Part<'_, T>> = inputs.zip(outputs).collect();
        if !run::<T>(form, [&[]; 3], [&mut [], &mut []]) {
            return None;
        }
        let spent = seconds(parts, |(inputs, [call, put])| {
            for _ in 0..repeats {
                run(form, inputs, [&mut *call, &mut *put]);
            }
        });
        Some(spent / repeats as f64)
    }
}

/// The fastest form that contracts or does not, and its seconds for `n` options on so many threads: the
/// median of rounds that take about `budget_s` seconds. None where the machine has no
/// [`instructions`] for it.
pub fn limit<T: Element>(
    n: usize,
    contracts: bool,
    threads: usize,
    budget_s: f64,
) -> Option<(Form, f64)> {
    let mut options = Options::<T>::new(n);
    let forms = Form::ALL.into_iter().filter(|form| form.contracts() == contracts);
    let mut timed: Vec<(Form, Vec<f64>)> = forms.map(|form| (form, Vec::new())).collect();
    let first = options.time(Form::Separate, threads, 1)?;
    let repeats = (1e-3 / first.max(1e-9)).ceil().max(1.0) as usize;
    let round = first.max(1e-3) * timed.len() as f64;
    for _ in 0..((budget_s / round) as usize).clamp(5, 500) {
        for (form, times) in &mut timed {
            times.push(options.time(*form, threads, repeats)?);
        }
    }
    let medians = timed.into_iter().map(|(form, times)| (form, median(&times)));
    medians.min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::{Form, Options};

    /// The formula by the standard library.
    #[cfg(target_arch = "x86_64")]
    fn priced([s, x, t]: [f64; 3]) -> [f64; 2] {
        let normal = |d: f64| {
            let k = 1.0 / (1.0 + 0.2316419 * d.abs());
            let series = 1.781477937 + k * (-1.821255978 + k * 1.330274429);
            let series = k * (0.31938153 + k * (-0.356563782 + k * series));
            let tail = 0.3989422804 * (-0.5 * d * d).exp() * series;
            if d > 0.0 { 1.0 - tail } else { tail }
        };
        let deviation = 0.3 * t.sqrt();
        let d1 = ((s / x).ln() + (0.02 + 0.5 * 0.3 * 0.3) * t) / deviation;
        let (n1, n2) = (normal(d1), normal(d1 - deviation));
        let discounted = x * (-0.02 * t).exp();
        [s * n1 - discounted * n2, discounted * (1.0 - n2) - s * (1.0 - n1)]
    }

    /// Prices options by the kernel of some instructions, as [`run`](super::run) does by those of the machine.
    #[cfg(target_arch = "x86_64")]
    type Price<T> = fn(Form, [&[T]; 3], [&mut [T]; 2]) -> bool;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn prices_are_those_of_the_formula() {
        use super::{avx2, double, kernel::price, single};
        let kernels: [(&str, Price<f64>, Price<f32>); 2] = [
            ("AVX2", price::<avx2::Double>, price::<avx2::Single>),
            ("AVX-512", price::<double::Vector>, price::<single::Vector>),
        ];
        // With a part of a vector at the end.
        let double = Options::<f64>::new(1003);
        let single = Options::<f32>::new(1003);
        let all = kernels.into_iter().flat_map(|kernel| Form::ALL.map(|form| (kernel, form)));
        for ((name, of_double, of_single), form) in all {
            let mut out = [vec![0.0; 1003], vec![0.0; 1003]];
            let [call, put] = &mut out;
            if !of_double(form, double.inputs(), [call, put]) {
                continue;
            }
            let mut narrow = [vec![0f32; 1003], vec![0f32; 1003]];
            let [call, put] = &mut narrow;
            assert!(of_single(form, single.inputs(), [call, put]), "{name}");
            for k in 0..1003 {
                let expected = priced(double.inputs().map(|input| input[k]));
                let rounded = priced(single.inputs().map(|input| f64::from(input[k])));
                for price in 0..2 {
                    let found = out[price][k];
                    assert!((found - expected[price]).abs() < 1e-13, "{name}, {form} {k}: {found}");
                    let found = f64::from(narrow[price][k]);
                    assert!((found - rounded[price]).abs() < 4e-5, "{name}, {form} {k}: {found}");
                }
            }
        }
    }

    #[test]
    fn times_are_of_whole_passes() {
        let mut options = Options::<f32>::new(500);
        for form in Form::ALL {
            assert!(options.time(form, 2, 3).is_none_or(|seconds| seconds > 0.0));
        }
    }
}
