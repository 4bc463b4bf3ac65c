//! Tests that cross crates live in this package.
