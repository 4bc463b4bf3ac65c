//! What stands for each name, and NumPy's expression to the same effect: one row for each, a file for each group.

use super::Row;

/// Rows as data for the program, and as code for the tests.
macro_rules! rows {
    (with $($given:ident)*; $($name:literal, $darray:expr => $numpy:literal;)+) => {
        pub const ROWS: &[crate::coverage::Row] =
            &[$(crate::coverage::Row { name: $name, darray: stringify!($darray), numpy: $numpy }),+];

        /// Adds what all rows give.
        #[cfg(test)]
        #[allow(clippy::needless_borrows_for_generic_args, reason = "rows say what is a reference")]
        pub fn evaluate(
            all: &crate::coverage::rows::Given,
            results: &mut Vec<(&'static str, Vec<String>)>,
        ) {
            #[allow(unused_imports, reason = "each group needs some")]
            use crate::coverage::{check::{Shown, file}, rows::imports::*};
            let _ = all;
            $(let $given = all.$given.alias();)*
            $(results.push(($name, ($darray).shown()));)+
        }
    };
}

/// What rows are written with.
#[cfg(test)]
mod imports {
    pub use darray::Overlap;
    pub use darray::prelude::*;
}

mod creation;
mod elementwise;
mod files;
mod given;
mod language;
mod methods;
mod places;
mod products;
mod reductions;
mod shapes;

#[cfg(test)]
pub use given::Given;

const GROUPS: [&[Row]; 9] = [
    language::ROWS,
    creation::ROWS,
    elementwise::ROWS,
    shapes::ROWS,
    reductions::ROWS,
    places::ROWS,
    products::ROWS,
    files::ROWS,
    methods::ROWS,
];

pub fn all() -> impl Iterator<Item = &'static Row> {
    GROUPS.into_iter().flatten()
}

#[cfg(test)]
pub fn evaluate() -> Vec<(&'static str, Vec<String>)> {
    let (given, mut results) = (Given::new(), Vec::new());
    let groups = [
        language::evaluate,
        creation::evaluate,
        elementwise::evaluate,
        shapes::evaluate,
        reductions::evaluate,
        places::evaluate,
        products::evaluate,
        files::evaluate,
        methods::evaluate,
    ];
    for group in groups {
        group(&given, &mut results);
    }
    results
}
