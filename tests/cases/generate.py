"""Writes the cases that every mode and number of devices has to agree with, using NumPy 2.

    pip install numpy mpmath ml_dtypes
    python generate.py            (in this folder; writes inputs.toml and one file per group)

A case is a function, its operands by name, its options and NumPy's result. `ulp` is how far an
element may be from it, in units of the last place; without it, bits are equal (NaNs are one value).

Where darray's documented rules differ from NumPy's, the operands are converted first, and the
result at the end:
- functions that are not exact are computed in a longer type and rounded once, so are reductions, scans and
  products of f16 and bf16 (NumPy rounds some of their steps);
- of two zeros the negative one is the smaller in minimum, maximum and clip (NumPy takes either);
- bf16, which NumPy does not have, computes in f32, and results are rounded (f64 to bf16 once, by `ml_dtypes` by way of f32);
- of truth values `round` and `conjugate` give truth values (NumPy has float16 and int8);
- a sum of negative zeros is a negative zero, and tensordot over no axis is a product of elements, which
  keeps the sign of zero (NumPy adds both to zero).
"""

import itertools
import math
import warnings

import ml_dtypes
import mpmath
import numpy as np

warnings.filterwarnings("ignore")
np.seterr(all="ignore")

DTYPES = {"bool": np.bool_, "u8": np.uint8, "i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64,
          "f16": np.float16, "i8": np.int8, "i16": np.int16, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64}
NAMES = {np.dtype(t): n for n, t in DTYPES.items()}
# Here it is f32 with numbers that bf16 has; inputs and results are told by names.
BF16 = ml_dtypes.bfloat16
DTYPES["bf16"] = np.float32
# Of these a group of their own has cases of all functions: parts are compared as elements.
COMPLEX = {"complex64": np.complex64, "complex128": np.complex128}
NAMES |= {np.dtype(t): n for n, t in COMPLEX.items()}
FLOATS = ("f32", "f64", "f16", "bf16")
# Computed with in f32.
NARROW = ("f16", "bf16")
INTEGERS = ("u8", "i32", "i64", "i8", "i16", "u16", "u32", "u64")
# Types that differ from others in how elements lie in memory, or in their operators alone: of these a part of all forms.
SMALL = ("i8", "i16", "u16", "u32", "u64", "bf16")


TURN, TURN_OF_BF16 = itertools.count(), itertools.count()


def each(dtypes, forms):
    """All pairs; of small types those of the first form, of special values, and of every fifth other one, in turns."""
    for dtype in dtypes:
        turn = next(TURN_OF_BF16 if dtype == "bf16" else TURN)
        for k, form in enumerate(forms):
            if dtype not in SMALL or k == 0 or form == "special" or (k + turn) % 5 == 0:
                yield dtype, form


def name_of(a, operands=()):
    """The type of an input of this name, or of a result of these inputs: f32 stands for bf16 where it is made of that."""
    name, types = NAMES[np.asarray(a).dtype], [operand.split(" ")[0] for operand in operands]
    is_brain = name == "f32" and "bf16" in types and not {"f16", "f32", "i16", "u16"} & set(types)
    return "bf16" if is_brain else name


def brain(a):
    """The nearest numbers that bf16 has, as f32."""
    a = np.asarray(a)
    if a.dtype == np.float64:
        # Rounded to odd first, so that only one rounding shows.
        with np.errstate(all="ignore"):
            nearest = a.astype(np.float32)
        beyond = np.abs(nearest.astype(np.float64)) > np.abs(a)
        toward = np.where(beyond, np.nextafter(nearest, np.float32(0)), nearest)
        odd = (toward.view(np.uint32) | 1).view(np.float32)
        a = np.where((nearest == a) | np.isnan(a), nearest, odd)
    return a.astype(np.float32).astype(BF16).astype(np.float32)


# ---------------------------------------------------------------- inputs

ORDINARY = [1.5, -0.25, 3.0, 0.5, -2.0, 0.0, 7.25, 1.0, -1.0, 0.125, 4.0, -6.5, 2.0, 0.75, -0.5, 9.0, -3.75]


def specials(dtype):
    if dtype in COMPLEX:
        parts = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan]
        return [complex(re, im) for re in parts for im in parts]
    if dtype == "bool":
        return [True, False]
    if dtype in INTEGERS:
        info = np.iinfo(DTYPES[dtype])
        return [v for v in (0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 100, 255, -1, -2, -7, -8, -100, info.max, info.max - 1,
                            info.min, info.min + 1) if info.min <= v <= info.max]
    info = ml_dtypes.finfo(BF16) if dtype == "bf16" else np.finfo(DTYPES[dtype])
    info = {n: float(getattr(info, n)) for n in ("tiny", "smallest_subnormal", "max", "eps")}
    plain = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.0, 10.0, -10.0, 0.1, -0.9, 100.25, 1e-5, 1e5]
    large = [1e15, -1e22, 1e-30, -1e-30, 1e30]
    least = info["smallest_subnormal"]
    return plain + large + [np.inf, -np.inf, np.nan, info["tiny"], -info["tiny"], least, -least, info["max"], -info["max"],
                            info["eps"], np.pi, -np.e]


def fill(dtype, shape, values=None):
    """An array of ordinary values, another start for each element type. Many complex ones have equal real parts."""
    n = math.prod(shape)
    if dtype in COMPLEX:
        re, im = np.trunc(fill("f64", shape) / 3), np.roll(fill("f64", shape), 2)
        return (re + 1j * im).astype(COMPLEX[dtype])
    if values is None:
        start = list(DTYPES).index(dtype)
        values = [ORDINARY[(start + 5 * k) % len(ORDINARY)] + (k // len(ORDINARY)) * 0.5 for k in range(n)]
    a = np.resize(np.array(values), n) if n else np.zeros(0)
    if dtype == "bool":
        a = a != 0 if a.dtype != bool else a
        a = np.array([bool(v) ^ (k % 3 == 0) for k, v in enumerate(a)]) if n else a
    elif dtype in INTEGERS and a.dtype.kind == "f":
        a = np.trunc(a * 2)
        a = np.abs(a) if dtype[0] == "u" else a
    return (brain(a) if dtype == "bf16" else a.astype(DTYPES[dtype])).reshape(shape)


# Name, shape of the base, and what is seen of it: the steps that the tests repeat.
CLASSES = {
    "scalar": ((), []),
    "empty": ((0,), []),
    "hollow": ((2, 0, 3), []),
    "one": ((1,), []),
    "odd": ((7,), []),
    "long": ((67,), []),
    "matrix": ((3, 5), []),
    "square": ((4, 4), []),
    "tiles": ((9, 11), []),
    "cube": ((2, 3, 4), []),
    "row": ((1, 5), []),
    "column": ((3, 1), []),
    "strided": ((14,), [["slice", [[1, None, 2]]]]),
    "reversed": ((7,), [["slice", [[None, None, -1]]]]),
    "inner": ((5, 9), [["slice", [[1, 4, 1], [2, 7, 1]]]]),
    "transposed": ((5, 3), [["permute", [1, 0]]]),
    "permuted": ((4, 2, 3), [["permute", [1, 2, 0]]]),
    "broadcast": ((1, 5), [["broadcast", [3, 5]]]),
}

INPUTS = {}


def see(a, steps):
    for kind, what in steps:
        if kind == "slice":
            a = a[tuple(slice(*item) for item in what)]
        elif kind == "permute":
            a = a.transpose(what)
        else:
            a = np.broadcast_to(a, what)
    return a


def operand(dtype, form):
    """The name of an input, made when it is first asked for; and its value."""
    name = f"{dtype} {form}"
    if name not in INPUTS:
        if form in ("special", "special column"):
            base, steps = np.array(specials(dtype), (DTYPES | COMPLEX)[dtype]), []
            base = brain(base) if dtype == "bf16" else base
            base = base.reshape(-1, 1) if form == "special column" else base
        else:
            shape, steps = CLASSES[form]
            base = fill(dtype, shape)
        INPUTS[name] = (base, steps, see(base, steps))
    return name, INPUTS[name][2]


def given(name, array):
    """An input of its own."""
    array = np.asarray(array)
    array = brain(array) if name_of(array, [name]) == "bf16" else array
    INPUTS[name] = (array, [], array)
    return name, array


def apart(name, array):
    """An input whose elements stand apart in memory, as every other one of a longer last axis."""
    array = np.asarray(array)
    array = brain(array) if name_of(array, [name]) == "bf16" else array
    steps = [["slice", [[None, None, 1]] * (array.ndim - 1) + [[None, None, 2]]]]
    base = np.repeat(array, 2, axis=-1)
    base[..., 1::2] = 1
    INPUTS[name] = (base, steps, array)
    return name, array


# ---------------------------------------------------------------- writing

def literal(v):
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, (int, np.integer)):
        # TOML has no integers beyond those of i64.
        return str(int(v)) if int(v) < 2**63 else f'"{int(v)}"'
    if isinstance(v, str):
        return f'"{v}"'
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(literal(x) for x in v) + "]"
    if v is None:
        return '""'
    v = np.asarray(v)
    if np.isnan(v):
        return "nan"
    if np.isinf(v):
        return "inf" if v > 0 else "-inf"
    text = np.format_float_scientific(v, trim="0") if v.dtype == np.float32 else repr(float(v))
    return text if any(c in text for c in ".e") else text + ".0"


def values(a):
    a = np.asarray(a)
    if a.dtype.kind == "c":
        a = np.ascontiguousarray(a).ravel().view(a.real.dtype)
    return "[" + ", ".join(literal(v) for v in np.asarray(a).ravel()) + "]"


# Functions with the element types of which there are cases, functions with cases of views, inputs that a case has.
TYPED, VIEWED, USED = set(), set(), set()
# Operands that are no data stand first.
DATA = {"where": 1, "choose": 1, "select": 2}


def kind_of(function, operands, result, options):
    """A function and the element type of what it is called with, or of what it makes."""
    name = operands[DATA.get(function, 0)] if operands else ""
    return function, name_of(INPUTS[name][0], [name]) if operands else options.get("to") or name_of(result)


# These change a copy, which is the transpose of one where the option `turned` says so.
WRITING = ("put", "put_along_axis", "copyto", "fill", "fill_diagonal", "slice_assign", "shuffle")


def is_viewed(function, operands, options):
    if function in WRITING:
        return options.get("turned") == 1
    return any(name in INPUTS and INPUTS[name][1] for name in operands)


class Group:
    def __init__(self, name):
        self.name, self.cases = name, []

    def add(self, function, operands, result, ulp=0, **options):
        result = np.asarray(result)
        TYPED.add(kind_of(function, operands, result, options))
        USED.update(operands)
        if is_viewed(function, operands, options):
            VIEWED.add(function)
        # Indices do not take part in the type of what they choose.
        typed = operands[:1] if function.startswith("slice") else operands
        dtype = options.get("to") or name_of(result, typed)
        result = brain(result) if dtype == "bf16" else result
        lines = ["[[case]]", f'function = "{function}"', f"operands = {literal([o for o in operands])}"]
        if options:
            inner = ", ".join(f"{k} = {literal(v)}" for k, v in options.items())
            lines.append(f"options = {{ {inner} }}")
        lines.append(f'dtype = "{dtype}"')
        lines.append(f"shape = {list(result.shape)}")
        lines.append(f"values = {values(result)}")
        if ulp:
            lines.append(f"ulp = {ulp}")
        self.cases.append("\n".join(lines))

    def write(self):
        with open(f"{self.name}.toml", "w") as out:
            out.write(f"# Written by generate.py with NumPy {np.__version__}.\n\n")
            out.write("\n\n".join(self.cases) + "\n")
        print(f"{self.name}: {len(self.cases)} cases")
        return len(self.cases)


class Missing(Group):
    """Keeps cases of functions and element types that have none in the groups before, and of functions that have none of views."""

    MOST = 3

    def __init__(self, name):
        super().__init__(name)
        self.typed, self.viewed, self.counts = set(TYPED), set(VIEWED), {}

    def add(self, function, operands, result, ulp=0, **options):
        kind = kind_of(function, operands, np.asarray(result), options)
        is_new = kind not in self.typed or is_viewed(function, operands, options) and function not in self.viewed
        if is_new and self.counts.setdefault(kind, 0) < self.MOST:
            self.counts[kind] += 1
            super().add(function, operands, result, ulp, **options)


def write_inputs():
    with open("inputs.toml", "w") as out:
        out.write(f"# Written by generate.py with NumPy {np.__version__}.\n")
        for name, (base, steps, _) in INPUTS.items():
            if name not in USED:
                continue
            out.write(f'\n["{name}"]\ndtype = "{name_of(base, [name])}"\nshape = {list(base.shape)}\n')
            out.write(f"values = {values(base)}\n")
            if steps:
                out.write(f"view = {literal(steps)}\n")


# ---------------------------------------------------------------- element-wise functions

def real(a):
    """Operands of what computes in f64 for integers."""
    a = np.asarray(a)
    return a if a.dtype.kind == "f" else a.astype(np.float64)


def small(a):
    """Operands of functions, which compute in small floats for small integers."""
    a = np.asarray(a)
    return a if a.dtype.kind == "f" else a.astype({1: np.float16, 2: np.float32}.get(a.dtype.itemsize, np.float64))


def once(function, *args):
    """The function in a longer type, rounded once to the type of its (real) operands."""
    dtype = np.result_type(*args)
    if dtype in (np.float16, np.float32):
        return function(*[a.astype(np.float64) for a in args]).astype(dtype)
    return function(*[a.astype(np.longdouble) for a in args]).astype(np.float64)


def erf(a):
    mpmath.mp.prec = 120

    def one(v):
        v = float(v)
        return v if math.isnan(v) or v == 0 else math.copysign(1.0, v) if math.isinf(v) else float(mpmath.erf(v))

    return np.array([one(v) for v in np.asarray(a).ravel()], np.float64).reshape(np.shape(a)).astype(np.asarray(a).dtype)


# Computed in floats, within 2 ulp.
REAL = {
    "exp": np.exp, "log": np.log, "expm1": np.expm1, "log1p": np.log1p, "log2": np.log2, "log10": np.log10,
    "exp2": np.exp2, "sin": np.sin, "cos": np.cos, "tan": np.tan, "arcsin": np.arcsin, "arccos": np.arccos,
    "arctan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "arcsinh": np.arcsinh,
    "arccosh": np.arccosh, "arctanh": np.arctanh, "cbrt": np.cbrt, "deg2rad": np.deg2rad, "rad2deg": np.rad2deg,
}
# Computed in floats, exact.
REAL_EXACT = {"sqrt": np.sqrt, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit}
# In the operand's own type.
SAME = {"absolute": np.absolute, "square": np.square, "reciprocal": np.reciprocal, "floor": np.floor,
        "ceil": np.ceil, "rint": np.rint, "trunc": np.trunc, "invert": np.invert, "logical_not": np.logical_not}
# The same, but not of bool.
NUMBERS = {
    "negative": np.negative,
    "sign": np.sign,
}

SEEN = list(CLASSES) + ["special"]


def unary(group):
    for name, function in REAL.items():
        for dtype, form in each(DTYPES, SEEN):
            key, a = operand(dtype, form)
            group.add(name, [key], once(function, small(a)), ulp=2)
    for dtype, form in each(DTYPES, SEEN):
        key, a = operand(dtype, form)
        result = small(a)
        group.add("erf", [key], erf(result), ulp=3)
    for name, function in REAL_EXACT.items():
        for dtype, form in each(DTYPES, SEEN):
            key, a = operand(dtype, form)
            group.add(name, [key], function(small(a)))
    for name, function in (SAME | NUMBERS).items():
        for dtype, form in each(DTYPES, SEEN):
            key, a = operand(dtype, form)
            if name == "invert" and dtype in FLOATS:
                continue
            if dtype == "bool" and name in ("square", "reciprocal"):
                a = a.astype(np.int64)  # NumPy has i8.
            elif dtype == "bool" and name in NUMBERS:
                continue
            # Since NumPy 2.1 integers stay integers; rint always gives floats.
            if name == "rint":
                a = small(a)
            if name == "reciprocal" and dtype == "bool":
                key, a = given(f"bool {form} of ones", np.ones(a.shape, bool))
                a = a.astype(np.int64)
            if name == "reciprocal" and dtype in INTEGERS:
                a = np.where(a == 0, DTYPES[dtype](1), a)
                key, a = given(f"{dtype} {form} without zeros", np.array(a))
            group.add(name, [key], function(a))


# Pairs of forms of one element type.
PAIRS = [("odd", "odd"), ("odd", "reversed"), ("strided", "odd"), ("matrix", "row"), ("column", "row"),
         ("matrix", "transposed"), ("inner", "broadcast"), ("scalar", "cube"), ("permuted", "cube"), ("empty", "one"),
         ("hollow", "hollow"), ("tiles", "tiles"), ("long", "long"), ("special column", "special")]

def minimum(a, b):
    kind = np.result_type(a, b)
    if kind.kind != "f":
        return np.minimum(a, b)
    zeros = (a == 0) & (b == 0) & (np.signbit(a) | np.signbit(b))
    return np.where(zeros, -np.zeros((), kind), np.minimum(a, b)).astype(kind)


def maximum(a, b):
    kind = np.result_type(a, b)
    if kind.kind != "f":
        return np.maximum(a, b)
    zeros = (a == 0) & (b == 0) & ~(np.signbit(a) & np.signbit(b))
    return np.where(zeros, np.zeros((), kind), np.maximum(a, b)).astype(kind)


ARITHMETIC = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "minimum": minimum,
              "maximum": maximum}
DIVISIONS = {"remainder": np.remainder, "floor_divide": np.floor_divide, "fmod": np.fmod}
COMPARISONS = {"less": np.less, "less_equal": np.less_equal, "greater": np.greater,
               "greater_equal": np.greater_equal, "equal": np.equal, "not_equal": np.not_equal}
LOGICAL = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
BITWISE = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
SHIFTS = {"left_shift": np.left_shift, "right_shift": np.right_shift}
REAL_PAIRS = {"arctan2": (np.arctan2, 2), "hypot": (np.hypot, 2), "copysign": (np.copysign, 0),
              "nextafter": (np.nextafter, 0)}


def defined(name, promoted):
    if promoted == "bool":
        return name not in ("subtract", "remainder", "floor_divide", "fmod", "power", "left_shift", "right_shift")
    if promoted in FLOATS:
        return name not in BITWISE and name not in SHIFTS
    return True


def apply_binary(name, a, b):
    """NumPy's result and the ulp that are allowed."""
    promoted = np.promote_types(a.dtype, b.dtype)
    if name == "divide":
        kind = promoted if promoted.kind == "f" else np.float64
        return np.divide(a.astype(kind), b.astype(kind)), 0
    if name in REAL_PAIRS:
        function, ulp = REAL_PAIRS[name]
        kind = promoted if promoted.kind == "f" else np.promote_types(small(a).dtype, small(b).dtype)
        a, b = a.astype(kind), b.astype(kind)
        return (function(a, b), 0) if ulp == 0 else (once(function, a, b), ulp)
    if name == "power":
        if promoted.kind == "f":
            return once(np.power, a.astype(promoted), b.astype(promoted)), 3
        return np.power(a, b), 0
    table = ARITHMETIC | DIVISIONS | COMPARISONS | LOGICAL | BITWISE | SHIFTS
    return table[name](a, b), 0


BINARY = [*ARITHMETIC, "divide", *DIVISIONS, *COMPARISONS, *LOGICAL, *BITWISE, *SHIFTS, *REAL_PAIRS, "power"]


def add_binary(group, name, left, right):
    (left, a), (right, b) = left, right
    promoted = NAMES[np.promote_types(a.dtype, b.dtype)]
    if not defined(name, promoted):
        return
    if name == "power" and promoted in INTEGERS and (np.asarray(b) < 0).any():
        right, b = given(f"{right} absolute", np.abs(np.array(b)) % 9)
    if name == "floor_divide" and promoted in FLOATS:
        # The quotient's floor where NumPy's own rounding of it is not in question.
        keep = np.isfinite(a) & (np.abs(a) < 1e6) & (np.abs(a) > 1e-4) if "special" in left else np.ones(a.shape, bool)
        if not keep.all():
            return
    result, ulp = apply_binary(name, a, b)
    if name == "nextafter" and name_of(result, [left, right]) == "bf16":
        result = np.nextafter(a.astype(BF16), b.astype(BF16)).astype(np.float32)
    group.add(name, [left, right], result, ulp=ulp)


def binary(group):
    for name in BINARY:
        for dtype, (left, right) in each(DTYPES, PAIRS):
            add_binary(group, name, operand(dtype, left), operand(dtype, right))
        for k, (left, right) in enumerate(sorted(itertools.permutations(DTYPES, 2), key=lambda pair: "bf16" in pair)):
            # Of small types every seventh function, in turns.
            if (left in SMALL or right in SMALL) and name not in ("add", "less", "power") and (k + BINARY.index(name)) % 7:
                continue
            add_binary(group, name, operand(left, "matrix"), operand(right, "row"))
    # Weak scalars.
    scalars = [2, 3.5]
    for name in ("add", "subtract", "multiply", "divide", "minimum", "less", "equal", "power"):
        for dtype, scalar in itertools.product(DTYPES, scalars):
            key, a = operand(dtype, "odd")
            kind = np.result_type(a.dtype, scalar)
            if name == "power" and (dtype == "bool" or isinstance(scalar, float)):
                continue
            if not defined(name, NAMES[kind]):
                continue
            b = np.asarray(scalar, kind)
            result, ulp = apply_binary(name, a.astype(kind), b)
            group.add(name, [key, f"scalar {scalar}"], result, ulp=ulp)


# ---------------------------------------------------------------- casts, choices

def choices(group):
    for source, target in itertools.product(DTYPES, DTYPES):
        for form in ("scalar", "empty", "odd", "special", "transposed", "broadcast", "tiles"):
            if (source in SMALL or target in SMALL) and form not in ("odd", "special", "tiles"):
                continue
            key, a = operand(source, form)
            if source in FLOATS and target in INTEGERS:
                info = np.iinfo(DTYPES[target])
                # What does not fit is not defined in NumPy.
                a = np.where(np.isfinite(a) & (a > info.min) & (a < float(info.max)), a, 0).astype(a.dtype)
                key, a = given(f"{key} for {target}", np.array(a))
            group.add("astype", [key], a if target == "bf16" else a.astype(DTYPES[target]), to=target)
    for dtype in DTYPES:
        for mask, left, right in [("odd", "odd", "reversed"), ("matrix", "row", "transposed"), ("column", "row", "scalar"),
                                  ("empty", "empty", "one"), ("tiles", "tiles", "tiles"), ("cube", "permuted", "cube")]:
            (m, where), (x, a), (y, b) = operand("bool", mask), operand(dtype, left), operand(dtype, right)
            group.add("where", [m, x, y], np.where(where, a, b))
        other = "f32" if dtype != "f32" else "i64"
        (m, where), (x, a), (y, b) = operand("bool", "matrix"), operand(dtype, "matrix"), operand(other, "row")
        group.add("where", [m, x, y], np.where(where, a, b))
        if dtype == "bool":
            continue
        for form in ("odd", "special", "transposed", "tiles", "empty"):
            key, a = operand(dtype, form)
            low, high = operand(dtype, "one"), given(f"{dtype} ceiling", np.asarray([5], DTYPES[dtype]))
            group.add("clip", [key, low[0], high[0]], minimum(maximum(a, low[1]), high[1]))
            if np.issubdtype(a.dtype, np.integer):
                # Bounds beyond the type bound nothing.
                for low, high in [(-5, 2**62), (3, 2**62), (-(2**62), 3)]:
                    group.add("clip", [key, f"scalar {low}", f"scalar {high}"], np.clip(a, low, high))
            if dtype in FLOATS:
                most = float(ml_dtypes.finfo(BF16).max) if dtype == "bf16" else None
                group.add("nan_to_num", [key], np.nan_to_num(a, posinf=most, neginf=most and -most))


# ---------------------------------------------------------------- reductions and scans

AXES = {1: [None, [0], [-1]], 2: [None, [0], [1], [0, 1]], 3: [None, [0], [1], [-1], [0, 2], [2, 1]], 0: [None]}
REDUCED = ["scalar", "one", "long", "matrix", "tiles", "cube", "reversed", "transposed", "broadcast", "special"]


def widened(a):
    """In a type that makes rounding of results the only one that shows."""
    return a.astype(np.float64 if a.dtype in (np.float16, np.float32) else np.longdouble)


def reduce(name, a, axis, keepdims):
    """NumPy's result and the ulp that are allowed; None where NumPy raises."""
    axis = None if axis is None else tuple(axis)
    dtype = name_of(a)
    floats = dtype in FLOATS
    try:
        if name in ("sum", "prod"):
            kind = np.float32 if dtype == "f16" else None
            result = np.asarray(getattr(np, name)(a, axis=axis, keepdims=keepdims, dtype=kind))
            return result.astype(a.dtype) if floats else result, 64 if name == "prod" else 0
        if name in ("mean", "var", "std"):
            result = getattr(np, name)(widened(a), axis=axis, keepdims=keepdims)
            return np.asarray(result).astype(real(a).dtype), 16
        if name in ("argmin", "argmax"):
            if axis is not None and len(axis) > 1:
                return None, 0
            return getattr(np, name)(a, axis=None if axis is None else axis[0], keepdims=keepdims), 0
        if name == "median":
            return np.asarray(np.median(widened(a), axis=axis, keepdims=keepdims)).astype(real(a).dtype), 16
        if name == "count_nonzero":
            return np.count_nonzero(a, axis=axis, keepdims=keepdims), 0
        return getattr(np, name)(a, axis=axis, keepdims=keepdims), 0
    except (ValueError, TypeError):
        return None, 0


def reductions(group):
    names = ["sum", "prod", "min", "max", "mean", "var", "std", "all", "any", "argmin", "argmax", "count_nonzero", "ptp", "median"]
    for name, (dtype, form) in ((name, pair) for name in names for pair in each(DTYPES, REDUCED + ["empty", "hollow"])):
        key, a = operand(dtype, form)
        # The order of rounding would show.
        if form == "special" and (name in ("var", "std", "mean", "median") or name in ("prod", "sum") and dtype in FLOATS):
            continue
        for axis, keepdims in itertools.product(AXES[a.ndim], (False, True)):
            if keepdims and form not in ("matrix", "cube", "scalar"):
                continue
            result, ulp = reduce(name, a, axis, keepdims)
            if result is None:
                continue
            options = {"keepdims": keepdims} | ({} if axis is None else {"axis": axis})
            group.add(name, [key], result, ulp=ulp if dtype in FLOATS or name in ("mean", "var", "std", "median") else 0, **options)
    # NaN and infinities.
    for values_ in ([1.0, np.nan, 3.0], [np.inf, 1.0, -np.inf], [np.inf, 1.0, 2.0], [0.0, -0.0, 0.0]):
        for dtype in FLOATS:
            key, a = given(f"{dtype} {values_}".replace("np.", ""), np.array(values_, DTYPES[dtype]))
            for name in ("sum", "prod", "min", "max", "mean", "argmin", "argmax", "all", "any"):
                if name == "min" and values_[0] == 0:
                    continue  # Of zeros the negative one.
                result, ulp = reduce(name, a, None, False)
                group.add(name, [key], result, ulp=ulp, keepdims=False)
    for dtype in FLOATS:
        key, a = given(f"{dtype} with NaN", np.where(fill("bool", (3, 5)), fill(dtype, (3, 5)), DTYPES[dtype](np.nan)))
        for name in ("nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"):
            for axis in (None, 0, 1):
                result = np.asarray(getattr(np, name)(widened(a), axis=axis)).astype(a.dtype)
                ulp = 0 if name in ("nansum", "nanmin", "nanmax") else 16
                group.add(name, [key], result, ulp=ulp, **({} if axis is None else {"axis": axis}))
    seen = ("one", "matrix", "cube", "reversed", "transposed")
    for q, (dtype, form) in ((q, pair) for q in (0.0, 0.375, 0.5, 0.8125, 1.0) for pair in each(DTYPES, seen)):
        key, a = operand(dtype, form)
        for axis in (None, 0, -1):
            result = np.quantile(widened(real(a)), q, axis=axis)
            options = {"q": q} | ({} if axis is None else {"axis": axis})
            group.add("quantile", [key], np.asarray(result).astype(real(a).dtype), ulp=16, **options)
    forms = REDUCED + ["empty", "hollow"]
    for name, (dtype, form) in ((name, pair) for name in ("cumsum", "cumprod") for pair in each(DTYPES, forms)):
        key, a = operand(dtype, form)
        if form == "special" and dtype in FLOATS:
            continue
        for axis in [None] + list(range(-1, a.ndim)):
            if axis is not None and a.ndim == 0:
                continue
            kind = np.float32 if dtype == "f16" else None
            if name == "cumprod" and dtype in FLOATS and a.size > 30:
                continue
            result = getattr(np, name)(a, axis=axis, dtype=kind)
            result = result.astype(a.dtype) if dtype in FLOATS else result
            ulp = 64 if dtype in FLOATS and name == "cumprod" else 0
            group.add(name, [key], result, ulp=ulp, **({} if axis is None else {"axis": axis}))


def held(group):
    """Reductions of the elements where a mask holds, from a start, in another type."""
    forms = ("one", "long", "matrix", "cube", "reversed", "transposed", "broadcast", "empty", "hollow")
    kinds = list(DTYPES) + list(COMPLEX)

    def mask_of(a, turn):
        shape = a.shape if turn % 3 else a.shape[1:]
        kept = np.array([(k * 7 + turn) % 5 > 1 for k in range(math.prod(shape))], bool).reshape(shape)
        return given(f"mask {turn % 3} {list(shape)} {turn % 5}", kept)

    def add(name, key, a, axis, ulp=0, mask=None, **options):
        operands = [key] if mask is None else [key, mask[0]]
        where = {} if mask is None else {"where": mask[1]}
        ddof = {"ddof": options["ddof"]} if "ddof" in options else {}
        initial = {} if "initial" not in options else {"initial": options["initial"]}
        dtype, wanted = {}, None
        if "to" in options:
            dtype = {"dtype": (DTYPES | COMPLEX)[options["to"]]}
        inexact = name in ("mean", "var", "std")
        wide = a
        if inexact and not dtype:
            wanted = (a if a.dtype.kind in "fc" else a.astype(np.float64)).dtype
            wanted = wanted.type(0).real.dtype if name != "mean" else wanted
            wide = a.astype(np.complex128) if a.dtype.kind == "c" else widened(a)
        elif a.dtype == np.float16 and name in ("sum", "prod") and not dtype:
            dtype, wanted = {"dtype": np.float32}, a.dtype
        try:
            result = np.asarray(getattr(np, name)(wide, axis=axis, **where, **initial, **ddof, **dtype))
        except (ValueError, TypeError):
            return
        if wanted is not None:
            result = result.astype(wanted)
        options = options | ({} if axis is None else {"axis": axis})
        group.add(name, operands, result, ulp=ulp, **options)

    for turn, (dtype, form) in enumerate(itertools.product(kinds, forms)):
        key, a = operand(dtype, form)
        mask, axis = mask_of(a, turn), (None, 0, -1)[turn % 3]
        inexact = 16 if dtype in FLOATS or dtype in COMPLEX else 0
        for name in ("sum", "prod", "all", "any", "mean", "var", "std"):
            ulp = max(inexact, 64 if name == "prod" and inexact else 16 if name in ("mean", "var", "std") else 0)
            if dtype in COMPLEX and name == "prod" and a.size > 20:
                continue
            add(name, key, a, axis, ulp=ulp, mask=mask)
        add("var", key, a, axis, ulp=64, mask=mask, ddof=1)
        for name in ("sum", "prod") if dtype != "bool" else ():
            if not (dtype in COMPLEX and name == "prod"):
                add(name, key, a, axis, ulp=64 if inexact else 0, mask=mask, initial=3)
                add(name, key, a, axis, ulp=64 if inexact else 0, initial=2)
        for name in ("min", "max") if dtype != "bool" else ():
            add(name, key, a, axis, initial=1, mask=mask)
            add(name, key, a, axis, initial=2)
        for to in ("f32", "f64", "i64") if dtype not in COMPLEX else ("complex64",):
            if to != "i64" or dtype not in FLOATS:
                add("sum", key, a, axis, ulp=16, to=to)
        if dtype not in COMPLEX:
            add("mean", key, a, axis, ulp=64, to="f32", mask=mask)
    for dtype in FLOATS + tuple(COMPLEX):
        holes = np.where(fill("bool", (3, 5)), fill(dtype, (3, 5)), (DTYPES | COMPLEX)[dtype](np.nan))
        key, a = given(f"{dtype} holes", holes)
        for name, axis in itertools.product(("nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"), (None, 0, 1)):
            if dtype in COMPLEX and name == "nanprod":
                continue
            mask = given("mask of holes", np.arange(15).reshape(3, 5) % 4 != 1)
            initial = {"initial": 1} if name in ("nanmin", "nanmax") else {}
            wide = a.astype(np.complex128) if dtype in COMPLEX else widened(a)
            result = np.asarray(getattr(np, name)(wide, axis=axis, where=mask[1], **initial))
            result = result.astype(a.real.dtype if name in ("nanvar", "nanstd") else a.dtype)
            group.add(name, [key, mask[0]], result, ulp=64, **initial, **({} if axis is None else {"axis": axis}))


# ---------------------------------------------------------------- shapes

def shapes(group):
    for dtype in ("f64", "i32", "bool", "u8", *NARROW):
        for form in CLASSES:
            shapes_of(group, *operand(dtype, form))


def shapes_of(group, key, a):
    group.add("ravel", [key], a.ravel())
    group.add("expand_dims", [key], np.expand_dims(a, 0), axis=0)
    group.add("expand_dims", [key], np.expand_dims(a, -1), axis=-1)
    group.add("squeeze", [key], np.squeeze(a))
    group.add("repeat", [key], np.repeat(a, 2), count=2)
    group.add("tile", [key], np.tile(a, (2, 3)), reps=[2, 3])
    group.add("roll", [key], np.roll(a, 2), shift=2)
    group.add("flip", [key], np.flip(a))
    group.add("stack", [key, key], np.stack([a, a]), axis=0)
    if a.ndim == 0:
        return
    group.add("concatenate", [key, key], np.concatenate([a, a], axis=-1), axis=-1)
    group.add("concatenate", [key, key, key], np.concatenate([a, a, a], axis=0), axis=0)
    group.add("stack", [key, key], np.stack([a, a], axis=-1), axis=-1)
    group.add("repeat", [key], np.repeat(a, 3, axis=0), count=3, axis=0)
    group.add("roll", [key], np.roll(a, -1, axis=0), shift=-1, axis=0)
    group.add("flip", [key], np.flip(a, axis=-1), axis=-1)
    width = [[1, 2]] * a.ndim
    group.add("pad", [key], np.pad(a, width), width=width, mode="constant")
    if a.size:
        group.add("pad", [key], np.pad(a, width, mode="edge"), width=width, mode="edge")
    if min(a.shape) > 2:
        group.add("pad", [key], np.pad(a, width, mode="reflect"), width=width, mode="reflect")
        group.add("pad", [key], np.pad(a, width, mode="wrap"), width=width, mode="wrap")
    if a.ndim == 1:
        group.add("diag", [key], np.diag(a), k=0)
        group.add("diag", [key], np.diag(a, 1), k=1)
    if a.ndim >= 2:
        group.add("swapaxes", [key], np.swapaxes(a, 0, -1), a=0, b=-1)
        group.add("moveaxis", [key], np.moveaxis(a, 0, -1), source=0, destination=-1)
        group.add("transpose", [key], np.transpose(a))
    if a.ndim == 2:
        for k in (-1, 0, 1):
            group.add("tril", [key], np.tril(a, k), k=k)
            group.add("triu", [key], np.triu(a, k), k=k)
            group.add("diagonal", [key], np.diagonal(a, k), k=k)


# ---------------------------------------------------------------- linear algebra

def linear_algebra(group):
    def pair(shape_a, shape_b, dtype, tag):
        a = fill(dtype, shape_a)
        b = np.flip(fill(dtype, shape_b))
        left = given(f"{dtype} {list(shape_a)} {tag} left", a)
        right = given(f"{dtype} {list(shape_b)} {tag} right", np.array(b))
        return left, right

    for dtype in ("f64", "f32", "i64", "i32", "u8", "f16", *SMALL):
        for shape_a, shape_b in [((3, 4), (4, 5)), ((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)), ((2, 3, 4), (4, 5)),
                                 ((2, 3, 4), (2, 4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((1, 1), (1, 1)), ((0, 4), (4, 3)),
                                 ((3, 0), (0, 2)), ((17, 9), (9, 19))]:
            (l, a), (r, b) = pair(shape_a, shape_b, dtype, "matmul")
            group.add("matmul", [l, r], np.matmul(a, b))
        for shape_a, shape_b in [((4,), (4,)), ((3, 4), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (5, 4, 2)), ((), (3,)), ((2,), ())]:
            (l, a), (r, b) = pair(shape_a, shape_b, dtype, "dot")
            group.add("dot", [l, r], np.dot(a, b))
        for shape_a, shape_b in [((3,), (4,)), ((2, 2), (3,))]:
            (l, a), (r, b) = pair(shape_a, shape_b, dtype, "outer")
            group.add("outer", [l, r], np.outer(a, b))
        for shape_a, shape_b in [((3,), (3,)), ((2, 3), (4, 3)), ((2, 3, 4), (4,))]:
            (l, a), (r, b) = pair(shape_a, shape_b, dtype, "inner")
            group.add("inner", [l, r], np.inner(a, b))
        for shape_a, shape_b, axes in [((3, 4), (4, 5), 1), ((2, 3, 4), (3, 4, 5), 2), ((2, 3), (4, 5), 0)]:
            (l, a), (r, b) = pair(shape_a, shape_b, dtype, "tensordot")
            product = np.tensordot(a, b, axes) if axes else np.multiply.outer(a, b)
            group.add("tensordot", [l, r], product, axes=axes)
        for form in ("square", "matrix", "transposed"):
            key, a = operand(dtype, form)
            group.add("trace", [key], np.trace(a), k=0)
            group.add("trace", [key], np.trace(a, 1), k=1)


def creation(group):
    for count in (0, 1, 2, 7, 50):
        group.add("linspace", [], np.linspace(-1.5, 2.0, count), ulp=1, start=-1.5, stop=2.0, count=count)
    for dtype in ("f64", "f32", "i64", "i32", *NARROW):
        kind = DTYPES[dtype]
        group.add("arange", [], np.arange(0, 10, 1, dtype=kind), start=0.0, stop=10.0, step=1.0, to=dtype)
        group.add("arange", [], np.arange(5, -4, -2, dtype=kind), start=5.0, stop=-4.0, step=-2.0, to=dtype)
        for n, m, k in [(3, 3, 0), (2, 5, 1), (5, 2, -2), (0, 3, 0), (4, 4, 7)]:
            group.add("eye", [], np.eye(n, m, k, dtype=kind), n=n, m=m, k=k, to=dtype)
            group.add("tri", [], np.tri(n, m, k, dtype=kind), n=n, m=m, k=k, to=dtype)


# ---------------------------------------------------------------- rounding, norms

def round_to(dtype, a, decimals):
    """Of bf16 every step is rounded."""
    if dtype != "bf16":
        return np.round(a, decimals)
    scale = np.float32(brain(10.0 ** abs(min(max(decimals, -300), 300))))
    if decimals == 0:
        return np.rint(a)
    first, then = (np.multiply, np.divide) if decimals > 0 else (np.divide, np.multiply)
    return then(np.rint(brain(first(a, scale))), scale)


def rounding(group):
    ties = [0.125, 0.375, 2.675, 1.005, 0.285, -1.115, 0.5, -2.5, 1.5, 15.0, 25.0, -35.0, 149.99999, 1e16, 123456.789]
    for dtype in FLOATS:
        key, a = given(f"{dtype} near ties", np.array(ties, DTYPES[dtype]))
        for decimals in (-30, -3, -1, 0, 1, 2, 3, 7, 15, 23, 30, 40, 330, -330):
            group.add("round", [key], round_to(dtype, a, decimals), decimals=decimals)
    for (dtype, form), decimals in itertools.product(each((*INTEGERS, *FLOATS), SEEN), (-2, -1, 0, 1, 2, 5)):
        key, a = operand(dtype, form)
        if dtype in INTEGERS and form == "special":
            # What does not fit is not defined in NumPy.
            info, rounded = np.iinfo(DTYPES[dtype]), np.round(a.astype(np.float64), decimals)
            fits = (rounded >= info.min) & (rounded < float(info.max))
            key, a = given(f"{key} for {decimals} decimals", np.where(fits, a, 0).astype(a.dtype))
        group.add("round", [key], round_to(dtype, a, decimals), decimals=decimals)


def norms(group):
    ords = (0, 1, 2, 3, 0.5, 2.5, -1, -2, -1.5, np.inf, -np.inf, "fro")
    forms = [form for form in REDUCED if form != "special"] + ["empty", "hollow"]
    for ord, (dtype, form) in ((ord, pair) for ord in ords for pair in each(DTYPES, forms)):
        if dtype not in FLOATS and ord in (0.5, 2.5, -2, -1.5):
            continue  # Integers compute in f64.
        key, a = operand(dtype, form)
        wide = widened(a)
        for axis, keepdims in itertools.product(AXES[a.ndim], (False, True)):
            if keepdims and form not in ("matrix", "cube", "scalar"):
                continue
            if ord == "fro" and len(range(a.ndim) if axis is None else axis) != 2:
                continue
            norm = np.linalg.norm if ord == "fro" else np.linalg.vector_norm
            try:
                result = norm(wide, ord=ord, axis=axis if axis is None else tuple(axis), keepdims=keepdims)
            except ValueError:
                continue  # The smallest of nothing.
            result = np.asarray(result).astype(real(a).dtype)
            options = {"ord": ord if ord == "fro" else float(ord), "keepdims": keepdims}
            ulp = 0 if ord in (0, np.inf, -np.inf) else 16
            group.add("norm", [key], result, ulp=ulp, **options, **({} if axis is None else {"axis": axis}))


# ---------------------------------------------------------------- sorting, indices

def axes_of(a):
    return [None] + list(range(-1, a.ndim) if a.ndim else [])


def sorting(group):
    for name, (dtype, form) in ((name, pair) for name in ("sort", "argsort") for pair in each(DTYPES, SEEN)):
        key, a = operand(dtype, form)
        if form == "special":
            # Equal ones among them, of both signs of zero.
            key, a = given(f"{dtype} special twice", np.concatenate([a[::-1], a, a[::3]]))
        for axis in axes_of(a):
            result = getattr(np, name)(a, axis=axis, kind="stable")
            group.add(name, [key], result, **({} if axis is None else {"axis": axis}))


def indices(group):
    def drawn(shape, bound, kind):
        """Indices below a bound, from both ends where their type has a sign."""
        low = 0 if kind == "u8" else -bound
        rng = np.random.default_rng([7, bound, *shape])
        array = rng.integers(low, bound, shape).astype(DTYPES[kind])
        return given(f"{kind} {list(shape)} indices below {bound}", array)

    kinds = itertools.cycle(("i64", "i32", "u8"))
    forms = ("scalar", "one", "long", "matrix", "cube", "reversed", "inner", "permuted", "broadcast", "special")
    for dtype, form in itertools.product(("bool", "u8", "i32", "f64", *NARROW), forms):
        key, a = operand(dtype, form)
        for shape in ((), (1,), (6,), (2, 3), (0,)):
            for axis in axes_of(a):
                option = {} if axis is None else {"axis": axis}
                i, index = drawn(shape, a.size if axis is None else a.shape[axis], next(kinds))
                group.add("take", [key, i], np.take(a, index, axis=axis), **option)
        for axis in axes_of(a):
            option = {} if axis is None else {"axis": axis}
            flat = a.ravel() if axis is None else a
            at = 0 if axis is None else axis
            shape = list(flat.shape)
            for count in (1, 4):
                shape[at] = count
                i, index = drawn(tuple(shape), flat.shape[at], next(kinds))
                group.add("take_along_axis", [key, i], np.take_along_axis(a, index.astype(np.int64), axis), **option)
        if form == "broadcast":
            continue  # Cannot be written.
        for count, given_values in ((1, 1), (9, 9), (9, 4), (30, 30), (2, 5)):
            i, index = drawn((count,), a.size, next(kinds))
            v, values = given(f"{dtype} {given_values} values", fill(dtype, (given_values,)))
            result = a.copy()
            np.put(result, index, values)
            group.add("put", [key, i, v], result)
        for axis in range(-1, a.ndim if a.ndim else -1):
            for count, narrow in ((1, False), (7, False), (5, True)):
                shape = [1 if narrow and k != axis % a.ndim else n for k, n in enumerate(a.shape)]
                shape[axis] = count
                i, index = drawn(tuple(shape), a.shape[axis], next(kinds))
                v, values = given(f"{dtype} {shape} values", fill(dtype, tuple(shape)))
                result = a.copy()
                np.put_along_axis(result, index.astype(np.int64), values, axis)
                group.add("put_along_axis", [key, i, v], result, axis=axis)


def masks(group):
    for dtype, form in each(DTYPES, SEEN):
        masks_of(group, *operand(dtype, form))


def masks_of(group, key, a):
    def mask_of(shape, kind):
        """None, all, or some of the elements, by a seed of the shape."""
        some = np.random.default_rng([11, *shape]).random(shape) < 0.4
        mask = {"none": np.zeros(shape, bool), "all": np.ones(shape, bool), "some": some}[kind]
        return given(f"bool {list(shape)} {kind}", mask)

    group.add("flatnonzero", [key], np.flatnonzero(a))
    group.add("argwhere", [key], np.argwhere(a))
    for which, index in enumerate(np.nonzero(a) if a.ndim else ()):
        group.add("nonzero", [key], index, which=which)
    for kind in ("none", "some", "all"):
        m, mask = mask_of(a.shape, kind)
        group.add("extract", [key, m], np.extract(mask, a))
        for masked in range(1, a.ndim + 1):
            m, mask = mask_of(a.shape[:masked], kind)
            group.add("compress", [key, m], a[mask])
        for axis in range(a.ndim):
            m, mask = mask_of(a.shape[axis:axis + 1], kind)
            group.add("compress", [key, m], np.compress(mask, a, axis=axis), axis=axis)


def counting(group):
    rng = np.random.default_rng(17)
    for dtype, count in itertools.product(("bool", *INTEGERS), (0, 1, 67, 600)):
        if dtype == "bool":
            continue
        k, keys = given(f"{dtype} {count} keys", rng.integers(0, 37, count).astype(DTYPES[dtype]))
        for minlength in (0, 50):
            group.add("bincount", [k], np.bincount(keys, minlength=minlength), minlength=minlength)
        if count > 1:
            for other in ("f64", "f32", "i64", "bool"):
                w, weights = given(f"{other} {count} weights", (3 * np.random.default_rng([19, count]).standard_normal(count)).astype(DTYPES[other]))
                group.add("bincount", [k, w], np.bincount(keys, weights=weights), minlength=0)

    # Sums are made in the order of the indices; small integers and f16 are added in a longer type and rounded once.
    kinds = itertools.cycle(("i64", "i32", "u8"))
    for (dtype, form), count in itertools.product(each([t for t in DTYPES if t != "bool"], ("long", "matrix", "cube", "reversed", "inner", "permuted")), (1, 40)):
        key, a = operand(dtype, form)
        kind = next(kinds)
        low = 0 if kind == "u8" else -a.shape[0]
        i, index = given(f"{kind} {count} indices below {a.shape[0]}", np.random.default_rng([13, count, a.shape[0]]).integers(low, a.shape[0], count).astype(DTYPES[kind]))
        for narrow in (False, True):
            shape = a.shape[1:] if narrow else (count, *a.shape[1:])
            v, values = given(f"{dtype} {list(shape)} added", fill(dtype, shape))
            wide = {"f16": np.float32}.get(dtype, DTYPES[dtype])
            result = a.astype(wide)
            np.add.at(result, index.astype(np.int64), values.astype(wide))
            group.add("add_at", [key, i, v], result.astype(DTYPES[dtype]))

    for (dtype, form), bins in itertools.product(each(DTYPES, ("one", "long", "tiles", "reversed", "permuted", "empty")), (1, 7, 100)):
        key, a = operand(dtype, form)
        wide = a.astype(np.float32) if dtype == "f16" else a.astype(np.int64) if dtype not in FLOATS else a
        for limits in (None, (-2.5, 6.25), (1.0, 1.0)):
            counts, edges = np.histogram(wide, bins, limits)
            edges = edges.astype(DTYPES[dtype] if dtype in FLOATS else np.float64)
            option = {} if limits is None else {"low": limits[0], "high": limits[1]}
            group.add("histogram", [key], counts.astype(np.int64), bins=bins, part=0, **option)
            group.add("histogram", [key], edges, ulp=1, bins=bins, part=1, **option)
    key, a = operand("f64", "special")
    counts, edges = np.histogram(a, 9, (-20.0, 20.0))
    group.add("histogram", [key], counts, bins=9, part=0, low=-20.0, high=20.0)

    for dtype, form in each(DTYPES, ("scalar", "one", "long", "tiles", "reversed", "permuted", "special", "empty")):
        key, a = operand(dtype, form)
        # Some of the elements, twice, and others.
        some = np.concatenate([np.ravel(a)[::3], np.ravel(a)[::5], fill(dtype, (9,))])
        s, sorted_ones = given(f"{key} sorted", np.sort(some, kind="stable"))
        m, one = given(f"{dtype} one element sorted", fill(dtype, (1,)))
        n, none = given(f"{dtype} no element sorted", fill(dtype, (0,)))
        for k, ordered in ((s, sorted_ones), (m, one), (n, none)):
            for right in (0, 1):
                found = np.searchsorted(ordered, a, side="right" if right else "left")
                group.add("searchsorted", [k, key], np.asarray(found, np.int64), right=right)
        if dtype == "bool" or form == "special":
            continue
        up = np.unique(some)
        for name, edges in (("up", up), ("down", up[::-1].copy())):
            e, edges = given(f"{key} edges {name}", edges)
            for right in (0, 1):
                group.add("digitize", [key, e], np.asarray(np.digitize(a, edges, right=bool(right)), np.int64), right=right)
        if len(up) > 1:
            e, edges = given(f"{key} edges up", up)
            group.add("histogram_edges", [key, e], np.histogram(a.astype(np.float64), edges.astype(np.float64))[0])


def everyday(group):
    for dtype, form in each(DTYPES, SEEN):
        key, a = operand(dtype, form)
        for axis in axes_of(a):
            option = {} if axis is None else {"axis": axis}
            lane = np.ravel(a) if axis is None else a
            for name, ufunc in (("cummax", np.maximum), ("cummin", np.minimum)):
                # Of two zeros the negative one is the smaller.
                found = ufunc.accumulate(lane, axis=axis or 0) if lane.size else lane.copy()
                if form != "special":
                    group.add(name, [key], found, **option)
        for axis in range(-1, a.ndim if a.ndim else -1):
            for n in (0, 1, 3):
                found = a
                for _ in range(n):
                    found = np.diff(found, axis=axis)
                    found = brain(found) if dtype == "bf16" else found
                group.add("diff", [key], found, n=n, axis=axis)
            if a.shape[axis] > 1 and form != "special" and (dtype in FLOATS or dtype == "i64"):
                group.add("gradient", [key], np.gradient(a, 0.5, axis=axis), ulp=1 if dtype in NARROW else 0, spacing=0.5, axis=axis)
        if form != "special":
            # Zeros of both signs are equal: which one is kept is not NumPy's promise.
            values, index, inverse, counts = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
            group.add("unique", [key], values)
            group.add("unique_counts", [key], counts)
            group.add("unique_inverse", [key], inverse.reshape(a.shape))
            for part, found in enumerate((values, index, inverse.reshape(a.shape), counts)):
                group.add("unique_all", [key], found, part=part)
        if a.ndim:
            n = a.shape[-1]
            for k in sorted({0, min(1, n), n // 2, n}):
                order = np.argsort(a, axis=-1, kind="stable")[..., n - k:][..., ::-1]
                group.add("topk", [key], order, k=k, part=1)
                group.add("topk", [key], np.take_along_axis(a, order, -1), k=k, part=0)
        other = np.flip(a)
        o, other = given(f"{key} flipped", other.copy())
        group.add("array_equal", [key, o], np.asarray(np.array_equal(a, other)))
        group.add("array_equal", [key, key], np.asarray(np.array_equal(a, a)))
        if dtype != "bool":
            for rtol, atol, equal_nan in ((1e-5, 1e-8, 0), (0.25, 0.0, 1), (0.0, 1.5, 0)):
                options = {"rtol": rtol, "atol": atol, "equal_nan": equal_nan}
                wide = a.astype(np.float64) if dtype in INTEGERS else a
                also = other.astype(np.float64) if dtype in INTEGERS else other
                close = np.isclose(wide, also, rtol=rtol, atol=atol, equal_nan=bool(equal_nan))
                if dtype not in NARROW:
                    group.add("isclose", [key, o], close, **options)
                    group.add("allclose", [key, o], np.asarray(close.all()), **options)
    for dtype, form in each(DTYPES, ("long", "matrix", "cube", "permuted", "one")):
        key, a = operand(dtype, form)
        wide = a.astype(np.float64) if dtype != "f32" else a
        for axis in (None, [0], [-1]):
            found = np.quantile(wide, [0.1, 0.5, 0.9, 1.0], axis=None if axis is None else axis[0]).astype(real(a).dtype)
            group.add("quantiles", [key], found, ulp=4 if dtype == "f64" or dtype in INTEGERS else 64, **({} if axis is None else {"axis": axis}))
        if a.ndim < 3 and a.shape[-1] > 1 and dtype not in NARROW:
            for ddof in (0, 1):
                group.add("cov", [key], np.cov(real(a), ddof=ddof).astype(real(a).dtype), ulp=64, ddof=ddof)


# ---------------------------------------------------------------- functions made of others

ALL = (*DTYPES, *COMPLEX)
LAID = ("scalar", "empty", "one", "odd", "matrix", "cube", "reversed", "permuted", "broadcast")


def functions(group):
    for dtype, form in each(ALL, LAID):
        key, a = operand(dtype, form)
        arranged(group, dtype, key, a)
        if dtype not in COMPLEX:
            group.add("isposinf", [key], np.isposinf(real(a)))
            group.add("isneginf", [key], np.isneginf(real(a)))
        group.add("iscomplex", [key], np.iscomplex(a))
        group.add("isreal", [key], np.isreal(a))
        if dtype != "bool":
            group.add("positive", [key], np.positive(a))
        group.add("array_equiv", [key, key], np.asarray(np.array_equiv(a, a)))
        combined(group, dtype, form, key, a)
    # Of bf16, each of whose steps is rounded, the moves alone.
    for dtype, form in each([dtype for dtype in DTYPES if dtype != "bf16"], (*LAID, "special")):
        key, a = operand(dtype, form)
        computed(group, dtype, form, key, a)
    for dtype in COMPLEX:
        key, a = operand(dtype, "special")
        group.add("iscomplex", [key], np.iscomplex(a))
        group.add("isreal", [key], np.isreal(a))
        key, a = operand(dtype, "odd")
        group.add("nancumsum", [key], np.nancumsum(a))
    for dtype in ALL:
        if dtype != "bf16":
            polynomials(group, dtype)
        places(group, dtype)
    for count in (0, 1, 2, 7, 20):
        for name in ("bartlett", "blackman", "hamming", "hanning"):
            # What should be 0 is a rounding of it.
            found = getattr(np, name)(count)
            if name not in ("blackman", "hanning") or count < 2:
                group.add(name, [], np.asarray(found, np.float64), ulp=8, count=count)
            else:
                group.add(name, [], np.where(np.abs(found) < 1e-15, 0, found)[1:-1], ulp=64, count=count, inner=1)
        if count:
            group.add("geomspace", [], np.geomspace(2.0, 1000.0, count), ulp=16, count=count, start=2.0, stop=1000.0)
            group.add("geomspace", [], np.geomspace(-1.0, -0.001, count), ulp=16, count=count, start=-1.0, stop=-0.001)
    for shape in ((3,), (2, 3), (2, 0, 3), (1, 2, 3, 4)):
        group.add("indices", [], np.indices(shape), dims=shape)


def arranged(group, dtype, key, a):
    laid(group, dtype, key, a)
    for name in ("atleast_1d", "atleast_2d", "atleast_3d", "ediff1d"):
        if name != "ediff1d" or dtype != "bool":
            group.add(name, [key], getattr(np, name)(a))
    if a.ndim:
        group.add("flipud", [key], np.flipud(a))
        group.add("resize", [key], np.resize(a, (2, 9)) if a.size else np.zeros((0, 9), a.dtype), dims=(2, 9) if a.size else (0, 9))
        group.add("append", [key, key], np.append(a, a))
        group.add("append", [key, key], np.append(a, a, axis=0), axis=0)
        if a.shape[-1] > 1:
            for axis in (0, -1):
                group.add("delete", [key], np.delete(a, [0, -1, 0], axis=axis), axis=axis)
            group.add("delete", [key], np.delete(a, [1, 0]), at=[1, 0])
            v, values = given(f"{dtype} {list(a.shape[:-1])} added", fill(dtype, a.shape[:-1]))
            for at in (0, 1, -1, a.shape[-1]):
                group.add("insert", [key, v], np.insert(a, at, values, axis=-1), at=at, axis=-1)
                group.add("insert", [key, v], np.insert(a, at, values.ravel()), at=at)
        for axis in range(a.ndim):
            for part in range(min(a.shape[axis], 2)):
                group.add("unstack", [key], np.unstack(a, axis=axis)[part], axis=axis, part=part)
        for name, function in (("hsplit", np.hsplit), ("vsplit", np.vsplit), ("dsplit", np.dsplit)):
            if a.ndim >= {"hsplit": 1, "vsplit": 2, "dsplit": 3}[name]:
                for part, found in enumerate(function(a, [1])):
                    group.add(name, [key], found, part=part)
        for start in (0, a.ndim):
            group.add("rollaxis", [key], np.rollaxis(a, -1, start), axis=-1, start=start)
    if a.ndim > 1:
        group.add("fliplr", [key], np.fliplr(a))
        group.add("matrix_transpose", [key], np.matrix_transpose(a))
        for k in (-1, 0, 1, 2, 7):
            group.add("rot90", [key], np.rot90(a, k), k=k)
    if a.size < 9:
        for k in (-1, 0, 2):
            group.add("diagflat", [key], np.diagflat(a, k), k=k)
    if a.ndim < 3:
        group.add("column_stack", [key, key], np.column_stack([a, a]))
    group.add("dstack", [key, key], np.dstack([a, a]))
    if a.ndim == 1 and (a.dtype.kind in "bui" or dtype not in COMPLEX):
        for increasing in (0, 1):
            group.add("vander", [key], np.vander(a, 3, increasing=bool(increasing)), columns=3, increasing=increasing)


def laid(group, dtype, key, a):
    """What is there in another shape, or anew."""
    for name in ("zeros_like", "ones_like", "copy"):
        group.add(name, [key], getattr(np, name)(a))
    group.add("full_like", [key], np.full_like(a, 1), value=1)
    group.add("reshape", [key], a.reshape(-1, 1) if a.size else a.reshape(0, 1), dims=[-1 if a.size else 0, 1])
    group.add("flatten", [key], a.flatten())
    if a.ndim < 3:
        group.add("broadcast_to", [key], np.broadcast_to(a, (2, *a.shape)), dims=(2, *a.shape))
    group.add("hstack", [key, key], np.hstack([a, a]))
    group.add("vstack", [key, key], np.vstack([a, a]))
    if a.ndim:
        for part, found in enumerate(np.array_split(a, 2)):
            group.add("array_split", [key], found, part=part)
        for part, found in enumerate(np.split(a, [1])):
            group.add("split", [key], found, part=part)
        v, values = given(f"{dtype} vector of {a.shape[-1]} written", fill(dtype, (a.shape[-1],)))
        m, mask = given(f"mask of {list(a.shape)}", np.arange(a.size).reshape(a.shape) % 3 == 0)
        written = a.copy()
        np.copyto(written, values, where=mask)
        group.add("copyto", [key, v, m], written)
    if a.ndim == 2 and a.size:
        one, number = given(f"{dtype} one to write", fill(dtype, ()))
        wide = a.copy()
        np.fill_diagonal(wide[: min(a.shape), :], number)
        if a.shape[0] <= a.shape[1]:
            group.add("fill_diagonal", [key, one], wide)
    if a.ndim == 1 and a.size < 9:
        for part, found in enumerate(np.meshgrid(a, a[::2], indexing="ij")):
            s, some = given(f"{key} every other", a[::2].copy())
            group.add("meshgrid", [key, s], found, part=part)


def combined(group, dtype, form, key, a):
    """Sets, and products of Kronecker's kind."""
    some = np.concatenate([np.ravel(a)[::2], fill(dtype, (4,))])
    k, other = given(f"{key} in part", some)
    group.add("isin", [key, k], np.isin(a, other))
    group.add("isin", [k, key], np.isin(other, a))
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        group.add(name, [key, k], getattr(np, name)(a, other))
    group.add("unique_values", [key], np.unique(a))
    if form in ("one", "odd", "matrix", "transposed", "cube"):
        s, small = given(f"{dtype} [2, 1] added", fill(dtype, (2, 1)))
        group.add("kron", [key, s], np.kron(a, small))
        if dtype not in COMPLEX:
            group.add("kron", [s, key], np.kron(small, a))
    # Sums of products, which are exact but for those of f16.
    if a.ndim and a.shape[-1] and dtype != "f16" and dtype != "bool":
        v, vector = given(f"{dtype} vector of {a.shape[-1]}", fill(dtype, (a.shape[-1],)))
        group.add("vecdot", [key, v], np.asarray(np.vecdot(a, vector)))
        if a.ndim > 1:
            group.add("matvec", [key, v], np.matvec(a, vector))
            w, left = given(f"{dtype} vector of {a.shape[-2]}", fill(dtype, (a.shape[-2],)))
            group.add("vecmat", [w, key], np.vecmat(left, a))


def computed(group, dtype, form, key, a):
    """In floats."""
    f = real(a)
    group.add("fabs", [key], np.fabs(f))
    if dtype != "bool":
        # NumPy's f16 has no signs.
        size = np.abs(f)
        found = np.nextafter(size, f.dtype.type(np.inf)) - size
        group.add("spacing", [key], np.where(f < 0, -found, found) if dtype == "f16" else np.spacing(f))
    part, whole = np.modf(f)
    group.add("modf", [key], part, part=0)
    group.add("modf", [key], whole, part=1)
    y, other = given(f"{key} turned", np.flip(a).copy())
    group.add("heaviside", [key, y], np.heaviside(f, real(other)))
    group.add("heaviside", [key, "scalar 0.5"], np.heaviside(f, f.dtype.type(0.5)))
    if form != "special":
        group.add("sinc", [key], np.where(f == 0, f.dtype.type(1), np.sinc(np.where(f == 0, f.dtype.type(1), f))).astype(f.dtype), ulp=8)
        for name, function in (("logaddexp", np.logaddexp), ("logaddexp2", np.logaddexp2)):
            group.add(name, [key, y], once(function, f, real(other)), ulp=8 if dtype != "f16" else 2)
        for name, function in (("fmax", np.fmax), ("fmin", np.fmin)):
            group.add(name, [key, y], function(a, other))
            if dtype in FLOATS and a.ndim:
                holes = a.copy()
                holes[..., ::2] = np.nan
                h, holes = given(f"{key} with holes", holes)
                group.add(name, [h, y], function(holes, other))
                group.add(name, [y, h], function(other, holes))
        if dtype != "bool":
            group.add("divmod", [key, "scalar 3"], np.floor_divide(a, a.dtype.type(3)), part=0)
            group.add("divmod", [key, "scalar 3"], np.remainder(a, a.dtype.type(3)), part=1)
        group.add("float_power", [key, "scalar 2"], np.float_power(a, 2))
        for axis in (None, *range(-1, a.ndim if a.ndim else -1)):
            option = {} if axis is None else {"axis": axis}
            group.add("unwrap", [key], np.unwrap(np.ravel(f) if axis is None else f, axis=axis or 0).astype(f.dtype), ulp=2**30 if dtype == "f16" else 4096, **option)
        without_nan(group, dtype, key, a, f)
    if a.ndim and form != "special":
        for axis in range(-1, a.ndim):
            group.add("trapezoid", [key], np.asarray(np.trapezoid(f.astype(np.float64) if dtype == "f16" else f, dx=0.5, axis=axis)).astype(f.dtype), ulp=2 if dtype == "f16" else 16, spacing=0.5, axis=axis)
        if dtype != "f16" and a.size and a.shape[-1] > 1:
            gradients(group, dtype, key, a, f)
            w, weights = given(f"{key} weights", (np.abs(fill("f64", a.shape)) + 1).astype(np.float64))
            for axis in (None, 0, -1):
                found = np.average(f.astype(np.float64), weights=weights, axis=axis)
                group.add("average", [key, w], np.asarray(found), ulp=256, **({} if axis is None else {"axis": [axis]}))
    if form == "special" and dtype != "bool":
        p, xp = given("points", np.array([-10.0, -1.0, 0.0, 2.5, 30.0]))
        q, fp = given("values at points", np.array([3.0, -1.0, 4.0, 0.5, 7.0]))
        group.add("interp", [key, p, q], np.interp(a.astype(np.float64), xp, fp), ulp=4)
    if form in ("long", "matrix", "permuted", "odd"):
        w, weights = given(f"{key} weights of bins", fill("f64", a.shape))
        for bins in (1, 4):
            counts, edges = np.histogram(f.astype(np.float64), bins, (-3.0, 6.5), weights=weights)
            group.add("histogram", [key, w], counts, ulp=0, bins=bins, part=0, low=-3.0, high=6.5)
            counts, edges = np.histogram(f.astype(np.float64), bins, (-3.0, 6.5), density=True)
            if counts.sum() > 0:
                group.add("histogram", [key], counts, ulp=2, bins=bins, part=0, low=-3.0, high=6.5, density=1)
            group.add("histogram_bin_edges", [key], edges.astype(f.dtype), ulp=1, bins=bins, low=-3.0, high=6.5)
    if a.ndim and a.shape[-1] and form != "special":
        n = a.shape[-1]
        for kth in {0, n // 2, -1}:
            group.add("partition", [key], np.sort(a, axis=-1, kind="stable"), kth=kth, axis=-1)
            group.add("argpartition", [key], np.argsort(a, axis=-1, kind="stable"), kth=kth, axis=-1)
        major, keys = given(f"{key} turned", np.flip(a).copy())
        group.add("lexsort", [key, major], np.lexsort((a, keys)))


def gradients(group, dtype, key, a, f):
    n = a.shape[-1]
    c, places = given(f"coordinates of {n}", np.cumsum(np.array([1, 0.5, 2, 0.25] * n)[:n]))
    wide = f.astype(np.float64)
    for order in (1, 2):
        if n <= order:
            continue
        group.add("gradient", [key], np.gradient(f, 0.5, axis=-1, edge_order=order), ulp=4, spacing=0.5, axis=-1, order=order)
        group.add("gradient", [key, c], np.gradient(wide, places, axis=-1, edge_order=order).astype(f.dtype), ulp=2**12, axis=-1, order=order)


def without_nan(group, dtype, key, a, f):
    holes = a
    if dtype in FLOATS and a.ndim:
        holes = a.copy()
        holes[..., ::3] = np.nan
    h, holes = given(f"{key} with gaps", holes)
    wide = {"f16": np.float32}.get(dtype, holes.dtype)
    for axis in (None, *range(-1, a.ndim if a.ndim else -1)):
        option = {} if axis is None else {"axis": axis}
        if dtype != "f16":
            group.add("nancumsum", [h], np.nancumsum(holes, axis=axis), **option)
            group.add("nancumprod", [h], np.nancumprod(holes, axis=axis), ulp=4, **option)
        lanes = np.ravel(holes)[None] if axis is None else np.moveaxis(holes, axis, -1)
        if lanes.size and not np.isnan(real(lanes)).all(axis=-1).any():
            group.add("nanargmax", [h], np.asarray(np.nanargmax(holes, axis=axis)), **option)
            group.add("nanargmin", [h], np.asarray(np.nanargmin(holes, axis=axis)), **option)
        if dtype != "bool" and lanes.size:
            ulp = 2 if dtype in FLOATS else 4
            group.add("nanmedian", [h], np.asarray(np.nanmedian(real(holes).astype(np.float64), axis=axis)).astype(f.dtype), ulp=ulp, **option)
            for q in (0.0, 0.3, 1.0):
                found = np.nanquantile(real(holes).astype(np.float64), q, axis=axis)
                group.add("nanquantile", [h], np.asarray(found).astype(f.dtype), ulp=64 if dtype == "f32" else 8, q=q, **option)


def polynomials(group, dtype):
    wide = {"f16": np.float32}.get(dtype, (DTYPES | COMPLEX)[dtype])
    ps = [given(f"{dtype} polynomial of {n}", fill(dtype, (n,), [1.0, -2.0, 3.0, 0.0, 2.0][:n] if dtype not in COMPLEX else None)) for n in (1, 3, 4)]
    exact = dtype != "f16" and dtype not in COMPLEX
    for form in ("scalar", "odd", "matrix", "transposed", "empty"):
        key, x = operand(dtype, form)
        if exact:
            for p, c in ps:
                group.add("polyval", [p, key], np.asarray(np.polyval(c, x)).astype(x.dtype), ulp=8)
    for (p, c), (q, d) in itertools.product(ps, ps):
        if dtype != "bool":
            group.add("polyadd", [p, q], np.polyadd(c, d))
            group.add("polysub", [p, q], np.polysub(c, d))
        if exact and dtype != "bool":
            group.add("polymul", [p, q], np.polymul(c, d))
        if dtype not in COMPLEX and dtype != "f16":
            for mode in ("full", "same", "valid"):
                group.add("convolve", [p, q], np.convolve(c, d, mode), mode=mode)
                if len(c) >= len(d):
                    group.add("correlate", [p, q], np.correlate(c, d, mode), mode=mode)
    for p, c in ps:
        if exact and dtype != "bool":
            group.add("polyder", [p], (c[:-1] * np.arange(len(c) - 1, 0, -1)).astype(c.dtype))
            group.add("polyint", [p], np.concatenate([real(c) / np.arange(len(c), 0, -1), [2.5]]).astype(real(c).dtype), ulp=1, k=2.5)
    if dtype in FLOATS and dtype != "f16":
        p, c = given(f"{dtype} with NaN and infinity", np.array([np.inf, 1, np.nan], DTYPES[dtype]))
        q, d = given(f"{dtype} five numbers", np.array([1, 2, 3, 4, 5], DTYPES[dtype]))
        for mode in ("full", "same", "valid"):
            group.add("convolve", [q, p], np.convolve(d, c, mode), mode=mode)
    if dtype not in COMPLEX and dtype != "f16":
        for form in ("matrix", "odd", "transposed"):
            key, a = operand(dtype, form)
            if dtype != "bool":
                group.add("corrcoef", [key], np.asarray(np.corrcoef(real(a))).astype(real(a).dtype), ulp=2**16 if dtype == "f32" else 256)


def places(group, dtype):
    if dtype in COMPLEX:
        return
    for form in ("odd", "matrix", "transposed"):
        key, a = operand(dtype, form)
        n, numbers = given(f"numbers below 3 of {list(a.shape)}", np.random.default_rng([5, a.size]).integers(0, 3, a.shape))
        y, other = given(f"{key} turned", np.flip(a).copy())
        z, more = given(f"{key} doubled", (a + a).astype(a.dtype))
        group.add("choose", [n, key, y, z], np.choose(numbers, [a, other, more]))
        if dtype == "bool":
            continue
        masks = [given(f"numbers of {list(a.shape)} that are {k}", numbers == k) for k in (0, 2)]
        group.add("select", [masks[0][0], masks[1][0], key, y, "scalar 1"], np.select([m for _, m in masks], [a, other], a.dtype.type(1)))
    if dtype in INTEGERS:
        i, rows_ = given(f"{dtype} row numbers", np.array([0, 2, 1, 2], DTYPES[dtype]))
        j, columns = given(f"{dtype} column numbers", np.array([3, 0, 4, 1], DTYPES[dtype]))
        group.add("ravel_multi_index", [i, j], np.ravel_multi_index((rows_.astype(np.int64), columns.astype(np.int64)), (3, 5)), dims=(3, 5))
        for part in (0, 1, 2):
            group.add("unravel_index", [j], np.unravel_index(columns.astype(np.int64), (2, 3, 5))[part], dims=(2, 3, 5), part=part)
    # Running results of other operations than sums and extrema.
    for form in ("odd", "matrix", "permuted", "reversed", "one", "empty", "scalar"):
        key, a = operand(dtype, form)
        for axis in (None, *range(-1, a.ndim if a.ndim else -1)):
            option = {} if axis is None else {"axis": axis}
            lane = np.ravel(a) if axis is None else a
            ufuncs = ("bitwise_and", "bitwise_or", "bitwise_xor") if dtype in (*INTEGERS, "bool") else ()
            for name in ufuncs:
                group.add("accumulate", [key], getattr(np, name).accumulate(lane, axis=axis or 0), of=name, **option)
            if dtype not in FLOATS or dtype == "f16":
                group.add("accumulate", [key], np.maximum.accumulate(lane, axis=axis or 0), of="maximum", **option)


# ---------------------------------------------------------------- complex numbers

# Of all numbers exact, or of ordinary ones, whose products and sums are; the other functions of complex numbers have references of
# their own, which are longer.
COMPLEX_EXACT = {"negative": np.negative, "logical_not": np.logical_not, "isnan": np.isnan, "isinf": np.isinf,
                 "isfinite": np.isfinite, "rint": np.rint, "conjugate": np.conjugate, "real": np.real, "imag": np.imag}
COMPLEX_ORDINARY = {"square": (np.square, 0), "absolute": (np.absolute, 2), "angle": (np.angle, 2), "sign": (np.sign, 2)}
COMPLEX_ORDERED = {"minimum": np.minimum, "maximum": np.maximum}


def complex_numbers(group):
    for dtype in COMPLEX:
        for name, function in COMPLEX_EXACT.items():
            for form in SEEN:
                key, a = operand(dtype, form)
                group.add(name, [key], function(a))
        for name, (function, ulp) in COMPLEX_ORDINARY.items():
            for form in (form for form in SEEN if form != "special"):
                key, a = operand(dtype, form)
                group.add(name, [key], once_complex(function, a), ulp=ulp)
        complex_pairs(group, dtype)
        complex_choices(group, dtype)
        complex_reductions(group, dtype)
        complex_moves(group, dtype)
        complex_products(group, dtype)


def once_complex(function, a):
    """In complex numbers of f64, rounded once."""
    part = a.real.dtype
    result = function(a.astype(np.complex128))
    return result.astype(a.dtype if result.dtype.kind == "c" else part)


def complex_pairs(group, dtype):
    tests = COMPARISONS | LOGICAL | COMPLEX_ORDERED
    for left, right in PAIRS:
        (l, a), (r, b) = operand(dtype, left), operand(dtype, right)
        for name, function in tests.items():
            group.add(name, [l, r], function(a, b))
        if left != "special column":
            for name in ("add", "subtract", "multiply"):
                group.add(name, [l, r], ARITHMETIC[name](a, b) if name != "multiply" else np.multiply(a, b))
    for other in (*DTYPES, *COMPLEX):
        (l, a), (r, b) = operand(dtype, "matrix"), operand(other, "row")
        if other == dtype:
            continue
        for pair in ([(l, a), (r, b)], [(r, b), (l, a)]):
            for name in ("add", "less", "equal", "maximum", "multiply"):
                function = (COMPARISONS | ARITHMETIC | COMPLEX_ORDERED)[name]
                # A real operand scales the parts, which differs in the signs of zeros: + 0 takes them away.
                result = function(pair[0][1], pair[1][1])
                if result.dtype.kind == "c":
                    if name == "multiply" and ((result.real == 0) | (result.imag == 0)).any():
                        continue
                    if (np.signbit(result.real) & (result.real == 0)).any() or (np.signbit(result.imag) & (result.imag == 0)).any():
                        continue
                group.add(name, [key for key, _ in pair], result)
    for scalar in (2, 3.5):
        key, a = operand(dtype, "odd")
        for name in ("add", "subtract", "divide", "less_equal", "not_equal", "minimum"):
            function = (COMPARISONS | ARITHMETIC | COMPLEX_ORDERED | {"divide": np.divide})[name]
            group.add(name, [key, f"scalar {scalar}"], function(a, scalar), ulp=1 if name == "divide" else 0)


def complex_choices(group, dtype):
    for other in (*DTYPES, *COMPLEX):
        for form in ("odd", "special", "transposed", "tiles", "empty"):
            key, a = operand(other, form)
            group.add("astype", [key], a.astype(COMPLEX[dtype]), to=dtype)
    for form in ("odd", "special", "transposed", "tiles", "empty"):
        key, a = operand(dtype, form)
        group.add("astype", [key], a.astype(np.bool_), to="bool")
        group.add("nan_to_num", [key], np.nan_to_num(a))
    for mask, left, right in [("odd", "odd", "reversed"), ("matrix", "row", "transposed"), ("column", "row", "scalar"),
                              ("empty", "empty", "one"), ("tiles", "tiles", "tiles"), ("cube", "permuted", "cube")]:
        (m, where), (x, a), (y, b), (z, c) = (operand("bool", mask), operand(dtype, left), operand(dtype, right),
                                              operand("f32", right))
        group.add("where", [m, x, y], np.where(where, a, b))
        group.add("where", [m, x, z], np.where(where, a, c))
        group.add("where", [m, z, x], np.where(where, c, a))
    for decimals in (0, 1, -1, 3):
        key, a = operand(dtype, "long")
        group.add("round", [key], np.round(a, decimals), decimals=decimals)


def complex_reductions(group, dtype):
    def wide(name, a, **options):
        result = np.asarray(getattr(np, name)(a.astype(np.complex128), **options))
        return result.astype(a.dtype if result.dtype.kind == "c" else a.real.dtype if result.dtype.kind == "f" else result.dtype)

    inexact = ("mean", "var", "std", "median", "nanmean", "nanvar", "nanstd", "prod", "nanprod", "norm")
    names = ("sum", "mean", "var", "std", "all", "any", "count_nonzero", "min", "max", "argmin", "argmax", "ptp", "median",
             "nansum", "nanmean", "nanvar", "nanstd")
    for name, form in itertools.product(names, [form for form in REDUCED if form != "special"]):
        key, a = operand(dtype, form)
        for axis, keepdims in itertools.product(AXES[a.ndim], (False, True)):
            if keepdims and (form not in ("matrix", "cube", "scalar") or name == "count_nonzero"):
                continue
            if name in ("argmin", "argmax") and axis is not None and len(axis) > 1:
                continue
            option = None if axis is None else axis[0] if name in ("argmin", "argmax") else tuple(axis)
            result = wide(name, a, axis=option, keepdims=keepdims)
            group.add(name, [key], result, ulp=64 if name in inexact else 0, keepdims=keepdims,
                      **({} if axis is None else {"axis": axis}))
    # Of every fifth special number, which are in another order then, and of those with numbers alone.
    key, a = operand(dtype, "special")
    for step in (1, 3, 5, 11):
        turned = a[np.arange(len(a)) * step % len(a)]
        for kept in (np.ones(len(a), bool), ~np.isnan(turned.real), ~np.isnan(turned.imag), ~np.isnan(turned)):
            row, numbers = given(f"{dtype} special {step} {int(kept.sum())} {int(kept.argmin())}", turned[kept])
            for name in ("min", "max", "argmin", "argmax", "all", "any", "count_nonzero", "nanmin", "nanmax"):
                group.add(name, [row], getattr(np, name)(numbers))
            group.add("sort", [row], np.sort(numbers, kind="stable"), axis=0)
            group.add("argsort", [row], np.argsort(numbers, kind="stable"), axis=0)
    for axis in (None, 0, 1):
        key, a = operand(dtype, "matrix")
        option = {} if axis is None else {"axis": [axis]}
        # Products of few elements are exact.
        if axis is not None:
            group.add("prod", [key], np.prod(a, axis=axis), ulp=64, **option)
        for order in (0, 1, 2, 3, np.inf, -np.inf):
            result = np.linalg.vector_norm(a.astype(np.complex128), ord=order, axis=axis).astype(a.real.dtype)
            group.add("norm", [key], result, ulp=16, ord=float(order), **option)
    holes = np.where(fill("bool", (3, 5)), fill(dtype, (3, 5)), COMPLEX[dtype](complex(np.nan, 1)))
    key, a = given(f"{dtype} with NaN", holes)
    for name in ("nansum", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"):
        for axis in (None, 0, 1):
            option = {} if axis is None else {"axis": [axis]}
            group.add(name, [key], wide(name, a, axis=axis), ulp=64 if name in inexact else 0, **option)
    for form in ("one", "matrix", "cube", "reversed", "transposed", "long"):
        key, a = operand(dtype, form)
        for axis in axes_of(a):
            option = {} if axis is None else {"axis": axis}
            group.add("cumsum", [key], np.cumsum(a, axis=axis), **option)
    key, a = given(f"{dtype} factors", np.resize(np.array([1j, 2, -1, 0.5j, 1 + 1j, 0.5], COMPLEX[dtype]), (3, 9)))
    for axis in (None, 0, 1):
        group.add("cumprod", [key], np.cumprod(a, axis=axis), ulp=1, **({} if axis is None else {"axis": axis}))


def complex_moves(group, dtype):
    for form in ("odd", "matrix", "cube", "reversed", "transposed", "inner", "broadcast", "empty", "long"):
        key, a = operand(dtype, form)
        for axis in axes_of(a):
            option = {} if axis is None else {"axis": axis}
            group.add("sort", [key], np.sort(a, axis=axis, kind="stable"), **option)
            group.add("argsort", [key], np.argsort(a, axis=axis, kind="stable"), **option)
            if a.size:
                i, index = given(f"two and a half of {dtype}", np.array([0, -1, 0], np.int64))
                group.add("take", [key, i], np.take(a, index, axis=axis), **option)
        group.add("ravel", [key], np.ravel(a))
        group.add("flip", [key], np.flip(a))
        group.add("roll", [key], np.roll(a, 3), shift=3)
        group.add("repeat", [key], np.repeat(a, 2), count=2)
        group.add("tile", [key], np.tile(a, (2, 1)), reps=[2, 1])
        group.add("concatenate", [key, key], np.concatenate([a, a], 0), axis=0)
        group.add("stack", [key, key], np.stack([a, a], -1), axis=-1)
        if a.size:
            width = [[1, 2]] * a.ndim
            group.add("pad", [key], np.pad(a, width), width=width, mode="constant")
            group.add("pad", [key], np.pad(a, width, mode="edge"), width=width, mode="edge")
        if a.ndim == 2:
            for name, function in (("tril", np.tril), ("triu", np.triu), ("diag", np.diag), ("diagonal", np.diagonal)):
                group.add(name, [key], function(a, 1), k=1)
        if a.ndim == 1 and a.size:
            v, numbers = given(f"{dtype} one number", np.array([3 - 4j], COMPLEX[dtype]))
            i, index = given(f"ends for {dtype}", np.array([0, -1], np.int64))
            result = a.copy()
            np.put(result, index, numbers)
            group.add("put", [key, i, v], result)


def complex_products(group, dtype):
    for other in (dtype, "f64", "i32", "f16", "complex64"):
        def pair(shape_a, shape_b):
            return (given(f"{dtype} {list(shape_a)} for products", fill(dtype, shape_a)),
                    given(f"{other} {list(shape_b)} for products with {dtype}", np.roll(fill(other, shape_b), 1)))

        for name, shapes_ in {"matmul": [((3, 4), (4, 2)), ((4,), (4, 2)), ((2, 3, 4), (4, 5)), ((4,), (4,)), ((1, 1), (1, 1))],
                              "dot": [((4,), (4,)), ((3, 4), (4,)), ((), (3,)), ((2, 3, 4), (5, 4, 2))],
                              "inner": [((3,), (3,)), ((2, 3), (4, 3))], "outer": [((3,), (4,))],
                              "vdot": [((6,), (6,)), ((2, 3), (3, 2))]}.items():
            for shape_a, shape_b in shapes_:
                (l, a), (r, b) = pair(shape_a, shape_b)
                # Zeros have other signs: a real operand acts on the parts.
                group.add(name, [l, r], getattr(np, name)(a, b), ulp=1)
                if name in ("outer", "vdot") or shape_a == shape_b:
                    group.add(name, [r, l], getattr(np, name)(b, a), ulp=1)
    for form in ("square", "matrix", "transposed"):
        key, a = operand(dtype, form)
        group.add("trace", [key], np.trace(a, 1), k=1)


# ---------------------------------------------------------------- masks and arrays of indices in an index

PICKED = ("long", "matrix", "square", "cube", "reversed", "inner", "permuted", "scalar", "hollow", "broadcast")


def draw_index(rng, a):
    """Items of an index as the cases have them (`A` is the next operand), the operands, and the index for NumPy; of these at least
    one chooses elements."""
    common = [(), (1,), (3,), (2, 3), (0,)][rng.choice(5, p=[0.1, 0.15, 0.4, 0.25, 0.1])]
    items, operands, index, axis, ellipsis = [], [], [], 0, False
    while True:
        left = a.ndim - axis
        kind = rng.choice(["array", "array", "mask", "integer", "range", "range", "new", "ellipsis", "end"])
        extent = a.shape[axis] if left else 0
        if kind == "array" and left:
            shape = [n if rng.random() < 0.8 else 1 for n in common][rng.integers(0, len(common) + 1) if rng.random() < 0.2 else 0:]
            bound = extent if extent else 1
            integer = ("i64", "i32", "u8", "u32", "i16")[rng.integers(5)]
            low = 0 if integer[0] == "u" else -bound
            salt = int(rng.integers(3))
            array = np.random.default_rng([29, bound, salt, *shape]).integers(low, bound, shape).astype(DTYPES[integer])
            name, array = given(f"{integer} {list(map(int, shape))} picks {salt} below {bound}", array)
            items.append("A"), operands.append(name), index.append(array)
            axis += 1
        elif kind == "mask":
            count = int(rng.integers(0, left + 1))
            shape = a.shape[axis:axis + count]
            size = math.prod(shape)
            # So many that it stands beside the arrays, or any.
            held = min(size, common[-1] if common and rng.random() < 0.7 else int(rng.integers(0, size + 1)))
            mask = np.zeros(size, bool)
            mask[np.random.default_rng([31, size, held]).permutation(size)[:held]] = True
            name, mask = given(f"bool {list(shape)} picks {held}", mask.reshape(shape))
            items.append("A"), operands.append(name), index.append(mask)
            axis += count
        elif kind == "integer" and extent:
            at = int(rng.integers(-extent, extent))
            items.append(str(at)), index.append(at)
            axis += 1
        elif kind == "range" and left:
            text, part = [(":", slice(None)), ("1:", slice(1, None)), ("::-1", slice(None, None, -1)), (":-1:2", slice(None, -1, 2))][rng.integers(4)]
            items.append(text), index.append(part)
            axis += 1
        elif kind == "new":
            items.append("N"), index.append(None)
        elif kind == "ellipsis" and not ellipsis:
            items.append("E"), index.append(Ellipsis)
            # It may stand for axes that are left over.
            ellipsis, axis = True, axis + int(rng.integers(0, left + 1))
        elif kind == "end" and operands or len(items) > 6:
            return items, operands, tuple(index)


def picked(group):
    rng = np.random.default_rng(37)
    counts = {"slice": 0, "slice_assign": 0, "slice_update": 0, "slice_add_at": 0}

    def values_for(dtype, shape):
        """Values that broadcast to what is chosen: all, a row, a column, or one."""
        shape = [n if rng.random() < 0.7 else 1 for n in shape]
        shape = shape[int(rng.integers(0, len(shape) + 1)) if rng.random() < 0.4 else 0:]
        return given(f"{dtype} {list(map(int, shape))} picked values", fill(dtype, tuple(shape)))

    for dtype, form in each(DTYPES | COMPLEX, PICKED):
        key, a = operand(dtype, form)
        tries = 0
        made = 0
        while made < (12 if form in ("cube", "permuted") else 7 if a.ndim > 1 else 5) and tries < 200:
            tries += 1
            items, operands, index = draw_index(rng, a)
            try:
                result = a[index]
            except IndexError:
                continue
            # darray has at most eight axes; a truth value takes one.
            new = sum(i is None or np.ndim(i) == 0 and np.asarray(i).dtype == bool for i in index)
            if a.ndim + new > 8 or result.size > 200:
                continue
            made += 1
            group.add("slice", [key, *operands], result, index=items)
            if form == "broadcast":
                continue  # Cannot be written.
            # Through a view of what is written, and through its transpose.
            for turned in (False, True):
                # An array whose transpose has the shape of this one.
                base = np.array(a.T if turned else a, order="C")
                options = {"index": items, "turned": int(turned)}
                name, value = values_for(dtype, result.shape)
                function = ("slice_assign", "slice_update", "slice_add_at")[(made + turned) % 3]
                if dtype == "bool" and function != "slice_assign":
                    function = "slice_assign"
                view = base.T if turned else base
                try:
                    if function == "slice_assign":
                        view[index] = value
                    elif function == "slice_update":
                        operation = ("add", "multiply", "subtract")[made % 3]
                        options["operation"] = operation
                        changed = np.array(view[index])
                        getattr(np, operation)(changed, value, out=changed)
                        view[index] = changed
                    else:
                        wide = {"f16": np.float32}.get(dtype, base.dtype)
                        sums = view.astype(wide)
                        np.add.at(sums, index, value.astype(wide))
                        view[...] = sums.astype(base.dtype)
                except (ValueError, IndexError):
                    continue
                counts[function] += 1
                group.add(function, [key, *operands, name], view, **options)
    print(counts)


# ---------------------------------------------------------------- element types that the groups before leave out

VIEWS = ("transposed", "reversed", "permuted", "odd", "matrix")


def few(dtype, shape):
    """Small integers, of which sums and products of few are exact in every type."""
    values = np.resize(np.array([1, -2, 3, 0, 2, -1, 1]), math.prod(shape)).reshape(shape)
    if dtype in COMPLEX:
        return (values + 1j * np.roll(values, 1)).astype(COMPLEX[dtype])
    return (np.abs(values) if dtype[0] == "u" else values).astype(DTYPES[dtype])


def some(dtype, shape, what="few"):
    """An input of few, as it is and as a view."""
    name = f"{dtype} {list(shape)} {what}"
    a = few(dtype, shape)
    a = np.flip(a).copy() if what == "turned" else a
    return apart(f"{name} apart", a) if a.ndim and a.size else given(name, a)


def in_longer(function, *arrays):
    """Computed in the longest type, in the element type of the result that NumPy gives."""
    arrays = [np.asarray(a) for a in arrays]
    kind = np.asarray(function(*arrays)).dtype
    longer = {"f": np.longdouble, "c": np.clongdouble}
    return np.asarray(function(*[a.astype(longer.get(a.dtype.kind, a.dtype)) for a in arrays])).astype(kind)


def types(group):
    """Every function of all element types that NumPy takes; the group keeps what is missing."""
    for dtype, form in itertools.product(ALL, VIEWS):
        key, a = operand(dtype, form)
        shapes_of(group, key, a)
        arranged(group, dtype, key, a)
        masks_of(group, key, a)
        picked_of(group, dtype, key, a)
        ordered(group, dtype, key, a)
        without_parts(group, dtype, key, a)
    for dtype in ALL:
        from_nothing(group, dtype)
        values_out(group, dtype)
        products_of(group, dtype)
        sums_of(group, dtype)
        polynomials_of(group, dtype)
        without_nan_of(group, dtype)
        near(group, dtype)
    for dtype in COMPLEX:
        of_complex(group, dtype)
    for dtype in (*DTYPES,):
        of_reals(group, dtype)


def picked_of(group, dtype, key, a):
    """By indices and masks."""
    i, index = given(f"three numbers below {len(a)}", np.array([-1, 0, 1], np.int64))
    group.add("take", [key, i], np.take(a, index, axis=0), axis=0)
    if a.ndim == 2:
        i, index = given(f"numbers below 3 along {a.shape[-1]}", np.arange(3 * a.shape[-1], dtype=np.int64).reshape(3, -1) * 2 % 3)
        group.add("take_along_axis", [key, i], np.take_along_axis(a, index, 0), axis=0)
        v, values = some(dtype, index.shape)
        written = a.copy()
        np.put_along_axis(written, index, values, 0)
        group.add("put_along_axis", [key, i, v], written, axis=0, turned=1)
        i, index = given("four numbers below 15", np.array([14, 0, -3, 7], np.int64))
        v, values = some(dtype, (4,))
        written = a.copy()
        np.put(written, index, values)
        group.add("put", [key, i, v], written, turned=1)
        v, values = some(dtype, (a.shape[-1],))
        m, mask = given(f"mask of {list(a.shape)}", np.arange(a.size).reshape(a.shape) % 3 == 0)
        written = a.copy()
        np.copyto(written, values, where=mask)
        group.add("copyto", [key, v, m], written, turned=1)
        one, number = given(f"{dtype} one to write", fill(dtype, ()))
        written = a.copy()
        np.fill_diagonal(written, number)
        group.add("fill_diagonal", [key, one], written, turned=1)
        written.fill(2)
        group.add("fill", [key, "scalar 2"], written, turned=1)
        for items, index in ((["1:", "::-1"], np.s_[1:, ::-1]), (["-1"], np.s_[-1]), (["N", "E", "0"], np.s_[None, ..., 0])):
            # Of all types, for they take no arrays of indices.
            Group.add(group, "slice", [key], a[index], index=items)
            v, values = some(dtype, a[index].shape)
            written = a.copy()
            written[index] = values
            Group.add(group, "slice_assign", [key, v], written, index=items, turned=1)
    n, numbers = given(f"numbers below 3 of {list(a.shape)}", np.random.default_rng([5, a.size]).integers(0, 3, a.shape))
    y, other = given(f"{key} turned", np.flip(a).copy())
    group.add("choose", [n, key, y, key], np.choose(numbers, [a, other, a]))
    masks = [given(f"numbers of {list(a.shape)} that are {k}", numbers == k) for k in (0, 2)]
    group.add("select", [masks[0][0], masks[1][0], key, y, "scalar 0"], np.select([m for _, m in masks], [a, other], 0))
    if dtype in ("bool", *INTEGERS):
        i, rows_ = apart(f"{dtype} row numbers apart", np.array([0, 1, 1, 0]).astype(DTYPES[dtype]))
        group.add("ravel_multi_index", [i, i], np.ravel_multi_index((rows_.astype(np.int64),) * 2, (3, 5)), dims=(3, 5))
        for part in (0, 1):
            group.add("unravel_index", [i], np.unravel_index(rows_.astype(np.int64), (2, 1))[part], dims=(2, 1), part=part)
        group.add("bincount", [i], np.bincount(rows_.astype(np.int64)), minlength=0)


def ordered(group, dtype, key, a):
    """By order."""
    kth = a.shape[-1] // 2
    group.add("partition", [key], np.sort(a, axis=-1, kind="stable"), kth=kth, axis=-1)
    group.add("argpartition", [key], np.argsort(a, axis=-1, kind="stable"), kth=kth, axis=-1)
    major, keys = given(f"{key} turned", np.flip(a).copy())
    group.add("lexsort", [key, major], np.lexsort((a, keys)))
    values, index, inverse, counts = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
    group.add("unique", [key], values)
    group.add("unique_counts", [key], counts)
    group.add("unique_inverse", [key], inverse.reshape(a.shape))
    for part, found in enumerate((values, index, inverse.reshape(a.shape), counts)):
        group.add("unique_all", [key], found, part=part)
    s, ordered_ones = apart(f"{dtype} sorted apart", np.sort(fill(dtype, (9,)), kind="stable"))
    for right in (0, 1):
        found = np.searchsorted(ordered_ones, a, side="right" if right else "left")
        group.add("searchsorted", [s, key], np.asarray(found, np.int64), right=right)
    if dtype not in COMPLEX:
        e, edges = given(f"{dtype} distinct", np.unique(fill(dtype, (9,))))
        for right in (0, 1):
            group.add("digitize", [key, e], np.asarray(np.digitize(a, edges, right=bool(right)), np.int64), right=right)
        counts, edges = np.histogram(real(a).astype(np.float64), 4, (-3.0, 6.5))
        group.add("histogram_bin_edges", [key], edges.astype(real(a).dtype), bins=4, low=-3.0, high=6.5, ulp=1)


def without_parts(group, dtype, key, a):
    """Comparisons of whole arrays, and differences."""
    o, other = given(f"{key} turned", np.flip(a).copy())
    group.add("array_equal", [key, o], np.asarray(np.array_equal(a, other)))
    group.add("array_equal", [key, key], np.asarray(np.array_equal(a, a)))
    if dtype != "bool":
        group.add("diff", [key], np.diff(a, axis=-1), n=1, axis=-1)
    if dtype != "bool":
        group.add("gradient", [key], np.gradient(a, 0.5, axis=-1), spacing=0.5, axis=-1)
    for part, found in enumerate(np.broadcast_arrays(a, a[:1])):
        r, _ = given(f"{key} first", a[:1].copy())
        group.add("broadcast_arrays", [key, r], found, part=part)


def from_nothing(group, dtype):
    kind = (DTYPES | COMPLEX)[dtype]
    for shape in ((), (3,), (2, 0), (2, 3)):
        for name in ("zeros", "ones", "empty"):
            group.add(name, [], getattr(np, "zeros" if name == "empty" else name)(shape, kind), dims=shape, to=dtype)
        group.add("full", [], np.full(shape, 1, kind), dims=shape, value=1, to=dtype)
    group.add("identity", [], np.identity(3, kind), n=3, to=dtype)
    for n, m, k in [(3, 3, 0), (2, 5, 1), (5, 2, -2)]:
        group.add("eye", [], np.eye(n, m, k, dtype=kind), n=n, m=m, k=k, to=dtype)
        group.add("tri", [], np.tri(n, m, k, dtype=kind), n=n, m=m, k=k, to=dtype)
    if dtype != "bool" and dtype not in COMPLEX:
        group.add("arange", [], np.arange(1, 9, 3, dtype=kind), start=1.0, stop=9.0, step=3.0, to=dtype)
    if dtype != "bool":
        group.add("arange", [], np.arange(0, 5, 1, dtype=kind), start=0.0, stop=5.0, step=1.0, to=dtype)
    for count in (0, 1, 2, 7):
        group.add("linspace", [], in_type(dtype, np.linspace(1.5, 6.0, count), True), ulp=1, start=1.5, stop=6.0, count=count, to=dtype)
        group.add("logspace", [], in_type(dtype, np.logspace(0.0, 1.5, count), False), ulp=1, start=0.0, stop=1.5, count=count, to=dtype)
        if count != 1:
            found = in_type(dtype, np.geomspace(1.0, 90.0, count), False)
            group.add("geomspace", [], found, ulp=4, start=1.0, stop=90.0, count=count, to=dtype)
    a, array = given(f"{dtype} [2, 2] few", few(dtype, (2, 2)))
    group.add("array", [a], array)
    a, array = given(f"{dtype} [5] few", few(dtype, (5,)))
    for name in ("asarray", "fromiter", "frombuffer"):
        group.add(name, [a], array)


def in_type(dtype, numbers, floor):
    """Computed in f64; of integers the floor."""
    numbers = np.floor(numbers) if floor and dtype in INTEGERS else numbers
    return brain(numbers) if dtype == "bf16" else numbers.astype((DTYPES | COMPLEX)[dtype])


def values_out(group, dtype):
    """Out of arrays, into files, and back."""
    for form in ("one", "scalar"):
        key, a = operand(dtype, form)
        group.add("item", [key], a.ravel()[0])
    for form in ("transposed", "odd"):
        key, a = operand(dtype, form)
        for name in ("tolist", "empty_like", "save", "savez", "savez_compressed", "savetxt"):
            group.add(name, [key], a)
    key, a = operand(dtype, "transposed")
    group.add("item", [key], a[1, 2], at=[1, 2])
    key, a = operand(dtype, "reversed")
    group.add("permutation", [key], np.sort(a))
    key, a = operand(dtype, "strided")
    group.add("permutation", [key], np.sort(a))
    group.add("shuffle", [key], np.sort(a), turned=1)
    for key, a in (apart(f"{dtype} [1] apart", fill(dtype, (1,))), operand(dtype, "scalar")):
        group.add("__bool__", [key], bool(a.ravel()[0]))
        group.add("__complex__", [key], complex(a.ravel()[0]))
        if dtype not in COMPLEX:
            group.add("__float__", [key], np.float64(float(a.ravel()[0])))
            group.add("__int__", [key], np.int64(int(a.ravel()[0])))
        if dtype in ("bool", *INTEGERS):
            group.add("__index__", [key], np.int64(int(a.ravel()[0])))
    group.add("loadtxt", [], np.array([[1, 0], [3, 4]]).astype((DTYPES | COMPLEX)[dtype]), text="1 0\\n3 4\\n", to=dtype)


def products_of(group, dtype):
    (m, a), (n, b) = some(dtype, (3, 4)), some(dtype, (4, 2), "turned")
    (v, x), (w, y) = some(dtype, (4,)), some(dtype, (4,), "turned")
    (u, z) = some(dtype, (3,))
    for l, r in (((m, a), (n, b)), ((v, x), (w, y)), ((m, a), (v, x))):
        group.add("matmul", [l[0], r[0]], np.matmul(l[1], r[1]))
        group.add("dot", [l[0], r[0]], np.dot(l[1], r[1]))
        group.add("tensordot", [l[0], r[0]], np.tensordot(l[1], r[1], 1), axes=1)
    for l, r in (((m, a), (v, x)), ((v, x), (w, y))):
        group.add("inner", [l[0], r[0]], np.inner(l[1], r[1]))
        group.add("vecdot", [l[0], r[0]], np.asarray(np.vecdot(l[1], r[1])))
    group.add("vdot", [v, w], np.vdot(x, y))
    group.add("outer", [v, w], np.outer(x, y))
    group.add("matvec", [m, v], np.matvec(a, x))
    group.add("vecmat", [u, m], np.vecmat(z, a))
    group.add("kron", [m, v], np.kron(a, x))
    group.add("kron", [m, n], np.kron(a, b))
    group.add("trace", [m], np.trace(a), k=0)
    group.add("trace", [m], np.trace(a, 1), k=1)


def polynomials_of(group, dtype):
    (p, c), (q, d) = some(dtype, (4,)), some(dtype, (3,), "turned")
    key, x = some(dtype, (2, 3))
    group.add("polyval", [q, key], np.polyval(d, x))
    group.add("polyadd", [p, q], np.polyadd(c, d))
    group.add("polymul", [p, q], np.polymul(c, d))
    if dtype != "bool":
        group.add("polysub", [p, q], np.polysub(c, d))
    if dtype != "bool":
        group.add("polyder", [p], np.polyder(c).astype(c.dtype))
    group.add("polyint", [p], np.polyint(c, k=2.5).astype(inexact(c)), ulp=1, k=2.5)
    group.add("vander", [p], np.vander(c, 3), columns=3, increasing=0)
    for mode in ("full", "same", "valid"):
        group.add("convolve", [p, q], np.convolve(c, d, mode), mode=mode)
        group.add("correlate", [p, q], np.correlate(c, d, mode), mode=mode)


def inexact(a):
    return a.dtype if a.dtype.kind == "c" else real(a).dtype


def narrow(dtype):
    """How far results of functions of several steps, each of which is rounded, are from those of a longer type."""
    return 8 if dtype in NARROW else 64


def sums_of(group, dtype):
    for form in ("transposed", "reversed", "odd"):
        key, a = operand(dtype, form)
        wide = in_wide(a)
        kind = inexact(a)
        for ddof in (0, 1):
            group.add("cov", [key], np.asarray(np.cov(wide, ddof=ddof)).astype(kind), ulp=narrow(dtype), ddof=ddof)
        group.add("corrcoef", [key], np.asarray(np.corrcoef(wide)).astype(kind), ulp=narrow(dtype))
        w, weights = given(f"{key} weights", (np.abs(fill("f64", a.shape)) + 1).astype(np.float64))
        found = np.average(a, weights=weights, axis=-1)
        group.add("average", [key, w], np.asarray(np.average(wide, weights=weights, axis=-1)).astype(found.dtype), ulp=256, axis=[-1])
        group.add("trapezoid", [key], np.asarray(np.trapezoid(wide, dx=0.5, axis=-1)).astype(kind), ulp=narrow(dtype), spacing=0.5, axis=-1)


def in_wide(a):
    return a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)


def without_nan_of(group, dtype):
    """Of integers all elements are numbers."""
    a = fill(dtype, (3, 5))
    if dtype in FLOATS or dtype in COMPLEX:
        a[1, 2] = a[2, 0] = a[0, 4] = np.nan
    h, holes = apart(f"{dtype} with few NaN apart", a)
    f, factors = some(dtype, (2, 4))
    wide = in_wide(holes)
    kind = inexact(a)
    part = a.real.dtype if dtype in COMPLEX else kind
    for axis in (None, 0, -1):
        option, one = ({}, {}) if axis is None else ({"axis": [axis]}, {"axis": axis})
        for name in ("nansum", "nanmin", "nanmax"):
            result = getattr(np, name)(holes if dtype not in NARROW else wide, axis=axis)
            group.add(name, [h], np.asarray(result).astype(a.dtype) if dtype in NARROW else result, **option)
        for name in ("nanmean", "nanvar", "nanstd"):
            result = np.asarray(getattr(np, name)(wide, axis=axis)).astype(kind if name == "nanmean" else part)
            group.add(name, [h], result, ulp=64, **option)
        group.add("nanprod", [f], np.nanprod(factors, axis=axis), **option)
        group.add("nancumsum", [f], np.nancumsum(factors, axis=axis), **one)
        group.add("nancumprod", [f], np.nancumprod(factors, axis=axis), **one)
        if dtype not in COMPLEX:
            group.add("nanargmax", [h], np.asarray(np.nanargmax(holes, axis=axis)), **one)
            group.add("nanargmin", [h], np.asarray(np.nanargmin(holes, axis=axis)), **one)
        group.add("nanmedian", [h], np.asarray(np.nanmedian(wide, axis=axis)).astype(kind), ulp=4, **one)
        if dtype != "bool" and dtype not in COMPLEX:
            for q in (0.0, 0.3, 1.0):
                group.add("nanquantile", [h], np.asarray(np.nanquantile(wide, q, axis=axis)).astype(kind), ulp=narrow(dtype), q=q, **one)


def near(group, dtype):
    """Whether numbers are close, which are apart by much less or more than what is allowed."""
    key, a = some(dtype, (2, 3))
    o, other = some(dtype, (2, 3), "turned")
    for rtol, atol in ((0.25, 0.0), (0.0, 1.5)):
        options = {"rtol": rtol, "atol": atol, "equal_nan": 0}
        close = np.isclose(in_wide(a), in_wide(other), rtol=rtol, atol=atol)
        group.add("isclose", [key, o], close, **options)
        group.add("allclose", [key, o], np.asarray(close.all()), **options)
    group.add("allclose", [key, key], np.asarray(True), rtol=1e-5, atol=1e-8, equal_nan=0)


def of_complex(group, dtype):
    """Functions of complex numbers, whose errors docs/accuracy-complex.md has."""
    for form in ("transposed", "reversed", "odd"):
        key, a = operand(dtype, form)
        y, other = given(f"{key} turned", np.flip(a).copy())
        for name in ("fmax", "fmin"):
            group.add(name, [key, y], getattr(np, name)(a, other))
        low, high = given(f"{dtype} floor", np.asarray([-1 - 1j], COMPLEX[dtype])), given(f"{dtype} ceiling", np.asarray([3 + 0j], COMPLEX[dtype]))
        group.add("clip", [key, low[0], high[0]], np.clip(a, low[1], high[1]))
    # Not on the branch cuts, where the sign of a zero decides.
    parts = np.array([0.5, -1.25, 2.0, -0.75, 1.5, 0.25])
    key, z = apart(f"{dtype} off the axes apart", (parts + 1j * np.roll(parts, 2)).astype(COMPLEX[dtype]))
    for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "reciprocal",
                 "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "sinc"):
        group.add(name, [key], in_longer(getattr(np, name), z), ulp=8)
    for name in ("power", "float_power"):
        for scalar in (2, 3, -1, 0.5):
            result = in_longer(lambda z: getattr(np, name)(z, scalar), z)
            group.add(name, [key, f"scalar {scalar}"], result, ulp=16)


def of_reals(group, dtype):
    """Functions of real numbers."""
    for form in ("transposed", "odd", "reversed"):
        key, a = operand(dtype, form)
        f = real(a)
        group.add("real", [key], np.real(a))
        group.add("imag", [key], np.imag(a))
        group.add("conjugate", [key], np.conjugate(a).astype(a.dtype))
        group.add("angle", [key], np.angle(a), ulp=1)
        group.add("nan_to_num", [key], np.nan_to_num(a))
        y, other = given(f"{key} turned", np.flip(a).copy())
        g = real(other)
        group.add("heaviside", [key, y], np.heaviside(f, g))
        for name in ("fmax", "fmin"):
            group.add(name, [key, y], getattr(np, name)(a, other))
        for name in ("logaddexp", "logaddexp2"):
            group.add(name, [key, y], once(getattr(np, name), f, g), ulp=2)
        part, whole = np.modf(f)
        group.add("modf", [key], part, part=0)
        group.add("modf", [key], whole, part=1)
        group.add("fabs", [key], np.fabs(f))
        if dtype == "bf16":
            group.add("spacing", [key], np.spacing(a.astype(BF16)).astype(np.float32))
        else:
            group.add("spacing", [key], np.spacing(f))
        # At integers other than 0 rounding is all that is left.
        h, parts = apart(f"{dtype} parts of one apart", np.array([0.5, -1.25, 0.0, 2.75, 0.25]).astype(f.dtype))
        group.add("sinc", [h], np.where(parts == 0, f.dtype.type(1), once(np.sinc, parts)), ulp=8)
        group.add("divmod", [key, "scalar 3"], np.floor_divide(a, 3), part=0)
        group.add("divmod", [key, "scalar 3"], np.remainder(a, 3), part=1)
        group.add("float_power", [key, "scalar 2"], np.float_power(a, 2))
        if a.ndim == 1:
            group.add("unwrap", [key], np.unwrap(f.astype(np.float64)).astype(f.dtype), ulp=narrow(dtype), axis=0)
        p, xp = given("points", np.array([-10.0, -1.0, 0.0, 2.5, 30.0]))
        q, fp = given("values at points", np.array([3.0, -1.0, 4.0, 0.5, 7.0]))
        group.add("interp", [key, p, q], np.interp(a.astype(np.float64), xp, fp), ulp=4)
        if dtype == "bool":
            group.add("clip", [key, "scalar 0", "scalar 2"], np.clip(a, 0, 2))
            group.add("round", [key], np.round(a).astype(bool), decimals=0)


def main():
    total = 0
    for make in (unary, binary, choices, reductions, shapes, linear_algebra, creation, rounding, norms, sorting, indices, masks, counting, everyday, complex_numbers, held, picked, functions, types):
        group = (Missing if make is types else Group)(make.__name__)
        make(group)
        total += group.write()
    write_inputs()
    print(f"{total} cases, {len(INPUTS)} inputs")


main()
