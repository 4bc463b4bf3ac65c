"""The Mandelbrot set on pairs of reals; crates/darray/examples/mandelbrot.rs."""
from harness import arguments, library, run, scalar

chosen = arguments("mandelbrot", 500, 100)
np, n, element = library(chosen), chosen.n, chosen.element
import numpy

re = numpy.linspace(-2.25, 0.75, n).astype(element)
im = numpy.linspace(-1.25, 1.25, n).astype(element)[:, None]


def start():
    shape = (n, n)
    return numpy.zeros(shape, element), numpy.zeros(shape, element), numpy.zeros(shape, numpy.int64)


def step(x, y, steps, re, im):
    x2, y2 = x * x, y * y
    inside = x2 + y2 < 4.0
    return np.where(inside, x2 - y2 + re, x), np.where(inside, 2.0 * x * y + im, y), steps + inside


def by_numexpr(x, y, steps, re, im):
    import numexpr

    names = dict(x=x, y=y, steps=steps, re=re, im=im, four=scalar(chosen)(4), two=scalar(chosen)(2))
    of = lambda text: numexpr.evaluate("where(x * x + y * y < four, " + text + ")", names)
    return of("x * x - y * y + re, x"), of("two * x * y + im, y"), of("steps + 1, steps")


def numba_form():
    """All steps of a point in a loop of its own, which ends when the point escapes: its first call in a batch
    does the work of the batch."""
    import numba

    four, two, zero = map(scalar(chosen), (4, 2, 0))

    @numba.njit(parallel=chosen.threads > 1)
    def loops(re, im, steps, iters):
        for i in numba.prange(steps.shape[0]):
            for j in range(steps.shape[1]):
                x, y, count = zero, zero, 0
                for _ in range(iters):
                    x2, y2 = x * x, y * y
                    if not x2 + y2 < four:
                        break
                    x, y = x2 - y2 + re[j], two * x * y + im[i, 0]
                    count += 1
                steps[i, j] = count

    done = [0]

    def by_numba(x, y, steps, re, im):
        if done[0] % chosen.iters == 0:
            loops(re, im, steps, chosen.iters)
        done[0] += 1
        return x, y, steps

    return by_numba


forms = {"numexpr": by_numexpr}
if chosen.backend == "numba":
    forms["numba"] = numba_form()
run(chosen, start, step, lambda x, y, steps: [steps.sum()], (re, im), forms=forms)
