"""Arrays for tests: values of which a wrong order changes the sum, in every layout that NumPy has."""

import numpy as np

FLOATS = ["float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"]
DTYPES = FLOATS + INTEGERS + ["bool"]


def values(shape, dtype, seed=0):
    """Random mantissas over 20 binades, or random integers of every bit."""
    random = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return (random.uniform(1, 2, shape) * random.choice([-1, 1], shape) * 2.0 ** random.integers(-10, 10, shape)).astype(dtype)
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    bounds = np.iinfo(dtype)
    return random.integers(bounds.min, bounds.max, shape, dtype=dtype, endpoint=True)


def layouts(dtype):
    """Names, and arrays of them."""
    x = values((6, 7, 40), dtype)
    fields = np.zeros(30, dtype=[("a", dtype), ("b", "i1")])
    fields["a"] = values(30, dtype, 2)
    frozen = values((4, 5), dtype, 3)
    frozen.flags.writeable = False
    return {
        "contiguous": x,
        "long": values(300_000, dtype, 1),
        "transposed": x.T,
        "permuted": x.transpose(1, 2, 0),
        "fortran": np.asfortranarray(x),
        "strided": x[::2, 1:6:3, ::5],
        "reversed": x[::-1, :, ::-3],
        "broadcast": np.broadcast_to(x[0], (5, 7, 40)),
        "broadcast last": np.broadcast_to(x[:, :, :1], (6, 7, 9)),
        "read-only": frozen,
        "one axis of length 1": x[:, 3:4, :],
        "swapped": x.astype(x.dtype.newbyteorder(">")),
        "field": fields["a"],
        "zero dimensions": x[1, 2, 3],
        "no dimensions, an array": np.array(x[1, 2, 3]),
        "scalar list": [[True, False], [True, True]] if dtype == "bool" else x[:, :, 0].tolist(),
    }


def bits(x):
    """What two results with the same bits have alike."""
    x = np.asarray(x)
    return x.dtype.str, x.shape, x.tobytes()
