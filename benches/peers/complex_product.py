"""z * w + c of long complex vectors; crates/darray/examples/products.rs."""
from harness import arguments, run

chosen = arguments("complex_product", 1_000_000, 10)
import numpy

random = numpy.random.default_rng(29)


def vector():
    z = numpy.empty(chosen.n, {"f64": "complex128", "f32": "complex64"}[chosen.dtype])
    z.real, z.imag = random.random(chosen.n), random.random(chosen.n)
    return z


def step(_, z, w, c):
    return (z * w + c,)


def by_numexpr(_, z, w, c):
    import numexpr

    return (numexpr.evaluate("z * w + c", dict(z=z, w=w, c=c)),)


def numba_form():
    import numba

    @numba.njit(parallel=chosen.threads > 1)
    def loop(z, w, c):
        result = numpy.empty_like(z)
        for i in numba.prange(z.size):
            result[i] = z[i] * w[i] + c[i]
        return result

    return lambda _, z, w, c: (loop(z, w, c),)


forms = {"numexpr": by_numexpr}
if chosen.backend == "numba":
    forms["numba"] = numba_form()
inputs = (vector(), vector(), vector())
sums = lambda z: [z.real.sum(dtype="f8"), z.imag.sum(dtype="f8")]
run(chosen, lambda: (inputs[0],), step, sums, inputs, False, forms)
