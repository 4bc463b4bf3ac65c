"""The sum of a long vector; examples/products.rs."""
from products import reduce

reduce("vector_sum")
