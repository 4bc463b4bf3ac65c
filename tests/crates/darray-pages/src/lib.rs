//! README.md and the chapters of the book, whose Rust code runs with the tests of the documentation: `cargo test -p darray-pages
//! --doc`.
//!
//! They are not in the crate that they are about: what is published of it has no files outside.

/// An item for each page, of which rustdoc takes the code.
macro_rules! pages {
    ($($name:ident = $path:literal;)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../../../", $path))]
            struct $name;
        )*
    };
}

pages! {
    Readme = "README.md";
    FirstSteps = "docs/book/src/first-steps.md";
    NumPy = "docs/book/src/numpy.md";
    Laziness = "docs/book/src/laziness.md";
    Errors = "docs/book/src/errors.md";
    Performance = "docs/book/src/performance.md";
    Extending = "docs/book/src/extending.md";
}
