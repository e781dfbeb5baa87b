"""Weights in a dict; the loop over its values rebinds the loop variable."""

import torch

torch.manual_seed(0)
params = {
    "W1": (torch.randn(4, 16) * 0.3).requires_grad_(),
    "b1": torch.zeros(16, requires_grad=True),
    "W2": (torch.randn(16, 2) * 0.3).requires_grad_(),
    "b2": torch.zeros(2, requires_grad=True),
}


def forward(x):
    h = torch.relu(x @ params["W1"] + params["b1"])
    return h @ params["W2"] + params["b2"]


x, y = torch.randn(60, 4), torch.randint(0, 2, (60,))
for step in range(40):
    loss = torch.nn.functional.cross_entropy(forward(x), y)
    loss.backward()
    with torch.no_grad():
        for name, p in params.items():
            p = p - 0.1 * p.grad  # <- cause
    for p in params.values():
        p.grad = None
