//! When a name counts as covered.
//!
//! Its row is one value of one element type. A name is covered where tests compare it with NumPy for every element type with which NumPy
//! evaluates the row's expression, some of the operands strided; of functions that make arrays of nothing for every element type. What
//! has no elements, or no results that could be compared with NumPy's, is covered by its row alone.

use super::Row;
use super::cases::Cases;
use darray::DType;
use std::fmt;

/// Lines `name of arrays: types` and `name makes: types`, which `generate.py` finds out by calling NumPy.
const TAKEN: &str = include_str!("taken.txt");

/// Names whose rows have arrays, and need no cases.
const ALONE: &[(&str, &str)] = &[
    (
        "what an array says of itself whatever its elements are",
        "array.dtype array.ndim array.shape array.size np.ndim np.shape np.iscomplexobj np.isrealobj",
    ),
    ("a text, which the tests of printing have", "np.array_str np.array2string"),
];

/// How far a row is proved.
pub enum Proof {
    /// By its own value, for this reason.
    Alone(&'static str),
    /// By cases.
    Cases(Cases),
    /// Cases are missing.
    Part(Missing),
}

/// Which cases are missing.
pub struct Missing {
    pub types: Vec<DType>,
    pub strided: bool,
}

impl Proof {
    /// Of a row, by the cases as `cases.txt` has them.
    pub fn of(row: &Row, counted: &str) -> Proof {
        if let Some((reason, _)) = ALONE.iter().find(|(_, names)| contains(names, row.name)) {
            return Proof::Alone(reason);
        }
        let Some((needs_strided, taken)) = taken(row.name) else {
            return Proof::Alone(match row.name.starts_with("np.random.") {
                true => {
                    "other tests compare streams of bits with NumPy's, and distributions with what they should be"
                }
                false => "a constant, an element type, or a rule of these",
            });
        };
        let cases = Cases::of(row.name, counted);
        let has = |dtype: &DType| cases.as_ref().is_some_and(|cases| cases.types.contains(dtype));
        let types: Vec<DType> = taken.into_iter().filter(|dtype| !has(dtype)).collect();
        let strided = needs_strided && cases.as_ref().is_none_or(|cases| cases.strided == 0);
        match cases {
            Some(cases) if types.is_empty() && !strided => Proof::Cases(cases),
            _ => Proof::Part(Missing { types, strided }),
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types = self.types.iter().map(DType::to_string);
        let words: Vec<String> = types.chain(self.strided.then(|| "strided".to_string())).collect();
        f.write_str(&words.join(" "))
    }
}

/// Whether the row of this name has arrays, and the element types that NumPy takes.
fn taken(name: &str) -> Option<(bool, Vec<DType>)> {
    let mut lines = TAKEN.lines().filter_map(|line| line.split_once(": "));
    lines.find_map(|(head, types)| {
        let (of, how) = head.split_once(' ')?;
        let types = || types.split(' ').filter_map(DType::from_name).collect();
        (of == name).then(|| (how == "of arrays", types()))
    })
}

fn contains(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|other| other == name)
}

/// The names of the list above.
#[cfg(test)]
pub fn alone() -> impl Iterator<Item = &'static str> {
    ALONE.iter().flat_map(|(_, names)| names.split_whitespace())
}
