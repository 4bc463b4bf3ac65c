"""Logistic regression with 32 features; examples/logistic_regression.rs."""
from harness import arguments, library, run

chosen = arguments("logistic_regression", 100_000, 20)
np = library(chosen)
import numpy

random = numpy.random.default_rng(3)
x = np.asarray((random.random((chosen.n, 32)) * 2 - 1).astype(chosen.element))
y = np.asarray((random.random(chosen.n) >= 0.5).astype(chosen.element))


def step(w, x, y):
    error = y - 1.0 / (1.0 + np.exp(-(x @ w)))
    return (w + 1e-5 * (x.T @ error),)


def checksum(w):
    return [abs(w).astype("float64").sum()]


run(chosen, lambda: (np.zeros(32, chosen.element),), step, checksum, (x, y))
