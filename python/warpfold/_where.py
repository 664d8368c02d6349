"""Reductions of the elements that a mask leaves: their library picks them, and each result is that of a group of them."""

import sys

from . import _warpfold


def reduce(op, x, axis, keepdims, where):
    """Does what ``warpfold.reduce`` documents of ``where``."""
    import numpy as module

    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and isinstance(x, torch.Tensor) and x.is_cuda:
        module, where = torch, torch.asarray(where, device=x.device)
    elif cupy is not None and isinstance(x, cupy.ndarray):
        module = cupy
    x, where = module.asarray(x), module.asarray(where)
    if where.dtype not in (bool, getattr(torch, "bool", bool)):
        raise TypeError(f"`where` has elements of {where.dtype}: they must be bools")
    reduced = range(x.ndim) if axis is None else [a + x.ndim if a < 0 else a for a in (axis if isinstance(axis, tuple) else (axis,))]
    kept = [a for a in range(x.ndim) if a not in reduced]
    if len(kept) + len(reduced) != x.ndim:
        from numpy.exceptions import AxisError

        raise AxisError(f"{axis} names no axes of an array of {x.ndim} dimensions, each once")
    shape = tuple(x.shape[a] if a in kept else 1 for a in range(x.ndim) if keepdims or a in kept)
    groups = 1
    for a in kept:
        groups *= x.shape[a]
    x, where = (
        module.moveaxis(y, (*kept, *reduced), tuple(range(x.ndim))).reshape((groups, -1) if groups else (0, 0))
        for y in (x, module.broadcast_to(where, x.shape))
    )
    if op in ("count", "any", "all"):
        # What is left out counts as 0, or to be not 0.
        found = _warpfold.reduce(op, (x != 0) | ~where if op == "all" else (x != 0) & where, 1, False)
    else:
        places = where.nonzero()
        ids = places[:, 0] if module is torch else places[0]
        found = _warpfold.group_reduce(op, ids, x[where], groups)
    return found.reshape(shape)[()]
