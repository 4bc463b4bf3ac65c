"""Prices of European options; crates/darray/examples/black_scholes.rs."""
from harness import arguments, library, run, scalar

chosen = arguments("black_scholes", 1_000_000, 10)
np, element = library(chosen), scalar(chosen)
import numpy

random, n = numpy.random.default_rng(42), chosen.n
spot = (random.random(n) * 25.0 + 5.0).astype(chosen.element)
strike = (random.random(n) * 99.0 + 1.0).astype(chosen.element)
years = (random.random(n) * 9.75 + 0.25).astype(chosen.element)
RATE, VOLATILITY = 0.02, 0.3
SERIES = 0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429


def normal(d):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
    a, b, c, e, f = SERIES
    series = k * (a + k * (b + k * (c + k * (e + k * f))))
    tail = 0.3989422804 * np.exp(-0.5 * d * d) * series
    return np.where(d > 0.0, 1.0 - tail, tail)


def step(_, __, s, x, t):
    deviation = VOLATILITY * np.sqrt(t)
    d1 = (np.log(s / x) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / deviation
    d2 = d1 - deviation
    n1, n2 = normal(d1), normal(d2)
    discounted = x * np.exp(-RATE * t)
    return s * n1 - discounted * n2, discounted * (1.0 - n2) - s * (1.0 - n1)


def by_numexpr(_, __, s, x, t):
    import numexpr

    # Constants in the arrays' type: numexpr computes in the widest.
    names = dict(zip("abcef", map(element, SERIES)), one=element(1), half=element(-0.5))
    names.update(scale=element(0.3989422804), slope=element(0.2316419), v=element(VOLATILITY))
    names.update(drift=element(RATE + 0.5 * VOLATILITY * VOLATILITY), rate=element(-RATE))
    evaluate = lambda text, **arrays: numexpr.evaluate(text, {**names, **arrays})

    def normal(d):
        k = evaluate("one / (one + slope * abs(d))", d=d)
        tail = "scale * exp(half * d * d) * (k * (a + k * (b + k * (c + k * (e + k * f)))))"
        tail = evaluate(tail, d=d, k=k)
        return evaluate("where(d > 0, one - tail, tail)", d=d, tail=tail)

    deviation = evaluate("v * sqrt(t)", t=t)
    d1 = evaluate("(log(s / x) + drift * t) / deviation", s=s, x=x, t=t, deviation=deviation)
    n1, n2 = normal(d1), normal(evaluate("d1 - deviation", d1=d1, deviation=deviation))
    y = evaluate("x * exp(rate * t)", x=x, t=t)
    call = evaluate("s * n1 - y * n2", s=s, n1=n1, n2=n2, y=y)
    return call, evaluate("y * (one - n2) - s * (one - n1)", s=s, n1=n1, n2=n2, y=y)


def numba_form():
    """One loop over the options."""
    import math

    import numba

    a, b, c, e, f = map(element, SERIES)
    one, half, scale, slope = map(element, (1.0, -0.5, 0.3989422804, 0.2316419))
    v, rate, zero = map(element, (VOLATILITY, -RATE, 0.0))
    drift = element(RATE + 0.5 * VOLATILITY * VOLATILITY)

    @numba.njit(inline="always")
    def normal(d):
        k = one / (one + slope * abs(d))
        series = k * (a + k * (b + k * (c + k * (e + k * f))))
        tail = scale * math.exp(half * d * d) * series
        return one - tail if d > zero else tail

    @numba.njit(parallel=chosen.threads > 1, error_model="numpy")
    def loop(s, x, t, call, put):
        for i in numba.prange(s.size):
            deviation = v * math.sqrt(t[i])
            d1 = (math.log(s[i] / x[i]) + drift * t[i]) / deviation
            n1, n2 = normal(d1), normal(d1 - deviation)
            y = x[i] * math.exp(rate * t[i])
            call[i] = s[i] * n1 - y * n2
            put[i] = y * (one - n2) - s[i] * (one - n1)

    def by_numba(_, __, s, x, t):
        call, put = numpy.empty_like(s), numpy.empty_like(s)
        loop(s, x, t, call, put)
        return call, put

    return by_numba


def checksum(call, put):
    return [call.astype("float64").sum(), put.astype("float64").sum()]


forms = {"numexpr": by_numexpr}
if chosen.backend == "numba":
    forms["numba"] = numba_form()
run(chosen, lambda: (spot[:1], spot[:1]), step, checksum, (spot, strike, years), False, forms)
