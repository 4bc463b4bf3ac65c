//! The figures as tables.

use super::records::{DARRAY, JAX, JAX_LOOP, NUMPY, duration, ratio};
use super::{COMMAND, PROGRAMS, Program, Records};

/// The programs of README.md, with their names there.
pub const HEADLINES: [(&str, &str); 3] = [
    ("black_scholes", "Black-Scholes, 10⁷ options"),
    ("stencil", "5-point stencil, 4000²"),
    ("cg", "conjugate gradients, 1000², an iteration"),
];

/// The program with a name that is in the table.
pub fn named(name: &str) -> Result<&'static Program, String> {
    PROGRAMS.iter().find(|program| program.name == name).ok_or(format!("no program `{name}`"))
}

/// Five figures for README.md.
pub fn headlines(records: &Records) -> Result<String, String> {
    let mut text =
        format!("command: `{COMMAND}`\n\n| | darray | NumPy | JAX |\n|---|---|---|---|\n");
    for (name, title) in HEADLINES {
        let program = named(name)?;
        let own = required(records.iteration(program, DARRAY), name)?;
        let jax = records.fastest_jax(program).unwrap_or(JAX);
        let [numpy, jax] = [NUMPY, jax].map(|system| compared(records, program, system));
        text += &format!("| {title} | {} | {numpy} | {jax} |\n", duration(own));
    }
    let (fused, least, most, count) = fused(records);
    text += &format!(
        "| fused over unfused, {count} programs | {} times (geometric mean; {} to {}) | | |\n",
        ratio(fused),
        ratio(least),
        ratio(most)
    );
    let first = named(FIRST_CALL)?;
    let [own, numpy, jax] = [DARRAY, NUMPY, JAX].map(|system| records.first_call(first, system));
    text += &format!(
        "| first call of Black-Scholes | {} | {} | {} |\n",
        duration(required(own, FIRST_CALL)?),
        or_empty(numpy, duration),
        or_empty(jax, duration)
    );
    text +=
        &format!("\n![These times as bars](docs/performance.svg)\n\n{}\n", where_and_when(records));
    Ok(text)
}

/// The program whose first call is shown.
pub const FIRST_CALL: &str = "black_scholes";

/// All programs, for docs/performance.md.
pub fn programs(records: &Records) -> Result<String, String> {
    let (numpy, with_numpy) = records.mean(|program| records.times(program, NUMPY));
    let jax = |program: &Program| records.times(program, records.fastest_jax(program)?);
    let (jax, with_jax) = records.mean(jax);
    let (fused, ..) = fused(records);
    let mut text = format!(
        "**NumPy takes {} times as long as darray** (geometric mean of {with_numpy} programs), **JAX {} times** (of \
         {with_jax}, the faster of its two\nforms), **unfused operations of darray {} times**. {}\n\ncommand: `{COMMAND}`\n\n\
         | program | size | darray | unfused | NumPy | JAX | JAX, one loop | of memory's bandwidth | \
         first call | JAX's |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        ratio(numpy),
        ratio(jax),
        ratio(fused),
        where_and_when(records)
    );
    for program in &PROGRAMS {
        let own = required(records.iteration(program, DARRAY), program.name)?;
        let times = |system| or_empty(records.times(program, system), ratio);
        let first = |system| or_empty(records.first_call(program, system), duration);
        let cells = [
            format!("`{}`", program.name),
            program.size.to_string(),
            duration(own),
            or_empty(records.over_unfused(program), ratio),
            times(NUMPY),
            times(JAX),
            times(JAX_LOOP),
            limits(records, program),
            first(DARRAY),
            first(JAX),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    Ok(text)
}

/// By how much fusion is faster: geometric mean, least, most, and of how many programs.
pub fn fused(records: &Records) -> (f64, f64, f64, usize) {
    let each: Vec<f64> = PROGRAMS.iter().filter_map(|p| records.over_unfused(p)).collect();
    let (mean, count) = records.mean(|program| records.over_unfused(program));
    let least = each.iter().copied().fold(f64::INFINITY, f64::min);
    (mean, least, each.iter().copied().fold(0.0, f64::max), count)
}

/// The time of another system and how many times darray's it is.
fn compared(records: &Records, program: &Program, system: &str) -> String {
    match (records.iteration(program, system), records.times(program, system)) {
        (Some(seconds), Some(times)) => format!("{}, {} times", duration(seconds), ratio(times)),
        _ => String::new(),
    }
}

fn limits(records: &Records, program: &Program) -> String {
    let percent = |part: f64| format!("{:.0} %", 100.0 * part);
    match records.limits(program) {
        (Some(memory), Some(hand)) => {
            format!("{}; {} of a kernel by hand", percent(memory), percent(hand))
        }
        (memory, _) => or_empty(memory, percent),
    }
}

fn where_and_when(records: &Records) -> String {
    let [machine, date, versions] = ["machine", "date", "versions"].map(|key| records.about(key));
    format!("One core of {machine}, {date}; {versions}; f64, medians.")
}

fn or_empty(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map(text).unwrap_or_default()
}

/// A figure without which there is no page.
pub fn required(figure: Option<f64>, program: &str) -> Result<f64, String> {
    figure.ok_or(format!("`{program}` was not measured"))
}
