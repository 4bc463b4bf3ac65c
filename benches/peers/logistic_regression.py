"""Logistic regression with 32 features; crates/darray/examples/logistic_regression.rs."""
from harness import arguments, library, run, scalar

chosen = arguments("logistic_regression", 100_000, 20)
np, element = library(chosen), scalar(chosen)
import numpy

random = numpy.random.default_rng(3)
x = (random.random((chosen.n, 32)) * 2 - 1).astype(chosen.element)
y = (random.random(chosen.n) >= 0.5).astype(chosen.element)


def step(w, x, y):
    error = y - 1.0 / (1.0 + np.exp(-(x @ w)))
    return (w + 1e-5 * (x.T @ error),)


def by_numexpr(w, x, y):
    import numexpr

    z = x @ w
    error = numexpr.evaluate("y - one / (one + exp(-z))", dict(y=y, z=z, one=element(1)))
    return (w + element(1e-5) * (x.T @ error),)


def numba_form():
    """A loop that reads every sample once."""
    import math

    import numba

    one, rate, parts = element(1), element(1e-5), 64

    @numba.njit(parallel=chosen.threads > 1, fastmath=True)
    def loops(x, y, w):
        n, features = x.shape
        gradients = numpy.zeros((parts, features), x.dtype)
        for part in numba.prange(parts):
            gradient = numpy.zeros(features, x.dtype)
            for i in range(n * part // parts, n * (part + 1) // parts):
                z = element(0)
                for j in range(features):
                    z += x[i, j] * w[j]
                error = y[i] - one / (one + math.exp(-z))
                for j in range(features):
                    gradient[j] += error * x[i, j]
            gradients[part] = gradient
        return w + rate * gradients.sum(0)

    return lambda w, x, y: (loops(x, y, w),)


forms = {"numexpr": by_numexpr}
if chosen.backend == "numba":
    forms["numba"] = numba_form()
start = lambda: (numpy.zeros(32, chosen.element),)
run(chosen, start, step, lambda w: [abs(w).astype("float64").sum()], (x, y), forms=forms)
