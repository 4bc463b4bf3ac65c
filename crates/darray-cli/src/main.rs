//! Command line of darray.

fn main() {}
