"""Jacobi's method for a dense system; crates/darray/examples/jacobi.rs."""
from harness import arguments, run

chosen = arguments("jacobi", 2000, 20)
import numpy

n = chosen.n
random = numpy.random.default_rng(7)
rest = random.random((n, n))
numpy.fill_diagonal(rest, 0.0)
b = random.random(n).astype(chosen.element)
inputs = (rest.astype(chosen.element), numpy.full(n, n, chosen.element), b)


def step(x, rest, diagonal, b):
    return ((b - rest @ x) / diagonal,)


start = lambda: (numpy.zeros(n, chosen.element),)
run(chosen, start, step, lambda x: [x.astype("float64").sum()], inputs)
