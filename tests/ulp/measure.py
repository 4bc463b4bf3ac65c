#!/usr/bin/env python3
"""Measures the error of every function of the operator table.

    python3 -m venv VENV && VENV/bin/pip install numpy gmpy2
    cargo build --release -p darray-kernel --example evaluate
    VENV/bin/python tests/ulp/measure.py

Prints, for every elementary function and float type, the worst distance from the true value (MPFR, 106
bits) in units of the last place, the arguments where it is, and whether the special values are
NumPy's; operators that round once or not at all are compared with NumPy to the bit. Exits with 1 where
a limit is passed or references.py does not know a function of the table that promises some ulps.

    --points N          arguments per function and type (1000000)
    --only NAME,NAME    these operators
    --evaluate PATH     the program that evaluates operators
    --write PATH        writes the table as a document (docs/accuracy.md)
    --references PATH   writes arguments and true values for the tests that run without Python
"""

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass

import gmpy2
import numpy as np

import points
from document import write_document
from references import ELEMENTARY, EXACT, OTHER

FLOATS = {"f32": np.float32, "f64": np.float64}
# Bits of true values, by whether the type has 64.
PRECISION = {False: 72, True: 106}


@dataclass
class Row:
    """What was measured of a function and type."""

    name: str
    dtype: str
    count: int
    worst: float
    where: tuple
    limit: float
    special: int
    wrong: list

    def passes(self):
        return self.worst <= self.limit and not self.wrong


def main():
    options = parse()
    rows, exact, unknown, references = [], [], [], []
    start = time.time()
    for name, limit, inputs in signatures(options.evaluate):
        if options.only and name not in options.only:
            continue
        if limit > 0 and name in ELEMENTARY:
            row, lines = measure(name, inputs, limit, options)
            rows.append(row)
            references += lines
            print_row(row)
        elif limit == 0 and name in EXACT:
            exact.append(compare(name, inputs, options))
        elif limit > 0 and name not in OTHER:
            unknown.append(name)
        elif name not in OTHER:
            print(f"{name} {inputs[0]}: not compared, references.py has no function of NumPy's for it")
    for name, dtype, count, wrong in exact:
        print(f"{name} {dtype}: {count} results " + ("as NumPy's" if not wrong else f"WRONG: {wrong}"))
    print(f"{time.time() - start:.0f} s")
    if options.write:
        write_document(options.write, rows, exact)
    if options.references:
        with open(options.references, "w") as file:
            file.write("\n".join(references) + "\n")
    for name in sorted(set(unknown)):
        print(f"no reference for the operator {name}: add it to tests/ulp/references.py")
    failed = [r for r in rows if not r.passes()] + [e for e in exact if e[3]] + unknown
    sys.exit(1 if failed else 0)


def parse():
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--evaluate", default=f"{target}/release/examples/evaluate")
    parser.add_argument("--write")
    parser.add_argument("--references")
    return parser.parse_args()


def signatures(program):
    """Operators with operands of one float type and a result of the same, and the ulps that their rows
    promise."""
    lines = subprocess.run([program, "list"], check=True, capture_output=True, text=True).stdout
    for line in lines.splitlines():
        name, ulp, output, *inputs = line.split()
        if output in FLOATS and all(i == output for i in inputs):
            yield name, int(ulp), inputs


def evaluate(program, name, inputs, operands):
    dtype = operands[0].dtype
    data = np.stack(operands, axis=1).tobytes()
    command = [program, name, *inputs]
    return np.frombuffer(subprocess.run(command, input=data, check=True, capture_output=True).stdout, dtype)


def arguments(name, inputs, options):
    dtype, stream = FLOATS[inputs[0]], np.random.default_rng(1)
    ranges = ELEMENTARY[name][2] if name in ELEMENTARY else [(-10, 10), (-1e6, 1e6)]
    if len(inputs) == 1:
        return [points.unary(dtype, options.points, ranges, stream)]
    return list(points.binary(dtype, options.points, ranges, stream))


def special_arguments(inputs):
    values = points.special_values(FLOATS[inputs[0]])
    return [grid.ravel() for grid in np.meshgrid(*[values] * len(inputs), indexing="ij")]


def measure(name, inputs, limit, options):
    """The row of an elementary function, and its lines for the tests without Python."""
    true_value, numpy_function, _ = ELEMENTARY[name]
    operands = arguments(name, inputs, options)
    got = evaluate(options.evaluate, name, inputs, operands)
    high, low = true_values(true_value, operands)
    errors = ulps(got, high, low)
    at = int(np.argmax(errors))
    special = special_arguments(inputs)
    special_got = evaluate(options.evaluate, name, inputs, special)
    special_true = true_values(true_value, special)
    wrong = differences(special, special_got, numpy_function, special_true, limit)
    row = Row(name, inputs[0], len(got), float(errors[at]), tuple(o[at] for o in operands), limit,
              len(special_got), wrong)
    return row, reference_lines(row, operands, high, low, errors, special, special_true)


def true_values(function, operands):
    """The true values as sums of two doubles, of which the second is left out for 32 bits."""
    double = operands[0].dtype == np.float64
    with gmpy2.context(gmpy2.get_context(), precision=PRECISION[double]):
        numbers = [map(gmpy2.mpfr, o.astype(np.float64).tolist()) for o in operands]
        results = list(map(function, *numbers))
        high = np.array(list(map(float, results)))
        if not double:
            return high, np.zeros_like(high)
        low = np.array([float(r - h) for r, h in zip(results, high.tolist())])
    return high, np.where(np.isfinite(high), low, 0)


def ulps(got, high, low):
    """Distances of results from true values; infinite where only one of them is NaN, where the sign of
    a zero is wrong, and where an overflow is missed."""
    limits = np.finfo(got.dtype)
    top = np.ldexp(np.longdouble(1), limits.maxexp)
    exponent = np.clip(np.frexp(high)[1] - 1, limits.minexp, limits.maxexp - 1) - limits.nmant
    nan, sign = np.isnan(got), np.signbit(got) != np.signbit(high)
    got = np.clip(got.astype(np.longdouble), -top, top)
    with np.errstate(all="ignore"):
        distance = np.abs((got - high) - low) / np.ldexp(np.longdouble(1), exponent)
    distance[np.abs(high) > top] = 0
    wrong = (nan != np.isnan(high)) | (sign & ((got == 0) | (np.abs(high) > top)))
    wrong |= (np.abs(high) > top) & (np.abs(got) != top)
    return np.where(wrong, np.inf, np.where(np.isnan(high), 0, distance)).astype(np.float64)


def differences(operands, got, numpy_function, true, limit):
    """Special arguments whose results are neither NumPy's nor within the limit of the true value."""
    good = ulps(got, *true) <= limit
    if numpy_function is not None:
        with np.errstate(all="ignore"):
            want = numpy_function(*operands)
        high = want.astype(np.float64)
        ordinary = np.isfinite(want) & (want != 0)
        # Where NumPy gives a number it need not be the nearest one.
        good = np.where(ordinary, good, same(got, want))
        good |= ulps(got, high, np.zeros_like(high)) == 0
    return [tuple(o[k] for o in operands) for k in np.flatnonzero(~good)]


def same(a, b):
    """Whether numbers have the same bits; all NaNs count as equal."""
    equal = (a == b) & (np.signbit(a) == np.signbit(b))
    return equal | (np.isnan(a) & np.isnan(b))


def compare(name, inputs, options):
    """Compares an operator that rounds once or not at all with NumPy."""
    wrong, count = [], 0
    for operands in (arguments(name, inputs, options), special_arguments(inputs)):
        got = evaluate(options.evaluate, name, inputs, operands)
        with np.errstate(all="ignore"):
            equal = same(got, EXACT[name](*operands))
        count += len(got)
        wrong += [tuple(o[k] for o in operands) for k in np.flatnonzero(~equal)[:3]]
    return name, inputs[0], count, wrong


def reference_lines(row, operands, high, low, errors, special, special_true):
    """A line with the worst error, then one per argument: those with the largest errors, a few of all
    others, and special values. Numbers are bits in hexadecimal; behind them stands what rounding took
    from the true value, in units of the last place."""
    dtype = operands[0].dtype
    worst = np.argsort(-errors)[:16]
    spread = np.linspace(0, len(high) - 1, 32).astype(int)
    edges = np.linspace(0, len(special[0]) - 1, 40).astype(int)
    lines = [f"{row.name} {row.dtype} {row.worst:.3f}"]
    for chosen, numbers, true in ((np.concatenate([worst, spread]), operands, (high, low)),
                                  (np.unique(edges), special, special_true)):
        for k in chosen:
            with np.errstate(all="ignore"):
                want = true[0][k : k + 1].astype(dtype)
            with np.errstate(all="ignore"):
                exponent = max(np.frexp(float(abs(want[0])))[1] - 1, np.finfo(dtype).minexp)
                rest = np.longdouble(true[0][k]) - np.longdouble(want[0]) + true[1][k]
                fraction = float(rest / np.ldexp(np.longdouble(1), exponent - np.finfo(dtype).nmant))
            fraction = fraction if np.isfinite(want[0]) else 0.0
            bits = " ".join(number_bits(o[k : k + 1]) for o in numbers)
            lines.append(f"{bits} {number_bits(want)} {fraction:.3f}")
    return lines


def number_bits(number):
    width = number.dtype.itemsize
    return f"{number.view(np.uint64 if width == 8 else np.uint32)[0]:0{2 * width}x}"


def print_row(row):
    where = ", ".join(repr(float(v)) for v in row.where)
    special = "as NumPy's" if not row.wrong else f"WRONG at {row.wrong[:4]}"
    verdict = "" if row.worst <= row.limit else f" ABOVE {row.limit}"
    print(f"{row.name:10} {row.dtype} {row.count:8} points {row.worst:8.3f} ulp{verdict} at {where}; "
          f"{row.special} special values {special}", flush=True)


if __name__ == "__main__":
    main()
