//! The methods of `reduction/table.rs` of typed arrays.

use super::table::{reduction_output, reduction_table};
use crate::error::expect_at_caller;
use crate::{Axes, DArray, Element, Reduction};
use darray_core::Result;

macro_rules! reduction_methods {
    (
        any { $($(#[$any_doc:meta])+ $any:ident = x.$any_all:ident(), x.$any_axis:ident(axes), x.$any_try:ident(axes),
            $any_rule:ident $(by $any_reducer:ident)?, $any_input:literal => $any_output:literal, $any_rows:literal;)+ }
        some { $($(#[$some_doc:meta])+ $some:ident = x.$one:ident(), x.$try_one:ident(), x.$some_axis:ident(axes),
            x.$some_try:ident(axes), $some_rule:ident $(by $some_reducer:ident)?,
            $some_input:literal => $some_output:literal, $some_rows:literal;)+ }
        spread { $($(#[$doc:meta])+ $variant:ident = x.$method:ident(), x.$axis:ident(axes), x.$try_axis:ident(axes),
            x.$ddof:ident(ddof, axes), x.$try_ddof:ident(ddof, axes),
            $input:literal => $output:literal, $rows:literal, $free:literal;)+ }
    ) => {
        impl<T: Element> DArray<T> {
            $(all_and_axis! {
                [$(#[$any_doc])+] [] [""]
                $any_all $any_axis $any_try, Reduction::$any, $any_rule, $any_input, $any_output, $any_rows
            })+
            $(all_and_axis! {
                [$(#[$some_doc])+] [#[doc = "\n\n# Panics\n\nIf there are no elements."]] [", or there is nothing to reduce"]
                $one $some_axis $some_try, Reduction::$some, $some_rule, $some_input, $some_output, $some_rows
            }

            #[doc = concat!(
                "As [`", stringify!($one), "`](Self::", stringify!($one), "); what would panic is an error.",
                "\n\n```\nlet error = darray::DArray::<f64>::zeros(0).", stringify!($try_one), "().unwrap_err();\n",
                "let expected = \"", stringify!($one), ": shapes [0]: expected at least one element\";\n",
                "assert!(error.to_string().starts_with(expected));\n```",
            )]
            #[track_caller]
            pub fn $try_one(&self) -> Result<DArray<reduction_output!($some_rule T)>> {
                Ok(DArray::wrap(self.as_dyn().reduce(Reduction::$some, ..)?))
            })+
            $(all_and_axis! {
                [$(#[$doc])+] [#[doc = "\n\nWith a `ddof` of 0."]] [""]
                $method $axis $try_axis, Reduction::$variant { ddof: 0 }, spread, $input, $output, $rows
            }

            #[doc = concat!(
                "As [`", stringify!($axis), "`](Self::", stringify!($axis), "), with this `ddof`.",
                "\n\n# Panics\n\nIf an axis is out of range or given twice.",
                "\n\n```\nlet x = darray::DArray::from_vec(", $input, ");\n",
                "assert_eq!(x.", stringify!($ddof), "(1, ..).item(), ", $free, ");\n```",
            )]
            #[track_caller]
            pub fn $ddof(&self, ddof: usize, axes: impl Into<Axes>) -> DArray<T::Spread> {
                expect_at_caller(self.$try_ddof(ddof, axes))
            }

            #[doc = concat!(
                "As [`", stringify!($ddof), "`](Self::", stringify!($ddof), "); what would panic is an error.",
                "\n\n```\nuse darray::DArray;\n",
                "assert!(DArray::<f64>::ones((2, 2)).", stringify!($try_ddof), "(1, 2).is_err());\n```",
            )]
            #[track_caller]
            pub fn $try_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> Result<DArray<T::Spread>> {
                Ok(DArray::wrap(self.as_dyn().reduce(Reduction::$variant { ddof }, axes)?))
            })+
        }
    };
}

/// The reduction of all elements, along axes, and along axes with an error.
macro_rules! all_and_axis {
    (
        [$($doc:tt)+] [$($panics:tt)*] [$nothing:literal] $method:ident $axis:ident $try_axis:ident,
        $reduction:expr, $rule:ident, $input:literal, $output:literal, $rows:literal
    ) => {
        $($doc)+
        ///
        /// Of all elements; a 0-d array.
        $($panics)*
        #[doc = concat!(
            "\n\n```\nlet x = darray::DArray::from_vec(", $input, ");\n",
            "assert_eq!(x.", stringify!($method), "().item(), ", $output, ");\n```",
        )]
        #[track_caller]
        pub fn $method(&self) -> DArray<reduction_output!($rule T)> {
            expect_at_caller(self.$try_axis(..))
        }

        #[doc = concat!(
            "As [`", stringify!($method), "`](Self::", stringify!($method),
            "), along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.",
            "\n\n# Panics\n\nIf an axis is out of range or given twice", $nothing, ".",
            "\n\n```\nlet x = darray::DArray::from_shape_vec((2, 2), ", $input, ");\n",
            "assert_eq!(x.", stringify!($axis), "(1).to_vec(), ", $rows, ");\n```",
        )]
        #[track_caller]
        pub fn $axis(&self, axes: impl Into<Axes>) -> DArray<reduction_output!($rule T)> {
            expect_at_caller(self.$try_axis(axes))
        }

        #[doc = concat!(
            "As [`", stringify!($axis), "`](Self::", stringify!($axis), "); what would panic is an error.",
            "\n\n```\nuse darray::DArray;\n",
            "assert!(DArray::<i64>::ones((2, 2)).", stringify!($try_axis), "(2).is_err());\n```",
        )]
        #[track_caller]
        pub fn $try_axis(
            &self,
            axes: impl Into<Axes>,
        ) -> Result<DArray<reduction_output!($rule T)>> {
            Ok(DArray::wrap(self.as_dyn().reduce($reduction, axes)?))
        }
    };
}

reduction_table!(reduction_methods);
