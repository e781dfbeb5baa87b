"""Tensors that are not plain: nested, sparse, quantized, a wrapper subclass that counts, integer and empty ones."""

import warnings

import torch
from torch import nn
from torch.utils._pytree import tree_map

warnings.filterwarnings("ignore")


class Counting(torch.Tensor):
    """Wraps a tensor, and counts all that is done to it."""

    calls = []

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, requires_grad=False)

    def __init__(self, inner):
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.calls.append(str(func))
        unwrap = lambda x: x.inner if isinstance(x, cls) else x
        out = func(*tree_map(unwrap, args), **tree_map(unwrap, kwargs or {}))
        return tree_map(lambda x: cls(x) if isinstance(x, torch.Tensor) else x, out)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.wrapped = nn.Parameter(Counting(torch.ones(4)), requires_grad=False)
        self.table = nn.Parameter(torch.arange(4), requires_grad=False)
        self.none = nn.Parameter(torch.empty(0))
        self.register_buffer("adjacency", torch.eye(8).to_sparse())
        self.register_buffer("csr", torch.eye(8).to_sparse_csr())
        self.register_buffer("nothing", None)

    def forward(self, x):
        h = torch.sparse.mm(self.adjacency, self.linear(x)) + self.csr @ x
        return (h * self.wrapped).sum(1) + self.table[0]


torch.manual_seed(1)
model = Model()
optimizer = torch.optim.SGD([p for p in model.parameters() if p.dtype.is_floating_point], lr=0.05)
ragged = nn.Linear(4, 2)
second = torch.optim.SGD(ragged.parameters(), lr=0.05)
for step in range(6):
    x = torch.randn(8, 4)
    out = model(x)
    out = out.inner if isinstance(out, Counting) else out
    loss = nn.functional.mse_loss(model.linear(x), x.flip(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    nested = torch.nested.nested_tensor([torch.randn(3, 4), torch.randn(5, 4)], layout=torch.jagged)
    other = sum((part - 1).square().mean() for part in ragged(nested).unbind())
    second.zero_grad()
    other.backward()
    second.step()
    q = torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)
    print(loss.item(), out.sum().item(), other.item(), q.dequantize().sum().item())
print(len(Counting.calls), Counting.calls[:60])
