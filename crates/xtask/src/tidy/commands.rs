//! Whoever doubts a figure can measure it again.

use super::{Problem, problem};
use crate::Tree;

pub const NAME: &str = "commands";

/// What a number is followed by when it was measured.
const UNITS: [&str; 6] = ["ns", "us", "ms", "s", "%", "GB/s"];

/// Every table of figures in README.md and docs/ has a line above it, below the heading or table before, that begins with
/// `command:` and says what made it. Notes are exempt: they are not kept up to date.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let is_page = |path: &str| {
        path == "README.md"
            || (path.starts_with("docs/")
                && path.ends_with(".md")
                && !path.starts_with("docs/notes/"))
    };
    let mut problems = Vec::new();
    for (path, text) in tree.files().filter(|(path, _)| is_page(path)) {
        let (mut in_code, mut has_command, mut table): (_, _, Option<(usize, bool)>) =
            (false, false, None);
        // The empty line ends a table at the end of the page.
        for (index, line) in text.lines().chain([""]).enumerate() {
            in_code ^= line.starts_with("```");
            if line.starts_with('|') && !in_code {
                let (_, figures) = table.get_or_insert((index + 1, false));
                *figures |= line.split('|').any(|cell| is_figure(cell.trim()));
                continue;
            }
            if let Some((start, figures)) = table.take() {
                if figures && !has_command {
                    let message = "a table with a cell that begins with a decimal number, or with a number and a \
                                   unit, has a line `command: ...` above it, below what is before: who measures \
                                   again runs that";
                    problems.push(problem(NAME, path, start, message));
                }
                has_command = false;
            }
            if !in_code && line.starts_with('#') {
                has_command = false;
            }
            has_command |= line.starts_with("command:");
        }
    }
    problems
}

/// Whether a cell begins with a decimal number, or with a number and a unit.
fn is_figure(cell: &str) -> bool {
    let cell = cell.trim_matches('*');
    let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let (number, rest) = cell.split_at(cell.find(|c| !is_number(c)).unwrap_or(cell.len()));
    let number = number.trim_end_matches(['.', ',']);
    // Versions and dates are no numbers.
    let is_one = number.replace(',', "").parse::<f64>().is_ok();
    let unit = rest.split_whitespace().next().map(|word| word.trim_end_matches([',', ';']));
    is_one && (number.contains(['.', ',']) || unit.is_some_and(|unit| UNITS.contains(&unit)))
}

#[cfg(test)]
mod tests {
    use super::{check, is_figure};
    use crate::Tree;

    const TABLE: &str = "| a | b |\n|---|---|\n| x | 1.5 ms |\n";

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|problem| problem.line).collect()
    }

    #[test]
    fn a_table_of_figures_without_a_command_is_found() {
        for path in ["README.md", "docs/gpu.md", "docs/decisions/0001-a.md"] {
            assert_eq!(lines(path, &format!("# A\n\n{TABLE}")), [3], "{path}");
            assert!(lines(path, &format!("# A\ncommand: `f`\n\nText.\n\n{TABLE}")).is_empty());
        }
        assert!(lines("docs/notes/0001-a.md", TABLE).is_empty());
        assert!(lines("docs/a.md", "| a |\n|---|\n| text of 1.5 ms |\n| 2 |\n").is_empty());
    }

    #[test]
    fn a_command_is_of_one_table() {
        let twice = format!("command: `f`\n\n{TABLE}\n{TABLE}");
        assert_eq!(lines("README.md", &twice), [7]);
        assert_eq!(lines("README.md", &format!("command: `f`\n\n## B\n\n{TABLE}")), [5]);
        assert!(
            lines("README.md", &format!("command: `f`\n```text\n# no heading\n```\n{TABLE}"))
                .is_empty()
        );
    }

    #[test]
    fn figures_are_decimals_and_numbers_with_units() {
        for figure in ["0.5", "1,832", "84 %", "**3 ms**", "38 us as graphs", "84 %; 90 % by hand"]
        {
            assert!(is_figure(figure), "{figure}");
        }
        for other in
            ["", "3", "27 November", "NumPy 2.4", "a 0.5", "128 blocks", "10⁷", "580.159.04"]
        {
            assert!(!is_figure(other), "{other}");
        }
    }
}
