"""Accumulation whose zero_grad stands inside the condition, before the step."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def run(model, loader, every=2):
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for i, (x, y) in enumerate(loader):
        loss = nn.functional.mse_loss(model(x), y) / every
        loss.backward()
        if (i + 1) % every == 0:
            opt.zero_grad()  # <- cause
            opt.step()


data = [(torch.randn(8, 3), torch.randn(8, 1)) for _ in range(30)]
run(nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)), data)
