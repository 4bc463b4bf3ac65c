//! Functions that are made of others: those of `composed/table.rs`.

use crate::error::expect_at_caller;
use crate::np::math::composed::table::{composed_output, composed_table};
use crate::{Along, Arrays, AsArray, DArray, DynArray, Element, Operand, Promote};

/// A function with its example.
macro_rules! composed_functions {
    (
        one { $($(#[$one_doc:meta])+ $one:ident(x) = $one_path:path, $one_rule:ident, $one_x:literal => $one_out:literal;)+ }
        two { $($(#[$two_doc:meta])+ $two:ident(x, y) = $two_path:path, $two_rule:ident, $two_x:literal, $two_y:literal => $two_out:literal;)+ }
        pair { $($(#[$pair_doc:meta])+ $pair:ident(x, &y) = $pair_path:path, $pair_rule:ident, $pair_x:literal, $pair_y:literal => $pair_out:literal;)+ }
        along { $($(#[$along_doc:meta])+ $along:ident(x, axis) = $along_path:path, $along_rule:ident, $along_x:literal, $along_axis:literal => $along_out:literal;)+ }
        many { $($(#[$many_doc:meta])+ $many:ident(arrays) = $many_path:path, $many_x:literal => $many_out:literal;)+ }
        number { $($(#[$number_doc:meta])+ $number:ident(x, k) = $number_path:path, $number_x:literal, $number_k:literal => $number_out:literal;)+ }
    ) => {
        $(
            $(#[$one_doc])+
            #[doc = example!($one, $one_x, "&x", $one_out)]
            #[track_caller]
            pub fn $one<T: Element>(x: impl AsArray<T>) -> DArray<composed_output!($one_rule T, T)> {
                DArray::wrap(expect_at_caller(x.as_array().as_dyn().$one()))
            }
        )+
        $(
            $(#[$two_doc])+
            #[doc = example!($two, $two_x, concat!("&x, ", $two_y), $two_out)]
            #[track_caller]
            pub fn $two<T: Element, R: Operand<T>>(
                x: impl AsArray<T>,
                y: R,
            ) -> DArray<composed_output!($two_rule T, R::Output)> {
                DArray::wrap(expect_at_caller(x.as_array().as_dyn().$two(y.argument())))
            }
        )+
        $(
            $(#[$pair_doc])+
            #[doc = example!($pair, $pair_x, concat!("&x, &", $pair_y), $pair_out)]
            #[track_caller]
            pub fn $pair<T: Element + Promote<U>, U: Element>(
                x: impl AsArray<T>,
                y: impl AsArray<U>,
            ) -> DArray<composed_output!($pair_rule T, <T as Promote<U>>::Output)> {
                DArray::wrap(expect_at_caller(x.as_array().as_dyn().$pair(y.as_array().as_dyn())))
            }
        )+
        $(
            $(#[$along_doc])+
            #[doc = example!($along, $along_x, concat!("&x, ", $along_axis), $along_out)]
            #[track_caller]
            pub fn $along<T: Element>(
                x: impl AsArray<T>,
                axis: impl Into<Along>,
            ) -> DArray<composed_output!($along_rule T, T)> {
                DArray::wrap(expect_at_caller(x.as_array().as_dyn().$along(axis)))
            }
        )+
        $(
            $(#[$many_doc])+
            #[doc = example!($many, $many_x, "[&x, &x]", $many_out)]
            #[track_caller]
            pub fn $many<T: Element>(arrays: impl Arrays<T>) -> DArray<T> {
                DArray::wrap(expect_at_caller(DynArray::$many(&arrays.untyped())))
            }
        )+
        $(
            $(#[$number_doc])+
            #[doc = example!($number, $number_x, concat!("&x, ", $number_k), $number_out)]
            #[track_caller]
            pub fn $number<T: Element>(x: impl AsArray<T>, k: isize) -> DArray<T> {
                DArray::wrap(expect_at_caller(x.as_array().as_dyn().$number(k)))
            }
        )+
    };
}

macro_rules! example {
    ($name:ident, $x:literal, $arguments:expr, $output:literal) => {
        concat!(
            "\n\n```\nuse darray::{DArray, np};\nlet x = ",
            $x,
            ";\n",
            "assert_eq!(np::",
            stringify!($name),
            "(",
            $arguments,
            ").to_vec(), ",
            $output,
            ");\n```",
        )
    };
}

composed_table!(composed_functions);
