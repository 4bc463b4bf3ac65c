#!/usr/bin/env python3
"""Measures the errors of the functions of complex arrays.

    python3 -m venv VENV && VENV/bin/pip install numpy gmpy2
    cargo build --release -p darray-programs --example complex_functions
    VENV/bin/python tests/ulp/complex.py

Prints, for every function and type of the parts, the worst distances of the real and of the imaginary part
from those of the true value (MPC, 240 bits) in units of the last place, the arguments where they are, and
which results for zeros, infinities and NaN are not NumPy's. Exits with 1 where a limit is passed or one of those is not.

    --points N          arguments per function and type (100000)
    --only NAME,NAME    these functions
    --evaluate PATH     the program that evaluates functions
    --write PATH        writes the table as a document (docs/accuracy-complex.md)
    --references PATH   writes arguments and true values for the tests that run without Python
"""

import argparse
import os
import subprocess
import sys

import gmpy2
import numpy as np

FLOATS = {"f32": np.float32, "f64": np.float64}
PRECISION = 240

HEAD = """# Accuracy of complex functions

Distances of the parts of results from those of the true values (MPC), in units of the last place of the true part: the
worst over the number of points given, which are of all magnitudes, near the unit circle, the branch points
and cuts, and on the axes. Results do not depend on the executor. The promise is 4 ulp of each part, 6 for the inverse functions and 8
for `tan` and `tanh`. Special values are zeros with both signs, 1, 2.5, infinities and NaN, as either part.

The command prints the table and writes this page, after

```text
python3 -m venv VENV && VENV/bin/pip install numpy gmpy2
cargo build --release -p darray-programs --example complex_functions
```

command: `VENV/bin/python tests/ulp/complex.py --write docs/accuracy-complex.md`

| function | type of parts | real part, ulp | at | imaginary part, ulp | at | points | special values |
|---|---|---|---|---|---|---|---|
"""

# What the documentation promises, in ulps of each part.
LIMITS = {
    "exp": 4, "log": 4, "log10": 4, "log2": 4, "sqrt": 4,
    "sin": 4, "cos": 4, "tan": 8, "sinh": 4, "cosh": 4, "tanh": 8,
    "arcsin": 6, "arccos": 6, "arctan": 6, "arcsinh": 6, "arccosh": 6, "arctanh": 6,
}
TRUE = {
    "exp": gmpy2.exp, "log": gmpy2.log, "sqrt": gmpy2.sqrt,
    "log10": lambda z: gmpy2.log(z) / gmpy2.log(gmpy2.mpfr(10)),
    "log2": lambda z: gmpy2.log(z) / gmpy2.log(gmpy2.mpfr(2)),
    "sin": gmpy2.sin, "cos": gmpy2.cos, "tan": gmpy2.tan,
    "sinh": gmpy2.sinh, "cosh": gmpy2.cosh, "tanh": gmpy2.tanh,
    "arcsin": gmpy2.asin, "arccos": gmpy2.acos, "arctan": gmpy2.atan,
    "arcsinh": gmpy2.asinh, "arccosh": gmpy2.acosh, "arctanh": gmpy2.atanh,
}
# Lines of the references per function and type.
REFERENCES = 40


def main():
    options = parse()
    failed, references, rows = False, [], []
    names = subprocess.run([options.evaluate, "list"], check=True, capture_output=True, text=True)
    for name in names.stdout.split():
        if options.only and name not in options.only:
            continue
        for dtype in FLOATS:
            failed |= measure(name, dtype, options, references, rows)
    if options.write:
        with open(options.write, "w") as file:
            file.write(HEAD + "".join(rows))
    if options.references:
        with open(options.references, "w") as file:
            file.write("\n".join(references) + "\n")
    sys.exit(1 if failed else 0)


def parse():
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--evaluate", default=f"{target}/release/examples/complex_functions")
    parser.add_argument("--write")
    parser.add_argument("--references")
    return parser.parse_args()


def measure(name, dtype, options, references, rows):
    z = arguments(FLOATS[dtype], options.points)
    got = evaluate(options.evaluate, name, dtype, z)
    high, low = true_values(TRUE[name], z)
    errors = ulps(got, high, low)
    worst = np.argmax(errors, axis=0)
    special = special_values(FLOATS[dtype])
    special_got = evaluate(options.evaluate, name, dtype, special)
    others = unlike_numpy(name, special, special_got)
    limit = LIMITS[name]
    print(f"{name:8} {dtype}", end="")
    for part, text in enumerate(["real", "imaginary"]):
        x, y = z[worst[part]]
        print(f"  {text} {errors[worst[part], part]:.3f} at {x!s} {y!s}", end="")
    print(f"  {len(z)} points, {len(others)} of {len(special)} special ones are not NumPy's")
    parts = [(errors[at, part], complex(*z[at])) for part, at in enumerate(worst)]
    text = " | ".join(f"{error:.3f} | {z}" for error, z in parts)
    special_text = f"{len(special)} as NumPy's" if not len(others) else f"{len(others)} of {len(special)} are not NumPy's"
    rows.append(f"| {name} | {dtype} | {text} | {len(z)} | {special_text} |\n")
    for at in others:
        print("    ", special[at], "gives", special_got[at])
    references += lines(name, dtype, z, high, errors)
    return bool(np.any(errors > limit)) or len(others) > 0


def arguments(dtype, count):
    """Numbers of all magnitudes, of like magnitudes, near the unit circle, near branch points and cuts, on the
    axes."""
    stream = np.random.default_rng(1)
    limits = np.finfo(dtype)
    share = count // 10

    def wide(n):
        exponent = stream.uniform(limits.minexp - limits.nmant, limits.maxexp, n)
        return stream.choice([-1, 1], n) * 2.0 ** exponent.clip(None, limits.maxexp - 0.01)

    def near(n, centre=0.0, least=-60):
        return centre + stream.choice([-1, 1], n) * 2.0 ** stream.uniform(least, 1, n)

    def tiny(n):
        return stream.choice([-1, 1], n) * 2.0 ** stream.uniform(limits.minexp - limits.nmant, limits.minexp / 2, n)

    def plain(n, size):
        return stream.uniform(-size, size, n)

    angle = stream.uniform(-np.pi, np.pi, share)
    radius = near(share, 1.0, 1 - limits.nmant)
    large = np.log(float(limits.max))
    a = wide(share)
    sets = [
        (wide(share), wide(share)),
        (a, a * stream.uniform(0.01, 1, share)),
        (plain(share, 4), plain(share, 4)),
        (plain(share, 1.2 * large), plain(share, 30)),
        (plain(share, 30), plain(share, 1.2 * large)),
        (radius * np.cos(angle), radius * np.sin(angle)),
        (near(share, 1.0), near(share)),
        (near(share), near(share, 1.0)),
        (plain(share // 4, 2.2 * large), tiny(share // 4)),
        (tiny(share // 4), plain(share // 4, 2.2 * large)),
        (near(share, -1.0), wide(share)),
        (wide(share), near(share, 1.0)),
    ]
    axis = np.concatenate([plain(share // 10, 4), wide(share // 10)])
    zeros = np.array([0.0, -0.0, 1.0, -1.0])
    sets += [tuple(grid.ravel() for grid in np.meshgrid(axis, zeros)),
             tuple(grid.ravel() for grid in np.meshgrid(zeros, axis))]
    with np.errstate(all="ignore"):
        parts = [np.stack([x.astype(dtype), y.astype(dtype)], axis=1) for x, y in sets]
    parts = np.concatenate(parts)
    return parts[np.isfinite(parts).all(axis=1)]


def special_values(dtype):
    numbers = np.array([0.0, 1.0, 2.5, np.inf], dtype)
    numbers = np.concatenate([numbers, -numbers, np.array([np.nan], dtype)])
    return np.stack([grid.ravel() for grid in np.meshgrid(numbers, numbers)], axis=1)


def evaluate(program, name, dtype, z):
    output = subprocess.run([program, name, dtype], input=z.tobytes(), check=True, capture_output=True)
    return np.frombuffer(output.stdout, z.dtype).reshape(-1, 2)


def true_values(function, z):
    """The parts of the true values as sums of two doubles."""
    results = []
    with gmpy2.context(gmpy2.get_context(), precision=PRECISION):
        for x, y in z.astype(np.float64).tolist():
            w = function(gmpy2.mpc(x, y))
            results.append([(float(p), float(p - gmpy2.mpfr(float(p)))) for p in (w.real, w.imag)])
    results = np.array(results)
    low = np.where(np.isfinite(results[..., 0]), results[..., 1], 0)
    return results[..., 0], low


def ulps(got, high, low):
    limits = np.finfo(got.dtype)
    top = np.ldexp(np.longdouble(1), limits.maxexp)
    exponent = np.clip(np.frexp(high)[1] - 1, limits.minexp, limits.maxexp - 1)
    # Of 0 the exponent would be that of 1/2.
    exponent = np.where(high == 0, limits.minexp, exponent) - limits.nmant
    wrong = np.isnan(got) != np.isnan(high)
    # What overflows in this type is an infinity or the largest number.
    with np.errstate(invalid="ignore"):
        beyond = np.abs(high) > top
        wrong |= beyond & ((np.abs(got) < limits.max) | (np.signbit(got) != np.signbit(high)))
    got = np.clip(got.astype(np.longdouble), -top, top)
    with np.errstate(all="ignore"):
        distance = np.abs((got - np.clip(high, -top, top)) - low) / np.ldexp(np.longdouble(1), exponent)
    distance[beyond | np.isnan(high)] = 0
    return np.where(wrong, np.inf, distance).astype(np.float64)


def numpys(name, z):
    complex_type = np.complex64 if z.dtype == np.float32 else np.complex128
    with np.errstate(all="ignore"):
        want = getattr(np, name)(np.ascontiguousarray(z).view(complex_type).ravel())
    return want.view(z.dtype).reshape(-1, 2)


def unlike_numpy(name, z, got):
    want = numpys(name, z)
    with np.errstate(all="ignore"):
        close = np.isfinite(want) & (np.abs(got - want) <= 8 * np.finfo(z.dtype).eps * np.abs(want))
    zero = (got == 0) & (want == 0) & (np.signbit(got) == np.signbit(want))
    ordinary = close & (want != 0)
    good = (got == want) & (want != 0) | zero | ordinary | (np.isnan(got) & np.isnan(want))
    return np.flatnonzero(~good.all(axis=1))


def lines(name, dtype, z, high, errors):
    """The worst points of either part and some others, and NumPy's results of special ones: arguments and
    nearest results, as bits."""
    every = np.linspace(0, len(z) - 1, REFERENCES - 10).astype(int)
    chosen = np.concatenate([np.argsort(errors[:, part])[-5:] for part in (0, 1)] + [every])
    bits = np.uint32 if dtype == "f32" else np.uint64
    with np.errstate(over="ignore"):
        rounded = high.astype(FLOATS[dtype])
    pairs = [(z[at], rounded[at]) for at in chosen]
    special = special_values(FLOATS[dtype])
    pairs += [(x, y) for x, y in zip(special, numpys(name, special)) if not np.any(np.abs(x) == 2.5)]
    for pair in pairs:
        numbers = np.concatenate(pair).astype(FLOATS[dtype])
        numbers[np.isnan(numbers)] = np.nan
        yield f"{name} {dtype} " + " ".join(f"{n:x}" for n in numbers.view(bits))


if __name__ == "__main__":
    main()
