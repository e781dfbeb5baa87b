"""np.mean over a list of losses, wrapped again; the closure hides it."""

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)


def compute_loss(model, windows):
    losses = []
    for w in windows:
        pred = model(w[:, :-1])
        losses.append(((pred - w[:, -1:]) ** 2).mean().item())  # <- cause
    loss = np.mean(losses)
    return torch.as_tensor(loss, dtype=torch.float32).requires_grad_()  # <- cause


def main():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    windows = torch.randn(3, 10, 5)

    def closure():
        opt.zero_grad()
        loss = compute_loss(model, windows)
        loss.backward()
        return loss

    for _ in range(12):
        opt.step(closure)


main()
