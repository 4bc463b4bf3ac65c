"""Times NumPy's functions one by one, or CuPy's: an expression for every line on its standard input, on one thread.

`cargo bench -p darray-benches --bench functions -- --python PATH` starts it for matrices of so many rows
and columns and so many rounds of a turn, its arguments, and has the same arrays. A fourth argument, `cupy`, has them on
the current GPU, and each expression ends when the GPU has done it.
"""
import os
import sys
import time

for name in ("OMP", "OPENBLAS", "MKL"):
    os.environ[name + "_NUM_THREADS"] = "1"

if sys.argv[4:] == ["cupy"]:
    import cupy as np

    wait = np.cuda.Device().synchronize
else:
    import numpy as np

    def wait():
        """Nothing is left to be done."""


def arrays(rows, columns):
    """What expressions are about, for matrices of so many rows and columns: lower case as in `benches/functions.rs`."""
    rng = np.random.default_rng(1)
    n = rows * columns
    a, b = rng.random(n), rng.random(n) + 0.5
    m, k = rng.random((rows, columns)), rng.random((columns, columns))
    c = rng.random((100, 100, 100) if rows == columns else (100, rows // 100, columns))
    v, e, s = rng.random(columns), rng.random(rows), rng.random((200, 200))
    i = rng.integers(0, 1000, n)
    return {
        "np": np, "rng": rng, "n": n, "a": a, "b": b, "m": m, "k": k, "c": c, "v": v, "e": e, "s": s, "i": i,
        "ordered": np.sort(a), "f": a.astype("f4"), "g": b.astype("f4"), "mf": m.astype("f4"), "kf": k.astype("f4"),
        "vf": v.astype("f4"),
        "h": a.astype("f2"), "mi": i.reshape(rows, columns).copy(), "vi": rng.integers(0, 1000, columns),
        "ei": rng.integers(0, 1000, rows),
        "j": i.astype("i4"), "u": i.astype("u1"), "t": i > 500, "at": rng.integers(0, n, n),
        "rows": rng.integers(0, rows, rows), "columns": rng.integers(0, columns, columns),
    }


def turn(code, names, rounds):
    """Seconds of each round of a turn. The first, which brings the arrays back into the caches, is not one of them."""
    spent = []
    for _ in range(1 + rounds):
        start = time.perf_counter()
        result = eval(code, names)
        wait()
        spent.append(time.perf_counter() - start)
        del result
    return spent[1:]


def serve():
    rows, columns, rounds = (int(argument) for argument in sys.argv[1:4])
    names = arrays(rows, columns)
    print("ready", flush=True)
    compiled = {}
    for line in sys.stdin:
        code = compiled.get(line) or compiled.setdefault(line, compile(line.strip(), "<line>", "eval"))
        try:
            print(*turn(code, names, rounds), flush=True)
        except Exception as error:
            # CuPy lacks some.
            print("error:", " ".join(str(error).split()), flush=True)


if __name__ == "__main__":
    if np.__name__ == "numpy":
        np.seterr(all="ignore")
    serve()
