//! Indented text.

/// A text under construction, four spaces per open brace.
#[derive(Default)]
pub(crate) struct Text {
    text: String,
    depth: usize,
}

impl Text {
    /// A line.
    pub fn line(&mut self, line: impl AsRef<str>) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// A line that ends with an opening brace, which is added.
    pub fn open(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        self.line(if line.is_empty() { "{".to_string() } else { format!("{line} {{") });
        self.depth += 1;
    }

    /// The closing brace.
    pub fn close(&mut self) {
        self.close_with("}");
    }

    /// The closing brace, with something behind it.
    pub fn close_with(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }

    /// Between the two parts of a choice.
    pub fn otherwise(&mut self) {
        self.close_with("} else {");
        self.depth += 1;
    }

    /// What was written.
    pub fn finish(self) -> String {
        self.text
    }
}
