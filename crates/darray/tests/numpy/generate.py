"""Writes what the tests compare with, using NumPy 2 and ml_dtypes.

python generate.py   (in this folder)
"""

import ast
import io
import math
import random as dice
import re
import warnings
from fractions import Fraction
from statistics import NormalDist

import numpy as np

NAMES = {"bool": "bool", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64",
         "float16": "f16", "float32": "f32", "float64": "f64"}

# Where NumPy keeps what is not public of np.lib.format.
FORMAT = getattr(np.lib, "_format_impl", np.lib.format)


def text(values):
    return " ".join(repr(v.item()).lower() for v in values.ravel())


def case(out, a, source=None):
    """`dtype shape source`, the text that NumPy prints, and a line of dashes."""
    a = np.asarray(a)
    if source is None:
        source = text(a)
    shape = ",".join(map(str, a.shape)) or "()"
    out.write(f"{NAMES[str(a.dtype)]} {shape} {source}\n{a!s}\n----\n")


def display(out):
    f, g, h = np.float64, np.float32, np.float16
    rng = np.random.default_rng(3)
    for v in (0.0, -0.0, 1.5, 0.1 + 0.2, 1e16, 1e15, 1e-4, 1e-5, -1e300, 123456789.125, np.nan, np.inf, -np.inf):
        case(out, f(v))
    for v in (0.1, 16777216.0, 1e-5, 3.4e38, 1.5):
        case(out, g(v))
    for v in (0.0, -0.0, 0.1, 1000.0, 999.5, 65504.0, -65504.0, 1e-4, 6e-5, 6e-8, 2049.0, 1 / 3, np.nan, -np.inf):
        case(out, h(v))
    # As near to one text as to another: the even digit.
    ties = [390503.125, 390503.375, -390503.125, 524288.125, 2098152.5 / 4, 2.0**-20, 1e6 + 0.5]
    for v in ties:
        case(out, g(v))
    case(out, np.array(ties, g))
    case(out, np.array([390503.125, 1.5], g))
    case(out, f(2.0**60 + 2.0**8))
    case(out, f(1125899906842624.125))
    case(out, np.int64(-7))
    case(out, np.bool_(True))
    case(out, np.array([], f))
    case(out, np.zeros((0, 3)))
    case(out, [True, False])
    case(out, [[True], [True]])
    case(out, [1, -20, 300])
    case(out, [-(2**63), 2**63 - 1])
    case(out, np.uint8(200))
    case(out, np.int32(-7))
    case(out, np.array([7, 255, 0], np.uint8))
    case(out, np.array([[-(2**31), 2**31 - 1], [0, 5]], np.int32))
    case(out, np.arange(2000, dtype=np.uint8), "arange")
    case(out, np.arange(2000, dtype=np.int32).reshape(500, 4), "arange")
    for values in ([1, 2.5, -3], [1e-5, 1], [1e8, 1], [1e7, 1], [1000.5, 1], [1001.5, 1], [0, 0],
                   [1 / 3, 2 / 3], [1e-10, 1e10], [np.nan, 1], [np.inf, -np.inf], [np.nan, -np.inf, 100.25],
                   [1e100, 1e-100, np.nan], [0.1, 0.123456789], [5e-324, 1.0], [123456.789, 0.5],
                   [1e-4, 0.05], [99999999.0, 5e7], [0.00012345678912345, 0.1]):
        case(out, np.array(values, f))
        with np.errstate(all="ignore"):
            case(out, np.array(values, f).astype(g))
            case(out, np.array(values, f).astype(h))
    case(out, rng.random((3, 4)))
    case(out, rng.random((2, 2, 3)).astype(g))
    case(out, np.linspace(-3, 700, 35).astype(h).reshape(5, 7))
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


def display_options(out):
    rng = np.random.default_rng(5)
    arrays = [
        (np.array([1 / 3, 1e-9, 2.0]), None),
        (np.array([1e-5, 1234.5, np.nan]), None),
        (np.array([1e9, 1e-9]), None),
        (rng.random((3, 30)).astype(np.float32), None),
        (np.array([0.1, 1e-3, 5e-4], np.float16), None),
        (np.arange(60).reshape(3, 20), "arange"),
        (np.arange(5000.0), "arange"),
        (np.arange(400).reshape(20, 20), "arange"),
    ]
    options = [{"precision": 3}, {"precision": 0}, {"precision": 17}, {"suppress": True}, {"suppress": True, "precision": 2},
               {"threshold": 10}, {"threshold": 10, "edgeitems": 1}, {"threshold": 100000}, {"edgeitems": 7, "threshold": 50},
               {"linewidth": 20}, {"linewidth": 200}, {"linewidth": 3}]
    for given in options:
        values = {"precision": 8, "suppress": False, "threshold": 1000, "edgeitems": 3, "linewidth": 75} | given
        for a, source in arrays:
            with np.printoptions(**values):
                out.write(",".join(str(int(v)) for v in values.values()) + " ")
                case(out, a, source)


VALUES = {
    "bool": [False, True],
    "uint8": [0, 1, 2, 7, 127, 128, 200, 254, 255],
    "int8": [0, 1, -1, 2, 7, -3, 100, 127, -127, -128],
    "int16": [0, 1, -1, 2, 7, -3, 127, 128, -129, 255, 1000, 2**15 - 1, -(2**15)],
    "uint16": [0, 1, 2, 7, 127, 128, 255, 256, 1000, 2**15 - 1, 2**15, 2**16 - 2, 2**16 - 1],
    "uint32": [0, 1, 2, 7, 255, 256, 65535, 65537, 2**31 - 1, 2**31, 3000000007, 2**32 - 2, 2**32 - 1],
    "int32": [0, 1, -1, 2, 7, -3, 255, 256, -128, 65537, 2**31 - 1, -(2**31)],
    "int64": [0, 1, -1, 7, -3, 300, 2**31, -(2**31) - 1, 2**53 + 1, 2**54 + 2**30 + 1, 2**63 - 1, -(2**63)],
    "uint64": [0, 1, 2, 7, 255, 300, 2**32 - 1, 2**53 + 1, 2**54 + 2**30 + 1, 2**63 - 1, 2**63, 2**63 + 1025, 2**64 - 1],
    "float16": [0.0, -0.0, 1.0, -1.0, 0.5, 1.9, -1.9, 127.9, 255.0, 6e-8, 6e-5, 2049.0, 65504.0, np.inf, -np.inf, np.nan],
    "float32": [0.0, -0.0, 1.0, -1.0, 0.5, 1.9, -1.9, 127.9, 255.0, 1e-45, 3e7, -2e9, 2e18, np.inf, -np.inf, np.nan,
                2048.5, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 65519.0, 65520.0, 2.0**-25, 3 * 2.0**-25],
    "float64": [0.0, -0.0, 1.0, -1.0, 0.5, 1.9, -1.9, 127.9, 255.0, 5e-324, 1e-46, 16777217.0, -2147483648.0,
                2147483647.0, 9e18, 1e300, np.inf, -np.inf, np.nan, 1 + 2.0**-11 + 2.0**-40, 2.0**-25 + 2.0**-60,
                65519.99999999],
}
OPERATIONS = ["add", "subtract", "multiply", "divide", "remainder", "minimum", "maximum", "bitwise_and", "bitwise_or",
              "bitwise_xor", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]
FUNCTIONS = ["negative", "absolute", "invert", "sum", "prod", "min", "max", "argmin", "argmax", "mean"]


def integers(out):
    """`values dtype elements` once per dtype, then operations of them:

    `cast from to result` (of the values that the result type can hold),
    `operation a b dtype result` of every pair of values, or `refused`,
    `function a dtype result`.
    """
    arrays = {d: np.array(v, d) for d, v in VALUES.items()}
    for d, a in arrays.items():
        out.write(f"values {NAMES[d]} {text(a)}\n")
    for d, a in arrays.items():
        for e in VALUES:
            fits = np.ones(a.shape, bool)
            if d.startswith("float") and "int" in e:
                i = np.iinfo(e)
                fits = np.isfinite(a) & (np.trunc(a) >= float(i.min)) & (np.trunc(a) < float(i.max) + 1)
                fits &= ~(e.startswith("u") & (a < 0))
            with np.errstate(all="ignore"):
                out.write(f"cast {NAMES[d]} {NAMES[e]} {text(a[fits].astype(e))}\n")
    whole = ["bool", "uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
    for d in whole:
        for e in whole:
            x = np.repeat(arrays[d], len(arrays[e]))
            y = np.tile(arrays[e], len(arrays[d]))
            for name in OPERATIONS:
                if d == e == "bool" and name in ("subtract", "remainder"):
                    continue
                try:
                    with np.errstate(all="ignore"):
                        z = getattr(np, name)(x, y)
                except TypeError:
                    out.write(f"{name} {NAMES[d]} {NAMES[e]} refused\n")
                    continue
                out.write(f"{name} {NAMES[d]} {NAMES[e]} {NAMES[str(z.dtype)]} {text(z)}\n")
        for name in FUNCTIONS:
            if d == "bool" and name == "negative":
                continue
            with np.errstate(all="ignore"):
                z = getattr(np, name)(arrays[d])
            z = np.asarray(z)
            out.write(f"{name} {NAMES[d]} {NAMES[str(z.dtype)]} {text(z)}\n")


def random(out):
    """`generator seed n`, then draw n as i64, f64 and f32."""
    for name, generator in (("pcg64", np.random.PCG64), ("philox", np.random.Philox)):
        for seed in (0, 1, 42, 2**32 - 1, 2**32, 2**63 + 12345):
            bits = generator(seed).random_raw(100_001).astype(np.int64)
            doubles = np.random.Generator(generator(seed)).random(100_001)
            singles = np.random.Generator(generator(seed)).random(100_001, dtype=np.float32)
            for n in (0, 1, 2, 7, 63, 1024, 99_999, 100_000):
                out.write(f"{name} {seed} {n} {bits[n]} {doubles[n].item()!r} {singles[n]!s}\n")


def distributions(out):
    """`generator seed n`, then of draw n: uniform(-2.5, 1e3), integers(-7, 10**12), standard normal,
    standard exponential. NumPy's numbers, but for the last three: what the docs of darray say of its
    raw bits."""
    for name, generator in (("pcg64", np.random.PCG64), ("philox", np.random.Philox)):
        for seed in (0, 1, 42, 2**63 + 12345):
            bits = generator(seed).random_raw(2000)
            uniform = np.random.Generator(generator(seed)).uniform(-2.5, 1e3, 2000)
            for n in (*range(20), 1023, 1999):
                draw = int(bits[n])
                integer = -7 + (draw * (10**12 + 7) >> 64)
                lower = Fraction(2 * (draw % 2**63) + 1)
                normal = NormalDist().inv_cdf(float(lower / 2**65))
                normal = normal if draw >= 2**63 else -normal
                exponential = -math.log(float(lower / 2**64))
                out.write(f"{name} {seed} {n} {uniform[n].item()!r} {integer} {normal!r} {exponential!r}\n")


def npy(array, version=None):
    """The bytes of a .npy file."""
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asanyarray(array), version)
    return out.getvalue()


def interleaved(out):
    """`generator seed`, then the draws of one stream, each `dtype;shape;values`: halves that are left wait for the next f32."""
    shapes = [(), (1,), (2,), (3,), (2, 3), (5, 1), (0,), (7,)]
    for name, make in (("pcg64", np.random.PCG64), ("philox", np.random.Philox)):
        for seed in (0, 1, 42, 2**64 - 1):
            choose = np.random.default_rng(seed ^ 5)
            rng = np.random.Generator(make(seed))
            out.write(f"{name} {seed}\n")
            first = [("f32", (1,)), ("f64", (1,)), ("f32", (1,)), ("f64", (1,))]
            drawn = [(("f32", "f64")[choose.integers(2)], shapes[choose.integers(len(shapes))]) for _ in range(40)]
            for dtype, shape in first + drawn:
                x = rng.random(shape, dtype={"f32": np.float32, "f64": np.float64}[dtype])
                values = " ".join(repr(float(v)) for v in np.asarray(x).ravel())
                out.write(f"{dtype};{','.join(map(str, shape))};{values}\n")


def files(out):
    """`name;type;shape;values;bytes`, or `name;refused;what the error says;;bytes`."""
    # It adds names to NumPy's, which `headers` asks for before.
    import ml_dtypes

    ours = NAMES

    def good(name, array, data):
        kind = ours[array.dtype.newbyteorder("=").name]
        shape = ",".join(map(str, array.shape))
        values = " ".join(repr(v).lower() for v in array.ravel().tolist())
        out.write(f"{name};{kind};{shape};{values};{data.hex()}\n")

    def bad(name, array, reason):
        out.write(f"{name};refused;{reason};;{npy(array).hex()}\n")

    values = np.array([[0, 1, 2.5], [-3, 1e3, 0]])
    for name in ours:
        small = np.abs(values) % 100 if name in ("int8", "uint8", "uint16") else values
        a = small.astype(name)
        good(f"{name}", a, npy(a))
        good(f"{name} fortran", a, npy(np.asfortranarray(a)))
        good(f"{name} other order", a, npy(a.astype(a.dtype.newbyteorder(">"))))
        good(f"{name} other order, fortran", a, npy(np.asfortranarray(a.astype(a.dtype.newbyteorder(">")))))
    # NumPy writes what it does not know as raw bytes.
    a = values.astype(ml_dtypes.bfloat16)
    for name, data in (("bfloat16", npy(a)), ("bfloat16 fortran", npy(np.asfortranarray(a)))):
        out.write(f"{name};bf16;2,3;{' '.join(repr(float(v)) for v in a.ravel())};{data.hex()}\n")
    a = np.arange(24.0).reshape(2, 3, 4)
    good("three axes", a, npy(a))
    good("three axes, fortran", a, npy(np.asfortranarray(a)))
    good("no axes", np.array(0.1), npy(np.array(0.1)))
    good("no elements", np.zeros((2, 0, 3)), npy(np.zeros((2, 0, 3))))
    good("one axis", np.array([7, -8]), npy(np.array([7, -8])))
    good("special values", np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324]), npy(np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324])))
    good("version 2.0", a, npy(a, (2, 0)))
    good("version 3.0", a, npy(a, (3, 0)))
    good("more data behind", np.array([1.5]), npy(np.array([1.5])) + b"more")
    bad("objects", np.array([{}], object), "byte 20: element type '|O' (Python objects) is none of")
    bad("text", np.array(["ab"]), "byte 20: element type '<U2' (text) is none of")
    bad("bytes", np.array([b"ab"]), "byte 20: element type '|S2' (byte strings of 2 bytes) is none of")
    bad("dates", np.zeros(2, "M8[s]"), "byte 20: element type '<M8[s]' (dates) is none of")
    bad("fields", np.zeros(2, [("x", "f8"), ("y", "i4")]), "byte 20: elements with fields are not read")


def header_code(text):
    """The element type that a header says, as it stands there."""
    text = text.decode("latin1").lstrip(" \t")
    try:
        return ast.literal_eval(text)["descr"]
    except SyntaxError:
        return ast.literal_eval(FORMAT._filter_header(text))["descr"]


def verdict(header, version):
    """What NumPy makes of a file with this header and as much data as it needs: `type;shape`, or `refused`, as for types
    that we have not. None for headers that we read and NumPy does not: those with an indented line before the dictionary."""
    ours = dict(NAMES, complex64="complex64", complex128="complex128")
    text = header.encode("utf-8" if version == 3 else "latin1")
    if re.match(r"\s*[\n\r][ \t]", header):
        return None
    size = len(text).to_bytes(2 if version == 1 else 4, "little")
    start = b"\x93NUMPY" + bytes([version, 0]) + size + text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rest = io.BytesIO(start[8:])
            shape, _, dtype = FORMAT._read_array_header(rest, (version, 0))
            count = math.prod(shape)
            if count > 1 << 20:
                return None
            a = np.load(io.BytesIO(start + bytes(count * dtype.itemsize)))
    except Exception:
        return "refused"
    name = ours.get(a.dtype.newbyteorder("=").name)
    # Lists of types and arrays of one, which NumPy reads.
    code = header_code(text)
    if not isinstance(code, str) or re.match(r"[<>=|]?[\d(]", code):
        name = None
    return f"{name};{','.join(map(str, a.shape))}" if name else "refused"


def headers(out):
    """`version;header;type;shape` or `version;header;refused`, headers in hexadecimal."""
    known = []
    good = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }"
    shapes = """(+1,) ((3),) ((3,)) (01,) (00,) (0_1,) (1_0,) (1__0,) (1_,) (0x3,) (0X_1f,) (0b11,) (0o17,) (0o8,) (0x,) (-0,)
        (-1,) (True,) (3) [3] (3L,) (0x3L,) (3l,) (03L,) (3LL,) (+(3),) (-(0),) (++3,) (+(+3),) (+True,) ((3),(2)) (3.,) (3.0,)
        (3e1,) (3j,) () (()) (,) (3,,) ((),) (~3,) (3+0,) (3)*1 (None,) ('3',) 3, (3,2 (3,2)) (3if) (3or) (1,0) (0,) (3_,2)"""
    for shape in [*shapes.split(), "(3 L,)", "(+ 3,)", "(3 #c\n,)", "(3,\\\n2)", "\f(3,)", "\v(3,)", "(3 2)", "(\t3\r\n,)", "(3\xa0,)"]:
        known += [good % ("'<f8'", "False", shape)]
    for code in [*"? B b i l n p q e f d F D g G h H I L Q O S U V a c f08 f+8 f-8 f0 ?1 d8 e2 i08 b01 <? >? |d =d >d <<f8 u8 u1".split(),
                 "f 8", "f\t8", "f8 ", " f8", "", "<", *np._core.sctypeDict, "<float64", "Float64", "float6", "float128", "1f8", "f8,"]:
        if isinstance(code, str):
            known += [good % (repr(code), "False", "(2,)")]
    for code in ["u'<f8'", "U'<f8'", "r'<f8'", "R'<f8'", "b'<f8'", "ur'<f8'", "f'<f8'", "'<' 'f8'", "'<' #c\n u'f8'", "('<f8')",
                 "'\\x3cf8'", "r'\\x3cf8'", "'\\74f8'", "'\\u003cf8'", "'\\U0000003cf8'", "'\\N{LESS-THAN SIGN}f8x'", "'\\x3'", "'<f8\\\n'",
                 "\"<f8\"", "\"\"\"<f8\"\"\"", "'''<f8'''", "'<f8", "<f8", "None", "8", "'<f8'\n", "'<f8' 'x'", "'<\nf8'", "'f8\0'"]:
        known += [good % (code, "False", "(2,)")]
    for truth in ["True", "(True)", "( False )", "0", "None", "true", "'True'", "True1", "True\xe9", "+True", "not True"]:
        known += [good % ("'<f8'", truth, "(2,3)")]
    base = good % ("'<f8'", "True", "(2, 3)")
    known += [base + end for end in ("\n", " #c", " # \xe9", "\n \t \n", ",", ";", " x", "\\\n", "\0", "}", ")")]
    known += [start + base for start in (" \t", "\n", "\f", "#c\n", "\\\n", "(", "+", "dict")]
    known += ["(" + base + ")", "((" + base + "\n))", base.replace("'descr'", "('descr')"), base.replace("'shape'", "u'sh' 'ape'")]
    known += [base.replace("{", "{'descr': 'f4',"), base.replace("}", "'descr': 'f4'}"), base.replace("}", "'x': 1}"), base.replace("}", ",}")]
    known += [good % ("'f8'", "False", "(" * n + "1," + ")" * n) for n in (100, 190, 250)]
    random = dice.Random(5)
    bases = [base, good % ("'>i4'", "False", "(3L, 0x2)"), good % ("u'?'", "(True)", "((1),+2)"), "{'shape':(),'descr':'c16','fortran_order':False}"]
    pieces = [*" \t\n\f()+-0123Lxbor_,.:[]{}'\"\\#uU=<>|?", "#c\n", "\\\n", "''", "0x", "\\x", "()", "True", "\xe9", "\0", "(1)", "L,"]
    while len(known) < 2200:
        header = random.choice(bases)
        for _ in range(random.choice([1, 1, 2])):
            at = random.randrange(len(header) + 1)
            keep = at + random.choice([0, 0, 1])
            header = header[:at] + random.choice(pieces + [""]) + header[keep:]
        known.append(header)
    refused = 0
    for number, header in enumerate(dict.fromkeys(known)):
        version = 1 if number < 300 else random.choice([1, 2, 3])
        found = verdict(header, version)
        refused += found == "refused"
        # Most changes are refused for a like reason.
        if found and (number < 300 or found != "refused" or refused % 3 == 0):
            text = header.encode("utf-8" if version == 3 else "latin1")
            out.write(f"{version};{text.hex()};{found}\n")


def archives():
    """numpy.npz and numpy_compressed.npz; and reads what darray wrote, ours.npz and ours_compressed.npz."""
    arrays = {"x": np.arange(6.0).reshape(2, 3), "mask": np.array([True, False]), "n": np.array(7)}
    np.savez("numpy.npz", **arrays)
    np.savez_compressed("numpy_compressed.npz", **arrays)
    for name in ("ours.npz", "ours_compressed.npz"):
        with np.load(name) as ours:
            assert list(ours) == list(arrays), name
            for key, wanted in arrays.items():
                assert ours[key].dtype == wanted.dtype and np.array_equal(ours[key], wanted), (name, key)


if __name__ == "__main__":
    with open("display.txt", "w") as f:
        display(f)
    with open("display_options.txt", "w") as f:
        display_options(f)
    with open("integers.txt", "w") as f:
        integers(f)
    with open("random.txt", "w") as f:
        random(f)
    with open("interleaved.txt", "w") as f:
        interleaved(f)
    with open("distributions.txt", "w") as f:
        distributions(f)
    with open("headers.txt", "w") as f:
        headers(f)
    with open("files.txt", "w") as f:
        files(f)
    archives()
