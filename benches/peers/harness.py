"""Runs a program of crates/darray/examples/ in another system, as `darray-cli bench` runs it: the same inputs, batches from
the start of the program, the median of the seconds per iteration, one JSON line.

    python kmeans.py --backend jax --n 100000 --iters 10 --dtype f64

With --serve it times a batch for every line on its standard input, so that several systems take turns:
`darray-cli bench --compare`.
"""
import argparse
import json
import os
import statistics
import sys
import time

BACKENDS = ["numpy", "numexpr", "jax", "jax_loop", "numba", "torch"]


def arguments(program, n, iters):
    """The command line, with the defaults of `bench`; sets the number of threads before NumPy is loaded."""
    parser = argparse.ArgumentParser(description=program)
    parser.add_argument("--backend", choices=BACKENDS, default="numpy")
    parser.add_argument("--n", type=int, default=n)
    parser.add_argument("--iters", type=int, default=iters)
    parser.add_argument("--dtype", choices=["f64", "f32"], default="f64")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--batch", type=int, default=1, help="of a program that does not loop")
    parser.add_argument("--serve", action="store_true")
    chosen = parser.parse_args()
    # JAX with the whole batch in one function.
    chosen.whole = chosen.backend == "jax_loop"
    if chosen.whole:
        chosen.backend = "jax"
    chosen.program = program
    for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMEXPR_MAX", "NUMBA"):
        os.environ[name + ("_THREADS" if name == "NUMEXPR_MAX" else "_NUM_THREADS")] = str(chosen.threads)
    if chosen.device == "cpu":
        cores = sorted(os.sched_getaffinity(0))[: chosen.threads]
        os.sched_setaffinity(0, cores)
    elif chosen.backend not in ("jax", "torch"):
        parser.error("only jax, jax_loop and torch have GPUs here")
    os.environ["JAX_PLATFORMS"] = chosen.device
    os.environ["JAX_ENABLE_X64"] = "1"
    chosen.element = {"f64": "float64", "f32": "float32"}[chosen.dtype]
    try:
        __import__("numpy")
        __import__(chosen.backend)
    except ImportError as error:
        absent(str(error))
    if chosen.backend == "torch":
        import torch

        torch.set_num_threads(chosen.threads)
    return chosen


def absent(reason):
    """Says that there is nothing to time, and ends."""
    print(json.dumps({"absent": reason}), flush=True)
    sys.exit(3)


def library(chosen):
    """The module that plays NumPy."""
    if chosen.backend == "jax":
        import jax.numpy

        return jax.numpy
    if chosen.backend == "torch":
        import torch

        return torch
    import numpy

    return numpy


def assign(array, index, value):
    """`array[index] = value`; JAX's arrays do not change, so the array with the change."""
    if hasattr(array, "at"):
        return array.at[index].set(value)
    array[index] = value
    return array


def scalar(chosen):
    """The element type as a function, for constants in loops and in numexpr, which keep their type."""
    import numpy

    return getattr(numpy, chosen.element)


def native(chosen, value):
    """An array of the backend, with the elements of one of NumPy."""
    import numpy

    if not isinstance(value, numpy.ndarray):
        return value
    if chosen.backend == "torch":
        import torch

        return torch.from_numpy(value).to(chosen.device)
    if chosen.backend == "jax":
        import jax.numpy

        return jax.numpy.asarray(value)
    return value


def whole(step, iters, count):
    """`iters` steps of a state of `count` arrays as one function of JAX."""
    import jax

    def loop(*values):
        once = lambda _, state: step(*state, *values[count:])
        return jax.lax.fori_loop(0, iters, once, values[:count])

    return jax.jit(loop)


def run(chosen, start, step, checksum, inputs=(), loops=True, forms=None):
    """Times `state = step(*state, *inputs)` from `start()` on; prints the median and the checksum.

    `step` is for NumPy, JAX and torch.compile; `forms` has steps for other backends, by their names.
    """
    if chosen.whole and not loops:
        absent("the program does not loop")
    wait = lambda state: state
    if chosen.backend == "jax":
        import jax

        wait = jax.block_until_ready
    if chosen.device == "cuda" and chosen.backend == "torch":
        import torch

        wait = lambda state: torch.cuda.synchronize() or state
    if chosen.whole:
        step = whole(step, chosen.iters, len(start()))
    elif chosen.backend in (forms or {}):
        step = forms[chosen.backend]
    elif chosen.backend == "jax":
        step = jax.jit(step)
    elif chosen.backend == "torch":
        import torch

        step = torch.compile(step)
    elif chosen.backend != "numpy":
        absent("the program has no form for " + chosen.backend)
    convert = lambda values: tuple(native(chosen, value) for value in values)
    batch, least = (chosen.iters, 5) if loops else (chosen.batch, max(chosen.iters, 5))
    inputs = convert(inputs)

    def timed():
        state = wait(convert(start()))
        clock = time.perf_counter()
        for _ in range(1 if chosen.whole else batch):
            state = step(*state, *inputs)
        wait(state)
        return time.perf_counter() - clock, state

    first, _ = timed()
    _, state = timed()
    seconds = []
    if chosen.serve:
        print(json.dumps({"ready": True, "first_s": first}), flush=True)
        for _ in sys.stdin:
            spent, state = timed()
            seconds.append(spent)
            print(json.dumps(spent / batch), flush=True)
    else:
        while len(seconds) < least or (sum(seconds) < 0.5 and len(seconds) < 200):
            spent, state = timed()
            seconds.append(spent)
    import numpy

    host = lambda value: numpy.asarray(value.cpu() if hasattr(value, "cpu") else value)
    result = {
        "program": chosen.program,
        "backend": "jax_loop" if chosen.whole else chosen.backend,
        "device": chosen.device,
        "n": chosen.n,
        "iters": chosen.iters,
        "dtype": chosen.dtype,
        "threads": chosen.threads,
        "first_s": first,
        "iter_s": statistics.median(seconds) / batch if seconds else None,
        "iter_s_min": min(seconds) / batch if seconds else None,
        "iter_s_max": max(seconds) / batch if seconds else None,
        "checksum": [float(value) for value in checksum(*map(host, state))],
    }
    print(json.dumps(result), flush=True)
