//! The figures of README.md as bars.

use super::Records;
use super::records::{DARRAY, JAX, NUMPY, duration, ratio};
use super::tables::{FIRST_CALL, HEADLINES, fused, named};

/// Pixels: of the picture, of the longest bar, where bars begin, of a line of text and of a bar.
const WIDTH: usize = 640;
const LONGEST: f64 = 420.0;
const LEFT: usize = 80;
const LINE: usize = 18;
const BAR: usize = 12;

/// Text has the colour of the page's text in light and in dark; the bars are seen on both.
const STYLE: &str = "text{font:12px sans-serif;fill:#1f2328}.title{font-weight:bold}.own{fill:#d2691e}\
                     .other{fill:#8b949e}@media(prefers-color-scheme:dark){text{fill:#e6edf3}}";

/// Bars under a title: name, length and what is written behind it.
type Group = (String, Vec<(&'static str, f64, String)>);

/// Bars of the times, each group against its longest.
pub fn picture(records: &Records) -> Result<String, String> {
    let mut body = String::new();
    let mut y = LINE;
    for (title, bars) in groups(records)? {
        body += &format!("<text class=\"title\" x=\"0\" y=\"{y}\">{title}</text>\n");
        let longest = bars.iter().map(|(_, length, _)| *length).fold(0.0, f64::max);
        for (name, length, label) in bars {
            y += LINE;
            let width = (LONGEST * length / longest).max(1.0);
            let class = if [DARRAY, "fused"].contains(&name) { "own" } else { "other" };
            body +=
                &format!("<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{name}</text>", LEFT - 6);
            body += &format!(
                "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{}\" width=\"{width:.1}\" height=\"{BAR}\"/>",
                y + 1 - BAR
            );
            let behind = LEFT as f64 + width + 6.0;
            body += &format!("<text x=\"{behind:.1}\" y=\"{y}\">{label}</text>\n");
        }
        y += LINE + LINE / 2;
    }
    let height = y - LINE;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\">\n<style>{STYLE}</style>\n{body}</svg>\n"
    ))
}

fn groups(records: &Records) -> Result<Vec<Group>, String> {
    let mut groups = Vec::new();
    let of_systems = |times: [(&'static str, Option<f64>); 3]| {
        times.into_iter().filter_map(|(name, s)| Some((name, s?, duration(s?)))).collect()
    };
    for (name, title) in HEADLINES {
        let program = named(name)?;
        let jax = records.fastest_jax(program).unwrap_or(JAX);
        let time = |system| records.iteration(program, system);
        let times = [(DARRAY, time(DARRAY)), ("NumPy", time(NUMPY)), ("JAX", time(jax))];
        groups.push((title.to_string(), of_systems(times)));
    }
    let (mean, _, _, count) = fused(records);
    let unfused = format!("{} times as long", ratio(mean));
    groups.push((
        format!("fused and unfused, geometric mean of {count} programs"),
        vec![("fused", 1.0, "1".to_string()), ("unfused", mean, unfused)],
    ));
    let first = named(FIRST_CALL)?;
    let time = |system| records.first_call(first, system);
    let times = [(DARRAY, time(DARRAY)), ("NumPy", time(NUMPY)), ("JAX", time(JAX))];
    groups.push(("first call of Black-Scholes".to_string(), of_systems(times)));
    Ok(groups)
}
