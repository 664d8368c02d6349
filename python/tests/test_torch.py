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


INDEX = torch.tensor([2, 0, 2, 4, 1])
CALLS = {
    "index_add": lambda x: wt.index_add(x[:5, 1:3].contiguous(), 0, INDEX.to(x.device), x[:5, 2:4]),
    "index_add of columns": lambda x: wt.index_add(x[:4, :6], 1, INDEX.to(x.device), x[:4, 2:7]),
    "index_add of one dimension": lambda x: wt.index_add(x[0], 0, INDEX.to(x.device), x[1, :5]),
    "segment_sum": lambda x: wt.segment_sum(x[1], torch.tensor([1, 3, 3, 6], device=x.device)),
    "cumsum": lambda x: wt.cumsum(x, 0),
    "cumsum of rows": lambda x: wt.cumsum(x, -1),
    "logsumexp": lambda x: wt.logsumexp(x, 0),
    "logsumexp of rows": lambda x: wt.logsumexp(x, 1, keepdim=True),
    "softmax": lambda x: wt.softmax(x, 1),
    "softmax of columns": lambda x: wt.softmax(x, 0),
    "log_softmax": lambda x: wt.log_softmax(x, 1),
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
    ]:
        torch.testing.assert_close(ours, theirs)
    assert bits(wt.index_add(torch.zeros(30, dtype=x.dtype, device=device), 0, index, x[:, 0]).cpu().numpy()) == bits(
        wf.group_reduce("sum", index.cpu().numpy(), x[:, 0].cpu().numpy(), 30) + 0.0
    )
    with pytest.raises(IndexError):
        wt.index_add(base, 0, index + 1, x)
    assert wt.cumsum(torch.tensor([1, 2], device=device), 0).tolist() == [1, 3]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["cumsum", "softmax of columns", "logsumexp", "topk", "index_add of one dimension"])
def test_operators_are_registered_as_pytorch_asks(name, device):
    x = tensor((6, 7), device).requires_grad_()
    args = {
        "cumsum": (torch.ops.warpfold.cumsum, (x, 1, False)),
        "softmax of columns": (torch.ops.warpfold.softmax, (x, 0)),
        "logsumexp": (torch.ops.warpfold.logsumexp, (x, 0)),
        "topk": (torch.ops.warpfold.topk, (x, 3, 1, True)),
        "index_add of one dimension": (torch.ops.warpfold.group_sum, (x[0].detach().requires_grad_(), torch.arange(7, device=device) % 3, 3)),
    }[name]
    torch.library.opcheck(args[0].default, args[1])


@pytest.mark.parametrize("device", DEVICES)
def test_compiled_graphs_have_the_same_bits(device):
    def model(x, index):
        rows = wt.softmax(wt.cumsum(x, 1), 1)
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


def test_a_graph_that_pytorch_records_is_refused():
    if "cuda" not in DEVICES:
        pytest.skip("no GPU")
    x = torch.ones(1000, device="cuda")
    wf.sum(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x + 1
        with pytest.raises(RuntimeError, match="graph"):
            wf.sum(x)
    graph.replay()
    assert y.sum().item() == 2000.0
    assert wf.sum(x).item() == 1000.0
