"""Runs a program of examples/ in NumPy or JAX, as `darray-cli bench` runs it: the same inputs, batches from
the start of the program, the median of the seconds per iteration, one JSON line.

    python kmeans.py --backend jax --n 100000 --iters 10 --dtype f64
"""
import argparse
import json
import os
import statistics
import time


def arguments(program, n, iters):
    """The command line, with the defaults of `bench`; sets the number of threads before NumPy is loaded."""
    parser = argparse.ArgumentParser(description=program)
    parser.add_argument("--backend", choices=["numpy", "jax"], default="numpy")
    parser.add_argument("--n", type=int, default=n)
    parser.add_argument("--iters", type=int, default=iters)
    parser.add_argument("--dtype", choices=["f64", "f32"], default="f64")
    parser.add_argument("--threads", type=int, default=1)
    chosen = parser.parse_args()
    chosen.program = program
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(chosen.threads)
    cores = sorted(os.sched_getaffinity(0))[: chosen.threads]
    os.sched_setaffinity(0, cores)
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_ENABLE_X64"] = "1"
    chosen.element = {"f64": "float64", "f32": "float32"}[chosen.dtype]
    return chosen


def library(chosen):
    """The module that plays NumPy."""
    if chosen.backend == "jax":
        import jax.numpy

        return jax.numpy
    import numpy

    return numpy


def assign(array, index, value):
    """`array[index] = value`; JAX's arrays do not change, so the array with the change."""
    if hasattr(array, "at"):
        return array.at[index].set(value)
    array[index] = value
    return array


def run(chosen, start, step, checksum, inputs=(), loops=True):
    """Times `state = step(*state, *inputs)` from `start()` on; prints the median and the checksum."""
    wait = lambda state: state
    if chosen.backend == "jax":
        import jax

        step, wait = jax.jit(step), jax.block_until_ready
    batch, least = (chosen.iters, 5) if loops else (1, max(chosen.iters, 5))

    def timed():
        state = wait(start())
        clock = time.perf_counter()
        for _ in range(batch):
            state = step(*state, *inputs)
        wait(state)
        return time.perf_counter() - clock, state

    first, _ = timed()
    timed()
    seconds = []
    while len(seconds) < least or (sum(seconds) < 0.5 and len(seconds) < 200):
        spent, state = timed()
        seconds.append(spent)
    result = {
        "program": chosen.program,
        "backend": chosen.backend,
        "n": chosen.n,
        "iters": chosen.iters,
        "dtype": chosen.dtype,
        "threads": chosen.threads,
        "first_s": first,
        "iter_s": statistics.median(seconds) / batch,
        "iter_s_min": min(seconds) / batch,
        "iter_s_max": max(seconds) / batch,
        "checksum": [float(value) for value in checksum(*state)],
    }
    print(json.dumps(result))
