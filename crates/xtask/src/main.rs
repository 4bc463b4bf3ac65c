//! Command line of the repository checks: `cargo run -p xtask -- tidy`, of what is generated: `cargo run -p
//! xtask -- settings`, of what is tried out: `cargo run -p xtask -- recipe operator FOLDER [PYTHON]`, and of what is
//! carried to a GPU: `cargo run -p xtask -- gpu-bundle FOLDER`, and of the figures in the pages: `cargo run -p xtask --
//! figures`.

use std::process::ExitCode;
use xtask::figures::{MEASURED, Records, measure, pages};
use xtask::{SETTINGS_PAGE, Tree, bundle, examples, files_with_names, modules, recipe, tidy};

const USAGE: &str = "usage: cargo run -p xtask -- COMMAND
  tidy      check the repository's rules
  examples  check that every public item of darray has an example, and what panics a `try_` twin
  lines [ROOT]
            count the lines of the library crates, here or in another checkout, and name the circles of
            their modules and how many files below the front end name element types
  settings  write docs/settings.md from the table of settings
  figures [DARRAY_CLI PYTHON]
            write the figures of README.md, docs/performance.md and docs/performance.svg from the lines of
            docs/performance.jsonl; measure those first, by a release build of darray-cli and a Python with NumPy
            and JAX, on the processor that the command is pinned to
  recipe operator|reduction FOLDER [PYTHON]
            copy the repository to FOLDER, add the operator of docs/adding-an-operator.md or the reduction of
            docs/adding-a-reduction.md, test it; PYTHON (python3) is one with NumPy and mpmath
  gpu-bundle FOLDER
            write tests and measurements for a machine with a GPU and without Rust to FOLDER; run.sh runs them";

fn main() -> ExitCode {
    if let Some(code) = examples::run_as_rustdoc() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let tree = match Tree::read(&xtask::root()) {
        Ok(tree) => tree,
        Err(error) => {
            eprintln!("cannot read the repository: {error}");
            return ExitCode::FAILURE;
        }
    };
    match arguments[..] {
        ["tidy"] => report("tidy", &tidy(&tree)),
        ["lines"] => lines(&tree),
        ["lines", root] => match Tree::read(root.as_ref()) {
            Ok(tree) => lines(&tree),
            Err(error) => {
                eprintln!("cannot read {root}: {error}");
                ExitCode::FAILURE
            }
        },
        ["examples"] => match examples::examples(&xtask::root()) {
            Ok(problems) => report("every public item has an example", &problems),
            Err(error) => {
                eprintln!("cannot check the documentation: {error}");
                ExitCode::FAILURE
            }
        },
        ["settings"] => {
            match std::fs::write(xtask::root().join(SETTINGS_PAGE), darray_core::settings::page()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    eprintln!("cannot write {SETTINGS_PAGE}: {error}");
                    ExitCode::FAILURE
                }
            }
        }
        ["gpu-bundle", folder] => match bundle::bundle(&xtask::root(), folder.as_ref()) {
            Ok(bytes) => {
                println!("{folder}: {:.1} MiB; there: bash run.sh", bytes as f64 / 1048576.0);
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("no bundle: {error}");
                ExitCode::FAILURE
            }
        },
        ["figures"] => figures(None),
        ["figures", binary, python] => figures(Some((binary, python))),
        ["recipe", what, folder] => try_out(what, folder, "python3"),
        ["recipe", what, folder, python] => try_out(what, folder, python),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Measures if asked to, and writes the pages.
fn figures(measured_by: Option<(&str, &str)>) -> ExitCode {
    let root = xtask::root();
    let write = || -> std::io::Result<()> {
        if let Some((binary, python)) = measured_by {
            std::fs::write(root.join(MEASURED), measure(&root, binary, python)?)?;
        }
        let lines = std::fs::read_to_string(root.join(MEASURED))?;
        let records = Records::parse(&lines).map_err(std::io::Error::other)?;
        for (path, text) in pages(&root, &records)? {
            std::fs::write(root.join(path), text)?;
        }
        Ok(())
    };
    match write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("no figures: {error}");
            ExitCode::FAILURE
        }
    }
}

fn try_out(what: &str, folder: &str, python: &str) -> ExitCode {
    let Some(found) = recipe::RECIPES.iter().find(|recipe| recipe.what == what) else {
        eprintln!("there is no recipe for `{what}`");
        return ExitCode::from(2);
    };
    match recipe::try_out(found, &xtask::root(), folder.as_ref(), python) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the recipe fails: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the lines of the library crates, and their circles.
fn lines(tree: &Tree) -> ExitCode {
    let lines = modules::lines(tree);
    println!("{lines}");
    for (name, ..) in &lines.crates {
        for circle in modules::circles(tree, name) {
            let (count, names) = (circle.modules.len(), circle.modules.join(" "));
            println!("{}: {count} in a circle, {} imports: {names}", circle.folder, circle.edges);
        }
    }
    let named = files_with_names(tree).len();
    println!("{named} files below the front end name element types");
    ExitCode::SUCCESS
}

/// Prints the problems; success, and that all is well, when there is none.
fn report(well: &str, problems: &[xtask::Problem]) -> ExitCode {
    for problem in problems {
        eprintln!("{problem}");
    }
    if problems.is_empty() {
        println!("{well}");
        return ExitCode::SUCCESS;
    }
    eprintln!("{} problems", problems.len());
    ExitCode::FAILURE
}
