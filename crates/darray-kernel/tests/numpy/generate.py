"""Writes functions.txt: NumPy's results at special values and at the edges of domains and ranges.

python generate.py   (in this folder; NumPy 2, SciPy for erf)

A line is the operator, the type and the bits of operands and result.
"""

import numpy as np
import scipy.special

UNARY = {
    "sqrt": np.sqrt, "exp": np.exp, "ln": np.log, "square": np.square, "reciprocal": np.reciprocal,
    "sign": np.sign, "exp2": np.exp2, "expm1": np.expm1, "log1p": np.log1p, "log2": np.log2,
    "log10": np.log10, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "cbrt": np.cbrt, "erf": scipy.special.erf,
}
BINARY = {"pow": np.power}
TYPES = {"f32": (np.float32, np.uint32), "f64": (np.float64, np.uint64)}


def values(dtype):
    limits = np.finfo(dtype)
    one = dtype(1)
    plain = [0, 1, 0.5, 2, 3, 10, 1000, 1e-3, 1e10, 1e30, np.inf]
    edges = {
        np.float64: [709.7, 709.9, 710.4, 710.6, 745, 746, 37, 40, 1023.5, 1024, 1074, 1076, 19, 23, 6.1],
        np.float32: [88.7, 88.8, 89.4, 89.6, 103, 105, 17, 20, 127.5, 128, 149, 151, 9, 12, 4.1],
    }[dtype]
    small = [limits.tiny, limits.smallest_subnormal, limits.tiny / dtype(3), limits.max]
    near = [np.nextafter(one, dtype(2)), np.nextafter(one, dtype(0))]
    size = np.array(plain + edges + small + near, dtype=dtype)
    return np.concatenate([size, -size, [dtype(np.nan)]])


def pairs(dtype):
    limits = np.finfo(dtype)
    x = [0, 1, 0.5, 2, 3, 1e30, np.inf, limits.smallest_subnormal]
    y = [0, 1, 2, 3, 0.5, 1.5, 1e30, np.inf, -1, 2**24 + 1]
    x, y = (np.array(v + [-w for w in v] + [np.nan], dtype=dtype) for v in (x, y))
    return [m.ravel() for m in np.meshgrid(x, y)]


def main():
    with open("functions.txt", "w") as out, np.errstate(all="ignore"):
        for name, (dtype, bits) in TYPES.items():
            def write(operator, *columns):
                for row in zip(*(np.asarray(c, dtype=dtype).view(bits) for c in columns)):
                    out.write(" ".join([operator, name] + [f"{int(v):x}" for v in row]) + "\n")

            for operator, function in UNARY.items():
                x = values(dtype)
                write(operator, x, function(x))
            for operator, function in BINARY.items():
                x, y = pairs(dtype)
                write(operator, x, y, function(x, y))


main()
