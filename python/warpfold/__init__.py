"""Reductions of arrays with the same bits on every machine and with any number of threads.

Arrays are NumPy's, of any shape and strides, read where they are. Anything else that ``numpy.asarray`` takes is converted by it. Results
are arrays and scalars of NumPy. Elements are float32, float64, bool and integers but uint64; integers of fewer than 64 bits are copied
to 64 bits where a function says so. A call releases the GIL: nobody may write its arrays meanwhile.

Arrays on a GPU, of CuPy and PyTorch, are reduced there: on the current stream, without a wait where none is needed. Results are arrays of
the same library. Others with DLPack or ``__cuda_array_interface__`` are taken through these. :mod:`warpfold.torch` has operators of PyTorch
with gradients.

A result depends on the values, their order, their number and their type alone, as https://docs.rs/warpfold promises: not on strides,
threads, the processor or the GPU.

>>> import numpy as np
>>> import warpfold as wf
>>> x = np.arange(12, dtype=np.float32).reshape(3, 4)
>>> wf.sum(x, axis=1).tolist()
[6.0, 22.0, 38.0]
>>> float(wf.mean(x[:, ::-2]))
6.0

``ValueError`` says that an argument has no such value or shape, ``TypeError`` that elements are of a type that is not taken,
``IndexError`` that a group does not exist, NumPy's ``AxisError`` that an axis does not, ``MemoryError`` that there is no room for
results, and ``RuntimeError`` that a GPU cannot be used.
"""

from __future__ import annotations

from collections import namedtuple

from . import _warpfold, exact
from ._warpfold import set_threads, threads

TYPE_CHECKING = False  # of `typing`, whose import takes as long as all else
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    Axis = int | tuple[int, ...] | None
    Array = NDArray[Any]

__all__ = [
    "Histogram", "all", "any", "argmax", "argmin", "argsort", "bincount", "count", "cumprod", "cumsum", "dot", "exact", "exact_sum",
    "group_reduce", "histogram", "layer_norm", "log_softmax", "logsumexp", "max", "mean", "median", "min", "norm", "quantile",
    "reduce", "rms_norm", "scan", "segment_reduce", "set_threads", "softmax", "sort", "std", "sum", "threads", "topk", "var",
]

_reduce = _warpfold.reduce


def reduce(op: str, x: ArrayLike, axis: Axis = None, keepdims: bool = False, *, where: ArrayLike | None = None) -> Any:
    """Reduces the elements along one or several axes, or all of them, with an operator of the library.

    ============================================  ==========================================================
    operator                                      result
    ============================================  ==========================================================
    ``sum``                                       of integers int64, wrapping; of no floats -0.0
    ``mean``, ``variance``, ``std_dev``,          of integers exact and rounded once, as float64;
    ``sample_variance``, ``sample_std_dev``       NaN of no elements
    ``minimum``, ``maximum``                      NaN if an element is NaN
    ``argmin``, ``argmax``                        the first index, int64; NaN is skipped
    ``norm2``                                     of floats
    ``count``, ``any``, ``all``                   of elements that are not 0; ``count`` is int64
    ============================================  ==========================================================

    The result has the shape of ``x`` without the axes, or with length 1 there for ``keepdims``; without axes it is a scalar. An index
    counts in row-major order of the axes. Integers are read where they are if they are int64, and by
    sums, extremes and counts also int32, uint8 and bool; others are copied.

    With ``where``, bools that broadcast to the shape of ``x``, a result is of the elements for which they are true, and has the bits of the
    reduction of these alone: the others are left out by their library. It is for ``sum``, ``mean``, ``minimum``, ``maximum``, ``any``, ``all``
    and ``count``; others raise ``ValueError``.

    Raises ``ValueError`` for an extreme or an index of no elements.

    >>> reduce("argmax", [[3, 9, 4], [8, 1, 8]], axis=1).tolist()
    [1, 0]
    >>> reduce("sum", [[1, 2, 3], [4, 5, 6]], axis=1, where=[[True, False, True], [False, False, False]]).tolist()
    [4, 0]
    """
    if where is None:
        return _reduce(op, x, axis, keepdims)
    from . import _where

    return _where.reduce(op, x, axis, keepdims, where)


def sum(x: ArrayLike, axis: Axis = None, keepdims: bool = False, *, where: ArrayLike | None = None) -> Any:
    """Returns sums: of integers and bools int64, of floats in their own type. See :func:`reduce`.

    >>> sum([[1, 2], [3, 4]], axis=0, keepdims=True).tolist()
    [[4, 6]]
    """
    return reduce("sum", x, axis, keepdims, where=where)


def mean(x: ArrayLike, axis: Axis = None, keepdims: bool = False, *, where: ArrayLike | None = None) -> Any:
    """Returns means; NaN of no elements. See :func:`reduce`.

    >>> mean([1, 2, 4, 5]).item()
    3.0
    """
    return reduce("mean", x, axis, keepdims, where=where)


def var(x: ArrayLike, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Returns variances: of the whole (``ddof=0``), or estimated from a sample (``ddof=1``). See :func:`reduce`.

    Raises ``ValueError`` for another ``ddof``.

    >>> var([1, 2, 4, 5]).item(), var([1, 3], ddof=1).item()
    (2.5, 2.0)
    """
    return _reduce(_of_degrees(ddof, "variance", "sample_variance"), x, axis, keepdims)


def std(x: ArrayLike, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Returns standard deviations, the roots of :func:`var`.

    >>> std([3.0, 5.0]).item()
    1.0
    """
    return _reduce(_of_degrees(ddof, "std_dev", "sample_std_dev"), x, axis, keepdims)


def _of_degrees(ddof: int, whole: str, sample: str) -> str:
    if ddof not in (0, 1):
        raise ValueError(f"ddof is {ddof}: it must be 0 or 1")
    return sample if ddof else whole


def min(x: ArrayLike, axis: Axis = None, keepdims: bool = False, *, where: ArrayLike | None = None) -> Any:
    """Returns the least elements; NaN if one is. -0.0 is less than 0.0. See :func:`reduce`.

    >>> min([[3.0, 1.0], [2.0, float("nan")]], axis=1).tolist()
    [1.0, nan]
    """
    return reduce("minimum", x, axis, keepdims, where=where)


def max(x: ArrayLike, axis: Axis = None, keepdims: bool = False, *, where: ArrayLike | None = None) -> Any:
    """Returns the greatest elements; NaN if one is. See :func:`reduce`.

    >>> max([3, 1, 2]).item()
    3
    """
    return reduce("maximum", x, axis, keepdims, where=where)


def argmin(x: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """Returns the first indices of the least elements, as int64. NaN is skipped, unless all are. See :func:`reduce`.

    >>> argmin([4.0, float("nan"), 1.0, 1.0]).item()
    2
    """
    return _reduce("argmin", x, axis, keepdims)


def argmax(x: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """Returns the first indices of the greatest elements, as :func:`argmin` does.

    >>> argmax([[1, 5], [7, 2]]).item()
    2
    """
    return _reduce("argmax", x, axis, keepdims)


def norm(x: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """Returns Euclidean norms of floats: of all elements without ``axis``, whatever the shape. See :func:`reduce`.

    Raises ``ValueError`` for integers.

    >>> norm([[3.0, -4.0], [0.0, 2.0]], axis=1).tolist()
    [5.0, 2.0]
    """
    return _reduce("norm2", x, axis, keepdims)


def any(x: ArrayLike, axis: Axis = None, keepdims: bool = False, *, where: ArrayLike | None = None) -> Any:
    """Returns whether any element is not 0. NaN is not 0. See :func:`reduce`.

    >>> any([[0, 0], [0, 2]], axis=1).tolist()
    [False, True]
    """
    return reduce("any", x, axis, keepdims, where=where)


def all(x: ArrayLike, axis: Axis = None, keepdims: bool = False, *, where: ArrayLike | None = None) -> Any:
    """Returns whether no element is 0; ``True`` of no elements. See :func:`reduce`.

    >>> all([True, False]).item(), all([]).item()
    (False, True)
    """
    return reduce("all", x, axis, keepdims, where=where)


def count(x: ArrayLike, axis: Axis = None, keepdims: bool = False, *, where: ArrayLike | None = None) -> Any:
    """Returns how many elements are not 0, as int64. NaN is not 0. See :func:`reduce`.

    >>> count([0.0, 2.5, -0.0, 1.0]).item()
    2
    """
    return reduce("count", x, axis, keepdims, where=where)


def exact_sum(x: ArrayLike) -> float | int:
    """Returns the exact sum of all elements, of floats rounded once to their type. :mod:`warpfold.exact` has sums that merge.

    >>> exact_sum([1e16, 1.0, -1e16])
    1.0
    """
    return exact.Sum(x).value


def dot(x: ArrayLike, y: ArrayLike) -> Any:
    """Returns the dot product of two arrays of one dimension and one type. Arrays that are not contiguous are copied, and integers of
    fewer than 64 bits.

    Raises ``ValueError`` for other shapes, and ``TypeError`` for different types.

    >>> dot([1.0, 2.0], [3.0, 4.0]).item()
    11.0
    """
    return _warpfold.dot(x, y)


def scan(op: str, x: ArrayLike, axis: int | None = None, exclusive: bool = False, reverse: bool = False) -> Array:
    """Returns running results along an axis, in the shape of ``x``; without an axis of all elements in row-major order, in one dimension.

    ``op`` is ``sum``, ``minimum``, ``maximum``, or of floats ``product``. An ``exclusive`` scan leaves each element out of its own result.
    With ``reverse`` it begins at the end of the axis. Sums of integers are int64. Integers of fewer bits are copied.

    Raises ``ValueError`` for an exclusive minimum or maximum, whose first result would be of no elements.

    >>> scan("maximum", [[1, 3, 2], [6, 5, 7]], axis=1).tolist()
    [[1, 3, 3], [6, 6, 7]]
    >>> scan("sum", [1, 2, 3], exclusive=True, reverse=True).tolist()
    [5, 3, 0]
    """
    return _warpfold.scan(op, x, axis, exclusive, reverse)


def cumsum(x: ArrayLike, axis: int | None = None) -> Array:
    """Returns running sums: see :func:`scan`.

    >>> cumsum([1.0, 2.5, 3.0]).tolist()
    [1.0, 3.5, 6.5]
    """
    return _warpfold.scan("sum", x, axis, False, False)


def cumprod(x: ArrayLike, axis: int | None = None) -> Array:
    """Returns running products of floats: see :func:`scan`.

    >>> cumprod([1.0, 2.0, 3.0, 4.0]).tolist()
    [1.0, 2.0, 6.0, 24.0]
    """
    return _warpfold.scan("product", x, axis, False, False)


def sort(x: ArrayLike, axis: int | None = -1, descending: bool = False) -> Array:
    """Returns the elements sorted along an axis; without one all of them, in one dimension. The sort is stable. -0.0 comes before 0.0, and
    NaN after every number; ``descending`` turns this round. Along another axis than the last, NumPy copies the elements first.

    >>> sort([[3, 1, 2], [6, 5, 4]], descending=True).tolist()
    [[3, 2, 1], [6, 5, 4]]
    """
    return _warpfold.sort(x, axis, descending)


def argsort(x: ArrayLike, axis: int | None = -1, descending: bool = False) -> Array:
    """Returns the indices, int64, in the order of :func:`sort`. Equal elements keep their order, also if it is ``descending``.

    >>> argsort([30, 10, 20, 10]).tolist()
    [1, 3, 2, 0]
    """
    return _warpfold.argsort(x, axis, descending)


def topk(x: ArrayLike, k: int, axis: int | None = -1, largest: bool = True) -> tuple[Array, Array]:
    """Returns the ``k`` greatest or least elements along an axis in order, and their indices. Of equal elements the first ones are taken.
    NaN is greater than every number.

    Raises ``ValueError`` if there are fewer than ``k``.

    >>> [found.tolist() for found in topk([3, 9, 4, 9], 3)]
    [[9, 9, 4], [1, 3, 2]]
    """
    return _warpfold.topk(x, k, axis, largest)


def quantile(
    x: ArrayLike, q: float | Sequence[float], axis: int | None = None, keepdims: bool = False, method: str = "linear"
) -> Any:
    """Returns quantiles along an axis, or of all elements: a result for one number ``q``, an array of them for a sequence. ``method`` is
    ``linear``, ``lower``, ``higher``, ``nearest`` or ``midpoint``, as in NumPy. Those of integers are float64. A quantile is NaN if an
    element is.

    Raises ``ValueError`` for no elements, another method, or a ``q`` that is not from 0 to 1.

    >>> quantile([40, 10, 30, 20], [0.0, 0.25]).tolist()
    [10.0, 17.5]
    """
    import numpy

    qs = numpy.asarray(q, dtype=numpy.float64)
    return _warpfold.quantile(x, (qs.ravel().tolist(), qs.shape), axis, keepdims, method)


def median(x: ArrayLike, axis: int | None = None, keepdims: bool = False) -> Any:
    """Returns medians, the quantiles 0.5: see :func:`quantile`.

    >>> median([[5.0, 1.0, 2.0], [4.0, 8.0, 6.0]], axis=1).tolist()
    [2.0, 6.0]
    """
    return quantile(x, 0.5, axis, keepdims)


def segment_reduce(op: str, x: ArrayLike, offsets: ArrayLike) -> Array:
    """Reduces the segments ``x[offsets[i]:offsets[i + 1]]`` of an array of one dimension: a result for each.

    ``op`` is ``sum``, ``mean``, ``minimum`` or ``maximum``. Offsets are integers. Offsets of another type than int64 are copied, and
    integers in ``x`` of fewer than 64 bits.

    Raises ``ValueError`` if offsets descend or exceed the array, and for an extreme of a segment without elements.

    >>> segment_reduce("sum", [1, 2, 3, 4, 5], [0, 3, 3, 5]).tolist()
    [6, 0, 9]
    """
    return _warpfold.segment_reduce(op, x, offsets)


def group_reduce(op: str, ids: ArrayLike, x: ArrayLike, groups: int) -> Array:
    """Reduces the elements of each of ``groups`` groups, in their order in ``x``: element ``i`` is in group ``ids[i]``. The sum is what
    others call ``index_add``, ``scatter_add`` or ``bincount`` with weights. Otherwise as :func:`segment_reduce`.

    Raises ``IndexError`` if an id is negative, or not less than ``groups``.

    >>> group_reduce("sum", [2, 0, 2, 0], [1.0, 2.0, 3.0, 4.0], 3).tolist()
    [6.0, -0.0, 4.0]
    """
    return _warpfold.group_reduce(op, ids, x, groups)


def bincount(ids: ArrayLike, minlength: int = 0) -> Array:
    """Returns how often each integer from 0 to the greatest occurs, but at least ``minlength`` counts, as int64.

    Raises ``IndexError`` if an integer is negative.

    >>> bincount([0, 3, 1, 3]).tolist()
    [1, 1, 0, 2]
    """
    return _warpfold.bincount(ids, minlength)


class Histogram(namedtuple("Histogram", ["counts", "edges", "below", "above", "nan"])):
    """The counts of :func:`histogram`, the edges of its bins, and how many elements are in none."""


def histogram(x: ArrayLike, bins: int | ArrayLike = 10, range: tuple[Any, Any] | None = None) -> Histogram:
    """Counts the elements in bins: between neighbours of an array of edges, or in a number of bins of equal width in ``range``, by default
    from the least element to the greatest. Each bin has its lower edge, and the last its upper edge too. Edges are
    rounded to the type of floats; those of integers are integers.

    Raises ``ValueError`` if edges descend or the range is empty.

    >>> histogram([0.5, 1.5, 1.75, -2.0, 2.0], [0.0, 1.0, 2.0])[0].tolist()
    [1, 3]
    >>> histogram([1, 2, 2, 6], bins=2, range=(0, 4)).above
    1
    """
    if isinstance(bins, int):
        range = (min(x), max(x)) if range is None else range
    elif range is not None:
        raise ValueError("range is given with edges: give a number of bins")
    counts, edges, outside = _warpfold.histogram(x, bins, range)
    return Histogram(counts, edges, *outside)


def logsumexp(x: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """Returns the logarithms of sums of ``exp(x)`` along axes, which cannot overflow; -infinity of no elements.

    Raises ``TypeError`` for integers.

    >>> logsumexp([1000.0, 1000.0]).item()
    1000.6931471805599
    """
    return _warpfold.logsumexp(x, axis, keepdims)


def softmax(x: ArrayLike, axis: int = -1) -> Array:
    """Returns ``exp(x)`` divided by its sum along an axis. A row's results depend on that row alone.

    Raises ``TypeError`` for integers.

    >>> softmax([[0.0, 0.0], [7.0, float("-inf")]]).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    return _warpfold.map_rows("softmax", x, axis, None, None, 0.0)


def log_softmax(x: ArrayLike, axis: int = -1) -> Array:
    """Returns the logarithms of :func:`softmax`.

    >>> log_softmax([0.0, float("-inf")]).tolist()
    [0.0, -inf]
    """
    return _warpfold.map_rows("log_softmax", x, axis, None, None, 0.0)


def rms_norm(x: ArrayLike, weight: ArrayLike | None = None, eps: float = 1e-6, axis: int = -1) -> Array:
    """Returns ``x`` divided by the root of the mean of its squares along an axis, to which ``eps`` is added, times ``weight``, which has an
    element for each along the axis and the type of ``x``. A row's results depend on that row alone.

    Raises ``TypeError`` for integers and other types of weights, and ``ValueError`` for another number of weights.

    >>> rms_norm([[3.0, 3.0], [-5.0, 5.0]], weight=[2.0, 0.5], eps=0.0).tolist()
    [[2.0, 0.5], [-2.0, 0.5]]
    """
    return _warpfold.map_rows("rms_norm", x, axis, weight, None, eps)


def layer_norm(
    x: ArrayLike, weight: ArrayLike | None = None, bias: ArrayLike | None = None, eps: float = 1e-5, axis: int = -1
) -> Array:
    """Returns ``(x - mean) / sqrt(variance + eps) * weight + bias`` along an axis. ``weight`` and ``bias`` are as in :func:`rms_norm`.

    Raises the same.

    >>> layer_norm([[1.0, 3.0], [-10.0, 10.0]], bias=[0.5, 0.5], eps=0.0).tolist()
    [[-0.5, 1.5], [-0.5, 1.5]]
    """
    return _warpfold.map_rows("layer_norm", x, axis, weight, bias, eps)
