"""Writes the lists of names, NumPy's values for the rows in rows/, and the element types that NumPy takes.

    pip install numpy
    python generate.py            (in this folder)

numpy.txt are the public callables of NumPy and of its linalg, fft and random, and the methods of its arrays; of two names
of one module that are built in to Python, too (`np.abs`, `np.max`), only the longer ones, and no tests. values.txt is what NumPy
gives for each row, with the arrays of rows/given.rs. taken.txt has the element types with which NumPy evaluates a row's expression:
those to which its arrays can be cast, or that the function takes as `dtype` where there are no arrays. (array_api.txt are the entries of the array API standard 2024.12, in the order of its documents.)
"""

import inspect
import io
import pathlib
import re
import warnings

import numpy as np

warnings.filterwarnings("ignore")
np.seterr(all="ignore")

LEFT_OUT = {
    "np": {"abs", "bitwise_not", "iterable", "max", "min", "round", "size", "test"},
    "ndarray": {"max", "min", "round"},
    "np.linalg": {"test"},
    "np.fft": {"test"},
    "np.random": {"test"},
}
NAMES = {"bool": "bool", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32",
         "int64": "i64", "uint64": "u64", "float16": "f16", "float32": "f32", "float64": "f64",
         "complex64": "complex64", "complex128": "complex128"}


def names():
    spaces = {"np": np, "ndarray": np.ndarray, "np.linalg": np.linalg, "np.fft": np.fft, "np.random": np.random}
    for space, found in spaces.items():
        for name in dir(found):
            value = getattr(found, name)
            if name.startswith("_") or not callable(value) or name in LEFT_OUT[space]:
                continue
            if inspect.isclass(value) and issubclass(value, Exception) and space == "np":
                continue
            yield f"{space}.{name}"


def show(value):
    """Each part as `type [shape] elements`."""
    if isinstance(value, (list, tuple)):
        return " ; ".join(show(part) for part in value)
    if isinstance(value, type) and issubclass(value, np.generic):
        value = np.dtype(value)
    if isinstance(value, np.dtype):
        return f"dtype {NAMES.get(value.name, value.name)}"
    if isinstance(value, str):
        return f"text {value}".replace("\n", " ")
    if isinstance(value, bool) and not isinstance(value, np.generic):
        return f"bool {str(value).lower()}"
    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, complex) and not isinstance(value, np.generic):
        return f"complex {value.real!r} {value.imag!r}"
    if value is None:
        return "nothing"
    array = np.asarray(value)
    parts = array.astype(np.complex128).ravel()
    elements = [repr(float(part)) for z in parts for part in (z.real, z.imag)]
    if array.dtype.kind != "c":
        elements = elements[::2]
    return f"{NAMES[array.dtype.name]} {list(array.shape)} {' '.join(elements)}".rstrip()


def rows(path):
    """Names and NumPy's expressions."""
    text = pathlib.Path(path).read_text()
    for name, python in re.findall(r'^    "?([\w.]+)"?[,:] [^\n]*=> "((?:[^"\\]|\\.)*)";$', text, re.M):
        yield name, python.replace('\\\\', '\\')


TYPES = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
         "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64,
         "complex64": np.complex64, "complex128": np.complex128}


def arrays_of(python):
    """Which of the arrays of rows/given.rs an expression has; a mask beside others chooses among their elements, and stays."""
    found = [name for name in arrays if re.search(rf"(?<![\w.'\"\\]){name}\b(?!=)", python)]
    return [name for name in found if name != "m"] or found


def is_taken(python, dtype):
    """Whether NumPy evaluates an expression with arrays of this element type, or to one. What leaves out imaginary parts is not taken."""
    found = arrays_of(python)
    values = given | {name: given[name].astype(dtype) for name in found}
    if not found:
        python = re.sub(r", dtype=[\w.]+", "", python)
        python = re.sub(r"\)(\.shape)?$", r", dtype=T)\1", python)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            return eval(python, values | {"T": dtype}) is not NotImplemented
    except (AttributeError, TypeError, ValueError, np.exceptions.ComplexWarning):
        return False


def taken():
    """Lines `name of arrays: types`, or `name makes: types` of functions that make arrays of nothing. NumPy's bf16 is f32."""
    for name, python in all_rows():
        found = [t for t, dtype in TYPES.items() if is_taken(python, dtype)]
        if "f32" in found:
            found.insert(found.index("f32"), "bf16")
        if arrays_of(python):
            yield f"{name} of arrays: {' '.join(found)}\n"
        elif re.fullmatch(r"np\.\w+\(.*\)(\.shape)?", python):
            made = eval(python, dict(given))
            # Without an argument `dtype` the type of the result is the only one.
            if not found and isinstance(made, np.ndarray):
                found = [NAMES[made.dtype.name]]
            if found:
                yield f"{name} makes: {' '.join(found)}\n"


def all_rows():
    for path in sorted(pathlib.Path("rows").glob("*.rs")):
        if path.name != "given.rs":
            yield from rows(path)


pathlib.Path("numpy.txt").write_text("".join(f"{name}\n" for name in names()))

given, arrays = {"np": np, "io": io}, []
for name, python in rows("rows/given.rs"):
    given[name] = eval(python, given)
    arrays.append(name)
lines = [f"{name} = {show(eval(python, dict(given)))}\n" for name, python in all_rows()]
pathlib.Path("values.txt").write_text("".join(lines))
pathlib.Path("taken.txt").write_text("".join(taken()))
print(len(lines), "rows")
