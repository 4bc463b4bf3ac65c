"""The dot product of two long vectors; crates/darray/examples/products.rs."""
from products import reduce

reduce("vector_dot")
