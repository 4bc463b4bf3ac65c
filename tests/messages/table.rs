//! The table of programs.

/// Between the cases, and before the title of each.
const CASE: &str = "\n## ";
/// Between a program and what is said of it.
const SAID: &str = "\n---\n";

/// What is allowed in every program, so that nothing is said of it.
const ALLOWED: &str = "#![allow(unused_variables, unused_mut, dead_code)]\n";

pub struct Table<'a> {
    /// What stands before the first case; of it the indented lines begin every program.
    head: &'a str,
    pub cases: Vec<Case<'a>>,
}

pub struct Case<'a> {
    pub title: &'a str,
    code: &'a str,
    /// What has to be said of it.
    pub expected: &'a str,
}

impl Case<'_> {
    /// Whether what is said is of this library, not the compiler's own.
    pub fn is_ours(&self) -> bool {
        !self.title.starts_with("rustc's")
    }
}

impl Table<'_> {
    pub fn parse(text: &str) -> Table<'_> {
        let (head, cases) = text.split_once(CASE).expect("a case");
        let case = |text| {
            let (title, rest): (&str, &str) = str::split_once(text, '\n').expect("a title");
            let (code, expected) = rest.split_once(SAID).unwrap_or((rest, ""));
            Case { title, code: code.trim(), expected: expected.trim() }
        };
        Table { head, cases: cases.split(CASE).map(case).collect() }
    }

    /// Each as the compiler takes it.
    pub fn programs(&self) -> Vec<String> {
        let lines: Vec<&str> =
            self.head.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        let (import, variables) = lines.split_first().expect("an import");
        let whole = |case: &Case<'_>| match case.code.contains("fn main()") {
            true => format!("{ALLOWED}{import}\n{}\n", case.code),
            false => {
                let variables = variables.join("\n");
                format!("{ALLOWED}{import}\nfn main() {{\n{variables}\n{}\n}}\n", case.code)
            }
        };
        self.cases.iter().map(whole).collect()
    }

    /// The same table with what is said now.
    pub fn with(&self, said: impl Iterator<Item = String>) -> String {
        let case = |(case, said): (&Case<'_>, String)| {
            format!("{CASE}{}\n{}{SAID}{said}\n", case.title, case.code)
        };
        let cases: String = self.cases.iter().zip(said).map(case).collect();
        format!("{}{cases}", self.head)
    }
}
