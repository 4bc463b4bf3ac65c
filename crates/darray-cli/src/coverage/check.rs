//! Rows against NumPy's values, lists against rows and reasons, and what is written from them.

use super::cases::Cases;
use super::proof::{self, Proof};
use super::{CASES, LISTS, absent, rows, text};
use darray::{Complex, DArray, DType, DynArray, Element};
use expect_test::expect_file;
use std::collections::{BTreeMap, BTreeSet};

/// How far numbers may be from NumPy's: functions are compared exactly elsewhere.
const TOLERANCE: f64 = 1e-9;

/// What an expression gives, as the lines of `values.txt` have it.
pub trait Shown {
    /// Parts, each `type [shape] elements`.
    fn shown(&self) -> Vec<String>;
}

impl<T: Element> Shown for DArray<T> {
    fn shown(&self) -> Vec<String> {
        let wide = self.as_dyn().cast(DType::C128).and_then(DArray::<Complex<f64>>::try_from);
        let numbers = wide.expect("numbers").to_vec();
        let elements = numbers.iter().map(|z| match T::DTYPE.is_complex() {
            true => format!(" {:?} {:?}", z.re, z.im),
            false => format!(" {:?}", z.re),
        });
        vec![format!("{} {:?}{}", T::DTYPE, self.shape(), elements.collect::<String>())]
    }
}

impl Shown for DynArray {
    fn shown(&self) -> Vec<String> {
        panic!("rows are typed, and this is {}", self.dtype())
    }
}

impl Shown for DType {
    fn shown(&self) -> Vec<String> {
        vec![format!("dtype {self}")]
    }
}

macro_rules! shown {
    ($($kind:literal $t:ty)*) => { $(
        impl Shown for $t {
            fn shown(&self) -> Vec<String> {
                vec![format!("{} {self:?}", $kind)]
            }
        }
    )* };
}

shown! { "bool" bool "int" i32 "int" i64 "int" usize "int" isize "float" f64 }

impl Shown for Complex<f64> {
    fn shown(&self) -> Vec<String> {
        vec![format!("complex {:?} {:?}", self.re, self.im)]
    }
}

impl Shown for String {
    fn shown(&self) -> Vec<String> {
        vec![format!("text {self}")]
    }
}

impl Shown for () {
    fn shown(&self) -> Vec<String> {
        vec!["nothing".to_string()]
    }
}

impl<T: Shown> Shown for &T {
    fn shown(&self) -> Vec<String> {
        (*self).shown()
    }
}

impl<T: Shown> Shown for Vec<T> {
    fn shown(&self) -> Vec<String> {
        self.iter().flat_map(Shown::shown).collect()
    }
}

impl<T: Shown> Shown for [T] {
    fn shown(&self) -> Vec<String> {
        self.iter().flat_map(Shown::shown).collect()
    }
}

impl<T: Shown, const N: usize> Shown for [T; N] {
    fn shown(&self) -> Vec<String> {
        self[..].shown()
    }
}

impl Shown for &[usize] {
    fn shown(&self) -> Vec<String> {
        self.iter().flat_map(Shown::shown).collect()
    }
}

impl<A: Shown, B: Shown> Shown for (A, B) {
    fn shown(&self) -> Vec<String> {
        [self.0.shown(), self.1.shown()].concat()
    }
}

/// A file that only this run has.
pub fn file(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("darray-coverage-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

/// Whether texts are equal but for the last digits of numbers.
fn agree(found: &str, expected: &str) -> bool {
    let (mut found_words, mut expected_words) = (words(found), words(expected));
    loop {
        match (found_words.next(), expected_words.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) => match (a.parse::<f64>(), b.parse::<f64>()) {
                (Ok(a), Ok(b)) if a == b || a.is_nan() && b.is_nan() => {}
                (Ok(a), Ok(b)) if (a - b).abs() <= TOLERANCE * a.abs().max(1.0) => {}
                _ => return false,
            },
            _ => return false,
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "[],".contains(c)).filter(|word| !word.is_empty())
}

#[test]
fn what_stands_for_a_name_gives_what_numpy_gives() {
    let lines = include_str!("values.txt").lines().filter_map(|line| line.split_once(" = "));
    let expected: BTreeMap<&str, &str> = lines.collect();
    let results = rows::evaluate();
    let mut problems = Vec::new();
    for (name, found) in &results {
        let found = found.join(" ; ");
        match expected.get(name) {
            None => {
                problems.push(format!("{name}: NumPy's value is missing, generate.py writes it"))
            }
            Some(value) if !agree(&found, value) => {
                problems.push(format!("{name}: {found}\n    NumPy: {value}"));
            }
            _ => {}
        }
    }
    assert_eq!(expected.len(), results.len(), "generate.py has not seen all rows, or more");
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// A row could have any expression of equal value otherwise.
#[test]
fn numpys_expressions_name_what_they_stand_for() {
    for row in rows::all() {
        let last = row.name.rsplit('.').next().unwrap_or(row.name);
        let named = |(at, _): (usize, &str)| {
            let (before, after) = (&row.numpy[..at], &row.numpy[at + last.len()..]);
            let apart = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            apart(before.chars().next_back()) && apart(after.chars().next())
        };
        assert!(row.numpy.match_indices(last).any(named), "{}: `{}`", row.name, row.numpy);
    }
}

#[test]
fn every_name_has_one_row_or_one_reason() {
    let mut known = BTreeSet::new();
    let entries = rows::all().map(|row| row.name).chain(absent::names());
    for name in entries {
        assert!(known.insert(name), "{name} has two entries");
    }
    for list in &LISTS {
        for name in list.names() {
            assert!(list.find(name).is_some(), "{name} has neither row nor reason");
            known.remove(name);
            known.remove(&format!("{}{name}", list.prefix)[..]);
        }
    }
    assert!(known.is_empty(), "in no list: {known:?}");
}

#[test]
fn as_many_names_are_covered_as_are_promised() {
    let covered: Vec<usize> = LISTS.iter().map(|list| list.covered(CASES).0).collect();
    let total: Vec<usize> = LISTS.iter().map(|list| list.names().count()).collect();
    assert_eq!(total, [224, 616]);
    assert!(covered[0] >= 165 && covered[1] >= 210, "{covered:?}");
}

#[test]
fn names_that_need_no_cases_have_rows() {
    for name in proof::alone() {
        assert!(rows::all().any(|row| row.name == name), "{name}");
    }
}

/// What is covered by its row alone has no elements of which there could be other types; random numbers have tests of their own.
#[test]
fn rows_without_cases_have_no_arrays() {
    let lines = include_str!("values.txt").lines().filter_map(|line| line.split_once(" = "));
    let values: BTreeMap<&str, &str> = lines.collect();
    for row in rows::all().filter(|row| !row.name.starts_with("np.random.")) {
        let value = values[row.name].split(' ').next().unwrap_or_default();
        let is_alone = matches!(Proof::of(row, CASES), Proof::Alone(_));
        assert!(
            !is_alone || DType::from_name(value).is_none_or(|_| value == "bool"),
            "{}",
            row.name
        );
    }
}

/// Functions whose data is not the first operand, but this one.
const DATA: [(&str, usize); 3] = [("where", 1), ("choose", 1), ("select", 2)];

/// Functions that change a copy of their operand, which is strided where the case says so.
const WRITING: [&str; 7] =
    ["put", "put_along_axis", "copyto", "fill", "fill_diagonal", "slice_assign", "shuffle"];

/// How many cases each function has, as the tests have them now.
fn counted() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases");
    let inputs = inputs(&format!("{folder}/inputs.toml"));
    let mut found: BTreeMap<String, Cases> = BTreeMap::new();
    let entries = std::fs::read_dir(folder).expect("the cases");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a file of cases");
        for case in text.split("[[case]]").skip(1) {
            let value = |key: &str| {
                let mut lines = case.lines().filter_map(|line| line.split_once(" = "));
                lines.find(|(name, _)| *name == key).map_or("", |(_, value)| value)
            };
            let function = value("function").trim_matches('"');
            let operands: Vec<&str> = value("operands").split('"').skip(1).step_by(2).collect();
            let at = DATA.iter().find(|(name, _)| *name == function).map_or(0, |(_, at)| *at);
            let dtype = match operands.get(at) {
                Some(name) => inputs[*name].0,
                None => dtype_of(value("dtype")),
            };
            let is_strided = match WRITING.contains(&function) {
                true => value("options").contains("turned = 1"),
                false => operands.iter().any(|name| inputs.get(*name).is_some_and(|input| input.1)),
            };
            let none = || Cases { count: 0, strided: 0, types: Vec::new() };
            let cases = found.entry(function.to_string()).or_insert_with(none);
            cases.count += 1;
            cases.strided += usize::from(is_strided);
            if !cases.types.contains(&dtype) {
                cases.types.push(dtype);
            }
        }
    }
    let line = |(name, cases): (&String, &mut Cases)| {
        cases.types.sort();
        format!("{name} {}\n", cases.line())
    };
    found.iter_mut().map(line).collect()
}

/// The element types of the inputs by name, and whether they are views.
fn inputs(path: &str) -> BTreeMap<String, (DType, bool)> {
    let text = std::fs::read_to_string(path).expect("the inputs");
    let input = |input: &str| {
        let (name, lines) = input.split_once("\"]\n").expect("a name");
        let dtype = lines.lines().find_map(|line| line.strip_prefix("dtype = "));
        let is_view = lines.lines().any(|line| line.starts_with("view = "));
        (name.to_string(), (dtype_of(dtype.expect("an element type")), is_view))
    };
    text.split("\n[\"").skip(1).map(input).collect()
}

fn dtype_of(name: &str) -> DType {
    DType::from_name(name.trim_matches('"')).expect("an element type")
}

/// `UPDATE_EXPECT=1` writes the file anew.
#[test]
fn the_cases_are_counted() {
    expect_file!["cases.txt"].assert_eq(&counted());
}

/// `UPDATE_EXPECT=1` writes the page anew.
#[test]
fn the_page_is_the_text() {
    expect_file!["../../../../docs/coverage.md"].assert_eq(&text(&counted()));
}
