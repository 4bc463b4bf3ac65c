"""Arguments at which functions are measured."""

import numpy as np

SPECIAL = [0.0, 1.0, 0.5, 2.0, 3.0, 10.0, 90.0, np.pi, np.pi / 2, np.e, 1e-5, 1e5, np.inf]


def special_values(dtype):
    """Zeros, infinities, NaN, the ends of the range, small numbers; both signs."""
    limits = np.finfo(dtype)
    ends = [limits.max, limits.tiny, limits.smallest_subnormal, limits.eps]
    positive = np.array(SPECIAL + ends, dtype)
    return np.concatenate([positive, -positive, np.array([np.nan], dtype)])


def unary(dtype, count, ranges, stream):
    """At least `count` arguments: every magnitude, denormals, the ranges densely, hard cases."""
    spread = every_magnitude(dtype, count // 2, stream)
    tiny = denormals(dtype, count // 10, stream)
    share = count - len(spread) - len(tiny)
    dense = [uniform(dtype, r, share // len(ranges) + 1, stream) for r in ranges]
    return np.concatenate([spread, tiny, *dense, near_multiples(dtype, stream)])


def binary(dtype, count, ranges, stream):
    """At least `count` pairs: magnitudes, near magnitudes, the ranges densely, hard cases."""
    part = count // 4
    first, second = (every_magnitude(dtype, part, stream) for _ in range(2))
    share = part // len(ranges) + 1
    shares = [(uniform(dtype, r, share, stream), uniform(dtype, s, share, stream))
              for r in ranges for s in ranges]
    a = np.concatenate([first, first, denormals(dtype, part, stream), *(s[0] for s in shares)])
    # Of sizes near each other, where roundings are the hardest.
    with np.errstate(over="ignore"):
        near = first * stream.uniform(-4, 4, part).astype(dtype)
    b = np.concatenate([second, near, denormals(dtype, part, stream), *(s[1] for s in shares)])
    return a, b


def every_magnitude(dtype, count, stream):
    """Uniform in bits over all finite numbers; of 32 bits, evenly spaced patterns."""
    if dtype == np.float32:
        step = 2**32 // count
        start = int(stream.integers(step))
        values = np.arange(start, 2**32, step, dtype=np.uint64).astype(np.uint32).view(dtype)[:count]
    else:
        values = stream.integers(0, 2**64, count, dtype=np.uint64).view(dtype)
    return np.where(np.isfinite(values), values, dtype(1.5))


def denormals(dtype, count, stream):
    """Uniform in bits over denormals and the smallest normal numbers."""
    bits, width = (np.uint64, 52) if dtype == np.float64 else (np.uint32, 23)
    values = stream.integers(0, 3 << width, count, dtype=bits).view(dtype)
    return np.where(stream.integers(0, 2, count) == 0, values, -values)


def uniform(dtype, interval, count, stream):
    return stream.uniform(*interval, count).astype(dtype)


def near_multiples(dtype, stream):
    """Numbers next to multiples of pi/2, of every size, and the hardest one of 64 bits."""
    if dtype == np.float32:
        turns = np.unique(np.geomspace(1, 2**40, 4000).astype(np.int64))
    else:
        turns = np.unique(np.geomspace(1, 2**62, 20000).astype(np.int64))
    centre = (turns.astype(np.longdouble) * (np.longdouble(np.pi) / 2 + 6.123233995736766e-17)).astype(dtype)
    values = [centre, np.nextafter(centre, dtype(np.inf)), np.nextafter(centre, dtype(0))]
    if dtype == np.float64:
        values.append(np.array([6381956970095103 * 2.0**797, 5.319372648326541e255, 1e300, 1e22]))
    return np.concatenate(values)
