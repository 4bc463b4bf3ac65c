"""The 27-point stencil, assigned in place; crates/darray/examples/stencil27.rs."""
from harness import arguments, assign, library, run

chosen = arguments("stencil27", 100, 20)
np, n = library(chosen), chosen.n


def start():
    return (assign(np.zeros((n + 2, n + 2, n + 2), chosen.element), 0, 100.0),)


def step(cube):
    total = np.zeros((n, n, n), chosen.element)
    for z in range(3):
        for y in range(3):
            for x in range(3):
                total += cube[z : z + n, y : y + n, x : x + n]
    inside = (slice(1, -1),) * 3
    return (assign(cube, inside, total / 27.0),)


run(chosen, start, step, lambda cube: [cube.astype("float64").sum()])
