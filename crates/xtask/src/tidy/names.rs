//! Names are the field's terms.

use super::{Problem, problem};
use crate::Tree;
use crate::source::blank;
use std::collections::{BTreeMap, BTreeSet};

pub const NAME: &str = "names";

/// Words that may be no part of a name, several in a row where one alone is ordinary, and the term that they stand for.
const PARTS: [(&str, &str); 18] = [
    ("abreast", "unrolled, jammed"),
    ("alike", "equal, batched"),
    ("ask ahead", "prefetch"),
    ("asked ahead", "prefetch"),
    ("asked for ahead", "prefetch"),
    ("asks ahead", "prefetch"),
    ("by lane", "vectorised, lane-major"),
    ("crowd", "contention, batch"),
    ("fetch ahead", "prefetch"),
    ("homes", "storage, placement"),
    ("kept axes", "parallel axes"),
    ("kept axis", "parallel axis"),
    ("kept point", "parallel point"),
    ("kept points", "parallel points"),
    ("past the caches", "non-temporal"),
    ("waiting", "deferred, pending"),
    ("way", "schedule, strategy"),
    ("ways", "schedules, strategies"),
];

/// Words that are ordinary, but may not be the whole name of a file or of what is declared.
const WHOLE: [(&str, &str); 8] = [
    ("across", "transposed"),
    ("ahead", "prefetch"),
    ("beside", "transposing tile reduction"),
    ("joined", "collapsed"),
    ("must", "expect_at_caller"),
    ("past", "non-temporal"),
    ("ran", "path counter"),
    ("room", "capacity, space"),
];

/// What stands before a name that is declared.
const DECLARES: [&str; 10] =
    ["const", "enum", "fn", "macro_rules", "mod", "static", "struct", "trait", "type", "union"];

/// A name of more words is a sentence, as those of tests are.
const LONGEST: usize = 5;

/// Crates and folders that have such names, and how many at most. What is smaller than this says is an error, too, so that
/// the numbers only go down.
const KNOWN: [(&str, usize); 4] = [
    ("crates/darray", 4),
    ("crates/darray-cpu", 18),
    ("crates/darray-fusion", 3),
    ("crates/darray-runtime", 1),
];

/// As few names of these words as are known: each once for a crate, or once for a folder outside of crates.
pub fn check(tree: &Tree) -> Vec<Problem> {
    of(tree, &KNOWN)
}

fn of(tree: &Tree, known: &[(&str, usize)]) -> Vec<Problem> {
    // The names of a crate, each with the term that it is to have.
    let mut found: BTreeMap<String, BTreeMap<String, &str>> = BTreeMap::new();
    for (path, text) in tree.rust_files() {
        let place = place(path);
        let names = found.entry(place.clone()).or_default();
        for part in path[place.len()..].trim_end_matches(".rs").split('/') {
            names.extend(term(part, true).map(|term| (part.to_string(), term)));
        }
        let code = blank(text, true);
        let mut before = "";
        let mut seen: BTreeSet<(&str, bool)> = BTreeSet::new();
        for word in code.split(|c: char| !c.is_alphanumeric() && c != '_') {
            let declared = DECLARES.contains(&before);
            if seen.insert((word, declared)) {
                names.extend(term(word, declared).map(|term| (word.to_string(), term)));
            }
            before = if word.is_empty() { before } else { word };
        }
    }
    let mut problems = Vec::new();
    for (place, names) in &found {
        let most = known.iter().find(|(known, _)| known == place).map_or(0, |&(_, most)| most);
        if names.len() > most {
            let names: Vec<String> =
                names.iter().map(|(name, term)| format!("{name} ({term})")).collect();
            let (count, names) = (names.len(), names.join(", "));
            let message = format!("{count} names that are not terms, at most {most}: {names}");
            problems.push(problem(NAME, place, 0, message));
        }
    }
    for &(place, most) in known {
        let count = found.get(place).map_or(0, BTreeMap::len);
        if count < most {
            let message = format!("{count} names are not terms, {most} are said to be");
            problems.push(problem(NAME, place, 0, message));
        }
    }
    problems
}

/// The crate of a file, or the folder at the root.
fn place(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let length = match parts[..] {
        ["tests", "crates", _, ..] => 3,
        ["crates", _, ..] => 2,
        _ => 1,
    };
    parts[..length.min(parts.len())].join("/")
}

/// The term that stands for a word of this name; of a name that is declared, also for the whole of it.
fn term(name: &str, declared: bool) -> Option<&'static str> {
    let words = words(name);
    if words.len() > LONGEST {
        return None;
    }
    let has = |row: &str| {
        let row: Vec<&str> = row.split(' ').collect();
        words.windows(row.len()).any(|part| part == row)
    };
    let is = |word: &str| declared && words == [word];
    let part = PARTS.iter().find(|(row, _)| has(row));
    part.or_else(|| WHOLE.iter().find(|(word, _)| is(word))).map(|&(_, term)| term)
}

/// The words of `snake_case` and `CamelCase`, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut small = false;
    for c in name.chars() {
        if c == '_' || c.is_uppercase() && small {
            spaced.push(' ');
        }
        if c != '_' {
            spaced.extend(c.to_lowercase());
        }
        small = !c.is_uppercase();
    }
    spaced.split_whitespace().map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::{PARTS, WHOLE, of, words};
    use crate::Tree;

    fn count(path: &str, text: &str) -> usize {
        let problems = of(&Tree::of(&[(path, text)]), &[]);
        problems.first().map_or(0, |problem| problem.message.matches(" (").count())
    }

    #[test]
    fn every_word_of_the_lists_is_found() {
        assert_eq!(words("one_twoThree_FOUR5Six"), ["one", "two", "three", "four5", "six"]);
        for (row, _) in PARTS {
            let snake = row.replace(' ', "_");
            assert_eq!(count("crates/a/src/b.rs", &format!("let old_{snake} = 1;")), 1, "{row}");
            assert_eq!(count(&format!("crates/a/src/{snake}.rs"), ""), 1, "{row}");
        }
        for (word, _) in WHOLE {
            assert_eq!(count("crates/a/src/b.rs", &format!("pub fn {word}() {{}}")), 1, "{word}");
            assert_eq!(count(&format!("crates/a/src/{word}/b.rs"), ""), 1, "{word}");
            let ordinary = format!("fn has_{word}() {{ let {word} = 1; }}");
            assert_eq!(count("crates/a/src/b.rs", &ordinary), 0, "{word}");
        }
    }

    #[test]
    fn names_of_types_and_constants_are_found_and_sentences_are_not() {
        assert_eq!(count("crates/a/src/b.rs", "struct FoldWay; const MOST_WAYS: usize = 2;"), 2);
        assert_eq!(count("crates/a/src/b.rs", "struct Ran; enum Runs { Ran }"), 1);
        let ordinary = "// way\nconst A: &str = \"ways\"; fn always() {} fn kept() {}";
        assert_eq!(count("crates/a/src/b.rs", ordinary), 0);
        assert_eq!(count("tests/a/b.rs", "fn what_is_computed_on_the_way_stays() {}"), 0);
    }

    #[test]
    fn names_are_no_more_and_no_less_than_known() {
        let files = [
            ("crates/a/src/b.rs", "let (way, ways) = (1, way);"),
            ("crates/a/src/c.rs", "let way = 1;"),
            ("tests/crates/d/src/lib.rs", "let way = 1;"),
            ("tests/e/f.rs", "let way = 1;"),
        ];
        let found = |known: &[(&str, usize)]| -> Vec<String> {
            of(&Tree::of(&files), known).into_iter().map(|problem| problem.path).collect()
        };
        let known = [("crates/a", 2), ("tests", 1), ("tests/crates/d", 1)];
        assert!(found(&known).is_empty());
        for (at, (place, count)) in known.into_iter().enumerate() {
            for other in [count - 1, count + 1] {
                let mut known = known;
                known[at].1 = other;
                assert_eq!(found(&known), [place], "{other}");
            }
        }
    }
}
