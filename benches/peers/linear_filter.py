"""The mean of nine pixels; crates/darray/examples/linear_filter.rs."""
from harness import arguments, library, run

chosen = arguments("linear_filter", 1000, 10)
np, n = library(chosen), chosen.n
import numpy

pixels = (numpy.random.default_rng(11).random((n + 2, n + 2, 3)) * 256.0).astype(numpy.int64)
image = np.asarray(pixels.astype(chosen.element))


def step(_, image):
    total = np.zeros((n, n, 3), chosen.element)
    for y in range(3):
        for x in range(3):
            total += image[y : y + n, x : x + n]
    return (total / 9.0,)


def checksum(result):
    return [result.astype("float64").sum()]


run(chosen, lambda: (image,), step, checksum, (image,), loops=False)
