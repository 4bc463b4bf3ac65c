//! The compiler, and what it says.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is in notes that the compiler adds to ours.
const ADDED: [&str; 4] =
    ["required for ", "redundant requirement", "this error originates in ", "`#[warn("];

/// A compiler, and the library that programs use: that of this test, as cargo built it, so that nothing is built again.
pub struct Compiler {
    library: PathBuf,
}

/// What is said of a program.
pub struct Said {
    diagnostics: Vec<Value>,
    /// As a user sees it.
    pub text: String,
}

impl Compiler {
    /// Beside the program of this test lie the libraries that it was made of. Several are of one name where features or sources were
    /// others; what is built last is what this test was built with, or of the same sources.
    pub fn find() -> Compiler {
        let program = std::env::current_exe().expect("the path of the test");
        let folder = program.parent().expect("a folder");
        let is_library = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libdarray-") && name.ends_with(".rlib")
        };
        let files = std::fs::read_dir(folder).expect("the folder is read").flatten();
        let libraries = files.map(|entry| entry.path()).filter(is_library);
        let library = libraries.max_by_key(|path| path.metadata().and_then(|m| m.modified()).ok());
        Compiler { library: library.expect("the library is beside its tests") }
    }

    /// What is said of each program; they are compiled on all cores.
    pub fn compile(&self, programs: &[String]) -> Vec<Said> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("messages");
        std::fs::create_dir_all(&folder).expect("a folder for programs");
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let part = programs.len().div_ceil(cores);
        let work = |(k, part): (usize, &[String])| -> Vec<Said> {
            let one = |(n, program): (usize, &String)| self.check(&folder, k, n, program);
            part.iter().enumerate().map(one).collect()
        };
        std::thread::scope(|scope| {
            let parts = programs.chunks(part).enumerate();
            let threads: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
            let said = threads.into_iter().map(|thread| thread.join().expect("no panic"));
            said.flatten().collect()
        })
    }

    fn check(&self, folder: &Path, thread: usize, number: usize, program: &str) -> Said {
        let name = format!("program_{thread}_{number}");
        let file = folder.join(format!("{name}.rs"));
        std::fs::write(&file, program).expect("the program is written");
        let dependencies = self.library.parent().expect("a folder").display();
        let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
            .args(["--edition=2024", "--crate-type=bin", "--emit=metadata", "--error-format=json"])
            .args(["--crate-name", &name, "-L", &format!("dependency={dependencies}")])
            .args(["--extern", &format!("darray={}", self.library.display()), "--out-dir"])
            .args([folder, &file])
            .output()
            .expect("a compiler");
        let text = String::from_utf8_lossy(&output.stderr);
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{text}"));
        Said::new(text.lines().map(parse).collect())
    }
}

impl Said {
    fn new(all: Vec<Value>) -> Said {
        let text = all.iter().filter_map(|each| each["rendered"].as_str()).collect();
        let is_about_the_program =
            |each: &Value| !each["spans"].as_array().is_none_or(Vec::is_empty);
        Said { diagnostics: all.into_iter().filter(is_about_the_program).collect(), text }
    }

    /// The codes of errors; where texts are ours, also message, label and notes of bounds that are not fulfilled, and of warnings, and
    /// what is proposed for a name that there is not, such as what has it as an alias in the documentation.
    pub fn lines(&self, is_ours: bool) -> String {
        let mut lines = Vec::new();
        for each in &self.diagnostics {
            let code = each["code"]["code"].as_str().unwrap_or("no code");
            if is_ours && code == "E0425" {
                lines.push(format!("{code} {}", proposed(each).join(" or ")));
                continue;
            }
            if !is_ours || !["E0277", "unused_must_use"].contains(&code) {
                lines.push(code.to_string());
                continue;
            }
            lines.push(format!("{code} {}", each["message"].as_str().unwrap_or_default()));
            let spans = each["spans"].as_array().into_iter().flatten();
            let labels = spans.filter(|span| span["is_primary"] == true);
            lines.extend(labels.filter_map(|span| span["label"].as_str()).map(String::from));
            let children = each["children"].as_array().into_iter().flatten();
            let notes = children.filter(|child| {
                child["level"] == "note" && child["spans"].as_array().is_none_or(Vec::is_empty)
            });
            let notes = notes.filter_map(|note| note["message"].as_str());
            let ours = notes.filter(|note| !ADDED.iter().any(|added| note.contains(added)));
            lines.extend(ours.map(String::from));
        }
        match lines.is_empty() {
            true => "nothing".to_string(),
            false => lines.join("\n"),
        }
    }
}

/// What the compiler proposes to write.
fn proposed(diagnostic: &Value) -> Vec<&str> {
    let children = diagnostic["children"].as_array().into_iter().flatten();
    let spans = children.flat_map(|child| child["spans"].as_array().into_iter().flatten());
    spans.filter_map(|span| span["suggested_replacement"].as_str()).collect()
}
