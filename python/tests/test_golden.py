"""The vectors of the library's own tests: the same bits come out here."""

from pathlib import Path

import numpy as np
import pytest
import warpfold as wf

VECTORS = Path(__file__).parents[2] / "tests/golden/vectors.txt"
TYPES = {"f32": "float32", "f64": "float64", "i64": "int64", "i32": "int32", "u32": "uint32", "i8": "int8", "u8": "uint8",
         "i16": "int16", "u16": "uint16"}
OPERATORS = {"sum": "sum", "minimum": "minimum", "maximum": "maximum", "mean": "mean", "variance": "variance", "stddev": "std_dev",
             "sample_variance": "sample_variance", "sample_stddev": "sample_std_dev", "count_nonzero": "count", "norm2": "norm2",
             "argmin": "argmin", "argmax": "argmax", "any": "any", "all": "all"}
U64 = np.uint64


def mix(x):
    x = (x ^ (x >> U64(30))) * U64(0xBF58_476D_1CE4_E5B9)
    x = (x ^ (x >> U64(27))) * U64(0x94D0_49BB_1331_11EB)
    return x ^ (x >> U64(31))


def ordinary(n, dtype):
    """tests/src/data.rs: the family `Ordinary`."""
    with np.errstate(over="ignore"):
        random = mix(U64(0x901DE17) ^ mix(np.arange(n, dtype=U64) + U64(0x9E37_79B9_7F4A_7C15)))
    if np.dtype(dtype).kind != "f":
        return random.astype(dtype)
    digits = np.finfo(dtype).nmant
    mantissa = (random >> U64(64 - digits)).astype(dtype) / np.dtype(dtype).type(2**digits) + np.dtype(dtype).type(1)
    exponent = (random & U64(0xFFFF)).astype("int64") % 20 - 10
    sign = np.where(random & U64(0x1_0000) == 0, 1, -1).astype(dtype)
    return (sign * mantissa * np.exp2(exponent).astype(dtype)).astype(dtype)


def rows():
    for line in VECTORS.read_text().splitlines():
        row, *rest = line.split(" ")
        name, _, element = row.removeprefix("reduce_").rpartition("_")
        if row.startswith("reduce_") and name in OPERATORS and element in TYPES and rest[0] == "Ordinary":
            if OPERATORS[name] == "norm2" and not element.startswith("f"):
                continue
            yield OPERATORS[name], TYPES[element], int(rest[1]), rest[2]


ROWS = list(rows())


def test_there_are_vectors_of_most_operators():
    assert len({op for op, *_ in ROWS}) >= 12 and len(ROWS) > 200, sorted({op for op, *_ in ROWS})


@pytest.mark.parametrize("dtype", sorted({dtype for _, dtype, *_ in ROWS}))
def test_results_have_the_bits_of_the_vectors(dtype):
    for op, _, n, expected in (row for row in ROWS if row[1] == dtype):
        x = ordinary(n, dtype)
        value, _, index = expected.partition("@")
        if value == "none":
            if op.endswith(("mean", "variance", "std_dev")):
                assert np.isnan(wf.reduce(op, x))
            else:
                with pytest.raises(ValueError):
                    wf.reduce(op, x)
        elif value in ("true", "false"):
            assert wf.reduce(op, x) == (value == "true"), (op, n)
        elif index:
            assert wf.reduce(op, x) == int(index), (op, n)
        else:
            bytes = np.asarray(wf.reduce(op, x)).tobytes()
            assert int.from_bytes(bytes, "little") == int(value, 16), (op, n)
