"""The 5-point stencil, written back in place; crates/darray/examples/stencil.rs."""
from harness import arguments, assign, run, scalar

chosen = arguments("stencil", 1000, 100)
import numpy

n = chosen.n
center = (slice(1, -1), slice(1, -1))


def start():
    grid = numpy.zeros((n + 2, n + 2), chosen.element)
    grid[:, 0] = grid[:, -1] = grid[-1, :] = -273.15
    grid[0, :] = 40.0
    return (grid,)


def around(grid):
    return grid[center], grid[:-2, 1:-1], grid[1:-1, 2:], grid[1:-1, :-2], grid[2:, 1:-1]


def step(grid):
    middle, north, east, west, south = around(grid)
    return (assign(grid, center, 0.2 * (middle + north + east + west + south)),)


work = numpy.empty((n, n), chosen.element)


def by_numexpr(grid):
    import numexpr

    names = dict(zip(("c", "n", "e", "w", "s"), around(grid)), fifth=scalar(chosen)(0.2))
    grid[center] = numexpr.evaluate("fifth * (c + n + e + w + s)", names, out=work)
    return (grid,)


def numba_form():
    """Loops into an array of its own and back."""
    import numba

    fifth = scalar(chosen)(0.2)

    @numba.njit(parallel=chosen.threads > 1)
    def loops(grid, work):
        for i in numba.prange(1, grid.shape[0] - 1):
            for j in range(1, grid.shape[1] - 1):
                total = grid[i, j] + grid[i - 1, j] + grid[i, j + 1] + grid[i, j - 1]
                work[i - 1, j - 1] = fifth * (total + grid[i + 1, j])
        for i in numba.prange(1, grid.shape[0] - 1):
            for j in range(1, grid.shape[1] - 1):
                grid[i, j] = work[i - 1, j - 1]

    def by_numba(grid):
        loops(grid, work)
        return (grid,)

    return by_numba


forms = {"numexpr": by_numexpr}
if chosen.backend == "numba":
    forms["numba"] = numba_form()
if chosen.backend == "jax":
    # The grid is given up to its successor, as in place.
    import jax

    forms["jax"] = jax.jit(step, donate_argnums=0)
run(chosen, start, step, lambda grid: [grid.astype("float64").sum()], forms=forms)
