//! How arrays are printed, for a scope.

use std::cell::Cell;

/// How arrays are printed: NumPy's print options, with NumPy's defaults, for what a closure prints on this thread.
///
/// ```
/// use darray::{DArray, PrintOptions};
/// let x = DArray::from([1.0 / 3.0, 1e-9]);
/// assert_eq!(x.to_string(), "[3.33333333e-01 1.00000000e-09]");
/// let text = PrintOptions::new().precision(3).suppress(true).scope(|| x.to_string());
/// assert_eq!(text, "[0.333 0.   ]");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "options are those of a scope: `.scope(|| println!(\"{x}\"))`"]
pub struct PrintOptions {
    pub(super) precision: usize,
    pub(super) suppress: bool,
    pub(super) threshold: usize,
    pub(super) edge_items: usize,
    pub(super) line_width: usize,
}

thread_local! {
    static CURRENT: Cell<PrintOptions> = const { Cell::new(PrintOptions::new()) };
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions::new()
    }
}

impl PrintOptions {
    /// NumPy's defaults.
    ///
    /// ```
    /// assert_eq!(darray::PrintOptions::new(), darray::PrintOptions::default());
    /// ```
    pub const fn new() -> PrintOptions {
        PrintOptions {
            precision: 8,
            suppress: false,
            threshold: 1000,
            edge_items: 3,
            line_width: 75,
        }
    }

    /// Digits after the point at most; 8. What is asked for where an array is printed, `{:.2}`, counts before it.
    ///
    /// ```
    /// use darray::{DArray, PrintOptions};
    /// let x = DArray::from([0.125, 2.0]);
    /// assert_eq!(PrintOptions::new().precision(1).scope(|| format!("{x} {x:.2}")), "[0.1 2. ] [0.12 2.  ]");
    /// ```
    pub const fn precision(self, precision: usize) -> PrintOptions {
        PrintOptions { precision, ..self }
    }

    /// Whether small numbers are printed without exponent, and so perhaps as 0; false.
    ///
    /// ```
    /// use darray::{DArray, PrintOptions};
    /// let x = DArray::from([1e-5, 1.0]);
    /// assert_eq!(PrintOptions::new().suppress(true).scope(|| x.to_string()), "[0.00001 1.     ]");
    /// ```
    pub const fn suppress(self, suppress: bool) -> PrintOptions {
        PrintOptions { suppress, ..self }
    }

    /// Of arrays of more elements only the edges are printed; 1000.
    ///
    /// ```
    /// use darray::{DArray, PrintOptions};
    /// let x = DArray::<i64>::arange(8);
    /// assert_eq!(PrintOptions::new().threshold(7).scope(|| x.to_string()), "[0 1 2 ... 5 6 7]");
    /// ```
    pub const fn threshold(self, threshold: usize) -> PrintOptions {
        PrintOptions { threshold, ..self }
    }

    /// How many indices at each end of an axis are its edges, at least 1; 3.
    ///
    /// ```
    /// use darray::{DArray, PrintOptions};
    /// let x = DArray::<i64>::arange(8);
    /// let options = PrintOptions::new().threshold(7).edge_items(1);
    /// assert_eq!(options.scope(|| x.to_string()), "[0 ... 7]");
    /// ```
    pub const fn edge_items(self, edge_items: usize) -> PrintOptions {
        PrintOptions { edge_items: if edge_items == 0 { 1 } else { edge_items }, ..self }
    }

    /// Where lines break; 75 columns.
    ///
    /// ```
    /// use darray::{DArray, PrintOptions};
    /// let x = DArray::<i64>::arange(8);
    /// assert_eq!(PrintOptions::new().line_width(12).scope(|| x.to_string()), "[0 1 2 3 4\n 5 6 7]");
    /// ```
    pub const fn line_width(self, line_width: usize) -> PrintOptions {
        PrintOptions { line_width, ..self }
    }

    /// Runs the closure; arrays that it prints on this thread are printed by these options.
    ///
    /// ```
    /// use darray::{DArray, PrintOptions};
    /// PrintOptions::new().precision(2).scope(|| println!("{}", DArray::from([1.0 / 3.0])));
    /// ```
    pub fn scope<R>(self, f: impl FnOnce() -> R) -> R {
        /// Puts the options of the scope around back, also where the closure panics.
        struct Before(PrintOptions);

        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.set(self.0);
            }
        }

        let _before = Before(CURRENT.replace(self));
        f()
    }

    /// The options of the innermost scope.
    pub(super) fn current() -> PrintOptions {
        CURRENT.get()
    }
}
