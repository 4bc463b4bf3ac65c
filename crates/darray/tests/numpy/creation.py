"""Writes creation.txt: what NumPy 2 makes of the creation functions and of masks.

python creation.py   (in this folder)

A line is `name | arguments | shape | elements`; elements are given by `repr`. Where NumPy raises, the
shape is `error`.
"""

import itertools
import numpy as np


def line(out, name, arguments, function):
    try:
        result = np.asarray(function(*arguments))
    except Exception:
        out.write(f"{name} | {' '.join(map(repr, arguments))} | error |\n")
        return
    shape = ",".join(map(str, result.shape)) or "-"
    elements = " ".join(repr(v.item()) for v in result.ravel())
    out.write(f"{name} | {' '.join(map(repr, arguments))} | {shape} | {elements}".rstrip() + "\n")


def main():
    with open("creation.txt", "w") as out, np.errstate(all="ignore"):
        for rows, columns, k in itertools.product((0, 1, 3), (0, 2, 4), (-5, -1, 0, 1, 2, 7)):
            line(out, "eye", [rows, columns, k], np.eye)
            line(out, "tri", [rows, columns, k], np.tri)
            matrix = np.arange(1.0, 1 + rows * columns).reshape(rows, columns)
            line(out, "tril", [rows, columns, k], lambda *_: np.tril(matrix, k))
            line(out, "triu", [rows, columns, k], lambda *_: np.triu(matrix, k))
            line(out, "diag2", [rows, columns, k], lambda *_: np.diag(matrix, k))
        for count, k in itertools.product((0, 1, 3), (-2, 0, 1)):
            line(out, "diag1", [count, k], lambda n, k: np.diag(np.arange(1.0, n + 1), k))
            line(out, "tril1", [count, k], lambda n, k: np.tril(np.arange(1.0, n + 1), k))
        stack = np.arange(24.0).reshape(2, 3, 4)
        line(out, "tril3", [0], lambda k: np.tril(stack, k))
        line(out, "triu3", [1], lambda k: np.triu(stack, k))
        ends = [(0.0, 1.0), (-1.5, 2.0), (3.0, 3.0), (5.0, -5.0), (0.0, 1e-323), (1e300, -1e300), (0.1, 0.7)]
        for (a, b), n in itertools.product(ends, (0, 1, 2, 5, 8)):
            line(out, "linspace", [a, b, n], np.linspace)
            line(out, "linspace_open", [a, b, n], lambda a, b, n: np.linspace(a, b, n, endpoint=False))
            line(out, "linspace32", [a, b, n], lambda a, b, n: np.linspace(a, b, n, dtype=np.float32))
        for (a, b), n, base in itertools.product(((0.0, 3.0), (-2.0, 2.5), (1.0, 1.0)), (0, 1, 2, 7), (10.0, 2.0)):
            line(out, "logspace", [a, b, n, base], lambda a, b, n, base: np.logspace(a, b, n, base=base))
        for a, b, s in ((0.0, 1.0, 0.3), (1.0, 0.0, -0.25), (0.0, 5.0, 9.0), (2.0, 1.0, 1.0), (0.1, 1.0, 0.1)):
            line(out, "arange", [a, b, s], np.arange)
        special = np.array([-np.inf, -2.5, -0.0, 0.0, 1.0, np.inf, np.nan])
        for low, high in itertools.product((None, -1.0, np.nan, np.inf), (None, 0.5, -3.0)):
            line(out, "clip", [low, high], lambda a, b: np.clip(special, a, b))
        for nan, high, low in ((0.0, None, None), (7.0, 1.0, None), (np.nan, None, -3.0), (np.inf, 2.0, 2.0)):
            line(out, "nan_to_num", [nan, high, low], lambda a, b, c: np.nan_to_num(special, nan=a, posinf=b, neginf=c))


if __name__ == "__main__":
    main()
