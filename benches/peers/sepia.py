"""An image in sepia; crates/darray/examples/sepia.rs."""
from harness import arguments, library, run

chosen = arguments("sepia", 1000, 10)
np, n = library(chosen), chosen.n
import numpy

weights = [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]]
pixels = (numpy.random.default_rng(11).random((n, n, 3)) * 256.0).astype(numpy.int64)
image = np.asarray(pixels.astype(chosen.element))


def step(_, image):
    red, green, blue = image[..., 0], image[..., 1], image[..., 2]
    tones = [np.minimum(r * red + g * green + b * blue, 255.0) for r, g, b in weights]
    return (np.stack(tones, axis=-1),)


def checksum(result):
    return [result.astype("float64").sum()]


run(chosen, lambda: (image,), step, checksum, (image,), loops=False)
