"""The measured errors as a document."""

HEAD = """# Accuracy

Distances of the elementary functions from the true values (MPFR), in units of the last place of the
true value: the worst over the number of points given, which cover all magnitudes, denormals, and the
interesting ranges densely. Results do not depend on the executor, so this holds for all of them. The promise is
2 ulp, and 3 for `pow` and `erf`. Special values are zeros, infinities, NaN, the ends of the ranges and
their combinations.

The command prints the table and writes this page, after

```text
python3 -m venv VENV && VENV/bin/pip install numpy gmpy2
cargo build --release -p darray-kernel --example evaluate
```

command: `VENV/bin/python tests/ulp/measure.py --write docs/accuracy.md`

| operator | type | worst, ulp | at | points | special values |
|---|---|---|---|---|---|
"""

EXACT = """
These operators round once or not at all, and give NumPy's bits.

command: as above

| operator | type | results compared |
|---|---|---|
"""


def write_document(path, rows, exact):
    with open(path, "w") as file:
        file.write(HEAD)
        for row in rows:
            where = ", ".join(repr(float(v)) for v in row.where)
            special = f"{row.special} as NumPy's" if not row.wrong else f"wrong at {row.wrong}"
            file.write(f"| {row.name} | {row.dtype} | {row.worst:.3f} | {where} | {row.count} | {special} |\n")
        file.write(EXACT)
        for name, dtype, count, wrong in exact:
            file.write(f"| {name} | {dtype} | {count if not wrong else wrong} |\n")
