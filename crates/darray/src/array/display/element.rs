//! One element as NumPy prints it among its neighbours.

use super::PrintOptions;
use darray_core::{Kind, RealType, Scalar};

/// How to print each of these elements, all to one width, floats with at most so many digits after the
/// point.
pub fn formatter(
    dtype: RealType,
    elements: &[Scalar],
    options: PrintOptions,
) -> Box<dyn Fn(Scalar) -> String> {
    match dtype.kind() {
        Kind::Bool => Box::new(|e| if e.to_bool() { " True" } else { "False" }.to_string()),
        Kind::Signed | Kind::Unsigned => {
            let width = elements.iter().map(|e| e.to_string().len()).max().unwrap_or(0);
            Box::new(move |e| format!("{:>width$}", e.to_string()))
        }
        Kind::Float | Kind::Brain => {
            let format = FloatFormat::of(elements, options, false);
            Box::new(move |e| format.text(e))
        }
    }
}

/// How to print each of these complex numbers, given by their parts, all to one width.
pub fn complex_formatter(
    re: &[Scalar],
    im: &[Scalar],
    options: PrintOptions,
) -> impl Fn(Scalar, Scalar) -> String + use<> {
    let re = FloatFormat::of(re, options, false);
    let im = FloatFormat::of(im, options, true);
    move |x, y| {
        let text = im.text(y);
        let digits = text.trim_end();
        format!("{}{digits}j{}", re.text(x), &text[digits.len()..])
    }
}

/// A single complex number as `str` gives it: `(1+2j)`, and `2j` without real part.
pub fn complex_alone(re: Scalar, im: Scalar) -> String {
    let part = |part| {
        let text = alone(part);
        text.strip_suffix(".0").map_or(text.clone(), str::to_string)
    };
    let (x, y) = (part(re), part(im));
    if x == "0" {
        return format!("{y}j");
    }
    let plus = if y.starts_with('-') { "" } else { "+" };
    format!("({x}{plus}{y}j)")
}

/// A single value as `str` gives it: all digits that tell it from its neighbours.
pub fn alone(element: Scalar) -> String {
    match element.dtype().kind() {
        Kind::Bool => if element.to_bool() { "True" } else { "False" }.to_string(),
        Kind::Signed | Kind::Unsigned => element.to_string(),
        Kind::Float | Kind::Brain => {
            let size = element.to_f64().abs();
            if !size.is_finite() {
                return not_finite(element.to_f64());
            }
            let highest = match element.dtype() {
                dtype if dtype.size() == 2 => 1e3,
                RealType::F32 => 1e6,
                _ => 1e16,
            };
            if size != 0.0 && !(1e-4..highest).contains(&size) {
                let (mantissa, exponent) = scientific(element, None);
                return format!("{}e{}", mantissa.trim_end_matches('.'), signed(exponent, 2));
            }
            let text = shortest(element);
            if text.contains('.') { text } else { text + ".0" }
        }
    }
}

/// The common layout of floats: fixed or scientific, and the widths around the point.
struct FloatFormat {
    scientific: bool,
    /// Whether a sign stands before all.
    plus: bool,
    /// Digits after the point at most.
    precision: usize,
    left: usize,
    /// After the point; in scientific notation all of it is used.
    right: usize,
    exponent: usize,
}

impl FloatFormat {
    fn of(elements: &[Scalar], options: PrintOptions, plus: bool) -> FloatFormat {
        let precision = options.precision;
        let finite: Vec<Scalar> =
            elements.iter().copied().filter(|e| e.to_f64().is_finite()).collect();
        let sizes = finite.iter().map(|e| e.to_f64().abs()).filter(|v| *v != 0.0);
        let (low, high) = sizes.fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
        // NumPy compares in the element type.
        let dtype = elements.first().map_or(RealType::F64, |e| e.dtype());
        let rounded = |value: f64| Scalar::from(value).cast(dtype).to_f64();
        let (lowest, ratio) = (rounded(1e-4), rounded(high / low));
        let highest = match dtype {
            dtype if dtype.size() == 2 => 1e3,
            RealType::F32 => 1e6,
            _ => 1e8,
        };
        let small = !options.suppress && (low < lowest || ratio > 1000.0);
        let scientific = high > 0.0 && (high >= highest || small);
        let (left, right, exponent) = (0, 0, 0);
        let mut format = FloatFormat { scientific, plus, precision, left, right, exponent };
        for e in &finite {
            let (number, exponent) = match scientific {
                true => {
                    let (mantissa, exponent) = self::scientific(*e, Some(precision));
                    (mantissa, signed(exponent, 2).len() - 1)
                }
                false => (positional(*e, precision), 0),
            };
            let number = format.signed(number);
            let point = number.find('.').unwrap_or(number.len());
            format.left = format.left.max(point);
            format.right = format.right.max(number.len() - point - 1);
            format.exponent = format.exponent.max(exponent);
        }
        if finite.len() < elements.len() {
            let minus = plus || elements.iter().any(|e| e.to_f64() == f64::NEG_INFINITY);
            let after = format.after();
            format.left = format.left.max((3 + usize::from(minus)).saturating_sub(after + 1));
        }
        format
    }

    /// Characters after the point.
    fn after(&self) -> usize {
        if self.scientific { self.right + self.exponent + 2 } else { self.right }
    }

    /// With the sign that stands before all.
    fn signed(&self, number: String) -> String {
        if self.plus && !number.starts_with('-') { format!("+{number}") } else { number }
    }

    fn text(&self, element: Scalar) -> String {
        let FloatFormat { precision, left, right, .. } = *self;
        if !element.to_f64().is_finite() {
            let width = left + self.after() + 1;
            return format!("{:>width$}", self.signed(not_finite(element.to_f64())));
        }
        if self.scientific {
            // Where others need more digits, NumPy fills up with digits of the exact value.
            let text = format!("{:.right$e}", element.to_f64());
            let (digits, exponent) = split_exponent(&text);
            let point = if right == 0 { "." } else { "" };
            let width = left + right + 1;
            let mantissa = self.signed(format!("{digits}{point}"));
            return format!("{mantissa:>width$}e{}", signed(exponent, self.exponent));
        }
        let number = self.signed(positional(element, precision));
        let point = number.find('.').unwrap_or(number.len());
        let (before, after) = (left - point, right - (number.len() - point - 1));
        format!("{}{number}{}", " ".repeat(before), " ".repeat(after))
    }
}

fn not_finite(value: f64) -> String {
    match value {
        v if v.is_nan() => "nan",
        v if v < 0.0 => "-inf",
        _ => "inf",
    }
    .to_string()
}

/// `+02`-like, with at least this many digits.
fn signed(exponent: i32, digits: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:0>digits$}", exponent.unsigned_abs())
}

/// The shortest digits that tell the value from its neighbours, without exponent; of two texts that are
/// as near, NumPy's, which ends in an even digit.
fn shortest(element: Scalar) -> String {
    let value = element.to_f64();
    let text = match element.dtype() {
        dtype if dtype.size() == 2 => without_exponent(&shortest_scientific(element)),
        RealType::F32 => format!("{}", value as f32),
        _ => format!("{value}"),
    };
    let digits = text.find('.').map_or(0, |point| text.len() - point - 1);
    // Rounds the exact value, halves to even.
    let even = format!("{value:.digits$}");
    if is_same(&even, element) { even } else { text }
}

/// As [`shortest`], in scientific notation.
fn shortest_scientific(element: Scalar) -> String {
    let value = element.to_f64();
    let text = match element.dtype() {
        // Five digits tell every float of two bytes from its neighbours.
        dtype if dtype.size() == 2 => {
            let texts = (0..4).map(|digits| format!("{value:.digits$e}"));
            return texts
                .into_iter()
                .find(|text| is_same(text, element))
                .unwrap_or(format!("{value:.4e}"));
        }
        RealType::F32 => format!("{:e}", value as f32),
        _ => format!("{value:e}"),
    };
    let digits = text.split_once('.').map_or(0, |(_, rest)| rest.find('e').unwrap_or(0));
    let even = format!("{value:.digits$e}");
    if is_same(&even, element) { even } else { text }
}

/// Whether a text is read as this value of its type.
fn is_same(text: &str, element: Scalar) -> bool {
    let value = element.to_f64();
    Scalar::parse(element.dtype(), text).is_some_and(|read| read.to_f64() == value)
}

/// The number of a text like `1.25e-2` as one like `0.0125`.
fn without_exponent(text: &str) -> String {
    let (mantissa, exponent) = split_exponent(text);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(size) => ("-", size),
        None => ("", mantissa),
    };
    let digits = mantissa.replace('.', "");
    let point = 1 + exponent;
    if point <= 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(-point as usize));
    }
    let point = point as usize;
    match digits.split_at_checked(point) {
        Some((whole, "")) => format!("{sign}{whole}"),
        Some((whole, rest)) => format!("{sign}{whole}.{rest}"),
        None => format!("{sign}{digits}{}", "0".repeat(point - digits.len())),
    }
}

/// At most so many digits after the point, which is always there.
fn positional(element: Scalar, precision: usize) -> String {
    let text = shortest(element);
    match text.find('.') {
        None => text + ".",
        Some(point) if text.len() - point - 1 <= precision => text,
        // The value of an f32 is exact in f64, and rounding is of the exact value.
        Some(_) => {
            let text = format!("{:.precision$}", element.to_f64());
            if precision == 0 { text + "." } else { text.trim_end_matches('0').to_string() }
        }
    }
}

/// Mantissa, with a point and at most `precision` digits after it, and exponent.
fn scientific(element: Scalar, precision: Option<usize>) -> (String, i32) {
    let shortest = shortest_scientific(element);
    let digits = shortest.split(['.', 'e']).nth(1).map_or(0, str::len);
    let digits = if shortest.contains('.') { digits } else { 0 };
    let text = match precision {
        Some(precision) if digits > precision => format!("{:.precision$e}", element.to_f64()),
        _ => shortest,
    };
    let (mantissa, exponent) = split_exponent(&text);
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').to_string(),
        false => format!("{mantissa}."),
    };
    (mantissa, exponent)
}

/// Mantissa and exponent of what `{:e}` wrote.
fn split_exponent(text: &str) -> (&str, i32) {
    let (mantissa, exponent) = text.split_once('e').expect("`{:e}` has an exponent");
    (mantissa, exponent.parse().expect("the exponent is a number"))
}
