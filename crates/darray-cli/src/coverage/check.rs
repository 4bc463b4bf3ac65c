//! Rows against NumPy's values, lists against rows and reasons, and what is written from them.

use super::{LISTS, absent, rows, text};
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
    let covered: Vec<usize> = LISTS.iter().map(|list| list.covered()).collect();
    let total: Vec<usize> = LISTS.iter().map(|list| list.names().count()).collect();
    assert_eq!(total, [224, 616]);
    assert!(covered[0] >= 165 && covered[1] >= 210, "{covered:?}");
}

/// How many cases each function has, as the tests have them now.
fn counted() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases");
    let mut found: BTreeMap<String, (usize, BTreeSet<String>)> = BTreeMap::new();
    let entries = std::fs::read_dir(folder).expect("the cases");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(path).expect("a file of cases");
        let mut function = String::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("function = ") {
                function = name.trim_matches('"').to_string();
            } else if let Some(operands) = line.strip_prefix("operands = [\"") {
                let (count, types) = found.entry(function.clone()).or_default();
                *count += 1;
                let dtype = operands.split([' ', '"']).next().unwrap_or_default();
                types.extend(DType::from_name(dtype).map(|dtype| dtype.to_string()));
            }
        }
    }
    let line = |(name, (count, types)): (&String, &(usize, BTreeSet<String>))| match types.len() {
        0 => format!("{name} {count}\n"),
        many => format!("{name} {count} of {many} types\n"),
    };
    found.iter().map(line).collect()
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
