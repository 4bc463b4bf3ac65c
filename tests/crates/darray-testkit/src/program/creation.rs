//! Arrays of computed and of random numbers.

use std::fmt;

/// Arrays of computed numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Creation {
    /// `0, 1, .. count`; not of bool.
    Arange {
        /// How many.
        count: usize,
    },
    /// From a start by a step up to but without a stop, all cast to the element type; not of bool.
    Range {
        /// The first number.
        start: f64,
        /// Where the numbers end.
        stop: f64,
        /// Not 0.
        step: f64,
    },
    /// In equal steps; of floats.
    Linspace(Span),
    /// Powers of `base` with exponents in equal steps; of floats.
    Logspace {
        /// The exponents.
        exponents: Span,
        /// What they raise.
        base: f64,
    },
    /// Ones on a diagonal.
    Eye {
        /// Extent of the first axis.
        rows: usize,
        /// Extent of the second.
        columns: usize,
        /// Above the main diagonal where positive.
        offset: isize,
    },
    /// Ones on the diagonal of a square.
    Identity {
        /// Extent of both axes.
        count: usize,
    },
    /// Ones on a diagonal and below it.
    Tri {
        /// Extent of the first axis.
        rows: usize,
        /// Extent of the second.
        columns: usize,
        /// Above the main diagonal where positive.
        offset: isize,
    },
    /// Written by nothing: 0 until something else is written.
    Empty {
        /// Of the array.
        shape: Vec<usize>,
    },
}

/// Numbers in equal steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The first.
    pub start: f64,
    /// The last, or where it would follow.
    pub stop: f64,
    /// How many.
    pub count: usize,
    /// Whether `stop` is the last.
    pub endpoint: bool,
}

/// A distribution of random numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draw {
    /// In [0, 1): f64 or f32.
    Random,
    /// In low..high: f64.
    Uniform {
        /// The least.
        low: f64,
        /// Above the greatest.
        high: f64,
    },
    /// In low..high: i64.
    Integers {
        /// The least.
        low: i64,
        /// Above the greatest.
        high: i64,
    },
    /// Of mean 0 and deviation 1: f64 or f32.
    StandardNormal,
    /// Normal: f64.
    Normal {
        /// The middle.
        mean: f64,
        /// Not negative.
        deviation: f64,
    },
    /// Exponential of mean 1: f64 or f32.
    StandardExponential,
    /// Exponential: f64.
    Exponential {
        /// Not negative.
        mean: f64,
    },
}

/// The source of random numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stream {
    /// Philox rather than PCG64.
    pub philox: bool,
    /// As NumPy's generators take it.
    pub seed: u64,
    /// Whether what is left out is drawn, rather than advanced over.
    pub drawn: bool,
}

impl fmt::Display for Creation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Creation::Arange { count } => write!(f, "arange({count})"),
            Creation::Range { start, stop, step } => write!(f, "range({start}, {stop}, {step})"),
            Creation::Linspace(span) => write!(f, "linspace({span})"),
            Creation::Logspace { exponents, base } => write!(f, "logspace({exponents}, {base:?})"),
            Creation::Eye { rows, columns, offset } => {
                write!(f, "eye({rows}, {columns}, {offset})")
            }
            Creation::Identity { count } => write!(f, "identity({count})"),
            Creation::Tri { rows, columns, offset } => {
                write!(f, "tri({rows}, {columns}, {offset})")
            }
            Creation::Empty { shape } => write!(f, "empty({shape:?})"),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { start, stop, count, endpoint } = self;
        write!(f, "{start:?}, {stop:?}, {count}, endpoint = {endpoint}")
    }
}

impl fmt::Display for Draw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Draw::Random => write!(f, "random("),
            Draw::Uniform { low, high } => write!(f, "uniform({low:?}, {high:?}, "),
            Draw::Integers { low, high } => write!(f, "integers({low}, {high}, "),
            Draw::StandardNormal => write!(f, "standard_normal("),
            Draw::Normal { mean, deviation } => write!(f, "normal({mean:?}, {deviation:?}, "),
            Draw::StandardExponential => write!(f, "standard_exponential("),
            Draw::Exponential { mean } => write!(f, "exponential({mean:?}, "),
        }
    }
}
