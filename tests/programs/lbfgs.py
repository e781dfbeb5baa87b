"""LBFGS with a line search: many backward passes within one step."""

import torch

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=8, line_search_fn="strong_wolfe")
x = torch.randn(32, 2)
y = (x[:, :1] * x[:, 1:]).sin()


def closure():
    optimizer.zero_grad()
    loss = (model(x) - y).square().mean()
    loss.backward()
    return loss


for _ in range(6):
    print(optimizer.step(closure).item())
