"""NumPy's own tests of these functions, over these functions. docs/python.md says why those that are left out differ."""

import importlib
import types

import numpy as np
import pytest
import warpfold as wf

pytest.importorskip("numpy._core")

NAMES = "sum mean var std min max argmin argmax any all cumsum cumprod sort argsort median quantile bincount".split()
OURS = {name: getattr(wf, name) for name in NAMES}
OURS |= {"amin": wf.min, "amax": wf.max, "count_nonzero": wf.count}
OURS["histogram"] = lambda a, bins=10, range=None: wf.histogram(a, bins, range)[:2]


class NumPy(types.ModuleType):
    """The module numpy, with these functions in the place of its own."""

    def __getattr__(self, name):
        return OURS.get(name) or getattr(np, name)


def cases(module, name, left_out):
    """The tests of a class of NumPy, without some that are named by a part of their names."""
    module = pytest.importorskip(module, reason="this NumPy has no tests", exc_type=ImportError)
    module.np = NumPy("numpy")
    for ours in OURS.keys() & vars(module).keys():
        setattr(module, ours, OURS[ours])
    theirs = getattr(module, name)
    return type(name, (theirs,), {test: None for test in dir(theirs) if test.startswith("test") and any(part in test for part in left_out.split())})


NUMERIC, FUNCTIONS, HISTOGRAMS = "numpy._core.tests.test_numeric", "numpy.lib.tests.test_function_base", "numpy.lib.tests.test_histograms"
# The arguments `out`, `mean` and `correction`; another ddof.
TestStdVar = cases(NUMERIC, "TestStdVar", "ddof2 correction out_scalar")
# Subclasses and other types of arrays; several axes of medians; no elements.
TestMedian = cases(FUNCTIONS, "TestMedian", "subclass out extended_axis empty object datetime overwrite keepdims nat_ nan_behavior")
TestAny = cases(FUNCTIONS, "TestAny", "-")
TestAll = cases(FUNCTIONS, "TestAll", "-")
# Weights are those of group_reduce.
TestBincount = cases(FUNCTIONS, "TestBincount", "weight minlength_and incorrect dtype_reference")
# Weights and names of bins; NaN, which are counted here; bins of other types, and a range beside edges.
LEFT_OUT = "normed density weights type outliers exotic bool_conversion invalid_range bin_array object 28400 unsigned some_nan datetime precision bin_edges small_value"
TestHistogram = cases(HISTOGRAMS, "TestHistogram", LEFT_OUT)
# Other methods, weights, and types of results.
LEFT_OUT = "fraction Fraction complex value preserve_int zero_one monotonic identification weight add_and promotion observation inf_zeroes nan_err float16"
TestQuantile = cases(FUNCTIONS, "TestQuantile", LEFT_OUT)
