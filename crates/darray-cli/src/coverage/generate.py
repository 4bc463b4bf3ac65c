"""Writes the lists of names and NumPy's values for the rows in rows/.

    pip install numpy
    python generate.py            (in this folder)

numpy.txt are the public callables of NumPy and of its linalg, fft and random, and the methods of its arrays; of two names
of one module that are built in to Python, too (`np.abs`, `np.max`), only the longer ones, and no tests. values.txt is what NumPy
gives for each row, with the arrays of rows/given.rs. (array_api.txt are the entries of the array API standard 2024.12, in the order of its documents.)
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


pathlib.Path("numpy.txt").write_text("".join(f"{name}\n" for name in names()))

given = {"np": np, "io": io}
for name, python in rows("rows/given.rs"):
    given[name] = eval(python, given)
lines = []
for path in sorted(pathlib.Path("rows").glob("*.rs")):
    if path.name != "given.rs":
        lines += [f"{name} = {show(eval(python, dict(given)))}\n" for name, python in rows(path)]
pathlib.Path("values.txt").write_text("".join(lines))
print(len(lines), "rows")
