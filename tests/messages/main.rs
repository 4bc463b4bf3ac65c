//! The compiler as a teacher: what it says of programs that a user of NumPy may write and that do not compile. `programs.txt` in
//! this folder has them and what has to be said; where the text is ours it is that of `#[diagnostic::on_unimplemented]` in the front end.

mod compiler;
mod table;

use compiler::Compiler;
use std::path::Path;
use table::Table;

/// What no message of ours shows: the types that keep bounds open, where private traits are (the path of a method such as `lt`, which has
/// `operators::` too, is the compiler's own), and lists of what has an impl.
const UNWANTED: [&str; 3] = ["Nobody", "absent::", "the following other types"];

#[test]
fn programs_that_do_not_compile_are_told_what_to_write() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("messages/programs.txt");
    let text = std::fs::read_to_string(&path).expect("the table is read");
    let table = Table::parse(&text);
    let all = Compiler::find().compile(&table.programs());
    let mut failures = String::new();
    for (case, said) in table.cases.iter().zip(&all) {
        let found = said.lines(case.is_ours());
        if found != case.expected {
            failures += &format!("## {}\n{found}\nand not\n{}\n\n", case.title, case.expected);
        }
        for word in UNWANTED.iter().filter(|word| case.is_ours() && said.text.contains(**word)) {
            failures += &format!("## {}\n{word:?} in\n{}\n\n", case.title, said.text);
        }
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let lines = table.cases.iter().zip(&all).map(|(case, said)| said.lines(case.is_ours()));
        std::fs::write(&path, table.with(lines)).expect("the table is written");
        return;
    }
    assert!(failures.is_empty(), "\n{failures}`UPDATE_EXPECT=1` writes what is said anew");
}
