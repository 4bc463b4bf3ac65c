"""Writes the tables that the tests compare with, using NumPy 2 and ml_dtypes.

python generate.py   (in this folder)
"""

import random
import ml_dtypes
import numpy as np

NAMES = {np.dtype(np.bool_): "bool", np.dtype(np.int8): "i8", np.dtype(np.uint8): "u8", np.dtype(np.int16): "i16",
         np.dtype(np.uint16): "u16", np.dtype(np.int32): "i32", np.dtype(np.uint32): "u32",
         np.dtype(np.int64): "i64", np.dtype(np.uint64): "u64", np.dtype(np.float16): "f16",
         np.dtype(ml_dtypes.bfloat16): "bf16", np.dtype(np.float32): "f32",
         np.dtype(np.float64): "f64", np.dtype(np.complex64): "complex64", np.dtype(np.complex128): "complex128"}
SCALARS = {"bool": True, "i64": 3, "f64": 2.5, "complex128": 1j}


def common(a, b):
    """The type of two arrays. Of bf16 and wider integers NumPy knows none, and adds in the floats of these."""
    if ml_dtypes.bfloat16 in (a, b):
        return (np.ones(1, a) + np.ones(1, b)).dtype
    return np.result_type(a, b)


def weak(a, scalar):
    """The type of an array and a scalar. ml_dtypes has f32 beside a float; here bf16 is as other floats."""
    if a == ml_dtypes.bfloat16 and isinstance(scalar, float):
        return a
    return np.maximum(np.ones(1, a), scalar).dtype


def function(a, b):
    """The type of a function of two arrays, as all of its kind give it."""
    [one] = {f(np.ones(1, a), np.ones(1, b)).dtype for f in (np.arctan2, np.hypot, np.copysign, np.nextafter, np.logaddexp)}
    return one


def promotion(out):
    for a, x in NAMES.items():
        for b, y in NAMES.items():
            out.write(f"promote {x} {y} {NAMES[common(a, b)]}\n")
            q = np.true_divide(np.ones(1, a), np.ones(1, b)).dtype
            out.write(f"divide {x} {y} {NAMES[q]}\n")
        for k, s in SCALARS.items():
            out.write(f"weak {x} {k} {NAMES[weak(a, s)]}\n")
        out.write(f"sum {x} {NAMES[np.ones(1, a).sum().dtype]}\n")
        out.write(f"mean {x} {NAMES[np.ones(1, a).mean().dtype]}\n")
        # Small floats of small integers.
        out.write(f"function {x} {NAMES[np.sqrt(np.ones(1, a)).dtype]}\n")
        for b, y in NAMES.items():
            if a.kind != "c" and b.kind != "c":
                out.write(f"function {x} {y} {NAMES[function(a, b)]}\n")


def item(rng):
    """One index in text (`_` is a missing bound, N a new axis) and as NumPy's object."""
    kind = rng.random()
    if kind < 0.25:
        i = rng.randint(-3, 2)
        return str(i), i
    if kind < 0.35:
        return "N", None
    bound = lambda: rng.choice([None] + list(range(-6, 7)))
    a, b, s = bound(), bound(), rng.choice([-3, -2, -1, 1, 1, 1, 2, 3])
    text = lambda v: "_" if v is None else str(v)
    return f"{text(a)}:{text(b)}:{s}", slice(a, b, s)


def slices(out, count):
    """`index | shape | elements` of random indices of arange(24).reshape(2, 3, 4)."""
    rng, a, done = random.Random(1), np.arange(24).reshape(2, 3, 4), 0
    while done < count:
        items = [item(rng) for _ in range(rng.randint(0, 5))]
        if rng.random() < 0.3:
            items.insert(rng.randint(0, len(items)), ("E", ...))
        try:
            v = a[tuple(i for _, i in items)]
            result = " ".join(map(str, v.shape)) + "|" + " ".join(map(str, v.ravel()))
        except IndexError:
            result = "error"
        out.write(",".join(t for t, _ in items) + "|" + result + "\n")
        done += 1


if __name__ == "__main__":
    with open("promotion.txt", "w") as f:
        promotion(f)
    with open("slices.txt", "w") as f:
        slices(f, 3000)
