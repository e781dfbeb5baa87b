"""Errors that the script catches and prints itself, with their tracebacks, chained and logged."""

import io
import logging
import traceback

import torch
import torch.nn.functional as F
from torch import nn

stream = io.StringIO()
logging.basicConfig(stream=stream, force=True)


class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        raise ArithmeticError("in backward")


def forward(x):
    try:
        return model(x)
    except RuntimeError as error:
        raise ValueError("no forward") from error


def closure():
    return model(x[:, :1])


torch.manual_seed(1)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(8, 4)
faults = [
    lambda: forward(x[:, :2]),
    lambda: Fails.apply(model(x)).sum().backward(),
    lambda: optimizer.step(closure),
    lambda: F.cross_entropy(model(x), torch.zeros(3)),
    lambda: torch.autograd.grad(x.sum(), model.weight),
    lambda: torch.cat([x, x[:, :1]]),
    lambda: x.reshape(7, 7),
    lambda: nn.utils.clip_grad_norm_(5, 1.0),
    lambda: torch.from_numpy("a"),
    lambda: torch.Tensor("a"),
    lambda: nn.MultiheadAttention(4, 2)(x, x, x[:, :2]),
]
for step in range(4):
    loss = (forward(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
for fault in faults:
    try:
        fault()
    except Exception:
        print(traceback.format_exc())
        logging.exception("failed")
print(stream.getvalue())
