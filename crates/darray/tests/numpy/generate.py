"""Writes what the tests compare with, using NumPy 2.

python generate.py   (in this folder)
"""

import numpy as np


def case(out, a, source=None):
    """`dtype shape source`, the text that NumPy prints, and a line of dashes."""
    names = {"bool": "bool", "int64": "i64", "float32": "f32", "float64": "f64"}
    a = np.asarray(a)
    if source is None:
        source = " ".join(repr(v.item()).lower() for v in a.ravel())
    shape = ",".join(map(str, a.shape)) or "()"
    out.write(f"{names[str(a.dtype)]} {shape} {source}\n{a!s}\n----\n")


def display(out):
    f, g = np.float64, np.float32
    rng = np.random.default_rng(3)
    for v in (0.0, -0.0, 1.5, 0.1 + 0.2, 1e16, 1e15, 1e-4, 1e-5, -1e300, 123456789.125, np.nan, np.inf, -np.inf):
        case(out, f(v))
    for v in (0.1, 16777216.0, 1e-5, 3.4e38, 1.5):
        case(out, g(v))
    case(out, np.int64(-7))
    case(out, np.bool_(True))
    case(out, np.array([], f))
    case(out, np.zeros((0, 3)))
    case(out, [True, False])
    case(out, [[True], [True]])
    case(out, [1, -20, 300])
    case(out, [-(2**63), 2**63 - 1])
    for values in ([1, 2.5, -3], [1e-5, 1], [1e8, 1], [1e7, 1], [1000.5, 1], [1001.5, 1], [0, 0],
                   [1 / 3, 2 / 3], [1e-10, 1e10], [np.nan, 1], [np.inf, -np.inf], [np.nan, -np.inf, 100.25],
                   [1e100, 1e-100, np.nan], [0.1, 0.123456789], [5e-324, 1.0], [123456.789, 0.5],
                   [1e-4, 0.05], [99999999.0, 5e7], [0.00012345678912345, 0.1]):
        case(out, np.array(values, f))
        with np.errstate(all="ignore"):
            case(out, np.array(values, f).astype(g))
    case(out, rng.random((3, 4)))
    case(out, rng.random((2, 2, 3)).astype(g))
    case(out, (rng.random((3, 3)) - 0.5) * 10.0 ** rng.integers(-6, 9, (3, 3)))
    case(out, rng.integers(-1000, 1000, (2, 3, 2)))
    case(out, rng.random(40))
    case(out, rng.random((2, 30)))
    case(out, np.arange(100), "arange")
    case(out, np.arange(999.0), "arange")
    case(out, np.arange(1001.0), "arange")
    case(out, np.arange(2000), "arange")
    case(out, np.arange(3000.0).reshape(30, 100), "arange")
    case(out, np.arange(2000).reshape(4, 500), "arange")
    case(out, np.arange(2000).reshape(500, 4), "arange")
    case(out, np.arange(4000).reshape(10, 2, 200), "arange")
    case(out, np.arange(1536.0).reshape(8, 4, 8, 6), "arange")
    case(out, np.arange(1000000, dtype=g).reshape(1000, 1000), "arange")


def random(out):
    """`generator seed n`, then draw n as i64, f64 and f32."""
    for name, generator in (("pcg64", np.random.PCG64), ("philox", np.random.Philox)):
        for seed in (0, 1, 42, 2**32 - 1, 2**32, 2**63 + 12345):
            bits = generator(seed).random_raw(100_001).astype(np.int64)
            doubles = np.random.Generator(generator(seed)).random(100_001)
            singles = np.random.Generator(generator(seed)).random(100_001, dtype=np.float32)
            for n in (0, 1, 2, 7, 63, 1024, 99_999, 100_000):
                out.write(f"{name} {seed} {n} {bits[n]} {doubles[n].item()!r} {singles[n]!s}\n")


if __name__ == "__main__":
    with open("display.txt", "w") as f:
        display(f)
    with open("random.txt", "w") as f:
        random(f)
