"""The sum of a long vector; crates/darray/examples/products.rs."""
from products import reduce

reduce("vector_sum")
