"""Operators of PyTorch with gradients, whose results have the same bits in every run, on the CPU and on every GPU.

They take tensors of float32, float64 and, where that makes sense, integers, on the CPU or on a GPU; on a GPU on its current stream. They run under
``torch.compile``. Unlike ``torch.use_deterministic_algorithms``, which makes PyTorch's operators repeat their bits on one device, or
fail, these have one result on all devices. Gradients are computed by the same operators, and by arithmetic element by element.

>>> import torch
>>> import warpfold.torch as wt
>>> x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
>>> wt.cumsum(x, 0).sum().backward()
>>> x.grad.tolist()
[3.0, 2.0, 1.0]
"""

from typing import Optional

import numpy
import torch

import warpfold

__all__ = ["cumsum", "index_add", "layer_norm", "log_softmax", "logsumexp", "rms_norm", "segment_sum", "softmax", "topk"]


def _call(function, *tensors):
    """Calls a function of the package with tensors, those of the CPU as arrays of NumPy in place."""
    if tensors[0].is_cuda:
        return function(*tensors).contiguous()
    return _of_numpy(function(*[x.detach().numpy() for x in tensors]))


def _of_numpy(x):
    """A tensor of an array, copied if it is not in row-major order."""
    return torch.from_numpy(numpy.asarray(x, order="C"))


def _op(function):
    """Registers an operator by the name of the function. `torch.library.custom_op` would take tens of microseconds more in each call."""
    name = f"warpfold::{function.__name__[1:]}"
    torch.library.define(name, torch.library.infer_schema(function, mutates_args=()))
    torch.library.impl(name, ("cpu", "cuda"), function)
    return getattr(torch.ops.warpfold, function.__name__[1:]).default


def _register(op, fake, backward, setup_context):
    """Registers the shapes of results, and the gradient."""
    torch.library.register_fake(op, fake)
    torch.library.register_autograd(op, backward, setup_context=setup_context)


def _sums(x):
    """The type of the elements of sums."""
    return x.dtype if x.dtype.is_floating_point else torch.int64


@_op
def _group_sum(x: torch.Tensor, ids: torch.Tensor, groups: int) -> torch.Tensor:
    return _call(lambda ids, x: warpfold.group_reduce("sum", ids, x, groups), ids, x)


_register(
    _group_sum,
    lambda x, ids, groups: x.new_empty(groups, dtype=_sums(x)),
    lambda ctx, grad: (grad.index_select(0, ctx.saved_tensors[0]), None, None),
    lambda ctx, inputs, output: ctx.save_for_backward(inputs[1]),
)


def index_add(input: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    """Returns ``input`` plus, at each index along ``dim``, the sum of the slices of ``source`` that ``index`` sends there: as
    ``torch.index_add``. Each sum is of its elements in their order in ``source``, and is added once.

    ``index`` has one dimension, and ``source`` the shape of ``input`` but for the length of ``dim``, which is that of ``index``. On a GPU the
    call waits. Raises ``IndexError`` for an index that does not exist.

    >>> index_add(torch.zeros(3), 0, torch.tensor([2, 0, 2]), torch.tensor([1.0, 2.0, 4.0])).tolist()
    [2.0, 0.0, 5.0]
    """
    rows = source.movedim(dim, 0)
    width = rows[0].numel() if len(rows) else 1
    ids = index if width == 1 else (index[:, None] * width + torch.arange(width, device=index.device)).reshape(-1)
    shape = (input.shape[dim], *rows.shape[1:])
    sums = _group_sum(rows.reshape(-1), ids, shape[0] * width)
    return input + sums.reshape(shape).movedim(0, dim)


@_op
def _segment_sum(x: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    return _call(lambda x, offsets: warpfold.segment_reduce("sum", x, offsets), x, offsets)


def _segment_sum_setup(ctx, inputs, output):
    x, offsets = inputs
    ctx.save_for_backward(offsets)
    ctx.len = x.shape[0]


def _segment_sum_backward(ctx, grad):
    (offsets,) = ctx.saved_tensors
    # Elements before the first segment, and after the last one, are in none.
    grad = torch.nn.functional.pad(grad, (1, 1))
    lengths = torch.diff(offsets, prepend=offsets.new_zeros(1), append=offsets.new_full((1,), ctx.len))
    return grad.repeat_interleave(lengths, output_size=ctx.len), None


_register(_segment_sum, lambda x, offsets: x.new_empty(offsets.shape[0] - 1, dtype=_sums(x)), _segment_sum_backward, _segment_sum_setup)


def segment_sum(x: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    """Returns the sums of the segments ``x[offsets[i]:offsets[i + 1]]`` of a tensor of one dimension. On a GPU the call waits.

    Raises ``ValueError`` if offsets descend or exceed the tensor.

    >>> segment_sum(torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([0, 3, 4])).tolist()
    [6.0, 4.0]
    """
    return _segment_sum(x, offsets)


@_op
def _cumsum(x: torch.Tensor, dim: int, reverse: bool) -> torch.Tensor:
    return _call(lambda x: warpfold.scan("sum", x, dim, reverse=reverse), x)


def _cumsum_setup(ctx, inputs, output):
    _, ctx.dim, ctx.reverse = inputs


_register(
    _cumsum,
    lambda x, dim, reverse: x.new_empty(x.shape, dtype=_sums(x)),
    lambda ctx, grad: (_cumsum(grad, ctx.dim, not ctx.reverse), None, None),
    _cumsum_setup,
)


def cumsum(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Returns running sums along a dimension.

    >>> cumsum(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 0).tolist()
    [[1.0, 2.0], [4.0, 6.0]]
    """
    return _cumsum(x, dim, False)


@_op
def _logsumexp(x: torch.Tensor, dim: int) -> torch.Tensor:
    return _call(lambda x: warpfold.logsumexp(x, dim, True), x)


def _logsumexp_fake(x, dim):
    shape = list(x.shape)
    shape[dim] = 1
    return x.new_empty(shape)


def _logsumexp_setup(ctx, inputs, output):
    ctx.save_for_backward(inputs[0], output)
    ctx.dim = inputs[1]


def _logsumexp_backward(ctx, grad):
    x, output = ctx.saved_tensors
    # Not the exponential of PyTorch, whose bits differ between devices. Of -infinity alone the softmax is NaN.
    shares = torch.where(output == float("-inf"), 0.0, _softmax(x, ctx.dim))
    return grad * shares, None


_register(_logsumexp, _logsumexp_fake, _logsumexp_backward, _logsumexp_setup)


def logsumexp(x: torch.Tensor, dim: int, keepdim: bool = False) -> torch.Tensor:
    """Returns the logarithms of the sums of ``exp(x)`` along a dimension, which cannot overflow.

    >>> logsumexp(torch.tensor([1000.0, 1000.0]), 0).item()
    1000.6931762695312
    """
    results = _logsumexp(x, dim)
    return results if keepdim else results.squeeze(dim)


@_op
def _sum(x: torch.Tensor, dim: int) -> torch.Tensor:
    return _call(lambda x: warpfold.sum(x, dim, True), x)


def _sum_setup(ctx, inputs, output):
    ctx.shape = inputs[0].shape


_register(_sum, _logsumexp_fake, lambda ctx, grad: (grad.expand(ctx.shape), None), _sum_setup)


@_op
def _softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    return _call(lambda x: warpfold.softmax(x, dim), x)


@_op
def _log_softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    return _call(lambda x: warpfold.log_softmax(x, dim), x)


def _softmax_setup(ctx, inputs, output):
    ctx.save_for_backward(output)
    ctx.dim = inputs[1]


def _softmax_backward(ctx, grad):
    (y,) = ctx.saved_tensors
    product = y * grad
    return product - y * _sum(product, ctx.dim), None


def _log_softmax_setup(ctx, inputs, output):
    (x, ctx.dim) = inputs
    ctx.save_for_backward(x)


def _log_softmax_backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad - _softmax(x, ctx.dim) * _sum(grad, ctx.dim), None


_register(_softmax, lambda x, dim: x.new_empty(x.shape), _softmax_backward, _softmax_setup)
_register(_log_softmax, lambda x, dim: x.new_empty(x.shape), _log_softmax_backward, _log_softmax_setup)


def softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Returns ``exp(x)`` divided by its sum along a dimension. A row's results depend on that row alone, not on the batch.

    >>> softmax(torch.tensor([0.0, 0.0]), 0).tolist()
    [0.5, 0.5]
    """
    return _softmax(x, dim)


def log_softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Returns the logarithms of :func:`softmax`.

    >>> log_softmax(torch.tensor([0.0, float("-inf")]), 0).tolist()
    [0.0, -inf]
    """
    return _log_softmax(x, dim)


@_op
def _rms_norm(x: torch.Tensor, weight: Optional[torch.Tensor], eps: float) -> torch.Tensor:
    return _norm(warpfold.rms_norm, x, [weight], eps)


@_op
def _layer_norm(
    x: torch.Tensor, weight: Optional[torch.Tensor], bias: Optional[torch.Tensor], eps: float
) -> torch.Tensor:
    return _norm(warpfold.layer_norm, x, [weight, bias], eps)


def _norm(norm, x, parameters, eps):
    """Calls a norm with those parameters that there are."""
    there = [parameter is not None for parameter in parameters]

    def call(x, *given):
        rest = iter(given)
        return norm(x, *[next(rest) if is_there else None for is_there in there], eps=eps)

    return _call(call, x, *[parameter for parameter in parameters if parameter is not None])


def _norm_setup(ctx, inputs, output):
    x, weight, *_, ctx.eps = inputs
    ctx.save_for_backward(x, weight)


def _mean(x):
    """The means of rows. Not divided by their length, which PyTorch does otherwise on a GPU."""
    return _sum(x, -1) * (1.0 / x.shape[-1])


def _of_columns(x):
    """The sums of columns of rows that may have any shape."""
    return _sum(x.reshape(-1, x.shape[-1]), 0)[0]


@_op
def _sqrt(x: torch.Tensor) -> torch.Tensor:
    # PyTorch's on the CPU does not round to nearest: it is that of the MKL.
    return torch.sqrt(x) if x.is_cuda else _of_numpy(numpy.sqrt(x.detach().numpy()))


_register(
    _sqrt,
    lambda x: x.new_empty(x.shape),
    lambda ctx, grad: grad * 0.5 / ctx.saved_tensors[0],
    lambda ctx, inputs, output: ctx.save_for_backward(output),
)


def _rms_norm_backward(ctx, grad):
    x, weight = ctx.saved_tensors
    root = _sqrt(_mean(x * x) + ctx.eps)
    normal = x / root
    weighted = grad if weight is None else grad * weight
    of_x = (weighted - normal * _mean(weighted * normal)) / root
    return of_x, None if weight is None else _of_columns(grad * normal), None


def _layer_norm_backward(ctx, grad):
    x, weight = ctx.saved_tensors
    centred = x - _mean(x)
    root = _sqrt(_mean(centred * centred) + ctx.eps)
    normal = centred / root
    weighted = grad if weight is None else grad * weight
    of_x = (weighted - _mean(weighted) - normal * _mean(weighted * normal)) / root
    of_weight = None if weight is None else _of_columns(grad * normal)
    return of_x, of_weight, _of_columns(grad) if ctx.needs_input_grad[2] else None, None


_register(_rms_norm, lambda x, weight, eps: x.new_empty(x.shape), _rms_norm_backward, _norm_setup)
_register(_layer_norm, lambda x, weight, bias, eps: x.new_empty(x.shape), _layer_norm_backward, _norm_setup)


def rms_norm(x: torch.Tensor, weight: Optional[torch.Tensor] = None, eps: float = 1e-6) -> torch.Tensor:
    """Returns ``x`` divided by the root of the mean of its squares along the last dimension, to which ``eps`` is added, times ``weight``.

    >>> rms_norm(torch.tensor([[3.0, 3.0], [-5.0, 5.0]]), eps=0.0).tolist()
    [[1.0, 1.0], [-1.0, 1.0]]
    """
    return _rms_norm(x, weight, eps)


def layer_norm(
    x: torch.Tensor, weight: Optional[torch.Tensor] = None, bias: Optional[torch.Tensor] = None, eps: float = 1e-5
) -> torch.Tensor:
    """Returns ``(x - mean) / sqrt(variance + eps) * weight + bias`` along the last dimension.

    >>> layer_norm(torch.tensor([1.0, 3.0]), bias=torch.tensor([0.5, 0.5]), eps=0.0).tolist()
    [-0.5, 1.5]
    """
    return _layer_norm(x, weight, bias, eps)


@_op
def _topk(x: torch.Tensor, k: int, dim: int, largest: bool) -> tuple[torch.Tensor, torch.Tensor]:
    if x.device.type != "cpu":
        values, indices = warpfold.topk(x.detach(), k, dim, largest)
        return values.contiguous(), indices.contiguous()
    values, indices = warpfold.topk(x.detach().numpy(), k, dim, largest)
    return _of_numpy(values), _of_numpy(indices)


def _topk_fake(x, k, dim, largest):
    shape = list(x.shape)
    shape[dim] = k
    return x.new_empty(shape), x.new_empty(shape, dtype=torch.int64)


def _topk_setup(ctx, inputs, output):
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])
    ctx.shape, ctx.dim = inputs[0].shape, inputs[2]


def _topk_backward(ctx, grad, _):
    (indices,) = ctx.saved_tensors
    # No index is there twice.
    return grad.new_zeros(ctx.shape).scatter(ctx.dim, indices, grad), None, None, None


_register(_topk, _topk_fake, _topk_backward, _topk_setup)


def topk(x: torch.Tensor, k: int, dim: int = -1, largest: bool = True) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the ``k`` greatest or least elements along a dimension in order, and their indices. Of equal elements the first ones are taken.

    >>> [found.tolist() for found in topk(torch.tensor([3.0, 9.0, 4.0, 9.0]), 3)]
    [[9.0, 9.0, 4.0], [1, 3, 2]]
    """
    return _topk(x, k, dim, largest)
