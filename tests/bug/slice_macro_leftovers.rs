//! What `s!` could not read, it read again and again, up to the compiler's limit.

use std::process::Command;

/// What the compiler says of a slice, or nothing if it compiles: the macro's own text before stubs.
fn compile(name: &str, slice: &str) -> String {
    let source = include_str!("../../crates/darray/src/indexing/grammar.rs");
    let begin = source.find("macro_rules! s {").expect("the macro");
    let length = source[begin..].find("\n}\n").expect("its end") + 2;
    let program = format!(
        "#[macro_export]\n{}\npub struct Ix; impl Ix {{ pub const Ellipsis: Ix = Ix; pub const NewAxis: Ix = Ix; \
         pub fn from<T>(_: T) -> Ix {{ Ix }} pub fn by(self, _: isize) -> Ix {{ self }} }}\n\
         pub struct Slice; impl Slice {{ pub fn start() -> Slice {{ Slice }} \
         pub fn push<T>(self, _: T) -> Slice {{ self }} }}\n\
         pub struct Index; impl Index {{ pub fn index<T>(_: T) -> isize {{ 0 }} }}\n\
         pub fn f() {{ let _ = {slice}; }}\n",
        &source[begin..begin + length]
    );
    let folder = std::env::temp_dir().join(format!("darray-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("slice.rs"), program).unwrap();
    let output = Command::new("rustc")
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "slice.rs"])
        .current_dir(&folder)
        .output()
        .expect("the compiler that runs this test's build");
    std::fs::remove_dir_all(&folder).unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), !text.contains("error"), "{text}");
    if output.status.success() { String::new() } else { text }
}

#[test]
fn leftovers_are_an_error_that_shows_them() {
    for (name, slice, left) in [
        ("comma", "s![0..2,;2]", "`; 2`"),
        ("arrow", "s![0, => 1]", "`=> 1`"),
        ("word", "s![0 1]", "`0 1`"),
        ("step", "s![..;, 1]", "`,`"),
        ("end", "s![1..=]", "`1 ..=`"),
    ] {
        let text = compile(name, slice);
        assert!(!text.contains("recursion limit"), "{text}");
        assert!(text.contains("no index of `s!`"), "{text}");
        let left = left.replace(' ', "");
        assert!(text.replace(' ', "").contains(&left), "no {left} in {text}");
    }
    assert_eq!(compile("good", "s![1..-1, .., -1, ..., 0..2;2, ..;-1,]"), "");
    assert_eq!(compile("colons", "s![1:-1, :, ::-1, None, 0:2:1, ...]"), "");
}
