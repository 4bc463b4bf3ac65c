"""What every operator of the table should give: the true value by MPFR, and NumPy's function."""

import gmpy2
import numpy as np

# Operators whose rows promise some ulps: the true value, NumPy's function, and where arguments are
# taken densely (beside all magnitudes and denormals).
AROUND_ONE = [(-1, 1), (0.5, 2), (0.999, 1.001)]
ELEMENTARY = {
    "cbrt": (gmpy2.cbrt, np.cbrt, [(-8, 8)]),
    "exp": (gmpy2.exp, np.exp, AROUND_ONE + [(-746, 710), (-104, 89), (-1e-3, 1e-3)]),
    "exp2": (gmpy2.exp2, np.exp2, AROUND_ONE + [(-1075, 1024), (-150, 128), (-1e-3, 1e-3)]),
    "expm1": (gmpy2.expm1, np.expm1, AROUND_ONE + [(-40, 710), (-20, 89), (-1e-3, 1e-3)]),
    "ln": (gmpy2.log, np.log, AROUND_ONE + [(0, 1000)]),
    "log2": (gmpy2.log2, np.log2, AROUND_ONE + [(0, 1000)]),
    "log10": (gmpy2.log10, np.log10, AROUND_ONE + [(0, 1000)]),
    "log1p": (gmpy2.log1p, np.log1p, AROUND_ONE + [(-1, -0.9), (-1e-3, 1e-3), (0, 1000)]),
    "sin": (gmpy2.sin, np.sin, [(-4, 4), (-100, 100), (-1e6, 1e6), (-1e12, 1e12)]),
    "cos": (gmpy2.cos, np.cos, [(-4, 4), (-100, 100), (-1e6, 1e6), (-1e12, 1e12)]),
    "tan": (gmpy2.tan, np.tan, [(-4, 4), (-100, 100), (-1e6, 1e6), (-1e12, 1e12)]),
    "asin": (gmpy2.asin, np.arcsin, AROUND_ONE + [(0.4, 0.6), (0.999999, 1)]),
    "acos": (gmpy2.acos, np.arccos, AROUND_ONE + [(0.4, 0.6), (-0.6, -0.4), (0.999999, 1)]),
    "atan": (gmpy2.atan, np.arctan, AROUND_ONE + [(-10, 10), (0.4, 0.43), (2.3, 2.5)]),
    "atan2": (gmpy2.atan2, np.arctan2, [(-1, 1), (-10, 10), (0.9, 1.1)]),
    "hypot": (gmpy2.hypot, np.hypot, [(-1, 1), (-10, 10), (0.9, 1.1)]),
    "sinh": (gmpy2.sinh, np.sinh, AROUND_ONE + [(-711, 711), (-90, 90)]),
    "cosh": (gmpy2.cosh, np.cosh, AROUND_ONE + [(-711, 711), (-90, 90)]),
    "tanh": (gmpy2.tanh, np.tanh, AROUND_ONE + [(-22, 22), (-10, 10)]),
    "asinh": (gmpy2.asinh, np.arcsinh, AROUND_ONE + [(-100, 100)]),
    "acosh": (gmpy2.acosh, np.arccosh, [(1, 2), (1, 1.001), (1, 100)]),
    "atanh": (gmpy2.atanh, np.arctanh, AROUND_ONE + [(0.999999, 1), (-0.6, 0.6)]),
    "erf": (gmpy2.erf, None, AROUND_ONE + [(-6, 6), (-4, 4)]),
    "pow": (lambda x, y: x**y, np.power, [(0, 10), (-20, 20), (0.9, 1.1), (-300, 300)]),
    "deg2rad": (lambda x: x * (gmpy2.const_pi() / 180), np.deg2rad, [(-720, 720)]),
    "rad2deg": (lambda x: x * (180 / gmpy2.const_pi()), np.rad2deg, [(-10, 10)]),
}



def minimum(a, b):
    """NumPy's, but of zeros the negative one, where NumPy's depends on the order of operands."""
    negative = np.signbit(a) | np.signbit(b)
    return np.where((a == 0) & (b == 0), np.where(negative, -0.0, 0.0), np.minimum(a, b)).astype(a.dtype)


def maximum(a, b):
    """NumPy's, but of zeros the positive one, where NumPy's depends on the order of operands."""
    negative = np.signbit(a) & np.signbit(b)
    return np.where((a == 0) & (b == 0), np.where(negative, -0.0, 0.0), np.maximum(a, b)).astype(a.dtype)


# Operators whose results NumPy has to the bit (all NaNs count as equal).
EXACT = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "rem": np.remainder,
    "fmod": np.fmod,
    "floor_divide": np.floor_divide,
    "sqrt": np.sqrt,
    "square": np.square,
    "reciprocal": np.reciprocal,
    "neg": np.negative,
    "abs": np.absolute,
    "sign": np.sign,
    "minimum": minimum,
    "maximum": maximum,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "copysign": np.copysign,
    "nextafter": np.nextafter,
}

# Operators with float results that are no functions of a real number alone, and the quantile, which a test
# in function/normal.rs measures.
# Of f16, and compared with their bits by tests: next_half.
OTHER = {"next_half", "fma", "select", "to_f32", "to_f64", "normal_quantile"}
