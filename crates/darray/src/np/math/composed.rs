//! NumPy's functions that are made of others: element by element, of shapes, sums, sets, polynomials.
//!
//! `table` has a row for each that takes an array and little else; its methods of untyped arrays and its function of `np` come from
//! there. All operations of a function are recorded under its name and at its caller's place (`elementwise/steps.rs`).

mod arrangement;
mod averages;
mod places;
mod polynomials;
mod products;
mod quantiles;
mod sets;
pub(crate) mod table;
mod values;
pub(crate) mod windows;

pub use polynomials::Overlap;

use crate::elementwise::steps::Steps;
use crate::{Along, Argument, DynArray};
use darray_core::{Place, Result};
use table::composed_table;

/// The methods of untyped arrays.
macro_rules! composed_methods {
    (
        one { $($(#[$one_doc:meta])+ $one:ident(x) = $one_path:path, $one_rule:ident, $one_x:literal => $one_out:literal;)+ }
        two { $($(#[$two_doc:meta])+ $two:ident(x, y) = $two_path:path, $two_rule:ident, $two_x:literal, $two_y:literal => $two_out:literal;)+ }
        pair { $($(#[$pair_doc:meta])+ $pair:ident(x, &y) = $pair_path:path, $pair_rule:ident, $pair_x:literal, $pair_y:literal => $pair_out:literal;)+ }
        along { $($(#[$along_doc:meta])+ $along:ident(x, axis) = $along_path:path, $along_rule:ident, $along_x:literal, $along_axis:literal => $along_out:literal;)+ }
        many { $($(#[$many_doc:meta])+ $many:ident(arrays) = $many_path:path, $many_x:literal => $many_out:literal;)+ }
        number { $($(#[$number_doc:meta])+ $number:ident(x, k) = $number_path:path, $number_x:literal, $number_k:literal => $number_out:literal;)+ }
    ) => {
        /// The functions of `np/math/composed/table.rs`.
        impl DynArray {
            $(
                $(#[$one_doc])+
                #[doc = example!("x.", $one, $one_x, "")]
                #[track_caller]
                pub fn $one(&self) -> Result<DynArray> {
                    $one_path(Steps { name: stringify!($one), place: Place::caller() }, self)
                }
            )+
            $(
                $(#[$two_doc])+
                #[doc = example!("x.", $two, $two_x, "&x")]
                #[track_caller]
                pub fn $two<'a>(&'a self, y: impl Into<Argument<'a>>) -> Result<DynArray> {
                    let steps = Steps { name: stringify!($two), place: Place::caller() };
                    $two_path(steps, self, y.into())
                }
            )+
            $(
                $(#[$pair_doc])+
                #[doc = example!("x.", $pair, $pair_x, concat!("&DynArray::from(", $pair_y, ")"))]
                #[track_caller]
                pub fn $pair(&self, y: &DynArray) -> Result<DynArray> {
                    let steps = Steps { name: stringify!($pair), place: Place::caller() };
                    steps.same_runtime(self, y)?;
                    $pair_path(steps, self, y)
                }
            )+
            $(
                $(#[$along_doc])+
                #[doc = example!("x.", $along, $along_x, $along_axis)]
                #[track_caller]
                pub fn $along(&self, axis: impl Into<Along>) -> Result<DynArray> {
                    let steps = Steps { name: stringify!($along), place: Place::caller() };
                    $along_path(steps, self, axis.into())
                }
            )+
            $(
                $(#[$many_doc])+
                #[doc = example!("DynArray::", $many, $many_x, "&[&x, &x]")]
                #[track_caller]
                pub fn $many(arrays: &[&DynArray]) -> Result<DynArray> {
                    $many_path(Steps { name: stringify!($many), place: Place::caller() }, arrays)
                }
            )+
            $(
                $(#[$number_doc])+
                #[doc = example!("x.", $number, $number_x, $number_k)]
                #[track_caller]
                pub fn $number(&self, k: isize) -> Result<DynArray> {
                    let steps = Steps { name: stringify!($number), place: Place::caller() };
                    $number_path(steps, self, k)
                }
            )+
        }
    };
}

/// That a function takes what it takes; its values stand beside the function of `np`.
macro_rules! example {
    ($of:literal, $name:ident, $x:literal, $arguments:expr) => {
        concat!(
            "\n\n```\nuse darray::{DArray, DynArray};\nlet x = DynArray::from(",
            $x,
            ");\n",
            "assert!(",
            $of,
            stringify!($name),
            "(",
            $arguments,
            ").is_ok());\n```",
        )
    };
}

composed_table!(composed_methods);
