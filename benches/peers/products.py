"""What the sum and the dot product of long vectors have in common; crates/darray/examples/products.rs."""
from harness import arguments, run


def reduce(program):
    """Times one of them."""
    dot = program == "vector_dot"
    chosen = arguments(program, 10_000_000, 10)
    import numpy

    random = numpy.random.default_rng(29)
    x, y = (random.random(chosen.n).astype(chosen.element) for _ in range(2))

    def step(_, x, *y):
        return (x.dot(*y) if dot else x.sum(),)

    def by_numexpr(_, x, *y):
        import numexpr

        if dot:
            return (numexpr.evaluate("sum(x * y)", dict(x=x, y=y[0])),)
        return (numexpr.evaluate("sum(x)", dict(x=x)),)

    def numba_form():
        import numba

        @numba.njit(parallel=chosen.threads > 1, fastmath=True)
        def summed(x):
            total = x.dtype.type(0)
            for i in numba.prange(x.size):
                total += x[i]
            return total

        @numba.njit(parallel=chosen.threads > 1, fastmath=True)
        def product(x, y):
            total = x.dtype.type(0)
            for i in numba.prange(x.size):
                total += x[i] * y[i]
            return total

        return lambda _, x, *y: (product(x, *y) if dot else summed(x),)

    forms = {"numexpr": by_numexpr}
    if chosen.backend == "numba":
        forms["numba"] = numba_form()
    inputs = (x, y) if dot else (x,)
    run(chosen, lambda: (x[:1],), step, lambda total: [total], inputs, False, forms)
