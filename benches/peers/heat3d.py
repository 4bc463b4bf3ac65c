"""The heat equation in three dimensions; crates/darray/examples/heat3d.rs."""
from harness import arguments, assign, library, run

chosen = arguments("heat3d", 100, 50)
np, n = library(chosen), chosen.n
inner = slice(1, -1)


def start():
    block = (slice(n // 3, n - n // 3),) * 3
    cube = assign(np.zeros((n, n, n), chosen.element), block, 100.0)
    return cube, cube.copy()


def step(a, b):
    center = a[inner, inner, inner]
    across = a[2:, inner, inner] - 2.0 * center + a[:-2, inner, inner]
    along = a[inner, 2:, inner] - 2.0 * center + a[inner, :-2, inner]
    up = a[inner, inner, 2:] - 2.0 * center + a[inner, inner, :-2]
    return assign(b, (inner, inner, inner), 0.125 * (across + along + up) + center), a


def checksum(a, b):
    wide = a.astype("float64")
    return [wide.sum(), (wide * wide).sum()]


run(chosen, start, step, checksum)
