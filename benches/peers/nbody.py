"""Bodies that attract each other, all pairs; crates/darray/examples/nbody.rs."""
from harness import arguments, library, run

chosen = arguments("nbody", 1000, 10)
np, n = library(chosen), chosen.n
import numpy

random = numpy.random.default_rng(17)
drawn = [scale * (random.random(n) - 0.5) for scale in (2.0, 2.0, 2.0, 0.1, 0.1, 0.1)]
state = tuple(np.asarray(values.astype(chosen.element)) for values in drawn)
mass = np.full(n, 1.0 / n, chosen.element)


def step(x, y, z, u, v, w, mass):
    dx, dy, dz = (a - a[:, None] for a in (x, y, z))
    squared = dx * dx + dy * dy + dz * dz + 0.1 * 0.1
    pull = mass / (squared * np.sqrt(squared))
    u, v, w = (s + 0.01 * (d * pull).sum(1) for s, d in ((u, dx), (v, dy), (w, dz)))
    return x + 0.01 * u, y + 0.01 * v, z + 0.01 * w, u, v, w


def checksum(*vectors):
    squares = [(a.astype("float64") ** 2).sum() for a in vectors]
    return [sum(squares[:3]), sum(squares[3:])]


run(chosen, lambda: state, step, checksum, (mass,))
