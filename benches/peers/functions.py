"""Times NumPy's functions one by one: an expression for every line on its standard input, on one thread.

`cargo bench -p darray-benches --bench functions -- --python PATH` starts it for matrices of so many rows
and so many rounds of a turn, its arguments, and has the same arrays.
"""
import os
import sys
import time

for name in ("OMP", "OPENBLAS", "MKL"):
    os.environ[name + "_NUM_THREADS"] = "1"

import numpy as np


def arrays(side):
    """What expressions are about, for matrices of so many rows: lower case as in `benches/functions.rs`."""
    rng = np.random.default_rng(1)
    n = side * side
    a, b = rng.random(n), rng.random(n) + 0.5
    m, c = rng.random((side, side)), rng.random((100, 100, 100))
    v, s = rng.random(side), rng.random((200, 200))
    i = rng.integers(0, 1000, n)
    return {
        "np": np, "rng": rng, "n": n, "a": a, "b": b, "m": m, "c": c, "v": v, "s": s, "i": i,
        "ordered": np.sort(a), "f": a.astype("f4"), "g": b.astype("f4"), "mf": m.astype("f4"), "vf": v.astype("f4"),
        "h": a.astype("f2"), "mi": i.reshape(side, side).copy(), "vi": rng.integers(0, 1000, side),
        "j": i.astype("i4"), "u": i.astype("u1"), "t": i > 500, "at": rng.integers(0, n, n),
        "rows": rng.integers(0, side, side),
    }


def turn(code, names, rounds):
    """Seconds of each round of a turn. The first, which brings the arrays back into the caches, is not one of them."""
    spent = []
    for _ in range(1 + rounds):
        start = time.perf_counter()
        result = eval(code, names)
        spent.append(time.perf_counter() - start)
        del result
    return spent[1:]


def serve():
    side, rounds = (int(argument) for argument in sys.argv[1:])
    names = arrays(side)
    print("ready", flush=True)
    compiled = {}
    for line in sys.stdin:
        code = compiled.get(line) or compiled.setdefault(line, compile(line.strip(), "<line>", "eval"))
        print(*turn(code, names, rounds), flush=True)


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve()
