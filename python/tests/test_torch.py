"""The operators of warpfold.torch, on the CPU and, if there is one, on a GPU."""

import numpy as np
import pytest
import warpfold as wf
from arrays import bits, values

torch = pytest.importorskip("torch")
wt = pytest.importorskip("warpfold.torch")

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


def tensor(shape, device, dtype="float64", seed=0):
    # Divided by NumPy, because PyTorch divides by a number otherwise on a GPU.
    return torch.from_numpy(values(shape, dtype, seed) / np.array(1000, dtype)).to(device)


# On each device before a graph is recorded, which takes no copies from the host.
INDEX = {device: torch.tensor([2, 0, 2, 4, 1], device=device) for device in DEVICES}
OFFSETS = {device: torch.tensor([1, 3, 3, 6], device=device) for device in DEVICES}
CALLS = {
    "index_add": lambda x: wt.index_add(x[:5, 1:3].contiguous(), 0, INDEX[x.device.type], x[:5, 2:4]),
    "index_add of columns": lambda x: wt.index_add(x[:4, :6], 1, INDEX[x.device.type], x[:4, 2:7]),
    "index_add of one dimension": lambda x: wt.index_add(x[0], 0, INDEX[x.device.type], x[1, :5]),
    "segment_sum": lambda x: wt.segment_sum(x[1], OFFSETS[x.device.type]),
    "cumsum": lambda x: wt.cumsum(x, 0),
    "cumsum of rows": lambda x: wt.cumsum(x, -1),
    "logsumexp": lambda x: wt.logsumexp(x, 0),
    "logsumexp of rows": lambda x: wt.logsumexp(x, 1, keepdim=True),
    "softmax": lambda x: wt.softmax(x, 1),
    "softmax of columns": lambda x: wt.softmax(x, 0),
    "log_softmax": lambda x: wt.log_softmax(x, 1),
    "rms_norm": lambda x: wt.rms_norm(x),
    "rms_norm with weights": lambda x: wt.rms_norm(x[1:], x[0] * x[1]),
    "layer_norm": lambda x: wt.layer_norm(x.reshape(3, 2, 7), eps=0.5),
    "layer_norm with weights": lambda x: wt.layer_norm(x[2:], x[0], x[1]),
    "topk": lambda x: wt.topk(x, 3)[0],
    "topk of columns": lambda x: wt.topk(x, 2, 0, largest=False)[0],
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", CALLS)
def test_gradients(name, device):
    # Far enough apart that a difference changes no order.
    x = (torch.from_numpy(np.random.default_rng(0).permutation(42)).reshape(6, 7).to(device) / 10 - 2).double().requires_grad_()
    assert torch.autograd.gradcheck(CALLS[name], (x,))
    assert torch.autograd.gradgradcheck(CALLS[name], (x,))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CALLS)
def test_results_and_gradients_have_the_same_bits_everywhere(name, dtype):
    found = []
    for device in DEVICES + DEVICES:
        x = tensor((6, 7), device, dtype).requires_grad_()
        result = CALLS[name](x)
        result.backward(torch.ones_like(result) + torch.arange(result.numel(), device=device).reshape(result.shape))
        found.append((bits(result.detach().cpu().numpy()), bits(x.grad.cpu().numpy())))
    assert all(result == found[0] for result in found)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("device", DEVICES)
def test_roots_of_gradients_are_rounded_to_nearest(device, dtype):
    x = values(100_000, dtype) ** 2
    assert bits(wt._sqrt(torch.from_numpy(x).to(device)).cpu().numpy()) == bits(np.sqrt(x))


@pytest.mark.parametrize("device", DEVICES)
def test_results_are_near_pytorchs(device):
    x = tensor((40, 50), device)
    index = torch.from_numpy(np.random.default_rng(0).integers(0, 30, 40)).to(device)
    base = tensor((30, 50), device, seed=1)
    for ours, theirs in [
        (wt.index_add(base, 0, index, x), torch.index_add(base, 0, index, x)),
        (wt.cumsum(x, 1), torch.cumsum(x, 1)),
        (wt.logsumexp(x, 0), torch.logsumexp(x, 0)),
        (wt.softmax(x, 1), torch.softmax(x, 1)),
        (wt.log_softmax(x, 0), torch.log_softmax(x, 0)),
        (wt.topk(x, 5)[0], torch.topk(x, 5)[0]),
        (wt.rms_norm(x, x[0]), torch.nn.functional.rms_norm(x, (50,), x[0], 1e-6)),
        (wt.layer_norm(x, x[0], x[1]), torch.nn.functional.layer_norm(x, (50,), x[0], x[1])),
        (wt.layer_norm(x, bias=x[1]), torch.nn.functional.layer_norm(x, (50,), bias=x[1])),
    ]:
        torch.testing.assert_close(ours, theirs)
    assert bits(wt.index_add(torch.zeros(30, dtype=x.dtype, device=device), 0, index, x[:, 0]).cpu().numpy()) == bits(
        wf.group_reduce("sum", index.cpu().numpy(), x[:, 0].cpu().numpy(), 30) + 0.0
    )
    with pytest.raises(IndexError):
        wt.index_add(base, 0, index + 1, x)
    assert wt.cumsum(torch.tensor([1, 2], device=device), 0).tolist() == [1, 3]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["cumsum", "softmax of columns", "logsumexp", "topk", "index_add of one dimension", "rms_norm", "layer_norm with weights"])
def test_operators_are_registered_as_pytorch_asks(name, device):
    x = tensor((6, 7), device).requires_grad_()
    args = {
        "cumsum": (torch.ops.warpfold.cumsum, (x, 1, False)),
        "softmax of columns": (torch.ops.warpfold.softmax, (x, 0)),
        "logsumexp": (torch.ops.warpfold.logsumexp, (x, 0)),
        "rms_norm": (torch.ops.warpfold.rms_norm, (x, None, 1e-6)),
        "layer_norm with weights": (torch.ops.warpfold.layer_norm, (x, x[0].detach().requires_grad_(), x[1].detach().requires_grad_(), 1e-5)),
        "topk": (torch.ops.warpfold.topk, (x, 3, 1, True)),
        "index_add of one dimension": (torch.ops.warpfold.group_sum, (x[0].detach().requires_grad_(), torch.arange(7, device=device) % 3, 3)),
    }[name]
    torch.library.opcheck(args[0].default, args[1])


@pytest.mark.parametrize("device", DEVICES)
def test_compiled_graphs_have_the_same_bits(device):
    def model(x, index):
        rows = wt.softmax(wt.layer_norm(wt.cumsum(x, 1), x[0]), 1)
        return wt.index_add(torch.zeros(8, x.shape[1], device=x.device, dtype=x.dtype), 0, index, rows)

    x, index = tensor((40, 50), device), torch.arange(40, device=device) % 8
    compiled = torch.compile(model, fullgraph=True, backend="inductor" if device == "cuda" else "aot_eager")
    assert bits(compiled(x, index).cpu().numpy()) == bits(model(x, index).cpu().numpy())


def test_tensors_that_need_gradients_are_refused_on_a_gpu():
    if "cuda" not in DEVICES:
        pytest.skip("no GPU")
    x = torch.ones(3, device="cuda", requires_grad=True)
    with pytest.raises(TypeError, match="detach"):
        wf.sum(x)
    assert wf.sum(x.detach()).item() == 3.0


needs_gpu = pytest.mark.skipif("cuda" not in DEVICES, reason="no GPU")


@needs_gpu
@pytest.mark.parametrize("name", CALLS)
def test_operators_run_in_cuda_graphs(name):
    """Recorded without a call before, replayed over other elements while other calls run, with gradients."""
    inputs = [tensor((6, 7), "cuda", "float32", seed) for seed in range(3)]

    def call(x):
        x = x.detach().requires_grad_()
        result = CALLS[name](x)
        (gradient,) = torch.autograd.grad(result, x, torch.ones_like(result))
        return result.detach(), gradient

    x, graph = inputs[0].clone(), torch.cuda.CUDAGraph()
    # PyTorch's own operators need a call before, on another stream.
    with torch.cuda.stream(torch.cuda.Stream()):
        call(x)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        results = call(x)
    for other in inputs * 2:
        x.copy_(other)
        graph.replay()
        expected = call(other)
        assert [bits(result.cpu().numpy()) for result in results] == [bits(result.cpu().numpy()) for result in expected]


@needs_gpu
def test_calls_run_in_cuda_graphs():
    """Of long arrays, whose working memory is large, the first time that their kernels are used."""
    x, other = tensor(3_000_001, "cuda", "float32"), tensor(3_000_001, "cuda", "float32", 1)
    ids, offsets = torch.arange(3_000_001, device="cuda") % 1000, torch.tensor([0, 5, 5, 3_000_000], device="cuda")
    matrix = x[:3_000_000].reshape(1000, 3000)

    def calls(x, matrix):
        yield from (wf.sum(x), wf.mean(matrix, 0), wf.var(matrix[:, ::3], 1), wf.argmax(x), wf.max(matrix), wf.any(matrix, 1))
        yield from (wf.cumsum(x), wf.cumsum(matrix, 0), wf.scan("sum", x, reverse=True))
        yield from (wf.softmax(matrix), wf.softmax(matrix, 0), wf.logsumexp(matrix), wf.layer_norm(matrix, matrix[0], matrix[1]))
        yield from (*wf.topk(matrix, 50), *wf.topk(matrix[:, :40], 3), wf.sort(matrix[:, :100]), wf.argsort(x[:1000]))
        yield from (wf.group_reduce("sum", ids, x, 1000), wf.group_reduce("maximum", ids, x, 1001))
        yield wf.segment_reduce("mean", x, offsets)

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = list(calls(x, matrix))
    for now in (x.clone(), other, x * 2):
        x.copy_(now)
        wf.sum(other), wf.cumsum(other)
        graph.replay()
        wf.sum(other), wf.cumsum(other)
        expected = list(calls(now, now[:3_000_000].reshape(1000, 3000)))
        assert [bits(result.cpu().numpy()) for result in found] == [bits(result.cpu().numpy()) for result in expected]


@needs_gpu
def test_what_waits_is_refused_in_a_cuda_graph():
    x, ids = torch.ones(1000, device="cuda"), torch.arange(10, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x + 1
        for call in (wf.median, lambda x: wf.dot(x, x), lambda x: wf.histogram(x, 3, (0, 1)), lambda x: wf.bincount(ids)):
            with pytest.raises(RuntimeError, match="graph"):
                call(x)
    graph.replay()
    assert y.sum().item() == 2000.0
    assert wf.sum(x).item() == 1000.0


@needs_gpu
def test_graphs_of_compiled_functions_have_the_same_bits():
    def model(x):
        return wt.softmax(wt.rms_norm(wt.cumsum(x, 1), x[0]), 1) + wt.logsumexp(x, 1, keepdim=True)

    compiled = torch.compile(model, mode="reduce-overhead", fullgraph=True)
    for seed in range(5):
        x = tensor((40, 50), "cuda", "float32", seed)
        assert bits(compiled(x).cpu().numpy()) == bits(model(x).cpu().numpy())
