//! Modules of a folder do not import each other in circles.

use super::{Problem, problem};
use crate::Tree;
use crate::modules::{circles, library_crates};

pub const NAME: &str = "circles";

/// Circles that are known, by their folders, and how many modules they have at most. What is smaller than this says is an
/// error, too, so that the numbers only go down.
const KNOWN: [(&str, usize); 0] = [];

/// No library crate has a circle that is not known, or one of more modules than that.
pub fn check(tree: &Tree) -> Vec<Problem> {
    of(tree, &KNOWN)
}

fn of(tree: &Tree, known: &[(&str, usize)]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let all: Vec<_> = library_crates().iter().flat_map(|name| circles(tree, name)).collect();
    let has = |folder: &str| -> usize {
        all.iter().filter(|circle| circle.folder == folder).map(|circle| circle.modules.len()).sum()
    };
    for circle in &all {
        let (found, folder) = (has(&circle.folder), &circle.folder);
        let most = known.iter().find(|(known, _)| known == folder).map_or(0, |&(_, most)| most);
        if found > most {
            let names = circle.modules.join(", ");
            let message = format!("modules that import each other, at most {most} here: {names}");
            problems.push(problem(NAME, folder, 0, message));
        }
    }
    for &(folder, most) in known.iter().filter(|(folder, most)| has(folder) < *most) {
        let message = format!("{} modules are in circles, {most} are said to be", has(folder));
        problems.push(problem(NAME, folder, 0, message));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::Tree;

    #[test]
    fn circles_are_no_more_and_no_less_than_known() {
        let tree = Tree::of(&[
            ("crates/darray/src/a.rs", "use crate::b::B;"),
            ("crates/darray/src/b.rs", "use crate::a::A;"),
        ]);
        assert_eq!(of(&tree, &[]).len(), 1);
        assert_eq!(of(&tree, &[("crates/darray/src", 2)]), []);
        assert_eq!(of(&tree, &[("crates/darray/src", 3)]).len(), 1);
    }
}
