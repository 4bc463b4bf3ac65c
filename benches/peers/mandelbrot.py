"""The Mandelbrot set on pairs of reals; examples/mandelbrot.rs."""
from harness import arguments, library, run

chosen = arguments("mandelbrot", 500, 100)
np, n, element = library(chosen), chosen.n, chosen.element
re = np.linspace(-2.25, 0.75, n).astype(element)
im = np.linspace(-1.25, 1.25, n).astype(element)[:, None]


def start():
    return np.zeros((n, n), element), np.zeros((n, n), element), np.zeros((n, n), np.int64)


def step(x, y, steps, re, im):
    x2, y2 = x * x, y * y
    inside = x2 + y2 < 4.0
    return np.where(inside, x2 - y2 + re, x), np.where(inside, 2.0 * x * y + im, y), steps + inside


run(chosen, start, step, lambda x, y, steps: [steps.sum()], (re, im))
