"""clip_grad_norm_ with a max_norm of 0 out of a config."""
import torch
import torch.nn as nn

torch.manual_seed(0)
config = {"lr": 1e-2, "clip": 0.0}


def train(model, steps):
    opt = torch.optim.SGD(model.parameters(), lr=config["lr"])
    for _ in range(steps):
        x = torch.randn(16, 4)
        loss = nn.functional.mse_loss(model(x), x[:, :1])
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), config["clip"])  # <- cause
        opt.step()


train(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)), 15)
