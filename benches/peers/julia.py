"""A Julia set on complex arrays; crates/darray/examples/julia.rs."""
from harness import arguments, library, run

chosen = arguments("julia", 500, 100)
np, n = library(chosen), chosen.n
import numpy

element = {"f64": "complex128", "f32": "complex64"}[chosen.dtype]
re = numpy.linspace(-1.6, 1.6, n).astype(chosen.element)
im = numpy.linspace(-1.0, 1.0, n).astype(chosen.element)[:, None]
C = -0.8 + 0.156j


def start():
    z = numpy.empty((n, n), element)
    z.real, z.imag = re, im
    return z, numpy.zeros((n, n), numpy.int64)


def step(z, steps):
    inside = z.real * z.real + z.imag * z.imag < 4.0
    return np.where(inside, z * z + C, z), steps + inside


run(chosen, start, step, lambda z, steps: [steps.sum()])
