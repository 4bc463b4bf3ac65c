"""Conjugate gradients, matrix-free; crates/darray/examples/cg.rs."""
from harness import arguments, assign, library, run

chosen = arguments("cg", 500, 50)
np, n = library(chosen), chosen.n
import numpy

b = numpy.random.default_rng(5).random((n, n)).astype(chosen.element)
inner = (slice(1, -1), slice(1, -1))


def start():
    square = numpy.asarray((b * b).sum())
    return numpy.zeros_like(b), b.copy(), b.copy(), square, numpy.pad(b, 1)


def laplacian(p, padded):
    padded = assign(padded, inner, p)
    across = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
    return 4.0 * p - across, padded


def step(x, r, p, rs, padded):
    ap, padded = laplacian(p, padded)
    alpha = rs / (p * ap).sum()
    x = x + alpha * p
    r = r - alpha * ap
    square = (r * r).sum()
    return x, r, r + (square / rs) * p, square, padded


work = numpy.empty_like(b)


def by_numexpr(x, r, p, rs, padded):
    import numexpr

    # The direction lies within a border of zeros all the time.
    p = padded[inner]
    names = dict(p=p, a=padded[:-2, 1:-1], b=padded[2:, 1:-1], c=padded[1:-1, :-2])
    names.update(d=padded[1:-1, 2:], four=p.dtype.type(4))
    ap = numexpr.evaluate("four * p - (a + b + c + d)", names, out=work)
    alpha = p.dtype.type(rs / numexpr.evaluate("sum(p * ap)", dict(p=p, ap=ap)))
    x = numexpr.evaluate("x + alpha * p", dict(x=x, p=p, alpha=alpha), out=x)
    r = numexpr.evaluate("r - alpha * ap", dict(r=r, ap=ap, alpha=alpha), out=r)
    square = numexpr.evaluate("sum(r * r)", dict(r=r))
    names = dict(r=r, p=p, beta=p.dtype.type(square / rs))
    return x, r, numexpr.evaluate("r + beta * p", names, out=p), square, padded


def numba_form():
    """Three loops over the grid, without arrays in between."""
    import numba

    options = dict(parallel=chosen.threads > 1, fastmath=True)
    # The direction lies within a border of zeros all the time.
    @numba.njit(**options)
    def product(p, ap):
        total = 0.0
        for i in numba.prange(ap.shape[0]):
            for j in range(ap.shape[1]):
                across = p[i, j + 1] + p[i + 2, j + 1] + p[i + 1, j] + p[i + 1, j + 2]
                ap[i, j] = 4.0 * p[i + 1, j + 1] - across
                total += ap[i, j] * p[i + 1, j + 1]
        return total

    @numba.njit(**options)
    def advance(x, r, p, ap, alpha):
        square = 0.0
        for i in numba.prange(x.shape[0]):
            for j in range(x.shape[1]):
                x[i, j] += alpha * p[i + 1, j + 1]
                rest = r[i, j] - alpha * ap[i, j]
                r[i, j] = rest
                square += rest * rest
        return square

    @numba.njit(**options)
    def turn(p, r, beta):
        for i in numba.prange(r.shape[0]):
            for j in range(r.shape[1]):
                p[i + 1, j + 1] = r[i, j] + beta * p[i + 1, j + 1]

    def by_numba(x, r, p, rs, padded):
        square = advance(x, r, padded, work, b.dtype.type(rs / product(padded, work)))
        turn(padded, r, b.dtype.type(square / rs))
        return x, r, p, square, padded

    return by_numba


forms = {"numexpr": by_numexpr}
if chosen.backend == "numba":
    forms["numba"] = numba_form()
checksum = lambda x, r, p, rs, padded: [numpy.sqrt(float(rs))]
run(chosen, start, step, checksum, forms=forms)
