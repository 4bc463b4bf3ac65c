"""The dot product of two long vectors; examples/products.rs."""
from products import reduce

reduce("vector_dot")
