"""Writes shapes.txt: what NumPy 2 makes of the shape functions.

python shapes.py   (in this folder)

A line is `name | arguments | shapes of the inputs | shapes of the results | elements`. Arguments are
lists of integers, `*` for None. Input k holds 1000 k, 1000 k + 1, .. in row-major order. Where NumPy
raises, the results are `error`. Large results are left out.
"""

import itertools
import numpy as np

SHAPES = [(), (1,), (5,), (0,), (2, 3), (3, 1), (1, 4), (3, 3), (0, 3), (3, 0), (2, 3, 4), (1, 3, 1), (2, 2, 2)]


def listed(argument):
    if argument is None:
        return "*"
    if isinstance(argument, (list, tuple)):
        return ",".join(map(str, argument)) or "-"
    return str(argument)


def line(out, name, function, arguments, shapes):
    inputs = [1000 * k + np.arange(int(np.prod(s))).reshape(s) for k, s in enumerate(shapes)]
    try:
        results = function(inputs, *arguments)
    except Exception:
        results = None
    words = [name, " ".join(map(listed, arguments)), " ".join(listed(s) for s in shapes)]
    if results is None:
        words += ["error", ""]
    else:
        if not isinstance(results, (list, tuple)):
            results = [np.asarray(results)]
        if sum(r.size for r in results) > 200:
            return
        words.append(" ".join(listed(r.shape) for r in results))
        words.append(" ".join(str(v) for r in results for v in r.ravel()))
    out.write(" | ".join(words).rstrip() + "\n")


def views(out):
    one = lambda f: lambda inputs, *arguments: f(inputs[0], *arguments)
    axes = [0, 1, -1, 2, (0, 1), (0, -1), (1, 1), (), None]
    for shape in SHAPES:
        for axis in axes:
            line(out, "flip", one(np.flip), [axis], [shape])
            if shape or not isinstance(axis, int):  # NumPy lets 0-d arrays have an axis to squeeze.
                line(out, "squeeze", one(np.squeeze), [axis], [shape])
            if axis is not None:
                line(out, "expand_dims", one(np.expand_dims), [axis], [shape])
        for order in (None, (0,), (1, 0), (2, 0, 1), (-1, 0, 1), (0, 0)):
            line(out, "transpose", one(np.transpose), [order], [shape])
        for a, b in ((0, 1), (0, -1), (1, 2), (0, 0), (0, 3)):
            line(out, "swapaxes", one(np.swapaxes), [a, b], [shape])
            line(out, "moveaxis", one(np.moveaxis), [a, b], [shape])
        for source, destination in (((0, 1), (-1, 0)), ((0, 1), (1, 0)), ((0, 0), (0, 1)), ((0, 1), (0,))):
            line(out, "moveaxis", one(np.moveaxis), [source, destination], [shape])
        for offset, rows, columns in ((0, 0, 1), (1, 0, 1), (-1, 0, 1), (9, 0, 1), (-9, 1, 0), (0, -1, 0), (1, 2, 0), (0, 1, 1), (-1, 1, 2)):
            line(out, "diagonal", one(np.diagonal), [offset, rows, columns], [shape])
        line(out, "ravel", one(np.ravel), [], [shape])
        for sections, axis in itertools.product((1, 2, 3, 0, (1,), (2, 1), (-1,), (1, 9), ()), (0, 1, -1)):
            name = "split" if not isinstance(sections, tuple) else "split_at"
            line(out, name, one(lambda a, s, x: np.split(a, list(s) if isinstance(s, tuple) else s, x)), [sections, axis], [shape])
            if not isinstance(sections, tuple):
                line(out, "array_split", one(np.array_split), [sections, axis], [shape])
    for shapes in (((2, 1), (3,)), ((2,), (3,)), ((), (2, 3)), ((2, 1), (1, 3), (2, 3)), ((0,), (1,))):
        line(out, "broadcast_arrays", lambda inputs: np.broadcast_arrays(*inputs), [], shapes)


def copies(out):
    one = lambda f: lambda inputs, *arguments: f(inputs[0], *arguments)
    joins = [[(2,), (3,)], [(2, 3), (1, 3)], [(2, 3), (2, 1), (2, 0)], [(2, 3)], [(3,), (3,), (3,)], [(), ()],
             [(2, 3), (3,)], [(2, 2, 3), (2, 1, 3)], [(0, 3), (2, 3)], [(0,), (0,)], [(2, 3), (2, 3)], [(1, 1), (2, 2)]]
    for shapes in joins:
        for axis in (0, 1, -1, 2, None):
            line(out, "concatenate", np.concatenate, [axis], shapes)
            if axis is not None:
                line(out, "stack", np.stack, [axis], shapes)
        line(out, "vstack", np.vstack, [], shapes)
        line(out, "hstack", np.hstack, [], shapes)
    for shape in SHAPES:
        for count, axis in itertools.product((0, 1, 2, 5), (0, -1, 1, None)):
            if shape or axis is None:  # NumPy lets 0-d arrays have an axis to repeat.
                line(out, "repeat", one(np.repeat), [count, axis], [shape])
        for counts in ((), (0,), (1,), (3,), (2, 2), (1, 2), (2, 1, 3), (2, 2, 2, 2), (-1,)):
            if counts != (-1,) or np.prod(shape):  # NumPy does not look at counts of no elements.
                line(out, "tile", one(np.tile), [counts], [shape])
        for shift, axis in ((1, 0), (-1, 0), (7, -1), (0, 0), (2, None), (-3, None), (0, None), (1, (0, 1)), ((1, 2), (0, 1)),
                            ((1, 2, 1), (0, 1, 2)), ((1, 1), 0), (2, (0, 0)), (1, 3), ((1, 2, 3), (0, 1)), ((1, 2), None)):
            line(out, "roll", one(np.roll), [shift, axis], [shape])
        pairs = lambda before, after: [(before, after)] * len(shape)
        widths = [pairs(0, 0), pairs(1, 0), pairs(0, 2), pairs(1, 2), pairs(5, 3), pairs(0, 11), pairs(12, 12)]
        widths += [[(k, 2 * k) for k in range(len(shape))]]
        for width in widths:
            flat = [n for pair in width for n in pair]
            for mode in ("edge", "reflect", "symmetric", "wrap"):
                line(out, mode, one(lambda a, w: np.pad(a, width, mode=mode) if len(width) else a), [flat], [shape])
            if len(width):
                line(out, "constant", one(lambda a, w: np.pad(a, width, constant_values=7)), [flat], [shape])
    line(out, "tile", one(np.tile), [(2, 1, 2, 2, 2)], [(2, 1, 2, 1, 2)])
    line(out, "edge", one(lambda a, w: np.pad(a, -1, mode="edge")), [(-1, -1)], [(3,)])


def main():
    with open("shapes.txt", "w") as out:
        views(out)
        copies(out)


if __name__ == "__main__":
    main()
